import type { PersonStore } from "../domain/access/person.ts";
import { type EventStore, eventFields } from "../domain/event.ts";
import { Type } from "../lib/json-schema.ts";
import { strict } from "./collection.ts";
import { manages } from "./exchange/auth.ts";
import { tagged } from "./exchange/reply.ts";
import { type Route, route } from "./exchange/route.ts";
import { named } from "./list.ts";
import { eventObject } from "./schema.ts";

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

/** /api/events: the log of all writes. Contract §8. */
export function eventRoutes(store: EventStore, people: PersonStore): Route[] {
  return [
    route({
      ignoresUnknown: true,
      method: "GET",
      url: "/api/events",
      summary: "Read the event log, oldest first by default",
      need: manages("admin"),
      arguments: listArguments,
      reply: Type.Array(eventObject, { description: "Events in commit order, or newest first." }),
      problems: ["argument_invalid", "argument_unknown"],
      handle: async (_call, { since = 0, limit = maxEvents, newest, before }) => {
        const events = newest ? store.listBefore(before, limit) : store.list(since, limit);
        const rows = (await events).map(eventFields);
        return tagged(JSON.stringify(await named(rows, { people, of: ["actor"] })));
      },
    }),
  ];
}
