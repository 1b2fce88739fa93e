import { OctavoProblem } from "../../../client/src/client.ts";
import { octavo } from "../api/octavo.ts";

export type Probe = { isOk: boolean; tookMs: number /** Why not. */; reason: string | undefined };

/** Whether the service says that it takes requests, and how long the answer took. */
export async function probe(name: "live" | "ready"): Promise<Probe> {
  const startedMs = performance.now();
  const failure: unknown = await octavo.get(`/health/${name}`).then(
    () => undefined,
    (error) => error,
  );
  const reason = failure instanceof OctavoProblem ? failure.detail : undefined;
  return { isOk: failure === undefined, tookMs: performance.now() - startedMs, reason };
}
