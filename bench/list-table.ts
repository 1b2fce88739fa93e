/** The tables of bench/lists.ts: a cell for each list, store and size, beside its goal. */
import { listQueries } from "./list-queries.ts";

/** SQLite and PostgreSQL are Octavo's. */
export type Store = "SQLite" | "PostgreSQL" | "Directus";

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
  /** The time of an answer in times of a read of one entry. */
  timesOne: number;
  /** The share of requests that was refused; 1 when the first one is. */
  refused: number;
};
const isRefused = ({ refused }: Cell): boolean => refused === 1;

/** The sizes that have goals. */
const small = 10_000;
const large = 1_000_000;

/** A table for each size. */
export function listTables(cells: readonly Cell[]): string {
  const sizes = [...new Set(cells.map(({ size }) => size))];
  const tables = sizes.map((size) => {
    const rows = cells.filter((cell) => cell.size === size).map((cell) => rowOf(cell, cells));
    return `## ${grouped(size)} entries\n\n${table(head, rows)}`;
  });
  return [summary(cells), ...tables].join("\n\n");
}

const head = ["list", "matches", "store", "ms", "a second", "× one", "× at 10,000", "goal", "reached"];

function rowOf(cell: Cell, cells: readonly Cell[]): string[] {
  const { list, matches, store, ms, perSecond, timesOne, refused } = cell;
  const growth = growthOf(cell, cells);
  const goal = goalOf(cell, cells);
  const partly = refused > 0 ? `; ${Math.ceil(refused * 100)} % refused` : "";
  return [
    ...[list, matches === undefined ? "varies" : grouped(matches), store],
    ...(isRefused(cell)
      ? [`refused after ${precise(ms)}`, "", ""]
      : [precise(ms), precise(perSecond) + partly, precise(timesOne)]),
    ...[growth === undefined ? "" : precise(growth), goal?.text ?? "", goal ? verdict(goal) : ""],
  ];
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
  if (!query || cell.store === "Directus") return undefined;
  const goal = (text: string, figure: number, most: number): Goal => ({
    text: `≤ ${text}`,
    times: isRefused(cell) ? Number.POSITIVE_INFINITY : figure / most,
  });
  if (cell.size === small) return goal(`${query.most} × one`, cell.timesOne, query.most);
  if (cell.size !== large) return undefined;
  const mostMs = query.mostMs?.[cell.store];
  if (mostMs !== undefined) return goal(`${mostMs} ms`, cell.ms, mostMs);
  return goal("2 × at 10,000", growthOf(cell, cells) ?? Number.NaN, 2);
}

function verdict({ times }: Goal): string {
  if (times <= 1) return "met";
  if (Number.isNaN(times)) return "not known: nothing to compare with";
  return Number.isFinite(times) ? `missed: ${precise(times)} times the goal` : "missed: refused";
}

/** How many goals are met, and the lists that miss theirs. */
function summary(cells: readonly Cell[]): string {
  const goals = cells.flatMap((cell) => {
    const goal = goalOf(cell, cells);
    return goal ? [{ cell, goal }] : [];
  });
  const missed = goals.filter(({ goal }) => !(goal.times <= 1));
  const sentences = [...new Set(missed.map(({ cell }) => `${cell.store} at ${grouped(cell.size)}`))].map((where) => {
    const lists = missed.filter(({ cell }) => `${cell.store} at ${grouped(cell.size)}` === where);
    return `* ${where} misses: ${lists.map(({ cell }) => cell.list).join("; ")}.`;
  });
  return [`${goals.length - missed.length} of ${goals.length} goals are met.`, "", ...sentences].join("\n").trim();
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
      "≤ 3 × idle",
      verdict({ text: "", times: times / 3 }),
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
