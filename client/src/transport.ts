import type { Api, ProblemBody } from "./api.ts";
import { OctavoConnectionError, OctavoProblem } from "./problem.ts";
import { type ProgressListener, progressiveXhr, type Sent, sendByXhr } from "./progress.ts";
import { formatQuery } from "./query.ts";
import { pause, readRetryAfter, retryDelayMs } from "./retry.ts";

export type ClientConfig = {
  /** The service's address, as `https://content.example.org`; empty for the page's own origin. */
  url: string;
  /** A delivery or management token. */
  token?: string | undefined;
  /** Needed for writes, in addition to a management token. Must not be sent to untrusted browsers. */
  accessToken?: string | undefined;
  /** A token of the kind images, added to the addresses of images. */
  imagesToken?: string | undefined;
  /**
   * True sends the token of reads in the address. Then browsers on other sites need no preflight, and shared caches may
   * store what a delivery token reads; but addresses end up in logs. Default false.
   */
  tokenInUrl?: boolean | undefined;
  /** Maximum number of retries; default 3, 0 for none. See the guide for what is repeated. */
  retries?: number | undefined;
  /** Replaces the platform's fetch. */
  fetch?: typeof fetch | undefined;
};

export type CallOptions = {
  /** Aborts the call, also while it waits for a retry: it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
};
export type WriteOptions = CallOptions & {
  /**
   * Writes only if the object is unchanged, otherwise throws revision_mismatch: an object as a fetch or a write
   * answered it, or an ETag.
   */
  ifMatch?: string | object | undefined;
};
type SendOptions = WriteOptions & { mergePatch?: boolean; onProgress?: ProgressListener };

type Operation = keyof Api;
type Reply<O extends Operation> = { data: Api[O]["data"]; headers: Headers };

const tags = new WeakMap<object, string>();

/** The ETag received with this very object; undefined for a copy of it, and for the items of a collection. */
export const etagOf = (object: object): string | undefined => tags.get(object);

/** Sends operations and answers the results; every failure is one of three kinds: see problem.ts. */
export class Transport {
  readonly config: ClientConfig;
  /** The address without a trailing slash. */
  readonly url: string;

  constructor(config: ClientConfig) {
    const { url } = config;
    // A path is relative to the page's own origin.
    if (!/^(\/|$)/.test(url) && !/^https?:\/\/./.test(url)) throw new RangeError(`url is "${url}"; expected https://…`);
    this.config = config;
    this.url = url.replace(/\/+$/, "");
  }

  /** The `data` of the reply. Throws OctavoProblem, OctavoConnectionError, or the signal's reason. */
  async call<O extends Operation>(
    operation: O,
    args: Api[O]["arguments"],
    options?: SendOptions,
  ): Promise<Api[O]["data"]> {
    return (await this.reply(operation, args, options)).data;
  }

  /** The same with the reply's headers. */
  async reply<O extends Operation>(
    operation: O,
    args: Api[O]["arguments"],
    options: SendOptions = {},
  ): Promise<Reply<O>> {
    const { signal } = options;
    const send = this.prepare(operation, args, options);
    signal?.throwIfAborted();
    for (let attempt = 0; ; attempt++) {
      try {
        return (await exchange(send)) as Reply<O>;
      } catch (failure) {
        signal?.throwIfAborted();
        const isLast = attempt >= (this.config.retries ?? 3);
        const delay = isLast ? undefined : retryDelayMs(failure, attempt, operation.startsWith("GET"));
        if (delay === undefined) throw failure;
        await pause(delay, signal);
      }
    }
  }

  /** A function that creates the request, called once for each try. */
  private prepare(operation: Operation, args: object, options: SendOptions): () => Promise<Response> {
    const { signal, onProgress } = options;
    const { token, tokenInUrl, fetch: send = fetch } = this.config;
    const [method = "", path] = operation.split(" ");
    // The arguments of a delete are in the address too, since proxies drop its body.
    const isInUrl = method === "GET" || method === "DELETE";
    const query = isInUrl ? strictly(formatQuery(method === "GET" && tokenInUrl ? { ...args, token } : args)) : "";
    const body = isInUrl ? undefined : "file" in args ? formOf(args) : JSON.stringify(args);
    const sent = { method, headers: this.headers(method, body, options), body, signal };
    const url = `${this.url}${path}${query && `?${query}`}`;
    const Xhr = onProgress && progressiveXhr();
    return () => (Xhr ? sendByXhr(Xhr, url, sent as Sent, onProgress) : send(url, sent));
  }

  private headers(method: string, body: unknown, { ifMatch, mergePatch }: SendOptions): Record<string, string> {
    const { token, accessToken, tokenInUrl } = this.config;
    const isRead = method === "GET";
    return {
      ...(token && !(isRead && tokenInUrl) && { Authorization: `Bearer ${token}` }),
      ...(accessToken && !isRead && { "X-Access-Token": accessToken }),
      ...(typeof body === "string" && { "Content-Type": `application/${mergePatch ? "merge-patch+" : ""}json` }),
      ...(ifMatch !== undefined && { "If-Match": tagOf(ifMatch) }),
    };
  }
}

/** By default the service ignores unknown keys of filter and options; with `strict` a typo is refused. */
const strictly = (query: string): string => (/(^|&)(filter|options)%5B/.test(query) ? `${query}&strict=1` : query);

function tagOf(ifMatch: string | object): string {
  const tag = typeof ifMatch === "string" ? ifMatch : etagOf(ifMatch);
  if (tag) return tag;
  throw new RangeError("ifMatch is an object that did not come from a fetch or a write, or a copy of one");
}

/** The file is the last part: so the service authenticates the sender before it reads the file. */
function formOf({ file, ...fields }: { file?: unknown }): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.set(name, String(value));
  form.set("file", file as Blob);
  return form;
}

/** Sends one request and reads its reply. Throws OctavoProblem, OctavoConnectionError. */
async function exchange(send: () => Promise<Response>): Promise<Reply<Operation>> {
  let response: Response;
  let text: string;
  try {
    response = await send();
    text = await response.text();
  } catch (cause) {
    throw new OctavoConnectionError("The service cannot be reached", { cause });
  }
  return read(response, text);
}

function read({ status, headers }: Response, text: string): Reply<Operation> {
  if (status === 204) return { data: undefined, headers };
  const body = parse(text);
  if (body?.data === undefined) {
    const retryAfterSeconds = readRetryAfter(headers.get("Retry-After"));
    if (body?.request_id) throw new OctavoProblem(body, retryAfterSeconds);
    throw new OctavoConnectionError(`${status}, and not by the service`, { status, retryAfterSeconds });
  }
  const { data } = body;
  const tag = headers.get("ETag");
  if (tag && data && typeof data === "object") tags.set(data, tag);
  return { data, headers };
}

/** The body of a reply or a problem; undefined when it is not JSON. */
function parse(text: string): (ProblemBody & { data?: Reply<Operation>["data"] }) | undefined {
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    return undefined;
  }
}
