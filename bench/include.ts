/**
 * What `include` costs: single reads and lists of 20 of 10,000 entries with one and two levels of what they refer to, to the
 * same reads without, on SQLite and PostgreSQL. Each list is another one of 500, so that few replies are sent again. `--only
 * TEXT` names the engine. Decision 59.
 */
import { join } from "node:path";
import { startPostgres } from "../test/postgres.ts";
import { type Asked, get, inFolder, loadOn, median, random, startOctavoWith, stop } from "./rounds.ts";
import type { Options } from "./scenario.ts";
import { createEntry, createTokens, inStores, type Tokens } from "./store.ts";

const [articles, groups, authors, teams] = [10_000, 500, 200, 20];

export function run({ rounds, seconds, only }: Options, remark: (text: string) => void): Promise<string> {
  return inFolder(async (folder) => {
    const lines: string[] = [];
    if ("SQLite".includes(only)) lines.push(...(await ratios("SQLite", join(folder, "sqlite"), {}, rounds, seconds)));
    if ("PostgreSQL".includes(only)) {
      const server = await startPostgres("durable");
      const env = { OCTAVO_POSTGRES_URL: await server.createDatabase() };
      lines.push(...(await ratios("PostgreSQL", join(folder, "postgres"), env, rounds, seconds)));
    }
    remark(
      "Delivery token, 16 connections, one process. The ratio is to the same read without `include`, in one round.",
    );
    return ["| read | a second | to plain | goal |", "| --- | --- | --- | --- |", ...lines].join("\n");
  });
}

async function fill(folder: string, env: Record<string, string>): Promise<Tokens> {
  return inStores(
    folder,
    async (stores) => {
      const create = (id: string, data: object) => createEntry(stores, id, data);
      for (let i = 0; i < teams; i++) await create(`teams/${i}`, { title: `Team ${i}`, city: "Bergen" });
      for (let i = 0; i < authors; i++)
        await create(`people/${i}`, { title: `Person ${i}`, team: `teams/${i % teams}`, bio: "x".repeat(200) });
      for (let i = 0; i < articles; i += 100)
        await Promise.all(
          Array.from({ length: 100 }, (_, j) =>
            create(`articles/${i + j}`, {
              ...{ title: `Article ${i + j}`, author: `people/${random(authors)}`, group: (i + j) % groups },
              text: "y".repeat(400),
            }),
          ),
        );
      return createTokens(stores, ["entries"]);
    },
    env,
  );
}

const plainOf = {
  single: (token: string) => () => `/api/entries?token=${token}&id=articles/${random(articles)}`,
  "list of 20": (token: string) => () =>
    `/api/entries?token=${token}&id=articles&filter[where][key]=group&filter[where][expr]=eq&filter[where][value]=${random(groups)}`,
};

async function ratios(
  engine: string,
  folder: string,
  env: Record<string, string>,
  rounds: number,
  seconds: number,
): Promise<string[]> {
  const tokens = await fill(folder, env);
  const server = await startOctavoWith(env, folder);
  const lines: string[] = [];
  const rate = async (address: () => string, include: string, time = seconds) => {
    const more = include === "" ? "" : `&include=${include}`;
    const asked: Asked = { connections: 16, requests: Array.from({ length: 2000 }, () => get(address() + more)) };
    return (await loadOn(server, { ...asked, port: server.port, seconds: time, from: 0 })).perSecond;
  };
  for (const [work, addressOf] of Object.entries(plainOf)) {
    const address = addressOf(tokens.delivery);
    const plain: number[] = [];
    const levels = ["author", "author.team"].map((include) => ({ include, rates: [] as number[], to: [] as number[] }));
    for (const include of ["", "author", "author.team"]) await rate(address, include, 1);
    for (let round = 0; round < rounds; round++) {
      const bare = await rate(address, "");
      plain.push(bare);
      for (const level of levels) {
        const found = await rate(address, level.include);
        level.rates.push(found);
        level.to.push(found / bare);
      }
    }
    lines.push(`| ${work}, ${engine} | ${Math.round(median(plain))} | 1 | |`);
    for (const { include, rates, to } of levels) {
      const [found, ratio] = [Math.round(median(rates)), median(to)];
      const isGoal = work !== "single" && include === "author";
      const says = ratio >= 0.5 && found >= 3000 ? "met" : "missed";
      const goal = isGoal ? `≥ 0.5 and ≥ 3,000 a second: ${says}` : "";
      lines.push(`| with \`include=${include}\` | ${found} | ${ratio.toFixed(2)} | ${goal} |`);
    }
  }
  await stop(server);
  return lines;
}
