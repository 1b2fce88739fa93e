import type { Json } from "./json.ts";

const strictWords: readonly [string, boolean][] = [
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
];
const strict = new Map(strictWords);
const loose = new Map([...strictWords, ["on", true], ["yes", true], ["off", false], ["no", false]] as const);

/** A boolean in the spellings of people and of Flextype's clients, case-insensitive; undefined for anything else. */
export const parseFlag = (value: Json | undefined): boolean | undefined =>
  typeof value === "string" ? loose.get(value.toLowerCase()) : undefined;

/** `true`, `1`, `false` or `0` as text, or the boolean itself; undefined for anything else. */
export const parseBoolean = (value: Json | undefined): boolean | undefined =>
  typeof value === "boolean" ? value : typeof value === "string" ? strict.get(value) : undefined;
