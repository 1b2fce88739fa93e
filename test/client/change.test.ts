/** The feed of changes as the client reads it. Contract, part three, §12. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "../../client/src/client.ts";
import { pause } from "../../client/src/retry.ts";
import { until } from "../harness.ts";
import { refusal, useClients } from "./service.ts";

const clients = useClients();
const create = (id: string, fields: object = {}) => clients.manager.entries.create(id, fields);

test("changes begins with all entries, resumes by a cursor, and follows", async () => {
  for (const id of ["a", "b", "c"]) await create(id, { n: 1 });
  await create("draft", { visibility: "draft" });
  const seen: string[] = [];
  let cursor: string | undefined;
  for await (const change of clients.visitor.changes({ limit: 2, follow: false })) {
    seen.push(`${change.op} ${change.id}`);
    cursor = change.cursor;
  }
  assert.deepEqual(seen, ["put a", "put b", "put c"]);
  await clients.manager.entries.delete("b");
  const stop = new AbortController();
  const later: string[] = [];
  const following = (async () => {
    for await (const change of clients.visitor.changes({ cursor, only: "id", everyMs: 10, signal: stop.signal })) {
      assert.ok(!("entry" in change));
      later.push(`${change.op} ${change.id}`);
    }
  })();
  await until(() => later.includes("gone b"), "told");
  await clients.manager.entries.move("c", "d");
  await until(() => later.includes("put d"), "told later");
  stop.abort(new Error("enough"));
  await assert.rejects(following, /enough/);
  await refusal(clients.visitor.changes({ cursor: "unknown" }).next(), "cursor_invalid");
});

test("a change that was not handled comes again", async () => {
  const first = await clients.visitor.changes({ limit: 2 }).next();
  const again = await clients.visitor.changes({ limit: 2, cursor: first.value?.cursor }).next();
  assert.deepEqual({ ...again.value, cursor: "" }, { ...first.value, cursor: "" });
});

test("a mirror is complete, kept in step, and begins again when its place is gone", async () => {
  let isOld = false;
  const { app, token } = clients.world;
  const send: typeof fetch = async (url, init) => {
    if (!isOld || !String(url).includes("cursor=")) return fetch(url, init);
    isOld = false;
    const body = { code: "feed_too_old", status: 410, title: "", detail: "", request_id: "x" };
    return new Response(JSON.stringify(body), { status: 410 });
  };
  const client = createClient({ url: app.url, token: token.delivery, fetch: send });
  let changed = 0;
  const mirror = await client.mirror({ everyMs: 10, onChange: () => changed++ });
  const titles = () => [...mirror.entries.values()].map(({ slug }) => slug).sort();
  assert.deepEqual(titles(), ["a", "d"]);
  await create("e");
  await until(() => titles().includes("e"), "kept");
  const before = mirror.entries;
  isOld = true;
  await until(() => mirror.entries !== before, "begun again");
  assert.deepEqual(titles(), ["a", "d", "e"]);
  assert.ok(changed >= 3);
  mirror.stop();
  await create("f");
  assert.ok(!titles().includes("f"));
});

test("a mirror that is told nothing for long goes on all the same: it does not ask again from its last change", async (t) => {
  const { app, token } = clients.world;
  const cursors: (string | null)[] = [];
  const send: typeof fetch = async (url, init) => {
    cursors.push(new URL(String(url)).searchParams.get("cursor"));
    return fetch(url, init);
  };
  const client = createClient({ url: app.url, token: token.delivery, fetch: send });
  const mirror = await client.mirror({ everyMs: 10 });
  t.after(mirror.stop);
  await create("unseen", { visibility: "draft" });
  await until(() => cursors.length > 4, "asked");
  assert.equal(new Set(cursors).size, cursors.length);
});

test("a mirror that is stopped while it asks ends: it does not wait for a signal that was given", async () => {
  await assert.rejects(pause(5, AbortSignal.abort(new Error("stopped"))), /stopped/);
});
