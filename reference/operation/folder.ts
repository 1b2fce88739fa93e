import { inDialects } from "../dialect.ts";
import type { Descriptions, Examples, Given, Refused } from "../example.ts";

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

const deleteExamples: Examples = [{ summary: "A folder with all inside", arguments: { path: "movies" } }];
const deleteRefused: Refused = {
  folder_not_found: { arguments: { path: "nowhere" } },
  argument_conflict: { arguments: { id: "articles" } },
};

export const folderOperations: Descriptions = inDialects("folders", {
  "GET /api/folders": {
    description:
      "`collection=true` or `options[collection]=true` asks for the folders directly inside, in the order of their names. " +
      "Files are not among them.",
    examples: readExamples,
    refused: readRefused,
  },
  "POST /api/folders": {
    description:
      "Makes the folder, and the folders above it that are missing. With `If-Match` nothing is created: there is no state " +
      "yet that it could name.",
    examples: createExamples,
    refused: createRefused,
  },
  "PUT /api/folders": {
    description:
      "Folders and files inside move along, all at once. Folders above the target that are missing are made. Onto itself: " +
      "nothing changes.",
    examples: moveExamples,
    refused: placeRefused,
  },
  "PUT /api/folders/copy": {
    description: "Folders, files and their meta fields are copied, all at once. No bytes are stored twice.",
    examples: copyExamples,
    refused: placeRefused,
  },
  "DELETE /api/folders": {
    description: "Folders and files inside go along, all at once.",
    examples: deleteExamples,
    refused: deleteRefused,
  },
});
