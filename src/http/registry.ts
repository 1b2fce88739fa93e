import { Type } from "typebox";
import { problem } from "../domain/problem.ts";
import {
  formatRegistryItem,
  formatRegistryValue,
  getRegistryItem,
  manifest,
  parseRegistryKey,
  type RegistryItem,
  type RegistryStore,
  refuseReadOnly,
} from "../domain/registry.ts";
import type { Json } from "../lib/json.ts";
import { manages, reads, writes } from "./auth.ts";
import { type Call, isTokenInUrl } from "./call.ts";
import { type Answer, data, deliveryCache, managementCache, noContent, tagged } from "./reply.ts";
import { type ApiRoute, argument, route, textReader, writerOf } from "./route.ts";
import { registryItem, registryRow } from "./schema.ts";

const id = argument(
  Type.String({ description: "A dotted key.", examples: ["site.title"] }),
  textReader((name, text) => parseRegistryKey(text, name), "a dotted key"),
);
const idOrAll = argument(
  Type.String({ description: "A dotted key; empty for all items." }),
  textReader((name, text) => (text === "" ? text : parseRegistryKey(text, name)), "a dotted key"),
);
const value = Type.Unsafe<Json>({ description: "A text; in a JSON body any JSON value." });

/** /api/registry and /api/delivery/registry. Contract §6. */
export function registryRoutes(store: RegistryStore, version: string, deliverySharedMaxAgeSeconds: number): ApiRoute[] {
  const builtIn = manifest(version);
  const read = (url: string, isDelivery: boolean): ApiRoute =>
    route({
      ignoresUnknown: true,
      method: "GET",
      url,
      summary: "Fetch a registry item",
      description:
        "Answers the value of a dotted key. A key that only has keys below it answers an object of their values. " +
        "`octavo.manifest` describes this service; `flextype.manifest.version` is the API generation.",
      examples: [
        { summary: "One item", arguments: { id: "site.title" } },
        { summary: "All items below a key", arguments: { id: "site" } },
      ],
      refused: { registry_item_not_found: { arguments: { id: "site.motto" } } },
      need: reads("registry"),
      arguments: { id },
      reply: registryItem,
      problems: ["registry_item_not_found", "argument_missing", "argument_invalid"],
      handle: async (call, { id }) => {
        const text = formatRegistryItem(await getRegistryItem(store, id, builtIn));
        const isPublic = isDelivery || call.access.reads === "public";
        const cacheControl = isPublic
          ? deliveryCache({ isTokenInUrl: isTokenInUrl(call) }, deliverySharedMaxAgeSeconds)
          : managementCache;
        return tagged(text, { cacheControl });
      },
    });
  return [
    read("/api/registry", false),
    read("/api/delivery/registry", true),
    route({
      ignoresUnknown: true,
      method: "GET",
      url: "/api/registry/items",
      summary: "List the registry items at and below a key",
      description: "Answers full keys and marks the built-in items.",
      examples: [{ summary: "All that begins with site", arguments: { id: "site" } }],
      refused: { registry_item_not_found: { arguments: { id: "nowhere" } } },
      need: manages("registry"),
      arguments: { id: idOrAll },
      reply: Type.Array(registryRow, { description: "Sorted by key." }),
      problems: ["registry_item_not_found", "argument_missing", "argument_invalid"],
      handle: (_call, { id }) => list(store, builtIn, id),
    }),
    route({
      ignoresUnknown: true,
      method: "PUT",
      url: "/api/registry",
      summary: "Set a registry item",
      description:
        "Creates the item or replaces its value: a text, or in a JSON body any JSON value of at most 64 KiB.",
      examples: [
        { summary: "A text", arguments: { id: "site.title", value: "The late reading room" } },
        { summary: "A list", arguments: { id: "site.languages", value: ["en", "pl"] } },
      ],
      refused: { registry_item_read_only: { arguments: { id: "octavo.manifest.name" } } },
      need: writes("registry"),
      arguments: { id, value },
      reply: registryItem,
      problems: ["registry_item_read_only"],
      handle: (call, args) => put(store, call, args),
    }),
    route({
      ignoresUnknown: true,
      method: "DELETE",
      url: "/api/registry",
      summary: "Delete a registry item and all items below it",
      description: "Deletes the item and the items below its key atomically.",
      examples: [{ summary: "One item", arguments: { id: "site.per_page" } }],
      refused: {
        registry_item_not_found: { arguments: { id: "site.motto" } },
        registry_item_read_only: { arguments: { id: "octavo.manifest.name" } },
      },
      need: writes("registry"),
      arguments: { id },
      problems: ["registry_item_not_found", "registry_item_read_only"],
      handle: (call, { id }) => remove(store, call, id),
    }),
  ];
}

async function list(store: RegistryStore, builtIn: RegistryItem[], key: string): Promise<Answer> {
  const isBelow = (item: RegistryItem) => key === "" || item.key === key || item.key.startsWith(`${key}.`);
  const rows = [
    ...builtIn.filter(isBelow).map((item) => formatRow(item, true)),
    ...(await store.list()).filter(isBelow).map((item) => formatRow(item, false)),
  ];
  if (rows.length === 0) throw problem("registry_item_not_found", { id: key });
  return tagged(`[${rows.join(",")}]`);
}

const formatRow = ({ key, value }: RegistryItem, isReadOnly: boolean): string =>
  `{"key":${JSON.stringify(key)},"value":${value},"read_only":${isReadOnly}}`;

async function put(store: RegistryStore, call: Call, { id, value }: { id: string; value: Json }): Promise<Answer> {
  refuseReadOnly(id);
  const item = { key: id, value: formatRegistryValue(value) };
  const { actor, nowSeconds } = writerOf(call);
  await store.put(item, actor, nowSeconds);
  return data(formatRegistryItem(item));
}

async function remove(store: RegistryStore, call: Call, key: string): Promise<Answer> {
  refuseReadOnly(key);
  const { actor, nowSeconds } = writerOf(call);
  await store.delete(key, actor, nowSeconds);
  return noContent;
}
