import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { personActor, personIdOf } from "../core/access/actor.ts";
import { hashSecret, isInForce, type Token, type TokenStore, tokenFields } from "../core/access/token.ts";
import type { Credentials } from "../core/http/auth.ts";
import type { Call } from "../core/http/call.ts";
import { type Answer, data } from "../core/http/reply.ts";
import { writerOf } from "../core/http/route.ts";
import { after, type MaybePromise } from "../core/lib/maybe-promise.ts";
import { isProblem } from "../core/problem.ts";
import { holderOf, type Member, type Person, type PersonStore, personFields } from "./person.ts";
import { problem } from "./problems.ts";
import { roleFields } from "./role.ts";
import { type SealedSession, type Session, SessionSeal, type SessionStore, type TokenPair } from "./session.ts";

export type SessionOptions = {
  signingKey: string;
  sessionHours: number;
  /** The limit of live sessions per management token or person; one more ends the oldest. */
  maxPerToken: number;
  /** How long deleted items are kept, for the page; 0 deletes them for good. */
  trashKeepDays: number;
  /** The largest file that an upload may have, for the page. */
  uploadMaxBytes: number;
  /** Where a site shows a preview, for the page: with `{id}` and `{token}`; empty for nowhere. */
  previewUrl: string;
  /** The address of an entry on a site, with {id}; empty where nobody has said so. */
  siteUrl: string;
  /** Whether agents are answered at /mcp, for the page. */
  hasMcp: boolean;
  /** The locales, for the page: the source first; null where there are none. */
  locales: readonly string[] | null;
  publicUrl: string | undefined;
  sessions: SessionStore;
  tokens: TokenStore;
  people: PersonStore;
};

const cookieName = "octavo_session";

/** Who is signed in: a management token, or a person. */
type Holder = Token | Member;
/** A live session, with its cookie's contents and its holder. */
type OpenSession = { session: Session; sealed: SealedSession; holder: Holder };

/** The cookie of a person has no tokens. */
const noPair: TokenPair = { token: "", accessToken: "" };

