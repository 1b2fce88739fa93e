const forms = [
  // 2024-05-01, 2024-05-01 10:30, 2024-05-01T10:30:00.5Z, 2024-05-01T10:30:00+02:00
  /^(?<y>\d{4})-(?<m>\d{2})-(?<d>\d{2})(?:[T ](?<h>\d{2}):(?<i>\d{2})(?::(?<s>\d{2})(?:[.,]\d+)?)?(?<z>Z|[+-]\d{2}:?\d{2})?)?$/i,
  // Flextype's default date_format: 01-05-2024 10:30
  /^(?<d>\d{2})-(?<m>\d{2})-(?<y>\d{4})(?: (?<h>\d{2}):(?<i>\d{2})(?::(?<s>\d{2}))?)?$/,
];

export const hourSeconds = 3600;
export const daySeconds = 24 * hourSeconds;

/** 9999-12-31T23:59:59Z, the last second that is accepted. */
export const latestSeconds = 253_402_300_799;

/**
 * A time as whole Unix seconds (fractions truncated), or undefined when unreadable. Accepts Unix seconds as a number or
 * digits, ISO 8601, `Y-m-d H:i[:s]` and `d-m-Y H:i[:s]`; no zone means UTC. Contract §4. Days that do not exist (30
 * February) are unreadable, not rolled over.
 */
export function parseTime(value: number | string): number | undefined {
  if (typeof value === "number") return inRange(value);
  const text = value.trim();
  if (/^-?\d{1,12}$/.test(text)) return inRange(Number(text));
  for (const form of forms) {
    const parts = form.exec(text)?.groups;
    if (parts) return fromParts(parts);
  }
  return undefined;
}

const inRange = (seconds: number): number | undefined =>
  Number.isSafeInteger(seconds) && Math.abs(seconds) <= latestSeconds ? seconds : undefined;

function fromParts(parts: Record<string, string | undefined>): number | undefined {
  const [y, m, d, h, i, s] = ["y", "m", "d", "h", "i", "s"].map((name) => Number(parts[name] ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (h > 23 || i > 59 || s > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(y, m - 1, d);
  if (date.getUTCMonth() !== m - 1 || date.getUTCDate() !== d) return undefined;
  date.setUTCHours(h, i, s);
  const offset = offsetSeconds(parts.z);
  return offset === undefined ? undefined : inRange(date.getTime() / 1000 - offset);
}

function offsetSeconds(zone: string | undefined): number | undefined {
  if (zone === undefined || /^z$/i.test(zone)) return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2));
  if (minutes > 18 * 60) return undefined;
  return (zone.startsWith("-") ? -60 : 60) * minutes;
}
