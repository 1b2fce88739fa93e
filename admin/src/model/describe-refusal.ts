import { OctavoProblem } from "../../../client/src/client.ts";
import { messageOf } from "../model/message.ts";

/** Why it was not saved, for who only prepares. */
export function refusalOf(error: unknown): string {
  const code = error instanceof OctavoProblem ? error.code : undefined;
  if (code === "scope_missing") return "Somebody else uploaded it, or has replaced it: ask an editor.";
  if (code === "in_use") return "It is on the site already: ask an editor.";
  return messageOf(error);
}
