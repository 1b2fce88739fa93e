// Slow: it starts a service.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startDemo } from "../../test/cli/demo.ts";

/** octavo types migrate, beside a running service. */

const { folder, service, headers, octavo } = await startDemo();

const fileOf = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const call = async (method: string, path: string, body?: object) => {
  const reply = await fetch(`${service.url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  return { status: reply.status, data: ((await reply.json()) as { data: Record<string, unknown> }).data };
};
const put = (id: string, schema: object) => call("PUT", "/api/types", { id, paths: [`${id}/*`], schema });
const create = (id: string, data: object) => call("POST", "/api/entries", { id, data });
const entry = async (id: string) => (await call("GET", `/api/entries?id=${id}`)).data;

test("a plan is tried, done, done again and undone", async () => {
  await put("shop", { required: ["author"], properties: { author: { type: "string" }, price: { type: "string" } } });
  await create("shop/a", { author: "Ada", price: "12.50" });
  await create("shop/b", { author: "Bob", price: "7" });
  const yaml =
    "- type: shop\n  rename: /author\n  to: /writer\n- {type: shop, convert: /price, to: number}\n- {type: shop, default: /state, value: new}\n";
  const plan = fileOf("plan.yaml", yaml);
  const dry = await octavo("types", "migrate", plan, "--dry-run");
  assert.deepEqual([dry.code, dry.err], [0, ""]);
  assert.match(dry.out, /^STEP +ENTRIES +COPIES +FAIL\nshop: rename \/author to \/writer +2 +0 +0\n/);
  assert.match(
    dry.out,
    /shop: default \/state value "new" +2 +0 +0\nWould change 2 entries, 0 working copies, the schema of shop, 0 saved tables\.$/,
  );
  assert.equal((await entry("shop/a")).author, "Ada");
  const done = await octavo("types", "migrate", plan);
  assert.equal(done.code, 0);
  const group = /^Migration (\d+)\. To undo it: octavo types migrate --undo \1$/m.exec(done.out)?.[1] ?? "";
  const { writer, price, state } = await entry("shop/a");
  assert.deepEqual([writer, price, state], ["Ada", 12.5, "new"]);
  const again = await octavo("types", "migrate", plan);
  assert.match(again.out, /There is nothing to change\.$/);
  const url = await octavo("types", "migrate", plan, "--url", service.url, "--json", "--dry-run");
  assert.equal(url.code, 2);
  assert.match(url.err, /OCTAVO_TOKEN/);
  const undone = await octavo("types", "migrate", "--undo", group);
  assert.match(
    undone.out,
    /^Undone: 2 entries, 0 working copies, the schema of shop, 0 saved tables are as they were before \d+\.$/,
  );
  assert.equal((await entry("shop/a")).author, "Ada");
  const twice = await octavo("types", "migrate", "--undo", group);
  assert.equal(twice.code, 1);
  assert.match(twice.err, /no migration of the last 30 days begins with this event/);
});

test("what fails is named, with exit code 1", async () => {
  await put("bad", { properties: { n: { type: "string" } } });
  for (let i = 0; i < 11; i++) await create(`bad/${i}`, { n: `x${i}` });
  const plan = fileOf("bad.json", JSON.stringify([{ type: "bad", convert: "/n", to: "integer" }]));
  const dry = await octavo("types", "migrate", plan, "--dry-run");
  assert.equal(dry.code, 1);
  assert.match(dry.out, /^bad: convert \/n to integer +0 +0 +11$/m);
  assert.match(dry.out, /^bad\/0 +"\/n" was "x0"; expected an integer/m);
  assert.match(dry.err, /the plan cannot be done with 11 entries/);
  const done = await octavo("types", "migrate", plan);
  assert.equal(done.code, 1);
  assert.match(done.err, /cannot be done with 11 entries; nothing was changed[\s\S]*bad\/0: "\/n" was "x0"/);
});

test("files and options that are wrong are named", async () => {
  for (const [words, said] of [
    [[], /PLAN is missing/],
    [["nowhere.json"], /cannot be read/],
    [[fileOf("plan.txt", "")], /expected a file \.json/],
    [[fileOf("no.json", "{")], /is not JSON/],
    [[fileOf("no.yaml", "a: [")], /is not YAML/],
    [[fileOf("steps.json", '[{"type":"t","drip":"/a"}]')], /steps\.json: "steps\[0\]"/],
    [["--undo", "x"], /--undo was "x"/],
    [["--undo", "1", "--dry-run"], /--dry-run was given with --undo/],
    [["p.json", "--undo", "1"], /PLAN was given with --undo/],
  ] as const) {
    const { code, err } = await octavo("types", "migrate", ...words);
    assert.equal(code, 2, words.join(" "));
    assert.match(err, said);
  }
});
