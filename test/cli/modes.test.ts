// Slow: it starts a service in each mode of its folders.
import assert from "node:assert/strict";
import { chmodSync, globSync, lstatSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { temporaryFolder } from "../harness.ts";
import { type Running, runOctavo, startOctavo } from "./octavo.ts";

const folder = temporaryFolder();
const octavo = (words: string[]) => runOctavo(words, { cwd: folder });

/** Child processes inherit the umask of the test. */
const umask = process.umask();
after(() => process.umask(umask));

const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);

/** The modes of everything below a data folder, by name without the parts that differ between runs. */
function modesIn(data: string): Record<string, string> {
  const found: Record<string, string> = { ".": modeOf(data) };
  for (const name of globSync("**/*", { cwd: data })) {
    if (lstatSync(join(data, name)).isSymbolicLink()) continue;
    found[name.replace(/[0-9a-f]{64}|[0-9a-f]{40}/, "HASH").replace(/\/[0-9a-f]{2}\//, "/")] = modeOf(join(data, name));
  }
  return found;
}

/** Checks that private files are private by their own mode or by their folder's. */
const expected: Record<string, string> = {
  ...{ ".": "711", "octavo.db": "600", "octavo.db-wal": "600", "octavo.db-shm": "600", "chores.lock": "600" },
  ...{ blobs: "700", tmp: "700", renditions: "700", "blobs/HASH": "444" },
  ...{ uploads: "755", "uploads/movies": "755", "uploads/movies/solaris.jpg": "444" },
};

async function drawOne(running: Running): Promise<void> {
  const token = /images\s+(oct_i_\S+)/.exec(running.lines.join("\n"))?.[1];
  const reply = await fetch(`${running.url}/api/images/movies/solaris.jpg?w=40&token=${token}`);
  assert.equal(reply.status, 200);
  await reply.arrayBuffer();
}

for (const [mask, workers] of [
  [0o000, "1"],
  [0o077, "1"],
  [0o000, "2"],
] as const) {
  const name = `umask ${mask.toString(8)}, ${workers} process${workers === "1" ? "" : "es"}`;
  test(`only the uploads are readable by others: ${name}`, async () => {
    process.umask(mask);
    const data = join(folder, name, "data");
    const running = await startOctavo(["--demo", "--workers", workers, "--data", data], { cwd: folder });
    await drawOne(running);
    const file = join(folder, `${name}.tar`);
    assert.equal((await octavo(["backup", file, "--data", data])).code, 0);
    const modes = modesIn(data);
    for (const [name, mode] of Object.entries(expected)) assert.equal(modes[name], mode, name);
    assert.equal(modeOf(file), "600");
    assert.equal(modeOf(join(folder, name)), "711", "a web server gets through the folder above, too");
    assert.deepEqual(running.errors, []);
    assert.equal(await running.stop("SIGTERM"), 0);
    // Others can reach and read the uploads only.
    const isOpen = ([name, mode]: [string, string]) => !name.includes("/") && (Number.parseInt(mode, 8) & 0o066) !== 0;
    assert.deepEqual(
      Object.entries(modes)
        .filter(isOpen)
        .map(([name]) => name),
      ["uploads"],
    );
    const restored = join(folder, name, "restored");
    assert.equal((await octavo(["restore", file, "--data", restored])).code, 0);
    assert.deepEqual([modeOf(restored), modeOf(join(restored, "octavo.db"))], ["711", "600"]);
  });
}

test("looser modes of an older version are tightened at the start and reported; stricter ones stay", async () => {
  process.umask(0o022);
  const data = join(folder, "older");
  mkdirSync(data);
  const first = await startOctavo(["--demo", "--data", data], { cwd: folder });
  assert.match(first.errors.join("\n"), /older had the mode 0755; it is 0711 now/);
  assert.equal(await first.stop("SIGTERM"), 0);
  assert.equal((await octavo(["backup", join(folder, "older.tar"), "--data", data])).code, 0);
  chmodSync(join(data, "octavo.db"), 0o644);
  chmodSync(join(data, "chores.lock"), 0o666);
  chmodSync(join(data, "blobs"), 0o755);
  chmodSync(data, 0o750);
  const second = await startOctavo(["--data", data], { cwd: folder });
  assert.equal(second.errors.length, 4);
  const log = second.errors.join("\n");
  for (const what of [
    "older had the mode 0750; it is 0710 now",
    "octavo.db had the mode 0644; it is 0600 now",
    "chores.lock had the mode 0666; it is 0600 now",
    "blobs had the mode 0755; it is 0700 now",
  ]) {
    assert.ok(log.includes(what), log);
  }
  const modes = ["", "octavo.db", "octavo.db-wal", "octavo.db-shm", "chores.lock", "blobs", "uploads"];
  assert.deepEqual(
    modes.map((name) => modeOf(join(data, name))),
    ["710", "600", "600", "600", "600", "700", "755"],
  );
  assert.equal(await second.stop("SIGTERM"), 0);
  chmodSync(data, 0o700);
  const third = await startOctavo(["--data", data, "--uploads-private", "on"], { cwd: folder });
  assert.deepEqual([modeOf(data), modeOf(join(data, "uploads"))], ["700", "700"]);
  assert.equal(third.errors.length, 1);
  assert.match(third.errors[0] as string, /uploads had the mode 0755; it is 0700 now/);
  assert.equal(await third.stop("SIGTERM"), 0);
  const fourth = await startOctavo(["--data", data], { cwd: folder });
  assert.deepEqual([modeOf(data), modeOf(join(data, "uploads"))], ["700", "755"]);
  assert.equal(await fourth.stop("SIGTERM"), 0);
});
