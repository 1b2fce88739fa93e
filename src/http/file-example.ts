import type { MetaVerb } from "../domain/file-meta.ts";
import type { Example, Given, Refused } from "./example.ts";
import type { ApiRoute } from "./route.ts";

/**
 * The examples of files in the reference, on the sample site of `octavo serve --demo`, in the dialect of `/api/files`.
 */

type Examples = readonly [Example, ...Example[]];

const solaris = "movies/solaris.jpg";
const metropolis = "movies/metropolis.jpg";

const note = { name: "Shooting Notes.txt", content: "Day one: the station.\n" };
const folder = (path: string): Given => ({ method: "POST", url: "/api/folders", arguments: { path } });
const tagged = (path: string): Given => ({
  method: "POST",
  url: "/api/files/meta",
  arguments: { path, field: "tags", value: "ocean, station" },
});

export const readExamples: Examples = [
  { summary: "One file", arguments: { path: solaris } },
  { summary: "The files of a folder", arguments: { path: "movies", collection: true } },
];
export const readRefused: Refused = {
  file_not_found: { arguments: { path: "movies/nowhere.jpg" } },
  folder_not_found: { arguments: { path: "nowhere", collection: true } },
  argument_conflict: { arguments: { path: "movies", collection: true, options: { collection: false } } },
  filter_invalid: { arguments: { path: "movies", filter: { where: { key: "title" } } } },
  filter_too_complex: { arguments: { path: "movies", filter: { order_by: Array(11).fill({ field: "title" }) } } },
  limit_too_large: { arguments: { path: "movies", filter: { limit: 1_000_000 } } },
  cursor_invalid: { arguments: { path: "movies", filter: { limit: 1 }, cursor: "unknown" } },
};

export const uploadExamples: Examples = [
  { summary: "A text", arguments: { folder: "notes", title: "Notes from the set" }, file: note },
];
const large = "x".repeat(1_100_000);
/** The header of a PNG of 20,000 × 20,000 pixels without any data. */
const hugePng = Buffer.from("iVBORw0KGgoAAAANSUhEUgAATiAAAE4gCAIAAABsEtFu", "base64");
export const uploadRefused: Refused = {
  argument_invalid: { arguments: { on_conflict: "maybe" } },
  path_invalid: { arguments: { folder: "../secret" } },
  file_exists: {
    given: [{ method: "POST", url: "/api/files", arguments: { folder: "notes" }, file: note }],
    arguments: { on_conflict: "fail" },
  },
  folder_exists: { given: [folder("notes/readme.txt")], file: { ...note, name: "readme.txt" } },
  file_type_refused: { file: { name: "notes.exe", content: "MZ" } },
  image_too_large: { file: { name: "poster.png", content: hugePng } },
  data_too_large: { arguments: { title: large } },
  file_not_found: { headers: { "If-Match": "*" }, arguments: { folder: "elsewhere" } },
  revision_mismatch: {
    given: [{ method: "POST", url: "/api/files", arguments: { folder: "notes" }, file: note }],
    headers: { "If-Match": '"0"' },
  },
};

export const moveExamples: Examples = [
  { summary: "Rename a file", arguments: { path: solaris, new_path: "movies/ocean.jpg" } },
  { summary: "Move a file", arguments: { path: metropolis, new_path: "archive/metropolis.jpg" } },
];
export const copyExamples: Examples = [
  { summary: "Copy a file", arguments: { path: solaris, new_path: "archive/solaris.jpg" } },
  { summary: "A name that is taken gets a number", arguments: { path: solaris, new_path: metropolis } },
];
const placeRefused: Refused = {
  file_not_found: { arguments: { path: "movies/nowhere.jpg" } },
  argument_conflict: { arguments: { id: metropolis } },
  file_type_refused: { arguments: { new_path: "movies/solaris.exe" } },
};
export const moveRefused: Refused = {
  ...placeRefused,
  file_exists: { arguments: { new_path: metropolis } },
  folder_exists: { given: [folder("taken.jpg")], arguments: { new_path: "taken.jpg" } },
};
export const copyRefused: Refused = {
  ...placeRefused,
  file_exists: { arguments: { new_path: `${metropolis}/copy.jpg` } },
};

export const deleteExamples: Examples = [{ summary: "A file", arguments: { path: solaris } }];
export const deleteRefused: Refused = {
  file_not_found: { arguments: { path: "movies/nowhere.jpg" } },
  argument_conflict: { arguments: { id: metropolis } },
};

const anyMetaRefused: Refused = {
  file_not_found: { arguments: { path: "movies/nowhere.jpg" } },
  argument_conflict: { arguments: { id: metropolis } },
  field_reserved: { arguments: { field: "filesize" } },
  field_invalid: { given: [tagged(metropolis)], arguments: { path: metropolis, field: "tags.first" } },
  key_forbidden: { arguments: { field: "__proto__" } },
};
const missing: Refused = { field_not_found: { arguments: { path: metropolis, field: "mood" } } };

/** The three changes of meta fields. */
export const meta: Record<MetaVerb, Pick<ApiRoute, "summary" | "description" | "examples" | "refused">> = {
  update: {
    summary: "Update a meta field",
    description:
      "Gives a field that the file has another value. Of the service's own fields only `title` and `description` can be " +
      "updated.",
    examples: [{ summary: "Another title", arguments: { path: solaris, field: "title", value: "The ocean" } }],
    refused: {
      ...anyMetaRefused,
      ...missing,
      data_too_large: { given: [tagged(metropolis)], arguments: { path: metropolis, field: "tags", value: large } },
    },
  },
  add: {
    summary: "Add a meta field",
    description:
      "Gives the file a field of the client's own. It stands beside the service's fields in the file object.",
    examples: [
      { summary: "A field", arguments: { path: solaris, field: "tags", value: "ocean, station" } },
      {
        summary: "A field inside another",
        arguments: { path: metropolis, field: "rights.owner", value: "The reading room" },
      },
    ],
    refused: {
      ...anyMetaRefused,
      field_exists: { given: [tagged(metropolis)], arguments: { path: metropolis, field: "tags" } },
      data_too_large: { arguments: { field: "review", value: large } },
    },
  },
  delete: {
    summary: "Delete a meta field",
    description: "Takes a field of the client's own away.",
    examples: [{ summary: "A field", arguments: { path: solaris, field: "tags" }, given: [tagged(solaris)] }],
    refused: { ...anyMetaRefused, ...missing },
  },
};
