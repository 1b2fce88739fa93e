import { asUsage, type Command, type CommandCall, jsonOption, UsageError } from "../cli/command.ts";
import { print, printJson, printTable } from "../cli/print.ts";
import { callSettings } from "../cli/setting-sources.ts";
import { actor, nowSeconds, withExistingStores } from "../cli/store.ts";
import { version } from "../cli/version.ts";
import { type Json, JsonError, parseJson } from "../core/lib/json.ts";
import {
  formatRegistryItem,
  formatRegistryValue,
  getRegistryItem,
  manifest,
  parseRegistryKey,
  type RegistryItem,
  refuseReadOnly,
} from "./registry.ts";

export const registryCommands: Command[] = [
  {
    name: "registry set",
    summary: "Set a registry item",
    details: "The value is kept as text. Delivery tokens can read it: never put a secret there.",
    takes: ["KEY", "VALUE"],
    options: { "as-json": { help: "Read VALUE as JSON: a number, a list, an object." }, json: jsonOption },
    examples: ['octavo registry set site.title "The reading room"', "octavo registry set site.per_page 20 --as-json"],
    run: setItem,
  },
  {
    name: "registry get",
    summary: "Print the value of a registry item",
    details: "A key that is the parent of others gives the object of them.",
    takes: ["KEY"],
    options: { json: jsonOption },
    examples: ["octavo registry get site.title", "octavo registry get octavo.manifest.version"],
    run: getItem,
  },
  {
    name: "registry delete",
    summary: "Delete a registry item and all below it",
    takes: ["KEY"],
    options: { json: jsonOption },
    examples: ["octavo registry delete site.title"],
    run: deleteItem,
  },
  {
    name: "registry list",
    summary: "List the registry items, built-in ones included",
    takes: [],
    options: { json: jsonOption },
    examples: ["octavo registry list", "octavo registry list --json"],
    run: listItems,
  },
];

async function setItem(call: CommandCall): Promise<void> {
  const [key = "", text = ""] = call.positionals;
  const item: RegistryItem = { key: parseRegistryKey(key), value: readValue(call, text) };
  refuseReadOnly(item.key);
  await withExistingStores(callSettings(call), ({ registry }) =>
    registry.put(item.key, item, { actor, nowSeconds: nowSeconds() }),
  );
  if (call.switches.has("json")) printItem(call, item);
  else print(call, `${item.key} is set.`);
}

/** The value as JSON text. Throws UsageError. */
function readValue(call: CommandCall, text: string): string {
  const value = call.switches.has("as-json") ? readJson(text) : text;
  return asUsage(
    () => formatRegistryValue(value),
    () => "VALUE",
  );
}

function readJson(text: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new UsageError(`VALUE was ${JSON.stringify(text.slice(0, 80))}; expected JSON (${error.message})`);
  }
}

async function getItem(call: CommandCall): Promise<void> {
  const key = parseRegistryKey(call.positionals[0] ?? "");
  const item = await withExistingStores(callSettings(call), ({ registry }) =>
    getRegistryItem(registry, key, manifest(version)),
  );
  if (call.switches.has("json")) printItem(call, item);
  else print(call, plainValue(item));
}

async function deleteItem(call: CommandCall): Promise<void> {
  const key = parseRegistryKey(call.positionals[0] ?? "");
  refuseReadOnly(key);
  await withExistingStores(callSettings(call), ({ registry }) =>
    registry.delete(key, { actor, nowSeconds: nowSeconds() }),
  );
  if (call.switches.has("json")) printJson(call, { key, deleted: true });
  else print(call, `${key} is deleted.`);
}

async function listItems(call: CommandCall): Promise<void> {
  const stored = await withExistingStores(callSettings(call), ({ registry }) => registry.list());
  const items = [...manifest(version), ...stored];
  if (call.switches.has("json")) print(call, `{"items":[${items.map(formatRegistryItem).join(",")}]}`);
  else
    printTable(
      call,
      ["KEY", "VALUE"],
      items.map((item) => [item.key, plainValue(item)]),
    );
}

const printItem = (call: CommandCall, item: RegistryItem): void => print(call, formatRegistryItem(item));

const plainValue = ({ value }: RegistryItem): string => (value.startsWith('"') ? (JSON.parse(value) as string) : value);
