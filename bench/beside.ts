/**
 * Imports and restores beside a service on one store, on SQLite and PostgreSQL: how many things a second they write, the largest
 * memory of their process, and how long a create by HTTP takes meanwhile, compared with the same create without an import.
 * `--only TEXT` runs the works whose names hold the text. Folders, stores and the server are in the system's temporary folder
 * (TMPDIR). Decision 65.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startPostgres } from "../test/postgres.ts";
import { peakMemoryOf } from "./processes.ts";
import { inFolder, startOctavoWith, stop } from "./rounds.ts";
import type { Options } from "./scenario.ts";
import { createTokens, inStores, sample, type Tokens } from "./store.ts";

type Env = Record<string, string>;
type Engine = { name: string; create(): Promise<Env> };
/** A folder that is imported: `goal` things a second, if there is one. */
type Site = { name: string; things: number; goal: number; write(folder: string): void };
type Figure = { work: string; perSecond: number; goal: number; peakMb: number; idle?: Times; beside?: Times };
type Times = { p50: number; p99: number; max: number; count: number; refused: number };

const maxPeakMb = 300;
const maxSlower = 5;
const idleMs = 4000;

const sites: Site[] = [
  {
    name: "10,000 entries of 500 bytes",
    things: 10_000,
    goal: 0,
    write: (folder) => writeEntries(folder, 10_000, small),
  },
  {
    name: "3,000 entries of 10 KB of text",
    things: 3000,
    goal: 0,
    write: (folder) => writeEntries(folder, 3000, text),
  },
  { name: "10,000 files of 300 bytes", things: 10_000, goal: 2000, write: writeFiles },
];

export function run({ only }: Options, remark: (text: string) => void): Promise<string> {
  return inFolder(async (folder) => {
    remark(
      "Creates are sent one after another, the next when the last one is answered. Memory is the largest of the command's " +
        "process (VmHWM), MB are 1,000,000 bytes. A restore is into a store of its own and includes its verification.",
    );
    const engines: Engine[] = [{ name: "SQLite", create: async () => ({}) }];
    if (!only.includes("SQLite")) {
      const server = await startPostgres("durable");
      engines.push({
        name: "PostgreSQL",
        create: async () => ({ OCTAVO_POSTGRES_URL: await server.createDatabase() }),
      });
    }
    const figures: Figure[] = [];
    for (const site of sites) {
      const from = join(folder, "site");
      const wanted = engines.filter((engine) => `${site.name}, ${engine.name}`.includes(only));
      if (wanted.length === 0) continue;
      site.write(from);
      for (const engine of wanted) figures.push(...(await measured(folder, from, site, engine)));
      rmSync(from, { recursive: true });
    }
    return format(figures);
  });
}

async function measured(folder: string, from: string, site: Site, engine: Engine): Promise<Figure[]> {
  const data = join(folder, "data");
  const env = await engine.create();
  const tokens = await inStores(data, (stores) => createTokens(stores, ["entries"]), env);
  const server = await startOctavoWith(env, data);
  const backup = join(folder, "backup.tar");
  try {
    const client = new Client(server.port, tokens);
    await client.creates(delay(1000));
    const idle = await client.creates(delay(idleMs));
    const running = command(env, ["import", from, "--data", data]);
    const beside = await client.creates(running);
    const { seconds, peakMb } = await running;
    await command(env, ["backup", backup, "--data", data]);
    const work = `${site.name}, ${engine.name}`;
    const figure = {
      work: `import of ${work}`,
      perSecond: site.things / seconds,
      goal: site.goal,
      peakMb,
      idle,
      beside,
    };
    const restored = await command(await engine.create(), ["restore", backup, "--data", join(folder, "restored")]);
    return [
      figure,
      { work: `restore of ${work}`, perSecond: site.things / restored.seconds, goal: 0, peakMb: restored.peakMb },
    ];
  } finally {
    await stop(server);
    for (const path of [data, backup, join(folder, "restored")]) rmSync(path, { recursive: true, force: true });
  }
}

/** Runs a command of the service to its end. */
async function command(env: Env, words: string[]): Promise<{ seconds: number; peakMb: number }> {
  const began = performance.now();
  const file = new URL("../src/octavo.ts", import.meta.url).pathname;
  const stdio = ["ignore", "ignore", "inherit"] as const;
  const child = spawn(process.execPath, [file, ...words], { env: { ...process.env, ...env }, stdio: [...stdio] });
  let peakMb = 0;
  const timer = setInterval(() => {
    peakMb = Math.max(peakMb, peakMemoryOf(child.pid as number));
  }, 20);
  const [code] = await once(child, "exit");
  clearInterval(timer);
  if (code !== 0) throw new Error(`octavo ${words[0]} ended with ${code}`);
  return { seconds: (performance.now() - began) / 1000, peakMb };
}

