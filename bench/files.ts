/**
 * Files: small and large uploads and their memory, downloads, reads of metadata, the move of a large folder, each compared
 * with its baseline. Store and baselines are in the system's temporary folder (TMPDIR): if that is in memory, an fsync
 * costs nothing and the results for uploads mean little. MB are 1,000,000 bytes.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bigName, filesIn, fill, jpegHead, many, manyBytes, moving, movingCount, servedBytes } from "./files-fill.ts";
import {
  type Asked,
  bareOf,
  get,
  inFolder,
  loadOn,
  loadOnNew,
  type Measured,
  measure,
  type Row,
  random,
  type Sample,
  type Server,
  startOctavo,
  stop,
  type Yardstick,
} from "./rounds.ts";
import type { Line, Options } from "./scenario.ts";
import { createTokens, inStores, type Tokens } from "./store.ts";

const MB = 1_000_000;
const MiB = 1024 * 1024;
const GiB = 1024 * MiB;

export function run({ rounds, seconds, only }: Options): Promise<Line[]> {
  return inFolder(async (folder) => {
    const tokens = await fill(folder);
    const octavo = await startOctavo(folder);
    const bench = { folder, octavo, tokens, seconds };
    // The first uploads load the format parsers and create the blob folders, which the raw pipe has from its start.
    await loadOn(octavo, { ...uploaded(tokens, 16, manyBytes), port: octavo.port, seconds: 1, from: 0 });
    const rows = [
      ...uploads(bench),
      heavy(bench),
      ...downloads(bench),
      ...descriptions(bench),
      move(bench),
      beside(bench),
    ];
    const lines: Line[] = [];
    for (const row of rows.filter(({ work }) => work.includes(only))) lines.push(await measure(row, rounds));
    await stop(octavo);
    return lines;
  });
}

const byTitle = "filter[order_by][field]=title&filter[order_by][direction]=desc";

type Bench = { folder: string; octavo: Server; tokens: Tokens; seconds: number };

/** A line that puts the same load on the service and on the baseline. `units` is the amount that one request transfers. */
function row(
  { octavo, seconds }: Bench,
  work: string,
  goal: string,
  asked: Asked,
  yardstick: Yardstick,
  units = 1,
): Row {
  const plan = { ...asked, port: octavo.port, seconds, from: 0 };
  return {
    work,
    goal,
    measure: async (from) => inUnits(await loadOn(octavo, { ...plan, from }), units),
    yardstick: async () => inUnits(await yardstick(plan), units),
  };
}

const inUnits = <T extends Measured>(measured: T, units: number): T => ({
  ...measured,
  perSecond: measured.perSecond * units,
  cpuMicros: measured.cpuMicros / units,
});

// ---------------------------------------------------------------------------------------------- uploads

function uploads(bench: Bench): Row[] {
  const [small, large] = [manyBytes, 100 * MB];
  const upload = (connections: number, bytes: number) => uploaded(bench.tokens, connections, bytes);
  const pipe = (commits: 1 | 2) => rawPipe(bench.folder, commits);
  const goal = "≥ 0.7 of the raw pipe";
  return [
    row(bench, "POST 100 KB, 16 connections", goal, upload(16, small), pipe(2)),
    row(bench, "POST 100 KB, 16 connections, pipe with one commit", "", upload(16, small), pipe(1)),
    row(bench, "POST 100 MB, 1 connection, MB", "", upload(1, large), pipe(2), 100),
    row(bench, "POST 100 MB, 2 connections, MB", "", upload(2, large), pipe(2), 100),
  ];
}

const runId = Date.now().toString(36);

