import { isJsonObject, type Json } from "../core/lib/json.ts";

/** Which fields can be translated, in a schema whose fields move. Contract §24. */

export const localizedMark = "x-octavo-localized";

/** What is said of a field where it goes: only fields of the data itself can be translated. */
export function marked(schema: Json | undefined, isLocalized: boolean): Json | undefined {
  if (!isJsonObject(schema) || schema.has(localizedMark) === isLocalized) return schema;
  const other = new Map(schema);
  if (isLocalized) other.set(localizedMark, true);
  else other.delete(localizedMark);
  return other;
}
