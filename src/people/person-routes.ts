import { randomUUID } from "node:crypto";
import { personActor, personIdOf } from "../core/access/actor.ts";
import { manages, own, writes } from "../core/http/auth.ts";
import type { Call } from "../core/http/call.ts";
import { listArguments, listPage } from "../core/http/list.ts";
import { type Answer, data, noContent } from "../core/http/reply.ts";
import {
  type ArgumentsOf,
  argument,
  ifSent,
  objectReader,
  type Route,
  route,
  textOrNull,
  textReader,
  writerOf,
} from "../core/http/route.ts";
import { oneOf } from "../core/http/schema.ts";
import type { SignInThrottle } from "../core/http/throttle.ts";
import { formatJson } from "../core/lib/json.ts";
import { Type } from "../core/lib/json-schema.ts";
import { parseIdentity } from "./identity.ts";
import { linkMail, type Mail, type Mailer } from "./mail.ts";
import {
  formatPersonCursor,
  linkAddress,
  newLink,
  newPerson,
  type Person,
  type PersonChange,
  type PersonStore,
  parseEmail,
  parseName,
  parsePersonCursor,
  personFields,
  refuseOldSignIn,
} from "./person.ts";
import { ownPerson, ownSession, personObject, personWithLink } from "./person-wire.ts";
import { problem } from "./problems.ts";
import type { SessionStore } from "./session.ts";
import { changeOwn, makerOf, refuseWrongPassword } from "./sign-in.ts";
import { beginTry } from "./sign-in-wire.ts";

type PersonPorts = { people: PersonStore; sessions: SessionStore };
type PersonOptions = {
  /** Where links begin: from the settings, never from a request. */
  linkBase(): string;
  throttle: SignInThrottle;
  /** The host of the site, of the settings. */
  site: string | undefined;
  /** Whose subjects people are bound to; undefined where the settings name none. */
  issuer: string | undefined;
  /** Undefined where the settings name no mail server: links are shown to copy. */
  mailer: Mailer | undefined;
  /** Logs why a mail was not taken. */
  onMailFailure(error: unknown): void;
};

const id = Type.String({ description: "The person's id." });
const name = argument(
  Type.Optional(Type.String({ description: "The name, a line of at most 200 characters." })),
  ifSent(textReader((argument, text) => parseName(argument, text), "a name")),
);
const email = Type.String({ description: "The email address, unique without case." });
const readEmail = textReader((argument, text) => parseEmail(argument, text), "an email address");
const newEmail = argument(email, readEmail);
const otherEmail = argument(Type.Optional(email), ifSent(readEmail));
const role = Type.String({ description: "The id of a role." });

const updateArguments = {
  id,
  name,
  email: otherEmail,
  role: Type.Optional(role),
  state: Type.Optional(oneOf(["active", "disabled"], "`disabled` ends the sessions.")),
  subject: argument(
    Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: "Binds the person to this `sub` of the issuer that `oidc_issuer` names; null to none.",
      }),
    ),
    textOrNull("a sub, or null"),
  ),
};

/** /api/people: for owners and management tokens with `admin`; /api/people/me: for everybody with a session. */
export function personRoutes(ports: PersonPorts, options: PersonOptions): Route[] {
  return [...managedRoutes(ports, options), ...ownRoutes(ports, options)];
}

