import type { Reader } from "../../access/access.ts";
import type { CollectionItem } from "../../list/list.ts";
import { problem } from "../../problem.ts";
import type { Indexed, IndexedTable } from "../index/table.ts";
import type { Reading, Scanning, TableReading } from "../noun.ts";
import type { Row } from "../sql.ts";
import { Bound } from "./bound.ts";
import { NotPresumed } from "./presumed.ts";
import type { Scope } from "./scope.ts";

/** What a list reads from, and how much of it. */

/** How much an answer may read. */
export type Effort = {
  /** Rows of an index that a count reads. */
  counted: number;
  /** Rows of an index that a statement tests. */
  walked: number;
  /** Items that are read, where SQL finds the matches, and bytes of their data in any case. */
  items: number;
  bytes: number;
  /** Candidates that are tested here, because SQL cannot decide whether they match. */
  tested: number;
  /** Rows that the text index leaves. */
  texts: number;
  /** Items that the index does not have in full. */
  extras: number;
  /** True where an answer that needs more is given up, and another one with more effort follows. */
  isFirst: boolean;
};

/** On the thread of requests: a few milliseconds. */
export const quick: Effort = {
  counted: 50_000,
  walked: 4000,
  items: 200,
  bytes: 512 * 1024,
  tested: 200,
  texts: 500,
  extras: 200,
  isFirst: true,
};
/** Elsewhere. With more candidates a scan of everything is faster. */
export const thorough: Effort = {
  counted: Number.POSITIVE_INFINITY,
  walked: Number.POSITIVE_INFINITY,
  items: Number.POSITIVE_INFINITY,
  bytes: Number.POSITIVE_INFINITY,
  tested: 20_000,
  texts: 20_000,
  extras: 20_000,
  isFirst: false,
};

/** What must be known of a collection first. */
export type Head = {
  /** At most how many rows the table has. */
  size: number;
  /** True when the index has all of the collection as the caller sees it. */
  isPlain: boolean;
};

/**
 * Reads the head of a collection. Without a snapshot it answers what is `presumed` of a plain one: the first statement
 * reports the true one, which changes the size, and throws NotPresumed where the collection is not plain.
 */
export async function readHead<H extends Head>(
  { sql, presumed }: Reading,
  { name }: Pick<IndexedTable, "name">,
  headSql: (b: Bound) => string[],
  toHead: (row: Row) => H,
  plain: Omit<H, keyof Head> | undefined,
): Promise<H> {
  if (!presumed) {
    const b = new Bound();
    const facts = headSql(b).join(", ");
    return toHead((await sql.row(`SELECT ${facts}`, ...b.values)) as Row);
  }
  if (!plain) throw new NotPresumed();
  // Without a known size a list is bounded as if it were long.
  const size = presumed.sizes.get(name) ?? Number.POSITIVE_INFINITY;
  const head = { size, isPlain: true, ...plain } as H;
  presumed.first(headSql, (row) => {
    const { size, isPlain } = toHead(row);
    if (!isPlain) throw new NotPresumed();
    presumed.sizes.set(name, size);
    head.size = size;
  });
  return head;
}

/** SQL that is true for some rows of a table, with its values in the statement. */
export type Condition = (b: Bound) => string;

/** The rows of a table, as the caller of a collection may see them. */
export type Source<Item extends Indexed> = TableReading<Item> & {
  /** Identifies what the caller may read: cursors are bound to it. */
  scope: string;
  nowSeconds: number;
  within: Scope;
  /** SQL that is true for the rows that the index has as the caller sees them, while `extras` has others. */
  further: readonly Condition[];
  /** True where reading an item may find that the list has it not. */
  isTested?: boolean;
  /** Items that the index does not have as the caller sees them, all of them visible and in scope. */
  extras: readonly Item[];
  head: Readonly<Head>;
  /** Throws once the answer may not go on: see watchOf. Absent: it reads only a few rows. */
  watch?: () => void;
  toCollectionItem(item: Item): CollectionItem;
};

/**
 * A function that throws once a scan must stop: filter_too_costly above its time limit, busy when its client has left. The
 * server gets the same limit for each statement.
 */
export async function watchOf(
  { sql, options, isStopped }: Scanning,
  reader: Reader,
  argument = "filter",
): Promise<() => void> {
  const most = options.scanBudgetMs[reader];
  await sql.row("SELECT {limit_time ?1}", String(most));
  const endMs = performance.now() + most;
  return () => {
    if (isStopped()) throw problem("busy", { reason: "the client has left" });
    if (performance.now() > endMs) throw problem("filter_too_costly", { argument });
  };
}
