/**
 * What cache groups cost: reads of entries, lists and includes with the setting `cache_groups` beside the same reads without
 * it, by two services on stores of the same entries. `--only TEXT` runs the lines that hold the text.
 */
import { join } from "node:path";
import { type Asked, get, inFolder, loadOn, measure, type Server, startOctavoWith, stop } from "./rounds.ts";
import type { Line, Options } from "./scenario.ts";
import { createEntry, createTokens, inStores, sample, type Tokens } from "./store.ts";

const [count, lists] = [2000, 100];

type Site = { server: Server; tokens: Tokens };

async function startSite(folder: string, env: Record<string, string>): Promise<Site> {
  const tokens = await inStores(folder, async (stores) => {
    for (let n = 0; n < count; n++)
      await createEntry(stores, `blog/${n % lists}/${n}`, { ...sample(n, count), to: `blog/1/${(n + 1) % count}` });
    return createTokens(stores, ["entries"]);
  });
  return { server: await startOctavoWith(env, folder), tokens };
}

const asked = (path: (n: number) => string, requests: number) => {
  return ({ delivery }: Tokens): Asked => ({
    connections: 16,
    requests: Array.from({ length: requests }, (_, n) => get(`/api/entries?token=${delivery}&${path(n)}`)),
  });
};
const works: [name: string, ask: (tokens: Tokens) => Asked][] = [
  ["entries", asked((n) => `id=blog/${n % lists}/${n}`, count)],
  ["lists of 20", asked((n) => `id=blog/${n}&filter`, lists)],
  ["entries with one included", asked((n) => `id=blog/${n % lists}/${n}&include=to`, count)],
];

export function run({ rounds, seconds, only }: Options): Promise<Line[]> {
  return inFolder(async (folder) => {
    const off = await startSite(join(folder, "off"), {});
    const on = await startSite(join(folder, "on"), { OCTAVO_CACHE_GROUPS: "xkey" });
    const lines: Line[] = [];
    for (const [name, ask] of works.filter(([name]) => name.includes(only))) {
      const load = ({ server, tokens }: Site, from: number) =>
        loadOn(server, { ...ask(tokens), port: server.port, seconds, from });
      const row = { work: `${name}, cache_groups=xkey`, goal: "", measure: (from: number) => load(on, from) };
      for (const site of [off, on]) await load(site, 0);
      lines.push(await measure({ ...row, yardstick: () => load(off, 0) }, rounds));
    }
    for (const { server } of [off, on]) await stop(server);
    return lines;
  });
}
