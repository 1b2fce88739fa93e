import assert from "node:assert/strict";
import { chmodSync, existsSync, globSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { openStores } from "../../src/app.ts";
import type { EntryInput } from "../../src/domain/entry.ts";
import type { Slug } from "../../src/domain/path.ts";
import { temporaryFolder } from "../harness.ts";
import { createDatabase, lacksPostgres } from "../postgres.ts";
import { answersOf, envOf, type Place, type Secrets, settingsOf } from "./answers.ts";
import { type Result, runOctavo, shell } from "./octavo.ts";
import { fillSite } from "./site.ts";

const folder = temporaryFolder();
/** Where every store of these tests serves from in its turn: addresses of files on the disk are in the answers. */
const data = join(folder, "data");
const first = join(folder, "first.tar");

const octavo = (words: string[], place: Place = { data }) => runOctavo(words, { cwd: folder, env: envOf(place) });

async function done(result: Promise<Result>): Promise<Record<string, never>> {
  const { code, out, err } = await result;
  assert.equal(code, 0, err);
  return JSON.parse(out);
}

async function refused(result: Promise<Result>, reason: RegExp): Promise<void> {
  const { code, out, err } = await result;
  assert.deepEqual({ code, out }, { code: 1, out: "" });
  assert.match(err, reason);
  assert.equal(err.trim().split("\n").length, 1, err);
}

const readEnd = async (file: string) => JSON.parse((await shell(`tar -xOf '${file}' end.json`)).out);

let secrets: Secrets;
let answers: Map<string, string>;

before(async () => {
  secrets = await fillSite({ data });
  answers = await answersOf({ data }, secrets);
  assert.ok(answers.size > 200, `${answers.size} answers`);
  const made = await done(octavo(["backup", first, "--json"]));
  assert.deepEqual(Object.keys(made), ["ok", "file", "bytes", "seconds", "rows", "blobs"]);
});

/** Restores the backup to a new store, which must answer as the first one did, and be backed up as the same. */
async function moveTo(place: Place, file: string, next: string): Promise<void> {
  if (existsSync(data)) renameSync(data, join(folder, `data-before-${next}`));
  const restored = await done(octavo(["restore", join(folder, file), "--json"], place));
  assert.equal(restored.ok, true);
  await done(octavo(["backup", join(folder, next), "--json"], place));
  assert.deepEqual(await readEnd(join(folder, next)), await readEnd(first));
  const found = await answersOf(place, secrets);
  assert.deepEqual([...found.keys()], [...answers.keys()]);
  for (const [address, answer] of answers) assert.equal(found.get(address), answer, address);
}

/** Writes go on where the backup ended: no number is given twice. */
async function writeOn(place: Place, newest: number): Promise<void> {
  const stores = await openStores(settingsOf(place));
  const context = { actor: "test", nowSeconds: 1_900_000_000 };
  const input = { data: '{"n":1}', isMergePatch: false, fields: {} } as EntryInput;
  const entry = await stores.entries.create("after" as Slug, input, context);
  assert.equal(entry.revision, newest + 1);
  const made = await stores.folders.create("after" as Slug, context);
  assert.equal(made.revision, newest + 2);
  await stores.files.copy("large/large.txt" as Slug, "after/copy.txt" as Slug, ["txt"], undefined, context);
  assert.deepEqual(await stores.verify(), []);
  await stores.close();
}

test("SQLite to SQLite: every answer is the same, ETags too, and writes go on", async () => {
  await moveTo({ data }, "first.tar", "second.tar");
  await writeOn({ data }, (await readEnd(first)).counts.event);
});

test("SQLite to PostgreSQL and back: every answer is the same", { skip: lacksPostgres() }, async () => {
  const place = { data, postgresUrl: await createDatabase() };
  await moveTo(place, "first.tar", "third.tar");
  await writeOn(place, (await readEnd(first)).counts.event);
  await moveTo({ data }, "third.tar", "fourth.tar");
  await refused(octavo(["restore", first], place), /the store is not empty/);
});
