import type { CallOptions, Page, Reference, ReferenceQuery } from "../../../client/src/client.ts";
import { octavo } from "./octavo.ts";
import { mayUse } from "./session.ts";
import type { TrashNoun } from "./trash.ts";

/** Which entries refer to a thing, in fields of their types and by links in texts. Contract, part two, §10. */

/** An entry, a folder or a file that entries can refer to. */
export type Referred = { noun: TrashNoun; path: string };

/** One page of the entries that refer to a thing; a folder is referred to by its content alone. */
export const readReferences = (
  { noun, path }: Referred,
  query: ReferenceQuery,
  options?: CallOptions,
): Promise<Page<Reference>> =>
  noun === "entry"
    ? octavo.entries.references(path, query, options)
    : octavo.files.references(path, noun === "folder" ? { ...query, descendants: true } : query, options);

/**
 * The entries that refer to any of these things or to what is below, each once, at most so many; none of them is one of
 * these things or below one.
 */
export async function findReferrers(
  things: readonly Referred[],
  most: number,
  options?: CallOptions,
): Promise<Reference[]> {
  const found = new Map<string, Reference>();
  for (const thing of things) {
    for await (const { id, pointers, has_more = false } of eachReference(thing, most, options)) {
      if (things.some((above) => above.noun === "entry" && isWithin(id, above.path))) continue;
      const known = found.get(id);
      const hasMore = has_more || known?.has_more === true;
      found.set(id, { id, pointers: [...(known?.pointers ?? []), ...pointers], has_more: hasMore });
      if (found.size === most) return [...found.values()];
    }
  }
  return [...found.values()];
}

async function* eachReference(thing: Referred, limit: number, options?: CallOptions): AsyncGenerator<Reference> {
  let cursor: string | undefined;
  do {
    const page = await readReferences(thing, { descendants: true, limit, cursor }, options);
    yield* page.items;
    cursor = page.cursor;
  } while (cursor !== undefined);
}

/** True for a path at or below another one. */
export const isWithin = (path: string, above: string): boolean => path === above || path.startsWith(`${above}/`);

/** Whether this session can know of references: it may read entries. */
export const knowsReferences = (): boolean => mayUse("entries");
