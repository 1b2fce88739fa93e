import { Type } from "typebox";
import { problem } from "../domain/problem.ts";
import {
  getRegistryItem,
  manifest,
  maxValueBytes,
  parseRegistryKey,
  type RegistryItem,
  type RegistryStore,
  refuseReadOnly,
} from "../domain/registry.ts";
import { describeJson, formatJson, type Json } from "../lib/json.ts";
import { type Need, reads, writes } from "./auth.ts";
import { textArgument } from "./entry.ts";
import { type Answer, data, managementCache, noContent, tagOf } from "./reply.ts";
import { argumentsOf, type Call, type Route, readArguments } from "./route.ts";
import { registryItem } from "./schema.ts";

const id = Type.String({ description: "A dotted key.", examples: ["site.title"] });
const value = Type.Unsafe<Json>({ description: "A text; with a JSON body any JSON." });

/** /api/registry and /api/delivery/registry. Spec, Registry; contract §6. */
export function registryRoutes(store: RegistryStore, version: string): Route[] {
  const builtIn = manifest(version);
  const read = (url: string, need: Need): Route => ({
    method: "GET",
    url,
    summary: "Fetch a registry item",
    need,
    arguments: { id },
    reply: registryItem,
    problems: ["registry_item_not_found", "argument_missing", "argument_invalid"],
    handle: (call) => get(store, builtIn, call),
  });
  return [
    read("/api/registry", reads("registry")),
    read("/api/delivery/registry", reads("registry")),
    {
      method: "PUT",
      url: "/api/registry",
      summary: "Set a registry item",
      need: writes("registry"),
      arguments: { id, value },
      reply: registryItem,
      problems: ["registry_item_read_only"],
      handle: (call) => put(store, call),
    },
    {
      method: "DELETE",
      url: "/api/registry",
      summary: "Delete a registry item and all below it",
      need: writes("registry"),
      arguments: { id },
      problems: ["registry_item_not_found", "registry_item_read_only"],
      handle: (call) => remove(store, call),
    },
  ];
}

async function get(store: RegistryStore, builtIn: RegistryItem[], call: Call): Promise<Answer> {
  const key = parseRegistryKey(textArgument(call.query, "id"));
  const text = formatItem(await getRegistryItem(store, key, builtIn));
  const isDelivery = call.token?.kind === "delivery";
  const scope = call.isTokenInUrl ? "public" : "private";
  const cacheControl = isDelivery ? `${scope}, max-age=0, must-revalidate` : managementCache;
  return data(text, { cacheControl, tag: tagOf(text) });
}

async function put(store: RegistryStore, call: Call): Promise<Answer> {
  const read = readArguments<{ id: string; value: Json }>(call, { id, value });
  const key = parseRegistryKey(read.id);
  refuseReadOnly(key);
  const item = { key, value: formatJson(read.value) };
  if (Buffer.byteLength(item.value) > maxValueBytes) {
    throw problem("argument_invalid", {
      argument: "value",
      came: describeJson(argumentsOf(call).get("value")),
      accepted: `at most ${maxValueBytes} bytes`,
    });
  }
  await store.put(item, call.token?.id ?? "", call.nowSeconds);
  return data(formatItem(item));
}

async function remove(store: RegistryStore, call: Call): Promise<Answer> {
  const read = readArguments<{ id: string }>(call, { id });
  const key = parseRegistryKey(read.id);
  refuseReadOnly(key);
  await store.delete(key, call.token?.id ?? "", call.nowSeconds);
  return noContent;
}

const formatItem = (item: RegistryItem): string => `{"key":${JSON.stringify(item.key)},"value":${item.value}}`;
