/**
 * Images: rendered and cached ones compared with their baselines, the memory of rendering, and its effect on reads of
 * entries. `--big N` is the number of renditions of the memory lines: 300, or 2,000 for the goal. Processor time includes
 * the rendering processes, except for entries, where it is that of the service alone. MB are 1,000,000 bytes.
 */
import { join } from "node:path";
import { defaultQuality } from "../src/image/modifier.ts";
import type { SharpJob, SharpPlan, SharpResult } from "./bare-sharp.ts";
import {
  allCopies,
  costlySvg,
  image,
  large,
  makeOthers,
  makePictures,
  mixedSources,
  plainSources,
  plant,
  randomRenditions,
  type Source,
  small,
  widthJobs,
} from "./images-fill.ts";
import { familyCpuMicrosOf, type Memory, watchMemory } from "./processes.ts";
import {
  askChild,
  bareOf,
  get,
  inFolder,
  loadAnyhow,
  loadOn,
  type Measured,
  measure,
  type Row,
  type Sample,
  type Server,
  startOctavo,
  stop,
} from "./rounds.ts";
import type { Line, Options } from "./scenario.ts";
import type { Tokens } from "./store.ts";

/** The defaults of render_workers and render_queue_max. */
const workers = 2;
const queueMax = 100;
/** That of rendering processes. */
const niceness = 10;

type Bench = { folder: string; pictures: string; octavo: Server; tokens: Tokens; seconds: number };

export function run({ rounds, seconds, big = 300, only }: Options): Promise<Line[]> {
  return inFolder(async (pictures) => {
    await makePictures(pictures);
    const lines: Line[] = [];
    await inFolder(async (folder) => {
      const tokens = await plant(folder, pictures, allCopies);
      const octavo = await startOctavo(folder);
      const bench = { folder, pictures, octavo, tokens, seconds };
      const rows = [
        ...(["jpg", "webp", "avif"] as const).flatMap((format) => [
          uncached(bench, large, "24 MP", format),
          uncached(bench, small, "2 MP", format),
        ]),
        await cached(bench),
        entries(bench),
        ...(["webp", "gif", "avif", "png"] as const).map((format) => whole(bench, format)),
        besideSvg(bench),
      ];
      for (const row of rows.filter(({ work }) => work.includes(only))) lines.push(await measure(row, rounds));
      await stop(octavo);
    });
    const plans = [
      memory(pictures, plainSources, big, "24 MP JPEG"),
      memory(pictures, mixedSources, big, "24 MP mixed"),
    ];
    for (const { row, curve } of plans.filter(({ row }) => row.work.includes(only))) {
      // One round: its length is a number of renditions.
      const line = await measure(row, 1);
      lines.push({ ...line, note: `${line.note}, curve in MB ${curve().join(" ")}` });
    }
    return lines;
  });
}

// ---------------------------------------------------------------------------------------------- drawn

/** Renditions that were never requested, alternating with a loop of sharp that renders the same. */
function uncached(
  { folder, pictures, octavo, tokens, seconds }: Bench,
  source: Source,
  name: string,
  format: SharpJob["format"],
): Row {
  const connections = 4;
  let next = 0;
  let jobs: SharpJob[] = [];
  const load = async (least: number): Promise<Sample> => {
    jobs = widthJobs(source, next).map((job) => ({ ...job, format }));
    const requests = jobs.map(({ source, width }) => image(source, `w=${width}&fm=${format}`, tokens));
    const plan = { connections, requests, port: octavo.port, seconds: least, from: 0 };
    const sample = await loadAnyhow(octavo, plan, familyCpuMicrosOf);
    if (sample.failures > 0 || sample.requests > requests.length) throw new Error("a rendition failed, or came twice");
    next += sample.requests;
    return sample;
  };
  return {
    work: `GET ${name} JPEG${format === "jpg" ? "" : ` as ${format}`}, distinct widths, ${connections} connections`,
    goal: "≥ 0.95 of sharp alone",
    measure: async () => {
      await load(0);
      return load(seconds);
    },
    yardstick: () => sharpAlone(pictures, folder, jobs, seconds),
  };
}

/**
 * Sharp alone, two images at a time, at the priority of the service's rendering processes: what runs beside it takes
 * the same share from both. The sources of its jobs are files of `pictures`.
 */
