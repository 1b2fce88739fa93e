import type { BackupBlob, BackupRow, RowSnapshot } from "../backup/backup.ts";
import { type Json, type JsonObject, parseJson } from "../core/lib/json.ts";
import { formatYaml } from "../core/lib/yaml-text.ts";
import { maxDataDepth } from "../entry/entry.ts";
import { entryFields, type FieldKind } from "../entry/field.ts";
import { formatFrontMatter } from "./front-matter.ts";
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

export type ExportCounts = { entries: number; folders: number; files: number; bytes: number };

export type OnExport = (what: "entries" | "files", done: number) => void;

const entriesFolder = "project/entries";
const uploadsFolder = "project/uploads";

type Rows = Pick<RowSnapshot, "rows">;

/** What is exported: the rows of entries, folders and files, and bytes. */
export interface ExportSource {
  /** Does the work with the rows, which it reads several times; of a store they are of one moment. */
  read(work: (rows: Rows) => Promise<void>): Promise<void>;
  /** The bytes of the file at the path. */
  bytes(path: string, blob: BackupBlob): AsyncIterable<Uint8Array>;
}

type FileOfExport = { path: string; from: string; blob: BackupBlob };

/** Writes the rows, and bytes when these are read. Rejects when bytes are missing or changed. */
export async function exportAll(source: ExportSource, writer: ExportWriter, onExport: OnExport): Promise<ExportCounts> {
  const counts: ExportCounts = { entries: 0, folders: 0, files: 0, bytes: 0 };
  const files: FileOfExport[] = [];
  await source.read(async (snapshot) => {
    writer.folder(entriesFolder);
    writer.folder(uploadsFolder);
    await writeEntries(snapshot, writer, () => onExport("entries", ++counts.entries));
    counts.folders = await writeUploads(snapshot, writer, files);
  });
  for (const { path, from, blob } of files) {
    await writer.bytes(path, blob, () => source.bytes(from, blob));
    counts.bytes += blob.size;
    onExport("files", ++counts.files);
  }
  return counts;
}

async function writeEntries(snapshot: Rows, writer: ExportWriter, onEntry: () => void): Promise<void> {
  const names = new PortableNames();
  for await (const rows of snapshot.rows("entry")) for (const { slug } of rows) names.add(String(slug));
  for await (const rows of snapshot.rows("entry")) {
    for (const row of rows) {
      writer.file(`${entriesFolder}/${names.write(String(row.slug))}/entry.md`, entryText(row));
      onEntry();
    }
  }
}

function entryText(row: BackupRow): string {
  // The name of the file is its slug.
  const stated = entryFields.filter(({ kind }) => kind !== "slug");
  const service = stated.map(({ name, kind }): [string, Json] => [name, statedValue(kind, row[name] ?? null)]);
  return formatFrontMatter(parseJson(String(row.data), maxDataDepth) as JsonObject, new Map(service));
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
