import type { ProblemBody, Stats } from "../../../client/src/api.ts";
import { request } from "./request.ts";

/** The figures; with `check` after a look at the whole database file. */
export const readStats = async (check?: boolean): Promise<Stats> =>
  (await request<Stats>("GET", "/api/stats", { query: { check } })).data;

export type HealthAnswer = { isOk: boolean; tookMs: number /** Why not. */; reason: string | undefined };

/** Whether the service says that it takes requests, and how long the answer took. */
export async function readHealth(name: "live" | "ready"): Promise<HealthAnswer> {
  const startedMs = performance.now();
  const response = await fetch(`/health/${name}`).catch(() => undefined);
  const said = (await response?.json().catch(() => undefined)) as ProblemBody | undefined;
  return { isOk: response?.ok ?? false, tookMs: performance.now() - startedMs, reason: said?.detail };
}
