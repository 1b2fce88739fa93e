import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { type Claim, type IdempotencyStore, KeptUnit, maxReplayedBytes } from "../idempotency.ts";
import { formatJson, isJsonObject, type Json } from "../lib/json.ts";
import { problem } from "../problem.ts";
import { isForgeable } from "./auth.ts";
import { sendsBytes } from "./body.ts";
import type { BytesAnswer } from "./bytes.ts";
import type { Call } from "./call.ts";
import { type Answer, sizeOf } from "./reply.ts";
import type { Route } from "./route.ts";

/** Writes with an `Idempotency-Key`. Contract, part two, §13; decision 71. */

/** A key that no other request of its token has until it is released. */
export type HeldKey = { key: string; release: Claim };

const visible = /^[!-~]{1,255}$/;

/**
 * Takes the key of a write; undefined for a request without one, and for reads. Throws argument_invalid,
 * idempotency_refused, idempotency_in_flight.
 */
export function takeKey(
  store: IdempotencyStore,
  route: Route,
  headers: IncomingHttpHeaders,
  token: string,
): undefined | Promise<HeldKey> {
  const key = headers["idempotency-key"];
  if (key === undefined || !(isForgeable(route.need) || route.replyForm.isSecret)) return undefined;
  return take(store, route, String(key), token);
}

async function take(store: IdempotencyStore, route: Route, key: string, token: string): Promise<HeldKey> {
  if (!visible.test(key)) {
    const accepted = "1 to 255 visible ASCII characters";
    throw problem("argument_invalid", { argument: "Idempotency-Key", received: key, accepted });
  }
  // What one does to the own account is checked by a credential, which is another one after it.
  if (route.replyForm.isSecret || route.need?.isOwn) throw problem("idempotency_refused");
  const release = await store.claim(token, key);
  if (!release) throw problem("idempotency_in_flight");
  return { key, release };
}

/**
 * Handles a call once: the first one keeps what its writes answered, later ones are answered from that. Releases the key
 * before the reply. Throws idempotency_mismatch, idempotency_too_large, and what the route throws.
 */
export async function handleOnce(
  store: IdempotencyStore,
  route: Route,
  call: Call,
  { key, release }: HeldKey,
): Promise<Answer | BytesAnswer> {
  try {
    return await handleKept(store, route, call, key);
  } finally {
    await release();
  }
}

async function handleKept(store: IdempotencyStore, route: Route, call: Call, key: string): Promise<Answer> {
  const { nowSeconds } = call;
  const token = call.token?.id as string;
  const request = requestHash(route, call);
  const kept = await store.find(token, key, nowSeconds);
  if (kept && kept.request !== request) throw problem("idempotency_mismatch");
  if (kept && !kept.results) throw tooLarge();
  const unit = new KeptUnit(store, { token, key, request, nowSeconds }, kept);
  const origin = () => (unit.origin ||= call.origin());
  const own: Call = { ...call, unit, origin };
  const answer = (await route.handle(own, route.read(own))) as Answer;
  if (!kept) return answer;
  if (sizeOf(answer.body) > maxReplayedBytes) throw tooLarge();
  return { ...answer, headers: [...(answer.headers ?? []), "Idempotent-Replayed", "true"] };
}

const tooLarge = () => problem("idempotency_too_large", { limit: maxReplayedBytes });

/**
 * The same for the same method, address, arguments but the tokens, and bytes of a file. The bytes of a body that is only
 * bytes are still to come: of these their route knows, and here it is whether there are any, and the length announced.
 */
function requestHash(route: Route, call: Call): string {
  const { method, rest, query, body, file, headers } = call;
  const sent: Json = new Map([...query, ...body.arguments]);
  sent.delete("token");
  sent.delete("access_token");
  const bytes = file ? [file.filename, file.staged.hash] : [];
  if (route.body === "bytes") bytes.push(String(headers["upload-length"]), String(sendsBytes(headers)));
  return createHash("sha256")
    .update(JSON.stringify([method, route.url, rest, body.isMergePatch, ...bytes]))
    .update(formatJson(sorted(sent)))
    .digest("base64url");
}

/** The value with the keys of its objects in one order. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const members = [...value].sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(members.map(([key, member]) => [key, sorted(member)]));
}
