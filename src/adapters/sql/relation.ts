import { FaultList, maxSentences } from "../../domain/fault-list.ts";
import { quote } from "../../domain/problem.ts";
import type { Sql, Value } from "./sql.ts";

/** How rows belong together, where no key of the schema sees to it: asked by `octavo verify` and at the end of a restore. */

/** Rows that break a rule: what the query finds of each, and the sentence about it. */
type Relation = { query: string; says: (...found: string[]) => string };

const pathOfFile = "CASE WHEN above.path = '' THEN file.name ELSE above.path || '/' || file.name END";
const newest = "(SELECT coalesce(max(sequence), 0) FROM event)";

const relations: readonly Relation[] = [
  {
    query: `SELECT entry.slug FROM entry JOIN parent ON parent.id = entry.parent
      WHERE entry.slug NOT LIKE '%/%' AND parent.path <> ''
         OR entry.slug LIKE '%/%' AND substr(entry.slug, 1, length(parent.path) + 1) <> parent.path || '/'
         OR substr(entry.slug, length(parent.path) + 2) LIKE '%/%' AND parent.path <> ''`,
    says: (slug) => `The entry ${slug} lies under another parent than its id says`,
  },
  {
    query: "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM folder WHERE path = '')",
    says: () => "There is no root folder",
  },
  {
    query: "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM store_state WHERE name = 'signing_key')",
    says: () => "There is no signing key in the store's state",
  },
  {
    query: `SELECT folder.path FROM folder LEFT JOIN folder AS above ON above.id = folder.parent
      WHERE (folder.path = '') <> (folder.parent IS NULL)
         OR folder.path <> '' AND (above.path IS NULL
           OR substr(folder.path, CASE WHEN above.path = '' THEN 1 ELSE length(above.path) + 2 END) LIKE '%/%'
           OR above.path <> '' AND substr(folder.path, 1, length(above.path) + 1) <> above.path || '/')`,
    says: (path) => `The folder ${path} lies under another one than its path says, or the one above is missing`,
  },
  {
    query: `SELECT below.path FROM folder AS below JOIN file ON file.folder = below.parent
      JOIN folder AS above ON above.id = below.parent WHERE below.path = ${pathOfFile}`,
    says: (path) => `The path ${path} is that of a folder and of a file`,
  },
  {
    query: `SELECT ${pathOfFile} FROM file JOIN folder AS above ON above.id = file.folder
      JOIN blob ON blob.hash = file.blob WHERE blob.size <> file.size`,
    says: (path) => `The file ${path} has another size than its bytes`,
  },
  {
    query: "SELECT min(slug), max(slug) FROM entry GROUP BY uuid HAVING count(*) > 1",
    says: (one, other) => `The entries ${one} and ${other} have one uuid`,
  },
  // Else a number would be given again, and an ETag be that of two states.
  ...[
    ["folder", "path FROM folder"],
    ["file", `${pathOfFile} FROM file JOIN folder AS above ON above.id = file.folder`],
    ["entry", "slug FROM entry"],
  ].map(([noun, key]) => ({
    query: `SELECT ${noun}.revision, ${key} WHERE ${noun}.revision > ${newest}`,
    says: (revision: string, name: string) =>
      `The revision ${revision} of the ${noun} ${name} is past the newest event`,
  })),
];

/** What is wrong with how the rows belong together. */
export async function relationFaults(sql: Sql): Promise<string[]> {
  const faults: string[] = [];
  for (const { query, says } of relations) {
    const list = new FaultList();
    const found = await sql.rows(`${query} LIMIT ${maxSentences}`);
    for (const row of found) list.add(says(...row.map(shown)));
    if (found.length === maxSentences) list.addMore((await countOf(sql, query)) - maxSentences);
    faults.push(...list.all());
  }
  return faults;
}

/** A path that broke a rule of its own may hold anything. */
const shown = (value: Value): string => (typeof value === "string" ? quote(value) : String(value));

const countOf = async (sql: Sql, query: string): Promise<number> =>
  (await sql.row(`SELECT count(*) FROM (${query}) AS found`))?.[0] as number;
