import { pagesBy } from "../core/lib/in-groups.ts";

const pageRows = 100;

/** All rows of a list that is read in pages; `cursorOf` is where the page after a row begins. */
export async function* allRows<Row, Cursor>(
  read: (after: Cursor | undefined, limit: number) => Promise<Row[]>,
  cursorOf: (row: Row) => Cursor,
): AsyncGenerator<Row, void> {
  const pages = pagesBy(pageRows, (last: Row | undefined) => read(last && cursorOf(last), pageRows));
  for await (const page of pages) yield* page;
}
