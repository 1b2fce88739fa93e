import { addProblems } from "../core/problem.ts";
import { type Id, type Named, named, quote, row } from "../core/problem-row.ts";

/** The failures of people, roles, sessions and sign-in. */

export const peopleProblems = addProblems({
  session_invalid: row(
    "unauthenticated",
    "Session over",
    () => "The session of the admin page is over or unknown; sign in again",
  ),
  csrf_invalid: row(
    "forbidden",
    "Write not from the admin page",
    (p: { rule: string }) => `A session is good for its own page alone: ${p.rule}`,
  ),
  sign_in_link_invalid: row(
    "unauthenticated",
    "Sign-in link invalid",
    () => '"code" is unknown, used or too old; expected the code of a sign-in link that was printed a short while ago',
    "code",
  ),
  sign_in_failed: row("unauthenticated", "Sign-in failed", (p: { issuer?: string } | undefined) =>
    p?.issuer === undefined
      ? "The email address or the password is wrong, or this person may not sign in"
      : `The sign-in at ${p.issuer} was not completed, or whoever signed in there may not sign in here: people are invited by the email address that is verified there`,
  ),
  sign_in_again: row(
    "forbidden",
    "Sign in again",
    (p: { minutes: number }) =>
      `A password or an email address is changed within ${p.minutes} minutes of signing in; sign in again, or send "current_password"`,
  ),
  token_sign_in_off: row(
    "forbidden",
    "Sign-in with tokens is off",
    () => "People sign in here with their email address and password; the setting token_sign_in is off",
  ),
  session_not_found: row("not_found", "Session not found", named("session"), "id"),
  passkey_invalid: row(
    "unprocessable",
    "Passkey invalid",
    (p: Named & { rule: string }) => `"${p.argument}" cannot be verified: ${p.rule}`,
  ),
  passkeys_unavailable: row(
    "conflict",
    "Passkeys unavailable",
    () =>
      "Browsers have passkeys for host names with TLS and for localhost only, and this service has another address; expected a setting public_url that begins with https:// and a host name",
  ),
  passkey_not_found: row("not_found", "Passkey not found", named("passkey of yours")),
  too_many_passkeys: row(
    "conflict",
    "Too many passkeys",
    (p: { limit: number }) => `There are ${p.limit} passkeys of this person already, the most that one may have`,
  ),
  last_credential: row(
    "conflict",
    "Last credential",
    () => "This is the only passkey of somebody without a password; add another one or set a password first",
  ),
  person_not_found: row("not_found", "Person not found", named("person"), "id"),
  person_exists: row(
    "conflict",
    "Person exists",
    (p: { email: string }) => `"email" was ${quote(p.email)}; there is a person with this address already`,
    "email",
  ),
  subject_taken: row(
    "conflict",
    "Subject taken",
    (p: { subject: string }) => `"subject" was ${quote(p.subject)}; another person is bound to it already`,
    "subject",
  ),
  person_disabled: row(
    "conflict",
    "Person disabled",
    (p: Id) => `"id" was ${quote(p.id)}; this person is disabled, and a link could not be used`,
    "id",
  ),
  last_owner: row(
    "conflict",
    "Last owner",
    () => "This is the only active owner; make another one first, so that somebody can manage people",
  ),
  password_weak: row(
    "unprocessable",
    "Password too weak",
    (p: Named & { rule: string }) => `"${p.argument}" is no good password: ${p.rule}`,
  ),
  role_not_found: row(
    "not_found",
    "Role not found",
    (p: Named & { role: string }) => `"${p.argument}" was ${quote(p.role)}; there is no role with this id`,
  ),
  role_built_in: row(
    "conflict",
    "Role built in",
    (p: Id) => `"id" was ${quote(p.id)}; this role is built in and cannot be changed`,
    "id",
  ),
  role_in_use: row(
    "conflict",
    "Role in use",
    (p: Id) => `"id" was ${quote(p.id)}; people have this role; give them another one first`,
    "id",
  ),
  too_many_roles: row(
    "conflict",
    "Too many roles",
    (p: { limit: number }) => `There are ${p.limit} roles already, the most that a store may have`,
  ),
  issuer_unavailable: row(
    "busy",
    "Issuer unavailable",
    (p: { issuer: string }) =>
      `${p.issuer}, where people sign in, does not answer as it should; try again, or sign in otherwise`,
  ),
});

declare module "../core/problem.ts" {
  interface Problems extends RowsOf<typeof peopleProblems> {}
}

export { problem } from "../core/problem.ts";
