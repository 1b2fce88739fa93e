import type { ItemRow } from "../../../client/src/client.ts";
import type { Json } from "../api/json.ts";
import { octavo } from "../api/octavo.ts";

export type RegistryItem = ItemRow<Json>;

export const listRegistry = (): Promise<RegistryItem[]> => octavo.registry.list<Json>();
