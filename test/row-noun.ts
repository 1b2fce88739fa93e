import { allNouns } from "../src/nouns.ts";

/** The nouns of a backup that tests name. */
export type RowNoun =
  | "state"
  | "folder"
  | "file"
  | "entry"
  | "registry_item"
  | "token"
  | "event"
  | "event_entry"
  | "version"
  | "trash_item"
  | "trash_entry"
  | "trash_folder"
  | "trash_file"
  | "release"
  | "working_copy"
  | "type"
  | "role"
  | "person"
  | "passkey"
  | "view"
  | "webhook"
  | "translation"
  | "file_translation";

/** All nouns of a backup, in its order. */
export const rowNouns = [...allNouns.rowRules.keys()] as readonly RowNoun[];
