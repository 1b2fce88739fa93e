import { entryItem } from "../src/adapters/sql/noun/entry-item.ts";
import { type Access, readerOf } from "../src/domain/access.ts";
import {
  answerCollection,
  type CollectionAnswer,
  type CollectionQuery,
  parseCollection,
} from "../src/domain/collection.ts";
import { type Entry, type EntryStore, isListed } from "../src/domain/entry.ts";
import type { Slug } from "../src/domain/path.ts";
import { Problem } from "../src/domain/problem.ts";
import { type JsonObject, toJson } from "../src/lib/json.ts";
import { wholeText } from "../src/lib/long-text.ts";

/** Collections as a store answers them, and as the domain does from all entries: one must be the other. Decision 7. */

const bounds = { maxLimit: 10_000, defaultLimit: 10_000 };

/** The pages that the store answers, one after another by cursor. */
export const storePages = (
  { entries }: { entries: EntryStore },
  top: Slug,
  args: object,
  access: Access,
): Promise<string[]> => pages(top, args, (query) => entries.list(query, access));

/** What the domain says of all entries, none left out. */
export function plainPages(top: Slug, args: object, entries: Entry[], access: Access): Promise<string[]> {
  const { nowSeconds } = access;
  const options = { arrival: "any" as const, pageBytes: 1e9, regexpBudgetMs: 10_000, random: Math.random, nowSeconds };
  const listed = entries.filter((entry) => isListed(entry, access)).map(entryItem);
  return pages(top, args, (query) => answerCollection(query, readerOf(access), [listed], options));
}

async function pages(
  top: Slug,
  args: object,
  list: (query: CollectionQuery) => Promise<CollectionAnswer>,
): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | undefined = ""; cursor !== undefined; ) {
    const sent = { ...args, cursor };
    let next: string | undefined;
    found.push(
      await outcome(async () => {
        const answer = await list(parseCollection(top, toJson(sent) as JsonObject, bounds));
        next = answer.next;
        return `${answer.total ?? ""}${wholeText(answer.json)}`;
      }),
    );
    cursor = next;
  }
  return found;
}

async function outcome(work: () => Promise<string>): Promise<string> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Problem && error.kind === "invalid") return error.code;
    throw error;
  }
}
