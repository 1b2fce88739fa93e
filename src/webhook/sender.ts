import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { EventStore, WriteContext } from "../core/event.ts";
import { isProblem } from "../core/problem.ts";
import { currentTraceparent, parseTraceparent, traceparentOf } from "../core/trace.ts";
import type { Seal } from "../people/seal.ts";
import {
  type Delivery,
  deliveryFrom,
  type Message,
  messageOf,
  nextDelivery,
  signatureHeaders,
  testMessage,
} from "./delivery.ts";
import { problem } from "./problems.ts";
import type { Attempt, Noted, Progress, Webhook, WebhookStore } from "./webhook.ts";

/** What an address answered: a status, or why there is none. */
export type Answered = Pick<Attempt, "status" | "durationMs" | "error">;

/**
 * Sends a text to an address, with a limit of time and without following redirects. Never rejects: what fails is the `error`
 * of what it answers. Refuses addresses of private networks, at the connection.
 */
export interface Poster {
  post(url: string, sent: { headers: Record<string, string>; body: string }, signal?: AbortSignal): Promise<Answered>;
}

export type SenderOptions = {
  webhooks: Pick<WebhookStore, "list" | "get" | "note" | "attempts">;
  events: Pick<EventStore, "listCommitted" | "listThings">;
  seal: Seal;
  poster: Poster;
  nowSeconds: () => number;
  /** Changes with every write; undefined while that is not known. */
  version: () => number | undefined;
  onError: (error: unknown) => void;
  /** Seconds until the next attempt, by the number of those that failed; the last holds for all others. */
  retrySeconds?: readonly number[];
  /** How often the store is compared. */
  lookMs?: number;
};

const usualRetrySeconds = [5, 30, 120, 600, 3600];
/** Webhooks that failed together are not tried again together: a tenth more or less. */
const jitter = () => 0.9 + Math.random() / 5;
const longestJitter = 1.1;
/** After so long without an acknowledgement a webhook fails. */
const failsAfterSeconds = 7 * 24 * 3600;
const goneStatus = 410;

/** What a webhook is not sent moves its number, too, but not with a write each time. */
const saveEveryEvents = 1000;
const saveEverySeconds = 3600;

/** After a failure of the store. */
const afterErrorMs = 5000;
/** A turn with always something under way ends after so many times its length. */
const longTurns = 6;

/** Of the request that asks for an attempt. */
type Context = Pick<WriteContext, "nowSeconds" | "unit">;

/** How long one process sends. */
export type Turn = { signal: AbortSignal; cut: AbortSignal; turnMs: number };

/** Sends events to the webhooks of a store: each in order, a failing one without holding up the others. */
export class WebhookSender {
  private readonly options: Required<SenderOptions>;
  /** By webhook, up to which event there is nothing to send, and when that was last written. */
  private readonly reached = new Map<string, { sequence: number; savedSeconds: number }>();
  /** Those that are served now. */
  private readonly serving = new Map<string, { isWoken: boolean; done: Promise<void> }>();
  /** Attempts of this process, tests among them. */
  readonly outcomes = { acknowledged: 0, failed: 0 };
  private isWoken = true;
  /** True when no delivery begins any more. */
  private isEnding = false;

  constructor(options: SenderOptions) {
    this.options = { retrySeconds: usualRetrySeconds, lookMs: 250, ...options };
  }

  /** Looks at the webhooks at once: one was made or switched on. */
  wake(): void {
    this.isWoken = true;
  }

  /** True when a webhook is on. */
  async hasWork(): Promise<boolean> {
    return (await this.options.webhooks.list()).some(({ state }) => state === "on");
  }

  /** How long the oldest event that a webhook is still to be sent has waited: the most of all that are on, in seconds. */
  async lagSeconds(): Promise<number> {
    const { webhooks, events, nowSeconds } = this.options;
    const on = (await webhooks.list()).filter(({ state }) => state === "on");
    const next = on.map((webhook) => nextDelivery(events, webhook, webhook.sequence, () => true));
    const since = (await Promise.all(next)).map(({ delivery }) => delivery?.events[0]?.atSeconds ?? nowSeconds());
    return Math.max(0, ...since.map((atSeconds) => nowSeconds() - atSeconds));
  }

