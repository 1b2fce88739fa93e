// Slow: random writes and lists on both engines.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { standardExtensions } from "../../src/core/bytes/media-type.ts";
import { type JsonObject, parseJson } from "../../src/core/lib/json.ts";
import { isWithin, nameOf, type Path, parentOf } from "../../src/core/path.ts";
import { Problem } from "../../src/core/problem.ts";
import type { SqlStore } from "../../src/database.ts";
import type { File } from "../../src/file/file.ts";
import type { Folder } from "../../src/file/folder.ts";
import { parseMetaChange } from "../../src/file/meta.ts";
import { fc } from "../fast-check.ts";
import { orLong } from "../long.ts";
import { plainFilePages, plainFolderPages, storeFilePages, storeFolderPages } from "../plain-collection.ts";
import { engines } from "../ports/engines.ts";
import { data, queries } from "./query.ts";

/** Lists of files and folders equal the domain's result after any writes. Decision 7. */

const folders = ["", "a", "a/b", "a-b", "c"];
const names = ["15.jpg", "2.png", "z.txt", "Z.txt", "1e1.txt", "\u00e9.txt", "a.txt"];
const at = fc.tuple(fc.constantFrom(...folders), fc.constantFrom(...names)).map(([above, name]) => below(above, name));
const written = fc.record({
  path: at,
  title: fc.option(fc.constantFrom("", "15", "15.0", "b", "x".repeat(300)), { nil: undefined }),
  size: fc.constantFrom(0, 1, 15),
  width: fc.option(fc.constantFrom(1, 15), { nil: undefined }),
  meta: data,
  nowSeconds: fc.constantFrom(1000, 1001, 1002),
});
const change = fc.oneof(
  fc.record({ verb: fc.constantFrom("move" as const, "copy" as const), path: at, to: at }),
  fc.record({ verb: fc.constantFrom("delete" as const, "title" as const), path: at, to: fc.constant("") }),
  fc.record({
    verb: fc.constantFrom("moveFolder" as const, "copyFolder" as const, "deleteFolder" as const),
    path: fc.constantFrom(...folders.slice(1)),
    to: fc.constantFrom("a/new", "c/new", "new"),
  }),
);
const own = ["title", "description", "type", "filesize", "uploaded_on", "filename", "basename", "extension"];
const others = ["exif.Width", "exif.html", "version", "tags.0", "x", "dirname"];
const fileQuery = queries([...own, ...others], [...own, ...others]);
const folderQuery = queries(["path"], ["path", "full_path"]);

type Written = typeof written extends fc.Arbitrary<infer T> ? T : never;
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

function below(top: string, rest: string): string {
  return top === "" ? rest : `${top}/${rest}`;
}

/** The first file and the first queries, each of which has a match. */
const fifteen: Written = { path: "15.jpg", title: "15", size: 15, width: 15, meta: "{}", nowSeconds: 1000 };
const matching = [
  { where: { key: "title", expr: "eq", value: "15" } },
  { where: { key: "filesize", expr: "eq", value: "15" }, order_by: [{ field: "title", direction: "asc" }] },
];

const runs = orLong(12, 300);
for (const { name, skip, open } of engines) {
  test(`${name}: lists of files and folders equal full scans, after any writes`, {
    timeout: 300_000,
    skip,
  }, async (t) => {
    const store = await open();
    t.after(() => store.close());
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(written, { minLength: 3, maxLength: 20 }),
        fc.array(change, { maxLength: 6 }),
        fc.array<object>(fileQuery, { minLength: 8, maxLength: 8 }),
        fc.array<object>(folderQuery, { minLength: 2, maxLength: 2 }),
        async (files, changes, fileQueries, folderQueries) => {
          const top = `r${round++}` as Path;
          await store.folders.create(top, { actor: "test", nowSeconds: 1 });
          for (const file of files) await write(store, top, file);
          for (const each of changes) await unlessRefused(apply(store, top, each));
          const [all, dirs] = await contentOf(store, top);
          for (const args of fileQueries) {
            const expected = await plainFilePages(top, args, all);
            assert.deepEqual(await storeFilePages(store, top, args), expected, JSON.stringify(args));
            if (fileQueries === matching) assert.match(expected.join(), /"15.jpg"/);
          }
          for (const args of folderQueries) {
            const expected = await plainFolderPages(top, args, dirs);
            assert.deepEqual(await storeFolderPages(store, top, args), expected, JSON.stringify(args));
          }
        },
      ),
      { numRuns: runs, examples: [[[fifteen], [], matching, []]] },
    );
    assert.deepEqual(await store.verify(), []);
  });
}

async function write({ files, ledger }: SqlStore, top: Path, file: Written): Promise<void> {
  const { path, title, size, width, meta, nowSeconds } = file;
  const full = below(top, path) as Path;
  const hash = createHash("sha256").update("x".repeat(size)).digest("hex");
  const { generation } = await ledger.keep(hash, size, nowSeconds);
  const context = { actor: "test", nowSeconds };
  const image = width === undefined ? undefined : { width, height: 2, isColor: true };
  const bytes = { type: "text/plain", hash, generation, size, image };
  const input = {
    name: nameOf(full),
    onConflict: "replace",
    title,
    description: undefined,
  } as const;
  await files.put(parentOf(full), { ...input, ...bytes }, context);
  for (const [key, value] of parseJson(meta) as JsonObject) {
    const verb = (await files.find(full))?.meta.includes(`"${key}"`) ? "update" : "add";
    await unlessRefused(files.change(full, parseMetaChange(verb, key, value), context));
  }
}

/** Some changes name missing files, existing targets, or a field below a text. */
async function unlessRefused(work: Promise<unknown>): Promise<void> {
  await work.catch((error) => assert.ok(error instanceof Problem, error));
}

function apply({ files, folders: store }: SqlStore, top: Path, { verb, path, to }: Change): Promise<unknown> {
  const [from, target] = [below(top, path), below(top, to)] as [Path, Path];
  const context = { actor: "test", nowSeconds: 1003 };
  switch (verb) {
    case "move":
    case "copy":
      return files[verb](from, { newPath: target, extensions: standardExtensions }, context);
    case "delete":
      return files.delete(from, { to: "trash" }, context);
    case "title":
      return files.change(from, parseMetaChange("update", "title", "15"), context);
    case "moveFolder":
      return store.move(from, { newPath: target }, context);
    case "copyFolder":
      return store.copy(from, { newPath: target }, context);
    case "deleteFolder":
      return store.delete(from, { to: "trash" }, context);
  }
}

/** Every file and folder below the path, read one by one. */
async function contentOf(store: SqlStore, top: Path): Promise<[File[], Folder[]]> {
  const [found, dirs]: [File[], Folder[]] = [[], [(await store.folders.find(top)) as Folder]];
  for (const { path } of dirs) {
    assert.ok(isWithin(path, top));
    const content = await store.files.content(path);
    for (const { name } of content?.files ?? [])
      found.push((await store.files.find(below(path, name) as Path)) as File);
    for (const name of content?.folders ?? [])
      dirs.push((await store.folders.find(below(path, name) as Path)) as Folder);
  }
  return [found, dirs];
}
