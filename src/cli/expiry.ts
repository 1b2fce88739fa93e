import { parseTime } from "../core/lib/time.ts";
import { UsageError } from "./command.ts";

const unitSeconds: Record<string, number> = { m: 60, h: 3600, d: 86_400, w: 604_800 };

/**
 * A duration from now such as `90d`, or a date, as Unix seconds; `never` is null, absent undefined. Throws UsageError,
 * also for a time in the past.
 */
export function readExpiry(received: string | undefined, nowSeconds: number): number | null | undefined {
  if (received === undefined) return undefined;
  if (received === "never") return null;
  const [, count, unit = ""] = /^(\d{1,6})([mhdw])$/.exec(received) ?? [];
  const time = count
    ? nowSeconds + Number(count) * (unitSeconds[unit] ?? 0)
    : isDate(received)
      ? parseTime(received)
      : undefined;
  if (time !== undefined && time > nowSeconds) return time;
  throw new UsageError(
    `--expires was "${received}"; expected 30m, 12h, 90d, 2w, an ISO 8601 date in the future, or never`,
  );
}

// Bare digits would be Unix seconds; here they are more likely a duration without its unit.
const isDate = (received: string): boolean => /^\d{4}-\d{2}-\d{2}/.test(received);
