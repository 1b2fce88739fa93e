import { noun, type Writing } from "../core/sql/noun.ts";
import type { Sql } from "../core/sql/sql.ts";
import type { Placeholder, PlaceholderStore } from "./placeholder.ts";

/** A row goes with that of its bytes, and is in no backup: it is made again. */
export const placeholderNoun = noun({
  writes: { keepPlaceholder },
  port: ({ sql, writes }): PlaceholderStore => ({
    findAll: (hashes) => findPlaceholders(sql, hashes),
    keep: writes.keepPlaceholder,
  }),
});

/** Parameters of a statement. */
const atOnce = 100;

async function findPlaceholders(sql: Sql, hashes: readonly string[]): Promise<Map<string, Placeholder>> {
  const found = new Map<string, Placeholder>();
  // One statement stays prepared: parameters that are left repeat the last hash.
  const places = Array.from({ length: atOnce }, (_, i) => `?${i + 1}`).join(", ");
  for (let from = 0; from < hashes.length; from += atOnce) {
    const some = hashes.slice(from, from + atOnce);
    const values = Array.from({ length: atOnce }, (_, i) => some[i] ?? (some.at(-1) as string));
    const rows = await sql.rows(`SELECT hash, thumbhash, color FROM placeholder WHERE hash IN (${places})`, ...values);
    for (const [hash, thumbhash, color] of rows as [string, string, string][]) found.set(hash, { thumbhash, color });
  }
  return found;
}

async function keepPlaceholder({ sql }: Writing, hash: string, { thumbhash, color }: Placeholder): Promise<void> {
  await sql.run(
    `INSERT INTO placeholder (hash, thumbhash, color)
     SELECT hash, CAST(?2 AS TEXT), CAST(?3 AS TEXT) FROM blob WHERE hash = ?1
     ON CONFLICT (hash) DO NOTHING`,
    hash,
    thumbhash,
    color,
  );
}
