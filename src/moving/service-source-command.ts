import { createHash } from "node:crypto";
import type { BackupBlob, BackupRow } from "../backup/backup.ts";
import { foreignAnswer, pagesOf, type Sent } from "../cli/ask.ts";
import { CommandError } from "../cli/command.ts";
import { Refusal } from "../cli/refusal.ts";
import { formatJson, isJsonObject, type Json, type JsonObject } from "../core/lib/json.ts";
import { encodePath, nameOf, type Path, parentOf, uploadsUrl } from "../core/path.ts";
import { entryFields, serviceFields } from "../entry/field.ts";
import { fileFields } from "../file/file.ts";
import type { Ask } from "../operator.ts";
import type { Locales } from "../translation/locale.ts";
import type { ExportSource } from "./export.ts";
import { localesAt, readIn, type TranslationRows, translationsOf } from "./translation-target-command.ts";

/** How many things a page has: a page of entries of a megabyte each is still a text. */
const pageSize = 100;

/**
 * The content of a service, over its API: what the token sees, page by page, and so not of one moment. A file that
 * changes meanwhile ends the export.
 */
export function serviceSource(ask: Ask): ExportSource {
  const locales = localesAt(ask);
  const translations = new Map<string, TranslationRows>();
  const rows = (noun: string): AsyncGenerator<BackupRow[], void> => {
    if (noun === "entry") return entryRows(ask, locales, translations);
    if (noun === "translation") return translationRows(ask, translations);
    return noun === "folder" ? folderRows(ask) : fileRows(ask);
  };
  return { read: (work) => work({ rows }), bytes: (path, blob) => checkedBytes(ask, path as Path, blob) };
}

/** By id what is known of the translations of entries: entries are read twice. */
type Translated = Map<string, TranslationRows>;

async function* entryRows(
  ask: Ask,
  locales: Promise<Locales | undefined>,
  known: Translated,
): AsyncGenerator<BackupRow[], void> {
  const everywhere = { id: "", "filter[depth]": "*", "filter[limit]": pageSize };
  const hasLocales = (await locales) !== undefined;
  for await (const page of listed(ask, "/api/management/entries", everywhere)) {
    const entries = listOf(page);
    for (const id of hasLocales ? entries.map(slugOf) : []) {
      const found = known.get(id) ?? (await translationsOf(ask, id));
      if (found) known.set(id, { only: found.only, rows: found.rows.filter(({ exists }) => exists) });
    }
    yield entries.map((entry) => entryRow(entry, known.get(slugOf(entry))));
  }
}

const slugOf = (entry: JsonObject): string => String(entry.get("slug"));

/** As the store keeps it. */
function entryRow(entry: JsonObject, { only, rows }: TranslationRows = { only: null, rows: [] }): BackupRow {
  const own = new Map([...entry].filter(([key]) => !serviceFields.has(key)));
  const fields = entryFields.map(({ name }) => [name, columnOf(entry.get(name) ?? null)]);
  const of = { translated: Number(rows.length > 0), only_locales: only && JSON.stringify(only) };
  return { ...Object.fromEntries(fields), data: formatJson(own), ...of };
}

async function* translationRows(ask: Ask, known: Translated): AsyncGenerator<BackupRow[], void> {
  for (const [id, { rows }] of known) {
    for (const { locale, keys, name, visibility, published_at } of rows) {
      const entry = await readIn(ask, id, locale);
      const data = formatJson(new Map(keys.map((key) => [key, entry.get(key) ?? null])));
      yield [{ uuid: columnOf(entry.get("uuid") ?? ""), locale, name, visibility, published_at, data }];
    }
  }
}

async function* folderRows(ask: Ask): AsyncGenerator<BackupRow[], void> {
  const everywhere = { path: "", "options[collection]": true, "options[recursive]": true, "options[limit]": pageSize };
  for await (const page of listed(ask, "/api/folders", everywhere))
    yield listOf(page).map((folder) => ({ path: String(folder.get("path")) }));
}

const everyFile = { path: "", "options[recursive]": true, "options[limit]": pageSize };

async function* fileRows(ask: Ask): AsyncGenerator<BackupRow[], void> {
  const hidden = new Map<string, JsonObject>();
  for await (const files of filesIn(ask, hasHidden)) for (const [path, file] of files) hidden.set(path, file);
  for await (const files of filesIn(ask, { "options[sent_name]": true }))
    yield files.map(([path, file]) => fileRow(path, file, hidden.get(path) ?? file));
}

/** A client's field of the name that the option has: the member takes its place, and conditions read the field. */
const hasHidden = { "filter[where][key]": "sent_name", "filter[where][expr]": "exists", "filter[where][value]": true };

async function* filesIn(ask: Ask, more: Sent): AsyncGenerator<[Path, JsonObject][], void> {
  for await (const page of listed(ask, "/api/files", { ...everyFile, ...more })) {
    if (!isJsonObject(page)) throw foreignAnswer();
    yield [...page] as [Path, JsonObject][];
  }
}

/** `whole` has the client's fields. */
function fileRow(path: Path, file: JsonObject, whole: JsonObject): BackupRow {
  const own = [...whole].filter(([key]) => !fileFields.has(key) && (whole !== file || key !== "sent_name"));
  const exif = file.get("exif");
  const facts = isJsonObject(exif) ? exif : new Map<string, Json>();
  return {
    folder: parentOf(path),
    name: nameOf(path),
    title: columnOf(file.get("title") ?? ""),
    description: columnOf(file.get("description") ?? ""),
    type: columnOf(file.get("type") ?? ""),
    size: columnOf(file.get("filesize") ?? 0),
    uploaded_at: columnOf(file.get("uploaded_on") ?? 0),
    width: columnOf(facts.get("Width") ?? null),
    height: columnOf(facts.get("Height") ?? null),
    is_color: columnOf(facts.get("IsColor") ?? null),
    meta: formatJson(new Map(own)),
    sent_name: columnOf(file.get("sent_name") ?? null),
    blob: columnOf(file.get("version") ?? ""),
  };
}

/** A value as a column has it. */
function columnOf(value: Json): string | number | null {
  if (typeof value === "boolean") return Number(value);
  return typeof value === "string" || typeof value === "number" ? value : null;
}

function listOf(page: Json): JsonObject[] {
  if (!Array.isArray(page) || !page.every(isJsonObject)) throw foreignAnswer();
  return page;
}

/** The pages of a list; none where the token sees nothing. */
async function* listed(ask: Ask, url: string, sent: Sent): AsyncGenerator<Json, void> {
  try {
    yield* pagesOf(ask, url, sent);
  } catch (error) {
    if (!(error instanceof Refusal) || !/^(?:entry|folder)_not_found$/.test(error.code ?? "")) throw error;
  }
}

/** Of the hash of a file the API shows the first digits. */
async function* checkedBytes(ask: Ask, path: Path, { hash, size }: BackupBlob): AsyncGenerator<Uint8Array, void> {
  const { body } = await ask({ method: "GET", url: `/${uploadsUrl}/${encodePath(path)}` });
  const sha256 = createHash("sha256");
  let seen = 0;
  for await (const piece of body instanceof Uint8Array ? [body] : body) {
    seen += piece.length;
    sha256.update(piece);
    yield piece;
  }
  if (seen !== size || !sha256.digest("hex").startsWith(hash))
    throw new CommandError(`the file ${path} changed while it was exported; run the same command again`);
}
