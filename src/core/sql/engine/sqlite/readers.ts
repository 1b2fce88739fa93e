import type { Asker } from "../../../list/query.ts";
import type { ScanRunner } from "../scan-queue.ts";
import type { StoreThread } from "../thread.ts";
import type { SqliteScans } from "./reader.ts";

type Thread = StoreThread<SqliteScans>;

/**
 * Sends each scan to the thread with the fewest, and the scans of one client to one thread: a client with many must not
 * hold up all others, nor take the memory of two threads. The second starts when it is needed first.
 */
export class SqliteReaders implements ScanRunner {
  private readonly threads: readonly Thread[];
  private readonly clients = new Map<string, { thread: Thread; calls: number }>();

  constructor(threads: readonly Thread[]) {
    this.threads = threads;
  }

  async callFor(asker: Asker | undefined, name: string, args: unknown[]): Promise<unknown> {
    // The service's own, such as the parts of a verification, need not wait for each other.
    if (!asker) return this.leastLoaded().call(name, ...args);
    const { client, signal } = asker;
    const place = this.clients.get(client) ?? { thread: this.leastLoaded(), calls: 0 };
    this.clients.set(client, place);
    place.calls++;
    try {
      return await place.thread.callUntil(signal, name, args);
    } finally {
      if (--place.calls === 0) this.clients.delete(client);
    }
  }

  private leastLoaded(): Thread {
    return this.threads.reduce((least, next) => (next.load < least.load ? next : least));
  }
}
