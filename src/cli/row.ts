import { answerOf, foreignAnswer, type Sent, withAsk } from "./ask.ts";
import { type Command, type CommandCall, jsonOption } from "./command.ts";
import { print, printJson, printTable } from "./print.ts";
import { urlOption } from "./remote.ts";

/** Commands that are one route: rows of a table, which octavo call would call by its arguments. */

export type { Sent } from "./ask.ts";

/** What a command prints: with `--json` an object, otherwise a text, or a table with a text for none. */
export type Shown = { json: object; text: string } | { json: object; table: Table };
export type Table = { head: readonly string[]; rows: readonly (readonly string[])[]; none?: string };

/** `Data` is the data of the route's answer; of a list all of it, whatever its pages. */
export type Row<Data> = Omit<Command, "options" | "run"> & {
  /** Those beside `--url` and `--json`. */
  options?: Command["options"];
  /** Its method and address, as octavo call takes them; of what is sent, where that decides. */
  route: string | ((sent: Sent) => string);
  /** Throws UsageError, before a store is opened. Absent: no arguments. */
  send?(call: CommandCall): Sent;
  /** The arguments with what is read for them first, by another route. */
  complete?(sent: Sent, read: (route: string) => Promise<unknown>): Promise<Sent>;
  show(data: Data, sent: Sent, call: CommandCall): Shown;
};

/** The command of a row. It acts on the store as the operator, without tokens, or on the service of `--url`. */
export const commandOf = <Data>({ route, send, complete, show, ...facts }: Row<Data>): Command => ({
  ...facts,
  options: { ...facts.options, url: urlOption, json: jsonOption },
  run: async (call) => {
    const sent = send?.(call) ?? {};
    const address = typeof route === "string" ? route : route(sent);
    const data = await withAsk(call, async (ask) => {
      const all = await complete?.(sent, (other) => answerOf(ask, other));
      return answerOf(ask, address, all ?? sent);
    });
    printShown(
      call,
      ifOfOctavo(call, () => show(asLogged(data) as Data, sent, call)),
    );
  },
});

/** Commands show the ids of people, as the log has them, and not their names. */
function asLogged(data: unknown): unknown {
  if (Array.isArray(data)) return data.map(asLogged);
  if (typeof data !== "object" || data === null) return data;
  return Object.fromEntries(Object.entries(data).filter(([key]) => !key.endsWith("_by_name")));
}

/** Throws CommandError where what answers at `--url` is something else, whose data has another form. */
function ifOfOctavo(call: CommandCall, show: () => Shown): Shown {
  try {
    return show();
  } catch (error) {
    throw isForeign(error) && call.options.url !== undefined ? foreignAnswer() : error;
  }
}

/** True for what a text or a number throws that should be a list or a time. */
const isForeign = (error: unknown): boolean => error instanceof TypeError || error instanceof RangeError;

/** What the commands of a noun have in common that are about one thing: `token rotate ID`. */
type OnOne = Pick<Row<unknown>, "details" | "complete"> & {
  noun: string;
  word: string;
  example?: string;
  readId?: (sent: string) => string;
};
export type OneRow<Data> = Pick<Row<Data>, "summary" | "route" | "show"> & Partial<Row<Data>>;

/** Makes such commands, whose routes take the thing as `id`. */
export const commandsOnOne =
  ({ noun, word, example = word, readId = (sent) => sent, ...usual }: OnOne) =>
  <Data>(verb: string, row: OneRow<Data>): Command =>
    commandOf({
      name: `${noun} ${verb}`,
      takes: [word],
      examples: [`octavo ${noun} ${verb} ${example}`],
      ...usual,
      ...row,
      send: (call) => ({ ...row.send?.(call), id: readId(call.positionals[0] as string) }),
    });

/** Prints what a command shows. */
export function printShown(call: CommandCall, shown: Shown): void {
  if (call.switches.has("json")) printJson(call, shown.json);
  else if ("text" in shown) print(call, shown.text);
  else if (shown.table.rows.length > 0) printTable(call, shown.table.head, shown.table.rows);
  else print(call, shown.table.none);
}
