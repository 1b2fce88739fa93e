import { Button, Group } from "@mantine/core";
import { openEntry } from "../api/staged.ts";
import { DifferenceDialog } from "../history/difference-dialog.tsx";
import { say } from "../language/say.ts";
import { compareFields } from "../model/difference.ts";
import { draftOf } from "../model/draft/draft.ts";
import type { ConcurrentChange, DraftEdit } from "../model/draft/editing.ts";

/** From what this page shows to what is saved. */
export function Newer({ editing, onClose }: { editing: DraftEdit & ConcurrentChange; onClose(): void }) {
  const { base } = editing;
  return (
    <DifferenceDialog
      title={say("What somebody else changed")}
      failure={say("The entry cannot be read")}
      same={say("No field differs.")}
      entry={base}
      queryKey={["newer"]}
      read={() => openEntry(base.slug)}
      compare={({ entry }) => compareFields(draftOf(base), draftOf(entry))}
      onClose={onClose}
      buttons={(newer) => (
        <Group justify="flex-end" gap="xs" mt="md">
          <Button variant="default" onClick={onClose}>
            {say("Close")}
          </Button>
          <Button
            disabled={!newer}
            onClick={() => {
              if (newer) editing.follow(newer);
              onClose();
            }}
          >
            {say("Reload")}
          </Button>
        </Group>
      )}
    />
  );
}
