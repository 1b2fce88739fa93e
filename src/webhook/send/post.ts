import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { isIP, type LookupFunction } from "node:net";
import { isSecureUrl, literalOf, mayConnect, type Resolve, type Route } from "../address.ts";
import type { Answered, Poster } from "../sender.ts";

export type PosterOptions = {
  /** Sent as User-Agent. */
  agent: string;
  /** The setting `webhook_private`. */
  isPrivate: boolean;
  resolve: Resolve;
  /** From the start to the head of the reply. */
  timeoutMs?: number;
  /** Certificates that are trusted beside Node's. */
  ca?: string;
};

/** What is read of a reply, so that a receiver that is still sending it sees no error. */
const drained = { bytes: 16 * 1024, ms: 1000 };

/** Posts over HTTP/1.1, each time on a connection of its own. */
export class HttpPoster implements Poster {
  private readonly options: Required<Omit<PosterOptions, "ca">> & Pick<PosterOptions, "ca">;

  constructor(options: PosterOptions) {
    this.options = { timeoutMs: 15_000, ...options };
  }

  async post(url: string, sent: Parameters<Poster["post"]>[1], signal?: AbortSignal): Promise<Answered> {
    const startedMs = performance.now();
    const timeout = AbortSignal.timeout(this.options.timeoutMs);
    const ends = signal ? AbortSignal.any([timeout, signal]) : timeout;
    const durationMs = () => Math.round(performance.now() - startedMs);
    try {
      const status = await this.statusOf(new URL(url), sent, ends);
      return { status, durationMs: durationMs(), error: null };
    } catch (error) {
      return { status: null, durationMs: durationMs(), error: timeout.aborted ? "timeout" : wordOf(error) };
    }
  }

  private async statusOf(url: URL, sent: Parameters<Poster["post"]>[1], signal: AbortSignal): Promise<number> {
    const route: Route = { isSecure: isSecureUrl(url), isPrivate: this.options.isPrivate };
    const literal = literalOf(url);
    if (literal !== undefined && !mayConnect(literal, route)) throw new AddressRefused();
    // Loaded with the first delivery: a store without webhooks has no use for TLS.
    const { request } = await (route.isSecure ? import("node:https") : import("node:http"));
    const options: RequestOptions & { ca?: string | undefined } = {
      method: "POST",
      agent: false,
      signal,
      lookup: this.pinned(route),
      ca: this.options.ca,
      headers: {
        ...sent.headers,
        "user-agent": this.options.agent,
        "content-length": Buffer.byteLength(sent.body),
      },
    };
    return new Promise((resolve, reject) => {
      const call: ClientRequest = request(url, options, (reply) => {
        resolve(reply.statusCode ?? 0);
        drain(reply);
      });
      // A change of the protocol, for which nobody listens otherwise: it would settle nothing, and the timeout neither.
      call.on("upgrade", (reply, socket) => {
        resolve(reply.statusCode ?? 0);
        socket.destroy();
      });
      call.on("error", reject);
      call.end(sent.body);
    });
  }

  /** Resolves the name once, for the connection itself: what was checked is what is connected to. */
  private pinned(route: Route): LookupFunction {
    return (host, { all }, done) => {
      this.options.resolve(host).then(
        (addresses) => {
          const found = addresses.map((address) => ({ address, family: isIP(address) }));
          const [first] = found;
          if (!first || addresses.some((address) => !mayConnect(address, route))) done(new AddressRefused(), []);
          else if (all) done(null, found);
          else done(null, first.address, first.family);
        },
        (error: Error) => done(error, []),
      );
    };
  }
}

class AddressRefused extends Error {
  readonly code = "webhook_address_refused";
}

function drain(reply: IncomingMessage): void {
  let bytes = 0;
  const cut = setTimeout(() => reply.destroy(), drained.ms);
  // The status is what counts: whatever the receiver does now is its own affair.
  reply.on("error", () => undefined);
  reply.on("close", () => clearTimeout(cut));
  reply.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > drained.bytes) reply.destroy();
  });
}

/** The failure in a word that holds no part of what the other side sent. */
function wordOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  const word = [code, name].find((text) => typeof text === "string" && /^\w{1,60}$/.test(text));
  return typeof word === "string" ? word : "Error";
}
