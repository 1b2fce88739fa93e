/** Entries: single read, filtered collection at two sizes, create and update, each beside its yardstick. DESIGN.md §6. */
import { type ChildProcess, fork, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { openStores } from "../src/app.ts";
import type { Slug } from "../src/domain/path.ts";
import { createToken, type TokenKind, type TokenResource } from "../src/domain/token.ts";
import { readSettings } from "../src/settings.ts";
import type { LoadPlan, LoadResult } from "./load.ts";
import type { Line, Options } from "./run.ts";

type Server = { child: ChildProcess; port: number };
type Tokens = { delivery: string; management: string; access: string };

const small = 10_000;
const file = (name: string): string => new URL(name, import.meta.url).pathname;

export async function run({ rounds, seconds, big, only }: Options): Promise<Line[]> {
  const folder = mkdtempSync(join(tmpdir(), "octavo-bench-"));
  try {
    const tokens = await fill(folder, big);
    const octavo = await start(file("../src/main.ts"), ["serve", "--port", "0", "--data", folder]);
    const bare = bareOf(octavo, folder);
    const alone = sqliteAlone(folder);
    const plans: [string, Asked, string, Yardstick][] = [
      ["GET one entry, one key, 64 connections", one(tokens, 1), "≥ 0.80 of bare", bare],
      ["GET one entry, 10,000 random keys, 64 connections", one(tokens, small), "≥ 0.80 of bare", bare],
      [`GET 3 conditions, ${small} entries`, filtered(tokens, "small", small), "≥ 5,000/s", bare],
      [`GET 3 conditions, ${big} entries`, filtered(tokens, "big", big), "within 1.5 of the line above", bare],
      ["POST create, 16 connections", creates(tokens), "≥ 0.7 of SQLite alone", alone],
      ["PATCH, 16 connections", patches(tokens), "", alone],
    ];
    const lines: Line[] = [];
    for (const [work, asked, goal, yardstick] of plans.filter(([work]) => work.includes(only))) {
      lines.push(await line(work, octavo, { ...asked, port: octavo.port, seconds, from: 0 }, goal, yardstick, rounds));
    }
    octavo.child.kill();
    return lines;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// ---------------------------------------------------------------------------------------------- what is stored

async function fill(folder: string, big: number): Promise<Tokens> {
  const settings = readSettings({ flags: { data: folder, write_queue_max: "1000000" }, env: {}, file: undefined });
  const stores = await openStores(settings);
  const make = async (kind: TokenKind, resources: TokenResource[]) => {
    const input = { kind, resources, label: "bench", environment: "", limitCalls: 0, expiresAt: null };
    return (await createToken(stores.tokens, input, { id: crypto.randomUUID(), actor: "bench", nowSeconds: 1 })).secret;
  };
  const create = (id: string, data: object) =>
    stores.entries.create(
      id as Slug,
      { data: JSON.stringify(data), isMergePatch: false, fields: {} },
      { actor: "bench", nowSeconds: 1 },
    );
  for (const [top, count] of [
    ["small", small],
    ["big", big],
  ] as const) {
    for (let from = 0; from < count; from += 1000) {
      await Promise.all(Array.from({ length: 1000 }, (_, i) => create(`${top}/e${from + i}`, sample(from + i, count))));
    }
  }
  const tokens = {
    delivery: await make("delivery", ["entries"]),
    management: await make("management", ["entries"]),
    access: await make("access", []),
  };
  await stores.close();
  return tokens;
}

/** About 500 bytes and 15 index rows. Groups hold 20 entries whatever the count, so that a filter finds as many. */
function sample(n: number, count: number): object {
  return {
    title: `Entry number ${n}`,
    group: n % Math.ceil(count / 20),
    year: 1950 + (n % 70),
    price: (n % 997) / 10,
    isFeatured: n % 3 === 0,
    tags: [`t${n % 11}`, `t${n % 13}`, `t${n % 17}`],
    author: { name: `Author ${n % 101}`, country: ["de", "fr", "it", "pl"][n % 4] },
    rating: n % 6,
    state: ["new", "open", "done"][n % 3],
    language: ["en", "de"][n % 2],
    content: "Lorem ipsum dolor sit amet, consectetur adipiscing elit. ".repeat(3),
  };
}

// ---------------------------------------------------------------------------------------------- what is asked

type Asked = { connections: number; requests: string[] };

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: bench\r\n\r\n`;
const random = (count: number): number => Math.floor(Math.random() * count);

function one({ delivery }: Tokens, keys: number): Asked {
  const requests = Array.from({ length: keys }, (_, i) =>
    get(`/api/entries?id=small/e${keys === 1 ? 42 : i}&token=${delivery}`),
  );
  return { connections: 64, requests: keys === 1 ? requests : requests.sort(() => Math.random() - 0.5) };
}

function filtered({ delivery }: Tokens, top: string, count: number): Asked {
  const condition = (name: string, key: string, expr: string, value: string | number) =>
    `filter[${name}][key]=${key}&filter[${name}][expr]=${expr}&filter[${name}][value]=${value}`;
  const requests = Array.from({ length: 500 }, () => {
    const conditions = [
      condition("where", "group", "eq", random(count / 20)),
      condition("and_where][0", "year", "gte", 1955),
      condition("and_where][1", "language", "in", "en"),
    ];
    return get(`/api/entries?id=${top}&${conditions.join("&")}&token=${delivery}`);
  });
  return { connections: 16, requests };
}

function written(method: string, { management, access }: Tokens, id: string, data: object): string {
  const body = JSON.stringify({ id, data, token: management, access_token: access });
  return `${method} /api/entries HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: 0\r\n\r\n${body}`;
}

const runId = Date.now().toString(36);
const creates = (tokens: Tokens): Asked => ({
  connections: 16,
  requests: [written("POST", tokens, `new/${runId}/${random(1e9)}-{n}`, sample(7, 100))],
});
const patches = (tokens: Tokens): Asked => ({
  connections: 16,
  requests: Array.from({ length: 500 }, (_, i) => written("PATCH", tokens, `small/e${i}`, { rating: "{n}" })),
});

// ---------------------------------------------------------------------------------------------- yardsticks

/** Measures the yardstick for the same plan. */
type Yardstick = (plan: LoadPlan) => Promise<Measured>;
/** A rate, and what one request cost the server in processor time, its kernel's included: steadier than the rate. */
type Measured = { perSecond: number; cpuMicros: number };

/** A bare server that answers the bytes the first request of the plan gets. */
function bareOf(octavo: Server, folder: string): Yardstick {
  return async (plan) => {
    const path = /^GET (\S+)/.exec(plan.requests[0] as string)?.[1] as string;
    const reply = await fetch(`http://127.0.0.1:${octavo.port}${path}`, { headers: { "Accept-Encoding": "identity" } });
    const body = join(folder, "body");
    writeFileSync(body, Buffer.from(await reply.arrayBuffer()));
    const bare = await start(file("./bare.ts"), [body]);
    const measured = await loadOn(bare, { ...plan, port: bare.port });
    bare.child.kill();
    return measured;
  };
}

/** The same rows (entry, event, 15 index rows), durable, 16 to a transaction, by SQLite alone in this process. */
function sqliteAlone(folder: string): Yardstick {
  return async ({ seconds }) => {
    const path = join(folder, `bare-${random(1e9)}.db`);
    const database = new DatabaseSync(path);
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
      CREATE TABLE entry (id INTEGER PRIMARY KEY, slug TEXT UNIQUE, data TEXT) STRICT;
      CREATE TABLE event (sequence INTEGER PRIMARY KEY, at INTEGER, subject TEXT) STRICT;
      CREATE TABLE field (key INTEGER, number REAL, text TEXT, entry INTEGER, PRIMARY KEY (key, number, text, entry)) STRICT, WITHOUT ROWID;`);
    const entry = database.prepare("INSERT INTO entry (slug, data) VALUES (?, ?)");
    const event = database.prepare("INSERT INTO event (at, subject) VALUES (?, ?)");
    const field = database.prepare("INSERT INTO field (key, number, text, entry) VALUES (?, ?, ?, ?)");
    const data = JSON.stringify(sample(7, 100));
    let count = 0;
    const before = process.cpuUsage();
    const endMs = performance.now() + seconds * 1000;
    while (performance.now() < endMs) {
      database.exec("BEGIN IMMEDIATE");
      for (let i = 0; i < 16; i++) {
        const { lastInsertRowid } = entry.run(`new/${count}`, data);
        event.run(count, `new/${count}`);
        for (let key = 0; key < 15; key++)
          field.run(key, (count * 31 + key) % 9973, `text ${(count + key) % 101}`, lastInsertRowid);
        count++;
      }
      database.exec("COMMIT");
    }
    const { user, system } = process.cpuUsage(before);
    database.close();
    rmSync(path);
    return { perSecond: count / seconds, cpuMicros: (user + system) / count };
  };
}

// ---------------------------------------------------------------------------------------------- the rounds

async function line(
  work: string,
  server: Server,
  plan: LoadPlan,
  goal: string,
  yardstick: Yardstick,
  rounds: number,
): Promise<Line> {
  const results: (LoadResult & { cpuMicros: number; ratio: number; cpuRatio: number })[] = [];
  for (let round = 0; round < rounds; round++) {
    const result = await loadOn(server, { ...plan, from: round * 1e7 });
    if (result.failures > 0) throw new Error(`${work}: ${result.failures} requests failed`);
    const { perSecond, cpuMicros } = await yardstick(plan);
    results.push({ ...result, ratio: result.perSecond / perSecond, cpuRatio: cpuMicros / result.cpuMicros });
  }
  const median = (pick: (result: (typeof results)[number]) => number): number =>
    results.map(pick).sort((a, b) => a - b)[Math.floor(rounds / 2)] as number;
  const rounded = results.map(
    (r) => `${Math.round(r.perSecond)} (${r.ratio.toFixed(2)}, cpu ${r.cpuRatio.toFixed(2)})`,
  );
  console.error(`${work}: ${rounded.join(" ")}`);
  return {
    work,
    perSecond: median((r) => r.perSecond),
    p99Ms: median((r) => r.p99Ms),
    cpuMicros: median((r) => r.cpuMicros),
    ratio: median((r) => r.ratio),
    cpuRatio: median((r) => r.cpuRatio),
    goal,
  };
}

async function loadOn({ child }: Server, plan: LoadPlan): Promise<LoadResult & Measured> {
  const before = cpuMicrosOf(child.pid as number);
  const result = await load(plan);
  return { ...result, cpuMicros: (cpuMicrosOf(child.pid as number) - before) / result.requests };
}

/** Processor time of a process with all its threads, out of /proc (proc(5): fields 14 and 15, in ticks of 10 ms). */
function cpuMicrosOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

function load(plan: LoadPlan): Promise<LoadResult> {
  const child = fork(file("./load.ts"), { execPath: process.execPath });
  child.send(plan);
  return new Promise((resolve, reject) => {
    child.once("message", (result) => {
      child.kill();
      resolve(result as LoadResult);
    });
    child.once("error", reject);
  });
}

async function start(script: string, args: string[]): Promise<Server> {
  const child = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const output = child.stdout as NonNullable<typeof child.stdout>;
  const port = await new Promise<number>((resolve) => {
    createInterface({ input: output }).on("line", (text) => {
      const found = /http:\/\/127\.0\.0\.1:(\d+)/.exec(text);
      if (found) resolve(Number(found[1]));
    });
  });
  // The access log stays on and is read, as a supervisor would.
  output.resume();
  return { child, port };
}
