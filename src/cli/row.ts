import type { Ask, CommandReply } from "../operator.ts";
import { withAsk } from "./ask.ts";
import { type Command, type CommandCall, CommandError, jsonOption } from "./command.ts";
import { print, printJson, printTable } from "./print.ts";
import { bodyOf, headerOf } from "./refusal.ts";
import { urlOption } from "./remote.ts";

/** Commands that are one route: rows of a table, which octavo call would call by its arguments. */

/** The arguments of a route, under the names of the wire; what is undefined is not sent. */
export type Sent = Readonly<Record<string, unknown>>;

/** What a command prints: with `--json` an object, otherwise a text, or a table with a text for none. */
export type Shown = { json: object; text: string } | { json: object; table: Table };
type Table = { head: readonly string[]; rows: readonly (readonly string[])[]; none?: string };

/** `Data` is the data of the route's answer; of a list all of it, whatever its pages. */
export type Row<Data> = Omit<Command, "options" | "run"> & {
  /** Those beside `--url` and `--json`. */
  options?: Command["options"];
  /** Its method and address, as octavo call takes them. */
  route: string;
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
    const data = await withAsk(call, async (ask) => {
      const all = await complete?.(sent, (other) => answerOf(ask, other));
      return answerOf(ask, route, all ?? sent);
    });
    printShown(call, show(data as Data, sent, call));
  },
});

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

/** The data of the answer of a route, of a list that of all its pages; undefined where there is none. */
export async function answerOf(ask: Ask, route: string, sent: Sent = {}): Promise<unknown> {
  const [method = "", url = ""] = route.split(" ");
  if (method === "GET") return allPages(ask, url, sent);
  return dataOf(await ask({ method, url, body: { type: "application/json", text: JSON.stringify(sent) } }));
}

async function allPages(ask: Ask, url: string, sent: Sent): Promise<unknown> {
  const items: unknown[] = [];
  let cursor: string | undefined;
  do {
    const reply = await ask({ method: "GET", url: `${url}?${queryOf({ ...sent, cursor })}` });
    const data = await dataOf(reply);
    if (!Array.isArray(data)) return data;
    items.push(...data);
    cursor = nextOf(reply);
  } while (cursor !== undefined);
  return items;
}

/** Where the next page begins. Its address is that of the list, whatever host and path a proxy makes of it. */
export function nextOf(reply: CommandReply): string | undefined {
  const link = /^<([^>]*)>; rel="next"/.exec(headerOf(reply, "link") ?? "")?.[1];
  return link === undefined ? undefined : (URL.parse(link, "http://any")?.searchParams.get("cursor") ?? undefined);
}

export function queryOf(sent: Sent): string {
  const given = Object.entries(sent).filter(([, value]) => value !== undefined);
  return String(new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])));
}

async function dataOf(reply: CommandReply): Promise<unknown> {
  if (reply.status === 204) return undefined;
  const answer = jsonOf(await bodyOf(reply), asLogged);
  if (typeof answer === "object" && answer !== null && "data" in answer) return answer.data;
  throw new CommandError("the answer is none of Octavo; expected the address of a service");
}

/** Undefined for what is no JSON. */
function jsonOf(text: string, revive: (key: string, value: unknown) => unknown): unknown {
  try {
    return JSON.parse(text, revive);
  } catch {
    return undefined;
  }
}

/** Commands show the ids of people, as the log has them, and not their names. */
const asLogged = (key: string, value: unknown): unknown => (key.endsWith("_by_name") ? undefined : value);
