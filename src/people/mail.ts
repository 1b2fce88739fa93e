import type { Person } from "./person.ts";

/** Mail to people: their links. Contract, part three, §19. */

export type Mail = Readonly<{ to: string; subject: string; text: string }>;

/** Where mail goes. */
export interface Mailer {
  /** Resolves when the server has taken the mail for this one address; rejects otherwise, within seconds. */
  send(mail: Mail): Promise<void>;
}

/**
 * The mail with a person's link. It has nothing in it that somebody typed: what a stranger reads in the service's name is
 * the service's.
 */
export function linkMail({ email, state }: Person, link: string, expiresAt: number): Mail {
  const { host } = new URL(link);
  const isInvited = state === "invited";
  const asked = isInvited
    ? `You are invited to Octavo at ${host}.`
    : `A new password for Octavo at ${host} was asked for.`;
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
