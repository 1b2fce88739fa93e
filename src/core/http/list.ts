import { Type } from "../lib/json-schema.ts";
import type { MaybePromise } from "../lib/maybe-promise.ts";
import type { Call } from "./call.ts";
import { pageAnswer } from "./collection-page.ts";
import { type Answer, managementCache } from "./reply.ts";
import { argument, ifSent, textReader } from "./route.ts";

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
  /** More members of the reply, as JSON text. */
  beside?: string;
  cursorOf(row: Row): string;
} & ({ fields(row: Row): object; actors?: Actors } | { text(row: Row): string });

/** Answers one page. */
export async function listPage<Row, Cursor>(
  call: Call,
  { limit = defaultLimit, cursor }: { limit?: number; cursor?: Cursor },
  { read, beside, cursorOf, ...written }: List<Row, Cursor>,
): Promise<Answer> {
  // One more than requested shows whether there is a next page.
  const answer = await read(limit + 1, cursor);
  const found = "rows" in answer ? answer.rows : answer;
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  const next = last ? cursorOf(last) : "next" in answer ? answer.next : undefined;
  const json =
    "text" in written ? `[${page.map(written.text).join(",")}]` : JSON.stringify(await fieldsOf(page, written));
  return pageAnswer(call, { json, beside, next, total: undefined }, managementCache);
}

function fieldsOf<Row>(
  page: readonly Row[],
  { fields, actors }: { fields(row: Row): object; actors?: Actors },
): object[] | Promise<object[]> {
  const rows = page.map(fields);
  return actors ? named(rows, actors) : rows;
}

/** Which members of rows on the wire are actors of the log, and who knows the names of people among them. */
export type Actors = { people: ActorNames; of: readonly string[] };

/** Knows the names of people among actors, by actor. Reads nothing where none is a person. */
export type ActorNames = { namesOf(actors: Iterable<string>): MaybePromise<ReadonlyMap<string, string>> };

/** Rows with the names of people beside them: `actor_name` beside `actor`. Reads nothing where no actor is a person. */
export async function named<Row extends object>(rows: readonly Row[], { people, of }: Actors): Promise<object[]> {
  const actorsOf = (row: object) =>
    of.map((key) => [key, (row as Record<string, unknown>)[key]] as const).filter(isText);
  const names = await people.namesOf(rows.flatMap((row) => actorsOf(row).map(([, actor]) => actor)));
  if (names.size === 0) return [...rows];
  return rows.map((row) => {
    const found = actorsOf(row).map(([key, actor]) => [`${key}_name`, names.get(actor)]);
    return { ...row, ...Object.fromEntries(found.filter(([, name]) => name !== undefined)) };
  });
}

const isText = (pair: readonly [string, unknown]): pair is readonly [string, string] => typeof pair[1] === "string";
