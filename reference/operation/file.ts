import { inDialects } from "../dialect.ts";
import type { Descriptions, Examples, Given, Refused } from "../example.ts";

/**
 * Files in the reference, in both dialects; the examples are on the sample site of `octavo serve --demo`.
 */

const solaris = "movies/solaris.jpg";
const metropolis = "movies/metropolis.jpg";

const note = { name: "Shooting Notes.txt", content: "Day one: the station.\n" };
const folder = (path: string): Given => ({ method: "POST", url: "/api/folders", arguments: { path } });
const tagged = (path: string): Given => ({
  method: "POST",
  url: "/api/files/meta",
  arguments: { path, field: "tags", value: "ocean, station" },
});

const readExamples: Examples = [
  { summary: "One file", arguments: { path: solaris } },
  { summary: "The files of a folder", arguments: { path: "movies", collection: true } },
];
const readRefused: Refused = {
  file_not_found: { arguments: { path: "movies/nowhere.jpg" } },
  folder_not_found: { arguments: { path: "nowhere", collection: true } },
  argument_conflict: { arguments: { path: "movies", collection: true, options: { collection: false } } },
  filter_invalid: { arguments: { path: "movies", filter: { where: { key: "title" } } } },
  filter_too_complex: { arguments: { path: "movies", filter: { order_by: Array(11).fill({ field: "title" }) } } },
  limit_too_large: { arguments: { path: "movies", filter: { limit: 1_000_000 } } },
  cursor_invalid: { arguments: { path: "movies", filter: { limit: 1 }, cursor: "unknown" } },
};

const uploadExamples: Examples = [
  { summary: "A text", arguments: { folder: "notes", title: "Notes from the set" }, file: note },
];
const large = "x".repeat(1_100_000);
/** The header of a PNG of 20,000 × 20,000 pixels without any data. */
const hugePng = Buffer.from("iVBORw0KGgoAAAANSUhEUgAATiAAAE4gCAIAAABsEtFu", "base64");
const uploadRefused: Refused = {
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

const moveExamples: Examples = [
  { summary: "Rename a file", arguments: { path: solaris, new_path: "movies/ocean.jpg" } },
  { summary: "Move a file", arguments: { path: metropolis, new_path: "archive/metropolis.jpg" } },
];
const copyExamples: Examples = [
  { summary: "Copy a file", arguments: { path: solaris, new_path: "archive/solaris.jpg" } },
  { summary: "A name that is taken gets a number", arguments: { path: solaris, new_path: metropolis } },
];
const placeRefused: Refused = {
  file_not_found: { arguments: { path: "movies/nowhere.jpg" } },
  argument_conflict: { arguments: { id: metropolis } },
  file_type_refused: { arguments: { new_path: "movies/solaris.exe" } },
};
const moveRefused: Refused = {
  ...placeRefused,
  file_exists: { arguments: { new_path: metropolis } },
  folder_exists: { given: [folder("taken.jpg")], arguments: { new_path: "taken.jpg" } },
};
const copyRefused: Refused = {
  ...placeRefused,
  file_exists: { arguments: { new_path: `${metropolis}/copy.jpg` } },
};

const deleteExamples: Examples = [{ summary: "A file", arguments: { path: solaris } }];
const deleteRefused: Refused = {
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

export const fileOperations: Descriptions = {
  ...inDialects("files", {
    "GET /api/files": {
      description:
        "A path that is a folder, `collection=true` or `options[collection]=true` asks for the files in it: an object " +
        "by file name, with `options[recursive]=true` by path below the folder. The " +
        "filter arguments work here as on entries.",
      examples: readExamples,
      refused: readRefused,
    },
    "POST /api/files": {
      description:
        "A form, sent as `multipart/form-data`. With both tokens in headers or before the file a refusal comes before the " +
        "file is read. The name is made safe for addresses: `Shooting Notes.txt` becomes `shooting-notes.txt`. A file with " +
        "that name is replaced and keeps its meta fields, unless `on_conflict` says otherwise. The bytes must be what the " +
        "extension says.",
      examples: uploadExamples,
      refused: uploadRefused,
    },
    "PUT /api/files": {
      description: "Its bytes, title and meta fields stay. Folders above the target that are missing are made.",
      examples: moveExamples,
      refused: moveRefused,
    },
    "PUT /api/files/copy": {
      description:
        "With its title and meta fields. A name that is taken gets a number: `cover-1.jpg`. No bytes are stored twice.",
      examples: copyExamples,
      refused: copyRefused,
    },
    "DELETE /api/files": {
      description: "Its address answers 404 at once.",
      examples: deleteExamples,
      refused: deleteRefused,
    },
    "PATCH /api/files/meta": {
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
    "POST /api/files/meta": {
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
    "DELETE /api/files/meta": {
      description: "Takes a field of the client's own away.",
      examples: [{ summary: "A field", arguments: { path: solaris, field: "tags" }, given: [tagged(solaris)] }],
      refused: { ...anyMetaRefused, ...missing },
    },
  }),
  "GET /project/uploads/*": {
    description:
      "Ranges and conditional requests as RFC 9110 has them. With `v` equal to the file's `version` the answer may be " +
      "kept for ever. Open to everybody unless the setting `uploads_private` is on: then a token or a signature opens it.",
    examples: [
      { summary: "A picture", path: "movies/solaris.jpg" },
      { summary: "Its first kilobyte", path: "movies/solaris.jpg", headers: { Range: "bytes=0-1023" } },
    ],
    refused: { file_not_found: { path: "movies/nowhere.jpg" } },
  },
};
