import {
  type Descriptions,
  type Given,
  sampleReleaseId as id,
  type Refused,
  type Tag,
} from "../../api-docs/example.ts";

/** Releases in the reference; the examples are on the sample site of `octavo serve --demo`. */

const url = "/api/releases";
const title = "Alien at forty";
const at = "2040-01-15T09:00:00Z";
const alien = "movies/alien";

const made: Given = { method: "POST", url, arguments: { title } };
const staged: Given = {
  method: "PATCH",
  url: "/api/entries/staged",
  arguments: { id: alien, data: { title: "Alien: the director's cut" }, release: id },
};
const filled = [made, staged];
/** Refusals share a site, where the entry of the examples is in a release already. */
const filledWith = (entry: string): Given[] => [made, { ...staged, arguments: { ...staged.arguments, id: entry } }];
const publish = (more: object = {}): Given => ({ method: "POST", url: `${url}/publish`, arguments: { id, ...more } });
const published = [...filledWith("movies/solaris"), publish()];
const scheduled = [...filledWith("movies/stalker"), publish({ at })];

const mended: Given = {
  method: "PATCH",
  url: "/api/entries",
  arguments: { id: "movies/metropolis", data: { title: "Metropolis (1927)" } },
};

const missing: Refused = { release_not_found: { arguments: { id: "00000000-0000-4000-8000-000000000000" } } };
const cursor: Refused = { cursor_invalid: { arguments: { cursor: "unknown" } } };

export const tags: readonly Tag[] = [
  {
    name: "Releases",
    group: "Content",
    holds: /^\/api\/releases/,
    description: "Working copies and drafts that go live together, now or at a time, and can be undone together.",
  },
];

export const operations: Descriptions = {
  [`GET ${url}`]: {
    description:
      "A release is a named set of working copies and drafts that go live together. `release` on " +
      "`PATCH /api/entries/staged` and on the POST of a draft says what is in it. Newest first. `count` has the entries that " +
      "the token may see; of what is in the trash none.",
    examples: [
      { summary: "All releases", given: filled },
      { summary: "One release", arguments: { id }, given: filled },
    ],
    refused: { ...missing, ...cursor },
  },
  [`GET ${url}/entries`]: {
    description:
      "Its working copies, as `GET /api/entries/staged/list` has them, in the order of their ids. Of a published release " +
      "they are what it has published, under the ids that the entries had then.",
    examples: [{ summary: "The copies of a release", arguments: { id }, given: filled }],
    refused: { ...missing, ...cursor },
  },
  [`POST ${url}`]: {
    description: "Creates a release without entries. A store has at most 1,000.",
    examples: [{ summary: "A new release", arguments: { title } }],
  },
  [`PATCH ${url}`]: {
    description: "Gives the release another title. One that is published stays as it is.",
    examples: [{ summary: "Another title", arguments: { id, title: "Alien at sixty" }, given: [made] }],
    refused: { ...missing, release_published: { given: published } },
  },
  [`DELETE ${url}`]: {
    description:
      "Its copies stay, in no release. One that is scheduled is not deleted; one that is published cannot be undone any more. " +
      "The token must reach all its entries.",
    examples: [{ summary: "A release", arguments: { id }, given: filled }],
    refused: { ...missing, publish_scheduled: { given: scheduled } },
  },
  [`POST ${url}/publish`]: {
    description:
      "Makes all its copies and drafts live in one transaction: readers see all of them or none. Types are checked first; what " +
      "is refused names every entry in `entries`, and changes nothing. The log has the event `release.publish`, then one of " +
      "each entry, which a webhook is sent in one delivery. With `at` in the future it is published then, within two seconds, " +
      "and until then nothing in it can change; `at: null` takes the time back. One that is refused when its time comes has the " +
      "state `failed`. `dry_run` tells what would be refused. The token must reach all its entries.",
    examples: [
      { summary: "A release, now", arguments: { id }, given: filled },
      { summary: "At a time", arguments: { id, at }, given: filled },
      { summary: "No longer", arguments: { id, at: null }, given: scheduled },
      { summary: "The checks alone", arguments: { id, dry_run: true }, given: filled },
    ],
    refused: {
      ...missing,
      release_published: { given: published },
      publish_scheduled: { given: scheduled },
      nothing_staged: { given: [made] },
      staged_outdated: { arguments: { current: true }, given: [...filledWith("movies/metropolis"), mended] },
    },
  },
  [`POST ${url}/undo`]: {
    description:
      "Gives each of its entries the content that it had before, lays the copies back and opens the release again, in one " +
      "transaction; a published draft is a draft again. 412 names the entries that were changed, deleted or staged since; a move " +
      "is no change. What an entry had before is read from the history. The token must reach all its entries.",
    examples: [{ summary: "A published release", arguments: { id }, given: [...filled, publish()] }],
    refused: { ...missing, release_not_published: { given: [made] } },
  },
};
