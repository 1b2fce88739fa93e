import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { type BracketCaps, nestPairs, parseUrlEncoded } from "../lib/brackets.ts";
import { describeJson, isJsonObject, type Json, type JsonObject } from "../lib/json.ts";
import { parseJsonLater } from "../lib/json-slices.ts";
import { OneAtATime } from "../lib/one-at-a-time.ts";
import { problem } from "../problem.ts";
import { maxArgumentDepth } from "./json-text.ts";
import { type Field, maxFormFields, readMultipart } from "./multipart.ts";
import { acceptedBodies, maxBodyBytes } from "./problem.ts";

/**
 * A request's body as its arguments. `isText` says that the format carries text only (forms), so `true` and digits are
 * read as booleans and integers. Contract §1.
 */
export type Body = { arguments: JsonObject; isText: boolean; isMergePatch: boolean };

export const emptyBody: Body = { arguments: new Map(), isText: false, isMergePatch: false };

/** The body object is one level around its arguments. */
export const maxJsonDepth = maxArgumentDepth + 1;
/** The body of an operation is in an object, in a list, in the body of its batch. */
export const maxBatchDepth = maxJsonDepth + 3;
/** The smallest JSON body that can take more than one slice to parse. */
const largeBody = 4096;
const formCaps: BracketCaps = {
  maxPairs: maxFormFields,
  maxDepth: 66,
  maxItems: 10_000,
  maxGroups: 20_000,
  joins: true,
};

/** A media type with or without parameters. RFC 9110 §8.3. */
const mediaType = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;|$)/;

/** True when the request announces a body. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;

/** True when it announces a body that is not empty, or of which the length is unknown. */
export const sendsBytes = (headers: IncomingHttpHeaders): boolean =>
  Number(headers["content-length"] ?? 0) > 0 || headers["transfer-encoding"] !== undefined;

/**
 * Reads the body of a request within the time limit. Throws body_too_large, request_timeout, request_invalid (the
 * client has disconnected), and what readBody throws.
 */
export async function receiveBody(request: IncomingMessage, timeoutMs: number, hasOperations = false): Promise<Body> {
  const contentType = request.headers["content-type"];
  if (contentType !== undefined && !mediaType.test(contentType)) {
    throw problem("media_type_unsupported", { received: contentType, accepted: acceptedBodies });
  }
  const maxDepth = hasOperations ? maxBatchDepth : maxJsonDepth;
  return readBody(contentType ?? "", await receiveBytes(request, timeoutMs), maxDepth);
}

function receiveBytes(request: IncomingMessage, timeoutMs: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const tooLarge = () => reject(problem("body_too_large", { limit: maxBodyBytes }));
  const chunks: Buffer[] = [];
  let length = 0;
  const add = (chunk: Buffer): void => {
    length += chunk.length;
    if (length > maxBodyBytes) tooLarge();
    else chunks.push(chunk);
  };
  const cutOff = () => reject(problem("request_invalid", { reason: "the connection ended early" }));
  const end = (): void => {
    // Every request closes after its end, before the listeners below are removed: an unused problem costs its stack.
    request.off("close", cutOff);
    resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, length));
  };
  const timer = setTimeout(() => reject(problem("request_timeout")), timeoutMs);
  if (Number(request.headers["content-length"]) > maxBodyBytes) tooLarge();
  else request.on("data", add).once("end", end).once("error", cutOff).once("close", cutOff);
  return promise.finally(() => {
    clearTimeout(timer);
    request.off("data", add).off("end", end).off("error", cutOff).off("close", cutOff);
  });
}

/**
 * The arguments in a body. Throws media_type_unsupported, body_invalid, text_invalid, key_forbidden, query_too_complex.
 */
export async function readBody(contentType: string, raw: Buffer, maxDepth: number): Promise<Body> {
  if (raw.length === 0) return emptyBody;
  const [type = ""] = parametersOf(contentType);
  refuseCharset(contentType);
  if (type === "application/json" || /^application\/[\w.+-]+\+json$/.test(type)) {
    return {
      ...emptyBody,
      arguments: await readJson(raw, maxDepth),
      isMergePatch: type === "application/merge-patch+json",
    };
  }
  if (type === "application/x-www-form-urlencoded") {
    const text = decodeUtf8(raw);
    refuseJsonAsForm(text);
    return { ...emptyBody, arguments: parseUrlEncoded(text, formCaps), isText: true };
  }
  if (type === "multipart/form-data") {
    return formBody(await readForm(contentType, raw));
  }
  throw problem("media_type_unsupported", { received: contentType, accepted: acceptedBodies });
}

/** `curl -d` says that all is a form. As one the text would be a single odd name. Throws body_invalid. */
function refuseJsonAsForm(text: string): void {
  if (!text.trimStart().startsWith("{") || !text.trimEnd().endsWith("}")) return;
  const reason = "it is JSON, but its Content-Type is application/x-www-form-urlencoded";
  throw problem("body_invalid", { reason, accepted: "the header Content-Type: application/json beside it" });
}

