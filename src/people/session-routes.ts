import type { TokenStore } from "../core/access/token.ts";
import { type Credentials, manages, type Need, openTo, own, writes } from "../core/http/auth.ts";
import type { Call } from "../core/http/call.ts";
import { doorWith } from "../core/http/door.ts";
import { listArguments, listPage } from "../core/http/list.ts";
import { type Answer, data, noContent } from "../core/http/reply.ts";
import { type Route, route, writerOf } from "../core/http/route.ts";
import { networkOf, type SignInThrottle } from "../core/http/throttle.ts";
import { Type } from "../core/lib/json-schema.ts";
import type { Ceremonies } from "./passkey-ceremony.ts";
import { linkPasskey } from "./passkey-routes.ts";
import type { Person, PersonStore } from "./person.ts";
import { sessionObject } from "./person-wire.ts";
import { problem } from "./problems.ts";
import {
  createFirstPair,
  formatSessionCursor,
  parseSessionCursor,
  type SessionStore,
  sessionFields,
  type TokenPair,
} from "./session.ts";
import { refuseForeign, type Sessions } from "./session-cookie-wire.ts";
import { createOwner, isFilled, joinByLink, type LinkForm, lookAtLink, parseOwner, personWith } from "./sign-in.ts";
import { beginTry, knowNetwork } from "./sign-in-wire.ts";

const url = "/admin/session";
/** Any management token can sign in; each call checks its resources. */
const pair: Need = { kinds: ["management"], resources: [], writes: "staged", isLocal: true };

/** The one-time codes of sign-in links that the service prints. */
export type SignInCodes = {
  /** True for a valid code, which stays valid. */
  holds(code: string): boolean | Promise<boolean>;
  /** Redeems a code; true when it was valid. */
  redeem(code: string): boolean | Promise<boolean>;
};

type SignInPorts = { tokens: TokenStore; people: PersonStore };
export type SignInOptions = {
  sessions: Sessions;
  codes: SignInCodes;
  throttle: SignInThrottle;
  /** Whether tokens sign in, too. */
  takesTokens: boolean;
  ceremonies: Ceremonies;
  /** The host of the site, of the settings. */
  site: string | undefined;
};

const formArguments = {
  email: Type.Optional(Type.String({ description: "A person's email address." })),
  password: Type.Optional(Type.String({ description: "The password." })),
};

/** /admin/session: the current session, signing in as a person, with tokens or a link, signing out. Contract §8; part three, §19. */
export function signInRoutes({ tokens, people }: SignInPorts, options: SignInOptions): Route[] {
  const { sessions } = options;
  const code = Type.String({ description: "The code of a sign-in link." });
  const name = Type.Optional(Type.String({ description: "The person's name." }));
  return [
    route({
      unknown: "ignored",
      method: "GET",
      url,
      summary: "Read the current session; null when nobody is signed in",
      arguments: {},
      problems: [],
      handle: async (call) => {
        const found = await sessions.find(call);
        return found ? sessions.show(call, found) : data("null", { cacheControl: "no-store" });
      },
    }),
    route({
      unknown: "ignored",
      method: "POST",
      url,
      summary:
        "Sign in as a person, or with a management and an access token; with a session cookie, extend the session",
      need: pair,
      door: signInDoor,
      replyForm: { isSecret: true },
      arguments: formArguments,
      problems: ["csrf_invalid", "sign_in_failed", "too_many_failures", "token_sign_in_off"],
      handle: async (call, { email, password }) => {
        refuseForeign(call);
        return call.token ? withTokens(call, options) : withPassword(call, people, options, email, password);
      },
    }),
    route({
      method: "POST",
      url: `${url}/link`,
      summary: "Sign in with the one-time code of a link: of a start, an invitation or a reset",
      replyForm: { isSecret: true },
      arguments: {
        code,
        name,
        ...formArguments,
        passkey: linkPasskey,
        passkeyName: Type.Optional(Type.String({ description: "What to call the passkey." })),
      },
      problems: [
        "sign_in_link_invalid",
        "csrf_invalid",
        "password_weak",
        "person_exists",
        "token_sign_in_off",
        "passkey_invalid",
        "passkeys_unavailable",
      ],
      handle: async (call, { code, ...form }) => {
        refuseForeign(call);
        const person =
          (await joinByLink(people, options.ceremonies, code, form, writerOf(call))) ??
          (await ownerBy(call, people, options, code, form));
        if (person) {
          knowNetwork(options.throttle, person.email, call.address);
          return sessions.startFor(call, person);
        }
        refuseTokens(options);
        if (!(await options.codes.redeem(code))) throw problem("sign_in_link_invalid");
        return sessions.start(call, await createFirstPair(tokens, sessions.endOf(call.nowSeconds), writerOf(call)));
      },
    }),
    route({
      method: "POST",
      url: `${url}/link/about`,
      summary: "Read whose invitation or reset a link is, and who made it",
      arguments: { code },
      problems: ["sign_in_link_invalid", "csrf_invalid"],
      handle: async (call, { code }) => {
        refuseForeign(call);
        const { person, by } = await lookAtLink(people, code, call.nowSeconds);
        const about = {
          ...{ email: person.email, name: person.name, site: options.site ?? null },
          invited_by: by ? { name: by.name, email: by.email } : null,
        };
        return data(JSON.stringify(about), { cacheControl: "no-store" });
      },
    }),
    route({
      unknown: "ignored",
      method: "DELETE",
      url,
      summary: "Sign out",
      arguments: {},
      problems: ["csrf_invalid"],
      handle: async (call) => {
        refuseForeign(call);
        const found = await sessions.find(call);
        // Signing out of a session that has ended requires nothing.
        if (found) {
          sessions.refuseForged(call.headers);
          await sessions.end(call, found);
        }
        return { ...noContent, headers: sessions.noCookie(call) };
      },
    }),
  ];
}

