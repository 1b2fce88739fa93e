import type { Json, JsonObject } from "../../lib/json.ts";

/**
 * What an item says in several locales, as the indexes have it: keys that are translated are not under their own names, but
 * once for each locale, with what is answered there. So a list in a locale reads two keys in place of one, and each item has
 * one of them. Decision 67.
 */

/** No key of a client that has it is indexed. */
const mark = "\u0001";

/** The data of an item with layers. */
export class LayeredData extends Map<string, Json> {}

/** The name of a key in a locale; "" for the source. */
export const layerKey = (locale: string, key: string): string => `${mark}${locale}${mark}${key}`;

export const isMarked = (key: string): boolean => key.includes(mark);

/** The key of the client in such a name. */
export const plainKey = (name: string): string =>
  name.startsWith(mark) ? name.slice(name.indexOf(mark, 1) + mark.length) : name;

/** A locale and those that it falls back to, without the source, of each but the source. */
export type Chains = readonly (readonly string[])[];

/** Among the keys that an index holds: no setting begins with a space. */
export const chainItems = (chains: Chains): string[] => chains.map((chain) => ` ${chain.join(">")}`);
export const isChain = (item: string): boolean => item.startsWith(" ");
export const chainsIn = (indexKeys: readonly string[]): Chains =>
  indexKeys.filter(isChain).map((item) => item.slice(1).split(">"));

/**
 * The data with what translations say, by locale: each translated key in each locale. Without chains each translation as it is,
 * for the texts alone.
 */
export function layered(data: JsonObject, translations: ReadonlyMap<string, JsonObject>, chains?: Chains): JsonObject {
  const keys = new Set([...translations.values()].flatMap((own) => [...own.keys()]));
  const found = new LayeredData();
  for (const [key, value] of data) if (!isMarked(key) && !(chains && keys.has(key))) found.set(key, value);
  const put = (locale: string, key: string, holders: readonly (JsonObject | undefined)[]) => {
    const holder = holders.find((each) => each?.has(key));
    if (holder) found.set(layerKey(locale, key), holder.get(key) as Json);
  };
  for (const key of [...keys].filter((each) => !isMarked(each))) {
    if (!chains) for (const [locale, own] of translations) put(locale, key, [own]);
    if (chains) put("", key, [data]);
    for (const chain of chains ?? [])
      put(chain[0] as string, key, [...chain.map((locale) => translations.get(locale)), data]);
  }
  return found;
}
