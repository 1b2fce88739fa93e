import { sha256Of } from "../core/lib/sha256.ts";
import { type Path, parentOf, parsePathBelowRoot } from "../core/path.ts";
import { problem } from "../file/problems.ts";
import { Attachments, isPicture } from "./import-attachment.ts";
import { maxEntryFileBytes, NotImported, type ReadEntry, readEntryFile } from "./import-entry.ts";
import { type FileMeta, hasSameFields, readMeta } from "./import-file.ts";
import { localePath, namedLanguage } from "./import-locale.ts";
import { refuseUnfinished } from "./import-marker.ts";
import { Site } from "./import-page.ts";
import { ImportPaths } from "./import-path.ts";
import { type ImportOptions, type ImportReport, type Recorded, Repeated } from "./import-report.ts";
import { below, ImportRun } from "./import-run.ts";
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
  uploadFolders,
} from "./moving.ts";

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
  if (options.localeFolders && (layout.kind !== "markdown" || !options.locales))
    throw new NotImported("--locale-folders is for a folder of Markdown, and needs the setting locales");
  if (options.onConflict === "fail" && !options.isDryRun && !(await target.isEmpty())) {
    const report = await new Import(target, project, layout, { ...options, isDryRun: true }).run();
    if (report.conflicts.length > 0) return report;
  }
  return new Import(target, project, layout, options).run();
}

class Import extends ImportRun {
  /** The entries of this run, each with the file that it is from. */
  private readonly taken = new Map<Path, string>();
  private readonly translated = new Map<Path, string>();
  private readonly places = new ImportPaths();
  private readonly site: Site;
  private readonly attachments: Attachments | undefined;
  /** Files with comments that are lost. */
  private readonly commented = new Repeated();
  /** Files whose names end with a language that is no locale. */
  private readonly unknown = new Repeated();
  private readonly translations: EntryFileAt[] = [];
  /** The files that come after the others. */
  private readonly last: { path: Path; found: FoundFile; metaPath: string }[] = [];

  constructor(target: ImportTarget, project: Project, layout: Layout, options: ImportOptions) {
    super(target, project, layout, options);
    this.site = new Site(project);
    this.attachments = options.files && new Attachments(project, options.files.findLinks, options.rules.extensions);
  }

  async run(): Promise<ImportReport> {
    const { kind, top } = this.layout;
    await this.target.begin();
    if (this.attachments) await this.importAttachments(this.attachments);
    await this.importEntries(kind === "markdown" ? "" : `${top}entries`);
    await this.importTranslations();
    this.commented.note(this.report, "comments in front matter are not kept");
    this.unknown.note(
      this.report,
      "its name ends with a language that the setting locales does not name: it is an entry",
    );
    if (kind === "markdown") return this.report;
    for (const [folder, to] of uploadFolders) await this.importFiles(top + folder, to);
    await this.importTokens(`${top}tokens`);
    this.reportRest(top);
    return this.report;
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
    const { locales, localeFolders: folders } = this.options;
    const { path, locale } = localePath(below(folder, from), { locales, folders });
    const place = entryPlace(path, this.layout.kind);
    if (found.kind !== "file" || !place) return this.leaveBeside(found);
    const other = otherForm(this.project, from);
    if (other) throw new NotImported(`${other} is beside it and is the entry`);
    const slug = this.pathOf(place.id, "the entry");
    const file = { slug, locale: locale || undefined, found, extension: place.extension };
    this.take(file);
    if (file.locale !== undefined) return void this.translations.push(file);
    if (locale === undefined && namedLanguage(from)) this.unknown.add(from);
    await this.putEntry(file, this.read(file));
  }

  private async putEntry({ slug, found }: EntryFileAt, { state, notes, hasComments }: ReadEntry): Promise<void> {
    const { onConflict, maxKeys, isDryRun } = this.options;
    if (hasComments) this.commented.add(found.path);
    const outcome = await this.target.putEntry(slug, { ...state, onConflict, maxKeys, isDryRun }, notes);
    this.count("entries", outcome, slug);
    for (const why of notes) this.report.notes.push({ from: found.path, why });
  }

