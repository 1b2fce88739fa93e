import type { IncomingHttpHeaders } from "node:http";
import type { JsonObject } from "../lib/json.ts";
import type { MaybePromise } from "../lib/maybe-promise.ts";
import type { Problem } from "../problem.ts";
import {
  type Authenticated,
  type BrowserSessions,
  type Credentials,
  isForgeable,
  type Limit,
  type Need,
  openTo,
  readCredentials,
} from "./auth.ts";
import type { RequestHead } from "./call.ts";
import { formatProblem, type ProblemBody } from "./problem.ts";

/**
 * Where calls come in: who sends a call, how it is refused, and which headers all replies have, refusals included. A route
 * names its door.
 */
export type Door = Readonly<{
  /** Refuses a call by its headers, before its body is read and its sender is known. */
  refuseHead(headers: IncomingHttpHeaders): void;
  /**
   * The sender, where the address or the arguments `sent` say who that is, or that nobody needs to be known; undefined where
   * tokens say it. Throws what says that an address is good no more.
   */
  senderOf(
    head: RequestHead,
    need: Need | undefined,
    sent: JsonObject,
    limit: Limit | undefined,
  ): MaybePromise<Authenticated> | undefined;
  /** The tokens of a call, or those of its session. Throws token_ambiguous, argument_invalid, session_invalid, csrf_invalid. */
  credentialsOf(head: RequestHead, need: Need | undefined, sent: JsonObject, sessions: BrowserSessions): Credentials;
  /** True when the fields of a form that follow cannot change who sends it. */
  isKnownBy(credentials: Credentials): boolean;
  /** What a route requires of a session of the admin page, where it differs from the route's `need`. */
  sessionNeed?: Need;
  /** What it requires of a person's session, where it differs. */
  personNeed?: Need;
  /** An address may be signed, and then needs no token. */
  takesSignatures?: true;
  /** The body of a refusal. */
  formatProblem(failure: Problem, requestId: string): ProblemBody;
  /** Headers of all replies, alternating names and values. */
  headers: readonly string[];
  /** Those of the answer to OPTIONS at the route's address. */
  optionsHeaders: readonly string[];
}>;

/** That of most routes: tokens in arguments or headers, or the session of the admin page; problems of RFC 9457. */
export const restDoor: Door = {
  refuseHead: () => undefined,
  senderOf: ({ nowSeconds }, need) => (need ? undefined : openTo(nowSeconds)),
  credentialsOf: ({ query, headers, nowSeconds }, need, sent, sessions) => {
    const credentials = readCredentials(query, sent, headers);
    if (credentials.token !== undefined || credentials.accessToken !== undefined || headers.cookie === undefined)
      return credentials;
    return sessions.credentialsOf(headers, isForgeable(need), nowSeconds) ?? credentials;
  },
  isKnownBy: ({ token, accessToken, session }) =>
    session !== undefined || (token !== undefined && accessToken !== undefined),
  formatProblem,
  headers: [],
  optionsHeaders: [],
};

/** As that of most routes, but for these parts. */
export const doorWith = (own: Partial<Door>): Door => ({ ...restDoor, ...own });

/** Open where `isSigned` says that the address is signed. It throws signature_invalid. */
export const signedDoor = (isSigned: (head: RequestHead) => boolean, sessionNeed?: Need): Door =>
  doorWith({
    takesSignatures: true,
    senderOf: (head, need) => (!need || isSigned(head) ? openTo(head.nowSeconds) : undefined),
    sessionNeed,
  });
