import { asUsage, type Command, type CommandCall, UsageError } from "../cli/command.ts";
import { formatSecret, formatTime } from "../cli/print.ts";
import { commandOf, commandsOnOne, type OneRow, type Sent, type Shown } from "../cli/row.ts";
import { callSettings } from "../cli/setting-sources.ts";
import { atLocalhost } from "../core/lib/host.ts";
import { isSubject } from "./identity.ts";
import { emailKey, newPerson, parseName, type personFields } from "./person.ts";

const who = "WHO is the id or the email address of a person.";
const linkDetails =
  "The link begins with the setting public_url, otherwise with the address and port that the service has by its settings.\n" +
  "With --url a service that has a mail server mails the link, and it is not printed.";

const onPerson = commandsOnOne({
  noun: "people",
  word: "WHO",
  example: "ada@example.org",
  details: who,
  complete: async (sent, read) => {
    const id = String(sent.id);
    if (!id.includes("@")) return sent;
    const people = (await read("GET /api/people")) as Fields[];
    return { ...sent, id: people.find(({ email }) => emailKey(email) === emailKey(id))?.id ?? id };
  },
});

/** `octavo people …`: what an owner does on the admin page, for the first one and for when the last one is locked out. */
export const peopleCommands: Command[] = [
  commandOf<WithLink>({
    name: "people invite",
    summary: "Invite a person and print the link, once",
    details: `Whoever opens the link within seven days sets the password and is signed in.\n${linkDetails}`,
    takes: ["EMAIL"],
    options: {
      role: { value: "ROLE", help: "Required: owner, editor, author, viewer, or a role of your own." },
      name: { value: "TEXT", help: "The name; the person may change it." },
    },
    examples: [
      "octavo people invite ada@example.org --role owner",
      'octavo people invite bob@example.org --role editor --name "Bob"',
    ],
    route: "POST /api/people",
    send: readInvitation,
    show: shownLink,
  }),
  commandOf<Fields[]>({
    name: "people list",
    summary: "List the people",
    takes: [],
    examples: ["octavo people list", "octavo people list --json"],
    route: "GET /api/people",
    show: (people) => ({ json: { people }, table: { head, rows: people.map(personRow), none } }),
  }),
  onPerson("reset", {
    summary: "Make a link for a new password and print it, once",
    details: `${who} The link holds for 24 hours; for a person who was only invited for seven days.\n${linkDetails}`,
    route: "POST /api/people/reset",
    show: shownLink,
  }),
  onPerson("disable", {
    summary: "End the sessions of a person, who cannot sign in until enabled again",
    ...changed(() => ({ state: "disabled" })),
  }),
  onPerson("enable", {
    summary: "Let a disabled person sign in again",
    ...changed(() => ({ state: "active" })),
  }),
  onPerson("role", {
    summary: "Give a person another role",
    details: `${who} It holds from the next request on.`,
    takes: ["WHO", "ROLE"],
    examples: ["octavo people role ada@example.org owner"],
    ...changed(({ positionals: [, role] }) => ({ role })),
  }),
  onPerson("bind", {
    summary: "Let a person sign in as a subject of the issuer",
    details:
      `${who} The issuer is that of the setting oidc_issuer. Needed where it does not say whose email address is verified;\n` +
      "the log has the subject of each refused sign-in. Who was only invited is active then, and the invitation ends.",
    options: { subject: { value: "SUB", help: "Required: `sub` of the issuer's tokens." } },
    examples: ["octavo people bind ada@example.org --subject 248289761001"],
    ...changed(readSubject),
  }),
  onPerson("unbind", {
    summary: "Let a person no longer sign in at the issuer",
    details: `${who} The sessions end. Who has neither a password nor a passkey is only invited then: octavo people reset.`,
    ...changed(() => ({ subject: null })),
  }),
];

/** As the routes answer it. */
type Fields = ReturnType<typeof personFields>;
type WithLink = Fields & { mailed: boolean; link?: string; link_expires_at: number };

function changed(send: (call: CommandCall) => Sent): Pick<OneRow<Fields>, "route" | "send" | "show"> {
  return {
    route: "PATCH /api/people",
    send,
    show: (json) => ({ json, table: { head, rows: [personRow(json)] } }),
  };
}

function readSubject(call: CommandCall): Sent {
  const { subject } = call.options;
  if (subject === undefined || !isSubject(subject))
    throw new UsageError(`--subject ${subject === undefined ? "is missing" : "is invalid"}; expected the issuer's sub`);
  if (call.options.url === undefined && !callSettings(call).oidcIssuer)
    throw new UsageError("oidc_issuer is not set; expected the issuer of the subject");
  return { subject };
}

const flagNamed = (argument: string): string => (argument === "email" ? "EMAIL" : `--${argument}`);

function readInvitation({ positionals: [email = ""], options: { role, name } }: CommandCall): Sent {
  if (role === undefined)
    throw new UsageError("--role is missing; expected owner, editor, author, viewer, or your own");
  asUsage(() => {
    if (name !== undefined) parseName("name", name);
    newPerson({ email, name, role }, { id: "", nowSeconds: 0 });
  }, flagNamed);
  return { email, name, role };
}

const none = "There are no people. octavo people invite --help shows how to invite the first one.";
const head = ["ID", "NAME", "EMAIL", "ROLE", "STATE", "LAST SEEN"];

const personRow = ({ id, name, email, role, state, last_seen_at }: Fields): string[] => [
  id,
  name || "-",
  email,
  role,
  state,
  formatTime(last_seen_at),
];

/** A service that has a mail server mails the link; a command on its store does not. */
function shownLink({ mailed, ...json }: WithLink, _sent: Sent, call: CommandCall): Shown {
  const { link, email, link_expires_at: expiresAt } = json;
  const until = formatTime(expiresAt);
  if (link === undefined)
    return { json: { ...json, mailed }, text: `The link is mailed to ${email}, and holds until ${until}.` };
  const facts = [
    ["id", json.id],
    ["email", email],
    ["role", json.role],
  ];
  return {
    json,
    text: formatSecret(call, atLocalhost(link), facts, `The link is shown this once, and holds until ${until}.`),
  };
}
