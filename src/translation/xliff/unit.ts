import { createHash } from "node:crypto";
import { isJsonObject, type Json, type JsonArray, type JsonObject, NumberText } from "../../core/lib/json.ts";
import { segmentOf } from "../../type/walk.ts";

/** What translators get of an entry: each of its texts is a unit. Contract §24, Translators' files. */

/** An entry with its translatable keys in the source and in one locale. `outdated`: keys whose source has changed since. */
export type TranslatedEntry = {
  readonly uuid: string;
  readonly id: string;
  readonly title: string;
  readonly source: JsonObject;
  readonly target: JsonObject | undefined;
  readonly outdated: ReadonlySet<string>;
};

export type UnitState = "missing" | "outdated" | "done";

/**
 * A text at some depth of a translatable key. `name` is `<uuid>#<JSON pointer>`; `id` is a NMTOKEN, another one when the
 * source is another. The steps of the pointer that lead to items of lists are what the items call themselves.
 */
export type Unit = {
  readonly id: string;
  readonly name: string;
  readonly key: string;
  readonly pointer: string;
  readonly source: string;
  readonly target: string | undefined;
  readonly state: UnitState;
};

/** In the order of the source. Texts without more than white space are none, nor is what names an item of a list. */
export function unitsOf(entry: TranslatedEntry): Unit[] {
  const units: Unit[] = [];
  const visit = (key: string, pointer: string, { source, target, named }: Member): void => {
    if (typeof source === "string" && source.trim() !== "") units.push(unitOf(entry, key, pointer, source, target));
    for (const one of membersOf(source, target)) if (one.step !== named) visit(key, pointer + segmentOf(one.step), one);
  };
  for (const one of membersOf(entry.source, entry.target)) visit(one.step, segmentOf(one.step), one);
  return units;
}

function unitOf(entry: TranslatedEntry, key: string, pointer: string, source: string, value: Json | undefined): Unit {
  const name = `${entry.uuid}#${escaped(pointer)}`;
  const hash = createHash("sha256").update(`${name}\0${source}`, "utf16le").digest("hex");
  const target = typeof value === "string" ? value : undefined;
  const state = target === undefined ? "missing" : entry.outdated.has(key) ? "outdated" : "done";
  return { id: `u${hash.slice(0, 24)}`, name, key, pointer, source, target, state };
}

/** In percents what an attribute cannot hold, or what tools write into it without escaping. */
const escaped = (pointer: string): string =>
  pointer.replace(
    /[%<&"\0-\x1f\ufffe\uffff]|\p{Surrogate}/gu,
    (char) => `%${(char.codePointAt(0) as number).toString(16).toUpperCase().padStart(2, "0")}`,
  );

/** What an object or a list has in the source, the translation or both; `named`: the member by which this item goes. */
type Member = { step: string; source: Json | undefined; target: Json | undefined; named: string | undefined };

/** By their steps in a JSON pointer: items of lists by their own names, else by places. Those of the source go first. */
export function membersOf(source: Json | undefined, target: Json | undefined): Member[] {
  const named = Array.isArray(source) ? ["key", "id"].find((member) => isNaming(source, member)) : undefined;
  const ours = stepsIn(source, named);
  const theirs = stepsIn(Array.isArray(source) === Array.isArray(target) ? target : undefined, named);
  const steps = isContainer(source) ? new Set([...ours.keys(), ...theirs.keys()]) : [];
  return [...steps].map((step) => ({ step, source: ours.get(step), target: theirs.get(step), named }));
}

/** Whether all items of the list have a name in the member and no two the same. */
function isNaming(list: JsonArray, member: string): boolean {
  const names = new Set(list.map((item) => nameIn(item, member)));
  return list.length > 0 && names.size === list.length && !names.has(undefined);
}

/** A text or a number. */
function nameIn(item: Json, member: string): string | undefined {
  const name = isJsonObject(item) ? item.get(member) : undefined;
  if (name instanceof NumberText) return name.text;
  return typeof name === "string" || typeof name === "number" ? String(name) : undefined;
}

function stepsIn(value: Json | undefined, named: string | undefined): ReadonlyMap<string, Json> {
  if (isJsonObject(value)) return value;
  if (!Array.isArray(value)) return new Map();
  // An item without a name goes by what no name can be.
  return new Map(value.map((item, i) => [named === undefined ? String(i) : (nameIn(item, named) ?? `\0${i}`), item]));
}

export const isContainer = (value: Json | undefined): value is JsonObject | JsonArray =>
  isJsonObject(value) || Array.isArray(value);
