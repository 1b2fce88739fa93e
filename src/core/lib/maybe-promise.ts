/**
 * A value that is available synchronously where possible: a promise on the path of a read costs a twentieth of its
 * rate.
 */
export type MaybePromise<T> = T | Promise<T>;

/** Continues with the value: synchronously when it is available. Throws, or rejects, what `next` throws. */
export function after<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
