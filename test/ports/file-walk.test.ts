// Slow: two stores of 2,000 files, and every order of them.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SqlStore } from "../../src/adapters/sql/store.ts";
import type { File } from "../../src/domain/file.ts";
import { parseMetaChange } from "../../src/domain/file-meta.ts";
import type { Path } from "../../src/domain/path.ts";
import { plainFilePages, storeFilePages } from "../plain-collection.ts";
import { onEachEngine } from "./engines.ts";

/** Lists of more files than one batch: one large folder, and many folders with interleaved paths. */

const count = 2000;
const by = (field: string, direction = "asc") => ({ order_by: [{ field, direction }] });
const where = (key: string, expr: string, value: unknown) => ({ where: { key, expr, value } });
const top = "list" as Path;

/** Two pages or more of each, or the single reply. */
const queries: Record<string, unknown>[] = [
  { limit: "600" },
  { limit: "600", depth: "*" },
  { limit: "300", depth: "2" },
  { limit: "300", offset: "1100" },
  { limit: "700", depth: "*", offset: "500" },
  ...["title", "filesize", "basename", "filename", "uploaded_on", "exif.Width", "n", "version", "nowhere"].flatMap(
    (field) => ["asc", "desc"].map((direction) => ({ ...by(field, direction), limit: "800" })),
  ),
  ...["mtime", "ctime"].map((time) => ({ sort_by: time, limit: "700" })),
  { ...where("modified_at", "lte", "3000"), sort_by: "mtime", limit: "30" },
  { ...where("modified_at", "lte", "3000"), ...by("modified_at", "desc"), limit: "30" },
  { ...by("filesize"), depth: "*", limit: "900" },
  ...["first", "last", "next", "count"].flatMap((form) => [{ return: form }, { return: form, depth: "*" }]),
  ...[
    ["title", "eq", "t7"],
    ["filesize", "gte", "20"],
    ["basename", "starts_with", "f1"],
    ["n", "lt", "100"],
    ["dirname", "contains", "list/d3"],
  ].flatMap(([key, expr, value]) => [
    { ...where(key as string, expr as string, value), return: "count" },
    { ...where(key as string, expr as string, value), depth: "*", ...by("title"), limit: "400", total: "1" },
  ]),
];

onEachEngine(async (store) => {
  const files = await fill(store);
  for (const query of queries) {
    test(JSON.stringify(query).slice(0, 100), async () => {
      assert.deepEqual(await storeFilePages(store, top, query), await plainFilePages(top, query, files));
    });
  }
});

/** Most in one folder, the others in 40 nested ones; some with more fields than are indexed. */
async function fill({ files, ledger }: SqlStore): Promise<File[]> {
  const made: Promise<File>[] = [];
  const generations = await Promise.all(Array.from({ length: 40 }, (_, size) => ledger.keep(hashOf(size), size, 1)));
  for (let n = 0; n < count; n++) {
    const deep = n % 8 === 0 ? "/x" : "";
    const folder = (n % 4 === 0 ? `${top}/d${n % 40}${deep}` : top) as Path;
    const size = n % 40;
    const { generation } = generations[size] as (typeof generations)[number];
    const image = n % 3 === 0 ? { width: n % 50, height: 2, isColor: false } : undefined;
    const bytes = { type: "text/plain", hash: hashOf(size), generation, size, image };
    const title = n % 5 === 0 ? undefined : `t${n % 60}`;
    const input = { folder, name: `f${n}.txt`, onConflict: "fail", title, description: undefined } as const;
    const context = { actor: "test", nowSeconds: 1000 + (n % 1900) };
    made.push(files.put({ ...input, ...bytes }, undefined, context) as Promise<File>);
  }
  const all = await Promise.all(made);
  const context = { actor: "test", nowSeconds: 5000 };
  const many = Array.from({ length: 120 }, (_, i) => `v${i}`);
  return Promise.all(
    all.map(async (file, n) => {
      // A field of the client that has the name of a time that the service stores with the file.
      if (n % 2 === 1) return files.change(file.path, parseMetaChange("add", "modified_at", n), undefined, context);
      if (n % 10 !== 0) return file;
      const meta = n % 500 === 0 ? parseMetaChange("add", "many", many) : parseMetaChange("add", "n", n);
      return files.change(file.path, meta, undefined, context);
    }),
  );
}

const hashOf = (size: number): string => size.toString(16).padStart(64, "0");
