import { joinPath, type Path, parsePath } from "../core/path.ts";
import {
  actor,
  added,
  type BackupRow,
  flag,
  integer,
  maxCounted,
  name,
  oneOf,
  path,
  pathBelowRoot,
  size,
  time,
  uuid,
} from "../core/row-column.ts";
import { onlyLocales, wasPublic } from "../entry/row-rules.ts";
import { sentColumns, uploader } from "../file/row-rules.ts";
import { localeOrSource } from "../translation/locale-row-rules.ts";
import { trashNouns } from "./trash.ts";

/** The rules of the rows of the trash: see core/row.ts. */

const number = integer(1, maxCounted);

export const trashItemRule = {
  noun: "trash_item",
  columns: {
    id: number,
    noun: oneOf(trashNouns),
    path: pathBelowRoot,
    count: number,
    bytes: size,
    deleted_at: time,
    deleted_by: actor,
    is_purged: flag,
    locale: added(localeOrSource, () => ""),
  },
  key: (row: BackupRow) => row.id,
};

/** Where a deleted entry was, and what none of its versions changes. */
export const trashEntryRule = {
  noun: "trash_entry",
  columns: {
    item: number,
    slug: pathBelowRoot,
    uuid,
    created_at: time,
    was_public: wasPublic,
    only_locales: onlyLocales,
  },
  key: ({ item, slug }: BackupRow) => `${item} ${slug}`,
};

export const trashFolderRule = {
  noun: "trash_folder",
  columns: { item: number, path: pathBelowRoot, created_at: time, modified_at: time },
  key: ({ item, path }: BackupRow) => `${item} ${path}`,
};

export const trashFileRule = {
  noun: "trash_file",
  columns: { item: number, folder: path, name, uuid, created_at: time, uploader, ...sentColumns },
  whole: ({ folder, name }: BackupRow) => parsePath("name", joinPath(folder as Path, name as string)),
  key: ({ item, folder, name }: BackupRow) => `${item} ${folder}/${name}`,
};
