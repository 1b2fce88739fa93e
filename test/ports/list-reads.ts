import { readFileSync } from "node:fs";
import type pg from "pg";
import type { CollectionAnswer } from "../../src/core/list/list.ts";
import { migrate, Postgres, type PostgresOptions } from "../../src/core/sql/engine/postgres/connection.ts";
import { PresumedSnapshot } from "../../src/core/sql/engine/postgres/presumed-snapshot.ts";
import { PostgresSnapshots } from "../../src/core/sql/engine/postgres/snapshots.ts";
import { Sqlite } from "../../src/core/sql/engine/sqlite/connection.ts";
import { KeyNumbers } from "../../src/core/sql/index/key-number.ts";
import { NotPresumed } from "../../src/core/sql/list/presumed.ts";
import type { Reading, Scanning } from "../../src/core/sql/noun.ts";
import { reading, type ScanOptions, scanning } from "../../src/core/sql/scans.ts";
import { insertRows, numberOf, type Value, type ValueType } from "../../src/core/sql/sql.ts";
import { allNouns } from "../../src/nouns.ts";
import { postgresOptions } from "./postgres-options.ts";
import { sqliteOptions } from "./sqlite-options.ts";

/** What the statements of a list read, as each engine itself counts it while they run. */

/** `pages`: of tables and indexes. `rows`: of them, where the engine counts rows; a look that finds none is one, too. */
export type StatementReads = { text: string; pages: number; rows?: number; plan(): string };

/** A list as a service asks for it: elsewhere, where it reads more than a few rows. */
export type Asked = {
  quick(on: Reading): Promise<CollectionAnswer | undefined>;
  thorough(on: Scanning): Promise<CollectionAnswer>;
};

/** `tries`: what each attempt to answer has read, the last of which did. */
export type Answered = { answer: CollectionAnswer; tries: readonly (readonly StatementReads[])[] };

const everyKey = ["*"];

export type ReadStore = {
  /** Of how many of the tables that lists read the planner has been told something. */
  told(): Promise<number>;
  /** Tells it. Absent where a store never does. */
  analyze?(): Promise<void>;
  /** Answers a list as a service does, first on the thread of requests. */
  ask(asked: Asked): Promise<Answered>;
  close(): Promise<void>;
};

/** Tries one way after another, until one answers. */
async function answered(
  ways: readonly (() => Promise<CollectionAnswer | undefined>)[],
  taken: () => Promise<StatementReads[]>,
): Promise<Answered> {
  const tries: StatementReads[][] = [];
  for (const way of ways) {
    const answer = await way();
    tries.push(await taken());
    if (answer) return { answer, tries };
  }
  throw new Error("no way answers the list");
}

// ------------------------------------------------------------------------------------------------------------- SQLite

/** The kernel's count of this thread's reads: without a cache of pages, one for each page that a statement reads. */
const readsSoFar = (): number =>
  Number(/^syscr: (\d+)/m.exec(readFileSync("/proc/thread-self/io", "utf8"))?.[1] ?? Number.NaN);

/** Why pages cannot be counted here; undefined when they can. */
export function lacksCount(): string | undefined {
  try {
    return Number.isNaN(readsSoFar()) ? "the kernel counts no reads" : undefined;
  } catch {
    return "the kernel counts no reads of a thread";
  }
}

/** Counts the pages of each statement. */
class CountingSqlite extends Sqlite {
  private counts: StatementReads[] = [];
  private readonly lookCost = lookCost();

  /** What was read since the last call. */
  taken(): StatementReads[] {
    const { counts } = this;
    this.counts = [];
    return counts;
  }

  override rows(text: string, ...values: Value[]) {
    return this.counted(text, () => super.rows(text, ...values));
  }
  override row(text: string, ...values: Value[]) {
    return this.counted(text, () => super.row(text, ...values));
  }
  override rowsAll(text: string, sets: readonly Value[][]) {
    return this.counted(text, () => super.rowsAll(text, sets));
  }
  override batches(text: string, values: readonly Value[], size: number) {
    return this.counted(text, () => [...super.batches(text, values, size)]);
  }

