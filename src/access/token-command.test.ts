import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { makeStore, runOctavo, startOctavo } from "../../test/cli/octavo.ts";
import { temporaryFolder } from "../../test/harness.ts";

/** Imported tokens: `octavo token create --token-stdin`. Contract §2. */

const folder = temporaryFolder();
const data = ["--data", join(folder, "data")];
before(() => makeStore(join(folder, "data")));
const management = ["--kind", "management", "--resources", "entries"];

const create = (input: string | Buffer, words: string[] = management) =>
  runOctavo(["token", "create", ...words, "--token-stdin", ...data], { cwd: folder, input });

const hex = (n: number) => `${n}003f9a1c5e7b2d4860a1b2c3d4e5f6`;
/** Every character that a token may contain. */
const odd = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i)).join("");

test("an imported token has the access of a generated one in each place for tokens, and is not logged", async () => {
  const pair = [odd, [...odd].reverse().join("")] as const;
  const made = await create(`${pair[0]}\n`, [...management, "--json"]);
  assert.deepEqual([made.code, made.err], [0, ""]);
  const row = JSON.parse(made.out);
  assert.deepEqual([row.kind, row.resources, row.state], ["management", ["entries"], "enabled"]);
  assert.ok(!made.out.includes(pair[0]), "the caller sent it");
  const access = await create(`${pair[1]}\r\n`, ["--kind", "access", "--label", "from the old site"]);
  assert.equal(access.code, 0, access.err);
  assert.ok(!access.out.includes(pair[1]));
  assert.match(access.out, /access/);

  const running = await startOctavo(["--log", "json", ...data], { cwd: folder });
  const printed = running.lines.length;
  const url = `${running.url}/api/entries`;
  const [token, access_token] = pair;
  const headers = { Authorization: `Bearer ${token}`, "X-Access-Token": access_token };
  const json = { "Content-Type": "application/json" };
  const write = (id: string, more: object) => JSON.stringify({ id, data: {}, ...more });
  const form = new URLSearchParams({ token, access_token, id: "c" });
  const query = new URLSearchParams({ token, id: "a" });
  const sent: [string, RequestInit][] = [
    [url, { method: "POST", headers: json, body: write("a", { token, access_token }) }],
    [url, { method: "POST", headers: { ...json, ...headers }, body: write("b", {}) }],
    [url, { method: "POST", body: form }],
    [`${url}?${query}`, {}],
    [`${url}?${query.toString().replace("token=", "%74oken=")}`, {}],
    [`${url}?id=a`, { headers }],
    // A token sent by mistake in a place without tokens.
    [`${url}?id=a&token[]=${encodeURIComponent(token)}`, {}],
    [`${url}?id=a&token%5Bx%5D=${encodeURIComponent(token)}`, {}],
  ];
  const statuses: number[] = [];
  for (const [to, init] of sent) statuses.push((await fetch(to, init)).status);
  assert.deepEqual(statuses, [200, 200, 400, 200, 200, 200, 400, 400], "a form without data lacks an argument");
  assert.equal(await running.stop("SIGTERM"), 0);
  const logged = running.lines.slice(printed).join("\n");
  assert.equal(logged.split("\n").length, sent.length);
  for (const text of pair) {
    for (const form of [text, encodeURIComponent(text), JSON.stringify(text).slice(1, -1), text.slice(0, 20)])
      assert.ok(!logged.includes(form), `${form} was logged`);
    for (const file of readdirSync(join(folder, "data")))
      if (/\.db/.test(file)) assert.ok(!readFileSync(join(folder, "data", file)).includes(text.slice(0, 20)), file);
  }
});

test("locales are those of the store, by their names", async () => {
  const locales = ["--locales", "DE, en"];
  const made = await create(`${hex(5)}\n`, [...management, ...locales, "--json"]);
  assert.equal(made.code, 2);
  assert.match(made.err, /no locales/);
  const io = { cwd: folder, env: { OCTAVO_LOCALES: "en,de" } };
  const run = async (words: string[], input?: string) => {
    const { code, out, err } = await runOctavo(["token", ...words, "--json", ...data], {
      ...io,
      ...(input && { input }),
    });
    assert.equal(code, 0, err);
    return JSON.parse(out);
  };
  const { id, ...kept } = await run(["create", ...management, ...locales, "--token-stdin"], `${hex(5)}\n`);
  assert.deepEqual(kept.locales, ["de", "en"]);
  assert.deepEqual((await run(["create", ...management, ...locales])).locales, ["de", "en"]);
  assert.deepEqual((await run(["update", id, "--locales", "de"])).locales, ["de"]);
  assert.deepEqual((await run(["update", id, "--label", "x"])).locales, ["de"]);
  assert.ok(!("locales" in (await run(["update", id, "--locales", "all"]))));
  const wrong = await runOctavo(["token", "update", id, "--locales", "it", ...data], io);
  assert.equal(wrong.code, 1);
  assert.match(wrong.err, /expected one of the locales en, de/);
});

const refused: [what: string, input: string | Buffer, says: RegExp][] = [
  ["nothing", "", /empty/],
  ["a space within", `${hex(1)} ${hex(2)}\n`, /white space/],
  ["bytes that are not UTF-8", Buffer.from([0xff, 0xfe, 0x41, 0x0a]), /ASCII/],
  ["two lines", `${hex(1)}\n${hex(2)}\n`, /one line/],
  ["an empty second line", `${hex(1)}\n\n`, /one line/],
  ["a megabyte", "x1".repeat(1 << 19), /512/],
];
test("an invalid token is refused with exit code 2 and not printed", async () => {
  for (const [what, input, says] of refused) {
    const { code, out, err } = await create(input, ["--kind", "access", "--json"]);
    assert.deepEqual([code, out], [2, ""], `${what}: ${err}`);
    const { error } = JSON.parse(err);
    assert.match(error, /--token-stdin/, what);
    assert.match(error, says, what);
    assert.ok(!error.includes(hex(1)), what);
  }
});

test("a line without a line feed is a token", async () => {
  assert.equal((await create(hex(3))).code, 0);
});

test("an existing token is refused, whatever its kind", async () => {
  assert.equal((await create(hex(4))).code, 0);
  const again = await create(`${hex(4)}\n`, ["--kind", "access", "--json"]);
  assert.deepEqual([again.code, again.out], [1, ""]);
  const { error, code } = JSON.parse(again.err);
  assert.equal(code, "token_exists");
  assert.ok(!error.includes(hex(4)));
});

test("a weak token is accepted with a warning on standard error", async () => {
  const { code, out, err } = await create("secret");
  assert.equal(code, 0, err);
  assert.match(err, /^octavo: warning: .*weak/);
  assert.ok(!`${out}${err}`.includes('"secret"'));
  const json = await create("short", ["--kind", "access", "--json"]);
  assert.deepEqual([json.code, JSON.parse(json.out).kind], [0, "access"]);
  assert.match(JSON.parse(json.err).warning, /weak/);
});
