/**
 * How one being goes through the house: the functions of the service that a request calls, the rooms that these are in, and
 * how often a lower layer calls a higher one (`climbs`), with the callers that do. Counted by the engine: each walk is taken
 * some hundred times, and a function that is called in each of them is one of it. Of the thread that answers, not of the
 * store's. The layers are those of docs/ARCHITECTURE.md.
 */
import { Session } from "node:inspector/promises";
import { join } from "node:path";
import { build } from "../src/app.ts";
import { writeBackup } from "../src/backup/backup.ts";
import { TarWriter } from "../src/backup/tar/backup.ts";
import { readSettings } from "../src/settings.ts";
import { kindOf } from "../test/house/layers.ts";
import { inFolder } from "./rounds.ts";
import type { Options } from "./scenario.ts";
import { createSamples, createTokens, inStores, type Tokens } from "./store.ts";

type Walk = { name: string; take(n: number): Promise<unknown>; before?(n: number): Promise<unknown> };
type Place = { functionName: string; url: string };
type Sheet = { name: string; stays: number; rooms: number; climbs: string[]; steepest: string[] };

const root = new URL("../", import.meta.url).href;
const fileOf = ({ url }: Place): string => url.slice(root.length);
const isOwn = ({ url, functionName }: Place): boolean => url.startsWith(`${root}src/`) && functionName !== "";

/** From the ground up; layers of one number are side by side. */
const height: Record<string, number> = {
  ...{ "core/lib": 0, core: 1, "core/access": 2, "core/list": 2, "core/bytes": 2 },
  ...{ "core/bytes/disk": 3, "core/bytes/s3": 3, "core/sql": 3, "core/sql/engine": 3, "core/sql/index": 3 },
  ...{ "core/sql/list": 3, "core/http": 3, rules: 4, "row-rules": 5, rows: 5, routes: 6, store: 6, service: 7 },
};
const heightOf = (file: string): number => height[kindOf(file)] ?? 8;

export function run({ only }: Options, remark: (text: string) => void): Promise<string> {
  remark(
    "Stays: functions that a walk calls. Rooms: the folders of these. Climbs: calls of a lower layer into a higher one, those of the handler of a route and of a port among them.",
  );
  return inFolder(async (folder) => {
    const data = join(folder, "data");
    const tokens = await inStores(data, async (stores) => {
      await createSamples(stores, "top", 2000);
      return createTokens(stores, ["entries", "files", "folders"]);
    });
    const settings = readSettings({
      flags: { port: "0", log: "off", data, locales: "en,de" },
      env: {},
      file: undefined,
    });
    const app = await build(settings);
    try {
      const sheets: Sheet[] = [];
      const all = walks(app.url, tokens, async (n) => {
        const about = { version: "0", nowSeconds: 1 };
        const writer = await TarWriter.create(join(folder, `${n}.tar`), 1);
        await writeBackup(app.stores, writer, about, () => undefined);
      });
      for (const walk of all.filter(({ name }) => name.includes(only))) sheets.push(await sheetOf(walk));
      return format(sheets);
    } finally {
      await app.close();
    }
  });
}

