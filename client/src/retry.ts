import type { ProblemCode } from "./api.ts";
import { OctavoConnectionError, OctavoProblem } from "./problem.ts";

/** Refusals with a retryable status that waiting does not resolve. */
const hopeless: ReadonlySet<ProblemCode> = new Set([
  "call_limit_reached",
  "too_many_failures",
  "filter_too_costly",
  "store_damaged",
]);
const firstDelayMs = 250;
/** A longer Retry-After is left to the caller. */
const maxDelaySeconds = 60;

/**
 * The delay before a failed request is retried; undefined when it must not be retried, or a retry cannot succeed.
 *
 * The service answers 429 and 503 before it has done anything, so then any write may be repeated. After a failure of the
 * network or a proxy the outcome is unknown: only what is repeatable is repeated, a read or a write with a key. A proxy's
 * 429 is the exception, since it is sent before the request is forwarded.
 */
export function retryDelayMs(failure: unknown, attempt: number, isRepeatable: boolean): number | undefined {
  if (!isPassing(failure, isRepeatable)) return undefined;
  const { retryAfterSeconds = 0 } = failure;
  if (retryAfterSeconds > maxDelaySeconds) return undefined;
  return retryAfterSeconds * 1000 + Math.random() * firstDelayMs * 2 ** attempt;
}

function isPassing(failure: unknown, isRepeatable: boolean): failure is OctavoProblem | OctavoConnectionError {
  if (failure instanceof OctavoProblem) {
    // The write may have been committed, or is being made by the request before this one.
    if (failure.code === "outcome_unknown" || failure.code === "idempotency_in_flight") return isRepeatable;
    return (failure.status === 429 || failure.status === 503) && !hopeless.has(failure.code);
  }
  if (!(failure instanceof OctavoConnectionError)) return false;
  const { status } = failure;
  return status === 429 || (isRepeatable && (status === undefined || (status >= 502 && status <= 504)));
}

/** The seconds that a `Retry-After` names, as a number or a date; undefined when it cannot be read. RFC 9110 §10.2.3. */
export function readRetryAfter(header: string | null): number | undefined {
  if (!header) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

/** Waits. Throws the signal's reason as soon as it is aborted, at once if it is already. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", abort, { once: true });
  });
}
