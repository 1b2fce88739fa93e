import { eventKinds, publicity } from "./event.ts";
import { actor, added, integer, maxCounted, oneOf, orNull, text, time, uuid } from "./row-column.ts";

/** The columns of an event. The rest of its rule is in feed/row-rules.ts: its subject is the key of a thing of any feature. */
const columns = {
  sequence: integer(1, maxCounted),
  at: time,
  kind: oneOf(eventKinds),
  subject: text,
  target: orNull(text),
  count: integer(1, maxCounted),
  actor,
  uuid: added(orNull(uuid), () => null),
  was_public: added(orNull(integer(0, publicity.elsewhere)), () => null),
  is_public: added(orNull(integer(0, publicity.elsewhere)), () => null),
  outdated: added(orNull(text), () => null),
  first_sequence: added(orNull(integer(1, maxCounted)), () => null),
  request_id: added(orNull(text), () => null),
  address: added(orNull(text), () => null),
  trace: added(orNull(text), () => null),
  locale: added(orNull(text), () => null),
};

export const eventRow = { noun: "event", columns };
