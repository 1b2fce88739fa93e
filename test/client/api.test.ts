import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { type BatchCall, type ConflictRule, createClient, etagOf } from "../../client/src/client.ts";
import { apiTypes, leftOut, type OpenApi, spoken } from "../../scripts/client-api.ts";
import { refusal, useClients } from "./service.ts";

/** The operations of the service that the client has, alone and in batches. */

const clients = useClients();
const sources = new URL("../../client/src/", import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, sources), "utf8");
const describe = async () => (await clients.world.send("GET", "/api/openapi.json")).json as unknown as OpenApi;

test("client/src/api.ts is what npm run docs generates from the served OpenAPI description", async () => {
  assert.equal(read("api.ts"), apiTypes(await describe()));
});

test("every operation of the description has a client method or is excluded", async () => {
  const description = await describe();
  const code = globSync("*.ts", { cwd: sources.pathname })
    .filter((file) => file !== "api.ts")
    .map(read)
    .join("\n");
  for (const [operation] of spoken(description)) assert.ok(code.includes(`"${operation}"`), operation);
  for (const [, operation] of code.matchAll(/"((?:GET|POST|PATCH|PUT|DELETE) [^"]+)"/g)) {
    assert.ok(Object.fromEntries(spoken(description))[operation ?? ""], operation);
  }
  const rest = Object.keys(description.paths).filter((path) => leftOut.test(path));
  assert.deepEqual(rest.sort(), [
    "/api/delivery/entries",
    "/api/delivery/entries/search",
    "/api/delivery/images/{path}",
    "/api/delivery/registry",
    "/api/files/history/bytes",
    "/api/management/entries",
    "/api/management/entries/copy",
    "/api/media/files",
    "/api/media/files/copy",
    "/api/media/files/history",
    "/api/media/files/history/bytes",
    "/api/media/files/history/state",
    "/api/media/files/meta",
    "/api/media/files/restore",
    "/api/media/folders",
    "/api/media/folders/copy",
    "/api/openapi.json",
    // Files for translators: of commands and the admin page.
    "/api/translations/xliff",
    // @octavo/client/resumable, whose arguments are headers.
    "/api/uploads",
    "/api/uploads/{path}",
    "/health/live",
    "/health/ready",
    "/metrics",
    "/project/media/{path}",
    "/project/uploads/{path}",
  ]);
});

test("the answers have the types of their calls, and their ETags", async () => {
  const { batch, entries } = clients.manager;
  const [made, item, gone] = await batch([
    { call: "POST /api/entries", args: { id: "a", data: { n: 1 } } },
    { call: "PUT /api/registry", args: { id: "a.b", value: [1] } },
    { call: "DELETE /api/registry", args: { id: "a.b" } },
  ]);
  const slug: string = made.data.slug;
  const key: string = item.data.key;
  const nothing: null = gone.data;
  assert.deepEqual([slug, key, nothing, gone.status, gone.etag], ["a", "a.b", null, 204, null]);
  assert.equal(etagOf(made.data), made.etag);
  await entries.update("a", { n: 2 }, { ifMatch: made.data });
  const failure = await refusal(
    batch([
      { call: "POST /api/entries", args: { id: "b", data: {} } },
      { call: "PATCH /api/entries", args: { id: "a", data: { n: 3 } }, ifMatch: made.data },
    ]),
    "revision_mismatch",
  );
  assert.equal(failure.operation, 1);
  await refusal(entries.fetch("b"), "entry_not_found");
});

test("operations have merge_patch and on_conflict, and answers the outcome", async () => {
  const { batch, entries } = clients.manager;
  const make = { call: "POST /api/entries", args: { id: "up", data: { a: { x: 1, y: 2 }, b: 1 } } } as const;
  const [made, again, patched, plain] = await batch([
    { ...make, onConflict: "replace" },
    { ...make, onConflict: "update" },
    { call: "PATCH /api/entries", args: { id: "up", data: { a: { x: null }, b: null } }, mergePatch: true },
    { call: "PATCH /api/entries", args: { id: "up", data: { c: null } } },
  ]);
  assert.deepEqual([made.outcome, again.outcome, patched.outcome], ["created", "unchanged", undefined]);
  const [merged, set]: Record<string, unknown>[] = [patched.data, plain.data];
  assert.deepEqual([merged?.a, "b" in patched.data, set?.c], [{ y: 2 }, false, null]);
  assert.deepEqual((await entries.fetch("up")).a, { y: 2 });
});

