import { problem } from "./problem.ts";

/**
 * The revision as the prefix of every ETag of that state: `<revision>` or `<revision>-<projection, base or coding>`.
 */
export const formatRevision = (revision: number): string => revision.toString(36);

/**
 * True when an If-Match value (`*`, a list, `W/` ignored) names the revision, by any projection's tag. RFC 9110
 * §13.1.1.
 */
function matchesRevision(ifMatch: string, revision: number): boolean {
  if (ifMatch.trim() === "*") return true;
  const tags = ifMatch.matchAll(/(?:W\/)?"([^"]*)"/g);
  const current = formatRevision(revision);
  for (const [, tag] of tags) if (tag === current || tag?.startsWith(`${current}-`)) return true;
  return false;
}

/** Refuses a write that was meant for another state. Throws revision_mismatch. */
export function refuseOtherRevision(ifMatch: string | undefined, revision: number): void {
  if (ifMatch !== undefined && !matchesRevision(ifMatch, revision)) {
    throw problem("revision_mismatch", { received: ifMatch });
  }
}
