/**
 * SQL texts. All of a text runs on every engine as it is, except its parameters and its parts: each engine writes these
 * once for a text, and changes nothing else of it. Decision 70.
 */

/** What the engines write differently. In a text a part is its name in braces, as `{new_uuid}`. */
export type Part =
  /** A join whose left side is read first, whatever the planner would choose. */
  | "join_in_order"
  /**
   * Of a FROM, as `{row_by_id entry met.id}`: joins the row of that table whose `id` is the one of what stands before. It
   * is looked up by its key for each, also where the planner knows nothing of the tables yet.
   */
  | "row_by_id"
  /** A statement, as `{analyze entry}`: the planner learns what the table holds, where it learns that from nothing else in time. */
  | "analyze"
  /** Of a FROM, with a parameter, as `{numbers_of ?1}`: the whole numbers of a JSON list, in the column `value`. */
  | "numbers_of"
  /** A text as JSON, as `{json_text title}`: as JSON.stringify writes it. */
  | "json_text"
  /** Of a WHERE, as `{watch entry.id}`: true, for each row that the statement looks at, whose number that is: see `ListSql.rowsWatched`. */
  | "watch"
  /** Of a SELECT, with a parameter, as `{limit_time ?1}`: bounds what each statement of the transaction takes, in milliseconds. */
  | "limit_time"
  /** A random UUID as a text. */
  | "new_uuid"
  /** 64 random hexadecimal digits. */
  | "new_secret"
  /** Of a schema: the primary key that numbers the rows. */
  | "number_key"
  /** Of a schema: the types of columns. Texts compare bytewise. Contract §1, Text. */
  | "integer"
  | "real"
  | "text"
  /** Of a schema, after the columns: each value has the type of its column; rows are stored in the order of the key. */
  | "strict"
  | "strict_by_key"
  /**
   * Of a schema, as `{count_rows entry parent listing}`: from now on the table `entry_count` has how many rows of `entry` have
   * the same values in these two columns, as the sum of `count`. No write waits for another one because of it.
   */
  | "count_rows"
  /**
   * Of a schema, as `{refuse_writers_before 28}`: from now on the database refuses what programs of an older schema write.
   * They run on where a server is shared by nodes that are upgraded one after the other.
   */
  | "refuse_writers_before";

/** How an engine writes the parts; a function receives the parameter or the words of the part. */
export type Parts = Readonly<Record<Part, string | ((parameter: string) => string)>>;

/** Clients choose the shape of a list, and with it its text: a bound keeps a flood of them from filling memory, also the server's. */
export const maxStatements = 1000;

/** Texts in quotes and comments, which stay as they are, then parameters and parts. */
const token =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\?(\d+)|\{(\w+)(?: (?:\?(\d+)|([\w.]+(?: [\w.]+)*)))?\}/g;

/** The text with its parts, and its parameters as `parameter` writes them. Throws for a part that does not exist. */
export function writeSql(text: string, parts: Parts, parameter: (number: string) => string): string {
  return text.replace(token, (whole: string, number?: string, name?: string, of?: string, words?: string) => {
    if (number) return parameter(number);
    if (!name) return whole;
    const part: Parts[Part] | undefined = parts[name as Part];
    if (part === undefined) throw new Error(`no part ${whole} of a statement`);
    return typeof part === "string" ? part : part(words ?? parameter(of ?? ""));
  });
}
