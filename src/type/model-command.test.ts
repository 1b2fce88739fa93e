// Slow: it opens a store for each of some fifty commands.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startDemo } from "../../test/cli/demo.ts";
import { runOctavo } from "../../test/cli/octavo.ts";
import { openDatabase } from "../../test/database.ts";
import { temporaryFolder } from "../../test/harness.ts";

/** octavo types apply, pull, rename: beside a running service, and over HTTP. */

const { data, service, headers, octavo: run } = await startDemo();
const octavo = (...words: string[]) => run("types", ...words);

const base = temporaryFolder();
let folders = 0;
/** A new folder with these files; an object is written as JSON. */
function folderOf(files: Record<string, unknown> = {}): string {
  const folder = join(base, `types-${folders++}`);
  mkdirSync(folder);
  for (const [name, value] of Object.entries(files))
    writeFileSync(
      join(folder, name),
      typeof value === "string" || value instanceof Buffer ? value : JSON.stringify(value),
    );
  return folder;
}

const api = async (method: string, path: string, body?: object) => {
  const reply = await fetch(`${service.url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  return { status: reply.status, json: (await reply.json().catch(() => ({}))) as { data?: Record<string, unknown> } };
};
const create = async (id: string, entry: object) =>
  assert.equal((await api("POST", "/api/entries", { id, data: entry })).status, 200);
const ids = async () => JSON.parse((await octavo("list", "--json")).out).types.map(({ id }: { id: string }) => id);

for (const id of await ids()) await octavo("delete", id);

const song = {
  id: "song",
  paths: ["songs/*"],
  schema: { required: ["title"], properties: { title: { type: "string" } } },
};
const yaml = `# A band.
id: band
paths: [bands/*]
schema:
  properties:
    country: {enum: [no, se]}
    founded: {const: 2001-01-01}
    of: &song {type: string, x-octavo-types: [song]}
    other: *song
`;

test("a folder is tried, applied, and applied again without a change", async () => {
  const folder = folderOf({ "song.json": song, "a-band.yaml": `\ufeff${yaml}`, "README.md": "Types." });
  const tried = await octavo("apply", folder, "--dry-run");
  assert.deepEqual([tried.code, tried.out.split("\n").slice(0, 2)], [3, ["+ band added", "+ song added"]], tried.err);
  assert.match(tried.err, /2 types would change/);
  assert.deepEqual(await ids(), []);
  const applied = await octavo("apply", folder);
  assert.deepEqual([applied.code, applied.out.split("\n").at(-1)], [0, "2 types applied."], applied.err);
  const band = JSON.parse((await octavo("get", "band")).out);
  assert.deepEqual(band.schema.properties, {
    country: { enum: ["no", "se"] },
    founded: { const: "2001-01-01" },
    of: { type: "string", "x-octavo-types": ["song"] },
    other: { type: "string", "x-octavo-types": ["song"] },
  });
  for (const words of [["--dry-run"], []]) {
    const again = await octavo("apply", folder, ...words);
    assert.deepEqual([again.code, again.out], [0, "Nothing changes: 2 types as in the folder."], again.err);
  }
});

test("what would change is shown by field and keyword", async () => {
  const title = { type: "string", minLength: 2 };
  const schema = { required: ["year"], properties: { year: { type: "integer", maximum: 9007199254740992 }, title } };
  const { code, out } = await octavo(
    "apply",
    folderOf({ "song.json": { ...song, title: "Song", mode: "off", schema } }),
    "--dry-run",
  );
  assert.equal(code, 3);
  assert.deepEqual(out.split("\n"), [
    "~ song changed",
    '    title: "" → "Song"',
    '    mode: "enforce" → "off"',
    '    required: removed "title"',
    '    required: added "year"',
    '    year: added {"type":"integer","maximum":9007199254740992}',
    "    title minLength: added 2",
    "Nothing was applied: 1 type would change.",
  ]);
});

test("entries that a changed type would refuse are named, and nothing is applied", async () => {
  await create("songs/old", { title: "Old" });
  await create("songs/draft", { title: "D", visibility: "draft" });
  const strict = { ...song, schema: { ...song.schema, required: ["title", "year"] } };
  const folder = folderOf({ "song.json": strict, "new.json": { id: "new", schema: true } });
  for (const words of [["--dry-run"], []]) {
    const { code, out, err } = await octavo("apply", folder, ...words);
    assert.equal(code, 1, err);
    assert.match(out, /^\+ new added\n~ song changed\n {4}required: added "year"$/);
    assert.match(err, /would refuse an entry that is there; nothing was applied\n {2}songs\/old: .*"\/year"/);
    assert.doesNotMatch(err, /songs\/draft/);
  }
  assert.deepEqual(await ids(), ["band", "song"]);
});

test("--prune removes types without a file, all of them only where that is meant", async () => {
  const folder = folderOf({ "song.json": song });
  assert.equal((await octavo("apply", folder)).out, "Nothing changes: 2 types as in the folder.");
  const tried = await octavo("apply", folder, "--prune", "--dry-run");
  assert.deepEqual([tried.code, tried.out.split("\n")[0]], [3, "- band removed"]);
  assert.equal((await octavo("apply", folder, "--prune")).code, 0);
  assert.deepEqual(await ids(), ["song"]);
  const none = folderOf({ "README.md": "" });
  const refused = await octavo("apply", none, "--prune");
  assert.deepEqual([refused.code, /--prune would remove all types/.test(refused.err)], [2, true]);
  assert.equal((await octavo("apply", none)).code, 0);
  assert.equal((await octavo("apply", none, "--prune", "--allow-empty")).code, 0);
  assert.deepEqual(await ids(), []);
});

test("files that are no types are refused by their names", async () => {
  for (const [files, expected] of [
    [{ "a.json": song, "b.yaml": "id: song\nschema: true" }, /a\.json and b\.yaml both have the type "song"/],
    [{ "a.json": { ...song, shema: {} } }, /a\.json has the key "shema"; expected "schema"/],
    [{ "a.json": "{" }, /a\.json is not JSON/],
    [{ "a.yaml": "a: [" }, /a\.yaml is not YAML/],
    [{ "a.yaml": "--- 1\n--- 2" }, /a\.yaml is not YAML: .*more than one document/],
    [{ "a.yaml": "id: !x a\nschema: true" }, /a\.yaml has the tag !x/],
    [{ "a.json": [] }, /a\.json does not have an object/],
    [{ "a.json": { schema: true, id: 7 } }, /a\.json: "id" was "7"; expected a text/],
    [{ "A.json": { schema: true } }, /A\.json: "id" was "A"/],
    [{ "a.json": { id: "a" } }, /a\.json: "schema" is missing/],
    [{ "a.json": { id: "a", schema: { description: "x".repeat(300_000) } } }, /a\.json: "schema" .*262144/],
    [{ "a.json": Buffer.from([0x22, 0xff, 0x22]) }, /a\.json cannot be read: it is not UTF-8/],
  ] as [Record<string, unknown>, RegExp][]) {
    const { code, err } = await octavo("apply", folderOf(files));
    assert.deepEqual([code, expected.test(err)], [2, true], err);
  }
  assert.match((await octavo("apply", join(base, "nowhere"))).err, /there is no such folder/);
  const bad = await octavo("apply", folderOf({ "b.json": { id: "b", schema: { type: "x" } }, "a.json": song }));
  assert.deepEqual(
    [bad.code, /"schema" of the type "b" is not accepted at "\/type"/.test(bad.err)],
    [1, true],
    bad.err,
  );
  assert.deepEqual(await ids(), []);
});

test("a pull writes a file for each type, keeps those that say the same, and changes nothing when applied", async () => {
  const folder = folderOf({ "my-band.yaml": yaml, "song.json": song, "gone.yml": "id: gone\nschema: true\n" });
  assert.equal((await octavo("apply", folder)).code, 0);
  await octavo("delete", "gone");
  const type = { id: "exact", title: "Ä\n", schema: { maximum: "N", enum: [] } };
  writeFileSync(join(base, "exact.json"), JSON.stringify(type).replace('"N"', "9007199254740993.0"));
  assert.equal((await octavo("put", join(base, "exact.json"))).code, 0);
  const pulled = await octavo("pull", folder);
  assert.equal(pulled.code, 0, pulled.err);
  assert.deepEqual(pulled.out.split("\n"), [
    "exact.json is written.",
    "gone.yml is kept: the store has no such type; --prune removes it.",
    "3 types: 1 written, 2 as before.",
  ]);
  assert.equal(readFileSync(join(folder, "my-band.yaml"), "utf8"), yaml);
  assert.match(
    readFileSync(join(folder, "exact.json"), "utf8"),
    /^\{\n {2}"id": "exact",\n.*"maximum": 9007199254740993\.0,\n/s,
  );
  assert.match((await octavo("pull", folder, "--prune")).out, /^gone\.yml is removed\.$/m);
  assert.deepEqual(readdirSync(folder).sort(), ["exact.json", "my-band.yaml", "song.json"]);
  const fresh = join(base, "fresh", "types");
  assert.equal((await octavo("pull", fresh)).code, 0);
  const texts = readdirSync(fresh).map((name) => readFileSync(join(fresh, name), "utf8"));
  for (const each of [folder, fresh])
    assert.equal((await octavo("apply", each, "--prune")).out, "Nothing changes: 3 types as in the folder.");
  await octavo("pull", fresh);
  assert.deepEqual(
    readdirSync(fresh).map((name) => readFileSync(join(fresh, name), "utf8")),
    texts,
  );
  // A file in YAML stays in YAML.
  await octavo(
    "apply",
    folderOf({ "band.json": { id: "band", title: "Band: 1", schema: { enum: ["no", 1.5, "2001-01-01"] } } }),
  );
  assert.match((await octavo("pull", folder)).out, /my-band\.yaml is written/);
  assert.equal((await octavo("apply", folder)).out, "Nothing changes: 3 types as in the folder.");
  writeFileSync(join(folder, "broken.json"), "{");
  assert.match((await octavo("pull", folder)).err, /broken\.json is not JSON/);
});

test("the deepest schema that the service takes is pulled and applied", async () => {
  const deep = (levels: number): object => (levels === 0 ? {} : { not: deep(levels - 1) });
  const put = await api("PUT", "/api/types", { id: "deep", schema: deep(63) });
  assert.equal(put.status, 200, JSON.stringify(put.json));
  assert.equal((await api("PUT", "/api/types", { id: "deep", schema: deep(64) })).status, 400);
  const folder = join(base, "deep");
  await octavo("pull", folder);
  const { code, out, err } = await octavo("apply", folder);
  assert.deepEqual([code, out], [0, "Nothing changes: 4 types as in the folder."], err);
  await octavo("delete", "deep");
});

test("a pull never writes over the file of another type, and reads no folders and broken links", async () => {
  const folder = folderOf({ "exact.json": song, "Band.json": { id: "other", schema: true } });
  mkdirSync(join(folder, "more"));
  symlinkSync(join(base, "nowhere"), join(folder, "link.json"));
  const broken = await octavo("pull", folder);
  assert.deepEqual([broken.code, /link\.json cannot be read/.test(broken.err)], [2, true], broken.err);
  rmSync(join(folder, "link.json"));
  const { code, out, err } = await octavo("pull", folder);
  assert.deepEqual([code, /warning: more is a folder/.test(err)], [0, true], err);
  assert.match(out, /^band-2\.json is written\.\nexact-2\.json is written\.\nBand\.json is kept/);
  assert.deepEqual(JSON.parse(readFileSync(join(folder, "exact.json"), "utf8")), song);
  assert.equal(JSON.parse(readFileSync(join(folder, "exact-2.json"), "utf8")).id, "exact");
  assert.match((await octavo("pull", folder)).out, /^Band\.json is kept.*\n3 types: 0 written, 3 as before\.$/);
});

test("a type is renamed with what refers to it", async () => {
  await create("free/one", { fieldset: "song", title: "One" });
  assert.equal((await octavo("rename", "song", "tune")).out, "song is tune now.");
  assert.deepEqual(await ids(), ["band", "exact", "tune"]);
  assert.equal((await api("GET", "/api/entries?id=free/one")).json.data?.fieldset, "tune");
  assert.match((await octavo("rename", "song", "x")).err, /no type/);
  assert.match((await octavo("rename", "tune", "band")).err, /there is a type with this id already/);
  const bad = await octavo("rename", "tune", "Band");
  assert.deepEqual([bad.code, /NEW was "Band"/.test(bad.err)], [2, true]);
});

test("over HTTP the words and exit codes are the same", async () => {
  const folder = folderOf({ "tune.json": { id: "tune", title: "Tune", schema: true } });
  const env = { OCTAVO_TOKEN: headers.Authorization.slice(7), OCTAVO_ACCESS_TOKEN: headers["X-Access-Token"] };
  const remote = (...words: string[]) => runOctavo(["types", ...words, "--url", service.url], { cwd: base, env });
  const own = await octavo("apply", folder, "--dry-run");
  const tried = await remote("apply", folder, "--dry-run");
  assert.deepEqual([tried.code, tried.out.trim(), tried.err.trim()], [own.code, own.out, own.err]);
  assert.equal((await remote("apply", folder)).code, 0);
  assert.equal((await remote("rename", "tune", "song")).out, "tune is song now.\n");
  const pulled = join(base, "pulled");
  assert.equal((await remote("pull", pulled)).code, 0);
  assert.equal((await remote("apply", pulled, "--dry-run", "--prune")).code, 0);
  rmSync(pulled, { recursive: true });
});

test("a rename that more than 100,000 entries would follow is refused, and changes nothing", async () => {
  await octavo("apply", folderOf({ "bulk.json": { id: "bulk", schema: true } }));
  await create("bulk", { fieldset: "bulk" });
  const database = openDatabase(data);
  const columns = database.prepare("SELECT name FROM pragma_table_info('entry')").all() as { name: string }[];
  const own: Record<string, string> = {
    id: "1000000 + i",
    slug: "'bulk/' || i",
    uuid: "printf('%08d', i) || substr(uuid, 9)",
  };
  const values = columns.map(({ name }) => own[name] ?? name);
  database.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
    INSERT INTO entry (${columns.map(({ name }) => name)}) SELECT ${values} FROM entry, n WHERE slug = 'bulk'`);
  database.close();
  const { code, err } = await octavo("rename", "bulk", "mass");
  assert.equal(code, 1);
  assert.match(err, /^octavo: more than 100000 entries and working copies would change, .*; nothing was changed$/);
  assert.ok((await ids()).includes("bulk"));
  const reply = await api("PATCH", "/api/types", { id: "bulk", new_id: "mass" });
  assert.deepEqual([reply.status, (reply.json as { code?: string }).code], [409, "plan_too_large"]);
});
