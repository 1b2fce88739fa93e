import { type RefObject, useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from "react";
import { OctavoProblem } from "../../../client/src/client.ts";
import { patchEntry } from "../api/entry.ts";
import { createDraft, liveOf, type OpenedEntry, openEntry, stageEntry, withoutCopy } from "../api/staged.ts";
import { type Change, patchesOf, withoutKeys } from "../model/draft/draft.ts";
import {
  type DraftEvent,
  type DraftState,
  faultOf,
  isAwaited,
  isDirty,
  openDraft,
  reduceDraft,
  unsavedOf,
} from "../model/draft/draft-state.ts";
import type { Editing } from "../model/draft/editing.ts";
import type { Faults } from "../model/draft/fault.ts";
import { drop, keep, keptOf, placeOf } from "../model/draft/kept.ts";
import { type Publications, publicationsOf } from "../model/draft/publications.ts";
import { entryKey, rereadEntries } from "../query/entry.ts";
import { rereadReleases, useReleases } from "../query/releases.ts";
import { useSession, useWritesLive } from "../session-context.ts";
import { queries, refresh } from "../ui/query.ts";

/** The draft of an entry, or of what it says in another locale: its state, the writes that change it, and the copy of it that this browser keeps. */
export function useDraft(read: OpenedEntry, isMissing = false): Editing {
  const place = placeOf(read);
  const holder = useSession().token.id;
  const held = useDraftState(read, holder);
  const { state, send, latest } = held;
  const { base, theirs } = state;
  const faults = useFaults(send, latest);
  const isUnkept = useKeeping(state, holder);
  const meet = meeting(send, latest);
  const { saves, publications } = useDraftWrites(held);
  return {
    base: base.entry,
    tag: base.tag,
    copy: base.copy,
    translation: base.translation,
    take: (taken) => (isDirty(latest.current) ? queries.setQueryData(keyOf(taken), taken) : adopt(send, taken)),
    draft: state.draft,
    edit: (change) => send({ type: "edited", change }),
    discard: () => (isMissing ? forgetMissing(holder, read) : adopt(send, theirs ?? base)),
    isDirty: isDirty(state),
    fault: faultOf(state),
    isSaving: state.isSaving,
    error: state.error,
    found: state.found,
    isUnkept,
    faults,
    forget: () => drop(holder, place),
    theirs,
    closeConflict: () => send({ type: "conflictClosed" }),
    follow: meet("followed"),
    overtake: meet("overtaken"),
    ...saves,
    ...publications,
  };
}

type Send = (event: DraftEvent) => void;

/** The state of a draft now, in the newest render, and what changes it. */
type Held = {
  state: DraftState;
  /** Writes end later, when something may have been typed. */
  latest: RefObject<DraftState>;
  send: Send;
};

function useDraftState(read: OpenedEntry, holder: string): Held {
  const session = useSession();
  const [state, send] = useReducer(reduceDraft, read, () => openDraft(read, keptOf(holder, placeOf(read))));
  const latest = useRef(state);
  latest.current = state;
  // biome-ignore lint/correctness/useExhaustiveDependencies: an error of a previous session is cleared with it.
  useEffect(() => send({ type: "sessionChanged" }), [session]);
  if (isAwaited(state, read)) send({ type: "reread", read });
  return { state, latest, send };
}

/** Shows a state without anything unsaved. */
function adopt(send: Send, state: OpenedEntry): void {
  send({ type: "adopted", state });
  cache(state);
}

type Saves = Pick<Editing, "save" | "saveOnTop" | "createAgain" | "isStaged">;

/** What saves the draft and what publishes it, each one write after the other. */
function useDraftWrites(held: Held): { saves: Saves; publications: Publications } {
  const { state, send } = held;
  const { base, draft, theirs, isStaging } = state;
  const mayPublish = useWritesLive(base.translation?.locale);
  const { chosen } = useReleases();
  const write = writing(held);
  const changes = unsavedOf(state);
  const patch = (onto: OpenedEntry, toCopy: boolean, release?: string, sent = changes): Promise<OpenedEntry> =>
    sendChanges(onto, sent, { toCopy, release }, (written) => send({ type: "written", state: written, changes }));
  const saved = (now: OpenedEntry): void => {
    send({ type: "saved", state: now, changes });
    cache(now);
  };
  const isToCopy = (onto: OpenedEntry): boolean =>
    !mayPublish || chosen !== undefined || !isDraft(onto) || draft.visibility !== "draft" || isTranslation(onto);
  const saveOnto = async (onto: OpenedEntry, given: readonly string[] = []): Promise<void> => {
    const toCopy = isToCopy(onto);
    const sent = withoutKeys(changes, given);
    // One that is in another release stays there.
    await write(() => patch(onto, toCopy, onto.copy?.release ?? chosen?.id, sent), toCopy, saved);
  };
  const isHeld = faultOf(state) !== undefined || isFrozen(base);
  const save = useOneByOne(state.isSaving, async () => {
    if (isDirty(state) && !isHeld) await saveOnto(base);
  });
  const isStaged = isToCopy(base) || isStaging;
  const again = isStaged ? { ...draft, visibility: "draft" } : draft;
  return {
    publications: publicationsOf({ base, isHeld, isDirty: isDirty(state), patch, write }),
    saves: {
      save,
      saveOnTop: (given) => saveOnto(theirs ?? base, given),
      createAgain: async () => void (await write(() => createDraft(base.entry.slug, again, chosen?.id))),
      isStaged,
    },
  };
}

/** Makes a write, takes its state and reloads what it has changed elsewhere; undefined when it failed. */
function writing({ state: { base }, send, latest }: Held) {
  return async (
    act: () => Promise<OpenedEntry>,
    isStaging?: boolean,
    take = (written: OpenedEntry) => adopt(send, written),
  ): Promise<OpenedEntry | undefined> => {
    send({ type: "started", isStaging });
    try {
      const written = await act();
      take(written);
      await rereadAfter(base, written);
      return written;
    } catch (error) {
      const failed = (failure: unknown): void => send({ type: "failed", error: failure });
      const overtaken = meeting(send, latest)("overtaken");
      await takeRefusal(error, base, isDirty(latest.current), { overtaken, failed });
      return undefined;
    } finally {
      send({ type: "ended" });
    }
  };
}

/** Reloads what a write has changed elsewhere. */
const rereadAfter = (before: OpenedEntry, after: OpenedEntry): Promise<unknown> =>
  Promise.all([
    rereadEntries(),
    before.copy?.release === after.copy?.release ? refresh("staged") : rereadReleases(),
    isTranslation(after) && refresh("translations"),
  ]);

/** After a refused write: reads what is newer where the draft is outdated, and says the rest. */
async function takeRefusal(
  error: unknown,
  { entry, translation }: OpenedEntry,
  isChanged: boolean,
  { overtaken, failed }: { overtaken(newer: OpenedEntry): void; failed(error: unknown): void },
): Promise<void> {
  const code = error instanceof OctavoProblem ? error.code : undefined;
  if (isOutdated(code, isChanged)) await openEntry(entry.slug, translation?.locale).then(overtaken, failed);
  else failed(error);
  // The type may be newer than the form, and the release published.
  if (code === "data_invalid") await refresh("types");
  if (code?.startsWith("release_")) await rereadReleases();
}

export const useFaults = (send: Send, latest: RefObject<DraftState>): Faults =>
  // biome-ignore lint/correctness/useExhaustiveDependencies: both stay the same.
  useMemo(
    () => ({
      report: (name, fault) => send({ type: "reported", name, fault }),
      typedBefore: (name) => latest.current.typed.get(name),
    }),
    [],
  );

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
      drop(holder, placeOf(base));
      setUnkept(false);
    }
  }, [draft, base, faults, typed]);
  return isUnkept;
}

/** Shows a state to other readers of the entry. A reload under way would bring the state before this one. */
function cache(state: OpenedEntry): void {
  const queryKey = keyOf(state);
  void queries.cancelQueries({ queryKey }, { revert: false });
  queries.setQueryData(queryKey, state);
}

/** Discards the draft of an entry that does not exist. */
function forgetMissing(holder: string, read: OpenedEntry): void {
  drop(holder, placeOf(read));
  void queries.resetQueries({ queryKey: keyOf(read) });
}

const keyOf = ({ entry, translation }: OpenedEntry): string[] => entryKey(entry.slug, translation?.locale);

const isTranslation = ({ translation }: OpenedEntry): boolean => translation !== undefined;

/** No reader sees what is written to it. */
const isDraft = ({ entry, copy }: OpenedEntry): boolean => entry.visibility === "draft" && copy === undefined;

const isFrozen = ({ copy }: OpenedEntry): boolean => copy?.publishAt !== undefined;

/** Another session changed the entry or its copy. What was typed for a copy that is scheduled now waits for its time. */
const isOutdated = (code: string | undefined, isTyped: boolean): boolean =>
  code === "revision_mismatch" || (!isTyped && (code === "nothing_staged" || code === "publish_scheduled"));