  private counted<T>(text: string, work: () => T): T {
    const before = readsSoFar();
    try {
      return work();
    } finally {
      const pages = readsSoFar() - before - this.lookCost;
      const plan = () => super.rows(`EXPLAIN QUERY PLAN ${text}`).map((step) => step[3]);
      this.counts.push({ text, pages, plan: () => plan().join("\n") });
    }
  }
}

/** What two looks at the count add to it. */
function lookCost(): number {
  const before = readsSoFar();
  return readsSoFar() - before;
}

/** The store of a folder, which nobody else writes to. */
export async function readSqlite(folder: string): Promise<ReadStore> {
  const options = { ...sqliteOptions(), folder, indexKeys: everyKey };
  const sqlite = new CountingSqlite(options, "write");
  sqlite.exec("PRAGMA cache_size = 0");
  const on = scanning(allNouns, sqlite, options, new KeyNumbers());
  const inSnapshot = async <T>(work: (on: Scanning) => Promise<T>): Promise<T> => {
    sqlite.exec("BEGIN");
    return work(on).finally(() => sqlite.rollback());
  };
  return {
    told: async () => sqlite.rows("SELECT name FROM sqlite_master WHERE name LIKE 'sqlite_stat%'").length,
    ask: ({ quick, thorough }) =>
      answered([() => inSnapshot(quick), () => inSnapshot(thorough)], async () => sqlite.taken()),
    close: async () => sqlite.close(),
  };
}

// --------------------------------------------------------------------------------------------------------- PostgreSQL

/** Tables whose rows lists read, each after those that it refers to. */
const tables = [
  ...["blob", "parent", "folder", "field_key", "entry", "entry_field", "entry_gram", "entry_text"],
  ...["file", "file_field", "event", "working_copy"],
];

