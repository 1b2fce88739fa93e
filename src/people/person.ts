import { randomBytes } from "node:crypto";
import { personActor, personIdOf } from "../core/access/actor.ts";
import { plainToken } from "../core/access/plain-token.ts";
import { checkTokenText, hashSecret, type Token } from "../core/access/token.ts";
import type { WriteContext } from "../core/event.ts";
import { formatJson, type JsonObject, parseJson } from "../core/lib/json.ts";
import type { MaybePromise } from "../core/lib/maybe-promise.ts";
import type { NewPasskey } from "./passkey.ts";
import { problem } from "./problems.ts";
import { ownerRole, type Role } from "./role.ts";

/**
 * People sign in as themselves. What a person may do is in the form of a token, so that nothing downstream knows people.
 * Contract, part three, §19; decision 72.
 */
export type Person = Readonly<{
  id: string;
  name: string;
  email: string;
  /** The id of the role. */
  role: string;
  state: PersonState;
  /** The hash of the password; null without one. */
  password: string | null;
  /** Who the person is at an issuer of OpenID Connect; null for one who is bound to none. */
  identity: Identity | null;
  createdAt: number;
  /** At most a minute behind. */
  lastSeenAt: number | null;
}>;

/** A subject of an issuer: identity.ts. Two that differ in any character are two. */
export type Identity = Readonly<{
  issuer: string;
  subject: string;
  /** True when the role is the issuer's claim. */
  isRoleClaimed: boolean;
}>;

/** What counts of what an issuer says about somebody: identity.ts. */
export type Asserted = Readonly<{
  identity: Pick<Identity, "issuer" | "subject">;
  /** The key of the address, only where the issuer says that it is the subject's, or is trusted. */
  emailKey: string | undefined;
  /** Whether the issuer says an address at all, for the reason of a refusal. */
  saysEmail?: boolean | undefined;
  name: string;
  /** The roles that the claim names, in its order; undefined where it says nothing, or is not asked for. */
  roles: readonly string[] | undefined;
}>;

/** `invited`: has not signed in yet; `disabled`: may not. */
export const personStates = ["invited", "active", "disabled"] as const;
/** One who is deleted leaves the name, for the log. */
export const deletedState = "deleted";
export type PersonState = (typeof personStates)[number] | typeof deletedState;

/** A person with the role: what a request of a session needs. */
export type Member = Readonly<{ person: Person; role: Role }>;

/** A change of a person; `state` active means that the person may sign in. */
export type PersonChange = Readonly<{
  name?: string | undefined;
  email?: string | undefined;
  role?: string | undefined;
  state?: "active" | "disabled" | undefined;
  /**
   * Whom an issuer means: who is only invited is active with it, and no other subject comes in any more. Null: nobody, and who
   * then has no credential is only invited.
   */
  identity?: Pick<Identity, "issuer" | "subject"> | null | undefined;
  /** Only by the person: the hash before and after, and the session that does not end. */
  password?: Readonly<{ from: string | null; to: string; session: string }> | undefined;
  /** Only by the person: a JSON object text, merged by key. */
  preferences?: string | undefined;
}>;

/** Where a page of the list of people starts: after this person. */
export type PersonCursor = Pick<Person, "id" | "createdAt">;

/** A one-use link, of which only the hash is stored. */
export type PersonLink = Readonly<{ hash: string; expiresAt: number }>;

/** What the holder of a link sets: the hash of a password, or a passkey in its place. */
export type Joining = Readonly<{
  name?: string | undefined;
  password: string | null;
  passkey?: NewPasskey | undefined;
}>;

/**
 * Where people are stored. Each write but the time of the last use is one transaction with an event, and holds from the
 * next request on in this process, within two seconds in others.
 */
