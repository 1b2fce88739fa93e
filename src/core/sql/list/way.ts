import type { CollectionQuery } from "../../list/list.ts";
import { cutMark } from "../index/field.ts";
import type { Row } from "../sql.ts";
import { Bound } from "./bound.ts";
import type { ListSql } from "./options.ts";
import { fewMet, type Probe, probedPage, probeSql } from "./probe.ts";
import type { Effort, Head } from "./source.ts";
import {
  amongTied,
  byCondition,
  type FieldTerm,
  inOrder,
  isDriver,
  isSameKey,
  type Listed,
  type Statement,
  type Window,
} from "./statement.ts";
import type { RowTest } from "./test.ts";
import { needed } from "./window.ts";

/** Which way a page is read: in its order, by a condition, or by paths among those that share the first value of its order. */

/** A condition with fewer rows is read and sorted, in some milliseconds; see `leastMet`. */
const mostMet = 4000;
/** A walk that is longer than `mostCertain` times what is wanted, and than so many rows, is compared with the conditions. */
const leastTried = 128;

/**
 * How many times the rows of a walk a condition may have: its rows are counted, while a walk is longer than guessed where
 * the matches are far down in the order.
 */
const mostCertain = 8;

/** So few items are sorted in any case, and so many are counted at most. */
const [leastTied, mostTied] = [500, 20_000];

/** A walk on another thread that meets so few matches is given up for the rows of a condition, if there is one. */
const mostWalked = 50_000;

export const byConditions = "conditions by index";

/** Stops reading rows that are too many. */
export class GaveUp extends Error {}
export const unlessGaveUp = <T>(work: Promise<T>): Promise<T | undefined> =>
  work.catch((error: unknown) => {
    if (error instanceof GaveUp) return undefined;
    throw error;
  });

/** The rows of a page, and how they were found. */
type Page = { rows: readonly Row[]; by: string };

/** What was found: the condition that the fewest rows meet; the first value of the order, where many have it. */
type Probed = { least?: { test: RowTest; met: number }; tied?: string };

/** What a page is read with. `run` answers the rows of a statement, and throws GaveUp after the rows that it is given. */
export type Paging = {
  lists: ListSql;
  head: Readonly<Head>;
  query: CollectionQuery;
  effort: Effort;
  run(statement: Statement, most?: number): Promise<readonly Row[]>;
};

/** The rows of a window in order. */
export async function readPage(on: Paging, listed: Listed, window: Window): Promise<Page> {
  const { query, run } = on;
  const { isServer } = on.lists;
  const [first, second] = listed.order;
  const field = first && "keyIds" in first ? first : undefined;
  const drivers = mayDrive(listed, field) ? driversOf(listed) : [];
  const ordered =
    field?.keyIds.length === 1 && !second && !listed.isReversed ? { field, many: manyTied(on) } : undefined;
  const walk = () => inOrder(listed, isServer, window);
  const names = query.order.map(({ source, key }) => (source === "field" ? key : source));
  const by = `order by index (${names.join(", ") || "path"})`;
  if (drivers.length === 0 && !ordered) return { rows: await run(walk()), by };
  const most = leastMet(on);
  // Where a walk can be stopped a condition of few rows is the shortest way; with fewer rows than the page has a walk would
  // not end before the last one.
  const few = isServer ? most : Math.min(Math.max(fewMet, needed(query)), most);
  const probe: Probe = { drivers, most: few, ordered };
  const seen = isServer ? await probedAtOnce(on, listed, probe, window) : await probed(on, listed, probe);
  if ("way" in seen) return { rows: seen.rows, by: seen.way === "order" ? by : byConditions };
  const byDriver = async (test: RowTest) => ({
    rows: await run(byCondition(listed, { test }, window)),
    by: byConditions,
  });
  const { least, tied } = seen;
  if (least && least.met < few) return byDriver(least.test);
  // Those with the first value of the order, when they are many and fill the window.
  const among = field && tied !== undefined && (await walked(on, amongTied(listed, field, tied, isServer, window)));
  if (among && among.length === window.limit) return { rows: among.map(([id]) => [id as number, tied as string]), by };
  if (least && few < most) {
    const rows = await attempt(on, walk(), Math.max(mostCertain * needed(query), leastTried));
    if (rows) return { rows, by };
    const { least } = await probed(on, listed, { drivers, most });
    if (least && least.met < most) return byDriver(least.test);
  }
  const rows = await walked(on, walk());
  if (rows) return { rows, by };
  const best = await bestDriver(on, listed);
  return best ? byDriver(best) : { rows: await run(walk()), by };
}

