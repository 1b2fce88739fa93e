import { readdirSync, readFileSync } from "node:fs";

const folder = new URL("../../../migrations/", import.meta.url);

/** The texts that bring a schema of this version to the newest, in order. Refuses a schema of a newer program. */
export function migrationsAfter(version: number): string[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .sort();
  if (version > names.length) {
    throw new Error(`The store was written by a newer version (schema ${version}, this one knows ${names.length})`);
  }
  return names.slice(version).map((name) => readFileSync(new URL(name, folder), "utf8"));
}
