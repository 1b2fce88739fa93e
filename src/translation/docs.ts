import type { Descriptions, Refused, Tag } from "../../api-docs/example.ts";

/** Translations in the reference; the examples are on the sample site of `octavo serve --demo`. */

const url = "/api/entries/translations";
const cities = "articles/silent-cities";

const missing: Refused = {
  entry_not_found: { arguments: { id: "movies/nowhere" } },
  locale_unknown: { arguments: { locale: "xx" } },
};

export const tags: readonly Tag[] = [
  {
    name: "Translations",
    group: "Content",
    holds: /^\/api\/(entries\/)?translations/,
    description: "What entries say in other locales than the source; reads of entries take `locale`.",
  },
];

/** A unit of a text that is not there any more. */
const xliffFile = (source: string, target: string) => ({
  name: "de.xliff",
  content:
    `<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.1" srcLang="${source}" trgLang="${target}">` +
    '<file id="f"><unit id="u" name="4f8a61c2-0b7d-4e95-9c38-d216e5a7b043#/title"><segment>' +
    "<source>Silent cities</source><target>Stille Städte</target></segment></unit></file></xliff>",
});
const xliffUrl = "/api/translations/xliff";

export const operations: Descriptions = {
  [`GET ${xliffUrl}`]: {
    description:
      "Answers an XLIFF file with a unit for each text that can be translated, and what the translation and its working copy say. " +
      "Markdown is in segments; code and addresses in it are protected.",
    examples: [{ summary: "An article for translators", arguments: { id: cities, locale: "de" } }],
    refused: missing,
  },
  [`POST ${xliffUrl}`]: {
    description:
      "Stages the targets of an XLIFF file as working copies, which are published as others. Units whose source has changed since " +
      "are named and left, and so are those of which some segments have no target. The same file again changes nothing.",
    examples: [{ summary: "A file", arguments: {}, file: xliffFile("en", "de") }],
    refused: {
      argument_missing: { file: undefined },
      argument_invalid: { file: xliffFile("fr", "de") },
      xliff_invalid: { file: { name: "de.xliff", content: "<a/>" } },
      locale_unknown: { file: xliffFile("en", "xx") },
    },
  },
  [`GET ${url}`]: {
    description:
      "Answers how far the entry is translated, a row for each locale but the source: which keys are translated, which are " +
      "missing, and which are outdated, since the source has changed after they were written. `only_locales` stands beside `data`.",
    examples: [{ summary: "An entry with one translation", arguments: { id: cities } }],
    refused: { entry_not_found: { arguments: { id: "movies/nowhere" } } },
  },
  [`GET ${url}/list`]: {
    description:
      "Pages through a subtree by the ids of its entries: a row for each entry and locale, or for each entry with `locale`. A page " +
      "may end early, for want of time; the Link header says where it goes on. `locales` beside `data` names all of the setting, the source first.",
    examples: [
      {
        summary: "What is not in German yet",
        arguments: { id: "articles", locale: "de", state: "missing", limit: 2 },
      },
    ],
    refused: { ...missing, cursor_invalid: { arguments: { cursor: "unknown" } } },
  },
  [`GET ${url}/summary`]: {
    description:
      "Counts the entries of a subtree by locale. One that lacks keys and has outdated ones counts as both. A subtree that takes " +
      "longer than a list may is 503 `filter_too_costly`: ask for its parts.",
    examples: [{ summary: "All articles", arguments: { id: "articles" } }],
    refused: { entry_not_found: { arguments: { id: "movies/nowhere" } } },
  },
  [`PATCH ${url}`]: {
    description:
      "`data` has the translated keys alone; others fall back to the source. A new translation is `visible` unless `visibility` " +
      "says otherwise. `name` is the last part of its path in the locale. `checked` names keys that still fit though the source has " +
      "changed. `only_locales`, which stands alone beside `id`, says in which locales the entry is public. As a merge patch a null " +
      "takes a key away, which falls back again.",
    examples: [
      {
        summary: "A translation with a name of its own in the path",
        arguments: { id: cities, locale: "de", data: { title: "Stille Städte" }, name: "stille-staedte" },
      },
      { summary: "Public in German alone", arguments: { id: "articles/colophon", only_locales: ["de"] } },
    ],
    refused: {
      ...missing,
      argument_missing: { arguments: { locale: undefined } },
      name_taken: { arguments: { id: cities, locale: "de", name: "vom-buch-zum-film" } },
      field_invalid: { arguments: { data: { routable: false } } },
      revision_mismatch: { headers: { "If-Match": '"0"' } },
    },
  },
  [`DELETE ${url}`]: {
    description:
      "The entry falls back to the next of the chain; `POST /api/trash/restore` brings the translation back.",
    examples: [{ summary: "A translation", arguments: { id: cities, locale: "de" } }],
    refused: { ...missing, translation_not_found: { arguments: { id: "articles/unfinished" } } },
  },
};
