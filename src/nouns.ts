import { blobNoun } from "./core/sql/blob.ts";
import { eventNoun } from "./core/sql/event.ts";
import { idempotencyNoun } from "./core/sql/idempotency.ts";
import type { PortOf } from "./core/sql/noun.ts";
import { nounSet } from "./core/sql/noun-set.ts";
import { stateNoun } from "./core/sql/state.ts";
import { features } from "./features.ts";

/** Those of the core, by the names of their ports. */
const coreNouns = { state: stateNoun, ledger: blobNoun, events: eventNoun, idempotency: idempotencyNoun };

declare module "./core/sql/noun.ts" {
  interface Ports {
    ledger: PortOf<typeof blobNoun>;
    events: PortOf<typeof eventNoun>;
    idempotency: PortOf<typeof idempotencyNoun>;
  }
}

/** The order of rows in backups of formats 1 and 2. Those of a noun that is not here follow, in the order of features. */
const rowOrder = [
  "state",
  "folder",
  "file",
  "entry",
  "registry_item",
  "token",
  "event",
  "event_entry",
  "trash_item",
  "version",
  "trash_entry",
  "trash_folder",
  "trash_file",
  "release",
  "working_copy",
  "type",
  "role",
  "person",
  "passkey",
  "view",
  "webhook",
];

/** The nouns of the store: those of the core, and those of each feature. */
const loaded = await Promise.all(features.map(({ nouns }) => nouns?.()));
export const allNouns = nounSet(Object.assign({}, coreNouns, ...loaded), rowOrder);
