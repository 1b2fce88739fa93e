import assert from "node:assert/strict";
import { chmodSync, existsSync, globSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { runOctavo, startOctavo } from "../../test/cli/octavo.ts";
import { temporaryFolder } from "../../test/harness.ts";

const folder = temporaryFolder();
const data = join(folder, "data");
const octavo = (words: string[]) => runOctavo(words, { cwd: folder });
const picture = join(data, "uploads", "movies", "solaris.jpg");

before(async () => {
  const running = await startOctavo(["--demo", "--data", data], { cwd: folder });
  assert.ok(existsSync(picture), "the tree has the sample site's pictures");
  assert.equal(await running.stop("SIGTERM"), 0);
});

test("octavo uploads rebuild repairs the tree and moves foreign files", async () => {
  const bytes = readFileSync(picture);
  rmSync(picture);
  writeFileSync(join(data, "uploads", "foreign.txt"), "x");
  const { code, out } = await octavo(["uploads", "rebuild", "--data", data]);
  assert.equal(code, 0);
  assert.match(out, /The uploads tree is in order: 2 folders\./);
  assert.deepEqual(readFileSync(picture), bytes);
  assert.ok(!existsSync(join(data, "uploads", "foreign.txt")));
  assert.match(out, /^1 file that Octavo did not create is in .*uploads\.unknown; octavo uploads adopt takes it in/m);
  const [foreign = ""] = globSync("*/foreign.txt", { cwd: join(data, "uploads.unknown") });
  assert.equal(readFileSync(join(data, "uploads.unknown", foreign), "utf8"), "x");
  const json = await octavo(["uploads", "rebuild", "--data", data, "--json"]);
  const unknown = { unknown_uploads: 1, unknown_uploads_folder: join(data, "uploads.unknown") };
  assert.deepEqual(JSON.parse(json.out), { ok: true, folders: 2, ...unknown });
  const verified = await octavo(["verify", "--data", data, "--json"]);
  assert.deepEqual([verified.code, JSON.parse(verified.out)], [0, { ok: true, faults: [], ...unknown }]);
  assert.equal((await octavo(["uploads", "adopt", "--data", data])).code, 0);
  const after = await octavo(["uploads", "rebuild", "--data", data, "--json"]);
  assert.deepEqual(JSON.parse(after.out), { ok: true, folders: 2 });
  assert.equal(readFileSync(join(data, "uploads", "foreign.txt"), "utf8"), "x");
});

test("octavo uploads alone lists its subcommands; a mistyped folder is not created", async () => {
  const alone = await octavo(["uploads"]);
  assert.equal(alone.code, 2);
  assert.match(alone.err, /uploads rebuild/);
  const mistyped = await octavo(["uploads", "rebuild", "--data", join(folder, "mistyped")]);
  assert.equal(mistyped.code, 1);
  assert.ok(!existsSync(join(folder, "mistyped")));
});

test("octavo verify names the file whose bytes are changed or missing, with exit code 1", async () => {
  assert.equal((await octavo(["verify", "--data", data])).code, 0);
  const blobs = globSync("blobs/*/*", { cwd: data }).map((name) => join(data, name));
  assert.equal(blobs.length, 3);
  const [first = "", second = ""] = blobs.sort((a, b) => statSync(b).size - statSync(a).size);
  chmodSync(first, 0o644);
  writeFileSync(first, "changed");
  rmSync(second);
  const { code, out } = await octavo(["verify", "--data", data]);
  assert.equal(code, 1);
  assert.match(out, /^The blob \w{64} of the file movies\/\w+\.jpg is changed$/m);
  assert.match(out, /^The blob \w{64} of the file movies\/\w+\.jpg is missing$/m);
});
