import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { Problem, problem } from "../../domain/problem.ts";
import type { Caller, Operations } from "./sql.ts";

/** A database whose own structure is broken, or cannot be read: how that is recognised, remembered and told. Decision 19. */

/** SQLITE_CORRUPT and SQLITE_NOTADB, whose extended codes have them in the lowest byte. */
const sqliteCodes = new Set([11, 26]);
/** Pages that the disk does not give: SQLITE_IOERR_READ, _SHORT_READ, _DATA, _CORRUPTFS. */
const unreadableCodes = new Set([266, 522, 8202, 8458]);
/** data_corrupted, index_corrupted. */
const postgresCodes = new Set(["XX001", "XX002"]);

/** True for what an engine says when it meets damage. */
export function isDamage(error: unknown): boolean {
  const { errcode = 0, code = "" } = (error ?? {}) as { errcode?: number; code?: string };
  return sqliteCodes.has(errcode & 0xff) || unreadableCodes.has(errcode) || postgresCodes.has(code);
}

/** The problem in place of what the engine said. */
export function storeDamaged(cause: unknown): Problem {
  const damaged = problem("store_damaged");
  damaged.cause = cause;
  return damaged;
}

export type OnDamage = (faults: readonly string[]) => void;

/** How soon a process knows what another one of the store has found. */
const lookEveryMs = 1000;

/**
 * What is known of the damage. With a file it is noted there, beside the database, so that every process of the store
 * knows, also one that starts later; who finds the database whole removes it. Where it cannot be written this process
 * remembers it alone.
 */
export class Damage {
  private readonly file: string | undefined;
  private readonly onDamage: OnDamage;
  private readonly timer: NodeJS.Timeout | undefined;
  private known: readonly string[] = [];
  private isNoted = false;

  /** `onDamage` hears once of each finding, whichever process made it. */
  constructor(file: string | undefined, onDamage: OnDamage = () => undefined) {
    this.file = file;
    this.onDamage = onDamage;
    if (file === undefined) return;
    this.learn(readNote(file));
    this.timer = setInterval(() => void this.look(file), lookEveryMs);
    this.timer.unref();
  }

  /** Sentences about what was found; none while nothing is known. */
  get faults(): readonly string[] {
    return this.known;
  }

  /** Takes note of a failure if it is one of damage. */
  note = (error: unknown): void => {
    if (!(error instanceof Problem) || error.code !== "store_damaged" || error.cause === undefined) return;
    if (this.known.length === 0) this.found([`The database: ${firstLine(error.cause)}`]);
  };

  found(faults: readonly string[]): void {
    this.isNoted = this.file !== undefined && writeNote(this.file, faults);
    this.learn(faults);
  }

  /** The whole database was looked at, and nothing is wrong with it. */
  clear(): void {
    if (this.file !== undefined) rmSync(this.file, { force: true });
    this.isNoted = false;
    this.known = [];
  }

  /** Throws store_damaged once damage is known. */
  refuse(): void {
    if (this.known.length > 0) throw problem("store_damaged");
  }

  close(): void {
    clearInterval(this.timer);
  }

  private async look(file: string): Promise<void> {
    const noted = await readFile(file, "utf8").then(toFaults, unreadable);
    if (noted.length > 0) {
      this.isNoted = true;
      this.learn(noted);
    } else if (this.isNoted) {
      this.isNoted = false;
      this.known = [];
    }
  }

  private learn(faults: readonly string[]): void {
    const isNews = this.known.length === 0 && faults.length > 0;
    if (faults.length > 0) this.known = faults;
    if (isNews) this.onDamage(faults);
  }
}

/** The writes of a store: refused as soon as damage is known, before anything is sent. */
export const unlessDamaged = <T extends Operations>(writer: Caller<T>, damage: Damage): Caller<T> => ({
  call: (name, ...args) =>
    damage.faults.length > 0 ? Promise.reject(problem("store_damaged")) : writer.call(name, ...args),
});

const firstLine = (cause: unknown): string =>
  String(cause instanceof Error ? cause.message : cause)
    .split("\n", 1)
    .join()
    .replace(/^Error: /, "");

// ---------------------------------------------------------------------------------------------- the note in the file

/** Answers whether it is there: a full or read-only disk takes none. */
function writeNote(file: string, faults: readonly string[]): boolean {
  try {
    writeFileSync(file, `${[`Found at ${new Date().toISOString()}`, ...faults].join("\n")}\n`, { mode: 0o600 });
    return true;
  } catch {
    return false;
  }
}

function readNote(file: string): readonly string[] {
  try {
    return toFaults(readFileSync(file, "utf8"));
  } catch (error) {
    return unreadable(error);
  }
}

/** An empty note, of a disk that was full, says as much as a whole one. */
function toFaults(text: string): readonly string[] {
  const faults = text.split("\n").slice(1).filter(Boolean);
  return faults.length > 0 ? faults : ["The database was found damaged"];
}

/** The command line may have written it as another user. */
const unreadable = (error: unknown): readonly string[] =>
  (error as NodeJS.ErrnoException).code === "ENOENT" ? [] : ["The database was found damaged; its note cannot be read"];
