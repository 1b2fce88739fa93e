/** The feed of changes: what each kind of write tells, and what nobody is told. Contract, part three, §12; decision 73. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { EventSource } from "eventsource";
import { startWorld, temporaryFolder, until, useWorld } from "../../test/harness.ts";

const world = useWorld({});
type Page = { data: { op: string; uuid: string; id: string; entry?: object }[]; cursor: string; has_more: boolean };

const now = () => Math.floor(Date.now() / 1000);
const write = async (method: string, path: string, body: object, { send, token } = world) => {
  const { management, access } = token;
  const reply = await send(method, path, { body: { token: management, access_token: access, ...body } });
  assert.ok(reply.status < 300, reply.text);
  return reply.json.data as { id?: number; uuid: string };
};
const create = (id: string, data: object = {}, site = world) => write("POST", "/api/entries", { id, data }, site);
const read = (query: Record<string, string> = {}, token = world.token.delivery, { send } = world) =>
  send("GET", "/api/delivery/changes", { query: { token, ...query } });
const pageOf = async (query: Record<string, string> = {}, token = world.token.delivery): Promise<Page> => {
  const reply = await read(query, token);
  assert.equal(reply.status, 200, reply.text);
  return reply.json as unknown as Page;
};
const said = ({ data }: Page) => data.map(({ op, id }) => `${op} ${id}`).toSorted();
/** What the writes tell a reader that has everything. */
const told = async (work: () => Promise<unknown>, token = world.token.delivery) => {
  const { cursor } = await pageOf({ limit: "1000" }, token);
  await work();
  const page = await pageOf({ cursor, only: "id" }, token);
  assert.equal(page.has_more, false);
  return said(page);
};

test("each write tells what it changes in public, a subtree each of its entries", async () => {
  const cases: [work: () => Promise<unknown>, tells: string[]][] = [
    [() => create("s"), ["put s"]],
    [() => create("s/one"), ["put s/one"]],
    [() => create("s/draft", { visibility: "draft" }), []],
    [() => create("s/hidden", { visibility: "hidden" }), []],
    [() => write("PATCH", "/api/entries", { id: "s/draft", data: { n: 1 } }), []],
    [() => write("PATCH", "/api/entries/staged", { id: "s/one", data: { n: 1 } }), []],
    [() => write("POST", "/api/entries/publish", { id: "s/one" }), ["put s/one"]],
    [() => write("PUT", "/api/entries", { id: "s", new_id: "t" }), ["put t", "put t/one"]],
    [() => write("PATCH", "/api/entries", { id: "t/one", data: { visibility: "hidden" } }), ["gone t/one"]],
    [() => write("PATCH", "/api/entries", { id: "t/one", data: { n: 2 } }), []],
    [() => write("PATCH", "/api/entries", { id: "t/one", data: { visibility: "draft" } }), []],
    [() => write("PATCH", "/api/entries", { id: "t/one", data: { visibility: "visible" } }), ["put t/one"]],
    [() => write("PUT", "/api/entries/copy", { id: "t", new_id: "u" }), ["put u", "put u/one"]],
    [() => write("DELETE", "/api/entries", { id: "t" }), ["gone t", "gone t/one"]],
    [() => write("PUT", "/api/registry", { id: "a.b", value: 1 }), []],
    [
      async () => {
        const { json } = await world.send("GET", "/api/trash", { query: { token: world.token.management } });
        await write("POST", "/api/trash/restore", { id: (json.data as { id: number }[])[0]?.id, new_id: "v" });
      },
      ["put v", "put v/one"],
    ],
    [
      async () => {
        await create("w");
        await write("PUT", "/api/entries", { id: "w", new_id: "x" });
        await write("DELETE", "/api/entries", { id: "x" });
      },
      ["gone x"],
    ],
  ];
  for (const [i, [work, tells]] of cases.entries()) assert.deepEqual(await told(work), tells, `case ${i}`);
});

test("an entry is as a delivery read gives it, with a management token, too", async () => {
  const { uuid } = await create("whole", { title: "Whole", price: 1.5 });
  for (const token of [world.token.delivery, world.token.management]) {
    const page = await pageOf({ limit: "1000" }, token);
    const found = page.data.find((change) => change.uuid === uuid);
    const { json } = await world.send("GET", "/api/delivery/entries", { query: { token, id: "whole" } });
    assert.deepEqual(found, { op: "put", uuid, id: "whole", entry: json.data });
  }
});

