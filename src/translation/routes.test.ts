import assert from "node:assert/strict";
import { test } from "node:test";
import { useWorld } from "../../test/harness.ts";
import { type Data, translationCalls, url } from "../../test/translation-calls.ts";

/** What entries say in other locales, over HTTP. Contract §24. */

const world = useWorld({ locales: "en,de,de-AT,fr,es", "locale-fallbacks": "fr>de" });

const { call, write, refused, create, translate, read, dataOf } = translationCalls(world);
const titles = async (query: Record<string, string>, token?: string) =>
  ((await dataOf(query, token)) as unknown as Data[]).map(({ title }) => title);
const states = async (id: string) => {
  const reply = await read({ id }, world.token.management, url);
  assert.equal(reply.status, 200, reply.text);
  const rows = reply.json.data as (Data & { locale: string })[];
  return { only: reply.json.only_locales, by: Object.fromEntries(rows.map((row) => [row.locale, row])) };
};

test("a translation is laid over, and what it lacks falls back along the chain", async () => {
  await create("a", { title: "Hello", text: "One", price: 3 });
  const source = await dataOf({ id: "a" });
  const answer = await translate("a", "de", { title: "Hallo" });
  assert.deepEqual([answer.title, answer.text, answer.price], ["Hallo", "One", 3]);
  await translate("a", "DE-at", { text: "Ans" });
  await translate("a", "fr", { text: "Un" });
  const cases: [locale: string, title: string, text: string, language: string, fallback: string | undefined][] = [
    ["en", "Hello", "One", "en", undefined],
    ["de", "Hallo", "One", "de", "text, price"],
    ["de-at", "Hallo", "Ans", "de-AT", "title, price"],
    ["fr", "Hallo", "Un", "fr", "title, price"],
    ["es", "Hello", "One", "en", "title, text, price"],
  ];
  for (const [locale, title, text, language, fallback] of cases) {
    for (const token of [world.token.delivery, world.token.management]) {
      const reply = await read({ id: "a", locale }, token);
      const { data } = reply.json as { data: Data };
      assert.deepEqual([data.title, data.text, data.price], [title, text, 3], locale);
      assert.deepEqual({ ...data, title: 0, text: 0 }, { ...source, title: 0, text: 0 });
      assert.equal(reply.headers.get("content-language"), language);
      assert.equal(reply.headers.get("octavo-fallback") ?? undefined, fallback);
      assert.equal(reply.headers.get("octavo-path"), "a");
      assert.equal(reply.headers.get("octavo-locales"), "en=a, de=a, de-AT=a, fr=a");
    }
  }
  assert.deepEqual(await dataOf({ id: "a" }), source);
});

test("a merge patch takes a key away, which falls back again, and a null is a value", async () => {
  await create("merge", { title: "Hello", text: "One" });
  await translate("merge", "de", { title: null, text: "Eins" });
  assert.deepEqual((await dataOf({ id: "merge", locale: "de" })).title, null);
  const { management, access } = world.token;
  const body = JSON.stringify({
    token: management,
    access_token: access,
    id: "merge",
    locale: "de",
    data: { text: null },
  });
  const headers = { "Content-Type": "application/merge-patch+json" };
  const reply = await fetch(`${world.app.url}${url}`, { method: "PATCH", body, headers });
  assert.equal(reply.status, 200, await reply.clone().text());
  assert.equal((await dataOf({ id: "merge", locale: "de" })).text, "One");
});

test("drafts and hidden translations never come out by a fallback", async () => {
  await create("draft", { title: "Hello" });
  await translate("draft", "de", { title: "Geheim", visibility: "draft" });
  for (const locale of ["de", "de-AT", "fr"]) assert.equal((await dataOf({ id: "draft", locale })).title, "Hello");
  assert.equal((await dataOf({ id: "draft", locale: "fr" }, world.token.management)).title, "Geheim");
  await translate("draft", "de", { visibility: "hidden" });
  assert.equal((await dataOf({ id: "draft", locale: "de" })).title, "Geheim");
  assert.equal((await dataOf({ id: "draft", locale: "fr" })).title, "Hello");
  await translate("draft", "de", { visibility: "visible", published_at: 4_000_000_000 });
  assert.equal((await dataOf({ id: "draft", locale: "de" })).title, "Hello");
  assert.equal((await read({ id: "draft", locale: "de" })).headers.get("octavo-locales"), "en=draft");
});

