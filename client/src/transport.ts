import type { Api, ProblemBody } from "./api.ts";
import type { Included } from "./include.ts";
import { OctavoConnectionError, OctavoProblem } from "./problem.ts";
import { type ProgressListener, progressiveXhr, type Sent, sendByXhr } from "./progress.ts";
import { formatQuery } from "./query.ts";
import { pause, readRetryAfter, retryDelayMs } from "./retry.ts";

export type ClientConfig = {
  /** The service's URL, such as `https://content.example.org`; empty for the page's own origin. */
  url: string;
  /** A delivery, preview or management token. */
  token?: string | undefined;
  /** Needed for writes, in addition to a management token. Must not be sent to untrusted browsers. */
  accessToken?: string | undefined;
  /** A token of the kind images, added to image URLs. */
  imagesToken?: string | undefined;
  /**
   * True sends the token of reads in the URL. Then browsers on other sites need no preflight, and shared caches may
   * store what a delivery token reads; but URLs end up in logs. Default false.
   */
  tokenInUrl?: boolean | undefined;
  /** Maximum number of retries; default 3, 0 for none. See the guide for what is repeated. */
  retries?: number | undefined;
  /** Replaces the platform's fetch. */
  fetch?: typeof fetch | undefined;
  /**
   * Headers of every request, such as a CSRF token beside a cookie; a function is called for each request. The client's
   * own headers take precedence.
   */
  headers?: Record<string, string> | (() => Record<string, string>) | undefined;
  /** Parses and formats JSON instead of `JSON`: with `exactJson` no number is rounded. */
  json?: JsonFormat | undefined;
  /** Called with every problem that a call is about to be rejected with, for example to sign in again. */
  onProblem?: ((problem: OctavoProblem) => void) | undefined;
};

export type JsonFormat = {
  /** Throws SyntaxError for a text that is not JSON. */
  parse(text: string): unknown;
  stringify(value: object): string;
};

export type CallOptions = {
  /** Aborts the call, also while it waits for a retry: it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** True lets a browser finish the request after the page is closed; the body is then at most 64 KiB. */
  keepalive?: boolean | undefined;
};
export type WriteOptions = CallOptions & {
  /**
   * Writes only if the object is unchanged, otherwise throws revision_mismatch: an object as a fetch or a write
   * answered it, or an ETag.
   */
  ifMatch?: string | object | undefined;
};
export type DeleteOptions = WriteOptions & {
  /** True deletes for good at once, with the history, instead of moving to the trash. */
  purge?: boolean | undefined;
  /** True refuses to delete what entries refer to: throws in_use. */
  restrict?: boolean | undefined;
};
export type MoveOptions = WriteOptions & {
  /** True redirects the references to what is moved. Throws too_many_references, data_invalid too. */
  updateReferences?: boolean | undefined;
};
type SendOptions = WriteOptions & { mergePatch?: boolean; onProgress?: ProgressListener };

type Operation = keyof Api;
export type Reply<T> = {
  data: T;
  headers: Headers;
  /** What the fields of `include` refer to. */
  included?: Included | undefined;
};

const tags = new WeakMap<object, string>();

/** The ETag received with this very object; undefined for a copy of it, and for the items of a collection. */
export const etagOf = (object: object): string | undefined => tags.get(object);

/** Sends operations and answers the results; every failure is one of three kinds: see problem.ts. */
export class Transport {
  readonly config: ClientConfig;
  /** The URL without a trailing slash. */
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
  reply<O extends Operation>(
    operation: O,
    args: Api[O]["arguments"],
    options?: SendOptions,
  ): Promise<Reply<Api[O]["data"]>> {
    return this.request(operation, args, options);
  }

  /** The reply to any operation, `GET /api/entries`. Throws as `call` does. */
  async request<T>(operation: string, args: object, options: SendOptions = {}): Promise<Reply<T>> {
    const send = this.prepare(operation, args, options);
    return this.repeat(operation, options.signal, async () => {
      const response = await reached(send);
      return this.read<T>(response, await reached(() => response.text()));
    });
  }

  /** The response to a GET of a URL of the service, unread. Throws as `call` does, and RangeError. */
  async get(address: string, { signal }: CallOptions = {}): Promise<Response> {
    const path = this.pathOf(address);
    const { token, tokenInUrl, fetch: send = fetch } = this.config;
    // A second token beside one in the URL would be refused; a signed URL needs none.
    const isOpen = /[?&](token|s)=/.test(path);
    const headers = isOpen ? this.extraHeaders() : this.headers("GET", undefined, {});
    const added = tokenInUrl && token && !isOpen ? `${path.includes("?") ? "&" : "?"}${formatQuery({ token })}` : "";
    return this.repeat("GET", signal, async () => {
      const response = await reached(() => send(this.url + path + added, { headers, signal }));
      if (!response.ok) this.refuse(response, await reached(() => response.text()));
      return response;
    });
  }

