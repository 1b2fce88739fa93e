import { randomUUID } from "node:crypto";
import { readTexts } from "../access/token-routes.ts";
import { maxTokenTextLength } from "../core/access/token.ts";
import { manages, writes } from "../core/http/auth.ts";
import { type Answer, data, noContent, tagged } from "../core/http/reply.ts";
import { argument, type Route, route, writerOf } from "../core/http/route.ts";
import { oneOf } from "../core/http/schema.ts";
import { Type } from "../core/lib/json-schema.ts";
import type { Seal } from "../people/seal.ts";
import type { WebhookSender } from "./sender.ts";
import {
  type Attempt,
  acceptedKinds,
  attemptFields,
  newWebhook,
  newWebhookSecret,
  parseWebhookChange,
  switchStates,
  type Webhook,
  type WebhookInput,
  type WebhookStore,
  webhookFields,
} from "./webhook.ts";
import { attemptObject, webhookObject, webhookOrList, webhookWithSecret } from "./wire.ts";

export type WebhookOptions = {
  seal: Seal;
  sender: Pick<WebhookSender, "test" | "resend">;
  /** The address in its stored form. Throws argument_invalid, webhook_address_refused. */
  checkUrl(url: string): Promise<string>;
  /** Called when a webhook was made or changed: it is to be sent something at once. */
  wake(): void;
};

const id = Type.String({ description: "The webhook's id." });
const url = Type.String({ description: "An https address. Its host must not be in a private network." });
const texts = (description: string, accepted: string) =>
  argument(Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()], { description })), readTexts(accepted));
const shared = {
  label: Type.Optional(
    Type.String({
      maxLength: maxTokenTextLength,
      description: `What people call it: at most ${maxTokenTextLength} characters on one line.`,
    }),
  ),
  kinds: texts(`The kinds of events that it is sent: ${acceptedKinds}.`, acceptedKinds),
  paths: texts(
    "Paths of entries and uploads: only events at and below them are sent. A list of 1 to 16, or null for everywhere.",
    "a list of 1 to 16 paths, or null for everywhere",
  ),
  state: Type.Optional(oneOf(switchStates, "Whether events are sent.")),
};

/** /api/webhooks: for owners and management tokens with `admin`. Contract, part three, §12, Webhooks. */
export function webhookRoutes(store: WebhookStore, { seal, sender, checkUrl, wake }: WebhookOptions): Route[] {
  const at = "/api/webhooks";
  return [
    route({
      method: "GET",
      url: at,
      summary: "List the webhooks, or read one",
      need: manages("admin"),
      arguments: { id: Type.Optional(id) },
      reply: webhookOrList,
      problems: ["webhook_not_found"],
      handle: async (_call, { id }) => {
        if (id !== undefined) return tagged(JSON.stringify(webhookFields(await store.get(id))));
        return tagged(JSON.stringify((await store.list()).map(webhookFields)));
      },
    }),
    route({
      method: "POST",
      url: at,
      summary: "Create a webhook; its secret is answered once",
      need: writes("admin"),
      replyForm: { isSecret: true },
      arguments: { url, ...shared },
      reply: webhookWithSecret,
      problems: ["webhook_address_refused", "too_many_webhooks", "path_invalid"],
      handle: async (call, args) => {
        const input = { ...args, url: await checkUrl(args.url) };
        const { webhook, secret } = newWebhook(input, { id: randomUUID(), nowSeconds: call.nowSeconds, seal });
        const created = await store.create(webhook, writerOf(call));
        wake();
        return withSecret(created, secret);
      },
    }),
    route({
      method: "PATCH",
      url: at,
      summary: "Change a webhook, or switch it on or off",
      need: writes("admin"),
      arguments: { id, url: Type.Optional(url), ...shared },
      reply: webhookObject,
      problems: ["webhook_not_found", "webhook_address_refused", "path_invalid"],
      handle: async (call, { id, ...args }) => {
        const sent: Partial<WebhookInput> = args;
        const url = args.url === undefined ? {} : { url: await checkUrl(args.url) };
        const webhook = await store.update(id, parseWebhookChange({ ...sent, ...url }), writerOf(call));
        wake();
        return data(JSON.stringify(webhookFields(webhook)));
      },
    }),
    route({
      method: "DELETE",
      url: at,
      summary: "Delete a webhook",
      need: writes("admin"),
      arguments: { id },
      problems: ["webhook_not_found"],
      handle: async (call, { id }) => {
        await store.delete(id, writerOf(call));
        return noContent;
      },
    }),
    route({
      method: "POST",
      url: `${at}/rotate`,
      summary: "Give a webhook a new secret; the old one signs for a day, too",
      need: writes("admin"),
      replyForm: { isSecret: true },
      arguments: { id },
      reply: webhookWithSecret,
      problems: ["webhook_not_found"],
      handle: async (call, { id }) => {
        const secret = newWebhookSecret();
        return withSecret(await store.rotate(id, { secret: seal.seal(secret) }, writerOf(call)), secret);
      },
    }),
    route({
      method: "POST",
      url: `${at}/test`,
      summary: "Send a message without events now, and answer what came of it",
      need: writes("admin"),
      arguments: { id },
      reply: attemptObject,
      problems: ["webhook_not_found"],
      handle: async (call, { id }) => attempted(await sender.test(id, writerOf(call))),
    }),
    route({
      method: "POST",
      url: `${at}/resend`,
      summary: "Send a delivery again now, and answer what came of it",
      need: writes("admin"),
      arguments: {
        id,
        sequence: Type.Integer({
          minimum: 1,
          description: "The first event of the delivery, as its attempts have it.",
        }),
      },
      reply: attemptObject,
      problems: ["webhook_not_found", "webhook_delivery_not_found"],
      handle: async (call, { id, sequence }) => attempted(await sender.resend(id, sequence, writerOf(call))),
    }),
    route({
      method: "GET",
      url: `${at}/deliveries`,
      summary: "Read the last attempts of a webhook, newest first",
      need: manages("admin"),
      arguments: { id },
      reply: Type.Array(attemptObject, { description: "At most a hundred." }),
      problems: ["webhook_not_found"],
      handle: async (_call, { id }) => tagged(JSON.stringify((await store.attempts(id)).map(attemptFields))),
    }),
  ];
}

const withSecret = (webhook: Webhook, secret: string): Answer =>
  data(JSON.stringify({ ...webhookFields(webhook), secret }), { cacheControl: "no-store" });

const attempted = (attempt: Attempt): Answer => data(JSON.stringify(attemptFields(attempt)));
