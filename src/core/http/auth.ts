import type { IncomingHttpHeaders } from "node:http";
import { type Access, accessOf, mayWrite, missingWrites, refuseAllLocales } from "../access/access.ts";
import { personIdOf } from "../access/actor.ts";
import {
  type CountedToken,
  canHave,
  formatScopes,
  hashSecret,
  hasPaths,
  hasScope,
  isAccessToken,
  isInForce,
  isSpent,
  type Token,
  type TokenKind,
  type TokenResource,
  type TokenStore,
} from "../access/token.ts";
import type { Json, JsonObject } from "../lib/json.ts";
import type { MaybePromise } from "../lib/maybe-promise.ts";
import { Problem, problem } from "../problem.ts";

/**
 * What a route requires: a token of one of the kinds with one of the resources, if it names any; on writes also an access
 * token, and that both may make such writes. Contract §2; part two, §11.
 */
export type Need = {
  kinds: readonly TokenKind[];
  resources: readonly TokenResource[];
  /** `staged`: tokens whose writes are staged may make this write. */
  writes: Access["writes"];
  /** The route itself refuses what a caller of some locales may not write: of all others every write is refused to him. */
  isLocal?: true;
  /** Not the call is counted, but what it has: the operations of a batch by the route, an agent's tool by itself. */
  countsOperations?: true;
  /** A person's session and nothing else: the call is about the person. */
  isOwn?: "read" | "write";
  /** What it answers without a token; whoever sent none gets it. */
  open?: string | undefined;
};

/** True for a route that writes. */
export const isWrite = (need: Need | undefined): boolean => need !== undefined && need.writes !== "none";

/** True for a route that another site's page must not call with a session. */
export const isForgeable = (need: Need | undefined): boolean => isWrite(need) || need?.isOwn === "write";

const kinds: TokenKind[] = ["management"];
const readers: TokenKind[] = ["delivery", "preview", "management"];
export const reads = (...resources: TokenResource[]): Need => ({
  kinds: readers.filter((kind) => resources.some((resource) => canHave(kind, resource))),
  resources,
  writes: "none",
});
/** What delivery tokens read, and management tokens as they do. */
export const delivers = (resource: TokenResource): Need => ({
  kinds: ["delivery", "management"],
  resources: [resource],
  writes: "none",
});
export const manages = (...resources: TokenResource[]): Need => ({ kinds, resources, writes: "none" });
export const writes = (...resources: TokenResource[]): Need => ({ kinds, resources, writes: "all" });
/** A call of a person about himself, whatever the role. */
export const own = (isOwn: "read" | "write"): Need => ({ kinds, resources: [], writes: "none", isOwn });
/** The same, for callers of some locales, too. */
export const local = (need: Need): Need => ({ ...need, isLocal: true });
/** A write that changes nothing that is live. */
export const stages = (...resources: TokenResource[]): Need => ({ kinds, resources, writes: "staged" });

/**
 * The tokens' secrets as sent, whether the first was in the URL, and the session's id when they are from its cookie; that of
 * a person has none.
 */
export type Credentials = {
  token: string | undefined;
  accessToken: string | undefined;
  isInUrl: boolean;
  session?: string;
  /** The tokens are not the secrets, but their hashes. */
  areHashes?: true;
};

/** The authenticated caller: its tokens and the access they give. */
export type Authenticated = Readonly<{
  /** The family token, or a person's rights in the form of one; undefined on open routes. */
  token: Token | undefined;
  access: Access;
  /** The tokens on which calls are counted. */
  counted: readonly CountedToken[];
  /** The tokens' secrets; undefined on open routes. */
  credentials: Credentials | undefined;
}>;

/** Counts a request of a token, also of one that may not make it. Throws too_many_requests. */
export type Limit = (token: Token) => void;

/** The caller of a route that is open to everybody. */
export const openTo = (nowSeconds: number): Authenticated => ({
  token: undefined,
  access: accessOf(undefined, nowSeconds),
  counted: [],
  credentials: undefined,
});

