import assert from "node:assert/strict";
import { test } from "node:test";
import { useWorld } from "../harness.ts";

/** /api/webhooks: who may make them, what is refused, and what is told of them. */

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

test("webhooks are for tokens with admin", async () => {
  const editor = (await world.issue("management", ["entries"])).secret;
  for (const [method, path] of [
    ...[["GET", ""] as const, ["POST", ""] as const, ["PATCH", ""] as const, ["DELETE", ""] as const],
    ...[["POST", "/rotate"] as const, ["GET", "/deliveries?id=x"] as const],
  ]) {
    const body = method === "GET" ? {} : { body: { id: "x", url: "https://example.org/" } };
    const url = `/api/webhooks${path}`;
    const sent = { Authorization: `Bearer ${editor}`, "X-Access-Token": world.token.access };
    assert.equal((await world.send(method, url, { headers: sent, ...body })).json.code, "scope_missing");
    if (method === "GET") continue;
    const alone = { Authorization: `Bearer ${world.token.management}` };
    assert.equal((await world.send(method, url, { headers: alone, ...body })).json.code, "access_token_missing");
  }
});

const refusals: [string, object, string][] = [
  ["no address", { url: undefined }, "argument_missing"],
  ["another protocol", { url: "ftp://example.org/" }, "argument_invalid"],
  ["no host", { url: "https:///hook" }, "argument_invalid"],
  ["a user", { url: "https://a:b@example.org/" }, "argument_invalid"],
  ["a fragment", { url: "https://example.org/#a" }, "argument_invalid"],
  ["port 0", { url: "https://example.org:0/" }, "argument_invalid"],
  ["a backslash", { url: "https://example.org\\@127.0.0.1/" }, "argument_invalid"],
  ["a space", { url: " https://example.org/" }, "argument_invalid"],
  ["a zone", { url: "https://[fe80::1%25eth0]/" }, "argument_invalid"],
  ["a long address", { url: `https://example.org/${"a".repeat(2000)}` }, "argument_invalid"],
  ["an address that is long once it is encoded", { url: `https://example.org/${"ä".repeat(500)}` }, "argument_invalid"],
  ["no TLS", { url: "http://example.org/" }, "webhook_address_refused"],
  ["no kinds", { kinds: [] }, "argument_invalid"],
  ["an unknown kind", { kinds: ["entry.explode"] }, "argument_invalid"],
  ["an unknown noun", { kinds: ["page.*"] }, "argument_invalid"],
  ["any kind by a star", { kinds: ["*"] }, "argument_invalid"],
  ["a number as kind", { kinds: [1] }, "argument_invalid"],
  ["no paths", { paths: [] }, "argument_invalid"],
  ["a path upwards", { paths: ["a/../b"] }, "path_invalid"],
  ["a label of two lines", { label: "a\nb" }, "argument_invalid"],
  ["failed", { state: "failed" }, "argument_invalid"],
  ["an unknown argument", { secret: "whsec_a" }, "argument_unknown"],
];
for (const [name, more, code] of refusals) {
  test(`a webhook with ${name} is refused: ${code}`, async () => {
    const { json } = await call("POST", "", { url: "https://example.org/hook", ...more });
    assert.equal(json.code, code, JSON.stringify(json));
    if (code === "argument_missing") return;
    const { id } = await make();
    assert.equal((await call("PATCH", "", { id, ...more })).json.code, code);
    await call("DELETE", "", { id });
  });
}

const inside = [
  ...["127.0.0.1", "127.1", "2130706433", "0x7f.1", "0177.0.0.1", "0x7f000001", "127.0.0.1.", "127.255.255.254"],
  ...["0.0.0.0", "0", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1"],
  ...["100.127.255.255", "192.0.0.8", "192.0.2.1", "198.18.0.1", "198.51.100.7", "203.0.113.9", "224.0.0.1"],
  ...["240.0.0.1", "255.255.255.255", "localhost", "LOCALHOST", "localhost.", "a.localhost", "localhost.localdomain"],
  ...["[::]", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:8.8.8.8]", "[::127.0.0.1]", "[::8.8.8.8]", "[fe80::1]"],
  ...["[fc00::1]", "[fd12:3456::1]", "[fec0::1]", "[ff02::1]", "[64:ff9b::8.8.8.8]", "[64:ff9b:1::1]"],
  ...["[2002:7f00:1::]", "[2001::1]", "[2001:db8::1]", "[3fff::1]", "[100::1]", "[5f00::1]", "[4000::1]"],
  ...["①②⑦.0.0.1", "127。0。0。1", "１２７.0.0.1"],
];
test("addresses of this machine and of private networks are refused, however they are written", async () => {
  for (const host of inside) {
    for (const url of [`https://${host}/`, `https://${host}:8443/hook`]) {
      const { status, json } = await call("POST", "", { url });
      assert.deepEqual([status, json.code], [400, "webhook_address_refused"], url);
    }
  }
  for (const host of ["8.8.8.8", "[2606:4700::1111]", "0x08080808"]) {
    const { id } = await make({ url: `https://${host}/` });
    assert.ok(id, host);
    await call("DELETE", "", { id });
  }
});
