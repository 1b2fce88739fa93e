import { isJsonObject } from "../core/lib/json.ts";
import { type BackupRow, count, json, refused, textColumn, textOf, uuid } from "../core/row-column.ts";
import { refuseTooLarge } from "../file/file.ts";
import { isTranslatable } from "../file/meta.ts";
import { localeTag } from "./locale-row-rules.ts";

/** The rules of the rows of files' translations: see core/row.ts. */

const texts = textColumn((column, value) => {
  refuseTooLarge(column, textOf(column, value));
  const object = json(column, value);
  const isGood = ([name, text]: [string, unknown]) => typeof text === "string" && isTranslatable(name);
  if (!isJsonObject(object) || object.size === 0 || ![...object].every(isGood))
    throw refused(column, value, "a JSON object of texts by the names of fields");
});

export const fileTranslationRule = {
  noun: "file_translation",
  columns: { uuid, locale: localeTag, revision: count, texts },
  key: ({ uuid, locale }: BackupRow) => `${uuid} ${locale}`,
};
