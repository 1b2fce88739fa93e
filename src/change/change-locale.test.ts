import assert from "node:assert/strict";
import { test } from "node:test";
import { until, useWorld } from "../../test/harness.ts";
import { orLong } from "../../test/long.ts";
import { type Random, random, seed } from "../../test/random.ts";
import { changedGroups } from "../core/list/cache-group.ts";

/**
 * Whatever is written, a mirror by the feed of changes is the list of its locale, and a cache that removes what the events name holds
 * no reply that is wrong. Contract §24, Reads in a locale.
 */

const world = useWorld({ locales: "en,de,de-AT,fr", "locale-fallbacks": "fr>de", "cache-groups": "xkey" });
const sections = ["a", "b"];
const ids = sections.flatMap((section) => [section, `${section}/x`, `${section}/y`, `${section}/y/in`]);
const locales = ["de", "de-AT", "fr"];
const names = ["eins", "zwei", "x", null];
const url = "/api/entries/translations";

type Data = Record<string, unknown> & { slug: string; uuid: string };

/** True for a write that was not refused, as many random ones are. */
async function write(method: string, path: string, body: object): Promise<boolean> {
  const { management, access } = world.token;
  const reply = await world.send(method, path, { body: { token: management, access_token: access, ...body } });
  assert.ok(reply.status < 500, reply.text);
  return reply.status < 300;
}

async function restore(pick: Random): Promise<boolean> {
  const { json } = await world.send("GET", "/api/trash", { query: { token: world.token.management } });
  const items = json.data as { id: number }[];
  const id = items[pick(Math.max(1, items.length))]?.id;
  return id !== undefined && write("POST", "/api/trash/restore", { id, drop_names: pick(2) === 0 });
}

const dataOf = (pick: Random, to: string) => ({
  title: `title ${pick(5)}`,
  ...(pick(3) === 0 && { to }),
  ...(pick(4) === 0 && { visibility: ["visible", "hidden", "draft"][pick(3)] }),
});

function anyWrite(pick: Random): Promise<boolean> {
  const one = <T>(all: readonly T[]) => all[pick(all.length)] as T;
  const [id, other, locale] = [one(ids), one(ids), one(locales)];
  const data = dataOf(pick, other);
  const translate = (more: object) => write("PATCH", url, { id, locale, ...more });
  const only = () => one([null, ["de"], ["en", "fr"], ["de", "en"]]);
  const kinds: [weight: number, () => Promise<boolean>][] = [
    [6, () => write("POST", "/api/entries", { id, data })],
    [3, () => write("PATCH", "/api/entries", { id, data })],
    [10, () => translate({ data })],
    [4, () => translate({ name: one(names) })],
    [2, () => write("DELETE", url, { id, locale })],
    [3, () => write("PATCH", url, { id, only_locales: only() })],
    [2, () => write("PATCH", "/api/entries/staged", { id, locale, data: { title: `staged ${pick(3)}` } })],
    [2, () => write("POST", "/api/entries/publish", { id, locale })],
    [2, () => write("PUT", "/api/entries", { id, new_id: other })],
    [1, () => write("PUT", "/api/entries/copy", { id, new_id: other })],
    [1, () => write("DELETE", "/api/entries", { id })],
    [2, () => restore(pick)],
  ];
  return one(kinds.flatMap(([weight, run]) => Array.from({ length: weight }, () => run)))();
}

/** A mirror in a locale, as a reader of the feed keeps it. */
class Mirror {
  readonly entries = new Map<string, Data>();
  private cursor: string | undefined;
  private readonly locale: string | undefined;

  constructor(locale: string | undefined) {
    this.locale = locale;
  }

  private get query() {
    return { token: world.token.delivery, ...(this.locale !== undefined && { locale: this.locale }) };
  }

