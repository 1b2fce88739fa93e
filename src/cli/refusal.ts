import { Readable } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import type { CommandReply } from "../operator.ts";
import { CommandError, UsageError } from "./command.ts";

type Facts = {
  operation?: number | undefined;
  retrySeconds?: number | undefined;
  faults?: readonly SaidFault[] | undefined;
};

/** A fault of the data of an entry. */
type SaidFault = { pointer: string; rule: string };

/** A refusal of the API as a command reports it: in its sentence, with what belongs to it a line each. */
export class Refusal extends CommandError {
  /** Undefined for a refusal of something else than the service. */
  readonly code: string | undefined;
  /** The number of the operation of a batch that was refused. */
  readonly operation: number | undefined;

  /** When it may be tried again. */
  readonly retrySeconds: number | undefined;

  /** What does not fit its type, if that is why. */
  readonly faults: readonly SaidFault[];

  constructor(message: string, code: string | undefined, more: Facts = {}) {
    super(message);
    this.code = code;
    this.operation = more.operation;
    this.retrySeconds = more.retrySeconds;
    this.faults = more.faults ?? [];
  }
}

/** The members of a problem that a command shows. */
type Said = {
  code?: unknown;
  detail?: unknown;
  operation?: number;
  /** Those of the data of an entry have a message. */
  errors?: ({ detail?: string; message?: string } & SaidFault)[];
  entries?: { id: string; detail?: string }[];
};

const variables = new Map([
  ["token_missing", "OCTAVO_TOKEN is missing; expected the token of a service that --url names"],
  ["access_token_missing", "OCTAVO_ACCESS_TOKEN is missing; a write needs an access token"],
]);

/** Refusals that are about a token: their sentence begins with its argument. */
const ofTokens = /^(?:token|access_token|scope|call_limit)_/;

/**
 * Throws Refusal for an answer that is one, UsageError for a token that no variable has. `service` is the address of the
 * service that answered, whose tokens are called by their variables.
 */
export async function refuse(reply: CommandReply, service?: string): Promise<never> {
  const said = objectIn(await bodyOf(reply));
  const { code } = said;
  if (typeof code !== "string" || typeof said.detail !== "string")
    throw new Refusal(`${service ?? "the answer"} ${strange(reply, service)}`, undefined);
  const missing = variables.get(code);
  if (missing !== undefined) throw new UsageError(missing);
  const sentence = sentenceOf(said);
  const isOfToken = service !== undefined && ofTokens.test(code);
  throw new Refusal(isOfToken ? withVariables(sentence) : sentence, code, {
    operation: said.operation,
    faults: code === "data_invalid" ? said.errors : [],
    retrySeconds: secondsIn(headerOf(reply, "retry-after")),
  });
}

const secondsIn = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));

const strange = ({ status }: CommandReply, service: string | undefined): string =>
  service === undefined
    ? `was ${status}, and no problem of Octavo`
    : `answers ${status}, and no problem of Octavo; expected the address of a service`;

const withVariables = (sentence: string): string =>
  sentence.replace(/"(token|access_token)"/g, (_, name: string) => `OCTAVO_${name.toUpperCase()}`);

function sentenceOf({ detail, errors = [], entries = [] }: Said): string {
  const first = String(detail);
  const faults = errors.map(({ detail, message = "" }) => detail ?? message);
  const lines = [...faults, ...entries.map(({ id, detail }) => (detail ? `${id}: ${detail}` : id))];
  return [first, ...lines.filter((line) => !first.includes(line)).map((line) => `  ${line}`)].join("\n");
}

function objectIn(text: string): Said {
  try {
    return Object(JSON.parse(text)) as Said;
  } catch {
    return {};
  }
}

/** The text of an answer. */
export const bodyOf = async ({ body }: CommandReply): Promise<string> =>
  body instanceof Uint8Array ? Buffer.from(body).toString() : textOf(Readable.from(body));

/** The value of a header, whose name is in lower case. */
export const headerOf = ({ headers }: CommandReply, name: string): string | undefined =>
  headers.find(([one]) => one.toLowerCase() === name)?.[1];
