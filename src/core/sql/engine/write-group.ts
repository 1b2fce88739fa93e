import type { Asking, Turns } from "../../lib/fair-queue.ts";
import type { UnitWrite } from "../../unit.ts";
import type { Call } from "../call.ts";
import type { NounSet } from "../noun.ts";

/** The most calls of one transaction, and the milliseconds that it should take with its commit. */
export type GroupBounds = { calls: number; ms: number };

/** The service's: the first call waits for the last, and so do the writers of other processes. Decision 65. */
export const serviceMs = 100;
/** A command's beside a service, whose clients must hardly notice it. */
export const besideMs = 25;

/** A call counts as so many characters, besides its texts. */
const callLength = 500;
/**
 * A group is not made shorter than this: a commit that takes longer than the whole time is that slow for a single call, too.
 * Some 30 small entries.
 */
const leastLength = 32_000;
const firstLength = 2 * leastLength;

/** A call that waits; its asker is who writes. */
export type WaitingCall = Asking & { call: Call };

/**
 * Which of the calls that wait share the next transaction: more than before while a full one takes less than the time,
 * fewer when it takes longer. Who writes has turns: many calls of one do not hold up those of another.
 */
export class WriteGroup {
  private readonly writesBeside: NounSet["writesBeside"];
  private readonly bounds: GroupBounds;
  private length = firstLength;
  private lastAsker = "";

  constructor({ writesBeside }: Pick<NounSet, "writesBeside">, bounds: GroupBounds) {
    this.writesBeside = writesBeside;
    this.bounds = bounds;
  }

  /**
   * In whose turn a call is: of who writes, "" for the service itself. One that is beside others is in the turn of the last
   * one, so that it comes after what waits.
   */
  askerOf({ name, args }: Pick<Call, "name" | "args">): string {
    if (!this.writesBeside.has(name)) this.lastAsker = writerOf(args);
    return this.lastAsker;
  }

  /**
   * Takes the next calls from the queue; at least one, however large it is. One that is beside others is alone: nobody waits
   * for it.
   */
  takeFrom<T extends WaitingCall>(queue: Turns<T>): T[] {
    const group: T[] = [];
    let length = 0;
    for (let next = queue.first; next && group.length < this.bounds.calls; next = queue.first) {
      const isBeside = this.writesBeside.has(next.call.name);
      length += lengthOf(next.call);
      if (group.length > 0 && (isBeside || length > this.length)) break;
      queue.take(next);
      group.push(next);
      if (isBeside) break;
    }
    return group;
  }

  /** After the group was written. */
  ended(group: readonly Call[], ms: number): void {
    if (group.some(({ name }) => this.writesBeside.has(name))) return;
    const { bounds } = this;
    const length = group.reduce((sum, call) => sum + lengthOf(call), 0);
    // Of a group that was not full nothing is known about longer ones.
    if (ms > bounds.ms) this.length = Math.max(leastLength, Math.min(this.length, (length * bounds.ms) / ms));
    else if (length > this.length / 2 && group.length < bounds.calls) this.length *= 1.25;
  }
}

function writerOf([first, ...others]: readonly unknown[]): string {
  // Of writes that are made together, or whose result is kept.
  const write = Array.isArray(first) ? first[0] : first;
  if (isWrite(write)) return writerOf(write.args);
  const context = others.at(-1) as { actor?: unknown } | null | undefined;
  return typeof context?.actor === "string" ? context.actor : "";
}

/** How much a call writes: its texts, and those of its input; of a unit of writes that of all of them. */
function lengthOf({ args }: { args: readonly unknown[] }): number {
  let length = callLength;
  for (const arg of args) {
    if (typeof arg === "string") length += arg.length;
    else if (Array.isArray(arg)) for (const each of arg) length += isWrite(each) ? lengthOf(each) : 0;
    else if (isWrite(arg)) length += lengthOf(arg);
    else if (typeof arg === "object" && arg !== null)
      for (const value of Object.values(arg)) if (typeof value === "string") length += value.length;
  }
  return length;
}

const isWrite = (value: unknown): value is UnitWrite => typeof value === "object" && value !== null && "args" in value;
