import type { Referred } from "../api/referrers.ts";

/** What entries refer to, in words: "it", "it or to what is below it", "them or to what is in them". */
export function objectOf(things: readonly Referred[]): string {
  const base = things.length === 1 ? "it" : "them";
  if (things.some(({ noun }) => noun === "entry")) return `${base} or to what is below ${base}`;
  return things.some(({ noun }) => noun === "folder") ? `${base} or to what is in ${base}` : base;
}
