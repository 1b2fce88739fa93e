import { createHmac } from "node:crypto";
import { type CommittedEvent, type Event, type EventStore, eventFields, kindFacts } from "../core/event.ts";
import { changedGroups } from "../core/list/cache-group.ts";
import { isSent, type Webhook } from "./webhook.ts";

/** What a webhook is sent. Contract, part three, §12, Webhooks. */

/** The events of one commit that a webhook is sent, or a part of them. */
export type Delivery = {
  /** The sequences of the first and the last of them. */
  from: number;
  to: number;
  events: readonly Event[];
};

/** A commit of more events is sent in several deliveries, unless it is that of a release. */
export const maxDeliveryEvents = 100;
const pageEvents = 500;

type Log = Pick<EventStore, "listCommitted">;
type Filter = Pick<Webhook, "kinds" | "paths">;

/**
 * The next delivery after an event; otherwise how far there is none. The same from the same event on, whatever was written
 * meanwhile: so a retry, also by another node, has the same id and the same text. May end early once `isStopped`.
 */
export async function nextDelivery(
  log: Log,
  filter: Filter,
  after: number,
  isStopped: () => boolean = () => false,
): Promise<{ delivery: Delivery | undefined; reached: number }> {
  const found: CommittedEvent[] = [];
  let reached = after;
  let isWhole: boolean | undefined;
  for (;;) {
    const page = await log.listCommitted(reached, pageEvents);
    for (const event of page) {
      const isOther = found[0] !== undefined && event.first !== found[0].first;
      if (!isOther && found.length === maxDeliveryEvents) isWhole ??= await isRelease(log, event.first);
      if (isOther || isWhole === false) return { delivery: deliveryOf(found), reached };
      if (isSent(filter, event)) found.push(event);
      reached = event.sequence;
    }
    if (page.length < pageEvents || (isStopped() && found.length === 0))
      return { delivery: found.length > 0 ? deliveryOf(found) : undefined, reached };
  }
}

/** True for the commit that begins with this event of a release. A webhook may not be sent that event itself. */
async function isRelease(log: Log, first: number): Promise<boolean> {
  const [event] = await log.listCommitted(first - 1, 1);
  return event?.sequence === first && kindFacts(event.kind)?.noun === "release";
}

/**
 * The delivery that begins with an event; undefined when the webhook is not sent that, when it is in the middle of one, which
 * would get an id of its own, or when it is no longer kept.
 */
export async function deliveryFrom(log: Log, filter: Filter, sequence: number): Promise<Delivery | undefined> {
  const [event] = await log.listCommitted(sequence - 1, 1);
  let after = event?.sequence === sequence ? event.first - 1 : sequence;
  while (after < sequence) {
    const { delivery } = await nextDelivery(log, filter, after);
    if (!delivery || delivery.from === sequence) return delivery;
    after = delivery.to;
  }
  return undefined;
}

function deliveryOf(found: readonly CommittedEvent[]): Delivery {
  const events = found.map(({ first: _, ...event }) => event);
  return { from: events[0]?.sequence ?? 0, to: events.at(-1)?.sequence ?? 0, events };
}

/** The cache groups whose replies the events of a delivery change, each once. */
async function groupsIn(log: Pick<EventStore, "listThings">, { from, to, events }: Delivery): Promise<string[]> {
  const things = Map.groupBy(await log.listThings(from, to), ({ sequence }) => sequence);
  return [...new Set(events.flatMap((event) => changedGroups(event, things.get(event.sequence) ?? [])))];
}

/** A message as Standard Webhooks 1.0 sends it: its id is the same on each attempt. `trace` is that of the write. */
export type Message = { id: string; body: string; trace?: string | undefined };

const isoOf = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** An event as receivers get it: the addresses of clients stay here. */
const sentFields = ({ address: _, ...event }: Event) => eventFields(event);

/** The message of a delivery, the same on each attempt. */
export async function messageOf(
  log: Pick<EventStore, "listThings">,
  webhook: Pick<Webhook, "id" | "hasGap">,
  delivery: Delivery,
): Promise<Message> {
  const { from, to, events } = delivery;
  const groups = await groupsIn(log, delivery);
  const data = { from, to, events: events.map(sentFields), groups, ...(webhook.hasGap && { gap: true }) };
  const timestamp = isoOf(events[0]?.atSeconds ?? 0);
  const body = JSON.stringify({ type: "octavo.changes", timestamp, data });
  return { id: `${webhook.id}_${from}`, body, trace: events[0]?.trace };
}

/** A message without events, which tests an address. */
export function testMessage(webhook: Pick<Webhook, "id" | "sequence">, unique: string, nowSeconds: number): Message {
  const { sequence } = webhook;
  const data = { from: sequence, to: sequence, events: [], groups: [] };
  const timestamp = isoOf(nowSeconds);
  return { id: `${webhook.id}_test-${unique}`, body: JSON.stringify({ type: "octavo.test", timestamp, data }) };
}

/** The headers that its receiver verifies, signed with each of the secrets. Standard Webhooks 1.0. */
export function signatureHeaders(
  { id, body }: Message,
  secrets: readonly string[],
  nowSeconds: number,
): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(secret.indexOf("_") + 1), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${nowSeconds}.${body}`).digest("base64")}`;
  });
  return { "webhook-id": id, "webhook-timestamp": String(nowSeconds), "webhook-signature": signatures.join(" ") };
}
