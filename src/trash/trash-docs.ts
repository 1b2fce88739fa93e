import { type Descriptions, type Given, type Refused, sampleTrashId, type Tag } from "../../api-docs/example.ts";

/** The trash in the reference; the examples are on the sample site of `octavo serve --demo`. */

const deleted = (noun: "entries" | "files" | "folders", args: object): Given => ({
  method: "DELETE",
  url: `/api/${noun}`,
  arguments: { ...args },
});
const created = (args: object): Given => ({ method: "POST", url: "/api/entries", arguments: { ...args } });
const folder = (path: string): Given => ({ method: "POST", url: "/api/folders", arguments: { path } });

const alien = "movies/alien";
const solaris = "movies/solaris.jpg";
const metropolis = "movies/metropolis.jpg";

const withoutAlien = [deleted("entries", { id: alien })];
const missing: Refused = { trash_item_not_found: { arguments: { id: 1 } } };

export const tags: readonly Tag[] = [
  {
    name: "Trash",
    group: "Content",
    holds: /^\/api\/trash/,
    description: "What was deleted: entries, folders and files, until they are restored, purged or expire.",
  },
];

export const operations: Descriptions = {
  "GET /api/trash": {
    description:
      "Each item is what one DELETE took away: an entry with its descendants, a folder with its contents, or a file. The " +
      "`id` is the sequence of its event. Items are kept for the setting `trash_keep_days`. Nothing in the trash is found " +
      "by any other call. A token sees the items whose resource it has: `entries`, `folders` or `files`.",
    examples: [
      { summary: "After deleting a section", given: [deleted("entries", { id: "authors" })] },
      {
        summary: "Files whose path has a text",
        arguments: { noun: "file", search: "solaris" },
        given: [deleted("files", { path: solaris })],
      },
    ],
    refused: { cursor_invalid: { arguments: { cursor: "unknown" } } },
  },
  "POST /api/trash/restore": {
    description:
      "Puts everything of the item back atomically, at its old path or at `new_id`. The uuids, the times and the history " +
      "come back; the ETags are new. Creates missing folders. If one of the resulting paths is taken, nothing is restored. " +
      "Answers the item with the path where it is now.",
    examples: [
      { summary: "Where it was", arguments: { id: sampleTrashId }, given: withoutAlien },
      { summary: "Elsewhere", arguments: { id: sampleTrashId, new_id: "archive/alien" }, given: withoutAlien },
    ],
    refused: {
      ...missing,
      entry_exists: { given: [...withoutAlien, created({ id: alien, data: { title: "Alien, again" } })] },
      folder_exists: { given: [folder("press"), deleted("folders", { path: "press" }), folder("press")] },
      file_exists: {
        given: [deleted("files", { path: solaris })],
        arguments: { new_id: metropolis },
      },
      path_invalid: { arguments: { new_id: "movies/../secret" } },
      file_type_refused: {
        given: [deleted("files", { path: metropolis })],
        arguments: { new_id: "movies/metropolis.exe" },
      },
    },
  },
  "DELETE /api/trash": {
    description:
      "Deletes the item for good, with the history of what is in it. Its bytes are removed once nothing refers to them and " +
      "the period of the setting `blob_grace_days` has passed.",
    examples: [{ summary: "One item", arguments: { id: sampleTrashId }, given: withoutAlien }],
    refused: missing,
  },
};
