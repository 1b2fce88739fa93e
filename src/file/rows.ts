import type { WriteContext } from "../core/event.ts";
import { parseCanonical } from "../core/lib/canonical-json.ts";
import type { JsonObject } from "../core/lib/json.ts";
import { maxObjectDepth } from "../core/list/projection.ts";
import { joinPath, nameOf, type Path, parentOf } from "../core/path.ts";
import { unreferenceBlobs } from "../core/sql/blob.ts";
import { indexItems, type RowOwner, replaceFieldRows, rowsOf } from "../core/sql/index/field-row.ts";
import { type FieldTable, missing } from "../core/sql/index/table.ts";
import type { Writing } from "../core/sql/noun.ts";
import { insertOf, namesOf } from "../core/sql/rows.ts";
import { numberOf, type Row, type Sql, type Value } from "../core/sql/sql.ts";
import { type File, fileFields, formatFile } from "./file.ts";
import { fileRule } from "./row-rules.ts";

/** Conversions between a file and its row. */

const names = namesOf(fileRule);
/** The columns of a file's row, of `file JOIN folder`: a row names its folder by path. */
export const ownFileColumns = names
  .map((column) => (column === "folder" ? "folder.path" : `file.${column}`))
  .join(", ");
const fileColumns = `file.id, ${ownFileColumns}, file.index_partial, folder.revision, file.folder`;
export const fromFiles = "FROM file JOIN folder ON folder.id = file.folder";
export const findFileSql = `SELECT ${fileColumns} ${fromFiles} WHERE folder.path = ?1 AND file.name = ?2`;

/** The path of a file whose folder is `above`. */
export const pathOfFile = "CASE WHEN above.path = '' THEN file.name ELSE above.path || '/' || file.name END";

/** A file with the number of its row and that of its folder. */
export type StoredFile = File & { readonly id: number; readonly folder: number; readonly isUnindexed: boolean };

/** As in `fileColumns`. */
type FileRow = readonly [
  id: number,
  folderPath: Path,
  name: string,
  title: string,
  description: string,
  type: string,
  blob: string,
  size: number,
  uploadedAt: number,
  width: number | null,
  height: number,
  isColor: number,
  meta: string,
  createdAt: number,
  modifiedAt: number,
  revision: number,
  uuid: string,
  contentRevision: number,
  uploader: string | null,
  sentName: string | null,
  givenName: string | null,
  indexPartial: number,
  folderRevision: number,
  folder: number,
];

export function toFile(row: Row): StoredFile {
  const own = row as FileRow;
  const width = own[9];
  return {
    id: own[0],
    path: joinPath(own[1], own[2]),
    title: own[3],
    description: own[4],
    type: own[5],
    hash: own[6],
    size: own[7],
    uploadedAt: own[8],
    image: width === null ? undefined : { width, height: own[10], isColor: own[11] === 1 },
    meta: own[12],
    createdAt: own[13],
    modifiedAt: own[14],
    // A parent folder that moves changes the file's answer without changing its row.
    revision: Math.max(own[15], own[22]),
    uuid: own[16],
    contentRevision: own[17],
    uploader: own[18],
    sentName: own[19],
    givenName: own[20],
    isUnindexed: own[21] === missing.all,
    folder: own[23],
  };
}

/**
 * Not indexed: fields that depend on the location of the store, markup that repeats other fields, and fields that filters
 * rarely name. Each row costs a write 6 µs.
 */
const notIndexed: ReadonlySet<string> = new Set(["dirname", "url", "full_url", "version", "exif.html", "exif.IsColor"]);

/** How collections of files are read. The service's own fields are indexed whatever the setting of indexed keys says. */
export const fileTable: FieldTable<StoredFile> = {
  name: "file",
  plural: "files",
  part: ["folder"],
  parents: "folder",
  path: "(CASE WHEN folder.path = '' THEN file.name ELSE folder.path || '/' || file.name END)",
  childPath: "name",
  times: new Set(["created_at", "modified_at"]),
  columns: new Map(),
  fields: {
    table: "file_field",
    isIndexed: (key, isAllowed) =>
      !notIndexed.has(key) && (fileFields.has(key.split(".", 1)[0] as string) || isAllowed(key)),
    dataOf: objectOf,
  },
  joined: "{row_by_id folder file.folder}",
  select: `SELECT ${fileColumns} ${fromFiles}`,
  toItem: toFile,
  pathOf: ({ path }) => path,
};

