import { Stack, Switch, TextInput } from "@mantine/core";
import type { Json } from "../api/json.ts";
import { say } from "../language/say.ts";
import type { DraftEdit } from "../model/draft/editing.ts";
import { Fact } from "../ui/fact.tsx";
import { Fold } from "../ui/fold.tsx";

/** What the service keeps beside the content, and editors seldom need. */
export function Advanced({ editing: { draft, base, edit } }: { editing: DraftEdit }) {
  const set = (key: string, value: Json): void => edit((before) => ({ ...before, [key]: value }));
  return (
    <div className="panel advanced">
      <Fold title={say("Advanced")}>
        <Stack gap="md">
          <Switch
            label={say("Has a page of its own")}
            description={say("Off for what only other pages show, such as a part of a page")}
            checked={draft.routable === true}
            onChange={(event) => set("routable", event.currentTarget.checked)}
          />
          <TextInput
            label={say("Published by")}
            description={say("Whom the site names; the history knows who it was")}
            value={String(draft.published_by ?? "")}
            onChange={(event) => set("published_by", event.currentTarget.value)}
          />
          <TextInput
            label={say("Created by")}
            value={String(draft.created_by ?? "")}
            onChange={(event) => set("created_by", event.currentTarget.value)}
          />
          <dl className="facts">
            <Fact name="UUID" value={base.uuid} isCopyable />
          </dl>
        </Stack>
      </Fold>
    </div>
  );
}