  async follow(): Promise<void> {
    for (let hasMore = true; hasMore; ) {
      const query = { ...this.query, limit: "3", ...(this.cursor !== undefined && { cursor: this.cursor }) };
      const reply = await world.send("GET", "/api/delivery/changes", { query });
      assert.equal(reply.status, 200, reply.text);
      for (const { op, uuid, entry } of reply.json.data as { op: string; uuid: string; entry: Data }[]) {
        if (op === "put") this.entries.set(uuid, entry);
        else this.entries.delete(uuid);
      }
      this.cursor = reply.json.cursor as string;
      hasMore = reply.json.has_more as unknown as boolean;
    }
  }

  async compare(what: string): Promise<void> {
    await this.follow();
    const query = { ...this.query, id: "", "filter[depth]": "*", "filter[limit]": "500" };
    const { json } = await world.send("GET", "/api/entries", { query });
    const bySlug = (all: Iterable<Data>) => [...all].toSorted((a, b) => (a.slug < b.slug ? -1 : 1));
    assert.deepEqual(bySlug(this.entries.values()), bySlug(json.data as Data[]), `${what}, ${this.locale}`);
  }
}

/** A cache of replies, which holds those with groups until an event names one. */
class Cache {
  removed = 0;
  needless = 0;
  private readonly kept = new Map<string, { groups: string[]; text: string; headers: string }>();
  private sequence = 0;

  async compare(what: string): Promise<void> {
    const named = await this.purge();
    for (const path of addresses) {
      const kept = this.kept.get(path);
      const isRemoved = kept?.groups.some((group) => named.has(group)) ?? true;
      const reply = await world.send("GET", path, { headers: { Authorization: `Bearer ${world.token.delivery}` } });
      const headers = JSON.stringify(
        ["etag", "octavo-path", "octavo-locales", "content-language"].map((name) => reply.headers.get(name)),
      );
      if (kept && !isRemoved)
        assert.deepEqual([kept.text, kept.headers], [reply.text, headers], `${what}: ${path}\n${kept.groups}`);
      if (kept && isRemoved) {
        this.removed++;
        if (kept.text === reply.text && kept.headers === headers) this.needless++;
      }
      assert.ok([200, 404].includes(reply.status), reply.text);
      const groups = reply.headers.get("xkey")?.split(" ");
      if (groups) this.kept.set(path, { groups, text: reply.text, headers });
      else this.kept.delete(path);
    }
  }

  private async purge(): Promise<Set<string>> {
    const { events } = world.app.stores;
    const found = await events.list(this.sequence, 1000);
    const last = found.at(-1)?.sequence ?? this.sequence;
    const things = Map.groupBy(await events.listThings(this.sequence + 1, last), ({ sequence }) => sequence);
    this.sequence = last;
    return new Set(found.flatMap((event) => changedGroups(event, things.get(event.sequence) ?? [])));
  }
}

const addresses = ["en", "de", "fr"].flatMap((locale) => {
  const entries = (query: string) => `/api/entries?locale=${locale}&${query}`;
  return [
    ...ids.map((id) => entries(`id=${id}&include=to`)),
    ...sections.flatMap((id) => [
      entries(`id=${id}&filter[depth]=<=9&include=to`),
      entries(`id=${id}&filter[limit]=3&locale_info=1`),
      entries(`id=${id}&filter[return]=count&locale_fallback=off`),
    ]),
    entries("id=b/y/in&locale_fallback=off&include=to"),
    entries("path=a/eins"),
    entries("path=b/zwei/in"),
    entries("path=b/x"),
  ];
});
addresses.push("/api/entries?id=a/x", "/api/entries?id=a&filter[depth]=*");

const writes = orLong(40, 800);

