import type { WriteContext } from "../core/event.ts";
import { childPath, nameOf, type Path, parsePath, parsePathBelowRoot } from "../core/path.ts";
import { Problem } from "../core/problem.ts";
import type { ConflictPolicy } from "../file/file.ts";
import type { FolderStore } from "../file/folder.ts";
import { uploadName } from "../file/name.ts";
import { type UploadRules, type UploadStores, uploadFile } from "../upload/upload.ts";

/** Turns the files of a folder into uploads. Decision 22. */

/** An entry of the folder. `path` is relative to it, with slashes, and may break the store's rules. */
export type UploadSource = { readonly path: string } & (
  | {
      readonly kind: "file";
      readonly bytes: AsyncIterable<Uint8Array>;
      /**
       * Called when the upload is durable: removes the file if the source is configured to. False when it changed since
       * it was read.
       */
      done(): Promise<boolean>;
    }
  /** An empty folder. */
  | { readonly kind: "folder"; done(): Promise<boolean> }
  /** An entry that cannot be uploaded, and why. */
  | { readonly kind: "other"; readonly why: string }
);

/** The outcome for one entry. `to` is the path of the upload. */
export type Adopted = { from: string } & (
  | { outcome: "taken"; to: Path }
  | { outcome: "skipped"; why: string }
  | { outcome: "refused"; why: string; code: string }
);

export type AdoptStores = UploadStores & { folders: FolderStore };
export type AdoptOptions = { rules: UploadRules; maxBytes: number; onConflict: ConflictPolicy; context: WriteContext };

/**
 * Uploads each entry into the folder of its path, by the rules of uploads. A file that the store already has at that
 * path with the same bytes counts as uploaded: an earlier run was interrupted. Yields one outcome per entry. Throws
 * `busy` and what the source throws; entries without an outcome are unchanged.
 */
export async function* adopt(
  stores: AdoptStores,
  found: AsyncIterable<UploadSource>,
  options: AdoptOptions,
): AsyncGenerator<Adopted> {
  for await (const one of found) {
    try {
      yield await adoptOne(stores, one, options);
    } catch (error) {
      if (!(error instanceof Problem) || ["busy", "storage", "internal"].includes(error.kind)) throw error;
      yield { from: one.path, ...notTaken(error) };
    }
  }
}

/** A name that is in use is skipped, since another policy may help; a broken rule is a refusal. */
const notTaken = ({ code, message }: Problem) =>
  code === "file_exists" || code === "folder_exists"
    ? { outcome: "skipped" as const, why: message }
    : { outcome: "refused" as const, why: message, code };

async function adoptOne(stores: AdoptStores, one: UploadSource, options: AdoptOptions): Promise<Adopted> {
  if (one.kind === "other") return { from: one.path, outcome: "skipped", why: one.why };
  const to = one.kind === "file" ? await adoptFile(stores, one, options) : await adoptFolder(stores, one, options);
  if (await one.done()) return { from: one.path, outcome: "taken", to };
  return { from: one.path, outcome: "skipped", why: `it was changed meanwhile; ${to} has its previous content` };
}

async function adoptFolder({ folders }: AdoptStores, { path }: UploadSource, { context }: AdoptOptions): Promise<Path> {
  const to = parsePathBelowRoot("folder", path);
  if (!(await folders.find(to))) await folders.create(to, context);
  return to;
}

async function adoptFile(
  stores: AdoptStores,
  { path, bytes }: UploadSource & { kind: "file" },
  { rules, maxBytes, onConflict, context }: AdoptOptions,
): Promise<Path> {
  const slash = path.lastIndexOf("/");
  const folder = parsePath("folder", path.slice(0, Math.max(slash, 0)));
  const fileName = nameOf(path as Path);
  const staged = await stores.blobs.stage(bytes, maxBytes);
  try {
    const to = childPath("file", folder, await uploadName(fileName, rules.hasSafeNames));
    // An earlier run was interrupted between the upload and the removal of its file.
    if ((await stores.files.find(to))?.hash === staged.hash) return to;
    const request = { folder, fileName, onConflict, title: undefined, description: undefined };
    return (await uploadFile(stores, staged, request, rules, context)).path;
  } finally {
    await staged.discard();
  }
}
