import type { IncomingHttpHeaders } from "node:http";
import { Type } from "typebox";
import { problem } from "../domain/problem.ts";
import { openFirstSession, type Session, SessionSeal } from "../domain/session.ts";
import { hashSecret, isInForce, type Token, type TokenStore, tokenFields } from "../domain/token.ts";
import type { Credentials, Need } from "./auth.ts";
import { type Answer, data, noContent } from "./reply.ts";
import { type Call, type Route, readArguments } from "./route.ts";

/** Signing in to the admin page, and requests that carry a session's cookie in place of tokens. Contract §8. */

export type SessionOptions = {
  signingKey: string;
  sessionHours: number;
  publicUrl: string | undefined;
  tokens: TokenStore;
};

const cookieName = "octavo_session";
const url = "/admin/session";
/** Any management token opens the page; what it may do there is asked of it at each call. */
const pair: Need = { kinds: ["management"], resource: undefined, isWrite: true };

/** What the requests of a signed-in page carry: read, issued, ended. */
export class Sessions {
  private readonly seal: SessionSeal;
  private readonly lifeSeconds: number;
  private readonly isPublicOverTls: boolean;
  private readonly tokens: TokenStore;

  constructor({ signingKey, sessionHours, publicUrl, tokens }: SessionOptions) {
    this.seal = new SessionSeal(signingKey);
    this.lifeSeconds = sessionHours * 3600;
    this.isPublicOverTls = publicUrl?.startsWith("https:") ?? false;
    this.tokens = tokens;
  }

  /**
   * The pair of tokens of the session whose cookie the request carries; undefined without a cookie, and for what a page
   * of another origin sent. Throws session_invalid, and csrf_invalid for a write without the session's CSRF token.
   */
  credentialsOf(headers: IncomingHttpHeaders, isWrite: boolean, nowSeconds: number): Credentials | undefined {
    const cookie = sessionCookie(headers);
    if (cookie === undefined || !isFromOwnPage(headers)) return undefined;
    const session = this.seal.open(cookie, nowSeconds, this.lifeSeconds);
    if (!session) throw problem("session_invalid");
    if (isWrite) this.refuseForged(cookie, headers);
    return { token: session.token, accessToken: session.accessToken, isInUrl: false, isOfSession: true };
  }

  /** The session of the cookie with its token, while both hold. */
  async find({ headers, nowSeconds }: Call): Promise<{ session: Session; token: Token } | undefined> {
    const cookie = sessionCookie(headers);
    const session = cookie === undefined ? undefined : this.seal.open(cookie, nowSeconds, this.lifeSeconds);
    if (!session) return undefined;
    const token = await this.tokens.findByHash(hashSecret(session.token));
    return token && isInForce(token, nowSeconds) ? { session, token } : undefined;
  }

  /** When a session that begins now ends. */
  endOf(nowSeconds: number): number {
    return nowSeconds + this.lifeSeconds;
  }

  /** Answers the session and sets its cookie. */
  issue(call: Call, session: Session, token: Token): Promise<Answer> {
    const cookie = this.seal.seal(session);
    const headers = this.setCookie(call, cookie, session.expiresAt - call.nowSeconds);
    return this.described(session, token, cookie, headers);
  }

  /** Answers the session of the call's own cookie. */
  show({ headers }: Call, session: Session, token: Token): Promise<Answer> {
    return this.described(session, token, sessionCookie(headers) as string, []);
  }

  /** Takes the cookie away. */
  end(call: Call): string[] {
    return this.setCookie(call, "", 0);
  }

  refuseForged(cookie: string | undefined, headers: IncomingHttpHeaders): void {
    const came = headers["x-csrf-token"];
    if (cookie === undefined || typeof came !== "string" || !this.seal.isCsrfToken(cookie, came)) {
      throw problem("csrf_invalid", { rule: '"X-CSRF-Token" is not the one of this session' });
    }
  }

