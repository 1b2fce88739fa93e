import { problem } from "../problem.ts";
import type { Limit } from "./auth.ts";
import { networkOf, setLast } from "./throttle.ts";

/** So many requests a second in the long run, and so many at once. */
type Rate = { perSecond: number; burst: number };

/** What the limits count by. */
const limitNames = ["address", "token"] as const;
type LimitName = (typeof limitNames)[number];
type Rates = { [name in LimitName]?: Rate | undefined };

/** What a caller has left of one limit after a request. */
type Quota = { name: LimitName; remaining: number; fullInSeconds: number };

/** The limits that the settings name, each as `10,50` or `off`; undefined where there is none. */
export function requestLimits(token: string, address: string): RequestLimits | undefined {
  const rates = { token: parseRate(token), address: parseRate(address) };
  return rates.token || rates.address ? new RequestLimits(rates) : undefined;
}

/** Reads `10,50`: ten a second, fifty at once; undefined for `off`. The setting has checked the form. */
function parseRate(text: string): Rate | undefined {
  if (text === "off") return undefined;
  const [perSecond = 0, burst = 0] = text.split(",").map(Number);
  return { perSecond, burst };
}

/**
 * Limits of requests by the generic cell rate algorithm (GCRA): of each caller one time is kept, when he will have his
 * whole burst again. A request moves it by the time that one request is worth; one that would move it further than a
 * burst ahead is refused and moves nothing. In the memory of this process, by its monotonic clock.
 */
export class RequestLimits {
  /** The `RateLimit-Policy` of all replies: the burst, and how long it takes to come back. */
  readonly policy: string;
  private readonly rates: Rates;
  private readonly fullAt = new Map<string, number>();

  constructor(rates: Rates) {
    this.rates = rates;
    this.policy = limitNames.flatMap((name) => policyOf(name, rates[name])).join(", ");
  }

  /** Counts a request of an address: an IPv4 address, or the /64 of an IPv6 address. Throws too_many_requests. */
  takeAddress(address: string, quotas: Quota[], nowMs: number): void {
    if (this.rates.address) this.take("address", this.rates.address, networkOf(address), quotas, nowMs);
  }

  /** Counts a request of a token, or of a person. Throws too_many_requests. */
  takeToken(id: string, quotas: Quota[], nowMs: number): void {
    if (this.rates.token) this.take("token", this.rates.token, id, quotas, nowMs);
  }

  private take(name: LimitName, { perSecond, burst }: Rate, caller: string, quotas: Quota[], nowMs: number): void {
    const key = `${name} ${caller}`;
    const eachMs = 1000 / perSecond;
    const before = Math.max(nowMs, this.fullAt.get(key) ?? 0);
    const after = before + eachMs;
    // A thousandth of a request, since the sums of fractions are not exact.
    const waitMs = after - nowMs - eachMs * (burst + 0.001);
    const isOver = waitMs > 0;
    const fullAt = isOver ? before : after;
    const remaining = isOver ? 0 : Math.floor(burst + 0.001 - (after - nowMs) / eachMs);
    quotas.push({ name, remaining, fullInSeconds: wholeSeconds(fullAt - nowMs) });
    if (isOver) throw problem("too_many_requests", { limit: name, seconds: Math.max(1, wholeSeconds(waitMs)) });
    // Most of those who are forgotten have their burst again.
    setLast(this.fullAt, key, fullAt);
  }
}

/** Rounded up, but not for the last bits of a sum: (t + 1000) - t is more than 1000 for some t. */
const wholeSeconds = (ms: number): number => Math.ceil(ms / 1000 - 1e-6);

/** Counts a request of a token at the time when that is known: a body may have taken long. */
export const tokenLimit = (limits: RequestLimits | undefined, quotas: Quota[]): Limit | undefined =>
  limits && (({ id }) => limits.takeToken(id, quotas, performance.now()));

const policyOf = (name: LimitName, rate: Rate | undefined): string[] =>
  rate ? [`"${name}";q=${rate.burst};w=${Math.ceil(rate.burst / rate.perSecond)}`] : [];

/** The headers of a reply whose request was counted: draft-ietf-httpapi-ratelimit-headers-11. */
export function quotaHeaders(quotas: readonly Quota[], policy: string): string[] {
  if (quotas.length === 0) return [];
  const left = quotas.map(({ name, remaining, fullInSeconds }) => `"${name}";r=${remaining};t=${fullInSeconds}`);
  return ["RateLimit-Policy", policy, "RateLimit", left.join(", ")];
}
