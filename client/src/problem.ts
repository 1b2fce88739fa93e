import type { ProblemBody, ProblemCode } from "./api.ts";

/** One of several faults of a request. */
export type Fault = {
  code: ProblemCode;
  /** The argument or header it is about; absent when there is none. */
  argument?: string;
  detail: string;
};

/** What is wrong with the data of an entry: where, as a JSON pointer, and by which keyword of its type's schema. */
export type DataFault = { pointer: string; rule: string; message: string; accepted: string };

/** A refusal by the service. The message is the problem's detail. */
export class OctavoProblem extends Error {
  override readonly name = "OctavoProblem";
  /** For programs; never changes its meaning. */
  readonly code: ProblemCode;
  readonly status: number;
  readonly title: string;
  /** Which argument it is about, what was received, and what is accepted. */
  readonly detail: string;
  /** The URL of the code's documentation on the service. */
  readonly type: string;
  /** Identifies the line in the service's log. */
  readonly requestId: string;
  /** All faults, when there were several. */
  readonly errors: readonly Fault[];
  /** The faults of the data, for data_invalid: at most a hundred. */
  readonly dataFaults: readonly DataFault[];
  /** Of a release: the entries that are wrong, each with what is wrong with it. */
  readonly entries: NonNullable<ProblemBody["entries"]>;
  /** Of a batch: the number of the operation that failed, from 0. */
  readonly operation: number | undefined;
  /** How long to wait, if the service said so. */
  readonly retryAfterSeconds: number | undefined;

  constructor(body: ProblemBody, retryAfterSeconds?: number) {
    super(body.detail);
    this.code = body.code;
    this.status = body.status;
    this.title = body.title;
    this.detail = body.detail;
    this.type = body.type;
    this.requestId = body.request_id;
    const all = (body.errors ?? []) as (Fault | DataFault)[];
    this.errors = all.filter((each) => "code" in each);
    this.dataFaults = all.filter((each) => "pointer" in each);
    this.entries = body.entries ?? [];
    this.operation = body.operation;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/**
 * No response from the service: the network failed (`cause` says how), or a proxy answered instead (`status` is its
 * status). Whether a write was done is unknown. An abort does not throw this: it throws the signal's own reason.
 */
export class OctavoConnectionError extends Error {
  override readonly name = "OctavoConnectionError";
  readonly status: number | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, more: { status?: number; retryAfterSeconds?: number; cause?: unknown } = {}) {
    super(message, { cause: more.cause });
    this.status = more.status;
    this.retryAfterSeconds = more.retryAfterSeconds;
  }
}
