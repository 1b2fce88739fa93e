import { say } from "../language/say.ts";
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

const nouns: Readonly<Record<string, string>> = {
  token: say("token"),
  entry: say("entry"),
  folder: say("folder"),
  file: say("file"),
  session: say("session"),
  role: say("role"),
  person: say("person"),
  passkey: say("passkey"),
  registry: say("registry"),
  trash: say("trash"),
  type: say("type"),
  view: say("view"),
  webhook: say("webhook"),
  release: say("release"),
};

const verbs: Readonly<Record<string, string>> = {
  create: say("create"),
  update: say("update"),
  rotate: say("rotate"),
  revoke: say("revoke"),
  move: say("move"),
  copy: say("copy"),
  delete: say("delete"),
  undelete: say("undelete"),
  restore: say("restore"),
  stage: say("stage"),
  discard: say("discard"),
  schedule: say("schedule"),
  publish: say("publish"),
  "publish failed": say("publish failed"),
  live: say("live"),
  upload: say("upload"),
  start: say("start"),
  end: say("end"),
  put: say("put"),
  link: say("link"),
  join: say("join"),
  set: say("set"),
  purge: say("purge"),
  failed: say("failed"),
  undo: say("undo"),
};

/** As a person reads it; one that this page does not know as the log has it. */
export function labelOf(kind: string): string {
  const { noun, verb } = partsOf(kind);
  const done = verb.replaceAll("_", " ");
  return say("{noun} {verb}", { noun: nounOf(noun), verb: verbs[done] ?? done });
}

export const nounOf = (noun: string): string => nouns[noun] ?? noun;
