/**
 * The floor of lists: node:http and prepared statements on Octavo's own indexes. It answers the addresses of
 * bench/floor.ts with the same rows in the same order and does nothing of the contract: no tokens, cursors or types, no
 * conditions but those of the bench, no look at what is written meanwhile. Prints its URL.
 * `sqlite FOLDER` and `postgres URL` name the store of a service, which may run.
 */
import { hash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type ParsedUrlQuery, parse } from "node:querystring";
import { readDecimal } from "../src/core/lib/decimal.ts";
import { numberKey, orderKey } from "../src/core/list/order-key.ts";
import { gramsOfPart } from "../src/core/sql/index/gram.ts";
import { type BareStore, numbersOf, openPostgres, openSqlite, type Row } from "./bare-store.ts";
import { top } from "./list-queries.ts";

// ---------------------------------------------------------------------------------------------- arguments, items

const windowOf = (query: ParsedUrlQuery): [limit: number, offset: number] => [
  Number(query["filter[limit]"] ?? 100),
  Number(query["filter[offset]"] ?? 0),
];
const textOf = (query: ParsedUrlQuery): string => query["filter[where][value]"] as string;

function numberOf(query: ParsedUrlQuery): string {
  const decimal = readDecimal(textOf(query));
  if (!decimal) throw new Error(`${textOf(query)} is no number`);
  return numberKey(decimal);
}

const columns =
  "e.slug, e.data, e.published_at, e.created_at, e.modified_at, e.published_by, e.created_by, e.routable, e.visibility, e.uuid";

/** An item as the service writes it. */
const format = ([
  slug,
  data,
  published,
  created,
  modified,
  publisher,
  author,
  routable,
  visibility,
  uuid,
]: Row): string =>
  `${(data as string).slice(0, -1)},"published_at":${published},"created_at":${created},"modified_at":${modified},` +
  `"published_by":"${publisher}","created_by":"${author}","routable":${routable === 1},"visibility":"${visibility}",` +
  `"uuid":"${uuid}","slug":"${slug}"}`;

type Answer = { data: string; total?: number };
type List = (query: ParsedUrlQuery) => Promise<Answer>;
const listOf = (rows: readonly Row[]): Answer => ({ data: `[${rows.map(format).join(",")}]` });

// ---------------------------------------------------------------------------------------------- lists

/** The lists by what distinguishes their addresses: see `nameOf`. */
async function listsOf(store: BareStore): Promise<Record<string, List>> {
  const numberIn = async (text: string, name: string) => (await store.prepare(text)(name))[0]?.[0] as number;
  const parent = await numberIn("SELECT id FROM parent WHERE path = ?1", top);
  const key = (name: string) => numberIn("SELECT id FROM field_key WHERE name = ?1", name);
  const place: Place = {
    store,
    parent,
    price: await key("price"),
    state: await key("state"),
    group: await key("group"),
  };
  return {
    one: one(place),
    newest: newest(place),
    price: byPrice(place, priceFrom, numberOf),
    state: byPrice(place, hasState(place, "w.entry"), (query) => orderKey(textOf(query))),
    group: inGroup(place),
    count: counted(place),
    total: withTotal(place),
    title: containing(place),
  };
}

/** The numbers of the parent and of the keys. */
type Place = { store: BareStore; parent: number; price: number; state: number; group: number };

const below = ({ parent }: Place): string => `parent = ${parent} AND listing = 1`;
const ofKey = ({ parent }: Place, key: number): string =>
  `entry_field AS w WHERE w.parent = ${parent} AND w.listing = 1 AND w.key = ${key}`;
/** Numbers end where texts begin. */
const priceFrom = "w.value >= ?1 AND w.value < '2'";
const hasState = ({ store, state }: Place, id: string): string =>
  `EXISTS (SELECT 1 FROM entry_field AS f WHERE f.entry = ${id} AND f.key = ${state} AND f.value = ?1 ${store.eachRow})`;

function one({ store }: Place): List {
  const statement = store.prepare(`SELECT ${columns} FROM entry AS e WHERE slug = ?1`);
  return async ({ id }) => ({ data: format((await statement(id as string))[0] as Row) });
}

/** No two entries have the same time: the index alone has the order. */
function newest(place: Place): List {
  const statement = place.store.prepare(
    `SELECT ${columns} FROM entry AS e WHERE ${below(place)} ORDER BY published_at DESC, id DESC LIMIT {1} OFFSET {2}`,
  );
  return async (query) => listOf(await statement(...windowOf(query)));
}

