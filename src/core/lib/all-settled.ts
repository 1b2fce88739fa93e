type Results<T extends readonly Promise<unknown>[]> = { -readonly [P in keyof T]: Awaited<T[P]> };

/** Waits for all, also when one fails; then rejects with the first failure in the order of the list. */
export async function allSettled<T extends readonly Promise<unknown>[] | []>(work: T): Promise<Results<T>> {
  const settled = await Promise.allSettled(work);
  const failed = settled.find(({ status }) => status === "rejected");
  if (failed) throw (failed as PromiseRejectedResult).reason;
  return settled.map((result) => (result as PromiseFulfilledResult<unknown>).value) as Results<T>;
}
