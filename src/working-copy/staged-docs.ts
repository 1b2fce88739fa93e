import type { Descriptions, Given, Refused, Tag } from "../../api-docs/example.ts";

/** Working copies in the reference; the examples are on the sample site of `octavo serve --demo`. */

const url = "/api/entries/staged";
const alien = "movies/alien";
const solaris = "movies/solaris";
const stalker = "movies/stalker";
const unfinished = "articles/unfinished";
const at = "2040-01-15T09:00:00Z";

const staged = (id: string): Given => ({ method: "PATCH", url, arguments: { id, data: { minutes: 116 } } });
const scheduled = (id: string): Given => ({ method: "POST", url: "/api/entries/publish", arguments: { id, at } });

const mended: Given = {
  method: "PATCH",
  url: "/api/entries",
  arguments: { id: alien, data: { title: "Alien (1979)" } },
};

const missing: Refused = { entry_not_found: { arguments: { id: "movies/nowhere" } } };
/** Of another entry than the examples': its copy cannot change afterwards. */
const frozen: Refused = {
  publish_scheduled: { arguments: { id: solaris }, given: [staged(solaris), scheduled(solaris)] },
};
const unknownRelease: Refused = {
  release_not_found: { arguments: { release: "00000000-0000-4000-8000-000000000000" } },
};
const nothing: Refused = { nothing_staged: { arguments: { id: "movies/metropolis" } } };

export const tags: readonly Tag[] = [
  {
    name: "Working copies",
    group: "Content",
    holds: /^\/api\/entries\/(staged(?!\/search)|publish)/,
    description: "Changes of entries that are not live yet: staged, then published now or at a time, or dropped.",
  },
];

export const operations: Descriptions = {
  [`GET ${url}`]: {
    description:
      "Answers the entry as it would be if its working copy were published: the copy is laid over the entry as it is now. " +
      "The header `Octavo-Staged` has the revision of the copy; it is absent when the entry has none. `Octavo-Publish-At` says when a scheduled copy is published, `Octavo-Outdated` which of its keys were changed live since they were staged. The ETag names the " +
      "state of the entry and of the copy; the PATCH, the DELETE and the publish take it in `If-Match`. With `filter` or " +
      "`options[collection]` it is a list of the entries below it, filtered and sorted by what they would be.",
    examples: [
      { summary: "One entry with its working copy", arguments: { id: alien }, given: [staged(alien)] },
      {
        summary: "A collection as it would be if everything were published",
        arguments: {
          id: "movies",
          filter: { where: { key: "minutes", expr: "eq", value: 116 }, only: ["title", "minutes"] },
        },
        given: [staged(alien)],
      },
    ],
    refused: { ...missing, argument_conflict: { arguments: { filter: { limit: 2, set_max_result: 3 } } } },
  },
  [`GET ${url}/list`]: {
    description:
      "Lists the entries that have a working copy, in the order of their ids, with the time of a scheduled one, and the keys " +
      "of an outdated one.",
    examples: [
      { summary: "One staged, one scheduled", given: [staged(alien), staged(solaris), scheduled(solaris)] },
      { summary: "A page", arguments: { limit: 1 }, given: [staged(alien), staged("movies/arrival")] },
    ],
    refused: { cursor_invalid: { arguments: { cursor: "unknown" } } },
  },
  [`GET ${url}/outdated`]: {
    description:
      "Answers the keys of the working copy that were changed live since they were staged, to another value than the copy " +
      "has: what it was, what it is, what is staged. A publish puts them back; with `current` it is refused. A key that is " +
      "staged again is no longer outdated. What it was is read from the history.",
    examples: [
      {
        summary: "A title that was mended meanwhile",
        arguments: { id: alien },
        given: [
          { method: "PATCH", url, arguments: { id: alien, data: { title: "Alien: the director's cut" } } },
          mended,
        ],
      },
    ],
    refused: missing,
  },
  [`PATCH ${url}`]: {
    description:
      "Changes the working copy, which is created when the entry has none. What is public stays as it is, and so do the " +
      "revision, the ETag and `modified_at` of the entry. The copy has the keys that were sent; of every other key the " +
      "entry's present value counts. `data` is read as by `PATCH /api/entries`, also as a merge patch. With `release` the " +
      "copy goes live with that release, with `release: null` in none; then `data` is optional. Answers the entry " +
      "with the copy laid over.",
    examples: [
      { summary: "A new title", arguments: { id: alien, data: { title: "Alien: the director's cut", minutes: 116 } } },
      {
        summary: "A merge patch, which removes a field",
        arguments: { id: solaris, data: { based_on: null } },
        headers: { "Content-Type": "application/merge-patch+json" },
      },
    ],
    refused: {
      ...missing,
      ...frozen,
      ...unknownRelease,
      nothing_staged: { arguments: { id: "movies/metropolis", data: {}, release: null } },
      field_invalid: { arguments: { data: { visibility: "secret" } } },
      data_too_large: { arguments: { data: { content: "x".repeat(1_100_000) } } },
    },
  },
  [`DELETE ${url}`]: {
    description:
      "Drops the working copy. The entry stays as it is. With `keys` these keys of the copy are dropped, names of the client's " +
      "data or of the service's fields; without any left there is no copy. A token whose writes are staged drops copies, and " +
      "keys, that no other token has staged: otherwise 403 `scope_missing`, which names its own.",
    examples: [
      { summary: "A working copy", arguments: { id: alien }, given: [staged(alien)] },
      { summary: "One key of it", arguments: { id: alien, keys: ["minutes"] }, given: [staged(alien)] },
    ],
    refused: { ...missing, ...frozen, ...nothing },
  },
  "POST /api/entries/publish": {
    description:
      "Makes the working copy live, as one update: what it replaces is in the history. A draft becomes `visible` unless " +
      "the copy sets another visibility; it needs no copy. The first publish of a draft sets `published_at`, unless a client has (to another time than `created_at`). With `at` in the " +
      "future it is published then, within two seconds, and until then the copy cannot be changed, dropped or " +
      "scheduled again; `at: null` takes the time back. A time that has passed publishes now. With `current` a copy with " +
      "keys that were changed live since they were staged is refused, now and where a time is set; without it such a change " +
      "is put back, and the event says so. Answers the entry, or where " +
      "nothing is published yet the entry with the copy laid over.",
    examples: [
      { summary: "A working copy, now", arguments: { id: alien }, given: [staged(alien)] },
      { summary: "A draft", arguments: { id: unfinished } },
      { summary: "At a time", arguments: { id: alien, at }, given: [staged(alien)] },
      { summary: "Take the time back", arguments: { id: alien, at: null }, given: [staged(alien), scheduled(alien)] },
    ],
    refused: {
      ...missing,
      ...frozen,
      ...nothing,
      staged_outdated: {
        arguments: { id: alien, current: true },
        given: [{ method: "PATCH", url, arguments: { id: alien, data: { title: "Alien 2" } } }, mended],
      },
      data_too_large: {
        arguments: { id: stalker },
        given: [
          { method: "PATCH", url, arguments: { id: stalker, data: { draft: "x".repeat(600_000) } } },
          { method: "PATCH", url: "/api/entries", arguments: { id: stalker, data: { note: "x".repeat(600_000) } } },
        ],
      },
    },
  },
};
