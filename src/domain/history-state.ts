import type { Entry, EntryStore } from "./entry.ts";
import type { File, FileStore } from "./file.ts";
import { entryIn, fileIn, type HistoryStore } from "./history.ts";
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

/** The entry with the content in force at a revision. Throws entry_not_found, revision_not_found. */
export async function entryAt(
  { entries, history }: With<{ entries: EntryStore }>,
  id: Slug,
  revision: number,
): Promise<Entry> {
  const entry = await existingEntry(entries, id);
  if (entry.contentRevision <= revision) return entry;
  const state = await history.find({ noun: "entry", thing: entry.uuid }, revision);
  if (!state) throw problem("revision_not_found", { id, revision });
  return entryIn(entry, state);
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
  if (file.contentRevision <= revision) return file;
  const state = await history.find({ noun: "file", thing: file.uuid }, revision);
  if (!state) throw problem("revision_not_found", { id: path, revision });
  return fileIn(file, state);
}

/** The item with the value in force at a revision, also of a deleted item. Throws revision_not_found. */
export async function registryItemAt(
  { registry, history }: With<{ registry: RegistryStore }>,
  key: string,
  revision: number,
): Promise<RegistryItem> {
  const item = await registry.findStored(key);
  if (item && item.contentRevision <= revision) return { key, value: item.value };
  const state = await history.find({ noun: "registry_item", thing: key }, revision);
  if (!state) throw problem("revision_not_found", { id: key, revision });
  return { key, value: state.data };
}
