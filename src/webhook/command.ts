import { randomUUID } from "node:crypto";
import { asUsage, type Command, type CommandCall, jsonOption, UsageError } from "../cli/command.ts";
import { bold, formatTable, formatTime, print, printJson, printTable } from "../cli/print.ts";
import { callSettings } from "../cli/setting-sources.ts";
import { actor, nowSeconds, withExistingStores } from "../cli/store.ts";
import { version } from "../cli/version.ts";
import type { Stores } from "../stores.ts";
import type { Webhooks } from "./service.ts";
import {
  type Attempt,
  attemptFields,
  newWebhook,
  newWebhookSecret,
  parseWebhookChange,
  type Webhook,
  webhookFields,
} from "./webhook.ts";

/** `octavo webhook …`: what owners do on the admin page, for scripts. */
export const webhookCommands: Command[] = [
  {
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
      json: jsonOption,
    },
    examples: [
      "octavo webhook create https://example.org/hooks/octavo",
      "octavo webhook create https://example.org/hooks/octavo --kinds 'entry.*,file.*' --paths blog",
    ],
    run: create,
  },
  {
    name: "webhook list",
    summary: "List the webhooks, without their secrets",
    takes: [],
    options: { json: jsonOption },
    examples: ["octavo webhook list", "octavo webhook list --json"],
    run: list,
  },
  onId("deliveries", "List the last attempts of a webhook, newest first", deliveries),
  onId("test", "Send a message without events now, and tell what came of it", (call, id) =>
    attempt(call, ({ sender }) => sender.test(id, { nowSeconds: nowSeconds() })),
  ),
  {
    name: "webhook resend",
    summary: "Send a delivery again now, and tell what came of it",
    details: "SEQUENCE is its first event, as octavo webhook deliveries shows it.",
    takes: ["ID", "SEQUENCE"],
    options: { json: jsonOption },
    examples: ["octavo webhook resend ID 4711"],
    run: resend,
  },
  onId("rotate", "Give a webhook another secret and print it, once; the old one signs for a day, too", rotate),
  onId("on", "Send events again, those since it stopped first", (call, id) => change(call, id, "on")),
  onId("off", "Send no events until the webhook is switched on", (call, id) => change(call, id, "off")),
  onId("delete", "Remove a webhook and its attempts", remove),
];

function onId(verb: string, summary: string, run: (call: CommandCall, id: string) => Promise<void>): Command {
  return {
    name: `webhook ${verb}`,
    summary,
    takes: ["ID"],
    options: { json: jsonOption },
    examples: [`octavo webhook ${verb} ID`],
    run: (call) => run(call, call.positionals[0] ?? ""),
  };
}

/** Runs with the store, and with what its webhooks are made and sent with. */
function withWebhooks<T>(call: CommandCall, work: (stores: Stores, hooks: Webhooks) => Promise<T>): Promise<T> {
  const settings = callSettings(call);
  return withExistingStores(settings, async (stores) => {
    const { Webhooks } = await import("./service.ts");
    return work(stores, new Webhooks(stores, settings, { version, onError: () => undefined }));
  });
}

const context = () => ({ actor, nowSeconds: nowSeconds() });
const listOf = (text: string | undefined): string[] | undefined => text?.split(",").filter(Boolean);

async function create(call: CommandCall): Promise<void> {
  const [url = ""] = call.positionals;
  const { label } = call.options;
  const input = { url, label, kinds: listOf(call.options.kinds), paths: listOf(call.options.paths) };
  asUsage(
    () => parseWebhookChange(input),
    (argument) => `--${argument}`,
  );
  const made = await withWebhooks(call, async ({ webhooks }, { seal, checkUrl }) => {
    const checked = { ...input, url: await checkUrl(url) };
    const { webhook, secret } = newWebhook(checked, { id: randomUUID(), nowSeconds: nowSeconds(), seal });
    return { webhook: await webhooks.create(webhook, context()), secret };
  });
  printSecret(call, made.webhook, made.secret);
}

async function rotate(call: CommandCall, id: string): Promise<void> {
  const secret = newWebhookSecret();
  const webhook = await withWebhooks(call, ({ webhooks }, { seal }) =>
    webhooks.rotate(id, { secret: seal.seal(secret) }, context()),
  );
  printSecret(call, webhook, secret);
}

async function list(call: CommandCall): Promise<void> {
  const all = await withExistingStores(callSettings(call), ({ webhooks }) => webhooks.list());
  if (call.switches.has("json")) printJson(call, { webhooks: all.map(webhookFields) });
  else if (all.length > 0) printTable(call, head, all.map(webhookRow));
  else print(call, "There are no webhooks. octavo webhook create --help shows how to make one.");
}

async function change(call: CommandCall, id: string, state: "on" | "off"): Promise<void> {
  const webhook = await withExistingStores(callSettings(call), ({ webhooks }) =>
    webhooks.update(id, { state }, context()),
  );
  if (call.switches.has("json")) printJson(call, webhookFields(webhook));
  else printTable(call, head, [webhookRow(webhook)]);
}

async function remove(call: CommandCall, id: string): Promise<void> {
  await withExistingStores(callSettings(call), ({ webhooks }) => webhooks.delete(id, context()));
  if (call.switches.has("json")) printJson(call, { deleted: id });
  else print(call, `${id} is deleted`);
}

async function deliveries(call: CommandCall, id: string): Promise<void> {
  const attempts = await withExistingStores(callSettings(call), ({ webhooks }) => webhooks.attempts(id));
  if (call.switches.has("json")) printJson(call, { deliveries: attempts.map(attemptFields) });
  else if (attempts.length > 0) printTable(call, attemptHead, attempts.map(attemptRow));
  else print(call, "Nothing was sent yet.");
}

async function resend(call: CommandCall): Promise<void> {
  const [id = "", text = ""] = call.positionals;
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new UsageError(`SEQUENCE was ${JSON.stringify(text)}; expected a number`);
  await attempt(call, ({ sender }) => sender.resend(id, Number(text), { nowSeconds: nowSeconds() }));
}

async function attempt(call: CommandCall, send: (hooks: Webhooks) => Promise<Attempt>): Promise<void> {
  const made = await withWebhooks(call, (_, hooks) => send(hooks));
  if (call.switches.has("json")) printJson(call, attemptFields(made));
  else printTable(call, attemptHead, [attemptRow(made)]);
}

const head = ["ID", "STATE", "URL", "LABEL", "KINDS", "PATHS", "SEQUENCE", "FAILING SINCE"];
const webhookRow = ({ id, state, url, label, kinds, paths, sequence, failingSince }: Webhook): string[] => [
  id,
  state,
  url,
  label || "-",
  kinds?.join(",") ?? "all",
  paths?.join(",") ?? "everywhere",
  String(sequence),
  failingSince === null ? "-" : formatTime(failingSince),
];

const attemptHead = ["SEQUENCE", "ATTEMPT", "AT", "ANSWER", "MS", "NEXT"];
const attemptRow = ({ sequence, attempt, at, status, error, durationMs, nextAt }: Attempt): string[] => [
  sequence === null ? "test" : String(sequence),
  String(attempt),
  formatTime(at),
  String(status ?? error),
  String(durationMs),
  nextAt === null ? "-" : formatTime(nextAt),
];

function printSecret(call: CommandCall, webhook: Webhook, secret: string): void {
  if (call.switches.has("json")) {
    printJson(call, { ...webhookFields(webhook), secret });
    return;
  }
  const facts = [
    ["id", webhook.id],
    ["url", webhook.url],
  ];
  print(call, [bold(call, secret), formatTable(facts), "The secret is shown this once."].join("\n\n"));
}
