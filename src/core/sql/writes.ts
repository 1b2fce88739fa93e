import type { NewEvent } from "../event.ts";
import { allSettled } from "../lib/all-settled.ts";
import { Problem, problem } from "../problem.ts";
import { type Keep, type UnitOptions, type UnitWrite, unitBounds } from "../unit.ts";
import { type Call, type Reply, toError, toReply } from "./call.ts";
import { isDamage } from "./damage.ts";
import { appendEvents, type Commit } from "./event.ts";
import { keepResults, refuseKept } from "./idempotency.ts";
import type { FieldIndex } from "./index/field-row.ts";
import { indexWith } from "./index/keys.ts";
import { parentNumbers } from "./index/parent.ts";
import { type Kept, type KeptReader, type KeptValue, readOnce, readTogether } from "./kept.ts";
import type { NounSet, RemoveBytes, WriteOptions, Writing } from "./noun.ts";
import { RunLog } from "./run-log.ts";
import { type Caller, type TransactionSql, unawaited, type WriteSql } from "./sql.ts";

/** The writes besides those of the nouns: units of them. */
type UnitWrites = {
  /** Writes in order, all or none: see UnitStore. */
  together(writes: readonly UnitWrite[], options: UnitOptions): Promise<unknown[]>;
  /** A write whose result is kept: see IdempotencyStore. */
  kept(write: UnitWrite, keep: Keep): Promise<unknown>;
};

/** What a write answered, and its newest event; 0 for none. */
export type Done<T = unknown> = { value: T; sequence: number };

/** Every write as its callers see it. */
export type DoneWrites = Record<string, (...rest: unknown[]) => Promise<Done>>;
export type WriteCaller = Caller<DoneWrites>;

const kept = "kept" satisfies keyof UnitWrites;
const together = "together" satisfies keyof UnitWrites;

/** The number of retries of a transaction after a transient failure, with increasing pauses. */
const maxAttempts = 5;
const firstPauseMs = 40;

/** Of calls that have a time so many run at once at first, then so many times more each time. */
const [firstAtOnce, growth] = [4, 4];

/** So many writes of one unit run at once, as they may in a group: what they read is in memory at once. */
const runAtOnce = 50;

/**
 * Runs calls in one transaction, each in a savepoint unless it needs none (see `Noun.alone`); no caller receives a reply
 * before the COMMIT.
 */
export class Writer {
  private readonly sql: WriteSql;
  private readonly index: FieldIndex;
  private readonly nouns: NounSet;
  /** What nouns keep in memory of the store. */
  private readonly kept = new Map<Kept<unknown>, KeptValue<unknown>>();
  /** The unit that is written. */
  private running: RunningUnit | undefined;
  /** What the events of the write that is made belong to; none while several writes are made at once, an event each. */
  private commit: Commit | undefined;
  private readonly on: Pick<Writing, "sql" | "index" | "removeBytes" | keyof WriteOptions>;

  constructor(
    nouns: NounSet,
    sql: WriteSql,
    indexKeys: string[],
    removeBytes: RemoveBytes,
    options: WriteOptions = {},
  ) {
    this.nouns = nouns;
    this.sql = sql;
    this.index = indexWith(sql, indexKeys);
    this.on = {
      sql,
      index: this.index,
      removeBytes,
      keepsHistory: options.keepsHistory ?? true,
      maxReleaseEntries: options.maxReleaseEntries,
    };
  }

  /**
   * One reply for each call, in order. A refused call does not affect the others. Where there are types, whose checks may
   * take long, no further call begins after `maxMs` of work: there are replies for the first ones only.
   */
  async run(calls: readonly Call[], maxMs?: number): Promise<Reply[]> {
    const together = await this.together(calls, 1, maxMs);
    if (together) return together;
    // An unexpected failure rolled back the whole group: run alone, the other calls still succeed and the failing one
    // is identified.
    const replies: Reply[] = [];
    for (const call of calls) replies.push(...(await this.run([call])));
    return replies;
  }

  /** Undefined when any one of several calls may be the cause. */
  private async together(group: readonly Call[], attempt: number, maxMs?: number): Promise<Reply[] | undefined> {
    const { sql } = this;
    let failure: unknown;
    try {
      const runs = [...runsOf(this.nouns, group)];
      await sql.begin(pathsOf(this.nouns, runs));
      // One call is not divided, so nothing is read to decide about it.
      const isBounded = maxMs !== undefined && group.length > 1 && (await this.areCostly());
      const replies = await this.inRuns(isBounded ? inTime(this.nouns, group, maxMs) : runs);
      await sql.commit();
      return replies;
    } catch (error) {
      failure = error;
      this.forget();
      await sql.rollback();
    }
    // Nothing more is written to a damaged database, for any call of the group.
    if (isDamage(failure)) return this.refuse(group, failure);
    const remedy = sql.remedy(failure);
    if (remedy === "divide" && group.length > 1) return undefined;
    if (remedy !== "repeat" || attempt >= maxAttempts) return this.refuse(group, failure);
    await new Promise((resolve) => setTimeout(resolve, firstPauseMs * 2 ** attempt * Math.random()));
    return this.together(group, attempt + 1, maxMs);
  }

