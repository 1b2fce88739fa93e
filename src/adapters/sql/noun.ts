import type { Event } from "../../domain/event.ts";
import type { MaybePromise } from "../../lib/maybe-promise.ts";
import type { FieldIndex } from "./index/entry-field.ts";
import type { StoredEntry } from "./noun/entry-row.ts";
import type { ListOptions } from "./noun/list.ts";
import type { Relation, RowTable } from "./rows.ts";
import type { Row, SnapshotSql, Sql, Value } from "./sql.ts";

/**
 * What a noun brings to the store. The list of nouns is nouns.ts; the writer, the readers, the point reads with their
 * caches, the ports, the backup and verify are made of it. Decision 34.
 */
export type Noun<Writes, Scans, Point, Port> = {
  /** Each runs in a savepoint of the writer's transaction; a problem that it throws undoes it alone. Names are unique. */
  writes?: Writes;
  /** Long reads. Each sees one state of the store from its first row to its last. Names are unique. */
  scans?: Scans;
  /** Of a scan: answers it if that takes no more than a look at a few rows, else undefined. */
  quick?: { [K in keyof Scans]?: Quickly<Scans[K]> };
  /** Of a scan: true when its answer may lag behind the writes by seconds, as a replica of the database does. */
  mayLag?: { [K in keyof Scans]?: (...rest: Rest<Scans[K]>) => boolean };
  /** The read of one row that answers most requests. */
  point?: Point;
  /** Its rows, for a backup and for `octavo verify`. Absent: a restored store begins without any. */
  rows?: RowTable;
  /** How its rows belong to others. */
  relations?: readonly Relation[];
  /** Further parts of `octavo verify`, by what they look at. Each answers sentences about what is wrong. */
  checks?: Readonly<Record<string, (on: Scanning) => Promise<string[]>>>;
  /** Makes its port. Absent: nothing but the store itself uses it. */
  port?(parts: PortParts<Writes, Scans, Point>): Port;
};

/** What a write works with. */
export type Writing = { readonly sql: Sql; readonly index: FieldIndex; readonly removeBytes: RemoveBytes };

/** Removes a blob's bytes; does nothing when they are not there. */
export type RemoveBytes = (hash: string) => Promise<void>;

/** What a scan works with. */
export type Scanning = {
  readonly sql: SnapshotSql;
  readonly isIndexed: (key: string) => boolean;
  readonly options: ListOptions;
};

/** What a quick answer works with; `entriesById` leaves out those that are gone. */
export type Quick = Scanning & {
  entriesById(ids: ReadonlySet<number>): Iterable<StoredEntry> | AsyncIterable<StoredEntry>;
};

/** One row by its key. */
export type PointRead<T> = {
  text: string;
  /** The values of the text. Absent: keyAlone. */
  values?(key: string): Value[];
  toValue(row: Row): T;
  /** False when time has ended the value: it is not answered. Absent: time ends none. */
  isLive?(value: T, nowSeconds: number): boolean;
  /** Keeps values that were read, `bytes` of them if it is a cache of entries. Absent: each read asks the database. */
  cache?(bytes: number): Cache<T>;
};

/** The values of a point read that says nothing of them. */
export const keyAlone = (key: string): Value[] => [key];

/** Values that were read, by key. */
export interface Cache<T> {
  get(key: string): T | undefined;
  put(value: T, key: string): void;
  /** Forgets what the event changed. */
  apply(event: Event): void;
  clear(): void;
}

/** A point read as an engine answers it. `nowSeconds` counts where time ends values. */
export type Point<T> = {
  /** The value, or that of at most two seconds ago. */
  cached(key: string, nowSeconds?: number): MaybePromise<T | undefined>;
  /** The value of now, whoever wrote it. */
  current(key: string, nowSeconds?: number): MaybePromise<T | undefined>;
};

/** What a port is made of. */
export type PortParts<Writes, Scans, Read> = {
  /** Short reads. */
  sql: Sql;
  point: Point<ValueOf<Read>>;
  writes: Remote<Writes>;
  scans: Remote<Scans>;
  /** Registers work to be done before the store closes. What it throws is dropped: the process ends. */
  beforeClose(work: () => Promise<void>): void;
};

export type ValueOf<Read> = Read extends { toValue(row: Row): infer T } ? T : never;

/** The arguments of an operation behind what it works with. */
type Rest<F> = F extends (on: never, ...rest: infer R) => unknown ? R : never;

type Quickly<F> = F extends (on: never, ...rest: infer R) => infer V
  ? (on: Quick, ...rest: R) => Promise<Awaited<V> | undefined>
  : never;

/** Operations as they are called from where they do not run. */
export type Remote<T> = {
  readonly [K in keyof T]: T[K] extends (on: never, ...rest: infer R) => infer V
    ? (...rest: R) => Promise<Awaited<V>>
    : never;
};

export type Operation<On> = (on: On, ...rest: never[]) => unknown;
type None = Record<never, never>;

/** The noun itself; its type keeps the operations by name. */
export const noun = <
  Writes extends Record<string, Operation<Writing>> = None,
  Scans extends Record<string, Operation<Scanning>> = None,
  Point extends PointRead<unknown> | undefined = undefined,
  Port = undefined,
>(
  parts: Noun<Writes, Scans, Point, Port>,
): Noun<Writes, Scans, Point, Port> => parts;
