import type { Mark } from "./modifier-member.ts";
import { type Change, defaultQuality, type ModifierRow, modifierTable, type ValuesOf } from "./modifier-row.ts";

/**
 * The room of pictures: the arguments of a request (modifier.ts, an object each in modifier-row.ts) become `Modifiers`;
 * geometry.ts computes sizes from them, rendition.ts names, finds and makes what is sent. Contract §7.
 */

export type { Mark };

export type ModifierName = keyof typeof modifierTable;
export type ModifierValues = ValuesOf<typeof modifierTable>;
type Members = {
  [N in ModifierName as "member" extends keyof (typeof modifierTable)[N]
    ? N
    : never]: (typeof modifierTable)[N] extends { member: (...values: never[]) => infer M } ? M : never;
};

/**
 * The effective arguments of a picture, with presets and defaults applied: the members of the rows. Plain data. Arguments
 * without effect are absent, so that equal pictures have equal modifiers.
 */
export type Modifiers = Readonly<
  Partial<Members> & { [N in keyof Members as undefined extends Members[N] ? never : N]: Members[N] }
>;

type AnyRow = ModifierRow<unknown, unknown, Change, ModifierValues>;
/** The table's rows, for documentation. */
export const modifierRows: readonly ({ name: ModifierName } & AnyRow)[] = Object.entries<AnyRow>(modifierTable).map(
  ([name, declaration]) => ({ name: name as ModifierName, ...declaration }),
);

/** The arguments that are a step on decoded pixels each. */
export type PixelName = {
  [N in ModifierName]: (typeof modifierTable)[N]["changes"] extends "pixels" ? N : never;
}[ModifierName];
/** These, in the order in which they are applied. */
export const pixelNames = modifierRows
  .filter(({ changes }) => changes === "pixels")
  .map(({ name }) => name as PixelName);

/**
 * The canonical text of the effective arguments: `w-300_fit-crop_fm-webp`. Only letters, digits, `-`, `.`, `_` and
 * `~`, so it needs no escaping in URLs, header fields and file names; different modifiers have different texts. Empty
 * without arguments. Contract §7, Identity.
 */
export function formatModifiers(modifiers: Modifiers): string {
  const parts: string[] = [];
  for (const { name, of = name, text } of modifierRows) {
    const member = modifiers[of as keyof Modifiers];
    const value = member === undefined ? undefined : text?.(member);
    if (value !== undefined) parts.push(`${name}-${value}`);
  }
  return parts.join("_");
}

/** The effective arguments of parsed values. */
export function toModifiers(values: ModifierValues): Modifiers {
  const members: Record<string, unknown> = {};
  for (const { name, member } of modifierRows) {
    const value = member?.(values[name], values);
    if (value !== undefined) members[name] = value;
  }
  const modifiers = members as Modifiers;
  if (modifiers.q !== defaultQuality) return modifiers;
  // The quality that applies anyhow says something where it is the only argument: then the picture is encoded again.
  const { q: _, ...rest } = modifiers;
  return formatModifiers(rest) === "" ? modifiers : rest;
}