  private read({ slug, locale, found, extension }: EntryFileAt): ReadEntry {
    const bytes = this.project.read(found.path, maxEntryFileBytes);
    const page = this.layout.kind === "markdown" ? { path: found.path, site: this.site } : undefined;
    const { locales, context } = this.options;
    const file = { bytes, extension, modifiedSeconds: found.modifiedSeconds, slug, page, locales, locale };
    return readEntryFile(file, context.nowSeconds, this.attachments?.relink);
  }

  /** After all entries, those of one after each other. */
  private async importTranslations(): Promise<void> {
    const writes = this.writes();
    const all = this.options.locales?.all ?? [];
    const inOrder = this.translations.toSorted((a, b) => all.indexOf(a.locale ?? "") - all.indexOf(b.locale ?? ""));
    this.done -= inOrder.length;
    for (const [slug, files] of Map.groupBy(inOrder, (file) => file.slug)) {
      const size = files.reduce((sum, { found }) => sum + found.size, 0);
      await writes.start(async () => {
        if (!this.taken.has(slug) && !(await this.target.hasEntry(slug))) await this.importSourceless(files);
        for (const file of files) await this.attempt(file.found.path, () => this.importTranslation(file));
      }, size);
    }
    await writes.end();
  }

  /** Without a source the entry says what the first says that is no draft, and is public in their locales alone. */
  private importSourceless(files: readonly EntryFileAt[]): Promise<void> {
    const isOpen = (file: EntryFileAt): boolean => {
      try {
        return this.read(file).state.fields.visibility !== "draft";
      } catch {
        // It is refused where it is imported.
        return false;
      }
    };
    const file = { ...((files.find(isOpen) ?? files[0]) as EntryFileAt), locale: undefined };
    this.done--;
    return this.attempt(file.found.path, () => {
      const read = this.read(file);
      const onlyLocales = files.map(({ locale = "" }) => locale);
      return this.putEntry(file, { ...read, state: { ...read.state, onlyLocales }, notes: [], hasComments: false });
    });
  }

  private async importTranslation(file: EntryFileAt): Promise<void> {
    const { slug, locale = "", found } = file;
    const { state, name, notes, hasComments } = this.read(file);
    if (hasComments) this.commented.add(found.path);
    const { onConflict, isDryRun } = this.options;
    const stated = { data: state.data, fields: state.fields, name, onConflict, isDryRun };
    const outcome = await this.target.putTranslation(slug, locale, stated, notes);
    this.count("translations", outcome, `${slug} in ${locale}`);
    for (const why of notes) this.report.notes.push({ from: found.path, why });
  }

  /** What is no entry, and was not taken as a file. */
  private leaveBeside(found: ProjectItem): void {
    if (this.attachments?.isWanted(found)) return;
    const picture = this.attachments ? "its type is not accepted" : "a picture: --files PREFIX takes it along";
    const other = this.attachments ? ", and no accepted file that a text links to" : "";
    const isTranslation = /(?:^|\/)entry\.[\w-]+\.md$/.test(found.path);
    const unnamed = "a translation into a locale that the setting locales does not name";
    const isBeside = this.layout.kind === "markdown" && isPicture(found.path);
    this.leave(found, isTranslation ? unnamed : isBeside ? picture : `it is no file of an entry${other}`);
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

  /** Two files can have one path: of two forms of an entry, or names that differ in their Unicode form. */
  private take({ slug, locale, found }: EntryFileAt): void {
    const key = locale === undefined ? slug : (`${slug} ${locale}` as Path);
    const taken = locale === undefined ? this.taken : this.translated;
    const other = taken.get(key);
    if (other !== undefined) throw new NotImported(`${other} has the same path, ${slug}`);
    taken.set(key, found.path);
  }
}

/** The file of an entry, or of its translation into a locale. */
type EntryFileAt = { slug: Path; locale: string | undefined; found: FoundFile; extension: string };

/** `a-2.txt` before `a-10.txt`. */
const inOrder = new Intl.Collator("en", { numeric: true });

const unknownPart = "settings, plugins, themes and accounts of the original have no place here";
