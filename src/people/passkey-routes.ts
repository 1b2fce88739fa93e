import { own } from "../core/http/auth.ts";
import { type Answer, data, noContent } from "../core/http/reply.ts";
import { argument, ifSent, objectReader, type Route, route, textReader, writerOf } from "../core/http/route.ts";
import type { JsonObject } from "../core/lib/json.ts";
import { Type } from "../core/lib/json-schema.ts";
import { type Passkey, type PasskeyStore, passkeyFields } from "./passkey.ts";
import type { Ceremonies } from "./passkey-ceremony.ts";
import { passkeyObject, passkeyOptions } from "./passkey-wire.ts";
import { hashLinkCode, type Person, type PersonStore, parseEmail, parseName } from "./person.ts";
import { ownIdOf, refuseOldSession } from "./person-routes.ts";
import { problem } from "./problems.ts";
import type { SessionStore } from "./session.ts";
import { refuseForeign, type Sessions } from "./session-cookie-wire.ts";

const accepted = "the object that PublicKeyCredential.toJSON() answers";
const credential = Type.Unsafe<JsonObject>({
  type: "object",
  description: `What the browser made of the options: ${accepted}.`,
});
const readCredential = objectReader((sent) => sent, accepted);
const passkey = argument(credential, readCredential);
/** The passkey in the form of a link. */
export const linkPasskey = argument(Type.Optional(credential), ifSent(readCredential));

const answer = (value: unknown): Answer => data(JSON.stringify(value), { cacheControl: "no-store" });

// ------------------------------------------------------------------------------------------------------- signing in

type SignInPorts = { people: PersonStore; passkeys: PasskeyStore };
type SignInOptions = {
  sessions: Sessions;
  codes: { holds(code: string): boolean | Promise<boolean> };
  ceremonies: Ceremonies;
};

const url = "/admin/session/passkey";

/**
 * /admin/session/passkey: signing in with a passkey. A key cannot be guessed, so tries are not counted: whoever has one is
 * never locked out by others.
 */
export function passkeySignInRoutes({ people, passkeys }: SignInPorts, options: SignInOptions): Route[] {
  const { sessions, ceremonies } = options;
  return [
    route({
      method: "POST",
      replyForm: { isSecret: true },
      url: `${url}/options`,
      summary: "Options for navigator.credentials.get(); with the code of a link those for create()",
      arguments: {
        code: Type.Optional(Type.String({ description: "The code of a link: of a start, an invitation or a reset." })),
        name: Type.Optional(Type.String({ description: "The person's name, for the browser to show." })),
        email: Type.Optional(Type.String({ description: "The address of an owner to be." })),
      },
      problems: ["csrf_invalid", "passkeys_unavailable", "sign_in_link_invalid", "argument_missing"],
      handle: async (call, { code, ...form }) => {
        refuseForeign(call);
        if (code === undefined) return answer(ceremonies.signInOptions(call.nowSeconds));
        const holder = await holderBy(people, options, code, form, call.nowSeconds);
        const existing = holder.id === undefined ? [] : await passkeys.listOf(holder.id);
        return answer(ceremonies.creationOptions({ join: hashLinkCode(code) }, holder, existing, call.nowSeconds));
      },
    }),
    route({
      method: "POST",
      replyForm: { isSecret: true },
      url,
      summary: "Sign in with a passkey",
      arguments: { passkey },
      problems: ["csrf_invalid", "passkeys_unavailable", "sign_in_failed"],
      handle: async (call, { passkey }) => {
        refuseForeign(call);
        const id = await ceremonies.signIn(passkeys, passkey, call.nowSeconds);
        return sessions.startFor(call, { id, password: null });
      },
    }),
  ];
}

/** For whom the holder of a link makes a passkey. The link stays as it is. Throws sign_in_link_invalid, argument_missing. */
async function holderBy(
  people: PersonStore,
  { codes }: SignInOptions,
  code: string,
  { name, email }: { name?: string | undefined; email?: string | undefined },
  nowSeconds: number,
) {
  const invited = await people.findByLink(hashLinkCode(code), nowSeconds);
  if (invited) return { ...invited, name: name ?? invited.name };
  if (!(await codes.holds(code))) throw problem("sign_in_link_invalid");
  if (email === undefined) throw problem("argument_missing", { argument: "email", accepted: "an email address" });
  return { id: undefined, name: name ?? "", email: parseEmail("email", email) };
}

// --------------------------------------------------------------------------------------------------- one's own passkeys

type PasskeyPorts = { people: PersonStore; passkeys: PasskeyStore; sessions: SessionStore };

const name = argument(
  Type.String({ description: "What to call it: a line of at most 200 characters.", examples: ["Phone"] }),
  textReader(parseName, "a name"),
);

/** /api/people/me/passkeys: a person's own. A change needs a sign-in a short while ago. */
export function passkeyRoutes({ people, passkeys, sessions }: PasskeyPorts, ceremonies: Ceremonies): Route[] {
  const url = "/api/people/me/passkeys";
  return [
    route({
      method: "GET",
      url,
      summary: "List the own passkeys",
      need: own("read"),
      arguments: {},
      reply: Type.Array(passkeyObject, { description: "Passkeys, oldest first." }),
      problems: [],
      handle: async (call) => answer((await passkeys.listOf(ownIdOf(call))).map(passkeyFields)),
    }),
    route({
      method: "POST",
      url: `${url}/options`,
      summary: "Options for navigator.credentials.create()",
      need: own("write"),
      arguments: {},
      reply: passkeyOptions,
      problems: ["passkeys_unavailable", "sign_in_again"],
      handle: async (call) => {
        await refuseOldSession(sessions, call);
        const person: Person = await people.get(ownIdOf(call));
        const existing: Passkey[] = await passkeys.listOf(person.id);
        return answer(ceremonies.creationOptions({ add: person.id }, person, existing, call.nowSeconds));
      },
    }),
    route({
      method: "POST",
      url,
      summary: "Add a passkey that the browser made",
      need: own("write"),
      arguments: { name, passkey },
      reply: passkeyObject,
      problems: ["passkey_invalid", "passkeys_unavailable", "too_many_passkeys", "sign_in_again"],
      handle: async (call, { name, passkey }) => {
        await refuseOldSession(sessions, call);
        const person = ownIdOf(call);
        const sent = { passkey, name, nameArgument: "name" };
        const added = ceremonies.verifyNew(sent, { add: person }, person, call.nowSeconds);
        return answer(passkeyFields(await passkeys.create(added, writerOf(call))));
      },
    }),
    route({
      method: "DELETE",
      url,
      summary: "Remove one of the own passkeys",
      need: own("write"),
      arguments: { id: Type.String({ description: "The passkey's id." }) },
      problems: ["passkey_not_found", "last_credential", "sign_in_again"],
      handle: async (call, { id }) => {
        await refuseOldSession(sessions, call);
        await passkeys.delete(id, ownIdOf(call), writerOf(call));
        return noContent;
      },
    }),
  ];
}
