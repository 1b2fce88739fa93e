import assert from "node:assert/strict";
import { test } from "node:test";
import { startWorld, temporaryFolder, type World } from "../harness.ts";
import { orLong } from "../long.ts";
import { createDatabase, lacksPostgres } from "../postgres.ts";
import { random, seed } from "../random.ts";

/**
 * What random reads include is what a walk over all entries finds, as far as the token may see it; an ETag is another one
 * exactly where the reply is. Contract, part two, §10.
 */

const steps = orLong(50, 3000);
const count = 14;
type Stored = { slug: string; visibility: string; published_at: number } & Record<string, unknown>;
type Included = { entries: Record<string, Stored>; files: Record<string, unknown> };

/** The ids of the entries that the fields of an object refer to. */
function walk(all: Map<string, Stored>, from: unknown, field: string, found: Set<string>): void {
  const follow = (value: unknown, rest: string): void => {
    if (Array.isArray(value)) for (const item of value) follow(item, rest);
    else if (typeof value === "string") {
      const entry = all.get(value.replace(/^\/+|\/+$/g, ""));
      if (!entry) return;
      found.add(entry.slug);
      if (rest !== "") walk(all, entry, rest, found);
    } else if (value !== null && typeof value === "object" && rest !== "") walk(all, value, rest, found);
  };
  const object = from as Record<string, unknown>;
  const dot = field.indexOf(".");
  if (field in object) follow(object[field], "");
  else if (dot > 0) follow(object[field.slice(0, dot)], field.slice(dot + 1));
}

async function run(open: () => Promise<World>): Promise<void> {
  const pick = random(seed);
  const one = <T>(list: readonly T[]): T => list[pick(list.length)] as T;
  const world = await open();
  const write = async (method: string, id: string, data: object) => {
    const headers = { Authorization: `Bearer ${world.token.management}`, "X-Access-Token": world.token.access };
    const reply = await world.send(method, "/api/entries", { headers, body: { id, data } });
    assert.equal(reply.status, 200, reply.text);
  };
  const id = () => `${one(["", "/"])}e/${pick(count + 2)}${one(["", "", "/"])}`;
  const value = (): unknown =>
    one([id(), id(), [id(), [id(), 7]], { c: id(), a: { b: id() } }, [{ c: id() }, id()], null]);
  const data = () => ({
    ...{ a: value(), b: value(), "a.b": one([id(), undefined]) },
    ...{ visibility: one(["visible", "visible", "hidden", "draft"]), published_at: one([1, 1, 4_000_000_000]) },
  });
  await write("POST", "e", {});
  for (let i = 0; i < count; i++) await write("POST", `e/${i}`, data());
  const tags = new Map<string, string>();
  const fields = ["a", "b", "a.b", "a.c", "b.a.b", "a.b.c", "b.c.a", "none", "slug"];
  for (let step = 0; step < steps; step++) {
    if (pick(3) === 0) await write("PATCH", `e/${pick(count)}`, data());
    const kind = one(["management", "delivery"] as const);
    const headers = { Authorization: `Bearer ${world.token[kind]}` };
    const all = new Map<string, Stored>();
    const everything = await world.send("GET", "/api/management/entries", {
      headers: { Authorization: `Bearer ${world.token.management}` },
      query: { id: "", "filter[depth]": "*", "filter[limit]": "100" },
    });
    for (const entry of everything.json.data as Stored[]) {
      const isSeen = entry.visibility !== "draft" && entry.published_at < 4_000_000_000;
      if (kind === "management" || isSeen) all.set(entry.slug, entry);
    }
    const include = [...new Set([one(fields), one(fields), one(fields)])];
    const form = one<Record<string, string>>([
      { id: `e/${pick(count)}` },
      { id: "e", "filter[limit]": String(1 + pick(count)) },
      { id: "e", "filter[order_by][field]": "modified_at", "filter[only]": "title", "filter[return]": "all" },
      { id: "e", "filter[return]": one(["first", "last", "shuffle"]) },
    ]);
    const query = { ...form, include: include.join() };
    const reply = await world.send("GET", "/api/entries", { headers, query });
    const where = `seed ${seed}, step ${step}: ${kind} ${JSON.stringify(query)}`;
    if (reply.status === 404) continue;
    assert.equal(reply.status, 200, `${where}: ${reply.text}`);
    const { data: sent, included } = reply.json as { data: Stored | Stored[]; included: Included };
    const isNamed = form["filter[only]"] === undefined;
    const listed = [sent].flat().filter((entry) => entry !== null);
    const roots = isNamed
      ? listed
      : [...all.values()].filter(
          (entry) => entry.slug !== "e" && (kind === "management" || entry.visibility !== "hidden"),
        );
    const expected = new Set<string>();
    for (const root of roots) for (const field of include) walk(all, root, field, expected);
    assert.deepEqual(Object.keys(included.entries).sort(), [...expected].sort(), where);
    for (const [slug, entry] of Object.entries(included.entries)) assert.deepEqual(entry, all.get(slug), where);
    const tag = `${kind} ${reply.headers.get("etag")}`;
    assert.equal(tags.get(tag) ?? reply.text, reply.text, `${where}: one ETag for two replies`);
    tags.set(tag, reply.text);
  }
}

test(`what is included is what a walk finds, ${steps} times (SQLite)`, { timeout: 300_000 }, (t) =>
  run(async () => {
    const world = (await startWorld({ data: temporaryFolder() }, {})) as World;
    t.after(() => world.app.close());
    return world;
  }),
);

test("the same on PostgreSQL", { timeout: 300_000, skip: lacksPostgres() ?? false }, (t) =>
  run(async () => {
    const env = { OCTAVO_POSTGRES_URL: await createDatabase() };
    const world = (await startWorld({ data: temporaryFolder() }, env)) as World;
    t.after(() => world.app.close());
    return world;
  }),
);
