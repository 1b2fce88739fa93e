import { isSame, type Json } from "../../api/json.ts";
import type { OpenedEntry } from "../../api/staged.ts";
import { say } from "../../language/say.ts";
import { type Change, changedKeys, changesOf, type Draft, draftOf, isChanged, withChange } from "./draft.ts";
import type { Fault } from "./fault.ts";
import type { Kept } from "./kept.ts";

/** The draft of an entry as a state and its events, without the service, the browser or React. */

export const changedMeanwhile = say("Someone else changed this entry meanwhile. The page shows its present state.");
/** Of a translation, whose fields are each by itself: only where both changed the same one somebody must decide. */
const laidOnTop = say(
  "Someone else changed this translation meanwhile. It is shown as it is now, with what you have typed: save again to keep that.",
);

export type DraftState = {
  /** What was read or written last: the draft is what differs from it. */
  base: OpenedEntry;
  draft: Draft;
  /** The newest state of the query cache that was looked at: it is not taken twice. */
  seen: OpenedEntry;
  /** The unsaved changes that were found in this browser, until they are saved or discarded. */
  found: Kept | undefined;
  /** The state that another session saved meanwhile. */
  theirs: OpenedEntry | undefined;
  isSaving: boolean;
  /** The last save was for the working copy. */
  isStaging: boolean;
  error: unknown;
  /** The invalid fields on the page. */
  faults: ReadonlyMap<string, Fault>;
  /** Invalid texts that were found, of fields that are not shown yet. */
  typed: ReadonlyMap<string, string>;
};

export type DraftEvent =
  | { type: "edited"; change(draft: Draft): Draft }
  | { type: "reported"; name: string; fault: Fault | undefined }
  /** The query cache has another state. Ignored while something is unsaved: the next save detects it. */
  | { type: "reread"; read: OpenedEntry }
  | { type: "started"; isStaging: boolean | undefined }
  /** One of several writes of a save is done; the changes of the others stay unsaved. */
  | { type: "written"; state: OpenedEntry; changes: Change }
  /** A save is done; what was typed since it began stays unsaved. */
  | { type: "saved"; state: OpenedEntry; changes: Change }
  /** This is the state now, without anything unsaved. */
  | { type: "adopted"; state: OpenedEntry }
  /** A write was refused, because another session wrote this before. */
  | { type: "overtaken"; state: OpenedEntry }
  /** The person wants what another session wrote. */
  | { type: "followed"; state: OpenedEntry }
  | { type: "failed"; error: unknown }
  | { type: "ended" }
  | { type: "conflictClosed" }
  | { type: "sessionChanged" };

/**
 * The entry as read, with the unsaved changes that this browser has kept laid over. If the entry was changed since they were
 * typed, that is a concurrent change like any other; if they were saved meanwhile, they are forgotten.
 */
export function openDraft(read: OpenedEntry, kept: Kept | undefined): DraftState {
  const rest = { seen: read, isSaving: false, isStaging: false, error: undefined, faults: new Map(), typed: new Map() };
  const asRead = { ...rest, base: read, draft: draftOf(read.entry), found: undefined, theirs: undefined };
  if (!kept) return asRead;
  const before = draftOf(kept.base.entry);
  const draft = withChange(before, kept.change);
  if (kept.typed.length === 0 && !isChanged(changesOf(asRead.draft, draft))) return asRead;
  const isSameState = !isChanged(changesOf(before, asRead.draft)) && isSame(copyOf(kept.base), copyOf(read));
  const over = { ...asRead, draft, found: kept, typed: new Map(kept.typed) };
  return isSameState ? over : { ...over, base: kept.base, theirs: read };
}

const copyOf = ({ copy }: OpenedEntry): Json => (copy ? [copy.publishAt ?? null] : null);

export const unsavedOf = ({ base, draft }: DraftState): Change => changesOf(draftOf(base.entry), draft);

/** There are unsaved changes; an unreadable field always counts as unsaved. */
export const isDirty = (state: DraftState): boolean => isChanged(unsavedOf(state)) || state.faults.size > 0;

/** Why it cannot be saved: the first invalid field on the page. */
export const faultOf = ({ faults }: DraftState): string | undefined => faults.values().next().value?.reason;

/** Whether a state of the query cache is to be looked at now. */
export const isAwaited = (state: DraftState, read: OpenedEntry): boolean =>
  read !== state.seen && !state.isSaving && !isDirty(state);

export function reduceDraft(state: DraftState, event: DraftEvent): DraftState {
  switch (event.type) {
    case "edited":
      return { ...state, draft: event.change(state.draft) };
    case "reported":
      return reported(state, event.name, event.fault);
    case "reread":
      return isAwaited(state, event.read) ? reread(state, event.read) : state;
    case "started":
      return { ...state, isSaving: true, error: undefined, isStaging: event.isStaging ?? state.isStaging };
    case "written":
      return written(state, event.state, event.changes);
    case "saved":
      return { ...written(state, event.state, { set: {}, removed: [] }, event.changes), ...settled };
    case "adopted":
      return adopted(state, event.state);
    case "overtaken":
      return overtaken(state, event.state);
    case "followed":
      return followed(state, event.state);
    case "failed":
      return { ...state, error: event.error };
    case "ended":
      return { ...state, isSaving: false };
    case "conflictClosed":
      return { ...state, theirs: undefined };
    case "sessionChanged":
      return { ...state, error: undefined };
  }
}

function reported(state: DraftState, name: string, fault: Fault | undefined): DraftState {
  const without = <V>(map: ReadonlyMap<string, V>) => [...map].filter(([other]) => other !== name);
  const faults = without(state.faults);
  if (fault) faults.push([name, fault]);
  return { ...state, faults: new Map(faults), typed: new Map(without(state.typed)) };
}

/** Unchanged keys take the new values. */
function reread(state: DraftState, read: OpenedEntry): DraftState {
  const isNewer = read.tag !== state.base.tag && read.entry.modified_at >= state.base.entry.modified_at;
  return isNewer ? { ...state, seen: read, base: read, draft: draftOf(read.entry) } : { ...state, seen: read };
}

/** The new base below what it does not have yet: of these changes, and of what was typed since they were sent. */
function written(state: DraftState, base: OpenedEntry, left: Change, sent: Change = left): DraftState {
  const since = changesOf(withChange(draftOf(state.base.entry), sent), state.draft);
  return { ...state, base, draft: withChange(withChange(draftOf(base.entry), left), since) };
}

function overtaken(state: DraftState, theirs: OpenedEntry): DraftState {
  if (!isDirty(state)) return { ...adopted(state, theirs), error: changedMeanwhile };
  if (!theirs.translation) return { ...state, theirs };
  return { ...followed(state, theirs), error: laidOnTop };
}

/** Unsaved changes stay on top; where both changed the same field, or one cannot be read, the person decides. */
function followed(state: DraftState, theirs: OpenedEntry): DraftState {
  if (!isDirty(state)) return adopted(state, theirs);
  const mine = unsavedOf(state);
  const others = changedKeys(changesOf(draftOf(state.base.entry), draftOf(theirs.entry)));
  const isAsked = state.faults.size > 0 || changedKeys(mine).some((key) => others.includes(key));
  return isAsked ? { ...state, theirs } : written(state, theirs, mine);
}

const settled = { theirs: undefined, error: undefined, found: undefined, typed: new Map() };

const adopted = (state: DraftState, base: OpenedEntry): DraftState => ({
  ...state,
  ...{ base, draft: draftOf(base.entry), ...settled },
});
