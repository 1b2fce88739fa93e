import type { BackupBlob, BackupRow, RowSnapshot } from "../backup/backup.ts";
import { type Json, type JsonObject, parseJson } from "../core/lib/json.ts";
import { formatYaml } from "../core/lib/yaml-text.ts";
import { maxDataDepth } from "../entry/entry.ts";
import { entryFields, type FieldKind } from "../entry/field.ts";
import { formatFrontMatter } from "./front-matter.ts";
import { onlyLocalesKey } from "./import-entry.ts";
import { PortableNames } from "./portable-name.ts";

/**
 * Writes entries, folders and files in the layout of the original: `project/entries/<id>/entry.md`, the bytes in
 * `project/uploads/<path>` and their metadata in `project/uploads/.meta/<path>.yaml`. The same content is the same bytes.
 * Decision 56.
 */

/** Where an export is written. A file is either complete under its name or not there. */
export interface ExportWriter {
  folder(path: string): void;
  file(path: string, text: string): void;
  bytes(path: string, blob: BackupBlob, open: () => AsyncIterable<Uint8Array>): Promise<void>;
}

export type ExportCounts = {
  entries: number;
  /** Absent without any. */
  translations?: number;
  folders: number;
  files: number;
  bytes: number;
};

export type OnExport = (what: "entries" | "translations" | "files", done: number) => void;

const entriesFolder = "project/entries";
const uploadsFolder = "project/uploads";

type Rows = Pick<RowSnapshot, "rows">;

/** What is exported: the rows of entries, folders and files, and bytes. */
export interface ExportSource {
  /** Does the work with the rows, which it reads several times; of a store they are of one moment. */
  read(work: (rows: Rows) => Promise<void>): Promise<void>;
  /** The bytes of the file at the path. */
  bytes(path: string, blob: BackupBlob): AsyncIterable<Uint8Array>;
  /** What the source locale, which rows call "", is called. */
  readonly sourceLocale?: string | undefined;
}

type FileOfExport = { path: string; from: string; blob: BackupBlob };

/** Writes the rows, and bytes when these are read. Rejects when bytes are missing or changed. */
export async function exportAll(source: ExportSource, writer: ExportWriter, onExport: OnExport): Promise<ExportCounts> {
  const counts: ExportCounts = { entries: 0, folders: 0, files: 0, bytes: 0 };
  const files: FileOfExport[] = [];
  await source.read(async (snapshot) => {
    writer.folder(entriesFolder);
    writer.folder(uploadsFolder);
    const folders = await writeEntries(snapshot, writer, source, () => onExport("entries", ++counts.entries));
    await writeTranslations(snapshot, writer, folders, () => {
      counts.translations = (counts.translations ?? 0) + 1;
      onExport("translations", counts.translations);
    });
    counts.folders = await writeUploads(snapshot, writer, files);
  });
  for (const { path, from, blob } of files) {
    await writer.bytes(path, blob, () => source.bytes(from, blob));
    counts.bytes += blob.size;
    onExport("files", ++counts.files);
  }
  return counts;
}

/** Answers the folders of translated entries, by uuid. */
async function writeEntries(
  snapshot: Rows,
  writer: ExportWriter,
  { sourceLocale }: ExportSource,
  onEntry: () => void,
): Promise<ReadonlyMap<string, string>> {
  const names = new PortableNames();
  const folders = new Map<string, string>();
  for await (const rows of snapshot.rows("entry")) for (const { slug } of rows) names.add(String(slug));
  for await (const rows of snapshot.rows("entry")) {
    for (const row of rows) {
      const folder = `${entriesFolder}/${names.write(String(row.slug))}`;
      if (row.translated === 1) folders.set(String(row.uuid), folder);
      writer.file(`${folder}/entry.md`, entryText(row, sourceLocale));
      onEntry();
    }
  }
  return folders;
}

async function writeTranslations(
  snapshot: Rows,
  writer: ExportWriter,
  folders: ReadonlyMap<string, string>,
  onTranslation: () => void,
): Promise<void> {
  if (folders.size === 0) return;
  for await (const rows of snapshot.rows("translation")) {
    for (const row of rows) {
      const folder = folders.get(String(row.uuid));
      // Of a service, it was written since its entry was read.
      if (folder === undefined) continue;
      writer.file(`${folder}/entry.${row.locale}.md`, translationText(row));
      onTranslation();
    }
  }
}

