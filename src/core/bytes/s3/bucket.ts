import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import { AwsV4Signer } from "aws4fetch";
import { retry } from "../../lib/retry.ts";
import { currentTraceparent } from "../../trace.ts";
import type { ByteRange } from "../blob.ts";
import { BucketError, costOf, isMissing, readRefusal, toRefusal, unanswered } from "./bucket-error.ts";
import { exchange, openAgent } from "./exchange.ts";
import { ObjectBody } from "./object-body.ts";
import { elementsOf, parseXml, textOf } from "./xml.ts";

/**
 * Address and credentials of a bucket. Plain data, so that a thread can open it too. All keys begin with `prefix`.
 * `timeoutMs`: read timeout. `tries`: maximum number of tries of a request whose failure may be temporary.
 */
export type BucketOptions = {
  endpoint: string;
  bucket: string;
  region: string;
  accessKey: string;
  secretKey: string;
  prefix: string;
  /** True for path style, `endpoint/bucket/key`; false for `bucket.endpoint/key`. */
  isPathStyle: boolean;
  timeoutMs: number;
  tries: number;
  /** How many keys a page of a list may have; by default as many as the bucket gives, mostly 1,000. */
  pageKeys?: number;
};

/**
 * A request body. `open` is called once for each try; `sha256` is the hex hash of all its bytes, which the bucket
 * checks.
 */
export type Body = { size: number; sha256: string; open(): Uint8Array | Readable };
export type BucketRequest = {
  method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** Undefined for the bucket itself. */
  key?: string;
  query?: Record<string, string>;
  range?: ByteRange;
  body?: Body;
};

export type ListedObject = { key: string; size: number };

const nothing: Body = { size: 0, sha256: createHash("sha256").digest("hex"), open: () => new Uint8Array(0) };

export const bodyOf = (bytes: Uint8Array): Body => ({
  size: bytes.length,
  sha256: createHash("sha256").update(bytes).digest("hex"),
  open: () => bytes,
});

/** A bucket of a server that speaks the S3 protocol. Every method throws BucketError when its tries are used up. */
export class Bucket {
  private readonly options: BucketOptions;
  private readonly base: URL;
  private readonly agent: ReturnType<typeof openAgent>;
  /** Signing keys derived from the secret key, one a day. */
  private readonly derived = new Map<string, ArrayBuffer>();

