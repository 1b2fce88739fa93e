import { randomBytes } from "node:crypto";
import { checkTokenText, parseTokenPaths } from "../core/access/token.ts";
import { type Event, eventKinds, kindFacts, namedBy, type WriteContext } from "../core/event.ts";
import { isWithin, type Path } from "../core/path.ts";
import { problem } from "../core/problem.ts";
import type { Seal } from "../people/seal.ts";

/** An address that is sent the events of writes, signed, in order and at least once. Contract, part three, §12. */
export type Webhook = Readonly<{
  id: string;
  url: string;
  /** What people call it; "" for nothing. */
  label: string;
  /** Kinds of events, or all of a noun as `entry.*`; null for all. */
  kinds: readonly string[] | null;
  /** Only events at and below these; null for everywhere, and for events of things without a path. */
  paths: readonly Path[] | null;
  state: WebhookState;
  /** Sealed: see `sealOf` in the service. */
  secret: string;
  /** The one before the last rotation. */
  oldSecret: string | null;
  oldSecretUntil: number | null;
  /** The last event that was acknowledged, or that it is not sent. */
  sequence: number;
  /** True when events after that were removed from the log before it got them. */
  hasGap: boolean;
  /** Of the delivery that is next: how often it failed, since when, and when it is tried again. */
  attempts: number;
  failingSince: number | null;
  nextAt: number | null;
  createdAt: number;
}>;

/** `failed`: its address did not acknowledge for seven days, or is gone. It stays so until it is switched on. */
export const webhookStates = ["on", "off", "failed"] as const;
export type WebhookState = (typeof webhookStates)[number];
/** Those that a request may set. */
export const switchStates = ["on", "off"] as const;

/** One attempt to deliver. */
export type Attempt = Readonly<{
  /** The first event of the delivery; null for a test. */
  sequence: number | null;
  /** 1 for the first. */
  attempt: number;
  at: number;
  /** Of the reply; null when there was none. */
  status: number | null;
  durationMs: number;
  /** Why there was no reply, as `timeout` or `ECONNREFUSED`; null when there was one. */
  error: string | null;
  /** When it is tried again; null for never. */
  nextAt: number | null;
}>;

/** What an attempt changes of its webhook. */
export type Progress = Partial<
  Pick<Webhook, "sequence" | "hasGap" | "attempts" | "failingSince" | "nextAt"> & { state: "failed" }
>;

export type WebhookChange = Partial<Pick<Webhook, "url" | "label" | "kinds" | "paths">> & {
  state?: (typeof switchStates)[number] | undefined;
};

/** Where webhooks are stored. Each write is one event; what is noted of deliveries is none, unless it says so. */
export interface WebhookStore {
  /** In the order in which they were created. */
  list(): Promise<Webhook[]>;
  /** Throws webhook_not_found. */
  get(id: string): Promise<Webhook>;
  /** Its sequence becomes that of its event: it is sent what follows. Throws too_many_webhooks. */
  create(webhook: Webhook, context: WriteContext): Promise<Webhook>;
  /**
   * Switched on, it goes on where it stopped, at once; an address that is changed is tried at once, too. Throws
   * webhook_not_found.
   */
  update(id: string, change: WebhookChange, context: WriteContext): Promise<Webhook>;
  /** The secret becomes the old one, which signs for a day. Throws webhook_not_found. */
  rotate(id: string, secret: { secret: string }, context: WriteContext): Promise<Webhook>;
  /** With its attempts. Throws webhook_not_found. */
  delete(id: string, context: WriteContext): Promise<void>;
  /** The attempts that are kept, newest first. Throws webhook_not_found. */
  attempts(id: string): Promise<Attempt[]>;
  /**
   * Keeps an attempt, the last hundred of a webhook, and what it changes; a webhook that fails gets an event. Does nothing
   * when the webhook is gone or is no longer after the event `after`: another node came first, or an attempt that somebody
   * asked for. A failure changes nothing once the webhook was switched, or has another address, than the attempt had.
   * Answers the attempt; null when the webhook is gone.
   */
  note(
    id: string,
    noted: Noted,
    context: Pick<WriteContext, "nowSeconds" | "unit">,
  ): Promise<Attempt | null | undefined>;
}

export type Noted = {
  attempt?: Attempt;
  after?: number;
  /** The webhook as the attempt found it. */
  found?: Pick<Webhook, "url" | "attempts">;
  progress: Progress;
};

