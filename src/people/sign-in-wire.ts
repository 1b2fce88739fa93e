import { hash } from "node:crypto";
import type { SignInThrottle } from "../core/http/throttle.ts";
import { problem } from "../core/problem.ts";
import { emailKey } from "./person.ts";

/**
 * Counts a try to prove a password, before it is decided; returns what reports that it was good. Throws too_many_failures.
 * The count is by address and account, whether or not there is such an account. Decision 23, Throttling.
 */
export function beginTry(throttle: SignInThrottle, email: string, address: string): () => void {
  const account = accountOf(email);
  // A monotonic clock: see Exchanges.
  const seconds = throttle.begin(account, address, performance.now());
  if (seconds !== undefined)
    throw problem("too_many_failures", { seconds, what: "passwords were sent for this account or from this address" });
  return () => throttle.succeed(account, address);
}

/** From now on the network of this address waits for no other that tries the account. */
export const knowNetwork = (throttle: SignInThrottle, email: string, address: string): void =>
  throttle.know(accountOf(email), address);

const accountOf = (email: string): string => hash("sha256", emailKey(email), "base64url");