/** Finds the tokens in the arguments and headers. Throws token_ambiguous, argument_invalid (not a text). */
export function readCredentials(query: JsonObject, body: JsonObject, headers: IncomingHttpHeaders): Credentials {
  const inUrl = textOf("token", query.get("token"));
  return {
    token: theOne("token", [
      inUrl,
      textOf("token", body.get("token")),
      inHeader("token", headers.authorization, bearer),
    ]),
    accessToken: theOne("access_token", [
      textOf("access_token", query.get("access_token")),
      textOf("access_token", body.get("access_token")),
      inHeader("access_token", textOf("X-Access-Token", headers["x-access-token"]), (line) => line || undefined),
    ]),
    isInUrl: inUrl !== undefined,
  };
}

const nothing: JsonObject = new Map();

/**
 * Finds the tokens in the headers alone: `Bearer <token>` with or without `X-Access-Token`, or `Bearer <token>.<access>`.
 * A token with a dot of its own is told from a pair by the access token beside it. Throws token_ambiguous.
 */
export function readBearer(headers: IncomingHttpHeaders): Credentials {
  const sent = readCredentials(nothing, nothing, headers);
  const [token, accessToken, ...more] = sent.accessToken === undefined ? (sent.token ?? "").split(".") : [];
  return token && accessToken && more.length === 0 ? { ...sent, token, accessToken } : sent;
}

function textOf(argument: string, value: Json | string[] | undefined): string | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string") return value;
  throw problem("argument_invalid", { argument, received: "not a text", accepted: "a text" });
}

/**
 * The token in a header. Node joins repeated headers with commas; all of them must hold the same one. Throws
 * token_ambiguous.
 */
function inHeader(argument: string, header: string | undefined, read: (line: string) => string | undefined) {
  if (header === undefined) return undefined;
  return header.includes(", ") ? theOne(argument, header.split(", ").map(read)) : read(header);
}

const bearer = (line: string): string | undefined => /^Bearer +([^\s]+) *$/i.exec(line)?.[1];

function theOne(argument: string, found: (string | undefined)[]): string | undefined {
  let one: string | undefined;
  for (const text of found) {
    if (text === undefined || text === one) continue;
    if (one !== undefined) throw problem("token_ambiguous", { argument });
    one = text;
  }
  return one;
}

/**
 * Authenticates and authorises a call, or refuses it: token_missing, token_invalid, what `limit` throws, scope_missing,
 * call_limit_reached, access_token_missing, access_token_invalid, in this order. Counts an accepted call on its tokens.
 * Answers synchronously when the store does.
 */
export function authenticate(
  tokens: TokenStore,
  need: Need,
  credentials: Credentials,
  nowSeconds: number,
  limit?: Limit,
): MaybePromise<Authenticated> {
  if (credentials.token === undefined) throw problem("token_missing", { open: need.open });
  const found = tokens.findByHash(hashOf(credentials, credentials.token));
  if (found instanceof Promise || isWrite(need)) return admitLater(tokens, need, credentials, found, nowSeconds, limit);
  const token = checkToken(found, need, nowSeconds, limit);
  const counted: CountedToken[] = [{ argument: "token", token }];
  const sender = { token, access: accessOf(token, nowSeconds), counted, credentials };
  const counting = need.countsOperations ? undefined : tokens.countCall(counted, nowSeconds);
  return counting instanceof Promise ? counting.then(() => sender) : sender;
}

/** Authorises a call of a person: needs no access token, and counts no calls. Throws scope_missing. */
export function admitPerson(
  holder: Token,
  need: Need,
  credentials: Credentials,
  nowSeconds: number,
  limit?: Limit,
): Authenticated {
  const token = checkToken(holder, need, nowSeconds, limit);
  const access = accessOf(token, nowSeconds);
  if (isWrite(need)) refusePathless(access, need);
  return { token, access, counted: [], credentials };
}

/** The sessions of the admin page, whose browsers send a cookie in place of tokens. */
export type BrowserSessions = {
  /**
   * What the cookie stands for; undefined without one. Throws session_invalid for a cookie that cannot be opened, and
   * csrf_invalid for a write without the session's CSRF token.
   */
  credentialsOf(headers: IncomingHttpHeaders, isWrite: boolean, nowSeconds: number): Credentials | undefined;
  /**
   * Records a use of the session; returns the rights of its person, undefined for a session of tokens. Throws session_invalid
   * for one that has ended.
   */
  admit(id: string, nowSeconds: number): MaybePromise<Token | undefined>;
};

