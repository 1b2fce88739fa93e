import { oneOf, time } from "../core/http/schema.ts";
import { Type } from "../core/lib/json-schema.ts";
import { webhookStates } from "./webhook.ts";

/** Webhooks on the wire. */

const orNull = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description });

const webhookMembers = {
  id: Type.String({ description: "Identifies the webhook in requests." }),
  url: Type.String({ description: "Where events are sent.", examples: ["https://example.org/hooks/octavo"] }),
  label: Type.String({ description: "What people call it." }),
  kinds: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description: "The kinds of events that it is sent, `entry.*` for all of a noun; null for all.",
  }),
  paths: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description: "Only events of entries and files at and below these paths; null for everywhere.",
  }),
  state: oneOf(
    webhookStates,
    "`failed`: it did not acknowledge for seven days, or answered 410. It stays so until it is switched on.",
  ),
  sequence: Type.Integer({ description: "The last event that it acknowledged, or that it is not sent." }),
  failing_since: orNull("Since when the delivery that is next fails, in Unix seconds; null while none does."),
  next_at: orNull("When that is tried again, in Unix seconds; null while none fails."),
  old_secret_until: orNull(
    "Until when the secret before the last rotation signs, too, in Unix seconds; null if it was never rotated.",
  ),
  created_at: time("When it was made."),
};

export const webhookObject = Type.Object(webhookMembers, {
  $id: "Webhook",
  description: "An address that is sent the events of writes.",
});

export const webhookOrList = Type.Unsafe({
  $id: "Webhooks",
  description: "With `id` that webhook, otherwise a list of all, oldest first.",
  anyOf: [webhookObject, Type.Array(webhookObject)],
});

export const webhookWithSecret = Type.Object(
  {
    ...webhookMembers,
    secret: Type.String({ description: "Verifies deliveries; `whsec_` and base64. It is not shown again." }),
  },
  { $id: "WebhookWithSecret", description: "A webhook with its secret." },
);

export const attemptObject = Type.Object(
  {
    sequence: orNull("The first event of the delivery; null for a test."),
    attempt: Type.Integer({ description: "1 for the first." }),
    at: time("When it was sent."),
    status: orNull("Of the reply; null when there was none."),
    duration_ms: Type.Integer({ description: "How long the reply took, in milliseconds." }),
    error: Type.Union([Type.String(), Type.Null()], {
      description:
        "Why there was no reply: `timeout`, `webhook_address_refused`, `secret_unreadable` or the name of a failure of the network, as `ECONNREFUSED`; null when there was one.",
    }),
    next_at: orNull("When it is tried again, in Unix seconds; null for never."),
  },
  { $id: "WebhookAttempt", description: "One attempt to deliver." },
);
