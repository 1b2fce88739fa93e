import type { JsonObject } from "../../lib/json.ts";
import { parseJson } from "../../lib/json.ts";
import { type FieldRow, fieldRows } from "./field-index.ts";
import type { SnapshotSql } from "./sql.ts";

const maxFaults = 20;

/** Sentences about what is wrong with the store; none when all is well. Reads everything: for `octavo verify`. */
export async function verifyStore(sql: SnapshotSql, isIndexed: (key: string) => boolean): Promise<string[]> {
  const faults = [
    ...(await misplacedEntries(sql)),
    ...(await misplacedFolders(sql)),
    ...(await fileFaults(sql)),
    ...(await indexFaults(sql, isIndexed)),
  ];
  return faults.slice(0, maxFaults);
}

async function misplacedEntries(sql: SnapshotSql): Promise<string[]> {
  const rows = await sql.rows(
    `SELECT entry.slug FROM entry JOIN parent ON parent.id = entry.parent
     WHERE entry.slug NOT LIKE '%/%' AND parent.path <> ''
        OR entry.slug LIKE '%/%' AND substr(entry.slug, 1, length(parent.path) + 1) <> parent.path || '/'
        OR substr(entry.slug, length(parent.path) + 2) LIKE '%/%' AND parent.path <> ''`,
  );
  return rows.map((row) => `The entry ${row[0]} lies under another parent than its id says`);
}

async function misplacedFolders(sql: SnapshotSql): Promise<string[]> {
  const rows = await sql.rows(
    `SELECT folder.path FROM folder LEFT JOIN folder AS above ON above.id = folder.parent
     WHERE (folder.path = '') <> (folder.parent IS NULL)
        OR folder.path <> '' AND (above.path IS NULL
          OR substr(folder.path, CASE WHEN above.path = '' THEN 1 ELSE length(above.path) + 2 END) LIKE '%/%'
          OR above.path <> '' AND substr(folder.path, 1, length(above.path) + 1) <> above.path || '/')`,
  );
  return rows.map(([path]) => `The folder ${path} lies under another one than its path says`);
}

async function fileFaults(sql: SnapshotSql): Promise<string[]> {
  const clashes = await sql.rows(
    `SELECT below.path FROM folder AS below JOIN file ON file.folder = below.parent
     JOIN folder AS above ON above.id = below.parent
     WHERE below.path = CASE WHEN above.path = '' THEN file.name ELSE above.path || '/' || file.name END`,
  );
  const sizes = await sql.rows(
    "SELECT file.name FROM file JOIN blob ON blob.hash = file.blob WHERE blob.size <> file.size",
  );
  return [
    ...clashes.map(([path]) => `The path ${path} is that of a folder and of a file`),
    ...sizes.map(([name]) => `The file ${name} has another size than its bytes`),
  ];
}

async function indexFaults(sql: SnapshotSql, isIndexed: (key: string) => boolean): Promise<string[]> {
  const faults: string[] = [];
  let expected = 0;
  for await (const batch of sql.batches("SELECT id, slug, parent, data FROM entry", [], 500)) {
    for (const [id, slug, parent, data] of batch as [number, string, number, string][]) {
      const { rows } = fieldRows(parseJson(data) as JsonObject, isIndexed);
      expected += rows.size;
      const find = ({ key, kind, number, text }: FieldRow) =>
        sql.row(
          `SELECT 1 FROM entry_field WHERE parent = ?1 AND key = (SELECT id FROM field_key WHERE name = ?2)
             AND kind = ?3 AND number = ?4 AND text = ?5 AND entry = ?6`,
          ...[parent, key, kind, number, text, id],
        );
      // Together: on a server each alone would be a round trip.
      const wanted = [...rows.values()];
      const found = await Promise.all(wanted.map(find));
      for (const [i, { key }] of wanted.entries()) {
        if (!found[i]) faults.push(`The field index lacks ${key} of the entry ${slug}`);
      }
    }
  }
  const kept = (await sql.row("SELECT count(*) FROM entry_field"))?.[0] as number;
  if (kept > expected) faults.push(`The field index has ${kept - expected} rows of no entry`);
  return faults;
}
