import assert from "node:assert/strict";
import { test } from "node:test";
import type { Path } from "../../src/core/path.ts";
import { parseMetaChange } from "../../src/file/meta.ts";
import { at, openUploads, type Uploads } from "./uploads.ts";

/** Files are cached in memory, and writes of another process must be visible. */

const path = (text: string) => text as Path;
const [file, folder, other] = [path("a/x.txt"), path("a"), path("c")];
const retitle = parseMetaChange("update", "title", "new");

/** The title and size afterwards, by path. */
type Found = Record<string, string>;
const cases: [name: string, write: (uploads: Uploads["store"], all: Uploads) => Promise<unknown>, now: Found][] = [
  ["an upload to its path", (_, all) => all.upload("a/x.txt", "22"), { "a/x.txt": "x 2" }],
  ["a change", ({ files }) => files.change(file, retitle, at(2)), { "a/x.txt": "new 1" }],
  [
    "its move",
    ({ files }) => files.move(file, { newPath: path("b.txt"), extensions: ["txt"] }, at(2)),
    { "b.txt": "x 1" },
  ],
  ["its delete", ({ files }) => files.delete(file, { to: "trash" }, at(2)), {}],
  ["its folder's move", ({ folders }) => folders.move(folder, { newPath: other }, at(2)), { "c/x.txt": "x 1" }],
  ["its folder's delete", ({ folders }) => folders.delete(folder, { to: "trash" }, at(2)), {}],
  [
    "a move away, a copy back and a change",
    async ({ folders, files }) => {
      await folders.move(folder, { newPath: other }, at(2));
      await files.copy(path("c/x.txt"), { newPath: file, extensions: ["txt"] }, at(3));
      await files.change(file, retitle, at(4));
    },
    { "a/x.txt": "new 1", "c/x.txt": "x 1" },
  ],
];

for (const [name, write, now] of cases) {
  test(`a cached file is reloaded after ${name} in another process`, async (t) => {
    const here = await openUploads();
    const there = await openUploads(here.folder);
    t.after(() => Promise.all([here, there].flatMap(({ store, blobs }) => [store.close(), blobs.close()])));
    await here.upload("a/x.txt", "1");
    const find = async (): Promise<Found> => {
      const found = ["a/x.txt", "b.txt", "c/x.txt"].map(async (each) => here.store.files.find(path(each)));
      const files = (await Promise.all(found)).filter((each) => each !== undefined);
      return Object.fromEntries(files.map((each) => [each.path, `${each.title} ${each.size}`]));
    };
    assert.deepEqual(await find(), { "a/x.txt": "x 1" });
    await write(there.store, there);
    // All reads of one turn of the event loop see one state.
    await new Promise(setImmediate);
    assert.deepEqual(await find(), now);
  });
}
