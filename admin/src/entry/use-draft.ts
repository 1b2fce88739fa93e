import { useCallback, useEffect, useRef, useState } from "react";
import { OctavoProblem } from "../../../client/src/client.ts";
import { createEntry, type Entry, patchEntry, readEntry, type TaggedEntry } from "../api/entry.ts";
import { useSession } from "../session-context.ts";
import { queries } from "../ui/query.ts";
import { changesOf, type Draft, draftOf, isChanged, patchesOf, withChange } from "./draft.ts";
import type { Report } from "./fault.ts";
import { entryKey, rereadEntries } from "./query.ts";

export type Editing = {
  draft: Draft;
  /** There are unsaved changes; an unreadable field always counts as unsaved. */
  isDirty: boolean;
  /** Why it cannot be saved: the first invalid field on the page. */
  fault: string | undefined;
  isSaving: boolean;
  error: unknown;
  /** The state that another session saved meanwhile. */
  theirs: TaggedEntry | undefined;
  base: Entry;
  edit(change: (draft: Draft) => Draft): void;
  report: Report;
  save(): Promise<void>;
  /** Creates the entry again with this draft, after another session deleted it. */
  createAgain(): Promise<void>;
  /** Applies the changes made here on top of the saved state. */
  saveOnTop(): Promise<void>;
  /** Discards the changes made here. */
  discard(): void;
  /** Shows the state that a restore wrote; unsaved changes stay, and the next save detects it. */
  take(state: TaggedEntry): void;
  closeConflict(): void;
};

/** The draft of an entry: the state that was read, and the changes since. */
export function useDraft(read: TaggedEntry): Editing {
  const [base, setBase] = useState(read);
  const [draft, setDraft] = useState<Draft>(() => draftOf(read.entry));
  const [isSaving, setSaving] = useState(false);
  const [error, setError] = useState<unknown>();
  const [theirs, setTheirs] = useState<TaggedEntry>();
  const changes = changesOf(draftOf(base.entry), draft);
  const [faults, setFaults] = useState<ReadonlyMap<string, string>>(new Map());
  const report = useCallback<Report>((name, fault) => {
    setFaults((before) => {
      const others = [...before].filter(([other]) => other !== name);
      return new Map(fault === undefined ? others : [...others, [name, fault]]);
    });
  }, []);
  const [fault] = faults.values();
  const session = useSession();
  // biome-ignore lint/correctness/useExhaustiveDependencies: an error of a previous session is cleared with it.
  useEffect(() => setError(undefined), [session]);
  const isDirty = isChanged(changes) || fault !== undefined;
  // A restore is undone later, when something may have been typed.
  const latest = useRef(isDirty);
  latest.current = isDirty;
  const adopt = (state: TaggedEntry): void => {
    setBase(state);
    setDraft(draftOf(state.entry));
    setTheirs(undefined);
    setError(undefined);
    queries.setQueryData(entryKey(state.entry.slug), state);
  };
  // A refetch: unchanged keys take the new values. A state of the same second may be the previous one, which the query
  // still holds for a moment; if it is newer, the next save detects that.
  if (!isDirty && !isSaving && read.entry.modified_at > base.entry.modified_at) {
    setBase(read);
    setDraft(draftOf(read.entry));
  }
  const patch = async (onto: TaggedEntry): Promise<TaggedEntry> => {
    let state = onto;
    for (const part of patchesOf(onto.entry, changes)) {
      state = await patchEntry(state, part);
      // If the next write fails, its changes stay unsaved.
      setBase(state);
      setDraft(withChange(draftOf(state.entry), changes));
    }
    return state;
  };
  const write = async (send: () => Promise<TaggedEntry>): Promise<void> => {
    setSaving(true);
    setError(undefined);
    try {
      adopt(await send());
      await rereadEntries();
    } catch (failure) {
      if (failure instanceof OctavoProblem && failure.code === "revision_mismatch") {
        await readEntry(base.entry.slug).then(setTheirs, setError);
      } else setError(failure);
    } finally {
      setSaving(false);
    }
  };
  return {
    draft,
    isDirty,
    fault,
    isSaving,
    error,
    theirs,
    base: base.entry,
    edit: setDraft,
    report,
    save: () => (isDirty && fault === undefined ? write(() => patch(base)) : Promise.resolve()),
    createAgain: () => write(() => createEntry(base.entry.slug, draft)),
    saveOnTop: () => write(() => patch(theirs ?? base)),
    discard: () => adopt(theirs ?? base),
    take: (state) => (latest.current ? queries.setQueryData(entryKey(state.entry.slug), state) : adopt(state)),
    closeConflict: () => setTheirs(undefined),
  };
}
