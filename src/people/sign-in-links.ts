import { OneTimeCodes } from "../core/lib/one-time-codes.ts";
import { linkAddress, ownerCodePrefix } from "./person.ts";

const lifeSeconds = 600;

/** From a monotonic clock: only this process uses the times. */
const uptimeSeconds = (): number => Math.floor(performance.now() / 1000);

/**
 * The links that a start prints: each signs its opener in, or makes an owner, once, within ten minutes, while this process
 * runs. `base` is where the service is, from the settings.
 */
export class SignInLinks {
  readonly base: () => string;
  private readonly codes = new OneTimeCodes(lifeSeconds);

  constructor(base: () => string) {
    this.base = base;
  }

  /** With `asksOwner` its page asks for the name, the address and the password of an owner. */
  make({ asksOwner = false }: { asksOwner?: boolean } = {}): string {
    return linkAddress(this.base(), this.codes.issue(uptimeSeconds(), asksOwner ? ownerCodePrefix : ""));
  }

  /** True for a valid code, which stays valid. */
  holds(code: string): boolean {
    return this.codes.holds(code, uptimeSeconds());
  }

  /** True for a valid code, which is used up. */
  redeem(code: string): boolean {
    return this.codes.redeem(code, uptimeSeconds());
  }
}
