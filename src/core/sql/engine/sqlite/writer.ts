/** The writer's thread: every write of this process, the concurrent ones grouped into one transaction. Decision 42. */
import { setImmediate, setTimeout } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { Turns } from "../../../lib/fair-queue.ts";
import { type BlobLocation, openRemover } from "../../blob-remover.ts";
import type { Call } from "../../call.ts";
import type { NounSet, WriteOptions } from "../../noun.ts";
import { Writer } from "../../writes.ts";
import { besideMs, serviceMs, type WaitingCall, WriteGroup } from "../write-group.ts";
import { Sqlite, type SqliteOptions } from "./connection.ts";

export type WriterOptions = SqliteOptions &
  BlobLocation &
  WriteOptions & {
    indexKeys: string[];
    /** True beside a service, whose writes come first. */
    givesWay?: boolean | undefined;
  };

/** Makes the writes of the thread that started this one; does nothing on any other thread. */
export function serveWrites(nouns: NounSet): void {
  if (parentPort && workerData?.role === "writer") void serve(nouns, parentPort, workerData.options as WriterOptions);
}

const maxCalls = 256;
/**
 * A transaction whose calls take longer than they are long, as those of costly types do, ends after this time. Long enough for
 * every other one.
 */
const maxWorkMs = 5 * serviceMs;
/**
 * Longer than a writer that waits for the lock sleeps between two attempts (see `Sqlite.begin`), and a part of the work:
 * where the processor is shared by many, it sleeps longer.
 */
const [leastPauseMs, pausePart, mostPauseMs] = [3, 0.2, 100];

async function serve(nouns: NounSet, port: NonNullable<typeof parentPort>, options: WriterOptions): Promise<void> {
  const removeBytes = await openRemover(options);
  const sqlite = new Sqlite(options, "write");
  const writer = new Writer(nouns, sqlite, options.indexKeys, removeBytes, options);
  const groups = new WriteGroup(nouns, { calls: maxCalls, ms: options.givesWay ? besideMs : serviceMs });
  const queue = new Turns<WaitingCall>();
  let isRunning = false;
  /** Milliseconds of work since others had time to get the lock. */
  let worked = 0;

  const drain = async (): Promise<void> => {
    isRunning = true;
    while (queue.first) {
      const group = groups.takeFrom(queue);
      const calls = group.map(({ call }) => call);
      const began = performance.now();
      const replies = await writer.run(calls, maxWorkMs);
      port.postMessage(replies);
      const ms = performance.now() - began;
      groups.ended(calls.slice(0, replies.length), ms);
      // Those that took no part come again before what their askers sent later.
      for (const one of group.slice(replies.length)) queue.add(one, (other) => other.call.id > one.call.id);
      worked += ms;
      // Receives waiting messages first, so that the next group is as large as possible.
      if (options.givesWay && worked > besideMs / 2) await pause();
      else await setImmediate();
    }
    isRunning = false;
  };

  /** SQLite does not serve its writers in turn: without it the next transaction would always be ours. */
  const pause = async (): Promise<void> => {
    const ms = Math.min(Math.max(leastPauseMs, worked * pausePart), mostPauseMs);
    worked = 0;
    await setTimeout(ms);
  };

  port.on("message", (message: Call[] | "close") => {
    if (message === "close") {
      sqlite.close();
      port.close();
      return;
    }
    for (const call of message) queue.add({ asker: groups.askerOf(call), call });
    if (!isRunning) void drain();
  });
}
