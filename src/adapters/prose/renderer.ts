import { Worker } from "node:worker_threads";
import { problem } from "../../domain/problem.ts";
import type { Prose, ProseRenderer } from "../../domain/render.ts";

/** Renders prose in one thread, which starts with the first text and ends when it is idle. Decision 57. */

export type ThreadOptions = {
  /** The time limit of a text, once the thread has begun with it. */
  timeoutMs: number;
  /** Reads that may wait; the next is refused with `busy`. */
  maxWaiting: number;
  /** The thread ends after this time without work. */
  idleMs: number;
  maxHeapMib: number;
};

type Job = {
  texts: readonly Prose[];
  resolve: (html: (string | undefined)[]) => void;
  reject: (error: unknown) => void;
};

/** Texts are sent together up to this length, so that a read waits behind few others. */
const maxBatchLength = 64 * 1024;
/** The young generation of the thread. Decision 44. */
const maxYoungMib = 16;

export class ThreadRenderer implements ProseRenderer {
  private readonly options: ThreadOptions;
  private readonly waiting: Job[] = [];
  private worker: Promise<Worker> | undefined;
  private idle: NodeJS.Timeout | undefined;
  private isBusy = false;
  private isClosed = false;

  constructor(options: ThreadOptions) {
    this.options = options;
  }

  async render(texts: readonly Prose[]): Promise<(string | undefined)[]> {
    const html: (string | undefined)[] = [];
    for (const batch of batches(texts)) html.push(...(await this.queue(batch)));
    return html;
  }

  /** Ends the thread; what waits is refused with `busy`. */
  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.idle);
    for (const { reject } of this.waiting.splice(0)) reject(stopping());
    await this.end();
  }

  private queue(texts: readonly Prose[]): Promise<(string | undefined)[]> {
    if (this.isClosed) return Promise.reject(stopping());
    if (this.waiting.length >= this.options.maxWaiting)
      return Promise.reject(problem("busy", { reason: "too many texts wait to be rendered" }));
    return new Promise((resolve, reject) => {
      this.waiting.push({ texts, resolve, reject });
      if (!this.isBusy) void this.work();
    });
  }

  private async work(): Promise<void> {
    this.isBusy = true;
    clearTimeout(this.idle);
    for (let job = this.waiting.shift(); job; job = this.waiting.shift())
      await this.run(job.texts).then(job.resolve, job.reject);
    this.isBusy = false;
    this.idle = setTimeout(() => void this.end(), this.options.idleMs).unref();
  }

  /** Where one text of several is too costly, each is rendered alone. */
  private async run(texts: readonly Prose[]): Promise<(string | undefined)[]> {
    const html = await this.attempt(texts);
    if (html) return html;
    if (texts.length === 1) return [undefined];
    const each: (string | undefined)[] = [];
    for (const text of texts) each.push((await this.attempt([text]))?.[0]);
    return each;
  }

  /** Undefined when the thread had to be ended, or ended by itself. */
  private async attempt(texts: readonly Prose[]): Promise<(string | undefined)[] | undefined> {
    if (this.isClosed) throw stopping();
    this.worker ??= this.start();
    const worker = await this.worker;
    const html = await reply<(string | undefined)[]>(worker, this.options.timeoutMs, () => worker.postMessage(texts));
    if (!html) await this.end();
    if (!html && this.isClosed) throw stopping();
    return html;
  }

  private async start(): Promise<Worker> {
    const worker = new Worker(new URL("worker.ts", import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: this.options.maxHeapMib, maxYoungGenerationSizeMb: maxYoungMib },
    });
    // Its end is seen as an absent reply. Without a listener an error would end the process.
    worker.on("error", () => undefined);
    worker.unref();
    if (await reply(worker, startMs, () => undefined)) return worker;
    await worker.terminate();
    this.worker = undefined;
    throw problem("busy", { reason: "the thread that renders texts did not start" });
  }

  private async end(): Promise<void> {
    const { worker } = this;
    this.worker = undefined;
    await worker?.then((started) => started.terminate()).catch(() => undefined);
  }
}

const startMs = 30_000;
const stopping = () => problem("busy", { reason: "the service is stopping" });

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

function* batches(texts: readonly Prose[]): Generator<Prose[]> {
  let batch: Prose[] = [];
  let length = 0;
  for (const prose of texts) {
    if (batch.length > 0 && length + prose.text.length > maxBatchLength) {
      yield batch;
      batch = [];
      length = 0;
    }
    batch.push(prose);
    length += prose.text.length;
  }
  if (batch.length > 0) yield batch;
}
