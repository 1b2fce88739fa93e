import { AtOnce } from "../core/lib/at-once.ts";
import { sha256Of } from "../core/lib/sha256.ts";
import { type Path, parentOf, parsePathBelowRoot } from "../core/path.ts";
import { Problem } from "../core/problem.ts";
import type { PutOutcome } from "../entry/entry.ts";
import { problem } from "../file/problems.ts";
import { Attachments, isPicture } from "./import-attachment.ts";
import { maxEntryFileBytes, NotImported, readEntryFile } from "./import-entry.ts";
import { type FileMeta, hasSameFields, readMeta } from "./import-file.ts";
import { refuseUnfinished } from "./import-marker.ts";
import { Site } from "./import-page.ts";
import { ImportPaths } from "./import-path.ts";
import { type ImportOptions, type ImportReport, noCounts, type Recorded } from "./import-report.ts";
import type { ImportTarget, PresentFile } from "./import-target.ts";
import { mergedToken, type ReadToken, readToken, tokenPlace } from "./import-token.ts";
import {
  entryPlace,
  exportMarker,
  type FoundFile,
  isHidden,
  isImportedPart,
  isPlaceholder,
  type Layout,
  layoutOf,
  otherForm,
  type Project,
  type ProjectItem,
  UnreadableFile,
  uploadFolders,
} from "./moving.ts";
import { readPortable } from "./portable-name.ts";

/**
 * Brings a project of the original, an export or a folder of Markdown files into the store, thing by thing: each is one
 * write as a client makes it, with its event, so a run can be interrupted at any time and repeated. Decision 56.
 */

/**
 * Imports the folder. With the policy `fail` everything is compared first, and nothing is written where there is a
 * conflict. Throws `busy` and what the stores throw; what was written until then stays, and another run finds it
 * unchanged. Throws NotImported for an export that was interrupted.
 */
export async function importProject(
  target: ImportTarget,
  project: Project,
  options: ImportOptions,
): Promise<ImportReport> {
  const layout = layoutOf(project);
  refuseUnfinished(project, layout);
  if (options.files && layout.kind !== "markdown")
    throw new NotImported("its files come along below --into: --files is for a folder of Markdown");
  if (options.onConflict === "fail" && !options.isDryRun && !(await target.isEmpty())) {
    const report = await new Import(target, project, layout, { ...options, isDryRun: true }).run();
    if (report.conflicts.length > 0) return report;
  }
  return new Import(target, project, layout, options).run();
}

/**
 * So many entries, and bytes of their files, are written at once: a few transactions of them. More would only be in
 * memory, and in front of other writes of this process.
 */
const [maxWaiting, maxWaitingBytes] = [256, 4 * 1024 * 1024];

class Import {
  private readonly target: ImportTarget;
  private readonly project: Project;
  private readonly layout: Layout;
  private readonly options: ImportOptions;
  private readonly report: ImportReport;
  /** The entries of this run, each with the file that it is from. */
  private readonly taken = new Map<Path, string>();
  private readonly places = new ImportPaths();
  private readonly site: Site;
  private readonly attachments: Attachments | undefined;
  /** The first file with comments that are lost, and how many there are. */
  private readonly commented: string[] = [];
  /** The files that come after the others. */
  private readonly last: { path: Path; found: FoundFile; metaPath: string }[] = [];
  private done = 0;

  constructor(target: ImportTarget, project: Project, layout: Layout, options: ImportOptions) {
    this.target = target;
    this.project = project;
    this.layout = layout;
    this.options = options;
    const counts = { entries: noCounts(), files: noCounts(), folders: noCounts(), tokens: noCounts() };
    this.report = { layout: layout.kind, ...counts, conflicts: [], refused: [], left: [], notes: [], secrets: [] };
    this.site = new Site(project);
    this.attachments = options.files && new Attachments(project, options.files.findLinks, options.rules.extensions);
  }

  async run(): Promise<ImportReport> {
    const { kind, top } = this.layout;
    await this.target.begin();
    if (this.attachments) await this.importAttachments(this.attachments);
    await this.importEntries(kind === "markdown" ? "" : `${top}entries`);
    this.noteComments();
    if (kind === "markdown") return this.report;
    for (const [folder, to] of uploadFolders) await this.importFiles(top + folder, to);
    await this.importTokens(`${top}tokens`);
    this.reportRest(top);
    return this.report;
  }

