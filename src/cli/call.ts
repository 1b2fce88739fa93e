import { readFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import type { ArgumentFacts, CommandReply, CommandRequest, Operator } from "../operator.ts";
import { type Command, type CommandCall, UsageError } from "./command.ts";
import { plain, print, printJson, printTable, warn } from "./print.ts";
import { headerOf, refuse } from "./refusal.ts";
import { askService, parseServiceUrl, urlOption } from "./remote.ts";
import { callSettings } from "./setting-sources.ts";

/** `octavo call`: every route of the API, by its method, its address and its arguments. */

const methods = ["GET", "POST", "PATCH", "PUT", "DELETE"];

export const callCommand: Command = {
  name: "call",
  summary: "Call a route of the API, and print its answer",
  details:
    "PATH and each ARG, which is NAME=VALUE, are those of /docs: a value is read as the argument's type says, an object as\n" +
    "JSON. Without --url the store itself is called, with all rights and without tokens, also beside a running service.\n" +
    "With --url the tokens are in OCTAVO_TOKEN and OCTAVO_ACCESS_TOKEN. What the route does not take is refused.",
  takes: ["METHOD", "PATH", "[ARG...]"],
  options: {
    "json-body": { value: "FILE", help: "The arguments as one JSON object; - is standard input." },
    "if-match": { value: "ETAG", help: "The state that a write is meant for." },
    headers: { help: "Print the status and the headers of the answer on standard error." },
    describe: { help: "Call nothing; list the arguments that the route takes." },
    url: urlOption,
    json: { help: "Report an error as one JSON object, too." },
  },
  examples: [
    "octavo call GET /api/entries id=movies/alien",
    "octavo call PUT /api/registry id=site.title value='The reading room'",
    `octavo call POST /api/entries id=news data='{"title": "News"}'`,
    "octavo call PUT /api/types --json-body movie.json",
    "octavo call PUT /api/types --describe",
    "octavo call GET /api/trash noun=entry --url https://cms.example.org",
  ],
  run,
};

async function run(call: CommandCall): Promise<void> {
  const { method, path } = readAddress(call);
  const { url } = call.options;
  if (call.switches.has("describe")) return describe(call, method, path);
  const request = await readRequest(call, method, path);
  if (url === undefined) await withStore(call, async ({ ask }) => show(call, await ask(request)));
  else {
    const service = parseServiceUrl(url);
    await show(call, await askService(service, call.io.env)(request), service);
  }
}

/** Loads the routes, which no other command needs. */
async function withStore(call: CommandCall, work: (operator: Operator) => Promise<void>): Promise<void> {
  const settings = callSettings(call);
  const { withOperator } = await import("../operator.ts");
  await withOperator(settings, work);
}

async function describe(call: CommandCall, method: string, path: string): Promise<void> {
  if (call.options.url !== undefined) throw new UsageError("--describe and --url cannot be combined");
  await withStore(call, async ({ argumentsOf }) => {
    const all = argumentsOf(method, path);
    const rows = all.map(({ name, type, isRequired, description }) => [
      name,
      type,
      isRequired ? "yes" : "",
      description,
    ]);
    if (call.switches.has("json")) printJson(call, { arguments: all.map(fieldsOf) });
    else if (rows.length > 0) printTable(call, ["NAME", "TYPE", "REQUIRED", "WHAT"], rows);
    else print(call, "It takes no arguments.");
  });
}

const fieldsOf = ({ name, type, isRequired, description }: ArgumentFacts) => ({
  name,
  type,
  required: isRequired,
  description,
});

// ---------------------------------------------------------------------------------------------- the request

function readAddress({ positionals: [sent = "", path = ""] }: CommandCall): { method: string; path: string } {
  const method = sent.toUpperCase();
  if (!methods.includes(method)) throw new UsageError(`METHOD was "${sent}"; expected one of ${methods.join(", ")}`);
  if (!/^\/(?!\/)/.test(path))
    throw new UsageError(`PATH was "${path}"; expected the address of a route, as /api/entries`);
  return { method, path };
}

async function readRequest(call: CommandCall, method: string, path: string): Promise<CommandRequest> {
  const pairs = call.positionals.slice(2).map(readPair);
  const common = { method, ifMatch: call.options["if-match"] };
  const isQuery = method === "GET" || method === "DELETE";
  const file = call.options["json-body"];
  if (file !== undefined) {
    if (isQuery) throw new UsageError(`--json-body is not for ${method}; expected each argument as NAME=VALUE`);
    if (pairs.length > 0) throw new UsageError("--json-body has all arguments; expected no NAME=VALUE beside it");
    return { ...common, url: path, body: { type: "application/json", text: await readText(call, file) } };
  }
  const sent = new URLSearchParams(pairs).toString();
  if (isQuery) return { ...common, url: withQuery(path, sent) };
  return { ...common, url: path, body: { type: "application/x-www-form-urlencoded", text: sent } };
}

/** A proxy may drop the body of a DELETE: its arguments are in the query, as those of a GET. */
const withQuery = (path: string, query: string): string =>
  query === "" ? path : `${path}${path.includes("?") ? "&" : "?"}${query}`;

function readPair(word: string): [name: string, value: string] {
  const at = word.indexOf("=");
  if (at < 1) throw new UsageError(`"${word}" is no argument; expected NAME=VALUE`);
  const name = word.slice(0, at);
  if (name === "token" || name === "access_token")
    throw new UsageError(
      `${name} is no argument here; expected OCTAVO_${name.toUpperCase()} in the environment, for --url`,
    );
  return [name, word.slice(at + 1)];
}

const readText = ({ io }: CommandCall, file: string): Promise<string> =>
  file === "-"
    ? textOf(io.stdin)
    : readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
        throw new UsageError(`--json-body was ${file}, which cannot be read: ${error.message}`);
      });

// ---------------------------------------------------------------------------------------------- the answer

async function show(call: CommandCall, reply: CommandReply, service?: string): Promise<void> {
  if (call.switches.has("headers")) showHeaders(call, reply);
  if (reply.status >= 400) await refuse(reply, service);
  warnOfIgnored(call, reply);
  const { body } = reply;
  await pipeline(Readable.from(body instanceof Uint8Array ? [body] : body), call.io.stdout, { end: false });
  if (isJson(reply)) print(call);
}

const isJson = (reply: CommandReply): boolean =>
  /^application\/([\w.-]+\+)?json\b/.test(headerOf(reply, "content-type") ?? "");

function showHeaders({ io }: CommandCall, { status, headers }: CommandReply): void {
  io.stderr.write(`${[String(status), ...headers.map((pair) => pair.join(": "))].map(plain).join("\n")}\n`);
}

/** A service passes over them on some routes; without one they are refused. */
function warnOfIgnored(call: CommandCall, reply: CommandReply): void {
  const ignored = headerOf(reply, "octavo-ignored");
  if (ignored !== undefined)
    warn(call, `the route takes no argument of this name, and passed over it: ${plain(ignored)}`);
}
