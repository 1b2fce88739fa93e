/**
 * The same work for Octavo and for peers on npm: Directus for content, IPX for images. The first run installs them into
 * the system's temporary folder (TMPDIR); they run with their defaults in production mode.
 * `--big N` is the number of entries.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { startPostgres } from "../test/postgres.ts";
import { bootstrapDirectus, directusAsked, fillDirectus, startDirectus } from "./directus.ts";
import { creates, filtered, one } from "./entries.ts";
import { allCopies, image, large, makePictures, plant, widthJobs } from "./images-fill.ts";
import { installPeers, peers } from "./peer-install.ts";
import { familyCpuMicrosOf, watchMemory } from "./processes.ts";
import {
  type Asked,
  compare,
  get,
  inFolder,
  loadOn,
  type Row,
  type Server,
  start,
  startOctavo,
  startOctavoWith,
  stop,
} from "./rounds.ts";
import type { Line, Options } from "./scenario.ts";
import { createSamples, createTokens, inStores, type Tokens } from "./store.ts";

const howToRead = `\
Directus ${peers.directus} lies on the PostgreSQL server that Octavo has, too, with a key on the column \`group\` and asked with
an administrator's token, which spares it the rules of access. Its cache in memory is off as it comes, and has rows of its own.
IPX ${peers.ipx} keeps nothing by itself; all of its pictures and ours are drawn, with the same width and quality. Both ratios are
to the first row of the same work. One entry is read out of 100 that are asked for at random. All runs on this one machine: servers, database and load.
Memory at rest is that of a service that has not written since its start, but in the rows of pictures: the thread that writes to
SQLite starts with the first write and takes 46 MB.`;

/** The number of entries that are read one by one: a cache has them all after the first second. */
const keys = 100;

type Remark = (text: string) => void;
type Rows = Omit<Row, "yardstick">[];

export async function run({ rounds, seconds, big = 10_000, only }: Options, remark: Remark): Promise<Line[]> {
  const installed = installPeers();
  remark(howToRead);
  const lines: Line[] = [];
  const measure = async (works: Rows[]) => {
    for (const rows of works) {
      if (rows[0]?.work.includes(only)) lines.push(...(await compare(rows, rounds)));
    }
  };
  await inFolder(async (folder) => {
    const setups = await contentSetups(folder, installed, big);
    await sameAnswer(setups);
    await measure(contentWorks(setups, seconds));
    for (const { server } of setups) await stop(server);
  });
  await inFolder(async (folder) => {
    const { rows, servers } = await imageRows(folder, installed, seconds);
    await measure([rows]);
    for (const server of servers) await stop(server);
  });
  return lines;
}

// ---------------------------------------------------------------------------------------------- content

/** A service with the same entries, its requests, and the figures of its starts. */
type Setup = { name: string; server: Server; asked: Record<Work, Asked>; isReadOnly?: boolean; figures: Figures };
type Work = "one" | "filtered" | "create";
type Figures = Record<string, number>;

async function contentSetups(folder: string, installed: string, count: number): Promise<Setup[]> {
  const postgres = await startPostgres("durable");
  const [octavoUrl, directusUrl] = [await postgres.createDatabase(), await postgres.createDatabase()];
  const onPostgres = { OCTAVO_POSTGRES_URL: octavoUrl };
  const [alone, node] = [join(folder, "alone"), join(folder, "node")];
  const [aloneTokens, nodeTokens] = [await fill(alone, count, {}), await fill(node, count, onPostgres)];
  bootstrapDirectus(installed, directusUrl);
  const filling = await startDirectus(installed, directusUrl, {});
  await fillDirectus(filling, count);
  await stop(filling);
  const octavo = (tokens: Tokens): Record<Work, Asked> => ({
    one: one(tokens, keys),
    filtered: filtered(tokens, "small", count),
    create: creates(tokens),
  });
  const cached = { CACHE_ENABLED: "true", CACHE_STORE: "memory" };
  const directus = { asked: directusAsked(keys, count) };
  return [
    { name: "Octavo, SQLite", asked: octavo(aloneTokens), ...(await started(() => startOctavo(alone))) },
    {
      name: "Octavo, PostgreSQL",
      asked: octavo(nodeTokens),
      ...(await started(() => startOctavoWith(onPostgres, node))),
    },
    { name: "Directus", ...directus, ...(await started(() => startDirectus(installed, directusUrl, {}))) },
    {
      name: "Directus, its cache on",
      ...directus,
      isReadOnly: true,
      ...(await started(() => startDirectus(installed, directusUrl, cached))),
    },
  ];
}