  /**
   * Sends for a while, until the signal aborts, or while a webhook is on. Only one process of a store may. Ends when nothing
   * is under way any more; once `cut` aborts, that is given up, and will be sent again.
   */
  async run({ signal, cut, turnMs }: Turn): Promise<void> {
    const startedMs = performance.now();
    let version: number | undefined;
    let dueSeconds = Number.POSITIVE_INFINITY;
    this.isWoken = true;
    this.isEnding = false;
    while (!signal.aborted && !this.isOver(performance.now() - startedMs, turnMs)) {
      const now = this.options.version();
      const isDue = this.isWoken || now !== version || dueSeconds <= this.options.nowSeconds();
      if (now !== undefined && isDue) {
        this.isWoken = false;
        version = now;
        const on = (await this.options.webhooks.list()).filter(({ state }) => state === "on");
        this.forgetOthers(on);
        if (on.length === 0) break;
        dueSeconds = Math.min(...on.map(({ nextAt }) => nextAt ?? Number.POSITIVE_INFINITY));
        for (const { id } of on) this.serve(id, cut);
      }
      await pause(this.options.lookMs, undefined, { signal }).catch(() => undefined);
    }
    this.isEnding = true;
    while (this.serving.size > 0) await Promise.all([...this.serving.values()].map(({ done }) => done));
  }

  /** A turn ends between deliveries if it can, so that none waits for the answer of another address. */
  private isOver(ms: number, turnMs: number): boolean {
    return ms > turnMs && (this.serving.size === 0 || ms > longTurns * turnMs);
  }

  private forgetOthers(webhooks: readonly Webhook[]): void {
    const ids = new Set(webhooks.map(({ id }) => id));
    for (const id of this.reached.keys()) if (!ids.has(id)) this.reached.delete(id);
  }

  /** Sends a message without events, and keeps the attempt. Throws webhook_not_found. */
  async test(id: string, context: Context): Promise<Attempt> {
    if (context.unit?.isReplay) return this.repeated(id, context);
    const webhook = await this.options.webhooks.get(id);
    const message = testMessage(webhook, randomUUID(), this.options.nowSeconds());
    const attempt = { ...(await this.attempt(webhook, asked(message))), sequence: null, attempt: 1, nextAt: null };
    await this.options.webhooks.note(id, { attempt, progress: {} }, context);
    return attempt;
  }

  /**
   * Sends the delivery that begins with this event again, under the same id. If it is the one that is next, an
   * acknowledgement counts. Throws webhook_not_found, webhook_delivery_not_found.
   */
  async resend(id: string, sequence: number, context: Context): Promise<Attempt> {
    if (context.unit?.isReplay) return this.repeated(id, context);
    const { webhooks, events } = this.options;
    const webhook = await webhooks.get(id);
    const delivery = await deliveryFrom(events, webhook, sequence);
    if (!delivery) throw problem("webhook_delivery_not_found", { sequence });
    const before = (await webhooks.attempts(id)).filter((attempt) => attempt.sequence === sequence);
    const isNext =
      webhook.sequence < sequence &&
      (await nextDelivery(events, webhook, webhook.sequence)).delivery?.from === sequence;
    const message = await messageOf(events, isNext ? webhook : { ...webhook, hasGap: false }, delivery);
    const answered = await this.attempt(webhook, asked(message));
    const number = Math.max(0, ...before.map(({ attempt }) => attempt)) + 1;
    const attempt = { ...answered, sequence, attempt: number, nextAt: null };
    const progress = isNext && isAcknowledged(answered) ? acknowledgedAt(delivery.to) : {};
    await webhooks.note(id, { attempt, after: webhook.sequence, progress }, context);
    return attempt;
  }

  /** What the first of the requests with this key answered: nothing is sent. */
  private async repeated(id: string, context: Context): Promise<Attempt> {
    return (await this.options.webhooks.note(id, { progress: {} }, context)) as Attempt;
  }

  private serve(id: string, cut: AbortSignal): void {
    const served = this.serving.get(id);
    if (served) served.isWoken = true;
    else if (!this.isEnding) this.serving.set(id, { isWoken: false, done: this.send(id, cut) });
  }

  private async send(id: string, cut: AbortSignal): Promise<void> {
    try {
      await this.sendAll(id, cut);
    } catch (error) {
      // Deleted meanwhile.
      if (isProblem(error, "webhook_not_found")) return;
      this.options.onError(error);
      setTimeout(() => this.wake(), afterErrorMs).unref();
    } finally {
      // Something was written after the last look at the log.
      if (this.serving.get(id)?.isWoken) this.wake();
      this.serving.delete(id);
    }
  }

  /** Sends what there is, until an attempt fails. */
  private async sendAll(id: string, cut: AbortSignal): Promise<void> {
    const isStopped = () => this.isEnding || cut.aborted;
    // After `serve` has noted that it is being served.
    await Promise.resolve();
    while (!isStopped()) {
      const webhook = await this.options.webhooks.get(id);
      const after = Math.max(webhook.sequence, this.reached.get(id)?.sequence ?? 0);
      if (webhook.state !== "on" || this.isWaiting(webhook)) return;
      const { delivery, reached } = await nextDelivery(this.options.events, webhook, after, isStopped);
      if (!delivery) return this.skip(webhook, reached);
      if (!(await this.deliver(webhook, delivery, cut))) return;
    }
  }

