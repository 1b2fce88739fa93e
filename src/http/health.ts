import { Type } from "typebox";
import { problem } from "../domain/problem.ts";
import { remembered } from "../lib/remembered.ts";
import { manages } from "./auth.ts";
import { type Answer, data, json } from "./reply.ts";
import type { Route } from "./route.ts";
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
export function healthRoutes(health: Health): Route[] {
  const isReady = remembered(() => health.isReady(), readyForMs);
  const status = Type.Object({ status: Type.String() });
  const ok = (): Answer => json('{"status":"ok"}', { cacheControl: "no-store" });
  return [
    {
      method: "GET",
      url: "/health/live",
      summary: "Say that the process answers",
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
      need: manages("admin"),
      arguments: {},
      reply: statsObject,
      problems: [],
      handle: async () => data(JSON.stringify(await health.stats())),
    },
  ];
}