test("lists, their conditions, orders, searches and counts run over what is answered", async () => {
  await create("l", {});
  await create("l/1", { title: "Apple", n: 1 });
  await create("l/2", { title: "Pear", n: 2 });
  await create("l/3", { title: "Quince", n: 3 });
  await translate("l/1", "de", { title: "Zwetschge" });
  await translate("l/2", "de", { title: "Birne", visibility: "draft" });
  const list = (more: Record<string, string>, token?: string) =>
    titles({ id: "l", "filter[order_by][field]": "title", ...more }, token);
  assert.deepEqual(await list({}), ["Apple", "Pear", "Quince"]);
  assert.deepEqual(await list({ locale: "de" }), ["Pear", "Quince", "Zwetschge"]);
  assert.deepEqual(await list({ locale: "de" }, world.token.management), ["Birne", "Quince", "Zwetschge"]);
  assert.deepEqual(await list({ locale: "de", locale_fallback: "off" }), ["Zwetschge"]);
  assert.deepEqual(await list({ locale: "de", locale_fallback: "off" }, world.token.management), [
    "Birne",
    "Zwetschge",
  ]);
  assert.deepEqual(await list({ locale: "es", locale_fallback: "off" }), []);
  const where = {
    "filter[where][0][key]": "title",
    "filter[where][0][expr]": "eq",
    "filter[where][0][value]": "Apple",
  };
  assert.deepEqual(await list({ locale: "de", ...where }), []);
  assert.deepEqual(await list({ locale: "de", "filter[search]": "zwetschge" }), ["Zwetschge"]);
  assert.deepEqual(await list({ locale: "fr", "filter[search]": "zwetschge" }), ["Zwetschge"]);
  assert.deepEqual(await list({ "filter[search]": "zwetschge" }), []);
  assert.equal(await dataOf({ id: "l", locale: "de", "filter[return]": "count", ...where }), 0);
  assert.equal(await dataOf({ id: "l", locale: "de", "filter[return]": "count", locale_fallback: "off" }), 1);
  const first = await read({ id: "l", locale: "de", "filter[limit]": "1", "filter[order_by][field]": "title" });
  const cursor = /cursor=([^>&]+)/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
  const page = { id: "l", "filter[limit]": "1", "filter[order_by][field]": "title", cursor };
  assert.deepEqual(await titles({ ...page, locale: "de" }), ["Quince"]);
  assert.equal((await read({ ...page, locale: "fr" })).json.code, "cursor_invalid");
  const group = (await dataOf({ id: "l", locale: "de", "filter[group_by]": "title" })) as object;
  assert.deepEqual(Object.keys(group).toSorted(), ["Pear", "Quince", "Zwetschge"]);
  const info = await read({ id: "l", locale: "de", locale_info: "1", "filter[only]": "title" });
  const locales = info.json.locales as Record<string, unknown>;
  assert.deepEqual(locales["l/1"], { path: "l/1", fallback: ["n"], locales: { en: "l/1", de: "l/1" } });
  assert.deepEqual(Object.keys(locales), ["l/1", "l/2", "l/3"]);
});

