import { useReducer, useRef } from "react";
import { OctavoProblem } from "../../../client/src/client.ts";
import { type Entry, readEntry, type TaggedEntry } from "../api/entry.ts";
import { liveOf, type OpenedEntry, withoutCopy } from "../api/staged.ts";
import { type Correction, correctLive } from "../model/draft/correction.ts";
import { faultOf, isDirty, openDraft, reduceDraft, unsavedOf } from "../model/draft/draft-state.ts";
import type { ConcurrentChange, DraftEdit, LocalCopy, SaveState } from "../model/draft/editing.ts";
import { rereadEntries } from "../query/entry.ts";
import { refresh } from "../ui/query.ts";
import { useFaults } from "./use-draft.ts";

type Correcting = DraftEdit & SaveState & LocalCopy & Pick<ConcurrentChange, "theirs" | "saveOnTop" | "closeConflict">;

/**
 * The live entry below a working copy while it is corrected. Saving it writes to the site. It is not kept in this browser:
 * what is kept of an entry is for its copy.
 */
export function useCorrection(read: TaggedEntry, copied: Entry, onDone: (correction: Correction) => void): Correcting {
  const [state, send] = useReducer(reduceDraft, read, () => openDraft(withoutCopy(read), undefined));
  const latest = useRef(state);
  latest.current = state;
  const { base, draft, theirs } = state;
  const faults = useFaults(send, latest);
  const fault = faultOf(state);
  const saveOnto = async (onto: OpenedEntry): Promise<void> => {
    send({ type: "started", isStaging: false });
    try {
      const done = await correctLive(liveOf(onto), copied, unsavedOf(state));
      await Promise.all([rereadEntries(), refresh("staged")]);
      onDone(done);
    } catch (error) {
      const isOutdated = error instanceof OctavoProblem && error.code === "revision_mismatch";
      if (isOutdated) send({ type: "overtaken", state: withoutCopy(await readEntry(base.entry.slug)) });
      else send({ type: "failed", error });
    } finally {
      send({ type: "ended" });
    }
  };
  return {
    base: base.entry,
    draft,
    edit: (change) => send({ type: "edited", change }),
    discard: () => send({ type: "adopted", state: theirs ?? base }),
    isDirty: isDirty(state),
    fault,
    isSaving: state.isSaving,
    error: state.error,
    save: async () => {
      if (isDirty(state) && fault === undefined && !state.isSaving) await saveOnto(base);
    },
    found: undefined,
    isUnkept: false,
    faults,
    forget: () => undefined,
    theirs,
    saveOnTop: () => saveOnto(theirs ?? base),
    closeConflict: () => send({ type: "conflictClosed" }),
  };
}
