/**
 * SQLite alone: the statements of creates, recorded from the writer, run again on a new file by nothing but SQLite, with the
 * same settings and as many in a transaction. Those of the text index are among them, as in the store.
 */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Call } from "../src/core/sql/call.ts";
import { migrate, Sqlite } from "../src/core/sql/engine/sqlite/connection.ts";
import { settleIndexes } from "../src/core/sql/index/keys.ts";
import { isTextWorkDue } from "../src/core/sql/index/text.ts";
import type { WriteSql } from "../src/core/sql/sql.ts";
import { Writer } from "../src/core/sql/writes.ts";
import { allNouns } from "../src/nouns.ts";
import type { Yardstick } from "./rounds.ts";
import { context, sample } from "./store.ts";

type Statement = { method: keyof WriteSql; values: readonly unknown[] };

const count = 8192;

/** Creates of a sample in transactions of `groupSize`. */
export function createsAlone(folder: string, groupSize: number): Yardstick {
  let statements: Statement[] | undefined;
  return async () => {
    statements ??= await record(join(folder, `recorded-${groupSize}`), groupSize);
    return onNewFile(join(folder, `replayed-${groupSize}`), async (sqlite) => {
      const [before, beganMs] = [process.cpuUsage(), performance.now()];
      for (const { method, values } of statements as Statement[])
        (sqlite[method] as (...rest: unknown[]) => void)(...values);
      const seconds = (performance.now() - beganMs) / 1000;
      const { user, system } = process.cpuUsage(before);
      return { perSecond: count / seconds, cpuMicros: (user + system) / count };
    });
  };
}

function record(folder: string, groupSize: number): Promise<Statement[]> {
  return onNewFile(folder, async (sqlite) => {
    const statements: Statement[] = [];
    const writer = new Writer(allNouns, recording(sqlite, statements), ["*"], async () => undefined);
    let texts: Call[] = [];
    for (let from = 0; from < count; from += groupSize) {
      const creates = Array.from({ length: groupSize }, (_, i) => createOf(from + i + 1));
      const replies = await writer.run([...texts, ...creates]);
      if (!replies.every((reply) => "value" in reply)) throw new Error("a create was refused");
      // The store indexes texts in the group after that with the entry.
      texts = creates
        .map(({ id }) => id)
        .filter(isTextWorkDue)
        .map((id) => ({ id, name: "continueTexts", args: [id] }));
    }
    return statements;
  });
}

/** A create of the entry that gets this number. */
function createOf(n: number): Call {
  const input = { data: JSON.stringify(sample(7, 100)), isMergePatch: false, fields: {} };
  return { id: n, name: "createEntry", args: [`new/run/${n}-${n * 7919}`, input, context] };
}

/** The same connection; each call of it is added to the statements. */
const recording = (sqlite: Sqlite, statements: Statement[]): WriteSql =>
  new Proxy(sqlite, {
    get(target, name) {
      const method = name as keyof WriteSql;
      return (...values: unknown[]) => {
        if (method !== "remedy" && method !== "translate") statements.push({ method, values });
        return (target[method] as (...rest: unknown[]) => unknown).apply(target, values);
      };
    },
  });

async function onNewFile<T>(folder: string, work: (sqlite: Sqlite) => Promise<T>): Promise<T> {
  mkdirSync(folder);
  const sqlite = new Sqlite({ folder, busyTimeoutMs: 1000 }, "write");
  try {
    migrate(sqlite);
    await settleIndexes(sqlite, allNouns.indexedTables, { indexKeys: ["*"] });
    return await work(sqlite);
  } finally {
    sqlite.close();
    rmSync(folder, { recursive: true });
  }
}
