import cluster, { type Worker } from "node:cluster";
import type { App } from "../app.ts";
import type { Companions } from "../companions.ts";
import { say } from "../core/lib/log.ts";
import type { Settings } from "../settings.ts";

/**
 * `--workers N`: the primary starts N workers that share its port and the store, and replaces those that die. The
 * first worker is the leader: it maintains the uploads tree and runs the chores. The others ask it whether the tree
 * shows an event, and to redeem the code of a sign-in link. For /metrics each asks all others. Decision 44.
 */

/** The messages between the processes. */
type Message =
  | { say: "ready" }
  | { say: "announce" }
  | { say: "announced" }
  | { say: "question"; id: string; question: Question }
  | { say: "answer"; id: string; result: Result };

/** What only the leader can answer; `figures` are asked of all others. */
type Question =
  | { about: "figures" }
  | { about: "tree"; sequence: number }
  | { about: "sign-in"; code: string }
  | { about: "sign-in code"; code: string };

type Figures = Awaited<ReturnType<App["figures"]>>;
type Result = boolean | Figures;

const leaderVariable = "WORKER_LEADS";
/** Delay before a dead worker is replaced: at first, and at most while replacements fail to start. */
const firstPauseMs = 500;
const lastPauseMs = 30_000;
/**
 * This many workers may be killed while the service starts. More have a lasting cause: too little memory, or a crash of
 * the service itself.
 */
const maxKilledAtStart = 5;

export const isWorker = (): boolean => cluster.isWorker;

/**
 * Starts the workers. One that is killed during the start is replaced. One that cannot start prints the reason,
 * and all end with its exit code. Later any worker that dies is replaced, with retries until that succeeds: the cause
 * may be temporary, such as a database that restarts. Reports each death on standard error.
 */
export async function serveWorkers({ workers: count }: Settings): Promise<void> {
  const team = new Team();
  // The leader creates the store: others at the same time would race it.
  await team.add("leads");
  await Promise.all(Array.from({ length: count - 1 }, () => team.add("follows")));
  team.announce();
}

type Role = "leads" | "follows";

/** A worker slot: its process, whether it accepts requests, and the callers that wait for that. */
type Slot = { role: Role; isReady: boolean; onReady: () => void };

class Team {
  private readonly slots = new Map<Worker, Slot>();
  /** Whether all workers have been ready once. */
  private isComplete = false;
  /** Whether the leader has announced the service's address: then the service has started. */
  private isAnnounced = false;
  private killedAtStart = 0;
  private isStopping = false;

  constructor() {
    // The workers accept connections themselves. A connection passed to a worker that dies at that moment would be
    // neither answered nor closed: the primary waits for its acknowledgement (tried).
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => this.stop(signal));
  }

  /** Fulfils when a worker of this role accepts requests. */
  add(role: Role): Promise<void> {
    return new Promise((resolve) => this.start({ role, isReady: false, onReady: resolve }, firstPauseMs));
  }

  /** `pauseMs`: the delay before this start. */
  private start(slot: Slot, pauseMs: number): void {
    const worker = cluster.fork({ [leaderVariable]: slot.role === "leads" ? "1" : "0" });
    this.slots.set(worker, slot);
    slot.isReady = false;
    worker.on("message", (message: Message) => {
      if (message.say !== "ready") return this.hear(worker, message);
      slot.isReady = true;
      slot.onReady();
      // The previous leader may have died before it was announced.
      if (slot.role === "leads" && this.isComplete && !this.isAnnounced) tell(worker, { say: "announce" });
    });
    worker.on("exit", (code, signal) => this.lose(worker, { code, signal }, slot.isReady ? undefined : pauseMs));
  }

  /** Asks the leader to announce the service's address: the current one, or the next as soon as it is ready. */
  announce(): void {
    this.isComplete = true;
    const leader = this.leader();
    if (leader && this.slots.get(leader)?.isReady) tell(leader, { say: "announce" });
  }

  private leader(): Worker | undefined {
    return [...this.slots].find(([, { role }]) => role === "leads")?.[0];
  }

  /** Routes a question to whom it is for and its answer back to the sender: the id begins with the worker's number. */
  private hear(from: Worker, message: Message): void {
    if (message.say === "announced") this.isAnnounced = true;
    if (message.say === "question") {
      const isForAll = message.question.about === "figures";
      const asked = isForAll ? [...this.slots.keys()].filter((worker) => worker !== from) : [this.leader()];
      for (const worker of asked) tell(worker, { ...message, id: `${from.id} ${message.id}` });
    }
    if (message.say !== "answer") return;
    const [number, id = ""] = message.id.split(" ");
    const asker = [...this.slots.keys()].find((worker) => worker.id === Number(number));
    tell(asker, { ...message, id });
  }

  /** `waitedMs`: the delay before the start of a worker that never became ready. */
  private lose(worker: Worker, end: End, waitedMs: number | undefined): void {
    const slot = this.slots.get(worker) as Slot;
    this.slots.delete(worker);
    if (this.isStopping) {
      if (end.code !== 0) process.exitCode = 1;
      if (this.slots.size === 0) process.exit();
      return;
    }
    if (!this.isAnnounced && this.isHopeless(end, waitedMs !== undefined || slot.role === "leads")) {
      say(process.stderr, "error", `a worker ${formatEnd(end)} while the service started; it ends`);
      process.exitCode = end.code || 1;
      this.stop("SIGTERM");
      return;
    }
    say(process.stderr, "warn", `a worker ${formatEnd(end)}; another one is started`);
    const wasReady = waitedMs === undefined;
    const pauseMs = wasReady || !this.isAnnounced ? firstPauseMs : Math.min(waitedMs * 2, lastPauseMs);
    setTimeout(() => this.isStopping || this.start(slot, pauseMs), pauseMs);
  }

  /**
   * True for a worker that exited during its start: it has printed the reason, and the next would fail, too. A killed one
   * is replaced, up to a limit.
   */
  private isHopeless({ signal }: End, isInStart: boolean): boolean {
    return signal === null ? isInStart : ++this.killedAtStart > maxKilledAtStart;
  }

  private stop(signal: NodeJS.Signals): void {
    this.isStopping = true;
    if (this.slots.size === 0) process.exit();
    for (const worker of this.slots.keys()) worker.process.kill(signal);
  }
}

