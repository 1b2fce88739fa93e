import type { TrashItem } from "../../../client/src/api.ts";
import { octavo } from "./octavo.ts";

export const trashNouns = ["entry", "folder", "file"] as const satisfies TrashItem["noun"][];
export type TrashNoun = (typeof trashNouns)[number];

/** The newest item of a path, of a translation with its locale, if it is one of the newest whose paths contain it. */
export const findTrashed = async (noun: TrashNoun, path: string, locale?: string): Promise<TrashItem | undefined> =>
  (await octavo.trash.list({ noun, search: path, limit: 100 })).items.find(
    (item) => item.path === path && item.locale === locale,
  );
