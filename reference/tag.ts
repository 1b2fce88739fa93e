/** The structure of the reference: groups of tags, in the order for newcomers. */

export type Tag = { name: string; description: string; group: string; holds: RegExp };

const tags: readonly Tag[] = [
  {
    name: "Entries",
    group: "Content",
    holds: /^\/api\/entries/,
    description:
      "An entry is a JSON object under a path-shaped id, its slug: `movies/alien`. The client's own keys stand at the top " +
      "level, beside those of the service. Ids make a tree: `movies` may have an entry of its own, and every id below it " +
      "can be read as its collection, moved, copied and deleted with it.",
  },
  {
    name: "Entries by family",
    group: "Content",
    holds: /^\/api\/(delivery|management)\/entries/,
    description:
      "The same entries under addresses of their own: `/api/delivery` always answers what the public sees, " +
      "`/api/management` takes management tokens alone.",
  },
  {
    name: "Registry",
    group: "Content",
    holds: /^\/api\/(delivery\/)?registry/,
    description: "Small values under dotted keys, such as `site.title`: what a site needs to know about itself.",
  },
  {
    name: "Files",
    group: "Library",
    holds: /^\/api\/files/,
    description:
      "Files and what is known of them, by `path`. A file object holds the service's fields and, at the same level, meta " +
      "fields of the client's own.",
  },
  {
    name: "Folders",
    group: "Library",
    holds: /^\/api\/folders/,
    description: "The folders that files lie in, by `path`. What is done to a folder is done to all inside.",
  },
  {
    name: "Bytes",
    group: "Library",
    holds: /^\/project\/uploads/,
    description: "The bytes of files, at the addresses that `url` and `full_url` of a file name.",
  },
  {
    name: "Images",
    group: "Library",
    holds: /^\/api\/images/,
    description:
      "Any picture among the files in any shape: the path of the file, and arguments for size, cut, format and effects. " +
      "[The guide to images](/docs/images) shows each argument with a picture of what it does.",
  },
  {
    name: "Media files",
    group: "Library, second dialect",
    holds: /^\/api\/media\/files/,
    description: "The same files as under `/api/files`, with `id` and `new_id` in place of `path` and `new_path`.",
  },
  {
    name: "Media folders",
    group: "Library, second dialect",
    holds: /^\/api\/media\/folders/,
    description:
      "The same folders as under `/api/folders`, with `id`, `new_id` and `full_id` in place of `path`, `new_path` and `full_path`.",
  },
  {
    name: "Tokens",
    group: "Operation",
    holds: /^\/api\/tokens/,
    description: "Who may call. Tokens are made and changed by a management token with `admin` and an access token.",
  },
  {
    name: "Sessions",
    group: "Operation",
    holds: /^\/api\/sessions/,
    description: "Who is signed in to the admin page. A session can be ended by a management token with `admin`.",
  },
  {
    name: "Events",
    group: "Operation",
    holds: /^\/api\/events/,
    description: "The log of all writes, for audit, caches and whoever wants to follow.",
  },
  {
    name: "Health",
    group: "Operation",
    holds: /^\/(health|api\/stats)/,
    description: "For supervisors, balancers and people who look after the service.",
  },
  {
    name: "Description",
    group: "Operation",
    holds: /^\/api\/openapi/,
    description: "This reference as a document for programs.",
  },
];

const other: Tag = { name: "Other", group: "Operation", holds: /^/, description: "What belongs nowhere else." };

const tagAt = (url: string): Tag => tags.find(({ holds }) => holds.test(url)) ?? other;

/** The name of the tag that an address belongs to. */
export const operationTag = (url: string): string => tagAt(url).name;

/** The groups of the tags that these addresses have, in the order of the reference. */
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
