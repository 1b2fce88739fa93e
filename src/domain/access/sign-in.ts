import { checkAll, problem } from "../problem.ts";
import { hashPassword, isOutdated, isPassword, refuseWeak } from "./password.ts";
import {
  hashLinkCode,
  newPerson,
  type Person,
  type PersonStore,
  parseEmail,
  parseName,
  personActor,
  refuseOldSignIn,
} from "./person.ts";
import { ownerRole } from "./role.ts";

/** How people prove who they are. Contract, part three, §19; decision 73. */

/**
 * The active person with this address and password. Takes as long, and says the same, for an address that nobody has, a
 * person without a password and one who is disabled. Throws sign_in_failed.
 */
export async function personWith(people: PersonStore, email: string, password: string): Promise<Person> {
  const person = await people.findByEmail(email);
  const isRight = await isPassword(password, person?.state === "active" ? person.password : undefined);
  if (!person || !isRight) throw problem("sign_in_failed");
  const { id, password: from } = person;
  if (from !== null && isOutdated(from)) await people.rehash(id, { from, to: await hashPassword(password) });
  return person;
}

/** What the holder of a link sends. */
export type LinkForm = { name?: string | undefined; email?: string | undefined; password?: string | undefined };

function needed(argument: keyof LinkForm, value: string | undefined, accepted: string): string {
  if (value === undefined) throw problem("argument_missing", { argument, accepted });
  return value;
}

const acceptedPassword = "a password of 8 to 256 characters";

/**
 * Uses the link of an invitation or a reset up, and answers its person, who is active with the password. A refusal for
 * what was sent leaves the link as it is. Undefined for a code that is no such link's. Throws sign_in_link_invalid (a racing
 * call used it), argument_missing, argument_invalid, password_weak.
 */
export async function joinByLink(
  people: PersonStore,
  code: string,
  form: LinkForm,
  nowSeconds: number,
): Promise<Person | undefined> {
  const hash = hashLinkCode(code);
  const invited = await people.findByLink(hash, nowSeconds);
  if (!invited) return undefined;
  const [name, password] = checkAll(
    () => parseName("name", needed("name", form.name ?? (invited.name || undefined), "a name")),
    () => needed("password", form.password, acceptedPassword),
  );
  refuseWeak("password", password, [name, invited.email]);
  return people.join(hash, { name, password: await hashPassword(password) }, { actor: "", nowSeconds });
}

/** An owner to be. Throws argument_missing, argument_invalid, password_weak. */
export function parseOwner(form: LinkForm): Required<{ [K in keyof LinkForm]: string }> {
  const [name, email, password] = checkAll(
    () => parseName("name", needed("name", form.name, "a name")),
    () => parseEmail("email", needed("email", form.email, "an email address")),
    () => needed("password", form.password, acceptedPassword),
  );
  refuseWeak("password", password, [name, email]);
  return { name, email, password };
}

/** Stores an active owner. Throws person_exists. */
export async function createOwner(
  people: PersonStore,
  { name, email, password }: ReturnType<typeof parseOwner>,
  { id, nowSeconds }: { id: string; nowSeconds: number },
): Promise<Person> {
  const person = newPerson({ name, email, role: ownerRole }, { id, nowSeconds });
  const owner: Person = { ...person, state: "active", password: await hashPassword(password) };
  return people.create(owner, undefined, { actor: personActor(id), nowSeconds });
}

/** True when the holder of a link sends what makes a person. */
export const isFilled = ({ name, email, password }: LinkForm): boolean =>
  name !== undefined || email !== undefined || password !== undefined;

/** What a person changes of the own account. */
export type OwnChange = { name?: string | undefined; email?: string | undefined; password?: string | undefined };

/** The session in which a person asks, and the password if it was sent again. */
export type Asking = { session: string; signedInAt: number; currentPassword: string | undefined; nowSeconds: number };

/**
 * Changes a person's own account. A new address or password needs the credential again: the current password, or for the
 * address a sign-in a short while ago. Throws sign_in_failed, sign_in_again, argument_missing, password_weak, person_exists.
 */
export async function changeOwn(
  people: PersonStore,
  person: Person,
  change: OwnChange,
  asking: Asking,
): Promise<Person> {
  const { id, password: from } = person;
  const { password: to } = change;
  const name = change.name === undefined ? person.name : parseName("name", change.name);
  const email = change.email === undefined ? person.email : parseEmail("email", change.email);
  if (to !== undefined || email !== person.email) await refuseUnproven(person, to !== undefined, asking);
  if (to !== undefined) refuseWeak("password", to, [name, email]);
  const context = { actor: personActor(id), nowSeconds: asking.nowSeconds };
  const password = to === undefined ? undefined : { from, to: await hashPassword(to), session: asking.session };
  if (!password && name === person.name && email === person.email) return person;
  return people.update(id, { name, email, password }, context);
}

async function refuseUnproven(
  { password }: Person,
  needsPassword: boolean,
  { signedInAt, currentPassword, nowSeconds }: Asking,
): Promise<void> {
  if (currentPassword !== undefined) {
    if (await isPassword(currentPassword, password)) return;
    throw problem("sign_in_failed");
  }
  refuseOldSignIn(signedInAt, nowSeconds);
  // A session that was left open is no proof of the password.
  if (needsPassword && password !== null)
    throw problem("argument_missing", { argument: "current_password", accepted: "the password as it is now" });
}