test("mirrors of all locales are their lists, and no cache holds what is wrong, after each write", async (t) => {
  const pick = random(seed);
  const mirrors = [undefined, "de", "de-AT", "fr"].map((locale) => new Mirror(locale));
  const cache = new Cache();
  for (const id of ids) await write("POST", "/api/entries", { id, data: { title: id } });
  for (const locale of locales) await write("PATCH", url, { id: "b/y/in", locale, data: { title: locale } });
  await cache.compare("begin");
  for (let made = 0; made < writes; ) {
    if (!(await anyWrite(pick))) continue;
    made++;
    const what = `seed ${seed}, write ${made}`;
    for (const mirror of mirrors) if (made % 3 === 0) await mirror.compare(what);
    await cache.compare(what);
  }
  t.diagnostic(`${cache.removed} replies removed, ${cache.needless} without need`);
});

test("a translation whose time comes is told: an event with its locale, to the mirror and to caches", async () => {
  const { stores } = world.app;
  const at = Math.floor(Date.now() / 1000) + 2;
  const mirror = new Mirror("de");
  await write("POST", "/api/entries", { id: "later", data: { title: "Later" } });
  await write("PATCH", url, { id: "later", locale: "de", data: { title: "Später", published_at: at } });
  await mirror.follow();
  const titleOf = () => [...mirror.entries.values()].find(({ slug }) => slug === "later")?.title;
  assert.equal(titleOf(), "Later");
  const cache = new Cache();
  await cache.compare("before");
  await until(async () => (await stores.entries.nextLive()) === undefined, "never live");
  await mirror.follow();
  assert.equal(titleOf(), "Später");
  const live = (await stores.events.list(0, 10_000)).filter(({ kind }) => kind === "entry.live");
  assert.deepEqual(
    live.map(({ subject, locale, actor }) => [subject, locale, actor]),
    [["later", "de", "octavo"]],
  );
  await cache.compare("after");
  assert.equal(await stores.entries.goLive(at + 100), 0);
});

test("a cursor is of its locale, and what no locale may see is told in none", async () => {
  const { delivery } = world.token;
  const page = async (query: Record<string, string>) =>
    world.send("GET", "/api/delivery/changes", { query: { token: delivery, ...query } });
  const cursorOf = async (query: Record<string, string>) =>
    (await page({ limit: "1000", ...query })).json.cursor as string;
  const [plain, german] = [await cursorOf({}), await cursorOf({ locale: "DE" })];
  for (const query of [{ cursor: german }, { cursor: plain, locale: "de" }, { cursor: german, locale: "fr" }]) {
    const reply = await page(query as Record<string, string>);
    assert.deepEqual([reply.status, reply.json.code], [400, "cursor_invalid"]);
  }
  assert.equal((await page({ cursor: plain, locale: "en" })).status, 200);
  assert.deepEqual((await page({ locale: "xx" })).json.code, "locale_unknown");
  await write("POST", "/api/entries", { id: "quiet", data: { visibility: "draft" } });
  await write("PATCH", url, { id: "quiet", locale: "de", data: { title: "x" } });
  await write("POST", "/api/entries", { id: "told", data: {} });
  const [source, own] = [await cursorOf({}), await cursorOf({ locale: "de" })];
  await write("PATCH", url, { id: "told", locale: "de", data: { title: "geheim", visibility: "draft" } });
  await write("PATCH", url, { id: "told", locale: "fr", data: { title: "Un" } });
  await write("PATCH", url, { id: "quiet", locale: "de", data: { title: "y" } });
  await write("PATCH", "/api/entries/staged", { id: "told", locale: "de", data: { title: "z" } });
  assert.deepEqual((await page({ cursor: own, locale: "de" })).json.data, []);
  await write("PATCH", url, { id: "told", locale: "de", data: { visibility: "visible" } });
  const told = (await page({ cursor: own, locale: "de", only: "id" })).json.data as object[];
  assert.equal(told.length, 1);
  assert.deepEqual((await page({ cursor: source })).json.data, []);
});

const off = useWorld({});

test("without the setting a locale is refused", async () => {
  const query = { token: off.token.delivery, locale: "de" };
  const reply = await off.send("GET", "/api/delivery/changes", { query });
  assert.deepEqual([reply.status, reply.json.code], [409, "locales_missing"]);
});
