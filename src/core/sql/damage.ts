import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { caused, isProblem, type Problem, problem } from "../problem.ts";
import type { Caller, Operations } from "./sql.ts";

/** Damage of the database itself: how it is detected, recorded and reported. Decision 20. */

/** SQLITE_CORRUPT and SQLITE_NOTADB, whose extended codes have these in the lowest byte. */
const sqliteCodes = new Set([11, 26]);
/** Pages that cannot be read from the disk: SQLITE_IOERR_READ, _SHORT_READ, _DATA, _CORRUPTFS. */
const unreadableCodes = new Set([266, 522, 8202, 8458]);
/** data_corrupted, index_corrupted. */
const postgresCodes = new Set(["XX001", "XX002"]);

/** True for the errors with which an engine reports damage. */
export function isDamage(error: unknown): boolean {
  const { errcode = 0, code = "" } = (error ?? {}) as { errcode?: number; code?: string };
  return sqliteCodes.has(errcode & 0xff) || unreadableCodes.has(errcode) || postgresCodes.has(code);
}

/** The problem for an engine's damage error. */
export const storeDamaged = (cause: unknown): Problem => caused(problem("store_damaged"), cause);

export type OnDamage = (faults: readonly string[]) => void;

/** How often a process reads what other processes of the store have recorded. */
const pollMs = 1000;

/**
 * The known damage. With a file it is recorded there, beside the database, so that every process of the store knows it,
 * also one that starts later. A check that finds no damage removes the file. If the file cannot be written, only this
 * process knows the damage.
 */
export class Damage {
  private readonly file: string | undefined;
  private readonly onDamage: OnDamage;
  private readonly timer: NodeJS.Timeout | undefined;
  private known: readonly string[] = [];
  private isRecorded = false;

  /** Calls `onDamage` when damage becomes known, whichever process found it. */
  constructor(file: string | undefined, onDamage: OnDamage = () => undefined) {
    this.file = file;
    this.onDamage = onDamage;
    if (file === undefined) return;
    this.learn(readRecord(file));
    this.timer = setInterval(() => void this.poll(file), pollMs);
    this.timer.unref();
  }

  /** Sentences about the known damage; empty while none is known. */
  get faults(): readonly string[] {
    return this.known;
  }

  /** Records an error if it reports damage. */
  note = (error: unknown): void => {
    if (!isProblem(error, "store_damaged") || error.cause === undefined) return;
    if (this.known.length === 0) this.found([`The database: ${firstLine(error.cause)}`]);
  };

  found(faults: readonly string[]): void {
    this.isRecorded = this.file !== undefined && writeRecord(this.file, faults);
    this.learn(faults);
  }

  /** Forgets the damage: a check of the whole database found none. */
  clear(): void {
    if (this.file !== undefined) rmSync(this.file, { force: true });
    this.isRecorded = false;
    this.known = [];
  }

  /** Throws store_damaged once damage is known. */
  refuse(): void {
    if (this.known.length > 0) throw problem("store_damaged");
  }

  close(): void {
    clearInterval(this.timer);
  }

  private async poll(file: string): Promise<void> {
    const recorded = await readFile(file, "utf8").then(toFaults, unreadable);
    if (recorded.length > 0) {
      this.isRecorded = true;
      this.learn(recorded);
    } else if (this.isRecorded) {
      this.isRecorded = false;
      this.known = [];
    }
  }

  private learn(faults: readonly string[]): void {
    const isNew = this.known.length === 0 && faults.length > 0;
    if (faults.length > 0) this.known = faults;
    if (isNew) this.onDamage(faults);
  }
}

/** The writes of a store, refused with store_damaged once damage is known, before anything is sent to the engine. */
export const unlessDamaged = <T extends Operations>(writer: Caller<T>, damage: Damage): Caller<T> => ({
  call: (name, ...args) =>
    damage.faults.length > 0 ? Promise.reject(problem("store_damaged")) : writer.call(name, ...args),
});

const firstLine = (cause: unknown): string =>
  String(cause instanceof Error ? cause.message : cause)
    .split("\n", 1)
    .join()
    .replace(/^Error: /, "");

// ---------------------------------------------------------------------------------------------- the record in the file

/** Returns false if the file cannot be written, as on a full or read-only disk. */
function writeRecord(file: string, faults: readonly string[]): boolean {
  try {
    writeFileSync(file, `${[`Found at ${new Date().toISOString()}`, ...faults].join("\n")}\n`, { mode: 0o600 });
    return true;
  } catch {
    return false;
  }
}

function readRecord(file: string): readonly string[] {
  try {
    return toFaults(readFileSync(file, "utf8"));
  } catch (error) {
    return unreadable(error);
  }
}

/** An empty file, left by a full disk, records damage as well. */
function toFaults(text: string): readonly string[] {
  const faults = text.split("\n").slice(1).filter(Boolean);
  return faults.length > 0 ? faults : ["The database was found damaged"];
}

/** The command line may have written it as another user. */
const unreadable = (error: unknown): readonly string[] =>
  (error as NodeJS.ErrnoException).code === "ENOENT"
    ? []
    : ["The database was found damaged; the file that says where cannot be read"];
