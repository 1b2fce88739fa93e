import { Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { openEntry } from "../api/staged.ts";
import { FieldDifferences } from "../history/difference-view.tsx";
import { say } from "../language/say.ts";
import { compareFields } from "../model/difference.ts";
import { draftOf } from "../model/draft/draft.ts";
import type { ConcurrentChange, DraftEdit } from "../model/draft/editing.ts";
import { fieldWords } from "../model/entry/field-words.ts";
import { useEntryShape } from "../query/entry-shape.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Failure, Loading } from "../ui/state.tsx";

/** From what this page shows to what is saved. */
export function Newer({ editing, onClose }: { editing: DraftEdit & ConcurrentChange; onClose(): void }) {
  const { base } = editing;
  const { data, error, refetch } = useQuery({
    queryKey: ["entry", base.slug, "newer"],
    queryFn: () => openEntry(base.slug),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  const shape = useEntryShape(base);
  const fields = data && compareFields(draftOf(base), draftOf(data.entry));
  return (
    <Dialog onClose={onClose} title={say("What somebody else changed")} size={760}>
      {error ? (
        <Failure error={error} title={say("The entry cannot be read")} onRetry={() => void refetch()} />
      ) : !fields ? (
        <Loading rows={3} />
      ) : fields.length === 0 ? (
        <Text size="sm">{say("No field differs.")}</Text>
      ) : (
        <section aria-label={say("What differs")}>
          <FieldDifferences fields={fields} words={fieldWords} shape={shape} />
        </section>
      )}
      <Group justify="flex-end" gap="xs" mt="md">
        <Button variant="default" onClick={onClose}>
          {say("Close")}
        </Button>
        <Button
          disabled={!data}
          onClick={() => {
            if (data) editing.follow(data);
            onClose();
          }}
        >
          {say("Reload")}
        </Button>
      </Group>
    </Dialog>
  );
}
