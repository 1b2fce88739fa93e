import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runOctavo } from "../../test/cli/octavo.ts";
import { startWorld } from "../../test/harness.ts";
import { smallDisk } from "../../test/small-disk.ts";

/** /health/ready on a full or read-only disk: real file systems, which root must mount. */

const full = smallDisk(24);
const fullAtStart = smallDisk(24);
const readOnly = smallDisk(24);

/** Requests until the reply has this status, since it is cached for a second. Answers a problem's detail. */
async function untilReady(url: string, status: number): Promise<string> {
  const deadline = performance.now() + 15_000;
  for (;;) {
    const reply = await fetch(`${url}/health/ready`);
    const { detail = "" } = (await reply.json()) as { detail?: string };
    if (reply.status === status) return detail;
    assert.ok(performance.now() < deadline, `it stays ${reply.status}: ${detail}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test("a full disk is not ready, with the reason; with free space it is ready again", { skip: full.skip }, async () => {
  const world = await startWorld({ data: full.folder }, {});
  try {
    await untilReady(world.app.url, 200);
    const filler = join(full.folder, "filler");
    assert.throws(() => writeFileSync(filler, Buffer.alloc(32 * 1024 * 1024)), { code: "ENOSPC" });
    assert.match(await untilReady(world.app.url, 503), /the disk of the data folder is full/);
    assert.equal((await fetch(`${world.app.url}/health/live`)).status, 200);
    const query = { id: "none", token: world.token.management };
    assert.equal((await world.send("GET", "/api/entries", { query })).status, 404, "reads go on");
    rmSync(filler);
    await untilReady(world.app.url, 200);
  } finally {
    await world.app.close();
  }
});

test("a read-only disk is not ready, with the reason", { skip: readOnly.skip }, async () => {
  const world = await startWorld({ data: readOnly.folder }, {});
  // The whole file system cannot be remounted while the database is open.
  const staging = join(readOnly.folder, "tmp");
  mkdirSync(staging, { recursive: true });
  execFileSync("mount", ["-t", "tmpfs", "-o", "ro", "none", staging]);
  try {
    assert.match(await untilReady(world.app.url, 503), /the disk of the data folder is read-only/);
  } finally {
    execFileSync("umount", ["-l", staging]);
    await world.app.close();
  }
});

const skip = fullAtStart.skip;
test("a start on a full disk ends with the reason, however little is free and whatever SQLite left", {
  skip,
}, async () => {
  const { folder } = fullAtStart;
  const filler = join(folder, "filler");
  const fill = (freeKib: number) => {
    rmSync(filler, { force: true });
    assert.throws(() => writeFileSync(filler, Buffer.alloc(32 * 1024 * 1024)), { code: "ENOSPC" });
    truncateSync(filler, statSync(filler).size - freeKib * 1024);
  };
  const ends = async () => {
    const { code, out, err } = await runOctavo(["serve", "--port", "0", "--data", join(folder, "data")], {
      cwd: folder,
    });
    assert.equal(code, 1, out);
    assert.match(
      err,
      /^octavo: the disk of the data folder is full; a start needs 1 MiB: free space, then start again$/m,
    );
  };
  // Before the first start, then with the files of a service that was stopped.
  mkdirSync(join(folder, "data"));
  for (const freeKib of [0, 40, 900]) {
    fill(freeKib);
    await ends();
  }
  rmSync(filler);
  await (await startWorld({ data: join(folder, "data") }, {})).app.close();
  for (const freeKib of [0, 4, 40, 900]) {
    fill(freeKib);
    await ends();
  }
  rmSync(filler);
  const world = await startWorld({ data: join(folder, "data") }, {});
  await untilReady(world.app.url, 200);
  await world.app.close();
});
