import { createHash, type Hash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { problem } from "./problems.ts";
import { tusVersion } from "./transfer.ts";

/** The headers of the tus protocol 1.0: how they are read, and its bytes. Contract, part three, §16. */

/** On every reply. */
export const tusHeaders = ["Tus-Resumable", tusVersion];

/** On the answers to OPTIONS. */
export const tusOptions = (maxBytes: number): string[] => [
  "Tus-Version",
  tusVersion,
  "Tus-Max-Size",
  String(maxBytes),
  "Tus-Extension",
  "creation,creation-with-upload,expiration,termination,checksum",
  "Tus-Checksum-Algorithm",
  "sha256",
];

/** Throws tus_version_unsupported. */
export function refuseVersion({ "tus-resumable": version }: IncomingHttpHeaders): void {
  const received = String(version ?? "");
  if (version !== tusVersion) throw problem("tus_version_unsupported", { received, accepted: tusVersion });
}

/** The length of an upload. Throws argument_missing, argument_invalid, file_too_large. */
export function readLength(headers: IncomingHttpHeaders, maxBytes: number): number {
  for (const [name, accepted] of refused) {
    const received = headers[name.toLowerCase()];
    if (received !== undefined)
      throw problem("argument_invalid", { argument: name, received: String(received), accepted });
  }
  const length = readNumber(headers, "Upload-Length", "the number of bytes of the whole upload");
  if (length > maxBytes) throw problem("file_too_large", { limit: maxBytes });
  return length;
}

/** Extensions that are not offered. Ignored, they would make files of what is none. */
const refused = [
  ["Upload-Defer-Length", '"Upload-Length": the length is known when an upload begins'],
  ["Upload-Concat", "one upload for the whole file: uploads are not concatenated"],
] as const;

/** Throws argument_missing, argument_invalid. */
export const readOffset = (headers: IncomingHttpHeaders): number =>
  readNumber(headers, "Upload-Offset", "the number of bytes that the service has");

function readNumber(headers: IncomingHttpHeaders, argument: string, accepted: string): number {
  const received = headers[argument.toLowerCase()];
  if (received === undefined) throw problem("argument_missing", { argument, accepted });
  if (typeof received === "string" && /^\d{1,15}$/.test(received)) return Number(received);
  throw problem("argument_invalid", { argument, received: String(received), accepted });
}

const bytesType = "application/offset+octet-stream";

/** Throws media_type_unsupported for a body of another type than that of tus. */
export function refuseOtherType({ "content-type": received = "" }: IncomingHttpHeaders): void {
  if (received.trim().toLowerCase() !== bytesType)
    throw problem("media_type_unsupported", { received, accepted: bytesType });
}

/** The SHA-256 that the bytes must have, undefined when the client sent none. Throws checksum_unsupported. */
export function readChecksum({ "upload-checksum": sent }: IncomingHttpHeaders): Buffer | undefined {
  if (sent === undefined) return undefined;
  const [, hash = ""] = /^sha256 +([A-Za-z0-9+/]{43}=)$/.exec(String(sent)) ?? [];
  if (hash !== "") return Buffer.from(hash, "base64");
  const accepted = "sha256 and the hash of the bytes of this request, in base64";
  throw problem("checksum_unsupported", { argument: "Upload-Checksum", received: String(sent), accepted });
}

export type BodyRules = {
  /** More bytes are refused, as they go past the length of the upload. */
  limit: number;
  length: number;
  checksum: Buffer | undefined;
  /** Is asked before every chunk that is passed on. */
  mayGoOn(): Promise<void>;
};

/**
 * The bytes of one request. Ends where they fail, without throwing, so that those before it are kept; `refuse` throws
 * then.
 */
export class UploadBody implements AsyncIterable<Uint8Array> {
  private readonly source: AsyncIterable<Uint8Array>;
  private readonly rules: BodyRules;
  private readonly sha256: Hash | undefined;
  private failure: unknown;

  constructor(source: AsyncIterable<Uint8Array>, rules: BodyRules) {
    this.source = source;
    this.rules = rules;
    this.sha256 = rules.checksum && createHash("sha256");
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const { limit, length, mayGoOn } = this.rules;
    try {
      let size = 0;
      for await (const chunk of this.source) {
        await mayGoOn();
        size += chunk.length;
        if (size > limit) throw problem("upload_too_long", { length });
        this.sha256?.update(chunk);
        yield chunk;
      }
    } catch (error) {
      this.failure = error;
    }
  }

  /** Throws what ended the bytes early, checksum_mismatch. */
  refuse(): void {
    if (this.failure !== undefined) throw this.failure;
    const { checksum } = this.rules;
    if (checksum && !this.sha256?.digest().equals(checksum)) throw problem("checksum_mismatch");
  }
}
