import { hash } from "node:crypto";
import { emailKey } from "../../domain/access/person.ts";
import { problem } from "../../domain/problem.ts";
import type { SignInThrottle } from "../exchange/throttle.ts";

/**
 * Counts a try to prove a password, before it is decided; returns what tells that it was good. Throws too_many_failures.
 * The count is by address and account, whether or not there is such an account. Decision 23, Throttling.
 */
export function beginTry(throttle: SignInThrottle, email: string, address: string): () => void {
  const account = hash("sha256", emailKey(email), "base64url");
  // A monotonic clock: see Exchanges.
  const seconds = throttle.begin(account, address, performance.now());
  if (seconds !== undefined)
    throw problem("too_many_failures", { seconds, what: "passwords were sent for this account or from this address" });
  return () => throttle.succeed(account, address);
}