/** Creates entries over one connection. */
class Client {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });
  private readonly port: number;
  private readonly tokens: Tokens;
  private next = 0;
  private refused = 0;

  constructor(port: number, tokens: Tokens) {
    this.port = port;
    this.tokens = tokens;
  }

  /** Until the work ends. */
  async creates(work: Promise<unknown>): Promise<Times> {
    const times: number[] = [];
    this.refused = 0;
    let isOver = false;
    const ended = work.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      const began = performance.now();
      await this.create();
      times.push(performance.now() - began);
    }
    await ended;
    return timesOf(times, this.refused);
  }

  private create(): Promise<void> {
    const { agent, port, tokens } = this;
    const body = JSON.stringify({ id: `beside/e${this.next++}`, data: sample(7, 100) });
    const headers = {
      ...{ "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) },
      ...{ Authorization: `Bearer ${tokens.management}`, "X-Access-Token": tokens.access },
    };
    return new Promise((resolve, reject) => {
      const sent = request(
        { agent, port, host: "127.0.0.1", method: "POST", path: "/api/entries", headers },
        (reply) => {
          if (Math.floor((reply.statusCode ?? 0) / 100) !== 2) this.refused++;
          reply.resume().on("end", resolve);
        },
      );
      sent.on("error", reject);
      sent.end(body);
    });
  }
}

function timesOf(all: number[], refused: number): Times {
  const sorted = all.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] as number;
  return { p50: at(0.5), p99: at(0.99), max: at(1), count: sorted.length, refused };
}

// ---------------------------------------------------------------------------------------------- the folders

const small = (n: number): string => JSON.stringify(sample(n, 20_000));
/** Words of syllables: a text of them has about as many trigrams as one of a language. */
const syllable = () =>
  `${letterOf("bcdfghklmnprstvw")}${letterOf("aeiou")}${Math.random() < 0.3 ? letterOf("lnrst") : ""}`;
const letterOf = (letters: string) => letters[Math.floor(Math.random() * letters.length)];
const words = Array.from({ length: 20_000 }, () =>
  Array.from({ length: 1 + Math.floor(Math.random() * 3) }, syllable).join(""),
);
const text = (n: number): string =>
  JSON.stringify({
    title: `Text ${n}`,
    content: Array.from({ length: 1900 }, () => words[Math.floor(Math.random() * words.length)]).join(" "),
  });

function writeEntries(folder: string, count: number, data: (n: number) => string): void {
  for (let n = 0; n < count; n++) {
    const at = join(folder, "entries", `s${n % 10}`, `e${n}`);
    mkdirSync(at, { recursive: true });
    writeFileSync(join(at, "entry.json"), data(n));
  }
}

function writeFiles(folder: string): void {
  for (let n = 0; n < 10_000; n++) {
    const at = join(folder, "uploads", `f${n % 20}`);
    if (n < 20) mkdirSync(at, { recursive: true });
    writeFileSync(join(at, `${n}.txt`), `This is the file ${n}. `.repeat(13));
  }
}

// ---------------------------------------------------------------------------------------------- the table

function format(figures: readonly Figure[]): string {
  const lines = figures.map(({ work, perSecond, goal, peakMb, idle, beside }) => {
    const rate = `${Math.round(perSecond).toLocaleString("en")}${goal ? ` (≥ ${goal}: ${verdict(perSecond >= goal)})` : ""}`;
    const peak = `${Math.round(peakMb)} (≤ ${maxPeakMb}: ${verdict(peakMb <= maxPeakMb)})`;
    const slower = idle && beside ? beside.p99 / idle.p99 : Number.NaN;
    const creates = Number.isNaN(slower) ? "" : `${slower.toFixed(1)} (< ${maxSlower}: ${verdict(slower < maxSlower)})`;
    return `| ${work} | ${rate} | ${peak} | ${shown(idle)} | ${shown(beside)} | ${creates} |`;
  });
  return [
    "| work | things a second | MB | creates without it: p50, p99, max ms | beside it | p99 in times |",
    "|---|---|---|---|---|---|",
    ...lines,
  ].join("\n");
}

const verdict = (isMet: boolean): string => (isMet ? "met" : "**missed**");
const shown = (times: Times | undefined): string =>
  times
    ? `${[times.p50, times.p99, times.max].map((ms) => ms.toFixed(1)).join(", ")} (${times.count}${times.refused > 0 ? `, **${times.refused} refused**` : ""})`
    : "";
