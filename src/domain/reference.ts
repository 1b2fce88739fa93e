import { isJsonObject, type Json, type JsonObject } from "../lib/json.ts";
import { refuseTooLarge, type UnsavedEntry } from "./entry.ts";
import { isPath, isWithin, type Path, rebase, type Slug } from "./path.ts";
import { problem } from "./problem.ts";
import type { Marked } from "./type-mark.ts";
import { segmentOf } from "./type-walk.ts";

/**
 * Which entries refer to a thing: in fields that their types mark as references, as they are live. Contract, part two, §10;
 * decision 60.
 */

/** The things at and, with `isSubtree`, below a path. */
export type Target = {
  readonly kind: "entry" | "file";
  readonly path: Path;
  readonly isSubtree: boolean;
};

/** An entry, and where its data refers to the target. */
export type Reference = { readonly id: Slug; readonly pointers: readonly string[] };

export type ReferenceQuery = {
  target: Target;
  /** Only entries at and below these paths are looked at; null for all. */
  paths: readonly Path[] | null;
  after: Slug | undefined;
  limit: number;
};

export interface ReferenceStore {
  /** Entries that refer to the target and are no part of it, in the order of their ids. */
  list(query: ReferenceQuery): Promise<Reference[]>;
}

/** The references that a refusal names. */
export const maxNamedReferences = 100;
/** The entries that a move updates at most. */
export const maxUpdatedReferences = 10_000;

/** The places among these that refer to the target. */
export const placesOf = (marked: readonly Marked[], { kind, path, isSubtree }: Target): Marked[] =>
  marked.filter(
    ({ mark, value }) =>
      mark === kind && (value === path || (isSubtree && value.startsWith(`${path}/`) && isPath(value))),
  );

/** True for an entry that is the target, or a part of it: it goes where the target goes. */
export const isPartOf = (slug: Slug, { kind, path, isSubtree }: Target): boolean =>
  kind === "entry" && (isSubtree ? isWithin(slug, path) : slug === path);

export const pointerOf = ({ path }: Pick<Marked, "path">): string => path.map(segmentOf).join("");

/** Refuses a delete of what is in use. Throws in_use. */
export function refuseInUse(target: Target, references: readonly Reference[]): void {
  if (references.length === 0) return;
  const named = references.slice(0, maxNamedReferences);
  const argument = target.kind === "entry" ? "id" : "path";
  const hasMore = references.length > named.length;
  throw problem("in_use", { argument, path: target.path, references: named, count: named.length, hasMore });
}

/** A copy of the data that refers to the new path in these places. Throws path_invalid. */
export function redirected(data: JsonObject, places: readonly Marked[], from: Path, to: Path): JsonObject {
  const copy = copyOf(data) as JsonObject;
  for (const { path, value } of places) {
    let holder: Json = copy;
    for (const key of path.slice(0, -1)) holder = memberOf(holder, key);
    const last = path.at(-1) as string | number;
    const moved = rebase(value as Path, from, to);
    if (isJsonObject(holder)) holder.set(last as string, moved);
    else (holder as Json[])[last as number] = moved;
  }
  return copy;
}

const memberOf = (value: Json, key: string | number): Json =>
  (isJsonObject(value) ? value.get(key as string) : (value as Json[])[key as number]) as Json;

function copyOf(value: Json): Json {
  if (isJsonObject(value)) return new Map([...value].map(([key, member]) => [key, copyOf(member)]));
  return Array.isArray(value) ? value.map(copyOf) : value;
}

/** The entry with data in which references were redirected. Throws data_too_large. */
export function redirectedEntry<T extends UnsavedEntry>(entry: T, text: string, nowSeconds: number): T {
  refuseTooLarge(text);
  return { ...entry, data: text, modifiedAt: Math.max(nowSeconds, entry.modifiedAt) };
}