test("an operation, or a batch, with a key that the client does not know is refused", async () => {
  const { batch, entries } = clients.manager;
  const args = { id: "unknown", data: {} };
  for (const key of ["on_conflict", "if_match", "merge_patch", "dryRun", "body"]) {
    const operation = { call: "POST /api/entries", args, [key]: "skip" } as const;
    await assert.rejects(batch([operation]), (error) => error instanceof RangeError && error.message.includes(key));
  }
  for (const key of ["dryrun", "dry_run", "ifMatch"]) {
    const made = batch([{ call: "POST /api/entries", args }], { [key]: true });
    await assert.rejects(made, (error) => error instanceof RangeError && error.message.includes(key));
  }
  await refusal(entries.fetch("unknown"), "entry_not_found");
});

test("a create with onConflict updates, replaces or leaves what is there", async () => {
  const { entries } = clients.manager;
  const create = (data: Record<string, unknown>, onConflict?: ConflictRule) =>
    entries.create<Record<string, unknown>>("upserted", data, { onConflict });
  assert.equal((await create({ n: 1 }, "update")).n, 1);
  const updated = await create({ m: 2 }, "update");
  assert.deepEqual([updated.n, updated.m], [1, 2]);
  const replaced = await create({ m: 2 }, "replace");
  assert.deepEqual(["n" in replaced, replaced.m], [false, 2]);
  assert.equal((await create({ m: 9 }, "skip")).m, 2);
  for (const rule of ["fail", undefined] as const) await refusal(create({}, rule), "entry_exists");
});

test("a dry run writes nothing", async () => {
  const { batch, entries } = clients.manager;
  const [tried] = await batch([{ call: "POST /api/entries", args: { id: "tried", data: {} } }], { dryRun: true });
  assert.equal(tried.data.slug, "tried");
  await refusal(entries.fetch("tried"), "entry_not_found");
});

test("a key of the caller is sent as it is", async () => {
  const { world } = clients;
  const { management: token, access: accessToken } = world.token;
  const octavo = createClient({ url: world.app.url, token, accessToken, retries: 0 });
  const options = { idempotencyKey: "mine" };
  const first = await octavo.entries.create("keyed", { n: 1 }, options);
  assert.deepEqual(await octavo.entries.create("keyed", { n: 1 }, options), first);
  await refusal(octavo.entries.create("keyed", { n: 2 }, options), "idempotency_mismatch");
});

/** A call that is missing here does not compile. */
const calls: Record<BatchCall, true> = {
  "POST /api/entries": true,
  "PATCH /api/entries": true,
  "PUT /api/entries": true,
  "PUT /api/entries/copy": true,
  "DELETE /api/entries": true,
  "POST /api/entries/restore": true,
  "PATCH /api/entries/staged": true,
  "DELETE /api/entries/staged": true,
  "PATCH /api/entries/translations": true,
  "DELETE /api/entries/translations": true,
  "POST /api/entries/publish": true,
  "POST /api/folders": true,
  "PUT /api/folders": true,
  "PUT /api/folders/copy": true,
  "DELETE /api/folders": true,
  "PUT /api/files": true,
  "PUT /api/files/copy": true,
  "DELETE /api/files": true,
  "POST /api/files/meta": true,
  "PATCH /api/files/meta": true,
  "DELETE /api/files/meta": true,
  "PUT /api/registry": true,
  "DELETE /api/registry": true,
  "POST /api/registry/restore": true,
};

test("the client knows every operation but those of the second names", () => {
  const operations = clients.world.app.api
    .filter(({ isOperation, url }) => isOperation && !/^\/api\/(media|management)\//.test(url))
    .map(({ method, url }) => `${method} ${url}`);
  assert.deepEqual(operations.sort(), Object.keys(calls).sort());
});
