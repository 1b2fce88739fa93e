import { createHash } from "node:crypto";
import { formatJson, type JsonObject } from "../../core/lib/json.ts";
import { serviceFields } from "../../entry/field.ts";

/** What is mirrored into an index of another product, and what such an index must be able to do. */

/** The field of a document that has its hash: by it a comparison reads no texts. */
export const hashField = "octavo_hash";

export type Document = {
  readonly uuid: string;
  readonly hash: string;
  /** The client's keys, `uuid`, `slug` and the hash. */
  readonly fields: JsonObject;
  /** Of its JSON text. */
  readonly bytes: number;
};

/** The document of an entry as the feed of changes has it. */
export function documentOf(entry: JsonObject): Document {
  const fields: JsonObject = new Map([...entry].filter(([key]) => !serviceFields.has(key) && key !== hashField));
  for (const key of ["uuid", "slug"]) fields.set(key, entry.get(key) ?? null);
  const text = formatJson(fields);
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 32);
  return { uuid: String(entry.get("uuid")), hash, fields: fields.set(hashField, hash), bytes: Buffer.byteLength(text) };
}

/** A document that the index does not take. */
export type Refused = { readonly uuid: string; readonly why: string };
/** A document that the index has; the hash is undefined for one that was not mirrored. */
export type Known = { readonly uuid: string; readonly hash: string | undefined };

/**
 * An index of another product. All of it may be called again after a failure: nothing is done twice. What is refused
 * rejects with TargetRefusal.
 */
export type Target = {
  /** Makes the index if there is none. */
  open(): Promise<void>;
  /** Puts documents in place of those with their uuids. One that is refused does not keep out the others. */
  put(documents: readonly Document[]): Promise<Refused[]>;
  /** Uuids that are not there do no harm. */
  remove(uuids: readonly string[]): Promise<void>;
  all(): AsyncIterable<readonly Known[]>;
  /** What was kept last. */
  cursor(): Promise<string | undefined>;
  /** Resolves when all that was put and removed before is in the index. */
  keep(cursor: string): Promise<void>;
};

/** A request to the product; `lines` are JSON texts, one a line. */
export type TargetRequest = { method: string; path: string; json?: string; lines?: readonly string[] };

/** Sends a request, again while the product has no room. Rejects with TargetRefusal for any status above 299. */
export type Send = (request: TargetRequest) => Promise<AsyncIterable<Uint8Array>>;

/** What a target has of the command line. `wait` resolves after milliseconds. */
export type TargetOptions = { send: Send; index: string; wait: (ms: number) => Promise<void> };

/** The product refused a request. */
export class TargetRefusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Undefined where there is no such thing. */
export const ifThere = <T>(asked: Promise<T>): Promise<T | undefined> =>
  asked.catch((error: unknown) => {
    if (error instanceof TargetRefusal && error.status === 404) return undefined;
    throw error;
  });

/** The statuses of refusals that are about what was sent, not about who sent it. */
const ofDocuments = [400, 413, 422];

/** Puts documents with a product that takes all or none: what it refuses is found by halves. */
export async function putByHalves(
  documents: readonly Document[],
  put: (documents: readonly Document[]) => Promise<unknown>,
): Promise<Refused[]> {
  try {
    if (documents.length > 0) await put(documents);
    return [];
  } catch (error) {
    if (!(error instanceof TargetRefusal && ofDocuments.includes(error.status))) throw error;
    const [first] = documents;
    if (documents.length === 1 && first) return [{ uuid: first.uuid, why: error.message }];
    const middle = documents.length >> 1;
    const refused = await putByHalves(documents.slice(0, middle), put);
    return [...refused, ...(await putByHalves(documents.slice(middle), put))];
  }
}

/** Asks until there is an answer: at first often, later once a second. */
export async function until<T>(ask: () => Promise<T | undefined>, wait: (ms: number) => Promise<void>): Promise<T> {
  for (let ms = 10; ; ms = Math.min(ms * 2, 1000)) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await wait(ms);
  }
}

/** The members of an answer in JSON. */
export async function jsonOf<T>(pieces: AsyncIterable<Uint8Array>): Promise<T> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return JSON.parse(Buffer.concat(all).toString()) as T;
}
