import { readdirSync, readFileSync } from "node:fs";
import { StoreError } from "../../domain/store-error.ts";

const folder = new URL("../../../migrations/", import.meta.url);

/** The migrations from this version to the newest, in order. Throws StoreError for the schema of a newer program. */
export function migrationsAfter(version: number): string[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .sort();
  if (version > names.length) {
    const schemas = `schema ${version}, this one knows ${names.length}`;
    throw new StoreError(`the store is that of a newer version of Octavo (${schemas}); install that one`);
  }
  return names.slice(version).map((name) => readFileSync(new URL(name, folder), "utf8"));
}
