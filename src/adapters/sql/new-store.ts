import { existsSync, readdirSync, statSync } from "node:fs";
import { StoreError } from "../../domain/store-error.ts";
import type { BlobPlace } from "./noun/blob-remover.ts";

/**
 * `mayBeNew`: the operator knows that bytes of files are there, and wants a new store all the same. `mustExist`: only a
 * store that exists is opened.
 */
export type NewStoreOptions = Pick<BlobPlace, "blobFolder"> & { mayBeNew?: boolean; mustExist?: boolean };

/**
 * Throws StoreError where a database is about to be made and should not be. With the bytes of files beside it, most
 * likely a disk is not mounted, or the database was lost: a new one would serve an empty site, and nobody would look for
 * the old one. For a command that works on a store, most likely it was given another place than the service.
 */
export function refuseNew(options: NewStoreOptions, missing: string, mend: string): void {
  const { blobFolder, mayBeNew, mustExist } = options;
  if (!mayBeNew && holdsBlobs(blobFolder)) {
    throw new StoreError(
      `${missing}, but ${blobFolder} holds the bytes of files: ${mend}, ` +
        `fill a new one with octavo restore FILE, or begin an empty store beside these bytes with octavo serve --new`,
    );
  }
  if (mustExist) throw new StoreError(`${missing}: ${mend}, or make a store with octavo serve`);
}

const holdsBlobs = (folder: string): boolean =>
  existsSync(folder) && readdirSync(folder).some((name) => /^[0-9a-f]{2}$/.test(name));

/** True when opening the file makes a database of it: SQLite takes an empty one for new. */
export const isMissing = (databaseFile: string): boolean =>
  (statSync(databaseFile, { throwIfNoEntry: false })?.size ?? 0) === 0;
