import type { Reader } from "../access/access.ts";
import type { Event, NewEvent } from "../event.ts";
import type { Claim, IdempotencyStore } from "../idempotency.ts";
import type { MaybePromise } from "../lib/maybe-promise.ts";
import type { Asker } from "../list/query.ts";
import type { Path } from "../path.ts";
import type { RowRules } from "../row.ts";
import type { FieldIndex } from "./index/field-row.ts";
import type { KeyNumbers } from "./index/key-number.ts";
import type { FieldTable, Indexed, IndexedTable } from "./index/table.ts";
import type { Kept, KeptReader } from "./kept.ts";
import type { ListOptions, ListSql } from "./list/options.ts";
import type { Presumed } from "./list/presumed.ts";
import type { Relation, RowTable } from "./rows.ts";
import type { ReadSql, Row, SnapshotSql, Sql, TransactionSql, Value } from "./sql.ts";

/**
 * What a noun adds to the store. features.ts lists the features; the writer, the readers, the point reads with their caches,
 * the ports, the backup and verify are built from it. Decision 33.
 */
export type Noun<Writes, Scans, Point, Port, Given> = {
  /**
   * Each runs in a savepoint of the writer's transaction, unless it is `alone`; a problem that it throws rolls back that
   * savepoint only. One that answers null has done nothing. Names are unique.
   */
  writes?: Writes;
  /**
   * By write of one thing: the path of this thing. Such a write changes nothing else, and throws a problem only before it
   * changes anything. So it needs no savepoint, and those of different paths run at once.
   */
  alone?: { [K in keyof Writes]?: (...rest: Rest<Writes[K]>) => string };
  /** Writes that lock what they need, so that other nodes write meanwhile: each has a transaction of its own. */
  beside?: readonly (keyof Writes & string)[];
  /** Long reads. Each reads one snapshot of the store. Names are unique. */
  scans?: Scans;
  /** By scan: answers it on the thread of requests if it reads only a few rows, otherwise undefined. */
  quick?: { [K in keyof Scans]?: Quickly<Scans[K]> };
  /** By scan: true when its answer may lag behind the writes by seconds, as a replica of the database does. */
  mayLag?: { [K in keyof Scans]?: (...rest: Rest<Scans[K]>) => boolean };
  /** Scans that may take long for each of many entries: they run where no list waits for them. */
  apart?: readonly (keyof Scans & string)[];
  /** The read of one row that answers most requests. */
  point?: Point;
  /** Its rows, of each of its tables, for a backup and for `octavo verify`. Absent: a restored store begins without any. */
  rows?: readonly RowTable[];
  /** The field index of its rows, which is rebuilt when the setting changes, and verified. */
  index?: FieldTable;
  /** Where it is not undefined, writes of any noun may take long: their transactions are bounded by time. */
  costs?: Kept<unknown>;
  /** The rules that relate its rows to others. */
  relations?: readonly Relation[];
  /** What stores of features before its own call, under these names. */
  links?: Given;
  /** Creates its port. Absent: only the store itself uses it. */
  port?(parts: PortParts<Writes, Scans, Point>): Port;
};

/** Bounds of writes that who opens the store may set. */
export type WriteOptions = {
  /** Whether writes keep the state before them; default true. */
  keepsHistory?: boolean | undefined;
  /** The default is that of working-copy/release.ts. */
  maxReleaseEntries?: number | undefined;
};

/** The context of a write. */
export type Writing = {
  readonly sql: TransactionSql;
  readonly index: FieldIndex;
  readonly removeBytes: RemoveBytes;
  /** False where the settings keep no history. */
  readonly keepsHistory: boolean;
  /** Of one release. */
  readonly maxReleaseEntries: number | undefined;
  readonly links: Links;
  /** The number of a parent path of entries; creates it if it is new. */
  parentNumber(path: Path): Promise<number>;
  /** The number for a new entry. */
  entryNumber(): Promise<number>;
  /**
   * Appends the event; answers its sequence, which is the revision of what the write changes. The log is locked from
   * then on: what does not need the revision is better done before.
   */
  append(event: NewEvent): Promise<number>;
  /** The same for several events. */
  appendAll(events: readonly NewEvent[]): Promise<number[]>;
  /** What a noun keeps in memory of the store, as it stands in the transaction. */
  readonly kept: KeptReader;
  /** Does the work at the end of the write, or of those that run at once, when no other write runs. */
  atEnd(work: () => Promise<unknown>): void;
};

