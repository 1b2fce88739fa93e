import type { Sql } from "../core/sql/sql.ts";
import type { Types } from "./check.ts";
import { readTypes, typeState } from "./rows.ts";

/**
 * The types as they stand in a transaction, compiled once for each state of them: see typeState.
 */
export class TypeCache {
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
