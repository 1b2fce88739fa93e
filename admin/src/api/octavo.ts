import { createClient, exactJson, type ProblemCode } from "../../../client/src/client.ts";

/** Codes that mean that the session is over. */
const signedOut = new Set<ProblemCode>(["session_invalid", "token_missing", "token_invalid", "access_token_invalid"]);

let csrfToken = "";
let onSignedOut: () => void = () => undefined;

/** The service, with the session's cookie: the one way this page speaks to it. */
export const octavo = createClient({
  url: "",
  json: exactJson,
  headers: () => ({ "X-CSRF-Token": csrfToken }),
  onProblem: ({ code }) => signedOut.has(code) && onSignedOut(),
  // The cache of queries repeats reads itself, and a write is repeated by who made it.
  retries: 0,
});

export function setCsrfToken(token: string): void {
  csrfToken = token;
}

/** Listens for the end of the session. */
export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener;
}
