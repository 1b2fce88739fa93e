import { say } from "../../language/say.ts";
import { segmentsOf } from "./pointer.ts";

/** A place in the data of an entry for people: `/cast/0/actor` is "cast › item 1 › actor". */
export const pointerWords = (pointer: string): string => segmentsOf(pointer).map(wordOf).join(" › ");

/** A number below the top level is an index: objects seldom have such keys. */
function wordOf(segment: string, level: number): string {
  if (segment === "") return "“”";
  return level > 0 && /^(?:0|[1-9]\d{0,8})$/.test(segment)
    ? say("item {number}", { number: Number(segment) + 1 })
    : segment;
}