test("names make paths of their own in a locale", async () => {
  await create("blog", { title: "Blog" });
  await create("blog/hello", { title: "Hello" });
  await create("blog/other", { title: "Other" });
  await translate("blog", "de", { title: "Blog" }, { name: "tagebuch" });
  await translate("blog/hello", "de", { title: "Hallo" }, { name: "hallo" });
  const reply = await read({ id: "blog/hello", locale: "de" });
  assert.equal(reply.headers.get("octavo-path"), "tagebuch/hallo");
  assert.equal(reply.headers.get("octavo-locales"), "en=blog/hello, de=tagebuch/hallo");
  for (const [path, locale, title] of [
    ["tagebuch/hallo", "de", "Hallo"],
    ["tagebuch/hallo", "fr", "Hallo"],
    ["blog/hello", "de", "Hallo"],
    ["blog/hallo", "de", "Hallo"],
    ["blog/hello", "en", "Hello"],
  ] as const)
    assert.equal((await dataOf({ path, locale })).title, title, `${path} ${locale}`);
  assert.equal((await read({ path: "tagebuch/hallo", locale: "es" })).status, 404);
  assert.deepEqual(await titles({ path: "tagebuch", locale: "de", filter: "" }), ["Hallo", "Other"]);
  assert.equal((await read({ path: "a", id: "a", locale: "de" })).json.code, "argument_conflict");
  await refused("PATCH", url, { id: "blog/other", locale: "de", name: "hallo" }, 409, "name_taken");
  await translate("blog/other", "de", {}, { name: "hello" });
  assert.equal((await dataOf({ path: "tagebuch/hello", locale: "de" })).title, "Other");
  assert.equal((await dataOf({ id: "blog/hello", locale: "de" })).title, "Hallo");
  await create("else/where", {});
  await translate("else/where", "de", {}, { name: "hallo" });
  await refused("PUT", "/api/entries", { id: "else/where", new_id: "blog/where" }, 409, "name_taken");
  await write("PUT", "/api/entries/copy", { id: "blog", new_id: "blog2" });
  assert.equal((await states("blog2")).by.de?.name, null);
  assert.equal((await states("blog2/hello")).by.de?.name, "hallo");
  assert.equal((await dataOf({ path: "blog2/hallo", locale: "de" })).title, "Hallo");
  await write("PUT", "/api/entries", { id: "blog", new_id: "log" });
  assert.equal((await dataOf({ path: "tagebuch/hallo", locale: "de" })).title, "Hallo");
  await write("PATCH", url, { id: "log/hello", locale: "de", name: null });
  assert.equal((await read({ path: "tagebuch/hallo", locale: "de" })).status, 404);
});

test("what is outdated is told by key, until it is written or checked again", async () => {
  await create("o", { title: "Hello", text: "One" });
  await translate("o", "de", { title: "Hallo", text: "Eins" });
  const { by } = await states("o");
  assert.deepEqual([by.de?.keys, by.de?.outdated, by.de?.missing, by.de?.exists], [["title", "text"], [], [], true]);
  assert.deepEqual([by.fr?.exists, by.fr?.keys, by.fr?.name], [false, [], null]);
  await write("PATCH", "/api/entries", { id: "o", data: { title: "Hello there", text: "Two" } });
  assert.deepEqual((await states("o")).by.de?.outdated, ["title", "text"]);
  await write("PATCH", url, { id: "o", locale: "de", checked: ["title"] });
  assert.deepEqual((await states("o")).by.de?.outdated, ["text"]);
  await write("PATCH", "/api/entries", { id: "o", data: { text: "One" } });
  assert.deepEqual((await states("o")).by.de?.outdated, []);
  await write("PATCH", "/api/entries", { id: "o", data: { text: "Two" } });
  await translate("o", "de", { text: "Zwei" });
  assert.deepEqual((await states("o")).by.de?.outdated, []);
  await refused("PATCH", url, { id: "o", locale: "de", checked: ["nothing"] }, 400, "argument_invalid");
});

