import { parseTime } from "./lib/time.ts";

/** A point in time as a client names it: its first second, and the number of seconds that the name covers. */
export type Moment = { startSeconds: number; spanSeconds: number };

export const momentForms = "a date such as 2024-05-01, 2024-05-01T10:30:00Z, Unix seconds, yesterday or 7 days ago";

const daySeconds = 86_400;
const dayOffsets: Record<string, number> = Object.assign(Object.create(null), { yesterday: -1, today: 0, tomorrow: 1 });
const units: Record<string, number> = Object.assign(Object.create(null), {
  second: 1,
  minute: 60,
  hour: 3600,
  day: daySeconds,
  week: 7 * daySeconds,
});

/**
 * Parses the formats of parseTime, and Flextype's words `now`, `today`, `yesterday`, `tomorrow`, `<n> <units> ago`. A
 * date without a time covers its day, in UTC. Undefined for an invalid text. Compatibility, Find arguments.
 */
export function readMoment(text: string, nowSeconds: number): Moment | undefined {
  const word = text.trim().toLowerCase();
  if (word === "now") return { startSeconds: nowSeconds, spanSeconds: 1 };
  const days = dayOffsets[word];
  if (days !== undefined) {
    const today = nowSeconds - (nowSeconds % daySeconds);
    return { startSeconds: today + days * daySeconds, spanSeconds: daySeconds };
  }
  const ago = /^(\d{1,9}) ?([a-z]+?)s? ago$/.exec(word);
  if (ago) return secondsAgo(Number(ago[1]), ago[2] as string, nowSeconds);
  const startSeconds = parseTime(text);
  if (startSeconds === undefined) return undefined;
  const isDay = /^\s*(\d{4}-\d\d-\d\d|\d\d-\d\d-\d{4})\s*$/.test(text);
  return { startSeconds, spanSeconds: isDay ? daySeconds : 1 };
}

function secondsAgo(count: number, unit: string, nowSeconds: number): Moment | undefined {
  const seconds = units[unit];
  return seconds === undefined ? undefined : { startSeconds: nowSeconds - count * seconds, spanSeconds: 1 };
}
