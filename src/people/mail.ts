import type { Person } from "./person.ts";

/** Mail to people: their links. Contract, part three, §19. */

export type Mail = Readonly<{ to: string; subject: string; text: string }>;

/** Where mail goes. */
export interface Mailer {
  /** Resolves when the server has taken the mail for this one address; rejects otherwise, within seconds. */
  send(mail: Mail): Promise<void>;
}

/** What an invitation names beside the service: the host of the site, and who invites. Undefined where they are not known. */
export type Inviting = Readonly<{ site?: string | undefined; by?: Pick<Person, "name" | "email"> | undefined }>;

/**
 * The mail with a person's link. Of what somebody typed it has email addresses, and a name of letters: nothing that a stranger
 * could take for an address to open in the service's name.
 */
export function linkMail({ email, state }: Person, link: string, expiresAt: number, { site, by }: Inviting = {}): Mail {
  const { host } = new URL(link);
  const isInvited = state === "invited";
  const place = site === undefined ? `Octavo at ${host}` : `${site}, with Octavo at ${host}`;
  const asked = !isInvited
    ? `A new password for Octavo at ${host} was asked for.`
    : by === undefined
      ? `You are invited to ${place}, as ${email}.`
      : `${isPlain(by.name) ? `${by.name} (${by.email})` : by.email} invites you to ${place}, as ${email}.`;
  const open = isInvited ? "Open this address to choose a password:" : "Open this address to set it:";
  return {
    to: email,
    subject: isInvited ? `Your invitation to Octavo at ${host}` : `Your new password for Octavo at ${host}`,
    text: [
      asked,
      "",
      open,
      "",
      link,
      "",
      `It can be used once, until ${new Date(expiresAt * 1000).toUTCString()}. If you do not expect this mail, ignore it.`,
      "",
    ].join("\n"),
  };
}

const isPlain = (name: string): boolean => /^[\p{L}\p{M}][\p{L}\p{M}'’ -]*$/u.test(name);
