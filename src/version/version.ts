import { typeUnderName } from "../core/bytes/media-type.ts";
import { daySeconds } from "../core/lib/time.ts";
import { nameOf } from "../core/path.ts";
import type { Entry } from "../entry/entry.ts";
import { entryFields, withFields } from "../entry/field.ts";
import type { File } from "../file/file.ts";
import type { StoredItem } from "../registry/registry.ts";

/**
 * History: the states that a thing had before a write replaced them. An update, an upload over a name, a change of meta,
 * a set or delete of a registry item and a restore keep the state before them; a create, a move, a copy and the delete of
 * anything else keep none. Contract, part two, §11; decision 51.
 */

export const versionedNouns = ["entry", "file", "registry_item"] as const;
export type VersionedNoun = (typeof versionedNouns)[number];

/** What a history belongs to: the uuid of an entry or a file, which moves keep, or the key of a registry item. */
export type VersionedThing = {
  readonly noun: VersionedNoun;
  readonly thing: string;
  /** Of a translation; absent for the source. */
  readonly locale?: string | undefined;
};

/** What is kept of a state. */
export type Version = {
  /** The sequence of the event that made it; a move makes none. */
  readonly revision: number;
  /** The fields of the service, as a JSON object text. */
  readonly fields: string;
  /** What the client stored, as JSON text: the data of an entry, the fields of a file, the value of a registry item. */
  readonly data: string;
  /** The hash of a file's bytes. */
  readonly blob: string | null;
};

/** The present state: what a client calls the thing, and the event that made it; undefined when there is none now. */
export type CurrentVersion = { readonly id: string; readonly since: number | undefined };

/** A state that was replaced, without its contents. Times are Unix seconds. */
export type HistoryRow = {
  readonly revision: number;
  /** The sequence of the event that replaced it. */
  readonly nextRevision: number;
  /** When the state was made; null when that is not known. */
  readonly atSeconds: number | null;
  /** Who made it: the id of a token; null when neither the log nor the history has it any more. */
  readonly actor: string | null;
  readonly replacedAtSeconds: number;
  readonly replacedBy: string;
  /** The size of its contents, with the bytes of a file. */
  readonly bytes: number;
};

/** How much history is kept of each thing; 0 of any keeps none. The newest row is kept whatever its size is. */
export type HistoryBounds = { readonly rows: number; readonly seconds: number; readonly bytes: number };

/** From the settings. */
export const historyBounds = (settings: {
  readonly historyKeepRows: number;
  readonly historyKeepDays: number;
  readonly historyKeepBytes: number;
}): HistoryBounds => ({
  rows: settings.historyKeepRows,
  seconds: settings.historyKeepDays * daySeconds,
  bytes: settings.historyKeepBytes,
});

/** Whether there is any history within the bounds. */
export const keepsHistory = ({ rows, seconds, bytes }: HistoryBounds): boolean => rows > 0 && seconds > 0 && bytes > 0;

/** Where history is stored. The stores of entries, files and registry items write it, in their own transactions. */
export interface VersionStore {
  /** The states of the thing before the present one, newest first, at most `limit`, from before the event `before`. */
  list(thing: VersionedThing, before: number | undefined, limit: number): Promise<HistoryRow[]>;
  /**
   * The state that was in force at the event `revision`; undefined when that is the current one. Throws
   * revision_not_found for one that is not kept, or for an event that is still to come.
   */
  find(thing: VersionedThing, revision: number, current: CurrentVersion): Promise<Version | undefined>;
  /** Removes what the bounds leave out, some rows in each transaction. Answers how many. */
  trim(bounds: HistoryBounds, nowSeconds: number): Promise<number>;
  /** The number of rows, and their size with that of the bytes of files. */
  totals(): Promise<{ rows: number; bytes: number }>;
}

/** A row under the wire's names. */
export const historyFields = (row: HistoryRow) => ({
  revision: row.revision,
  at: row.atSeconds,
  actor: row.actor,
  replaced_at: row.replacedAtSeconds,
  replaced_by: row.replacedBy,
  bytes: row.bytes,
});

