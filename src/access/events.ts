import { addEvents } from "../core/event.ts";

/** The events of tokens. */

export const accessEvents = addEvents({
  token: { subject: "id", verbs: ["create", "update", "rotate", "revoke"] },
});

declare module "../core/event.ts" {
  interface EventNouns extends RowsOf<typeof accessEvents> {}
}
