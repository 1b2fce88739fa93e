import { describeJson, forbiddenKeys, formatJson, isJsonObject, type Json, type JsonObject } from "../core/lib/json.ts";
import { keyOfSegment } from "../core/lib/json-path.ts";
import { nearest } from "../core/lib/nearest.ts";
import { type Problem, problem } from "../core/problem.ts";
import { insteadOf } from "../type/name.ts";
import { parseTypeId } from "../type/type.ts";
import { type Target, targets } from "./convert.ts";
import { each, formatPlace, type Place, splitAtList } from "./place.ts";

/** A step of a plan: what it does at a place of the data of a type's entries. Contract, part four, §30. */
export type Step = { readonly type: string } & (
  | { readonly kind: "rename" | "move"; readonly from: Place; readonly to: Place }
  | { readonly kind: "convert"; readonly at: Place; readonly to: Target }
  | { readonly kind: "default"; readonly at: Place; readonly value: Json }
  | { readonly kind: "drop"; readonly at: Place }
);

export type Moving = Extract<Step, { from: Place }>;

/** True where only the name changes: it keeps its position. */
export const isRename = ({ from, to }: Moving): boolean => parentOf(from) === parentOf(to);
const parentOf = (place: Place): string => formatPlace(place.slice(0, -1));

export const maxSteps = 100;
const maxPointerLength = 1000;
/** Deeper places could not be reached by any data. */
const maxPlaceDepth = 32;

const kinds = ["rename", "move", "convert", "default", "drop"] as const;
type Kind = (typeof kinds)[number];
/** The argument beside the place, and whether it is a place, too. */
const further: Readonly<Record<Kind, string | undefined>> = {
  rename: "to",
  move: "to",
  convert: "to",
  default: "value",
  drop: undefined,
};

export const acceptedSteps = `a list of 1 to ${maxSteps} steps, such as {"type": "movie", "rename": "/author", "to": "/writer"}`;

/** Throws argument_missing, argument_invalid, argument_unknown. */
export function parseSteps(sent: Json | undefined): Step[] {
  if (sent === undefined) throw problem("argument_missing", { argument: "steps", accepted: acceptedSteps });
  if (!Array.isArray(sent) || sent.length === 0 || sent.length > maxSteps) throw invalid("steps", sent, acceptedSteps);
  const steps = sent.map((step, i) => parseStep(step, `steps[${i}]`));
  for (const [i, step] of steps.entries()) refuseClash(steps.slice(0, i), step, i);
  return steps;
}

function parseStep(sent: Json, name: string): Step {
  if (!isJsonObject(sent)) throw invalid(name, sent, "a step: an object");
  const own = kinds.filter((kind) => sent.has(kind));
  const [kind] = own;
  const accepted = `a step with one of ${kinds.join(", ")}`;
  if (!kind || own.length > 1) throw invalid(name, own.join(" and ") || [...sent.keys()].join(", "), accepted);
  const other = further[kind];
  const known = ["type", kind, ...(other ? [other] : [])];
  const unknown = [...sent.keys()].find((key) => !known.includes(key));
  if (unknown !== undefined) {
    const argument = `${name}[${unknown}]`;
    throw problem("argument_unknown", { argument, near: nearest(unknown, known), names: known });
  }
  const type = parseTypeId(textOf(sent, "type", name), `${name}[type]`);
  const at = parsePlace(textOf(sent, kind, name), `${name}[${kind}]`);
  return { type, ...stepOf[kind](sent, at, name) } as Step;
}

const stepOf: Readonly<Record<Kind, (sent: JsonObject, at: Place, name: string) => object>> = {
  rename: (sent, from, name) => ({ kind: "rename", from, to: targetOf("rename", sent, from, name) }),
  move: (sent, from, name) => ({ kind: "move", from, to: targetOf("move", sent, from, name) }),
  convert: (sent, at, name) => {
    const text = textOf(sent, "to", name);
    const to = targets.find((target) => target === text);
    if (!to) throw invalid(`${name}[to]`, text, targets.join(", "));
    return { kind: "convert", at, to };
  },
  default: (sent, at, name) => {
    const value = sent.get("value");
    if (value === undefined)
      throw problem("argument_missing", { argument: `${name}[value]`, accepted: "the value of entries without one" });
    refuseItems(at, `${name}[default]`);
    return { kind: "default", at, value };
  },
  drop: (_, at, name) => {
    refuseItems(at, `${name}[drop]`);
    return { kind: "drop", at };
  },
};

