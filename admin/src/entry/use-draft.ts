import { type RefObject, useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from "react";
import { OctavoProblem } from "../../../client/src/client.ts";
import { type Entry, patchEntry } from "../api/entry.ts";
import {
  createDraft,
  liveOf,
  type OpenedEntry,
  openEntry,
  stageEntry,
  type WorkingCopy,
  withoutCopy,
} from "../api/staged.ts";
import { type Publications, publicationsOf } from "../publish/publications.ts";
import { rereadReleases, useReleases } from "../release/chosen.ts";
import { useSession, useWritesLive } from "../session-context.ts";
import { queries, refresh } from "../ui/query.ts";
import { type Change, type Draft, patchesOf } from "./draft.ts";
import {
  type DraftEvent,
  type DraftState,
  faultOf,
  isAwaited,
  isDirty,
  openDraft,
  reduceDraft,
  unsavedOf,
} from "./draft-state.ts";
import type { Faults } from "./fault.ts";
import { drop, type Kept, keep, keptOf } from "./kept.ts";
import { entryKey, rereadEntries } from "./query.ts";

export type Editing = Publications & {
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
  /** Names the saved state. */
  tag: string;
  /** The working copy that is laid over the entry, if there is one. */
  copy: WorkingCopy | undefined;
  /** The unsaved changes that were found in this browser and are laid over the entry, until they are saved or discarded. */
  found: Kept | undefined;
  /** The browser cannot keep the unsaved changes: with the page they would be lost. */
  isUnkept: boolean;
  edit(change: (draft: Draft) => Draft): void;
  faults: Faults;
  /** Saves the changes where no reader sees them: a draft as it is, otherwise in the working copy. Never publishes. */
  save(): Promise<void>;
  /** Creates the entry again with this draft, after another session deleted it; hidden from readers if it was staged. */
  createAgain(): Promise<void>;
  /** Saves the changes made here on top of what another session saved, as a save does. */
  saveOnTop(): Promise<void>;
  /** Discards the changes made here. */
  discard(): void;
  /** Forgets the changes made here, before the editor is left. */
  forget(): void;
  /** Shows the state that a restore wrote; unsaved changes stay, and the next save detects it. */
  take(state: OpenedEntry): void;
  closeConflict(): void;
  /** Shows what another session saved; unsaved changes stay on top, or the conflict is shown. */
  follow(newer: OpenedEntry): void;
  /** Shows the conflict with what another session saved. */
  overtake(newer: OpenedEntry): void;
};

/** The draft of an entry: its state, the writes that change it, and the copy of it that this browser keeps. */
export function useDraft(read: OpenedEntry, isMissing = false): Editing {
  const { slug } = read.entry;
  const session = useSession();
  const holder = session.token.id;
  const [state, send] = useReducer(reduceDraft, read, () => openDraft(read, keptOf(holder, slug)));
  const { base, draft, theirs, isStaging } = state;
  // Writes end later, when something may have been typed.
  const latest = useRef(state);
  latest.current = state;
  const mayPublish = useWritesLive();
  const { chosen } = useReleases();
  // biome-ignore lint/correctness/useExhaustiveDependencies: an error of a previous session is cleared with it.
  useEffect(() => send({ type: "sessionChanged" }), [session]);
  const faults = useFaults(send, latest);
  if (isAwaited(state, read)) send({ type: "reread", read });
  const isUnkept = useKeeping(state, holder);
  const adopt = (adopted: OpenedEntry): void => {
    send({ type: "adopted", state: adopted });
    cache(adopted);
  };
  const meet = meeting(send, latest);
  const write = async (
    act: () => Promise<OpenedEntry>,
    toCopy?: boolean,
    take = adopt,
  ): Promise<OpenedEntry | undefined> => {
    send({ type: "started", isStaging: toCopy });
    try {
      const written = await act();
      take(written);
      await rereadAfter(base, written);
      return written;
    } catch (error) {
      const failed = (failure: unknown): void => send({ type: "failed", error: failure });
      await takeRefusal(error, base.entry.slug, isDirty(latest.current), { overtaken: meet("overtaken"), failed });
      return undefined;
    } finally {
      send({ type: "ended" });
    }
  };
  const changes = unsavedOf(state);
  const patch = (onto: OpenedEntry, toCopy: boolean, release?: string): Promise<OpenedEntry> =>
    sendChanges(onto, changes, { toCopy, release }, (written) => send({ type: "written", state: written, changes }));
  // One that is in another release stays there.
  const patchChosen = (onto: OpenedEntry, toCopy: boolean) => patch(onto, toCopy, onto.copy?.release ?? chosen?.id);
  const saved = (now: OpenedEntry): void => {
    send({ type: "saved", state: now, changes });
    cache(now);
  };
  const isToCopy = (onto: OpenedEntry): boolean =>
    !mayPublish || chosen !== undefined || !isDraft(onto) || draft.visibility !== "draft";
  const saveOnto = async (onto: OpenedEntry): Promise<void> =>
    void (await write(() => patchChosen(onto, isToCopy(onto)), isToCopy(onto), saved));
  const save = useOneByOne(state.isSaving, async () => {
    if (isDirty(state) && faultOf(state) === undefined && !isFrozen(base)) await saveOnto(base);
  });
  const isStaged = isToCopy(base) || isStaging;
  const again = isStaged ? { ...draft, visibility: "draft" } : draft;
  const isHeld = faultOf(state) !== undefined || isFrozen(base);
  return {
    ...state,
    ...publicationsOf({ base, isHeld, isDirty: isDirty(state), patch, write }),
    ...{ base: base.entry, tag: base.tag, copy: base.copy },
    isDirty: isDirty(state),
    fault: faultOf(state),
    isStaged,
    isUnkept,
    faults,
    edit: (change) => send({ type: "edited", change }),
    save,
    createAgain: async () => void (await write(() => createDraft(base.entry.slug, again, chosen?.id))),
    saveOnTop: () => saveOnto(theirs ?? base),
    discard: () => (isMissing ? forgetMissing(holder, slug) : adopt(theirs ?? base)),
    forget: () => drop(holder, slug),
    take: (taken) => (isDirty(latest.current) ? queries.setQueryData(entryKey(taken.entry.slug), taken) : adopt(taken)),
    closeConflict: () => send({ type: "conflictClosed" }),
    follow: meet("followed"),
    overtake: meet("overtaken"),
  };
}

/** Reloads what a write has changed elsewhere. */
const rereadAfter = ({ copy: before }: OpenedEntry, { copy: after }: OpenedEntry): Promise<unknown> =>
  Promise.all([rereadEntries(), before?.release === after?.release ? refresh("staged") : rereadReleases()]);

/** After a refused write: reads what is newer where the draft is outdated, and says the rest. */
async function takeRefusal(
  error: unknown,
  slug: string,
  isChanged: boolean,
  { overtaken, failed }: { overtaken(newer: OpenedEntry): void; failed(error: unknown): void },
): Promise<void> {
  const code = error instanceof OctavoProblem ? error.code : undefined;
  if (isOutdated(code, isChanged)) await openEntry(slug).then(overtaken, failed);
  else failed(error);
  // The type may be newer than the form, and the release published.
  if (code === "data_invalid") await refresh("types");
  if (code?.startsWith("release_")) await rereadReleases();
}

const useFaults = (send: Send, latest: RefObject<DraftState>): Faults =>
  // biome-ignore lint/correctness/useExhaustiveDependencies: both stay the same.
  useMemo(
    () => ({
      report: (name, fault) => send({ type: "reported", name, fault }),
      typedBefore: (name) => latest.current.typed.get(name),
    }),
    [],
  );

type Send = (event: DraftEvent) => void;

/** Takes what another session wrote; without unsaved changes other readers of the entry get it, too. */
const meeting =
  (send: Send, latest: RefObject<DraftState>) =>
  (type: "overtaken" | "followed") =>
  (newer: OpenedEntry): void => {
    if (!isDirty(latest.current)) cache(newer);
    send({ type, state: newer });
  };

type Save = () => Promise<void>;

/** A save that is asked for while another is under way begins after it: it would be refused for that one. */
function useOneByOne(isSaving: boolean, save: Save): Save {
  const isWaiting = useRef(false);
  useEffect(() => {
    if (isSaving || !isWaiting.current) return;
    isWaiting.current = false;
    void save();
  });
  return async () => {
    if (isSaving) isWaiting.current = true;
    else await save();
  };
}

/** Sends changes as one write or two; to the copy perhaps in a release. */
async function sendChanges(
  onto: OpenedEntry,
  changes: Change,
  { toCopy, release }: { toCopy: boolean; release: string | undefined },
  onWritten: (state: OpenedEntry) => void,
): Promise<OpenedEntry> {
  let state = onto;
  for (const part of patchesOf(onto.entry, changes)) {
    state = toCopy ? await stageEntry(state, part, release) : withoutCopy(await patchEntry(liveOf(state), part));
    onWritten(state);
  }
  return state;
}

/** Keeps what is unsaved in this browser; true when it cannot. */
function useKeeping(state: DraftState, holder: string): boolean {
  const { base, draft, faults, typed } = state;
  const [isUnkept, setUnkept] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is kept follows from these.
  useLayoutEffect(() => {
    const texts = new Map([...typed, ...[...faults].map(([name, { text }]) => [name, text] as const)]);
    const change = unsavedOf(state);
    if (isDirty(state) || texts.size > 0) {
      const at = Math.floor(Date.now() / 1000);
      setUnkept(!keep(holder, { at, base, change, typed: [...texts] }));
    } else {
      drop(holder, base.entry.slug);
      setUnkept(false);
    }
  }, [draft, base, faults, typed]);
  return isUnkept;
}

/** Shows a state to other readers of the entry. A reload under way would bring the state before this one. */
function cache(state: OpenedEntry): void {
  const queryKey = entryKey(state.entry.slug);
  void queries.cancelQueries({ queryKey }, { revert: false });
  queries.setQueryData(queryKey, state);
}

/** Discards the draft of an entry that does not exist. */
function forgetMissing(holder: string, slug: string): void {
  drop(holder, slug);
  void queries.resetQueries({ queryKey: entryKey(slug) });
}

/** No reader sees what is written to it. */
const isDraft = ({ entry, copy }: OpenedEntry): boolean => entry.visibility === "draft" && copy === undefined;

const isFrozen = ({ copy }: OpenedEntry): boolean => copy?.publishAt !== undefined;

/** Another session changed the entry or its copy. What was typed for a copy that is scheduled now waits for its time. */
const isOutdated = (code: string | undefined, isTyped: boolean): boolean =>
  code === "revision_mismatch" || (!isTyped && (code === "nothing_staged" || code === "publish_scheduled"));
