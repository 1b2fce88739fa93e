import { Problem } from "../core/problem.ts";
import type { Unit, UnitStore, UnitWrite, Written } from "../core/unit.ts";

/** The most operations of a batch. Contract, part two, §13. */
export const maxOperations = 1000;

/** What the writes of a batch are made by: the store, or what was kept of the same batch. */
export type BatchWriter = Pick<Unit, "isReplay"> & UnitStore;

/** Does one operation: everything up to its one write, then, with what that answers, the rest. */
export type Operation<T> = (unit: Unit) => Promise<T>;

/**
 * Does the operations in order, all of them or none: each up to its write, then their writes in one transaction, then the
 * rest of each. Throws the first failure, with the number of its operation.
 */
export async function runBatch<T>(
  operations: readonly Operation<T>[],
  writer: BatchWriter,
  isDryRun: boolean,
  written?: Written,
): Promise<T[]> {
  const running: Running<T>[] = [];
  try {
    for (const operation of operations) running.push(await begin(operation, writer.isReplay, isDryRun));
  } catch (error) {
    for (const { unit } of running) unit.fail(error);
    throw ofOperation(error, running.length);
  }
  const writes = running.map(({ write }) => write);
  const results = await writer
    .writeAll(writes, { isDryRun }, written)
    .catch((error: unknown) => refuse(running, error));
  for (const [i, { unit }] of running.entries()) unit.go(results[i]);
  return Promise.all(running.map(({ answer }) => answer));
}

type Running<T> = { unit: OperationUnit; answer: Promise<T>; write: UnitWrite };

/** Does the operation up to its write. Rejects with what it refuses. */
async function begin<T>(operation: Operation<T>, isReplay: boolean, isDryRun: boolean): Promise<Running<T>> {
  const unit = new OperationUnit(isReplay, isDryRun);
  const answer = operation(unit);
  const ended = answer.then(() => {
    throw new Error("an operation of a batch wrote nothing");
  });
  return { unit, answer, write: await Promise.race([unit.asked, ended]) };
}

/** The operation that was refused says so in its own terms: it names the arguments as the client did. */
async function refuse(running: readonly Running<unknown>[], error: unknown): Promise<never> {
  const operation = error instanceof Problem ? error.operation : undefined;
  for (const [i, { unit, answer }] of running.entries()) {
    answer.catch(() => undefined);
    unit.fail(i === operation ? (error as Problem).ofOperation(undefined) : error);
  }
  if (operation === undefined) throw error;
  throw await running[operation]?.answer.then(
    () => error,
    (own: unknown) => ofOperation(own, operation),
  );
}

const ofOperation = (error: unknown, operation: number): unknown =>
  error instanceof Problem ? error.ofOperation(operation) : error;

/** Collects the write of one operation, which waits for the others. */
class OperationUnit implements Unit {
  readonly isReplay: boolean;
  readonly isDryRun: boolean;
  private readonly request = Promise.withResolvers<UnitWrite>();
  private readonly result = Promise.withResolvers<unknown>();

  constructor(isReplay: boolean, isDryRun: boolean) {
    this.isReplay = isReplay;
    this.isDryRun = isDryRun;
    this.result.promise.catch(() => undefined);
  }

  /** The write, once it was asked for. */
  get asked(): Promise<UnitWrite> {
    return this.request.promise;
  }

  write(write: UnitWrite): Promise<unknown> {
    this.request.resolve(write);
    return this.result.promise;
  }

  /** Its write has answered this. */
  go(result: unknown): void {
    this.result.resolve(result);
  }

  /** Its write was not done. */
  fail(error: unknown): void {
    this.result.reject(error);
  }
}
