// Slow: it imports sites into services and into stores, and exports them.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { test } from "node:test";
import { siteWriter } from "../../test/cli/flextype.ts";
import { makeStore, runOctavo } from "../../test/cli/octavo.ts";
import { temporaryFolder, useWorld } from "../../test/harness.ts";

/** octavo import and export of translations, of a store and with --url. Contract §24, Import and export. */

const folder = temporaryFolder();
const locales = "en,de,de-AT,fr";
const first = useWorld({ data: join(folder, "there"), locales });
const second = useWorld({ data: join(folder, "there-too"), locales });
const plain = useWorld({ data: join(folder, "plain") });
const site = siteWriter(folder);

// biome-ignore lint/suspicious/noExplicitAny: replies and reports as JSON.
type Shown = any;
type World = typeof first;
/** A store, or a service, with locales or without. */
type Place = { read: (query: Record<string, string>) => Promise<Shown>; run: (...words: string[]) => Promise<Shown> };

const run = async (words: string[], more: string[], env = {}) => {
  const { code, out, err } = await runOctavo([...words, ...more], { cwd: folder, env });
  return { code, err, ...(out.startsWith("{") ? JSON.parse(out) : { out }) };
};

function service(world: World): Place {
  const env = () => ({ OCTAVO_TOKEN: world.token.management, OCTAVO_ACCESS_TOKEN: world.token.access });
  return {
    run: (...words) => run(words, ["--url", world.app.url, "--json"], env()),
    read: async (query) => {
      const { url = "/api/management/entries", ...sent } = query;
      const token = query.token ?? world.token.management;
      return (await world.send("GET", url, { query: { ...sent, token } })).json;
    },
  };
}

let number = 0;

async function store(setting: string[] = ["--locales", locales]): Promise<Place> {
  const data = join(folder, `data-${++number}`);
  await makeStore(data);
  return {
    run: (...words) => run(words, ["--data", data, ...setting, "--json"]),
    read: async ({ url = "/api/management/entries", ...query }) => {
      const words = Object.entries(query).map(([name, value]) => `${name}=${value}`);
      const { out } = await runOctavo(["call", "GET", url, ...words, "--data", data, ...setting], { cwd: folder });
      // A refusal has no answer.
      return JSON.parse(out || "{}");
    },
  };
}

const translations = async ({ read }: Place, id: string): Promise<Shown> => {
  const { data, only_locales } = await read({ url: "/api/entries/translations", id });
  const rows = data.filter(({ exists }: Shown) => exists);
  return { only_locales, ...Object.fromEntries(rows.map((row: Shown) => [row.locale, row])) };
};

