import { type Descriptions, type Given, sampleWebhookId, type Tag } from "../../api-docs/example.ts";

/** Webhooks in the reference; the examples are on the sample site of `octavo serve --demo`. */

const input = { url: "https://hooks.example.org/octavo", label: "Rebuild the site", kinds: ["entry.*"] };
const made: Given[] = [{ method: "POST", url: "/api/webhooks", arguments: { ...input, state: "off" } }];
/** Nobody is there, wherever the examples run. */
const local: Given[] = [
  { method: "POST", url: "/api/webhooks", arguments: { url: "https://octavo.invalid/", state: "off" } },
];
const unknown = { arguments: { id: "00000000-0000-4000-8000-000000000000" } };
const inside = { arguments: { url: "https://127.0.0.1/hook" } };
const outside = { arguments: { paths: ["movies/../secret"] } };

export const tags: readonly Tag[] = [
  {
    name: "Webhooks",
    group: "Operation",
    holds: /^\/api\/webhooks/,
    description: "Addresses that are sent the events of writes, signed, in order and at least once.",
  },
];

export const operations: Descriptions = {
  "GET /api/webhooks": {
    description:
      "A webhook is sent every event that fits its `kinds` and `paths`, in the order of the log and at least once. It keeps one " +
      "number, `sequence`: a restart, a second node and a webhook that is switched on again go on behind it.",
    examples: [
      { summary: "All webhooks", given: made },
      { summary: "One webhook", arguments: { id: sampleWebhookId }, given: made },
    ],
    refused: { webhook_not_found: unknown },
  },
  "POST /api/webhooks": {
    description:
      "It is sent what is written from now on. Its secret verifies the signatures of deliveries (Standard Webhooks 1.0) and is " +
      "answered this once. The address is https, and neither it nor an address that its name resolves to is in a private network, " +
      "unless the setting `webhook_private` is on; that is checked here and again at each delivery. Redirects are not followed.",
    examples: [{ summary: "A webhook for all changes of entries", arguments: input }],
    refused: { webhook_address_refused: inside, path_invalid: outside },
  },
  "PATCH /api/webhooks": {
    description:
      "Absent members stay. Switched on, it goes on where it stopped: the events since then follow, and if some of them are no " +
      "longer kept (`events_keep_days`), the next delivery says so with `gap`.",
    examples: [
      { summary: "Switch it off", arguments: { id: sampleWebhookId, state: "off" }, given: made },
      { summary: "Send all kinds", arguments: { id: sampleWebhookId, kinds: null }, given: made },
    ],
    refused: { webhook_not_found: unknown, webhook_address_refused: inside, path_invalid: outside },
  },
  "DELETE /api/webhooks": {
    description: "Its attempts are deleted with it. A delivery that is under way still arrives.",
    examples: [{ summary: "Delete a webhook", arguments: { id: sampleWebhookId }, given: made }],
    refused: { webhook_not_found: unknown },
  },
  "POST /api/webhooks/rotate": {
    description:
      "For 24 hours deliveries are signed with both secrets, so the receiver may change its own at any time in them.",
    examples: [{ summary: "A new secret", arguments: { id: sampleWebhookId }, given: made }],
    refused: { webhook_not_found: unknown },
  },
  "POST /api/webhooks/test": {
    description:
      'Sends `{type: "octavo.test"}` with an empty list of events, signed as all others, whatever the state. A failed test changes ' +
      "nothing of the webhook. Answers the attempt, which is kept with `sequence: null`.",
    examples: [{ summary: "Test a webhook", arguments: { id: sampleWebhookId }, given: local }],
    refused: { webhook_not_found: unknown },
  },
  "POST /api/webhooks/resend": {
    description:
      "Under the same `webhook-id` as before. If it is the delivery that is next and its address acknowledges it, the webhook goes on " +
      "behind it; otherwise its place stays. Answers the attempt.",
    examples: [{ summary: "Send a delivery again", arguments: { id: sampleWebhookId, sequence: 1 }, given: local }],
    refused: {
      webhook_not_found: unknown,
      webhook_delivery_not_found: { arguments: { sequence: 1_000_000 } },
    },
  },
  "GET /api/webhooks/deliveries": {
    description:
      "The last hundred attempts. A delivery that is not acknowledged with 2xx within 15 seconds is tried again after 5 s, 30 s, " +
      "2 min, 10 min, 1 h and then every hour; what follows waits for it.",
    examples: [{ summary: "Attempts of a new webhook", arguments: { id: sampleWebhookId }, given: made }],
    refused: { webhook_not_found: unknown },
  },
};