async function sharpAlone(pictures: string, folder: string, jobs: SharpJob[], seconds: number): Promise<Measured> {
  const plan: SharpPlan = {
    jobs: jobs.map((job) => ({ ...job, source: join(pictures, job.source) })),
    ...{ warmUp: 4, atOnce: workers, quality: defaultQuality, seconds, folder },
  };
  const { perSecond, cpuMicros, maxResident } = await askChild<SharpResult>("./bare-sharp.ts", plan, niceness);
  return { perSecond, cpuMicros, figures: { "sharp alone MB": maxResident } };
}

// ---------------------------------------------------------------------------------------------- costly

/** A whole photograph in another format, one after the other; the only baseline is the limit of 10 s. */
function whole({ octavo, tokens }: Bench, format: string): Row {
  const count = 3;
  let next = 0;
  let last: Sample | undefined;
  return {
    work: `GET 24 MP JPEG whole as ${format}, 1 connection`,
    goal: "none refused: under 10 s of processor time, 805 MB",
    measure: async () => {
      // Narrower by some pixels each time: a rendition that was never requested.
      const widths = Array.from({ length: count }, () => large.width - next++);
      const requests = widths.map((w) => image("large-0.jpg", `w=${w}&fm=${format}`, tokens));
      const plan = { connections: 1, requests, count, port: octavo.port, seconds: 0, from: 0 };
      const work = () => loadAnyhow(octavo, plan, familyCpuMicrosOf);
      const [sample, memories] = await watchMemory(octavo.child.pid as number, work);
      const most = Math.max(...memories.map(({ resident }) => resident));
      last = { ...sample, figures: { "max MB with the service": most, ...failuresOf(sample) } };
      return last;
    },
    yardstick: async () => last as Sample,
  };
}

/** Small images while two SVGs use their whole time limit, repeatedly; the baseline is the same load without them. */
function besideSvg({ octavo, tokens, seconds }: Bench): Row {
  let next = 0;
  const pictures = (): Promise<Sample> => {
    const jobs = widthJobs(small, 4000 + next);
    next += 400;
    const requests = jobs.slice(0, 400).map(({ source, width }) => image(source, `h=${width}`, tokens));
    const plan = { connections: 1, requests, port: octavo.port, seconds, from: 0 };
    return loadAnyhow(octavo, plan, familyCpuMicrosOf);
  };
  let p99Ms = 0;
  return {
    work: "GET 2 MP JPEG while two costly SVGs are asked for, 1 connection",
    goal: "p99 under 2 × of without",
    measure: async () => {
      const requests = Array.from({ length: 100 }, (_, n) => image(costlySvg, `w=${3000 + next + n}`, tokens));
      const flood = { connections: 2, requests, port: octavo.port, seconds: seconds + 1, from: 0 };
      const flooding = loadAnyhow(octavo, flood, familyCpuMicrosOf);
      await new Promise((resolve) => setTimeout(resolve, 500));
      const sample = await pictures();
      await flooding;
      p99Ms = sample.p99Ms;
      return { ...sample, figures: failuresOf(sample) };
    },
    yardstick: async () => {
      const alone = await pictures();
      return { ...alone, figures: { "p99 ms without": alone.p99Ms, "p99 × of without": p99Ms / alone.p99Ms } };
    },
  };
}

// ---------------------------------------------------------------------------------------------- kept

const keptBytes = 20_000;

async function cached({ folder, octavo, tokens, seconds }: Bench): Promise<Row> {
  const request = await requestOf(octavo, tokens);
  const plan = { connections: 64, requests: [request], port: octavo.port, seconds, from: 0 };
  return {
    work: "GET 20 KB kept, 64 connections",
    goal: "≥ 0.5 of bare",
    measure: () => loadOn(octavo, plan),
    yardstick: () => bareOf(octavo, folder)(plan),
  };
}

