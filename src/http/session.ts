import {
  createFirstPair,
  formatSessionCursor,
  parseSessionCursor,
  type SessionStore,
  sessionFields,
  type TokenPair,
} from "../domain/access/session.ts";
import type { Token, TokenStore } from "../domain/access/token.ts";
import { problem } from "../domain/problem.ts";
import { Type } from "../lib/json-schema.ts";
import { type Credentials, manages, type Need, writes } from "./exchange/auth.ts";
import type { Call } from "./exchange/call.ts";
import { type Answer, data, noContent } from "./exchange/reply.ts";
import { type Route, route, writerOf } from "./exchange/route.ts";
import { listArguments, listPage } from "./list.ts";
import { sessionObject } from "./schema.ts";
import { isFromOwnPage, type Sessions } from "./session-cookie.ts";

const url = "/admin/session";
/** Any management token can sign in; each call checks its resources. */
const pair: Need = { kinds: ["management"], resources: [], writes: "staged" };

/** Redeems the one-time code of a sign-in link; true when it was valid. */
export type RedeemCode = (code: string) => boolean | Promise<boolean>;

/** /admin/session: the current session, signing in with tokens or a link, signing out. Contract §8. */
export function signInRoutes(sessions: Sessions, tokens: TokenStore, redeems: RedeemCode): Route[] {
  const code = Type.String({ description: "The code of a sign-in link." });
  return [
    route({
      ignoresUnknown: true,
      method: "GET",
      url,
      summary: "Read the current session; null when nobody is signed in",
      arguments: {},
      problems: [],
      handle: async (call) => {
        const found = await sessions.find(call);
        return found ? sessions.show(call, found) : data("null", { cacheControl: "no-store" });
      },
    }),
    route({
      ignoresUnknown: true,
      method: "POST",
      url,
      summary: "Sign in with a management and an access token; with a session cookie, extend the session",
      need: pair,
      answersSecret: true,
      arguments: {},
      problems: ["csrf_invalid"],
      handle: (call) => {
        refuseForeign(call);
        const { session, token, accessToken } = call.credentials as Credentials & TokenPair;
        const sent = { token, accessToken };
        return session === undefined
          ? sessions.start(call, sent)
          : sessions.prolong(call, session, sent, call.token as Token);
      },
    }),
    route({
      ignoresUnknown: true,
      method: "POST",
      url: `${url}/link`,
      summary: "Sign in with the one-time code of a sign-in link",
      answersSecret: true,
      arguments: { code },
      problems: ["sign_in_link_invalid", "csrf_invalid"],
      handle: async (call, { code }) => {
        refuseForeign(call);
        if (!(await redeems(code))) throw problem("sign_in_link_invalid");
        return sessions.start(call, await createFirstPair(tokens, sessions.endOf(call.nowSeconds), call.nowSeconds));
      },
    }),
    route({
      ignoresUnknown: true,
      method: "DELETE",
      url,
      summary: "Sign out",
      arguments: {},
      problems: ["csrf_invalid"],
      handle: async (call) => {
        refuseForeign(call);
        const found = await sessions.find(call);
        // Signing out of a session that has ended requires nothing.
        if (found) {
          sessions.refuseForged(call.headers);
          await sessions.end(found, call.nowSeconds);
        }
        return { ...noContent, headers: sessions.noCookie(call) };
      },
    }),
  ];
}

/** Refuses to sign in or out on behalf of another site's page. */
function refuseForeign({ headers }: Call): void {
  if (!isFromOwnPage(headers))
    throw problem("csrf_invalid", { rule: "the request comes from a page of another origin" });
}

// ---------------------------------------------------------------------------------------------- the list

const endArguments = { id: Type.String({ description: "The session's id." }) };

/** /api/sessions: lists the live sessions of the admin page, and ends one. Decision 23. */
export function sessionRoutes(store: SessionStore): Route[] {
  return [
    route({
      ignoresUnknown: true,
      method: "GET",
      url: "/api/sessions",
      summary: "List the live sessions of the admin page",
      need: manages("admin"),
      arguments: listArguments(parseSessionCursor),
      reply: Type.Array(sessionObject, { description: "Live sessions, newest first." }),
      problems: ["argument_invalid", "cursor_invalid"],
      handle: (call, args) =>
        listPage(call, args, {
          read: (limit, after) => store.list(call.nowSeconds, limit, after),
          fields: sessionFields,
          cursorOf: formatSessionCursor,
        }),
    }),
    route({
      ignoresUnknown: true,
      method: "DELETE",
      url: "/api/sessions",
      summary: "End a session of the admin page",
      need: writes("admin"),
      arguments: endArguments,
      problems: ["session_not_found"],
      handle: (call, { id }) => end(store, call, id),
    }),
  ];
}

async function end(store: SessionStore, call: Call, id: string): Promise<Answer> {
  await store.end(id, writerOf(call));
  return noContent;
}
