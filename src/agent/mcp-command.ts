import { createInterface } from "node:readline";
import { type Command, type CommandCall, UsageError } from "../cli/command.ts";
import { print } from "../cli/print.ts";
import { parseServiceUrl, tokenHeaders } from "../cli/remote.ts";
import { callSettings } from "../cli/setting-sources.ts";
import { ownUrl, silenceOf } from "../health/probe-service.ts";

export const mcpCommand: Command = {
  name: "mcp",
  summary: "Connect an agent that starts programs to a running service",
  details:
    "Passes each line of standard input to POST /mcp of the service, and each answer to standard output (Model Context\n" +
    "Protocol over stdio). The tokens are in OCTAVO_TOKEN and OCTAVO_ACCESS_TOKEN. It opens no store.",
  takes: [],
  options: { url: { value: "URL", help: "The address of the service; without it that of the settings." } },
  examples: ["octavo mcp --url https://cms.example.org"],
  run: mcp,
};

type Message = { id?: unknown; method?: unknown; params?: { name?: unknown; requestId?: unknown; _meta?: unknown } };

async function mcp(call: CommandCall): Promise<void> {
  const relay = new Relay(addressOf(call), tokensOf(call.io.env), (line) => print(call, line));
  const answers = new Set<Promise<void>>();
  for await (const line of createInterface({ input: call.io.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === "") continue;
    const answer = relay.pass(line).finally(() => answers.delete(answer));
    answers.add(answer);
  }
  await Promise.all(answers);
}

function addressOf(call: CommandCall): string {
  const url = call.options.url ?? ownUrl(callSettings(call));
  if (url === undefined) throw new UsageError("--url is missing; expected the address of the service: its port is 0");
  return parseServiceUrl(url).replace(/\/*(\/mcp)?$/, "/mcp");
}

function tokensOf(env: CommandCall["io"]["env"]): Record<string, string> {
  if (!env.OCTAVO_TOKEN) throw new UsageError("OCTAVO_TOKEN is missing; expected a management or preview token");
  return tokenHeaders(env);
}

/** Passes messages on, many at once. */
class Relay {
  private readonly url: string;
  private readonly tokens: Record<string, string>;
  private readonly answer: (line: string) => void;
  private readonly open = new Map<unknown, AbortController>();

  constructor(url: string, tokens: Record<string, string>, answer: (line: string) => void) {
    this.url = url;
    this.tokens = tokens;
    this.answer = answer;
  }

  /** Passes a message on, and prints its answer. Never rejects. */
  async pass(line: string): Promise<void> {
    const message = messageIn(line);
    // Over HTTP a closed connection says it.
    if (message.method === "notifications/cancelled") return this.open.get(message.params?.requestId)?.abort();
    const ending = new AbortController();
    if (message.id !== undefined) this.open.set(message.id, ending);
    const answer = await this.send(line, message, ending.signal).catch((error: unknown) =>
      failure(message.id, { code: -32_603, message: `no service answers at ${this.url}: ${silenceOf(error)}` }),
    );
    if (this.open.get(message.id) === ending) this.open.delete(message.id);
    if (answer !== undefined && !ending.signal.aborted) this.answer(answer);
  }

  private async send(line: string, message: Message, signal: AbortSignal): Promise<string | undefined> {
    const headers = { ...this.tokens, ...headersOf(message), Accept: "application/json, text/event-stream" };
    // Tokens go nowhere else.
    const reply = await fetch(this.url, { method: "POST", headers, body: line, signal, redirect: "error" });
    const text = await reply.text();
    if (message.method !== undefined && message.id === undefined) return undefined;
    const said = objectIn(text) as { id?: unknown; error?: { code: number; message: string } } | undefined;
    if (said && (said.id !== undefined || message.id === undefined)) return text.replaceAll(/[\r\n]/g, " ");
    // Refused before the message was read, or by something between.
    return failure(message.id, said?.error ?? { code: reply.status, message: `${this.url} answers ${reply.status}` });
  }
}

const failure = (id: unknown, error: object): string => JSON.stringify({ jsonrpc: "2.0", id, error });

const messageIn = (line: string): Message => (objectIn(line) as Message | undefined) ?? {};

function objectIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What the newer version of the protocol repeats in headers. */
function headersOf({ method, params }: Message): Record<string, string> {
  const json = { "Content-Type": "application/json" };
  const version = (params?._meta as Record<string, unknown> | undefined)?.["io.modelcontextprotocol/protocolVersion"];
  if (typeof version !== "string" || typeof method !== "string") return json;
  const headers = { ...json, "MCP-Protocol-Version": encoded(version), "Mcp-Method": encoded(method) };
  return typeof params?.name === "string" ? { ...headers, "Mcp-Name": encoded(params.name) } : headers;
}

/** A text that a header cannot have as it is. */
const encoded = (text: string): string =>
  /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith("=?base64?")
    ? text
    : `=?base64?${Buffer.from(text).toString("base64")}?=`;