  private async described(session: Session, token: Token, cookie: string, headers: string[]): Promise<Answer> {
    const accessToken = await this.tokens.findByHash(hashSecret(session.accessToken));
    const shown = {
      expires_at: Math.min(session.expiresAt, token.expiresAt ?? session.expiresAt),
      csrf_token: this.seal.csrfToken(cookie),
      token: tokenFields(token),
      access_token_id: accessToken?.id ?? null,
    };
    return data(JSON.stringify(shown), { cacheControl: "no-store", headers });
  }

  private setCookie(call: Call, value: string, maxAgeSeconds: number): string[] {
    const isSecure = this.isPublicOverTls || call.origin().startsWith("https:");
    const attributes = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;
    return ["Set-Cookie", `${cookieName}=${value}; ${attributes}`];
  }
}

/** True for the code of a sign-in link that is good, which it then is no longer. */
export type RedeemCode = (code: string) => boolean | Promise<boolean>;

/** /admin/session: who is signed in, signing in with tokens or a link, signing out. */
export function sessionRoutes(sessions: Sessions, tokens: TokenStore, redeems: RedeemCode): Route[] {
  const code = Type.String({ description: "The code of a sign-in link." });
  return [
    {
      method: "GET",
      url,
      summary: "Say who is signed in; null for nobody",
      arguments: {},
      problems: [],
      handle: async (call) => {
        const found = isFromOwnPage(call.headers) ? await sessions.find(call) : undefined;
        return found ? sessions.show(call, found.session, found.token) : data("null", { cacheControl: "no-store" });
      },
    },
    {
      method: "POST",
      url,
      summary: "Sign in with a management and an access token; with a session's cookie, prolong it",
      need: pair,
      arguments: {},
      problems: ["csrf_invalid"],
      handle: (call) => {
        refuseForeign(call);
        const { token, accessToken } = call.credentials as Credentials & Session;
        return sessions.issue(
          call,
          { token, accessToken, expiresAt: sessions.endOf(call.nowSeconds) },
          call.token as Token,
        );
      },
    },
    {
      method: "POST",
      url: `${url}/link`,
      summary: "Sign in with the code of a sign-in link, once",
      arguments: { code },
      problems: ["sign_in_link_invalid", "csrf_invalid"],
      handle: async (call) => {
        refuseForeign(call);
        if (!(await redeems(readArguments<{ code: string }>(call, { code }).code)))
          throw problem("sign_in_link_invalid");
        const session = await openFirstSession(tokens, sessions.endOf(call.nowSeconds), call.nowSeconds);
        const token = (await tokens.findByHash(hashSecret(session.token))) as Token;
        return sessions.issue(call, session, token);
      },
    },
    {
      method: "DELETE",
      url,
      summary: "Sign out",
      arguments: {},
      problems: ["csrf_invalid"],
      handle: async (call) => {
        refuseForeign(call);
        // A session that is over is signed out of without more ado.
        if (await sessions.find(call)) sessions.refuseForged(sessionCookie(call.headers), call.headers);
        return { ...noContent, headers: sessions.end(call) };
      },
    },
  ];
}

/** Signing somebody in or out from another site's page is refused. */
function refuseForeign({ headers }: Call): void {
  if (!isFromOwnPage(headers))
    throw problem("csrf_invalid", { rule: "the request comes from a page of another origin" });
}

function sessionCookie({ cookie }: IncomingHttpHeaders): string | undefined {
  const found = cookie?.split("; ").find((part) => part.startsWith(`${cookieName}=`));
  return found?.slice(cookieName.length + 1) || undefined;
}

/**
 * True for what no page of another origin can have sent. SameSite leaves other ports and subdomains of the same site in,
 * Sec-Fetch-Site does not; browsers send it to https and to this machine. Elsewhere Origin is all there is.
 */
function isFromOwnPage(headers: IncomingHttpHeaders): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin" || site === "none";
  const { origin, host } = headers;
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
}