export interface PersonStore {
  /** The person with the role, also a deleted one; undefined for an id that never was one. */
  findMember(id: string): MaybePromise<Member | undefined>;
  /** The names of the people among these actors of events, also of deleted people, by actor. Reads nothing without any. */
  namesOf(actors: Iterable<string>): MaybePromise<ReadonlyMap<string, string>>;
  /** People by the time of their creation, at most `limit`, after `after`. */
  list(limit: number, after?: PersonCursor): Promise<Person[]>;
  /** Throws person_not_found. */
  get(id: string): Promise<Person>;
  /** What the admin page keeps for the person, a JSON object text; empty for an id that is nobody's. */
  preferencesOf(id: string): Promise<string>;
  findByEmail(email: string): Promise<Person | undefined>;
  /** True when there is an active owner. */
  hasOwner(): Promise<boolean>;
  /**
   * Stores a new person, with a link or a passkey if one is given. Throws person_exists (the email is taken), role_not_found,
   * passkey_invalid.
   */
  create(person: Person, key: PersonLink | NewPasskey | undefined, context: WriteContext): Promise<Person>;
  /**
   * Disabling ends the sessions and the link; who is enabled again without a credential is invited. A new password ends the
   * link and all sessions but one, another address or a first identity the link, another identity than before, or none any
   * more, the link and all sessions; the same one changes nothing. Throws person_not_found, subject_taken, person_exists, role_not_found,
   * last_owner; sign_in_failed when the password is another one meanwhile; data_too_large for preferences.
   */
  update(id: string, change: PersonChange, context: WriteContext): Promise<Person>;
  /** Ends the sessions and the link; the name stays for the log. Throws person_not_found, last_owner. */
  delete(id: string, context: WriteContext): Promise<void>;
  /** Gives the person a new link in place of the old one. Throws person_not_found, person_disabled. */
  link(id: string, link: PersonLink, context: WriteContext): Promise<Person>;
  /** Whose link this is, while it is valid; undefined otherwise. */
  findByLink(hash: string, nowSeconds: number): Promise<Person | undefined>;
  /**
   * Uses a link up: the person is active, has the password or in its place the passkey, and no session any more. Passkeys from
   * before stay. Throws sign_in_link_invalid, also for the slower of two racing calls; passkey_invalid, too_many_passkeys.
   */
  join(hash: string, joining: Joining, context: WriteContext): Promise<Person>;
  /**
   * Lets in whom an issuer asserts, as `admittedBy` decides: binds who is invited, whose link ends, and sets the role that is
   * claimed. Throws sign_in_failed; last_owner when the claim would take the role from the last one.
   */
  enter(asserted: Asserted, context: WriteContext): Promise<Person>;
  /** Replaces the hash of the same password. Does nothing when the person has another one meanwhile. */
  rehash(id: string, password: { from: string; to: string }): Promise<void>;
}

// --------------------------------------------------------------------------------------------- people as actors

/** The rights of a person, in the form of a token; undefined for one who may not sign in. */
export function holderOf({ person, role }: Member): Token | undefined {
  if (person.state !== "active") return undefined;
  const { resources, paths, writes, locales } = role;
  const { name: label, createdAt, lastSeenAt: lastUsedAt } = person;
  return { ...plainToken, id: personActor(person.id), resources, paths, writes, locales, label, createdAt, lastUsedAt };
}

// ------------------------------------------------------------------------------------------------------ the rules

/** What may not change for the last owner. Throws last_owner. */
export function refuseLastOwner(before: Person, after: Pick<Person, "role" | "state">, otherOwners: number): void {
  const isOwner = ({ role, state }: Pick<Person, "role" | "state">) => role === ownerRole && state === "active";
  if (isOwner(before) && !isOwner(after) && otherOwners === 0) throw problem("last_owner");
}

/** The state that a change asks for: without a password or a passkey one is only invited. */
export const stateAfter = (
  { password, identity, state }: Pick<Person, "password" | "identity" | "state">,
  asked: "active" | "disabled" | undefined,
  passkeys: number,
): PersonState => {
  const hasNone = password === null && identity === null && passkeys === 0;
  return asked === "active" && hasNone ? "invited" : (asked ?? state);
};

/** A new person, invited. Throws argument_invalid. */
export function newPerson(
  { name = "", email, role }: { name?: string | undefined; email: string; role: string },
  { id, nowSeconds }: { id: string; nowSeconds: number },
): Person {
  const facts = { name: name === "" ? name : parseName("name", name), email: parseEmail("email", email) };
  const credentials = { password: null, identity: null };
  return { id, ...facts, role, state: "invited", ...credentials, createdAt: nowSeconds, lastSeenAt: null };
}

const maxEmailLength = 254;
/** Without spaces and what is not seen: two addresses that look the same would be two people. */
const emailPart = String.raw`[^\s@\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]+`;
const emailPattern = new RegExp(`^${emailPart}@${emailPart}$`, "u");

