import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startWorld, temporaryFolder, type World } from "../harness.ts";
import { isLong, orLong } from "../long.ts";
import { createDatabase, lacksPostgres } from "../postgres.ts";
import { type Random, random, seed } from "../random.ts";

/** A batch does what its operations do one after another, and one that is refused does nothing. */

const batches = orLong(15, 400);
type Site = Omit<World, "ready">;
type Operation = { method: string; path: string; body: Record<string, unknown>; if_match?: string };
type Answer = { status: number; data: unknown; etag: string | null };

for (const [engine, skip] of [
  ["SQLite", false],
  ["PostgreSQL", lacksPostgres() ?? false],
] as const) {
  describe(engine, { skip }, () => {
    test(`${batches} random batches`, async (t) => {
      const open = async () => {
        const env: Record<string, string> =
          engine === "PostgreSQL" ? { OCTAVO_POSTGRES_URL: await createDatabase() } : {};
        const site = await startWorld({ data: temporaryFolder() }, env);
        t.after(() => site.app.close());
        return site;
      };
      const [together, apart] = [await open(), await open()];
      const pick = random(seed);
      const create = { method: "POST", path: "/api/entries", body: { id: "a", data: { n: 1 } } };
      assert.equal(await sameAs(together, apart, [create], "one that is made"), false);
      const move = { method: "PUT", path: "/api/entries", body: { id: "a", new_id: "b" } };
      assert.equal(await sameAs(together, apart, [move, create, create], "one that is refused"), true);
      for (let n = 0; n < batches; n++) {
        // Of many operations one is nearly always refused, and with it the batch.
        const operations = Array.from({ length: 1 + pick(pick(2) === 0 ? 2 : 12) }, () => pickOperation(pick));
        await sameAs(together, apart, operations, `seed ${seed}, batch ${n}`);
      }
      for (const site of [together, apart]) assert.deepEqual(await site.app.stores.verify(), []);
    });
  });
}

/** Compares the batch with its operations one by one, and the two sites after it. True when it was refused. */
async function sameAs(together: Site, apart: Site, operations: Operation[], what: string): Promise<boolean> {
  const before = await stateOf(together);
  const tried = await batch(together, operations, true);
  assert.deepEqual(await stateOf(together), before, `${what}: a dry run changed something`);
  const made = await batch(together, operations, false);
  assert.deepEqual(plain(tried), plain(made), `${what}: the dry run answers otherwise`);
  const refused = "code" in made ? (made.operation as number) : undefined;
  for (const [i, operation] of operations.entries()) {
    const one = await send(apart, operation);
    const said = `${what}, operation ${i}: ${JSON.stringify(operation)}`;
    if (i !== refused) {
      assert.ok(one.status < 300, `${said}: ${one.text}`);
      if (refused === undefined) {
        const { status, data } = (made.data as Answer[])[i] as Answer;
        assert.deepEqual(plain({ status, data }), plain({ status: one.status, data: one.json.data ?? null }), said);
      }
      continue;
    }
    const { status, code, detail } = one.json;
    assert.deepEqual({ status, code, detail }, { status: made.status, code: made.code, detail: made.detail }, said);
    break;
  }
  if (refused !== undefined) {
    assert.deepEqual(await stateOf(together), before, `${what}: what was refused changed something`);
    if (refused > 0) assert.ok("data" in (await batch(together, operations.slice(0, refused), false)), what);
  }
  assert.deepEqual(plain(await stateOf(together)), plain(await stateOf(apart)), what);
  return refused !== undefined;
}

const headersOf = ({ token }: Site) => ({
  Authorization: `Bearer ${token.management}`,
  "X-Access-Token": token.access,
});

async function batch(site: Site, operations: Operation[], dry_run: boolean): Promise<Record<string, unknown>> {
  const reply = await site.send("POST", "/api/batch", { body: { operations, dry_run }, headers: headersOf(site) });
  return reply.json;
}

