/** A server some distance away: a proxy, on a thread of its own, that passes on what a client sends after a delay. */
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

type Plan = { host: string; port: number; ms: number };

/** The URL of the database behind a proxy; the same URL without a delay. A round trip takes about `ms` more. */
export async function atDistance(url: string, ms: number): Promise<string> {
  if (ms === 0) return url;
  const changed = new URL(url);
  const plan: Plan = { host: changed.hostname, port: Number(changed.port), ms };
  const worker = new Worker(new URL(import.meta.url), { workerData: plan });
  worker.unref();
  const [port] = await once(worker, "message");
  changed.hostname = "127.0.0.1";
  changed.port = String(port);
  return changed.href;
}

if (!isMainThread && workerData) serve(workerData as Plan);

function serve({ host, port, ms }: Plan): void {
  const server = createServer((client) => {
    const upstream = connect(port, host);
    pair(client, upstream);
    pair(upstream, client);
    // One way: a timer has no shorter delay than a millisecond.
    client.on("data", (data) => setTimeout(() => upstream.writable && upstream.write(data), ms));
    upstream.pipe(client);
  });
  server.listen(0, "127.0.0.1", () => parentPort?.postMessage((server.address() as { port: number }).port));
}

function pair(socket: Socket, other: Socket): void {
  socket.setNoDelay(true);
  socket.on("error", () => undefined);
  socket.on("close", () => other.destroy());
}
