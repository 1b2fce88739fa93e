import type { Json } from "./json.ts";

const strictWords: readonly [string, boolean][] = [
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
];
const strict = new Map(strictWords);
const loose = new Map([...strictWords, ["on", true], ["yes", true], ["off", false], ["no", false]] as const);

/** A flag as people and the original's clients write it, in any letter case; undefined for anything else. */
export const parseFlag = (value: Json | undefined): boolean | undefined =>
  typeof value === "string" ? loose.get(value.toLowerCase()) : undefined;

/** `true`, `1`, `false` or `0` as text, or the boolean itself; undefined for anything else. */
export const parseBoolean = (value: Json | undefined): boolean | undefined =>
  typeof value === "boolean" ? value : typeof value === "string" ? strict.get(value) : undefined;
