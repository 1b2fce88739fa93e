/** The tables of bench/lists.ts: a cell for each list, store and size, beside its goal. */
import { listQueries } from "./list-queries.ts";

/** Octavo's are named by their engine. */
export const ownStores = ["SQLite", "PostgreSQL"] as const;
export type OwnStore = (typeof ownStores)[number];
export type Store = OwnStore | "Directus" | `Payload, ${OwnStore}`;
const isOwn = (store: Store): store is OwnStore => (ownStores as readonly string[]).includes(store);

/** What one list takes. A list that is always refused has only `ms`, how long the refusal took. */
export type Cell = {
  list: string;
  size: number;
  /** Undefined where it depends on the values that are asked for. */
  matches: number | undefined;
  store: Store;
  /** The median latency on 8 connections. */
  ms: number;
  /** Answers on 8 connections. */
  perSecond: number;
  /** The share of requests that was refused; 1 when the first one is. */
  refused: number;
};
const isRefused = ({ refused }: Cell): boolean => refused === 1;

/** The size that has goals, and the one that they are in times of. */
const large = 1_000_000;
const small = 10_000;

/** A table for each size. */
export function listTables(cells: readonly Cell[]): string {
  const sizes = [...new Set(cells.map(({ size }) => size))];
  const tables = sizes.map((size) => {
    const rows = cells.filter((cell) => cell.size === size).map((cell) => rowOf(cell, cells));
    return `## ${grouped(size)} entries\n\n${table(head, rows)}`;
  });
  return [...summary(cells), ...tables].join("\n\n");
}

const head = ["list", "matches", "store", "ms", "a second", "to the best rival", "× at 10,000", "goal", "reached"];

function rowOf(cell: Cell, cells: readonly Cell[]): string[] {
  const { list, matches, store, ms, perSecond, refused } = cell;
  const growth = growthOf(cell, cells);
  const goal = goalOf(cell, cells);
  const partly = refused > 0 ? `; ${Math.ceil(refused * 100)} % refused` : "";
  return [
    list,
    matches === undefined ? "varies" : grouped(matches),
    store,
    isRefused(cell) ? `refused after ${precise(ms)}` : precise(ms),
    isRefused(cell) ? "" : precise(perSecond) + partly,
    besideRivals(cell, cells),
    growth === undefined ? "" : precise(growth),
    goal?.text ?? "",
    goal ? verdict(goal) : "",
  ];
}

/** The rate of a list of Octavo in times of the fastest of the others. */
function timesRival(cell: Cell, cells: readonly Cell[]): { times: number; rival: Store } | undefined {
  const rivals = cells.filter(({ list, size, store }) => list === cell.list && size === cell.size && !isOwn(store));
  const [best] = rivals.sort((a, b) => b.perSecond - a.perSecond);
  return best && isOwn(cell.store) ? { times: cell.perSecond / best.perSecond, rival: best.store } : undefined;
}

function besideRivals(cell: Cell, cells: readonly Cell[]): string {
  const { times = Number.NaN, rival } = timesRival(cell, cells) ?? {};
  if (Number.isNaN(times)) return "";
  return `${times < 1 ? "behind: " : ""}${precise(times)} × ${rival}`;
}

/** Its latency in times of the same at 10,000 entries. */
function growthOf(cell: Cell, cells: readonly Cell[]): number | undefined {
  const { list, store, ms, size } = cell;
  const before = cells.find((cell) => cell.list === list && cell.store === store && cell.size === small);
  return size === small || !before || isRefused(before) || isRefused(cell) ? undefined : ms / before.ms;
}

/** A goal, and how many times it the figure is; a refusal has no figure. */
type Goal = { text: string; times: number };

function goalOf(cell: Cell, cells: readonly Cell[]): Goal | undefined {
  const query = listQueries.find(({ name }) => name === cell.list);
  if (!query || !isOwn(cell.store) || cell.size !== large) return undefined;
  const goal = (text: string, figure: number, most: number): Goal => ({
    text: `≤ ${text}`,
    times: isRefused(cell) ? Number.POSITIVE_INFINITY : figure / most,
  });
  const mostMs = query.mostMs?.[cell.store];
  if (mostMs !== undefined) return goal(`${mostMs} ms`, cell.ms, mostMs);
  return goal("2 × at 10,000", growthOf(cell, cells) ?? Number.NaN, 2);
}

function verdict({ times }: Goal): string {
  if (times <= 1) return "met";
  if (Number.isNaN(times)) return "not known: nothing to compare with";
  return Number.isFinite(times) ? `missed: ${precise(times)} times the goal` : "missed: refused";
}

/** In how many rows Octavo is ahead, how many goals are met, and the lists that are behind or miss theirs. */
function summary(cells: readonly Cell[]): string[] {
  const compared = cells.filter((cell) => timesRival(cell, cells));
  const behind = compared.filter((cell) => !((timesRival(cell, cells)?.times ?? 0) >= 1));
  const goals = cells.flatMap((cell) => {
    const goal = goalOf(cell, cells);
    return goal ? [{ cell, goal }] : [];
  });
  const missed = goals.filter(({ goal }) => !(goal.times <= 1)).map(({ cell }) => cell);
  const ahead = `Octavo is ahead of the best rival in ${compared.length - behind.length} of ${compared.length} rows.`;
  const met = `${goals.length - missed.length} of ${goals.length} goals are met.`;
  const parts = [
    compared.length > 0 ? [ahead, ...byPlace(behind, "is behind in")] : [],
    goals.length > 0 ? [met, ...byPlace(missed, "misses")] : [],
  ];
  return parts.map((lines) => lines.join("\n")).filter(Boolean);
}

function byPlace(cells: readonly Cell[], what: string): string[] {
  const places = Map.groupBy(cells, ({ store, size }) => `${store} at ${grouped(size)}`);
  return [...places].map(([place, lists]) => `* ${place} ${what}: ${lists.map(({ list }) => list).join("; ")}.`);
}

/** Reads of one entry, idle and while four connections ask for scans: their 99th percentiles. */
export function besideTable(rows: { store: Store; idleMs: number; besideMs: number }[]): string {
  const cells = rows.map(({ store, idleMs, besideMs }) => {
    const times = besideMs / idleMs;
    return [
      store,
      precise(idleMs),
      precise(besideMs),
      precise(times),
      "< 2 × idle",
      verdict({ text: "", times: times / 2 }),
    ];
  });
  const head = ["store", "p99 idle, ms", "p99 beside, ms", "× idle", "goal", "reached"];
  return `## One entry, 16 connections, beside four scans\n\n${table(head, cells)}`;
}

const table = (head: string[], rows: string[][]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

const grouped = (count: number): string => count.toLocaleString("en");

/** Three digits that matter. */
function precise(figure: number): string {
  if (figure >= 100) return Math.round(figure).toLocaleString("en");
  return figure.toFixed(figure >= 10 ? 1 : 2);
}
