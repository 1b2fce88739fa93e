/**
 * The floor of lists: node:http and prepared statements on Octavo's own indexes. It answers the addresses of
 * bench/floor.ts with the same rows in the same order and does nothing of the contract: no tokens, cursors or types, no
 * conditions but those of the bench, no look at what was written meanwhile. Prints its URL.
 * `sqlite FOLDER` reads the database of a service's folder, which the service may have open.
 */
import { hash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type ParsedUrlQuery, parse } from "node:querystring";
import { DatabaseSync } from "node:sqlite";
import { readDecimal } from "../src/core/lib/decimal.ts";
import { numberKey, orderKey } from "../src/core/list/order-key.ts";
import { gramsOfPart } from "../src/core/sql/index/gram.ts";
import { readChunk } from "../src/core/sql/index/posting.ts";
import { top } from "./list-queries.ts";

type Value = string | number | null;
type Row = Value[];
type Statement = (...values: Value[]) => Row[] | Promise<Row[]>;
/** A store. Parameters are `?1` and so on. */
type Store = { prepare(text: string): Statement };

// ---------------------------------------------------------------------------------------------- stores

function openSqlite(folder: string): Store {
  const database = new DatabaseSync(join(folder, "octavo.db"), { readOnly: true });
  // As the service has it.
  database.exec("PRAGMA cache_size = -16000");
  return {
    prepare: (text) => {
      const statement = database.prepare(text.replaceAll("{join}", "CROSS JOIN"));
      statement.setReturnArrays(true);
      return (...values) => statement.all(...values) as unknown as Row[];
    },
  };
}

// ---------------------------------------------------------------------------------------------- lists

const columns =
  "e.slug, e.data, e.published_at, e.created_at, e.modified_at, e.published_by, e.created_by, e.routable, e.visibility, e.uuid";

/** An item as the service writes it. */
const format = ([slug, data, published, created, modified, publisher, author, routable, visibility, uuid]: Row) =>
  `${(data as string).slice(0, -1)},"published_at":${published},"created_at":${created},"modified_at":${modified},` +
  `"published_by":"${publisher}","created_by":"${author}","routable":${routable === 1},"visibility":"${visibility}",` +
  `"uuid":"${uuid}","slug":"${slug}"}`;

type Answer = { data: string; total?: number };
type List = (query: ParsedUrlQuery) => Promise<Answer>;

const listOf = (rows: readonly Row[]): Answer => ({ data: `[${rows.map(format).join(",")}]` });
const windowOf = (query: ParsedUrlQuery): [limit: number, offset: number] => [
  Number(query["filter[limit]"] ?? 100),
  Number(query["filter[offset]"] ?? 0),
];
const textOf = (query: ParsedUrlQuery): string => query["filter[where][value]"] as string;
const numberOf = (query: ParsedUrlQuery): string => {
  const decimal = readDecimal(textOf(query));
  if (!decimal) throw new Error(`${textOf(query)} is no number`);
  return numberKey(decimal);
};

/** The lists by what tells their addresses apart; see `nameOf`. */
async function listsOf(store: Store): Promise<Record<string, List>> {
  const numberIn = async (text: string, name: string) => (await store.prepare(text)(name))[0]?.[0] as number;
  const parent = await numberIn("SELECT id FROM parent WHERE path = ?1", top);
  const key = (name: string) => numberIn("SELECT id FROM field_key WHERE name = ?1", name);
  const [price, state, group] = [await key("price"), await key("state"), await key("group")];
  const below = `parent = ${parent} AND listing = 1`;
  const rowsOf = (id: number) => `entry_field AS w WHERE w.parent = ${parent} AND w.listing = 1 AND w.key = ${id}`;
  const hasState = (id: string) =>
    `EXISTS (SELECT 1 FROM entry_field AS f WHERE f.entry = ${id} AND f.key = ${state} AND f.value = ?1)`;
  // What is not on the page is never read whole: its slug decides between entries of one price.
  const byPrice = (test: string) =>
    store.prepare(`SELECT ${columns} FROM (
      SELECT w.entry AS id, w.value AS value, o.slug AS slug FROM entry_field AS w {join} entry AS o ON o.id = w.entry
      WHERE w.parent = ${parent} AND w.listing = 1 AND w.key = ${price} AND ${test}
      ORDER BY w.value DESC, o.slug LIMIT ?2 OFFSET ?3
    ) AS page {join} entry AS e ON e.id = page.id ORDER BY page.value DESC, page.slug`);
  // No two entries have one time: the index alone has the order.
  const newest = store.prepare(
    `SELECT ${columns} FROM entry AS e WHERE ${below} ORDER BY published_at DESC, id DESC LIMIT ?1 OFFSET ?2`,
  );
  // Numbers end where texts begin.
  const inRange = "w.value >= ?1 AND w.value < '2'";
  const priced = byPrice(inRange);
  const stated = byPrice(hasState("w.entry"));
  const grouped = store.prepare(
    `SELECT ${columns} FROM entry_field AS w {join} entry AS e ON e.id = w.entry
     WHERE w.parent = ${parent} AND w.listing = 1 AND w.key = ${group} AND w.value = ?1 ORDER BY e.slug LIMIT ?2`,
  );
  const counted = store.prepare(`SELECT count(*) FROM ${rowsOf(price)} AND ${inRange}`);
  const others = store.prepare(`SELECT ${columns} FROM (
      SELECT id FROM entry WHERE ${below} AND NOT ${hasState("entry.id")} ORDER BY slug LIMIT ?2 OFFSET ?3
    ) AS page {join} entry AS e ON e.id = page.id ORDER BY e.slug`);
  const total = store.prepare(
    `SELECT (SELECT count(*) FROM entry WHERE ${below}) - (SELECT count(*) FROM ${rowsOf(state)} AND w.value = ?1)`,
  );
  return {
    newest: async (query) => listOf(await newest(...windowOf(query))),
    price: async (query) => listOf(await priced(numberOf(query), ...windowOf(query))),
    state: async (query) => listOf(await stated(orderKey(textOf(query)), ...windowOf(query))),
    group: async (query) => listOf(await grouped(numberOf(query), windowOf(query)[0])),
    count: async (query) => ({ data: String((await counted(numberOf(query)))[0]?.[0]) }),
    total: async (query) => {
      const value = orderKey(textOf(query));
      const page = listOf(await others(value, ...windowOf(query)));
      return { ...page, total: Number((await total(value))[0]?.[0]) };
    },
    title: containing(store),
    one: oneOf(store),
  };
}

