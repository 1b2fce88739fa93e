import type { Socket } from "node:net";
import { problem } from "../domain/problem.ts";
import type { Later } from "../lib/later.ts";
import { Pace } from "../lib/pace.ts";
import { WaitingLine } from "../lib/waiting-line.ts";

export type SendBudgetOptions = {
  /** What all replies on their way may hold together, and those of one connection. */
  maxBytes: number;
  maxConnectionBytes: number;
};

/**
 * How far what comes free may be behind this rate before those that wait for room are refused. A few fast clients are
 * far above it, a handful of phones below: these keep their room for minutes.
 */
const patienceMs = 2000;
const leastBytesPerSecond = 512 * 1024;
const maxWaiting = 1000;
/** So much more than was reserved is no matter. */
const slackBytes = 64 * 1024;

/**
 * Memory for replies on their way to clients. A large reply makes room for itself before it is built, waits its turn
 * where there is none, and holds what of it is not sent yet. So a client that does not read costs its share of the
 * budget and no more. Small replies have no part in it. Decision 24.
 */
export class SendBudget {
  private readonly options: SendBudgetOptions;
  private readonly byConnection = new Map<Socket, number>();
  private readonly waiting = new Set<Socket>();
  private readonly line = new WaitingLine();
  private bytes = 0;
  /** How many replies are being built: each will take less than it has reserved, or nothing. */
  private unbuilt = 0;
  /** Of what comes free, since somebody waits for it. */
  private pace = new Pace(leastBytesPerSecond, 0);

  constructor(options: SendBudgetOptions) {
    this.options = options;
  }

  /** The share of one reply; it holds nothing yet. */
  hold(connection: Socket): Hold {
    return new Hold(this, connection);
  }

  /** Takes room for so many bytes and answers how many it took: more than the whole budget counts as all of it. */
  take(connection: Socket, asked: number): number | undefined {
    const { maxBytes, maxConnectionBytes } = this.options;
    const held = this.byConnection.get(connection) ?? 0;
    const bytes = Math.min(asked, maxBytes, maxConnectionBytes);
    if (this.bytes + bytes > maxBytes || held + bytes > maxConnectionBytes) return undefined;
    this.change(connection, bytes);
    return bytes;
  }

  /** Waits until there is room, and takes it. Throws busy when the line is too long or does not move, or the client has gone. */
  async wait(connection: Socket, asked: number): Promise<number> {
    // A connection that sends one request behind the other waits with one of them.
    if (this.waiting.has(connection) || this.waiting.size >= maxWaiting) throw full();
    if (this.waiting.size === 0) this.pace = new Pace(leastBytesPerSecond, performance.now());
    this.waiting.add(connection);
    let taken: number | undefined;
    await this.line.wait(
      () => {
        taken = this.take(connection, asked);
        return taken !== undefined;
      },
      () => connection.writable && (this.unbuilt > 0 || this.isMoving()),
    );
    this.waiting.delete(connection);
    if (taken === undefined) throw full();
    return taken;
  }

  /** Counts what a reply holds more or less than before. */
  change(connection: Socket, bytes: number): void {
    const held = (this.byConnection.get(connection) ?? 0) + bytes;
    if (held > 0) this.byConnection.set(connection, held);
    else this.byConnection.delete(connection);
    this.bytes += bytes;
    if (bytes >= 0) return;
    this.pace.move(-bytes, performance.now());
    this.line.serve();
  }

  /** A reply is being built. */
  begin(): void {
    this.unbuilt++;
  }

  /** It is built, or will not be: from now on its client has to take it. */
  settle(): void {
    this.unbuilt--;
    this.pace = new Pace(leastBytesPerSecond, performance.now());
  }

  private isMoving(): boolean {
    return this.pace.behindMs(performance.now()) < patienceMs;
  }
}

/** What one reply holds of the budget. */
export class Hold {
  private readonly budget: SendBudget;
  private readonly connection: Socket;
  private bytes = 0;
  /** What was asked for beforehand, which may be more than the whole budget. */
  private askedBytes = 0;
  private isUnbuilt = false;

  constructor(budget: SendBudget, connection: Socket) {
    this.budget = budget;
    this.connection = connection;
  }

  /**
   * Makes room for a reply of at most so many bytes, before it is built; waits for its turn where there is none. Throws
   * busy once little or nothing has come free for two seconds.
   */
  reserve(bytes: number): Later<void> {
    this.askedBytes = bytes;
    const taken = this.budget.take(this.connection, bytes);
    if (taken !== undefined) return this.reserved(taken);
    return this.budget.wait(this.connection, bytes).then((waited) => this.reserved(waited));
  }

  /**
   * Counts a reply of so many bytes that is built. Nothing is waited for, since it holds its memory meanwhile: throws
   * busy when there is no room for what was not reserved. `force` is for what must be told, the outcome of a write.
   */
  claim(bytes: number, force: boolean): void {
    const allowed = this.askedBytes > 0 ? this.askedBytes + slackBytes : this.bytes;
    const more = bytes - allowed;
    if (more > 0 && !force) {
      const taken = this.budget.take(this.connection, more);
      if (taken === undefined) throw full();
      this.bytes += taken;
    }
    this.resize(bytes);
  }

  /** Counts that the reply is built and holds so many bytes now: less than was reserved, or less than before. */
  resize(bytes: number): void {
    this.settle();
    this.budget.change(this.connection, bytes - this.bytes);
    this.bytes = bytes;
  }

  /** Gives all of it back; may be called more than once. */
  release(): void {
    this.resize(0);
  }

  private reserved(bytes: number): void {
    this.bytes += bytes;
    this.isUnbuilt = true;
    this.budget.begin();
  }

  private settle(): void {
    if (!this.isUnbuilt) return;
    this.isUnbuilt = false;
    this.budget.settle();
  }
}

const full = () =>
  problem("busy", { reason: "too many large replies are on their way to clients that take them slowly" });
