import { eventVerbs } from "./event-verbs.ts";

/** The kinds of events that this page knows; the log may have others. */
export const knownKinds = Object.entries(eventVerbs).flatMap(([noun, all]) =>
  all.split(" ").map((verb) => `${noun}.${verb}`),
);

/** A kind is `<noun>.<verb>`. */
export function partsOf(kind: string): { noun: string; verb: string } {
  const [noun = "", verb = ""] = kind.split(".");
  return { noun, verb };
}

/** As a person reads it. */
export const labelOf = (kind: string): string => kind.replace(".", " ").replaceAll("_", " ");
