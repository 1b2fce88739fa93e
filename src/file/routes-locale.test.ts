import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Reply, useWorld } from "../../test/harness.ts";

/** What files say in other locales than the source. Contract §5, Texts by locale. */

const world = useWorld({ locales: "en,de,de-AT,fr", "cache-groups": "xkey", "public-url": "https://example.org" });
const other = useWorld();
const as = { token: "", access_token: "" };

const upload = async (name: string, more: Record<string, string> = {}, { app } = world) => {
  const form = new FormData();
  for (const [key, value] of Object.entries({ ...as, folder: "up", ...more })) form.set(key, value);
  form.set("file", new Blob([name]), name);
  assert.equal((await fetch(`${app.url}/api/files`, { method: "POST", body: form })).status, 200);
};

before(async () => {
  await Promise.all([world.ready, other.ready]);
  Object.assign(as, { token: world.token.management, access_token: world.token.access });
});

type Sent = { path?: string; field?: string; value?: unknown; locale?: string };
const meta = (verb: string, sent: Sent, headers: Record<string, string> = {}): Promise<Reply> =>
  world.send(verb, "/api/files/meta", { headers, body: { ...as, path: "up/a.txt", field: "title", ...sent } });
const read = (query: Record<string, string>, headers = {}, token = as.token): Promise<Reply> =>
  world.send("GET", "/api/files", { query: { token, path: "up/a.txt", ...query }, headers });
const dataOf = ({ json, text }: Reply) => {
  assert.ok(json.data, text);
  return json.data as Record<string, unknown>;
};
const answered = async (work: Promise<Reply>): Promise<unknown[]> => {
  const { status, json } = await work;
  return [status, json.code];
};

test("a text is set in a locale, read there and where that falls back to it, and falls back again once deleted", async () => {
  await upload("a.txt");
  const before = await read({});
  assert.equal((await meta("PATCH", { value: "Ein Titel", locale: "DE" })).status, 200);
  const set = await meta("PATCH", { field: "alt", value: "Ein Bild", locale: "de" });
  assert.deepEqual([dataOf(set).title, dataOf(set).alt], ["Ein Titel", "Ein Bild"], "the answer is in that locale");
  await meta("POST", { field: "rights.owner", value: "Wir", locale: "de-AT" });

  const after = await read({});
  assert.deepEqual([after.text, after.headers.get("etag")], [before.text, before.headers.get("etag")]);
  assert.equal(after.headers.get("content-language"), null);
  const shown = async (locale: string) => {
    const reply = await read({ locale });
    const { title, alt, rights } = dataOf(reply);
    return [reply.headers.get("content-language"), title, alt, rights];
  };
  assert.deepEqual(await shown("de"), ["de", "Ein Titel", "Ein Bild", undefined]);
  assert.deepEqual(await shown("de-at"), ["de-AT", "Ein Titel", "Ein Bild", { owner: "Wir" }]);
  assert.deepEqual(await shown("fr"), ["en", "a", undefined, undefined]);
  assert.deepEqual(await shown("EN"), ["en", "a", undefined, undefined]);

  assert.equal((await meta("DELETE", { field: "rights.owner", locale: "de-AT" })).status, 200);
  assert.deepEqual(await shown("de-AT"), ["de", "Ein Titel", "Ein Bild", undefined]);
  await meta("DELETE", { locale: "de" });
  assert.deepEqual(await shown("de"), ["de", "a", "Ein Bild", undefined]);
  await meta("DELETE", { field: "alt", locale: "de" });
  assert.deepEqual(await shown("de"), ["en", "a", undefined, undefined]);
  assert.equal((await read({})).text, before.text);
});

test("the source's own locale is the same as none on writes", async () => {
  await upload("source.txt");
  const path = "up/source.txt";
  await meta("PATCH", { path, value: "Source", locale: "en" });
  assert.equal(dataOf(await read({ path })).title, "Source");
  assert.deepEqual(await answered(meta("DELETE", { path, locale: "en" })), [400, "field_reserved"]);
});

