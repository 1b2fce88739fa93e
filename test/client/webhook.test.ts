import assert from "node:assert/strict";
import { test } from "node:test";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { verifyWebhook, WebhookInvalid } from "../../client/src/verify.ts";
import { startReceiver } from "../hook-receiver.ts";
import { refusal, useClients } from "./service.ts";

/** Webhooks: their methods, and the verification of what they receive. */

const clients = useClients({ "webhook-private": "on" });

test("a webhook is made, tested, changed, rotated, sent again and deleted", async () => {
  const { webhooks, entries } = clients.manager;
  const receiver = await startReceiver();
  const { secret, ...webhook } = await webhooks.create({ url: receiver.url, kinds: ["entry.*"], label: undefined });
  assert.deepEqual(await webhooks.fetch(webhook.id), webhook);
  assert.deepEqual(await webhooks.list(), [webhook]);
  assert.equal((await webhooks.test(webhook.id)).status, 204);
  await entries.create("hooked", { title: "A" });
  await receiver.has(2);
  const [{ headers, body }] = receiver.received.slice(1) as [(typeof receiver.received)[0]];
  const payload = await verifyWebhook(headers, body, secret);
  assert.deepEqual([payload.type, payload.data.events[0]?.subject], ["octavo.changes", "hooked"]);
  const { sequence } = await webhooks.resend(webhook.id, payload.data.from);
  assert.equal(sequence, payload.data.from);
  await refusal(webhooks.resend(webhook.id, 1_000_000), "webhook_delivery_not_found");
  assert.equal((await webhooks.deliveries(webhook.id)).at(-1)?.sequence, null);
  assert.notEqual((await webhooks.rotate(webhook.id)).secret, secret);
  assert.equal((await webhooks.update(webhook.id, { state: "off", kinds: undefined })).state, "off");
  await refusal(webhooks.create({ url: "https://10.0.0.1.:0x/" }), "argument_invalid");
  await refusal(webhooks.create({ url: "https://169.254.169.254/" }), "webhook_address_refused");
  assert.equal(await webhooks.delete(webhook.id), undefined);
  await refusal(webhooks.delete(webhook.id), "webhook_not_found");
  await refusal(clients.visitor.webhooks.list(), "scope_missing");
});

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
