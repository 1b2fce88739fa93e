import type { Path, Slug } from "../core/path.ts";
import type { Entry, EntryStore } from "../entry/entry.ts";
import type { File, FileStore } from "../file/file.ts";
import type { RegistryItem, RegistryStore } from "../registry/registry.ts";
import { problem } from "./problems.ts";
import { entryIn, fileIn, type VersionStore } from "./version.ts";

/** Reads of a thing as it was at a revision, whether that is in its history or still in force. Contract, part two, §11. */

type With<Stores> = Stores & { history: VersionStore };

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
  const thing = { noun: "entry", thing: entry.uuid } as const;
  const state = await history.find(thing, revision, { id, since: entry.contentRevision });
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
  const state = await history.find(thing, revision, { id: path, since: file.contentRevision });
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
  const state = await history.find(thing, revision, { id: key, since: item?.contentRevision });
  return { key, value: state ? state.data : (item as RegistryItem).value };
}
