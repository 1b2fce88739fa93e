import { Problem } from "../core/problem.ts";
import { quote } from "../core/problem-row.ts";
import { type Asserted, emailKey, type Identity, type Person, parseEmail, parseName } from "./person.ts";
import { problem } from "./problems.ts";
import { isRoleId } from "./role.ts";

/**
 * Who an issuer of OpenID Connect says that somebody is, and whom that lets in here. Contract, part three, §19; decision 72.
 */

/** Claims of one answer of the issuer. */
export type Claims = Readonly<Record<string, unknown>>;

/** What the issuer said in one sign-in, all of it checked to be its own and about one subject. */
export type Assertion = Readonly<{
  identity: Pick<Identity, "issuer" | "subject">;
  /** Of its answers, the signed one first. */
  claims: readonly Claims[];
}>;

/** What a sign-in at the issuer needs when the browser comes back. Confidential, but not from the browser that began it. */
export type Flow = Readonly<{ issuer: string; state: string; nonce: string; verifier: string; redirectUri: string }>;

/** Where people sign in who do so elsewhere. */
export interface Issuer {
  /** Its host, for the button. */
  readonly name: string;
  /** Where the browser goes, and what `finish` needs when it comes back to `redirectUri`. Throws issuer_unavailable. */
  begin(redirectUri: string): Promise<{ address: string; flow: Flow }>;
  /**
   * Exchanges what the browser brought back, the query of its address, for what the issuer says. Throws sign_in_failed
   * for everything that is not this issuer's answer to this flow, issuer_unavailable.
   */
  finish(flow: Flow, query: string): Promise<Assertion>;
}

/** OpenID Connect Core §2 has 255 ASCII characters at most; longer ones are in use, control characters are not. */
const subjectPattern = /^[^\p{C}]{1,255}$/u;
export const isSubject = (text: string): boolean => subjectPattern.test(text);

/** A subject of the issuer of the settings, as it is bound. Throws argument_invalid, also where there is no issuer. */
export function parseIdentity(
  argument: string,
  { issuer, subject }: { issuer: string | undefined; subject: string },
): Pick<Identity, "issuer" | "subject"> {
  const refuse = (accepted: string) => problem("argument_invalid", { argument, received: subject, accepted });
  if (!isSubject(subject)) throw refuse("the issuer's sub, 1 to 255 characters without control characters");
  if (!issuer) throw refuse("none while the setting oidc_issuer is not set");
  return { issuer, subject };
}

/** How claims are read: `roleClaim` names roles, empty for none; `trustsEmail` takes addresses without a mark. */
export type ClaimRules = Readonly<{ roleClaim: string; trustsEmail: boolean }>;

/** A refusal whose cause is for the log. */
export const signInRefused = (why: string): Problem => Object.assign(problem("sign_in_failed"), { cause: why });

/** Throws sign_in_failed for an identity that cannot be stored. */
export function readAssertion({ identity, claims }: Assertion, { roleClaim, trustsEmail }: ClaimRules): Asserted {
  if (!isSubject(identity.subject)) throw signInRefused("the issuer's subject has control characters or is too long");
  return {
    identity,
    emailKey: emailIn(claims, trustsEmail),
    saysEmail: claims.some(({ email }) => typeof email === "string" && email !== ""),
    name: nameIn(claims),
    roles: roleClaim === "" ? undefined : rolesIn(claims, roleClaim),
  };
}

/** Address and mark are from one answer: a mark of one says nothing about the address of another. */
function emailIn(claims: readonly Claims[], trustsEmail: boolean): string | undefined {
  const saying = claims.filter(({ email }) => typeof email === "string");
  const said = saying.find((answer) => answer.email_verified === true) ?? (trustsEmail ? saying[0] : undefined);
  const email = said && readable(() => parseEmail("email", said.email as string));
  if (!email?.isWellFormed()) return undefined;
  const key = emailKey(email);
  // One who has a mailbox with a Kelvin sign would be who is invited with a "k".
  return isAscii(key) && !isAscii(said?.email as string) ? undefined : key;
}

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);

function nameIn(claims: readonly Claims[]): string {
  const said = claims.find(({ name }) => typeof name === "string" && name !== "");
  return (said && readable(() => parseName("name", said.name as string))) ?? "";
}

/** Undefined for a text that a request could not have sent, either. */
function readable(read: () => string): string | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

/** A value that is neither a text nor a list of texts names roles that there are not. */
function rolesIn(claims: readonly Claims[], claim: string): readonly string[] | undefined {
  const said = claims.map((answer) => valueAt(answer, claim)).find((value) => value !== undefined && value !== null);
  if (said === undefined || said === "" || (Array.isArray(said) && said.length === 0)) return undefined;
  return (Array.isArray(said) ? said : [said]).map((role) => (typeof role === "string" ? role : ""));
}

/** The member of that name, which may have dots in it, or the one at that path. */
function valueAt(answer: Claims, claim: string): unknown {
  if (Object.hasOwn(answer, claim)) return answer[claim];
  let at: unknown = answer;
  for (const name of claim.split(".")) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Claims)[name];
  }
  return at;
}

/** What the store knows about who comes. */
export type KnownPeople = Readonly<{
  /** The person who is bound to the identity. */
  bound: Person | undefined;
  /** The person with the verified address who has a link that holds. */
  linked: Person | undefined;
  isRole(id: string): boolean;
}>;

/**
 * The person who comes in, as the sign-in leaves the account. Bound is who was bound before, or who is invited by the verified
 * address: an address alone lets nobody in who is a person here already, since who holds it at the issuer need not be the
 * one who set the password here. The role is the claim's where it names any; who had it from there and has none any more
 * does not get in. Throws sign_in_failed, with the reason for the log as its cause.
 */
export function admittedBy(asserted: Asserted, known: KnownPeople): Person {
  const { identity, emailKey: key, name, roles } = asserted;
  const refuse = (why: string) => signInRefused(`subject ${quote(identity.subject)} of ${identity.issuer}: ${why}`);
  const person = known.bound ?? invitedBy(key, known.linked);
  if (!person) throw refuse(whyNobody(asserted, known.linked));
  if (known.bound && person.state !== "active") throw refuse(`its person ${person.id} is ${person.state}`);
  const role = roles?.find((id) => isRoleId(id) && known.isRole(id));
  const wasClaimed = known.bound?.identity?.isRoleClaimed ?? false;
  if (role === undefined && roles)
    throw refuse(`the role claim is ${quote(roles.join(", "))}, and none is a role here`);
  if (role === undefined && wasClaimed) throw refuse("the role claim, which gave its role, is gone");
  return {
    ...person,
    name: person.name || name,
    role: role ?? person.role,
    state: "active",
    identity: { ...identity, isRoleClaimed: role !== undefined },
  };
}

function whyNobody({ emailKey: key, saysEmail }: Asserted, linked: Person | undefined): string {
  if (key === undefined && !saysEmail) return "it is bound to nobody, and the issuer says no email address";
  if (key === undefined)
    return "it is bound to nobody, and the issuer does not mark its address as verified (email_verified); oidc_trust_email would trust it";
  if (!linked) return `it is bound to nobody, and no invitation of ${quote(key)} is open`;
  return `it is bound to nobody, and the person with ${quote(key)} is no longer only invited, but ${linked.state}`;
}

/** Who is invited has neither a password nor an identity, so nobody can have prepared the account for another. */
function invitedBy(key: string | undefined, linked: Person | undefined): Person | undefined {
  const isInvited = linked?.state === "invited" && linked.password === null && linked.identity === null;
  return isInvited && key !== undefined && emailKey(linked.email) === key ? linked : undefined;
}
