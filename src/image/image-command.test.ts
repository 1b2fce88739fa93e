// Slow: draws images in processes of the command.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { type Running, runOctavo, startOctavo } from "../../test/cli/octavo.ts";
import { temporaryFolder } from "../../test/harness.ts";

const folder = temporaryFolder();
const data = join(folder, "data");
const octavo = (words: string[]) => runOctavo([...words, "--data", data], { cwd: folder });
const started = () => startOctavo(["--demo", "--data", data], { cwd: folder });
const fetched = async (running: Running, path: string) => (await fetch(running.url + path)).status;

test("a signed URL gives an image without a token, for its arguments until it expires", async () => {
  const running = await started();
  const { code, out } = await octavo([
    "sign",
    "movies/solaris.jpg",
    "--args",
    "w=90&fit=crop-50-50",
    "--expires",
    "1h",
  ]);
  assert.equal(code, 0);
  const url = out.trim();
  assert.match(url, /^\/api\/images\/movies\/solaris\.jpg\?w=90&fit=crop-50-50&expires=\d+&s=[0-9a-f]{64}$/);
  assert.equal(await fetched(running, url), 200);
  assert.equal(await fetched(running, url.replace("w=90", "w=91")), 403);
  assert.equal(await fetched(running, url.replace(/expires=\d+/, "expires=9999999999")), 403);
  const forFile = await octavo([
    "sign",
    "movies/solaris.jpg",
    "--file",
    "--public-url",
    "https://content.example.org",
    "--json",
  ]);
  assert.match(
    JSON.parse(forFile.out).url,
    /^https:\/\/content\.example\.org\/project\/uploads\/movies\/solaris\.jpg\?s=/,
  );
});

test("octavo sign refuses reserved arguments and invalid paths", async () => {
  for (const words of [
    ["sign", "a.jpg", "--args", "s=1"],
    ["sign", "a.jpg", "--args", "token=x"],
    ["sign", "a.jpg", "--file", "--args", "w=90"],
    ["sign", "a.jpg", "--args", "w=wide"],
    ["sign", "a.jpg", "--args", "widht=90"],
    ["sign", "a.jpg", "--expires", "yesterday"],
    ["sign"],
  ]) {
    assert.equal((await octavo(words)).code, 2, words.join(" "));
  }
  assert.equal((await octavo(["sign", "../a.jpg"])).code, 1);
});

test("octavo renditions clear deletes renditions beside a running service, which draws them again", async () => {
  const running = await started();
  const url = (await octavo(["sign", "movies/metropolis.jpg", "--args", "w=70"])).out.trim();
  assert.equal(await fetched(running, url), 200);
  const { code, out } = await octavo(["renditions", "clear", "--json"]);
  assert.equal(code, 0);
  assert.ok(JSON.parse(out).cleared >= 1, out);
  assert.equal(await fetched(running, url), 200);
  assert.equal(await running.stop("SIGTERM"), 0);
});
