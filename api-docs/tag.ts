import type { Tag } from "./example.ts";
import { featureDocs } from "./feature-docs.ts";

/** The structure of the reference: groups of tags, in the order for newcomers. */

/** The order of the reference; the tags of a feature that is not here follow. */
const order = [
  "Entries",
  "Entries by family",
  "Search",
  "Working copies",
  "Releases",
  "Types",
  "Registry",
  "Changes",
  "Batch",
  "Trash",
  "Files",
  "Uploads",
  "Folders",
  "Bytes",
  "Images",
  "Media files",
  "Media folders",
  "Tokens",
  "Sessions",
  "People",
  "Roles",
  "Views",
  "Events",
  "Webhooks",
  "Health",
  "Description",
];

/** Of what no feature describes. */
const ownTags: readonly Tag[] = [
  {
    name: "Uploads",
    group: "Library",
    holds: /^\/api\/uploads/,
    description:
      "Uploads that go on after an interruption, by the [tus protocol](https://tus.io/protocols/resumable-upload) 1.0. " +
      "[The guide to uploads](/docs/uploads) has a program for each step.",
  },
  {
    name: "Bytes",
    group: "Library",
    holds: /^\/project\/(uploads|media)/,
    description: "The bytes of files, at the `url` and `full_url` of a file object.",
  },
  {
    name: "Description",
    group: "Operation",
    holds: /^\/api\/openapi/,
    description: "The OpenAPI description.",
  },
];

const placeOf = ({ name }: Tag): number => (order.includes(name) ? order.indexOf(name) : order.length);

const tags = [...ownTags, ...featureDocs.flatMap(({ tags = [] }) => tags)].toSorted((a, b) => placeOf(a) - placeOf(b));

const other: Tag = { name: "Other", group: "Operation", holds: /^/, description: "Other routes." };

const tagAt = (url: string): Tag => tags.find(({ holds }) => holds.test(url)) ?? other;

/** The name of a URL's tag. */
export const operationTag = (url: string): string => tagAt(url).name;

/** The groups of the tags of these URLs, in the order of the reference. */
export function tagGroups(urls: readonly string[]): Map<string, Tag[]> {
  const used = [...tags, other].filter((tag) => urls.some((url) => tagAt(url) === tag));
  return Map.groupBy(used, ({ group }) => group);
}

/** The same in OpenAPI's format. */
export function tagParts(urls: readonly string[]) {
  const groups = tagGroups(urls);
  const used = [...groups.values()].flat();
  return {
    tags: used.map(({ name, description }) => ({ name, description })),
    "x-tagGroups": [...groups].map(([name, members]) => ({ name, tags: members.map((tag) => tag.name) })),
  };
}