  /** What a noun keeps of the store, as it stands in the transaction. */
  private read<T>(kept: Kept<T>): Promise<T> {
    const value = this.kept.get(kept) ?? kept.open(this.sql);
    this.kept.set(kept, value);
    return value.read() as Promise<T>;
  }

  /** Whether writes may take long, as the nouns say. */
  private async areCostly(): Promise<boolean> {
    for (const kept of this.nouns.costs) if ((await this.read(kept)) !== undefined) return true;
    return false;
  }

  /** Drops what was read or made in a transaction that is rolled back. */
  private forget(): void {
    this.index.keyIds.clear();
    for (const value of this.kept.values()) value.clear();
  }

  private refuse(calls: readonly Call[], error: unknown): Reply[] {
    return calls.map(({ id }) => toReply(id, this.sql.translate(error)));
  }

  private async inRuns(runs: Iterable<Run>): Promise<Reply[]> {
    const replies: Reply[] = [];
    for (const run of runs) replies.push(...(await this.inRun(run)));
    return replies;
  }

  /** Replies to calls that do not affect each other. */
  private async inRun(run: Run): Promise<Reply[]> {
    if ("call" in run) return [await this.inSavepoint(run.call)];
    return this.atOnce([...run.byPath.values()]);
  }

  /** Replies to calls that are written at once; their events are in the order of the calls. */
  private atOnce(calls: readonly Call[]): Promise<Reply[]> {
    // Waits for all, also when one fails: no statement may be in progress when the transaction is rolled back.
    return this.toTheEnd(calls.length, (on, log) =>
      allSettled(
        calls.map((call, place) =>
          this.alone({ ...on, append: (event) => this.counted([event], () => log.append(event, place)) }, call).finally(
            () => log.end(),
          ),
        ),
      ),
    );
  }

  /** Does the work in the context of a run of some writes, then one after another what they left for its end. */
  private async toTheEnd<T>(writes: number, work: (on: Writing, log: RunLog) => Promise<T>): Promise<T> {
    const { sql } = this;
    const commit = this.commit;
    const log = new RunLog(sql, writes, commit);
    const left: (() => Promise<unknown>)[] = [];
    const on: Writing = {
      ...this.on,
      links: this.nouns.links,
      parentNumber: parentNumbers(sql),
      entryNumber: numbersOf(sql, "entry", writes),
      append: (event) => this.counted([event], () => log.append(event)),
      appendAll: (events) => this.counted(events, () => appendEvents(sql, events, commit)),
      kept: this.running?.kept ?? readOnce((kept) => this.read(kept)),
      atEnd: (task) => left.push(task),
    };
    const value = await work(on, log);
    for (const task of left) await task();
    return value;
  }

  /** A write that needs no savepoint: what it refuses has changed nothing. */
  private async alone(on: Writing, { id, name, args }: Call): Promise<Reply> {
    try {
      return { id, value: await this.done(on, name, args) };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return toReply(id, error);
    }
  }

  /** Does a write, and notes its newest event. */
  private async done(on: Writing, name: string, args: readonly unknown[]): Promise<Done> {
    let sequence = 0;
    const noting: Writing = {
      ...on,
      append: async (event) => (sequence = await on.append(event)),
      appendAll: async (events) => {
        const sequences = await on.appendAll(events);
        sequence = sequences.at(-1) ?? sequence;
        return sequences;
      },
    };
    const value = await this.write(noting, name, args);
    return { value, sequence };
  }

  /** Does a write of a noun, and keeps its result where that was asked for. */
  private async write(on: Writing, name: string, args: readonly unknown[]): Promise<unknown> {
    if (name !== kept) return this.nouns.writes[name]?.(on, ...args);
    const [write, keep] = args as Parameters<UnitWrites["kept"]>;
    await refuseKept(on.sql, keep);
    const result = await this.nouns.writes[write.name]?.(on, ...write.args);
    if (result !== null) keepResults(on.sql, keep, [result]);
    return result;
  }

  private async inSavepoint({ id, name, args }: Call): Promise<Reply> {
    const { sql } = this;
    unawaited(sql.run("SAVEPOINT one"));
    this.commit = {};
    try {
      const value =
        name === together
          ? await this.unit(...(args as Parameters<UnitWrites["together"]>)).finally(() => {
              this.running = undefined;
            })
          : await this.toTheEnd(1, (on) => this.done(on, name, args));
      unawaited(sql.run("RELEASE SAVEPOINT one"));
      return { id, value };
    } catch (error) {
      if (!(error instanceof Problem || error instanceof Tried)) throw error;
      this.forget();
      await sql.run("ROLLBACK TO SAVEPOINT one");
      await sql.run("RELEASE SAVEPOINT one");
      return error instanceof Tried ? { id, value: error.done } : toReply(id, error);
    } finally {
      this.commit = undefined;
    }
  }