/** Removes a blob's bytes; does nothing when they do not exist. */
export type RemoveBytes = (hash: string) => Promise<void>;

/** The context of a read of a few rows. */
export type Reading = {
  readonly sql: ReadSql;
  /** The same connection for lists alone. */
  readonly lists: ListSql;
  readonly isIndexed: (key: string) => boolean;
  readonly keys: KeyNumbers;
  /** Where items have layers: the locale that is read, "" for the source. */
  readonly layer?: string | undefined;
  readonly options: ListOptions;
  readonly links: Links;
  /** Absent where all statements read one snapshot. */
  readonly presumed?: Presumed;
  itemsById: ItemsById;
};

/**
 * Items by number, as in the snapshot that is read, in any order, without those that no longer exist; a few at a time,
 * because their sizes are not known.
 */
export type ItemsById = <Item extends Indexed>(
  table: IndexedTable<Item>,
  ids: Iterable<number>,
) => Iterable<Item[]> | AsyncIterable<Item[]>;

/** A read of one indexed table. */
export type TableReading<Item extends Indexed = Indexed> = Reading & { readonly table: IndexedTable<Item> };

/** The context of a scan. */
export type Scanning = Reading & {
  readonly sql: SnapshotSql;
  readonly nouns: NounSet;
  /** True once nobody waits for the answer. */
  isStopped(): boolean;
};

/** One row by its key. */
export type PointRead<T> = {
  text: string;
  /** The values for the text. Absent: keyAlone. */
  values?(key: string): Value[];
  toValue(row: Row): T;
  /** False when the value has expired: it is not answered. Absent: values do not expire. */
  isLive?(value: T, nowSeconds: number): boolean;
  /**
   * Caches values that were read, within `bytes` if it is a cache of entries. Absent: each read queries the database.
   */
  cache?(bytes: number): Cache<T>;
};

/** The values of a point read without `values`. */
export const keyAlone = (key: string): Value[] => [key];

/** Values that were read, by key. */
export interface Cache<T> {
  get(key: string): T | undefined;
  put(value: T, key: string): void;
  /** Drops what the event changed. */
  apply(event: Event): void;
  clear(): void;
}

/** A point read, as an engine provides it. `nowSeconds` is the time that expiry is compared with. */
export type Point<T> = {
  /** The value, which may be up to two seconds old. */
  cached(key: string, nowSeconds?: number): MaybePromise<T | undefined>;
  /** The current value, whichever process wrote it. */
  current(key: string, nowSeconds?: number): MaybePromise<T | undefined>;
  /** Several values that do not expire, in the order of their keys, with one query for those that no cache has. */
  all(keys: readonly string[], reader: Reader): MaybePromise<(T | undefined)[]>;
};

/** What a port is built from. */
export type PortParts<Writes, Scans, Read> = {
  /** Short reads. */
  sql: Sql;
  links: Links;
  point: Point<ValueOf<Read>>;
  writes: Remote<Writes>;
  scans: Remote<Scans>;
  /** The same for a client, which has its turns; for undefined, the service itself, it is `scans`. */
  scansFor(asker: Asker | undefined): Remote<Scans>;
  /** Writes of any noun in one transaction, all or none. */
  together: IdempotencyStore["writeAll"];
  /** A write of any noun whose result is kept. */
  kept: IdempotencyStore["write"];
  /** Takes a name until the claim is released; undefined while it is taken. */
  claim(name: string): Promise<Claim | undefined>;
  /** Registers work to be done before the store closes. Failures of it are ignored: the process ends. */
  beforeClose(work: () => Promise<void>): void;
};

export type ValueOf<Read> = Read extends { toValue(row: Row): infer T } ? T : never;

/** The arguments of an operation after its context. */
type Rest<F> = F extends (on: never, ...rest: infer R) => unknown ? R : never;

type Quickly<F> = F extends (on: never, ...rest: infer R) => infer V
  ? (on: Reading, ...rest: R) => Promise<Awaited<V> | undefined>
  : never;

/** Answers a scan on the thread of requests; undefined where it needs more than a few rows. */
export type Quick = (on: Reading, ...rest: unknown[]) => Promise<unknown>;

