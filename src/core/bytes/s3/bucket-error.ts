import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { problem } from "../../problem.ts";
import { translateDiskError } from "../disk/disk.ts";
import { parseXml, textOf } from "./xml.ts";

/**
 * A failure of a request to the bucket. `status` is 0 when there was no response, and `code` is then the system's own
 * (ECONNREFUSED). Written for the log: holds no access key, secret or public.
 */
export class BucketError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "BucketError";
    this.status = status;
    this.code = code;
  }
}

/** The failure of a request that got no answer. */
export function unanswered(what: string, cause: unknown): BucketError {
  const { code = "", message } = cause as NodeJS.ErrnoException;
  return new BucketError(0, code, `the bucket did not answer ${what}: ${code || message}`, cause);
}

const maxMessageLength = 300;

/** Parses an error response. A response to HEAD has no body: 404 then counts as NoSuchKey. */
export async function readRefusal(what: string, response: IncomingMessage): Promise<BucketError> {
  const { statusCode: status = 0 } = response;
  const said = await text(response);
  return toRefusal(what, status, said);
}

export function toRefusal(what: string, status: number, said: string): BucketError {
  const refusal = parseXml(said);
  const code = textOf(refusal, "Code") || (status === 404 ? "NoSuchKey" : "");
  const message = (textOf(refusal, "Message") ?? "").slice(0, maxMessageLength);
  return new BucketError(status, code, `the bucket answered ${what} with ${status} ${code}: ${message}`);
}

export const isMissing = (error: unknown): boolean => error instanceof BucketError && error.code === "NoSuchKey";

const passingCodes = new Set(["SlowDown", "InternalError", "ServiceUnavailable", "RequestTimeout", "OperationAborted"]);
const passingStatuses = new Set([0, 429, 500, 502, 503, 504]);

/** How many tries the failure uses up: half of them after a timeout, so that no request waits for long. */
export function costOf(error: unknown, tries: number): number {
  if (!(error instanceof BucketError)) return Number.POSITIVE_INFINITY;
  if (error.code === "ETIMEDOUT") return Math.max(1, tries / 2);
  return mayPass(error) ? 1 : Number.POSITIVE_INFINITY;
}

/** True for a failure that may be temporary. */
export const mayPass = ({ status, code }: BucketError): boolean =>
  passingStatuses.has(status) || passingCodes.has(code);

/** Failures of the bucket, and of the disk in front of it, as `busy` with the cause; every other error as it is. */
export function translateBucketError(error: unknown): unknown {
  if (!(error instanceof BucketError)) return translateDiskError(error);
  // A range beyond the end is not a failure of the bucket: the object's size differs from its row.
  if (error.status === 416) return error;
  const busy = problem("busy", { reason: "the object storage refused or failed the request" });
  busy.cause = error;
  return busy;
}

/** Does the work; its failures as translateBucketError has them. */
export async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translateBucketError(error);
  }
}
