import { randomUUID } from "node:crypto";
import { Type } from "typebox";
import { checkAll, problem } from "../domain/problem.ts";
import {
  checkTokenChange,
  createToken,
  maxTokenTextLength,
  rotateToken,
  type Token,
  type TokenKind,
  type TokenResource,
  type TokenState,
  type TokenStore,
  tokenFields,
  tokenKinds,
  tokenResources,
  tokenStates,
} from "../domain/token.ts";
import { describeJson } from "../lib/json.ts";
import { parseTime } from "../lib/time.ts";
import { manages, writes } from "./auth.ts";
import type { Call } from "./call.ts";
import { type Refused, sampleTokenId } from "./example.ts";
import { type Answer, data, noContent, tagged } from "./reply.ts";
import { type ApiRoute, argumentsOf, readArguments, writerOf } from "./route.ts";
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
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: "An integer from 0; 0 is without limit." }),
);
const expiresAt = Type.Optional(
  Type.Unknown({ description: 'Unix seconds or an ISO 8601 date in the future; null or "" for never.' }),
);

const createArguments = {
  kind: oneOf(tokenKinds, "What the token is for."),
  resources: Type.Optional(
    Type.Array(oneOf(tokenResources, "A resource."), { description: `A list of ${tokenResources.join(", ")}.` }),
  ),
  state,
  label,
  environment,
  limit_calls: limitCalls,
  expires_at: expiresAt,
};
const updateArguments = {
  id,
  state,
  label,
  environment,
  limit_calls: limitCalls,
  expires_at: expiresAt,
};

const unknownToken: Refused = { token_not_found: { arguments: { id: "00000000-0000-4000-8000-000000000000" } } };

/** /api/tokens: tokens are made and changed by a management token with `admin` and an access token. Contract §8. */
export function tokenRoutes(store: TokenStore): ApiRoute[] {
  const url = "/api/tokens";
  return [
    {
      method: "GET",
      url,
      summary: "List tokens",
      description: "All tokens, without their secrets: of these only hashes are stored.",
      examples: [{ summary: "The tokens of the sample site" }],
      need: manages("admin"),
      arguments: {},
      reply: Type.Array(tokenObject, { description: "All tokens." }),
      problems: [],
      handle: async () => tagged(JSON.stringify((await store.list()).map(tokenFields))),
    },
    {
      method: "POST",
      url,
      summary: "Create a token; its secret is answered once",
      description:
        "Delivery and management tokens need `resources`; images and access tokens have none. The secret is in `token`, in " +
        "this answer alone.",
      examples: [
        {
          summary: "A token for a website",
          arguments: { kind: "delivery", resources: ["entries", "files"], label: "website", limit_calls: 100_000 },
        },
        { summary: "A token for pictures that ends", arguments: { kind: "images", expires_at: "2040-01-01" } },
      ],
      need: writes("admin"),
      arguments: createArguments,
      reply: tokenWithSecret,
      problems: [],
      handle: (call) => create(store, call),
    },
    {
      method: "PATCH",
      url,
      summary: "Change a token's state, label, environment, limit or expiry",
      description:
        "What is not sent stays. A token that is disabled is refused from the next request on, on other nodes within two " +
        "seconds. Kind and resources cannot be changed.",
      examples: [
        { summary: "Disable a token", arguments: { id: sampleTokenId, state: "disabled" } },
        {
          summary: "Another label and a limit",
          arguments: { id: sampleTokenId, label: "old website", limit_calls: 1000 },
        },
      ],
      refused: unknownToken,
      need: writes("admin"),
      arguments: updateArguments,
      reply: tokenObject,
      problems: ["token_not_found"],
      handle: (call) => update(store, call),
    },
    {
      method: "PUT",
      url: `${url}/rotate`,
      summary: "Give a token another secret; the old one is void at once",
      description: "Everything else about the token stays. The new secret is in `token`, in this answer alone.",
      examples: [{ summary: "Rotate a token", arguments: { id: sampleTokenId } }],
      refused: unknownToken,
      need: writes("admin"),
      arguments: { id },
      reply: tokenWithSecret,
      problems: ["token_not_found"],
      handle: (call) => rotate(store, call),
    },
    {
      method: "DELETE",
      url,
      summary: "Revoke a token",
      description: "The token is gone for good. To shut it out for a while, disable it.",
      examples: [{ summary: "Revoke a token", arguments: { id: sampleTokenId } }],
      refused: unknownToken,
      need: writes("admin"),
      arguments: { id },
      problems: ["token_not_found"],
      handle: (call) => revoke(store, call),
    },
  ];
}

type Shared = { state?: TokenState; label?: string; environment?: string; limit_calls?: number };

async function create(store: TokenStore, call: Call): Promise<Answer> {
  const [read, expiresAt] = checkAll(
    () => readArguments<Shared & { kind: TokenKind; resources?: TokenResource[] }>(call, createArguments),
    () => readExpiry(call),
  );
  const input = {
    kind: read.kind,
    resources: read.resources ?? [],
    label: read.label ?? "",
    environment: read.environment ?? "",
    state: read.state,
    limitCalls: read.limit_calls ?? 0,
    expiresAt: expiresAt ?? null,
  };
  return withSecret(await createToken(store, input, { id: randomUUID(), ...writerOf(call) }));
}

async function update(store: TokenStore, call: Call): Promise<Answer> {
  const [read, expiresAt] = checkAll(
    () => readArguments<Shared & { id: string }>(call, updateArguments),
    () => readExpiry(call),
  );
  const change = checkTokenChange({
    state: read.state,
    label: read.label,
    environment: read.environment,
    limitCalls: read.limit_calls,
    expiresAt,
  });
  return data(JSON.stringify(tokenFields(await store.update(read.id, change, writerOf(call).actor, call.nowSeconds))));
}

async function rotate(store: TokenStore, call: Call): Promise<Answer> {
  return withSecret(await rotateToken(store, readArguments<{ id: string }>(call, { id }).id, writerOf(call)));
}

async function revoke(store: TokenStore, call: Call): Promise<Answer> {
  await store.revoke(readArguments<{ id: string }>(call, { id }).id, writerOf(call).actor, call.nowSeconds);
  return noContent;
}

const withSecret = ({ token, secret }: { token: Token; secret: string }): Answer =>
  data(JSON.stringify({ ...tokenFields(token), token: secret }), { cacheControl: "no-store" });

/** undefined is "not sent", null is "never". Throws argument_invalid, also for a moment that has passed. */
function readExpiry(call: Call): number | null | undefined {
  const value = argumentsOf(call).get("expires_at");
  if (value === undefined) return undefined;
  if (value === null || value === "") return null;
  const time = typeof value === "string" || typeof value === "number" ? parseTime(value) : undefined;
  if (time !== undefined && time > call.nowSeconds) return time;
  throw problem("argument_invalid", {
    argument: "expires_at",
    came: describeJson(value),
    accepted: 'Unix seconds or an ISO 8601 date in the future, null or "" for never',
  });
}
