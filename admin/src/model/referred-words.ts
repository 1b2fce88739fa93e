import type { Referred } from "../api/referrers.ts";
import { say } from "../language/say.ts";

/** What entries refer to, in words: "it", "it or to what is below it", "them or to what is in them". */
export function objectOf(things: readonly Referred[]): string {
  const isOne = things.length === 1;
  if (things.some(({ noun }) => noun === "entry"))
    return isOne ? say("it or to what is below it") : say("them or to what is below them");
  if (things.some(({ noun }) => noun === "folder"))
    return isOne ? say("it or to what is in it") : say("them or to what is in them");
  return isOne ? say("it") : say("them");
}
