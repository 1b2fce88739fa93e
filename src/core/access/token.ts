import { hash, randomBytes } from "node:crypto";
import { clockSlackSeconds } from "../clock.ts";
import type { WriteContext } from "../event.ts";
import { isAtMost } from "../lib/json-schema.ts";
import { isWithin, type Path, parsePathBelowRoot, rootPath } from "../path.ts";
import { problem } from "../problem.ts";

export const tokenKinds = ["delivery", "management", "preview", "images", "access"] as const;
export type TokenKind = (typeof tokenKinds)[number];
export const tokenResources = ["entries", "registry", "files", "folders", "admin"] as const;
export type TokenResource = (typeof tokenResources)[number];
export const tokenStates = ["enabled", "disabled"] as const;
export type TokenState = (typeof tokenStates)[number];
/** `staged`: its writes never change what is live. Contract, part two, §11. */
export const tokenWrites = ["all", "staged"] as const;
export type TokenWrites = (typeof tokenWrites)[number];

/** A token's row; it does not contain the secret. Times are Unix seconds. Contract §2. */
export type Token = Readonly<{
  id: string;
  kind: TokenKind;
  /** Empty for images and access tokens. */
  resources: readonly TokenResource[];
  /** The token is valid at and below these paths only; null for all. Contract, part two, §11. */
  paths: readonly Path[] | null;
  /** `none`: of a role alone. */
  writes: TokenWrites | "none";
  /** Its writes change these locales alone, by their names on the wire, which there may be no more; absent or null for all. */
  locales?: readonly string[] | null | undefined;
  label: string;
  environment: string;
  state: TokenState;
  /** The limit of calls in total; 0 means no limit. */
  limitCalls: number;
  calls: number;
  expiresAt: number | null;
  createdAt: number;
  lastUsedAt: number | null;
  /** The token or person that made this preview, as the log names it; null for other kinds and for those that the command line made. */
  maker: string | null;
  /** Of a preview with a maker: where that one holds now, null for everywhere. */
  makerPaths?: readonly Path[] | null | undefined;
  /** Of a preview: the id of the release that it shows as if that were published; absent for all that is not public. */
  release?: string | undefined;
}>;

/** What of the maker of a preview decides whether the preview holds. */
export type Maker = Pick<Token, "state" | "expiresAt" | "resources" | "paths" | "writes">;

/** The properties of a new token. */
export type TokenInput = {
  kind: TokenKind;
  resources: readonly TokenResource[];
  /** Everywhere when absent or null. */
  paths?: readonly string[] | null | undefined;
  /** `all` when absent. */
  writes?: TokenWrites | undefined;
  /** All when absent or null. */
  locales?: readonly string[] | null | undefined;
  label: string;
  environment: string;
  /** Enabled when absent. */
  state?: TokenState | undefined;
  limitCalls: number;
  /** Absent: the usual of the kind, which for all but preview tokens is never. */
  expiresAt?: number | null | undefined;
  /** Of a preview alone. */
  release?: string | undefined;
};

/** The changeable properties of a token. */
export type TokenChange = Partial<
  Pick<Token, "paths" | "locales" | "label" | "environment" | "state" | "limitCalls" | "expiresAt"> & {
    writes: TokenWrites;
  }
>;

/** Where tokens are stored, by the SHA-256 of their secret (hex). Each write appends one event. */
export interface TokenStore {
  /** The token with this secret's hash, or undefined. Reflects a revocation by this process at once. */
  findByHash(hash: string): Token | undefined | Promise<Token | undefined>;
  /**
   * Counts calls on each token, one if no other number is given, or none of them on any. Exact where a limit is set, also across processes: throws
   * call_limit_reached naming the argument. Without a limit the count may be written to the store up to 5 s later.
   */
  countCall(tokens: readonly CountedToken[], nowSeconds: number, calls?: number): undefined | Promise<void>;
  list(): Promise<Token[]>;
  /** Throws token_not_found. */
  get(id: string): Promise<Token>;
  /**
   * Throws token_exists when there is one with this hash, also for the slower of two racing calls; token_invalid for a
   * preview whose maker could not make it any more; release_not_found.
   */
  create(token: Token, secret: { hash: string }, context: Omit<WriteContext, "nowSeconds">): Promise<void>;
  /**
   * Disabling the token ends its sessions; they expire with it at the latest. Throws token_not_found, and what
   * checkChangedToken throws.
   */
  update(id: string, change: TokenChange, context: WriteContext): Promise<Token>;
  /** Gives the token a new secret; the old one is void at once, and so are its sessions. Throws token_not_found. */
  rotate(id: string, secret: { hash: string }, context: WriteContext): Promise<Token>;
  /** Removes the token with its sessions and the previews that it made. Throws token_not_found. */
  revoke(id: string, context: WriteContext): Promise<void>;
}

