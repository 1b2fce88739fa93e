// Slow: it opens a store forty times, and checks costly types.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startDemo } from "../../test/cli/demo.ts";
import { openDatabase } from "../../test/database.ts";
import { costlyTypes } from "../../test/fixtures/costly-types.ts";

/** octavo types, beside a running service, in which a type is in force at once. */

const { folder, data, service, headers, octavo: run } = await startDemo();

const octavo = (...words: string[]) => run("types", ...words);

function fileOf(name: string, value: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
  return path;
}

async function create(id: string, entry: object): Promise<number> {
  const body = JSON.stringify({ id, data: entry });
  return (await fetch(`${service.url}/api/entries`, { method: "POST", headers, body })).status;
}

test("types are put, listed, printed, checked and deleted", async () => {
  for (const id of ["article", "author", "movie"]) assert.equal((await octavo("delete", id)).out, `${id} is deleted.`);
  assert.equal((await octavo("list")).out, "There are no types.");
  const year = { type: "integer", maximum: 1978 };
  const movie = { id: "movie", title: "Movie", paths: ["movies/*"], schema: { properties: { year } } };
  const file = fileOf("movie.json", movie);
  const checked = await octavo("check", file);
  assert.equal(checked.code, 1);
  assert.match(checked.out, /^ENTRY +FAULT\nmovies\/alien +"\/year" was 1979; expected at most 1978/);
  assert.match(checked.err, /\d of \d entries do not fit the type movie/);
  assert.equal(JSON.parse((await octavo("check", file, "--json")).out).first[0].id, "movies/alien");
  assert.equal((await octavo("put", file)).out, "movie is in force.");
  assert.equal(await create("movies/late", { year: 1999 }), 422);
  assert.equal(await create("movies/early", { year: 1950 }), 200);
  assert.match((await octavo("list")).out, /^TYPE +TITLE +MODE +PATHS\nmovie +Movie +enforce +movies\/\*$/);
  assert.equal(JSON.parse((await octavo("list", "--json")).out).types.length, 1);
  const expected = {
    id: "movie",
    title: "Movie",
    description: "",
    paths: ["movies/*"],
    schema: movie.schema,
    mode: "enforce",
  };
  assert.deepEqual(JSON.parse((await octavo("get", "movie")).out), expected);
  const fits = fileOf("fits.json", { ...movie, schema: true });
  assert.match((await octavo("check", fits)).out, /^All \d entries of the type fit\.$/);
  assert.equal((await octavo("delete", "movie")).out, "movie is deleted.");
  assert.equal(await create("movies/late", { year: 1999 }), 200);
  const missing = await octavo("get", "movie");
  assert.deepEqual([missing.code, /no type/.test(missing.err)], [1, true]);
});

test("wrong arguments and files are named", async () => {
  const type = { id: "movie", schema: {} };
  for (const [words, code, expected] of [
    [["get", "Movie"], 2, /ID was "Movie"/],
    [["put", join(folder, "nowhere.json")], 2, /cannot be read/],
    [["put", fileOf("bad.json", "{")], 2, /is not JSON/],
    [["put", fileOf("list.json", [])], 2, /JSON object/],
    [["put", fileOf("typo.json", { ...type, shema: {} })], 2, /"shema"; expected "schema"/],
    [["put", fileOf("none.json", { id: "movie" })], 2, /"schema"/],
    [["put", fileOf("path.json", { ...type, paths: ["a*"] })], 2, /"paths" was "a\*"/],
    [["put", fileOf("schema.json", { ...type, schema: { type: "x" } })], 1, /"schema" is not accepted at "\/type"/],
  ] as const) {
    const found = await octavo(...words);
    assert.equal(found.code, code, found.err);
    assert.match(found.err, expected);
  }
});

