import type { WriteContext } from "../core/event.ts";
import type { Path } from "../core/path.ts";
import type { ImportPolicy, PutOutcome } from "../entry/entry.ts";
import type { Locales } from "../translation/locale.ts";
import type { UploadRules } from "../upload/upload.ts";
import type { LinkFinder } from "./import-attachment.ts";
import type { Layout } from "./moving.ts";

/** What an import is asked to do, and what it answers. */

export type ImportOptions = {
  /** Entries and files are imported below this path; the root for none. */
  into: Path;
  /** The files of a folder of Markdown are imported below this path. */
  files?: { below: Path; findLinks: LinkFinder };
  /** Those of the store or service. */
  locales: Locales | undefined;
  /** The folders at the top of a folder of Markdown are locales. */
  localeFolders: boolean;
  onConflict: ImportPolicy;
  /** Reads everything, writes nothing. */
  isDryRun: boolean;
  rules: UploadRules;
  maxKeys: number;
  /** Writes that the store lets wait; further ones are refused as `busy`. */
  maxPendingWrites: number;
  context: WriteContext;
  onProgress(done: number): void;
};

/** Writes into the report what became of a thing. */
export type Recorded = () => void;
export type Counts = Record<PutOutcome, number>;
export type About = { from: string; why: string };

/** What became of everything in the folder. */
export type ImportReport = {
  layout: Layout["kind"];
  entries: Counts;
  /** Undefined where there are no locales. */
  translations?: Counts;
  files: Counts;
  folders: Counts;
  tokens: Counts;
  /** What is there and differs, under the policy `fail`: then nothing was written. */
  conflicts: string[];
  /** Entries, files and tokens that could not be taken. */
  refused: About[];
  /** What has no place in the store. */
  left: About[];
  /** Parts of imported things that have no effect any more, or were changed. */
  notes: About[];
  /** The texts of tokens that have a new one. */
  secrets: { from: string; token: string }[];
};

/** What is true of many files, and is noted at the first. */
export class Repeated {
  private readonly from: string[] = [];

  add(from: string): void {
    this.from.push(from);
  }

  note({ notes }: ImportReport, why: string): void {
    const [from, ...others] = this.from;
    const more = others.length > 0 ? `, here and in ${others.length} more` : "";
    if (from !== undefined) notes.push({ from, why: why + more });
  }
}

export const noCounts = (): Counts => ({ created: 0, replaced: 0, unchanged: 0, skipped: 0 });
