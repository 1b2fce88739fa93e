import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { MaybePromise } from "../lib/maybe-promise.ts";
import { problem } from "../problem.ts";

/** Replies that go on: server-sent events (WHATWG HTML, Server-sent events). Contract, part three, §12. */

/** Messages as they are sent, and where the next ones begin. */
export type Messages<From> = {
  text: string;
  place: From;
  /** True where more are there already: the reader is behind, and is waited for. */
  hasMore: boolean;
};

/** A route's answer that goes on until the client leaves, its tokens end or the service stops. */
export type StreamAnswer<From = unknown> = {
  from: From;
  /** The messages after a place, as soon as there are any; a rejection ends the stream. Readers of one place share them. */
  after(place: From, signal: AbortSignal): Promise<Messages<From>>;
  /** The id of the token that reads, for the bound of streams. */
  token: string;
  /** Whether the tokens of the request are still good for it. */
  isAdmitted(): MaybePromise<boolean>;
  /** More headers, alternating names and values. */
  headers?: string[];
};

/** Streams of one token in one process. */
const maxStreams = 100;
/**
 * A reader that is this far behind when there is something new is cut off: it goes on by the id of the last message that
 * it has. Messages that are more by themselves are waited for, since they would be sent to it again.
 */
const maxBehindBytes = 256 * 1024;
/** How long a client waits before it connects again. */
const retryMs = 2000;
/** Proxies close what is silent for longer, usually 60 seconds. */
const commentEveryMs = 15_000;
/** A stream ends at most two seconds after its token. */
const lookEveryMs = 1000;

type Open = { response: ServerResponse; answer: StreamAnswer; end: () => void; quietMs: number };

/** The streams of a process. One timer looks after all of them. */
export class Streams {
  private readonly open = new Set<Open>();
  private readonly counts = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;
  private isClosing = false;

  /** Sends the stream; resolves with its status when it has ended. Throws too_many_streams. */
  async send(response: ServerResponse, method: string, answer: StreamAnswer, headers: string[]): Promise<number> {
    const { token } = answer;
    const count = this.counts.get(token) ?? 0;
    if (count >= maxStreams) throw problem("too_many_streams", { limit: maxStreams });
    // A proxy that compresses holds messages back.
    headers.push("Content-Type", "text/event-stream; charset=utf-8", "Cache-Control", "no-store, no-transform");
    headers.push("X-Accel-Buffering", "no", ...(answer.headers ?? []));
    response.writeHead(200, headers);
    if (method === "HEAD" || this.isClosing) {
      response.end();
      return 200;
    }
    this.counts.set(token, count + 1);
    try {
      await this.run(response, answer);
    } finally {
      if (this.counts.get(token) === 1) this.counts.delete(token);
      else this.counts.set(token, (this.counts.get(token) as number) - 1);
    }
    return 200;
  }

  get size(): number {
    return this.open.size;
  }

  /** Ends all streams; later ones end at once. */
  close(): void {
    this.isClosing = true;
    for (const { end } of this.open) end();
  }

  private async run(response: ServerResponse, answer: StreamAnswer): Promise<void> {
    const ended = new AbortController();
    const end = () => ended.abort();
    const stream: Open = { response, answer, end, quietMs: 0 };
    this.open.add(stream);
    response.once("close", end);
    this.timer ??= setInterval(() => this.look(), lookEveryMs).unref();
    response.write(`retry: ${retryMs}\n\n`);
    try {
      for (let place = answer.from; !ended.signal.aborted; ) {
        const messages = await answer.after(place, ended.signal);
        if (ended.signal.aborted) break;
        place = messages.place;
        stream.quietMs = 0;
        const behindBytes = response.writableLength;
        const isTaken = messages.text === "" || response.write(messages.text);
        const isAwaited = messages.hasMore || messages.text.length > maxBehindBytes;
        if (behindBytes > maxBehindBytes) response.destroy();
        else if (!isTaken && isAwaited) await once(response, "drain", { signal: ended.signal });
      }
    } catch (error) {
      if (!ended.signal.aborted) throw error;
    } finally {
      this.open.delete(stream);
      response.off("close", end);
      if (this.open.size === 0) {
        clearInterval(this.timer);
        this.timer = undefined;
      }
      response.end();
    }
  }

  /** Ends the streams whose tokens have ended, and keeps the others from being silent. */
  private look(): void {
    for (const stream of this.open) {
      void this.lookAt(stream).catch(stream.end);
      stream.quietMs += lookEveryMs;
      if (stream.quietMs < commentEveryMs) continue;
      stream.quietMs = 0;
      stream.response.write(":\n\n");
    }
  }

  private async lookAt({ answer, end }: Open): Promise<void> {
    if (!(await answer.isAdmitted())) end();
  }
}
