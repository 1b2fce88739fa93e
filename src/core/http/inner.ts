import type { Json } from "../lib/json.ts";
import { problem } from "../problem.ts";
import { operationBody } from "./body.ts";
import { type Call, readHead } from "./call.ts";
import type { Match } from "./router.ts";

/** A request of a route inside the process: an operation of a batch, a tool that an agent calls. */
export type InnerRequest = {
  method: string;
  /** The address with its query. */
  url: string;
  /** The arguments of the body. */
  body: Json;
  ifMatch: string | undefined;
  /** Whether `data` is a merge patch; absent: as in the body of the outer request. */
  isMergePatch?: boolean | undefined;
};

const tokenNames = ["token", "access_token"];

/**
 * The call of a route inside another call, as if it were sent by itself by the same sender. Its arguments are not read
 * yet. Throws argument_invalid for a body that is no object, and for a token; body_invalid, and what readHead throws.
 */
export function innerCall(call: Call, { route, rest }: Match, { method, url, ...sent }: InnerRequest): Call {
  const body = operationBody(sent.body, { ...call.body, isMergePatch: sent.isMergePatch ?? call.body.isMergePatch });
  const head = readHead({ method, url, headers: call.headers }, route.arguments, rest);
  for (const argument of tokenNames) {
    if (!body.arguments.has(argument) && !head.query.has(argument)) continue;
    throw problem("argument_invalid", {
      argument,
      received: "a token of its own",
      accepted: "the tokens of the request alone",
    });
  }
  return { ...call, ...head, nowSeconds: call.nowSeconds, body, file: undefined, ifMatch: sent.ifMatch };
}
