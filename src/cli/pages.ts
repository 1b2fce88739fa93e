const pageRows = 100;

/** All rows of a list that is read in pages; `placeOf` is where the page after a row begins. */
export async function* allRows<Row, Place>(
  read: (after: Place | undefined, limit: number) => Promise<Row[]>,
  placeOf: (row: Row) => Place,
): AsyncGenerator<Row, void> {
  for (let after: Place | undefined; ; ) {
    const page = await read(after, pageRows);
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < pageRows) return;
    after = placeOf(last);
  }
}
