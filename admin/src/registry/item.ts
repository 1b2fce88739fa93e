import type { ItemRow } from "../../../client/src/client.ts";
import { itemHistory } from "../api/history.ts";
import type { Json } from "../api/json.ts";
import { octavo } from "../api/octavo.ts";
import { sayMany } from "../language/say.ts";
import type { Undo } from "../ui/undo.tsx";

export type RegistryItem = ItemRow<Json>;

export const listRegistry = (): Promise<RegistryItem[]> => octavo.registry.list<Json>();

/** The value of an item. Throws registry_item_not_found. */
export const readItem = async (key: string): Promise<Json> =>
  (await octavo.request<{ value: Json }>("GET /api/registry", { id: key })).data.value;

/** Deletes an item with all items below it. Their histories keep the values. */
export async function deleteItem(key: string): Promise<Undo> {
  const items = (await listRegistry()).filter((item) => item.key === key || item.key.startsWith(`${key}.`));
  await octavo.registry.delete(key, { keepalive: true });
  const below = items.filter((item) => item.key !== key).length;
  return {
    run: async () => {
      for (const item of items) await restoreDeleted(item);
    },
    more: below > 0 ? sayMany(below, "and {count} item below it", "and {count} items below it") : undefined,
  };
}

/** Restores it from its history, which has the exact text; without a history from the value that was read. */
async function restoreDeleted({ key, value }: RegistryItem): Promise<void> {
  const [last] = (await itemHistory(key)).items;
  if (last) await octavo.registry.restore(key, last.revision);
  else await octavo.registry.set(key, value);
}