test("without a file all types of the store are checked, also one that names a field of the service", async () => {
  assert.deepEqual(await octavo("check"), { code: 0, out: "There are no types.", err: "" });
  const year = { properties: { year: { type: "integer", maximum: 1978 } } };
  await octavo("put", fileOf("a.json", { id: "a", paths: ["movies/*"], schema: { properties: { slug1: true } } }));
  assert.match((await octavo("check")).out, /^All \d entries of 1 type fit\.$/);
  // As an earlier version took it.
  const database = openDatabase(data);
  database.exec("UPDATE type SET schema = replace(schema, 'slug1', 'slug')");
  database.close();
  await octavo("put", fileOf("b.json", { id: "b", paths: ["movies/alien"], schema: year }));
  await octavo("put", fileOf("off.json", { id: "off", paths: ["movies/solaris"], schema: false, mode: "off" }));
  const { code, out, err } = await octavo("check");
  assert.equal(code, 1);
  const [head, ...rows] = out.split("\n");
  assert.match(String(head), /^TYPE +ENTRY +FAULT$/);
  assert.match(String(rows[0]), /^a +- +"schema" is not accepted at "\/properties\/slug": .* such as "short_name"$/);
  assert.match(String(rows[1]), /^b +movies\/alien +"\/year" was 1979; expected at most 1978$/);
  assert.equal(rows.length, 2);
  assert.match(err, /the schema of 1 type is not accepted; 1 of 1 entries do not fit/);
  const all = JSON.parse((await octavo("check", "--json")).out).types;
  assert.deepEqual([all[0].fault.pointer, all[1].first[0].id, all.length], ["/properties/slug", "movies/alien", 2]);
  const served = await fetch(`${service.url}/api/types?id=a`, { headers });
  assert.equal(
    ((await served.json()) as { data: { fault: { pointer: string } } }).data.fault.pointer,
    "/properties/slug",
  );
  const got = (await octavo("get", "a")).out;
  const again = await octavo("put", fileOf("again.json", got.replaceAll("slug", "short_name")));
  assert.equal(again.out, "a is in force.");
  for (const id of ["a", "b", "off"]) await octavo("delete", id);
});

test("a check whose time is over says where, and goes on from there", async () => {
  const { schema, data: costly } = costlyTypes[0] as (typeof costlyTypes)[number];
  // They come before all others.
  const ids = ["0costly/a", "0costly/b", "0costly/c"];
  for (const id of ids) {
    const body = JSON.stringify({ id, data: costly });
    const made = await fetch(`${service.url}/api/entries`, { method: "POST", headers, body });
    assert.equal(made.status, 200, await made.text());
  }
  const file = fileOf("costly.json", { id: "costly", paths: ["0costly/*"], schema });
  const limit = ["--scan-management-ms", "10"];
  const found = await octavo("check", file, ...limit);
  assert.deepEqual([found.code, /^0costly\/a +"data" cannot be checked/m.test(found.out)], [1, true]);
  const last = /over at (0costly\/\w): go on with --after \1, or raise scan_management_ms/.exec(found.err)?.[1] ?? "";
  assert.ok(ids.includes(last), found.err);
  const rest = await octavo("check", file, "--after", "0costly/b");
  assert.match(rest.err, /^.*1 of 1 entries do not fit the type costly$/m);
  assert.equal((await octavo("check", file, "--after", "a//b")).code, 2);
  await octavo("put", file);
  const all = await octavo("check", ...limit);
  assert.deepEqual(
    [all.code, /over within .* \(up to |not checked for want of time: .*costly/.test(all.err)],
    [1, true],
    all.err,
  );
  await octavo("delete", "costly");
});

test("types are generated as TypeScript, printed or into a file that can be checked", async () => {
  await octavo("put", fileOf("song.json", { id: "song", paths: ["songs/*"], schema: { required: ["title"] } }));
  const out = join(folder, "octavo.d.ts");
  const printed = (await octavo("generate")).out;
  assert.match(printed, /export type Song = \{\n {2}title: unknown;\n\};\nexport type SongId = `songs\/\$\{string\}`;/);
  const stale = await octavo("generate", "--out", out, "--check");
  assert.deepEqual([stale.code, existsSync(out)], [1, false]);
  assert.match(stale.err, /octavo\.d\.ts does not have the types of the store/);
  assert.match((await octavo("generate", "--out", out)).out, /octavo\.d\.ts is written: 1 type\.$/);
  assert.equal(readFileSync(out, "utf8"), `${printed}\n`);
  const fresh = await octavo("generate", "--out", out, "--check");
  assert.deepEqual([fresh.code, /is up to date/.test(fresh.out)], [0, true]);
  const nowhere = await octavo("generate", "--out", join(folder, "no", "where.d.ts"));
  assert.deepEqual([nowhere.code, /cannot be written/.test(nowhere.err)], [1, true]);
  assert.deepEqual(
    [(await octavo("generate", "--check")).code, readdirSync(folder).filter((name) => name.endsWith(".part"))],
    [2, []],
  );
  await octavo("delete", "song");
});
