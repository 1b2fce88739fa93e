import { useCallback, useEffect, useRef, useState } from "react";
import { OctavoProblem } from "../../../client/src/client.ts";
import { createEntry, type Entry, patchEntry, type TaggedEntry } from "../api/entry.ts";
import {
  discardStaged,
  liveOf,
  type OpenedEntry,
  openEntry,
  publishStaged,
  scheduleStaged,
  stageEntry,
  type WorkingCopy,
  withoutCopy,
} from "../api/staged.ts";
import { useSession, useWritesLive } from "../session-context.ts";
import { queries, refresh } from "../ui/query.ts";
import { changesOf, type Draft, draftOf, isChanged, patchesOf, withChange } from "./draft.ts";
import type { Report } from "./fault.ts";
import { entryKey, rereadEntries } from "./query.ts";

const changedMeanwhile = "Someone else changed this entry meanwhile. The page shows its present state.";

export type Editing = {
  draft: Draft;
  /** There are unsaved changes; an unreadable field always counts as unsaved. */
  isDirty: boolean;
  /** Why it cannot be saved: the first invalid field on the page. */
  fault: string | undefined;
  isSaving: boolean;
  /** What was saved last, or is saved next, is for the working copy and not for readers. */
  isStaged: boolean;
  error: unknown;
  /** The state that another session saved meanwhile. */
  theirs: OpenedEntry | undefined;
  base: Entry;
  /** The working copy that is laid over the entry, if there is one. */
  copy: WorkingCopy | undefined;
  edit(change: (draft: Draft) => Draft): void;
  report: Report;
  /** Saves the changes: in the working copy where there is one or the token writes nothing else, otherwise in the entry. */
  save(): Promise<void>;
  /** Saves the changes in the working copy, and creates it. */
  stage(): Promise<void>;
  /** Publishes the working copy or the draft; at a time in Unix seconds, now without one. Null takes a time back. */
  publish(at?: number | null): Promise<void>;
  /** Drops the working copy. */
  discardCopy(): Promise<void>;
  /** Creates the entry again with this draft, after another session deleted it; hidden from readers if it was staged. */
  createAgain(): Promise<void>;
  /** Applies the changes made here on top of the saved state. */
  saveOnTop(): Promise<void>;
  /** Discards the changes made here. */
  discard(): void;
  /** Shows the state that a restore wrote; unsaved changes stay, and the next save detects it. */
  take(state: OpenedEntry): void;
  closeConflict(): void;
};

/** The draft of an entry: the state that was read, and the changes since. */
export function useDraft(read: OpenedEntry): Editing {
  const [base, setBase] = useState(read);
  const [draft, setDraft] = useState<Draft>(() => draftOf(read.entry));
  const [isSaving, setSaving] = useState(false);
  const [error, setError] = useState<unknown>();
  const [theirs, setTheirs] = useState<OpenedEntry>();
  const [isStaging, setStaging] = useState(false);
  const [seen, setSeen] = useState(read);
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
  const mayPublish = useWritesLive();
  // biome-ignore lint/correctness/useExhaustiveDependencies: an error of a previous session is cleared with it.
  useEffect(() => setError(undefined), [session]);
  const isDirty = isChanged(changes) || fault !== undefined;
  // A restore is undone later, when something may have been typed.
  const latest = useRef(isDirty);
  latest.current = isDirty;
  const adopt = (state: OpenedEntry): void => {
    setBase(state);
    setDraft(draftOf(state.entry));
    setTheirs(undefined);
    setError(undefined);
    // A reload under way would bring the state before this one.
    void queries.cancelQueries({ queryKey: entryKey(state.entry.slug) }, { revert: false });
    queries.setQueryData(entryKey(state.entry.slug), state);
  };
  // A refetch: unchanged keys take the new values. If another state is newer, the next save detects that.
  if (read !== seen && !isDirty && !isSaving) {
    setSeen(read);
    if (read.tag !== base.tag && read.entry.modified_at >= base.entry.modified_at) {
      setBase(read);
      setDraft(draftOf(read.entry));
    }
  }
  const patch = async (onto: OpenedEntry, toCopy: boolean): Promise<OpenedEntry> => {
    let state = onto;
    for (const part of patchesOf(onto.entry, changes)) {
      state = toCopy ? await stageEntry(state, part) : withoutCopy(await patchEntry(liveOf(state), part));
      // If the next write fails, its changes stay unsaved.
      setBase(state);
      setDraft(withChange(draftOf(state.entry), changes));
    }
    return state;
  };
  const write = async (send: () => Promise<OpenedEntry>): Promise<void> => {
    setSaving(true);
    setError(undefined);
    try {
      adopt(await send());
      await Promise.all([rereadEntries(), refresh("staged")]);
    } catch (failure) {
      if (failure instanceof OctavoProblem && isOutdated(failure.code, latest.current)) {
        await openEntry(base.entry.slug).then(conflict, setError);
      } else setError(failure);
      // The type may be newer than the form.
      if (failure instanceof OctavoProblem && failure.code === "data_invalid") await refresh("types");
    } finally {
      setSaving(false);
    }
  };
  const conflict = (state: OpenedEntry): void => {
    if (latest.current) setTheirs(state);
    else {
      adopt(state);
      setError(changedMeanwhile);
    }
  };
  const save = async (toCopy: boolean): Promise<void> => {
    if (!isDirty || fault !== undefined || isFrozen(base)) return;
    setStaging(toCopy);
    await write(() => patch(base, toCopy));
  };
  const isStaged = base.copy !== undefined || isStaging || !mayPublish;
  const createAgain = (): Promise<TaggedEntry> =>
    createEntry(base.entry.slug, isStaged ? { ...draft, visibility: "draft" } : draft);
  return {
    draft,
    isDirty,
    fault,
    isSaving,
    isStaged,
    error,
    theirs,
    base: base.entry,
    copy: base.copy,
    edit: setDraft,
    report,
    save: () => save(base.copy !== undefined || !mayPublish),
    stage: () => save(true),
    publish: (at) => write(() => (at === undefined ? publishStaged(base) : scheduleStaged(base, at))),
    discardCopy: () =>
      write(async () => {
        await discardStaged(base);
        return openEntry(base.entry.slug);
      }),
    createAgain: () => write(async () => withoutCopy(await createAgain())),
    saveOnTop: () => write(() => patch(theirs ?? base, isStaging || theirs?.copy !== undefined)),
    discard: () => adopt(theirs ?? base),
    take: (state) => (latest.current ? queries.setQueryData(entryKey(state.entry.slug), state) : adopt(state)),
    closeConflict: () => setTheirs(undefined),
  };
}

const isFrozen = ({ copy }: OpenedEntry): boolean => copy?.publishAt !== undefined;

/** Another session changed the entry or its copy. What was typed for a copy that is scheduled now waits for its time. */
const isOutdated = (code: string, isDirty: boolean): boolean =>
  code === "revision_mismatch" || (!isDirty && (code === "nothing_staged" || code === "publish_scheduled"));
