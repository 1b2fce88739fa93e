import type { Example, Given, Refused } from "./example.ts";

/**
 * The examples of folders in the reference, on the sample site of `octavo serve --demo`, in the dialect of
 * `/api/folders`.
 */

type Examples = readonly [Example, ...Example[]];

const folder = (path: string): Given => ({ method: "POST", url: "/api/folders", arguments: { path } });

export const readExamples: Examples = [
  { summary: "One folder", arguments: { path: "movies" } },
  { summary: "The folders in the root", arguments: { path: "", collection: true } },
];
export const readRefused: Refused = {
  folder_not_found: { arguments: { path: "nowhere" } },
  argument_conflict: { arguments: { collection: true, options: { collection: false } } },
};

export const createExamples: Examples = [{ summary: "A folder in a new one", arguments: { path: "press/2026" } }];
export const createRefused: Refused = {
  folder_exists: { arguments: { path: "movies" } },
  file_exists: { arguments: { path: "movies/solaris.jpg" } },
  folder_not_found: { headers: { "If-Match": "*" } },
  argument_conflict: { arguments: { id: "press/2027" } },
};

export const moveExamples: Examples = [
  { summary: "Rename a folder", arguments: { path: "movies", new_path: "films" } },
];
export const copyExamples: Examples = [
  { summary: "Copy a folder", arguments: { path: "movies", new_path: "archive/movies" } },
];
export const placeRefused: Refused = {
  folder_not_found: { arguments: { path: "nowhere" } },
  folder_exists: { given: [folder("taken")], arguments: { new_path: "taken" } },
  file_exists: { given: [folder("drafts")], arguments: { path: "drafts", new_path: "movies/solaris.jpg" } },
  move_into_itself: { arguments: { new_path: "movies/science-fiction" } },
  argument_conflict: { arguments: { id: "articles" } },
};

export const deleteExamples: Examples = [{ summary: "A folder with all inside", arguments: { path: "movies" } }];
export const deleteRefused: Refused = {
  folder_not_found: { arguments: { path: "nowhere" } },
  argument_conflict: { arguments: { id: "articles" } },
};