/** A token with the argument that held it, so that a refusal can name it. */
export type CountedToken = { argument: "token" | "access_token"; token: Token };

const prefixes: Record<TokenKind, string> = {
  delivery: "oct_d_",
  management: "oct_m_",
  preview: "oct_p_",
  images: "oct_i_",
  access: "oct_a_",
};

/** A new secret: 32 random bytes, base64url, with the prefix of its kind. Contract §2. */
function newSecret(kind: TokenKind): string {
  return prefixes[kind] + randomBytes(32).toString("base64url");
}

/** Longest imported secret, in characters. */
const maxSecretLength = 512;

/**
 * Validates an imported secret, which keeps its own text. Only visible ASCII, since a header cannot carry other text
 * reliably. Throws argument_invalid, without the secret in its message. Contract §2.
 */
export function checkSecret(argument: string, secret: string): string {
  const fault = faultOf(secret);
  if (fault === undefined) return secret;
  const accepted = `one token of 1 to ${maxSecretLength} visible ASCII characters`;
  throw problem("argument_invalid", { argument, received: fault, accepted });
}

/** What is wrong with the secret, without quoting it. */
function faultOf(secret: string): string | undefined {
  if (secret === "") return "empty";
  if (secret.length > maxSecretLength) return `longer than ${maxSecretLength} characters`;
  if (/[\u0000-\u0008\u000e-\u001f\u007f]/.test(secret)) return "a text with a control character";
  if (/\s/.test(secret)) return "a text with white space";
  return /^[\x21-\x7e]+$/.test(secret) ? undefined : "a text with characters beyond ASCII";
}

/** True for a secret that can be guessed: short, or with few different characters. */
export const isWeakSecret = (secret: string): boolean => secret.length < 20 || new Set(secret).size < 8;

/**
 * What is stored in place of the secret: its SHA-256, hex. Generated secrets have 256 random bits, so no salt and no
 * stretching.
 */
export function hashSecret(secret: string): string {
  return hash("sha256", secret, "hex");
}

/** True when the token is valid at this time, apart from its call limit. */
export function isInForce(token: Pick<Token, "state" | "expiresAt">, nowSeconds: number): boolean {
  return token.state === "enabled" && (token.expiresAt === null || token.expiresAt > nowSeconds);
}

/** True when the token has one of the kinds and, if any are named, one of the resources. */
export function hasScope(token: Token, kinds: readonly TokenKind[], resources: readonly TokenResource[]): boolean {
  const isNamed = (resource: TokenResource): boolean => token.resources.includes(resource);
  return kinds.includes(token.kind) && (resources.length === 0 || resources.some(isNamed));
}

/** True for the second token that writes need. */
export const isAccessToken = (token: Token): boolean => token.kind === "access";

/** Scopes as messages show them: `delivery:entries or management:entries`. */
export function formatScopes(kinds: readonly TokenKind[], resources: readonly TokenResource[]): string {
  const scopes = kinds.flatMap((kind) => (resources.length === 0 ? [kind] : resources.map((one) => `${kind}:${one}`)));
  return scopes.join(" or ");
}

/** True when the token has no calls left. */
export function isSpent(token: Token): boolean {
  return token.limitCalls > 0 && token.calls >= token.limitCalls;
}

/** The limit of a token's label and environment, in characters. */
export const maxTokenTextLength = 200;

/** Refuses what is not a line of at most so many characters. Throws argument_invalid. */
export function checkTokenText(argument: string, text: string | undefined): void {
  if (text === undefined || (isAtMost(text, maxTokenTextLength) && !/[\u0000-\u001f\u007f]/.test(text))) return;
  const accepted = `a text of at most ${maxTokenTextLength} characters on one line`;
  throw problem("argument_invalid", { argument, received: text, accepted });
}

/** Validates the texts of a token or of a change: label and environment are a line each. Throws argument_invalid. */
export function checkTokenTexts<T extends { label?: string; environment?: string }>(texts: T): T {
  checkTokenText("label", texts.label);
  checkTokenText("environment", texts.environment);
  return texts;
}