function fill(folder: string, count: number, env: Record<string, string>): Promise<Tokens> {
  return inStores(
    folder,
    async (stores) => {
      await createSamples(stores, "small", count);
      return createTokens(stores, ["entries"]);
    },
    env,
  );
}

const starts = 3;

/** Starts it several times; the last one stays. Seconds to its first reply (the median), and idle memory. */
async function started(begin: () => Promise<Server>): Promise<{ server: Server; figures: Figures }> {
  const seconds: number[] = [];
  for (;;) {
    const beganMs = performance.now();
    const server = await begin();
    await fetch(`http://127.0.0.1:${server.port}/`);
    seconds.push((performance.now() - beganMs) / 1000);
    if (seconds.length < starts) {
      await stop(server);
      continue;
    }
    // After a start a process checks the database, for some seconds.
    const rest = () => new Promise((resolve) => setTimeout(resolve, 10_000));
    const [, memories] = await watchMemory(server.child.pid as number, rest);
    const median = seconds.sort((a, b) => a - b)[Math.floor(starts / 2)] as number;
    return { server, figures: { "s to start": median, "MB at rest": memories.at(-1)?.resident ?? 0 } };
  }
}

/** Checks that the filters of each find the same number of entries; otherwise the rows compare different work. */
async function sameAnswer(setups: Setup[]): Promise<void> {
  const group = 42;
  const counts = setups.map(async ({ name, server, asked }) => {
    const path = /^GET (\S+)/.exec(asked.filtered.requests[0] as string)?.[1] as string;
    const ofGroup = path.replace(/(group\]\[_eq\]=|key\]=group&.*?value\]=)\d+/, `$1${group}`);
    const reply = await fetch(`http://127.0.0.1:${server.port}${ofGroup}`);
    const { data } = (await reply.json()) as { data?: unknown };
    return `${name}: ${reply.status}, ${Array.isArray(data) ? data.length : 0} entries`;
  });
  const found = await Promise.all(counts);
  const ends = new Set(found.map((text) => text.replace(/^.*: /, "")));
  if (ends.size > 1 || ends.has("200, 0 entries")) throw new Error(found.join("; "));
}

function contentWorks(setups: Setup[], seconds: number): Rows[] {
  const names: Record<Work, string> = {
    one: "GET one entry, random keys, 64 connections",
    filtered: "GET 3 conditions, 16 connections",
    create: "POST create, 16 connections",
  };
  return (Object.keys(names) as Work[]).map((work) =>
    setups
      .filter(({ isReadOnly }) => work !== "create" || !isReadOnly)
      .map(({ name, server, asked, figures }) => ({
        work: `${names[work]}: ${name}`,
        goal: "",
        measure: async (from) => {
          const plan = { ...asked[work], port: server.port, seconds, from };
          // The first requests of a process cost more.
          if (from === 0) await loadOn(server, { ...plan, seconds: 1, from: 9e8 });
          return { ...(await loadOn(server, plan)), figures };
        },
      })),
  );
}

// ---------------------------------------------------------------------------------------------- images

async function imageRows(
  folder: string,
  installed: string,
  seconds: number,
): Promise<{ rows: Rows; servers: Server[] }> {
  const [pictures, store] = [join(folder, "pictures"), join(folder, "store")];
  mkdirSync(pictures);
  await makePictures(pictures);
  const tokens = await plant(store, pictures, allCopies);
  const octavo = await started(() => startOctavo(store));
  const ipx = await started(() => start("./ipx.ts", [installed, pictures]));
  const row = (name: string, { server, figures }: typeof octavo, request: (name: string, width: number) => string) => {
    let next = 0;
    return {
      work: `GET 24 MP JPEG, distinct widths, 4 connections: ${name}`,
      goal: "",
      measure: async () => {
        const jobs = widthJobs(large, next);
        const requests = jobs.map(({ name, width }) => request(name, width));
        const plan = { connections: 4, requests, port: server.port, seconds, from: 0 };
        const sample = await loadOn(server, plan, familyCpuMicrosOf);
        next += sample.requests;
        return { ...sample, figures };
      },
    };
  };
  const rows = [
    row("Octavo", octavo, (name, width) => image(name, `w=${width}&q=80`, tokens)),
    row("IPX", ipx, (name, width) => get(`/w_${width},q_80/${name}`)),
  ];
  return { rows, servers: [octavo.server, ipx.server] };
}
