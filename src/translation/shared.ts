import type { Entry } from "../entry/entry.ts";
import { dataOf } from "../entry/next.ts";
import type { Types } from "../type/check.ts";
import type { LocalizedKeys } from "../type/graph.ts";

/** Which keys of an entry can be translated, and which all locales share. Contract §24, A translation. */

/** The keys of an entry that can be translated; undefined: every key can be. */
export async function localizedOf(
  types: Types | undefined,
  entry: Pick<Entry, "slug" | "data">,
): Promise<LocalizedKeys | undefined> {
  const type = types?.typeOf(entry.slug, (await dataOf(entry)).get("fieldset"));
  return type === undefined ? undefined : types?.localizedKeys(type);
}

/** The texts of the keys that all locales share: of an untyped entry none. */
export async function sharedKeysOf(
  types: Types | undefined,
  entry: Pick<Entry, "slug" | "data">,
): Promise<ReadonlySet<string>> {
  const localized = await localizedOf(types, entry);
  if (!localized) return new Set();
  const keys = [...(await dataOf(entry)).keys()].filter((key) => !localized.keys.has(key));
  return new Set(keys.map((key) => JSON.stringify(key)));
}
