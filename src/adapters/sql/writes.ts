import { Problem } from "../../domain/problem.ts";
import type { MaybePromise } from "../../lib/maybe-promise.ts";
import { type Call, type Reply, toReply } from "./call.ts";
import { isDamage } from "./damage.ts";
import { indexedKeys } from "./index/field.ts";
import type { FieldIndex } from "./index/field-row.ts";
import type { RemoveBytes, Writing } from "./noun.ts";
import { type NounWrites, nounWrites } from "./nouns.ts";
import type { WriteSql } from "./sql.ts";

/** Every write, by name. */
export type Writes = NounWrites;

/** The number of retries of a transaction after a transient failure, with increasing pauses. */
const maxAttempts = 5;
const firstPauseMs = 40;

/** Runs calls, each in a savepoint of one transaction; no caller receives a reply before the COMMIT. */
export class Writer {
  private readonly sql: WriteSql;
  private readonly index: FieldIndex;
  private readonly on: Writing;

  constructor(sql: WriteSql, indexKeys: string[], removeBytes: RemoveBytes) {
    this.sql = sql;
    this.index = { isIndexed: indexedKeys(indexKeys), keyIds: new Map() };
    this.on = { sql, index: this.index, removeBytes };
  }

  /** One reply for each call, in order. A refused call does not affect the others. */
  async run(calls: readonly Call[]): Promise<Reply[]> {
    const together = await this.together(calls, 1);
    if (together) return together;
    // An unexpected failure rolled back the whole group: run alone, the other calls still succeed and the failing one
    // is identified.
    const replies: Reply[] = [];
    for (const call of calls) replies.push(...(await this.run([call])));
    return replies;
  }

  /** Undefined when any one of several calls may be the cause. */
  private async together(calls: readonly Call[], attempt: number): Promise<Reply[] | undefined> {
    const { sql } = this;
    let hasBegun = false;
    let failure: unknown;
    try {
      await sql.begin();
      hasBegun = true;
      const replies: Reply[] = [];
      for (const call of calls) replies.push(await this.inSavepoint(call));
      await sql.commit();
      return replies;
    } catch (error) {
      failure = error;
      this.index.keyIds.clear();
      await sql.rollback();
    }
    // Nothing more is written to a damaged database, for any call of the group.
    if (isDamage(failure)) return this.refuse(calls, failure);
    if (!sql.mayRepeat(failure)) return hasBegun && calls.length > 1 ? undefined : this.refuse(calls, failure);
    if (attempt >= maxAttempts) return this.refuse(calls, failure);
    await new Promise((resolve) => setTimeout(resolve, firstPauseMs * 2 ** attempt * Math.random()));
    return this.together(calls, attempt + 1);
  }

  private refuse(calls: readonly Call[], error: unknown): Reply[] {
    return calls.map(({ id }) => toReply(id, this.sql.translate(error)));
  }

  private async inSavepoint({ id, name, args }: Call): Promise<Reply> {
    const { sql } = this;
    // Neither is awaited: the next statement on the connection fails when they do, at the latest the COMMIT.
    unheard(sql.run("SAVEPOINT one"));
    try {
      const value = await nounWrites[name]?.(this.on, ...args);
      unheard(sql.run("RELEASE SAVEPOINT one"));
      return { id, value };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.index.keyIds.clear();
      await sql.run("ROLLBACK TO SAVEPOINT one");
      await sql.run("RELEASE SAVEPOINT one");
      return toReply(id, error);
    }
  }
}

/** Ignores the failure of a statement after which the next one fails, too. */
function unheard(statement: MaybePromise<unknown>): void {
  if (statement instanceof Promise) statement.catch(() => undefined);
}

/** The maximum number of calls in one transaction: bounds how long the first one waits for the last. */
export const maxGroup = 256;
