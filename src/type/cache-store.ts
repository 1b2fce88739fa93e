import type { Kept, KeptValue } from "../core/sql/kept.ts";
import type { Writing } from "../core/sql/noun.ts";
import type { Sql } from "../core/sql/sql.ts";
import type { Types } from "./check.ts";
import { readTypes, typeState } from "./rows.ts";

/** The types that writes are checked with, as they stand in the transaction; undefined when there are none. */
export const typesOf = (on: Writing): Promise<Types | undefined> => on.kept(compiledTypes);

/** The same for a write of many entries, whose checks have a bound of time together. */
export const typesTogether = async (on: Writing): Promise<Types | undefined> => (await typesOf(on))?.together();

/** Compiled schemas. */
export const compiledTypes: Kept<Types | undefined> = {
  open: (sql) => new TypeCache(sql),
  together: (types) => types?.together(),
};

/** The types, compiled once for each state of them: see typeState. */
class TypeCache implements KeptValue<Types | undefined> {
  private readonly sql: Sql;
  private state = "";
  private types: Types | undefined;

  constructor(sql: Sql) {
    this.sql = sql;
  }

  /** Undefined in a store without types, which reads nothing but this row. */
  async read(): Promise<Types | undefined> {
    const state = String(await this.sql.row(typeState));
    if (state === this.state) return this.types;
    const types = await readTypes(this.sql, state);
    this.types = types;
    this.state = state;
    return types;
  }

  /** After a rollback: the revisions that it took back are given again, to other states. */
  clear(): void {
    this.state = "";
    this.types = undefined;
  }
}
