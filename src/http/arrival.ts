import type { IncomingMessage } from "node:http";
import { type Problem, problem } from "../domain/problem.ts";
import { Pace } from "../lib/pace.ts";

export type ArrivalOptions = {
  /** A sender that falls behind this rate by `idleMs` is given up. */
  leastBytesPerSecond: number;
  idleMs: number;
  /** How long the body may take in all. */
  maxMs: number;
};

/**
 * The body of a request whose sender nobody knows yet, while it arrives: it has a total time and a least rate, so that
 * a byte now and then holds nothing for long. Ends it with request_timeout.
 */
export class Arrival {
  private readonly request: IncomingMessage;
  private readonly options: ArrivalOptions;
  private readonly abort: (failure: Problem) => void;
  private readonly pace: Pace;
  private readonly startedMs = performance.now();
  private readonly timer: NodeJS.Timeout;
  private seenBytes: number;

  /** `abort` ends the reading. */
  constructor(request: IncomingMessage, options: ArrivalOptions, abort: (failure: Problem) => void) {
    this.request = request;
    this.options = options;
    this.abort = abort;
    this.seenBytes = request.socket.bytesRead;
    this.pace = new Pace(options.leastBytesPerSecond, this.startedMs);
    this.timer = setInterval(() => this.look(), Math.min(1000, options.idleMs / 4));
    this.timer.unref();
  }

  /** How far the sender is behind the least rate; 0 once all is here. */
  behindMs(): number {
    const { request, pace } = this;
    if (request.complete) return 0;
    const nowMs = performance.now();
    // What the connection has brought: a disk that is slow for a moment is not the sender's fault.
    const { bytesRead } = request.socket;
    pace.move(bytesRead - this.seenBytes, nowMs);
    this.seenBytes = bytesRead;
    return pace.behindMs(nowMs);
  }

  /** True when the client has gone. */
  get isGone(): boolean {
    return this.request.socket.destroyed;
  }

  /** Ends the reading with this failure, and the watch. */
  end(failure: Problem): void {
    this.stop();
    this.abort(failure);
  }

  /** Ends the watch: the sender is known, or the reading is over. */
  stop(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    const { idleMs, maxMs } = this.options;
    const isLate = !this.request.complete && performance.now() - this.startedMs >= maxMs;
    if (isLate || this.behindMs() >= idleMs) this.end(problem("request_timeout"));
  }
}
