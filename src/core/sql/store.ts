import { setTimeout } from "node:timers/promises";
import type { ClockFacts } from "../clock.ts";
import type { Claim } from "../idempotency.ts";
import { allSettled } from "../lib/all-settled.ts";
import type { MaybePromise } from "../lib/maybe-promise.ts";
import type { Asker } from "../list/query.ts";
import type { BlobLocation } from "./blob-remover.ts";
import { type Damage, unlessDamaged } from "./damage.ts";
import type { IndexSettings } from "./index/keys.ts";
import type { ListOptions } from "./list/options.ts";
import type { NewStoreOptions } from "./new-store.ts";
import type { Cache, NounSet, Point, PointRead, PortParts, WriteOptions } from "./noun.ts";
import type { ReadCache } from "./read-cache.ts";
import type { Scans } from "./scans.ts";
import type { Caller, Operations, ScanCaller, SharedSql, SnapshotSql, Sql } from "./sql.ts";
import { Claims, noting, type Remotes, remoteWrites } from "./units.ts";
import type { Done, WriteCaller } from "./writes.ts";

/** Point reads, for each noun that has one. */
export type PointReads = Readonly<Record<string, Point<unknown> | undefined>>;

/** Creates the point reads, once, with the cache of each noun. */
export const pointReads = (
  { each }: NounSet,
  caches: ReadCache,
  pointOf: (read: PointRead<unknown>, cache: Cache<unknown> | undefined) => Point<unknown>,
): PointReads => {
  const made = each.flatMap(([name, { point }]) => (point ? [[name, pointOf(point, caches.of[name])] as const] : []));
  return Object.fromEntries(made);
};

/** What the writes of this process did since its start, and how many wait or are being made. */
export type WriteFigures = { writesWaiting: number; writes: number; writeGroups: number };

/** What the store did in this process since its start, and the reads that wait for a connection, where lists need one. */
export type StoreFigures = WriteFigures &
  Record<"scansWaiting" | "cacheHits" | "cacheMisses", number> & { connectionsWaitedFor?: number };

/** What an engine provides. */
export type Engine = {
  /** Short reads. */
  sql: Sql;
  points: PointReads;
  writer: WriteCaller;
  /** Long reads, each run where it delays other work least. */
  reader: ScanCaller<Scans>;
  /** Runs the work on one snapshot of the store, on a separate connection. */
  snapshot<T>(work: (sql: SnapshotSql) => Promise<T>): Promise<T>;
  /**
   * Runs the work in one write transaction, on a separate connection: commits all of it or, when it throws, nothing.
   */
  transaction<T>(work: (sql: SharedSql) => Promise<T>): Promise<T>;
  /** The key that signs addresses when the settings name none. */
  signingKey: string;
  /** Changes with every write that a delivery read must see; undefined while that is not known. Never waits. */
  version(): number | undefined;
  figures(): StoreFigures;
  /** The newest event that reads are certain to see, out of caches too. Never waits. */
  sequence(): number;
  /** Looks whether others have written. */
  look(): MaybePromise<void>;
  /** Whether replicas, which answer some reads, have this event. Absent where there is none. */
  isReplicated?(sequence: number): Promise<boolean>;
  /** Size of the database in bytes. */
  size(): MaybePromise<number>;
  /** Faults of the database itself and of its rows, as sentences, from checks that run at once. */
  verify(): Promise<string[]>[];
  damage: Damage;
  /**
   * Checks the whole database in the background; `damage` holds the findings. Does nothing where there is no such
   * check.
   */
  check(): Promise<void>;
  /** When the last such check ended, in Unix seconds; 0 for never, undefined where there is none. */
  checkedAt(): number | undefined;
  /** Compares the store's times with a clock that shows `nowSeconds`. */
  clock(nowSeconds: number): Promise<ClockFacts>;
  /** Throws the problem that keeps the database from accepting writes. */
  refuseUnready(): MaybePromise<void>;
  /**
   * Does the work unless another process of this store is doing work of this name; answers whether it did. Rejects when
   * it lost the lock during the work (its connection ended, for example).
   */
  alone(name: string, work: () => Promise<void>): Promise<boolean>;
  /**
   * Takes a name that no caller in this process has until it is released, for other processes to see where the engine
   * tells them; undefined while another process has it. Ends with the process.
   */
  claim(name: string): Promise<Claim | undefined>;
  close(): Promise<void>;
};

/** What opens the store of any engine. */
export type StoreOptions = ListOptions &
  NewStoreOptions &
  BlobLocation &
  WriteOptions &
  IndexSettings & {
    cacheBytes: number;
    maxPendingWrites: number;
    /** True for a command, which may run beside a service: its transactions are short, its writes wait for the service's. */
    givesWay?: boolean | undefined;
  };

