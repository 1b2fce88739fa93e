import { asUsage, type Command, type CommandCall, UsageError } from "../cli/command.ts";
import { formatSecret, formatTime } from "../cli/print.ts";
import { commandOf, commandsOnOne, type OneRow, type Sent, type Shown } from "../cli/row.ts";
import { type attemptFields, parseWebhookChange, type webhookFields } from "./webhook.ts";

const onId = commandsOnOne({ noun: "webhook", word: "ID" });

/** `octavo webhook …`: what owners do on the admin page, for scripts. */
export const webhookCommands: Command[] = [
  commandOf<WithSecret>({
    name: "webhook create",
    summary: "Make a webhook and print its secret, once",
    details:
      "The address is https and outside of private networks, unless the setting webhook_private is on.\n" +
      "It is sent what is written from now on.",
    takes: ["URL"],
    options: {
      kinds: { value: "LIST", help: "Only these kinds of events, as entry.update or entry.*; without it all." },
      paths: { value: "LIST", help: "Only events at and below these paths of entries and uploads; without it all." },
      label: { value: "TEXT", help: "A description of its purpose." },
    },
    examples: [
      "octavo webhook create https://example.org/hooks/octavo",
      "octavo webhook create https://example.org/hooks/octavo --kinds 'entry.*,file.*' --paths blog",
    ],
    route: "POST /api/webhooks",
    send: readNew,
    show: shownSecret,
  }),
  commandOf<Fields[]>({
    name: "webhook list",
    summary: "List the webhooks, without their secrets",
    takes: [],
    examples: ["octavo webhook list", "octavo webhook list --json"],
    route: "GET /api/webhooks",
    show: (webhooks) => ({ json: { webhooks }, table: { head, rows: webhooks.map(webhookRow), none } }),
  }),
  onId<AttemptFields[]>("deliveries", {
    summary: "List the last attempts of a webhook, newest first",
    route: "GET /api/webhooks/deliveries",
    show: (deliveries) => ({
      json: { deliveries },
      table: { head: attemptHead, rows: deliveries.map(attemptRow), none: "Nothing was sent yet." },
    }),
  }),
  onId("test", {
    summary: "Send a message without events now, and tell what came of it",
    route: "POST /api/webhooks/test",
    show: shownAttempt,
  }),
  onId<AttemptFields>("resend", {
    summary: "Send a delivery again now, and tell what came of it",
    details: "SEQUENCE is its first event, as octavo webhook deliveries shows it.",
    takes: ["ID", "SEQUENCE"],
    examples: ["octavo webhook resend ID 4711"],
    route: "POST /api/webhooks/resend",
    send: ({ positionals: [, text = ""] }) => ({ sequence: readSequence(text) }),
    show: shownAttempt,
  }),
  onId("rotate", {
    summary: "Give a webhook another secret and print it, once; the old one signs for a day, too",
    route: "POST /api/webhooks/rotate",
    show: shownSecret,
  }),
  onId("on", switched("on", "Send events again, those since it stopped first")),
  onId("off", switched("off", "Send no events until the webhook is switched on")),
  onId("delete", {
    summary: "Remove a webhook and its attempts",
    route: "DELETE /api/webhooks",
    show: (_, { id }) => ({ json: { deleted: id }, text: `${id} is deleted` }),
  }),
];

function switched(state: "on" | "off", summary: string): OneRow<Fields> {
  return {
    summary,
    route: "PATCH /api/webhooks",
    send: () => ({ state }),
    show: (json) => ({ json, table: { head, rows: [webhookRow(json)] } }),
  };
}

const listOf = (text: string | undefined): string[] | undefined => text?.split(",").filter(Boolean);

function readNew({ positionals: [url = ""], options: { label, kinds, paths } }: CommandCall): Sent {
  const input = { url, label, kinds: listOf(kinds), paths: listOf(paths) };
  asUsage(
    () => parseWebhookChange(input),
    (argument) => `--${argument}`,
  );
  return input;
}

function readSequence(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new UsageError(`SEQUENCE was ${JSON.stringify(text)}; expected a number`);
}

/** As the routes answer them. */
type Fields = ReturnType<typeof webhookFields>;
type WithSecret = Fields & { secret: string };
type AttemptFields = ReturnType<typeof attemptFields>;

const head = ["ID", "STATE", "URL", "LABEL", "KINDS", "PATHS", "SEQUENCE", "FAILING SINCE"];
const none = "There are no webhooks. octavo webhook create --help shows how to make one.";
const webhookRow = ({ id, state, url, label, kinds, paths, sequence, failing_since }: Fields): string[] => [
  id,
  state,
  url,
  label || "-",
  kinds?.join(",") ?? "all",
  paths?.join(",") ?? "everywhere",
  String(sequence),
  failing_since === null ? "-" : formatTime(failing_since),
];

const attemptHead = ["SEQUENCE", "ATTEMPT", "AT", "ANSWER", "MS", "NEXT"];
const attemptRow = ({ sequence, attempt, at, status, error, duration_ms, next_at }: AttemptFields): string[] => [
  sequence === null ? "test" : String(sequence),
  String(attempt),
  formatTime(at),
  String(status ?? error),
  String(duration_ms),
  next_at === null ? "-" : formatTime(next_at),
];

function shownAttempt(json: AttemptFields): Shown {
  return { json, table: { head: attemptHead, rows: [attemptRow(json)] } };
}

function shownSecret(json: WithSecret, _sent: Sent, call: CommandCall): Shown {
  const facts = [
    ["id", json.id],
    ["url", json.url],
  ];
  return { json, text: formatSecret(call, json.secret, facts) };
}
