/** A value that is there at once where that is possible: a promise on the way costs a read a twentieth of its rate. */
export type MaybePromise<T> = T | Promise<T>;

/** Goes on with the value: at once when it is there. Throws, or rejects, what `next` throws. */
export function after<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
