import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { connect } from "node:net";
import { describe, test } from "node:test";
import type { Reply } from "../../../test/harness.ts";
import { startNode, temporaryFolder, until, useWorld, type World } from "../../../test/harness.ts";
import { createDatabase, lacksPostgres } from "../../../test/postgres.ts";
import { hashSecret } from "../access/token.ts";
import { keptSeconds } from "../idempotency.ts";

/** Writes with an Idempotency-Key. Contract, part two, §13. */

const newKey = () => randomUUID();
type Sender = Pick<World, "send" | "token">;
const tokensOf = ({ token }: Sender) => ({
  Authorization: `Bearer ${token.management}`,
  "X-Access-Token": token.access,
});
const wasReplayed = ({ headers }: Reply) => headers.get("idempotent-replayed") === "true";

/** Sends a write with a key. */
const keyed = (world: Sender, key: string, method: string, path: string, body: unknown, more: object = {}) =>
  world.send(method, path, { body, headers: { ...tokensOf(world), "Idempotency-Key": key, ...more } });

const form = (fields: Record<string, string>, bytes: string, filename = "note.txt") => {
  const parts = Object.entries(fields).map(
    ([name, value]) => `--octavo\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const head = `--octavo\r\nContent-Disposition: form-data; name="file"; filename="${filename}"\r\n\r\n`;
  return `${parts.join("")}${head}${bytes}\r\n--octavo--\r\n`;
};
const formType = { "Content-Type": "multipart/form-data; boundary=octavo" };

function refused(reply: Reply, status: number, code: string): void {
  assert.deepEqual([reply.status, reply.json.code], [status, code], reply.text);
}

const engines = [
  ["SQLite", false, {}],
  [
    "PostgreSQL",
    lacksPostgres() ?? false,
    lacksPostgres() ? {} : createDatabase().then((url) => ({ OCTAVO_POSTGRES_URL: url })),
  ],
] as const;

for (const [engine, skip, env] of engines) {
  describe(engine, { skip }, () => {
    const world = skip ? ({} as World) : useWorld({}, env as Record<string, string>);
    const write = (key: string, method: string, path: string, body: unknown, more?: object) =>
      keyed(world, key, method, path, body, more);
    const plain = (method: string, path: string, body: unknown) =>
      world.send(method, path, { body, headers: tokensOf(world) });
    const newestEvent = async () => (await world.app.stores.events.bounds()).newest;

    /** Sends the request twice; asserts that the second reply is the first one, and wrote nothing. */
    async function once(method: string, path: string, body: unknown, more?: object): Promise<Reply> {
      const key = newKey();
      const first = await write(key, method, path, body, more);
      assert.ok(first.status < 300, first.text);
      assert.ok(!wasReplayed(first));
      const before = await newestEvent();
      const second = await write(key, method, path, body, more);
      assert.deepEqual([second.status, second.text], [first.status, first.text]);
      assert.ok(wasReplayed(second), `${method} ${path}`);
      assert.equal(second.headers.get("etag"), first.headers.get("etag"));
      assert.equal(await newestEvent(), before);
      return first;
    }

    test("every write that is sent again with its key has the same reply, and writes nothing", async () => {
      await once("POST", "/api/entries", { id: "a", data: { n: 1, text: 'quotes "and" \u0001 😀' } });
      await once("PATCH", "/api/entries", { id: "a", data: { n: 2 } });
      await once("PUT", "/api/entries/copy", { id: "a", new_id: "b" });
      await once("PUT", "/api/entries", { id: "b", new_id: "c" });
      await once("PUT", "/api/entries", { id: "c", new_id: "c" });
      await once("PATCH", "/api/entries/staged", { id: "c", data: { n: 3 } });
      await once("POST", "/api/entries/publish", { id: "c", at: 4_000_000_000 });
      await once("POST", "/api/entries/publish", { id: "c", at: null });
      await once("POST", "/api/entries/publish", { id: "c" });
      await once("PATCH", "/api/entries/staged", { id: "c", data: { n: 4 } });
      await once("DELETE", "/api/entries/staged", { id: "c" });
      const state = await plain("GET", "/api/entries/history?id=c", undefined);
      const [{ revision }] = state.json.data as [{ revision: number }];
      await once("POST", "/api/entries/restore", { id: "c", revision });
      await once("DELETE", "/api/entries", { id: "c" });
      const items = (await plain("GET", "/api/trash", undefined)).json.data as { id: number }[];
      await once("POST", "/api/trash/restore", { id: items[0]?.id });
      await once("DELETE", "/api/entries", { id: "c" });
      const again = (await plain("GET", "/api/trash", undefined)).json.data as { id: number }[];
      await once("DELETE", "/api/trash", { id: again[0]?.id });
      await once("POST", "/api/folders", { path: "f" });
      await once("PUT", "/api/folders/copy", { path: "f", new_path: "g" });
      await once("PUT", "/api/media/folders", { id: "g", new_id: "h" });
      await once("DELETE", "/api/folders", { path: "h" });
      await once("POST", "/api/files", form({ folder: "f" }, "some bytes"), formType);
      await once("POST", "/api/files", form({ folder: "f", on_conflict: "suffix" }, "some bytes"), formType);
      await once("PATCH", "/api/files/meta", { path: "f/note.txt", field: "title", value: "A note" });
      await once("POST", "/api/files/meta", { path: "f/note.txt", field: "alt", value: "B" });
      await once("PUT", "/api/files/copy", { path: "f/note.txt", new_path: "f/copy.txt" });
      await once("PUT", "/api/files", { path: "f/copy.txt", new_path: "f/moved.txt" });
      await once("DELETE", "/api/files", { path: "f/moved.txt" });
      await once("PUT", "/api/registry", { id: "k.one", value: { deep: [1.0, "x"] } });
      await once("PUT", "/api/registry", { id: "k.one", value: 2 });
      const values = await plain("GET", "/api/registry/history?id=k.one", undefined);
      const [value] = values.json.data as [{ revision: number }];
      await once("POST", "/api/registry/restore", { id: "k.one", revision: value.revision });
      await once("DELETE", "/api/registry", { id: "k.one" });
      await once("PUT", "/api/types", { id: "t", paths: ["typed/*"], schema: { type: "object" } });
      await once("DELETE", "/api/types", { id: "t" });
      const { id } = await world.issue("preview", ["entries"], { expiresAt: Math.floor(Date.now() / 1000) + 3600 });
      await once("PATCH", "/api/tokens", { id, label: "changed" });
      await once("DELETE", "/api/tokens/preview", { id });
      const other = await world.issue("delivery", ["entries"]);
      await once("DELETE", "/api/tokens", { id: other.id });
    });

    test("a key with another request is refused: another method, address, argument, bytes", async () => {
      const key = newKey();
      const own = { id: "mine", data: { a: { x: 1, y: [1, 2] } } };
      assert.equal((await write(key, "POST", "/api/entries", own)).status, 200);
      const others: [string, string, object][] = [
        ["POST", "/api/entries", { ...own, id: "other" }],
        ["POST", "/api/entries", { id: "mine", data: { a: { x: 1, y: [2, 1] } } }],
        ["PATCH", "/api/entries", own],
        ["POST", "/api/management/entries", own],
        ["DELETE", "/api/entries", { id: "mine" }],
      ];
      for (const [method, path, body] of others)
        refused(await write(key, method, path, body), 422, "idempotency_mismatch");
      const reordered = await write(key, "POST", "/api/entries", { data: { a: { y: [1, 2], x: 1 } }, id: "mine" });
      assert.ok(wasReplayed(reordered));
      const upload = newKey();
      const sent = (bytes: string) => write(upload, "POST", "/api/files", form({ folder: "m" }, bytes), formType);
      assert.equal((await sent("one")).status, 200);
      refused(await sent("two"), 422, "idempotency_mismatch");
      assert.ok(wasReplayed(await sent("one")));
    });

    test("what was refused is not kept", async () => {
      const key = newKey();
      const body = { id: "late", data: { n: 1 } };
      refused(await write(key, "PATCH", "/api/entries", body), 404, "entry_not_found");
      await plain("POST", "/api/entries", { id: "late", data: {} });
      assert.equal((await write(key, "PATCH", "/api/entries", body)).status, 200);
      assert.ok(wasReplayed(await write(key, "PATCH", "/api/entries", body)));
    });

    test("a reply of more than 1 MiB is not kept", async () => {
      for (const [length, isKept] of [
        [1_040_000, true],
        [1_048_400, false],
      ] as const) {
        const key = newKey();
        const body = { id: `large-${length}`, data: { text: "x".repeat(length) } };
        const first = await write(key, "POST", "/api/entries", body);
        assert.equal(first.status, 200, first.text.slice(0, 300));
        assert.equal(first.text.length <= 1024 * 1024, isKept, String(first.text.length));
        const before = await newestEvent();
        const second = await write(key, "POST", "/api/entries", body);
        if (isKept) assert.deepEqual([second.text === first.text, wasReplayed(second)], [true, true]);
        else refused(second, 422, "idempotency_too_large");
        assert.equal(await newestEvent(), before);
      }
      const key = newKey();
      const quotes = { id: "quotes", data: { text: '"\\'.repeat(240_000) } };
      const first = await write(key, "POST", "/api/entries", quotes);
      assert.ok(first.status === 200 && first.text.length < 1024 * 1024, `${first.text.length}`);
      assert.equal((await write(key, "POST", "/api/entries", quotes)).text, first.text);
    });

    test("the first of two requests with a key writes, the second is told that it is running, or gets its reply", async () => {
      for (let n = 0; n < 5; n++) {
        const key = newKey();
        const before = await newestEvent();
        const body = { id: `race-${n}`, data: { text: "x".repeat(100_000) } };
        const replies = await Promise.all(Array.from({ length: 6 }, () => write(key, "POST", "/api/entries", body)));
        const made = replies.filter((reply) => reply.status === 200 && !wasReplayed(reply));
        assert.equal(made.length, 1);
        for (const reply of replies) {
          if (reply.status === 200) continue;
          refused(reply, 409, "idempotency_in_flight");
          assert.equal(reply.headers.get("retry-after"), "1");
        }
        assert.equal(await newestEvent(), before + 1);
        assert.ok(wasReplayed(await write(key, "POST", "/api/entries", body)));
      }
    });

    test("results are kept for a day; the chore removes what is older", async () => {
      const { idempotency, registry } = world.app.stores;
      const keep = { token: "someone", key: "old", request: "r", origin: "" };
      const at = async (nowSeconds: number) =>
        idempotency.write(
          {
            name: "putRegistryItem",
            args: ["kept.at", { value: String(nowSeconds) }, { actor: "someone", nowSeconds }],
          },
          { ...keep, nowSeconds },
        );
      await at(1000);
      const found = (nowSeconds: number) => idempotency.find("someone", "old", nowSeconds);
      assert.ok(await found(1000 + keptSeconds - 1));
      await assert.rejects(at(1000 + keptSeconds - 1), { code: "idempotency_in_flight" });
      assert.equal(await found(1000 + keptSeconds), undefined);
      await at(1000 + keptSeconds);
      assert.equal((await registry.findStored("kept.at"))?.value, String(1000 + keptSeconds));
      await idempotency.expire(999 + 2 * keptSeconds);
      assert.ok(await found(1000 + keptSeconds));
      await idempotency.expire(1000 + 2 * keptSeconds);
      assert.equal(await found(1000 + keptSeconds), undefined);
    });

    // What follows is decided before the store is asked.
    if (engine !== "SQLite") return;

    test("a reply is the one of then, whatever was written since, and by whichever address the service is reached", async () => {
      const key = newKey();
      const path = "/api/files";
      const first = await write(key, "POST", path, form({ folder: "then" }, "x"), formType);
      await plain("PATCH", "/api/files/meta", { path: "then/note.txt", field: "title", value: "Later" });
      await plain("DELETE", "/api/files", { path: "then/note.txt" });
      const port = new URL(world.app.url).port;
      const { promise, resolve } = Promise.withResolvers<string>();
      const body = form({ folder: "then" }, "x");
      const heads = { ...tokensOf(world), ...formType, "Idempotency-Key": key, Host: "elsewhere.example" };
      const lines = Object.entries({ ...heads, "Content-Length": String(body.length), Connection: "close" });
      const socket = connect(Number(port), "127.0.0.1");
      let text = "";
      socket.on("data", (chunk) => (text += chunk)).on("close", () => resolve(text));
      socket.write(`POST ${path} HTTP/1.1\r\n${lines.map(([a, b]) => `${a}: ${b}\r\n`).join("")}\r\n${body}`);
      const reply = await promise;
      assert.match(reply, /^HTTP\/1\.1 200 /);
      assert.match(reply, /\r\nIdempotent-Replayed: true\r\n/);
      assert.ok(reply.endsWith(first.text), reply);
    });

    test("the same arguments in another order, in the query or with tokens elsewhere are the same request", async () => {
      await plain("POST", "/api/entries", { id: "same", data: {} });
      const key = newKey();
      const first = await write(key, "PUT", "/api/entries/copy", { id: "same", new_id: "same-2" });
      assert.equal(first.status, 200, first.text);
      const second = await world.send("PUT", "/api/entries/copy/", {
        query: { new_id: "same-2", id: "same", token: world.token.management },
        body: { access_token: world.token.access },
        headers: { "Idempotency-Key": key },
      });
      assert.deepEqual([second.status, second.text, wasReplayed(second)], [200, first.text, true]);
    });

    test("a key is its token's", async () => {
      const other = await world.issue("management", ["entries"]);
      const key = newKey();
      const body = { id: "tokens", data: {} };
      assert.equal((await write(key, "POST", "/api/entries", body)).status, 200);
      const theirs = await write(key, "POST", "/api/entries", body, { Authorization: `Bearer ${other.secret}` });
      refused(theirs, 409, "entry_exists");
    });

    test("an upload that was refused for the bytes that it began with is not kept", async () => {
      const key = newKey();
      const hash = createHash("sha256").update("abc").digest("base64");
      const named = (name: string) => `filename ${Buffer.from(name).toString("base64")}`;
      const begin = (bytes: string) => {
        const headers = { "Tus-Resumable": "1.0.0", "Upload-Length": "3", "Upload-Metadata": named("kept.txt") };
        const more = { "Content-Type": "application/offset+octet-stream", "Upload-Checksum": `sha256 ${hash}` };
        return write(key, "POST", "/api/uploads", bytes, { ...headers, ...more });
      };
      refused(await begin("abd"), 460, "checksum_mismatch");
      refused(await begin("abd"), 460, "checksum_mismatch");
      const made = await begin("abc");
      assert.deepEqual([made.status, made.headers.get("octavo-file")], [201, "kept.txt"], made.text);
      const again = await begin("abc");
      assert.ok(wasReplayed(again));
      assert.equal(again.headers.get("location"), made.headers.get("location"));
    });

    test("keys are 1 to 255 visible ASCII characters", async () => {
      const body = { id: "keys", data: {} };
      for (const key of ["", "with space", "ä", "x".repeat(256), "tab\tbed"])
        refused(await write(key, "POST", "/api/entries", body), 400, "argument_invalid");
      const long = `${"~!".repeat(127)}x`;
      assert.equal((await write(long, "POST", "/api/entries", body)).status, 200);
      assert.ok(wasReplayed(await write(long, "POST", "/api/entries", body)));
    });

    test("routes that answer a secret refuse a key", async () => {
      const pair = { token: world.token.management, access_token: world.token.access };
      for (const [method, path, body] of [
        ["POST", "/api/tokens", { kind: "delivery", resources: ["entries"] }],
        ["PUT", "/api/tokens/rotate", { id: "any" }],
        ["POST", "/api/tokens/preview", {}],
        ["POST", "/admin/session", pair],
        ["POST", "/admin/session/link", { code: "any" }],
      ] as const) {
        refused(await write(newKey(), method, path, body), 400, "idempotency_refused");
      }
    });

    test("reads ignore a key", async () => {
      await plain("POST", "/api/entries", { id: "read", data: { n: 1 } });
      const key = newKey();
      for (const n of [2, 3]) {
        const read = await world.send("GET", "/api/entries?id=read", {
          headers: { Authorization: `Bearer ${world.token.management}`, "Idempotency-Key": key },
        });
        assert.ok(!wasReplayed(read) && read.text.includes(`"n":${n - 1}`), read.text);
        await plain("PATCH", "/api/entries", { id: "read", data: { n } });
      }
    });

    test("an upload holds its key while it is received, and frees it when it is cut off", async () => {
      const key = newKey();
      const body = form({ folder: "slow" }, "bytes that arrive slowly");
      const heads = { Host: "localhost", ...tokensOf(world), ...formType, "Idempotency-Key": key };
      const lines = Object.entries({ ...heads, "Content-Length": String(body.length) });
      const socket = connect(Number(new URL(world.app.url).port), "127.0.0.1");
      socket.on("error", () => undefined);
      socket.write(`POST /api/files HTTP/1.1\r\n${lines.map(([a, b]) => `${a}: ${b}\r\n`).join("")}\r\n`);
      socket.write(body.slice(0, -40));
      const again = () => write(key, "POST", "/api/files", body, formType);
      // Whether the head has arrived is seen by a claim of the same key.
      const { idempotency, tokens } = world.app.stores;
      const [token] = (await tokens.list()).filter(
        ({ kind, resources }) => kind === "management" && resources.length > 1,
      );
      await until(async () => {
        const claim = await idempotency.claim(token?.id as string, key);
        await claim?.();
        return claim === undefined;
      }, "the upload did not take its key");
      const refusal = await again();
      refused(refusal, 409, "idempotency_in_flight");
      assert.equal(refusal.headers.get("retry-after"), "1");
      socket.destroy();
      let reply = await again();
      await until(async () => {
        if (reply.status === 409) reply = await again();
        return reply.status !== 409;
      }, "the key was not freed");
      assert.deepEqual([reply.status, wasReplayed(reply)], [200, false]);
    });

    test("a replay counts one call", async () => {
      const { secret, id } = await world.issue("management", ["entries"], { limitCalls: 3 });
      const key = newKey();
      const body = { id: "counted", data: {} };
      const sent = () => write(key, "POST", "/api/entries", body, { Authorization: `Bearer ${secret}` });
      const calls = async () => (await world.app.stores.tokens.get(id)).calls;
      assert.equal((await sent()).status, 200);
      assert.equal(await calls(), 1);
      assert.ok(wasReplayed(await sent()));
      assert.equal(await calls(), 2);
      assert.ok(wasReplayed(await sent()));
      refused(await sent(), 429, "call_limit_reached");
    });
  });
}

test("a key that is in flight on one node is in flight on the other", { skip: lacksPostgres() ?? false }, async (t) => {
  const url = await createDatabase();
  const folder = temporaryFolder();
  const [here, there] = [await startNode(t, `${folder}/here`, url), await startNode(t, `${folder}/there`, url)];
  const asHere = { ...there, token: here.token };
  // Each node has made its own.
  const { id } = (await here.app.stores.tokens.findByHash(hashSecret(here.token.management))) as { id: string };
  const key = newKey();
  const body = { id: "nodes", data: {} };
  const claim = await here.app.stores.idempotency.claim(id, key);
  refused(await keyed(asHere, key, "POST", "/api/entries", body), 409, "idempotency_in_flight");
  await claim?.();
  const first = await keyed(asHere, key, "POST", "/api/entries", body);
  assert.deepEqual([first.status, wasReplayed(first)], [200, false]);
  const second = await keyed(here, key, "POST", "/api/entries", body);
  assert.deepEqual([second.text, wasReplayed(second)], [first.text, true]);
  for (let n = 0; n < 10; n++) {
    const key = newKey();
    const body = { id: `both-${n}`, data: {} };
    const replies = await Promise.all([here, asHere].map((node) => keyed(node, key, "POST", "/api/entries", body)));
    const statuses = replies.map((reply) => (wasReplayed(reply) ? "replayed" : (reply.json.code ?? reply.status)));
    assert.equal(statuses.filter((status) => status === 200).length, 1, String(statuses));
    for (const status of statuses)
      assert.ok([200, "replayed", "idempotency_in_flight"].includes(status as string), String(status));
  }
});