/** The condition that the fewest rows meet: where there is one, it is not counted. */
export async function bestDriver(on: Paging, listed: Listed): Promise<RowTest | undefined> {
  const drivers = driversOf(listed);
  if (drivers.length < 2) return drivers[0];
  return (await probed(on, listed, { drivers, most: mostMet })).least?.test;
}

/** Undefined where a walk meets too few matches and may be replaced by another way. */
const walked = async (on: Paging, statement: Statement): Promise<readonly Row[] | undefined> =>
  on.effort.walked > mostWalked ? attempt(on, statement, mostWalked) : on.run(statement);

/** Undefined after that many rows. */
const attempt = ({ run, effort }: Paging, statement: Statement, most: number) =>
  unlessGaveUp(run(statement, Math.min(most, effort.walked)));

async function probed({ run }: Paging, listed: Listed, probe: Probe): Promise<Probed> {
  const b = new Bound();
  const [row = []] = await run({ text: probeSql(b, listed, probe), values: b.values });
  return probedOf(probe, row);
}

/** The page with the probe, in one round trip to a server, where the probe lets it; otherwise the probe alone. */
async function probedAtOnce({ run }: Paging, listed: Listed, probe: Probe, window: Window) {
  const { text, values, columns } = probedPage(listed, probe, window);
  const rows = await run({ text, values });
  const [first = []] = rows;
  const seen = probedOf(probe, first);
  const isFew = seen.least !== undefined && seen.least.met < probe.most;
  if (isFew ? probe.drivers.length > 1 : isOftenTied(probe, first)) return seen;
  const found = first[columns] === null ? [] : rows.map((row) => row.slice(columns));
  return { way: isFew ? "condition" : "order", rows: found };
}

/** False where a walk in the order reads nothing but matches. */
function mayDrive({ filter }: Listed, first: FieldTerm | undefined): boolean {
  const [only, ...more] = filter.all;
  return !(first && only?.field && isSameKey(only.field, first) && more.length === 0);
}

/** Conditions that each match meets, whose rows the index has. */
const driversOf = ({ filter }: Listed): RowTest[] => (filter.any ? [] : filter.all.filter(isDriver));

/**
 * The rows of a condition from which on a walk is shorter: of N rows c meet it, then the condition reads c, and a walk about
 * wanted × N / c.
 */
const leastMet = ({ query, head }: Paging): number =>
  Math.min(Math.ceil(Math.sqrt(mostCertain * needed(query) * head.size)), mostMet);

/** More items with the first value of the order, t, are not sorted by path: paths are walked, about wanted × N / t. */
const manyTied = ({ query, head }: Paging): number =>
  Math.ceil(Math.min(Math.max(leastTied, Math.sqrt(needed(query) * head.size)), mostTied));

/** What the first columns of a row say. */
function probedOf(probe: Probe, row: Row): Probed {
  const found = probe.drivers.map((test, i) => ({ test, met: row[i] as number }));
  const value = row[found.length] as string | null;
  const isTied = isOftenTied(probe, row) && value !== null && !value.endsWith(cutMark);
  return {
    ...(found.length > 0 && { least: found.reduce((least, each) => (each.met < least.met ? each : least)) }),
    ...(isTied && { tied: value }),
  };
}

const isOftenTied = ({ drivers, ordered }: Probe, row: Row): boolean =>
  ordered !== undefined && (row[drivers.length + 1] as number) > ordered.many;
