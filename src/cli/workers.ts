import cluster, { type Worker } from "node:cluster";
import type { App, Companions } from "../app.ts";
import type { Settings } from "../settings.ts";

/**
 * `--workers N`: this process starts N others that share its port and the store, and replaces the ones that die. The
 * first of them leads: it keeps the uploads tree and does the chores, and the others ask it whether the tree has come
 * so far, and whether the code of a sign-in link is good. Decision 15.
 */

/** What the processes say to each other. */
type Message =
  | { say: "ready" }
  | { say: "introduce" }
  | { say: "question"; id: string; question: Question }
  | { say: "answer"; id: string; isSo: boolean };

/** What only the leader knows. */
type Question = { about: "tree"; sequence: number } | { about: "sign-in"; code: string };

const leaderVariable = "WORKER_LEADS";
/** How long after a worker's death another is started: at first, and at most where the last ones could not start. */
const firstPauseMs = 500;
const lastPauseMs = 30_000;

export const isWorker = (): boolean => cluster.isWorker;

/**
 * Starts the workers. When one of these cannot start it has said why, and all end with its exit code. Later a worker
 * that dies is replaced, until it is possible: what keeps it from starting may be over soon, a database that restarts.
 */
export async function serveWorkers({ workers: count }: Settings): Promise<void> {
  const team = new Team();
  // The first lays out the store; the others could race it.
  await team.add("leads");
  await Promise.all(Array.from({ length: count - 1 }, () => team.add("follows")));
  team.introduce();
}

type Role = "leads" | "follows";

class Team {
  private readonly roles = new Map<Worker, Role>();
  private isIntroduced = false;
  private isStopping = false;

  constructor() {
    // The workers accept by themselves. A connection handed to a worker that dies at that moment would never be
    // answered nor closed: the first process waits for its receipt (tried).
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => this.stop(signal));
  }

  /** Settles when the worker takes requests. `pauseMs` was waited for it. */
  add(role: Role, pauseMs = firstPauseMs): Promise<void> {
    const worker = cluster.fork({ [leaderVariable]: role === "leads" ? "1" : "0" });
    this.roles.set(worker, role);
    return new Promise((resolve) => {
      let isReady = false;
      worker.on("message", (message: Message) => {
        if (message.say === "ready") {
          isReady = true;
          resolve();
        } else this.pass(worker, message);
      });
      worker.on("exit", (code) => this.lose(worker, code, isReady ? undefined : pauseMs));
    });
  }

  /** Lets the leader say where the service answers. */
  introduce(): void {
    this.isIntroduced = true;
    tell(this.leader(), { say: "introduce" });
  }

  private leader(): Worker | undefined {
    return [...this.roles].find(([, role]) => role === "leads")?.[0];
  }

  /** A question goes to the leader, its answer to the one who asked: the id begins with the worker's number. */
  private pass(from: Worker, message: Message): void {
    if (message.say === "question") tell(this.leader(), { ...message, id: `${from.id} ${message.id}` });
    if (message.say !== "answer") return;
    const [number, id = ""] = message.id.split(" ");
    const asker = [...this.roles.keys()].find((worker) => worker.id === Number(number));
    tell(asker, { ...message, id });
  }

  /** `waitedMs` is what was waited for one that never was ready. */
  private lose(worker: Worker, code: number | null, waitedMs: number | undefined): void {
    const role = this.roles.get(worker) as Role;
    this.roles.delete(worker);
    if (this.isStopping) {
      if (code !== 0) process.exitCode = 1;
      if (this.roles.size === 0) process.exit();
      return;
    }
    if (waitedMs !== undefined && !this.isIntroduced) {
      process.exitCode = code || 1;
      this.stop("SIGTERM");
      return;
    }
    const pauseMs = waitedMs === undefined ? firstPauseMs : Math.min(waitedMs * 2, lastPauseMs);
    setTimeout(() => this.isStopping || void this.add(role, pauseMs), pauseMs);
  }

  private stop(signal: NodeJS.Signals): void {
    this.isStopping = true;
    if (this.roles.size === 0) process.exit();
    for (const worker of this.roles.keys()) worker.process.kill(signal);
  }
}

/** A worker that is dying hears nothing. Without a callback, the end of its channel would be the end of this process. */
function tell(worker: Worker | undefined, message: Message): void {
  if (worker?.isConnected()) worker.send(message, () => undefined);
}

// ---------------------------------------------------------------------------------------------- in a worker

/** What this worker shares with the others: each has its part of the budgets, one of them leads. */
export function companions({ workers: count }: Settings): Companions {
  const leads = process.env[leaderVariable] === "1";
  if (leads) return { count, leads };
  const ask = askLeader();
  return {
    count,
    leads,
    treeShows: async (sequence) => void (await ask({ about: "tree", sequence })),
    redeemSignIn: (code) => ask({ about: "sign-in", code }),
  };
}

/** Lets go of the first process when the start fails: the line to it would keep this one alive. */
export async function onTeam(start: Promise<void>): Promise<void> {
  try {
    await start;
  } catch (error) {
    process.disconnect?.();
    throw error;
  }
}

/** Tells the first process that this worker takes requests; introduces the service when it is told to. */
export function joinTeam(app: App, introduce: () => Promise<void>): void {
  process.on("message", (message: Message) => {
    if (message.say === "introduce") void introduce();
    if (message.say === "question") {
      void answer(app, message.question).then((isSo) => say({ say: "answer", id: message.id, isSo }));
    }
  });
  // The first process is gone without a word: nobody would stop this one.
  process.on("disconnect", () => process.kill(process.pid, "SIGTERM"));
  say({ say: "ready" });
}

async function answer(app: App, question: Question): Promise<boolean> {
  if (question.about === "sign-in") return app.redeemSignIn(question.code);
  await app.treeShows(question.sequence);
  return true;
}

function say(message: Message): void {
  if (process.connected) process.send?.(message);
}

/** Asks the leader, which answers within a second; without an answer it is not so. */
function askLeader(): (question: Question) => Promise<boolean> {
  const waiting = new Map<string, (isSo: boolean) => void>();
  let lastId = 0;
  process.on("message", (message: Message) => {
    if (message.say !== "answer") return;
    waiting.get(message.id)?.(message.isSo);
    waiting.delete(message.id);
  });
  return (question) =>
    new Promise((resolve) => {
      const id = String(++lastId);
      waiting.set(id, resolve);
      say({ say: "question", id, question });
      // The leader may be the one that has just died.
      setTimeout(() => {
        waiting.delete(id);
        resolve(false);
      }, 1500).unref();
    });
}
