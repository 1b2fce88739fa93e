import { request } from "./request.ts";

export type Stats = {
  version: string;
  uptime_seconds: number;
  entries: number;
  folders: number;
  files: number;
  renditions: number;
  rendition_bytes: number;
  blob_bytes: number;
  registry_items: number;
  tokens: number;
  store_bytes: number;
  memory_bytes: number;
};

export const readStats = async (): Promise<Stats> => (await request<Stats>("GET", "/api/stats")).data;

/** Whether the service says that it takes requests, and how long the answer took. */
export async function readHealth(name: "live" | "ready"): Promise<{ isOk: boolean; tookMs: number }> {
  const startedMs = performance.now();
  const response = await fetch(`/health/${name}`).catch(() => undefined);
  await response?.text();
  return { isOk: response?.ok ?? false, tookMs: performance.now() - startedMs };
}
