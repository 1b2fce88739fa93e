import type { TokenStore } from "../core/access/token.ts";
import { refuseScope, stages } from "../core/http/auth.ts";
import type { Call } from "../core/http/call.ts";
import { ignoredHeader } from "../core/http/ignored.ts";
import { innerCall } from "../core/http/inner.ts";
import { parseArgument } from "../core/http/json-text.ts";
import { toProblem } from "../core/http/problem.ts";
import { type Answer, data, dataText } from "../core/http/reply.ts";
import { argument, type Route, route, unknownNames } from "../core/http/route.ts";
import { type Match, Router } from "../core/http/router.ts";
import { oneOf } from "../core/http/schema.ts";
import { describeJson, isJsonObject, type Json, type JsonObject } from "../core/lib/json.ts";
import { Type } from "../core/lib/json-schema.ts";
import { joinLong, type LongText, wholeText } from "../core/lib/long-text.ts";
import { nearest } from "../core/lib/nearest.ts";
import type { Problem } from "../core/problem.ts";
import type { UnitStore } from "../core/unit.ts";
import { type BatchWriter, maxOperations, runBatch } from "./batch.ts";
import { problem } from "./problems.ts";

/** /api/batch: many writes, or none. Contract, part two, §13; decision 71. */

const methods = ["POST", "PATCH", "PUT", "DELETE"] as const;
const operation = Type.Object(
  {
    method: oneOf(methods, "The method of the route."),
    path: Type.String({ description: "The address of the route.", examples: ["/api/entries"] }),
    body: Type.Optional(
      Type.Unsafe<object>({
        type: "object",
        additionalProperties: true,
        description: "The arguments of the route, without tokens.",
      }),
    ),
    if_match: Type.Optional(Type.String({ description: "As the header `If-Match` of the route." })),
    merge_patch: Type.Optional(
      Type.Boolean({
        description: "True makes `data` a merge patch (RFC 7396). On PATCH of entries and working copies alone.",
      }),
    ),
    on_conflict: Type.Optional(
      Type.String({
        description: "As in the body of `POST /api/entries`, where alone it may be: fail, update, replace or skip.",
      }),
    ),
  },
  { $id: "Operation", description: "One write of a batch, as it would be sent by itself." },
);
const names = Object.keys(operation.properties);

const acceptedList = `a list of 1 to ${maxOperations} operations`;
const operations = argument(
  Type.Unsafe<Json[]>({
    ...Type.Array(operation, { description: `1 to ${maxOperations} operations, in order.` }),
  }),
  operationsOf,
);

function operationsOf(sent: JsonObject, name: string): Json[] {
  const value = sent.get(name);
  if (value === undefined) throw problem("argument_missing", { argument: name, accepted: acceptedList });
  const list = typeof value === "string" ? parseArgument(name, value, acceptedList) : value;
  if (!Array.isArray(list) || list.length === 0) throw invalid(name, list, acceptedList);
  if (list.length > maxOperations) throw problem("batch_too_large", { limit: maxOperations, what: "operations" });
  return list;
}

const operationReply = Type.Object(
  {
    status: Type.Integer({ description: "The status that the operation would have by itself." }),
    data: Type.Unknown({ description: "The `data` of its reply; null for one without a body." }),
    etag: Type.Union([Type.String(), Type.Null()], { description: "The `ETag` of its reply; null for none." }),
    outcome: Type.Optional(
      Type.String({ description: "The `Octavo-Outcome` of its reply; absent where it has no `on_conflict`." }),
    ),
  },
  { $id: "OperationReply", description: "What an operation of a batch has answered." },
);

type Stores = { tokens: TokenStore; idempotency: UnitStore };

/** The route of batches, which have operations of these routes. */
export function batchRoutes(routes: readonly Route[], stores: Stores): Route[] {
  const batches = new Batches(routes, stores);
  return [
    route({
      method: "POST",
      url: "/api/batch",
      summary: "Make many writes, all of them or none",
      need: { ...stages(), countsOperations: true, isLocal: true },
      body: "operations",
      arguments: {
        operations,
        dryRun: Type.Optional(Type.Boolean({ description: "True answers the same, and writes nothing." })),
      },
      reply: Type.Array(operationReply, { description: "In the order of the operations." }),
      problems: ["operation_refused", "batch_too_large"],
      handle: async (call, { operations, dryRun = false }) => {
        const { answers, ignored } = await batches.run(call, operations, dryRun);
        return data(answers, { headers: ignoredHeader(ignored) });
      },
    }),
  ];
}

/** What the operations answered, a JSON list, and the arguments that they ignored: `operations[0][body][titel]`. */
type Done = { answers: LongText; ignored: string[] };

/** An operation whose route is known. */
type RoutedOperation = { sent: JsonObject; match: Match; path: string };

class Batches {
  private readonly router: Router;
  private readonly stores: Stores;

  constructor(routes: readonly Route[], stores: Stores) {
    this.router = new Router(routes.filter(({ isOperation }) => isOperation));
    this.stores = stores;
  }

