/**
 * Formats arguments as a query with brackets: `filter[where][0][key]=year`. Omits undefined and empty values; a date is
 * written as ISO 8601. An argument with a condition on an empty list, which brackets cannot write, is a JSON text. Slashes, commas and colons are not encoded: they have no meaning in a query, and the URL stays readable.
 */
export function formatQuery(args: object): string {
  return [...pairs(args)].map((pair) => pair.map(encode).join("=")).join("&");
}

const encode = (text: string): string =>
  encodeURIComponent(text).replace(/%(2F|2C|3A)/g, (escaped) => decodeURIComponent(escaped));

function* pairs(group: object, name = ""): Generator<[name: string, text: string]> {
  for (const [key, value] of Object.entries(group)) {
    const full = name ? `${name}[${key}]` : key;
    if (value instanceof Date) yield [full, value.toISOString()];
    else if (!name && hasEmptyList(value)) yield [full, JSON.stringify(value)];
    else if (value !== null && typeof value === "object") yield* pairs(value, full);
    else if (value !== undefined) yield [full, String(value)];
  }
}

const hasEmptyList = (value: unknown, name?: string): boolean =>
  Array.isArray(value) && value.length === 0
    ? name === "value"
    : value instanceof Object && Object.entries(value).some(([key, member]) => hasEmptyList(member, key));

/** A path in a URL: each segment percent-encoded, inner slashes kept, outer ones removed. */
export const encodePath = (path: string): string =>
  path
    .replace(/^\/+|\/+$/g, "")
    .split("/")
    .map(encodeURIComponent)
    .join("/");
