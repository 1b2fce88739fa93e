import type { TrashItem } from "../../../client/src/api.ts";
import type { Resource } from "../api/token.ts";
import type { TrashNoun } from "../api/trash.ts";
import { plural } from "./format.ts";

/** The resource that a token needs for the items of a noun. */
export const resources: Record<TrashNoun, Resource> = { entry: "entries", folder: "folders", file: "files" };

export const nounLabels: Record<TrashNoun, { one: string; many: string }> = {
  entry: { one: "Entry", many: "Entries" },
  folder: { one: "Folder", many: "Folders" },
  file: { one: "File", many: "Files" },
};

/** How much an item contains. */
export const countOf = ({ noun, count }: TrashItem): string =>
  noun === "entry" ? plural(count, "entry", "entries") : plural(count, noun === "file" ? "file" : "item");
