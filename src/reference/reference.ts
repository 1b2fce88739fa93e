import { type Reach, reaches } from "../core/access/access.ts";
import { isJsonObject, type Json, type JsonObject } from "../core/lib/json.ts";
import { setAt } from "../core/lib/json-path.ts";
import type { Asker } from "../core/list/query.ts";
import { isPath, isWithin, type Path, rebase, type Slug } from "../core/path.ts";
import type { NamedReference } from "../core/problem.ts";
import { refuseTooLarge, type UnsavedEntry } from "../entry/entry.ts";
import { linksTo, relinked } from "../render/prose-link.ts";
import type { Mark, Marked } from "../type/mark.ts";
import { segmentOf } from "../type/walk.ts";
import { problem } from "./problems.ts";

/**
 * Which entries refer to a thing: in fields that their types mark as references, and by links in prose, as they are live.
 * Contract, part two, §10; decision 59.
 */

/** The things at and, with `isSubtree`, below a path. */
export type Target = {
  readonly kind: "entry" | "file";
  readonly path: Path;
  readonly isSubtree: boolean;
};

/** An entry, and where its data refers to the target: the first places, and whether there are more. */
export type Reference = {
  readonly id: Slug;
  readonly pointers: readonly string[];
  readonly hasMore: boolean;
  /** True where only its working copy does. */
  readonly isStaged?: boolean;
};

export type ReferenceQuery = {
  target: Target;
  /** Only entries at and below these paths are looked at; null for all. */
  paths: readonly Path[] | null;
  after: Slug | undefined;
  limit: number;
};

/** References that were found; `last` is where the search ended for want of time: the entry it looked at last. */
export type FoundReferences = { readonly references: readonly Reference[]; readonly last?: Slug };

export interface ReferenceStore {
  /**
   * Entries that refer to the target and are no part of it, in the order of their ids: at most `limit`, and as many as are
   * found while a scan for a management token may take. Throws busy when the asker has too many scans in progress or has
   * left, type_too_costly.
   */
  list(query: ReferenceQuery, asker?: Asker): Promise<FoundReferences>;
}

/** The references that a refusal names. */
export const maxNamedReferences = 100;
/** The entries that a move updates at most. */
export const maxUpdatedReferences = 10_000;

/** The places among these that refer to the target: they are its path, or prose that links to it. */
export const placesOf = (marked: readonly Marked[], target: Target): Marked[] =>
  marked.filter(({ mark, value }) =>
    isProse(mark)
      ? linksTo(value, target.kind, (path) => isMeant(path, target))
      : mark === target.kind && isMeant(value, target),
  );

const isMeant = (value: string, { path, isSubtree }: Target): boolean =>
  value === path || (isSubtree && value.startsWith(`${path}/`) && isPath(value));

const isProse = (mark: Mark): boolean => mark === "markdown" || mark === "html";

/** The marks of an entry's data, and that of `content`, which is Markdown unless the type speaks of it. */
export function withContent(data: JsonObject, marked: readonly Marked[], namesContent: boolean): readonly Marked[] {
  const value = data.get("content");
  if (namesContent || typeof value !== "string") return marked;
  return [...marked, { path: ["content"], mark: "markdown", value }];
}

/** True for an entry that is the target, or a part of it: it goes where the target goes. */
export const isPartOf = (slug: Slug, { kind, path, isSubtree }: Target): boolean =>
  kind === "entry" && (isSubtree ? isWithin(slug, path) : slug === path);

/** The pointers of one reference: an entry may refer in a hundred thousand places, under keys of a megabyte. */
const maxPointers = 100;
const maxPointersLength = 16 * 1024;

export function referenceFrom(id: Slug, places: readonly Marked[]): Reference {
  const pointers: string[] = [];
  let length = 0;
  for (const { path } of places.slice(0, maxPointers)) {
    const pointer = path.map(segmentOf).join("");
    length += pointer.length;
    if (length > maxPointersLength) break;
    pointers.push(pointer);
  }
  return { id, pointers, hasMore: pointers.length < places.length };
}

/** The reference as a reply has it. */
export const formatReference = ({ id, pointers, hasMore, isStaged }: Reference): NamedReference => ({
  id,
  pointers,
  ...(hasMore && { has_more: true }),
  ...(isStaged && { staged: true }),
});

/** Refuses a delete of what is in use. Throws in_use. */
export function refuseInUse(target: Target, references: readonly Reference[]): void {
  if (references.length === 0) return;
  const named = references.slice(0, maxNamedReferences);
  const argument = target.kind === "entry" ? "id" : "path";
  const hasMore = references.length > named.length;
  throw problem("in_use", { argument, path: target.path, references: named.map(formatReference), hasMore });
}

/** Refuses what is public in this use: names the references that the access reaches. Throws in_use. */
export function refusePublic(target: Target, references: readonly Reference[], reach: Reach): void {
  if (references.length === 0) return;
  const named = references.filter(({ id }) => reaches(reach, id)).slice(0, maxNamedReferences);
  const hasMore = references.length > named.length;
  const used = { argument: "path", path: target.path, references: named.map(formatReference), hasMore };
  throw problem("in_use", { ...used, isShown: true });
}

/** A copy of the data that refers to the new path in these places. Throws path_invalid. */
export function redirected(data: JsonObject, places: readonly Marked[], target: Target, to: Path): JsonObject {
  const copy = copyOf(data) as JsonObject;
  const change = (path: Path): Path | undefined => (isMeant(path, target) ? rebase(path, target.path, to) : undefined);
  for (const { path, mark, value } of places)
    setAt(copy, path, isProse(mark) ? relinked(value, target.kind, change) : rebase(value as Path, target.path, to));
  return copy;
}

function copyOf(value: Json): Json {
  if (isJsonObject(value)) return new Map([...value].map(([key, member]) => [key, copyOf(member)]));
  return Array.isArray(value) ? value.map(copyOf) : value;
}

/** The entry with data in which references were redirected. Throws data_too_large. */
export function redirectedEntry<T extends UnsavedEntry>(entry: T, text: string, nowSeconds: number): T {
  refuseTooLarge(text);
  return { ...entry, data: text, modifiedAt: Math.max(nowSeconds, entry.modifiedAt) };
}
