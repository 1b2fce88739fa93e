/** Creates the files that the scenario reads and moves. */
import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import type { Path } from "../src/core/path.ts";
import type { File } from "../src/file/file.ts";
import type { Stores } from "../src/stores.ts";
import { uploadFile } from "../src/upload/upload.ts";
import { context, createEntry, createTokens, inStores, sample, type Tokens } from "./store.ts";

export const many = 1000;
export const manyBytes = 100_000;
export const servedBytes = 100_000_000;
export const bigName = "big/f0.jpg";
export const moving = "moving";
export const movingCount = 10_000;
/** The number of blobs for the files of the moved folder: a move changes names only. */
const movingBlobs = 100;

/** The header of a JPEG of 1600 × 1200; an upload does not read the image data after it. */
export const jpegHead = Buffer.from(
  "ffd8ffe000104a46494600010100000100010000" + // start, JFIF
    "ffc0001108" + // frame: 8 bits, height, width, three components
    "04b0064003012200021101031101" +
    "ffda000c03010002110311003f00", // scan
  "hex",
);

export const filesIn = (folder: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${folder}/f${i}.jpg`);

/** 1,000 files of 100 KB in `many`, one of 100 MB in `big`, 10,000 in `moving`, an entry; all linked in the uploads tree. */
export function fill(folder: string): Promise<Tokens> {
  return inStores(folder, async (stores) => {
    await eachOf(many, (n) => upload(stores, "many", n, manyBytes));
    await upload(stores, "big", 0, servedBytes);
    const blobs: File[] = [];
    await eachOf(movingBlobs, async (n) => void blobs.push(await upload(stores, moving, n, 1000)));
    await eachOf(movingCount - movingBlobs, (n) => again(stores, n + movingBlobs, blobs[n % movingBlobs] as File));
    await createEntry(stores, "one", sample(7, 100));
    await stores.rebuildUploads?.(() => undefined);
    return createTokens(stores, ["entries", "files", "folders"]);
  });
}

/** Runs `work` for 0, 1, 2…, several concurrently, so that their writes share commits. */
async function eachOf(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let n = next++; n < count; n = next++) await work(n);
  };
  await Promise.all(Array.from({ length: 64 }, worker));
}

const rules = { hasSafeNames: true, extensions: ["jpg"], maxPixels: 1e9, refusesCorruptImages: false };

const named = (folder: string, n: number) => ({
  folder: folder as Path,
  onConflict: "fail" as const,
  title: undefined,
  description: undefined,
  fileName: `f${n}.jpg`,
});

async function upload(stores: Stores, folder: string, n: number, bytes: number): Promise<File> {
  const content = Buffer.concat([jpegHead, randomBytes(bytes - jpegHead.length)]);
  const staged = await stores.blobs.stage(Readable.from([content]), bytes);
  const file = await uploadFile(stores, staged, named(folder, n), rules, {
    ...context,
    nowSeconds: 1 + n,
  });
  await staged.discard();
  return file;
}

/** A file with the same bytes and another name. */
async function again(stores: Stores, n: number, { type, hash, size, image }: File): Promise<File | null> {
  const { fileName: name, folder, ...rest } = named(moving, n);
  const { generation } = await stores.ledger.keep(hash, size, context.nowSeconds);
  return stores.files.put(folder, { ...rest, name, type, hash, generation, size, image }, context);
}
