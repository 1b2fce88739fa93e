import { tokenNoun } from "./access/token-store.ts";
import type { StoredNoun } from "./backup/row.ts";
import { blobNoun } from "./core/sql/blob.ts";
import { eventNoun } from "./core/sql/event.ts";
import { idempotencyNoun } from "./core/sql/idempotency.ts";
import type { FieldTable } from "./core/sql/index/table.ts";
import type { Noun, PointRead, Reading, Remote } from "./core/sql/noun.ts";
import type { RowTable } from "./core/sql/rows.ts";
import { stateNoun } from "./core/sql/state.ts";
import { entryNoun } from "./entry/store.ts";
import { changeNoun } from "./feed/change-store.ts";
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
};

type Nouns = typeof nouns;
type Name = keyof Nouns;
type Together<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;
type Part<K extends Name, P extends "writes" | "scans" | "point"> = NonNullable<Nouns[K][P]>;
type PortOf<N> = N extends Noun<infer _W, infer _S, infer _R, infer Port> ? Port : never;

/** Every write and every scan, by name. */
export type NounWrites = Remote<Together<Part<Name, "writes">>>;
export type NounScans = Remote<Together<Part<Name, "scans">>>;

/** The point reads of the nouns. */
export type NounReads = { [K in Name as Part<K, "point"> extends never ? never : K]: Part<K, "point"> };

/** A port for each noun that defines one. */
export type Ports = { [K in Name as PortOf<Nouns[K]> extends undefined ? never : K]: PortOf<Nouns[K]> };

type AnyOperation = (on: unknown, ...rest: unknown[]) => unknown;
type AnyNoun = {
  writes?: Record<string, AnyOperation>;
  scans?: Record<string, AnyOperation>;
  quick?: Record<string, (on: Reading, ...rest: unknown[]) => Promise<unknown>>;
  alone?: Record<string, (...rest: unknown[]) => string>;
  beside?: readonly string[];
  apart?: readonly string[];
  mayLag?: Record<string, (...rest: unknown[]) => boolean>;
  point?: PointRead<unknown>;
  rows?: readonly RowTable[];
  index?: FieldTable;
  relations?: Nouns["entries"]["relations"];
  port?(parts: unknown): unknown;
};

/** The same list, typed for code that treats all nouns alike. */
export const eachNoun = Object.entries(nouns) as unknown as readonly (readonly [name: Name, noun: AnyNoun])[];

const merged = <T>(pick: (noun: AnyNoun) => Record<string, T> | undefined): Readonly<Record<string, T>> =>
  Object.assign({}, ...eachNoun.map(([, noun]) => pick(noun)));

export const nounWrites = merged(({ writes }) => writes);
export const nounScans = merged(({ scans }) => scans);
/** By write of one thing: the path of this thing. */
export const pathsAlone = merged(({ alone }) => alone);
/** Writes with a transaction of their own, which other nodes do not wait for. */
export const writesBeside: ReadonlySet<string> = new Set(eachNoun.flatMap(([, { beside = [] }]) => beside));
/** Scans that run apart from lists. */
export const scansApart: ReadonlySet<string> = new Set(eachNoun.flatMap(([, { apart = [] }]) => apart));
export const quickScans = merged(({ quick }) => quick);
export const laggingScans = merged(({ mayLag }) => mayLag);

/** The rows of each noun that has rows in backups or is checked by verify. */
export const rowTables = new Map<StoredNoun, RowTable>(
  eachNoun.flatMap(([, { rows = [] }]) => rows.map((table) => [table.noun, table] as const)),
);

/** The tables with a field index. */
export const indexedTables: readonly FieldTable[] = eachNoun.flatMap(([, { index }]) => (index ? [index] : []));