export const maxWebhooks = 50;
export const keptAttempts = 100;
/** How long the secret before a rotation signs, too. */
export const oldSecretSeconds = 24 * 3600;

const secretPrefix = "whsec_";

/** A new secret in the form of Standard Webhooks. */
export const newWebhookSecret = (): string => secretPrefix + randomBytes(32).toString("base64");

export type WebhookInput = {
  url: string;
  label?: string | undefined;
  kinds?: readonly string[] | null | undefined;
  paths?: readonly string[] | null | undefined;
  state?: (typeof switchStates)[number] | undefined;
};

/** A new webhook and its secret, which cannot be read again; `url` is checked. Throws argument_invalid, path_invalid. */
export function newWebhook(
  { url, label = "", kinds, paths, state = "on" }: WebhookInput,
  { id, nowSeconds, seal }: { id: string; nowSeconds: number; seal: Seal },
): { webhook: Webhook; secret: string } {
  const secret = newWebhookSecret();
  const webhook: Webhook = {
    id,
    url,
    state,
    secret: seal.seal(secret),
    oldSecret: null,
    oldSecretUntil: null,
    label: parseLabel(label),
    kinds: parseKinds(kinds),
    paths: parseTokenPaths(paths),
    sequence: 0,
    hasGap: false,
    attempts: 0,
    failingSince: null,
    nextAt: null,
    createdAt: nowSeconds,
  };
  return { webhook, secret };
}

/** What a request changes, validated, except its `url`. Throws argument_invalid, path_invalid. */
export const parseWebhookChange = ({ url, label, kinds, paths, state }: Partial<WebhookInput>): WebhookChange => ({
  ...(url !== undefined && { url }),
  ...(label !== undefined && { label: parseLabel(label) }),
  ...(kinds !== undefined && { kinds: parseKinds(kinds) }),
  ...(paths !== undefined && { paths: parseTokenPaths(paths) }),
  ...(state !== undefined && { state }),
});

function parseLabel(label: string): string {
  checkTokenText("label", label);
  return label;
}

function isKind(text: string): boolean {
  const all: readonly string[] = eventKinds();
  return all.includes(text) || (text.endsWith(".*") && all.some((kind) => kind.startsWith(text.slice(0, -1))));
}

export const acceptedKinds = "a list of kinds as entry.update, or entry.* for all of a noun, or null for all";

/** Each once; null for all. Throws argument_invalid. */
export function parseKinds(sent: readonly string[] | null | undefined): string[] | null {
  if (!sent) return null;
  const wrong = sent.length === 0 ? "an empty list" : sent.find((kind) => !isKind(kind));
  if (wrong === undefined) return [...new Set(sent)];
  throw problem("argument_invalid", { argument: "kinds", received: wrong, accepted: acceptedKinds });
}

/** As stored. */
export const formatKinds = (kinds: readonly string[] | null): string => (kinds ?? []).join(",");
/** The inverse. */
export const readKinds = (text: string): string[] | null => (text === "" ? null : text.split(","));

type Named = Pick<Event, "kind" | "subject" | "target" | "count">;

/** True for an event that the webhook is sent. */
export function isSent({ kinds, paths }: Pick<Webhook, "kinds" | "paths">, event: Named): boolean {
  const noun = event.kind.slice(0, event.kind.indexOf("."));
  if (kinds && !kinds.some((kind) => kind === event.kind || kind === `${noun}.*`)) return false;
  if (!paths) return true;
  if (kindFacts(event.kind)?.subject !== "path") return false;
  // What changes a subtree from above may change what is at a path of the webhook.
  return (namedBy(event) as Path[]).some((named) =>
    paths.some((path) => isWithin(named, path) || (event.count > 1 && isWithin(path, named))),
  );
}

/** A webhook under the names of the wire. Never holds a secret. */
export const webhookFields = (webhook: Webhook) => ({
  id: webhook.id,
  url: webhook.url,
  label: webhook.label,
  kinds: webhook.kinds,
  paths: webhook.paths,
  state: webhook.state,
  sequence: webhook.sequence,
  failing_since: webhook.failingSince,
  next_at: webhook.nextAt,
  old_secret_until: webhook.oldSecretUntil,
  created_at: webhook.createdAt,
});

/** An attempt under the names of the wire. */
export const attemptFields = ({ sequence, attempt, at, status, durationMs, error, nextAt }: Attempt) => ({
  sequence,
  attempt,
  at,
  status,
  duration_ms: durationMs,
  error,
  next_at: nextAt,
});
