import type { EntryLocales } from "./public.ts";

const known = new WeakMap<object, EntryLocales>();

/**
 * Where this very entry is in the locale that it was fetched with, and in others; undefined for an entry that was fetched
 * without one, for a copy, and for the items of a list, which has `locales`.
 */
export const localesOf = (entry: object): EntryLocales | undefined => known.get(entry);

/** Keeps what the reply says of the locales of its entry. */
export function rememberLocales(entry: object, headers: Headers): void {
  const partsOf = (name: string) => (headers.get(name) ?? "").split(", ").filter(Boolean);
  const [path] = partsOf("Octavo-Path");
  if (path === undefined) return;
  const pairs = partsOf("Octavo-Locales").map((pair) => pair.split("=").map(decodeURIComponent));
  known.set(entry, {
    language: headers.get("Content-Language") ?? "",
    path: decodeURIComponent(path),
    fallback: partsOf("Octavo-Fallback").map(decodeURIComponent),
    locales: Object.fromEntries(pairs),
  });
}
