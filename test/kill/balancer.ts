import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { connect, createServer as createSocketServer, type Socket } from "node:net";

/** Proxies for the tests: a load balancer without retries, and a gate that can be closed. */

export type Balancer = { url: string; nodes: Set<string>; readyNodes(): number; close(): void };

const askEveryMs = 200;

/**
 * Sends each request to the next ready node, or to any if none is ready. When a node closes a connection, the balancer
 * closes the client's, too; it never sends a request twice.
 */
export async function startBalancer(): Promise<Balancer> {
  const nodes = new Set<string>();
  let ready: string[] = [];
  let turn = 0;
  const look = async () => {
    const answers = await Promise.all([...nodes].map(async (url) => ((await isReady(url)) ? url : undefined)));
    ready = answers.filter((url) => url !== undefined);
  };
  const timer = setInterval(() => void look(), askEveryMs);
  const server = createServer((from, to) => {
    const all = ready.length > 0 ? ready : [...nodes];
    const node = all[turn++ % Math.max(1, all.length)];
    if (!node) return void to.writeHead(503, { "Retry-After": "1" }).end();
    const options = { method: from.method, headers: from.headers, agent: false } as const;
    const passed = request(`${node}${from.url}`, options, (answer) => {
      to.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on("error", () => to.destroy());
      answer.pipe(to);
    });
    passed.on("error", () => to.destroy());
    from.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    clearInterval(timer);
    server.close();
    server.closeAllConnections();
  };
  return { url: urlOf(server.address()), nodes, readyNodes: () => ready.length, close };
}

async function isReady(url: string): Promise<boolean> {
  const reply = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(4000) }).catch(() => undefined);
  return reply?.status === 200;
}

export type Gate = { url: string; shut(): void; open(): Promise<void>; close(): void };

/** A proxy to a server. While closed, it refuses connections like a server that is down. */
export async function startGate(target: string): Promise<Gate> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createSocketServer((near) => {
    const far = connect(Number(port), hostname);
    const cut = () => {
      near.destroy();
      far.destroy();
    };
    for (const end of [near, far]) {
      sockets.add(end);
      end.on("error", cut).on("close", () => {
        sockets.delete(end);
        cut();
      });
    }
    near.pipe(far).pipe(near);
  });
  const listen = (at: number) => new Promise<void>((resolve) => server.listen(at, "127.0.0.1", resolve));
  await listen(0);
  const own = (server.address() as AddressInfo).port;
  const shut = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { url: `http://127.0.0.1:${own}`, shut, open: () => listen(own), close: shut };
}

const urlOf = (address: unknown): string => `http://127.0.0.1:${(address as AddressInfo).port}`;
