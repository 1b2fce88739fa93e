import { OctavoProblem } from "../../../client/src/client.ts";
import { say } from "../language/say.ts";
import { messageOf } from "../model/message.ts";

/** Why it was not saved, for who only prepares. */
export function refusalOf(error: unknown): string {
  const code = error instanceof OctavoProblem ? error.code : undefined;
  if (code === "scope_missing") return say("Somebody else uploaded it, or has replaced it: ask an editor.");
  if (code === "in_use") return say("It is on the site already: ask an editor.");
  return messageOf(error);
}
