import { AtOnce } from "../core/lib/at-once.ts";
import { type Path, parsePathBelowRoot } from "../core/path.ts";
import { Problem } from "../core/problem.ts";
import type { PutOutcome } from "../entry/entry.ts";
import { NotImported } from "./import-entry.ts";
import { type ImportOptions, type ImportReport, noCounts } from "./import-report.ts";
import type { ImportTarget } from "./import-target.ts";
import { isPlaceholder, type Layout, type Project, type ProjectItem, UnreadableFile } from "./moving.ts";
import { readPortable } from "./portable-name.ts";

/** What each part of an import does alike: find things, try each, and report what became of it. */

/**
 * So many entries, and bytes of their files, are written at once: a few transactions of them. More would only be in
 * memory, and in front of other writes of this process.
 */
const [maxWaiting, maxWaitingBytes] = [256, 4 * 1024 * 1024];

export class ImportRun {
  protected readonly target: ImportTarget;
  protected readonly project: Project;
  protected readonly layout: Layout;
  protected readonly options: ImportOptions;
  protected readonly report: ImportReport;
  protected done = 0;

  constructor(target: ImportTarget, project: Project, layout: Layout, options: ImportOptions) {
    this.target = target;
    this.project = project;
    this.layout = layout;
    this.options = options;
    const counts = { entries: noCounts(), files: noCounts(), folders: noCounts(), tokens: noCounts() };
    const translations = options.locales && { translations: noCounts() };
    const lists = { conflicts: [], refused: [], left: [], notes: [], secrets: [] };
    this.report = { layout: layout.kind, ...counts, ...translations, ...lists };
  }

  protected writes(): AtOnce {
    // The store's own work waits in its queue, too.
    const ours = Math.ceil(this.options.maxPendingWrites / 2);
    return new AtOnce(Math.min(maxWaiting, ours), maxWaitingBytes);
  }

  protected *foundIn(folder: string, enters: (path: string) => boolean): Generator<ProjectItem> {
    if (folder === "" || this.project.kindOf(folder) === "folder") yield* this.project.walk(folder, enters);
  }

  /**
   * Runs the work on one thing; what makes it impossible for this thing alone is reported. What the work answers, if it is
   * a function, writes into the report, in the order of the folder: not before `turn`, the attempt before, has ended.
   */
  protected async attempt(from: string, work: () => unknown, turn?: Promise<void>): Promise<void> {
    try {
      const record = await work();
      await turn;
      if (typeof record === "function") record();
    } catch (error) {
      await turn;
      const isRefusal = error instanceof Problem && !["busy", "storage", "internal"].includes(error.kind);
      if (!isRefusal && !(error instanceof NotImported) && !(error instanceof UnreadableFile)) throw error;
      if (!(error instanceof UnreadableFile) && conflicts.has(error.code ?? "")) this.report.conflicts.push(from);
      else this.report.refused.push({ from, why: error.message });
    }
    this.options.onProgress(++this.done);
  }

  /** The disk's own reason comes first. A file that only keeps its folder has nothing to lose. */
  protected leave(found: ProjectItem, why: string): void {
    if (isPlaceholder(found)) return;
    this.report.left.push({ from: found.path, why: found.kind === "other" ? found.why : why });
  }

  protected count(
    noun: "entries" | "translations" | "files" | "folders" | "tokens",
    outcome: PutOutcome | "conflict",
    path: string,
  ): void {
    const counts = this.report[noun];
    if (outcome === "conflict") this.report.conflicts.push(`${singular[noun]} ${path}`);
    else if (counts) counts[outcome]++;
  }

  /** The path in the store. Throws NotImported. */
  protected pathOf(written: string, what: string): Path {
    const path = this.layout.kind === "export" ? readPortable(written) : written;
    if (path === undefined) throw new NotImported("its name is not one that octavo export writes: % begins an escape");
    const isRoot = path === "" && this.options.into === "";
    // The page of the whole folder, where nothing above it has a name.
    if (isRoot && this.layout.kind === "markdown") return "index" as Path;
    if (isRoot) throw new NotImported(`${what} at the root has no path; --into gives it one`);
    return parsePathBelowRoot("path", [this.options.into, path].filter(Boolean).join("/"));
  }
}

const singular = { entries: "entry", translations: "translation", files: "file", folders: "folder", tokens: "token" };

/** Refusals of what is there. */
const conflicts: ReadonlySet<string> = new Set(["file_exists", "folder_exists"]);

export const below = (folder: string, path: string): string => (folder === "" ? path : path.slice(folder.length + 1));
