import type { MessagePort } from "node:worker_threads";
import { Problem, type ProblemData } from "../problem.ts";

/**
 * Messages to and from a thread. A call that failed unexpectedly carries the error's stack as text, a problem that of
 * its cause.
 */
export type Call = { id: number; name: string; args: unknown[] };
export type Reply =
  | { id: number; value: unknown }
  | { id: number; problem: ProblemData & { errors: ProblemData[]; cause: string | undefined } }
  | { id: number; error: string };

/** Sends a reply from its thread. */
export const postReply = (port: MessagePort, reply: Reply): void => port.postMessage([reply], transferred(reply));

/** The buffers of a reply that are transferred, not copied: the chunks of a long text. */
function transferred(reply: Reply): ArrayBuffer[] {
  const value = "value" in reply ? reply.value : undefined;
  const json = typeof value === "object" && value !== null && "json" in value ? value.json : undefined;
  return Array.isArray(json) ? json.map((piece: Uint8Array<ArrayBuffer>) => piece.buffer) : [];
}

/** The error of a failed reply. */
export function toError(reply: Exclude<Reply, { value: unknown }>): Error {
  if ("problem" in reply) {
    const { code, params, errors, cause } = reply.problem;
    const failure = new Problem(
      code,
      params,
      errors.map((error) => new Problem(error.code, error.params)),
    );
    if (cause !== undefined) failure.cause = cause;
    return failure;
  }
  const error = new Error("an operation of the store's thread failed");
  error.stack = reply.error;
  return error;
}

/** A failure, serialised for the message. */
export function toReply(id: number, error: unknown): Reply {
  if (!(error instanceof Problem)) return { id, error: stackOf(error) };
  const { code, params, cause } = error;
  const errors = error.errors.map((one) => ({ code: one.code, params: one.params }));
  return { id, problem: { code, params, errors, cause: cause === undefined ? undefined : stackOf(cause) } };
}

const stackOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));