/** Where a rename or a move goes. Throws argument_invalid for what would not be the same when it is done twice. */
function targetOf(kind: "rename" | "move", sent: JsonObject, from: Place, name: string): Place {
  const text = textOf(sent, "to", name);
  const to = parsePlace(text, `${name}[to]`);
  refuseItems(from, `${name}[${kind}]`);
  refuseItems(to, `${name}[to]`);
  if (kind === "rename" && parentOf(from) !== parentOf(to))
    throw invalid(`${name}[to]`, text, `a place in ${parentOf(from) || "the data itself"}; "move" goes elsewhere`);
  if (formatPlace(splitAtList(from).lists) !== formatPlace(splitAtList(to).lists))
    throw invalid(`${name}[to]`, text, `a place in the same items as ${formatPlace(from)}`);
  if (isAtOrBelow(from, to) || isAtOrBelow(to, from))
    throw invalid(`${name}[to]`, text, `a place that is neither ${formatPlace(from)}, nor in it, nor around it`);
  return to;
}

function refuseItems(place: Place, argument: string): void {
  if (place.at(-1) === each) throw invalid(argument, formatPlace(place), "a place that ends with a name");
}

function parsePlace(text: string, argument: string): Place {
  const accepted = "a JSON pointer, such as /author, /seo/title or /items/*/name";
  const place = text.slice(1).split("/").map(keyOfSegment);
  const isPointer = /^\/(?:[^~]|~[01])+$/.test(text) && text.length <= maxPointerLength && text.isWellFormed();
  if (!isPointer || place.length > maxPlaceDepth || place.some((name) => name === "" || forbiddenKeys.has(name)))
    throw invalid(argument, text, accepted);
  const [first = ""] = place;
  if (Object.hasOwn(insteadOf, first))
    throw invalid(argument, text, `a field of the type: the service keeps "${first}" of every entry itself`);
  if (first === each) throw invalid(argument, text, `${accepted}: the data of an entry is no list`);
  return place;
}

function textOf(sent: JsonObject, key: string, name: string): string {
  const value = sent.get(key);
  if (value === undefined) throw problem("argument_missing", { argument: `${name}[${key}]`, accepted: "a text" });
  if (typeof value !== "string") throw invalid(`${name}[${key}]`, value, "a text");
  return value;
}

const invalid = (argument: string, received: Json, accepted: string): Problem =>
  problem("argument_invalid", { argument, received: describeJson(received), accepted });

// ---------------------------------------------------------------------------------------------- twice the same

/** The place that a step looks at, and those that it empties and fills. */
const lookedAt = (step: Step): Place => ("from" in step ? step.from : step.at);
const emptiedBy = (step: Step): Place[] => ("from" in step ? [step.from] : step.kind === "drop" ? [step.at] : []);
const filledBy = (step: Step): Place[] => ("from" in step ? [step.to] : step.kind === "default" ? [step.at] : []);

/**
 * Refuses a plan that would change something again when it is done a second time, since a step changes what an earlier one
 * looks at: it fills a place that was emptied or converted, empties one that has a default, or converts what is around it.
 * Throws argument_invalid.
 */
function refuseClash(before: readonly Step[], step: Step, i: number): void {
  for (const earlier of before.filter(({ type }) => type === step.type)) {
    const place = clashOf(earlier, step);
    if (place === undefined) continue;
    const accepted = "steps that change nothing when they are done twice; make two plans";
    throw invalid(`steps[${i}]`, `a second step that changes ${place}`, accepted);
  }
}

function clashOf(earlier: Step, step: Step): string | undefined {
  const place = lookedAt(earlier);
  const filled = earlier.kind === "convert" ? [place] : emptiedBy(earlier);
  const emptied = earlier.kind === "default" ? clash([place], emptiedBy(step)) : undefined;
  if (step.kind !== "convert") return clash(filled, filledBy(step)) ?? emptied;
  const isAround = isAtOrBelow(place, step.at) && place.length > step.at.length;
  const isTwice = (earlier.kind === "convert" || earlier.kind === "default") && isSame(place, step.at);
  return isAround || isTwice ? formatPlace(place) : undefined;
}

const clash = (places: readonly Place[], others: readonly Place[]): string | undefined => {
  const found = places.find((place) => others.some((other) => isAtOrBelow(place, other) || isAtOrBelow(other, place)));
  return found && formatPlace(found);
};
const isAtOrBelow = (place: Place, top: Place): boolean => top.every((name, i) => place[i] === name);
const isSame = (one: Place, other: Place): boolean => formatPlace(one) === formatPlace(other);

// ---------------------------------------------------------------------------------------------- as text

/** The steps as JSON text, as they were sent: how they reach the store. */
export const formatSteps = (steps: readonly Step[]): string => formatJson(steps.map(sentStep));

function sentStep(step: Step): JsonObject {
  const sent: JsonObject = new Map([["type", step.type]]);
  if ("from" in step) return sent.set(step.kind, formatPlace(step.from)).set("to", formatPlace(step.to));
  sent.set(step.kind, formatPlace(step.at));
  if (step.kind === "convert") sent.set("to", step.to);
  if (step.kind === "default") sent.set("value", step.value);
  return sent;
}
