import {
  describeJson,
  isJsonObject,
  isSameJson,
  type Json,
  type JsonObject,
  jsonDepth,
  maxDataDepth,
} from "../core/lib/json.ts";
import { quote } from "../core/problem-row.ts";
import { segmentOf } from "../type/walk.ts";
import { converted, type Target } from "./convert.ts";
import {
  changedAt,
  formatPlace,
  type Place,
  renamedMember,
  splitAtList,
  valueAt,
  withAdded,
  without,
} from "./place.ts";
import { isRename, type Moving, type Step } from "./step.ts";

/** What steps make of the data of one entry. */

/** Why a step cannot be done with a value; the sentence is for people. */
export class Undoable extends Error {
  /** The step, where one is at fault. */
  step: Step | undefined;
}

/** The data after the step, the same value where it changes nothing. Throws Undoable. */
function doneStep(data: JsonObject, step: Step): JsonObject {
  return work[step.kind](data, step as never) as JsonObject;
}

type Work = {
  [K in Step["kind"]]: (
    data: JsonObject,
    step: K extends "rename" | "move" ? Moving : Extract<Step, { kind: K }>,
  ) => Json;
};

const work: Work = {
  rename: (data, { from, to }) => {
    const [name, other] = [from.at(-1) as string, to.at(-1) as string];
    return changedAt(data, from.slice(0, -1), (holder, at) => {
      if (!isJsonObject(holder) || !holder.has(name)) return holder;
      if (holder.has(other)) throw taken(at + segmentOf(other), at + segmentOf(name));
      return renamedMember(holder, name, other);
    });
  },
  move: (data, step) => {
    if (isRename(step)) return work.rename(data, step);
    const { from, to } = step;
    const { lists, rest } = splitAtList(from);
    const target = splitAtList(to).rest;
    return changedAt(data, lists, (item, at) => {
      const value = valueAt(item, rest);
      if (value === undefined) return item;
      const moved = withAdded(without(item, rest), target, value);
      if (moved === undefined) throw taken(at + formatPlace(target), at + formatPlace(rest));
      return moved;
    });
  },
  convert: (data, { at, to }) =>
    changedAt(data, at, (value, pointer) => {
      const other = converted(value, to);
      if (other === undefined)
        throw new Undoable(`${quote(pointer)} was ${quote(describeJson(value))}; expected ${expected[to]}`);
      return other;
    }),
  default: (data, { at, value }) => {
    const { lists, rest } = splitAtList(at);
    return changedAt(data, lists, (item, pointer) => withDefault(item, rest, value, pointer));
  },
  drop: (data, { at }) => {
    const { lists, rest } = splitAtList(at);
    return changedAt(data, lists, (item) => without(item, rest));
  },
};

const expected: Readonly<Record<Target, string>> = {
  number: "a number, or a text that is exactly one",
  integer: "an integer, or a text that is exactly one",
  string: "a text, a number, true or false",
  boolean: 'true, false, "true", "false", 1 or 0',
  list: "any value",
};

const taken = (place: string, from: string): Undoable =>
  new Undoable(`${quote(place)} is taken; expected nothing where ${quote(from)} goes`);

function withDefault(item: Json, place: Place, value: Json, at: string): Json {
  if (valueAt(item, place) !== undefined) return item;
  const added = withAdded(item, place, value);
  if (added !== undefined) return added;
  throw new Undoable(`${quote(at + formatPlace(place))} cannot be there; expected objects on the way`);
}

/** The data after the steps of its type, and which of them changed something. */
export type Done = { readonly data: JsonObject; readonly steps: readonly Step[] };

/**
 * An empty `content` is the service's, unless the schema names it: there is nothing. Throws Undoable; `step` of it is the one
 * that cannot be done.
 */
export function doneSteps(before: JsonObject, steps: readonly Step[], namesContent: boolean): Done {
  const isForeign = !namesContent && before.get("content") === "" && steps.some(isAboutContent);
  let data = isForeign ? (without(before, ["content"]) as JsonObject) : before;
  const changing: Step[] = [];
  for (const step of steps) {
    const after = doneAs(step, data);
    if (after !== data) changing.push(step);
    data = after;
  }
  if (changing.length === 0) return { data: before, steps: [] };
  if (!data.has("content")) data = new Map(data).set("content", "");
  if (jsonDepth(data) > maxDataDepth) throw new Undoable(`its data would be nested deeper than ${maxDataDepth} levels`);
  return { data, steps: isSameJson(before, data) ? [] : changing };
}

/** A convert of what is one already gives the same value. */
function doneAs(step: Step, data: JsonObject): JsonObject {
  try {
    return doneStep(data, step);
  } catch (error) {
    throw error instanceof Undoable ? Object.assign(error, { step }) : error;
  }
}

const isAboutContent = (step: Step): boolean =>
  ("from" in step ? [step.from, step.to] : [step.at]).some(([first]) => first === "content");
