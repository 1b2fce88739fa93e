import { answerOf, exactAnswerOf } from "../cli/ask.ts";
import { bodyOf, Refusal } from "../cli/refusal.ts";
import { formatJson, isSameJson, type JsonObject, maxDataDepth, parseJson } from "../core/lib/json.ts";
import { keyOfSegment } from "../core/lib/json-path.ts";
import type { Path } from "../core/path.ts";
import { quote } from "../core/problem-row.ts";
import type { PutOutcome } from "../entry/entry.ts";
import type { Ask } from "../operator.ts";
import { type Locales, localesOf } from "../translation/locale.ts";
import type { TranslationState } from "../translation/state.ts";
import { localizedKeyword } from "../type/walk.ts";
import type { Note } from "./import-entry.ts";
import { refused } from "./import-refusal-command.ts";
import type { StatedTranslation } from "./import-target.ts";

/** Translations over the API, of a store as of a service: as an import compares and writes them, and an export reads them. */

const url = "/api/entries/translations";

export type TranslationRows = { only: string[] | null; rows: TranslationState[] };

/** The translations of an entry, and the locales in which alone it is public; undefined without the entry, or locales. */
export async function translationsOf(ask: Ask, id: string): Promise<TranslationRows | undefined> {
  try {
    const reply = await ask({ method: "GET", url: `${url}?${new URLSearchParams({ id })}` });
    const { data, only_locales: only } = JSON.parse(await bodyOf(reply));
    return { only, rows: data };
  } catch (error) {
    if (error instanceof Refusal && /^(?:entry_not_found|locales_missing)$/.test(error.code ?? "")) return undefined;
    throw error;
  }
}

/** What the entry says in that very locale, with what all locales share. */
export const readIn = (ask: Ask, id: string, locale: string): Promise<JsonObject> =>
  exactAnswerOf(ask, "GET /api/management/entries", { id, locale, locale_fallback: "off" }) as Promise<JsonObject>;

/** The locales of a service; undefined where it has none, or the token reads no entries. */
export async function localesAt(ask: Ask): Promise<Locales | undefined> {
  try {
    const reply = await ask({ method: "GET", url: `${url}/list?id=&limit=1` });
    return localesOf({ locales: JSON.parse(await bodyOf(reply)).locales, localeFallbacks: [] });
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

export class TranslationTarget {
  private readonly ask: Ask;

  constructor(ask: Ask) {
    this.ask = ask;
  }

  /** Makes the translation what the file states; `conflict` where it is there, differs, and the policy is `fail`. */
  put(slug: Path, locale: string, state: StatedTranslation, notes: Note[]): Promise<PutOutcome | "conflict"> {
    return this.outcome(slug, locale, state, notes).catch(refused);
  }

  private async outcome(slug: Path, locale: string, state: StatedTranslation, notes: Note[]) {
    const { isDryRun, onConflict } = state;
    const found = (await translationsOf(this.ask, slug))?.rows.find((row) => row.locale === locale);
    // The entry would be created, too.
    if (!found && isDryRun) return "created";
    const there = found?.exists ? found : undefined;
    const data = parseJson(state.data, maxDataDepth + 1) as JsonObject;
    for (;;) {
      if (there && (await this.isSame(slug, there, state, data))) return "unchanged";
      const isWritten = !isDryRun && (!there || onConflict === "replace");
      const write = isWritten ? this.write(slug, locale, state, data, there) : this.try(slug, locale, state, data);
      const shared = await write.then(() => [], sharedKeys(data));
      if (shared.length === 0) break;
      for (const key of shared) data.delete(key);
      notes.push(`keys that its type has in all locales alike are not taken: ${shared.map(quote).join(", ")}`);
    }
    if (!there) return "created";
    return onConflict === "fail" ? "conflict" : onConflict === "skip" ? "skipped" : "replaced";
  }

  private async isSame(slug: Path, there: TranslationState, { fields, name }: StatedTranslation, data: JsonObject) {
    const isSameTime = (fields.publishedAt ?? there.published_at) === there.published_at;
    if (there.visibility !== (fields.visibility ?? "visible") || !isSameTime || there.name !== name) return false;
    if (there.keys.length !== data.size || !there.keys.every((key) => data.has(key))) return false;
    const own = await readIn(this.ask, slug, there.locale);
    return there.keys.every((key) => isSameJson(own.get(key), data.get(key)));
  }

  /** A patch lays over what is there: keys that the file does not have are taken away after it. */
  private async write(
    slug: Path,
    locale: string,
    state: StatedTranslation,
    data: JsonObject,
    there: TranslationState | undefined,
  ): Promise<void> {
    await answerOf(this.ask, `PATCH ${url}`, bodyIn(slug, locale, state, data));
    const gone = (there?.keys ?? []).filter((key) => !data.has(key)).map((key) => [key, null]);
    if (gone.length === 0) return;
    const text = JSON.stringify({ id: slug, locale, data: Object.fromEntries(gone) });
    await this.ask({ method: "PATCH", url, body: { type: "application/merge-patch+json", text } });
  }

  private async try(slug: Path, locale: string, state: StatedTranslation, data: JsonObject): Promise<void> {
    const operation = `{"method":"PATCH","path":"${url}","body":${bodyIn(slug, locale, state, data)}}`;
    await answerOf(this.ask, "POST /api/batch", `{"dry_run":true,"operations":[${operation}]}`);
  }
}

function bodyIn(id: Path, locale: string, { fields, name }: StatedTranslation, data: JsonObject): string {
  const { visibility, publishedAt } = fields;
  const all = new Map([...data, ["visibility", visibility ?? "visible"]]);
  if (typeof publishedAt === "number") all.set("published_at", publishedAt);
  return `{"id":${JSON.stringify(id)},"locale":"${locale}","name":${JSON.stringify(name)},"data":${formatJson(all)}}`;
}

/** The keys that a write is refused for, since all locales share them. Throws what else it is refused for. */
const sharedKeys =
  (data: JsonObject) =>
  (error: unknown): string[] => {
    const faults = error instanceof Refusal ? error.faults : [];
    const keys = faults.filter(({ rule }) => rule === localizedKeyword).map(({ pointer }) => keyAt(pointer));
    const shared = keys.filter((key) => data.has(key));
    if (shared.length === 0) throw error;
    return shared;
  };

const keyAt = (pointer: string): string => keyOfSegment(pointer.slice(1));