/**
 * What a store calls of a feature that stands after its own: each feature adds what its nouns give. A write and a read get
 * all of them, so that imports go one way.
 */
// biome-ignore lint/suspicious/noEmptyInterface: features extend it.
export interface Links {}

/** The ports of the store by name: each feature adds those of its nouns. */
// biome-ignore lint/suspicious/noEmptyInterface: features extend it.
export interface Ports {}
export type PortOf<N> = N extends Noun<infer _W, infer _S, infer _R, infer Port, infer _L> ? Port : never;
/** The ports of the nouns that a feature loads, by name. */
export type PortsOf<Load extends () => Promise<object>> = {
  [K in keyof Awaited<ReturnType<Load>>]: PortOf<Awaited<ReturnType<Load>>[K]>;
};
type GivenBy<N> = N extends Noun<infer _W, infer _S, infer _R, infer _P, infer Given> ? (given: Given) => void : never;
/** What they give, all together. */
export type LinksOf<Load extends () => Promise<object>> =
  GivenBy<Awaited<ReturnType<Load>>[keyof Awaited<ReturnType<Load>>]> extends (given: infer All) => void ? All : never;

/** Operations as seen by their callers, on another thread or connection. */
export type Remote<T> = {
  readonly [K in keyof T]: T[K] extends (on: never, ...rest: infer R) => infer V
    ? (...rest: R) => Promise<Awaited<V>>
    : never;
};

export type Operation<On> = (on: On, ...rest: never[]) => unknown;
type None = Record<never, never>;

/**
 * What engines, threads, ports, backups and verify need of the nouns. The core names no noun: who opens a store passes the
 * set, and the module that a thread starts with has the same one. src/nouns.ts makes it.
 */
export type NounSet = {
  readonly each: readonly (readonly [name: string, noun: AnyNoun])[];
  /** Every write and every scan, by name. */
  readonly writes: Readonly<Record<string, AnyOperation>>;
  readonly scans: Readonly<Record<string, AnyOperation>>;
  /** By write of one thing: the path of this thing. */
  readonly pathsAlone: Readonly<Record<string, (...rest: unknown[]) => string>>;
  /** Writes with a transaction of their own, which other nodes do not wait for. */
  readonly writesBeside: ReadonlySet<string>;
  /** Scans that run apart from lists. */
  readonly scansApart: ReadonlySet<string>;
  readonly quickScans: Readonly<Record<string, Quick>>;
  readonly laggingScans: Readonly<Record<string, (...rest: unknown[]) => boolean>>;
  /** The rows of each noun that has rows in backups or is checked by verify: first those of a backup, in its order. */
  readonly rowTables: ReadonlyMap<string, RowTable>;
  /** The rules of the rows of a backup. */
  readonly rowRules: RowRules;
  /** The tables with a field index. */
  readonly indexedTables: readonly FieldTable[];
  readonly relations: readonly Relation[];
  readonly links: Links;
  /** What makes writes costly. */
  readonly costs: readonly Kept<unknown>[];
};

type AnyOperation = (on: unknown, ...rest: unknown[]) => unknown;
/** A noun for code that treats all alike. */
export type AnyNoun = {
  writes?: Record<string, AnyOperation>;
  scans?: Record<string, AnyOperation>;
  quick?: Record<string, Quick>;
  alone?: Record<string, (...rest: unknown[]) => string>;
  beside?: readonly string[];
  apart?: readonly string[];
  mayLag?: Record<string, (...rest: unknown[]) => boolean>;
  point?: PointRead<unknown>;
  rows?: readonly RowTable[];
  index?: FieldTable;
  relations?: readonly Relation[];
  costs?: Kept<unknown>;
  links?: Partial<Links>;
  port?(parts: unknown): unknown;
};

/** Answers the noun itself; the type keeps the operations by name. */
export const noun = <
  Writes extends Record<string, Operation<Writing>> = None,
  Scans extends Record<string, Operation<Scanning>> = None,
  Point extends PointRead<unknown> | undefined = undefined,
  Port = undefined,
  Given = None,
>(
  parts: Noun<Writes, Scans, Point, Port, Given>,
): Noun<Writes, Scans, Point, Port, Given> => parts;
