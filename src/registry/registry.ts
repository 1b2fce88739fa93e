import type { WriteContext } from "../core/event.ts";
import { forbiddenKeys, formatJson, type Json, type JsonObject, parseJson } from "../core/lib/json.ts";
import { problem } from "./problems.ts";

/** A dotted key and its value as JSON text. Contract §6. */
export type RegistryItem = { key: string; value: string };

/** An item as stored. `contentRevision`: the event that set it, 0 if that was before items had history. */
export type StoredItem = RegistryItem & { contentRevision: number; modifiedAt: number };

/** Where registry items are stored. Each write appends one event. */
export interface RegistryStore {
  /** The item with this key and all items below it (`key.…`), in key order (bytewise). */
  listBelow(key: string): RegistryItem[] | Promise<RegistryItem[]>;
  /** All items, in key order. */
  list(): Promise<RegistryItem[]>;
  /** Sets or overwrites. A key may have a value and be the parent of others: then its own value is returned. */
  put(key: string, item: Pick<RegistryItem, "value">, context: WriteContext): Promise<void>;
  /** Deletes the item and all below it; their values stay in the history. Throws registry_item_not_found. */
  delete(key: string, context: WriteContext): Promise<void>;
  /**
   * Sets the item to the value in force at an event, also one that was deleted, and answers it. Throws
   * revision_not_found.
   */
  restore(key: string, state: { revision: number }, context: WriteContext): Promise<RegistryItem>;
  /** The item with the event that set it; undefined when there is none. */
  findStored(key: string): Promise<StoredItem | undefined>;
}

const maxKeyBytes = 512;
const maxValueBytes = 64 * 1024;

/** The items that describe this service: read-only, never stored. */
export function manifest(version: string): RegistryItem[] {
  const text = (key: string, value: string): RegistryItem => ({ key, value: JSON.stringify(value) });
  return [
    // The generation of the API that clients of Flextype check for. Contract §6.
    text("flextype.manifest.version", "0.9.8"),
    text(
      "octavo.manifest.description",
      "A content service: entries, folders, files, a registry and images over a JSON REST API.",
    ),
    text("octavo.manifest.license", "MIT"),
    text("octavo.manifest.name", "Octavo"),
    text("octavo.manifest.version", version),
  ];
}

const readOnlyRoots = ["octavo.manifest", "flextype.manifest"];

// Letters with combining marks: some letters have no composed form, so NFC itself decomposes them.
const keyPattern = /^[\p{L}\p{N}_-][\p{L}\p{M}\p{N}_-]*(\.[\p{L}\p{N}_-][\p{L}\p{M}\p{N}_-]*)*$/u;

/**
 * A dotted key in NFC: segments of letters, digits, `_` and `-`. A key that was read is read as itself again. Throws
 * argument_invalid, which names the argument.
 */
export function parseRegistryKey(text: string, argument = "id"): string {
  const key = text.normalize("NFC");
  const isKey = Buffer.byteLength(key) <= maxKeyBytes && keyPattern.test(key);
  if (isKey && !key.split(".").some((segment) => forbiddenKeys.has(segment))) return key;
  throw problem("argument_invalid", {
    argument,
    received: text,
    accepted: `a dotted key of letters, digits, "_" and "-", at most ${maxKeyBytes} bytes`,
  });
}

/** The value as JSON text, at most 64 KiB. Throws argument_invalid. */
export function formatRegistryValue(value: Json): string {
  const text = formatJson(value);
  refuseLargeValue(text);
  return text;
}

/** Throws argument_invalid for JSON text past an item's limit. */
export function refuseLargeValue(text: string): void {
  const size = Buffer.byteLength(text);
  if (size <= maxValueBytes) return;
  const accepted = `JSON of at most ${maxValueBytes} bytes`;
  throw problem("argument_invalid", { argument: "value", received: `${size} bytes`, accepted });
}

/**
 * An item on the wire and with `--json`. Its value is passed through as text: numbers past 2^53 would not survive a
 * parse.
 */
export const formatRegistryItem = ({ key, value }: RegistryItem): string =>
  `{"key":${JSON.stringify(key)},"value":${value}}`;

/** Throws registry_item_read_only for the manifest's keys, and for a key that would shadow them. */
export function refuseReadOnly(key: string): void {
  const touches = (root: string) => key === root || key.startsWith(`${root}.`) || root.startsWith(`${key}.`);
  if (readOnlyRoots.some(touches)) throw problem("registry_item_read_only", { id: key });
}

/**
 * The value at a key from the items at and below it: the item's own value, or the object of the items below. Returns
 * JSON text, or undefined when there is none.
 */
function registryValue(key: string, items: readonly RegistryItem[]): string | undefined {
  const own = items.find((item) => item.key === key);
  if (own) return own.value;
  if (items.length === 0) return undefined;
  const object: JsonObject = new Map();
  for (const item of items) nest(object, item.key.slice(key.length + 1).split("."), parseJson(item.value, 1000));
  return formatJson(object);
}

function nest(object: JsonObject, segments: string[], value: Json): void {
  const [first = "", ...rest] = segments;
  if (rest.length === 0) {
    object.set(first, value);
    return;
  }
  const child = object.get(first);
  const parent: JsonObject = child instanceof Map ? child : new Map();
  object.set(first, parent);
  nest(parent, rest, value);
}

/** Reads the item at a key, built-in ones included. Throws registry_item_not_found. */
export async function getRegistryItem(
  store: Pick<RegistryStore, "listBelow">,
  key: string,
  builtIn: RegistryItem[],
): Promise<RegistryItem> {
  const below = builtIn.filter((item) => item.key === key || item.key.startsWith(`${key}.`));
  const value = registryValue(key, [...(await store.listBelow(key)), ...below]);
  if (value === undefined) throw problem("registry_item_not_found", { id: key });
  return { key, value };
}
