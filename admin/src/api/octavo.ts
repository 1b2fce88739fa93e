import {
  type ClientConfig,
  createClient,
  exactJson,
  OctavoProblem,
  type ProblemCode,
} from "../../../client/src/client.ts";

/** Codes that mean that the session has ended. */
const signedOut = new Set<ProblemCode>(["session_invalid", "token_missing", "token_invalid", "access_token_invalid"]);

let csrfToken = "";
let onSignedOut: () => void = () => undefined;

export const octavoConfig = {
  url: "",
  json: exactJson,
  headers: () => ({ "X-CSRF-Token": csrfToken }),
  onProblem: ({ code }: { code: ProblemCode }) => signedOut.has(code) && onSignedOut(),
  // The query cache retries reads itself, and the user repeats a failed write.
  retries: 0,
} satisfies ClientConfig;

/** The client of the service, authenticated by the session cookie. All requests of the page use it. */
export const octavo = createClient(octavoConfig);

export function setCsrfToken(token: string): void {
  csrfToken = token;
}

/** Listens for the end of the session. */
export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener;
}

/** Nothing where the service has no words, or not yet. */
export function unlessSearched(error: unknown): undefined {
  if (error instanceof OctavoProblem && ["search_off", "busy"].includes(error.code)) return undefined;
  throw error;
}
