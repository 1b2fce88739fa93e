import { Worker } from "node:worker_threads";
import { siblingFile } from "../../core/lib/sibling.ts";
import { problem } from "../../core/problem.ts";
import type { Prose } from "../render.ts";

/** A thread that renders texts. It starts with the first one, and ends when it is idle or a text is too costly. */

export type ProseThreadOptions = {
  /** The time limit of what is rendered together. */
  timeoutMs: number;
  /** The thread ends after this time without work. */
  idleMs: number;
  maxHeapMib: number;
  /** The module of the thread, that of this folder by default. */
  file?: URL;
};

type Html = (string | undefined)[];

/** The young generation of the thread. Decision 44. */
const maxYoungMib = 16;
const startMs = 30_000;

export class ProseThread {
  private readonly options: ProseThreadOptions;
  private worker: Promise<Worker> | undefined;
  private idle: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(options: ProseThreadOptions) {
    this.options = options;
  }

  /**
   * Each text as HTML; undefined for one that is too costly. One call at a time. Where one text of several is too costly,
   * each is rendered alone. Throws busy when the thread does not start in time or is closed, and an error with its cause when
   * it fails to start.
   */
  async render(texts: readonly Prose[]): Promise<Html> {
    clearTimeout(this.idle);
    try {
      const html = await this.attempt(texts);
      if (html) return html;
      if (texts.length === 1) return [undefined];
      const each: Html = [];
      for (const text of texts) each.push((await this.attempt([text]))?.[0]);
      return each;
    } finally {
      this.idle = setTimeout(() => void this.end(), this.options.idleMs).unref();
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.end();
    clearTimeout(this.idle);
  }

  /** Undefined when the thread had to be ended, or ended by itself. */
  private async attempt(texts: readonly Prose[]): Promise<Html | undefined> {
    if (this.isClosed) throw stopping();
    this.worker ??= this.start();
    const worker = await this.worker;
    const html = await reply<Html>(worker, this.options.timeoutMs, () => worker.postMessage(texts));
    if (!html) await this.end();
    if (!html && this.isClosed) throw stopping();
    return html;
  }

  private async start(): Promise<Worker> {
    const { file = siblingFile(import.meta.url, "worker") } = this.options;
    const worker = new Worker(file, {
      resourceLimits: { maxOldGenerationSizeMb: this.options.maxHeapMib, maxYoungGenerationSizeMb: maxYoungMib },
    });
    let cause: unknown;
    // Its end is seen as an absent reply. Without a listener an error would end the process.
    worker.on("error", (error) => {
      cause = error;
    });
    worker.unref();
    if (await reply(worker, startMs, () => undefined)) return worker;
    await worker.terminate();
    this.worker = undefined;
    if (cause === undefined) throw problem("busy", { reason: "the thread that renders texts did not start in time" });
    throw new Error("the thread that renders texts cannot start", { cause });
  }

  private async end(): Promise<void> {
    const { worker } = this;
    this.worker = undefined;
    await worker?.then((started) => started.terminate()).catch(() => undefined);
  }
}

export const stopping = () => problem("busy", { reason: "the service is stopping" });

/** The next message after `send`; undefined when the time is over or the thread ends before. */
function reply<T>(worker: Worker, timeoutMs: number, send: () => void): Promise<T | undefined> {
  return new Promise((resolve) => {
    const settle = (message?: T) => {
      clearTimeout(timer);
      worker.off("message", settle).off("exit", onExit);
      resolve(message);
    };
    const onExit = () => settle();
    const timer = setTimeout(settle, timeoutMs);
    worker.on("message", settle).on("exit", onExit);
    send();
  });
}
