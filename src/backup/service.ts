import { allNouns } from "../nouns.ts";
import type { RowStore } from "./backup.ts";
import { formatOf } from "./older-store.ts";

/** How backups are read where there is no store. */
export const formats: Pick<RowStore, "formatOf"> = { formatOf: (number) => formatOf(allNouns.rowRules, number) };
