import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import sharp from "sharp";
import { atEnd } from "../../test/ending.ts";
import { at, openUploads, rules, type Uploads } from "../../test/ports/uploads.ts";
import type { Path } from "../core/path.ts";
import { type UploadRequest, type UploadRules, uploadFile } from "./upload.ts";

let uploads: Uploads;
const png = await sharp({ create: { width: 3, height: 2, channels: 3, background: "red" } })
  .png()
  .toBuffer();
/** The start of a JPEG, before its size. */
const jpegHead = (await sharp(png).jpeg().toBuffer()).subarray(0, 20);

before(async () => {
  uploads = await openUploads();
});
atEnd(() => uploads.store.close());

type Given = {
  name: string;
  bytes: string | Buffer;
  request?: Partial<UploadRequest>;
  rules?: Partial<UploadRules>;
  ifMatch?: string;
};

async function* streamOf(bytes: string | Buffer): AsyncIterable<Uint8Array> {
  yield Buffer.from(bytes);
}

async function upload({ name, bytes, request = {}, rules: others = {}, ifMatch }: Given, files = uploads.store.files) {
  const { blobs, store } = uploads;
  const staged = await blobs.stage(streamOf(bytes), 1e6);
  const texts = { title: undefined, description: undefined };
  const full = { folder: "" as Path, fileName: name, onConflict: "fail", ...texts, ...request } as const;
  try {
    return await uploadFile(
      { files, ledger: store.ledger, blobs },
      staged,
      full,
      { ...rules, ...others },
      { ...at(1000), ifMatch },
    );
  } finally {
    await staged.discard();
  }
}

const read = async (hash: string, size: number) => Buffer.from((await uploads.blobs.open(hash, size)) as Uint8Array);

/** The hashes of all blobs, the bytes in the ledger, and the number of files. */
async function stored(): Promise<[string[], number, number]> {
  const { ledger, files } = uploads.store;
  return [(await Array.fromAsync(uploads.blobs.list())).sort(), await ledger.size(), await files.count()];
}

const accepted: [what: string, given: Given, expected: { path: string; type: string; image?: string }][] = [
  ["a text", { name: "One Two.TXT", bytes: "one" }, { path: "One Two.txt", type: "text/plain" }],
  [
    "a safe name",
    { name: "Three Four.TXT", bytes: "three", rules: { hasSafeNames: true } },
    { path: "three-four.txt", type: "text/plain" },
  ],
  ["an image", { name: "red.png", bytes: png }, { path: "red.png", type: "image/png", image: "3 × 2" }],
  [
    "an image of exactly the permitted size",
    { name: "limit.png", bytes: png, rules: { maxPixels: 6 } },
    { path: "limit.png", type: "image/png", image: "3 × 2" },
  ],
  ["an image without a readable size", { name: "cut.jpg", bytes: jpegHead }, { path: "cut.jpg", type: "image/jpeg" }],
  [
    "a folder that does not exist",
    { name: "a.txt", bytes: "one", request: { folder: "new/folder" as Path } },
    { path: "new/folder/a.txt", type: "text/plain" },
  ],
];

describe("an upload is stored with its detected type", () => {
  for (const [what, given, { path, type, image }] of accepted) {
    test(what, async () => {
      const file = await upload(given);
      const size = file.image && `${file.image.width} × ${file.image.height}`;
      assert.deepEqual([file.path, file.type, size], [path, type, image]);
      assert.deepEqual(await read(file.hash, file.size), Buffer.from(given.bytes));
    });
  }
});

const refused: [what: string, given: Given, code: string][] = [
  ["an extension that is not accepted", { name: "a.exe", bytes: "refused 1" }, "file_type_refused"],
  ["bytes that do not match the extension", { name: "a.png", bytes: "refused 2" }, "file_type_refused"],
  ["too many pixels", { name: "b.png", bytes: pngWith("2"), rules: { maxPixels: 5 } }, "image_too_large"],
  [
    "an unreadable size, if these are refused",
    { name: "c.jpg", bytes: jpegHead.subarray(0, 19), rules: { refusesCorruptImages: true } },
    "image_unreadable",
  ],
  ["a taken name", { name: "One Two.TXT", bytes: "refused 3" }, "file_exists"],
  [
    "an outdated ETag",
    { name: "One Two.TXT", bytes: "refused 4", request: { onConflict: "replace" }, ifMatch: '"999-0"' },
    "revision_mismatch",
  ],
  ["a name with an encoded slash", { name: "a%2fb.txt", bytes: "refused 5" }, "path_invalid"],
];

describe("a refused upload leaves neither a row nor bytes", () => {
  for (const [what, given, code] of refused) {
    test(what, async () => {
      const before = await stored();
      await assert.rejects(upload(given), { code });
      assert.deepEqual(await stored(), before);
      assert.deepEqual(readdirSync(join(uploads.folder, "tmp")), []);
    });
  }
});

test("a refused upload keeps bytes that a file has", async () => {
  const file = await upload({ name: "shared.txt", bytes: "shared" });
  await assert.rejects(upload({ name: "shared.txt", bytes: "shared" }), { code: "file_exists" });
  assert.equal(String(await read(file.hash, file.size)), "shared");
});

test("an upload whose bytes are swept each time before its row is written is busy", async () => {
  const { store } = uploads;
  let sweeps = 0;
  const put: typeof store.files.put = async (...args) => {
    sweeps += await store.ledger.sweep(2000);
    return store.files.put(...args);
  };
  const files = Object.assign(Object.create(store.files) as typeof store.files, { put });
  const before = await stored();
  await assert.rejects(upload({ name: "swept.txt", bytes: "swept" }, files), { code: "busy" });
  assert.equal(sweeps, 5);
  assert.deepEqual(await stored(), before);
});

/** A PNG with the same pixels and other bytes. */
function pngWith(text: string): Buffer {
  return Buffer.concat([png, Buffer.from(text)]);
}
