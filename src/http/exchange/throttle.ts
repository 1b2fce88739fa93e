import { isIP } from "node:net";

/**
 * Failed authentications per address, as networkOf has it, in the current minute. A token has 256 random bits, so guessing is hopeless
 * anyway: this limits the cost of the attempts. Valid tokens are never refused, or one bad client behind a shared
 * address would lock out the rest.
 */
export class FailureThrottle {
  private readonly failures = new Map<string, number>();
  private windowStartMs = 0;
  private readonly maxPerMinute: number;

  /** 0 means no limit. */
  constructor(maxPerMinute: number) {
    this.maxPerMinute = maxPerMinute;
  }

  /** Counts a failure; returns how many seconds to wait when there have been too many, otherwise undefined. */
  fail(from: string, nowMs: number): number | undefined {
    if (this.maxPerMinute === 0) return undefined;
    const address = networkOf(from);
    if (nowMs - this.windowStartMs >= 60_000 || this.failures.size > 100_000) {
      this.failures.clear();
      this.windowStartMs = nowMs;
    }
    const count = (this.failures.get(address) ?? 0) + 1;
    this.failures.set(address, count);
    if (count <= this.maxPerMinute) return undefined;
    return Math.max(1, Math.ceil((this.windowStartMs + 60_000 - nowMs) / 1000));
  }
}

type Tries = { count: number; untilMs: number; lastMs: number };

/**
 * Failed sign-ins of people, by account and by address: the first ones cost nothing, each further one makes the next wait
 * longer. A try counts before it is decided, so that many at once are many. In the memory of this process.
 */
export class SignInThrottle {
  private readonly tries = new Map<string, Tries>();
  private readonly isOn: boolean;

  constructor(isOn: boolean) {
    this.isOn = isOn;
  }

  /** Counts a try; returns how many seconds to wait when it is too early, and then counts none. */
  begin(account: string, address: string, nowMs: number): number | undefined {
    if (!this.isOn) return undefined;
    const keys = [accountKey(account), addressKey(address)] as const;
    const untilMs = Math.max(...keys.map((key) => this.at(key, nowMs).untilMs));
    if (untilMs > nowMs) return Math.max(1, Math.ceil((untilMs - nowMs) / 1000));
    this.count(keys[0], freeTries.account, nowMs);
    this.count(keys[1], freeTries.address, nowMs);
    return undefined;
  }

  /** The try was good: the account begins anew, and the address has one failure less. */
  succeed(account: string, address: string): void {
    this.tries.delete(accountKey(account));
    const tries = this.tries.get(addressKey(address));
    if (tries) tries.count--;
  }

  private at(key: string, nowMs: number): Tries {
    const tries = this.tries.get(key);
    return tries && nowMs - tries.lastMs < forgetMs ? tries : { count: 0, untilMs: 0, lastMs: nowMs };
  }

  private count(key: string, free: number, nowMs: number): void {
    const count = this.at(key, nowMs).count + 1;
    const waitMs = count < free ? 0 : Math.min(longestMs, 1000 * 2 ** Math.min(count - free, 20));
    // At the end, so that the first ones are those that are forgotten.
    this.tries.delete(key);
    this.tries.set(key, { count, untilMs: nowMs + waitMs, lastMs: nowMs });
    const [first] = this.tries.keys();
    if (this.tries.size > maxKept && first !== undefined) this.tries.delete(first);
  }
}

/** Failures before the next try has to wait. An address may be that of an office. */
const freeTries = { account: 5, address: 20 };
/** No longer: others must not lock an account. */
const longestMs = 5 * 60 * 1000;
const forgetMs = 60 * 60 * 1000;
const maxKept = 100_000;

const accountKey = (account: string): string => `account ${account}`;
const addressKey = (address: string): string => `address ${networkOf(address)}`;

/**
 * An IPv4 address, also in any of its forms in IPv6, or the /64 of an IPv6 address: one customer has all of it. What is no
 * address is itself.
 */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = "", tail] = address.replace(/%.*/, "").toLowerCase().split("::");
  const [groups, after] = [groupsOf(head), groupsOf(tail ?? "")];
  const zeros = Array<number>(Math.max(0, 8 - groups.length - after.length)).fill(0);
  const all = [...groups, ...zeros, ...after];
  const isMapped = all.slice(0, 5).every((group) => group === 0) && all[5] === 0xffff;
  if (isMapped)
    return all
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join(".");
  return all
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":");
}

/** The groups of a part of an IPv6 address; its dotted end stands for two. */
const groupsOf = (part: string): number[] =>
  part
    .split(":")
    .filter(Boolean)
    .flatMap((group) => {
      if (!group.includes(".")) return Number.parseInt(group, 16);
      const [a = 0, b = 0, c = 0, d = 0] = group.split(".").map(Number);
      return [(a << 8) | b, (c << 8) | d];
    });
