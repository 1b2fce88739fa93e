/** Entries: single read, filtered collection at two sizes, create and update, each compared with its baseline. */
import { createsAlone } from "./replay.ts";
import {
  type Asked,
  bareOf,
  get,
  inFolder,
  loadOn,
  measure,
  random,
  startOctavo,
  stop,
  type Yardstick,
} from "./rounds.ts";
import type { Line, Options } from "./scenario.ts";
import { createSamples, createTokens, inStores, sample, type Tokens } from "./store.ts";

const small = 10_000;

export function run({ rounds, seconds, big = 100_000, only }: Options): Promise<Line[]> {
  return inFolder(async (folder) => {
    const tokens = await fill(folder, big);
    const octavo = await startOctavo(folder);
    const bare = bareOf(octavo, folder);
    const alone = createsAlone(folder, 16);
    const plans: [string, Asked, string, Yardstick][] = [
      ["GET one entry, one key, 64 connections", one(tokens, 1), "≥ 0.85 of bare", bare],
      ["GET one entry, 10,000 random keys, 64 connections", one(tokens, small), "≥ 0.85 of bare", bare],
      [`GET 3 conditions, ${small} entries`, filtered(tokens, "small", small), "≥ 5,000/s", bare],
      [`GET 3 conditions, ${big} entries`, filtered(tokens, "big", big), "within 1.5 of the line above", bare],
      ["POST create, 16 connections", creates(tokens), "≥ 0.7 of SQLite alone", alone],
      [
        "POST create, 64 connections",
        { ...creates(tokens), connections: 64 },
        "≥ 0.7 of SQLite alone",
        createsAlone(folder, 64),
      ],
      ["PATCH, 16 connections", patches(tokens), "", alone],
    ];
    const lines: Line[] = [];
    for (const [work, asked, goal, yardstick] of plans.filter(([work]) => work.includes(only))) {
      const plan = { ...asked, port: octavo.port, seconds, from: 0 };
      const ask = (from: number) => loadOn(octavo, { ...plan, from });
      lines.push(await measure({ work, goal, measure: ask, yardstick: () => yardstick(plan) }, rounds));
    }
    await stop(octavo);
    return lines;
  });
}

function fill(folder: string, big: number): Promise<Tokens> {
  return inStores(folder, async (stores) => {
    await createSamples(stores, "small", small);
    await createSamples(stores, "big", big);
    return createTokens(stores, ["entries"]);
  });
}

// ---------------------------------------------------------------------------------------------- requests

export function one({ delivery }: Tokens, keys: number): Asked {
  const requests = Array.from({ length: keys }, (_, i) =>
    get(`/api/entries?id=small/e${keys === 1 ? 42 : i}&token=${delivery}`),
  );
  return { connections: 64, requests: keys === 1 ? requests : requests.sort(() => Math.random() - 0.5) };
}

export function filtered({ delivery }: Tokens, top: string, count: number): Asked {
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

export function written(method: string, { management, access }: Tokens, id: string, data: object): string {
  const body = JSON.stringify({ id, data, token: management, access_token: access });
  return `${method} /api/entries HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: 0\r\n\r\n${body}`;
}

const runId = Date.now().toString(36);
export const creates = (tokens: Tokens): Asked => ({
  connections: 16,
  requests: [written("POST", tokens, `new/${runId}/${random(1e9)}-{n}`, sample(7, 100))],
});
export const patches = (tokens: Tokens): Asked => ({
  connections: 16,
  requests: Array.from({ length: 500 }, (_, i) => written("PATCH", tokens, `small/e${i}`, { rating: "{n}" })),
});
