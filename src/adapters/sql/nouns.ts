import type { StoredNoun } from "../../domain/backup/row.ts";
import type { FieldTable } from "./index/table.ts";
import { blobNoun } from "./noun/blob.ts";
import { changeNoun } from "./noun/change.ts";
import { entryNoun } from "./noun/entry.ts";
import { eventNoun } from "./noun/event.ts";
import { fileNoun } from "./noun/file.ts";
import { folderNoun } from "./noun/folder.ts";
import { historyNoun } from "./noun/history.ts";
import { idempotencyNoun } from "./noun/idempotency.ts";
import { passkeyNoun } from "./noun/passkey.ts";
import { personNoun } from "./noun/person.ts";
import { placeholderNoun } from "./noun/placeholder.ts";
import { presenceNoun } from "./noun/presence.ts";
import { referenceNoun } from "./noun/reference.ts";
import { registryNoun } from "./noun/registry.ts";
import { releaseNoun } from "./noun/release.ts";
import { roleNoun } from "./noun/role.ts";
import { sessionNoun } from "./noun/session.ts";
import { stagedNoun } from "./noun/staged.ts";
import { stateNoun } from "./noun/state.ts";
import { tokenNoun } from "./noun/token.ts";
import { transferNoun } from "./noun/transfer.ts";
import { trashNoun } from "./noun/trash.ts";
import { typeNoun } from "./noun/type.ts";
import { viewNoun } from "./noun/view.ts";
import { webhookNoun } from "./noun/webhook.ts";
import type { Noun, PointRead, Reading, Remote } from "./noun.ts";
import type { RowTable } from "./rows.ts";

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
