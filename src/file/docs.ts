import { inDialects } from "../../api-docs/dialect.ts";
import type { Described, Descriptions, Examples, Given, Refused, Tag } from "../../api-docs/example.ts";

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
const outsideFocal = { focal_invalid: { arguments: { path: metropolis, field: "focal", value: "50,50" } } };
/** The header of a PNG of 20,000 × 20,000 pixels without any data. */
const hugePng = Buffer.from("iVBORw0KGgoAAAANSUhEUgAATiAAAE4gCAIAAABsEtFu", "base64");
const uploadRefused: Refused = {
  folder_not_found: { accessToken: "limited" },
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
  { summary: "A taken name gets a number", arguments: { path: solaris, new_path: metropolis } },
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

const deleteExamples: Examples = [
  { summary: "A file", arguments: { path: solaris } },
  { summary: "For good, without the trash", arguments: { path: solaris, purge: true } },
];
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
  locale_unknown: { arguments: { locale: "xx" } },
};
const missing: Refused = { field_not_found: { arguments: { path: metropolis, field: "mood" } } };

const bytes: Described = {
  description:
    "Supports ranges and conditional requests (RFC 9110). With `v` equal to the file's `version` the reply may be " +
    "cached forever. Public, unless the setting `uploads_private` is on: then it requires a token or a signature.",
  examples: [
    { summary: "A picture", path: "movies/solaris.jpg" },
    { summary: "Its first kilobyte", path: "movies/solaris.jpg", headers: { Range: "bytes=0-1023" } },
  ],
  refused: { file_not_found: { path: "movies/nowhere.jpg" } },
};

export const tags: readonly Tag[] = [
  {
    name: "Files",
    group: "Library",
    holds: /^\/api\/files(?!\/search)/,
    description:
      "Files and their metadata, by `path`. A file object has the service's fields and, at the same level, the client's " +
      "meta fields.",
  },
  {
    name: "Media files",
    group: "Library, second dialect",
    holds: /^\/api\/media\/files/,
    description: "The same files as under `/api/files`, with `id` and `new_id` instead of `path` and `new_path`.",
  },
];

export const operations: Descriptions = {
  ...inDialects("files", {
    "GET /api/files": {
      description:
        "The path of a folder, `collection=true` or `options[collection]=true` reads the files in that folder: an object " +
        "by file name, with `options[recursive]=true` by path below the folder. The filter arguments work as on entries. " +
        "With `locale` the title, the description and the texts of meta fields are those of this locale, or of those that " +
        "it falls back to; conditions, orders and searches run over what is answered.",
      examples: readExamples,
      refused: readRefused,
    },
    "POST /api/files": {
      description:
        "A `multipart/form-data` form. If both tokens are in headers or precede the file, a refusal is sent before the file " +
        "is read. The name is made URL-safe: `Shooting Notes.txt` becomes `shooting-notes.txt`, and the title " +
        "is the name as sent. The file that the same name made is replaced and keeps its meta fields; another name that " +
        "becomes the same gets a number; `on_conflict` says otherwise. The bytes must match the extension.",
      examples: uploadExamples,
      refused: uploadRefused,
    },
    "PUT /api/files": {
      description: "The bytes, the title and the meta fields stay. Missing parent folders of the target are created.",
      examples: moveExamples,
      refused: moveRefused,
    },
    "PUT /api/files/copy": {
      description:
        "Copies the title and the meta fields, too. A taken name gets a number: `cover-1.jpg`. The bytes are stored once.",
      examples: copyExamples,
      refused: copyRefused,
    },
    "DELETE /api/files": {
      description:
        "Moves the file to the trash: its addresses answer 404 from then on. With `purge`, or where the setting " +
        "`trash_keep_days` is 0, deletes it for good; its bytes are then kept for the period of the setting " +
        "`blob_grace_days`.",
      examples: deleteExamples,
      refused: deleteRefused,
    },
    "PATCH /api/files/meta": {
      description:
        "Changes the value of an existing field. Of the service's own fields only `title` and `description` can be " +
        "updated. A token whose writes are staged changes `title`, `description`, `alt` and `focal` of files that it " +
        "uploaded itself, until something public uses them. With `locale` it sets the text of this locale, whether or not " +
        "there was one: of `title`, of `description`, and of a meta field that has a text or does not exist. All else of the " +
        "file stays, and so does its ETag; `If-Match` takes that of a read in the locale.",
      examples: [{ summary: "Another title", arguments: { path: solaris, field: "title", value: "The ocean" } }],
      refused: {
        ...anyMetaRefused,
        ...missing,
        data_too_large: { given: [tagged(metropolis)], arguments: { path: metropolis, field: "tags", value: large } },
        ...outsideFocal,
      },
    },
    "POST /api/files/meta": {
      description:
        "Adds a meta field. It is at the same level as the service's fields in the file object. `focal` is the point " +
        "that images with `fit=crop-focal` keep: two numbers from 0 to 1, from the left and the top, as `0.25,0.6`. With " +
        "`locale` it adds the text of this locale.",
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
        ...outsideFocal,
      },
    },
    "DELETE /api/files/meta": {
      description:
        "Removes a meta field. With `locale` it removes the text of this locale, also of `title` and `description`: it falls back.",
      examples: [{ summary: "A field", arguments: { path: solaris, field: "tags" }, given: [tagged(solaris)] }],
      refused: { ...anyMetaRefused, ...missing },
    },
  }),
  "GET /project/uploads/*": bytes,
  "GET /project/media/*": {
    ...bytes,
    description: `The same as /project/uploads/{path}, under the name of later releases of Flextype. ${bytes.description}`,
  },
};
