/**
 * What HTML costs: reads of entries and lists with `render=html` beside the same reads without it, once the HTML is kept,
 * and of texts that were never rendered. On SQLite and PostgreSQL; `--only TEXT` names the engine. Decision 57.
 */
import { join } from "node:path";
import { startPostgres } from "../test/postgres.ts";
import { type Asked, get, inFolder, loadOn, median, random, type Server, startOctavoWith, stop } from "./rounds.ts";
import type { Options } from "./scenario.ts";
import { createEntry, createTokens, inStores, type Tokens } from "./store.ts";

type Figure = { work: string; figure: string; goal: string };

/** Entries that are read again and again, and their lists. */
const count = 200;
const lists = 10;
const sections = 8;
const article = (n: number): string =>
  [
    `# Article ${n}\n\nA *paragraph* with [a link](https://example.org/${n}), \`code\` and **more** words.\n\n`.repeat(
      sections,
    ),
    "| a | b |\n|---|--:|\n| 1 | 2 |\n\n- [x] done\n- [ ] to do\n",
  ].join("");

export function run({ rounds, seconds, only }: Options): Promise<string> {
  return inFolder(async (folder) => {
    const figures: Figure[] = [];
    if ("SQLite".includes(only))
      figures.push(...(await measure(join(folder, "sqlite"), "SQLite", {}, rounds, seconds)));
    if ("PostgreSQL".includes(only)) {
      const server = await startPostgres("durable");
      const env = { OCTAVO_POSTGRES_URL: await server.createDatabase() };
      figures.push(...(await measure(join(folder, "postgres"), "PostgreSQL", env, rounds, seconds)));
    }
    const lines = figures.map(({ work, figure, goal }) => `| ${work} | ${figure} | ${goal} |`);
    return ["| work | figure | goal |", "| --- | --- | --- |", ...lines].join("\n");
  });
}

const single = ({ delivery }: Tokens, render: string): Asked => ({
  connections: 16,
  requests: Array.from({ length: count }, (_, n) =>
    get(`/api/entries?id=blog/${n % lists}/${n}&token=${delivery}${render}`),
  ),
});
const listed = ({ delivery }: Tokens, render: string): Asked => ({
  connections: 16,
  requests: Array.from({ length: lists }, (_, n) => get(`/api/entries?id=blog/${n}&filter&token=${delivery}${render}`)),
});

async function measure(folder: string, engine: string, env: Record<string, string>, rounds: number, seconds: number) {
  const tokens = await inStores(
    folder,
    async (stores) => {
      for (let n = 0; n < count; n++) await createEntry(stores, `blog/${n % lists}/${n}`, { content: article(n) });
      return createTokens(stores, ["entries"]);
    },
    env,
  );
  const server = await startOctavoWith(env, folder);
  const works: [string, (tokens: Tokens, render: string) => Asked][] = [
    ["entries", single],
    ["lists of 20", listed],
  ];
  const figures: Figure[] = [];
  for (const [work, askedOf] of works) {
    const { rate, ratio } = await ratioOf(server, (render) => askedOf(tokens, render), rounds, seconds);
    figures.push({
      work: `${work} with HTML that is kept, 16 connections, ${engine}`,
      figure: `${Math.round(rate)} a second, ${ratio.toFixed(2)} × without render`,
      goal: `≥ 0.8 × without: ${ratio >= 0.8 ? "met" : "missed"}`,
    });
  }
  await stop(server);
  return figures;
}

async function ratioOf(server: Server, askedOf: (render: string) => Asked, rounds: number, seconds: number) {
  const rateOf = async (render: string, time = seconds): Promise<number> =>
    (await loadOn(server, { ...askedOf(render), port: server.port, seconds: time, from: random(count) })).perSecond;
  for (const render of ["", "&render=html"]) await rateOf(render, 1);
  const [rates, ratios]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    const plain = await rateOf("");
    const html = await rateOf("&render=html");
    rates.push(html);
    ratios.push(html / plain);
  }
  return { rate: median(rates), ratio: median(ratios) };
}
