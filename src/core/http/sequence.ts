import { describeJson } from "../lib/json.ts";
import { after, type MaybePromise } from "../lib/maybe-promise.ts";
import { problem } from "../problem.ts";
import type { Written } from "../unit.ts";
import type { Call } from "./call.ts";
import type { Route } from "./route.ts";

/** Reads that are never staler than a write that the client knows of. Contract, part three, §12, Never stale. */

export type SequenceStore = {
  sequence(): number;
  reached(sequence: number, withinMs: number): Promise<boolean>;
};

/** An argument of every route that `takesSequence`, described in api-docs/openapi-operation.ts. */
const minSequence = "min_sequence";
const accepted = "a sequence, an integer from 0";
const waitMs = 2000;

/** True for a read of a delivery or management token. */
export const takesSequence = ({ method, need }: Pick<Route, "method" | "need">): boolean =>
  method === "GET" && need !== undefined && need.resources.length > 0;

/**
 * Waits until this node's reads see the event that the call names, if it names one; answers the call without it. Throws
 * argument_invalid, behind.
 */
export function awaitSequence(store: SequenceStore, route: Route, call: Call): MaybePromise<Call> {
  // One whose address is signed has no token.
  if (!call.query.has(minSequence) || call.token === undefined || !takesSequence(route)) return call;
  const query = new Map(call.query);
  const received = query.get(minSequence);
  query.delete(minSequence);
  if (typeof received !== "string" || !/^\d+$/.test(received))
    throw problem("argument_invalid", { argument: minSequence, received: describeJson(received ?? ""), accepted });
  return after(store.reached(Number(received), waitMs), (isReached) => {
    if (isReached) return { ...call, query };
    throw problem("behind", { sequence: received.slice(0, 20) });
  });
}

/** The header of a write's reply; none where nothing was written and nobody is known, as before a sign-in. */
export function sequenceHeader(
  store: SequenceStore,
  { written, actor }: { written: Written; actor: string },
): string[] {
  if (written.sequence === 0 && actor === "") return [];
  // Of what wrote no event, or what was written by an earlier request: the state that the reply is of.
  return ["Octavo-Sequence", String(written.sequence || store.sequence())];
}