/** Only what is on the page is read whole; the slug decides between entries of one price. */
function byPrice(place: Place, test: string, valueIn: (query: ParsedUrlQuery) => string): List {
  const { store, price, parent } = place;
  const statement = store.prepare(`SELECT ${columns} FROM (
      SELECT w.entry AS id, w.value AS value, o.slug AS slug
      FROM entry_field AS w ${store.withEntry("o", "w.entry")}
      WHERE w.parent = ${parent} AND w.listing = 1 AND w.key = ${price} AND ${test}
      ORDER BY w.value DESC, o.slug LIMIT {2} OFFSET {3}
    ) AS page ${store.withEntry("e", "page.id")} ORDER BY page.value DESC, page.slug`);
  return async (query) => listOf(await statement(valueIn(query), ...windowOf(query)));
}

function inGroup({ store, parent, group }: Place): List {
  const statement = store.prepare(
    `SELECT ${columns} FROM entry_field AS w ${store.withEntry("e", "w.entry")}
     WHERE w.parent = ${parent} AND w.listing = 1 AND w.key = ${group} AND w.value = ?1 ORDER BY e.slug LIMIT {2}`,
  );
  return async (query) => listOf(await statement(numberOf(query), windowOf(query)[0]));
}

function counted(place: Place): List {
  const statement = place.store.prepare(`SELECT count(*) FROM ${ofKey(place, place.price)} AND ${priceFrom}`);
  return async (query) => ({ data: String((await statement(numberOf(query)))[0]?.[0]) });
}

/** Entries have one state: all but those of this one. */
function withTotal(place: Place): List {
  const { store, state } = place;
  const page = store.prepare(`SELECT ${columns} FROM (
      SELECT id FROM entry WHERE ${below(place)} AND NOT ${hasState(place, "entry.id")} ORDER BY slug LIMIT {2} OFFSET {3}
    ) AS page ${store.withEntry("e", "page.id")} ORDER BY e.slug`);
  const total = store.prepare(
    `SELECT (SELECT count(*) FROM entry WHERE ${below(place)}) - (SELECT count(*) FROM ${ofKey(place, state)} AND w.value = ?1)`,
  );
  return async (query) => {
    const value = orderKey(textOf(query));
    const rows = await page(value, ...windowOf(query));
    return { ...listOf(rows), total: (await total(value))[0]?.[0] as number };
  };
}

/** So few candidates are read rather than narrowed by another list. */
const fewCandidates = 8;

/**
 * By the rarest posting lists, as few as decide. An entry is compared as a whole, without regard to case and fields: no
 * text of the bench is in another field.
 */
function containing({ store }: Place): List {
  const entries = store.entries(columns);
  return async (query) => {
    const [rarest = [], ...others] = await store.rarest([...gramsOfPart(textOf(query))]);
    const candidates = await entries(narrowed(rarest, others));
    const wanted = textOf(query).toLowerCase();
    const found = candidates.filter(([, data]) => (data as string).toLowerCase().includes(wanted));
    return listOf(found.slice(0, windowOf(query)[0]));
  };
}

function narrowed(rarest: readonly Row[], others: readonly Row[][]): number[] {
  let found = numbersOf(rarest);
  for (const list of others) {
    if (found.length <= fewCandidates) break;
    const held = new Set(numbersOf(list));
    found = found.filter((id) => held.has(id));
  }
  return found;
}

// ---------------------------------------------------------------------------------------------- the server

function nameOf(query: ParsedUrlQuery): string {
  if (query.id !== top) return "one";
  if (query["filter[return]"] === "count") return "count";
  if (query["filter[total]"] !== undefined) return "total";
  return (query["filter[where][key]"] as string | undefined) ?? "newest";
}

function headersOf(body: string, total: number | undefined): string[] {
  const headers = ["Content-Type", "application/json; charset=utf-8", "ETag", `"${hash("sha256", body, "base64url")}"`];
  if (total !== undefined) headers.push("X-Total-Count", String(total));
  headers.push("Content-Length", String(Buffer.byteLength(body)));
  return headers;
}

const [kind = "", where = ""] = process.argv.slice(2);
const lists = await listsOf(kind === "sqlite" ? openSqlite(where) : openPostgres(where));
const server = createServer((request, response) => {
  const query = parse((request.url as string).slice("/api/entries?".length));
  (lists[nameOf(query)] as List)(query).then(
    ({ data, total }) => {
      const body = `{"data":${data}}`;
      response.writeHead(200, headersOf(body, total));
      response.end(body);
    },
    (error: Error) => response.destroy(error),
  );
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