/** True when tokens of the kind can have the resource. */
export const canHave = (kind: TokenKind, resource: TokenResource): boolean => resourcesOf[kind].includes(resource);

/** The resources of a preview token. */
export const previewResources: readonly TokenResource[] = ["entries", "files"];

/** The resources that a token of a kind can have. */
const resourcesOf: Record<TokenKind, readonly TokenResource[]> = {
  delivery: tokenResources.filter((resource) => resource !== "admin"),
  management: tokenResources,
  preview: previewResources,
  images: [],
  access: [],
};

/** True for a resource whose things have a path. */
export const hasPaths = (resource: TokenResource): boolean => resource !== "registry" && resource !== "admin";

const maxTokenPaths = 16;
/** The paths of a token, in messages. */
export const acceptedPaths = `a list of 1 to ${maxTokenPaths} paths, or null for everywhere`;

/**
 * The paths of a token as sent, each in its stored form and once; null for none. Throws path_invalid, text_invalid,
 * argument_invalid.
 */
export function parseTokenPaths(sent: readonly string[] | null | undefined): Path[] | null {
  if (!sent) return null;
  const paths = [...new Set(sent.map((path) => parsePathBelowRoot("paths", path)))];
  // No path is nowhere for an access, and must not become everywhere for a token.
  if (paths.length > 0 && paths.length <= maxTokenPaths) return paths;
  throw problem("argument_invalid", {
    argument: "paths",
    received: `${paths.length} paths`,
    accepted: acceptedPaths,
  });
}

/** The paths as stored: a line each. No path has a line break. */
export const formatTokenPaths = (paths: readonly Path[] | null): string => (paths ?? []).join("\n");

/** The inverse. */
export const readTokenPaths = (text: string): Path[] | null => (text === "" ? null : (text.split("\n") as Path[]));

type Scope = Pick<Token, "kind" | "resources" | "paths" | "writes" | "locales" | "release">;

/**
 * Validates what a token is for: the kind can have its resources, only a management token can have `writes` and `locales`,
 * and paths are for resources whose things have one. Throws argument_invalid.
 */
export function checkScope({ kind, resources, paths, writes, locales, release }: Scope): void {
  const allowed = resourcesOf[kind];
  const refuse = (argument: string, received: string, accepted: string) => {
    throw problem("argument_invalid", { argument, received, accepted });
  };
  const wrong = resources.find((resource) => !allowed.includes(resource));
  const accepted = allowed.length ? `one or more of ${allowed.join(", ")}` : `none for the kind ${kind}`;
  if (wrong !== undefined) refuse("resources", wrong, accepted);
  if (allowed.length > 0 && resources.length === 0) refuse("resources", "", accepted);
  const pathless = resources.find((resource) => !hasPaths(resource));
  if (paths && pathless !== undefined) refuse("paths", paths.join(", "), `none beside the resource ${pathless}`);
  if (writes !== "all" && kind !== "management") refuse("writes", writes, `all for the kind ${kind}`);
  if (locales && kind !== "management") refuse("locales", locales.join(", "), `null for the kind ${kind}`);
  if (release !== undefined && kind !== "preview") refuse("release", release, `none for the kind ${kind}`);
}

/**
 * The token as its maker lets it be. A preview shows what is not public, so it holds as long as its maker could make it: is
 * in force, may make what is live, has the preview's resources, and holds itself wherever the preview does. Otherwise it is
 * disabled. Contract, part two, §11.
 */
export function heldBy(token: Token, maker: Maker | undefined): Token {
  if (token.maker === null) return token;
  const couldMake = maker?.state === "enabled" && maker.writes === "all" && sees(maker, token);
  const ends = [token.expiresAt, maker?.expiresAt ?? null].filter((time) => time !== null);
  return {
    ...token,
    makerPaths: maker?.paths ?? null,
    state: couldMake ? token.state : "disabled",
    expiresAt: ends.length > 0 ? Math.min(...ends) : null,
  };
}

/** True when the maker may make previews, and may itself read what this one reads. */
const sees = (maker: Maker, { resources, paths }: Pick<Token, "resources" | "paths">): boolean =>
  maker.resources.some((own) => own === "entries" || own === "admin") &&
  resources.every((resource) => maker.resources.includes(resource)) &&
  covers(maker.paths, paths);

/** True when paths hold wherever the others do. */
const covers = (paths: readonly Path[] | null, others: readonly Path[] | null): boolean =>
  paths === null || (others ?? [rootPath]).every((other) => paths.some((path) => isWithin(other, path)));