function walks(url: string, tokens: Tokens, backup: (n: number) => Promise<void>): Walk[] {
  const { management: token, access: access_token } = tokens;
  const write = async (method: string, path: string, body: object): Promise<void> => {
    const headers = { "Content-Type": "application/json" };
    await ok(await fetch(`${url}${path}`, { method, headers, body: JSON.stringify({ token, access_token, ...body }) }));
  };
  const read = async (path: string): Promise<void> => ok(await fetch(`${url}${path}&token=${tokens.delivery}`));
  const text = (n: number) => `Number ${n} of these`;
  const translate = (n: number) =>
    write("PATCH", "/api/entries/translations", { id: `top/e${n}`, locale: "de", data: { title: text(n) } });
  const stage = (n: number) =>
    write("PATCH", "/api/entries/staged", { id: `top/e${n}`, locale: "de", data: { title: `${text(n)}, too` } });
  return [
    { name: "a create", take: (n) => write("POST", "/api/entries", { id: `new/e${n}`, data: { title: text(n) } }) },
    { name: "a read of one", take: (n) => read(`/api/entries?id=top/e${n}`) },
    {
      name: "a list in a locale",
      take: (n) =>
        read(
          `/api/entries?id=top&filter[where][0][key]=rating&filter[where][0][value]=${n % 6}&filter[where][0][expr]=eq&filter[limit]=20&filter[offset]=${n}&filter[order_by][field]=price&locale=de`,
        ),
    },
    { name: "a search", take: (n) => read(`/api/entries/search?q=number+${n}&locale=de`) },
    {
      name: "an upload",
      take: async (n) => {
        const form = new FormData();
        for (const [key, value] of Object.entries({ token, access_token, folder: "" })) form.set(key, value);
        form.set("file", new File([text(n)], `${n}.txt`, { type: "text/plain" }));
        await ok(await fetch(`${url}/api/files`, { method: "POST", body: form }));
      },
    },
    {
      name: "a translation's publish",
      before: async (n) => {
        await translate(n);
        await stage(n);
      },
      take: (n) => write("POST", "/api/entries/publish", { id: `top/e${n}`, locale: "de" }),
    },
    {
      name: "an operation of a batch",
      take: (n) =>
        write("POST", "/api/batch", {
          operations: [{ method: "POST", path: "/api/entries", body: { id: `batch/e${n}`, data: { title: text(n) } } }],
        }),
    },
    { name: "a backup", take: backup },
  ];
}

async function ok(reply: Response): Promise<void> {
  const text = await reply.text();
  if (!reply.ok) throw new Error(text);
}

/** How often a walk is taken. */
const [warm, times] = [20, 200];

async function sheetOf({ name, take, before = async () => undefined }: Walk): Promise<Sheet> {
  for (let n = 0; n < warm + times; n++) await before(n);
  for (let n = 0; n < warm; n++) await take(n);
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: 50 });
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await session.post("Profiler.takePreciseCoverage");
  await session.post("Profiler.start");
  for (let n = warm; n < warm + times; n++) await take(n);
  const { profile } = await session.post("Profiler.stop");
  const { result } = await session.post("Profiler.takePreciseCoverage");
  session.disconnect();
  const called = result.flatMap(({ url, functions }) =>
    functions
      .filter(({ ranges }) => (ranges[0]?.count ?? 0) >= times)
      .map(({ functionName }) => ({ url, functionName }))
      .filter(isOwn),
  );
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const climbs = new Set<string>();
  let steepest: string[] = [];
  const go = (id: number, above: Place | undefined, way: string[]): void => {
    const node = nodes.get(id);
    if (!node) return;
    const place = node.callFrame;
    const isStay = isOwn(place) && kindOf(fileOf(place)) !== "core/lib";
    let here = way;
    if (above && isStay && heightOf(fileOf(place)) > heightOf(fileOf(above))) {
      here = [...way, `${fileOf(above).slice(4)} → ${fileOf(place).slice(4)}`];
      climbs.add(here.at(-1) as string);
      if (here.length > steepest.length) steepest = here;
    }
    for (const child of node.children ?? []) go(child, isStay ? place : above, here);
  };
  go(profile.nodes[0]?.id ?? 0, undefined, []);
  const folders = new Set(called.map((place) => fileOf(place).replace(/\/[^/]*$/, "")));
  return { name, stays: called.length, rooms: folders.size, climbs: [...climbs].sort(), steepest };
}

function format(sheets: readonly Sheet[]): string {
  const rows = sheets.map(
    ({ name, stays, rooms, climbs, steepest }) =>
      `| ${name} | ${stays} | ${rooms} | ${climbs.length} | ${steepest.length} |`,
  );
  const ways = sheets.map(
    ({ name, climbs, steepest }) =>
      `* ${name}, steepest ${steepest.map((way) => `\`${way}\``).join(", ")}; all: ${climbs.map((way) => `\`${way}\``).join(", ") || "none"}`,
  );
  return `| walk | stays | rooms | climbs | in one stack |\n|---|--:|--:|--:|--:|\n${rows.join("\n")}\n\nWhere it climbs:\n\n${ways.join("\n")}`;
}