/** The most entries that one restore of a subtree reads. Contract, part two, §11. */
export const maxRestoredEntries = 10_000;

// ---------------------------------------------------------------------------------------------- states as stored

/** The fields of an entry that its states have. Id, uuid and the time of its creation are the same in each of them. */
export const versionFields = entryFields.filter(({ key, unset }) => unset !== undefined || key === "modifiedAt");

/** The size of what a version says, without the bytes of a file. */
export const bytesOfVersion = ({ fields, data }: Version): number =>
  Buffer.byteLength(fields) + Buffer.byteLength(data);

/** The state of an entry. */
export const entryVersion = (entry: Entry): Version => ({
  revision: entry.contentRevision,
  fields: JSON.stringify({
    ...Object.fromEntries(versionFields.map(({ name, key }) => [name, entry[key]])),
    ...(entry.locale !== undefined && translationFields(entry)),
  }),
  data: entry.data,
  blob: null,
});

/** What a version of a translation has besides. */
const translationFields = ({ name, sources, createdAt, modifiedBy }: Entry) => ({
  name,
  sources,
  created_at: createdAt,
  modified_by: modifiedBy,
});

/** What no version of an entry changes. */
export type EntryPlace = Pick<
  Entry,
  "slug" | "uuid" | "createdAt" | "revision" | "stagedRevision" | "wasPublic" | "translated" | "onlyLocales"
>;

/** The entry as that version says, with the id that it has today. */
export function entryIn(entry: EntryPlace, version: Version): Entry {
  const fields = JSON.parse(version.fields);
  const were = Object.fromEntries(versionFields.map(({ name, key }) => [key, fields[name]]));
  if (fields.sources !== undefined) were.sources = fields.sources;
  return withFields({ ...entry, ...were, data: version.data, contentRevision: version.revision }, {}) as Entry;
}

/** The state of a file. Its path, its uuid and the time of its creation are those of the file, whatever the state. */
export const fileVersion = (file: File): Version => ({
  revision: file.contentRevision,
  fields: JSON.stringify({
    title: file.title,
    description: file.description,
    type: file.type,
    size: file.size,
    uploaded_at: file.uploadedAt,
    image: file.image && { width: file.image.width, height: file.image.height, is_color: file.image.isColor },
    modified_at: file.modifiedAt,
  }),
  data: file.meta,
  blob: file.hash,
});

/** What no version of a file changes. */
type FilePlace = Pick<File, "path" | "uuid" | "createdAt" | "revision" | "uploader" | "sentName" | "givenName">;

/** The file as that version says, with the path that it has today. */
export function fileIn(file: FilePlace, state: Version): File {
  const { title, description, type, size, uploaded_at, image, modified_at } = JSON.parse(state.fields);
  return {
    ...file,
    title,
    description,
    size,
    uploadedAt: uploaded_at,
    modifiedAt: modified_at,
    // A move since may have changed it.
    type: typeUnderName(type, nameOf(file.path)),
    image: image && { width: image.width, height: image.height, isColor: image.is_color },
    hash: state.blob as string,
    meta: state.data,
    contentRevision: state.revision,
  };
}

/** The file with that state brought back, now. Its revision is still that before. */
export const restoredFile = (file: File, state: Version, nowSeconds: number): File => ({
  ...fileIn(file, state),
  modifiedAt: Math.max(nowSeconds, file.modifiedAt),
});

/** The state of a registry item. */
export const registryVersion = (item: StoredItem): Version => ({
  revision: item.contentRevision,
  fields: JSON.stringify({ modified_at: item.modifiedAt }),
  data: item.value,
  blob: null,
});

/** The time at which a state was made, from its fields; null when it is not known. */
export function timeOfVersion(fields: string): number | null {
  const { modified_at } = JSON.parse(fields);
  return modified_at === 0 ? null : (modified_at as number);
}
