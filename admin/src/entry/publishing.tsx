import { Stack, Switch, TextInput } from "@mantine/core";
import type { Json } from "../api/json.ts";
import { Fact } from "../ui/fact.tsx";
import { formatMoment } from "../ui/format.ts";
import type { Editing } from "./use-draft.ts";

/** What the service keeps beside the content of the entry. */
export function Publishing({ editing: { draft, base, edit } }: { editing: Editing }) {
  const set = (key: string, value: Json): void => edit((before) => ({ ...before, [key]: value }));
  return (
    <aside className="publishing" aria-label="About this entry">
      <Stack gap="md" className="panel" p="md">
        <TextInput
          label="Published by"
          value={String(draft.published_by ?? "")}
          onChange={(event) => set("published_by", event.currentTarget.value)}
        />
        <TextInput
          label="Created by"
          value={String(draft.created_by ?? "")}
          onChange={(event) => set("created_by", event.currentTarget.value)}
        />
        <Switch
          label="Has a page of its own"
          description="Stored as the field routable"
          checked={draft.routable === true}
          onChange={(event) => set("routable", event.currentTarget.checked)}
        />
      </Stack>
      <dl className="panel facts">
        <Fact name="Id" value={base.slug} isCopyable />
        <Fact name="UUID" value={base.uuid} isCopyable />
        <Fact name="Publish date" value={formatMoment(Number(draft.published_at))} />
        <Fact name="Created" value={formatMoment(base.created_at)} />
        <Fact name="Changed" value={formatMoment(base.modified_at)} />
      </dl>
    </aside>
  );
}
