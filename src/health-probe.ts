import { localUrl } from "./lib/host.ts";
import type { Settings } from "./settings.ts";

/** How commands ask a service whether it is well: over HTTP, as a balancer does, without its store. */

/** What was answered: `isOwn` is false for something else than Octavo; `reason` says what is not well. */
type Health = { isWell: boolean; isOwn: boolean; reason: string };

/** Where the service of these settings answers on this machine; undefined for a port that only the service knows. */
export function ownUrl({ host, port }: Settings): string | undefined {
  if (port === 0) return undefined;
  return localUrl(`http://${host.includes(":") ? `[${host}]` : host}:${port}`);
}

/** Asks a health address. Rejects when nothing answers within the time. */
export async function askHealth(url: string, timeoutMs: number): Promise<Health> {
  const reply = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), redirect: "manual" });
  const said = (await reply.json().catch(() => undefined)) as { status?: unknown; code?: unknown; detail?: unknown };
  if (reply.status === 200 && said?.status === "ok") return { isWell: true, isOwn: true, reason: "" };
  const isOwn = typeof said?.code === "string";
  return { isWell: false, isOwn, reason: isOwn ? String(said.detail ?? said.code) : `it answers ${reply.status}` };
}

/** Why nothing answered, in words. */
export function silenceOf(error: unknown): string {
  const { name, message, cause } = error as Error;
  if (name === "TimeoutError") return "no answer in time";
  const { code, message: said } = (cause ?? {}) as NodeJS.ErrnoException;
  return code === "ECONNREFUSED" ? "nothing listens there" : code || said || message;
}
