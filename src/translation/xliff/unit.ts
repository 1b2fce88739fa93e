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
    for (const one of isContainer(source) ? membersOf(source, target) : [])
      if (one.step !== named) visit(key, pointer + one.segment, one);
    if (typeof source === "string" && source.trim() !== "") units.push(unitOf(entry, key, pointer, source, target));
  };
  for (const one of membersOf(entry.source, entry.target)) visit(one.step as string, one.segment, one);
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

/**
 * What is in an object or a list, beside what it is in the translation; `segment` is its step in the pointer, `named` the
 * member that this item of a list calls itself by.
 */
export type Member = {
  readonly segment: string;
  readonly step: string | number;
  readonly source: Json;
  readonly target: Json | undefined;
  readonly named?: string;
};

/** Items of lists go by what they call themselves, else by their places. */
export function membersOf(source: JsonObject | JsonArray, target: Json | undefined): Member[] {
  if (!Array.isArray(source)) {
    const there = isJsonObject(target) ? target : undefined;
    return [...source].map(([step, value]) => ({
      segment: segmentOf(step),
      step,
      source: value,
      target: there?.get(step),
    }));
  }
  const there = Array.isArray(target) ? target : [];
  const named = namingMember(source);
  if (named === undefined)
    return source.map((value, step) => ({ segment: segmentOf(step), step, source: value, target: there[step] }));
  const byName = new Map(there.toReversed().map((item) => [nameIn(item, named), item]));
  return source.map((value, step) => {
    const name = nameIn(value, named) as string;
    return { segment: segmentOf(name), step, source: value, target: byName.get(name), named };
  });
}

/** `key` or `id`, where all items of the list have it and no two the same. */
export const namingMember = (list: JsonArray): string | undefined =>
  ["key", "id"].find((member) => {
    const names = new Set(list.map((item) => nameIn(item, member)));
    return list.length > 0 && names.size === list.length && !names.has(undefined);
  });

/** What an item calls itself; undefined when it has no such member, or no text or number there. */
export function nameIn(item: Json, member: string): string | undefined {
  const name = isJsonObject(item) ? item.get(member) : undefined;
  if (name instanceof NumberText) return name.text;
  return typeof name === "string" || typeof name === "number" ? String(name) : undefined;
}

export const isContainer = (value: Json): value is JsonObject | JsonArray =>
  isJsonObject(value) || Array.isArray(value);
