import { manages, reads, writes } from "../core/http/auth.ts";
import { type GroupHeaders, grouped } from "../core/http/cache-group.ts";
import { type Call, isTokenInUrl } from "../core/http/call.ts";
import { strict } from "../core/http/collection.ts";
import { type Answer, data, deliveryCache, managementCache, noContent, tagged } from "../core/http/reply.ts";
import { argument, type Route, route, textReader, writerOf } from "../core/http/route.ts";
import type { Json } from "../core/lib/json.ts";
import { Type } from "../core/lib/json-schema.ts";
import { registryGroups } from "../core/list/cache-group.ts";
import { problem } from "./problems.ts";
import {
  formatRegistryItem,
  formatRegistryValue,
  getRegistryItem,
  manifest,
  parseRegistryKey,
  type RegistryItem,
  type RegistryStore,
  refuseReadOnly,
} from "./registry.ts";
import { registryItem, registryRow } from "./wire.ts";

export const registryKey = argument(
  Type.String({ description: "A dotted key.", examples: ["site.title"] }),
  textReader((name, text) => parseRegistryKey(text, name), "a dotted key"),
);
const idOrAll = argument(
  Type.String({ description: "A dotted key; empty for all items." }),
  textReader((name, text) => (text === "" ? text : parseRegistryKey(text, name)), "a dotted key"),
);
const value = Type.Unsafe<Json>({ description: "A text; in a JSON body any JSON value." });

export type RegistryOptions = { deliverySharedMaxAgeSeconds: number; groups: GroupHeaders | undefined };

/** /api/registry and /api/delivery/registry. Contract §6. */
export function registryRoutes(store: RegistryStore, version: string, options: RegistryOptions): Route[] {
  const builtIn = manifest(version);
  const read = (url: string, isDelivery: boolean): Route =>
    route({
      unknown: "ignored",
      method: "GET",
      url,
      summary: "Fetch a registry item",
      need: reads("registry"),
      arguments: { id: registryKey, strict },
      reply: registryItem,
      problems: ["argument_unknown", "registry_item_not_found", "argument_missing", "argument_invalid"],
      handle: async (call, { id }) => {
        const text = formatRegistryItem(await getRegistryItem(store, id, builtIn));
        const isPublic = isDelivery || call.access.reads === "public";
        if (!isPublic) return tagged(text, { cacheControl: managementCache });
        const cacheControl = deliveryCache({ isTokenInUrl: isTokenInUrl(call) }, options.deliverySharedMaxAgeSeconds);
        const answer = tagged(text, { cacheControl });
        return grouped(answer, options.groups, () => registryGroups(id));
      },
    });
  return [
    read("/api/registry", false),
    read("/api/delivery/registry", true),
    route({
      unknown: "ignored",
      method: "GET",
      url: "/api/registry/items",
      summary: "List the registry items at and below a key",
      need: manages("registry"),
      arguments: { id: idOrAll, strict },
      reply: Type.Array(registryRow, { description: "Sorted by key." }),
      problems: ["argument_unknown", "registry_item_not_found", "argument_missing", "argument_invalid"],
      handle: (_call, { id }) => list(store, builtIn, id),
    }),
    route({
      unknown: "ignored",
      method: "PUT",
      url: "/api/registry",
      summary: "Set a registry item",
      need: writes("registry"),
      isOperation: true,
      arguments: { id: registryKey, value },
      reply: registryItem,
      problems: ["registry_item_read_only"],
      handle: (call, args) => put(store, call, args),
    }),
    route({
      unknown: "ignored",
      method: "DELETE",
      url: "/api/registry",
      summary: "Delete a registry item and all items below it",
      need: writes("registry"),
      isOperation: true,
      arguments: { id: registryKey },
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
  await store.put(id, item, writerOf(call));
  return data(formatRegistryItem(item));
}

async function remove(store: RegistryStore, call: Call, key: string): Promise<Answer> {
  refuseReadOnly(key);
  await store.delete(key, writerOf(call));
  return noContent;
}
