import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import {
  type SealedSession,
  type Session,
  SessionSeal,
  type SessionStore,
  type TokenPair,
} from "../domain/access/session.ts";
import { hashSecret, isInForce, type Token, type TokenStore, tokenFields } from "../domain/access/token.ts";
import { isProblem, problem } from "../domain/problem.ts";
import { after, type MaybePromise } from "../lib/maybe-promise.ts";
import type { Credentials } from "./exchange/auth.ts";
import type { Call } from "./exchange/call.ts";
import { type Answer, data } from "./exchange/reply.ts";

export type SessionOptions = {
  signingKey: string;
  sessionHours: number;
  /** The limit of live sessions per management token; one more ends the oldest. */
  maxPerToken: number;
  /** How long deleted items are kept, for the page; 0 deletes them for good. */
  trashKeepDays: number;
  /** Where a site shows a preview, for the page: with `{id}` and `{token}`; empty for nowhere. */
  previewUrl: string;
  publicUrl: string | undefined;
  sessions: SessionStore;
  tokens: TokenStore;
};

const cookieName = "octavo_session";

/** A live session, with its cookie's contents and its management token. */
type OpenSession = { session: Session; sealed: SealedSession; token: Token };

/**
 * Sessions of the admin page as requests carry them: a cookie with the sealed pair of tokens and the id of a row, which
 * keeps the session alive. Decision 23.
 */
export class Sessions {
  private readonly options: SessionOptions;
  private readonly seal: SessionSeal;
  private readonly lifeSeconds: number;
  private readonly isPublicOverTls: boolean;

  constructor(options: SessionOptions) {
    this.options = options;
    this.seal = new SessionSeal(options.signingKey);
    this.lifeSeconds = options.sessionHours * 3600;
    this.isPublicOverTls = options.publicUrl?.startsWith("https:") ?? false;
  }

  /**
   * The pair of tokens of the session whose cookie the request carries; undefined without a cookie, and for a request
   * from a page of another origin. `admit` checks whether the session is live. Throws session_invalid for a cookie that
   * cannot be opened, and csrf_invalid for a write without the session's CSRF token.
   */
  credentialsOf(headers: IncomingHttpHeaders, isWrite: boolean, nowSeconds: number): Credentials | undefined {
    const cookie = ownCookie(headers);
    if (cookie === undefined) return undefined;
    const sealed = this.seal.open(cookie, nowSeconds, this.lifeSeconds);
    if (!sealed) throw problem("session_invalid");
    if (isWrite) this.refuseForged(headers);
    return { token: sealed.token, accessToken: sealed.accessToken, isInUrl: false, session: sealed.id };
  }

  /** Records the use of a live session. Throws session_invalid for one that has ended. */
  admit(id: string, nowSeconds: number): MaybePromise<void> {
    const { sessions } = this.options;
    return after(sessions.find(id, nowSeconds), (session) => {
      if (!session) throw problem("session_invalid");
      sessions.see(session, nowSeconds);
    });
  }

  /** The live session of the call's cookie; undefined for a request from a page of another origin. */
  async find({ headers, nowSeconds }: Call): Promise<OpenSession | undefined> {
    const { sessions, tokens } = this.options;
    const cookie = ownCookie(headers);
    const sealed = cookie === undefined ? undefined : this.seal.open(cookie, nowSeconds, this.lifeSeconds);
    const session = sealed && (await sessions.find(sealed.id, nowSeconds));
    const token = sealed && (await tokens.findByHash(hashSecret(sealed.token)));
    if (!sealed || !session || !token || !isInForce(token, nowSeconds)) return undefined;
    sessions.see(session, nowSeconds);
    return { session, sealed, token };
  }

  /** The expiry of a session that starts now. */
  endOf(nowSeconds: number): number {
    return nowSeconds + this.lifeSeconds;
  }

