import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Entry } from "../api/entry.ts";
import { openLive } from "../api/staged.ts";
import { say } from "../language/say.ts";
import { compareFields } from "../model/difference.ts";
import { draftOf } from "../model/draft/draft.ts";
import { fieldWords } from "../model/entry/field-words.ts";
import { useEntryShape } from "../query/entry-shape.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Failure, Loading } from "../ui/state.tsx";
import { FieldDifferences } from "./difference-view.tsx";

type StagedDifferenceProps = {
  /** The entry, or what it says in the locale, with its working copy laid over. */
  staged: Entry;
  /** Of a translation; undefined for the source. */
  locale?: string | undefined;
  onClose(): void;
};

/** What publishing changes: from the published state to the staged one. */
export function StagedDifference({ staged, locale, onClose }: StagedDifferenceProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ["entry", staged.slug, "live", locale],
    queryFn: () => openLive(staged.slug, locale),
    // Read again whenever the dialog opens.
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  const shape = useEntryShape(staged);
  const fields = data && compareFields(draftOf(data.entry), draftOf(staged));
  return (
    <Dialog onClose={onClose} title={say("What publishing changes")} size={760}>
      {error ? (
        <Failure error={error} title={say("The published entry cannot be read")} onRetry={() => void refetch()} />
      ) : !fields ? (
        <Loading rows={3} />
      ) : fields.length === 0 ? (
        <Text size="sm">{say("No field differs. Publishing a draft makes it visible.")}</Text>
      ) : (
        <section aria-label={say("What differs")}>
          <FieldDifferences fields={fields} words={fieldWords} shape={shape} />
        </section>
      )}
    </Dialog>
  );
}
