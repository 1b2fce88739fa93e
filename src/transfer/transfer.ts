import type { StagedBlob } from "../core/bytes/blob.ts";
import type { WriteContext } from "../core/event.ts";
import type { Path } from "../core/path.ts";
import type { UploadRequest } from "../upload/upload.ts";

/** Uploads that go on after an interruption, on any node. Contract, part three, §16; decision 77. */

/** The version of the tus protocol that is spoken. */
export const tusVersion = "1.0.0";

/** A token may have begun so many that are not finished. */
export const maxTransfers = 100;
/** A request that appends says so again within this time, or another one may. */
export const writerSeconds = 6;

/** What was said when it began. */
export type NewTransfer = {
  id: string;
  request: Omit<UploadRequest, "sentName" | "givenName" | "meta" | "uploadedAt">;
  /** The header Upload-Metadata as sent. */
  metadata: string;
  length: number;
};

export type Transfer = Readonly<
  NewTransfer & {
    /** How many bytes are durable: less than the length until it is a file. */
    offset: number;
    /** When it began, or the last bytes came, in Unix seconds. */
    at: number;
    /** The file that it became. */
    file: Path | undefined;
  }
>;

/** Whose an upload is, and the time after which it must have gone on; anything else is not found. */
export type Owner = { actor: string; sinceSeconds: number };

/** The request that appends to an upload. */
export type Writer = { id: string; writer: string; nowSeconds: number };

/** The rows of uploads. Writes of them are no events. */
export interface TransferStore {
  /** Begins one. Throws too_many_uploads. */
  create(upload: NewTransfer, sinceSeconds: number, context: WriteContext): Promise<Transfer>;
  /** Throws upload_not_found. */
  get(id: string, owner: Owner): Promise<Transfer>;
  /** Bytes that uploads have announced and not sent. */
  missingBytes(): Promise<number>;
  /** Lets the writer, and no other, append for `writerSeconds`. Throws upload_not_found, upload_locked. */
  hold(writer: Writer, owner: Owner): Promise<Transfer>;
  /**
   * Prolongs that time, and says what is durable or what it became. Throws upload_locked for a writer that lost its place
   * to another, or whose upload was removed.
   */
  save(writer: Writer, progress: Partial<Pick<Transfer, "offset" | "file">>): Promise<void>;
  /** Lets others append. */
  release(writer: Writer): Promise<void>;
  /** Removes the row of a writer that holds it. Throws upload_locked as save does. */
  remove(writer: Writer): Promise<void>;
  /** Removes the rows of those that nobody appends to and that have got no bytes since then. */
  expire(sinceSeconds: number, nowSeconds: number): Promise<void>;
  /** Whether there is one, whosever. */
  has(id: string): Promise<boolean>;
}

/** Called with how many bytes of the upload are durable. */
export type OnSaved = (offset: number) => Promise<void>;

/** The bytes of uploads until they are blobs, where every node has them. Throws `busy` as BlobStore does. */
export interface TransferBytes {
  /**
   * Appends bytes at an offset, in place of what was there, and makes them durable every few seconds; the bytes before it
   * must be there. `bytes` must not throw. Settles once all of them are durable and `onSaved` knows.
   */
  append(id: string, offset: number, bytes: AsyncIterable<Uint8Array>, onSaved: OnSaved): Promise<void>;
  /** All bytes, to be stored as a blob; they stay until `remove`, too. */
  stage(id: string, length: number): Promise<StagedBlob>;
  /** Does nothing when there are none. */
  remove(id: string): Promise<void>;
  /** Removes the bytes of uploads without a row, as a stop or a restore leaves them. */
  sweep(hasRow: (id: string) => Promise<boolean>): Promise<void>;
  /** Throws busy unless so many bytes more can be stored; `missing` are announced by others. */
  refuseFull(length: number, missing: number): Promise<void>;
}