/** Copies the rows of a folder's store as writes leave them: the planner knows nothing of them, and nothing tells it. */
async function copyStore(folder: string, postgres: Postgres): Promise<void> {
  const from = new Sqlite({ ...sqliteOptions(), folder }, "read");
  await migrate(postgres);
  for (const table of tables) await postgres.exec(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
  await postgres.exec(`TRUNCATE ${tables.join(", ")} CASCADE`);
  for (const table of tables) {
    const columns = from.rows(`SELECT name, lower(type) FROM pragma_table_info('${table}')`) as [string, ValueType][];
    const names = columns.map(([name]) => name);
    const write = insertRows(
      table,
      names,
      columns.map(([, type]) => type),
    );
    const rows = from.rows(`SELECT ${names.join(", ")} FROM ${table}`) as Value[][];
    for (let first = 0; first < rows.length; first += 20_000)
      await postgres.runAll(write, rows.slice(first, first + 20_000));
  }
  from.close();
}

/** The server reports the plan of each statement, with what it read, to who sent it. */
const reports = [
  "session_preload_libraries = 'auto_explain'",
  ...["log_min_duration = 0", "log_analyze = on", "log_buffers = on", "log_timing = off", "log_format = json"].map(
    (setting) => `auto_explain.${setting}`,
  ),
  "auto_explain.log_level = notice",
];

/** The same store in a new database. Rejects where the role may not have plans reported. */
export async function readPostgres(folder: string): Promise<ReadStore> {
  const options = await postgresOptions();
  const postgres = await Postgres.connect(options);
  await copyStore(folder, postgres);
  const database = new URL(options.url).pathname.slice(1);
  await postgres.exec("LOAD 'auto_explain'");
  for (const setting of reports) await postgres.exec(`ALTER DATABASE ${database} SET ${setting}`);
  const lists = new PostgresLists({ ...options, indexKeys: everyKey });
  const told = `SELECT count(*) FROM pg_class WHERE reltuples >= 0 AND relkind = 'r' AND relname IN (${tables.map((table) => `'${table}'`)})`;
  return {
    told: () => numberOf(postgres, told),
    analyze: () => postgres.exec("ANALYZE"),
    ask: ({ quick, thorough }) =>
      answered([() => lists.presuming(quick), () => lists.inSnapshot(quick), () => lists.inSnapshot(thorough)], () =>
        lists.taken(),
      ),
    close: async () => {
      await lists.close();
      await postgres.close();
    },
  };
}

/** Lists on one connection that hears the reports, as a store answers them. */
class PostgresLists {
  private readonly options: PostgresOptions & ScanOptions;
  private readonly snapshots: PostgresSnapshots;
  private readonly keys = new KeyNumbers();
  private readonly last = { sizes: new Map<string, number>(), layered: new Map<string, boolean>() };
  private readonly heard = new WeakSet<pg.Client>();
  private statements: StatementReads[] = [];

  constructor(options: PostgresOptions & ScanOptions) {
    this.options = options;
    this.snapshots = new PostgresSnapshots(options, 1);
  }

  inSnapshot<T>(work: (on: Scanning) => Promise<T>): Promise<T> {
    return this.snapshots.read((connection) => work(this.hear(connection)));
  }

  presuming(quick: Asked["quick"]): ReturnType<Asked["quick"]> {
    return this.snapshots.readApart((connection) => {
      const { itemsById } = this.hear(connection);
      const sql = new PresumedSnapshot(connection, this.last);
      const on = { ...reading(allNouns, sql, this.options, this.keys, itemsById), presumed: sql };
      return sql
        .checked(() => quick(on))
        .catch((error: unknown) => {
          if (error instanceof NotPresumed) return undefined;
          throw error;
        });
    });
  }

  /** What was read since the last call. */
  async taken(): Promise<StatementReads[]> {
    // A plan is reported at the end of its transaction; the connection is free after that.
    await this.snapshots.readApart(async () => undefined);
    const { statements } = this;
    this.statements = [];
    return statements;
  }

  close(): Promise<void> {
    return this.snapshots.close();
  }

  private hear(connection: Postgres): Scanning {
    const { client } = connection;
    if (!this.heard.has(client)) client.on("notice", ({ message }) => this.note(message));
    this.heard.add(client);
    return scanning(allNouns, connection, this.options, this.keys);
  }

  private note(message = ""): void {
    const [, plan] = /plan:\n(.*)$/s.exec(message) ?? [];
    if (plan) this.statements.push(readsOf(JSON.parse(plan) as Explained));
  }
}

type Explained = { "Query Text": string; Plan: PlanNode };
type PlanNode = {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Index Cond"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  "Rows Removed by Join Filter"?: number;
  "Shared Hit Blocks": number;
  "Shared Read Blocks": number;
  Plans?: PlanNode[];
};

const readsOf = ({ "Query Text": text, Plan: plan }: Explained): StatementReads => ({
  text,
  pages: pagesOf(plan),
  rows: rowsOf(plan),
  plan: () => linesOf(plan).join("\n"),
});

const pagesOf = (node: PlanNode): number => node["Shared Hit Blocks"] + node["Shared Read Blocks"];

/** What a node reads each time that it runs, with what it leaves out. */
const rowsEach = (node: PlanNode): number =>
  node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0);

/** A row is found by at most so many pages of an index, and its own. A table that has no more is read as fast. */
export const pagesEach = 3;

/** A join that compares all pairs looks at each. */
function rowsOf(node: PlanNode): number {
  const isRead = node["Relation Name"] !== undefined || node["Index Name"] !== undefined;
  const isSmall = node["Node Type"] === "Seq Scan" && pagesOf(node) <= pagesEach * node["Actual Loops"];
  const found = isSmall ? 1 : Math.max(1, rowsEach(node));
  const own = node["Actual Loops"] * (isRead ? found : (node["Rows Removed by Join Filter"] ?? 0));
  return (node.Plans ?? []).reduce((sum, each) => sum + rowsOf(each), own);
}

function linesOf(node: PlanNode): string[] {
  const { "Node Type": type, "Relation Name": table, "Index Name": index, "Index Cond": condition } = node;
  const name = [type, table, index, condition].filter(Boolean).join(" ");
  const lines = (node.Plans ?? []).flatMap(linesOf).map((line) => `  ${line}`);
  return [`${name}: ${rowsEach(node)} rows, ${node["Actual Loops"]} times`, ...lines];
}