/** The file object; its parts that are not indexed are of no place. */
export function objectOf(file: File): JsonObject {
  return parseCanonical(formatFile(file, { root: "", base: "" }), maxObjectDepth) as JsonObject;
}

export async function findFile(sql: Sql, path: Path): Promise<StoredFile | undefined> {
  const row = await sql.row(findFileSql, parentOf(path), nameOf(path));
  return row && toFile(row);
}

const sentFileSql = `SELECT ${fileColumns} ${fromFiles}
  WHERE folder.path = ?1 AND file.sent_name = ?2 AND file.sent_name <> file.given_name AND file.name = file.given_name
  ORDER BY length(file.name), file.name LIMIT 1`;

/** The first file in the folder that was made under this name and got another one, which it still has. */
export async function findSentFile(sql: Sql, folder: Path, sentName: string): Promise<StoredFile | undefined> {
  const row = await sql.row(sentFileSql, folder, sentName);
  return row && toFile(row);
}

const insertFileSql = `${insertOf(fileRule, { index_partial: "integer" }).text} RETURNING id`;

/** Inserts the row alone into the folder with this number; answers its own. */
export async function insertFileRow(sql: Sql, file: File, folder: number | null, lacking: number): Promise<number> {
  return numberOf(
    sql,
    insertFileSql,
    folder,
    nameOf(file.path),
    ...ownColumns(file),
    file.createdAt,
    file.modifiedAt,
    file.revision,
    file.uuid,
    file.contentRevision,
    file.uploader,
    file.sentName,
    file.givenName,
    lacking,
  );
}

/** Inserts the file with its index rows into the folder with this number. */
export async function insertFile({ sql, index }: Writing, file: File, folder: number): Promise<void> {
  const { rows, lacking } = rowsOf(objectOf(file), fileTable, index);
  const item = await insertFileRow(sql, file, folder, lacking);
  await indexItems(index, fileTable, [{ owner: { item, parent: folder }, rows }]);
}

/** Updates the row and its index rows in place; releases the old blob if it is replaced. */
export async function updateFile(
  { sql, index }: Writing,
  before: StoredFile,
  file: File,
  { nowSeconds }: WriteContext,
): Promise<void> {
  if (before.hash !== file.hash) await unreferenceBlobs(sql, [before.hash], nowSeconds);
  const owner = ownerOf(before);
  const old = { owner, data: objectOf(before) };
  const lacking = await replaceFieldRows(index, fileTable, old, {
    owner: { ...owner, isUnindexed: false },
    data: objectOf(file),
  });
  await sql.run(
    `UPDATE file SET title = ?2, description = ?3, type = ?4, blob = ?5, size = ?6, uploaded_at = ?7, width = ?8,
       height = ?9, is_color = ?10, meta = ?11, modified_at = ?12, revision = ?13, index_partial = ?14, content_revision = ?15,
       uploader = ?16, sent_name = ?17, given_name = ?18
     WHERE id = ?1`,
    before.id,
    ...ownColumns(file),
    file.modifiedAt,
    file.revision,
    lacking,
    file.contentRevision,
    file.uploader,
    file.sentName,
    file.givenName,
  );
}

export const ownerOf = ({ id, folder, isUnindexed }: StoredFile): RowOwner => ({
  item: id,
  parent: folder,
  isUnindexed,
});

/** From the title to the client's fields, in column order. */
function ownColumns(file: File): Value[] {
  const { title, description, type, hash, size, uploadedAt, image, meta } = file;
  const sizes = image ? [image.width, image.height, Number(image.isColor)] : [null, null, null];
  return [title, description, type, hash, size, uploadedAt, ...sizes, meta];
}
