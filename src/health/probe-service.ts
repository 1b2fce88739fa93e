import { text } from "node:stream/consumers";
import { localUrl } from "../core/lib/host.ts";
import type { Settings } from "../settings.ts";

/** How commands ask a service whether it is well: over HTTP, as a balancer does, without its store. */

/** What was answered: `isOwn` is false for something else than Octavo; `reason` says what is not well. */
type Health = { isWell: boolean; isOwn: boolean; reason: string };

/** Where the service of these settings answers on this machine; undefined for a port that only the service knows. */
export const ownUrl = (settings: Settings): string | undefined =>
  settings.port === 0 ? undefined : configuredUrl(settings);

/** The same by the settings alone. */
export const configuredUrl = ({ host, port }: Pick<Settings, "host" | "port">): string =>
  localUrl(`http://${host.includes(":") ? `[${host}]` : host}:${port}`);

/** Asks a health address. Rejects when nothing answers within the time. */
export async function askHealth(url: string, timeoutMs: number): Promise<Health> {
  const { status, body } = await get(url, timeoutMs);
  const said = parsed(body) as { status?: unknown; code?: unknown; detail?: unknown } | undefined;
  if (status === 200 && said?.status === "ok") return { isWell: true, isOwn: true, reason: "" };
  const isOwn = typeof said?.code === "string";
  return { isWell: false, isOwn, reason: isOwn ? String(said?.detail ?? said?.code) : `it answers ${status}` };
}

/** Without fetch, which refuses ports that browsers do, such as 6000 and 10080: the service may have one of these. */
function get(url: string, timeoutMs: number): Promise<{ status: number | undefined; body: string }> {
  const { get } = process.getBuiltinModule(url.startsWith("https:") ? "node:https" : "node:http");
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number | undefined; body: string }>();
  const options = { agent: false, signal: AbortSignal.timeout(timeoutMs) };
  get(url, options, (response) => {
    const status = response.statusCode;
    text(response).then((body) => resolve({ status, body }), reject);
  }).once("error", reject);
  return promise;
}

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
};

/** Why nothing answered, in words: to askHealth, or to fetch, whose errors have the reason as their cause. */
export function silenceOf(error: unknown): string {
  const { name } = error as Error;
  if (name === "TimeoutError" || name === "AbortError") return "no answer in time";
  const { message, code = "" } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
  if (code === "ETIMEDOUT") return "no answer in time";
  if (code === "ECONNRESET" || code === "EPIPE") return "the connection was closed";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "the host name is not known";
  if (code === "EPROTO" || code.startsWith("ERR_SSL_")) return "what answers there is not HTTPS";
  if (code.startsWith("HPE_")) return "what answers there is not HTTP";
  return code === "ECONNREFUSED" ? "nothing listens there" : code || message;
}
