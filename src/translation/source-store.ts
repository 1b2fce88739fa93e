import type { Writing } from "../core/sql/noun.ts";
import type { Sql } from "../core/sql/sql.ts";
import type { KnownSource } from "./translation.ts";

/** Which locale the source is that translations are made against. Contract §24, Setting. */

const anyText = `SELECT (SELECT count(*) FROM (SELECT 1 FROM translation LIMIT 1) AS found)
  + (SELECT count(*) FROM (SELECT 1 FROM working_copy WHERE locale <> '' LIMIT 1) AS copies)`;

export async function knownSource(sql: Pick<Sql, "row">): Promise<KnownSource> {
  const [locale] = (await sql.row("SELECT value FROM store_state WHERE name = 'source_locale'")) ?? [];
  const [count] = (await sql.row(anyText)) ?? [];
  return { locale: locale as string | undefined, hasTranslations: count !== 0 };
}

export async function setSource({ sql }: Writing, locale: string): Promise<void> {
  await sql.run("DELETE FROM store_state WHERE name = 'source_locale'");
  await sql.run("INSERT INTO store_state (name, value) VALUES ('source_locale', ?1)", locale);
}
