import assert from "node:assert/strict";
import { test } from "node:test";
import { useWorld } from "../../test/harness.ts";

/** /api/webhooks: what is told of them, and that what is refused is so in each call. */

const world = useWorld();

const headers = () => ({ Authorization: `Bearer ${world.token.management}`, "X-Access-Token": world.token.access });
const call = (method: string, path: string, body?: object) =>
  world.send(method, `/api/webhooks${path}`, { headers: headers(), ...(body && { body }) });
type Data = Record<string, unknown> & { id: string };
const make = async (more: object = {}): Promise<Data> =>
  (await call("POST", "", { url: "https://example.org/hook", state: "off", ...more })).json.data as Data;

test("a webhook is made with a secret that is answered once, changed, rotated and deleted", async () => {
  const made = await call("POST", "", { url: "HTTPS://Example.ORG:443/a b".replace(" b", "?b=1"), state: "off" });
  assert.equal(made.status, 200);
  assert.equal(made.headers.get("cache-control"), "no-store");
  const { secret, ...webhook } = made.json.data as Data;
  assert.match(String(secret), /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.equal(webhook.url, "https://example.org/a?b=1");
  assert.deepEqual([webhook.kinds, webhook.paths, webhook.label], [null, null, ""]);
  assert.deepEqual((await call("GET", `?id=${webhook.id}`)).json.data, webhook);
  assert.deepEqual((await call("GET", "")).json.data, [webhook]);
  const changed = await call("PATCH", "", { id: webhook.id, kinds: ["entry.*"], paths: ["blog"], label: "Site" });
  assert.deepEqual(changed.json.data, { ...webhook, kinds: ["entry.*"], paths: ["blog"], label: "Site" });
  const rotated = (await call("POST", "/rotate", { id: webhook.id })).json.data as Data;
  assert.match(String(rotated.secret), /^whsec_/);
  assert.notEqual(rotated.secret, secret);
  assert.ok(Number(rotated.old_secret_until) > Date.now() / 1000 + 86_000);
  assert.deepEqual((await call("GET", `/deliveries?id=${webhook.id}`)).json.data, []);
  // Neither secret is told, or in the log.
  const told = (await call("GET", "")).text + (await world.send("GET", "/api/events", { headers: headers() })).text;
  assert.doesNotMatch(told, /whsec_|"secret"/);
  assert.equal((await call("DELETE", "", { id: webhook.id })).status, 204);
  assert.equal((await call("DELETE", "", { id: webhook.id })).json.code, "webhook_not_found");
});

// Which addresses and choices are refused: address.test.ts, webhook.test.ts.
const refusals: [more: object, code: string][] = [
  [{ url: "http://example.org/" }, "webhook_address_refused"],
  [{ url: "https://a:b@example.org/" }, "argument_invalid"],
  [{ kinds: [] }, "argument_invalid"],
  [{ kinds: [1] }, "argument_invalid"],
  [{ paths: ["a/../b"] }, "path_invalid"],
  [{ label: "a\nb" }, "argument_invalid"],
  [{ state: "failed" }, "argument_invalid"],
  [{ secret: "whsec_a" }, "argument_unknown"],
];
test("what a webhook may not be is refused when it is made and when it is changed", async () => {
  const { id } = await make();
  for (const [more, code] of refusals) {
    const made = await call("POST", "", { url: "https://example.org/hook", ...more });
    assert.equal(made.json.code, code, JSON.stringify(more));
    assert.equal((await call("PATCH", "", { id, ...more })).json.code, code, JSON.stringify(more));
  }
});
