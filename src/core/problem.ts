import type { Kind, ProblemRow } from "./problem-row.ts";
import { coreProblems } from "./problems.ts";

/**
 * The catalogue of all failures that a client may see: the core's and those of each feature's `problems.ts`. A code is part
 * of the API and is never reused. Contract §3.
 */

/** The types of rows, as an interface extends them. */
export type RowsOf<T> = T;
/** The rows by code, which each feature extends by its own. */
export interface Problems extends RowsOf<typeof coreProblems> {}
export type Code = keyof Problems & string;

// biome-ignore lint/suspicious/noExplicitAny: each row has parameters of its own.
type AnyRow = ProblemRow<any>;
const catalogue = new Map<string, AnyRow>(Object.entries(coreProblems));

/**
 * Adds the rows of a feature, and answers them. Who throws one of its codes imports `problem` from the feature's `problems.ts`, so that the
 * rows are there (test/house/problem.test.ts).
 */
export function addProblems<Rows extends Readonly<Record<string, AnyRow>>>(rows: Rows): Rows {
  for (const [code, row] of Object.entries(rows)) catalogue.set(code, row);
  return rows;
}

/** The row of a code. Throws TypeError for one of a feature that is not loaded. */
export function rowOf(code: Code): ProblemRow<Facts> {
  const row = catalogue.get(code);
  if (!row) throw new TypeError(`the problem ${code} is in no catalogue that is loaded`);
  return row;
}

/** All codes that are loaded. */
export const catalogueCodes = (): Code[] => [...catalogue.keys()] as Code[];

type Params<C extends Code> = Parameters<Problems[C]["detail"]>[0];

type Sent<P> = [P] extends [undefined] ? [] : undefined extends P ? [P?] : [P];

/** What is wrong with data: where, by which keyword of the schema, in words, and what is accepted. */
export type Fault = {
  readonly pointer: string;
  readonly rule: string;
  readonly message: string;
  readonly accepted: string;
};

/** An entry that a problem of several names, and what is wrong with it. */
export type NamedEntry = {
  readonly id: string;
  readonly code?: string;
  readonly detail?: string;
  readonly faults?: readonly Fault[];
};

/** An entry that refers to what a problem is about, as its reply has it. */
export type NamedReference = {
  readonly id: string;
  readonly pointers: readonly string[];
  readonly has_more?: boolean;
  /** Where only its working copy refers. */
  readonly staged?: boolean;
};

/** The parameters of a problem: strings, numbers and lists of them, so that it can be passed to another thread. */
type Facts = Readonly<Record<string, unknown>>;
/** One failure, as plain data: what a store's thread passes to the request's. */
export type ProblemData = { code: Code; params: Facts };

/**
 * A failure from the catalogue: a code and its parameters, from which the sentence is generated. `errors` lists all
 * failures of the same request, when there are several.
 */
export class Problem extends Error {
  readonly code: Code;
  readonly params: Facts;
  readonly errors: readonly Problem[];
  constructor(code: Code, params: Facts = {}, errors: readonly Problem[] = []) {
    super(rowOf(code).detail(params));
    this.code = code;
    this.params = params;
    this.errors = errors;
  }
  get kind(): Kind {
    return rowOf(this.code).kind;
  }
  get title(): string {
    return rowOf(this.code).title;
  }
  /** The sentence: names the argument, what was sent and what is accepted. */
  get detail(): string {
    return this.message;
  }
  /** The argument or header it concerns, if any. */
  get argument(): string | undefined {
    const { argument, first, header } = this.params as { argument?: string; first?: string; header?: string };
    return argument ?? first ?? header ?? rowOf(this.code).argument;
  }
  /** What is wrong with the data of an entry, for data_invalid. */
  get faults(): readonly Fault[] | undefined {
    return this.params.faults as readonly Fault[] | undefined;
  }
  /** The entries that refer to what is in use, for in_use. */
  get references(): readonly NamedReference[] | undefined {
    return this.params.references as readonly NamedReference[] | undefined;
  }
  /** The entries that are wrong, for problems of a release. */
  get entries(): readonly NamedEntry[] | undefined {
    return this.params.entries as readonly NamedEntry[] | undefined;
  }
  /** The number of the operation of a batch that failed. */
  get operation(): number | undefined {
    return this.params.operation as number | undefined;
  }
  /** The same failure, of this operation of a batch. */
  ofOperation(operation: number | undefined): Problem {
    const failure = new Problem(this.code, { ...this.params, operation }, this.errors);
    if (this.cause !== undefined) failure.cause = this.cause;
    return failure;
  }
  /** The same failure with its arguments renamed. */
  renamed(rename: (argument: string) => string): Problem {
    const { argument, cause } = this;
    const names = (["first", "second"] as const).filter((key) => typeof this.params[key] === "string");
    const renamed = Object.fromEntries(names.map((key) => [key, rename(this.params[key] as string)]));
    const name = argument === undefined || names.length > 0 ? argument : rename(argument);
    const failure = new Problem(
      this.code,
      name === argument ? { ...this.params, ...renamed } : { ...this.params, argument: name },
      this.errors.map((error) => error.renamed(rename)),
    );
    if (cause !== undefined) failure.cause = cause;
    return failure;
  }
}

/** The failure with its cause, which the log shows and no client. */
export const caused = (failure: Problem, cause: unknown): Problem => Object.assign(failure, { cause });

/** True for a failure of the catalogue with this code. */
export const isProblem = (error: unknown, code: Code): error is Problem =>
  error instanceof Problem && error.code === code;

/** Creates a problem; its sentence is from the catalogue. */
export function problem<C extends Code>(code: C, ...params: Sent<Params<C>>): Problem {
  return new Problem(code, params[0]);
}

/** One problem for several found at once: it has the code of the first, `errors` holds all. */
export function problems(found: readonly [Problem, ...Problem[]]): Problem {
  const [first] = found;
  if (found.length === 1) return first;
  return new Problem(first.code, first.params, found);
}

/** Runs all the checks and throws all their refusals together; returns their results, in order. */
export function checkAll<T extends unknown[]>(...checks: { [K in keyof T]: () => T[K] }): T {
  const faults: Problem[] = [];
  const read = checks.map((check) => {
    try {
      return check();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      faults.push(...(error.errors.length > 0 ? error.errors : [error]));
      return undefined;
    }
  });
  const [first, ...rest] = faults;
  if (first) throw problems([first, ...rest]);
  return read as T;
}
