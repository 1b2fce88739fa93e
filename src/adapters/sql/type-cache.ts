import { Types } from "../../domain/type-check.ts";
import { findSchema, typeRows } from "./noun/type-row.ts";
import type { Sql } from "./sql.ts";

/**
 * The types as they stand in a transaction, compiled once for each state of them. What names a state is how many there
 * are and the newest revision: a put makes a new revision, and while that stays, a delete makes them fewer.
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
    const row = await this.sql.row("SELECT count(*), coalesce(max(revision), 0) FROM type");
    const state = String(row);
    if (state === this.state) return this.types;
    const { sql } = this;
    const types =
      row?.[0] === 0 ? undefined : new Types(await typeRows(sql), { schemaOf: (id) => findSchema(sql, id) });
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
