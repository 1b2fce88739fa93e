/**
 * A load generator on raw sockets: each connection sends one request, reads its complete reply, sends the next. Lighter
 * than a general HTTP client, so that on two cores the server is the bottleneck. Run as a child process:
 * reads a LoadPlan on its IPC channel, answers a LoadResult.
 */
import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";

export type LoadPlan = {
  port: number;
  /** The ports of more nodes of the service; connections are distributed in turn. */
  morePorts?: number[];
  connections: number;
  /** Each connection sends its last request within this time, and at least one. */
  seconds: number;
  /** The total number of requests, whatever the seconds. */
  count?: number;
  /** Complete requests, sent in turn; `{n}` is replaced by a number that was never used. */
  requests: string[];
  /** The first of these numbers. */
  from: number;
  /** The number of bytes, always the same, that replace `{filler}` in the requests, which are then Latin-1. */
  fillerBytes?: number;
};
export type LoadResult = {
  requests: number;
  perSecond: number;
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
  maxMs: number;
  failures: number;
  /** The number of failures by status. */
  statuses: Record<string, number>;
};

process.on("message", (plan: LoadPlan) => {
  void run(plan).then((result) => process.send?.(result));
});

/** The status of a request whose connection was lost. */
const lost = 599;

async function run(plan: LoadPlan): Promise<LoadResult> {
  const latencies: number[] = [];
  let failures = 0;
  const statuses: Record<string, number> = {};
  let next = plan.from;
  let turn = 0;
  const startedMs = performance.now();
  const endMs = startedMs + plan.seconds * 1000;
  const request = (): string => {
    const text = plan.requests[turn++ % plan.requests.length] as string;
    return text.includes("{n}") ? withLength(text.replaceAll("{n}", String(next++)), plan.fillerBytes) : text;
  };
  const isOver = (): boolean => (plan.count === undefined ? performance.now() >= endMs : turn >= plan.count);
  const ports = [plan.port, ...(plan.morePorts ?? [])];
  const one = async (_: unknown, i: number): Promise<void> => {
    const connection = new Connection(ports[i % ports.length] as number, plan.fillerBytes);
    let status = 0;
    do {
      const sentMs = performance.now();
      status = await connection.ask(request());
      latencies.push(performance.now() - sentMs);
      if (status < 400) continue;
      failures++;
      statuses[status] = (statuses[status] ?? 0) + 1;
    } while (status !== lost && !isOver());
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
    p95Ms: at(0.95),
    p99Ms: at(0.99),
    maxMs: latencies.at(-1) ?? 0,
    failures,
    statuses,
  };
}

const placeholder = "{filler}";

/** Sets the Content-Length once the body has its number. */
function withLength(request: string, fillerBytes: number | undefined): string {
  const end = request.indexOf("\r\n\r\n") + 4;
  const body = request.slice(end);
  const length = fillerBytes === undefined ? Buffer.byteLength(body) : body.length - placeholder.length + fillerBytes;
  return `${request.slice(0, end).replace(/Content-Length: \d+/, `Content-Length: ${length}`)}${body}`;
}

const empty = Buffer.alloc(0);
const filler = randomBytes(1024 * 1024);
const readBytes = 256 * 1024;

class Connection {
  private readonly socket: Socket;
  private readonly fillerBytes: number | undefined;
  private buffered: Buffer = empty;
  private status = 0;
  /** Remaining bytes of the reply's body. */
  private left = 0;
  private done: ((status: number) => void) | undefined;

  constructor(port: number, fillerBytes: number | undefined) {
    this.fillerBytes = fillerBytes;
    // One buffer for all reads: bodies are discarded and leave no garbage to collect.
    const receive = (bytes: number, buffer: Uint8Array): boolean => {
      this.receive((buffer as Buffer).subarray(0, bytes));
      return true;
    };
    const onread = { buffer: Buffer.allocUnsafe(readBytes), callback: receive };
    this.socket = connect({ port, host: "127.0.0.1", noDelay: true, onread });
    this.socket.on("error", () => this.done?.(lost));
    this.socket.on("close", () => this.done?.(lost));
  }

  ask(request: string): Promise<number> {
    return new Promise((resolve) => {
      this.done = resolve;
      if (this.fillerBytes === undefined) this.socket.write(request);
      else this.writeFilled(request, this.fillerBytes);
    });
  }

  close(): void {
    this.socket.destroy();
  }

  /** Reuses one buffer: a body of any length is neither copied nor allocated. */
  private writeFilled(request: string, bytes: number): void {
    const { socket } = this;
    const at = request.indexOf(placeholder);
    socket.cork();
    socket.write(request.slice(0, at), "latin1");
    for (let left = bytes; left > 0; left -= filler.length) socket.write(filler.subarray(0, left));
    socket.write(request.slice(at + placeholder.length), "latin1");
    socket.uncork();
  }

  private receive(chunk: Buffer): void {
    if (this.left > 0) {
      this.pass(chunk.length);
      return;
    }
    const head = this.buffered.length === 0 ? chunk : Buffer.concat([this.buffered, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) {
      this.buffered = Buffer.from(head);
      return;
    }
    // A search for bytes, since on two cores the cost of the client reduces the server's rate.
    const at = head.indexOf("Content-Length: ");
    let length = 0;
    for (let i = at + 16; at >= 0 && at < end && head[i] !== 13; i++) length = length * 10 + (head[i] as number) - 48;
    this.status = (head[9] as number) * 100 + (head[10] as number) * 10 + (head[11] as number) - 48 * 111;
    this.buffered = empty;
    this.left = length;
    this.pass(head.length - end - 4);
  }

  private pass(bytes: number): void {
    this.left -= bytes;
    if (this.left <= 0) this.done?.(this.status);
  }
}
