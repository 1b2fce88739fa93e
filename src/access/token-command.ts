import { randomUUID } from "node:crypto";
import { answerOf, withAsk } from "../cli/ask.ts";
import { asUsage, type Command, type CommandCall, jsonOption, type Option, UsageError } from "../cli/command.ts";
import { readExpiry } from "../cli/expiry.ts";
import { formatSecret, formatTable, formatTime, warn } from "../cli/print.ts";
import { urlOption } from "../cli/remote.ts";
import { commandOf, commandsOnOne, type OneRow, printShown, type Sent, type Shown } from "../cli/row.ts";
import { callSettings } from "../cli/setting-sources.ts";
import { readOneLine } from "../cli/standard-input.ts";
import { actor, nowSeconds, withExistingStores } from "../cli/store.ts";
import {
  checkSecret,
  checkTokenTexts,
  createToken,
  isWeakSecret,
  newToken,
  parseTokenPaths,
  type TokenChange,
  type TokenInput,
  type TokenKind,
  type TokenResource,
  type TokenState,
  type TokenWrites,
  tokenFields,
  tokenKinds,
  tokenResources,
  tokenWrites,
} from "../core/access/token.ts";
import { nearest } from "../core/lib/nearest.ts";
import type { Path } from "../core/path.ts";
import { localesOf, parseLocales } from "../translation/locale.ts";

const shared: Record<string, Option> = {
  paths: {
    value: "LIST",
    help: "It holds at and below these paths of entries and uploads only, a preview for drafts and copies; all for everywhere.",
  },
  writes: { value: "WRITES", help: "Of a management token: all, or staged, which change nothing that is live." },
  locales: {
    value: "LIST",
    help: "Of a management token: its writes change these locales only, as de,fr; all for all.",
  },
  label: { value: "TEXT", help: "A description of its purpose." },
  environment: { value: "TEXT", help: "Where it is used, as production or staging." },
  "limit-calls": { value: "N", help: "Maximum number of calls in total; 0 for no limit." },
  expires: { value: "WHEN", help: "After 30m, 12h, 90d or 2w, at an ISO 8601 date, or never." },
};

const onId = commandsOnOne({ noun: "token", word: "ID", readId });

export const tokenCommands: Command[] = [
  {
    name: "token create",
    summary: "Create a token and print its secret, once",
    details:
      "A delivery token reads public content, a preview token drafts and working copies, too. A management token reads everything and, together with an access\n" +
      "token, writes. An images token fetches images. Only a hash is stored: a lost secret cannot be recovered.",
    takes: [],
    options: {
      kind: { value: "KIND", help: `Required: ${tokenKinds.join(", ")}.` },
      resources: {
        value: "LIST",
        help: `Required for delivery, management and preview (entries,files): ${tokenResources.join(",")} (admin: management only).`,
      },
      ...shared,
      "token-stdin": { help: "Read the secret from standard input, as one line, instead of making one." },
      url: urlOption,
      json: jsonOption,
    },
    examples: [
      "octavo token create --kind delivery --resources entries,registry --label website",
      "octavo token create --kind management --resources entries --expires 90d",
      "octavo token create --kind management --resources entries,files --paths blog,news --writes staged",
      "octavo token create --kind management --resources entries --writes staged --locales de",
      "octavo token create --kind preview --resources entries,files --paths blog --expires 2d",
      "octavo token create --kind access --json",
      "octavo token create --kind delivery --resources entries --token-stdin < old-token.txt",
    ],
    run: create,
  },
  commandOf<Fields[]>({
    name: "token list",
    summary: "List the tokens, without their secrets",
    takes: [],
    examples: ["octavo token list", "octavo token list --json"],
    route: "GET /api/tokens",
    show: (tokens) => ({ json: { tokens }, table: { head, rows: tokens.map(tokenRow), none } }),
  }),
  onId("update", {
    summary: "Change a token's label, environment, limit or expiry",
    options: shared,
    examples: ["octavo token update ID --limit-calls 1000", "octavo token update ID --expires never"],
    route: "PATCH /api/tokens",
    send: readChange,
    show: shownRow,
  }),
  onId("disable", switched("disabled", "Make a token void until it is enabled again")),
  onId("enable", switched("enabled", "Make a disabled token good again")),
  onId("rotate", {
    summary: "Give a token another secret and print it, once",
    details: "The old secret is void at once.",
    route: "PUT /api/tokens/rotate",
    show: ({ token, ...fields }: Fields & { token: string }, _sent, call) => shownSecret(call, token, fields),
  }),
  onId("revoke", {
    summary: "Remove a token for good",
    route: "DELETE /api/tokens",
    show: (_, { id }) => ({ json: { id, revoked: true }, text: `The token ${id} is revoked.` }),
  }),
];

