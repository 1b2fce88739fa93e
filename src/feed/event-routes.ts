import { type Event, type EventStore, eventFields } from "../core/event.ts";
import { manages } from "../core/http/auth.ts";
import type { Call } from "../core/http/call.ts";
import { strict } from "../core/http/collection.ts";
import { named } from "../core/http/list.ts";
import { tagged } from "../core/http/reply.ts";
import { type Route, route } from "../core/http/route.ts";
import type { StreamAnswer } from "../core/http/stream.ts";
import { readAccept } from "../core/lib/accept.ts";
import { Type } from "../core/lib/json-schema.ts";
import type { PersonStore } from "../people/person.ts";
import { EventStream } from "./event-stream-wire.ts";
import { eventObject } from "./event-wire.ts";
import type { LogWatch } from "./log-watch-wire.ts";
import { problem } from "./problems.ts";

const maxEvents = 1000;
const listArguments = {
  since: Type.Optional(
    Type.Integer({ minimum: 0, description: "A sequence, an integer from 0: answers the events after it." }),
  ),
  newest: Type.Optional(
    Type.Boolean({
      description:
        "True or false: true answers the newest events, newest first; with `before` the newest before that sequence.",
    }),
  ),
  before: Type.Optional(Type.Integer({ minimum: 1, description: "A sequence: with `newest`, the events before it." })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: maxEvents, description: `An integer from 1 to ${maxEvents}.` }),
  ),
  strict,
};

/** /api/events: the log of all writes, as a list or as it goes on. Contract §8; part three, §12. */
export function eventRoutes(store: EventStore, people: PersonStore, watch: LogWatch): Route[] {
  const rowsOf = (events: Event[]) => named(events.map(eventFields), { people, of: ["actor"] });
  const stream = new EventStream(store, watch, rowsOf);
  return [
    route({
      unknown: "ignored",
      method: "GET",
      url: "/api/events",
      summary: "Read the event log, oldest first by default",
      need: manages("admin"),
      replyForm: { streams: true },
      arguments: listArguments,
      reply: Type.Array(eventObject, { description: "Events in commit order, or newest first." }),
      problems: ["argument_invalid", "argument_unknown", "feed_too_old", "too_many_streams"],
      handle: async (call, args) => {
        if (wantsStream(call)) return streamOf(call, args, store, stream);
        const { since = 0, limit = maxEvents, newest, before } = args;
        const events = newest ? store.listBefore(before, limit) : store.list(since, limit);
        return tagged(JSON.stringify(await rowsOf(await events)));
      },
    }),
  ];
}

/** The media type has to be named: whoever accepts anything gets a list. */
export const wantsStream = ({ accept }: Call): boolean => {
  const accepted = readAccept(accept);
  return accepted.names(streamType) && accepted.weightOf(streamType) > 0;
};
const streamType = "text/event-stream";

type Sent = { since?: number; newest?: boolean; before?: number; limit?: number };

/** Throws argument_invalid, argument_unknown (a list has it, a stream has not), feed_too_old. */
async function streamOf(call: Call, sent: Sent, store: EventStore, stream: EventStream): Promise<StreamAnswer<number>> {
  const argument = (["newest", "before", "limit"] as const).find((name) => sent[name] !== undefined);
  if (argument) throw problem("argument_unknown", { argument, near: undefined, names: ["since"] });
  const since = lastEventId(call) ?? sent.since;
  const { oldest, newest } = await store.bounds();
  if (since !== undefined && since < oldest - 1) throw problem("feed_too_old", { since, oldest });
  return {
    from: since ?? newest,
    after: (place, signal) => stream.after(place, signal),
    token: call.token?.id ?? "",
    isAdmitted: call.isAdmitted,
  };
}

/** The header that a client sends when it connects again. Throws argument_invalid. */
function lastEventId({ headers }: Call): number | undefined {
  const received = headers["last-event-id"];
  if (received === undefined || received === "") return undefined;
  const text = String(received);
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw problem("argument_invalid", {
    argument: "Last-Event-ID",
    received: text,
    accepted: "a sequence, an integer from 0",
  });
}