/** What opens a database, and the modules of its threads: the core knows neither the nouns nor the modules that have them. */
export type StoreCode = {
  nouns: NounSet;
  /** The module of a thread: it calls `serveWrites` or `serveScans` of its engine with the same nouns. */
  threads: Record<"sqlite-writer" | "sqlite-reader" | "postgres-scanner", URL>;
};

/** What a store says and does as a whole. */
export type StoreParts = Pick<
  Engine,
  "version" | "sequence" | "size" | "figures" | "alone" | "check" | "checkedAt" | "clock"
> & {
  /** Waits, at most so long, until all reads see the event with this sequence; answers whether they do. */
  reached(sequence: number, withinMs: number): Promise<boolean>;
  /** Sentences about known damage of the database; while there are any, writes are refused: store_damaged. */
  damage(): readonly string[];
};

/** The parts of a store that do not depend on its nouns, and the port of each noun. */
export type Database = StoreParts &
  Pick<Engine, "signingKey"> & {
    ports: Readonly<Record<string, unknown>>;
    /** For the export and import of all rows. */
    whole: Pick<Engine, "sql" | "snapshot" | "transaction">;
    /** Reads everything and answers the faults as sentences. */
    verify(): Promise<string[]>;
    /** Throws the problem that keeps the database from accepting writes: store_damaged, busy. */
    refuseUnready(): Promise<void>;
    /** Writes the counts still in memory, waits for the calls in progress, closes the database. */
    close(): Promise<void>;
  };

/** How often to look for an event that is waited for. */
const lookEveryMs = 20;

/** Creates the store of an engine: what exists once, and a port for each noun. */
export function sqlStore({ nouns }: StoreCode, engine: Engine): Database {
  const { signingKey, version, sequence, size, figures, alone, check, checkedAt, clock, damage } = engine;
  const lastWork: (() => Promise<void>)[] = [];
  const writer = unlessDamaged(engine.writer, damage);
  return {
    signingKey,
    version,
    sequence,
    size,
    figures,
    alone,
    check,
    checkedAt,
    clock,
    ports: portsOf(nouns, { ...engine, writer }, (work) => lastWork.push(work)),
    whole: engine,
    damage: () => damage.faults,
    verify: async () => (await allSettled(engine.verify())).flat(),
    reached: async (wanted, withinMs) => {
      for (const endsMs = performance.now() + withinMs; ; await setTimeout(lookEveryMs)) {
        if (sequence() < wanted) await engine.look();
        if (sequence() >= wanted && (await engine.isReplicated?.(wanted)) !== false) return true;
        if (performance.now() > endsMs) return false;
      }
    },
    refuseUnready: async () => {
      damage.refuse();
      await engine.refuseUnready();
    },
    close: async () => {
      // A failed write loses only a count of calls on tokens without a limit, or a last use.
      for (const work of lastWork) await work().catch(() => undefined);
      damage.close();
      await engine.close();
    },
  };
}

/** The ports, each built from its part of the engine. */
function portsOf(
  { each, links }: NounSet,
  { sql, points, writer, reader, claim }: Engine,
  beforeClose: PortParts<never, never, never>["beforeClose"],
): Record<string, unknown> {
  const claims = new Claims(claim);
  const units: Pick<PortParts<never, never, never>, "together" | "kept" | "claim"> = {
    together: (writes, options, written) =>
      noting(writer.call("together", writes, options) as Promise<Done<unknown[]>>, written),
    kept: (write, keep, written) => noting(writer.call("kept", write, keep), written),
    claim: (name) => claims.take(name),
  };
  const made = each.flatMap(([name, { writes, scans, port }]) => {
    const own = remote(reader, scans);
    const parts = {
      sql,
      links,
      point: points[name],
      writes: remoteWrites(writer, writes),
      scans: own,
      scansFor: (asker: Asker | undefined) => (asker ? remote(reader.for(asker), scans) : own),
      ...units,
      beforeClose,
    };
    return port ? [[name, port(parts)] as const] : [];
  });
  return Object.fromEntries(made);
}

/** The operations by name, as functions that call them where they run. */
function remote<T extends Operations>(caller: Caller<T>, operations: object = {}): Remotes {
  const called =
    (name: keyof T & string) =>
    (...rest: Parameters<T[typeof name]>) =>
      caller.call(name, ...rest);
  return Object.fromEntries(Object.keys(operations).map((name) => [name, called(name)])) as Remotes;
}