function switched(state: TokenState, summary: string): OneRow<Fields> {
  return { summary, route: "PATCH /api/tokens", send: () => ({ state }), show: shownRow };
}

// ---------------------------------------------------------------------------------------------- the commands

async function create(call: CommandCall): Promise<void> {
  const input = readInput(call);
  if (call.switches.has("token-stdin")) return createOwn(call, input);
  const { limitCalls: limit_calls, expiresAt: expires_at, ...rest } = input;
  const made = await withAsk(call, (ask) => answerOf(ask, "POST /api/tokens", { ...rest, limit_calls, expires_at }));
  const { token, ...fields } = made as Fields & { token: string };
  printShown(call, shownSecret(call, token, fields));
}

/** A service makes the secrets of its tokens itself. */
async function createOwn(call: CommandCall, input: TokenInput): Promise<void> {
  if (call.options.url !== undefined)
    throw new UsageError("--token-stdin and --url cannot be combined: a service makes the secrets of its tokens");
  const own = await readOwnSecret(call);
  const context = { id: randomUUID(), actor, nowSeconds: nowSeconds() };
  const settings = callSettings(call);
  const locales = asUsage(() => parseLocales(localesOf(settings), input.locales), flagNamed);
  const { token } = await withExistingStores(settings, ({ tokens }) =>
    createToken(tokens, { ...input, locales }, context, own),
  );
  if (isWeakSecret(own))
    warn(call, "the token is weak: it is short or has few different characters, so it can be guessed");
  // The caller has the secret already; printed here it could end up in a log.
  const fields = tokenFields(token);
  printShown(call, { json: fields, text: formatTable(secretRows(fields)) });
}

/** The secret that the caller supplies. Throws UsageError, without the secret in its message. */
async function readOwnSecret(call: CommandCall): Promise<string> {
  const line = await readOneLine(call, "--token-stdin");
  return asUsage(() => checkSecret("token_stdin", line), flagNamed);
}

function readChange(call: CommandCall): Sent {
  const wanted: TokenChange = {
    label: call.options.label,
    environment: call.options.environment,
    limitCalls: readLimit(call.options["limit-calls"]),
    expiresAt: readExpiry(call.options.expires, nowSeconds()),
    paths: asUsage(() => readPaths(call.options.paths), flagNamed),
    writes: readWrites(call.options.writes),
    locales: readLocales(call.options.locales),
  };
  if (Object.values(wanted).every((value) => value === undefined)) {
    const flags = Object.keys(shared).map((name) => `--${name}`);
    throw new UsageError(`nothing to change; expected ${flags.join(", ")}`);
  }
  const { limitCalls, expiresAt, ...rest } = asUsage(() => checkTokenTexts(wanted), flagNamed);
  return { ...rest, limit_calls: limitCalls, expires_at: expiresAt };
}

function readId(id: string): string {
  // A secret may be in the shell's history and in the process list by now: say so instead of "no such id".
  if (!/^oct_[a-z]_/.test(id)) return id;
  throw new UsageError("ID looks like a secret; expected the token's id, as octavo token list shows it");
}

// ---------------------------------------------------------------------------------------------- reading the flags

