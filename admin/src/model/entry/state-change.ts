import type { Entry } from "../../api/entry.ts";
import type { JsonObject } from "../../api/json.ts";
import { say, sayMany } from "../../language/say.ts";
import { type State, stateOf } from "./state.ts";

/** A change of the public state of several entries. */
export type StateChange = "publish" | "hide" | "draft" | "schedule";

export type Words = {
  verb: string;
  done: string;
  failed: string;
  /** The state of entries that need no change. */
  already: State;
  /** The states that change, and what becomes of such entries; those with `ask` only where that is ticked. */
  from: readonly { state: State; ask?: true; effect: string }[];
};

export const stateChanges: Record<StateChange, Words> = {
  publish: {
    ...{ verb: say("Publish"), done: say("Published"), failed: say("Not published"), already: "Public" },
    from: [
      { state: "Draft", effect: say("Public from now on, or from the publish date where it is in the future.") },
      { state: "Hidden", ask: true, effect: say("Readable by the id now; listed then, too.") },
      { state: "Scheduled", ask: true, effect: say("Public now, before the publish date.") },
    ],
  },
  hide: {
    ...{ verb: say("Hide"), done: say("Hid"), failed: say("Not hidden"), already: "Hidden" },
    from: [
      { state: "Public", effect: say("Not listed any more, still readable by the id.") },
      { state: "Scheduled", ask: true, effect: say("Not listed when the publish date comes.") },
      { state: "Draft", ask: true, effect: say("No site can read a draft; hidden, it is readable by the id.") },
    ],
  },
  draft: {
    ...{
      verb: say("Unpublish"),
      done: say("Unpublished"),
      failed: say("Not unpublished"),
      already: "Draft",
    },
    from: [
      { state: "Public", effect: say("No site can read a draft.") },
      { state: "Hidden", effect: say("No site can read a draft.") },
      { state: "Scheduled", effect: say("Not published at the publish date.") },
    ],
  },
  schedule: {
    ...{ verb: say("Schedule"), done: say("Scheduled"), failed: say("Not scheduled"), already: "Public" },
    from: [
      { state: "Draft", effect: say("Public from then on.") },
      { state: "Scheduled", effect: say("Public from then on, not from the time that was set before.") },
      {
        state: "Hidden",
        ask: true,
        effect: say("Readable by the id now; from then on public, and not before."),
      },
    ],
  },
};

export const nouns: Record<State, (count: number) => string> = {
  Public: (count) => sayMany(count, "{count} public entry", "{count} public entries"),
  Hidden: (count) => sayMany(count, "{count} hidden entry", "{count} hidden entries"),
  Scheduled: (count) => sayMany(count, "{count} scheduled entry", "{count} scheduled entries"),
  Draft: (count) => sayMany(count, "{count} draft", "{count} drafts"),
};

export const stateOfEntry = (entry: Entry): State => stateOf(entry.visibility, entry.published_at).label;

/** What an entry is given by a change; `at` is the time of a schedule. */
export function dataOf(change: StateChange, entry: Entry, at: number): JsonObject {
  if (change === "schedule") return { visibility: "visible", published_at: at };
  if (change === "draft") return { visibility: "draft" };
  if (change === "hide") return { visibility: "hidden" };
  const nowSeconds = Math.floor(Date.now() / 1000);
  return {
    visibility: "visible",
    ...(stateOfEntry(entry) === "Scheduled" && { published_at: Math.min(entry.published_at, nowSeconds) }),
  };
}
