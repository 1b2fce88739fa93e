import { Type } from "typebox";
import { type EventStore, eventFields } from "../domain/event.ts";
import { manages } from "./auth.ts";
import { data } from "./reply.ts";
import { type Route, readArguments } from "./route.ts";
import { eventObject } from "./schema.ts";

const maxEvents = 1000;
const listArguments = {
  since: Type.Optional(
    Type.Integer({ minimum: 0, description: "A sequence, an integer from 0: what came after it is answered." }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: maxEvents, description: `An integer from 1 to ${maxEvents}.` }),
  ),
};

/** /api/events: the log of all writes. Contract §8. */
export function eventRoutes(store: EventStore): Route[] {
  return [
    {
      method: "GET",
      url: "/api/events",
      summary: "Read the event log, oldest first",
      need: manages("admin"),
      arguments: listArguments,
      reply: Type.Array(eventObject),
      problems: ["argument_invalid"],
      handle: async (call) => {
        const { since = 0, limit = maxEvents } = readArguments<{ since?: number; limit?: number }>(call, listArguments);
        return data(JSON.stringify((await store.list(since, limit)).map(eventFields)));
      },
    },
  ];
}
