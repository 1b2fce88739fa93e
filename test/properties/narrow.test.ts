import assert from "node:assert/strict";
import { test } from "node:test";
import { accessOf } from "../../src/core/access/access.ts";
import type { Slug } from "../../src/core/path.ts";
import type { SqlStore } from "../../src/database.ts";
import type { Entry } from "../../src/entry/entry.ts";
import type { SettableFields } from "../../src/entry/field.ts";
import { fc } from "../fast-check.ts";
import { orLong } from "../long.ts";
import { plainPages, storePages } from "../plain-collection.ts";
import { engines } from "../ports/engines.ts";
import { data, queries } from "./query.ts";

/** SQL narrows, the domain decides: for any data and query the narrowed result equals a full scan. Decision 7. */

let store: SqlStore;

const fields = fc.record({
  visibility: fc.constantFrom("visible" as const, "visible" as const, "hidden" as const, "draft" as const),
  // Written at 1000 and read at 2000: past, due since then, future.
  publishedAt: fc.constantFrom(500, 500, 900, 1500, 1500, 2500),
});
const filter = queries(
  ["tags.0", "content", "visibility", "published_at", "x"],
  ["published_at", "created_at", "modified_at", "slug", "x", "tags.0", "visibility"],
);
const kinds = ["management", "delivery"] as const;

/** The first data and the first filters, each of which has a match. */
const shown = { visibility: "visible", publishedAt: 500 } as const;
const fifteen = ["{}", '{"n":15}', '{"n":2}'].map((text): [string, typeof shown] => [text, shown]);
const matching = [
  { where: { key: "n", expr: "eq", value: "15" } },
  { where: { key: "n", expr: "gte", value: "15" }, order_by: [{ field: "n", direction: "asc" }] },
];

const runs = orLong(15, 300);
let round = 0;

for (const { name, skip, open } of engines) {
  test(`${name}: a narrowed collection equals a full scan, for any data and query`, {
    timeout: 300_000,
    skip,
  }, async (t) => {
    store = await open();
    t.after(() => store.close());
    await agree();
  });
}

async function agree(): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(data, fields), { minLength: 1, maxLength: 25 }),
      fc.array<object>(filter, { minLength: 8, maxLength: 8 }),
      async (documents, filters) => {
        const top = `r${round++}` as Slug;
        const made = await fill(top, documents);
        for (const [i, args] of filters.entries()) {
          const access = accessOf({ kind: kinds[i % 2] ?? "delivery" }, 2000);
          const expected = await plainPages(top, args, made, access);
          assert.deepEqual(await storePages(store, top, args, access), expected, JSON.stringify([kinds[i % 2], args]));
          if (filters === matching) assert.match(expected.join(), /"n":15/);
        }
      },
    ),
    { numRuns: runs, examples: [[fifteen, matching]] },
  );
}

/** The documents as entries at the top, below it, and two levels below, so that every depth has matches. */
async function fill(top: Slug, documents: [string, SettableFields][]): Promise<Entry[]> {
  const slugs = documents.map((_, i) => (i === 0 ? top : i % 3 === 0 ? `${top}/deep/e${i}` : `${top}/e${i}`) as Slug);
  return Promise.all(
    documents.map(([text, settable], i) =>
      store.entries.create(
        slugs[i] as Slug,
        { data: text, isMergePatch: false, fields: i === 0 ? {} : settable },
        { actor: "test", nowSeconds: 1000 + (i % 4) },
      ),
    ),
  );
}
