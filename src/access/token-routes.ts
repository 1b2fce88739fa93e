import { randomUUID } from "node:crypto";
import { isOwnPreview, refuseEntryOutside } from "../core/access/access.ts";
import {
  acceptedPaths,
  checkTokenTexts,
  createToken,
  maxTokenTextLength,
  parseTokenPaths,
  previewResources,
  rotateToken,
  type Token,
  type TokenInput,
  type TokenStore,
  tokenFields,
  tokenKinds,
  tokenResources,
  tokenStates,
  tokenWrites,
} from "../core/access/token.ts";
import { local, manages, writes } from "../core/http/auth.ts";
import type { Call } from "../core/http/call.ts";
import { strict } from "../core/http/collection.ts";
import { isOperator } from "../core/http/operator.ts";
import { type Answer, data, noContent, tagged } from "../core/http/reply.ts";
import { type ArgumentsOf, argument, type Route, route, writerOf } from "../core/http/route.ts";
import { oneOf } from "../core/http/schema.ts";
import { describeJson, type JsonObject } from "../core/lib/json.ts";
import { Type } from "../core/lib/json-schema.ts";
import { parseTime } from "../core/lib/time.ts";
import { acceptedLocales, type Locales, parseLocales } from "../translation/locale.ts";
import { problem } from "./problems.ts";
import { tokenObject, tokenWithSecret } from "./wire.ts";

const id = Type.String({ description: "The token's id." });
const state = Type.Optional(oneOf(tokenStates, "Whether it is accepted."));
const tokenText = (use: string) =>
  Type.String({
    maxLength: maxTokenTextLength,
    description: `A text of at most ${maxTokenTextLength} characters on one line: ${use}.`,
  });
const label = Type.Optional(tokenText("what people call the token"));
const environment = Type.Optional(tokenText("where the token is used"));
const limitCalls = Type.Optional(
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: "An integer from 0; 0 for no limit." }),
);
const expiresAt = argument(
  Type.Optional(
    Type.Unsafe<number | null>({
      description: 'Unix seconds or an ISO 8601 date in the future; null or "" for never.',
    }),
  ),
  readExpiry,
);

/** Of a token or a role. */
export const paths = argument(
  Type.Optional(
    Type.Union([Type.Array(Type.String()), Type.Null()], {
      description: `Paths of entries and uploads at and below which the token holds: ${acceptedPaths}.`,
    }),
  ),
  readTexts(acceptedPaths),
);
/** Of a token or a role. */
export const locales = argument(
  Type.Optional(
    Type.Union([Type.Array(Type.String()), Type.Null()], {
      description: `The locales that its writes may change: ${acceptedLocales}.`,
    }),
  ),
  readTexts(acceptedLocales),
);
export const localeRefusals = ["locales_missing", "locale_unknown"] as const;
const resources = Type.Optional(
  Type.Array(oneOf(tokenResources, "A resource."), { description: `A list of ${tokenResources.join(", ")}.` }),
);

const shared = {
  paths,
  writes: Type.Optional(oneOf(tokenWrites, "Whether the writes of a management token may change what is live.")),
  locales,
  state,
  label,
  environment,
  limitCalls,
  expiresAt,
};
const release = Type.Optional(
  Type.String({
    description:
      "The id of a release: the preview shows what would be public if that were published, and nothing else.",
  }),
);
const createArguments = { kind: oneOf(tokenKinds, "What the token is for."), resources, release, ...shared };
const updateArguments = { id, ...shared };
const previewArguments = { resources, release, paths, label, environment, limitCalls, expiresAt };

/** /api/tokens: a management token with `admin` and an access token create and change tokens. Contract §8. */
export function tokenRoutes(store: TokenStore, known: Locales | undefined): Route[] {
  const url = "/api/tokens";
  return [
    route({
      unknown: "ignored",
      method: "GET",
      url,
      summary: "List tokens",
      need: manages("admin"),
      arguments: { strict },
      reply: Type.Array(tokenObject, { description: "All tokens." }),
      problems: ["argument_unknown"],
      handle: async () => tagged(JSON.stringify((await store.list()).map(tokenFields))),
    }),
    route({
      unknown: "ignored",
      method: "POST",
      url,
      summary: "Create a token; its secret is answered once",
      need: writes("admin"),
      replyForm: { isSecret: true },
      arguments: createArguments,
      reply: tokenWithSecret,
      problems: ["path_invalid", "release_not_found", ...localeRefusals],
      handle: async (call, args) => {
        const input = inputOf({ ...args, locales: parseLocales(known, args.locales) });
        return withSecret(await createToken(store, input, contextOf(call)));
      },
    }),
    route({
      unknown: "ignored",
      method: "PATCH",
      url,
      summary: "Change a token's state, paths, writes, locales, label, environment, limit or expiry",
      need: writes("admin"),
      arguments: updateArguments,
      reply: tokenObject,
      problems: ["token_not_found", "path_invalid", ...localeRefusals],
      handle: (call, args) => update(store, call, { ...args, locales: parseLocales(known, args.locales) }),
    }),
    route({
      unknown: "ignored",
      method: "PUT",
      url: `${url}/rotate`,
      summary: "Rotate the secret of a token; the old one is invalid at once",
      need: writes("admin"),
      replyForm: { isSecret: true },
      arguments: { id },
      reply: tokenWithSecret,
      problems: ["token_not_found"],
      handle: async (call, { id }) => withSecret(await rotateToken(store, id, writerOf(call))),
    }),
    route({
      unknown: "ignored",
      method: "DELETE",
      url,
      summary: "Revoke a token",
      need: writes("admin"),
      arguments: { id },
      problems: ["token_not_found"],
      handle: (call, { id }) => revoke(store, call, id),
    }),
  ];
}