function managedRoutes({ people, sessions }: PersonPorts, options: PersonOptions): Route[] {
  const url = "/api/people";
  return [
    route({
      method: "GET",
      url,
      summary: "List people",
      need: manages("admin"),
      arguments: listArguments(parsePersonCursor),
      reply: Type.Array(personObject, { description: "People by the time they were invited." }),
      problems: ["argument_invalid", "cursor_invalid"],
      handle: (call, args) =>
        listPage(call, args, {
          read: (limit, after) => people.list(limit, after),
          fields: personFields,
          cursorOf: formatPersonCursor,
        }),
    }),
    route({
      method: "POST",
      url,
      summary: "Invite a person; the link is mailed, or answered once",
      need: writes("admin"),
      arguments: { email: newEmail, name, role },
      reply: personWithLink,
      replyForm: { isSecret: true },
      problems: ["person_exists", "role_not_found"],
      handle: async (call, args) => {
        const person = newPerson(args, { id: randomUUID(), nowSeconds: call.nowSeconds });
        const { code, link } = newLink(person, writerOf(call));
        const created = await people.create(person, link, writerOf(call));
        return withLink(options, code, created, link.expiresAt, await makerOf(people, code));
      },
    }),
    route({
      method: "PATCH",
      url,
      summary: "Change a person's name, address, role, state or subject at the issuer",
      need: writes("admin"),
      arguments: updateArguments,
      reply: personObject,
      problems: [
        "argument_invalid",
        "person_not_found",
        "person_exists",
        "subject_taken",
        "role_not_found",
        "last_owner",
        "sign_in_again",
      ],
      handle: async (call, args) => update({ people, sessions }, options, call, args),
    }),
    route({
      method: "DELETE",
      url,
      summary: "Delete a person; the name stays in the log",
      need: writes("admin"),
      arguments: { id },
      problems: ["person_not_found", "last_owner"],
      handle: async (call, { id }) => {
        await people.delete(id, writerOf(call));
        return noContent;
      },
    }),
    route({
      method: "POST",
      url: `${url}/reset`,
      summary: "Make a link with which a person sets another password, or accepts the invitation",
      need: writes("admin"),
      arguments: { id },
      reply: personWithLink,
      replyForm: { isSecret: true },
      problems: ["person_not_found", "person_disabled", "sign_in_again"],
      handle: async (call, { id }) => {
        await refuseOldOwn(sessions, call, id);
        const { code, link } = newLink(await people.get(id), writerOf(call));
        const linked = await people.link(id, link, writerOf(call));
        return withLink(options, code, linked, link.expiresAt, await makerOf(people, code));
      },
    }),
  ];
}

async function update(
  { people, sessions }: PersonPorts,
  { issuer }: PersonOptions,
  call: Call,
  { id, subject, ...facts }: ArgumentsOf<typeof updateArguments>,
): Promise<Answer> {
  const identity = typeof subject === "string" ? parseIdentity("subject", { issuer, subject }) : subject;
  if (identity !== undefined || facts.email !== undefined) await refuseOldOwn(sessions, call, id);
  const change = { ...facts, identity } as PersonChange;
  const changed = await people.update(id, change, writerOf(call));
  return data(JSON.stringify(personFields(changed)), { cacheControl: "no-store" });
}

/** An owner's way to others' credentials is none around the own one. Throws sign_in_again. */
async function refuseOldOwn(sessions: SessionStore, call: Call, id: string): Promise<void> {
  if (call.token?.id === personActor(id)) await refuseOldSession(sessions, call);
}

/** Throws sign_in_again for a session that is too old for a change of a credential. */
export async function refuseOldSession(sessions: SessionStore, call: Call): Promise<void> {
  refuseOldSignIn((await sessionOf(sessions, call)).createdAt, call.nowSeconds);
}

async function sessionOf(sessions: SessionStore, call: Call) {
  const session = await sessions.find(call.credentials?.session ?? "", call.nowSeconds);
  if (!session) throw problem("session_invalid");
  return session;
}

/** Mails the link of a person, or answers it where there is no mail server or it does not take the mail. */
async function withLink(
  options: PersonOptions,
  code: string,
  person: Person,
  expiresAt: number,
  by: Person | undefined,
): Promise<Answer> {
  const link = linkAddress(options.linkBase(), code);
  const isMailed = await mailed(options, linkMail(person, link, expiresAt, { site: options.site, by }));
  const shown = { ...personFields(person), mailed: isMailed, ...(!isMailed && { link }), link_expires_at: expiresAt };
  return data(JSON.stringify(shown), { cacheControl: "no-store" });
}

