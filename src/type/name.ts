import { quote } from "../core/problem-row.ts";
import { entryFields } from "../entry/field.ts";
import type { CompiledSchema } from "./schema.ts";
import { localizedKeyword, schemaInvalid, searchKeyword } from "./walk.ts";
import { maxWeight } from "./weight.ts";

/**
 * Names that no schema sees: the fields that the service has of every entry, and the one that names its type. A type that
 * required one would refuse every publish. Contract, part two, §9.
 */

/** By each, a name to use instead. */
export const insteadOf: Readonly<Record<string, string>> = {
  ...Object.fromEntries(entryFields.map(({ name, insteadOf }) => [name, insteadOf])),
  fieldset: "kind",
};

const listed = (names: readonly string[]): string => [...new Set(names)].map(quote).join(", ");

/**
 * Refuses a schema that names one of them for the entry itself, marks what no translation can have, or weighs a place with
 * what is no weight. Throws schema_invalid, which names the first place.
 */
export function refuseNames({
  names,
  localized,
  search,
}: Pick<CompiledSchema, "names" | "localized" | "search">): void {
  if (localized.fault !== undefined)
    throw schemaInvalid(localized.fault, `${localizedKeyword} is true or "required", on a property of the data itself`);
  if (search.fault !== undefined)
    throw schemaInvalid(search.fault, `${searchKeyword} is an integer from 0, not searched, to ${maxWeight}`);
  const found = [...names.keys()].filter((name) => Object.hasOwn(insteadOf, name));
  const [first] = found;
  if (first === undefined) return;
  const others = listed(found.map((name) => insteadOf[name] as string));
  throw schemaInvalid(
    names.get(first) as string,
    `the service has ${listed(found)} of every entry itself, and no schema sees ${found.length > 1 ? "them" : "it"}; use ` +
      `${found.length > 1 ? "other names" : "another name"}, such as ${others}`,
  );
}

/** False for the text of a schema that has none of the names, anywhere. */
export const mayNameService = (schema: string): boolean =>
  Object.keys(insteadOf).some((name) => schema.includes(`"${name}"`));
