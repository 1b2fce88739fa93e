import { addEvents } from "../core/event.ts";

/** The events of people, roles, passkeys and sessions. */

export const peopleEvents = addEvents({
  session: { subject: "id", verbs: ["start", "end"] },
  role: { subject: "id", verbs: ["put", "delete"] },
  person: { subject: "id", verbs: ["create", "update", "link", "join", "delete"] },
  passkey: { subject: "id", verbs: ["create", "delete"] },
});

declare module "../core/event.ts" {
  interface EventNouns extends RowsOf<typeof peopleEvents> {}
}