async function mailed({ mailer, onMailFailure }: PersonOptions, mail: Mail): Promise<boolean> {
  try {
    await mailer?.send(mail);
    return mailer !== undefined;
  } catch (error) {
    onMailFailure(error);
    return false;
  }
}

// --------------------------------------------------------------------------------------------------- one's own account

const ownArguments = {
  name,
  email: otherEmail,
  password: Type.Optional(Type.String({ description: "A new password of 8 to 256 characters." })),
  currentPassword: Type.Optional(Type.String({ description: "The password as it is now: needed for a new one." })),
  preferences: argument(
    Type.Optional(
      Type.Unsafe<string>({
        type: "object",
        description:
          "What the admin page is to keep for the person: merged by key, null removes one. At most 16 KiB in all.",
      }),
    ),
    ifSent(objectReader(formatJson, "an object")),
  ),
};

/** The id of the person who calls, of a route that only a person's session may call. */
export const ownIdOf = ({ token }: Call): string => personIdOf(token?.id ?? "") ?? "";

function ownRoutes({ people, sessions }: PersonPorts, { throttle }: PersonOptions): Route[] {
  const url = "/api/people/me";
  const me = (call: Call): Promise<Person> => people.get(ownIdOf(call));
  const show = async (person: Person): Promise<Answer> => {
    const preferences = await people.preferencesOf(person.id);
    const text = `${JSON.stringify(personFields(person)).slice(0, -1)},"preferences":${preferences}}`;
    return data(text, { cacheControl: "no-store" });
  };
  return [
    route({
      method: "GET",
      url,
      summary: "Read the own account",
      need: own("read"),
      arguments: {},
      reply: ownPerson,
      problems: [],
      handle: async (call) => show(await me(call)),
    }),
    route({
      method: "PATCH",
      url,
      summary: "Change the own name, address, password or preferences",
      need: own("write"),
      arguments: ownArguments,
      reply: ownPerson,
      problems: [
        "argument_missing",
        "argument_invalid",
        "person_exists",
        "password_weak",
        "sign_in_failed",
        "sign_in_again",
        "data_too_large",
      ] as Route["problems"],
      handle: async (call, { currentPassword, ...change }) => {
        const person = await me(call);
        const { id: session, createdAt: signedInAt } = await sessionOf(sessions, call);
        if (currentPassword !== undefined) {
          const done = beginTry(throttle, person.email, call.address);
          await refuseWrongPassword(person, currentPassword);
          done();
        }
        const asking = { ...writerOf(call), session, signedInAt, isProven: currentPassword !== undefined };
        return show(await changeOwn(people, person, change, asking));
      },
    }),
    route({
      method: "GET",
      url: `${url}/sessions`,
      summary: "List the own sessions",
      need: own("read"),
      arguments: {},
      reply: Type.Array(ownSession, { description: "Live sessions, newest first." }),
      problems: [],
      handle: async (call) => {
        const found = await sessions.listOf(call.token?.id ?? "", call.nowSeconds);
        const rows = found.map(({ id, createdAt, lastSeenAt, expiresAt }) => ({
          id,
          created_at: createdAt,
          last_seen_at: lastSeenAt,
          expires_at: expiresAt,
          current: id === call.credentials?.session,
        }));
        return data(JSON.stringify(rows), { cacheControl: "no-store" });
      },
    }),
    route({
      method: "DELETE",
      url: `${url}/sessions`,
      summary: "End one of the own sessions",
      need: own("write"),
      arguments: { id: Type.String({ description: "The session's id." }) },
      problems: ["session_not_found"],
      handle: async (call, { id }) => {
        await sessions.end(id, { ...writerOf(call), of: call.token?.id });
        return noContent;
      },
    }),
  ];
}