test("what is no text, or the same in every locale, is refused; so is a locale that is unknown, or of a service without", async () => {
  await upload("r.txt");
  const path = "up/r.txt";
  await meta("POST", { path, field: "tags", value: ["sea", 1] });
  await meta("POST", { path, field: "size", value: 3 });
  const of = (verb: string, sent: Sent) => answered(meta(verb, { path, locale: "de", value: "x", ...sent }));
  for (const field of ["focal", "focal.x", "type", "filesize", "title.x", "exif.Width", Array(70).fill("a").join(".")])
    assert.deepEqual(await of("PATCH", { field }), [400, "argument_invalid"], field);
  for (const value of [1, null, true, ["x"], { x: "y" }])
    assert.deepEqual(await of("PATCH", { field: "alt", value }), [400, "field_invalid"], JSON.stringify(value));
  for (const field of ["tags", "tags.1", "tags.2", "tags.length", "tags.0.x", "size", "size.x"])
    assert.deepEqual(await of("PATCH", { field }), [400, "field_invalid"], field);
  assert.deepEqual(await of("PATCH", { field: "__proto__" }), [400, "key_forbidden"]);
  assert.deepEqual(await of("PATCH", { field: "alt", value: "x".repeat(1_100_000) }), [413, "data_too_large"]);
  assert.deepEqual(await of("DELETE", { field: "alt" }), [404, "field_not_found"]);
  assert.deepEqual(await of("PATCH", { field: "tags.0" }), [200, undefined]);
  assert.deepEqual(await of("POST", { field: "tags.0" }), [409, "field_exists"]);
  assert.deepEqual(dataOf(await read({ path, locale: "de" })).tags, ["x", 1]);
  assert.deepEqual(await of("PATCH", { field: "tags.0", value: "" }), [200, undefined]);
  assert.deepEqual(dataOf(await read({ path, locale: "de" })).tags, ["", 1]);
  assert.deepEqual(await of("PATCH", { field: "alt", locale: "es" }), [400, "locale_unknown"]);
  assert.deepEqual(await answered(read({ path, locale: "es" })), [400, "locale_unknown"]);

  const own = { token: other.token.management, access_token: other.token.access };
  await upload("r.txt", own, other);
  const body = { ...own, path, field: "title", value: "x", locale: "de" };
  assert.deepEqual(await answered(other.send("PATCH", "/api/files/meta", { body })), [409, "locales_missing"]);
  const query = { token: own.token, path, locale: "de" };
  const passed = await other.send("GET", "/api/files", { query });
  assert.deepEqual([passed.status, passed.headers.get("octavo-ignored")], [200, "locale"]);
  const strict = other.send("GET", "/api/files", { query: { ...query, strict: "1" } });
  assert.deepEqual(await answered(strict), [400, "argument_unknown"]);
  assert.equal((await read({ path, locale: "de", strict: "1" })).headers.get("octavo-ignored"), null);
});

test("a text that does not fit the file any more is left out, and comes back", async () => {
  await upload("f.txt");
  const path = "up/f.txt";
  await meta("POST", { path, field: "note", value: "a text" });
  await meta("PATCH", { path, field: "note", value: "ein Text", locale: "de" });
  await meta("PATCH", { path, field: "note", value: 5 });
  assert.equal(dataOf(await read({ path, locale: "de" })).note, 5);
  await meta("DELETE", { path, field: "note" });
  assert.equal(dataOf(await read({ path, locale: "de" })).note, "ein Text");
});

test("an answer in a locale has an ETag of its own, which a write there takes, and one elsewhere does not change", async () => {
  await upload("e.txt");
  const path = "up/e.txt";
  const tagOf = async (query: Record<string, string>) => (await read({ path, ...query })).headers.get("etag") as string;
  const set = (value: string, locale: string, etag: string) =>
    answered(meta("PATCH", { path, value, locale }, { "If-Match": etag }));
  const none = await tagOf({ locale: "de" });
  assert.deepEqual(await set("1", "de", none), [200, undefined]);
  assert.deepEqual(await set("2", "de", none), [412, "revision_mismatch"]);
  const [first, source, austrian] = [await tagOf({ locale: "de" }), await tagOf({}), await tagOf({ locale: "de-AT" })];
  assert.deepEqual(await set("fr", "fr", source), [200, undefined]);
  assert.deepEqual(await answered(meta("PATCH", { path, value: "Source" }, { "If-Match": source })), [200, undefined]);
  assert.equal(await tagOf({ locale: "de" }), first);
  assert.deepEqual(await set("3", "de", first), [200, undefined]);
  assert.notEqual(await tagOf({ locale: "de-AT" }), austrian, "it falls back to what has changed");
  assert.equal((await read({ path, locale: "de" }, { "If-None-Match": first })).status, 200);
  const now = await tagOf({ locale: "de" });
  assert.equal((await read({ path, locale: "de" }, { "If-None-Match": now })).status, 304);
  const since = { "If-Modified-Since": new Date(Date.now() + 60_000).toUTCString() };
  assert.equal((await read({ path, locale: "de" }, since)).status, 200);
});

