import type { WriteContext } from "./event.ts";
import type { ConflictPolicy } from "./file.ts";
import { uploadName } from "./file-name.ts";
import type { FolderStore } from "./folder.ts";
import { childPath, nameOf, type Path, parsePath, parsePathBelowRoot } from "./path.ts";
import { Problem } from "./problem.ts";
import { type UploadRules, type UploadStores, uploadFile } from "./upload.ts";

/** Files of a folder on a disk that are made uploads of the store. Decision 22. */

/** Something that was found in a folder. `path` is relative to it, with slashes; it may be no path of the store. */
export type Found = { readonly path: string } & (
  | {
      readonly kind: "file";
      readonly bytes: AsyncIterable<Uint8Array>;
      /** Removes it, if that is wanted, once it is an upload. False where it was written to since it was read. */
      done(): Promise<boolean>;
    }
  /** A folder with nothing in it. */
  | { readonly kind: "folder"; done(): Promise<boolean> }
  /** What is never taken, and why. */
  | { readonly kind: "other"; readonly why: string }
);

/** What became of it. `to` is the path of the upload. */
export type Adopted = { from: string } & (
  | { outcome: "taken"; to: Path }
  | { outcome: "skipped"; why: string }
  | { outcome: "refused"; why: string; code: string }
);

export type AdoptStores = UploadStores & { folders: FolderStore };
export type AdoptOptions = { rules: UploadRules; maxBytes: number; onConflict: ConflictPolicy; context: WriteContext };

/**
 * Takes in what is found, through the rules of uploads, into the folder that its path names. A file that is there already
 * with the same bytes was taken before. Yields what became of each. Throws `busy`, and what the source throws: what was
 * not yielded is as it was.
 */
export async function* adopt(
  stores: AdoptStores,
  found: AsyncIterable<Found>,
  options: AdoptOptions,
): AsyncGenerator<Adopted> {
  for await (const one of found) {
    try {
      yield await adoptOne(stores, one, options);
    } catch (error) {
      if (!(error instanceof Problem) || ["busy", "internal"].includes(error.kind)) throw error;
      yield { from: one.path, ...notTaken(error) };
    }
  }
}

/** A name that is taken is the operator's to decide about; what breaks a rule no policy helps. */
const notTaken = ({ code, message }: Problem) =>
  code === "file_exists" || code === "folder_exists"
    ? { outcome: "skipped" as const, why: message }
    : { outcome: "refused" as const, why: message, code };

async function adoptOne(stores: AdoptStores, one: Found, options: AdoptOptions): Promise<Adopted> {
  if (one.kind === "other") return { from: one.path, outcome: "skipped", why: one.why };
  const to = one.kind === "file" ? await adoptFile(stores, one, options) : await adoptFolder(stores, one, options);
  if (await one.done()) return { from: one.path, outcome: "taken", to };
  return { from: one.path, outcome: "skipped", why: `it was written to meanwhile; ${to} holds what it was before` };
}

async function adoptFolder({ folders }: AdoptStores, { path }: Found, { context }: AdoptOptions): Promise<Path> {
  const to = parsePathBelowRoot("folder", path);
  if (!(await folders.find(to))) await folders.create(to, context);
  return to;
}

async function adoptFile(
  stores: AdoptStores,
  { path, bytes }: Found & { kind: "file" },
  { rules, maxBytes, onConflict, context }: AdoptOptions,
): Promise<Path> {
  const slash = path.lastIndexOf("/");
  const folder = parsePath("folder", path.slice(0, Math.max(slash, 0)));
  const original = nameOf(path as Path);
  const staged = await stores.blobs.stage(bytes, maxBytes);
  try {
    const to = childPath("file", folder, await uploadName(original, rules.hasSafeNames));
    // As after a run that was cut off between the upload and the removal of its file.
    if ((await stores.files.find(to))?.hash === staged.hash) return to;
    const asked = { folder, original, onConflict, title: undefined, description: undefined, ifMatch: undefined };
    return (await uploadFile(stores, staged, asked, rules, context)).path;
  } finally {
    await staged.discard();
  }
}
