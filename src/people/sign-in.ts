import { randomUUID } from "node:crypto";
import { personActor } from "../core/access/actor.ts";
import type { WriteContext } from "../core/event.ts";
import type { JsonObject } from "../core/lib/json.ts";
import { checkAll, Problem } from "../core/problem.ts";
import type { NewPasskey } from "./passkey.ts";
import type { Ceremonies } from "./passkey-ceremony.ts";
import { hashPassword, isOutdated, isPassword, refuseWeak } from "./password.ts";
import {
  emailKey,
  hashLinkCode,
  linkMakerOf,
  newPerson,
  type Person,
  type PersonStore,
  parseEmail,
  parseName,
  refuseOldSignIn,
} from "./person.ts";
import { problem } from "./problems.ts";
import { ownerRole } from "./role.ts";

/** How people prove who they are. Contract, part three, §19; decision 72. */

/**
 * The active person with this address and password, whose hash is the one that the store has from now on. Takes as long,
 * and says the same, for an address that nobody has, a person without a password and one who is disabled. `asker` waits for
 * its turn. Throws sign_in_failed, busy.
 */
export async function personWith(
  people: PersonStore,
  email: string,
  password: string,
  asker?: string,
): Promise<Person> {
  const person = await people.findByEmail(email);
  const isRight = await isPassword(password, person?.state === "active" ? person.password : undefined, asker);
  if (!person || !isRight) throw problem("sign_in_failed");
  const { id, password: from } = person;
  if (from === null || !isOutdated(from)) return person;
  const to = await hashPassword(password);
  await people.rehash(id, { from, to });
  return { ...person, password: to };
}

/** What the holder of a link sends: a password or a passkey. */
export type LinkForm = {
  name?: string | undefined;
  email?: string | undefined;
  password?: string | undefined;
  passkey?: JsonObject | undefined;
  passkeyName?: string | undefined;
};

function needed(argument: "name" | "email" | "password", value: string | undefined, accepted: string): string {
  if (value === undefined) throw problem("argument_missing", { argument, accepted });
  return value;
}

const acceptedPassword = "a password of 8 to 256 characters, or a passkey";

/** The passkey of a form. Throws passkey_invalid. */
function passkeyOf(
  ceremonies: Ceremonies,
  { passkey, passkeyName }: LinkForm,
  linkHash: string,
  person: string | undefined,
  nowSeconds: number,
): NewPasskey | undefined {
  if (passkey === undefined) return undefined;
  const sent = { passkey, name: passkeyName, nameArgument: "passkey_name" };
  return ceremonies.verifyNew(sent, { join: linkHash }, person, nowSeconds);
}

/**
 * Uses the link of an invitation or a reset up, and answers its person, who is active with the password. A refusal for
 * what was sent leaves the link as it is. Undefined for a code that is no such link's. Throws sign_in_link_invalid (a racing
 * call used it), argument_missing, argument_invalid, password_weak.
 */
export async function joinByLink(
  people: PersonStore,
  ceremonies: Ceremonies,
  code: string,
  form: LinkForm,
  context: WriteContext,
): Promise<Person | undefined> {
  const hash = hashLinkCode(code);
  const { nowSeconds } = context;
  const invited = await people.findByLink(hash, nowSeconds);
  if (!invited) return undefined;
  const [name, passkey] = checkAll(
    () => parseName("name", needed("name", form.name ?? (invited.name || undefined), "a name")),
    () => passkeyOf(ceremonies, form, hash, invited.id, nowSeconds),
    () => refuseOtherEmail(form, invited),
    () => refuseNoCredential(form),
  );
  const password = await hashOf(form.password, [name, invited.email]);
  return people.join(hash, { name, password, passkey }, context);
}

/** Who made the link of a code; undefined where no person did, or who did is deleted. */
export async function makerOf(people: PersonStore, code: string): Promise<Person | undefined> {
  const id = linkMakerOf(code);
  if (id === undefined) return undefined;
  return people.get(id).catch((error: unknown) => {
    if (error instanceof Problem) return undefined;
    throw error;
  });
}

/** Whose link it is, and who made it. The link stays as it is. Throws sign_in_link_invalid. */
export async function lookAtLink(
  people: PersonStore,
  code: string,
  nowSeconds: number,
): Promise<{ person: Person; by: Person | undefined }> {
  const person = await people.findByLink(hashLinkCode(code), nowSeconds);
  if (!person) throw problem("sign_in_link_invalid");
  return { person, by: await makerOf(people, code) };
}