/** /api/tokens/preview: whoever manages entries makes links to previews of them. Contract, part two, §11. */
export function previewTokenRoutes(store: TokenStore): Route[] {
  const url = "/api/tokens/preview";
  return [
    route({
      method: "GET",
      url,
      summary: "List the preview tokens within the caller's paths",
      need: manages("entries"),
      arguments: {},
      reply: Type.Array(tokenObject, { description: "Preview tokens." }),
      problems: [],
      handle: async ({ access }) => {
        const tokens = await store.list();
        return tagged(JSON.stringify(tokens.filter((token) => isOwnPreview(access, token)).map(tokenFields)));
      },
    }),
    route({
      method: "POST",
      url,
      summary: "Create a preview token within the caller's paths; its secret is answered once",
      need: local(writes("entries")),
      replyForm: { isSecret: true },
      arguments: previewArguments,
      reply: tokenWithSecret,
      problems: ["entry_not_found", "path_invalid", "release_not_found"],
      handle: (call, args) => createPreview(store, call, args),
    }),
    route({
      method: "DELETE",
      url,
      summary: "Revoke a preview token within the caller's paths",
      need: local(writes("entries")),
      arguments: { id },
      problems: ["token_not_found"],
      handle: async (call, { id }) => {
        if (!call.unit?.isReplay && !isOwnPreview(call.access, await store.get(id)))
          throw problem("token_not_found", { id });
        return revoke(store, call, id);
      },
    }),
  ];
}

/** Without paths it has the caller's; without resources those of the caller. */
async function createPreview(
  store: TokenStore,
  call: Call,
  args: ArgumentsOf<typeof previewArguments>,
): Promise<Answer> {
  const { access } = call;
  const own = previewResources.filter((resource) => call.token?.resources.includes(resource));
  const { resources = own } = args;
  const paths = parseTokenPaths(args.paths) ?? access.paths;
  if (paths?.length === 0) throw problem("scope_missing", { needed: "a token and an access token that share a path" });
  for (const path of paths ?? []) refuseEntryOutside(access, path);
  const input = inputOf({ ...args, kind: "preview", resources, paths });
  return withSecret(await createToken(store, input, contextOf(call)));
}

const inputOf = ({ resources = [], label = "", environment = "", limitCalls = 0, ...rest }: Sent): TokenInput => ({
  resources,
  label,
  environment,
  limitCalls,
  ...rest,
});
type Sent = Pick<TokenInput, "kind"> & Partial<TokenInput>;

/** What the operator makes is held by nobody, as what the command line makes. */
const contextOf = (call: Call) => ({
  id: randomUUID(),
  maker: isOperator(call) ? undefined : call.token,
  ...writerOf(call),
});

async function update(store: TokenStore, call: Call, args: ArgumentsOf<typeof updateArguments>): Promise<Answer> {
  const { id, paths, ...more } = args;
  const change = checkTokenTexts({ ...more, ...(paths !== undefined && { paths: parseTokenPaths(paths) }) });
  return data(JSON.stringify(tokenFields(await store.update(id, change, writerOf(call)))));
}

async function revoke(store: TokenStore, call: Call, id: string): Promise<Answer> {
  await store.revoke(id, writerOf(call));
  return noContent;
}

const withSecret = ({ token, secret }: { token: Token; secret: string }): Answer =>
  data(JSON.stringify({ ...tokenFields(token), token: secret }), { cacheControl: "no-store" });

/** Reads a list of texts, or one: undefined means "not sent", null "all". Throws argument_invalid. */
export function readTexts(accepted: string) {
  return (sent: JsonObject, name: string): string[] | null | undefined => {
    const value = sent.get(name);
    if (value === undefined || value === null) return value;
    const list = Array.isArray(value) ? value : [value];
    if (list.every((text) => typeof text === "string")) return list;
    throw problem("argument_invalid", { argument: name, received: describeJson(value), accepted });
  };
}

/** undefined means "not sent", null "never". Throws argument_invalid, also for a time in the past. */
function readExpiry(sent: JsonObject, name: string, { nowSeconds }: Call): number | null | undefined {
  const value = sent.get(name);
  if (value === undefined) return undefined;
  if (value === null || value === "") return null;
  const time = typeof value === "string" || typeof value === "number" ? parseTime(value) : undefined;
  if (time !== undefined && time > nowSeconds) return time;
  throw problem("argument_invalid", {
    argument: name,
    received: describeJson(value),
    accepted: 'Unix seconds or an ISO 8601 date in the future, null or "" for never',
  });
}