  private writes(): AtOnce {
    // The store's own work waits in its queue, too.
    const ours = Math.ceil(this.options.maxPendingWrites / 2);
    return new AtOnce(Math.min(maxWaiting, ours), maxWaitingBytes);
  }

  // -------------------------------------------------------------------------------------------------------- entries

  private async importEntries(folder: string): Promise<void> {
    const writes = this.writes();
    const enters = (path: string): boolean => {
      if (this.layout.kind !== "markdown" || !isHidden(path)) return true;
      this.leave({ path, kind: "folder" }, "hidden folders and node_modules are not read");
      return false;
    };
    for (const found of this.foundIn(folder, enters)) {
      if (found.kind === "folder") continue;
      const size = found.kind === "file" ? found.size : 0;
      await writes.start(() => this.attempt(found.path, () => this.importEntry(folder, found)), size);
    }
    await writes.end();
  }

  private async importEntry(folder: string, found: ProjectItem): Promise<void> {
    const { path: from } = found;
    const place = entryPlace(below(folder, from), this.layout.kind);
    if (found.kind !== "file" || !place) return this.leaveBeside(found);
    const other = otherForm(this.project, from);
    if (other) throw new NotImported(`${other} is beside it and is the entry`);
    const slug = this.pathOf(place.id, "the entry");
    this.take(slug, from);
    const bytes = this.project.read(from, maxEntryFileBytes);
    const { context, onConflict, maxKeys, isDryRun } = this.options;
    const page = this.layout.kind === "markdown" ? { path: from, site: this.site } : undefined;
    const file = { bytes, extension: place.extension, modifiedSeconds: found.modifiedSeconds, slug, page };
    const { state, notes, hasComments } = readEntryFile(file, context.nowSeconds, this.attachments?.relink);
    if (hasComments) this.commented.push(from);
    const outcome = await this.target.putEntry(slug, { ...state, onConflict, maxKeys, isDryRun }, notes);
    this.count("entries", outcome, slug);
    for (const why of notes) this.report.notes.push({ from, why });
  }

  /** What is no entry, and was not taken as a file. */
  private leaveBeside(found: ProjectItem): void {
    if (this.attachments?.isWanted(found)) return;
    const picture = this.attachments ? "its type is not accepted" : "a picture: --files PREFIX takes it along";
    const other = this.attachments ? ", and no accepted file that a text links to" : "";
    const isBeside = this.layout.kind === "markdown" && isPicture(found.path);
    this.leave(found, isBeside ? picture : `it is no file of an entry${other}`);
  }

  private noteComments(): void {
    const [from] = this.commented;
    if (from === undefined) return;
    const others = this.commented.length - 1;
    const more = others > 0 ? `, here and in ${others} more` : "";
    const why = `comments in front matter are not kept${more}`;
    this.report.notes.push({ from, why });
  }

  // ---------------------------------------------------------------------------------------------------------- files

  private async importAttachments(attachments: Attachments): Promise<void> {
    const { below: prefix } = this.options.files ?? {};
    for (const found of attachments.wanted()) {
      await this.attempt(found.path, async () => {
        const path = parsePathBelowRoot("path", [prefix, found.path].filter(Boolean).join("/"));
        const recorded = await this.importFile(path, found, undefined);
        attachments.add(found, path);
        return recorded;
      });
    }
  }

  /** Many at once: what they write shares transactions, and the disk makes the bytes of several durable in one go. */
  private async importFiles(folder: string, to: string): Promise<void> {
    const meta = `${folder}/.meta`;
    const writes = this.writes();
    let last: Promise<void> = Promise.resolve();
    for (const found of this.foundIn(folder, (path) => path !== meta)) {
      if (isPlaceholder(found)) continue;
      const size = found.kind === "file" ? found.size : 0;
      const work = () => {
        const id = [to, below(folder, found.path)].filter(Boolean).join("/");
        if (found.kind === "folder") return this.importFolder(id, found.path);
        if (found.kind === "file")
          return this.importFile(this.pathOf(id, "the file"), found, `${meta}/${below(folder, found.path)}.yaml`, true);
        return this.leave(found, "");
      };
      const turn = last;
      await writes.start(() => {
        last = this.attempt(found.path, work, turn);
        return last;
      }, size);
    }
    await writes.end();
    await this.importLast();
    for (const found of this.foundIn(meta, () => true)) {
      const file = `${folder}/${below(meta, found.path).replace(/\.yaml$/, "")}`;
      if (found.kind === "file" && this.project.kindOf(file) !== "file")
        this.leave(found, "metadata of a file that is not there");
    }
  }