/** How long a preview token lasts: its links are sent around. Contract, part two, §11. */
const previewDays = { usual: 7, most: 30 };
const daySeconds = 24 * 3600;

/** The expiry of a token that asks for this one; undefined asks for the usual. Throws argument_invalid. */
export function expiryOf(kind: TokenKind, asked: number | null | undefined, nowSeconds: number): number | null {
  if (kind !== "preview") return asked ?? null;
  if (asked === undefined) return nowSeconds + previewDays.usual * daySeconds;
  if (asked !== null && asked <= nowSeconds + previewDays.most * daySeconds + clockSlackSeconds) return asked;
  throw problem("argument_invalid", {
    argument: "expires_at",
    received: String(asked),
    accepted: `a time at most ${previewDays.most} days ahead for the kind preview`,
  });
}

/** Validates a change together with the token that it changes. Throws argument_invalid. */
export function checkChangedToken(token: Token, change: TokenChange, nowSeconds: number): void {
  const { paths = token.paths, writes = token.writes, locales = token.locales, expiresAt } = change;
  const isSame = paths === token.paths && writes === token.writes && locales === token.locales;
  if (!isSame) checkScope({ ...token, paths, writes, locales });
  if (expiresAt !== undefined) expiryOf(token.kind, expiresAt, nowSeconds);
}

/** Who creates a token, and when; `maker` is the token of an API call. */
export type TokenContext = { id: string; nowSeconds: number; maker?: Token | undefined };

/** A new token, validated. Throws argument_invalid, path_invalid, text_invalid. */
export function newToken(input: TokenInput, { id, nowSeconds, maker }: TokenContext): Token {
  const { kind, resources, paths, writes = "all", state = "enabled", expiresAt } = checkTokenTexts(input);
  const token: Token = {
    ...input,
    id,
    resources: [...new Set(resources)],
    paths: parseTokenPaths(paths),
    writes,
    state,
    calls: 0,
    expiresAt: expiryOf(kind, expiresAt, nowSeconds),
    createdAt: nowSeconds,
    lastUsedAt: null,
    maker: kind === "preview" ? (maker?.id ?? null) : null,
  };
  checkScope(token);
  if (token.maker !== null) refuseForeignResources(token, maker);
  return heldBy(token, maker);
}

/** A preview reads nothing that its maker may not. Throws argument_invalid. */
function refuseForeignResources({ resources }: Token, maker: Token | undefined): void {
  const own = previewResources.filter((resource) => maker?.resources.includes(resource));
  const foreign = resources.find((resource) => !own.includes(resource));
  if (foreign === undefined) return;
  const accepted = own.join(", ") || "none, as the maker has neither entries nor files";
  throw problem("argument_invalid", { argument: "resources", received: foreign, accepted });
}

/**
 * Creates a token with a new secret, or with one that passed checkSecret. Returns its row and the secret, which cannot
 * be read again. Throws as newToken does, and token_exists.
 */
export async function createToken(
  store: TokenStore,
  input: TokenInput,
  context: TokenContext & { actor: string },
  secret = newSecret(input.kind),
): Promise<{ token: Token; secret: string }> {
  const token = newToken(input, context);
  await store.create(token, { hash: hashSecret(secret) }, context);
  return { token, secret };
}

/** Gives a token a new secret and returns it. Throws token_not_found. */
export async function rotateToken(
  store: TokenStore,
  id: string,
  context: { actor: string; nowSeconds: number },
): Promise<{ token: Token; secret: string }> {
  const { kind } = await store.get(id);
  const secret = newSecret(kind);
  const token = await store.rotate(id, { hash: hashSecret(secret) }, context);
  return { token, secret };
}

/** A token's row under the names of the wire and `--json`. Never holds the secret. */
export function tokenFields(token: Token) {
  return {
    id: token.id,
    kind: token.kind,
    resources: token.resources,
    // Only where they limit the token: to a client without limits, the row is that of part one of the contract.
    ...(token.paths && { paths: token.paths }),
    ...(token.writes !== "all" && { writes: token.writes }),
    ...(token.locales && { locales: token.locales }),
    ...(token.maker !== null && { maker: token.maker }),
    ...(token.release !== undefined && { release: token.release }),
    label: token.label,
    environment: token.environment,
    state: token.state,
    limit_calls: token.limitCalls,
    calls: token.calls,
    expires_at: token.expiresAt,
    created_at: token.createdAt,
    last_used_at: token.lastUsedAt,
  };
}
