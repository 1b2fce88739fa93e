import { parseIp } from "../lib/host.ts";
import { type Code, type Problem, problem } from "../problem.ts";

/** The refusals that count as guesses of a secret. */
export const guesses: ReadonlySet<Code> = new Set(["token_invalid", "access_token_invalid", "sign_in_link_invalid"]);

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

  /** Counts a refusal that may be a guess; past the limit it is another one. Contract §8. */
  refusal(failure: Problem, address: string, nowMs: number): Problem {
    if (!guesses.has(failure.code)) return failure;
    const seconds = this.fail(address, nowMs);
    return seconds === undefined ? failure : problem("too_many_failures", { seconds });
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
 * Failed sign-ins of people, by account and network, by network, and by account: the first ones cost nothing, each further one
 * makes the next wait longer. Few networks alone never make an account wait for others, and one that has signed in to the
 * account waits for no other. A try counts before it is decided, so that many at once are many. In the memory of this process.
 */
export class SignInThrottle {
  private readonly tries = new Map<string, Tries>();
  /** Accounts with a network that has signed in to them. */
  private readonly known = new Map<string, true>();
  private readonly isOn: boolean;

  constructor(isOn: boolean) {
    this.isOn = isOn;
  }

  /** Counts a try; returns how many seconds to wait when it is too early, and then counts none. */
  begin(account: string, address: string, nowMs: number): number | undefined {
    if (!this.isOn) return undefined;
    const keys = keysOf(account, address);
    const waits = this.known.has(keys.pair) ? [keys.pair, keys.network] : [keys.pair, keys.network, keys.account];
    const untilMs = Math.max(...waits.map((key) => this.at(key, nowMs).untilMs));
    if (untilMs > nowMs) return Math.max(1, Math.ceil((untilMs - nowMs) / 1000));
    this.count(keys.pair, freeTries.pair, nowMs);
    this.count(keys.network, freeTries.network, nowMs);
    const isFew = this.at(keys.account, nowMs).count < freeTries.account;
    if (!isFew || this.at(keys.pair, nowMs).count <= freeTries.pair) this.count(keys.account, freeTries.account, nowMs);
    return undefined;
  }

  /** The try was good: the account begins anew, and the network has one failure less. */
  succeed(account: string, address: string): void {
    const keys = keysOf(account, address);
    this.know(account, address);
    this.tries.delete(keys.pair);
    this.tries.delete(keys.account);
    const tries = this.tries.get(keys.network);
    if (tries) tries.count--;
  }

  /** The network has signed in to the account, in whatever way. */
  know(account: string, address: string): void {
    if (this.isOn) setLast(this.known, keysOf(account, address).pair, true);
  }

  private at(key: string, nowMs: number): Tries {
    const tries = this.tries.get(key);
    return tries && nowMs - tries.lastMs < forgetMs ? tries : { count: 0, untilMs: 0, lastMs: nowMs };
  }

  private count(key: string, free: number, nowMs: number): void {
    const count = this.at(key, nowMs).count + 1;
    const waitMs = count < free ? 0 : Math.min(longestMs, 1000 * 2 ** Math.min(count - free, 20));
    setLast(this.tries, key, { count, untilMs: nowMs + waitMs, lastMs: nowMs });
  }
}

/**
 * Failures before the next try has to wait. A network may be that of an office. An account alone waits from a number on that
 * takes ten networks, since each adds `pair` at most; NIST SP 800-63B allows 100.
 */
const freeTries = { pair: 5, network: 20, account: 50 };
/** No longer: others must not lock an account. */
const longestMs = 5 * 60 * 1000;
const forgetMs = 60 * 60 * 1000;
/** Callers of whom something is kept: some 15 MB. */
const maxKept = 100_000;

/** Sets the value of a caller. Past the bound the caller whose value was set longest ago is forgotten. */
export function setLast<V>(callers: Map<string, V>, key: string, value: V): void {
  callers.delete(key);
  callers.set(key, value);
  const [oldest] = callers.keys();
  if (callers.size > maxKept && oldest !== undefined) callers.delete(oldest);
}

function keysOf(account: string, address: string) {
  const network = networkOf(address);
  return { account: `account ${account}`, network: `network ${network}`, pair: `${account} ${network}` };
}

/**
 * An IPv4 address, also in any of its forms in IPv6, or the /64 of an IPv6 address: one customer has all of it. What is no
 * address is itself.
 */
export function networkOf(address: string): string {
  const ip = parseIp(address.replace(/%.*/, ""));
  if (ip?.bits !== 128) return address;
  const { value } = ip;
  if (value >> 32n === mapped) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join(".");
  return [112n, 96n, 80n, 64n].map((shift) => ((value >> shift) & 0xffffn).toString(16)).join(":");
}

/** What is before the IPv4 address in an IPv6 address that stands for one: `::ffff:192.0.2.1`. */
const mapped = 0xffffn;
