import { randomUUID } from "node:crypto";
import { asUsage, type Command, type CommandCall, jsonOption, UsageError } from "../cli/command.ts";
import { bold, formatTable, formatTime, print, printJson, printTable } from "../cli/print.ts";
import { callSettings } from "../cli/setting-sources.ts";
import { actor, nowSeconds, withExistingStores } from "../cli/store.ts";
import { localUrl } from "../core/lib/host.ts";
import type { Settings } from "../settings.ts";
import type { Stores } from "../stores.ts";
import { isSubject } from "./identity.ts";
import { linkAddress, newLink, newPerson, type Person, type PersonChange, parseName, personFields } from "./person.ts";

const who = "WHO is the id or the email address of a person.";
const linkDetails =
  "The link begins with the setting public_url, otherwise with the address and port that the service has by its settings.";

/** `octavo people …`: what an owner does on the admin page, for the first one and for when the last one is locked out. */
export const peopleCommands: Command[] = [
  {
    name: "people invite",
    summary: "Invite a person and print the link, once",
    details: `Whoever opens the link within seven days sets the password and is signed in.\n${linkDetails}`,
    takes: ["EMAIL"],
    options: {
      role: { value: "ROLE", help: "Required: owner, editor, author, viewer, or a role of your own." },
      name: { value: "TEXT", help: "The name; the person may change it." },
      json: jsonOption,
    },
    examples: [
      "octavo people invite ada@example.org --role owner",
      'octavo people invite bob@example.org --role editor --name "Bob"',
    ],
    run: invite,
  },
  {
    name: "people list",
    summary: "List the people",
    takes: [],
    options: { json: jsonOption },
    examples: ["octavo people list", "octavo people list --json"],
    run: list,
  },
  {
    name: "people reset",
    summary: "Make a link for a new password and print it, once",
    details: `${who} The link holds for 24 hours; for a person who was only invited for seven days.\n${linkDetails}`,
    takes: ["WHO"],
    options: { json: jsonOption },
    examples: ["octavo people reset ada@example.org"],
    run: reset,
  },
  {
    name: "people disable",
    summary: "End the sessions of a person, who cannot sign in until enabled again",
    details: who,
    takes: ["WHO"],
    options: { json: jsonOption },
    examples: ["octavo people disable ada@example.org"],
    run: (call) => change(call, { state: "disabled" }),
  },
  {
    name: "people enable",
    summary: "Let a disabled person sign in again",
    details: who,
    takes: ["WHO"],
    options: { json: jsonOption },
    examples: ["octavo people enable ada@example.org"],
    run: (call) => change(call, { state: "active" }),
  },
  {
    name: "people role",
    summary: "Give a person another role",
    details: `${who} It holds from the next request on.`,
    takes: ["WHO", "ROLE"],
    options: { json: jsonOption },
    examples: ["octavo people role ada@example.org owner"],
    run: (call) => change(call, { role: call.positionals[1] }),
  },
  {
    name: "people bind",
    summary: "Let a person sign in as a subject of the issuer",
    details:
      `${who} The issuer is that of the setting oidc_issuer. Needed where it does not say whose email address is verified;\n` +
      "the log has the subject of each refused sign-in. Who was only invited is active then, and the invitation ends.",
    takes: ["WHO"],
    options: { subject: { value: "SUB", help: "Required: `sub` of the issuer's tokens." }, json: jsonOption },
    examples: ["octavo people bind ada@example.org --subject 248289761001"],
    run: bind,
  },
  {
    name: "people unbind",
    summary: "Let a person no longer sign in at the issuer",
    details: `${who} The sessions end. Who has neither a password nor a passkey is only invited then: octavo people reset.`,
    takes: ["WHO"],
    options: { json: jsonOption },
    examples: ["octavo people unbind ada@example.org"],
    run: (call) => change(call, { identity: null }),
  },
];

