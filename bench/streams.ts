/**
 * Streams of events that wait (contract, part three, §12): the memory of each, and how long one write takes to reach all.
 * `--big N` streams, 10,000 by default. It needs twice as many open files: `ulimit -n 25000`.
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { createToken } from "../src/core/access/token.ts";
import type { Stores } from "../src/stores.ts";
import { cpuMicrosOf, memoryOf } from "./processes.ts";
import { inFolder, median, type Server, startOctavo, stop } from "./rounds.ts";
import type { Options } from "./scenario.ts";
import { context, createTokens, inStores, type Tokens } from "./store.ts";

/** Of one token: the service's bound. */
const perToken = 100;
/** Connections that are opened at once. */
const atOnce = 200;
const settleMs = 10_000;
const warming = 200;

type Reader = { socket: Socket; seen: number };

export function run({ big: streams = 10_000, rounds }: Options): Promise<string> {
  return inFolder(async (folder) => {
    const { writer, readers } = await inStores(folder, async (stores) => {
      const readers: string[] = [];
      for (let n = 0; n < (streams + warming) / perToken; n++) readers.push(await reading(stores));
      return { writer: await createTokens(stores, ["entries"]), readers };
    });
    const octavo = await startOctavo(folder);
    const pid = octavo.child.pid as number;
    const all: Reader[] = [];
    const openAll = async (count: number) => {
      for (const end = all.length + count; all.length < end; ) {
        const some = Array.from({ length: Math.min(atOnce, end - all.length) }, (_, i) => all.length + i);
        const opened = some.map((n) => open(octavo, readers[Math.floor(n / perToken)] as string));
        all.push(...(await Promise.all(opened)));
      }
      await delay(settleMs);
    };
    const write = async (n: number) => {
      await create(octavo, writer, n);
      await until(() => all.every(({ seen }) => seen > n));
    };
    // What the first streams load is not theirs.
    await openAll(warming);
    await write(0);
    const before = memoryOf([pid]).resident;
    await openAll(streams);
    const each = ((memoryOf([pid]).resident - before) * 1000) / streams;
    const idle = cpuMicrosOf(pid);
    await delay(settleMs);
    const idleShare = (cpuMicrosOf(pid) - idle) / (settleMs * 1000);
    const times: number[] = [];
    for (const reader of all) reader.seen = 1;
    for (let n = 1; n <= rounds; n++) {
      const began = performance.now();
      await write(n);
      times.push(performance.now() - began);
    }
    const after = ((memoryOf([pid]).resident - before) * 1000) / streams;
    for (const { socket } of all) socket.destroy();
    await stop(octavo);
    return [
      "| what | measured | goal |",
      "|---|---|---|",
      `| ${streams} idle streams, RSS of each | ${each.toFixed(1)} KB | ≤ 20 KB |`,
      `| the same after ${rounds} events | ${after.toFixed(1)} KB | ≤ 20 KB |`,
      `| processor time while nothing is written | ${(idleShare * 100).toFixed(1)} % of a core | |`,
      `| from a write's request until all have its event, reading them in one process | ${median(times).toFixed(0)} ms | |`,
    ].join("\n");
  });
}

/** A token that reads the log. */
async function reading({ tokens }: Stores): Promise<string> {
  const input = {
    kind: "management",
    resources: ["admin"],
    label: "",
    environment: "",
    limitCalls: 0,
    expiresAt: null,
  };
  return (await createToken(tokens, input as never, { id: crypto.randomUUID(), ...context })).secret;
}

async function open({ port }: Server, token: string): Promise<Reader> {
  const socket = connect(port, "127.0.0.1");
  const reader = { socket, seen: 0 };
  socket.on("data", (chunk) => {
    if (chunk.includes("event: entry.create")) reader.seen++;
  });
  const head = `GET /api/events HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  socket.write(head);
  const [chunk] = (await once(socket, "data")) as [Buffer];
  if (!chunk.includes(" 200 ")) throw new Error(chunk.toString());
  return reader;
}

async function create({ port }: Server, { management, access }: Tokens, n: number): Promise<void> {
  const body = JSON.stringify({ token: management, access_token: access, id: `e${n}`, data: {} });
  const headers = { "Content-Type": "application/json" };
  const reply = await fetch(`http://127.0.0.1:${port}/api/entries`, { method: "POST", headers, body });
  if (!reply.ok) throw new Error(await reply.text());
}

async function until(isTrue: () => boolean): Promise<void> {
  for (const end = performance.now() + 60_000; !isTrue(); await delay(1))
    if (performance.now() > end) throw new Error("an event did not reach all streams");
}
