import type { JsonObject } from "../core/lib/json.ts";

/** Pictures for everybody: addresses without a token, by the presets of the setting `image_public`. Contract, part three, §17. */

/** All that such an address may have. */
const taken: ReadonlySet<string> = new Set(["p", "dpr", "v"]);
/** Of at most two decimals. */
const density = /^(?:[12](?:\.\d{1,2})?|3(?:\.0{1,2})?)$/;

/** True for the arguments of an address that answers without a token. */
export function isPublicAddress(args: JsonObject, presets: ReadonlySet<string>): boolean {
  const preset = args.get("p");
  if (typeof preset !== "string" || !presets.has(preset)) return false;
  for (const [name, value] of args) if (!taken.has(name) || typeof value !== "string") return false;
  const dpr = args.get("dpr");
  return dpr === undefined || density.test(dpr as string);
}

/** What such an address has; undefined where nothing is public. */
export const openPresets = (presets: ReadonlySet<string>): string | undefined =>
  presets.size === 0
    ? undefined
    : `one of ${[...presets].join(", ")} as "p", with nothing but "dpr" from 1 to 3 and "v"`;

/** What is drawn for everybody: strangers choose among few renditions of a picture. */
const densities = [1, 1.5, 2, 3];

/** The arguments of such an address with the density that is drawn: the next one up. */
export function withPublicDensity(args: JsonObject): JsonObject {
  const asked = Number(args.get("dpr") ?? 1);
  return new Map([...args, ["dpr", String(densities.find((each) => each >= asked))]]);
}
