import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startDemo } from "./demo.ts";

/** octavo types, beside a running service, in which a type is in force at once. */

const { folder, service, headers, octavo: run } = await startDemo();

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
