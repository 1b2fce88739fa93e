import { entryFields } from "../../../src/entry/field.ts";
import { say } from "../language/say.ts";

/** Names of fields: made from titles, and those that are not to be had. */

/** The words of a title as a name, `Year of birth` → `year_of_birth`; empty for a title without letters and digits. */
export const wordsOf = (title: string): string => {
  const words = title
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "_")
    .replace(/^_+|_+$/g, "");
  // An object of JavaScript puts whole numbers first.
  return /^\d+$/.test(words) ? `field_${words}` : words;
};

const instead = new Map([
  ...entryFields.map(({ name, insteadOf }) => [name, insteadOf] as const),
  ["fieldset", "kind"],
]);

/** Another name for one that the service has of every entry; undefined for all others. Contract, part two, §9. */
export const insteadOf = (name: string): string | undefined => instead.get(name);

/** True for what every entry has as the last part of its id. */
export const isLastPart = (name: string): boolean => name === "slug" || name === "id";

const forbidden = new Set(["__proto__", "constructor", "prototype"]);

type Names = {
  /** True for a name that another field has. */
  taken(name: string): boolean;
  /** The fields are those of the entry, not of a group in it. */
  isTop: boolean;
};

/** Why a field cannot have the name; undefined when it can. */
export function faultOf(name: string, { taken, isTop }: Names): string | undefined {
  if (name === "") return say("A field needs a name");
  if (forbidden.has(name)) return say("The service accepts no field of this name");
  if (isTop && insteadOf(name) !== undefined) return say("The service has this of every entry itself");
  return taken(name) ? say("There is a field of this name already") : undefined;
}

/** A name for a field with this title that it can have; undefined for a title without words. */
export function nameFor(title: string, names: Names): string | undefined {
  const words = wordsOf(title);
  if (words === "") return undefined;
  const wanted = (names.isTop && insteadOf(words)) || words;
  for (let i = 1; ; i++) {
    const name = i === 1 ? wanted : `${wanted}_${i}`;
    if (faultOf(name, names) === undefined) return name;
  }
}
