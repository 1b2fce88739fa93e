import type { Stats } from "../../../client/src/api.ts";
import { request } from "./request.ts";

export const readStats = async (): Promise<Stats> => (await request<Stats>("GET", "/api/stats")).data;

/** Whether the service says that it takes requests, and how long the answer took. */
export async function readHealth(name: "live" | "ready"): Promise<{ isOk: boolean; tookMs: number }> {
  const startedMs = performance.now();
  const response = await fetch(`/health/${name}`).catch(() => undefined);
  await response?.text();
  return { isOk: response?.ok ?? false, tookMs: performance.now() - startedMs };
}
