import { addProblems } from "../core/problem.ts";
import { type Named, named, quote, row } from "../core/problem-row.ts";

/** The failures of webhooks. */

export const webhookProblems = addProblems({
  webhook_not_found: row("not_found", "Webhook not found", named("webhook")),
  webhook_delivery_not_found: row(
    "not_found",
    "Webhook delivery not found",
    (p: { sequence: number }) =>
      `"sequence" was ${p.sequence}; the webhook is sent no delivery that begins with this event, or the event is no longer kept`,
  ),
  too_many_webhooks: row(
    "conflict",
    "Too many webhooks",
    (p: { limit: number }) => `There are ${p.limit} webhooks already, the most that a store may have`,
  ),
  webhook_address_refused: row(
    "invalid",
    "Webhook address refused",
    (p: Named & { received: string }) =>
      `"${p.argument}" was ${quote(p.received)}; expected an https address outside of private networks`,
  ),
});

declare module "../core/problem.ts" {
  interface Problems extends RowsOf<typeof webhookProblems> {}
}

export { problem } from "../core/problem.ts";
