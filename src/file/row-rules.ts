import { randomUUID } from "node:crypto";
import { hash } from "../core/bytes/blob-row.ts";
import { isMediaType } from "../core/bytes/media-type.ts";
import { joinPath, type Path, parsePath, rootPath } from "../core/path.ts";
import {
  actor,
  added,
  type BackupRow,
  count,
  fields,
  flag,
  matching,
  name,
  orNull,
  path,
  refused,
  size,
  stamps,
  textColumn,
  textOf,
  time,
  uuid,
} from "../core/row-column.ts";
import { maxDataBytes } from "../entry/entry.ts";
import { contentRevision } from "../entry/row-rules.ts";
import { fileFields, refuseTooLarge } from "./file.ts";
import { isSentName } from "./name.ts";

/** The rules of the rows of folders and files, wherever they are: see core/row.ts. */

/** A text of a file: its title, its description. */
export const keptText = textColumn((column, value) => refuseTooLarge(column, textOf(column, value)));

export const mediaType = matching(isMediaType, "a media type");

/** What clients store with a file. */
export const fileMeta = fields(fileFields, maxDataBytes);

/** Who uploaded the bytes: files from before, and copies, have none. */
export const uploader = added(orNull(actor), () => null);

/** The name under which the file was sent: see sentNameOf. */
const sentName = matching(isSentName, "a file name without control characters, of at most 1,000 bytes");

/** What an upload was called and what became of it: files from before, and copies, have neither. */
export const sentColumns = {
  sent_name: added(orNull(sentName), () => null),
  given_name: added(orNull(name), () => null),
};

/** Of a file, besides its place. */
export const fileColumns = {
  title: keptText,
  description: keptText,
  type: mediaType,
  blob: hash,
  size,
  uploaded_at: time,
  width: orNull(size),
  height: orNull(size),
  is_color: orNull(flag),
  meta: fileMeta,
  ...stamps,
  uuid,
  content_revision: count,
};

export const folderRule = {
  noun: "folder",
  columns: { path, ...stamps },
  key: (row: BackupRow) => row.path,
};

export const fileRule = {
  noun: "file",
  columns: {
    folder: path,
    name,
    ...fileColumns,
    uuid: added(uuid, () => randomUUID()),
    content_revision: contentRevision,
    uploader,
    ...sentColumns,
  },
  whole: checkFile,
  key: ({ folder, name }: BackupRow) => (folder === rootPath ? name : `${folder}/${name}`),
};

/** Throws path_too_long, argument_invalid. */
export function checkFile(row: BackupRow): void {
  parsePath("name", joinPath(row.folder as Path, row.name as string));
  const facts = [row.width, row.height, row.is_color];
  const known = facts.filter((fact) => fact !== null).length;
  if (known > 0 && known < facts.length) {
    throw refused("width", row.width, "a width, a height and is_color, or none of them");
  }
}
