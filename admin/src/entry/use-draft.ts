import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { OctavoProblem } from "../../../client/src/client.ts";
import { createEntry, type Entry, patchEntry, type TaggedEntry } from "../api/entry.ts";
import { isSame, type Json } from "../api/json.ts";
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
import type { Fault, Faults } from "./fault.ts";
import { drop, type Kept, keep, keptOf } from "./kept.ts";
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
  /** The unsaved changes that were found in this tab and are laid over the entry, until they are saved or discarded. */
  found: Kept | undefined;
  /** The browser cannot keep the unsaved changes: with the page they would be lost. */
  isUnkept: boolean;
  edit(change: (draft: Draft) => Draft): void;
  faults: Faults;
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
  /** Forgets the changes made here, before the editor is left. */
  forget(): void;
  /** Shows the state that a restore wrote; unsaved changes stay, and the next save detects it. */
  take(state: OpenedEntry): void;
  closeConflict(): void;
};

/**
 * The draft of an entry: the state that was read, and the changes since. Unsaved changes that this tab has kept are laid
 * over; if the entry was changed since they were typed, that is a concurrent change like any other.
 */
export function useDraft(read: OpenedEntry, isMissing = false): Editing {
  const { slug } = read.entry;
  const [opened] = useState(() => openKept(read));
  const [found, setFound] = useState(opened.kept);
  const [base, setBase] = useState(opened.base);
  const [draft, setDraft] = useState<Draft>(opened.draft);
  const [isSaving, setSaving] = useState(false);
  const [error, setError] = useState<unknown>();
  const [theirs, setTheirs] = useState<OpenedEntry | undefined>(opened.theirs);
  const [isStaging, setStaging] = useState(false);
  const [seen, setSeen] = useState(read);
  const changes = changesOf(draftOf(base.entry), draft);
  const [faults, setFaults] = useState<ReadonlyMap<string, Fault>>(new Map());
  // Those of fields that are not shown yet wait there.
  const typed = useRef(new Map(opened.kept?.typed));
  const report = useCallback<Faults["report"]>((name, fault) => {
    typed.current.delete(name);
    setFaults((before) => {
      const others = [...before].filter(([other]) => other !== name);
      return new Map(fault === undefined ? others : [...others, [name, fault]]);
    });
  }, []);
  const reading = useMemo<Faults>(() => ({ report, typedBefore: (name) => typed.current.get(name) }), [report]);
  const [fault] = [...faults.values()].map(({ reason }) => reason);
  const session = useSession();
  const mayPublish = useWritesLive();
  // biome-ignore lint/correctness/useExhaustiveDependencies: an error of a previous session is cleared with it.
  useEffect(() => setError(undefined), [session]);
  const isDirty = isChanged(changes) || fault !== undefined;
  // A restore is undone later, when something may have been typed.
  const latest = useRef(isDirty);
  latest.current = isDirty;
  const [isUnkept, setUnkept] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the changes follow from the draft and its base.
  useLayoutEffect(() => {
    const texts = new Map([...typed.current, ...[...faults].map(([name, { text }]) => [name, text] as const)]);
    if (!isDirty && texts.size === 0) {
      drop(slug);
      setUnkept(false);
      return;
    }
    const at = Math.floor(Date.now() / 1000);
    setUnkept(!keep({ at, tokenId: session.token.id, base, change: changes, typed: [...texts] }));
  }, [draft, base, faults, isDirty]);
  const adopt = (state: OpenedEntry): void => {
    setBase(state);
    setDraft(draftOf(state.entry));
    setTheirs(undefined);
    setError(undefined);
    setFound(undefined);
    typed.current.clear();
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
    found,
    isUnkept,
    edit: setDraft,
    faults: reading,
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
    discard: () => (isMissing ? forgetMissing(slug) : adopt(theirs ?? base)),
    forget: () => drop(slug),
    take: (state) => (latest.current ? queries.setQueryData(entryKey(state.entry.slug), state) : adopt(state)),
    closeConflict: () => setTheirs(undefined),
  };
}

type Opened = { base: OpenedEntry; draft: Draft; kept: Kept | undefined; theirs: OpenedEntry | undefined };

/** The entry as read, with what this tab has kept of its unsaved changes. */
function openKept(read: OpenedEntry): Opened {
  const kept = keptOf(read.entry.slug);
  if (!kept) return { base: read, draft: draftOf(read.entry), kept, theirs: undefined };
  const before = draftOf(kept.base.entry);
  const draft = withChange(before, kept.change);
  const isSaved = kept.typed.length === 0 && !isChanged(changesOf(draftOf(read.entry), draft));
  if (isSaved) return { base: read, draft: draftOf(read.entry), kept: undefined, theirs: undefined };
  const isSameState = !isChanged(changesOf(before, draftOf(read.entry))) && isSame(copyOf(kept.base), copyOf(read));
  return isSameState ? { base: read, draft, kept, theirs: undefined } : { base: kept.base, draft, kept, theirs: read };
}

const copyOf = ({ copy }: OpenedEntry): Json => (copy ? [copy.publishAt ?? null] : null);

/** Discards the draft of an entry that does not exist. */
function forgetMissing(slug: string): void {
  drop(slug);
  void queries.resetQueries({ queryKey: entryKey(slug) });
}

const isFrozen = ({ copy }: OpenedEntry): boolean => copy?.publishAt !== undefined;

/** Another session changed the entry or its copy. What was typed for a copy that is scheduled now waits for its time. */
const isOutdated = (code: string, isDirty: boolean): boolean =>
  code === "revision_mismatch" || (!isDirty && (code === "nothing_staged" || code === "publish_scheduled"));
