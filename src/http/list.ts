import type { PersonStore } from "../domain/access/person.ts";
import { Type } from "../lib/json-schema.ts";
import { pageAnswer } from "./collection-page.ts";
import type { Call } from "./exchange/call.ts";
import { type Answer, managementCache } from "./exchange/reply.ts";
import { argument, ifSent, textReader } from "./exchange/route.ts";

/** Lists of part two of the contract: `limit`, `cursor`, and a Link header to the next page. */

const [defaultLimit, maxLimit] = [100, 1000];

/** The arguments of a list whose cursor is a `Cursor`. */
export const listArguments = <Cursor>(parse: (cursor: string) => Cursor) => ({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maxLimit,
      description: `An integer from 1 to ${maxLimit}; defaults to ${defaultLimit}.`,
    }),
  ),
  cursor: argument(
    Type.Optional(
      Type.Unsafe<Cursor>({
        type: "string",
        description: "Where the page begins, from the Link header of the previous page.",
      }),
    ),
    ifSent(textReader((_name, text) => parse(text), "a cursor")),
  ),
});

/** Rows of a page that ends before its limit, for want of time, and the cursor of what follows. */
export type Part<Row> = { rows: readonly Row[]; next: string };

/** What a list is read from and how its rows are written. */
export type List<Row, Cursor> = {
  read(limit: number, after: Cursor | undefined): Promise<readonly Row[] | Part<Row>>;
  cursorOf(row: Row): string;
} & ({ fields(row: Row): object } | { text(row: Row): string });

/** Answers one page. */
export async function listPage<Row, Cursor>(
  call: Call,
  { limit = defaultLimit, cursor }: { limit?: number; cursor?: Cursor },
  { read, cursorOf, ...written }: List<Row, Cursor>,
): Promise<Answer> {
  // One more than requested tells whether there is a next page.
  const answer = await read(limit + 1, cursor);
  const found = "rows" in answer ? answer.rows : answer;
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  const next = last ? cursorOf(last) : "next" in answer ? answer.next : undefined;
  const text = "text" in written ? written.text : (row: Row) => JSON.stringify(written.fields(row));
  const json = `[${page.map(text).join(",")}]`;
  return pageAnswer(call, { json, next, total: undefined }, managementCache);
}

/** The name of an actor, where that is a person. */
export type Named = { named: { actor_name?: string } };

/** Rows with the name of who is their actor, where that is a person: `actor_name` beside `actor`. */
export async function named<Row extends { actor: string }>(
  people: Pick<PersonStore, "namesOf">,
  rows: readonly Row[],
): Promise<(Row & Named)[]> {
  const names = await people.namesOf(rows.map(({ actor }) => actor));
  return rows.map((row) => {
    const name = names.get(row.actor);
    return { ...row, named: name === undefined ? {} : { actor_name: name } };
  });
}
