import { addProblems } from "../core/problem.ts";
import { type Named, quote, type Received, row, wasNot } from "../core/problem-row.ts";

/** The failures of translations. */

export const translationProblems = addProblems({
  locales_missing: row(
    "conflict",
    "No locales",
    () => "This service has no locales; the setting `locales` names them, as en,de",
  ),
  locale_unknown: row("invalid", "Unknown locale", (p: Received) =>
    wasNot({ ...p, accepted: `one of the locales ${p.accepted}` }),
  ),
  translation_not_found: row(
    "not_found",
    "Translation not found",
    (p: { id: string; locale: string }) => `"id" was ${quote(p.id)}; the entry has no translation in ${p.locale}`,
    "id",
  ),
  translation_exists: row(
    "conflict",
    "Translation exists",
    (p: Named & { id: string; locale: string }) =>
      `"${p.argument}" was ${quote(p.id)}; the entry has a translation in ${p.locale} already`,
  ),
  name_taken: row(
    "conflict",
    "Name taken",
    (p: Named & { name: string; locale: string; id: string }) =>
      `"${p.argument}" was ${quote(p.name)}; below the same parent the entry ${quote(p.id)} has this name in ${p.locale}`,
  ),
});

declare module "../core/problem.ts" {
  interface Problems extends RowsOf<typeof translationProblems> {}
}

export { problem } from "../core/problem.ts";