  /**
   * Starts a session with the tokens, answers with it and sets its cookie. Ends the session whose cookie this replaces.
   * Throws token_invalid, access_token_invalid for a token that was revoked meanwhile.
   */
  async start(call: Call, pair: TokenPair): Promise<Answer> {
    const { sessions, tokens, maxPerToken } = this.options;
    const { nowSeconds } = call;
    const token = await tokens.findByHash(hashSecret(pair.token));
    const accessToken = await tokens.findByHash(hashSecret(pair.accessToken));
    if (!token) throw problem("token_invalid");
    if (!accessToken) throw problem("access_token_invalid");
    const times = { createdAt: nowSeconds, lastSeenAt: nowSeconds, expiresAt: this.endOf(nowSeconds) };
    const row = { id: randomUUID(), actor: token.id, accessTokenId: accessToken.id, ...times };
    const session = await sessions.start(row, maxPerToken);
    const replaced = await this.find(call);
    if (replaced) await this.end(replaced, nowSeconds);
    return this.issue(call, pair, session, token);
  }

  /**
   * Extends the session to the life of one that starts now, answers with it and sets its new cookie. Throws
   * session_invalid.
   */
  async prolong(call: Call, id: string, pair: TokenPair, token: Token): Promise<Answer> {
    const { nowSeconds } = call;
    const session = await this.options.sessions.prolong(id, this.endOf(nowSeconds), nowSeconds);
    return this.issue(call, pair, session, token);
  }

  /** Ends the session: its cookie, and every copy of it, is void. */
  async end({ session, token }: OpenSession, nowSeconds: number): Promise<void> {
    try {
      await this.options.sessions.end(session.id, { actor: token.id, nowSeconds });
    } catch (error) {
      // Another request has ended it meanwhile.
      if (!isProblem(error, "session_not_found")) throw error;
    }
  }

  /** Answers with the session of the call's own cookie. */
  show({ headers }: Call, { session, sealed, token }: OpenSession): Answer {
    const expiresAt = Math.min(session.expiresAt, sealed.expiresAt);
    return this.described({ ...session, expiresAt }, token, ownCookie(headers) as string, []);
  }

  /** The header that deletes the cookie. */
  noCookie(call: Call): string[] {
    return this.setCookie(call, "", 0);
  }

  /** Throws csrf_invalid. */
  refuseForged(headers: IncomingHttpHeaders): void {
    const [cookie, token] = [ownCookie(headers), headers["x-csrf-token"]];
    if (cookie === undefined || typeof token !== "string" || !this.seal.isCsrfToken(cookie, token)) {
      throw problem("csrf_invalid", { rule: '"X-CSRF-Token" is not the one of this session' });
    }
  }

  private issue(call: Call, pair: TokenPair, session: Session, token: Token): Answer {
    const { id, expiresAt } = session;
    const cookie = this.seal.seal({ ...pair, id, expiresAt });
    return this.described(session, token, cookie, this.setCookie(call, cookie, expiresAt - call.nowSeconds));
  }

  private described(session: Session, token: Token, cookie: string, headers: string[]): Answer {
    const shown = {
      id: session.id,
      expires_at: session.expiresAt,
      csrf_token: this.seal.csrfToken(cookie),
      token: tokenFields(token),
      access_token_id: session.accessTokenId,
      trash_keep_days: this.options.trashKeepDays,
      ...(this.options.previewUrl && { preview_url: this.options.previewUrl }),
    };
    return data(JSON.stringify(shown), { cacheControl: "no-store", headers });
  }

  private setCookie(call: Call, value: string, maxAgeSeconds: number): string[] {
    const isSecure = this.isPublicOverTls || call.origin().startsWith("https:");
    const attributes = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;
    return ["Set-Cookie", `${cookieName}=${value}; ${attributes}`];
  }
}

/** The session's cookie, unless a page of another origin sent the request. */
function ownCookie(headers: IncomingHttpHeaders): string | undefined {
  const found = headers.cookie?.split("; ").find((part) => part.startsWith(`${cookieName}=`));
  const value = found?.slice(cookieName.length + 1);
  return value && isFromOwnPage(headers) ? value : undefined;
}

/**
 * True unless a page of another origin may have sent the request. SameSite allows other ports and subdomains of the
 * same site, Sec-Fetch-Site does not; browsers send it to https and to localhost. Elsewhere only Origin is available.
 */
export function isFromOwnPage(headers: IncomingHttpHeaders): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin" || site === "none";
  const { origin, host } = headers;
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
}