/** The address is the one that was invited, from which a person may change it later. Throws argument_invalid. */
function refuseOtherEmail({ email }: LinkForm, invited: Person): void {
  if (email === undefined || emailKey(email) === emailKey(invited.email)) return;
  throw problem("argument_invalid", { argument: "email", received: email, accepted: "the address that was invited" });
}

/** Throws argument_missing. */
function refuseNoCredential({ passkey, password }: LinkForm): void {
  if (passkey === undefined) needed("password", password, acceptedPassword);
}

/** The hash of a new password; null without one. Throws password_weak. */
async function hashOf(password: string | undefined, own: readonly string[]): Promise<string | null> {
  if (password === undefined) return null;
  refuseWeak("password", password, own);
  return hashPassword(password);
}

/** An owner to be, with what is to be stored: the hash of the password, the passkey. */
export type OwnerToBe = Readonly<{
  name: string;
  email: string;
  password: string | null;
  passkey: NewPasskey | undefined;
}>;

/** Throws argument_missing, argument_invalid, password_weak, passkey_invalid. */
export async function parseOwner(
  ceremonies: Ceremonies,
  code: string,
  form: LinkForm,
  nowSeconds: number,
): Promise<OwnerToBe> {
  const [name, email, passkey] = checkAll(
    () => parseName("name", needed("name", form.name, "a name")),
    () => parseEmail("email", needed("email", form.email, "an email address")),
    () => passkeyOf(ceremonies, form, hashLinkCode(code), undefined, nowSeconds),
    () => refuseNoCredential(form),
  );
  return { name, email, password: await hashOf(form.password, [name, email]), passkey };
}

/** Stores an active owner. Throws person_exists. */
export async function createOwner(
  people: PersonStore,
  { name, email, password, passkey }: OwnerToBe,
  context: WriteContext,
): Promise<Person> {
  // The passkey knows its person by the id.
  const id = passkey?.passkey.person ?? randomUUID();
  const person = newPerson({ name, email, role: ownerRole }, { id, nowSeconds: context.nowSeconds });
  const owner: Person = { ...person, state: "active", password };
  return people.create(owner, passkey, { ...context, actor: personActor(id) });
}

/** True when the holder of a link sends what makes a person. */
export const isFilled = (form: LinkForm): boolean => Object.values(form).some((value) => value !== undefined);

/** What a person changes of the own account. */
export type OwnChange = {
  name?: string | undefined;
  email?: string | undefined;
  password?: string | undefined;
  /** A JSON object text. */
  preferences?: string | undefined;
};

/** The session in which a person asks; `isProven` after `refuseWrongPassword`. */
export type Asking = { session: string; signedInAt: number; isProven: boolean } & Pick<
  WriteContext,
  "nowSeconds" | "origin" | "written"
>;

/** Throws sign_in_failed unless this is the person's password. */
export async function refuseWrongPassword({ password }: Person, sent: string): Promise<void> {
  if (!(await isPassword(sent, password))) throw problem("sign_in_failed");
}

/**
 * Changes a person's own account. A new address or password needs the credential again: the current password, or for the
 * address a sign-in a short while ago. Throws sign_in_again, argument_missing, password_weak, person_exists; sign_in_failed when
 * the password is another one meanwhile.
 */
export async function changeOwn(
  people: PersonStore,
  person: Person,
  change: OwnChange,
  asking: Asking,
): Promise<Person> {
  const { id, password: from } = person;
  const { password: to, preferences } = change;
  const name = change.name === undefined ? person.name : parseName("name", change.name);
  const email = change.email === undefined ? person.email : parseEmail("email", change.email);
  if (to !== undefined || email !== person.email) refuseUnproven(person, to !== undefined, asking);
  if (to !== undefined) refuseWeak("password", to, [name, email]);
  const { nowSeconds, origin, written } = asking;
  const context = { actor: personActor(id), nowSeconds, origin, written };
  const password = to === undefined ? undefined : { from, to: await hashPassword(to), session: asking.session };
  const isSame = !password && name === person.name && email === person.email && preferences === undefined;
  if (isSame) return person;
  // What stays is not sent: others may have changed it meanwhile.
  const changed = { ...(name !== person.name && { name }), ...(email !== person.email && { email }) };
  return people.update(id, { ...changed, password, preferences }, context);
}

function refuseUnproven(
  { password }: Person,
  needsPassword: boolean,
  { signedInAt, isProven, nowSeconds }: Asking,
): void {
  if (isProven) return;
  refuseOldSignIn(signedInAt, nowSeconds);
  // A session that was left open is no proof of the password.
  if (needsPassword && password !== null)
    throw problem("argument_missing", { argument: "current_password", accepted: "the password as it is now" });
}
