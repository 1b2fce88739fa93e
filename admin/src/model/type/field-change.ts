import type { MigrationStep } from "../../../../client/src/client.ts";
import { isObject, type Json, type JsonObject } from "../../api/json.ts";
import { isReadable } from "./schema-edit.ts";

/** What the draft of a type renames and removes of the fields that are stored: entries may have them. */

/** A field that was renamed in the editor; `pointer` is where its schema has it. */
export type Renaming = { readonly pointer: string; readonly from: string; readonly to: string };

/** A stored field that is gone: its place in the data of entries, its new name, and new fields beside it that it may be. */
export type FieldChange = {
  readonly from: string;
  readonly to: string | undefined;
  readonly added: readonly string[];
};

/** What becomes of the field in entries: nothing, it goes, or it has this place then. */
export type Fate = "keep" | "drop" | { readonly to: string };

const segmentOf = (name: string): string => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
const memberPointer = (pointer: string, name: string): string => `${pointer}/properties${segmentOf(name)}`;

/** The renamings with one more: what was renamed in a group is in the group of the new name. */
export function withRenaming(all: readonly Renaming[], one: Renaming): Renaming[] {
  const [from, to] = [memberPointer(one.pointer, one.from), memberPointer(one.pointer, one.to)];
  const isIn = ({ pointer }: Renaming): boolean => pointer === from || pointer.startsWith(`${from}/`);
  const moved = all.map((each) => (isIn(each) ? { ...each, pointer: to + each.pointer.slice(from.length) } : each));
  return [...moved, one];
}

/** The fields of the stored schema that the draft has no more; groups before what is in them. */
export function changesOf(stored: Json, draft: Json, renamings: readonly Renaming[]): FieldChange[] {
  if (!isReadable(stored) || !isReadable(draft)) return [];
  return changesIn(stored, draft, renamings, { pointer: "", place: "" });
}

const propertiesOf = ({ properties }: JsonObject): JsonObject => (isObject(properties) ? properties : {});

function changesIn(
  stored: JsonObject,
  draft: JsonObject,
  renamings: readonly Renaming[],
  at: { pointer: string; place: string },
): FieldChange[] {
  const [before, after] = [propertiesOf(stored), propertiesOf(draft)];
  const placeOf = (name: string): string => at.place + segmentOf(name);
  const isGone = (name: string): boolean => Object.hasOwn(before, name) && !Object.hasOwn(after, name);
  const isNew = (name: string): boolean => Object.hasOwn(after, name) && !Object.hasOwn(before, name);
  const renamed = new Map(
    [...originsOf(renamings, at.pointer)]
      .filter(([to, from]) => isNew(to) && isGone(from))
      .map(([to, from]) => [from, to]),
  );
  const added = Object.keys(after).filter((name) => isNew(name) && ![...renamed.values()].includes(name));
  const changes = Object.keys(before)
    .filter(isGone)
    .map((name): FieldChange => {
      const to = renamed.get(name);
      return { from: placeOf(name), to: to && placeOf(to), added: added.map(placeOf) };
    });
  for (const [name, schema] of Object.entries(before)) {
    const now = renamed.get(name) ?? name;
    const inside = insideOf(schema, after[now]);
    if (!inside) continue;
    const pointer = memberPointer(at.pointer, now) + inside.pointer;
    changes.push(...changesIn(inside.stored, inside.draft, renamings, { pointer, place: placeOf(now) + inside.place }));
  }
  return changes;
}

/** By the name that a field has now the one that it had at first. */
function originsOf(renamings: readonly Renaming[], pointer: string): Map<string, string> {
  const origins = new Map<string, string>();
  for (const { from, to } of renamings.filter((each) => each.pointer === pointer)) {
    const origin = origins.get(from) ?? from;
    origins.delete(from);
    origins.set(to, origin);
  }
  return origins;
}

const itemsOf = (schema: JsonObject): Json | undefined => schema.items;

/** The fields in a group, or in each item of a list of groups. */
function insideOf(stored: Json | undefined, draft: Json | undefined) {
  if (isReadable(stored) && isReadable(draft)) return { stored, draft, pointer: "", place: "" };
  if (!isObject(stored) || !isObject(draft)) return undefined;
  const [before, after] = [itemsOf(stored as JsonObject), itemsOf(draft as JsonObject)];
  return isReadable(before) && isReadable(after)
    ? { stored: before, draft: after, pointer: "/items", place: "/*" }
    : undefined;
}

/** The steps of a plan that brings the fates about, for a type. */
export const stepsOf = (type: string, fates: readonly (readonly [FieldChange, Fate])[]): MigrationStep[] =>
  fates.flatMap(([{ from }, fate]): MigrationStep[] => {
    if (fate === "keep") return [];
    return [fate === "drop" ? { type, drop: from } : { type, rename: from, to: fate.to }];
  });
