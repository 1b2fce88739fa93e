import type { TrashItem } from "../../../client/src/api.ts";
import type { Resource } from "../api/token.ts";
import type { TrashNoun } from "../api/trash.ts";
import { say, sayMany } from "../language/say.ts";

/** The resource that a token needs for the items of a noun. */
export const resources: Record<TrashNoun, Resource> = { entry: "entries", folder: "folders", file: "files" };

export const nounLabels: Record<TrashNoun, { one: string; many: string }> = {
  entry: { one: say("Entry"), many: say("Entries") },
  folder: { one: say("Folder"), many: say("Folders") },
  file: { one: say("File"), many: say("Files") },
};

/** How much an item contains. */
export const countOf = ({ noun, count }: TrashItem): string =>
  noun === "entry"
    ? sayMany(count, "{count} entry", "{count} entries")
    : noun === "file"
      ? sayMany(count, "{count} file", "{count} files")
      : sayMany(count, "{count} item", "{count} items");