const send = (site: Site, { method, path, body, if_match }: Operation) =>
  site.send(method, path, {
    body,
    headers: { ...headersOf(site), ...(if_match === undefined ? {} : { "If-Match": if_match }) },
  });

/** Everything that the operations change, and the log; in the long form what verify finds, too. */
async function stateOf(site: Site): Promise<unknown> {
  const read = async (path: string) => {
    const reply = await site.send("GET", path, { headers: { Authorization: `Bearer ${site.token.management}` } });
    assert.ok(reply.status === 200 || reply.status === 404, reply.text);
    return reply.json.data ?? null;
  };
  const parts = await Promise.all([
    read("/api/entries/staged?id=&options[collection]=1&filter[depth]=9&filter[limit]=500"),
    read("/api/management/entries?id=&options[collection]=1&filter[depth]=9&filter[limit]=500"),
    read("/api/entries/staged/list?limit=500"),
    read("/api/folders?path=&options[collection]=1&filter[depth]=9"),
    read("/api/registry/items?id=site"),
    read("/api/trash?limit=500"),
  ]);
  const { newest } = await site.app.stores.events.bounds();
  const log = await site.app.stores.events.list(Math.max(0, newest - 100), 200);
  const faults = isLong ? await site.app.stores.verify() : [];
  return [
    ...parts,
    log.map(({ sequence, kind, subject, target, count }) => [sequence, kind, subject, target, count]),
    faults,
  ];
}

/** Without what differs between two stores: uuids, times, who wrote, addresses and folders. */
const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (key, member) => {
    if (/_at$|^(etag|request_id|dirname|full_path|url|full_url|bytes)$/.test(key)) return 0;
    return typeof member === "string" ? member.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "uuid") : member;
  });

function pickOperation(pick: Random): Operation {
  const one = <T>(list: readonly T[]): T => list[pick(list.length)] as T;
  const path = (): string => Array.from({ length: 1 + pick(2) }, () => one(["a", "b", "c"])).join("/");
  const data = () => ({
    n: pick(5),
    ...(pick(3) === 0 ? { visibility: one(["draft", "visible", "hidden"]) } : {}),
    list: ["a", pick(3)],
  });
  const key = () => `site.${one(["a", "b"])}`;
  const make: (() => Operation)[] = [
    ...Array.from({ length: 6 }, () => () => ({
      method: "POST",
      path: "/api/entries",
      body: { id: path(), data: data() },
    })),
    ...Array.from({ length: 4 }, () => () => ({
      method: "PATCH",
      path: "/api/entries",
      body: { id: path(), data: data() },
    })),
    () => ({
      method: "PATCH",
      path: "/api/entries",
      body: { id: path(), data: data() },
      if_match: one(["*", '"none"']),
    }),
    () => ({ method: "PUT", path: "/api/entries", body: { id: path(), new_id: path() } }),
    () => ({ method: "PUT", path: "/api/entries/copy", body: { id: path(), new_id: path() } }),
    () => ({ method: "DELETE", path: "/api/entries", body: { id: path(), ...(pick(2) === 0 ? { purge: true } : {}) } }),
    () => ({ method: "PATCH", path: "/api/entries/staged", body: { id: path(), data: { n: pick(9) } } }),
    () => ({ method: "DELETE", path: "/api/entries/staged", body: { id: path() } }),
    () => ({ method: "POST", path: "/api/entries/publish", body: { id: path() } }),
    () => ({ method: "POST", path: "/api/folders", body: { path: path() } }),
    () => ({ method: "PUT", path: "/api/folders", body: { path: path(), new_path: path() } }),
    () => ({ method: "PUT", path: "/api/folders/copy", body: { path: path(), new_path: path() } }),
    () => ({ method: "DELETE", path: "/api/folders", body: { path: path() } }),
    ...Array.from({ length: 2 }, () => () => ({
      method: "PUT",
      path: "/api/registry",
      body: { id: key(), value: pick(9) },
    })),
    () => ({ method: "DELETE", path: "/api/registry", body: { id: key() } }),
  ];
  return one(make)();
}