test("an entry is public in the locales that it names alone", async () => {
  await create("only", { title: "Nur" });
  await write("PATCH", url, { id: "only", only_locales: ["de"] });
  assert.equal((await read({ id: "only" })).status, 404);
  assert.equal((await read({ id: "only", locale: "fr" })).status, 404);
  assert.equal((await dataOf({ id: "only", locale: "de" })).title, "Nur");
  const listed = (locale?: string) => titles({ id: "", "filter[path]": "only", ...(locale && { locale }) });
  assert.deepEqual(await listed(), []);
  assert.deepEqual(await listed("fr"), []);
  assert.deepEqual(await listed("de"), ["Nur"]);
  assert.deepEqual((await states("only")).only, ["de"]);
  assert.equal((await dataOf({ id: "only" }, world.token.management)).title, "Nur");
  await refused("PATCH", url, { id: "only", only_locales: ["xx"] }, 400, "locale_unknown");
  await refused("PATCH", url, { id: "only", only_locales: ["de"], name: "a" }, 400, "argument_conflict");
  await write("PATCH", url, { id: "only", only_locales: null });
  assert.equal((await dataOf({ id: "only" })).title, "Nur");
});

test("what names no other locale is refused, and the source has an address of its own", async () => {
  await create("r", { title: "Hello" });
  const named = (await refused("PATCH", url, { id: "r", locale: "en", data: {} }, 400, "argument_invalid")).detail;
  assert.match(String(named), /\/api\/entries/);
  await refused("PATCH", url, { id: "r", locale: "it", data: {} }, 400, "locale_unknown");
  await refused("PATCH", url, { id: "r", data: {} }, 400, "argument_missing");
  await refused("PATCH", url, { id: "none", locale: "de", data: {} }, 404, "entry_not_found");
  await refused("PATCH", url, { id: "r", locale: "de", data: { routable: false } }, 400, "field_invalid");
  await refused("DELETE", url, { id: "r", locale: "de" }, 404, "translation_not_found");
  assert.equal((await read({ id: "r", locale: "it" })).json.code, "locale_unknown");
  for (const method of ["POST", "PATCH", "PUT", "DELETE"]) {
    const detail = (
      await refused(method, "/api/entries", { id: "r", locale: "de", data: {}, new_id: "q" }, 400, "argument_unknown")
    ).detail;
    assert.match(String(detail), /\/api\/entries\/translations/);
  }
});

test("a translation goes to the trash and comes back, alone or with its entry", async () => {
  await create("t", { title: "Hello" });
  await create("t/below", { title: "Below" });
  await translate("t", "de", { title: "Hallo" }, { name: "te" });
  await translate("t/below", "fr", { title: "Dessous" });
  const before = [(await states("t")).by.de, (await states("t/below")).by.fr];
  const items = async () =>
    (await read({}, world.token.management, "/api/trash")).json.data as (Data & { id: number })[];
  await write("DELETE", url, { id: "t", locale: "de" });
  const [item] = await items();
  assert.deepEqual([item?.noun, item?.path, item?.locale], ["entry", "t", "de"]);
  assert.equal((await dataOf({ id: "t", locale: "de" })).title, "Hello");
  await translate("t", "de", { title: "Neu" });
  await refused("POST", "/api/trash/restore", { id: item?.id }, 409, "translation_exists");
  await write("DELETE", url, { id: "t", locale: "de" });
  await write("POST", "/api/trash/restore", { id: item?.id });
  assert.deepEqual((await states("t")).by.de, before[0]);
  await write("DELETE", "/api/entries", { id: "t" });
  const [whole] = await items();
  assert.equal(whole?.locale, undefined);
  await write("POST", "/api/trash/restore", { id: whole?.id });
  assert.deepEqual([(await states("t")).by.de, (await states("t/below")).by.fr], before);
  assert.deepEqual(await world.app.stores.verify(), []);
});