  /** One by one, in the order of their numbers, which they get again so. */
  private async importLast(): Promise<void> {
    const rows = this.last.splice(0).sort((a, b) => inOrder.compare(a.path, b.path));
    this.done -= rows.length;
    for (const { path, found, metaPath } of rows)
      await this.attempt(found.path, () => this.importFile(path, found, metaPath));
  }

  private async importFolder(id: string, from: string): Promise<Recorded | undefined> {
    // A part of a long name is no folder.
    if (this.layout.kind === "export" && from.endsWith("%")) return undefined;
    const { isDryRun } = this.options;
    const path = this.pathOf(id, "the folder");
    return this.places.hold(path, async () => {
      this.places.refuse(path, "folder");
      await this.refuseTaken(path, "folder");
      const isThere = this.places.hasFolder(path) || (await this.target.hasFolder(path));
      if (!isThere && !isDryRun) await this.target.createFolder(path);
      this.places.add(path, "folder", from);
      return () => this.count("folders", isThere ? "unchanged" : "created", path);
    });
  }

  private async importFile(
    path: Path,
    found: FoundFile,
    metaPath: string | undefined,
    mayWait = false,
  ): Promise<Recorded | undefined> {
    return this.places.hold(path, async () => {
      this.places.refuse(path, "file");
      const hasMeta = metaPath !== undefined && this.project.kindOf(metaPath) === "file";
      const text = hasMeta ? this.project.read(metaPath, maxEntryFileBytes) : undefined;
      const { context, isDryRun } = this.options;
      const meta = readMeta(text, path, found.modifiedSeconds, context.nowSeconds, this.layout.kind);
      if (mayWait && metaPath !== undefined && !isDryRun && (await this.target.comesLast({ path, meta }))) {
        this.last.push({ path, found, metaPath });
        return undefined;
      }
      const current = await this.target.findFile(path);
      if (!current) await this.refuseTaken(path, "file");
      const outcome = current ? await this.fileOutcome(current, meta, found) : "created";
      const notes: string[] = [];
      if (outcome === "created" || outcome === "replaced") await this.putFile(path, found, meta, notes);
      this.places.add(path, "file", found.path);
      return () => {
        this.count("files", outcome, path);
        for (const why of notes) this.report.notes.push({ from: found.path, why });
      };
    });
  }

  /** What the store refuses, before anything is written. Throws folder_exists, file_exists. */
  private async refuseTaken(path: Path, noun: "file" | "folder"): Promise<void> {
    if (noun === "file" && (await this.target.hasFolder(path)))
      throw problem("folder_exists", { argument: "path", path });
    for (let at = noun === "folder" ? path : parentOf(path); at !== ""; at = parentOf(at))
      if (await this.target.findFile(at)) throw problem("file_exists", { argument: "path", path: at });
  }

  private async fileOutcome(file: PresentFile, meta: FileMeta, { path, size }: FoundFile) {
    const { onConflict } = this.options;
    if (hasSameFields(file, meta) && file.size === size && file.hasHash((await sha256Of(this.project.open(path))).hash))
      return "unchanged";
    if (onConflict === "fail") return "conflict";
    return onConflict === "skip" ? "skipped" : "replaced";
  }

  private putFile(path: Path, found: FoundFile, meta: FileMeta, notes: string[]): Promise<void> {
    const { onConflict, isDryRun } = this.options;
    const file = { path, found, open: () => this.project.open(found.path), meta };
    return this.target.putFile(file, { onConflict, isDryRun, layout: this.layout.kind }, notes);
  }

  // --------------------------------------------------------------------------------------------------------- tokens

