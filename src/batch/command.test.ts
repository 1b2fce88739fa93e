import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makeStore, runOctavo } from "../../test/cli/octavo.ts";
import { closing } from "../../test/ending.ts";
import { temporaryFolder } from "../../test/harness.ts";
import { readSettings } from "../settings.ts";
import { openStores } from "../stores.ts";

/** `octavo batch`: the writes of a file, all of them or none. */

const folder = temporaryFolder();
const data = join(folder, "data");
const octavo = (words: string[], input?: string) =>
  runOctavo(["batch", ...words, "--data", data], { cwd: folder, ...(input === undefined ? {} : { input }) });
const count = () =>
  closing(openStores(readSettings({ flags: { data }, env: {}, file: undefined })), async (stores) =>
    stores.entries.count(),
  );

const create = (id: string) => JSON.stringify({ method: "POST", path: "/api/entries", body: { id, data: { n: 1.0 } } });
const lines = [
  create("a"),
  "",
  create("a/b"),
  JSON.stringify({ method: "POST", path: "/api/folders", body: { path: "pictures" } }),
  JSON.stringify({ method: "PUT", path: "/api/entries", body: { id: "a/b", new_id: "c", update_references: true } }),
  JSON.stringify({ method: "DELETE", path: "/api/entries", body: { id: "c" } }),
].join("\n");

test.before(() => makeStore(data));

test("a dry run writes nothing, the same file then makes all writes", async () => {
  writeFileSync(join(folder, "changes.jsonl"), `${lines}\n`);
  const tried = await octavo(["changes.jsonl", "--dry-run"]);
  assert.deepEqual([tried.code, tried.out], [0, "5 writes would be made.\n"], tried.err);
  assert.equal(await count(), 0);
  const made = await octavo(["-", "--json"], lines);
  assert.equal(made.code, 0, made.err);
  const { dry_run, operations } = JSON.parse(made.out);
  assert.equal(dry_run, false);
  assert.deepEqual(
    operations.map(({ status }: { status: number }) => status),
    [200, 200, 200, 200, 204],
  );
  assert.equal(await count(), 1);
});

test("the answers have all that the operations answered, whatever a key is called", async () => {
  const data = { sorted_by_name: "yes", list: [{ made_by_name: 1 }] };
  const operation = JSON.stringify({ method: "POST", path: "/api/entries", body: { id: "names", data } });
  const { out, err } = await octavo(["-", "--json", "--dry-run"], operation);
  const [{ data: answered }] = JSON.parse(out || err).operations;
  assert.deepEqual([answered.sorted_by_name, answered.list], [data.sorted_by_name, data.list]);
});

test("arguments that nothing reads are told", async () => {
  const typo = JSON.stringify({ method: "POST", path: "/api/entries", body: { id: "x", data: {}, titel: "A" } });
  const { code, out } = await octavo(["-", "--dry-run"], typo);
  const says = "1 write would be made.\nIgnored, since no argument has the name: operations[0][body][titel]\n";
  assert.deepEqual([code, out], [0, says]);
});

test("a store without an uploads tree names paths as its service does", async () => {
  const folders = JSON.stringify({ method: "POST", path: "/api/folders", body: { path: "plain" } });
  const made = await octavo(["-", "--json", "--uploads-tree", "off"], folders);
  assert.equal(made.code, 0, made.err);
  assert.equal(JSON.parse(made.out).operations[0].data.full_path, "/project/uploads/plain");
});

test("the line that was refused is named, and nothing is written", async () => {
  const refused = await octavo(["-"], [create("x"), "", create("a")].join("\n"));
  assert.equal(refused.code, 1);
  assert.match(refused.err, /line 3 of -: "id" was "a"; an entry with this id exists already.*; nothing was written/);
  assert.equal(await count(), 1);
  const foreign = await octavo(["-"], '{"method": "GET", "path": "/api/entries"}');
  assert.match(foreign.err, /line 1 of -: "path" was "GET \/api\/entries"/);
});

test("what is no file of operations is a usage error", async () => {
  for (const [words, input, says] of [
    [["nowhere.jsonl"], "", /FILE was nowhere\.jsonl, which cannot be read/],
    [["-"], "\n\n", /has no operations/],
    [["-"], `${create("x")}\nnot json`, /line 2 of - is no JSON object/],
    [["-"], "[]", /line 1 of - is no JSON object/],
    [[], "", /FILE is missing/],
  ] as const) {
    const { code, err } = await octavo([...words], input);
    assert.deepEqual([code, says.test(err)], [2, true], err);
  }
});