test("a working copy of a translation is staged, published, restored and discarded, and touches no other locale", async () => {
  await create("s", { title: "Hello", text: "One" });
  const staged = "/api/entries/staged";
  const inStaged = (locale: string) => read({ id: "s", locale }, world.token.management, staged);
  const first = await call("PATCH", staged, { id: "s", locale: "de", data: { title: "Hallo" } });
  assert.equal(first.status, 200, first.text);
  assert.deepEqual([(first.json.data as Data).title, (first.json.data as Data).text], ["Hallo", "One"]);
  assert.equal((await dataOf({ id: "s", locale: "de" }, world.token.management)).title, "Hello");
  assert.equal((await states("s")).by.de?.exists, false);
  assert.deepEqual((await states("s")).by.de?.staged, ["title"]);
  const view = await inStaged("de");
  assert.equal((view.json.data as Data).title, "Hallo");
  assert.equal(((await inStaged("fr")).json.data as Data).title, "Hello");
  assert.equal(((await read({ id: "s" }, world.token.management, staged)).json.data as Data).title, "Hello");
  await write("PATCH", staged, { id: "s", data: { text: "Two" } });
  const list = (await read({}, world.token.management, `${staged}/list`)).json.data as Data[];
  assert.deepEqual(
    list.map(({ id, locale }) => [id, locale]),
    [
      ["s", undefined],
      ["s", "de"],
    ],
  );
  const narrow = (await read({ locale: "de" }, world.token.management, `${staged}/list`)).json.data as Data[];
  assert.deepEqual(
    narrow.map(({ id, locale }) => [id, locale]),
    [["s", "de"]],
  );
  assert.equal(((await inStaged("de")).json.data as Data).text, "One");
  await write("DELETE", staged, { id: "s", locale: "de" });
  assert.equal(((await inStaged("de")).json.data as Data).title, "Hello");
  await refused("POST", "/api/entries/publish", { id: "s", locale: "de" }, 409, "nothing_staged");
  await write("PATCH", staged, { id: "s", locale: "de", data: { title: "Hallo" } });
  await write("PATCH", "/api/entries", { id: "s", data: { title: "Hello!" } });
  const published = await write("POST", "/api/entries/publish", { id: "s", locale: "de" });
  assert.deepEqual([published.title, published.text], ["Hallo", "One"]);
  assert.equal((await dataOf({ id: "s", locale: "de" })).title, "Hallo");
  assert.equal((await dataOf({ id: "s" })).text, "One");
  assert.deepEqual((await states("s")).by.de?.outdated, ["title"]);
  const revision = (await states("s")).by.de?.revision;
  await translate("s", "de", { title: "Servus" });
  assert.deepEqual((await states("s")).by.de?.outdated, []);
  const past = (await read({ id: "s", locale: "de" }, world.token.management, "/api/entries/history")).json
    .data as Data[];
  assert.deepEqual(
    past.map((row) => row.revision),
    [revision],
  );
  const then = async (more: Record<string, string>) => {
    const query = { id: "s", locale: "de", revision: String(revision), ...more };
    return (await read(query, world.token.management, "/api/management/entries")).json;
  };
  const { title, text } = (await then({})).data as Data;
  assert.deepEqual([title, text], ["Hallo", "One"], "the source is that of today");
  assert.equal(((await then({ locale_fallback: "off" })).data as Data).text, undefined);
  assert.equal((await then({ locale: "fr" })).code, "revision_not_found");
  assert.equal(
    ((await read({ id: "s" }, world.token.management, "/api/entries/history")).json.data as Data[]).length,
    1,
  );
  assert.equal((await write("POST", "/api/entries/restore", { id: "s", locale: "de", revision })).title, "Hallo");
  assert.deepEqual((await states("s")).by.de?.outdated, ["title"]);
  assert.equal((await dataOf({ id: "s" })).title, "Hello!");
  await write("DELETE", staged, { id: "s" });
  assert.deepEqual(await world.app.stores.verify(), []);
});