/** The files of a folder by their path. */
const filesOf = (at: string) =>
  Object.fromEntries(
    readdirSync(at, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .map((one) => [
        relative(at, join(one.parentPath, one.name)),
        readFileSync(join(one.parentPath, one.name), "utf8"),
      ]),
  );

const hugo = () =>
  site({
    "posts/_index.md": "---\ntitle: Posts\n---\n",
    "posts/_index.de.md": "---\ntitle: Beiträge\nslug: beitraege\n---\n",
    "posts/one.en.md": "---\ntitle: One\nweight: 1.50\n---\nText",
    "posts/one.de.md": "---\ntitle: Eins\nslug: eins\n---\nText auf Deutsch",
    "posts/one.de-at.md": "---\ntitle: Ans\ndraft: true\n---\n",
    "posts/two.md": "---\ntitle: Two\n---\nText",
    "posts/two.fr.md": "---\ntitle: Deux\npublishDate: 2199-01-02\nroutable: false\n---\n",
    "posts/only.fr.md": "---\ntitle: Seul\ndraft: true\n---\nTexte",
    "posts/only.de.md": "---\ntitle: Nur\n---\nText",
    "posts/three.es.md": "---\ntitle: Tres\n---\n",
    "app.js.md": "# A script",
  });

for (const [name, open] of [
  ["a store", () => store()],
  ["a service", async () => service(first)],
] as const) {
  test(`names that end with a locale are translations in ${name}, and what has no source is public in its locales alone`, async () => {
    const at = await open();
    const dir = hugo();
    const dry = await at.run("import", dir, "--dry-run");
    assert.deepEqual([dry.code, dry.entries.created, dry.translations.created], [0, 6, 6], JSON.stringify(dry));
    assert.equal((await at.read({ id: "posts" })).data?.title, undefined);
    const report = await at.run("import", dir);
    assert.deepEqual([report.code, report.entries.created, report.translations.created], [0, 6, 6], report.err);
    assert.deepEqual(report.entries, dry.entries);
    assert.deepEqual(
      report.notes.filter(({ why }: Shown) => /language|routable/.test(why)),
      [
        { from: "posts/two.fr.md", why: "its routable is not taken: that of the entry is of all locales" },
        {
          from: "posts/three.es.md",
          why: "its name ends with a language that the setting locales does not name: it is an entry",
        },
      ],
    );
    const one = await translations(at, "posts/one");
    assert.deepEqual(
      [one.de.name, one.de.keys, one.de.visibility, one["de-AT"].keys, one["de-AT"].visibility, one.only_locales],
      ["eins", ["title", "content"], "visible", ["title", "draft"], "draft", null],
    );
    const { data } = await at.read({ id: "posts/one", locale: "de" });
    assert.deepEqual([data.title, data.weight, data.content], ["Eins", 1.5, "Text auf Deutsch"]);
    assert.equal((await at.read({ path: "posts/one", locale: "de" })).data.title, "Eins");
    const two = await translations(at, "posts/two");
    assert.equal(two.fr.published_at, Date.UTC(2199, 0, 2) / 1000);
    const only = await translations(at, "posts/only");
    assert.deepEqual([only.only_locales, only.de.visibility, only.fr.visibility], [["de", "fr"], "visible", "draft"]);
    assert.equal((await at.read({ id: "posts/only" })).data.title, "Nur");
    assert.equal((await at.read({ id: "posts/only" })).data.visibility, "visible");
    assert.equal((await at.read({ id: "posts/three.es" })).data.title, "Tres");
    const again = await at.run("import", dir);
    assert.deepEqual(
      [again.code, again.translations, again.entries.unchanged, again.conflicts],
      [0, { created: 0, replaced: 0, unchanged: 6, skipped: 0 }, 5, []],
    );
  });

  test(`what is there and differs is refused, skipped or replaced in ${name}`, async () => {
    const at = await open();
    const write = (title: string, more = "") =>
      site({ "c/a.md": "---\ntitle: A\n---\n", "c/a.de.md": `---\ntitle: ${title}\n${more}---\n` });
    assert.equal((await at.run("import", write("Eins", "extra: 1\nnested: {a: 1, b: 2}\n"))).code, 0);
    const changed = write("Zwei", "nested: {a: 3}\nslug: zwei\n");
    const counts = async (...words: string[]) => {
      const { translations, conflicts } = await at.run("import", changed, ...words);
      return [Object.entries(translations).filter(([, count]) => count !== 0), conflicts];
    };
    assert.deepEqual(await counts(), [[], ["translation c/a in de"]]);
    assert.deepEqual(await counts("--on-conflict", "skip"), [[["skipped", 1]], []]);
    assert.deepEqual(await counts("--on-conflict", "replace", "--dry-run"), [[["replaced", 1]], []]);
    assert.equal((await at.read({ id: "c/a", locale: "de" })).data.title, "Eins");
    assert.deepEqual(await counts("--on-conflict", "replace"), [[["replaced", 1]], []]);
    const { data } = await at.read({ id: "c/a", locale: "de" });
    assert.deepEqual([data.title, data.extra, data.nested], ["Zwei", undefined, { a: 3 }]);
    assert.equal((await translations(at, "c/a")).de.name, "zwei");
    assert.deepEqual(await counts(), [[["unchanged", 1]], []]);
  });

  test(`a folder for each locale is taken by its flag in ${name}`, async () => {
    const at = await open();
    const dir = site({
      "en/docs/a.md": "---\ntitle: A\n---\n",
      "de/docs/a.md": "---\ntitle: Ah\n---\n",
      "DE-AT/docs/b.md": "---\ntitle: Be\n---\n",
      "about.md": "About",
    });
    const report = await at.run("import", dir, "--locale-folders", "--into", "f");
    assert.deepEqual([report.entries.created, report.translations.created], [3, 2], report.err);
    assert.equal((await at.read({ id: "f/docs/a", locale: "de" })).data.title, "Ah");
    assert.deepEqual((await translations(at, "f/docs/b")).only_locales, ["de-AT"]);
    assert.equal((await at.run("import", dir, "--locale-folders", "--into", "f")).translations.unchanged, 2);
    assert.equal((await at.read({ id: "f/about" })).data.content, "About");
  });
}

for (const [name, open] of [
  ["a store", () => store([])],
  ["a service", async () => service(plain)],
] as const) {
  test(`without locales the names of files are as before in ${name}, and the report says so`, async () => {
    const at = await open();
    const dir = site({ "a.de.md": "A", "b.fr.md": "B", "c.js.md": "C", "d.md": "D" });
    const report = await at.run("import", dir);
    assert.deepEqual([report.entries.created, report.translations], [4, undefined]);
    const why =
      "its name ends with a language that the setting locales does not name: it is an entry, here and in 1 more";
    assert.deepEqual(report.notes, [{ from: "a.de.md", why }]);
    assert.equal((await at.read({ id: "a.de" })).data.content, "A");
    assert.match((await at.run("import", dir, "--locale-folders")).err, /needs the setting locales/);
    const exported = site({
      "project/octavo-export.json": '{"format":1,"complete":true}',
      "project/entries/x/entry.md": "---\ntitle: X\nocta: 1\n---\n",
      "project/entries/x/entry.de.md": "---\ntitle: X\n---\n",
      "project/entries/y/entry.md": "---\ntitle: Y\noctavo_only_locales: [de]\n---\n",
    });
    const { code, refused, not_taken } = await at.run("import", exported);
    assert.equal(code, 1);
    assert.deepEqual(
      [refused.length, refused[0].from, not_taken],
      [
        1,
        "project/entries/y/entry.md",
        [
          {
            from: "project/entries/x/entry.de.md",
            why: "a translation into a locale that the setting locales does not name",
          },
        ],
      ],
    );
    assert.match(refused[0].why, /public in some locales alone/);
  });
}

test("an export and an import of it change no byte of a translation, of stores and services alike", async () => {
  const marker = '{"format":1,"complete":true}';
  const date = "'2020-01-02T03:04:05Z'";
  const dir = site({
    "project/octavo-export.json": marker,
    "project/entries/a/entry.md": `---\ntitle: A\nn: 1.50\ncreated_at: ${date}\n---\nText\n`,
    "project/entries/a/entry.de.md": `---\ntitle: 'null'\nempty: null\nn: 1.50\nvisibility: hidden\nslug: Ä b\n---\nText\n`,
    "project/entries/a/entry.fr.md": `---\n# octavo: content is field 1\nz: [1, {b: 2}]\nvisibility: draft\n---\nTexte\n`,
    "project/entries/a/entry.de-AT.md": `---\ncontent: ''\npublished_at: ${date}\n---\n`,
    "project/entries/a/entry%2Ede.md/entry.md": "---\ntitle: Named as a file\n---\n",
    "project/entries/b/entry.md": "---\ntitle: B\noctavo_only_locales: [en, fr]\n---\n",
    "project/entries/c/entry.md": "---\ntitle: C\noctavo_only_locales: [de]\n---\n",
    "project/entries/c/entry.de.md": `---\npublished_at: ${date}\n---\n`,
  });
  const exported = async (at: Place, name: string) => {
    const { code, err, translations } = await at.run("export", join(folder, name));
    assert.deepEqual([code, translations], [0, 4], err);
    return filesOf(join(folder, name));
  };
  const [one, other, there] = [await store(), await store(), service(second)];
  const report = await one.run("import", dir);
  assert.deepEqual(
    [report.code, report.entries.created, report.translations.created],
    [0, 4, 4],
    JSON.stringify(report),
  );
  assert.deepEqual((await translations(one, "a")).fr.keys, ["content", "z"]);
  assert.deepEqual((await translations(one, "a"))["de-AT"].keys, ["content"]);
  assert.deepEqual((await translations(one, "c")).de.keys, []);
  const files = await exported(one, "export-1");
  assert.match(files["project/entries/c/entry.md"] ?? "", /^octavo_only_locales:\n? *-? ?\[?de/m);
  assert.match(files["project/entries/a/entry.de.md"] ?? "", /^slug: Ä b$/m);
  const from = join(folder, "export-1");
  assert.equal((await other.run("import", from)).code, 0);
  assert.deepEqual(await exported(other, "export-2"), files);
  const again = await other.run("import", from);
  assert.deepEqual([again.entries.unchanged, again.translations.unchanged, again.conflicts], [4, 4, []]);
  const over = await there.run("import", from);
  assert.deepEqual([over.code, over.translations.created], [0, 4], over.err);
  // What the API sets itself differs, of entries alone.
  const own = /^(?:uuid|created_at|modified_at): .*\n/gm;
  const plainOf = (all: Record<string, string>) =>
    Object.fromEntries(Object.entries(all).map(([path, text]) => [path, text.replace(own, "")]));
  assert.deepEqual(plainOf(await exported(there, "export-3")), plainOf(files));
  const overAgain = await there.run("import", from);
  assert.deepEqual([overAgain.translations.unchanged, overAgain.entries.unchanged], [4, 4], JSON.stringify(overAgain));
});

test("where an entry is public is a part of what an import states", async () => {
  for (const at of [await store(), service(second)]) {
    const write = (only: string) => site({ "o/x.md": `---\ntitle: X\n${only}---\n` });
    const [all, some] = [write(""), write("octavo_only_locales: [fr]\n")];
    assert.equal((await at.run("import", some)).entries.created, 1);
    assert.deepEqual((await translations(at, "o/x")).only_locales, ["fr"]);
    assert.equal((await at.run("import", some)).entries.unchanged, 1);
    assert.deepEqual((await at.run("import", all)).conflicts, ["entry o/x"]);
    assert.equal((await at.run("import", all, "--on-conflict", "skip")).entries.skipped, 1);
    assert.equal((await at.run("import", all, "--on-conflict", "replace")).entries.replaced, 1);
    assert.equal((await translations(at, "o/x")).only_locales, null);
    assert.match((await at.run("import", write("octavo_only_locales: [es]\n"))).refused[0].why, /one of the locales/);
  }
});

test("of a type, keys that all locales share are not taken, and the second run changes nothing", async () => {
  const type = {
    type: "object",
    properties: { title: { type: "string", "x-octavo-localized": true }, tags: { type: "array" } },
  };
  for (const at of [await store(), service(second)]) {
    const types = join(folder, `types-${++number}`);
    mkdirSync(types);
    const { writeFileSync } = await import("node:fs");
    const made = { id: "typed", title: "", description: "", paths: ["t/*"], mode: "enforce", schema: type };
    writeFileSync(join(types, "typed.json"), JSON.stringify(made));
    const applied = await at.run("types", "apply", types);
    assert.equal(applied.code, 0, JSON.stringify(applied));
    const dir = site({
      "t/a.md": "---\ntitle: A\ntags: [x]\n---\n",
      "t/a.de.md": "---\ntitle: Ah\ntags: [x]\nother: 1\n---\n",
      "t/b.de.md": "---\ntitle: Be\ntags: [y]\n---\n",
    });
    const notes = [
      { from: "t/a.de.md", why: 'keys that its type has in all locales alike are not taken: "tags", "other"' },
      { from: "t/b.de.md", why: 'keys that its type has in all locales alike are not taken: "tags"' },
    ];
    const report = await at.run("import", dir);
    assert.deepEqual([report.code, report.translations.created], [0, 2], JSON.stringify(report));
    assert.deepEqual(
      report.notes.filter(({ why }: Shown) => why.startsWith("keys")),
      notes,
    );
    const { data } = await at.read({ id: "t/b", locale: "de" });
    assert.deepEqual([data.title, data.tags], ["Be", ["y"]]);
    const again = await at.run("import", dir);
    assert.deepEqual([again.code, again.translations.unchanged, again.conflicts], [0, 2, []], JSON.stringify(again));
  }
});
