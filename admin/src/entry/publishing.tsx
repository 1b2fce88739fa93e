import { Stack, Text, TextInput } from "@mantine/core";
import type { Visibility } from "../api/entry.ts";
import type { Json } from "../api/json.ts";
import { Fact } from "../ui/fact.tsx";
import { formatMoment, fromLocalInput, toLocalInput } from "../ui/format.ts";
import { Segments } from "../ui/segments.tsx";
import { Advanced } from "./advanced.tsx";
import type { Editing } from "./use-draft.ts";
import { stateOf } from "./visibility.tsx";

const meanings: Record<Visibility, string> = {
  visible: "Every delivery token reads it, from the date below.",
  hidden: "Readable by its id, not listed.",
  draft: "Only management and preview tokens read it.",
};

/** The visibility and dates of the entry, and its metadata. */
export function Publishing({ editing }: { editing: Editing }) {
  const { draft, base, edit } = editing;
  const set = (key: string, value: Json): void => edit((before) => ({ ...before, [key]: value }));
  const visibility = draft.visibility as Visibility;
  const publishedAt = draft.published_at as number;
  const isScheduled = stateOf(visibility, publishedAt).label === "Scheduled";
  return (
    <aside className="publishing" aria-label="Publishing">
      <Stack gap="md" className="panel" p="md">
        <h2>Publishing</h2>
        <div>
          <Segments
            label="Visibility"
            options={{ visible: "Visible", hidden: "Hidden", draft: "Draft" }}
            value={visibility}
            onChange={(chosen) => set("visibility", chosen)}
            fullWidth
          />
          <Text size="xs" c="dimmed" mt={6} mih={34}>
            {meanings[visibility]}
          </Text>
        </div>
        <TextInput
          type="datetime-local"
          step={1}
          label="Publish date"
          description={isScheduled ? "In the future: it is published automatically." : undefined}
          value={toLocalInput(publishedAt)}
          onChange={(event) => {
            const seconds = fromLocalInput(event.currentTarget.value);
            if (seconds !== undefined) set("published_at", seconds);
          }}
        />
      </Stack>
      <dl className="panel facts">
        <Fact name="Id" value={base.slug} isCopyable />
        <Fact name="Created" value={formatMoment(base.created_at)} />
        <Fact name="Changed" value={formatMoment(base.modified_at)} />
      </dl>
      <Advanced editing={editing} />
    </aside>
  );
}
