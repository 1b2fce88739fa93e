import type { Entry } from "../api/entry.ts";
import { openLive } from "../api/staged.ts";
import { say } from "../language/say.ts";
import { compareFields } from "../model/difference.ts";
import { draftOf } from "../model/draft/draft.ts";
import { DifferenceDialog } from "./difference-dialog.tsx";

type StagedDifferenceProps = {
  /** The entry, or what it says in the locale, with its working copy laid over. */
  staged: Entry;
  /** Of a translation; undefined for the source. */
  locale?: string | undefined;
  onClose(): void;
};

/** What publishing changes: from the published state to the staged one. */
export const StagedDifference = ({ staged, locale, onClose }: StagedDifferenceProps) => (
  <DifferenceDialog
    title={say("What publishing changes")}
    failure={say("The published entry cannot be read")}
    same={say("No field differs. Publishing a draft makes it visible.")}
    entry={staged}
    queryKey={["live", locale]}
    read={() => openLive(staged.slug, locale)}
    compare={({ entry }) => compareFields(draftOf(entry), draftOf(staged))}
    onClose={onClose}
  />
);
