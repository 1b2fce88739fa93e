import { problem } from "./problem.ts";

/**
 * The revision as the prefix of every ETag of that state: `<revision>` or `<revision>-<projection, base or coding>`.
 */
export const formatRevision = (revision: number): string => revision.toString(36);

/**
 * True when an If-Match value (`*`, a list, `W/` ignored) names the state, by any projection's tag. RFC 9110 §13.1.1.
 */
function matchesState(ifMatch: string, current: string): boolean {
  if (ifMatch.trim() === "*") return true;
  const tags = ifMatch.matchAll(/(?:W\/)?"([^"]*)"/g);
  for (const [, tag] of tags) if (tag === current || tag?.startsWith(`${current}-`)) return true;
  return false;
}

/** Refuses a write that was meant for another state. Throws revision_mismatch. */
export const refuseOtherRevision = (ifMatch: string | undefined, revision: number): void =>
  refuseOtherState(ifMatch, formatRevision(revision));

/** The same for a state that is named by this tag. Throws revision_mismatch. */
export function refuseOtherState(ifMatch: string | undefined, tag: string): void {
  if (ifMatch !== undefined && !matchesState(ifMatch, tag)) throw problem("revision_mismatch", { received: ifMatch });
}
