import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import type { Finding } from "../finding.ts";
import { memo } from "../lib/memo.ts";
import { StoreError } from "../store-error.ts";
import type { ReadSql } from "./sql.ts";

/** Called before each migration of a store that is upgraded: how many are done, of how many. Not for a new store. */
export type OnMigration = (done: number, all: number) => void;

/**
 * Each is in the folder of its feature, `NNNN-words.sql`; the numbers are one sequence over all folders, from 0001. The
 * package has them in the same places.
 */
const root = new URL("../../", import.meta.url);

/** The migrations from this version to the newest, in order. Throws StoreError for the schema of a newer program. */
export function migrationsAfter(version: number): string[] {
  const names = migrationNames();
  if (version > names.length) {
    const schemas = `schema ${version}, this one knows ${names.length}`;
    throw new StoreError(`the store is that of a newer version of Octavo (${schemas}); install that one`);
  }
  return names.slice(version).map((name) => readFileSync(new URL(name, root), "utf8"));
}

const migrationNames = memo((): string[] =>
  globSync("{*,core/sql}/[0-9]*.sql", { cwd: root }).sort((a, b) => (basename(a) < basename(b) ? -1 : 1)),
);

/** The newest schema that this program knows. */
export const schemaVersion = (): number => migrationNames().length;

/** What a schema of this version means for a start: undefined where it is the newest. */
export function schemaAdvice(version: number): { state: "warning" | "fault"; text: string } | undefined {
  const newest = migrationNames().length;
  if (version === newest) return undefined;
  const found = `its schema is ${version}, this program knows ${newest}`;
  if (version < newest) return { state: "warning", text: `${found}: the next start migrates it; make a backup first` };
  return { state: "fault", text: `${found}: install the version of Octavo that made it, or restore an older backup` };
}

/** What features find in a database whose schema is that of this program. */
export type MoreFindings = (sql: Pick<ReadSql, "rows">) => Promise<Finding[]>;