  /** Repeats the request until it succeeds, must not be retried, or has reached the limit of retries. */
  private async repeat<T>(operation: string, signal: AbortSignal | undefined, act: () => Promise<T>): Promise<T> {
    signal?.throwIfAborted();
    for (let attempt = 0; ; attempt++) {
      try {
        return await act();
      } catch (failure) {
        signal?.throwIfAborted();
        const isLast = attempt >= (this.config.retries ?? 3);
        const delay = isLast ? undefined : retryDelayMs(failure, attempt, operation.startsWith("GET"));
        if (delay === undefined) {
          if (failure instanceof OctavoProblem) this.config.onProblem?.(failure);
          throw failure;
        }
        await pause(delay, signal);
      }
    }
  }

  /** A function that creates the request, called once for each try. */
  private prepare(operation: string, args: object, options: SendOptions): () => Promise<Response> {
    const { signal, onProgress, keepalive } = options;
    const { token, tokenInUrl, fetch: send = fetch, json = JSON } = this.config;
    const [method = "", path = ""] = operation.split(" ");
    // The arguments of a delete are in the URL, too, since proxies drop its body.
    const isInUrl = method === "GET" || method === "DELETE";
    const query = isInUrl ? strictly(formatQuery(method === "GET" && tokenInUrl ? { ...args, token } : args)) : "";
    const body = isInUrl ? undefined : "file" in args ? formOf(args) : json.stringify(args);
    const sent = { method, headers: this.headers(method, body, options), body, signal, keepalive };
    const url = this.url + this.pathOf(path) + (query && `?${query}`);
    const Xhr = onProgress && progressiveXhr();
    return () => (Xhr ? sendByXhr(Xhr, url, sent as Sent, onProgress) : send(url, sent));
  }

  /**
   * The path of a URL of this service; tokens are sent to no other host. Throws RangeError, also for `//host` and
   * what becomes one: browsers read a backslash as a slash and drop tabs and line breaks.
   */
  private pathOf(address: string): string {
    const path = address.startsWith(`${this.url}/`) ? address.slice(this.url.length) : address;
    if (/^\/(?![/\\])[^\t\n\r]*$/.test(path)) return path;
    throw new RangeError(`the address is "${address}"; expected one of this service`);
  }

  private extraHeaders(): Record<string, string> {
    const { headers = {} } = this.config;
    return typeof headers === "function" ? headers() : headers;
  }

  private headers(method: string, body: unknown, { ifMatch, mergePatch }: SendOptions): Record<string, string> {
    const { token, accessToken, tokenInUrl } = this.config;
    const isRead = method === "GET";
    return {
      ...this.extraHeaders(),
      ...(token && !(isRead && tokenInUrl) && { Authorization: `Bearer ${token}` }),
      ...(accessToken && !isRead && { "X-Access-Token": accessToken }),
      ...(typeof body === "string" && { "Content-Type": `application/${mergePatch ? "merge-patch+" : ""}json` }),
      ...(ifMatch !== undefined && { "If-Match": tagOf(ifMatch) }),
    };
  }

  private read<T>(response: Response, text: string): Reply<T> {
    const { status, headers } = response;
    if (status === 204) return { data: undefined as T, headers };
    const { data, included } = this.parse(text) ?? {};
    if (data === undefined) this.refuse(response, text);
    const tag = headers.get("ETag");
    if (tag && data && typeof data === "object") tags.set(data, tag);
    return { data: data as T, headers, included };
  }

  /** Throws the problem or the connection error of a failed reply. */
  private refuse({ status, headers }: Response, text: string): never {
    const retryAfterSeconds = readRetryAfter(headers.get("Retry-After"));
    const body = this.parse(text);
    if (body?.request_id) throw new OctavoProblem(body as ProblemBody, retryAfterSeconds);
    throw new OctavoConnectionError(`${status}, and not by the service`, { status, retryAfterSeconds });
  }

  /** The body of a reply or a problem; undefined when it is not JSON. */
  private parse(text: string): Partial<ProblemBody & { data: unknown; included: Included }> | undefined {
    const { json = JSON } = this.config;
    try {
      return (json.parse(text) ?? undefined) as ReturnType<Transport["parse"]>;
    } catch {
      return undefined;
    }
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

/** The result of a step that needs the network. Throws OctavoConnectionError. */
async function reached<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (cause) {
    throw new OctavoConnectionError("The service does not answer", { cause });
  }
}
