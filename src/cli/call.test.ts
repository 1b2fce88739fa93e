import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runOctavo } from "../../test/cli/octavo.ts";
import { temporaryFolder, useWorld } from "../../test/harness.ts";

/** `octavo call`: every route of the API, in this process without tokens, or over HTTP with those of two variables. */

const folder = temporaryFolder();
const data = join(folder, "data");
const world = useWorld({ data });

const octavo = (words: string[], input = "") => runOctavo(["call", ...words, "--data", data], { cwd: folder, input });
const remote = (words: string[], env: Record<string, string> = tokens()) =>
  runOctavo(["call", ...words, "--url", world.app.url], { cwd: folder, env });
const tokens = () => ({ OCTAVO_TOKEN: world.token.management, OCTAVO_ACCESS_TOKEN: world.token.access });

async function dataOf(words: string[], input?: string): Promise<Record<string, unknown>> {
  const { code, out, err } = await octavo(words, input);
  assert.deepEqual([code, err], [0, ""], words.join(" "));
  return JSON.parse(out).data;
}

test("values are read as the types of the arguments say, beside the service, and the log names the operator", async () => {
  const made = await octavo(["POST", "/api/entries", "id=news", 'data={"title":"5","n":1.0}']);
  assert.deepEqual([made.code, made.err, /"title":"5","n":1\.0,/.test(made.out)], [0, "", true], made.out);
  const headers = { Authorization: `Bearer ${world.token.management}` };
  const seen = await world.send("GET", "/api/entries?id=news", { headers });
  assert.deepEqual((seen.json.data as { title: string }).title, "5");
  const events = (await dataOf(["GET", "/api/events"])) as unknown as { kind: string; actor: string }[];
  const { kind, actor } = events.at(-1) ?? {};
  assert.deepEqual([kind, actor], ["entry.create", "octavo"]);
  const lists = await dataOf([
    "post",
    "/api/webhooks",
    "url=https://example.org/x",
    "kinds[]=entry.*",
    "kinds[]=file.*",
  ]);
  assert.deepEqual(lists.kinds, ["entry.*", "file.*"]);
  const gone = await octavo(["DELETE", "/api/entries", "id=news"]);
  assert.deepEqual([gone.code, gone.out, gone.err], [0, "", ""]);
});

test("an argument that the route does not take is refused with the nearest, and nothing is written", async () => {
  for (const [words, says] of [
    [["GET", "/api/entries", "idd=news"], /"idd" is unknown; did you mean "id"/],
    [["GET", "/api/entries", "id=", "filter[wher][key]=a"], /"filter\[wher\]" was "an object".* or filter\[where\]/],
    [["PUT", "/api/registry", "id=site.title", "value=x", "vale=y"], /"vale" is unknown; did you mean "value"/],
    [["GET", "/api/trash", "nuon=entry"], /"nuon" is unknown; did you mean "noun"/],
    [["GET", "/api/trash", "limit=x"], /"limit" was "x"; expected an integer/],
    [["GET", "/api/trash", "limit=x", "nuon=entry"], /nuon.*\n {2}"limit" was/],
  ] as const) {
    const { code, out, err } = await octavo([...words]);
    assert.deepEqual([code, out], [1, ""], words.join(" "));
    assert.match(err, says);
  }
  assert.equal((await octavo(["GET", "/api/registry", "id=site.title"])).code, 1);
});