test("conditions, orders, searches, counts and cursors of a list run over what it answers", async () => {
  for (const name of ["b.txt", "a.txt", "c.txt"]) await upload(name, { folder: "l" });
  await meta("PATCH", { path: "l/a.txt", value: "Zebra", locale: "de" });
  await meta("PATCH", { path: "l/c.txt", field: "alt", value: "Ein Esel", locale: "de" });
  const list = async (locale: string | undefined, filter: Record<string, string>) => {
    const query = { path: "l", collection: "true", ...(locale && { locale }), ...filter };
    const reply = await read(query);
    return [Object.keys(dataOf(reply)), reply.headers.get("link")] as const;
  };
  const byTitle = { "filter[order_by][field]": "title", "filter[order_by][direction]": "asc" };
  assert.deepEqual((await list("de", byTitle))[0], ["b.txt", "c.txt", "a.txt"]);
  assert.deepEqual((await list(undefined, byTitle))[0], ["a.txt", "b.txt", "c.txt"]);
  const [first, link] = await list("de", { ...byTitle, "filter[limit]": "2" });
  assert.deepEqual(first, ["b.txt", "c.txt"]);
  const cursor = /cursor=([^&>]+)/.exec(link ?? "")?.[1] as string;
  assert.deepEqual((await list("de", { ...byTitle, "filter[limit]": "2", cursor }))[0], ["a.txt"]);
  const elsewhere = { path: "l", collection: "true", locale: "fr", ...byTitle, "filter[limit]": "2", cursor };
  assert.deepEqual(await answered(read(elsewhere)), [400, "cursor_invalid"]);
  const where = { "filter[where][key]": "title", "filter[where][expr]": "eq", "filter[where][value]": "Zebra" };
  assert.deepEqual((await list("de-AT", where))[0], ["a.txt"]);
  assert.deepEqual((await list("fr", where))[0], []);
  assert.deepEqual((await list("de", { "filter[search]": "esel" }))[0], ["c.txt"]);
  const count = await read({
    path: "l",
    collection: "true",
    locale: "de",
    "filter[return]": "count",
    "filter[search]": "esel",
  });
  assert.equal(count.json.data, 1);
});

test("a write in a locale is an event of the file with the locale, and purges the file's cache groups", async () => {
  await upload("g.txt");
  const path = "up/g.txt";
  const reply = await meta("PATCH", { path, value: "Titel", locale: "de" });
  const sequence = Number(reply.headers.get("octavo-sequence"));
  const admin = await world.issue("management", ["admin"]);
  const query = { token: admin.secret, since: String(sequence - 1) };
  const [event] = (await world.send("GET", "/api/events", { query })).json.data as Record<string, unknown>[];
  assert.deepEqual([event?.kind, event?.subject, event?.locale], ["file.update", path, "de"]);
  const delivery = { locale: "de", path };
  const groups = (await read(delivery, {}, world.token.delivery)).headers.get("xkey");
  assert.ok(groups);
  const [stored] = await world.app.stores.events.listCommitted(sequence - 1, 1);
  assert.ok(stored);
  const { changedGroups } = await import("../core/list/cache-group.ts");
  assert.ok(changedGroups(stored, []).includes(groups));
});

test("authors translate what they may describe, operations of a batch take a locale, and their repetitions answer it again", async () => {
  const ada = await world.issue("management", ["files", "entries"], { writes: "staged" });
  await upload("own.txt", { token: ada.secret });
  const by = { token: ada.secret, access_token: as.access_token, path: "up/own.txt", locale: "de", value: "x" };
  const set = (field: string) => answered(world.send("PATCH", "/api/files/meta", { body: { ...by, field } }));
  assert.deepEqual(await set("alt"), [200, undefined]);
  assert.deepEqual(await set("credit"), [403, "scope_missing"]);
  const body = { path: "up/own.txt", field: "title", value: "Titel", locale: "de" };
  const operations = [{ method: "PATCH", path: "/api/files/meta", body }];
  const headers = {
    "Idempotency-Key": crypto.randomUUID(),
    Authorization: `Bearer ${as.token}`,
    "X-Access-Token": as.access_token,
  };
  for (const _ of [1, 2]) {
    const reply = await world.send("POST", "/api/batch", { headers, body: { operations } });
    assert.equal(reply.status, 200, reply.text);
    assert.match(reply.text, /"title":"Titel".*"alt":"x"/);
  }
});