test("a token of paths is told of what was public there, and two cursors of one place tell nothing", async () => {
  const { secret } = await world.issue("delivery", ["entries"], { paths: ["in"] } as never);
  await create("in/a");
  await create("out/a");
  assert.deepEqual(await told(() => create("in/b"), secret), ["put in/b"]);
  const move = (id: string, newId: string) => () => write("PUT", "/api/entries", { id, new_id: newId });
  assert.deepEqual(await told(move("in/b", "out/b"), secret), ["gone in/b"]);
  assert.deepEqual(await told(move("out/b", "in/c"), secret), ["put in/c"]);
  assert.deepEqual(await told(() => write("DELETE", "/api/entries", { id: "out/a" }), secret), []);
  const one = await pageOf({ limit: "1000" }, secret);
  const two = await pageOf({ cursor: one.cursor }, secret);
  assert.notEqual(one.cursor, two.cursor);
  assert.equal(one.cursor.length, two.cursor.length);
  for (const cursor of [one.cursor, "", "unknown", `${one.cursor}x`, one.cursor.slice(1)]) {
    const reply = await read({ cursor });
    assert.equal(reply.status, 400, cursor);
    assert.equal(reply.json.code, "cursor_invalid");
  }
});

test("what is wrong is refused, with its name", async () => {
  for (const query of [{ limit: "0" }, { limit: "1001" }, { only: "uuid" }, { since: "1" }] as Record<
    string,
    string
  >[]) {
    const reply = await read(query);
    assert.equal(reply.status, 400, reply.text);
    assert.match(String(reply.json.detail), new RegExp(`"${Object.keys(query)[0]}"`));
  }
  const preview = await world.issue("preview", ["entries"], { expiresAt: now() + 60 });
  assert.equal((await read({}, preview.secret)).status, 403);
});

test("a date of publication is told once, also one that passes while the service is stopped", async () => {
  const folder = temporaryFolder();
  let site = await startWorld({ data: folder, "uploads-tree": "off" }, {});
  const at = now() + 4;
  await create("later", { published_at: at }, { ...world, ...site });
  const first = await read({}, site.token.delivery, { ...world, ...site });
  const cursor = first.json.cursor as string;
  await site.app.close();
  const { token } = site;
  await until(() => now() > at + 1, "never");
  // Other keys: this start builds the index anew, as an upgrade may.
  site = await startWorld({ data: folder, "uploads-tree": "off", "index-keys": "title" }, {});
  try {
    const page = () => read({ cursor }, token.delivery, { ...world, ...site });
    // On a slow machine it may have come before the stop.
    const begun = said(first.json as unknown as Page);
    const isTold = async () => [...begun, ...said((await page()).json as unknown as Page)].includes("put later");
    await until(isTold, "told");
    await until(async () => (await site.app.stores.entries.nextLive()) === undefined, "live");
    const { json } = await site.send("GET", "/api/events", { query: { token: token.management } });
    const live = (json.data as { kind: string; subject: string }[]).filter(({ kind }) => kind === "entry.live");
    assert.deepEqual(
      live.map(({ subject }) => subject),
      ["later"],
    );
    await site.app.stores.events.prune(now() + 10);
    for (const id of ["newer", "newest"]) await create(id, {}, { ...world, ...site, token });
    await site.app.stores.events.prune(now() + 10);
    const old = await page();
    assert.equal(old.status, 410, old.text);
    assert.equal(old.json.code, "feed_too_old");
  } finally {
    await site.app.close();
  }
});

test("as a stream: one change a message, live, and resumed by its id", async () => {
  const open = (query: string, headers: Record<string, string> = {}) => {
    const seen: { id: string; data: { op: string; id: string } }[] = [];
    const source = new EventSource(`${world.app.url}/api/delivery/changes${query}`, {
      fetch: (input, init) => {
        const all = { ...init.headers, Authorization: `Bearer ${world.token.delivery}`, ...headers };
        return fetch(input as string, { ...init, headers: all } as RequestInit);
      },
    });
    source.addEventListener("message", ({ lastEventId, data }) =>
      seen.push({ id: lastEventId, data: JSON.parse(data) }),
    );
    return { seen, source };
  };
  const { cursor } = await pageOf({ limit: "1000" });
  const live = open(`?only=id&cursor=${cursor}`);
  for (const id of ["z/1", "z/2", "z/3"]) await create(id);
  await until(() => live.seen.length === 3, "three changes");
  live.source.close();
  assert.deepEqual(
    live.seen.map(({ data }) => `${data.op} ${data.id}`),
    ["put z/1", "put z/2", "put z/3"],
  );
  const again = open(`?only=id&cursor=${cursor}`, { "Last-Event-ID": live.seen[0]?.id as string });
  await until(() => again.seen.length === 2, "two changes");
  again.source.close();
  assert.deepEqual(
    again.seen.map(({ data }) => data.id),
    ["z/2", "z/3"],
  );
  assert.deepEqual(said(await pageOf({ cursor: live.seen[1]?.id as string, only: "id" })), ["put z/3"]);
  const all = open("?only=id&limit=2");
  await until(() => all.seen.length > 5, "the walk");
  all.source.close();
});
