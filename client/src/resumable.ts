/**
 * Uploads that go on after an interruption, a reload of the page included: the tus protocol. An entrance of its own, so that
 * only who uploads large files loads it.
 */

import type { ProblemBody } from "./api.ts";
import { OctavoConnectionError, OctavoProblem } from "./problem.ts";
import type {
  CallOptions,
  ClientConfig,
  ProgressListener,
  StoredFile,
  UploadedObject,
  UploadOptions,
} from "./public.ts";
import { pause, readRetryAfter } from "./retry.ts";
import { rememberTag, withPath } from "./transport.ts";

/** Keeps texts by key, as `localStorage` does. */
export type AddressStore = {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
};

/** The part of a Blob or a File that is used. */
export type UploadedFile = Pick<Blob, "size" | "slice"> & { readonly name?: string; readonly lastModified?: number };

export type ResumableOptions = Pick<UploadOptions, "name" | "title" | "description" | "onConflict"> & {
  /** Is told what the service has, after every part. */
  onProgress?: ProgressListener | undefined;
  /**
   * Where the address of the upload is kept until its end, so that the same file goes on after a reload: `localStorage`
   * where there is one. null keeps none.
   */
  store?: AddressStore | null | undefined;
};

const keyPrefix = "octavo-upload ";

/** An upload that an earlier page did not end: the same file goes on with it. */
export type UnfinishedUpload = { folder: string; name: string; size: number; lastModified: number };

/** Those whose addresses the store has, for this service, whether or not they are kept there still. */
export function unfinishedUploads({ url }: Pick<ClientConfig, "url">, store = ownStore()): UnfinishedUpload[] {
  return Object.keys(store ?? {}).flatMap((key) => {
    if (!key.startsWith(keyPrefix)) return [];
    const [service, folder, name, size, lastModified] = JSON.parse(key.slice(keyPrefix.length));
    return service === url ? [{ folder, name, size, lastModified }] : [];
  });
}

/** Parts take about this long, so that progress is seen and little is lost. */
const partMs = 2000;
const [minPart, maxPart] = [256 * 1024, 16 * 1024 * 1024];
/** So many failures in a row, between which nothing was sent, end it; the wait between them doubles up to half a minute. */
const maxFailures = 8;
const maxDelayMs = 30_000;

/** One upload. `send` sends it to its end; `pause` and `send` again go on where the service is. */
export class ResumableUpload {
  readonly #config: ClientConfig;
  readonly #folder: string;
  readonly #file: UploadedFile;
  readonly #options: ResumableOptions;
  readonly #name: string;
  readonly #key: string;
  readonly #store: AddressStore | null;
  #id: string | null;
  #part = 1024 * 1024;
  #sending: AbortController | undefined;

  /** A `File` has a name, for any other Blob it is an option. Throws TypeError without one. */
  constructor(config: ClientConfig, folder: string, file: UploadedFile, options: ResumableOptions = {}) {
    const { name = file.name, store = ownStore() } = options;
    if (!name) throw new TypeError("An upload needs a name with its extension");
    this.#config = config;
    this.#folder = folder;
    this.#file = file;
    this.#options = options;
    this.#name = name;
    this.#store = store;
    const { size, lastModified = 0 } = file;
    this.#key = keyPrefix + JSON.stringify([config.url, folder, name, size, lastModified]);
    this.#id = store?.getItem(this.#key) ?? null;
  }

  /** True when an upload of this file was begun before, by this page or an earlier one. */
  get hasBegun(): boolean {
    return this.#id !== null;
  }

