import { inDialects } from "../../api-docs/dialect.ts";
import type { Descriptions, Examples, Given, Refused, Tag } from "../../api-docs/example.ts";

/** Folders in the reference, in both dialects; the examples are on the sample site of `octavo serve --demo`. */

const folder = (path: string): Given => ({ method: "POST", url: "/api/folders", arguments: { path } });

const readExamples: Examples = [
  { summary: "One folder", arguments: { path: "movies" } },
  { summary: "The folders in the root", arguments: { path: "", collection: true } },
];
const readRefused: Refused = {
  folder_not_found: { arguments: { path: "nowhere" } },
  argument_conflict: { arguments: { collection: true, options: { collection: false } } },
};

const createExamples: Examples = [{ summary: "A folder in a new one", arguments: { path: "press/2026" } }];
const createRefused: Refused = {
  folder_exists: { arguments: { path: "movies" } },
  file_exists: { arguments: { path: "movies/solaris.jpg" } },
  folder_not_found: { headers: { "If-Match": "*" } },
  argument_conflict: { arguments: { id: "press/2027" } },
};

const moveExamples: Examples = [{ summary: "Rename a folder", arguments: { path: "movies", new_path: "films" } }];
const copyExamples: Examples = [
  { summary: "Copy a folder", arguments: { path: "movies", new_path: "archive/movies" } },
];
const placeRefused: Refused = {
  folder_not_found: { arguments: { path: "nowhere" } },
  folder_exists: { given: [folder("taken")], arguments: { new_path: "taken" } },
  file_exists: { given: [folder("drafts")], arguments: { path: "drafts", new_path: "movies/solaris.jpg" } },
  move_into_itself: { arguments: { new_path: "movies/science-fiction" } },
  argument_conflict: { arguments: { id: "articles" } },
};

const deleteExamples: Examples = [
  { summary: "A folder with its contents", arguments: { path: "movies" } },
  { summary: "For good, without the trash", arguments: { path: "movies", purge: true } },
];
const deleteRefused: Refused = {
  folder_not_found: { arguments: { path: "nowhere" } },
  argument_conflict: { arguments: { id: "articles" } },
};

export const tags: readonly Tag[] = [
  {
    name: "Folders",
    group: "Library",
    holds: /^\/api\/folders/,
    description: "The folders of files, by `path`. Operations on a folder include its contents.",
  },
  {
    name: "Media folders",
    group: "Library, second dialect",
    holds: /^\/api\/media\/folders/,
    description:
      "The same folders as under `/api/folders`, with `id`, `new_id` and `full_id` instead of `path`, `new_path` and `full_path`.",
  },
];

export const operations: Descriptions = inDialects("folders", {
  "GET /api/folders": {
    description:
      "`collection=true` or `options[collection]=true` reads the direct subfolders, sorted by name. Files are not " +
      "included.",
    examples: readExamples,
    refused: readRefused,
  },
  "POST /api/folders": {
    description:
      "Creates the folder and its missing parent folders. A request with `If-Match` is refused: a new folder has no ETag.",
    examples: createExamples,
    refused: createRefused,
  },
  "PUT /api/folders": {
    description:
      "Moves all folders and files in it atomically. Missing parent folders of the target are created. A move onto itself " +
      "changes nothing.",
    examples: moveExamples,
    refused: placeRefused,
  },
  "PUT /api/folders/copy": {
    description: "Copies all folders, files and meta fields atomically. The bytes are stored once.",
    examples: copyExamples,
    refused: placeRefused,
  },
  "DELETE /api/folders": {
    description:
      "Moves the folder with all folders and files in it to the trash atomically. With `purge`, or where the setting " +
      "`trash_keep_days` is 0, deletes them for good.",
    examples: deleteExamples,
    refused: deleteRefused,
  },
});
