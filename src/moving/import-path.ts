import type { RowStore } from "../backup/backup.ts";
import { type Path, parentOf } from "../core/path.ts";
import type { EntryState } from "../entry/entry.ts";
import { NotImported } from "./import-entry.ts";

type PathSource = { noun: "file" | "folder"; from: string };

/**
 * The paths of files and folders that an import has taken, so that a dry run sees, too, what clashes within one project:
 * `uploads` and `media` of the original become one tree, and names that differ in their Unicode form become one.
 */
export class ImportPaths {
  private readonly places = new Map<Path, PathSource>();
  /** Paths in work. */
  private readonly held = new Map<Path, Promise<void>>();

  /**
   * Does the work on a path while nothing else of this import has it or is above it: a folder exists before what is in it,
   * and whether a path is taken is known.
   */
  async hold<T>(path: Path, work: () => Promise<T>): Promise<T> {
    for (let other = this.holderOf(path); other; other = this.holderOf(path)) await other;
    const working = work();
    const ended = () => undefined;
    this.held.set(path, working.then(ended, ended));
    return working.finally(() => this.held.delete(path));
  }

  private holderOf(path: Path): Promise<void> | undefined {
    for (let at = path; at !== ""; at = parentOf(at)) {
      const holder = this.held.get(at);
      if (holder) return holder;
    }
    return undefined;
  }

  /** Throws NotImported when a file of this import has the path or is above it, and for a file in the place of a folder. */
  refuse(path: Path, noun: PathSource["noun"]): void {
    const own = this.places.get(path);
    if (own && (noun === "file" || own.noun === "file")) throw clash(path, own);
    for (let at = parentOf(path); at !== ""; at = parentOf(at)) {
      const above = this.places.get(at);
      if (above?.noun === "file") throw clash(at, above);
    }
  }

  hasFolder(path: Path): boolean {
    return this.places.get(path)?.noun === "folder";
  }

  /** Adds what is in the store now, and the folders above it. */
  add(path: Path, noun: PathSource["noun"], from: string): void {
    for (let at = path; at !== "" && !this.places.has(at); at = parentOf(at))
      this.places.set(at, { noun: at === path ? noun : "folder", from });
  }
}

const clash = (path: Path, { noun, from }: PathSource): NotImported =>
  new NotImported(`${from} is a ${noun} at the path ${path}`);

/** The uuids of all entries, also in the trash. */
export async function usedUuids(rows: RowStore): Promise<Set<string>> {
  const uuids = new Set<string>();
  await rows.snapshot(async (snapshot) => {
    for (const noun of ["entry", "trash_entry"] as const) {
      for await (const batch of snapshot.rows(noun)) for (const row of batch) uuids.add(String(row.uuid));
    }
  });
  return uuids;
}

/** The copies of an entry had its uuid in the original. Here it is one entry's alone, also one's in the trash. Adds it. */
export function withFreeUuid(state: EntryState, used: Set<string>): EntryState {
  const { uuid } = state;
  if (uuid === undefined) return state;
  if (used.has(uuid)) return { ...state, uuid: undefined };
  used.add(uuid);
  return state;
}
