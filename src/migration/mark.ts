import { isJsonObject, type Json } from "../core/lib/json.ts";
import { localizedKeyword } from "../type/walk.ts";

/** Which fields can be translated, in a schema whose fields move. Contract §24. */

/** What is said of a field where it goes: only fields of the data itself can be translated. */
export function marked(schema: Json | undefined, isLocalized: boolean): Json | undefined {
  if (!isJsonObject(schema) || schema.has(localizedKeyword) === isLocalized) return schema;
  const other = new Map(schema);
  if (isLocalized) other.set(localizedKeyword, true);
  else other.delete(localizedKeyword);
  return other;
}
