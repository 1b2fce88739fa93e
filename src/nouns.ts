import { tokenNoun } from "./access/token-store.ts";
import { verifyNoun } from "./backup/verify-store.ts";
import { blobNoun } from "./core/sql/blob.ts";
import { eventNoun } from "./core/sql/event.ts";
import { idempotencyNoun } from "./core/sql/idempotency.ts";
import type { Noun } from "./core/sql/noun.ts";
import { nounSet } from "./core/sql/noun-set.ts";
import { stateNoun } from "./core/sql/state.ts";
import { entryNoun } from "./entry/store.ts";
import { changeNoun } from "./feed/change-store.ts";
import { eventLogNoun } from "./feed/event-entry-store.ts";
import { folderNoun } from "./file/folder-store.ts";
import { fileNoun } from "./file/store.ts";
import { placeholderNoun } from "./image/placeholder-store.ts";
import { passkeyNoun } from "./people/passkey-store.ts";
import { personNoun } from "./people/person-store.ts";
import { presenceNoun } from "./people/presence-store.ts";
import { roleNoun } from "./people/role-store.ts";
import { sessionNoun } from "./people/session-store.ts";
import { referenceNoun } from "./reference/store.ts";
import { registryNoun } from "./registry/store.ts";
import { transferNoun } from "./transfer/store.ts";
import { typeNoun } from "./type/store.ts";
import { historyNoun } from "./version/history-store.ts";
import { releaseNoun } from "./version/release-store.ts";
import { stagedNoun } from "./version/staged-store.ts";
import { trashNoun } from "./version/trash-store.ts";
import { viewNoun } from "./view/store.ts";
import { webhookNoun } from "./webhook/store.ts";

/** The nouns of the store, each by the name of its port. */
export const nouns = {
  entries: entryNoun,
  state: stateNoun,
  folders: folderNoun,
  files: fileNoun,
  ledger: blobNoun,
  placeholders: placeholderNoun,
  tokens: tokenNoun,
  sessions: sessionNoun,
  presence: presenceNoun,
  roles: roleNoun,
  people: personNoun,
  passkeys: passkeyNoun,
  views: viewNoun,
  registry: registryNoun,
  events: eventNoun,
  eventLog: eventLogNoun,
  webhooks: webhookNoun,
  changes: changeNoun,
  history: historyNoun,
  trash: trashNoun,
  staged: stagedNoun,
  releases: releaseNoun,
  types: typeNoun,
  references: referenceNoun,
  idempotency: idempotencyNoun,
  transfers: transferNoun,
  verification: verifyNoun,
};

type Nouns = typeof nouns;
type Name = keyof Nouns;
type PortOf<N> = N extends Noun<infer _W, infer _S, infer _R, infer Port> ? Port : never;

/** A port for each noun that defines one. */
export type Ports = { [K in Name as PortOf<Nouns[K]> extends undefined ? never : K]: PortOf<Nouns[K]> };

/** The order of rows in backups of formats 1 and 2. Those of a noun that is not here follow, in the order of `nouns`. */
const rowOrder = [
  "state",
  "folder",
  "file",
  "entry",
  "registry_item",
  "token",
  "event",
  "event_entry",
  "history",
  "trash_item",
  "trash_entry",
  "trash_folder",
  "trash_file",
  "release",
  "staged",
  "release_entry",
  "type",
  "role",
  "person",
  "passkey",
  "view",
  "webhook",
];

/** The same list, for code that treats all nouns alike. */
export const allNouns = nounSet(nouns, rowOrder);
