/**
 * Batches on SQLite and PostgreSQL: creates a second in batches of 1,000 beside single creates at 16 connections, with and
 * without a key, and how long another create waits beside batches and beside copies of a subtree of as many things.
 * Decision 71.
 */
import { Agent, request } from "node:http";
import { join } from "node:path";
import { startPostgres } from "../test/postgres.ts";
import { inFolder, startOctavoWith, stop } from "./rounds.ts";
import type { Options } from "./scenario.ts";
import { createTokens, inStores, sample, type Tokens } from "./store.ts";

type Env = Record<string, string>;
type Figure = { work: string; figures: string[] };

const batchSize = 1000;
const connections = 16;

export function run({ rounds, seconds, only }: Options, remark: (text: string) => void): Promise<string> {
  return inFolder(async (folder) => {
    remark(
      "A round is a fresh store; figures are medians of the rounds. The waits are those of creates that are sent one after another.",
    );
    const engines: [string, () => Promise<Env>][] = [["SQLite", async () => ({})]];
    if (!only.includes("SQLite")) {
      const server = await startPostgres("durable");
      engines.push(["PostgreSQL", async () => ({ OCTAVO_POSTGRES_URL: await server.createDatabase() })]);
    }
    const rows: Figure[] = [];
    for (const [name, make] of engines) {
      const all: Measured[] = [];
      for (let round = 0; round < rounds; round++)
        all.push(await measured(join(folder, `${name}-${round}`), await make(), seconds * 1000));
      rows.push(...format(name, all));
    }
    const head =
      "| engine | single | single with a key | in batches of 1,000 | batches / single (goal ≥ 3) |\n|---|---|---|---|---|";
    const waits = "| engine | alone | beside batches of 1,000 | beside copies of 1,000 |\n|---|---|---|---|";
    const lines = (part: string) =>
      rows.filter(({ work }) => work === part).map(({ figures }) => `| ${figures.join(" | ")} |`);
    return `Creates a second:\n\n${[head, ...lines("rate")].join("\n")}\n\nHow long a create takes, p50 / p99 / largest in ms:\n\n${[waits, ...lines("wait")].join("\n")}`;
  });
}

type Waits = { p50: number; p99: number; max: number };
type Measured = { single: number; keyed: number; batched: number; alone: Waits; besideBatch: Waits; besideCopy: Waits };

async function measured(data: string, env: Env, ms: number): Promise<Measured> {
  const tokens = await inStores(data, (stores) => createTokens(stores, ["entries"]), env);
  const server = await startOctavoWith(env, data);
  try {
    const client = new Client(server.port, tokens);
    await client.rate("warm", ms / 2, {});
    const single = await client.rate("single", ms, {});
    const keyed = await client.rate("keyed", ms, { hasKey: true });
    const batched = await client.batchRate(ms);
    const alone = await client.waits("alone", ms, async () => undefined);
    await client.batch(client.operations("tree", batchSize - 1));
    await client.send("POST", "/api/entries", { id: "tree", data: {} });
    const besideBatch = await client.waits("batch", ms, (n) =>
      client.batch(client.operations(`beside/${n}`, batchSize)),
    );
    const besideCopy = await client.waits("copy", ms, (n) =>
      client.send("PUT", "/api/entries/copy", { id: "tree", new_id: `copy-${n}` }),
    );
    return { single, keyed, batched, alone, besideBatch, besideCopy };
  } finally {
    await stop(server);
  }
}

class Client {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 64 });
  private readonly port: number;
  private readonly tokens: Tokens;

  constructor(port: number, tokens: Tokens) {
    this.port = port;
    this.tokens = tokens;
  }

  send(method: string, path: string, body: object, more: Record<string, string> = {}): Promise<void> {
    const text = JSON.stringify(body);
    const { management, access } = this.tokens;
    const headers = {
      ...{ "Content-Type": "application/json", "Content-Length": String(Buffer.byteLength(text)), ...more },
      ...{ Authorization: `Bearer ${management}`, "X-Access-Token": access },
    };
    return new Promise((resolve, reject) => {
      const sent = request(
        { port: this.port, host: "127.0.0.1", method, path, headers, agent: this.agent },
        (response) => {
          response
            .resume()
            .once("end", () =>
              (response.statusCode ?? 500) < 300
                ? resolve()
                : reject(new Error(`${method} ${path}: ${response.statusCode}`)),
            );
        },
      );
      sent.once("error", reject).end(text);
    });
  }

  operations(top: string, count: number): object[] {
    return Array.from({ length: count }, (_, n) => ({
      ...{ method: "POST", path: "/api/entries", body: { id: `${top}/e${n}`, data: sample(n, count) } },
    }));
  }

  batch(operations: object[]): Promise<void> {
    return this.send("POST", "/api/batch", { operations });
  }

  /** Creates a second, each connection one after another. */
  async rate(top: string, ms: number, { hasKey = false }: { hasKey?: boolean }): Promise<number> {
    let count = 0;
    const began = performance.now();
    const one = async (connection: number) => {
      for (let n = 0; performance.now() - began < ms; n++) {
        const key: Record<string, string> = hasKey ? { "Idempotency-Key": `${top}-${connection}-${n}` } : {};
        await this.send("POST", "/api/entries", { id: `${top}/c${connection}/e${n}`, data: sample(n, 100) }, key);
        count++;
      }
    };
    await Promise.all(Array.from({ length: connections }, (_, connection) => one(connection)));
    return (count / (performance.now() - began)) * 1000;
  }

  /** Creates a second in batches, one after another. */
  async batchRate(ms: number): Promise<number> {
    let count = 0;
    const began = performance.now();
    for (; performance.now() - began < ms; count++) await this.batch(this.operations(`batched/b${count}`, batchSize));
    return ((count * batchSize) / (performance.now() - began)) * 1000;
  }

  /** How long creates take that are sent one after another, while the work is done again and again. */
  async waits(top: string, ms: number, work: (n: number) => Promise<void>): Promise<Waits> {
    const began = performance.now();
    const isOver = () => performance.now() - began >= ms;
    const working = (async () => {
      for (let n = 0; !isOver(); n++) {
        await work(n);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    })();
    const times: number[] = [];
    for (let n = 0; !isOver(); n++) {
      const sentMs = performance.now();
      await this.send("POST", "/api/entries", { id: `wait/${top}/e${n}`, data: sample(n, 100) });
      times.push(performance.now() - sentMs);
    }
    await working;
    times.sort((a, b) => a - b);
    const at = (part: number) => times[Math.floor((times.length - 1) * part)] as number;
    return { p50: at(0.5), p99: at(0.99), max: at(1) };
  }
}

function format(engine: string, all: readonly Measured[]): Figure[] {
  const median = (read: (one: Measured) => number) =>
    all.map(read).sort((a, b) => a - b)[Math.floor(all.length / 2)] as number;
  const rate = (read: (one: Measured) => number) => Math.round(median(read)).toLocaleString("en");
  const wait = (read: (one: Measured) => Waits) =>
    [(one: Measured) => read(one).p50, (one: Measured) => read(one).p99, (one: Measured) => read(one).max]
      .map((of) => median(of).toFixed(1))
      .join(" / ");
  const times = median(({ batched, single }) => batched / single).toFixed(1);
  return [
    {
      work: "rate",
      figures: [engine, rate((one) => one.single), rate((one) => one.keyed), rate((one) => one.batched), times],
    },
    {
      work: "wait",
      figures: [engine, wait((one) => one.alone), wait((one) => one.besideBatch), wait((one) => one.besideCopy)],
    },
  ];
}
