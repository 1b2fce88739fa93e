import { OctavoProblem } from "../../../client/src/client.ts";
import { isByName } from "../api/session.ts";
import { say } from "../language/say.ts";

/** What a failure says. The service speaks of the token, which a person does not have. */
export function messageOf(error: unknown): string {
  if (error instanceof OctavoProblem && error.code === "scope_missing" && isByName())
    return say("Your role does not allow this");
  return error instanceof Error ? error.message : String(error);
}