const dataIn = ({ data }: BackupRow): JsonObject => parseJson(String(data), maxDataDepth) as JsonObject;

function entryText(row: BackupRow, source: string | undefined): string {
  // The name of the file is its slug.
  const stated = entryFields.filter(({ kind }) => kind !== "slug");
  const service = stated.map(({ name, kind }): [string, Json] => [name, statedValue(kind, row[name] ?? null)]);
  const only = typeof row.only_locales === "string" ? (JSON.parse(row.only_locales) as string[]) : undefined;
  if (only) service.push([onlyLocalesKey, only.map((locale) => locale || (source ?? ""))]);
  return formatFrontMatter(dataIn(row), new Map(service));
}

/** Its keys, and what it has of its own: its name stands as the slug. */
function translationText(row: BackupRow): string {
  const service: [string, Json][] = [
    ["published_at", timeText(Number(row.published_at))],
    ["visibility", row.visibility ?? null],
  ];
  if (typeof row.name === "string") service.push(["slug", row.name]);
  return formatFrontMatter(dataIn(row), new Map(service));
}

function statedValue(kind: FieldKind, value: string | number | null): Json {
  if (kind === "date" || kind === "time") return timeText(Number(value));
  return kind === "flag" ? value === 1 : value;
}

/** ISO 8601, which the original reads, too; Unix seconds before the year 0. */
function timeText(seconds: number): Json {
  const text = new Date(seconds * 1000).toISOString();
  return /^\d{4}-/.test(text) ? text.replace(".000Z", "Z") : seconds;
}

async function writeUploads(snapshot: Rows, writer: ExportWriter, files: FileOfExport[]): Promise<number> {
  const names = new PortableNames();
  const pathOf = ({ folder, name }: BackupRow): string => (folder === "" ? String(name) : `${folder}/${name}`);
  for await (const rows of snapshot.rows("folder")) for (const { path } of rows) names.add(String(path));
  for await (const rows of snapshot.rows("file")) for (const row of rows) names.add(pathOf(row));
  let folders = 0;
  for await (const rows of snapshot.rows("folder")) {
    for (const { path } of rows) {
      if (path === "") continue;
      writer.folder(`${uploadsFolder}/${names.write(String(path), true)}`);
      folders++;
    }
  }
  for await (const rows of snapshot.rows("file")) {
    for (const row of rows) {
      const from = pathOf(row);
      const path = names.write(from);
      writer.file(`${uploadsFolder}/.meta/${path}.yaml`, metaText(row));
      files.push({ path: `${uploadsFolder}/${path}`, from, blob: { hash: String(row.blob), size: Number(row.size) } });
    }
  }
  return folders;
}

/** The name under which a file was sent, where a client has a field `sent_name`: no field of a client has a dot. */
export const sentNameKey = "octavo.sent_name";

function sentNameOf({ sent_name: sent = null }: BackupRow, own: JsonObject): [string, Json][] {
  if (own.has("sent_name")) return [[sentNameKey, sent]];
  return sent === null ? [] : [["sent_name", sent]];
}

/** The metadata of a file: the original's fields, then the client's. */
function metaText(row: BackupRow): string {
  const { width, height, is_color: isColor } = row;
  const exif = new Map<string, Json>(
    width === null || width === undefined
      ? []
      : [
          ["html", `width="${width}" height="${height}"`],
          ["Height", Number(height)],
          ["Width", Number(width)],
          ["IsColor", Number(isColor)],
        ],
  );
  const own = parseJson(String(row.meta), maxDataDepth + 1) as JsonObject;
  return formatYaml(
    new Map<string, Json>([
      ["title", row.title as string],
      ["description", row.description as string],
      ["type", row.type as string],
      ["filesize", Number(row.size)],
      ["uploaded_on", Number(row.uploaded_at)],
      ["exif", exif],
      ...sentNameOf(row, own),
      ...own,
    ]),
  );
}