/**
 * Sessions of the admin page as requests carry them: a cookie with the id of a row, which keeps the session alive, and for a
 * pair of tokens these, sealed. Decision 23.
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
   * The session whose cookie the request carries, with its pair of tokens if it has one; undefined without a cookie, and for a request
   * from a page of another origin. `admit` checks whether the session is live. Throws session_invalid for a cookie that
   * cannot be opened, and csrf_invalid for a write without the session's CSRF token.
   */
  credentialsOf(headers: IncomingHttpHeaders, isWrite: boolean, nowSeconds: number): Credentials | undefined {
    const cookie = ownCookie(headers);
    if (cookie === undefined) return undefined;
    const sealed = this.seal.open(cookie, nowSeconds, this.lifeSeconds);
    if (!sealed) throw problem("session_invalid");
    if (isWrite) this.refuseForged(headers);
    const { token, accessToken, id } = sealed;
    return { token: token || undefined, accessToken: accessToken || undefined, isInUrl: false, session: id };
  }

  /**
   * Records the use of a live session; answers the rights of its person, as they are now, and nothing for a session of
   * tokens. Throws session_invalid for one that has ended.
   */
  admit(id: string, nowSeconds: number): MaybePromise<Token | undefined> {
    const { sessions, people } = this.options;
    return after(sessions.find(id, nowSeconds), (session) => {
      if (!session) throw problem("session_invalid");
      sessions.see(session, nowSeconds);
      const person = personIdOf(session.actor);
      if (person === undefined) return undefined;
      return after(people.findMember(person), (member) => {
        const holder = member && holderOf(member);
        if (!holder) throw problem("session_invalid");
        return holder;
      });
    });
  }

  /** The live session of the call's cookie; undefined for a request from a page of another origin. */
  async find({ headers, nowSeconds }: Call): Promise<OpenSession | undefined> {
    const { sessions } = this.options;
    const cookie = ownCookie(headers);
    const sealed = cookie === undefined ? undefined : this.seal.open(cookie, nowSeconds, this.lifeSeconds);
    const session = sealed && (await sessions.find(sealed.id, nowSeconds));
    const holder = session && (await this.holderAt(session, sealed, nowSeconds));
    if (!holder) return undefined;
    sessions.see(session, nowSeconds);
    return { session, sealed, holder };
  }

  private async holderAt(session: Session, sealed: TokenPair, nowSeconds: number): Promise<Holder | undefined> {
    const { tokens, people } = this.options;
    const person = personIdOf(session.actor);
    if (person !== undefined) {
      const member = await people.findMember(person);
      return member && holderOf(member) && member;
    }
    const token = await tokens.findByHash(hashSecret(sealed.token));
    return token && isInForce(token, nowSeconds) ? token : undefined;
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
    const { tokens } = this.options;
    const token = await tokens.findByHash(hashSecret(pair.token));
    const accessToken = await tokens.findByHash(hashSecret(pair.accessToken));
    if (!token) throw problem("token_invalid");
    if (!accessToken) throw problem("access_token_invalid");
    return this.begin(call, { actor: token.id, accessTokenId: accessToken.id }, pair, token);
  }

  /**
   * The same for a person, who proved to be the one by the password with this hash, or otherwise (null). Throws
   * sign_in_failed for one who was disabled meanwhile, or has another password.
   */
  async startFor(call: Call, { id, password }: Pick<Person, "id" | "password">): Promise<Answer> {
    const member = await this.options.people.findMember(id);
    if (!member) throw problem("sign_in_failed");
    return this.begin(call, { actor: personActor(id), accessTokenId: "" }, noPair, member, password);
  }

  private async begin(
    call: Call,
    who: Pick<Session, "actor" | "accessTokenId">,
    pair: TokenPair,
    holder: Holder,
    password: string | null = null,
  ): Promise<Answer> {
    const { sessions, maxPerToken } = this.options;
    const { nowSeconds } = call;
    const times = { createdAt: nowSeconds, lastSeenAt: nowSeconds, expiresAt: this.endOf(nowSeconds) };
    const session = await sessions.start({ id: randomUUID(), ...who, ...times }, maxPerToken, password, writerOf(call));
    const replaced = await this.find(call);
    if (replaced) await this.end(call, replaced);
    return this.issue(call, pair, session, holder);
  }

  /**
   * Extends the session to the life of one that starts now, answers with it and sets its new cookie. Throws
   * session_invalid.
   */
  async prolong(call: Call, { session: { id }, sealed, holder }: OpenSession): Promise<Answer> {
    const { nowSeconds } = call;
    const session = await this.options.sessions.prolong(id, this.endOf(nowSeconds), nowSeconds);
    return this.issue(call, sealed, session, holder);
  }

  /** Ends the session: its cookie, and every copy of it, is void. */
  async end(call: Call, { session: { id, actor } }: Pick<OpenSession, "session">): Promise<void> {
    try {
      await this.options.sessions.end(id, { ...writerOf(call), actor });
    } catch (error) {
      // Another request has ended it meanwhile.
      if (!isProblem(error, "session_not_found")) throw error;
    }
  }

  /** Answers with the session of the call's own cookie. */
  show({ headers }: Call, { session, sealed, holder }: OpenSession): Answer {
    const expiresAt = Math.min(session.expiresAt, sealed.expiresAt);
    return this.described({ ...session, expiresAt }, holder, ownCookie(headers) as string, []);
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

  private issue(call: Call, { token, accessToken }: TokenPair, session: Session, holder: Holder): Answer {
    const { id, expiresAt } = session;
    const cookie = this.seal.seal({ token, accessToken, id, expiresAt });
    return this.described(session, holder, cookie, this.setCookie(call, cookie, expiresAt - call.nowSeconds));
  }

  private described(session: Session, holder: Holder, cookie: string, headers: string[]): Answer {
    const shown = {
      id: session.id,
      expires_at: session.expiresAt,
      csrf_token: this.seal.csrfToken(cookie),
      ...("person" in holder
        ? { person: personFields(holder.person), role: roleFields(holder.role), signed_in_at: session.createdAt }
        : { token: tokenFields(holder), access_token_id: session.accessTokenId }),
      trash_keep_days: this.options.trashKeepDays,
      upload_max_bytes: this.options.uploadMaxBytes,
      locales: this.options.locales,
      ...(this.options.previewUrl && { preview_url: this.options.previewUrl }),
      ...(this.options.siteUrl && { site_url: this.options.siteUrl }),
      ...(this.options.hasMcp && { mcp_url: `${this.options.publicUrl ?? ""}/mcp` }),
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
  const value = cookieOf(headers, cookieName);
  return value && isFromOwnPage(headers) ? value : undefined;
}

/**
 * The value of a cookie; undefined without one, and for two: the service sets one, so another site below the same domain
 * has set the other.
 */
export function cookieOf({ cookie }: IncomingHttpHeaders, name: string): string | undefined {
  const found = cookie?.split("; ").filter((part) => part.startsWith(`${name}=`)) ?? [];
  return found.length === 1 ? found[0]?.slice(name.length + 1) : undefined;
}

/**
 * True unless a page of another origin may have sent the request. SameSite allows other ports and subdomains of the
 * same site, Sec-Fetch-Site does not; browsers send it to https and to localhost. Elsewhere only Origin is available.
 */
function isFromOwnPage(headers: IncomingHttpHeaders): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin" || site === "none";
  const { origin, host } = headers;
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
}

/** Refuses to sign in or out on behalf of another site's page. Throws csrf_invalid. */
export function refuseForeign({ headers }: Pick<Call, "headers">): void {
  if (!isFromOwnPage(headers))
    throw problem("csrf_invalid", { rule: "the request comes from a page of another origin" });
}
