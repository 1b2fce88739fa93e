import { describe, test } from "node:test";
import type { ListOptions } from "../../src/core/sql/list/options.ts";
import type { WriteOptions } from "../../src/core/sql/noun.ts";
import { openPostgresStore, openSqliteStore, type SqlStore } from "../../src/database.ts";
import { lacksPostgres } from "../postgres.ts";
import { postgresOptions } from "./postgres-options.ts";
import { sqliteOptions } from "./sqlite-options.ts";

type EngineOptions = Partial<ListOptions> & WriteOptions & { indexKeys?: string[] };

/** An engine of the store; `skip` says why its tests cannot run here. */
export type Engine = {
  name: string;
  skip: string | undefined;
  /** Opens an empty store of its own. */
  open(options?: EngineOptions): Promise<SqlStore>;
};

export const engines: readonly Engine[] = [
  { name: "SQLite", skip: undefined, open: (options) => openSqliteStore({ ...sqliteOptions(), ...options }) },
  {
    name: "PostgreSQL",
    skip: lacksPostgres() || undefined,
    open: async (options) => openPostgresStore({ ...(await postgresOptions()), ...options }),
  },
];

/** Declares the same tests for each engine, on one store; `engine` opens further ones. */
export function onEachEngine(
  declare: (store: SqlStore, engine: Engine) => Promise<void>,
  options?: EngineOptions,
): void {
  for (const engine of engines) {
    const { name, skip, open } = engine;
    describe(name, { skip }, async () => {
      const store = await open(options);
      test.after(() => store.close());
      await declare(store, engine);
    });
  }
}