/** Parses large bodies one at a time: otherwise every turn of the event loop would run a slice of each. */
const reading = new OneAtATime();

/** The reason to refuse a body that is JSON. */
export const notAnObject = "it is JSON, but not an object";

async function readJson(raw: Buffer, maxDepth: number): Promise<JsonObject> {
  const parse = () => parseJsonLater(decodeUtf8(raw), maxDepth);
  const value = await (raw.length < largeBody ? parse() : reading.run(parse));
  if (isJsonObject(value)) return value;
  throw problem("body_invalid", { reason: notAnObject, accepted: "a JSON object of arguments" });
}

/** The body of an operation of a batch, as if it were the body of a request. Throws argument_invalid, body_invalid. */
export function operationBody(value: Json, { isMergePatch }: Body): Body {
  if (!isJsonObject(value)) {
    const accepted = "an object of the arguments of its address";
    throw problem("argument_invalid", { argument: "body", received: describeJson(value), accepted });
  }
  if (isDeeper(value, maxJsonDepth)) {
    const reason = `it is nested too deep (deeper than ${maxJsonDepth} levels)`;
    throw problem("body_invalid", { reason, accepted: "a JSON object" });
  }
  return { arguments: value, isText: false, isMergePatch };
}

const isDeeper = (value: Json, levels: number): boolean => {
  if (!isJsonObject(value) && !Array.isArray(value)) return false;
  return levels === 0 || [...value.values()].some((member) => isDeeper(member, levels - 1));
};

const utf8 = new TextDecoder("utf-8", { fatal: true });

function decodeUtf8(raw: Buffer): string {
  try {
    return utf8.decode(raw);
  } catch {
    throw problem("body_invalid", { reason: "its bytes are not UTF-8", accepted: "UTF-8 text" });
  }
}

/** The media type and its parameters, in lower case. */
const parametersOf = (contentType: string): string[] =>
  contentType
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());

/** Throws media_type_unsupported for any charset but UTF-8. */
export function refuseCharset(contentType: string): void {
  const charset = parametersOf(contentType)
    .find((parameter) => parameter.startsWith("charset="))
    ?.slice(8)
    .replaceAll('"', "");
  if (charset === undefined || charset === "utf-8" || charset === "utf8" || charset === "us-ascii") return;
  throw problem("media_type_unsupported", { received: contentType, accepted: "charset=utf-8" });
}

/** Reads a small form that is in memory. Uploads are read by core/http/receive.ts while they are received. */
function readForm(contentType: string, raw: Buffer): Promise<Field[]> {
  return readMultipart(Readable.from([raw]), contentType, async ({ name }) => {
    throw problem("argument_invalid", { argument: name, received: "a file", accepted: "a text" });
  });
}

/** The fields of a form as a body. Throws key_forbidden, query_too_complex, argument_repeated. */
export const formBody = (fields: readonly Field[]): Body => ({
  ...emptyBody,
  arguments: nestPairs([...fields], formCaps),
  isText: true,
});

/** The coding of a body, undefined when it has none but identity. RFC 9110 §8.4. */
const codingOf = (header: string | undefined): string | undefined =>
  header?.split(",").some((coding) => !/^(identity)?$/i.test(coding.trim())) ? header : undefined;

/** Refuses a body with a content coding before any of it is read. Throws media_type_unsupported. */
export function refuseCoding({ headers }: IncomingMessage): void {
  const received = codingOf(headers["content-encoding"]);
  if (received === undefined) return;
  const accepted = "identity: bodies are read as they are, not compressed";
  throw problem("media_type_unsupported", { header: "Content-Encoding", received, accepted });
}

const maxDrainedBytes = 64 * 1024 * 1024;
const maxDrainedMs = 10_000;

/**
 * A refused body may still be in transit. Reads some of it, or its sender would get a reset in place of the reply; then
 * cuts the connection.
 */
export function drain(request: IncomingMessage): void {
  // One without a body is closed before it is handled (optimizeEmptyRequests) and has no event that would end the timer.
  if (request.complete || request.destroyed) return;
  let left = maxDrainedBytes;
  const cut = () => request.destroy();
  const timer = setTimeout(cut, maxDrainedMs);
  request.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) cut();
  });
  request.once("close", () => clearTimeout(timer));
  request.once("end", () => clearTimeout(timer));
  request.resume();
}

/**
 * A read's body is ignored, but it must still be complete in time, or it would hold the connection open without limit:
 * otherwise `late` is called.
 */
export function limitTime(request: IncomingMessage, timeoutMs: number, late: () => void): void {
  const timer = setTimeout(late, timeoutMs);
  const stop = () => clearTimeout(timer);
  request.once("end", stop).once("close", stop);
}
