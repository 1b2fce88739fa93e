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
import { formatTime, print, printJson, printTable, readableBytes } from "../cli/print.ts";
import { Progress } from "../cli/progress.ts";
import { callSettings } from "../cli/setting-sources.ts";
import { actor, nowSeconds, withExistingStores } from "../cli/store.ts";
import { parsePathBelowRoot } from "../core/path.ts";
import { Problem } from "../core/problem.ts";
import type { Settings } from "../settings.ts";
import type { Stores } from "../stores.ts";
import { type TrashItem, type TrashNoun, trashFields, trashNouns } from "./trash.ts";

const filters: Record<string, Option> = {
  noun: { value: "NOUN", help: `Only items of this noun: ${trashNouns.join(", ")}.` },
  search: { value: "TEXT", help: "Only items whose path has this text, in any case." },
};

export const trashCommands: Command[] = [
  {
    name: "trash list",
    summary: "List what is in the trash, newest first",
    details: "An item is what one deletion took away: an entry or a folder with all below it, or a file.",
    takes: [],
    options: { ...filters, json: jsonOption },
    examples: ["octavo trash list", "octavo trash list --noun entry --search movies/ --json"],
    run: list,
  },
  {
    name: "trash restore",
    summary: "Put an item of the trash back, where it was or elsewhere",
    details: "Refused when one of the resulting paths is taken. May run beside a running service.",
    takes: ["ID"],
    options: { to: { value: "PATH", help: "Where it goes instead." }, json: jsonOption },
    examples: ["octavo trash restore 4711", "octavo trash restore 4711 --to archive/movies"],
    run: restore,
  },
  {
    name: "trash purge",
    summary: "Delete an item of the trash for good, with its history",
    takes: ["ID"],
    options: { json: jsonOption },
    examples: ["octavo trash purge 4711"],
    run: purge,
  },
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

async function list(call: CommandCall): Promise<void> {
  const chosen = readChoice(call);
  const settings = callSettings(call);
  const items = await withExistingStores(settings, (stores) => Array.fromAsync(itemsOf(stores, chosen)));
  if (call.switches.has("json")) printJson(call, { items: items.map((item) => fieldsOf(item, settings)) });
  else if (items.length > 0)
    printTable(
      call,
      head,
      items.map((item) => itemCells(item, settings)),
    );
  else print(call, "There is nothing in the trash.");
}

async function restore(call: CommandCall): Promise<void> {
  const id = readId(call);
  const { to } = call.options;
  const newPath = asUsage(
    () => (to === undefined ? undefined : parsePathBelowRoot("to", to)),
    () => "--to",
  );
  const settings = callSettings(call);
  const item = await withExistingStores(settings, async ({ trash }) => {
    const { uploadRulesOf } = await import("../stores.ts");
    return trash.restore(
      id,
      { newPath, extensions: uploadRulesOf(settings).extensions },
      { actor, nowSeconds: nowSeconds() },
    );
  });
  if (call.switches.has("json")) printJson(call, fieldsOf(item, settings));
  else print(call, `The ${item.noun} is at ${item.path} again (${countOf(item)}).`);
}

async function purge(call: CommandCall): Promise<void> {
  const id = readId(call);
  await withExistingStores(callSettings(call), ({ trash }) => trash.purge(id, { actor, nowSeconds: nowSeconds() }));
  if (call.switches.has("json")) printJson(call, { id, purged: true });
  else print(call, `The item ${id} is deleted for good.`);
}

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

function readChoice({ options: { noun, search } }: CommandCall): Choice {
  const nouns = trashNouns.filter((known) => noun === undefined || known === noun);
  if (nouns.length === 0) throw new UsageError(`--noun was "${noun}"; expected one of ${trashNouns.join(", ")}`);
  return { nouns, search };
}

function readId({ positionals: [id = ""] }: CommandCall): number {
  if (/^[1-9]\d{0,14}$/.test(id)) return Number(id);
  throw new UsageError(`ID was "${id}"; expected the number of an item, as octavo trash list shows it`);
}

const fieldsOf = (item: TrashItem, { trashKeepDays }: Settings) => trashFields(item, trashKeepDays);

const head = ["ID", "NOUN", "PATH", "COUNT", "SIZE", "DELETED", "BY", "EXPIRES"];

function itemCells(item: TrashItem, settings: Settings): string[] {
  const { expires_at } = fieldsOf(item, settings);
  const { deletedAtSeconds, deletedBy } = item;
  return [
    String(item.id),
    item.noun,
    item.path,
    String(item.count),
    readableBytes(item.bytes),
    formatTime(deletedAtSeconds),
    deletedBy,
    formatTime(expires_at),
  ];
}

const countOf = ({ noun, count }: TrashItem): string =>
  noun === "entry"
    ? `${count} ${count === 1 ? "entry" : "entries"}`
    : `${count} ${count === 1 ? "thing" : "files and folders"}`;
