import { existsSync, readdirSync, statSync } from "node:fs";
import { StoreError } from "../store-error.ts";
import type { BlobLocation } from "./blob-remover.ts";

/**
 * `mayBeNew`: the operator knows that bytes of files exist, and wants a new store anyway. `mustExist`: opens only a
 * store that exists.
 */
export type NewStoreOptions = Pick<BlobLocation, "blobFolder"> & { mayBeNew?: boolean; mustExist?: boolean };

/**
 * Throws StoreError where a database is about to be created and should not be. If bytes of files exist beside it, most
 * likely a disk is not mounted or the database was lost: a new one would serve an empty site, and the loss would go
 * unnoticed. For a command that works on a store, most likely its settings differ from those of the service.
 */
export function refuseNew(options: NewStoreOptions, missing: string, remedy: string): void {
  const { blobFolder, mayBeNew, mustExist } = options;
  if (!mayBeNew && holdsBlobs(blobFolder)) {
    throw new StoreError(
      `${missing}, but ${blobFolder} holds the bytes of files: ${remedy}, ` +
        `fill a new one with octavo restore FILE, or create an empty store beside these bytes with octavo serve --new`,
    );
  }
  if (mustExist) throw new StoreError(`${missing}: ${remedy}, or create a store with octavo serve`);
}

/** True for a folder of blobs that holds some. */
export const holdsBlobs = (folder: string): boolean =>
  existsSync(folder) && readdirSync(folder).some((name) => /^[0-9a-f]{2}$/.test(name));

/** True when opening the file creates a database: SQLite takes an empty file for a new one. */
export const isMissing = (databaseFile: string): boolean =>
  (statSync(databaseFile, { throwIfNoEntry: false })?.size ?? 0) === 0;