  /** The results of writes in order. Throws the first refusal with its number, and Tried when nothing is to be stored. */
  private async unit(writes: readonly UnitWrite[], { isDryRun, keep }: UnitOptions): Promise<Done<unknown[]>> {
    this.running = {
      things: 0,
      endsMs: performance.now() + unitBounds.ms,
      kept: readTogether((kept) => this.read(kept)),
    };
    if (keep) await refuseKept(this.sql, keep);
    const calls = writes.map(({ name, args }, id): Call => ({ id, name, args: [...args] }));
    const results: unknown[] = [];
    let length = 0;
    let sequence = 0;
    for (const run of runsOf(this.nouns, calls, runAtOnce)) {
      const replies = "call" in run ? [await this.inUnit(run.call)] : await this.atOnce([...run.byPath.values()]);
      for (const reply of replies) {
        if (!("value" in reply)) throw withNumber(toError(reply), reply.id);
        const done = reply.value as Done;
        results.push(done.value);
        sequence = Math.max(sequence, done.sequence);
        length += lengthOfResult(done.value);
        if (length > unitBounds.resultLength)
          throw withNumber(
            problem("batch_too_large", { limit: unitBounds.resultLength, what: "characters of what is answered" }),
            reply.id,
          );
      }
    }
    // The events of a dry run are no more.
    if (isDryRun) throw new Tried({ value: results, sequence: 0 });
    if (keep) keepResults(this.sql, keep, results);
    return { value: results, sequence };
  }

  /** Counts the things that the events are about. Throws batch_too_large when there are too many of one unit. */
  private counted<T>(events: readonly NewEvent[], append: () => Promise<T>): Promise<T> {
    const { running } = this;
    if (running) {
      for (const { count } of events) running.things += count;
      if (running.things > unitBounds.things)
        throw problem("batch_too_large", { limit: unitBounds.things, what: "things that change" });
      if (performance.now() > running.endsMs)
        throw problem("batch_too_large", { limit: unitBounds.ms, what: "milliseconds of work" });
    }
    return append();
  }

  private async inUnit(call: Call): Promise<Reply> {
    return this.toTheEnd(1, (on) => this.alone(on, call));
  }
}

/** A unit while it is written: the things that it has changed, when its time ends, and what nouns keep for all of it. */
type RunningUnit = { things: number; readonly endsMs: number; readonly kept: KeptReader };

/** The results of a dry run, whose writes are to be rolled back. */
class Tried extends Error {
  readonly done: Done<unknown[]>;
  constructor(done: Done<unknown[]>) {
    super("tried");
    this.done = done;
  }
}

/** The refusal of a write of a unit, with the number of that. */
const withNumber = (error: Error, operation: number): Error =>
  error instanceof Problem ? error.ofOperation(operation) : error;

/** The characters of a result's texts. */
function lengthOfResult(result: unknown): number {
  if (typeof result === "string") return result.length;
  if (typeof result !== "object" || result === null) return 0;
  return Object.values(result).reduce((sum: number, value) => sum + lengthOfResult(value), 0);
}

/** Calls that do not affect each other: writes of one path each, by path, or one call without such a path. */
type Run = { byPath: ReadonlyMap<string, Call> } | { call: Call };

/** The path of what the call alone writes, if it has one. */
function pathOf(nouns: NounSet, { name, args }: Pick<Call, "name"> & { args: readonly unknown[] }): string | undefined {
  return name === kept ? pathOf(nouns, args[0] as UnitWrite) : nouns.pathsAlone[name]?.(...args);
}

/** Runs of the calls, in order, as long as the time is not over. */
function* inTime(nouns: NounSet, calls: readonly Call[], maxMs: number): Generator<Run> {
  const endsMs = performance.now() + maxMs;
  let most = firstAtOnce;
  for (let begun = 0; begun < calls.length; most *= growth) {
    for (const run of runsOf(nouns, calls.slice(begun, begun + most))) {
      yield run;
      if (performance.now() > endsMs) return;
    }
    begun += most;
  }
}

/** Splits calls, in order, into runs of at most so many. */
function* runsOf(nouns: NounSet, calls: readonly Call[], most = Number.POSITIVE_INFINITY): Generator<Run> {
  let byPath = new Map<string, Call>();
  for (const call of calls) {
    const path = pathOf(nouns, call);
    if (byPath.size > 0 && (path === undefined || byPath.has(path) || byPath.size === most)) {
      yield { byPath };
      byPath = new Map();
    }
    if (path === undefined) yield { call };
    else byPath.set(path, call);
  }
  if (byPath.size > 0) yield { byPath };
}

/** The paths that a transaction of these runs locks; undefined when it locks everything. */
function pathsOf({ writesBeside }: NounSet, [first, second]: readonly Run[]): string[] | undefined {
  if (!first || second) return undefined;
  if ("byPath" in first) return [...first.byPath.keys()];
  return writesBeside.has(first.call.name) ? [] : undefined;
}

/** Numbers for new rows of the table, which are asked for at once when the first is needed. */
function numbersOf(sql: TransactionSql, table: string, count: number): () => Promise<number> {
  let asked: Promise<number[]> | undefined;
  let given = 0;
  return async () => {
    const at = given++;
    asked ??= Promise.resolve(sql.numbers(table, count));
    return (await asked)[at] as number;
  };
}
