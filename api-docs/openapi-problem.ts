import { STATUS_CODES } from "node:http";
import { problemDocsPath, statusOf } from "../src/core/http/problem.ts";
import { type Code, catalogueCodes, rowOf } from "../src/core/problem.ts";
import type { ApiRoute } from "./api.ts";
import { type Recording, shownProblem } from "./recorded.ts";
import { problemsOf } from "./refusal.ts";

/**
 * The refusals in the description: a response for each status, shared by all operations, and an example for each code.
 */

type Node = Record<string, unknown>;

const statusAt = (code: Code): number => statusOf[rowOf(code).kind];
/** `NotFound` */
const nameOf = (status: number): string => titleOf(status).replace(/[^A-Za-z]/g, "");
/** 460 is of the tus protocol. */
const titleOf = (status: number): string => STATUS_CODES[status] ?? "Checksum Mismatch";

/** By status, the shared response with the route's own codes. */
export const problemResponses = (route: ApiRoute): Record<string, Node> => refusalResponses(problemsOf(route));

export function refusalResponses(codes: readonly Code[]): Record<string, Node> {
  const sorted = [...Map.groupBy(codes, statusAt)].sort(([a], [b]) => a - b);
  return Object.fromEntries(
    sorted.map(([status, codes]) => [
      status,
      { $ref: `#/components/responses/${nameOf(status)}`, description: codes.map((code) => `\`${code}\``).join(", ") },
    ]),
  );
}

/** The responses and examples that problemResponses refers to. */
export function problemComponents(
  routes: readonly ApiRoute[],
  others: readonly Code[],
  recording: Recording,
): { responses: Node; examples: Node } {
  const codes = [...new Set([...routes.flatMap(problemsOf), ...others])].sort();
  const responses = [...Map.groupBy(codes, statusAt)].map(([status, some]) => [nameOf(status), response(status, some)]);
  return {
    responses: Object.fromEntries(responses),
    examples: Object.fromEntries(codes.map((code) => [code, example(code, recording)])),
  };
}

function response(status: number, codes: readonly Code[]): Node {
  const examples = Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
  return {
    description: `${titleOf(status)}: a problem.`,
    ...headersOf(status),
    content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" }, examples } },
  };
}

function headersOf(status: number): Node {
  const header = (name: string, description: string) => ({
    headers: { [name]: { description, schema: { type: "string" } } },
  });
  if (status === 401) return header("WWW-Authenticate", "`Bearer`.");
  return status === 429 || status === 503 ? header("Retry-After", "Seconds to wait before a retry.") : {};
}

/** The example as recorded from the first route that could be provoked to refuse with the code. */
function example(code: Code, recording: Recording): Node {
  const recorded = Object.values(recording).find(({ refusals }) => refusals[code])?.refusals[code];
  return {
    summary: rowOf(code).title,
    description: `[${code}](${problemDocsPath}#${code})`,
    value: shownProblem(code, recorded),
  };
}

export const problemSchema = {
  type: "object",
  description: "RFC 9457.",
  required: ["type", "title", "status", "code", "detail", "request_id"],
  properties: {
    type: { type: "string", format: "uri-reference", description: "The URL of the problem's documentation." },
    title: { type: "string", description: "The problem in a few words, the same for each code." },
    status: { type: "integer", description: "The status of the reply." },
    code: {
      type: "string",
      enum: catalogueCodes().sort(),
      description: "For programs: a code never changes its meaning.",
    },
    detail: { type: "string", description: "Names the argument, what was sent and what is accepted." },
    request_id: { type: "string", description: "Identifies the request in the log." },
    errors: {
      type: "array",
      items: {
        type: "object",
        properties: {
          code: { type: "string", description: "Of this fault." },
          argument: {
            type: "string",
            description: "The argument or header of this fault; absent if it has none.",
          },
          detail: { type: "string", description: "Of this fault." },
          pointer: { type: "string", description: "For data_invalid: a JSON pointer." },
          rule: { type: "string", description: "The keyword of the schema." },
          message: { type: "string", description: "In words." },
          accepted: { type: "string", description: "What is accepted." },
        },
      },
      description:
        "All faults with their codes and details, if there are several; for data_invalid the first hundred faults of the data.",
    },
    references: {
      type: "array",
      items: { $ref: "#/components/schemas/Reference" },
      description: "For in_use: the first entries that refer to the thing.",
    },
    entries: {
      type: "array",
      items: {
        type: "object",
        required: ["id"],
        properties: {
          id: { type: "string", description: "The entry." },
          code: { type: "string", description: "What it would be refused for alone." },
          detail: { type: "string", description: "The same in words." },
          faults: { type: "array", items: { type: "object" }, description: "The first faults of its data." },
          keys: { type: "array", items: { type: "string" }, description: "For staged_outdated: the outdated keys." },
        },
      },
      description: "Of a release: the entries that are wrong, each with what is wrong with it.",
    },
    operation: { type: "integer", description: "Of a batch: the number of the operation that failed, from 0." },
    http_status_code: { type: "integer", description: "The status again, for clients of the Flextype API." },
    message: { type: "string", description: "The detail again, for clients of the Flextype API." },
  },
};
