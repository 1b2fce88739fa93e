/** Reads that know of a write: `Octavo-Sequence` and `min_sequence`. Contract, part three, §12, Never stale. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startNode, temporaryFolder, useWorld, type World } from "../../../test/harness.ts";
import { createDatabase, lacksPostgres } from "../../../test/postgres.ts";

const world = useWorld({ "upload-types": "txt" });

type Speaker = Pick<World, "send" | "token">;
type Log = { sequence: number; kind: string; subject: string }[];

const write = async (method: string, path: string, body: object, headers = {}, { send, token }: Speaker = world) => {
  const { management, access } = token;
  const reply = await send(method, path, { body: { token: management, access_token: access, ...body }, headers });
  assert.ok(reply.status < 300, reply.text);
  return { reply, sequence: Number(reply.headers.get("octavo-sequence") ?? Number.NaN) };
};
const read = (path: string, query: Record<string, string>, { send, token }: Speaker = world) =>
  send("GET", path, { query: { token: token.management, ...query } });
const eventAt = async (sequence: number) => {
  const reply = await read("/api/events", { since: String(sequence - 1), limit: "1" });
  const [event] = reply.json.data as Log;
  return event && `${event.sequence} ${event.kind} ${event.subject}`;
};

test("every write answers the sequence of its own event, also beside others", async () => {
  const ids = Array.from({ length: 40 }, (_, i) => `beside/${i}`);
  const made = await Promise.all(ids.map((id) => write("POST", "/api/entries", { id, data: {} })));
  for (const [i, { sequence }] of made.entries())
    assert.equal(await eventAt(sequence), `${sequence} entry.create ${ids[i]}`);
  const keyed = ids.map((id, i) =>
    write("PATCH", "/api/entries", { id, data: { i } }, i % 2 ? { "Idempotency-Key": id } : {}),
  );
  for (const [i, { sequence }] of (await Promise.all(keyed)).entries())
    assert.equal(await eventAt(sequence), `${sequence} entry.update ${ids[i]}`);
});

test("writes of every kind answer it: uploads, folders, the registry, tokens, a batch, one without a body", async () => {
  const calls: [method: string, path: string, body: object, event: string][] = [
    ["POST", "/api/folders", { id: "docs" }, "folder.create docs"],
    ["PUT", "/api/registry", { id: "a.b", value: 1 }, "registry.set a.b"],
    ["DELETE", "/api/registry", { id: "a.b" }, "registry.delete a.b"],
    ["POST", "/api/entries", { id: "one", data: {} }, "entry.create one"],
    ["PATCH", "/api/entries/staged", { id: "one", data: { a: 1 } }, "entry.stage one"],
    ["POST", "/api/entries/publish", { id: "one" }, "entry.publish one"],
    ["PUT", "/api/entries", { id: "one", new_id: "two" }, "entry.move one"],
    ["DELETE", "/api/entries", { id: "two" }, "entry.delete two"],
  ];
  for (const [method, path, body, event] of calls) {
    const { sequence } = await write(method, path, body);
    assert.equal(await eventAt(sequence), `${sequence} ${event}`, `${method} ${path}`);
  }
  const operations = ["x", "y"].map((id) => ({ method: "POST", path: "/api/entries", body: { id, data: {} } }));
  const batch = await write("POST", "/api/batch", { operations });
  assert.equal(await eventAt(batch.sequence), `${batch.sequence} entry.create y`);
  const form = new FormData();
  for (const [name, value] of Object.entries({ token: world.token.management, access_token: world.token.access }))
    form.set(name, value);
  form.set("folder", "docs");
  form.set("file", new Blob(["text"]), "a.txt");
  const upload = await fetch(`${world.app.url}/api/files`, { method: "POST", body: form });
  assert.equal(upload.status, 200, await upload.text());
  const uploaded = Number(upload.headers.get("octavo-sequence"));
  assert.equal(await eventAt(uploaded), `${uploaded} file.upload docs/a.txt`);
});

test("what wrote nothing answers the present sequence; a refusal, a read and strangers have none", async () => {
  const newest = async () => (await write("POST", "/api/batch", { ...dry })).sequence;
  const dry = { operations: [{ method: "POST", path: "/api/entries", body: { id: "dry", data: {} } }], dry_run: true };
  const { sequence } = await write("POST", "/api/entries", { id: "kept", data: {} }, { "Idempotency-Key": "kept" });
  assert.equal(await newest(), sequence);
  const later = await write("POST", "/api/entries", { id: "later", data: {} });
  const again = await write("POST", "/api/entries", { id: "kept", data: {} }, { "Idempotency-Key": "kept" });
  assert.equal(again.reply.headers.get("idempotent-replayed"), "true");
  assert.equal(again.sequence, later.sequence);
  const { management, access } = world.token;
  const body = { token: management, access_token: access, id: "kept", data: {} };
  for (const reply of [
    await world.send("POST", "/api/entries", { body }),
    await world.send("POST", "/api/entries", { body: { ...body, token: "unknown" } }),
    await read("/api/entries", { id: "kept" }),
  ])
    assert.equal(reply.headers.get("octavo-sequence"), null);
  const { headers } = await write("POST", "/api/entries", { id: "cors", data: {} }).then(({ reply }) => reply);
  assert.match(headers.get("access-control-expose-headers") ?? "", /\bOctavo-Sequence\b/);
});

test("a read with min_sequence is answered as one without it, on every route and with either token", async () => {
  const { sequence } = await write("POST", "/api/entries", { id: "seen", data: {} });
  const queries: [path: string, query: Record<string, string>][] = [
    ["/api/entries", { id: "seen" }],
    ["/api/delivery/entries", { id: "", "filter[limit]": "2", strict: "1" }],
    ["/api/entries/history", { id: "seen" }],
    ["/api/registry", { id: "flextype.manifest.version" }],
    ["/api/files", { path: "" }],
    ["/api/types", {}],
    ["/api/trash", {}],
    ["/api/events", { since: String(sequence - 1) }],
  ];
  for (const [path, query] of queries) {
    const plain = await read(path, query);
    const reply = await read(path, { ...query, min_sequence: String(sequence) });
    assert.equal(reply.status, plain.status, `${path} ${reply.text}`);
    assert.equal(reply.headers.get("octavo-ignored"), plain.headers.get("octavo-ignored"), path);
    assert.equal(reply.text, plain.text, path);
  }
  const query = { token: world.token.delivery, id: "seen", min_sequence: "0" };
  assert.equal((await world.send("GET", "/api/entries", { query })).status, 200);
  assert.equal((await world.send("HEAD", "/api/entries", { query })).status, 200);
});

test("anything but a whole number is 400; what no write has is 503 behind after a while", async () => {
  for (const value of ["", "-1", "1.5", "1e3", "abc", " 1", "0x1", "true"]) {
    const reply = await read("/api/entries", { id: "seen", min_sequence: value });
    assert.equal(reply.status, 400, `${value}: ${reply.text}`);
    assert.equal(reply.json.code, "argument_invalid");
    assert.match(String(reply.json.detail), /^"min_sequence" was /);
  }
  for (const name of ["min_sequence[]", "min_sequence[a]"])
    assert.equal((await read("/api/entries", { id: "seen", [name]: "1" })).status, 400, name);
  const unknown = await world.send("GET", "/api/entries", { query: { token: "x", id: "seen", min_sequence: "abc" } });
  assert.equal(unknown.status, 401);
  for (const value of ["1000000", "9".repeat(30)]) {
    const startedMs = performance.now();
    const reply = await read("/api/entries", { id: "seen", min_sequence: value });
    assert.equal(reply.status, 503, reply.text);
    assert.equal(reply.json.code, "behind");
    assert.equal(reply.headers.get("retry-after"), "1");
    assert.ok(performance.now() - startedMs > 1900);
  }
});

test("a read waits for a write that comes meanwhile", async () => {
  const { sequence } = await write("POST", "/api/entries", { id: "before", data: {} });
  const waiting = read("/api/entries", { id: "meanwhile", min_sequence: String(sequence + 1) });
  await write("POST", "/api/entries", { id: "meanwhile", data: {} });
  assert.equal((await waiting).status, 200);
});

test("another node answers from the state of the write, from its caches too", {
  skip: lacksPostgres() ?? false,
}, async (t) => {
  const url = await createDatabase();
  const folder = temporaryFolder();
  const [here, there] = [await startNode(t, `${folder}/here`, url), await startNode(t, `${folder}/there`, url)];
  await write("POST", "/api/entries", { id: "shared", data: { n: 0 } }, {}, here);
  const elsewhere = { ...there, token: here.token };
  for (let n = 1; n <= 50; n++) {
    await read("/api/delivery/entries", { id: "shared" }, elsewhere);
    const { sequence } = await write("PATCH", "/api/entries", { id: "shared", data: { n } }, {}, here);
    for (const path of ["/api/delivery/entries", "/api/entries"]) {
      const reply = await read(path, { id: "shared", min_sequence: String(sequence) }, elsewhere);
      assert.equal((reply.json.data as { n: number }).n, n, path);
    }
    const list = {
      id: "",
      "filter[where][key]": "n",
      "filter[where][expr]": "eq",
      "filter[where][value]": String(n),
      "filter[limit]": "9",
    };
    const reply = await read("/api/entries", { ...list, min_sequence: String(sequence) }, elsewhere);
    assert.equal(reply.status, 200, reply.text);
    assert.equal(Object.keys(reply.json.data as object).length, 1, reply.text);
  }
});
