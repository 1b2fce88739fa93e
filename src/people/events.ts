import { addEvents, type EventRow } from "../core/event.ts";

/** The events of people, roles, passkeys and sessions. */

export const peopleEvents = {
  session: { subject: "id", verbs: ["start", "end"] },
  role: { subject: "id", verbs: ["put", "delete"] },
  person: { subject: "id", verbs: ["create", "update", "link", "join", "delete"] },
  passkey: { subject: "id", verbs: ["create", "delete"] },
} as const satisfies Record<string, EventRow>;

addEvents(peopleEvents);

type PeopleEvents = typeof peopleEvents;
declare module "../core/event.ts" {
  interface EventNouns extends PeopleEvents {}
}