async function bind(call: CommandCall): Promise<void> {
  const { subject } = call.options;
  const { oidcIssuer: issuer } = callSettings(call);
  if (subject === undefined || !isSubject(subject))
    throw new UsageError(`--subject ${subject === undefined ? "is missing" : "is invalid"}; expected the issuer's sub`);
  if (!issuer) throw new UsageError("oidc_issuer is not set; expected the issuer of the subject");
  await change(call, { identity: { issuer, subject } });
}

const flagNamed = (argument: string): string => (argument === "email" ? "EMAIL" : `--${argument}`);

async function invite(call: CommandCall): Promise<void> {
  const [email = ""] = call.positionals;
  const { role, name } = call.options;
  if (role === undefined)
    throw new UsageError("--role is missing; expected owner, editor, author, viewer, or your own");
  const now = nowSeconds();
  const person = asUsage(() => {
    if (name !== undefined) parseName("name", name);
    return newPerson({ email, name, role }, { id: randomUUID(), nowSeconds: now });
  }, flagNamed);
  const { code, link } = newLink(person, now);
  const settings = callSettings(call);
  await withExistingStores(settings, ({ people }) => people.create(person, link, { actor, nowSeconds: now }));
  printLink(call, settings, person, { code, expiresAt: link.expiresAt });
}

const pageSize = 500;

async function list(call: CommandCall): Promise<void> {
  const all = await withExistingStores(callSettings(call), async ({ people }) => {
    const found: Person[] = [];
    for (;;) {
      const page = await people.list(pageSize, found.at(-1));
      found.push(...page);
      if (page.length < pageSize) return found;
    }
  });
  if (call.switches.has("json")) printJson(call, { people: all.map(personFields) });
  else if (all.length > 0) printTable(call, head, all.map(personRow));
  else print(call, "There are no people. octavo people invite --help shows how to invite the first one.");
}

async function reset(call: CommandCall): Promise<void> {
  const settings = callSettings(call);
  const now = nowSeconds();
  const made = await onPerson(call, async ({ people }, person) => {
    const { code, link } = newLink(person, now);
    return { person: await people.link(person.id, link, { actor, nowSeconds: now }), code, expiresAt: link.expiresAt };
  });
  printLink(call, settings, made.person, made);
}

async function change(call: CommandCall, wanted: PersonChange): Promise<void> {
  const context = { actor, nowSeconds: nowSeconds() };
  const person = await onPerson(call, ({ people }, { id }) => people.update(id, wanted, context));
  if (call.switches.has("json")) printJson(call, personFields(person));
  else printTable(call, head, [personRow(person)]);
}

const onPerson = <T>(call: CommandCall, work: (stores: Stores, person: Person) => Promise<T>): Promise<T> => {
  const [who = ""] = call.positionals;
  return withExistingStores(callSettings(call), async (stores) => {
    const found = who.includes("@") ? await stores.people.findByEmail(who) : undefined;
    return work(stores, found ?? (await stores.people.get(who)));
  });
};

const head = ["ID", "NAME", "EMAIL", "ROLE", "STATE", "LAST SEEN"];

const personRow = ({ id, name, email, role, state, lastSeenAt }: Person): string[] => [
  id,
  name || "-",
  email,
  role,
  state,
  formatTime(lastSeenAt),
];

function printLink(
  call: CommandCall,
  { publicUrl, host, port }: Settings,
  person: Person,
  { code, expiresAt }: { code: string; expiresAt: number },
): void {
  const isAddress6 = host.includes(":");
  const link = linkAddress(publicUrl ?? localUrl(`http://${isAddress6 ? `[${host}]` : host}:${port}`), code);
  const expiry = { link, link_expires_at: expiresAt };
  if (call.switches.has("json")) {
    printJson(call, { ...personFields(person), ...expiry });
    return;
  }
  const facts = [
    ["id", person.id],
    ["email", person.email],
    ["role", person.role],
  ];
  const until = `The link is shown this once, and holds until ${formatTime(expiresAt)}.`;
  print(call, [bold(call, link), formatTable(facts), until].join("\n\n"));
}
