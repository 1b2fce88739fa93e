import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { openPostgresStore } from "../../src/adapters/sql/engine/postgres/store.ts";
import { openSqliteStore } from "../../src/adapters/sql/engine/sqlite/store.ts";
import type { SqlStore } from "../../src/adapters/sql/store.ts";
import { accessOf } from "../../src/domain/access.ts";
import type { Entry, SettableFields } from "../../src/domain/entry.ts";
import { operators } from "../../src/domain/filter.ts";
import type { Slug } from "../../src/domain/path.ts";
import { orLong } from "../long.ts";
import { plainPages, storePages } from "../plain-collection.ts";
import { postgresOptions } from "../ports/postgres-options.ts";
import { sqliteOptions } from "../ports/sqlite-options.ts";
import { lacksPostgres } from "../postgres.ts";

/** SQL narrows, the domain decides: whatever is stored and asked, the narrowed answer is the plain one. Decision 7. */

const engines: Record<string, () => Promise<SqlStore>> = {
  SQLite: () => openSqliteStore(sqliteOptions()),
  PostgreSQL: async () => openPostgresStore(await postgresOptions()),
};
let store: SqlStore;

const long = "l".repeat(300);
const scalars = [
  ...[0, 1, -1, 2, 15, 1979, 0.1, 1e21, -0.5],
  ...[
    "",
    "a",
    "b",
    "ab",
    "15",
    "15.0",
    "1e1",
    "-1",
    "true",
    "false",
    "null",
    "0",
    "1",
    "é",
    "😀",
    "\uffff",
    "2020-01-02",
  ],
  ...[
    `${long}a`,
    `${long}b`,
    `${"é".repeat(127)}x`,
    `${"é".repeat(127)}é`,
    `${"x".repeat(255)}é`,
    `${"x".repeat(255)}😀`,
  ],
  ...[true, false, null],
];
// Numbers that no double holds, written into the text by hand.
const exact = ["9007199254740993", "9007199254740992.5", "1.0", "1e2", "123456789012345678901234567890"];
const scalar = fc.constantFrom(...scalars).map((value) => JSON.stringify(value));
const value = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 2, arbitrary: fc.constantFrom(...exact) },
  { weight: 2, arbitrary: fc.array(scalar, { maxLength: 4 }).map((items) => `[${items}]`) },
  { weight: 1, arbitrary: scalar.map((inner) => `{"b":${inner}}`) },
  { weight: 1, arbitrary: scalar.map((inner) => `[[${inner}],{"b":${inner}}]`) },
);
const keys = ["a", "n", "a.b", "tags"];
const data = fc
  .dictionary(fc.constantFrom(...keys), value, { noNullPrototype: true, maxKeys: 4 })
  .map((members) => `{${Object.entries(members).map(([key, text]) => `${JSON.stringify(key)}:${text}`)}}`);

const operand = fc.oneof(
  fc.constantFrom(...scalars).map((item) => (item === null ? "null" : String(item))),
  fc.constantFrom(...exact, "+15", ".5", "5.", "1e400", "-1e400", "TRUE", " 1"),
);
const condition = fc
  .record({
    key: fc.constantFrom(...keys, "tags.0", "content", "visibility", "published_at", "x"),
    expr: fc.constantFrom(...operators),
  })
  .chain(({ key, expr }) => {
    if (expr.endsWith("between"))
      return fc.tuple(operand, operand).map((pair) => ({ key, expr, value: pair as unknown }));
    if (expr === "in" || expr === "nin") {
      return fc.array(operand, { minLength: 1, maxLength: 3 }).map((list) => ({ key, expr, value: list as unknown }));
    }
    return operand.map((one) => ({ key, expr, value: one as unknown }));
  });
const sortKey = fc.record({
  field: fc.constantFrom(...keys, "published_at", "created_at", "modified_at", "slug", "x", "tags.0", "visibility"),
  direction: fc.constantFrom("asc", "desc"),
});
const find = fc.record(
  {
    where: condition,
    and_where: fc.array(condition, { maxLength: 2 }),
    or_where: fc.array(condition, { maxLength: 2 }),
    depth: fc.constantFrom("1", "*", ">=0", "2", "!=1"),
    order_by: fc.array(sortKey, { minLength: 1, maxLength: 2 }),
    sort_by: fc.constantFrom("mtime", "ctime"),
    total: fc.constant("1"),
  },
  { requiredKeys: [] },
);
const form = fc.oneof(
  fc.record({ limit: fc.integer({ min: 1, max: 4 }).map(String), offset: fc.constantFrom("0", "1", "3") }),
  fc.record({ return: fc.constantFrom("first", "last", "next", "exists", "count") }),
  fc.record({ return: fc.constantFrom("first", "last"), offset: fc.constantFrom("1", "2") }),
  fc.constant({}),
);
const filter = fc.tuple(find, form).map(([found, shown]) => ({ ...found, ...shown }));
const fields = fc.record({
  visibility: fc.constantFrom("visible" as const, "visible" as const, "hidden" as const, "draft" as const),
  // Written at 1000 and read at 2000: past, due since, and still to come.
  publishedAt: fc.constantFrom(500, 500, 900, 1500, 1500, 2500),
});
const kinds = ["management", "delivery"] as const;

const runs = orLong(25, 300);
const _bounds = { maxLimit: 10_000, defaultLimit: 10_000 };
let round = 0;

for (const [engine, open] of Object.entries(engines)) {
  const skip = engine === "PostgreSQL" ? lacksPostgres() : undefined;
  test(`${engine}: a narrowed collection equals a full scan, for any data and query`, {
    timeout: 300_000,
    skip,
  }, async (t) => {
    store = await open();
    t.after(() => store.close());
    await agree();
  });
}

async function agree(): Promise<void> {
  let narrowedRuns = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(data, fields), { minLength: 1, maxLength: 25 }),
      fc.array(filter, { minLength: 8, maxLength: 8 }),
      async (documents, filters) => {
        const top = `r${round++}` as Slug;
        const made = await fill(top, documents);
        for (const [i, args] of filters.entries()) {
          const access = accessOf({ kind: kinds[i % 2] ?? "delivery" }, 2000);
          const expected = await plainPages(top, args, made, access);
          assert.deepEqual(await storePages(store, top, args, access), expected, JSON.stringify([kinds[i % 2], args]));
          if (expected.some((page) => page !== "[]")) narrowedRuns++;
        }
      },
    ),
    { numRuns: runs },
  );
  assert.ok(narrowedRuns > runs, `only ${narrowedRuns} filters found anything`);
}

/** The documents as entries: at the top, below it, and two levels below, so that every depth finds some. */
async function fill(top: Slug, documents: [string, SettableFields][]): Promise<Entry[]> {
  const slugs = documents.map((_, i) => (i === 0 ? top : i % 3 === 0 ? `${top}/deep/e${i}` : `${top}/e${i}`) as Slug);
  return Promise.all(
    documents.map(([text, settable], i) =>
      store.entries.create(
        slugs[i] as Slug,
        // The top is always there, or another access would answer that it is not.
        { data: text, isMergePatch: false, fields: i === 0 ? {} : settable },
        { actor: "test", nowSeconds: 1000 + (i % 4) },
      ),
    ),
  );
}
