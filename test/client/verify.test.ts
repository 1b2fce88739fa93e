import assert from "node:assert/strict";
import { test } from "node:test";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { verifyWebhook, WebhookInvalid } from "../../client/src/verify.ts";

/** The verification of what a webhook receives. */

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const other = `whsec_${Buffer.alloc(32, 8).toString("base64")}`;
const text = JSON.stringify({ type: "octavo.test", timestamp: "", data: { from: 1, to: 1, events: [], groups: [] } });

function signed(more: { at?: number; by?: string; body?: string } = {}) {
  const { at = Date.now(), by = secret, body = text } = more;
  const date = new Date(at);
  return {
    "webhook-id": "w_1",
    "webhook-timestamp": String(Math.floor(date.getTime() / 1000)),
    "webhook-signature": new StandardWebhook(by).sign("w_1", date, body),
  };
}

test("what was signed with a secret of the webhook is verified, from headers of any kind", async () => {
  const payload = JSON.parse(text);
  assert.deepEqual(await verifyWebhook(signed(), text, secret), payload);
  assert.deepEqual(await verifyWebhook(new Headers(signed()), Buffer.from(text), secret), payload);
  assert.deepEqual(await verifyWebhook(signed({ by: other }), text, [secret, other]), payload);
  for (const rename of [
    (name: string) => name.toUpperCase(),
    (name: string) => name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()),
  ]) {
    const renamed = Object.entries(signed()).map(([name, value]) => [rename(name), value]);
    assert.deepEqual(await verifyWebhook(Object.fromEntries(renamed), text, secret), payload);
    const lists = Object.fromEntries(renamed.map(([name, value]) => [name, [value]]));
    assert.deepEqual(await verifyWebhook(lists, text, secret), payload);
  }
  const both = `${signed({ by: other })["webhook-signature"]} v2,AAAA ${signed()["webhook-signature"]}`;
  assert.deepEqual(await verifyWebhook({ ...signed(), "webhook-signature": both }, text, secret), payload);
  const old = signed({ at: Date.now() - 3_600_000 });
  assert.deepEqual(await verifyWebhook(old, text, secret, { toleranceSeconds: 4000 }), payload);
});

const wrong: [string, Record<string, string>, string?][] = [
  ["another secret", signed({ by: other })],
  ["another body", signed(), text.replace("test", "tesT")],
  ["an old signature", signed({ at: Date.now() - 301_000 })],
  ["a signature from the future", signed({ at: Date.now() + 310_000 })],
  ["another id", { ...signed(), "webhook-id": "w_2" }],
  ["another time", { ...signed(), "webhook-timestamp": String(Math.floor(Date.now() / 1000) + 1) }],
  ["a time that is no number", { ...signed(), "webhook-timestamp": "1e9" }],
  ["no signature", { ...signed(), "webhook-signature": "" }],
  ["a header twice", { ...signed(), "Webhook-Id": "w_1" }],
  ["a signature of another version", { ...signed(), "webhook-signature": "v2,AAAA" }],
  ["a signature that is no base64", { ...signed(), "webhook-signature": "v1,ä" }],
  ["a shorter signature", { ...signed(), "webhook-signature": signed()["webhook-signature"].slice(0, 20) }],
];
for (const [name, headers, body = text] of wrong) {
  test(`${name} is refused`, () => assert.rejects(verifyWebhook(headers, body, secret), WebhookInvalid));
}

test("another body is refused that decodes to the same text, and so is any age without a tolerance", async () => {
  const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)]);
  await assert.rejects(verifyWebhook(signed(), marked, secret), WebhookInvalid);
  const endless = { toleranceSeconds: Number.NaN };
  await assert.rejects(verifyWebhook(signed({ at: 1000 }), text, secret, endless), WebhookInvalid);
});

test("a program with a wrong secret learns that it is wrong", () =>
  assert.rejects(verifyWebhook(signed(), text, "my secret ä"), TypeError));
