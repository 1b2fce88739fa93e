import { setTimeout as delay } from "node:timers/promises";
import { manages } from "../core/http/auth.ts";
import { type Answer, json, tagged } from "../core/http/reply.ts";
import { type Route, route } from "../core/http/route.ts";
import { Type } from "../core/lib/json-schema.ts";
import { memoFor } from "../core/lib/memo.ts";
import { isProblem, Problem, problem } from "../core/problem.ts";
import { statsObject } from "./wire.ts";

export type Health = {
  /** Throws the problem that keeps the service from accepting requests; checks at most once a second. */
  refuseUnready(): Promise<void>;
  /** What does not answer, though requests are accepted: its requests alone are refused. */
  degraded(): Promise<readonly string[]>;
  /** False once the service has begun to shut down. */
  isOpen(): boolean;
  /** Checks the whole database file, for the figures. */
  check(): Promise<void>;
  stats(): Promise<Stats>;
};

/** Figures by their names on the wire; undefined for one that is not available. */
export type Stats = Record<string, number | string | undefined>;

const readyForMs = 1000;
/** How long it is waited for the bucket: a load balancer waits about a second for the whole reply. */
const bucketWaitMs = 300;

/** What does not answer at each call, though requests are accepted. Each new fault is reported once, not at each call. */
export function degradation(
  reachBucket: () => Promise<void>,
  onFault: (error: unknown) => void,
): () => Promise<string[]> {
  let known: string | undefined;
  return async () => {
    const silence = delay(bucketWaitMs, new Error("the bucket does not answer in time"), { ref: false });
    const fault = reachBucket().then(
      () => undefined,
      (error: unknown) => error,
    );
    const error = await Promise.race([fault, silence]);
    const message = (error as Error | undefined)?.message;
    if (error !== undefined && message !== known) onFault(error);
    known = message;
    return error === undefined ? [] : ["bucket"];
  };
}

const statsArguments = {
  check: Type.Optional(
    Type.Boolean({
      description: "True or false: true checks the whole SQLite database file first, some seconds per gigabyte.",
    }),
  ),
};

/**
 * /health/live and /health/ready for supervisors and load balancers, open to all; /api/stats for people. Contract §8.
 */
export function healthRoutes(health: Health): Route[] {
  const readiness = memoFor(async () => {
    const [degraded] = await Promise.all([health.degraded(), health.refuseUnready()]);
    return degraded.length > 0 ? { status: "ok", degraded } : { status: "ok" };
  }, readyForMs);
  const status = Type.Object({
    status: Type.String({ description: "Always `ok`; otherwise the reply is a problem." }),
  });
  const readyStatus = Type.Object({
    status: Type.String({ description: "Always `ok`; otherwise the reply is a problem." }),
    degraded: Type.Optional(
      Type.Array(Type.String(), {
        description: "What does not answer: `bucket`, without which bytes of files are 503. Absent where all does.",
      }),
    ),
  });
  const ok = (): Answer => json('{"status":"ok"}', { cacheControl: "no-store" });
  return [
    route({
      unknown: "ignored",
      method: "GET",
      url: "/health/live",
      summary: "Liveness: the process answers",
      arguments: {},
      reply: status,
      replyForm: { isBare: true },
      problems: [],
      handle: ok,
    }),
    route({
      unknown: "ignored",
      method: "GET",
      url: "/health/ready",
      summary: "Readiness: the service accepts requests",
      arguments: {},
      reply: readyStatus,
      replyForm: { isBare: true },
      problems: ["busy", "store_damaged"],
      handle: async () => {
        if (!health.isOpen()) throw problem("busy", { reason: "the service is stopping" });
        return json(JSON.stringify(await readiness()), { cacheControl: "no-store" });
      },
    }),
    route({
      unknown: "ignored",
      method: "GET",
      url: "/api/stats",
      summary: "Statistics of the running service",
      need: manages("admin"),
      arguments: statsArguments,
      reply: statsObject,
      problems: ["argument_invalid", "busy"],
      handle: async (_call, { check }) => {
        if (check) await health.check();
        return tagged(JSON.stringify(await health.stats()));
      },
    }),
  ];
}

/** What `/health/ready` refuses with: without its cause, which would be logged with each answer. */
export function unready(error: unknown): Problem {
  // To a load balancer a full disk is a node that takes nothing now.
  if (isProblem(error, "storage_full")) return problem("busy", { reason: String(error.params.reason) });
  if (error instanceof Problem) return new Problem(error.code, error.params);
  return problem("busy", { reason: "the store does not answer" });
}
