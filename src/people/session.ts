import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import {
  createToken,
  type TokenKind,
  type TokenResource,
  type TokenStore,
  tokenResources,
} from "../core/access/token.ts";
import { clockSlackSeconds } from "../core/clock.ts";
import type { WriteContext } from "../core/event.ts";
import type { MaybePromise } from "../core/lib/maybe-promise.ts";
import { problem } from "../core/problem.ts";
import { deriveKey, Seal } from "./seal.ts";

/** The secrets of a management and an access token: a write and a session of the admin page require both. Contract §8. */
export type TokenPair = Readonly<{ token: string; accessToken: string }>;

/** The contents of a session's cookie; the tokens are empty for a person. Valid as long as the store has a session with the id. */
export type SealedSession = TokenPair & Readonly<{ id: string; expiresAt: number }>;

/**
 * A session's row: it means that the session is live, and has no data about the person or the device. Times are Unix
 * seconds. Decision 23.
 */
export type Session = Readonly<{
  id: string;
  /** Who signed in: the id of a management token, or `person:<id>`. */
  actor: string;
  /** Empty for a person. */
  accessTokenId: string;
  createdAt: number;
  /** At most a minute behind. */
  lastSeenAt: number;
  expiresAt: number;
}>;

/** What the log keeps of the request that starts a session; the actor and the time are the session's. */
export type SessionRequest = Pick<WriteContext, "origin" | "written">;

/** Where a page of the list of sessions starts: after this session. */
export type SessionCursor = Pick<Session, "id" | "createdAt">;

/**
 * The live sessions. Revoking, rotating or disabling a token ends its sessions in the same transaction, as disabling and
 * deleting a person do, and its expiry limits theirs; `start` and `end` append an event each.
 */
export interface SessionStore {
  /**
   * The live session with this id, or undefined. A session that this process ended is gone at once, one that another
   * process ended within two seconds.
   */
  find(id: string, nowSeconds: number): MaybePromise<Session | undefined>;
  /** Records a use of the session. It is written to the store later, at most once a minute for each session. */
  see(session: Session, nowSeconds: number): void;
  /** The live sessions, only those of `actor` if given, newest first, at most `limit`, starting after `after`. */
  list(nowSeconds: number, limit: number, after?: SessionCursor, actor?: string): Promise<Session[]>;
  /** How many have not expired. */
  count(nowSeconds: number): Promise<number>;
  /**
   * Stores a new session and returns it; it ends with the first of its tokens to expire. Past `maxPerToken` sessions of
   * its management token or person the oldest end. Throws token_invalid, access_token_invalid when a token is no longer in
   * force, sign_in_failed when the person is no longer active, or `password`, the hash of the one that was sent, is no longer
   * the person's: its change has ended the sessions of the one before. `request` is the one that signs in.
   */
  start(session: Session, maxPerToken: number, password?: string | null, request?: SessionRequest): Promise<Session>;
  /** Extends a live session to `expiresAt`, at most to its tokens' expiry, and returns it. Throws session_not_found. */
  prolong(id: string, expiresAt: number, nowSeconds: number): Promise<Session>;
  /** All live sessions of a token or a person, newest first. */
  listOf(actor: string, nowSeconds: number): Promise<Session[]>;
  /** Ends a live session, only one of `of` if given. Throws session_not_found, also for the slower of two racing calls. */
  end(id: string, context: WriteContext & { of?: string | undefined }): Promise<void>;
  /** Removes expired sessions; returns how many. */
  prune(nowSeconds: number): Promise<number>;
}

/**
 * Encrypts the contents of a session's cookie: sealed with a key derived from the store's, so that every node of a
 * store opens what another sealed, and no secret is stored.
 */
export class SessionSeal {
  private readonly cookies: Seal;
  private readonly csrfKey: Buffer;

  constructor(signingKey: string) {
    this.cookies = new Seal(signingKey, "octavo session");
    this.csrfKey = deriveKey(signingKey, "octavo session csrf");
  }

  seal({ id, token, accessToken, expiresAt }: SealedSession): string {
    return this.cookies.seal(JSON.stringify([id, token, accessToken, expiresAt]));
  }

  /**
   * The session, or undefined when it was not sealed with this key or has expired. It also counts as expired when it
   * would last longer than one that starts now: it started by a clock that was ahead, or with another setting.
   */
  open(sealed: string, nowSeconds: number, lifeSeconds: number): SealedSession | undefined {
    const text = this.cookies.open(sealed);
    if (text === undefined) return undefined;
    // A cookie from before sessions had rows has three parts, so no expiry here: it is invalid.
    const [id, token, accessToken, expiresAt] = JSON.parse(text) as [string, string, string, number?];
    const leftSeconds = (expiresAt ?? 0) - nowSeconds;
    if (expiresAt === undefined || leftSeconds <= 0 || leftSeconds > lifeSeconds + clockSlackSeconds) return undefined;
    return { id, token, accessToken, expiresAt };
  }

  /**
   * The token that a page must send to write with a session: another site's page can make the browser send the cookie,
   * but cannot read this.
   */
  csrfToken(sealed: string): string {
    return createHmac("sha256", this.csrfKey).update(sealed).digest("base64url");
  }

  isCsrfToken(sealed: string, received: string): boolean {
    const [expected, given] = [Buffer.from(this.csrfToken(sealed)), Buffer.from(received)];
    return expected.length === given.length && timingSafeEqual(expected, given);
  }
}

/**
 * A pair of tokens for a sign-in link: they have all rights and expire with the session. They are listed like any other
 * tokens, and can be revoked in the list.
 */
export async function createFirstPair(
  tokens: TokenStore,
  expiresAt: number,
  context: Omit<WriteContext, "actor">,
): Promise<TokenPair> {
  const create = async (kind: TokenKind, resources: TokenResource[]): Promise<string> => {
    const input = { kind, resources, label: "first sign-in", environment: "", limitCalls: 0, expiresAt };
    return (await createToken(tokens, input, { ...context, id: randomUUID(), actor: "octavo" })).secret;
  };
  return { token: await create("management", [...tokenResources]), accessToken: await create("access", []) };
}

/** A session's row under the wire's names. */
export function sessionFields({ id, actor, createdAt, lastSeenAt, expiresAt }: Session) {
  return { id, actor, created_at: createdAt, last_seen_at: lastSeenAt, expires_at: expiresAt };
}

/** The cursor of a page of the list that starts after this session. Not a secret. */
export const formatSessionCursor = ({ createdAt, id }: SessionCursor): string =>
  Buffer.from(`${createdAt} ${id}`).toString("base64url");

/** The inverse. Throws cursor_invalid. */
export function parseSessionCursor(cursor: string): SessionCursor {
  const [, createdAt, id] = /^(\d{1,15}) ([0-9a-f-]{36})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (createdAt === undefined || id === undefined) throw problem("cursor_invalid");
  return { createdAt: Number(createdAt), id };
}