/** Tokens or a session say who calls, unless an email address and a password do, which the route checks. */
const signInDoor = doorWith({
  personNeed: own("write"),
  senderOf: ({ nowSeconds }, _need, sent) =>
    sent.has("email") || sent.has("password") ? openTo(nowSeconds) : undefined,
});

/** Signs in with the tokens of the call; extends its session. */
async function withTokens(call: Call, options: SignInOptions): Promise<Answer> {
  const { sessions } = options;
  const { session, token, accessToken } = call.credentials as Credentials;
  const found = session === undefined ? undefined : await sessions.find(call);
  if (session !== undefined && !found) throw problem("session_invalid");
  if (found && "person" in found.holder) return sessions.prolong(call, found);
  refuseTokens(options);
  return found ? sessions.prolong(call, found) : sessions.start(call, { token, accessToken } as TokenPair);
}

function refuseTokens({ takesTokens }: SignInOptions): void {
  if (!takesTokens) throw problem("token_sign_in_off");
}

async function withPassword(
  call: Call,
  people: PersonStore,
  { sessions, throttle }: SignInOptions,
  email: string | undefined,
  password: string | undefined,
): Promise<Answer> {
  if (email === undefined) throw problem("argument_missing", { argument: "email", accepted: "an email address" });
  if (password === undefined) throw problem("argument_missing", { argument: "password", accepted: "a password" });
  const done = beginTry(throttle, email, call.address);
  const person = await personWith(people, email, password, networkOf(call.address));
  done();
  return sessions.startFor(call, person);
}

/** The owner that a start's link makes; undefined for a code without one. The code is used up when the owner can be made. */
async function ownerBy(
  call: Call,
  people: PersonStore,
  { codes, ceremonies }: SignInOptions,
  code: string,
  form: LinkForm,
): Promise<Person | undefined> {
  if (!isFilled(form)) return undefined;
  if (!(await codes.holds(code))) throw problem("sign_in_link_invalid");
  const owner = await parseOwner(ceremonies, code, form, call.nowSeconds);
  if (await people.findByEmail(owner.email)) throw problem("person_exists", { email: owner.email });
  if (!(await codes.redeem(code))) throw problem("sign_in_link_invalid");
  return createOwner(people, owner, writerOf(call));
}

// ---------------------------------------------------------------------------------------------- the list

const actor = Type.Optional(
  Type.String({ description: "Whose: the id of a management token, or `person:` and the id of a person." }),
);
const endArguments = { id: Type.String({ description: "The session's id." }) };

/** /api/sessions: lists the live sessions of the admin page, and ends one. Decision 23. */
export function sessionRoutes(store: SessionStore, people: PersonStore): Route[] {
  return [
    route({
      unknown: "ignored",
      method: "GET",
      url: "/api/sessions",
      summary: "List the live sessions of the admin page",
      need: manages("admin"),
      arguments: { ...listArguments(parseSessionCursor), actor },
      reply: Type.Array(sessionObject, { description: "Live sessions, newest first." }),
      problems: ["argument_invalid", "cursor_invalid"],
      handle: (call, args) =>
        listPage(call, args, {
          read: (limit, after) => store.list(call.nowSeconds, limit, after, args.actor),
          fields: sessionFields,
          actors: { people, of: ["actor"] },
          cursorOf: formatSessionCursor,
        }),
    }),
    route({
      unknown: "ignored",
      method: "DELETE",
      url: "/api/sessions",
      summary: "End a session of the admin page",
      need: writes("admin"),
      arguments: endArguments,
      problems: ["session_not_found"],
      handle: (call, { id }) => end(store, call, id),
    }),
  ];
}

async function end(store: SessionStore, call: Call, id: string): Promise<Answer> {
  await store.end(id, writerOf(call));
  return noContent;
}
