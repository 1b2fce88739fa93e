import assert from "node:assert/strict";
import { before, test } from "node:test";
import { localesOf } from "../../client/src/client.ts";
import { refusal, useClients } from "./service.ts";

/** What entries say in other locales: what the methods send and answer. */

const clients = useClients({ locales: "en,de,fr" });
type Post = { title: string; text?: string };

before(async () => {
  await clients.world.ready;
  await clients.manager.entries.create("blog", { title: "Blog" });
  await clients.manager.entries.create("blog/hello", { title: "Hello", text: "Welcome" });
});

test("a translation is made, read with its fallbacks, said to fit still, and deleted", async () => {
  const { entries, translations } = clients.manager;
  const made = await translations.put<Post>("blog/hello", "de", { title: "Hallo" }, { name: "hallo" });
  assert.deepEqual([made.title, made.text], ["Hallo", "Welcome"]);
  const read = await clients.visitor.entries.fetch<Post>("blog/hello", { locale: "de" });
  assert.deepEqual([read.title, read.text], ["Hallo", "Welcome"]);
  await refusal(translations.put("blog/hello", "xx", {}), "locale_unknown");

  await entries.update("blog/hello", { title: "Hello, world" });
  const [german, french] = await translations.of("blog/hello");
  assert.deepEqual([german?.locale, german?.name, german?.outdated], ["de", "hallo", ["title"]]);
  assert.deepEqual([french?.locale, french?.exists], ["fr", false]);
  await translations.put("blog/hello", "de", {}, { checked: ["title"] });
  const [checked] = await translations.of("blog/hello");
  assert.deepEqual(checked?.outdated, []);

  const missing = await translations.list("blog", { state: "missing", locale: "de" });
  assert.deepEqual(
    missing.items.map(({ id }) => id),
    ["blog"],
  );
  const counts = await translations.summary("blog", { depth: 1 });
  assert.deepEqual(counts.de, { entries: 1, done: 1, outdated: 0, missing: 0 });

  await translations.delete("blog/hello", "de");
  await refusal(translations.delete("blog/hello", "de"), "translation_not_found");
  assert.equal((await entries.fetch<Post>("blog/hello", { locale: "de" })).title, "Hello, world");
});

test("an entry is public in some locales alone until that is lifted", async () => {
  const { translations } = clients.manager;
  const { entries } = clients.visitor;
  await translations.restrict("blog/hello", ["fr"]);
  await refusal(entries.fetch("blog/hello"), "entry_not_found");
  assert.equal((await entries.fetch<Post>("blog/hello", { locale: "fr" })).title, "Hello, world");
  await translations.restrict("blog/hello", null);
  assert.equal((await entries.fetch<Post>("blog/hello")).title, "Hello, world");
});

test("an entry and a list name its paths in all locales, and it is read by its path in one of them", async () => {
  const { entries, translations } = clients.manager;
  await entries.create("blog/50-50=?", { title: "Fifty-fifty", text: "Half of it", "a, b": "c" });
  await translations.put("blog", "de", { title: "Tagebuch" }, { name: "tagebuch" });
  await translations.put("blog/50-50=?", "de", { title: "Halbe-halbe" }, { name: "halb & halb, ä" });
  const visitor = clients.visitor.entries;
  const info = {
    path: "tagebuch/halb & halb, ä",
    fallback: ["text", "a, b"],
    locales: { en: "blog/50-50=?", de: "tagebuch/halb & halb, ä" },
  };
  const entry = await visitor.fetch<Post>("tagebuch/halb & halb, ä", { locale: "de", byPath: true });
  assert.deepEqual([entry.slug, entry.title], ["blog/50-50=?", "Halbe-halbe"]);
  assert.deepEqual(localesOf(entry), { language: "de", ...info });
  assert.equal(localesOf({ ...entry }), undefined);
  const page = await visitor.list<Post>("blog", { locale: "de", localeInfo: true, limit: 1 });
  assert.deepEqual(page.locales, { "blog/50-50=?": info });
  const french = await visitor.fetch<Post>("blog/50-50=?", { locale: "fr" });
  assert.deepEqual([localesOf(french)?.language, localesOf(french)?.path], ["en", "blog/50-50=?"]);
  const plain = await visitor.fetch<Post>("blog/50-50=?");
  assert.equal(localesOf(plain), undefined);
  assert.ok(!("locales" in (await visitor.list("blog", { locale: "de" }))));
  assert.ok(!("locales" in (await translations.list("blog"))));
});
