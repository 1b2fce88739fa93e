import { Readable } from "node:stream";
import { accessOf } from "../access/access.ts";
import { plainToken } from "../access/plain-token.ts";
import { type Token, tokenResources } from "../access/token.ts";
import { noRoom } from "../list/query.ts";
import { problem, problems } from "../problem.ts";
import { type Body, emptyBody, maxBatchDepth, maxJsonDepth, readBody } from "./body.ts";
import { type Call, type RequestHead, readHead } from "./call.ts";
import { nearestOf } from "./ignored.ts";
import type { ReceivedFile } from "./receive.ts";
import { type Route, type RouteAnswer, unknownNames } from "./route.ts";
import type { Match } from "./router.ts";

/** Calls of routes by a command on the store's own machine: whoever runs it may do everything, and has no tokens. */

const operator: Token = { ...plainToken, id: "octavo", resources: [...tokenResources] };

/** True for a call of the operator, whose token is in no store: nothing may depend on it later. */
export const isOperator = ({ token }: Pick<Call, "token">): boolean => token === operator;

/** What the operator sends. `url` is the address with its query, `origin` where the service of this store answers. */
export type OperatorRequest = {
  method: string;
  url: string;
  body?: { type: string; text: string } | undefined;
  ifMatch?: string | undefined;
  /** The file of a form. */
  file?: ReceivedFile | undefined;
  origin: string;
};

/** The call of the operator with this head and body. */
function operatorCall(
  head: RequestHead,
  body: Body,
  { origin, ifMatch, file }: Pick<OperatorRequest, "origin" | "ifMatch" | "file">,
): Call {
  return {
    ...head,
    body,
    token: operator,
    access: accessOf(operator, head.nowSeconds),
    counted: [],
    credentials: undefined,
    file,
    ifMatch,
    unit: undefined,
    accept: undefined,
    reserve: () => undefined,
    bytes: () => Readable.from([]),
    written: { sequence: 0 },
    address: "",
    eventOrigin: {},
    isAdmitted: async () => true,
    asker: (makeRoom = noRoom) => ({ client: operator.id, makeRoom, signal: new AbortController().signal }),
    origin: () => origin,
  };
}

/**
 * Answers a request of the operator. Unknown arguments are refused, also where the route passes over them. Throws what the
 * request is refused with over HTTP, and scope_missing where only a person may call.
 */
export async function answerOperator({ route, rest }: Match, sent: OperatorRequest): Promise<RouteAnswer> {
  const { method, url } = sent;
  if (route.need?.isOwn) throw problem("scope_missing", { needed: "a person's session" });
  const head = readHead({ method, url, headers: {} }, route.arguments, rest);
  if ("strict" in route.arguments) head.query.set("strict", "1");
  const call = operatorCall(head, await bodyOf(sent, route), sent);
  if (route.unknown === "ignored") refuseUnknown(call, route);
  return route.handle(call, route.read(call));
}

async function bodyOf({ body }: OperatorRequest, route: Route): Promise<Body> {
  if (!body) return emptyBody;
  return readBody(body.type, Buffer.from(body.text), route.body === "operations" ? maxBatchDepth : maxJsonDepth);
}

function refuseUnknown(call: Call, route: Route): void {
  const names = Object.keys(route.arguments);
  const [first, ...rest] = unknownNames(call, route.names).map((argument) =>
    problem("argument_unknown", { argument, near: nearestOf(route, argument), names }),
  );
  if (first) throw problems([first, ...rest]);
}
