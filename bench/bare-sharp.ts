/**
 * The baseline for images: sharp in a plain loop, from file to file, with a fixed concurrency. Run as a child process:
 * reads a SharpPlan on its IPC channel, answers a SharpResult. The warm-up is not measured.
 */
import sharp, { type Sharp } from "sharp";

export type SharpJob = { source: string; width: number; height: number; format: "jpg" | "png" | "webp" | "avif" };
export type SharpPlan = {
  jobs: SharpJob[];
  /** The number of warm-up jobs, which are not measured. */
  warmUp: number;
  atOnce: number;
  seconds: number;
  quality: number;
  /** The output folder; results overwrite earlier ones. */
  folder: string;
};
export type SharpResult = { perSecond: number; cpuMicros: number; maxResident: number };

process.on("message", (plan: SharpPlan) => {
  void run(plan).then((result) => process.send?.(result));
});

async function run(plan: SharpPlan): Promise<SharpResult> {
  await loop(plan, plan.jobs.slice(0, plan.warmUp), Number.POSITIVE_INFINITY);
  const before = process.cpuUsage();
  const startedMs = performance.now();
  const count = await loop(plan, plan.jobs.slice(plan.warmUp), startedMs + plan.seconds * 1000);
  const seconds = (performance.now() - startedMs) / 1000;
  const { user, system } = process.cpuUsage(before);
  const maxResident = process.resourceUsage().maxRSS * 0.001024;
  return { perSecond: count / seconds, cpuMicros: (user + system) / count, maxResident };
}

const encoders: Record<SharpJob["format"], (image: Sharp, quality: number) => Sharp> = {
  jpg: (image, quality) => image.jpeg({ quality }),
  png: (image) => image.png(),
  webp: (image, quality) => image.webp({ quality }),
  // As src/image/sharp/pipeline.ts for up to 2 megapixels.
  avif: (image, quality) => image.avif({ quality, effort: 2, chromaSubsampling: "4:4:4" }),
};

/** Answers the number of finished jobs. */
async function loop({ atOnce, folder, quality }: SharpPlan, jobs: SharpJob[], endMs: number): Promise<number> {
  let next = 0;
  const worker = async (_: unknown, place: number): Promise<void> => {
    while (next < jobs.length && performance.now() < endMs) {
      const { source, width, height, format } = jobs[next++] as SharpJob;
      const image = sharp(source, { failOn: "error" }).resize(width, height, { fit: "fill" });
      await encoders[format](image, quality).toFile(`${folder}/bare-${place}.${format}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return next;
}