/** A request for the narrowest rendition of `keptBytes` or more, which is then rendered and cached. */
async function requestOf({ port }: Server, tokens: Tokens): Promise<string> {
  for (let width = 100; width < 400; width += 5) {
    const request = image("small-0.jpg", `w=${width}`, tokens);
    const [, path] = request.split(" ");
    const reply = await fetch(`http://127.0.0.1:${port}${path}`);
    if (!reply.ok) throw new Error(`GET ${path}: ${reply.status} ${await reply.text()}`);
    if ((await reply.arrayBuffer()).byteLength >= keptBytes) return request;
  }
  throw new Error(`no rendition of ${keptBytes} bytes`);
}

// ---------------------------------------------------------------------------------------------- entries

/**
 * An entry is read while as many images are requested as can be rendered and queued: the queue is full and none is
 * refused, since refusals would be work for the service instead of the renderer. The baseline is the service without
 * images.
 */
function entries({ octavo, tokens, seconds }: Bench): Row {
  const requests = [get(`/api/entries?id=one&token=${tokens.delivery}`)];
  const plan = { connections: 16, requests, port: octavo.port, seconds, from: 0 };
  // Heights, so that they differ from the other lines, which use widths.
  let next = 0;
  const flood = async (): Promise<Sample> => {
    const jobs = widthJobs(large, next);
    const asked = jobs.map(({ source, width }) => image(source, `h=${width}`, tokens));
    const rest = { connections: workers + queueMax, port: octavo.port, seconds: seconds + 2, from: 0 };
    const sample = await loadAnyhow(octavo, { ...rest, requests: asked });
    next += sample.requests;
    return sample;
  };
  let p99Ms = 0;
  return {
    work: "GET one entry while the queue of images is full, 16 connections",
    goal: "p99 under 5 × of idle",
    measure: async () => {
      const flooding = flood();
      await new Promise((resolve) => setTimeout(resolve, 1000));
      const sample = await loadOn(octavo, plan);
      const images = await flooding;
      p99Ms = sample.p99Ms;
      return { ...sample, figures: { "images per second": images.perSecond, ...failuresOf(images) } };
    },
    yardstick: async () => {
      const idle = await loadOn(octavo, plan);
      return { ...idle, figures: { "p99 ms idle": idle.p99Ms, "p99 × of idle": p99Ms / idle.p99Ms } };
    },
  };
}

// ---------------------------------------------------------------------------------------------- memory

/** Random renditions of a new service; the baseline renders the same sizes without effects. */
function memory(pictures: string, names: string[], count: number, name: string): { row: Row; curve(): number[] } {
  const renditions = randomRenditions(names, count);
  let seen: Memory[] = [];
  const row: Row = {
    work: `GET ${count.toLocaleString("en")} random renditions of ${name}, 16 connections`,
    goal: "max MB < 600 with --big 2000",
    measure: () =>
      inFolder(async (folder) => {
        if (names === mixedSources) await makeOthers(pictures);
        const tokens = await plant(folder, pictures, names);
        const octavo = await startOctavo(folder);
        const requests = renditions.map(({ source, query }) => image(source, query, tokens));
        const plan = { connections: 16, requests, count, port: octavo.port, seconds: 0, from: 0 };
        const work = () => loadAnyhow(octavo, plan, familyCpuMicrosOf);
        const [sample, memories] = await watchMemory(octavo.child.pid as number, work);
        await stop(octavo);
        seen = memories;
        const most = (pick: (memory: Memory) => number): number => Math.max(...memories.map(pick));
        const [max, once] = [most(({ resident }) => resident), most(({ proportional }) => proportional)];
        return { ...sample, figures: { "max MB": max, "shared pages counted once": once, ...failuresOf(sample) } };
      }),
    yardstick: () => inFolder((folder) => sharpAlone(pictures, folder, renditions, count / 20)),
  };
  return { row, curve: () => curveOf(seen.map(({ resident }) => resident)) };
}

const failuresOf = ({ failures, statuses }: Sample): Record<string, number> => ({
  failed: failures,
  ...Object.fromEntries(Object.entries(statuses).map(([status, count]) => [`with ${status}`, count])),
});

/** Ten points: the maximum of each tenth. */
function curveOf(values: number[]): number[] {
  const tenth = Math.max(1, values.length / 10);
  const parts = Array.from({ length: 10 }, (_, i) => values.slice(Math.floor(i * tenth), Math.ceil((i + 1) * tenth)));
  return parts.filter((part) => part.length > 0).map((part) => Math.round(Math.max(...part)));
}
