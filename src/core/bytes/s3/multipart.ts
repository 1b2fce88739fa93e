import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { MiB } from "../../lib/size.ts";
import type { ByteRange } from "../blob.ts";
import { type Body, type Bucket, bodyOf, drain } from "./bucket.ts";
import { escapeXml, parseXml, textOf } from "./xml.ts";

/** Uploads files to a bucket: small ones by one request, others in parts. Keeps no bytes of them in memory. */

/** Largest file sent by one request, and smallest part size: some servers accept no more than 10 MiB at once. */
const partBytes = 8 * MiB;
/** Some servers accept no more parts. */
const maxParts = 1000;
/** Concurrent part uploads of one file. */
const atOnce = 3;
const chunkBytes = 256 * 1024;

/** Puts a file; overwrites an existing object. `sha256` is the file's hash, where it is known. */
export async function putFile(bucket: Bucket, key: string, file: string, size: number, sha256?: string): Promise<void> {
  if (size > partBytes) return putParts(bucket, key, file, size);
  const whole = { start: 0, end: size - 1 };
  await bucket.put(key, fileBody(file, whole, sha256 ?? (await hashOf(file, whole))));
}

/**
 * The ETag of an object that putFile has put, on servers that compute it as S3 does: the MD5 of the bytes, or for a
 * multipart upload the MD5 of the parts' MD5s and their number. With customer-provided encryption keys ETags never
 * match.
 */
export async function etagOf(file: string, size: number): Promise<string> {
  if (size <= partBytes) return md5Of(file, { start: 0, end: size - 1 });
  const parts = partsOf(size);
  const whole = createHash("md5");
  for (const part of parts) whole.update(await md5Of(file, part), "hex");
  return `${whole.digest("hex")}-${parts.length}`;
}

/** When it throws no part is left, unless the abort request failed. */
async function putParts(bucket: Bucket, key: string, file: string, size: number): Promise<void> {
  const started = await bucket.say({ method: "POST", key, query: { uploads: "" } });
  const uploadId = textOf(parseXml(started), "UploadId") ?? "";
  try {
    const tags = await sendParts(bucket, key, uploadId, file, partsOf(size));
    await complete(bucket, key, uploadId, tags, size);
  } catch (error) {
    await bucket.ask({ method: "DELETE", key, query: { uploadId } }, drain).catch(() => undefined);
    throw error;
  }
}

function partsOf(size: number): ByteRange[] {
  const length = Math.max(partBytes, Math.ceil(size / maxParts / MiB) * MiB);
  const count = Math.ceil(size / length);
  return Array.from({ length: count }, (_, n) => ({ start: n * length, end: Math.min((n + 1) * length, size) - 1 }));
}

/**
 * Uploads a few parts at a time; answers their tags in order. Throws only when no upload of a part is in progress any
 * more.
 */
async function sendParts(bucket: Bucket, key: string, uploadId: string, file: string, parts: ByteRange[]) {
  const tags: string[] = [];
  const queue = [...parts.entries()];
  const worker = async () => {
    try {
      for (let next = queue.shift(); next; next = queue.shift()) {
        const [n, part] = next;
        tags[n] = await sendPart(bucket, key, { uploadId, partNumber: String(n + 1) }, file, part);
      }
    } finally {
      // After a failure the other workers start no further part.
      queue.length = 0;
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: atOnce }, worker));
  for (const end of ended) if (end.status === "rejected") throw end.reason;
  return tags;
}

async function sendPart(bucket: Bucket, key: string, query: Record<string, string>, file: string, part: ByteRange) {
  const body = fileBody(file, part, await hashOf(file, part));
  return bucket.ask({ method: "PUT", key, query, body }, async (response) => {
    await drain(response);
    return response.headers.etag ?? "";
  });
}

/** If the response to a completion was lost, the retry answers that the upload is unknown: then the object exists. */
async function complete(bucket: Bucket, key: string, uploadId: string, tags: string[], size: number): Promise<void> {
  const parts = tags.map((tag, n) => `<Part><PartNumber>${n + 1}</PartNumber><ETag>${escapeXml(tag)}</ETag></Part>`);
  const xml = `<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`;
  try {
    await bucket.say({ method: "POST", key, query: { uploadId }, body: bodyOf(Buffer.from(xml)) });
  } catch (error) {
    if ((await bucket.head(key)) !== size) throw error;
  }
}

const fileBody = (file: string, range: ByteRange, sha256: string): Body => {
  const size = range.end - range.start + 1;
  // A stream cannot be opened for an empty range.
  if (size === 0) return bodyOf(new Uint8Array(0));
  return { size, sha256, open: () => createReadStream(file, { ...range, highWaterMark: chunkBytes }) };
};

/** Reads the part twice, once for its hash: so the bucket refuses a part that was damaged in transit. */
const hashOf = (file: string, range: ByteRange): Promise<string> => digestOf("sha256", file, range);
const md5Of = (file: string, range: ByteRange): Promise<string> => digestOf("md5", file, range);

async function digestOf(algorithm: "sha256" | "md5", file: string, { start, end }: ByteRange): Promise<string> {
  const digest = createHash(algorithm);
  if (end < start) return digest.digest("hex");
  for await (const chunk of createReadStream(file, { start, end, highWaterMark: chunkBytes })) {
    digest.update(chunk as Buffer);
  }
  return digest.digest("hex");
}
