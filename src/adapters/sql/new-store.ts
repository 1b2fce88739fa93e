import { existsSync, readdirSync, statSync } from "node:fs";
import { StoreError } from "../../domain/store-error.ts";
import type { BlobPlace } from "./blob-remover.ts";

/** `mayBeNew`: the operator knows that bytes of files are there, and wants a new store all the same. */
export type NewStoreOptions = Pick<BlobPlace, "blobFolder"> & { mayBeNew?: boolean };

/**
 * Throws StoreError where a database is about to be made and the bytes of files lie there already: most likely a disk is
 * not mounted, or the database was lost. A new one would serve an empty site, and nobody would look for the old one.
 */
export function refuseBesideBlobs({ blobFolder, mayBeNew }: NewStoreOptions, missing: string, mend: string): void {
  if (mayBeNew || !existsSync(blobFolder)) return;
  if (!readdirSync(blobFolder).some((name) => /^[0-9a-f]{2}$/.test(name))) return;
  throw new StoreError(
    `${missing}, but ${blobFolder} holds the bytes of files: ${mend}, ` +
      `fill a new one with octavo restore FILE, or begin an empty store beside these bytes with octavo serve --new`,
  );
}

/** True when opening the file makes a database of it: SQLite takes an empty one for new. */
export const isMissing = (databaseFile: string): boolean =>
  (statSync(databaseFile, { throwIfNoEntry: false })?.size ?? 0) === 0;