  /** A time that is further away than any wait was set by a clock that was ahead: nobody waits for that. */
  private isWaiting({ nextAt }: Webhook): boolean {
    const { nowSeconds, retrySeconds } = this.options;
    const left = (nextAt ?? 0) - nowSeconds();
    return left > 0 && left <= Math.max(...retrySeconds) * longestJitter + 1;
  }

  /** Nothing up to this event is sent. */
  private async skip({ id, sequence }: Webhook, reached: number): Promise<void> {
    const now = this.options.nowSeconds();
    const { savedSeconds } = this.reached.get(id) ?? { savedSeconds: now };
    const isDue =
      reached - sequence >= saveEveryEvents || (reached > sequence && now - savedSeconds >= saveEverySeconds);
    this.reached.set(id, { sequence: reached, savedSeconds: isDue ? now : savedSeconds });
    if (isDue) await this.note(id, { after: sequence, progress: { sequence: reached } });
  }

  /** False when the next one has to wait. */
  private async deliver(webhook: Webhook, delivery: Delivery, cut: AbortSignal): Promise<boolean> {
    const message = await messageOf(this.options.events, webhook, delivery);
    const answered = await this.attempt(webhook, message, cut);
    if (cut.aborted && !isAcknowledged(answered)) return false;
    const isGood = isAcknowledged(answered);
    const progress = isGood ? acknowledgedAt(delivery.to) : this.failed(webhook, answered);
    const attempts = webhook.attempts + 1;
    const attempt = { ...answered, sequence: delivery.from, attempt: attempts, nextAt: progress.nextAt ?? null };
    await this.note(webhook.id, {
      attempt,
      after: webhook.sequence,
      found: { url: webhook.url, attempts: webhook.attempts },
      progress,
    });
    if (!isGood) this.wake();
    return isGood;
  }

  private failed(webhook: Webhook, { status, error }: Answered): Progress {
    const now = this.options.nowSeconds();
    const { retrySeconds } = this.options;
    const failingSince = webhook.failingSince ?? now;
    const attempts = webhook.attempts + 1;
    const isOver = status === goneStatus || error === unreadable || now - failingSince >= failsAfterSeconds;
    if (isOver) return { state: "failed", attempts, failingSince, nextAt: null };
    const wait = retrySeconds[Math.min(attempts, retrySeconds.length) - 1] ?? 0;
    return { attempts, failingSince, nextAt: Math.ceil(now + wait * jitter()) };
  }

  /** Sends a message now. */
  private async attempt(
    webhook: Webhook,
    message: Message,
    signal?: AbortSignal,
  ): Promise<Answered & Pick<Attempt, "at">> {
    const at = this.options.nowSeconds();
    const secrets = this.secretsOf(webhook, at);
    if (!secrets) {
      this.outcomes.failed++;
      return { at, status: null, durationMs: 0, error: unreadable };
    }
    const trace = parseTraceparent(message.trace);
    const headers = {
      "content-type": "application/json",
      ...signatureHeaders(message, secrets, at),
      ...(trace && { traceparent: traceparentOf(trace) }),
    };
    const answered = await this.options.poster.post(webhook.url, { headers, body: message.body }, signal);
    this.outcomes[isAcknowledged(answered) ? "acknowledged" : "failed"]++;
    return { at, ...answered };
  }

  /** Those that sign now, the newest first; undefined when another key sealed it. */
  private secretsOf({ secret, oldSecret, oldSecretUntil }: Webhook, now: number): string[] | undefined {
    const opened = this.options.seal.open(secret);
    if (opened === undefined) return undefined;
    const old = oldSecret !== null && now < (oldSecretUntil ?? 0) ? this.options.seal.open(oldSecret) : undefined;
    return old === undefined ? [opened] : [opened, old];
  }

  private async note(id: string, noted: Noted): Promise<void> {
    await this.options.webhooks.note(id, noted, { nowSeconds: this.options.nowSeconds() });
  }
}

/** The error of a webhook whose secret was sealed with another key: it fails, until it is rotated and switched on. */
const unreadable = "secret_unreadable";

/** A message that is sent because a call asks for it is a part of what that call is. */
const asked = (message: Message): Message => ({ ...message, trace: currentTraceparent() ?? message.trace });

const isAcknowledged = ({ status }: Answered): boolean => status !== null && status >= 200 && status < 300;

const acknowledgedAt = (sequence: number): Progress => ({
  sequence,
  hasGap: false,
  attempts: 0,
  failingSince: null,
  nextAt: null,
});
