import type { Entry, EntryStore } from "./entry.ts";
import type { File, FileStore } from "./file.ts";
import { entryIn, fileIn, type HistoryStore, type HistoryThing, type State } from "./history.ts";
import type { Path, Slug } from "./path.ts";
import { problem } from "./problem.ts";
import type { RegistryItem, RegistryStore } from "./registry.ts";

/** Reads of a thing as it was at a revision, whether that is in its history or still in force. Contract, part two, §11. */

type With<Stores> = Stores & { history: HistoryStore };

/** Throws entry_not_found. */
export async function existingEntry(entries: EntryStore, id: Slug): Promise<Entry> {
  const entry = await entries.find(id);
  if (!entry) throw problem("entry_not_found", { id });
  return entry;
}

type Shown = { history: HistoryStore; thing: HistoryThing; id: string };

/**
 * The state in force at a revision; undefined when that is the current one, in force since `since`. Throws
 * revision_not_found.
 */
async function stateAt(
  { history, thing, id }: Shown,
  since: number | undefined,
  revision: number,
): Promise<State | undefined> {
  if (since !== undefined && since <= revision) return undefined;
  const state = await history.find(thing, revision);
  if (!state) throw problem("revision_not_found", { id, revision });
  return state;
}

/** The entry with the content in force at a revision. Throws entry_not_found, revision_not_found. */
export async function entryAt(
  { entries, history }: With<{ entries: EntryStore }>,
  id: Slug,
  revision: number,
): Promise<Entry> {
  const entry = await existingEntry(entries, id);
  const thing = { noun: "entry", thing: entry.uuid } as const;
  const state = await stateAt({ history, thing, id }, entry.contentRevision, revision);
  return state ? entryIn(entry, state) : entry;
}

/** Throws file_not_found. */
export async function existingFile(files: FileStore, path: Path): Promise<File> {
  const file = await files.find(path);
  if (!file) throw problem("file_not_found", { argument: "path", path });
  return file;
}

/** The file with the bytes and fields in force at a revision. Throws file_not_found, revision_not_found. */
export async function fileAt(
  { files, history }: With<{ files: FileStore }>,
  path: Path,
  revision: number,
): Promise<File> {
  const file = await existingFile(files, path);
  const thing = { noun: "file", thing: file.uuid } as const;
  const state = await stateAt({ history, thing, id: path }, file.contentRevision, revision);
  return state ? fileIn(file, state) : file;
}

/** The item with the value in force at a revision, also of a deleted item. Throws revision_not_found. */
export async function registryItemAt(
  { registry, history }: With<{ registry: RegistryStore }>,
  key: string,
  revision: number,
): Promise<RegistryItem> {
  const item = await registry.findStored(key);
  const thing = { noun: "registry_item", thing: key } as const;
  const state = await stateAt({ history, thing, id: key }, item?.contentRevision, revision);
  return { key, value: state ? state.data : (item as RegistryItem).value };
}
