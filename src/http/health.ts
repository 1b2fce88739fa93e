import { Type } from "typebox";
import { problem } from "../domain/problem.ts";
import { remembered } from "../lib/remembered.ts";
import { manages } from "./auth.ts";
import { type Answer, json, tagged } from "./reply.ts";
import type { ApiRoute } from "./route.ts";
import { statsObject } from "./schema.ts";

export type Health = {
  /** True when the store answers; asked at most once a second. */
  isReady(): Promise<boolean>;
  /** False once the service has begun to stop. */
  isOpen(): boolean;
  stats(): Promise<Record<string, number | string>>;
};

const readyForMs = 1000;

/** /health/live and /health/ready for supervisors and balancers, open to all; /api/stats for people. Contract §8. */
export function healthRoutes(health: Health): ApiRoute[] {
  const isReady = remembered(() => health.isReady(), readyForMs);
  const status = Type.Object({ status: Type.String({ description: "Always `ok`; else the answer is a problem." }) });
  const ok = (): Answer => json('{"status":"ok"}', { cacheControl: "no-store" });
  return [
    {
      method: "GET",
      url: "/health/live",
      summary: "Say that the process answers",
      description:
        "For a supervisor that starts the process again when there is no answer. Nothing is asked of the store.",
      examples: [{ summary: "It lives" }],
      arguments: {},
      reply: status,
      isBare: true,
      problems: [],
      handle: ok,
    },
    {
      method: "GET",
      url: "/health/ready",
      summary: "Say whether requests can be taken",
      description:
        "For a balancer. 503 when the store or the bucket does not answer, and from the moment the service begins to stop.",
      examples: [{ summary: "It is ready" }],
      arguments: {},
      reply: status,
      isBare: true,
      problems: ["busy"],
      handle: async () => {
        if (!health.isOpen()) throw problem("busy", { reason: "the service is stopping" });
        if (!(await isReady())) throw problem("busy", { reason: "the store does not answer" });
        return ok();
      },
    },
    {
      method: "GET",
      url: "/api/stats",
      summary: "Figures of the running service",
      description: "Counts, bytes, version and uptime, of the process that answers where there are several.",
      examples: [{ summary: "A small service" }],
      need: manages("admin"),
      arguments: {},
      reply: statsObject,
      problems: [],
      handle: async () => tagged(JSON.stringify(await health.stats())),
    },
  ];
}
