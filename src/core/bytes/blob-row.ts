import { type BackupRow, matching, size, time } from "../row-column.ts";
import { isBlobHash } from "./blob.ts";

/** The rules of the rows of the ledger: see core/row.ts. */

export const hash = matching(isBlobHash, "a SHA-256 in hex");

export const blobRule = {
  noun: "blob",
  columns: { hash, size, unreferenced_since: time, generation: size },
  key: (row: BackupRow) => row.hash,
};
