import assert from "node:assert/strict";
import { join } from "node:path";
import { before, test } from "node:test";
import { verifyWebhook } from "../../client/src/verify.ts";
import { makeStore, runOctavo } from "../../test/cli/octavo.ts";
import { temporaryFolder } from "../../test/harness.ts";
import { startReceiver } from "../../test/hook-receiver.ts";

/** Webhooks by command. */

const folder = temporaryFolder();
const data = ["--data", join(folder, "data"), "--webhook-private", "on"];
before(() => makeStore(join(folder, "data")));

const octavo = (...words: string[]) => runOctavo(["webhook", ...words, ...data], { cwd: folder });
const json = async (...words: string[]) => {
  const { code, out, err } = await octavo(...words, "--json");
  assert.equal(code, 0, err);
  return JSON.parse(out);
};

test("webhooks are made, listed, tested, rotated, switched and deleted; the secret is printed once", async () => {
  assert.match((await octavo("list")).out, /no webhooks/);
  const receiver = await startReceiver();
  const { secret, ...made } = await json(
    "create",
    receiver.url,
    "--kinds",
    "entry.*",
    "--paths",
    "blog",
    "--label",
    "Site",
  );
  assert.match(secret, /^whsec_/);
  assert.deepEqual([made.kinds, made.paths, made.label, made.state], [["entry.*"], ["blog"], "Site", "on"]);
  assert.match((await octavo("create", "https://8.8.8.8/x")).out, /^whsec_[\w+/]{43}=$/m);
  const listed = await octavo("list");
  assert.match(listed.out, new RegExp(`${made.id} +on +${receiver.url} +Site +entry\\.\\* +blog`));
  assert.doesNotMatch(listed.out, /whsec_/);
  assert.deepEqual([(await json("test", made.id)).status, receiver.received.length], [204, 1]);
  const [{ headers, body }] = receiver.received as [(typeof receiver.received)[0]];
  assert.equal((await verifyWebhook(headers, body, secret)).type, "octavo.test");
  assert.match((await octavo("deliveries", made.id)).out, /test +1 .* 204 /);
  assert.notEqual((await json("rotate", made.id)).secret, secret);
  assert.equal((await json("off", made.id)).state, "off");
  assert.equal((await json("on", made.id)).state, "on");
  for (const [words, code, says] of [
    [["create", "http://10.0.0.1/"], 1, /private networks/],
    [["create", "example.org"], 1, /https address/],
    [["create", "https://8.8.8.8/", "--kinds", "entry"], 2, /--kinds was "entry"/],
    [["create", "https://8.8.8.8/", "--paths", "a/../b"], 2, /--paths/],
    [["resend", made.id, "x"], 2, /SEQUENCE was "x"/],
    [["resend", made.id, "999"], 1, /no delivery/],
    [["test", "unknown"], 1, /no webhook/],
  ] as const) {
    const reply = await octavo(...words);
    assert.equal(reply.code, code, reply.err);
    assert.match(reply.err, says);
  }
  assert.deepEqual(await json("delete", made.id), { deleted: made.id });
  assert.equal((await json("list")).webhooks.length, 1);
});