  async run(call: Call, sent: readonly Json[], isDryRun: boolean): Promise<Done> {
    const found = sent.map((operation, i) => numbered(i, () => this.find(call, operation)));
    const writer: BatchWriter = (call.unit as BatchWriter | undefined) ?? {
      isReplay: false,
      writeAll: (...rest) => this.stores.idempotency.writeAll(...rest),
    };
    await this.stores.tokens.countCall(call.counted, call.nowSeconds, writer.isReplay ? 1 : found.length);
    const checked = found.map((one, i) => numbered(i, () => callOf(call, one)));
    const operations = checked.map(
      ({ route, own, args }) =>
        async (unit: Call["unit"]) =>
          (await route.handle({ ...own, unit }, args)) as Answer,
    );
    return {
      answers: joinLong(textsOf(await runBatch(operations, writer, isDryRun, call.written))),
      ignored: checked.flatMap(({ route, own }, i) => ignoredIn(own, route.names, `operations[${i}]`)),
    };
  }

  /** Finds the route of the operation, and whether the caller may call it. Throws operation_refused, scope_missing. */
  private find(call: Call, sent: Json): RoutedOperation {
    if (!isJsonObject(sent)) throw invalid("operations", sent, "a list of objects");
    const method = text(sent, "method", methods.join(", "));
    const path = text(sent, "path", "the address of a write, as /api/entries");
    const match = /^\/(?!\/)/.test(path) ? this.router.find(method, path) : undefined;
    if (!match || !(methods as readonly string[]).includes(method)) {
      const accepted = "a write of entries, working copies, folders, files without bytes, or the registry";
      throw problem("operation_refused", { argument: "path", received: `${method} ${path}`, accepted });
    }
    refuseScope(call, match.route.need as NonNullable<Route["need"]>);
    return { sent, match, path };
  }
}

/** The call of an operation, as if it were sent by itself, with its arguments. Throws what is wrong with its form. */
function callOf(call: Call, { sent, match, path }: RoutedOperation): { route: Route; own: Call; args: object } {
  for (const argument of sent.keys()) {
    if (!names.includes(argument))
      throw problem("argument_unknown", { argument, near: nearest(argument, names), names });
  }
  const method = sent.get("method") as string;
  const ifMatch = sent.has("if_match") ? text(sent, "if_match", "an ETag") : undefined;
  const isMergePatch = mergePatchOf(sent, match.route);
  const own = innerCall(call, match, { method, url: path, body: bodyOf(sent, match.route), ifMatch, isMergePatch });
  return { route: match.route, own, args: match.route.read(own) };
}

/** Throws argument_invalid for another value than true or false, and where no data is merged. */
function mergePatchOf(sent: JsonObject, { method, arguments: taken }: Route): boolean | undefined {
  const value = sent.get("merge_patch");
  if (value === undefined) return undefined;
  if (typeof value !== "boolean") throw invalid("merge_patch", value, "true or false");
  if (method === "PATCH" && "data" in taken) return value;
  throw invalid("merge_patch", value, "none here: it is of PATCH of entries and of working copies");
}

/** The body of an operation, with its `on_conflict`. Throws argument_invalid, argument_conflict. */
function bodyOf(sent: JsonObject, { arguments: taken }: Route): Json {
  const body = sent.get("body") ?? new Map();
  const rule = sent.get("on_conflict");
  if (rule === undefined) return body;
  if (!("on_conflict" in taken)) throw invalid("on_conflict", rule, "none here: it is of POST of entries");
  if (!isJsonObject(body)) return body;
  if (body.has("on_conflict") && body.get("on_conflict") !== rule)
    throw problem("argument_conflict", { first: "on_conflict", second: "body[on_conflict]" });
  return new Map([...body, ["on_conflict", rule]]);
}

const ignoredIn = (own: Call, names: Route["names"], operation: string): string[] =>
  unknownNames(own, names).map((name) => `${operation}[${own.body.arguments.has(name) ? "body" : "path"}][${name}]`);

function text(sent: JsonObject, argument: string, accepted: string): string {
  const value = sent.get(argument);
  if (typeof value === "string") return value;
  throw value === undefined ? problem("argument_missing", { argument, accepted }) : invalid(argument, value, accepted);
}

const invalid = (argument: string, value: Json, accepted: string): Problem =>
  problem("argument_invalid", { argument, received: describeJson(value), accepted });

/** Does the work for an operation, whose number the problem has that it throws. */
function numbered<T>(operation: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toProblem(error).ofOperation(operation);
  }
}

/** A JSON list of the answers. */
function* textsOf(answers: readonly Answer[]): Generator<string> {
  let before = "[";
  for (const answer of answers) {
    const etag = answer.tag === undefined ? null : `"${answer.tag}"`;
    yield `${before}{"status":${answer.status},"data":`;
    yield wholeText(dataText(answer));
    yield `,"etag":${JSON.stringify(etag)}${outcomeOf(answer)}}`;
    before = ",";
  }
  yield "]";
}

/** What an upsert did, as a member. */
function outcomeOf({ headers = [] }: Answer): string {
  const at = headers.indexOf("Octavo-Outcome");
  return at < 0 ? "" : `,"outcome":"${headers[at + 1]}"`;
}
