import type { Path } from "../core/path.ts";
import type { EntryState, ImportPolicy, PutOutcome } from "../entry/entry.ts";
import type { Note } from "./import-entry.ts";
import type { FileMeta, PresentFields } from "./import-file.ts";
import type { ReadToken } from "./import-token.ts";
import type { FoundFile, Layout } from "./moving.ts";

/** Where an import brings what it reads: a store on this machine, or a service. */

/** A file that is there, as an import compares it. */
export type PresentFile = PresentFields & {
  size: number;
  /** Whether it has the bytes with this SHA-256. */
  hasHash(hash: string): boolean;
};

/** A file with the bytes that are to be stored, and what its metadata say. */
export type ReadFile = { path: Path; found: FoundFile; open(): AsyncIterable<Uint8Array>; meta: FileMeta };

/** What the file of a translation states. `name` is the last part of its path. */
export type StatedTranslation = Pick<EntryState, "data" | "fields" | "onConflict" | "isDryRun"> & {
  name: string | null;
};

/** What becomes of a file: `isDryRun` checks what can be checked, and writes nothing. */
export type FileRules = { onConflict: ImportPolicy; isDryRun: boolean; layout: Layout["kind"] };

/**
 * Each method is one write, or none in a dry run. A thing that cannot be taken rejects with a problem or NotImported; what
 * ends the import with anything else. What it does not keep of a thing is added to its notes.
 */
export interface ImportTarget {
  /** Whether nothing is there that could be in conflict; false where that is not known. */
  isEmpty(): Promise<boolean>;
  /** Before the first write of a run. */
  begin(): Promise<void>;
  /** `conflict` where it is there, differs, and the policy is `fail`. */
  putEntry(slug: Path, state: EntryState, notes: Note[]): Promise<PutOutcome | "conflict">;
  hasEntry(slug: Path): Promise<boolean>;
  /** `conflict` as of an entry. Keys that its type does not let be translated are not taken, and noted. */
  putTranslation(slug: Path, locale: string, state: StatedTranslation, notes: Note[]): Promise<PutOutcome | "conflict">;
  findFile(path: Path): Promise<PresentFile | undefined>;
  hasFolder(path: Path): Promise<boolean>;
  createFolder(path: Path): Promise<void>;
  /** Whether the file is under another name for a moment, which may be that of one of the others: it comes after them. */
  comesLast(file: Pick<ReadFile, "path" | "meta">): Promise<boolean>;
  /** Creates it, or replaces it where the policy is `replace`. Throws file_exists, folder_exists. */
  putFile(file: ReadFile, rules: FileRules, notes: Note[]): Promise<void>;
  /** `unchanged` where it is there. With `isDryRun` nothing is written. */
  putToken(token: ReadToken, isDryRun: boolean, notes: Note[]): Promise<NewToken>;
}

/** What became of a token; `secret` is its text where that is a new one, which is shown once. */
export type NewToken = { outcome: "created" | "unchanged"; secret?: string };