  /** Connects with the first request. */
  constructor(options: BucketOptions) {
    this.options = options;
    this.base = new URL(options.endpoint.replace(/\/*$/, "/"));
    if (options.isPathStyle) this.base.pathname += `${options.bucket}/`;
    else this.base.host = `${options.bucket}.${this.base.host}`;
    this.agent = openAgent(this.base.protocol);
  }

  /** The size of an object; undefined when it does not exist. */
  async head(key: string): Promise<number | undefined> {
    return (await this.look(key))?.size;
  }

  /**
   * Size and ETag (without quotes; empty when the server sends none) of an object; undefined when it does not exist.
   */
  look(key: string): Promise<{ size: number; etag: string } | undefined> {
    const seen = this.ask({ method: "HEAD", key }, async (response) => {
      await drain(response);
      return { size: sizeOf(response), etag: (response.headers.etag ?? "").replaceAll('"', "") };
    });
    return this.unlessMissing(seen);
  }

  /** An object or a part of it, in memory: for small ones. Undefined when it does not exist. */
  read(key: string, range?: ByteRange): Promise<Buffer | undefined> {
    return this.unlessMissing(this.ask({ method: "GET", key, ...(range && { range }) }, buffer));
  }

  /**
   * An object or a part of it, as a stream; undefined when it does not exist. A broken connection is replaced by
   * another that continues where it ended. Destroying the stream ends the download.
   */
  download(key: string, range?: ByteRange): Promise<ObjectBody | undefined> {
    const from = (start: number) => ({ start, end: range?.end ?? Number.MAX_SAFE_INTEGER });
    const open = (request: BucketRequest) => this.ask(request, async (response) => response);
    const first = open({ method: "GET", key, ...(range && { range }) });
    const reopen = (at: number) => open({ method: "GET", key, range: from((range?.start ?? 0) + at) });
    return this.unlessMissing(first.then((response) => new ObjectBody(response, sizeOf(response), reopen)));
  }

  /** Puts an object; overwrites an existing one. */
  put(key: string, body: Body): Promise<void> {
    return this.ask({ method: "PUT", key, body }, drain);
  }

  /** Removes an object; does nothing when it does not exist. */
  async remove(key: string): Promise<void> {
    await this.unlessMissing(this.ask({ method: "DELETE", key }, drain));
  }

  /** The objects whose keys begin with this prefix, by key, a page at a time. */
  async *list(prefix: string): AsyncGenerator<ListedObject> {
    const { pageKeys } = this.options;
    const whole = this.options.prefix + prefix;
    const pages = { "list-type": "2", prefix: whole, ...(pageKeys && { "max-keys": String(pageKeys) }) };
    for (let after: string | undefined = ""; after !== undefined; ) {
      const query = { ...pages, ...(after && { "continuation-token": after }) };
      const page = parseXml(await this.say({ method: "GET", query }));
      // Part of a list would look like a bucket that has lost the rest.
      if (!page) throw new BucketError(0, "", "the bucket answered a list that is no well-formed XML");
      for (const object of elementsOf(page, "Contents")) {
        const key = textOf(object, "Key") ?? "";
        yield { key: key.slice(this.options.prefix.length), size: Number(textOf(object, "Size")) };
      }
      // Some servers end with an empty one.
      after = textOf(page, "NextContinuationToken") || undefined;
    }
  }

  /** Throws unless the bucket exists and accepts the keys. */
  reach(): Promise<void> {
    return this.ask({ method: "HEAD" }, drain);
  }

  /**
   * Sends a request and answers the text of the response. Some responses have status 200 and an error body: these are
   * failures, too.
   */
  say(request: BucketRequest): Promise<string> {
    return this.ask(request, async (response) => {
      const said = await text(response);
      if (/<Error>/.test(said)) throw toRefusal(nameOf(request), response.statusCode ?? 0, said);
      return said;
    });
  }

  /** Sends a request and lets `read` read the response; retries temporary failures. */
  ask<T>(request: BucketRequest, read: (response: IncomingMessage) => Promise<T>): Promise<T> {
    const { tries } = this.options;
    const once = async (): Promise<T> => {
      const response = await this.send(request);
      return read(response).catch((error) => {
        throw error instanceof BucketError ? error : unanswered(nameOf(request), error);
      });
    };
    return retry(once, tries, (error) => costOf(error, tries));
  }

  /** Closes the connections. */
  close(): void {
    this.agent.destroy();
  }

  private async send(request: BucketRequest): Promise<IncomingMessage> {
    const { method, body = nothing } = request;
    const { url, headers } = await this.sign(request, body);
    const { timeoutMs } = this.options;
    const sent = method === "PUT" || method === "POST" ? body.open() : undefined;
    const response = await exchange({ method, url, headers, body: sent, agent: this.agent, timeoutMs });
    if ((response.statusCode ?? 0) < 300) return response;
    throw await readRefusal(nameOf(request), response).catch((error) => unanswered(nameOf(request), error));
  }

  private async sign({ method, key, query = {}, range }: BucketRequest, { size, sha256 }: Body) {
    const { region, accessKey: accessKeyId, secretKey: secretAccessKey, prefix } = this.options;
    const url = new URL(this.base);
    if (key !== undefined) url.pathname += prefix + key;
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const headers = { "x-amz-content-sha256": sha256 };
    const access = { accessKeyId, secretAccessKey, region, service: "s3", cache: this.derived };
    const signed = await new AwsV4Signer({ method, url: url.href, headers, ...access }).sign();
    const traceparent = currentTraceparent();
    const more = {
      ...(traceparent !== undefined && { traceparent }),
      ...(method === "PUT" || method === "POST" ? { "content-length": String(size), "content-type": bytesType } : {}),
      ...(range && { range: `bytes=${range.start}-${range.end}` }),
    };
    return { url: signed.url, headers: { ...Object.fromEntries(signed.headers), ...more } };
  }

  private async unlessMissing<T>(step: Promise<T>): Promise<T | undefined> {
    try {
      return await step;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }
}

const bytesType = "application/octet-stream";

const nameOf = ({ method, key }: BucketRequest): string => `${method} ${key ?? "the bucket"}`;

const sizeOf = ({ headers }: IncomingMessage): number => Number(headers["content-length"]);

/** Reads the rest of the response, so that the connection can be reused. */
export async function drain(response: IncomingMessage): Promise<void> {
  for await (const _ of response);
}
