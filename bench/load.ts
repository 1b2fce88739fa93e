/**
 * A load generator on raw sockets: each connection sends one request, reads its reply whole, sends the next. Lighter
 * than a general HTTP client, so that on two cores the server is the one that is busy. Run as a child process:
 * reads a LoadPlan on its IPC channel, answers a LoadResult.
 */
import { connect, type Socket } from "node:net";

export type LoadPlan = {
  port: number;
  connections: number;
  seconds: number;
  /** Whole requests, sent in turn; `{n}` in one is replaced by a number never used before. */
  requests: string[];
  /** Numbers begin here. */
  from: number;
};
export type LoadResult = { requests: number; perSecond: number; p50Ms: number; p99Ms: number; failures: number };

process.on("message", (plan: LoadPlan) => {
  void run(plan).then((result) => process.send?.(result));
});

async function run(plan: LoadPlan): Promise<LoadResult> {
  const latencies: number[] = [];
  let failures = 0;
  let next = plan.from;
  let turn = 0;
  const startedMs = performance.now();
  const endMs = startedMs + plan.seconds * 1000;
  const request = (): string => {
    const text = plan.requests[turn++ % plan.requests.length] as string;
    return text.includes("{n}") ? withLength(text.replaceAll("{n}", String(next++))) : text;
  };
  const one = async (): Promise<void> => {
    const connection = new Connection(connect({ port: plan.port, host: "127.0.0.1", noDelay: true }));
    while (performance.now() < endMs) {
      const sentMs = performance.now();
      const status = await connection.ask(request());
      latencies.push(performance.now() - sentMs);
      if (status >= 400) failures++;
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: plan.connections }, one));
  const seconds = (performance.now() - startedMs) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0;
  return {
    requests: latencies.length,
    perSecond: latencies.length / seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    failures,
  };
}

/** Fills in the length of a body that has just got its number. */
function withLength(request: string): string {
  const [head = "", body = ""] = request.split("\r\n\r\n");
  return `${head.replace(/Content-Length: \d+/, `Content-Length: ${Buffer.byteLength(body)}`)}\r\n\r\n${body}`;
}

const empty = Buffer.alloc(0);

class Connection {
  private readonly socket: Socket;
  private buffered: Buffer = empty;
  private done: ((status: number) => void) | undefined;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", (chunk) => this.receive(chunk));
    socket.on("error", () => this.done?.(599));
  }

  ask(request: string): Promise<number> {
    return new Promise((resolve) => {
      this.done = resolve;
      this.socket.write(request);
    });
  }

  close(): void {
    this.socket.destroy();
  }

  private receive(chunk: Buffer): void {
    this.buffered = this.buffered.length === 0 ? chunk : Buffer.concat([this.buffered, chunk]);
    const end = this.buffered.indexOf("\r\n\r\n");
    if (end < 0) return;
    // Looked for as bytes: what this side spends on a reply is taken from the server's rate on two cores.
    const at = this.buffered.indexOf("Content-Length: ");
    let length = 0;
    for (let i = at + 16; at >= 0 && at < end && this.buffered[i] !== 13; i++) {
      length = length * 10 + (this.buffered[i] as number) - 48;
    }
    if (this.buffered.length < end + 4 + length) return;
    const status =
      (this.buffered[9] as number) * 100 + (this.buffered[10] as number) * 10 + (this.buffered[11] as number);
    this.buffered = empty;
    this.done?.(status - 48 * 111);
  }
}