function oneOf(store: Store): List {
  const one = store.prepare(`SELECT ${columns} FROM entry AS e WHERE slug = ?1`);
  return async ({ id }) => ({ data: format((await one(id as string))[0] as Row) });
}

/** So few candidates are read rather than another posting list. */
const fewCandidates = 8;

/**
 * The entries that contain a text, by the rarest posting lists, as few as decide. What is in them is compared as a whole,
 * without regard to case and fields: the bench has no text that this confuses.
 */
function containing(store: Store): List {
  const chunks = store.prepare(
    "SELECT first, rest FROM entry_gram WHERE level IN (0, 1) AND gram = ?1 LIMIT CAST(?2 AS BIGINT)",
  );
  const entry = store.prepare(`SELECT ${columns} FROM entry AS e WHERE id = ?1`);
  const shortLists = async (grams: number[], mostChunks: number): Promise<Row[][]> => {
    const lists: Row[][] = [];
    for (const gram of grams) lists.push(await chunks(gram, mostChunks + 1));
    const short = lists.filter(({ length }) => length <= mostChunks);
    return short.length > 0 ? short : shortLists(grams, 4 * mostChunks);
  };
  return async (query) => {
    const lists = await shortLists([...gramsOfPart(textOf(query))], 1);
    const wanted = textOf(query).toLowerCase();
    const rows: Row[] = [];
    for (const id of candidatesOf(lists)) rows.push(...(await entry(id)));
    const found = rows.filter(([, data]) => (data as string).toLowerCase().includes(wanted));
    return listOf(found.slice(0, windowOf(query)[0]));
  };
}

function candidatesOf(lists: Row[][]): number[] {
  const sizeOf = (chunks: Row[]) => chunks.reduce((size, [, rest]) => size + 1 + (rest as string).length, 0);
  const [rarest = [], ...others] = lists
    .map((chunks) => ({ chunks, size: sizeOf(chunks) }))
    .sort((a, b) => a.size - b.size)
    .map(({ chunks }) => chunks);
  const numbersOf = (chunks: Row[]) => chunks.flatMap(([first, rest]) => readChunk(Number(first), rest as string));
  let found = numbersOf(rarest);
  for (const chunks of others) {
    if (found.length <= fewCandidates) break;
    const held = new Set(numbersOf(chunks));
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

const [kind = "", place = ""] = process.argv.slice(2);
const stores: Record<string, (place: string) => Store> = { sqlite: openSqlite };
const lists = await listsOf((stores[kind] as (place: string) => Store)(place));

const server = createServer((request, response) => {
  const query = parse((request.url as string).slice("/api/entries?".length));
  (lists[nameOf(query)] as List)(query).then(
    ({ data, total }) => {
      const body = `{"data":${data}}`;
      const headers = [
        "Content-Type",
        "application/json; charset=utf-8",
        "ETag",
        `"${hash("sha256", body, "base64url")}"`,
      ];
      if (total !== undefined) headers.push("X-Total-Count", String(total));
      response.writeHead(200, [...headers, "Content-Length", String(Buffer.byteLength(body))]);
      response.end(body);
    },
    (error: Error) => response.destroy(error),
  );
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
