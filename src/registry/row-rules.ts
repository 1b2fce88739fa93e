import { added, asRead, type BackupRow, count, json, text, time } from "../core/row-column.ts";
import { parseRegistryKey, refuseLargeValue, refuseReadOnly } from "./registry.ts";

/** The rules of the rows of the registry: see core/row.ts. */

export const registryKey = asRead((column, key) => parseRegistryKey(key, column));

export const registryRule = {
  noun: "registry_item",
  columns: {
    key: registryKey,
    value: text,
    content_revision: added(count, () => 0),
    modified_at: added(time, () => 0),
  },
  whole: checkItem,
  key: ({ key }: BackupRow) => key,
};

/** Throws argument_invalid, registry_item_read_only. */
function checkItem({ key, value }: BackupRow): void {
  refuseReadOnly(String(key));
  refuseLargeValue(String(value));
  json("value", value);
}
