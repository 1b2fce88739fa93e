import type { Problem } from "../core/problem.ts";
import type { Ask, CommandReply } from "../operator.ts";
import { type Command, type CommandCall, CommandError, jsonOption } from "./command.ts";
import { print, printJson, printTable } from "./print.ts";
import { bodyOf, headerOf } from "./refusal.ts";
import { callSettings } from "./setting-sources.ts";
import { withExistingStores } from "./store.ts";

/** Commands that are one route: rows of a table, which octavo call would call by its arguments. */

/** The arguments of a route, under the names of the wire; what is undefined is not sent. */
export type Sent = Readonly<Record<string, unknown>>;

/** What a command prints: with `--json` an object, otherwise a text, or a table with a text for none. */
export type Shown = { json: object; text: string } | { json: object; table: Table };
type Table = { head: readonly string[]; rows: readonly (readonly string[])[]; none?: string };

/** `Data` is the data of the route's answer; of a list all of it, whatever its pages. */
export type Row<Data> = Omit<Command, "options" | "run"> & {
  /** Those beside `--json`. */
  options?: Command["options"];
  /** Its method and address, as octavo call takes them. */
  route: string;
  /** Throws UsageError, before a store is opened. Absent: no arguments. */
  send?(call: CommandCall): Sent;
  /** The arguments with what is read for them first, by another route. */
  complete?(sent: Sent, read: (route: string) => Promise<unknown>): Promise<Sent>;
  show(data: Data, sent: Sent, call: CommandCall): Shown;
};

/** The command of a row. It acts on the store as the operator, without tokens. */
export const commandOf = <Data>({ route, send, complete, show, ...facts }: Row<Data>): Command => ({
  ...facts,
  options: { ...facts.options, json: jsonOption },
  run: async (call) => {
    const sent = send?.(call) ?? {};
    const settings = callSettings(call);
    const data = await withExistingStores(settings, async (stores) => {
      const { askRoute } = await import("../operator.ts");
      const ask = askRoute(stores, settings);
      const all = await complete?.(sent, (other) => answerOf(ask, other, {}));
      return answerOf(ask, route, all ?? sent).catch(withEntries);
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

/** The data of an answer, of a list that of all its pages; undefined where there is none. */
async function answerOf(ask: Ask, route: string, sent: Sent): Promise<unknown> {
  const [method = "", url = ""] = route.split(" ");
  if (method === "GET") return allPages(ask, `${url}?${queryOf(sent)}`);
  return dataOf(await ask({ method, url, body: { type: "application/json", text: JSON.stringify(sent) } }));
}

async function allPages(ask: Ask, first: string): Promise<unknown> {
  const items: unknown[] = [];
  for (let url: string | undefined = first; url !== undefined; ) {
    const reply: CommandReply = await ask({ method: "GET", url });
    const data = await dataOf(reply);
    if (!Array.isArray(data)) return data;
    items.push(...data);
    url = /^<(.*)>; rel="next"$/.exec(headerOf(reply, "link") ?? "")?.[1];
  }
  return items;
}

function queryOf(sent: Sent): string {
  const given = Object.entries(sent).filter(([, value]) => value !== undefined);
  return String(new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])));
}

const dataOf = async (reply: CommandReply): Promise<unknown> =>
  reply.status === 204 ? undefined : (JSON.parse(await bodyOf(reply)) as { data: unknown }).data;

/** A refusal that concerns entries says what is wrong with each. */
function withEntries(error: unknown): never {
  const { entries, message } = error as Partial<Problem>;
  if (!entries) throw error;
  const lines = entries.map(({ id, detail }) => `  ${id}${detail ? `: ${detail}` : ""}`);
  throw new CommandError([message, ...lines].join("\n"));
}