test("refusals have their sentence and their code, and exit with 1", async () => {
  const stale = await octavo(["PUT", "/api/registry", "id=octavo.manifest", "value=x", "--json"]);
  assert.deepEqual([stale.code, stale.out, JSON.parse(stale.err).code], [1, "", "registry_item_read_only"]);
  await dataOf(["PUT", "/api/types", "id=post", 'paths=["posts/*"]', 'schema={"required":["title"]}']);
  const invalid = await octavo(["POST", "/api/entries", "id=posts/a", "data={}"]);
  assert.match(invalid.err, /^octavo: .*"\/title" is missing; expected a value\n$/);
  await dataOf(["POST", "/api/entries", "id=here", 'data={"title":"A"}']);
  const outdated = await octavo(["PATCH", "/api/entries", "id=here", "data={}", "--if-match", '"1"', "--json"]);
  assert.deepEqual([outdated.code, JSON.parse(outdated.err).code], [1, "revision_mismatch"]);
  for (const [words, code, says] of [
    [["GET", "/api/nowhere"], 1, /\/api\/nowhere" is not an address/],
    [["GET", "/api/registry/site.title"], 1, /what it names is an argument: \/api\/registry\?id=site\.title/],
    [["PATCH", "/api/trash"], 1, /accepted: GET, HEAD, DELETE/],
    [["GET", "/api/people/me"], 1, /a person's session/],
    [["FETCH", "/api/trash"], 2, /METHOD was "FETCH"/],
    [["GET", "api/trash"], 2, /PATH was "api\/trash"/],
    [["GET", "/api/trash", "noun"], 2, /"noun" is no argument; expected NAME=VALUE/],
    [["GET", "/api/trash", "token=x"], 2, /OCTAVO_TOKEN/],
    [["GET"], 2, /PATH is missing/],
  ] as const) {
    const reply = await octavo([...words]);
    assert.deepEqual([reply.code, reply.out, says.test(reply.err)], [code, "", true], reply.err);
  }
});

test("a file or standard input has the arguments as JSON, with their types, those of a batch, too", async () => {
  const file = join(folder, "item.json");
  writeFileSync(file, '{"id": "site.sizes", "value": [1.0, "2"]}');
  assert.match((await octavo(["PUT", "/api/registry", "--json-body", file])).out, /"value":\[1\.0,"2"\]/);
  const operations = [{ method: "PUT", path: "/api/registry", body: { id: "a.b", value: { c: { d: [1] } } } }];
  const made = await octavo(["POST", "/api/batch", "--json-body", "-"], JSON.stringify({ operations }));
  assert.deepEqual([made.code, JSON.parse(made.out).data[0].status], [0, 200], made.err);
  for (const [words, input, code, says] of [
    [["GET", "/api/trash", "--json-body", "-"], "{}", 2, /not for GET/],
    [["PUT", "/api/registry", "id=a", "--json-body", "-"], "{}", 2, /has all arguments/],
    [["PUT", "/api/registry", "--json-body", "nowhere.json"], "", 2, /cannot be read/],
    [["PUT", "/api/registry", "--json-body", "-"], "[]", 1, /expected a JSON object/],
  ] as const) {
    const reply = await octavo([...words], input);
    assert.deepEqual([reply.code, says.test(reply.err)], [code, true], reply.err);
  }
});

test("a preview that the operator makes holds, though no token made it", async () => {
  const made = await dataOf(["POST", "/api/tokens", "kind=preview", "resources=entries"]);
  assert.deepEqual([made.state, made.maker], ["enabled", undefined]);
  const headers = { Authorization: `Bearer ${made.token}` };
  assert.equal((await world.send("GET", "/api/entries?id=here", { headers })).status, 200);
});

test("the arguments of a route are listed with their types; a header names the next page; bytes are written as they are", async () => {
  const described = await octavo(["PUT", "/api/types", "--describe"]);
  assert.match(described.out, /^NAME +TYPE +REQUIRED +WHAT\nid +string +yes +The type\.\n/);
  assert.match(described.out, /\nmode +enforce\|off {2,}/);
  const listed = JSON.parse((await octavo(["DELETE", "/api/trash", "--describe", "--json"])).out);
  assert.deepEqual(listed.arguments, [{ name: "id", type: "integer", required: true, description: "The item's id." }]);
  await dataOf(["PUT", "/api/types", "id=second", "schema={}"]);
  const page = await octavo(["GET", "/api/types", "limit=1", "--headers"]);
  assert.match(page.err, /^200\nContent-Type: application\/json[\s\S]*\nLink: <.*cursor=/);
  const form = new FormData();
  form.append("folder", "");
  form.append("file", new Blob(["odd"]), "odd.txt");
  const headers = { Authorization: `Bearer ${world.token.management}`, "X-Access-Token": world.token.access };
  const sent = await fetch(`${world.app.url}/api/files`, { method: "POST", headers, body: form });
  assert.equal(sent.status, 200, await sent.text());
  const { code, out } = await octavo(["GET", "/project/uploads/odd.txt"]);
  assert.deepEqual([code, out], [0, "odd"]);
});

test("with --url the service answers the same, with the tokens of the variables", async () => {
  const words = ["GET", "/api/registry/items", "id=site"];
  assert.equal((await remote(words)).out, (await octavo(words)).out);
  assert.equal((await remote(["PUT", "/api/registry", "id=site.far", "value=away"])).code, 0);
  assert.equal((await octavo(["GET", "/api/registry", "id=site.far"])).code, 0);
  const refused = await remote(["GET", "/api/entries", "id=nowhere", "--json"]);
  assert.deepEqual([refused.code, JSON.parse(refused.err).code], [1, "entry_not_found"]);
  const odd = await remote(["PUT", "/api/registry", "id=site.far", "value=back", "vale=1"]);
  assert.deepEqual([odd.code, /passed over it: vale/.test(odd.err)], [0, true], odd.err);
  const { OCTAVO_TOKEN } = tokens();
  for (const [words, env, code, says] of [
    [["GET", "/api/trash"], {}, 2, /OCTAVO_TOKEN is missing/],
    [["DELETE", "/api/trash", "id=1"], { OCTAVO_TOKEN }, 2, /OCTAVO_ACCESS_TOKEN is missing/],
    [["GET", "/api/trash", "--describe"], tokens(), 2, /cannot be combined/],
  ] as const) {
    const reply = await remote([...words], env);
    assert.deepEqual([reply.code, says.test(reply.err)], [code, true], reply.err);
  }
  const run = (url: string) => runOctavo(["call", "GET", "/api/trash", "--url", url], { cwd: folder, env: tokens() });
  const [silent, nowhere] = [await run("http://127.0.0.1:1"), await run("cms.example.org")];
  assert.deepEqual(
    [silent.code, /no service answers at http:\/\/127\.0\.0\.1:1:/.test(silent.err)],
    [1, true],
    silent.err,
  );
  assert.deepEqual([nowhere.code, /--url was "cms\.example\.org"/.test(nowhere.err)], [2, true]);
});

test("a store that is not there is not made", async () => {
  const { code, err } = await runOctavo(["call", "GET", "/api/trash", "--data", join(folder, "none")], { cwd: folder });
  assert.equal(code, 1);
  assert.match(err, /none/);
});