/** How a process ended: one of the two is null. */
type End = { code: number | null; signal: string | null };

const formatEnd = ({ code, signal }: End): string =>
  signal === null ? `ended with exit code ${code}` : `was killed by ${signal}`;

/** Sends to a worker that may be dying. Without a callback, a closed channel would end this process. */
function tell(worker: Worker | undefined, message: Message): void {
  if (worker?.isConnected()) worker.send(message, () => undefined);
}

// ---------------------------------------------------------------------------------------------- in a worker

/** What this worker shares with the others: each has its part of the budgets, one is the leader. */
export function companions({ workers: count }: Settings): Companions {
  const leads = process.env[leaderVariable] === "1";
  const gather = asker();
  const figuresOfOthers = async () => (await gather({ about: "figures" }, count - 1, figuresMs)) as Figures[];
  if (leads) return { count, leads, figuresOfOthers };
  const ask = async (question: Question) => (await gather(question, 1, answerMs))[0] === true;
  return {
    count,
    leads,
    figuresOfOthers,
    treeShows: async (sequence) => void (await ask({ about: "tree", sequence })),
    signInCodes: {
      holds: (code) => ask({ about: "sign-in code", code }),
      redeem: (code) => ask({ about: "sign-in", code }),
    },
  };
}

/**
 * Closes the channel to the primary when the start fails: it would keep this process alive. Not by `disconnect`, after
 * which node:cluster ends the process with exit code 0.
 */
export async function onTeam(start: Promise<void>): Promise<void> {
  try {
    await start;
  } catch (error) {
    process.channel?.unref();
    throw error;
  }
}

/** Reports to the primary that this worker accepts requests; announces the service and answers questions when asked. */
export function joinTeam(app: App, announce: () => Promise<void>): void {
  process.on("message", (message: Message) => {
    if (message.say === "announce") void announce().then(() => send({ say: "announced" }));
    if (message.say === "question") {
      void answer(app, message.question).then((result) => send({ say: "answer", id: message.id, result }));
    }
  });
  // The primary died without a message: nothing else would stop this worker.
  process.on("disconnect", () => process.kill(process.pid, "SIGTERM"));
  send({ say: "ready" });
}

async function answer(app: App, question: Question): Promise<Result> {
  if (question.about === "figures") return app.figures();
  if (question.about === "sign-in") return app.signInCodes.redeem(question.code);
  if (question.about === "sign-in code") return app.signInCodes.holds(question.code);
  await app.treeShows(question.sequence);
  return true;
}

function send(message: Message): void {
  if (process.connected) process.send?.(message);
}

/** How long the answer of the leader is waited for; that of figures, whose first ones count the rows of the store. */
const answerMs = 1500;
const figuresMs = 5000;

/** Asks other workers through the primary; resolves with so many answers, or those that came in time. */
function asker(): (question: Question, count: number, withinMs: number) => Promise<Result[]> {
  const waiting = new Map<string, (result: Result) => void>();
  let lastId = 0;
  process.on("message", (message: Message) => {
    if (message.say === "answer") waiting.get(message.id)?.(message.result);
  });
  return (question, count, withinMs) =>
    new Promise((resolve) => {
      const id = String(++lastId);
      const results: Result[] = [];
      const end = (): void => {
        clearTimeout(late);
        waiting.delete(id);
        resolve(results);
      };
      // Those that were asked may have died.
      const late = setTimeout(end, withinMs).unref();
      waiting.set(id, (result) => results.push(result) === count && end());
      send({ say: "question", id, question });
    });
}
