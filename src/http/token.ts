import { randomUUID } from "node:crypto";
import { problem } from "../domain/problem.ts";
import {
  checkTokenChange,
  createToken,
  maxTokenTextLength,
  rotateToken,
  type Token,
  type TokenStore,
  tokenFields,
  tokenKinds,
  tokenResources,
  tokenStates,
} from "../domain/token.ts";
import { describeJson, type JsonObject } from "../lib/json.ts";
import { Type } from "../lib/json-schema.ts";
import { parseTime } from "../lib/time.ts";
import { manages, writes } from "./auth.ts";
import type { Call } from "./call.ts";
import { type Answer, data, noContent, tagged } from "./reply.ts";
import { type ArgumentsOf, argument, type Route, route, writerOf } from "./route.ts";
import { oneOf, tokenObject, tokenWithSecret } from "./schema.ts";

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

const createArguments = {
  kind: oneOf(tokenKinds, "What the token is for."),
  resources: Type.Optional(
    Type.Array(oneOf(tokenResources, "A resource."), { description: `A list of ${tokenResources.join(", ")}.` }),
  ),
  state,
  label,
  environment,
  limitCalls,
  expiresAt,
};
const updateArguments = {
  id,
  state,
  label,
  environment,
  limitCalls,
  expiresAt,
};

/** /api/tokens: a management token with `admin` and an access token create and change tokens. Contract §8. */
export function tokenRoutes(store: TokenStore): Route[] {
  const url = "/api/tokens";
  return [
    route({
      ignoresUnknown: true,
      method: "GET",
      url,
      summary: "List tokens",
      need: manages("admin"),
      arguments: {},
      reply: Type.Array(tokenObject, { description: "All tokens." }),
      problems: [],
      handle: async () => tagged(JSON.stringify((await store.list()).map(tokenFields))),
    }),
    route({
      ignoresUnknown: true,
      method: "POST",
      url,
      summary: "Create a token; its secret is answered once",
      need: writes("admin"),
      arguments: createArguments,
      reply: tokenWithSecret,
      problems: [],
      handle: (call, args) => create(store, call, args),
    }),
    route({
      ignoresUnknown: true,
      method: "PATCH",
      url,
      summary: "Change a token's state, label, environment, limit or expiry",
      need: writes("admin"),
      arguments: updateArguments,
      reply: tokenObject,
      problems: ["token_not_found"],
      handle: (call, args) => update(store, call, args),
    }),
    route({
      ignoresUnknown: true,
      method: "PUT",
      url: `${url}/rotate`,
      summary: "Rotate the secret of a token; the old one is invalid at once",
      need: writes("admin"),
      arguments: { id },
      reply: tokenWithSecret,
      problems: ["token_not_found"],
      handle: async (call, { id }) => withSecret(await rotateToken(store, id, writerOf(call))),
    }),
    route({
      ignoresUnknown: true,
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

async function create(store: TokenStore, call: Call, args: ArgumentsOf<typeof createArguments>): Promise<Answer> {
  const { kind, resources = [], state, label = "", environment = "", limitCalls = 0, expiresAt = null } = args;
  const input = { kind, resources, state, label, environment, limitCalls, expiresAt };
  return withSecret(await createToken(store, input, { id: randomUUID(), ...writerOf(call) }));
}

async function update(store: TokenStore, call: Call, args: ArgumentsOf<typeof updateArguments>): Promise<Answer> {
  const { id, state, label, environment, limitCalls, expiresAt } = args;
  const change = checkTokenChange({ state, label, environment, limitCalls, expiresAt });
  const { actor, nowSeconds } = writerOf(call);
  return data(JSON.stringify(tokenFields(await store.update(id, change, actor, nowSeconds))));
}

async function revoke(store: TokenStore, call: Call, id: string): Promise<Answer> {
  const { actor, nowSeconds } = writerOf(call);
  await store.revoke(id, actor, nowSeconds);
  return noContent;
}

const withSecret = ({ token, secret }: { token: Token; secret: string }): Answer =>
  data(JSON.stringify({ ...tokenFields(token), token: secret }), { cacheControl: "no-store" });

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
