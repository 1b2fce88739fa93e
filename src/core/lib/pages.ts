import type { MaybePromise } from "./maybe-promise.ts";

/** All that is read some at a time: `read` gets the last of the page before, and answers at most `size`, fewer at the end. */
export async function* pagesBy<T>(size: number, read: (last: T | undefined) => MaybePromise<T[]>): AsyncGenerator<T[]> {
  for (let last: T | undefined; ; ) {
    const page = await read(last);
    if (page.length > 0) yield page;
    if (page.length < size) return;
    last = page.at(-1);
  }
}
