/** The structure of the reference: groups of tags, in the order for newcomers. */

export type Tag = { name: string; description: string; group: string; holds: RegExp };

const tags: readonly Tag[] = [
  {
    name: "Entries",
    group: "Content",
    holds: /^\/api\/entries(?!\/(staged|publish))/,
    description:
      "An entry is a JSON object under a path-shaped id, its slug: `movies/alien`. The client's own keys are at the top " +
      "level, beside those of the service. Ids form a tree: `movies` may have an entry of its own, and every id below it " +
      "can be read as its collection, moved, copied and deleted with it.",
  },
  {
    name: "Entries by family",
    group: "Content",
    holds: /^\/api\/(delivery|management)\/entries/,
    description:
      "The same entries under separate URLs: `/api/delivery` always answers public entries only, " +
      "`/api/management` accepts management tokens only.",
  },
  {
    name: "Working copies",
    group: "Content",
    holds: /^\/api\/entries\/(staged|publish)/,
    description: "Changes of entries that are not live yet: staged, then published now or at a time, or dropped.",
  },
  {
    name: "Releases",
    group: "Content",
    holds: /^\/api\/releases/,
    description: "Working copies and drafts that go live together, now or at a time, and can be undone together.",
  },
  {
    name: "Types",
    group: "Content",
    holds: /^\/api\/types/,
    description:
      "Which data entries have: a JSON Schema with the patterns of their ids. A write whose data does not fit is refused; " +
      "entries without a type may have any data.",
  },
  {
    name: "Registry",
    group: "Content",
    holds: /^\/api\/(delivery\/)?registry/,
    description: "Small values under dotted keys, such as `site.title`: configuration and shared texts of a site.",
  },
  {
    name: "Changes",
    group: "Content",
    holds: /^\/api\/delivery\/changes/,
    description: "What changes in public, for whoever keeps a copy: all entries first, then each change.",
  },
  {
    name: "Batch",
    group: "Content",
    holds: /^\/api\/batch/,
    description: "Many writes of any of these, all of them or none.",
  },
  {
    name: "Trash",
    group: "Content",
    holds: /^\/api\/trash/,
    description: "What was deleted: entries, folders and files, until they are restored, purged or expire.",
  },
  {
    name: "Files",
    group: "Library",
    holds: /^\/api\/files/,
    description:
      "Files and their metadata, by `path`. A file object has the service's fields and, at the same level, the client's " +
      "meta fields.",
  },
  {
    name: "Folders",
    group: "Library",
    holds: /^\/api\/folders/,
    description: "The folders of files, by `path`. Operations on a folder include its contents.",
  },
  {
    name: "Bytes",
    group: "Library",
    holds: /^\/project\/(uploads|media)/,
    description: "The bytes of files, at the `url` and `full_url` of a file object.",
  },
  {
    name: "Images",
    group: "Library",
    holds: /^\/api\/(delivery\/)?images/,
    description:
      "Renditions of images: the path of a file, with arguments for size, crop, format and effects. " +
      "[The guide to images](/docs/images) shows each argument with a sample.",
  },
  {
    name: "Media files",
    group: "Library, second dialect",
    holds: /^\/api\/media\/files/,
    description: "The same files as under `/api/files`, with `id` and `new_id` instead of `path` and `new_path`.",
  },
  {
    name: "Media folders",
    group: "Library, second dialect",
    holds: /^\/api\/media\/folders/,
    description:
      "The same folders as under `/api/folders`, with `id`, `new_id` and `full_id` instead of `path`, `new_path` and `full_path`.",
  },
  {
    name: "Tokens",
    group: "Operation",
    holds: /^\/api\/tokens/,
    description:
      "The credentials of clients. A management token with `admin` and an access token create and change tokens.",
  },
  {
    name: "Sessions",
    group: "Operation",
    holds: /^\/api\/sessions/,
    description: "Sign-ins to the admin page. A management token with `admin` can end them.",
  },
  {
    name: "People",
    group: "Operation",
    holds: /^\/api\/people/,
    description:
      "Who signs in to the admin page, by name. An owner, or a management token with `admin`, invites and changes people; " +
      "everybody has an own account under `/api/people/me`.",
  },
  {
    name: "Roles",
    group: "Operation",
    holds: /^\/api\/roles/,
    description: "What people may do: each has one role.",
  },
  {
    name: "Views",
    group: "Operation",
    holds: /^\/api\/views/,
    description: "Tables of entries that people saved on the admin page, for themselves or for all.",
  },
  {
    name: "Events",
    group: "Operation",
    holds: /^\/api\/events/,
    description: "The log of all writes, for audits, caches and other followers.",
  },
  {
    name: "Webhooks",
    group: "Operation",
    holds: /^\/api\/webhooks/,
    description: "Addresses that are sent the events of writes, signed, in order and at least once.",
  },
  {
    name: "Health",
    group: "Operation",
    holds: /^\/(health|metrics|api\/stats)/,
    description: "For supervisors, load balancers and operators.",
  },
  {
    name: "Description",
    group: "Operation",
    holds: /^\/api\/openapi/,
    description: "The OpenAPI description.",
  },
];

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
