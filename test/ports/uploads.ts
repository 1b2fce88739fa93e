import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BlobStore, verifyBlobs } from "../../src/core/bytes/blob.ts";
import { BlobFolder } from "../../src/core/bytes/disk/blob-folder.ts";
import { type Disk, nodeDisk } from "../../src/core/bytes/disk/disk.ts";
import { Staging } from "../../src/core/bytes/disk/staging.ts";
import { standardExtensions } from "../../src/core/bytes/media-type.ts";
import type { Path } from "../../src/core/path.ts";
import { openPostgresStore, openSqliteStore, type SqlStore } from "../../src/database.ts";
import type { ConflictRule, File, FileStore } from "../../src/file/file.ts";
import { UploadsTree } from "../../src/upload/tree-store.ts";
import { type UploadRules, uploadFile } from "../../src/upload/upload.ts";
import { postgresOptions } from "./postgres-options.ts";
import { sqliteOptions } from "./sqlite-options.ts";

/** All stores that files need, in a temporary folder. */
export type Uploads = {
  folder: string;
  root: string;
  store: SqlStore;
  staging: Staging;
  blobs: BlobFolder;
  tree: UploadsTree;
  /** The errors of the tree. */
  errors: unknown[];
  upload(path: string, text: string, more?: Partial<UploadOptions>): Promise<File>;
  verify(): Promise<string[]>;
};
export type UploadOptions = ConflictRule & {
  nowSeconds: number;
  ifMatch: string;
  blobs: BlobStore;
  files: FileStore;
};

export const rules: UploadRules = {
  hasSafeNames: false,
  extensions: standardExtensions,
  maxPixels: 100_000_000,
  refusesCorruptImages: false,
};

export const at = (nowSeconds: number) => ({ actor: "test", nowSeconds });

export async function openUploads(
  folder = mkdtempSync(join(tmpdir(), "octavo-test-")),
  disk: Disk = nodeDisk,
  openStore: (folder: string, blobFolder: string) => Promise<SqlStore> = openSqlite,
): Promise<Uploads> {
  const blobFolder = join(folder, "blobs");
  const store = await openStore(folder, blobFolder);
  const staging = new Staging(join(folder, "tmp"), disk);
  const blobs = new BlobFolder(blobFolder, staging, 0, disk);
  const { folders, files, trash, events, ledger } = store;
  const root = join(folder, "uploads");
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const tree = new UploadsTree({ root, blobFolder, staging, folders, files, trash, events, onError, disk });
  const upload: Uploads["upload"] = async (path, text, more = {}) => {
    const store = more.blobs ?? blobs;
    const staged = await store.stage(bytesOf(text), 1e9);
    try {
      const slash = path.lastIndexOf("/");
      const request = {
        folder: path.slice(0, Math.max(slash, 0)) as Path,
        fileName: path.slice(slash + 1),
        onConflict: more.onConflict ?? "replace",
        onOther: more.onOther,
        title: undefined,
        description: undefined,
        ifMatch: more.ifMatch,
      };
      return await uploadFile(
        { files: more.files ?? files, ledger, blobs: store },
        staged,
        request,
        rules,
        at(more.nowSeconds ?? 1000),
      );
    } finally {
      await staged.discard();
    }
  };
  const verify = async () => [...(await store.verify()), ...(await verifyBlobs(ledger, blobs))];
  return { folder, root, store, staging, blobs, tree, errors, upload, verify };
}

const openSqlite = (folder: string, blobFolder: string) => openSqliteStore({ ...sqliteOptions(), folder, blobFolder });

/** As openUploads, with the rows in a new PostgreSQL database. */
export const openUploadsOnPostgres = (folder?: string): Promise<Uploads> =>
  openUploads(folder, nodeDisk, async (_folder, blobFolder) =>
    openPostgresStore({ ...(await postgresOptions()), blobFolder }),
  );

export async function* bytesOf(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text);
}
