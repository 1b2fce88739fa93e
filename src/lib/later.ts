/** A value that is there at once where that is possible: a promise on the way costs a read a twentieth of its rate. */
export type Later<T> = T | Promise<T>;

/** Goes on with the value: at once when it is there. Throws, or rejects, what `next` throws. */
export function after<T, R>(value: Later<T>, next: (value: T) => Later<R>): Later<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