test("a release publishes translations with entries, and its undo takes back what was not there", async () => {
  await create("rel", { title: "Hello" });
  await translate("rel", "fr", { title: "Salut" });
  const { id: release } = await write("POST", "/api/releases", { title: "Both" });
  const staged = "/api/entries/staged";
  await write("PATCH", staged, { id: "rel", data: { title: "Hello 2" }, release });
  await write("PATCH", staged, { id: "rel", locale: "de", data: { title: "Hallo 2" }, release });
  await write("PATCH", staged, { id: "rel", locale: "fr", data: { title: "Salut 2" }, release });
  const preview = await world.issue("preview", ["entries"], {
    release,
    expiresAt: Math.floor(Date.now() / 1000) + 60,
  } as never);
  const seen = async (locale: string, token?: string) => (await dataOf({ id: "rel", locale }, token)).title;
  assert.deepEqual(
    [await seen("en", preview.secret), await seen("de", preview.secret), await seen("fr", preview.secret)],
    ["Hello 2", "Hallo 2", "Salut 2"],
  );
  assert.deepEqual([await seen("en"), await seen("de"), await seen("fr")], ["Hello", "Hello", "Salut"]);
  const before = (await states("rel")).by;
  await write("POST", "/api/releases/publish", { id: release });
  assert.deepEqual([await seen("en"), await seen("de"), await seen("fr")], ["Hello 2", "Hallo 2", "Salut 2"]);
  const entries = (await read({ id: String(release) }, world.token.management, "/api/releases/entries")).json
    .data as Data[];
  assert.deepEqual(
    entries.map(({ locale }) => locale),
    [undefined, "de", "fr"],
  );
  await write("POST", "/api/releases/undo", { id: release });
  assert.deepEqual([await seen("en"), await seen("de"), await seen("fr")], ["Hello", "Hello", "Salut"]);
  const after = (await states("rel")).by;
  assert.deepEqual([after.de?.exists, after.de?.staged, after.fr?.staged], [false, ["title"], ["title"]]);
  assert.deepEqual(after.fr?.keys, before.fr?.keys);
  const log = (await read({ since: "0", limit: "1000" }, world.token.management, "/api/events")).json.data as Data[];
  const ofDe = log.filter(({ subject, locale }) => subject === "rel" && locale === "de").map(({ kind }) => kind);
  assert.deepEqual(ofDe, ["entry.stage", "entry.publish", "entry.update"]);
  assert.deepEqual(await world.app.stores.verify(), []);
});

test("a translator writes in his locale alone", async () => {
  await create("rights", { title: "Hello" });
  const { secret } = await world.issue("management", ["entries"], { locales: ["de"] } as never);
  const as = (method: string, path: string, body: object) =>
    world.send(method, path, { body: { token: secret, access_token: world.token.access, ...body } });
  const cases: [method: string, path: string, body: object, status: number][] = [
    ["PATCH", url, { id: "rights", locale: "de", data: { title: "Hallo" } }, 200],
    ["PATCH", url, { id: "rights", locale: "fr", data: { title: "Salut" } }, 403],
    ["PATCH", url, { id: "rights", only_locales: ["de"] }, 403],
    ["PATCH", "/api/entries/staged", { id: "rights", locale: "de", data: { title: "Servus" } }, 200],
    ["PATCH", "/api/entries/staged", { id: "rights", locale: "fr", data: { title: "Salut" } }, 403],
    ["PATCH", "/api/entries/staged", { id: "rights", data: { title: "Hello 2" } }, 403],
    ["POST", "/api/entries/publish", { id: "rights", locale: "fr" }, 403],
    ["POST", "/api/entries/publish", { id: "rights", locale: "de" }, 200],
    ["POST", "/api/entries/restore", { id: "rights", locale: "fr", revision: 1 }, 403],
    ["DELETE", url, { id: "rights", locale: "fr" }, 403],
    ["DELETE", url, { id: "rights", locale: "de" }, 204],
    ["PATCH", "/api/entries", { id: "rights", data: { title: "Hello 2" } }, 403],
    ["DELETE", "/api/entries", { id: "rights" }, 403],
  ];
  for (const [method, path, body, status] of cases)
    assert.equal((await as(method, path, body)).status, status, `${method} ${path} ${JSON.stringify(body)}`);
});

test("what is included is in the locale, entries and files", async () => {
  await create("with", { title: "With", author: "who" });
  await create("who", { title: "Who" });
  await translate("who", "de", { title: "Wer" });
  const reply = await read({ id: "with", locale: "de", include: "author" });
  const { entries } = reply.json.included as unknown as { entries: Record<string, Data> };
  assert.equal(entries.who?.title, "Wer");
});