  private async importTokens(folder: string): Promise<void> {
    const read = new Map<string, ReadToken>();
    const numbers = new Map<string, number>();
    for (const found of this.foundIn(folder, () => true)) {
      if (found.kind === "folder" || isPlaceholder(found)) continue;
      const place = tokenPlace(below(folder, found.path));
      if (!place || found.kind !== "file") {
        // The name of the file above may be a secret.
        this.leave({ ...found, path: `${folder}/…` }, "it is no file of a token");
        continue;
      }
      const { family, secret } = place;
      const number = (numbers.get(family) ?? 0) + 1;
      numbers.set(family, number);
      const from = `${folder}/${family} (number ${number})`;
      await this.attempt(from, () => {
        const bytes = this.project.read(found.path, maxEntryFileBytes);
        const one = readToken(family, secret, bytes, this.options.context.nowSeconds);
        const other = read.get(secret);
        read.set(secret, other ? mergedToken(other, one) : { ...one, from });
      });
    }
    for (const one of read.values()) await this.attempt(one.from, () => this.importToken(one));
  }

  private async importToken(read: ReadToken): Promise<void> {
    const { from } = read;
    const notes = [...read.notes];
    const { outcome, secret } = await this.target.putToken(read, this.options.isDryRun, notes);
    for (const why of notes) this.report.notes.push({ from, why });
    this.count("tokens", outcome, from);
    if (secret !== undefined) this.report.secrets.push({ from, token: secret });
  }

  // ------------------------------------------------------------------------------------------------------ the report

  /** Parts of a project that have no place here, each once. */
  private reportRest(top: string): void {
    const leave = (path: string): boolean => {
      if (!isImportedPart(path.slice(top.length))) this.leave({ path, kind: "folder" }, unknownPart);
      return false;
    };
    for (const found of this.foundIn(top.replace(/\/$/, ""), leave)) {
      if (found.path !== top + exportMarker) this.leave(found, unknownPart);
    }
  }

  private *foundIn(folder: string, enters: (path: string) => boolean): Generator<ProjectItem> {
    if (folder === "" || this.project.kindOf(folder) === "folder") yield* this.project.walk(folder, enters);
  }

  /**
   * Runs the work on one thing; what makes it impossible for this thing alone is reported. What the work answers, if it is
   * a function, writes into the report, in the order of the folder: not before `turn`, the attempt before, has ended.
   */
  private async attempt(from: string, work: () => unknown, turn?: Promise<void>): Promise<void> {
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
  private leave(found: ProjectItem, why: string): void {
    if (isPlaceholder(found)) return;
    this.report.left.push({ from: found.path, why: found.kind === "other" ? found.why : why });
  }

  private count(
    noun: "entries" | "files" | "folders" | "tokens",
    outcome: PutOutcome | "conflict",
    path: string,
  ): void {
    if (outcome === "conflict") this.report.conflicts.push(`${noun === "files" ? "file" : "entry"} ${path}`);
    else this.report[noun][outcome]++;
  }

  /** The path in the store. Throws NotImported. */
  private pathOf(written: string, what: string): Path {
    const path = this.layout.kind === "export" ? readPortable(written) : written;
    if (path === undefined) throw new NotImported("its name is not one that octavo export writes: % begins an escape");
    const isRoot = path === "" && this.options.into === "";
    // The page of the whole folder, where nothing above it has a name.
    if (isRoot && this.layout.kind === "markdown") return "index" as Path;
    if (isRoot) throw new NotImported(`${what} at the root has no path; --into gives it one`);
    return parsePathBelowRoot("path", [this.options.into, path].filter(Boolean).join("/"));
  }

  /** Two files can have one path: of two forms of an entry, or names that differ in their Unicode form. */
  private take(slug: Path, from: string): void {
    const other = this.taken.get(slug);
    if (other !== undefined) throw new NotImported(`${other} has the same path, ${slug}`);
    this.taken.set(slug, from);
  }
}

/** `a-2.txt` before `a-10.txt`. */
const inOrder = new Intl.Collator("en", { numeric: true });

/** Refusals of what is there. */
const conflicts: ReadonlySet<string> = new Set(["file_exists", "folder_exists"]);

const unknownPart = "settings, plugins, themes and accounts of the original have no place here";

const below = (folder: string, path: string): string => (folder === "" ? path : path.slice(folder.length + 1));
