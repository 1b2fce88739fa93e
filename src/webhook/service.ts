import { byOutcome, figure, ifAnswered } from "../core/metric.ts";
import { Seal } from "../people/seal.ts";
import { nowSeconds, type Served, type Service } from "../service.ts";
import type { Settings } from "../settings.ts";
import type { Stores } from "../stores.ts";
import { checkWebhookUrl } from "./address.ts";
import { webhookRoutes } from "./routes.ts";
import { HttpPoster } from "./send/post.ts";
import { resolveName } from "./send/resolve.ts";
import { WebhookSender } from "./sender.ts";

/** How long one process sends until another one may: one that lost the lock without knowing stops by then, too. */
const turnMs = 10_000;
/** How often a process that does not send tries to, and a store without webhooks is compared. */
const tryMs = 2000;
/** What is under way when the service stops. */
const graceMs = 2000;

export type WebhookParts = Pick<Stores, "webhooks" | "events" | "signingKey" | "version" | "alone">;

/** The webhooks of a store: what their routes need, and one process of all that sends. */
export class Webhooks {
  readonly sender: WebhookSender;
  readonly seal: Seal;
  private readonly stores: WebhookParts;
  private readonly isPrivate: boolean;
  private readonly onError: (error: unknown) => void;
  private readonly stopped = new AbortController();
  private readonly cut = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  /** Of the store when there was no webhook that is on. */
  private idleVersion: number | undefined;

  constructor(
    stores: WebhookParts,
    settings: Pick<Settings, "webhookPrivate">,
    { version, onError }: { version: string; onError: (error: unknown) => void },
  ) {
    this.stores = stores;
    this.onError = onError;
    this.isPrivate = settings.webhookPrivate === "on";
    this.seal = new Seal(stores.signingKey, "octavo webhook");
    this.sender = new WebhookSender({
      webhooks: stores.webhooks,
      events: stores.events,
      seal: this.seal,
      onError,
      poster: new HttpPoster({ agent: `Octavo/${version}`, isPrivate: this.isPrivate, resolve: resolveName }),
      nowSeconds,
      version: () => stores.version(),
    });
  }

  checkUrl = (url: string): Promise<string> => checkWebhookUrl(url, this.isPrivate, resolveName);

  /** Begins to try to be the one that sends. */
  start(): void {
    this.timer = setInterval(() => this.tick(), tryMs).unref();
    this.tick();
  }

  /** A webhook was made or changed. */
  wake = (): void => {
    this.sender.wake();
    this.idleVersion = undefined;
    this.tick();
  };

  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.stopped.abort();
    const timer = setTimeout(() => this.cut.abort(), graceMs);
    await this.running;
    clearTimeout(timer);
  }

  /** Reads nothing while nothing was written since no webhook was on. */
  private tick(): void {
    const version = this.stores.version();
    if (!this.timer || this.stopped.signal.aborted || version === undefined || version === this.idleVersion) return;
    this.running ??= this.run(version).catch((error: unknown) => {
      if (!this.stopped.signal.aborted) this.onError(error);
    });
  }

  private async run(version: number): Promise<void> {
    const { stores, sender } = this;
    const turn = { signal: this.stopped.signal, cut: this.cut.signal, turnMs };
    try {
      while (!turn.signal.aborted) {
        if (!(await sender.hasWork())) {
          this.idleVersion = version;
          return;
        }
        if (!(await stores.alone("webhooks", () => sender.run(turn)))) return;
      }
    } finally {
      this.running = undefined;
    }
  }
}

export function serveWebhook({ stores, settings, version, log, companions }: Service): Served {
  const webhooks = new Webhooks(stores, settings, { version, onError: (error) => log.error("webhooks", error) });
  return {
    api: webhookRoutes(stores.webhooks, webhooks),
    figures: async () => [
      ...figure("octavo_webhook_lag_seconds", await ifAnswered(webhooks.sender.lagSeconds())),
      ...byOutcome("octavo_webhook_attempts_total", webhooks.sender.outcomes),
    ],
    start: () => {
      if (companions.leads) webhooks.start();
    },
    stop: () => webhooks.stop(),
  };
}
