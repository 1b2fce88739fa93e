import type { IncomingMessage } from "node:http";
import { Pace } from "../lib/pace.ts";
import { type Problem, problem } from "../problem.ts";

export type ArrivalOptions = {
  /** A sender that falls behind this rate by `idleMs` is cut off. */
  leastBytesPerSecond: number;
  idleMs: number;
  /** The time limit for the whole body. */
  maxMs: number;
  /** The time in milliseconds, for whoever must not wait; default performance.now. */
  nowMs?: () => number;
};

/**
 * The body of a request from a sender that is not authenticated yet, while it is received. It has a time limit and a
 * minimum rate, so that a byte now and then cannot hold resources for long. Ends it with request_timeout.
 */
export class Arrival {
  private readonly request: IncomingMessage;
  private readonly options: ArrivalOptions;
  private readonly abort: (failure: Problem) => void;
  private readonly pace: Pace;
  private readonly nowMs: () => number;
  private readonly startedMs: number;
  private readonly timer: NodeJS.Timeout;
  private seenBytes: number;

  /** `abort` ends the read. */
  constructor(request: IncomingMessage, options: ArrivalOptions, abort: (failure: Problem) => void) {
    this.request = request;
    this.options = options;
    this.abort = abort;
    this.nowMs = options.nowMs ?? (() => performance.now());
    this.startedMs = this.nowMs();
    this.seenBytes = request.socket.bytesRead;
    this.pace = new Pace(options.leastBytesPerSecond, this.startedMs);
    this.timer = setInterval(() => this.look(), Math.min(1000, options.idleMs / 4, options.maxMs / 4));
    this.timer.unref();
  }

  /** How far the sender is behind the minimum rate; 0 once the body is complete. */
  behindMs(): number {
    const { request, pace } = this;
    if (request.complete) return 0;
    const nowMs = this.nowMs();
    // Counts what the connection received: a disk that is slow for a moment is not the sender's fault.
    const { bytesRead } = request.socket;
    pace.move(bytesRead - this.seenBytes, nowMs);
    this.seenBytes = bytesRead;
    return pace.behindMs(nowMs);
  }

  /** True when the client has disconnected. */
  get isGone(): boolean {
    return this.request.socket.destroyed;
  }

  /** Ends the read with this failure and stops the watch. */
  end(failure: Problem): void {
    this.stop();
    this.abort(failure);
  }

  /** Stops the watch: the sender is authenticated, or the read has ended. */
  stop(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    const { idleMs, maxMs } = this.options;
    const isLate = !this.request.complete && this.nowMs() - this.startedMs >= maxMs;
    if (isLate || this.behindMs() >= idleMs) this.end(problem("request_timeout"));
  }
}