/**
 * Whether a read that goes on is still admitted: by its tokens, or by its session. Counts no call, and needs none to be left.
 */
export async function isStillAdmitted(
  tokens: TokenStore,
  sessions: BrowserSessions,
  { need }: { need?: Need | undefined },
  { credentials, token: admitted }: Pick<Authenticated, "credentials" | "token">,
): Promise<boolean> {
  if (!need || !credentials) return true;
  const nowSeconds = Math.floor(Date.now() / 1000);
  const { session, token: secret = "" } = credentials;
  try {
    const person = session === undefined ? undefined : await sessions.admit(session, nowSeconds);
    const token = person ?? (await tokens.findByHash(hashSecret(secret)));
    if (!token || !isInForce(token, nowSeconds) || !hasScope(token, need.kinds, need.resources)) return false;
    // What else it may see begins with another request.
    return JSON.stringify(token.paths) === JSON.stringify(admitted?.paths);
  } catch (error) {
    if (error instanceof Problem && error.kind === "unauthenticated") return false;
    throw error;
  }
}

async function admitLater(
  tokens: TokenStore,
  need: Need,
  credentials: Credentials,
  found: ReturnType<TokenStore["findByHash"]>,
  nowSeconds: number,
  limit: Limit | undefined,
): Promise<Authenticated> {
  const token = checkToken(await found, need, nowSeconds, limit);
  const counted: CountedToken[] = [{ argument: "token", token }];
  let accessToken: Token | undefined;
  if (isWrite(need)) {
    accessToken = await findAccessToken(tokens, credentials, nowSeconds);
    counted.push({ argument: "access_token", token: accessToken });
  }
  const access = accessOf(token, nowSeconds, accessToken);
  if (accessToken) refusePathless(access, need);
  if (!need.countsOperations) await tokens.countCall(counted, nowSeconds);
  return { token, access, counted, credentials };
}

/** Refuses a caller who may not call another route, too. Throws scope_missing. */
export function refuseScope({ token, access }: Pick<Authenticated, "token" | "access">, need: Need): void {
  refuseOutside(token, need);
  refuseWrites(access, need);
  refusePathless(access, need);
}

/** Throws scope_missing for a write that the access may not make. */
function refuseWrites(access: Access, need: Need): void {
  if (!isWrite(need)) return;
  if (!mayWrite(access, need.writes)) throw missingWrites();
  if (!need.isLocal) refuseAllLocales(access);
}

const hashOf = ({ areHashes }: Credentials, secret: string): string => (areHashes ? secret : hashSecret(secret));

async function findAccessToken(tokens: TokenStore, credentials: Credentials, nowSeconds: number): Promise<Token> {
  const { accessToken } = credentials;
  if (accessToken === undefined) throw problem("access_token_missing");
  const found = await tokens.findByHash(hashOf(credentials, accessToken));
  if (!found || !isAccessToken(found) || !isInForce(found, nowSeconds)) throw problem("access_token_invalid");
  if (isSpent(found)) throw problem("call_limit_reached", { argument: "access_token" });
  return found;
}

/** Writes of what has no path are below no path of the access token. Throws scope_missing. */
function refusePathless({ paths }: Access, { kinds, resources }: Need): void {
  if (paths !== null && resources.length > 0 && !resources.some(hasPaths)) {
    throw problem("scope_missing", { needed: `${formatScopes(kinds, resources)} and an access token without paths` });
  }
}

/** Throws scope_missing for a token of another kind, or without the resources. */
function refuseOutside(token: Token | undefined, { kinds, resources }: Need): void {
  if (!token || !hasScope(token, kinds, resources))
    throw problem("scope_missing", { needed: formatScopes(kinds, resources) });
}

function checkToken(token: Token | undefined, need: Need, nowSeconds: number, limit: Limit | undefined): Token {
  if (!token || !isInForce(token, nowSeconds)) throw problem("token_invalid");
  limit?.(token);
  if (need.isOwn && personIdOf(token.id) === undefined)
    throw problem("scope_missing", { needed: "a person's session" });
  refuseOutside(token, need);
  refuseWrites(accessOf(token, nowSeconds), need);
  // What counts by itself refuses by itself.
  if (!need.countsOperations && isSpent(token)) throw problem("call_limit_reached", { argument: "token" });
  return token;
}