/** Forms with a JPEG of about this size, all different. Tokens are in headers, so they are known before the file. */
export function uploaded({ management, access }: Tokens, connections: number, bytes: number): Asked {
  // Lines must not share names: an upload would replace a file instead of creating one.
  const id = `${runId}-${random(1e9)}-{n}`;
  const part = (name: string, more: string, value: string): string =>
    `--bench\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
  const image = `; filename="${id}.jpg"\r\nContent-Type: image/jpeg`;
  const body = `${part("folder", "", "incoming")}${part("file", image, `${jpegHead.toString("latin1")}${id}{filler}`)}--bench--\r\n`;
  const head = [
    "POST /api/files HTTP/1.1",
    "Host: bench",
    `Authorization: Bearer ${management}`,
    `X-Access-Token: ${access}`,
    "Content-Type: multipart/form-data; boundary=bench",
    "Content-Length: 0",
  ].join("\r\n");
  return { connections, requests: [`${head}\r\n\r\n${body}`], fillerBytes: bytes };
}

/** The same requests to raw-pipe.ts, in the same file system. */
function rawPipe(folder: string, commits: 1 | 2): Yardstick {
  return async (plan) => {
    const place = join(folder, `pipe-${random(1e9)}`);
    const measured = await loadOnNew("./raw-pipe.ts", [place, String(commits)], plan);
    rmSync(place, { recursive: true });
    return measured;
  };
}

// ---------------------------------------------------------------------------------------------- memory

/** One upload of 1 GiB to a new service, warmed up by one of 100 MB, and the peak growth of its memory. */
function heavy({ seconds }: Bench): Row {
  const asked = (tokens: Tokens, bytes: number) => ({ ...uploaded(tokens, 1, bytes), port: 0, seconds: 0, from: 0 });
  const units = GiB / MB;
  return {
    work: "POST 1 GiB, 1 connection, MB",
    goal: "adds < 64 MiB",
    measure: () =>
      inFolder(async (folder) => {
        const tokens = await inStores(folder, (stores) => createTokens(stores, ["files"]));
        const octavo = await startOctavo(folder, "--upload-max-bytes", "2GiB");
        // Small ones, too: memory that any service in use takes does not count.
        await loadOn(octavo, { ...asked(tokens, manyBytes), seconds });
        await loadOn(octavo, asked(tokens, 100 * MB));
        const [sample, added] = await withMemory(octavo, () => loadOn(octavo, asked(tokens, GiB)));
        await stop(octavo);
        return { ...inUnits(sample, units), figures: { "MiB added": added } };
      }),
    yardstick: () =>
      inFolder(async (folder) => {
        const nobody = { delivery: "", management: "", access: "", images: "" };
        return inUnits(await rawPipe(folder, 2)(asked(nobody, GiB)), units);
      }),
  };
}

/** The growth of resident memory to its peak, in MiB. */
async function withMemory<T>({ child }: Server, work: () => Promise<T>): Promise<[T, number]> {
  const status = (name: string): number =>
    Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1024;
  // proc(5): 5 resets the peak to the current value; the kernel records it, so no peak is missed.
  writeFileSync(`/proc/${child.pid}/clear_refs`, "5");
  const before = status("VmRSS");
  const result = await work();
  return [result, status("VmHWM") - before];
}

// ---------------------------------------------------------------------------------------------- downloads

function downloads(bench: Bench): Row[] {
  const { folder, octavo } = bench;
  const memory = bareOf(octavo, folder);
  const read: Yardstick = (plan) => loadOnNew("./bare.ts", ["disk", join(folder, "uploads")], plan);
  const stream: Yardstick = (plan) => loadOnNew("./bare.ts", ["stream", join(folder, "uploads")], plan);
  const one = asked(64, [`many/f42.jpg`]);
  const all = asked(64, filesIn("many", many));
  const goal = "≥ 0.5 of bare";
  return [
    row(bench, "GET 100 KB, one file, 64 connections", goal, one, memory),
    row(bench, "GET 100 KB, one file, bare reads the disk", "", one, read),
    row(bench, "GET 100 KB, 1,000 files at random, 64 connections", goal, all, memory),
    row(bench, "GET 100 KB, 1,000 files at random, bare reads the disk", "", all, read),
    row(bench, "GET 100 MB, 2 connections, MB", "", asked(2, [bigName]), stream, servedBytes / MB),
    row(bench, "GET 64 KB of 100 MB, 64 connections, bare reads the disk", "", ranges(), read),
  ];
}

function asked(connections: number, names: string[], ...headers: string[]): Asked {
  const requests = names.map((name) => withHeaders(get(`/project/uploads/${name}`), headers));
  return { connections, requests: requests.sort(() => Math.random() - 0.5) };
}

const withHeaders = (request: string, headers: string[]): string =>
  request.replace("\r\n\r\n", ["", ...headers, "", ""].join("\r\n"));

function ranges(): Asked {
  const bytes = 64 * 1024;
  const requests = Array.from({ length: 1000 }, () => {
    const first = random(servedBytes - bytes);
    return withHeaders(get(`/project/uploads/${bigName}`), [`Range: bytes=${first}-${first + bytes - 1}`]);
  });
  return { connections: 64, requests };
}

// ---------------------------------------------------------------------------------------------- metadata

function descriptions(bench: Bench): Row[] {
  const { folder, octavo, tokens } = bench;
  const bare = bareOf(octavo, folder);
  const of = (connections: number, path: string): Asked => ({
    connections,
    requests: [get(`/api/files?path=${path}&token=${tokens.delivery}`)],
  });
  return [
    row(bench, "GET one file's fields, 64 connections", "", of(64, "many/f42.jpg"), bare),
    row(bench, "GET a folder of 1,000 files, 16 connections", "", of(16, "many"), bare),
    ...listings.map(([name, filter]) =>
      row(bench, `LIST ${name}, 8 connections`, "≥ 1,000 a second", of(8, `many&collection=true&${filter}`), bare),
    ),
  ];
}

/** Lists in the folder of 1,000 files, with their filters. */
const listings: [name: string, filter: string][] = [
  ["20 of 1,000 files", "filter[limit]=20"],
  ["20 of 1,000 files, from the 900th", "filter[limit]=20&filter[offset]=900"],
  ["20 of 1,000 files by title, descending", `${byTitle}&filter[limit]=20`],
  ["20 of 1,000 files by time", "filter[sort_by]=mtime&filter[limit]=20"],
  ["1 of 1,000 files by its title", "filter[where][key]=title&filter[where][expr]=eq&filter[where][value]=f42"],
  ["20 of 1,000 files with total", "filter[limit]=20&filter[total]=1"],
  ["the count of 1,000 files", "filter[return]=count"],
];

// ---------------------------------------------------------------------------------------------- a move

/**
 * A folder is moved there and back in sequence while an entry is read. Rate and p99 are those of the reads, the baseline
 * is the service without moves.
 */
function move({ octavo, tokens, seconds }: Bench): Row {
  const requests = [get(`/api/entries?id=one&token=${tokens.delivery}`)];
  const plan = { connections: 4, requests, port: octavo.port, seconds, from: 0 };
  let path = moving;
  const moveOnce = async (): Promise<number> => {
    const newPath = path === moving ? `${moving}-elsewhere` : moving;
    const startedMs = performance.now();
    await put(octavo, "/api/folders", { path, new_path: newPath }, tokens);
    path = newPath;
    return performance.now() - startedMs;
  };
  return {
    work: `GET one entry while ${movingCount.toLocaleString("en")} files move, 4 connections`,
    goal: "",
    measure: async () => {
      const [sample, times] = await during(loadOn(octavo, plan), moveOnce);
      return { ...sample, figures: { "one move, ms": times[Math.floor(times.length / 2)] as number } };
    },
    yardstick: async () => {
      const still = await loadOn(octavo, plan);
      return { ...still, figures: { "p99 ms without": still.p99Ms } };
    },
  };
}

// ---------------------------------------------------------------------------------------------- beside an upload

/** Uploads of 100 MB, one after the other, while an entry is read; the baseline is the service without them. */
function beside({ octavo, tokens, seconds }: Bench): Row {
  const requests = [get(`/api/entries?id=one&token=${tokens.delivery}`)];
  const plan = { connections: 4, requests, port: octavo.port, seconds, from: 0 };
  let idleMs = 0;
  return {
    work: "GET one entry beside an upload of 100 MB, 4 connections",
    goal: "p99 under 3 × of idle",
    measure: async (from) => {
      idleMs = (await loadOn(octavo, plan)).p99Ms;
      const uploads = loadOn(octavo, { ...uploaded(tokens, 1, 100 * MB), port: octavo.port, seconds, from });
      const sample = await loadOn(octavo, plan);
      const { p50Ms } = await uploads;
      const figures = { "p99 ms idle": idleMs, "p99 × of idle": sample.p99Ms / idleMs, "an upload, ms": p50Ms };
      return { ...sample, figures };
    },
    yardstick: () => loadOn(octavo, plan),
  };
}

// ---------------------------------------------------------------------------------------------- while

/** Repeats the work until the load ends; also answers the work's durations, sorted. */
async function during(load: Promise<Sample>, work: () => Promise<number>): Promise<[Sample, number[]]> {
  let isOver = false;
  const loaded = load.finally(() => {
    isOver = true;
  });
  const times: number[] = [];
  while (!isOver) times.push(await work());
  return [await loaded, times.sort((a, b) => a - b)];
}

async function put({ port }: Server, path: string, body: object, { management, access }: Tokens): Promise<void> {
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "PUT",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ ...body, token: management, access_token: access }),
  });
  if (!reply.ok) throw new Error(`PUT ${path}: ${reply.status} ${await reply.text()}`);
  await reply.arrayBuffer();
}