function readInput(call: CommandCall): TokenInput {
  const { options } = call;
  const input: TokenInput = {
    kind: readKind(options.kind),
    resources: readResources(options.resources),
    label: options.label ?? "",
    environment: options.environment ?? "",
    limitCalls: readLimit(options["limit-calls"]) ?? 0,
    expiresAt: readExpiry(options.expires, nowSeconds()),
    paths: asUsage(() => readPaths(options.paths), flagNamed),
    writes: readWrites(options.writes),
    locales: readLocales(options.locales),
  };
  asUsage(() => newToken(input, { id: "", nowSeconds: nowSeconds() }), flagNamed);
  return input;
}

function readKind(received: string | undefined): TokenKind {
  const kind = tokenKinds.find((name) => name === received);
  if (kind) return kind;
  throw received === undefined
    ? new UsageError(`--kind is missing; expected one of ${tokenKinds.join(", ")}`)
    : oneOfThese("--kind", received, tokenKinds);
}

function readResources(received: string | undefined): TokenResource[] {
  const names = (received ?? "").split(",").map((name) => name.trim());
  return names
    .filter((name) => name !== "")
    .map((name) => {
      const resource = tokenResources.find((known) => known === name);
      if (resource) return resource;
      throw oneOfThese("--resources", name, tokenResources);
    });
}

/** Undefined when the option is absent. A path with a comma can be given over the API only. */
function readPaths(received: string | undefined): Path[] | null | undefined {
  return received === undefined ? undefined : received === "all" ? null : parseTokenPaths(received.split(","));
}

/** Undefined when the option is absent. Who stores the token knows which there are. */
function readLocales(received: string | undefined): string[] | null | undefined {
  if (received === undefined || received === "all") return received && null;
  return received.split(",").map((name) => name.trim());
}

function readWrites(received: string | undefined): TokenWrites | undefined {
  const writes = tokenWrites.find((name) => name === received);
  if (received === undefined || writes) return writes;
  throw oneOfThese("--writes", received, tokenWrites);
}

function oneOfThese(flag: string, received: string, names: readonly string[]): UsageError {
  const near = nearest(received, names);
  const hint = near ? `; did you mean ${near}?` : "";
  return new UsageError(`${flag} was "${received}"; expected one of ${names.join(", ")}${hint}`);
}

function readLimit(received: string | undefined): number | undefined {
  if (received === undefined) return undefined;
  if (/^\d{1,15}$/.test(received)) return Number(received);
  throw new UsageError(`--limit-calls was "${received}"; expected an integer from 0; 0 is without limit`);
}

const flagNamed = (argument: string): string => `--${argument.replaceAll("_", "-")}`;

// ---------------------------------------------------------------------------------------------- printing

const head = ["ID", "KIND", "RESOURCES", "LABEL", "ENVIRONMENT", "STATE", "CALLS", "EXPIRES", "LAST USED"];

/** As the routes answer them. */
type Fields = ReturnType<typeof tokenFields>;

const tokenRow = (token: Fields): string[] => [
  token.id,
  token.kind,
  token.resources.join(",") || "-",
  token.label || "-",
  token.environment || "-",
  token.state,
  token.limit_calls > 0 ? `${token.calls} of ${token.limit_calls}` : String(token.calls),
  formatTime(token.expires_at),
  formatTime(token.last_used_at),
];

const none = "There are no tokens. octavo token create --help shows how to make one.";

function shownRow(json: Fields): Shown {
  return { json, table: { head, rows: [tokenRow(json)] } };
}

const shownSecret = (call: CommandCall, secret: string, token: Fields): Shown => ({
  json: { token: secret, ...token },
  text: formatSecret(call, secret, secretRows(token)),
});

const secretRows = (token: Fields): string[][] => [
  ["id", token.id],
  ["kind", token.kind],
  ["resources", token.resources.join(", ") || "-"],
  ...(token.paths ? [["paths", token.paths.join(", ")]] : []),
  ...(token.writes === undefined ? [] : [["writes", token.writes]]),
  ...(token.locales ? [["locales", token.locales.join(", ")]] : []),
  ["expires", formatTime(token.expires_at)],
  ["calls", token.limit_calls > 0 ? `at most ${token.limit_calls}` : "without limit"],
];
