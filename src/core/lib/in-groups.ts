import type { MaybePromise } from "./maybe-promise.ts";

/** How many items a group has at most, and their size together; an item that is larger is a group of its own. */
export type GroupBounds = { items: number; size: number };

/** The items in groups, in order. */
export async function* inGroups<T>(
  items: AsyncIterable<T> | Iterable<T>,
  sizeOf: (item: T) => number,
  most: GroupBounds,
): AsyncGenerator<T[]> {
  let group: T[] = [];
  let size = 0;
  for await (const item of items) {
    const added = sizeOf(item);
    if (group.length > 0 && (group.length === most.items || size + added > most.size)) {
      yield group;
      group = [];
      size = 0;
    }
    group.push(item);
    size += added;
  }
  if (group.length > 0) yield group;
}

/** All that is read some at a time: `read` gets the last of the page before, and answers at most `size`, fewer at the end. */
export async function* pagesBy<T>(size: number, read: (last: T | undefined) => MaybePromise<T[]>): AsyncGenerator<T[]> {
  for (let last: T | undefined; ; ) {
    const page = await read(last);
    if (page.length > 0) yield page;
    if (page.length < size) return;
    last = page.at(-1);
  }
}
