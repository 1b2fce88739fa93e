import { FairQueue, type Refused } from "../../lib/fair-queue.ts";
import type { Asker } from "../../list/query.ts";
import { problem } from "../../problem.ts";
import type { NounSet, Reading } from "../noun.ts";
import type { Scans } from "../scans.ts";
import type { Caller, ScanCaller } from "../sql.ts";

/** Runs scans off the thread of requests; stops one when its asker leaves. */
export interface ScanRunner {
  callFor(asker: Asker | undefined, name: string, args: unknown[]): Promise<unknown>;
  /** True for a scan that runs there even if it reads a few rows only: on a replica of the database. Absent: none. */
  isOwn?(name: string, args: readonly unknown[]): boolean;
}

/** Scans that may hold up others, such as checks of every entry, by one runner, all others by another one. */
export const withApart = ({ scansApart }: NounSet, usual: ScanRunner, apart: ScanRunner): ScanRunner => ({
  ...usual,
  callFor: (asker, name, args) => (scansApart.has(name) ? apart : usual).callFor(asker, name, args),
});

/** Runs a read of a few rows on one snapshot of the store; undefined when it cannot have one, or needs more rows. */
export type Quickly = (read: (on: Reading) => Promise<unknown>) => Promise<unknown>;

/** Scans of one client that run at a time, and those that wait. */
const [slotsEach, maxWaitingEach] = [2, 100];
const usualWaitMs = 2000;
const tooMany = "this token has too many costly lists in progress";
const refusal = (why: Refused) => problem("busy", { reason: why === "gone" ? "the client has left" : tooMany });

/** Answers a scan of a few rows on the thread of requests; every other one elsewhere, when it is its client's turn. */
export class ScanQueue implements ScanCaller<Scans> {
  private readonly quickScans: NounSet["quickScans"];
  private readonly quickly: Quickly;
  private readonly runner: ScanRunner;
  private readonly queue: FairQueue;

  constructor({ quickScans }: NounSet, quickly: Quickly, runner: ScanRunner, maxWaitMs = usualWaitMs) {
    this.quickScans = quickScans;
    this.quickly = quickly;
    this.runner = runner;
    this.queue = new FairQueue({ slotsEach, maxWaitingOf: () => maxWaitingEach, maxWaitMs, refusal });
  }

  get waiting(): number {
    return this.queue.size;
  }

  call(name: string, ...args: unknown[]): Promise<unknown> {
    return this.run(undefined, name, args);
  }

  for(asker: Asker): Caller<Scans> {
    return { call: (name, ...args) => this.run(asker, name, args) };
  }

  private async run(asker: Asker | undefined, name: string, args: unknown[]): Promise<unknown> {
    const quick = this.runner.isOwn?.(name, args) ? undefined : this.quickScans[name];
    const answer = quick && (await this.quickly((on) => quick(on, ...args)));
    if (answer !== undefined) return answer;
    if (!asker) return this.runner.callFor(undefined, name, args);
    await asker.makeRoom();
    const { client, signal } = asker;
    return this.queue.run(client, () => this.runner.callFor(asker, name, args), { signal });
  }
}
