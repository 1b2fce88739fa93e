import { OctavoProblem } from "../../../client/src/client.ts";
import { octavo } from "../api/octavo.ts";

export type Probe = { isOk: boolean; tookMs: number /** Why it is not ready. */; reason: string | undefined };

/** Whether the service is ready, and the time of its reply. */
export async function probe(name: "live" | "ready"): Promise<Probe> {
  const startedMs = performance.now();
  const failure = await ask(name).catch((error: unknown) => error);
  const reason = failure instanceof OctavoProblem ? failure.detail : undefined;
  return { isOk: failure === undefined, tookMs: performance.now() - startedMs, reason };
}

/** Reads the body, too: a response that is not read keeps its connection. */
const ask = async (name: string): Promise<void> => void (await (await octavo.get(`/health/${name}`)).text());
