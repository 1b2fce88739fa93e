import type { Api, ProblemBody } from "./api.ts";
import { OctavoConnectionError, OctavoProblem } from "./problem.ts";
import { progressiveXhr, type Sent, sendByXhr } from "./progress.ts";
import type {
  CallOptions,
  ClientConfig,
  ProgressListener,
  Reply,
  StoredFile,
  UploadedObject,
  WriteOptions,
} from "./public.ts";
import { formatQuery } from "./query.ts";
import { pause, readRetryAfter, retryDelayMs } from "./retry.ts";

type SendOptions = WriteOptions & { mergePatch?: boolean; onProgress?: ProgressListener };

type Operation = keyof Api;

const tags = new WeakMap<object, string>();

/** The ETag received with this very object; undefined for a copy of it, and for the items of a collection. */
export const etagOf = (object: object): string | undefined => tags.get(object);

/** The file that was uploaded, with its path from the reply. */
export const withPath = (file: StoredFile, headers: Headers): UploadedObject => {
  const value = decodeURIComponent(headers.get("Octavo-File") ?? "");
  return Object.defineProperty(file, "path", { value }) as UploadedObject;
};

/** Keeps the ETag that belongs to an object of an answer. */
export function rememberTag(data: unknown, tag: string | null): void {
  if (tag && data && typeof data === "object") tags.set(data, tag);
}

/** Sends operations and answers the results; every failure is one of three kinds: see problem.ts. */
export class Transport {
  readonly config: ClientConfig;
  /** The URL without a trailing slash. */
  readonly url: string;

  constructor(config: ClientConfig) {
    const { url } = config;
    // A path is relative to the page's own origin.
    if (!/^(\/|$)/.test(url) && !/^https?:\/\/./.test(url)) throw new RangeError(`url: ${url}; expected https://…`);
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
  ): Promise<Reply<Api[O]["data"]>>;
  /** The reply to any operation, `GET /api/entries`. Throws as `call` does. */
  reply<T>(operation: string, args: object, options?: SendOptions): Promise<Reply<T>>;
  async reply<T>(operation: string, args: object, options: SendOptions = {}): Promise<Reply<T>> {
    const idempotencyKey = options.idempotencyKey ?? this.newKey(operation);
    const send = this.prepare(operation, args, { ...options, idempotencyKey });
    const isRepeatable = operation.startsWith("GET") || idempotencyKey !== undefined;
    return this.repeat(isRepeatable, options.signal, async () => {
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
    return this.repeat(true, signal, async () => {
      const response = await reached(() => send(this.url + path + added, { headers, signal }));
      if (!response.ok) this.refuse(response, await reached(() => response.text()));
      return response;
    });
  }

  /** Repeats the request until it succeeds, must not be retried, or has reached the limit of retries. */
  private async repeat<T>(isRepeatable: boolean, signal: AbortSignal | undefined, act: () => Promise<T>): Promise<T> {
    signal?.throwIfAborted();
    for (let attempt = 0; ; attempt++) {
      try {
        return await act();
      } catch (failure) {
        signal?.throwIfAborted();
        const isLast = attempt >= (this.config.retries ?? 3);
        const delay = isLast ? undefined : retryDelayMs(failure, attempt, isRepeatable);
        if (delay === undefined) {
          if (failure instanceof OctavoProblem) this.config.onProblem?.(failure);
          throw failure;
        }
        await pause(delay, signal);
      }
    }
  }

  /** The key of a write that may be repeated; undefined for others. */
  private newKey(operation: string): string | undefined {
    if (operation.startsWith("GET") || refusesKeys.test(operation) || this.config.retries === 0) return undefined;
    return randomKey();
  }

  /** A function that creates the request, called once for each try. */
  private prepare(operation: string, args: object, options: SendOptions): () => Promise<Response> {
    const { signal, onProgress, keepalive } = options;
    const { token, tokenInUrl, fetch: send = fetch, json = JSON } = this.config;
    const [method = "", path = ""] = operation.split(" ");
    // The arguments of a delete are in the URL, too, since proxies drop its body.
    const isInUrl = method === "GET" || method === "DELETE";
    const query = isInUrl
      ? strictly(path, formatQuery(method === "GET" && tokenInUrl ? { ...args, token } : args))
      : "";
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
    throw new RangeError(`not of this service: ${address}`);
  }

  private extraHeaders(): Record<string, string> {
    const { headers = {} } = this.config;
    return typeof headers === "function" ? headers() : headers;
  }

  private headers(method: string, body: unknown, options: SendOptions): Record<string, string> {
    const { ifMatch, mergePatch, idempotencyKey } = options;
    const { token, accessToken, tokenInUrl } = this.config;
    const isRead = method === "GET";
    return {
      ...this.extraHeaders(),
      ...(token && !(isRead && tokenInUrl) && { Authorization: `Bearer ${token}` }),
      ...(accessToken && !isRead && { "X-Access-Token": accessToken }),
      ...(typeof body === "string" && { "Content-Type": `application/${mergePatch ? "merge-patch+" : ""}json` }),
      ...(ifMatch !== undefined && { "If-Match": tagOf(ifMatch) }),
      ...(idempotencyKey !== undefined && !isRead && { "Idempotency-Key": idempotencyKey }),
    };
  }

  private read<T>(response: Response, text: string): Reply<T> {
    const { status, headers } = response;
    if (status === 204) return { data: undefined as T, headers };
    const { data, ...more } = this.parse(text) ?? {};
    if (data === undefined) this.refuse(response, text);
    const tag = headers.get("ETag");
    rememberTag(data, tag);
    return { ...more, data: data as T, headers };
  }

  /** Throws the problem or the connection error of a failed reply. */
  private refuse({ status, headers }: Response, text: string): never {
    const retryAfterSeconds = readRetryAfter(headers.get("Retry-After"));
    const body = this.parse(text);
    if (body?.request_id) throw new OctavoProblem(body as ProblemBody, retryAfterSeconds);
    throw new OctavoConnectionError(`${status}, and not by the service`, { status, retryAfterSeconds });
  }

  /** The body of a reply or a problem; undefined when it is not JSON. */
  private parse(text: string): Partial<ProblemBody & Omit<Reply<unknown>, "headers">> | undefined {
    const { json = JSON } = this.config;
    try {
      return (json.parse(text) ?? undefined) as ReturnType<Transport["parse"]>;
    } catch {
      return undefined;
    }
  }
}

/** By default reads ignore unknown keys of filter and options; with `strict` a typo is refused. A search refuses it anyway. */
const strictly = (path: string, query: string): string =>
  /(^|&)(filter|options)(%5B|=)/.test(query) && !path.endsWith("/search") ? `${query}&strict=1` : query;

/** The service refuses a key: replies with secrets are not kept, and what is about the own account is not repeated. */
const refusesKeys =
  /^POST \/api\/(tokens(\/preview)?|people(\/reset)?|webhooks(\/rotate)?)$|^PUT \/api\/tokens\/rotate$| \/api\/(people\/me|views)| \/admin\//;

/** Not `randomUUID`, which browsers have on https only. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** The ETag that an `ifMatch` names. Throws RangeError. */
export function tagOf(ifMatch: string | object): string {
  const tag = typeof ifMatch === "string" ? ifMatch : etagOf(ifMatch);
  if (tag) return tag;
  throw new RangeError("ifMatch was in no answer");
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
