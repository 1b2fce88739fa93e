import { Problem } from "../../domain/problem.ts";
import type { MaybePromise } from "../../lib/maybe-promise.ts";
import { keepBlob, type RemoveBytes, restartGrace, sweepBlob } from "./blob.ts";
import { isDamage } from "./damage.ts";
import * as entry from "./entry.ts";
import type { FieldIndex } from "./entry-field.ts";
import { pruneEvents, saveEventPosition } from "./event.ts";
import { indexedKeys } from "./field-index.ts";
import * as file from "./file.ts";
import * as folder from "./folder.ts";
import * as registry from "./registry.ts";
import * as session from "./session.ts";
import type { Sql, WriteSql } from "./sql.ts";
import { type Call, type Reply, toReply } from "./thread.ts";
import * as token from "./token.ts";

type Rest<F> = F extends (sql: never, ...rest: infer R) => unknown ? R : never;
type IndexRest<F> = F extends (sql: never, index: never, ...rest: infer R) => unknown ? R : never;

/** Every write, by name. Each is to run in a transaction of its own, or in a savepoint. */
export function writes(sql: Sql, index: FieldIndex, removeBytes: RemoveBytes) {
  return {
    createEntry: (...rest: IndexRest<typeof entry.createEntry>) => entry.createEntry(sql, index, ...rest),
    updateEntry: (...rest: IndexRest<typeof entry.updateEntry>) => entry.updateEntry(sql, index, ...rest),
    moveEntry: (...rest: IndexRest<typeof entry.moveEntry>) => entry.moveEntry(sql, index, ...rest),
    copyEntry: (...rest: IndexRest<typeof entry.copyEntry>) => entry.copyEntry(sql, index, ...rest),
    deleteEntry: (...rest: IndexRest<typeof entry.deleteEntry>) => entry.deleteEntry(sql, index, ...rest),
    createFolder: (...rest: Rest<typeof folder.createFolder>) => folder.createFolder(sql, ...rest),
    moveFolder: (...rest: Rest<typeof folder.moveFolder>) => folder.moveFolder(sql, ...rest),
    copyFolder: (...rest: Rest<typeof folder.copyFolder>) => folder.copyFolder(sql, ...rest),
    deleteFolder: (...rest: Rest<typeof folder.deleteFolder>) => folder.deleteFolder(sql, ...rest),
    putFile: (...rest: Rest<typeof file.putFile>) => file.putFile(sql, ...rest),
    moveFile: (...rest: Rest<typeof file.moveFile>) => file.moveFile(sql, ...rest),
    copyFile: (...rest: Rest<typeof file.copyFile>) => file.copyFile(sql, ...rest),
    changeFile: (...rest: Rest<typeof file.changeFile>) => file.changeFile(sql, ...rest),
    deleteFile: (...rest: Rest<typeof file.deleteFile>) => file.deleteFile(sql, ...rest),
    keepBlob: (...rest: Rest<typeof keepBlob>) => keepBlob(sql, ...rest),
    restartGrace: (...rest: Rest<typeof restartGrace>) => restartGrace(sql, ...rest),
    sweepBlob: (hash: string, beforeSeconds: number) => sweepBlob(sql, hash, beforeSeconds, removeBytes),
    putRegistryItem: (...rest: Rest<typeof registry.putRegistryItem>) => registry.putRegistryItem(sql, ...rest),
    deleteRegistryItem: (...rest: Rest<typeof registry.deleteRegistryItem>) =>
      registry.deleteRegistryItem(sql, ...rest),
    createToken: (...rest: Rest<typeof token.createTokenRow>) => token.createTokenRow(sql, ...rest),
    updateToken: (...rest: Rest<typeof token.updateToken>) => token.updateToken(sql, ...rest),
    rotateToken: (...rest: Rest<typeof token.rotateTokenRow>) => token.rotateTokenRow(sql, ...rest),
    revokeToken: (...rest: Rest<typeof token.revokeToken>) => token.revokeToken(sql, ...rest),
    countCall: (...rest: Rest<typeof token.countCall>) => token.countCall(sql, ...rest),
    addCalls: (...rest: Rest<typeof token.addCalls>) => token.addCalls(sql, ...rest),
    startSession: (...rest: Rest<typeof session.startSession>) => session.startSession(sql, ...rest),
    prolongSession: (...rest: Rest<typeof session.prolongSession>) => session.prolongSession(sql, ...rest),
    endSession: (...rest: Rest<typeof session.endSession>) => session.endSession(sql, ...rest),
    seeSessions: (...rest: Rest<typeof session.seeSessions>) => session.seeSessions(sql, ...rest),
    pruneSessions: (...rest: Rest<typeof session.pruneSessions>) => session.pruneSessions(sql, ...rest),
    saveEventPosition: (...rest: Rest<typeof saveEventPosition>) => saveEventPosition(sql, ...rest),
    pruneEvents: (...rest: Rest<typeof pruneEvents>) => pruneEvents(sql, ...rest),
  };
}

export type Writes = ReturnType<typeof writes>;

/** So many times a transaction that failed for no fault of its own is begun again, each after a longer pause. */
const maxAttempts = 5;
const firstPauseMs = 40;

/** Runs calls, each in a savepoint of one transaction; nobody hears a reply before the COMMIT. */
export class Writer {
  private readonly sql: WriteSql;
  private readonly index: FieldIndex;
  private readonly operations: Record<string, (...args: never[]) => unknown>;

  constructor(sql: WriteSql, indexKeys: string[], removeBytes: RemoveBytes) {
    this.sql = sql;
    this.index = { isIndexed: indexedKeys(indexKeys), keyIds: new Map() };
    this.operations = writes(sql, this.index, removeBytes);
  }

  /** One reply for each call, in order. A call that is refused leaves the others alone. */
  async run(calls: readonly Call[]): Promise<Reply[]> {
    const together = await this.together(calls, 1);
    if (together) return together;
    // Something unforeseen undid the whole group: alone, the innocent calls still succeed and the guilty one is known.
    const replies: Reply[] = [];
    for (const call of calls) replies.push(...(await this.run([call])));
    return replies;
  }

  /** Undefined when one of several calls may be the one to blame. */
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
    // Nothing more is written to what is damaged, by the innocent neither.
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
    // Neither is waited for: what follows on the connection fails when they do, at the latest the COMMIT.
    unheard(sql.run("SAVEPOINT one"));
    try {
      const value = await this.operations[name]?.(...(args as never[]));
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

/** Lets a statement fail in silence where the one after it fails, too. */
function unheard(statement: MaybePromise<unknown>): void {
  if (statement instanceof Promise) statement.catch(() => undefined);
}

/** The most calls in one transaction: a bound on how long the first one waits for the last. */
export const maxGroup = 256;
