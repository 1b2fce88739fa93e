import type { WriteContext } from "../core/event.ts";
import { refuseOtherRevision } from "../core/revision.ts";
import { appendWrite } from "../core/sql/event.ts";
import { noun, type Writing } from "../core/sql/noun.ts";
import { isTwice, namesOf, pastNewestEvent, rowTable } from "../core/sql/rows.ts";
import { deleteRows, insertInto, type ReadSql, type Row, type Sql } from "../core/sql/sql.ts";
import type { File, MetaChange } from "../file/file.ts";
import { fileTranslationRule } from "./file-row-rules.ts";
import {
  type Chain,
  changedTexts,
  type FileTranslation,
  type FileTranslationStore,
  fileInLocale,
  formatTexts,
  type InLocale,
  parseTexts,
} from "./file-translation.ts";

/** What files say in other locales than the source. */

const isOne = "uuid = ?1 AND locale = ?2";
/** SQL for 1 where some file says something in some locale, otherwise 0. */
const anyFileTexts = "(SELECT count(*) FROM (SELECT 1 FROM file_translation LIMIT 1) AS found)";

export const fileTranslationNoun = noun({
  links: { filesInLocale, translateFile, copyFileTexts, copyFolderTexts, anyFileTexts: () => anyFileTexts },
  rows: [
    rowTable(fileTranslationRule, "uuid, locale", {
      refusals: [[isTwice, `SELECT 1 FROM file_translation WHERE ${isOne}`, "uuid", "locale"]],
    }),
  ],
  relations: [
    {
      query: `SELECT said.uuid, said.locale FROM file_translation AS said
        LEFT JOIN (SELECT uuid FROM file UNION ALL SELECT uuid FROM trash_file) AS kept ON kept.uuid = said.uuid
        WHERE kept.uuid IS NULL`,
      says: (uuid, locale) => `The texts of ${uuid} in ${locale} belong to no file`,
    },
    pastNewestEvent("file_translation", "uuid FROM file_translation"),
  ],
  port: ({ sql }): FileTranslationStore => ({ laidOver: (files, chain) => filesInLocale(sql, files, chain) }),
});

/** The files as they are in the first locale of the chain, in their order. */
export async function filesInLocale<F extends File>(
  sql: ReadSql,
  files: readonly F[],
  chain: Chain,
): Promise<(F & InLocale)[]> {
  if (chain.length === 0) return files.map((file) => fileInLocale(file, [], chain));
  const locales = chain.map((_, i) => `?${i + 2}`).join(", ");
  const rows = await sql.rowsAll(
    `SELECT locale, revision, texts FROM file_translation WHERE uuid = ?1 AND locale IN (${locales})`,
    files.map(({ uuid }) => [uuid, ...chain]),
    ["text", ...chain.map(() => "text" as const)],
  );
  return files.map((file, i) => fileInLocale(file, (rows[i] ?? []).map(toTranslation), chain));
}

function toTranslation(row: Row): FileTranslation {
  const [locale, revision, texts] = row as readonly [string, number, string];
  return { locale, revision, texts: parseTexts(texts) };
}

/** Makes the change in the first locale of the chain; the file itself stays. Throws as changedTexts does, revision_mismatch. */
export async function translateFile<F extends File>(
  on: Writing,
  file: F,
  change: MetaChange,
  chain: Chain,
  context: WriteContext,
): Promise<F & InLocale> {
  const { sql } = on;
  const [locale = ""] = chain;
  const row = await sql.row(`SELECT locale, revision, texts FROM file_translation WHERE ${isOne}`, file.uuid, locale);
  const before = row && toTranslation(row);
  refuseOtherRevision(context.ifMatch, before?.revision ?? file.revision);
  const texts = changedTexts(file, before?.texts ?? new Map(), change);
  const revision = await appendWrite(on, "file.update", file.path, null, 1, { ...context, locale });
  if (before) await sql.run(`DELETE FROM file_translation WHERE ${isOne}`, file.uuid, locale);
  if (texts.size > 0) await sql.run(insert, file.uuid, locale, revision, formatTexts(texts));
  const [translated] = await filesInLocale(sql, [file], chain);
  return translated as F & InLocale;
}

const names = namesOf(fileTranslationRule);
const insert = insertInto("file_translation", names);

/** A copy of a file has its texts. */
export async function copyFileTexts(sql: Sql, from: string, to: string, revision: number): Promise<void> {
  await sql.run(
    `INSERT INTO file_translation (${names.join(", ")})
     SELECT ?2, locale, ?3, texts FROM file_translation WHERE uuid = ?1`,
    from,
    to,
    revision,
  );
}

/** The same for all files of a folder, whose copies are in another one under their names. */
export async function copyFolderTexts(sql: Sql, from: number, to: number, revision: number): Promise<void> {
  await sql.run(
    `INSERT INTO file_translation (${names.join(", ")})
     SELECT copy.uuid, said.locale, ?3, said.texts
     FROM file AS original JOIN file_translation AS said ON said.uuid = original.uuid
       JOIN file AS copy ON copy.folder = ?2 AND copy.name = original.name
     WHERE original.folder = ?1 AND (SELECT 1 FROM file_translation LIMIT 1) = 1`,
    from,
    to,
    revision,
  );
}

/** Of the file with the uuid ?1, which is deleted for good. */
export const deleteFileTexts = deleteRows("file_translation", "uuid = ?1", ["text"]);
