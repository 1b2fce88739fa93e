import assert from "node:assert/strict";
import { test } from "node:test";
import { formatJson, type Json, type JsonObject, parseJson } from "../../src/core/lib/json.ts";
import type { Path } from "../../src/core/path.ts";
import { Problem } from "../../src/core/problem.ts";
import type { SqlStore } from "../../src/database.ts";
import type { File } from "../../src/file/file.ts";
import { parseMetaChange } from "../../src/file/meta.ts";
import { fc } from "../fast-check.ts";
import { orLong } from "../long.ts";
import { plainFilePages, storeFilePages } from "../plain-collection.ts";
import { engines } from "../ports/engines.ts";

/** Files in three locales equal a plain model after any writes, by themselves and in lists. Contract §5, Texts by locale. */

const chains: Record<string, string[]> = { de: ["de"], "de-AT": ["de-AT", "de"], fr: ["fr", "de-AT"] };
const locales = ["", ...Object.keys(chains)];
const names = ["a.txt", "b.txt", "c.txt"];
const fields = ["title", "description", "alt", "note", "note.0", "note.2", "rights.owner", "rights"];
const texts = ["", "a", "b", "c", "15"];

const write = fc.record({
  name: fc.constantFrom(...names),
  locale: fc.constantFrom(...locales),
  field: fc.constantFrom(...fields),
  verb: fc.constantFrom("add" as const, "update" as const, "update" as const, "delete" as const),
  value: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom<Json[]>(...texts) },
    { weight: 1, arbitrary: fc.constant<Json>(["a", "b"]) },
  ),
});
type Write = typeof write extends fc.Arbitrary<infer T> ? T : never;
const query = fc.record(
  {
    where: fc.record({
      key: fc.constantFrom(...fields, "filename", "type"),
      expr: fc.constantFrom("eq", "neq", "like"),
      value: fc.constantFrom(...texts, "a.txt"),
    }),
    order_by: fc.record({
      field: fc.constantFrom("title", "alt", "rights.owner", "filename"),
      direction: fc.constantFrom("asc", "desc"),
    }),
    search: fc.constantFrom("a", "b", "15"),
    limit: fc.constantFrom(1, 2, 10),
    total: fc.constant("true"),
  },
  { requiredKeys: [] },
);

/** By file and locale, "" for the source, what was set there. */
type Model = Map<string, Map<string, Json>>;

/** After a write that the store has made. */
function noteWrite(model: Model, { name, locale, field, verb, value }: Write): void {
  const own = model.get(`${name} ${locale}`) ?? new Map();
  if (verb === "add") assert.ok(!own.has(field));
  if (verb === "delete") assert.ok(own.delete(field));
  else own.set(field, value);
  model.set(`${name} ${locale}`, own);
}

/** True for a place where a text may stand. */
const isOpen = (value: Json | undefined): boolean => value === undefined || typeof value === "string";

/** A file in a locale, as the model says: the first text of the chain for each field that has a place in the file. */
function shown(file: File, model: Model, name: string, locale: string): File {
  const of = (each: string) => model.get(`${name} ${each}`) ?? new Map<string, Json>();
  const all = (chains[locale] ?? []).flatMap((each) => [...of(each)]);
  const first = new Map(all.toReversed());
  const inOrder = [...new Set(all.map(([field]) => field))].map(
    (field) => [field, first.get(field)] as [string, string],
  );
  const meta = parseJson(file.meta) as JsonObject;
  for (const [field, text] of inOrder) {
    if (field === "title" || field === "description") continue;
    const [top = "", below] = field.split(".");
    const had = meta.get(top);
    if (below === undefined) {
      if (isOpen(had)) meta.set(top, text);
    } else if (Array.isArray(had)) {
      if (typeof had[Number(below)] === "string") meta.set(top, had.with(Number(below), text));
    } else if (had === undefined || had instanceof Map) {
      if (isOpen(had?.get(below))) meta.set(top, new Map(had).set(below, text));
    }
  }
  const title = first.get("title") as string | undefined;
  const description = first.get("description") as string | undefined;
  return { ...file, title: title ?? file.title, description: description ?? file.description, meta: formatJson(meta) };
}

const by = { actor: "test", nowSeconds: 1000 };

async function fill({ files, ledger }: SqlStore, top: Path): Promise<void> {
  const hash = "a".repeat(64);
  const { generation } = await ledger.keep(hash, 1, 1000);
  const bytes = { type: "text/plain", hash, generation, size: 1, image: undefined };
  for (const name of names)
    await files.put(top, { name, onConflict: "replace", title: "a", description: undefined, ...bytes }, by);
}

for (const { name, skip, open } of engines) {
  test(`${name}: files in a locale equal a plain model, after any writes`, { skip, timeout: 120_000 }, async (t) => {
    const store = await open();
    t.after(() => store.close());
    const { files, fileTranslations } = store;
    let round = 0;
    const property = fc.asyncProperty(
      fc.array(write, { minLength: 4, maxLength: 24 }),
      fc.array<object>(query, { minLength: 3, maxLength: 3 }),
      async (writes, queries) => {
        const top = `r${round++}` as Path;
        await fill(store, top);
        const model: Model = new Map();
        const find = (name: string) => files.find(`${top}/${name}` as Path) as Promise<File>;
        for (const each of writes) {
          const { name, locale, field, verb, value } = each;
          const before = await find(name);
          const own = model.get(`${name} ${locale}`);
          try {
            const change = parseMetaChange(verb, field, value, chains[locale]);
            await files.change(`${top}/${name}` as Path, change, by);
            if (locale !== "") noteWrite(model, each);
          } catch (error) {
            assert.ok(error instanceof Problem, `${error}`);
            if (locale !== "" && verb === "delete") assert.equal(own?.has(field) ?? false, false);
            if (locale !== "" && verb === "add" && error.code === "field_exists") assert.ok(own?.has(field));
          }
          if (locale !== "") assert.deepEqual(await find(name), before, "a write in a locale leaves the file");
        }
        const all = await Promise.all(names.map(find));
        for (const [locale, chain] of Object.entries(chains)) {
          const expected = all.map((file, i) => shown(file, model, names[i] as string, locale));
          const laid = await fileTranslations.laidOver(all, chain);
          const plain = ({ title, description, meta }: File) => ({ title, description, meta });
          assert.deepEqual(laid.map(plain), expected.map(plain), locale);
          for (const args of queries)
            assert.deepEqual(
              await storeFilePages(store, top, args, chain),
              await plainFilePages(top, args, expected),
              JSON.stringify({ locale, args }),
            );
        }
        for (const args of queries)
          assert.deepEqual(
            await storeFilePages(store, top, args),
            await plainFilePages(top, args, all),
            JSON.stringify(args),
          );
      },
    );
    await fc.assert(property, { numRuns: orLong(5, 300) });
    assert.deepEqual(await store.verify(), []);
  });
}
