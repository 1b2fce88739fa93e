import "./presence.css";
import { Button, CloseButton, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type OpenedEntry, openEntry } from "../api/staged.ts";
import { FieldDifferences } from "../history/difference-view.tsx";
import { compareFields } from "../model/difference.ts";
import { draftOf } from "../model/draft/draft.ts";
import type { ConcurrentChange, DraftEdit, SaveState } from "../model/draft/editing.ts";
import { fieldWords } from "../model/entry/field-words.ts";
import { useEntryShape } from "../query/entry-shape.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Failure, Loading, notifyFailure } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import type { Presence } from "./presence.ts";

type ChangedProps = { editing: DraftEdit & SaveState & ConcurrentChange; presence: Presence };

/**
 * Says that somebody else has saved the entry since, below the form, where nothing is moved. With unsaved changes the
 * conflict is shown that the next save would meet.
 */
export function Changed({ editing, presence: { change, isGone } }: ChangedProps) {
  const [closed, setClosed] = useState<string>();
  const [isComparing, setComparing] = useState(false);
  const told = isGone ? "gone" : change?.tag;
  const isShown = told !== undefined && told !== closed && editing.theirs === undefined;
  const read = (show: (newer: OpenedEntry) => void) => (): void =>
    void openEntry(editing.base.slug).then(show).catch(notifyFailure);
  return (
    <div className="changed" role="status" aria-label="Changed elsewhere">
      {isShown && (
        <div className="changed-bar">
          <Text size="sm" className="changed-words">
            {isGone ? "Somebody else deleted or moved this entry." : <Words change={change} />}
          </Text>
          {!isGone && (
            <Group gap="xs" wrap="nowrap">
              <Button size="xs" onClick={read(editing.follow)}>
                Reload
              </Button>
              <Button
                size="xs"
                variant="default"
                onClick={editing.isDirty ? read(editing.overtake) : () => setComparing(true)}
              >
                Compare
              </Button>
            </Group>
          )}
          <CloseButton aria-label="Close the notice" onClick={() => setClosed(told)} />
        </div>
      )}
      {isComparing && <Difference editing={editing} onClose={() => setComparing(false)} />}
    </div>
  );
}

const Words = ({ change }: Pick<Presence, "change">) => (
  <>
    Changed by {change?.name ?? "somebody else"} {change?.at === undefined ? "meanwhile" : <Ago seconds={change.at} />}.
  </>
);

/** From what this page shows to what is saved. */
function Difference({ editing, onClose }: { editing: DraftEdit & ConcurrentChange; onClose(): void }) {
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
    <Dialog onClose={onClose} title="What somebody else changed" size={760}>
      {error ? (
        <Failure error={error} title="The entry cannot be read" onRetry={() => void refetch()} />
      ) : !fields ? (
        <Loading rows={3} />
      ) : fields.length === 0 ? (
        <Text size="sm">No field differs.</Text>
      ) : (
        <section aria-label="What differs">
          <FieldDifferences fields={fields} words={fieldWords} shape={shape} />
        </section>
      )}
      <Group justify="flex-end" gap="xs" mt="md">
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
        <Button
          disabled={!data}
          onClick={() => {
            if (data) editing.follow(data);
            onClose();
          }}
        >
          Reload
        </Button>
      </Group>
    </Dialog>
  );
}
