import { type Access, mayWrite, reaches } from "../core/access/access.ts";
import type { Call } from "../core/http/call.ts";
import type { ReceivedFile } from "../core/http/receive.ts";
import { inGroups } from "../core/lib/in-groups.ts";
import { formatJsonLater } from "../core/lib/json-slices.ts";
import type { Slug } from "../core/path.ts";
import { Problem } from "../core/problem.ts";
import { dataOf, titleIn } from "../entry/next.ts";
import type { CurrentTypes } from "../type/check.ts";
import type { StagedStore } from "../working-copy/staged.ts";
import { hashOf } from "../working-copy/staged-base.ts";
import { canonicalLocale, type Locales, parseLocale } from "./locale.ts";
import type { ProgressStore, StagedTranslation, Subtree, XliffOutcome } from "./progress.ts";
import { refuseOther, writerIn } from "./read-wire.ts";
import { translated } from "./routes.ts";
import { localizedOf } from "./shared.ts";
import { outdatedKeysOf } from "./translation.ts";
import type { WrittenOptions } from "./written-wire.ts";
import { applyUnits } from "./xliff/apply.ts";
import { problem } from "./xliff/problems.ts";
import { type ReadUnit, readXliff } from "./xliff/read.ts";
import type { TranslatedEntry } from "./xliff/unit.ts";

/** Entries as translators' files have them. Contract §24, Translators' files. */

export type XliffStores = { progress: ProgressStore; staged: StagedStore };

/** Those of the subtree with their translations into the locale, working copies laid over. Throws entry_not_found at once. */
export async function entriesToTranslate(
  { progress }: XliffStores,
  { renderer }: WrittenOptions,
  subtree: Subtree,
  locale: string,
  nowSeconds: number,
): Promise<AsyncIterable<TranslatedEntry>> {
  const first = await progress.staged(subtree, locale, undefined, nowSeconds);
  const types = await renderer.current();
  async function* all(): AsyncGenerator<TranslatedEntry> {
    for (let page = first; page.length > 0; ) {
      for (const each of page) yield await toTranslated(types, each);
      page = await progress.staged(subtree, locale, page.at(-1)?.entry.slug, nowSeconds);
    }
  }
  return all();
}

/** The keys that can be translated; the name of a type is none. */
async function toTranslated(
  { types }: CurrentTypes,
  { entry, translation }: StagedTranslation,
): Promise<TranslatedEntry> {
  const source = await dataOf(entry);
  const localized = await localizedOf(types, entry);
  const isTranslatable = (key: string) => localized?.keys.has(key) ?? key !== "fieldset";
  const target = translation && (await dataOf(translation));
  const hashNow = (key: string) => hashOf(source.get(key));
  return {
    uuid: entry.uuid,
    id: entry.slug,
    title: titleIn(source),
    source: new Map([...source].filter(([key]) => isTranslatable(key))),
    target,
    outdated: new Set(translation && target ? await outdatedKeysOf([...target.keys()], translation, hashNow) : []),
  };
}

// ---------------------------------------------------------------------------------------------- reading files

/** The units of a file are held in memory, about three times as large. */
const maxXliffLength = 32 * 1024 * 1024;
const entriesAtOnce = 50;

/**
 * Stages the targets of a translators' file. Throws xliff_invalid, body_too_large, argument_invalid (another source),
 * locale_unknown, scope_missing, too_many_copies, busy (the client has left); what was staged until then stays.
 */
export async function importXliff(
  { progress, staged }: XliffStores,
  { locales, renderer }: WrittenOptions & { locales: Locales },
  call: Call,
  { staged: file }: ReceivedFile,
): Promise<XliffOutcome> {
  const { sourceLocale, targetLocale, units } = await readXliff(textOf(file.open()), maxXliffLength);
  if (canonicalLocale(sourceLocale) !== locales.source) {
    const accepted = `a file whose source language is ${locales.source}`;
    throw problem("argument_invalid", { argument: "file", received: sourceLocale, accepted });
  }
  const locale = translated(locales, parseLocale(locales, targetLocale, "file"));
  refuseOther(call, locales, locale);
  const asker = call.asker();
  const byEntry = Map.groupBy(units, ({ name }) => name.split("#", 1)[0] as string);
  const places = await progress.places([...byEntry.keys()], asker);
  const slugs = [...places.values()].filter((slug) => reaches(call.access, slug));
  const outcome: XliffOutcome = { applied: 0, unchanged: 0, outdated: [], partial: [], unknown: [], refused: [] };
  const types = await renderer.current();
  for await (const group of inGroups(slugs, () => 1, { items: entriesAtOnce, size: entriesAtOnce })) {
    for (const each of await progress.stagedAt(group, locale, call.nowSeconds)) {
      if (asker.signal.aborted) throw problem("busy", { reason: "the client has left" });
      const own = byEntry.get(each.entry.uuid) ?? [];
      byEntry.delete(each.entry.uuid);
      await applyTo(outcome, await toTranslated(types, each), own, (data) =>
        staged.stage(
          each.entry.slug,
          { data, isMergePatch: false, fields: {}, onlyOwn: isOwnOnly(call.access) },
          writerIn(call, locale),
        ),
      );
    }
  }
  outcome.unknown.push(...[...byEntry.values()].flat().map(({ name }) => name));
  return outcome;
}

const isOwnOnly = (access: Access): boolean => !mayWrite(access, "all");

/** Adds what becomes of the units of one entry. */
async function applyTo(
  outcome: XliffOutcome,
  entry: TranslatedEntry,
  units: readonly ReadUnit[],
  stage: (data: string) => Promise<unknown>,
): Promise<void> {
  const id = entry.id as Slug;
  try {
    const change = applyUnits(entry, units);
    if (change.applied > 0) await stage(await formatJsonLater(change.data));
    outcome.applied += change.applied;
    outcome.unchanged += change.unchanged;
    outcome.outdated.push(...change.outdated.map((pointer) => ({ id, pointer })));
    outcome.partial.push(...change.partial.map((pointer) => ({ id, pointer })));
    outcome.unknown.push(...change.unknown);
  } catch (error) {
    if (!(error instanceof Problem) || !isOfEntry(error)) throw error;
    outcome.refused.push({ id, code: error.code, detail: error.detail });
  }
}

/** What the next entry may not be refused with. */
const isOfEntry = ({ kind, code }: Problem): boolean =>
  code !== "too_many_copies" && ["invalid", "not_found", "conflict", "too_large", "unprocessable"].includes(kind);

/** The text of XML in UTF-8 or, with a byte order mark, UTF-16. Throws xliff_invalid. */
async function* textOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let encoding: string | undefined;
  let decoder = new TextDecoder();
  const decode = (chunk?: Uint8Array): string => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw problem("xliff_invalid", { line: 1, reason: `its bytes are not ${encoding}` });
    }
  };
  for await (const chunk of bytes) {
    if (encoding === undefined) {
      encoding = encodingOf(chunk);
      decoder = new TextDecoder(encoding, { fatal: true });
    }
    yield decode(chunk);
  }
  yield decode();
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
}
