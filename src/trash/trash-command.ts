import { createInterface } from "node:readline/promises";
import {
  asUsage,
  type Command,
  type CommandCall,
  CommandError,
  jsonOption,
  type Option,
  UsageError,
} from "../cli/command.ts";
import { allRows } from "../cli/pages.ts";
import { formatTime, print, printJson, readableBytes } from "../cli/print.ts";
import { Progress } from "../cli/progress.ts";
import { commandOf } from "../cli/row.ts";
import { callSettings } from "../cli/setting-sources.ts";
import { actor, nowSeconds, withExistingStores } from "../cli/store.ts";
import { parsePathBelowRoot } from "../core/path.ts";
import { Problem } from "../core/problem.ts";
import type { Stores } from "../stores.ts";
import { type TrashItem, type TrashNoun, type trashFields, trashNouns } from "./trash.ts";

const filters: Record<string, Option> = {
  noun: { value: "NOUN", help: `Only items of this noun: ${trashNouns.join(", ")}.` },
  search: { value: "TEXT", help: "Only items whose path has this text, in any case." },
};

export const trashCommands: Command[] = [
  commandOf<Item[]>({
    name: "trash list",
    summary: "List what is in the trash, newest first",
    details: "An item is what one deletion took away: an entry or a folder with all below it, or a file.",
    takes: [],
    options: filters,
    examples: ["octavo trash list", "octavo trash list --noun entry --search movies/ --json"],
    route: "GET /api/trash",
    send: ({ options }) => ({ noun: readNoun(options.noun), search: options.search }),
    show: (items) => ({
      json: { items },
      table: { head, rows: items.map(itemCells), none: "There is nothing in the trash." },
    }),
  }),
  commandOf<Item>({
    name: "trash restore",
    summary: "Put an item of the trash back, where it was or elsewhere",
    details: "Refused when one of the resulting paths is taken. May run beside a running service.",
    takes: ["ID"],
    options: { to: { value: "PATH", help: "Where it goes instead." } },
    examples: ["octavo trash restore 4711", "octavo trash restore 4711 --to archive/movies"],
    route: "POST /api/trash/restore",
    send: (call) => ({ id: readId(call), new_id: readPlace(call) }),
    show: (json) => ({ json, text: `The ${json.noun} is at ${json.path} again (${countOf(json)}).` }),
  }),
  commandOf({
    name: "trash purge",
    summary: "Delete an item of the trash for good, with its history",
    takes: ["ID"],
    examples: ["octavo trash purge 4711"],
    route: "DELETE /api/trash",
    send: (call) => ({ id: readId(call) }),
    show: (_, { id }) => ({ json: { id, purged: true }, text: `The item ${id} is deleted for good.` }),
  }),
  {
    name: "trash empty",
    summary: "Delete all items of the trash for good, or those of a noun or with a text in their path",
    details:
      "What is deleted meanwhile stays. The bytes of files are removed later, after the setting blob_grace_days.",
    takes: [],
    options: { ...filters, yes: { help: "Do not ask." }, json: jsonOption },
    examples: ["octavo trash empty", "octavo trash empty --noun file --yes"],
    run: empty,
  },
];

async function empty(call: CommandCall): Promise<void> {
  const chosen = readChoice(call);
  const isAsked = !call.switches.has("yes");
  if (isAsked && !call.io.stdin.isTTY) throw new UsageError("--yes is missing; without a terminal it is required");
  const progress = new Progress(call.io.stderr);
  const purged = await withExistingStores(callSettings(call), async (stores) => {
    if (isAsked) await confirm(call, stores, chosen);
    let done = 0;
    for await (const { id } of itemsOf(stores, chosen)) {
      if (await purgeOne(stores, id)) progress.count("items", ++done);
    }
    return done;
  }).finally(() => progress.clear());
  if (call.switches.has("json")) printJson(call, { purged });
  else
    print(
      call,
      purged === 0
        ? "There is nothing in the trash."
        : `${purged} ${purged === 1 ? "item is" : "items are"} deleted for good.`,
    );
}

/** Throws CommandError unless the answer is yes. */
async function confirm({ io }: CommandCall, stores: Stores, chosen: Choice): Promise<void> {
  let [items, bytes] = [0, 0];
  for await (const item of itemsOf(stores, chosen)) [items, bytes] = [items + 1, bytes + item.bytes];
  if (items === 0) return;
  const asking = createInterface({ input: io.stdin, output: io.stderr });
  try {
    const answer = await asking.question(`Delete ${items} items (${readableBytes(bytes)}) for good? [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError("nothing was deleted");
  } finally {
    asking.close();
  }
}

/** False when the item is gone meanwhile. */
async function purgeOne({ trash }: Stores, id: number): Promise<boolean> {
  try {
    await trash.purge(id, { actor, nowSeconds: nowSeconds() });
    return true;
  } catch (error) {
    if (error instanceof Problem && error.code === "trash_item_not_found") return false;
    throw error;
  }
}

// ---------------------------------------------------------------------------------------------- items

type Choice = { nouns: readonly TrashNoun[]; search: string | undefined };

const itemsOf = ({ trash }: Stores, chosen: Choice): AsyncGenerator<TrashItem, void> =>
  allRows(
    (before: number | undefined, limit) => trash.list({ ...chosen, paths: null, before, limit }),
    ({ id }) => id,
  );

function readNoun(sent: string | undefined): TrashNoun | undefined {
  const noun = trashNouns.find((known) => known === sent);
  if (sent === undefined || noun) return noun;
  throw new UsageError(`--noun was "${sent}"; expected one of ${trashNouns.join(", ")}`);
}

function readChoice({ options: { noun, search } }: CommandCall): Choice {
  const one = readNoun(noun);
  return { nouns: one ? [one] : trashNouns, search };
}

const readPlace = ({ options: { to } }: CommandCall) =>
  asUsage(
    () => (to === undefined ? undefined : parsePathBelowRoot("to", to)),
    () => "--to",
  );

function readId({ positionals: [id = ""] }: CommandCall): number {
  if (/^[1-9]\d{0,14}$/.test(id)) return Number(id);
  throw new UsageError(`ID was "${id}"; expected the number of an item, as octavo trash list shows it`);
}

/** As the route answers it. */
type Item = ReturnType<typeof trashFields>;

const head = ["ID", "NOUN", "PATH", "COUNT", "SIZE", "DELETED", "BY", "EXPIRES"];

const itemCells = ({ id, noun, path, count, bytes, deleted_at, deleted_by, expires_at }: Item): string[] => [
  String(id),
  noun,
  path,
  String(count),
  readableBytes(bytes),
  formatTime(deleted_at),
  deleted_by,
  formatTime(expires_at),
];

const countOf = ({ noun, count }: Item): string =>
  noun === "entry"
    ? `${count} ${count === 1 ? "entry" : "entries"}`
    : `${count} ${count === 1 ? "thing" : "files and folders"}`;