/** The stored form of an email address. Throws argument_invalid. */
export function parseEmail(argument: string, text: string): string {
  const email = text.trim().normalize("NFC");
  if (email.length <= maxEmailLength && emailPattern.test(email)) return email;
  throw problem("argument_invalid", { argument, received: text, accepted: "an email address" });
}

/** Two addresses with one key are the same. */
export const emailKey = (email: string): string => email.trim().normalize("NFC").toLowerCase();

/** The stored form of a name. Throws argument_invalid. */
export function parseName(argument: string, text: string): string {
  const name = text.trim().normalize("NFC");
  if (name === "")
    throw problem("argument_invalid", { argument, received: text, accepted: "a text that is not empty" });
  checkTokenText(argument, name);
  return name;
}

// ---------------------------------------------------------------------------------------------------- preferences

export const maxPreferencesBytes = 16 * 1024;

/** Preferences with others merged by key: null removes its key. Both are JSON object texts. Throws data_too_large. */
export function mergedPreferences(before: string, patch: string): string {
  const merged = new Map(parseJson(before) as JsonObject);
  for (const [key, value] of parseJson(patch) as JsonObject) {
    if (value === null) merged.delete(key);
    else merged.set(key, value);
  }
  const text = formatJson(merged);
  if (Buffer.byteLength(text) > maxPreferencesBytes)
    throw problem("data_too_large", { argument: "preferences", limit: maxPreferencesBytes });
  return text;
}

// -------------------------------------------------------------------------------------------------- one-use links

const daySeconds = 24 * 3600;
/** How long a link holds. */
const linkSeconds = { invited: 7 * daySeconds, reset: daySeconds };

/** What a link's code begins with, so that its page knows what to ask for. It proves nothing. */
const codePrefixes = { invited: "invite-", reset: "reset-" };
export const ownerCodePrefix = "owner-";

/**
 * A new link for a person, and its code: 32 random bytes, base64url, behind its purpose, and the id of the person who made it.
 * It cannot be read again.
 */
export function newLink(
  { state }: Pick<Person, "state">,
  { nowSeconds, actor }: Pick<WriteContext, "nowSeconds" | "actor">,
): { code: string; link: PersonLink } {
  const prefix = state === "invited" ? codePrefixes.invited : codePrefixes.reset;
  const maker = personIdOf(actor);
  const code = prefix + randomBytes(32).toString("base64url") + (maker === undefined ? "" : `-${maker}`);
  const seconds = state === "invited" ? linkSeconds.invited : linkSeconds.reset;
  return { code, link: { hash: hashLinkCode(code), expiresAt: nowSeconds + seconds } };
}

/** The id of the person who made the link of a code; undefined where a token or a command did. */
export const linkMakerOf = (code: string): string | undefined =>
  /-([\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12})$/.exec(code)?.[1];

export const hashLinkCode = hashSecret;

/** The address of a link's page. The base is from the settings, never from a request: a Host header would choose where it leads. */
export const linkAddress = (base: string, code: string): string => `${base}/admin#code=${code}`;

// ------------------------------------------------------------------------------------------------------- the wire

/** How long a sign-in is good for changes of credentials. */
const freshSeconds = 600;

/** Throws sign_in_again when the sign-in is too long ago for a change of a credential. */
export function refuseOldSignIn(createdAt: number, nowSeconds: number): void {
  if (nowSeconds - createdAt > freshSeconds) throw problem("sign_in_again", { minutes: freshSeconds / 60 });
}

/** A person under the names of the wire. */
export const personFields = ({ id, name, email, role, state, identity, createdAt, lastSeenAt }: Person) => ({
  id,
  name,
  email,
  role,
  state,
  issuer: identity?.issuer ?? null,
  subject: identity?.subject ?? null,
  created_at: createdAt,
  last_seen_at: lastSeenAt,
});

/** The cursor of a page of the list that starts after this person. Not a secret. */
export const formatPersonCursor = ({ createdAt, id }: PersonCursor): string =>
  Buffer.from(`${createdAt} ${id}`).toString("base64url");

/** The inverse. Throws cursor_invalid. */
export function parsePersonCursor(cursor: string): PersonCursor {
  const [, createdAt, id] = /^(\d{1,15}) ([\w-]{1,64})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (createdAt === undefined || id === undefined) throw problem("cursor_invalid");
  return { createdAt: Number(createdAt), id };
}
