import type { RowStore } from "./backup/backup.ts";
import { rowStore } from "./backup/store.ts";
import { siblingFile } from "./core/lib/sibling.ts";
import type { PostgresStoreOptions } from "./core/sql/engine/postgres/store.ts";
import { openSqlite, type SqliteStoreOptions } from "./core/sql/engine/sqlite/store.ts";
import type { Ports } from "./core/sql/noun.ts";
import type { Database, StoreCode } from "./core/sql/store.ts";
import { allNouns } from "./nouns.ts";

/** The database with the nouns of all features: an engine of the core, the modules of its threads, a port for each noun. */

/** What exists once, a port for each noun, and all rows for backups. */
export type SqlStore = Omit<Database, "ports"> & Ports & { readonly ports: Ports; readonly rows: RowStore };

const code: StoreCode = {
  nouns: allNouns,
  threads: {
    "sqlite-writer": siblingFile(import.meta.url, "threads/sqlite-writer"),
    "sqlite-reader": siblingFile(import.meta.url, "threads/sqlite-reader"),
    "postgres-scanner": siblingFile(import.meta.url, "threads/postgres-scanner"),
  },
};

/** What is called while a database is opened, and later: see the openers of the engines. */
type Callbacks = Parameters<typeof openSqlite> extends [StoreCode, SqliteStoreOptions, ...infer Rest] ? Rest : never;

function withPorts(database: Database): SqlStore {
  const rows = rowStore(allNouns, database.whole);
  return Object.assign(database, database.ports, { rows }) as unknown as SqlStore;
}

export const openSqliteStore = async (options: SqliteStoreOptions, ...callbacks: Callbacks): Promise<SqlStore> =>
  withPorts(await openSqlite(code, options, ...callbacks));

/** Its engine is loaded only where there is a server, to keep the start fast. */
export async function openPostgresStore(options: PostgresStoreOptions, ...callbacks: Callbacks): Promise<SqlStore> {
  const { openPostgres } = await import("./core/sql/engine/postgres/store.ts");
  return withPorts(await openPostgres(code, options, ...callbacks));
}