  /** How many bytes the service has; undefined where nothing was begun, or what was is gone. Throws as `send` does. */
  async loaded(): Promise<number | undefined> {
    if (this.#id === null) return undefined;
    try {
      return numberOf((await this.#ask("HEAD", this.#id, {})).headers, "Upload-Offset");
    } catch (failure) {
      if (!isUnknown(failure)) throw failure;
      this.#forget();
      return undefined;
    }
  }

  /**
   * Sends what the service does not have, and answers the file. Tries again after failures of the network. Rejects with the
   * signal's reason or, after `pause`, an AbortError: what was sent stays. Throws what `files.upload` throws.
   */
  async send({ signal }: Pick<CallOptions, "signal"> = {}): Promise<UploadedObject> {
    this.#sending?.abort();
    const sending = new AbortController();
    this.#sending = sending;
    const abort = () => sending.abort(signal?.reason);
    signal?.addEventListener("abort", abort);
    try {
      signal?.throwIfAborted();
      return await this.#sendAll(sending.signal);
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  /** Stops sending; nothing that the service has is lost for a day. */
  pause(): void {
    this.#sending?.abort();
  }

  /** Stops, and removes what was sent. */
  async cancel(): Promise<void> {
    this.pause();
    const id = this.#id;
    this.#forget();
    if (id !== null) await this.#ask("DELETE", id, {}).catch(() => undefined);
  }

  async #sendAll(signal: AbortSignal): Promise<UploadedObject> {
    const { size } = this.#file;
    let offset = -1;
    for (let failures = 0; ; ) {
      try {
        if (offset < 0) offset = await this.#begin(signal);
        this.#options.onProgress?.({ loaded: offset, total: size });
        if (offset >= size) return await this.#end(signal);
        offset = await this.#sendPart(offset, signal);
        failures = 0;
      } catch (failure) {
        signal.throwIfAborted();
        const delay = this.#delayAfter(failure, failures++);
        if (delay === undefined) throw this.#told(failure);
        offset = -1;
        await pause(delay, signal);
      }
    }
  }

  /** How much the service has of the upload, which begins unless it has begun. */
  async #begin(signal: AbortSignal): Promise<number> {
    const { size } = this.#file;
    if (this.#id !== null) {
      const { headers } = await this.#ask("HEAD", this.#id, { signal });
      return numberOf(headers, "Upload-Offset");
    }
    const { title, description, onConflict } = this.#options;
    const fields = { folder: this.#folder, filename: this.#name, title, description, on_conflict: onConflict };
    const sent = { "Upload-Length": String(size), "Upload-Metadata": metadataOf(fields) };
    const { headers } = await this.#ask("POST", "", { signal, headers: sent });
    this.#id = (headers.get("Location") as string).replace(/.*\//, "");
    this.#store?.setItem(this.#key, this.#id);
    return numberOf(headers, "Upload-Offset");
  }

  async #sendPart(offset: number, signal: AbortSignal): Promise<number> {
    const body = this.#file.slice(offset, offset + this.#part);
    const startedMs = performance.now();
    const sent = { "Upload-Offset": String(offset), "Content-Type": "application/offset+octet-stream" };
    const { headers } = await this.#ask("PATCH", this.#id as string, { signal, headers: sent, body });
    const factor = Math.min(2, Math.max(0.5, partMs / (performance.now() - startedMs)));
    this.#part = Math.round(Math.min(maxPart, Math.max(minPart, this.#part * factor)));
    return numberOf(headers, "Upload-Offset");
  }

  async #end(signal: AbortSignal): Promise<UploadedObject> {
    const response = await this.#ask("GET", this.#id as string, { signal });
    const { json = JSON } = this.#config;
    const { data } = json.parse(await response.text()) as { data: StoredFile };
    rememberTag(data, response.headers.get("ETag"));
    this.#forget();
    return withPath(data, response.headers);
  }

  #forget(): void {
    this.#id = null;
    this.#store?.removeItem(this.#key);
  }

  /** The response to a request of the protocol. Throws OctavoProblem, OctavoConnectionError, and fetch's own when aborted. */
  async #ask(method: string, id: string, sent: RequestInit & { headers?: Record<string, string> }): Promise<Response> {
    const { url, token, accessToken, headers = {}, fetch: send = fetch } = this.#config;
    const all = {
      ...(typeof headers === "function" ? headers() : headers),
      ...(token && { Authorization: `Bearer ${token}` }),
      ...(accessToken && { "X-Access-Token": accessToken }),
      ...sent.headers,
      "Tus-Resumable": "1.0.0",
    };
    const address = `${url.replace(/\/+$/, "")}/api/uploads${id && `/${id}`}`;
    let response: Response;
    let text = "";
    try {
      response = await send(address, { ...sent, method, headers: all });
      if (!response.ok) text = await response.text();
    } catch (cause) {
      sent.signal?.throwIfAborted();
      throw new OctavoConnectionError("The service does not answer", { cause });
    }
    if (!response.ok) refuse(response, text);
    return response;
  }

  /** How long to wait before it goes on; undefined when a failure is for good. */
  #delayAfter(failure: unknown, failures: number): number | undefined {
    const isGone = isUnknown(failure);
    // What is too old, or was ended, begins anew; once, or a place that is not there would ask for ever.
    if (isGone && failures === 0 && this.#id !== null) this.#forget();
    else if (failures >= maxFailures || !isPassing(failure)) return undefined;
    const { retryAfterSeconds = 0 } = failure as OctavoConnectionError;
    return isGone ? 0 : Math.max(retryAfterSeconds * 1000, Math.min(maxDelayMs, 500 * 2 ** failures));
  }

  #told(failure: unknown): unknown {
    if (failure instanceof OctavoProblem) this.#config.onProblem?.(failure);
    return failure;
  }
}

/** The reply to HEAD has no problem in it. */
const isUnknown = (failure: unknown): boolean =>
  failure instanceof OctavoProblem
    ? failure.code === "upload_not_found"
    : failure instanceof OctavoConnectionError && failure.status === 404;

const passing = /^(upload_locked|upload_offset_mismatch|idempotency_in_flight|request_timeout|too_many_requests|busy)$/;

/** True for what time resolves, or a look at how much the service has. */
function isPassing(failure: unknown): boolean {
  if (failure instanceof OctavoProblem) return passing.test(failure.code);
  if (!(failure instanceof OctavoConnectionError)) return false;
  const { status = 500 } = failure;
  return status >= 500 || status === 429;
}

function refuse({ status, headers }: Response, text: string): never {
  const retryAfterSeconds = readRetryAfter(headers.get("Retry-After"));
  let body: Partial<ProblemBody> = {};
  try {
    body = JSON.parse(text);
  } catch {}
  if (body.request_id) throw new OctavoProblem(body as ProblemBody, retryAfterSeconds);
  throw new OctavoConnectionError(`${status}, and not by the service`, {
    status,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

const numberOf = (headers: Headers, name: string): number => Number(headers.get(name));

/** Pairs of a key and its value in base64. */
const metadataOf = (fields: Record<string, string | undefined>): string =>
  Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key} ${base64(value as string)}`)
    .join(",");

const base64 = (text: string): string =>
  btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(""));

/** Undefined in Node, and where a browser forbids it. */
function ownStore(): AddressStore | null {
  try {
    return (globalThis as { localStorage?: AddressStore }).localStorage ?? null;
  } catch {
    return null;
  }
}
