const pageRows = 100;

/** All rows of a list that is read in pages; `cursorOf` is where the page after a row begins. */
export async function* allRows<Row, Cursor>(
  read: (after: Cursor | undefined, limit: number) => Promise<Row[]>,
  cursorOf: (row: Row) => Cursor,
): AsyncGenerator<Row, void> {
  for (let after: Cursor | undefined; ; ) {
    const page = await read(after, pageRows);
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < pageRows) return;
    after = cursorOf(last);
  }
}
