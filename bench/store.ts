/** Fills a store for a scenario before the service opens it. */

import type { BackupRow, RowBatch } from "../src/backup/backup.ts";
import { chores } from "../src/chores.ts";
import { createToken, type TokenKind, type TokenResource } from "../src/core/access/token.ts";
import type { Slug } from "../src/core/path.ts";
import { listing } from "../src/entry/listing-rows.ts";
import { readSettings } from "../src/settings.ts";
import { openStores, type Stores } from "../src/stores.ts";

export type Tokens = { delivery: string; management: string; access: string; images: string };

/** The actor and time of the writes before the bench. */
export const context = { actor: "bench", nowSeconds: 1 };

/**
 * Opens the folder's store, or the one that `env` sets, for `work`. When this resolves, everything is written, and its texts
 * and words are indexed: a service that starts on it has nothing left to do beside what is measured.
 */
export async function inStores<T>(
  folder: string,
  work: (stores: Stores) => Promise<T>,
  env: Record<string, string> = {},
): Promise<T> {
  const settings = readSettings({ flags: { data: folder, write_queue_max: "1000000" }, env, file: undefined });
  const stores = await openStores(settings);
  try {
    const result = await work(stores);
    for (const { run } of indexing) await run(stores, settings, context.nowSeconds, () => undefined);
    return result;
  } finally {
    await stores.close();
  }
}

const indexing = chores.filter(({ name }) => name === "index texts");

/** A token of each kind, with these resources where the kind has any. */
export async function createTokens({ tokens }: Stores, resources: TokenResource[]): Promise<Tokens> {
  const make = async (kind: TokenKind, itsResources: TokenResource[]) => {
    const input = { kind, resources: itsResources, label: "bench", environment: "", limitCalls: 0, expiresAt: null };
    return (await createToken(tokens, input, { id: crypto.randomUUID(), ...context })).secret;
  };
  return {
    delivery: await make("delivery", resources),
    management: await make("management", resources),
    access: await make("access", []),
    images: await make("images", []),
  };
}

export const createEntry = ({ entries }: Stores, id: string, data: object, nowSeconds = context.nowSeconds) =>
  entries.create(
    id as Slug,
    { data: JSON.stringify(data), isMergePatch: false, fields: {} },
    { ...context, nowSeconds },
  );

/** Creates this number of samples as `top/e0` and so on, each a second newer than the previous one, a thousand per batch. */
export async function createSamples(stores: Stores, top: string, count: number): Promise<void> {
  for (let from = 0; from < count; from += 1000) {
    const some = Array.from({ length: Math.min(1000, count - from) }, (_, i) => from + i);
    await Promise.all(some.map((n) => createEntry(stores, `${top}/e${n}`, sample(n, count), 1 + n)));
  }
}

/** What a sample says in other locales, by locale. */
export type Translated = (n: number) => Readonly<Record<string, object>>;

/**
 * The same as createSamples, by the way that a restore takes: a million entries in minutes. The store must be new.
 */
export async function loadSamples(
  stores: Stores,
  top: string,
  count: number,
  translated: Translated = () => ({}),
  make: (n: number, count: number) => object = sample,
): Promise<void> {
  const own: RowBatch[] = [];
  const counts = new Map<string, number>();
  await stores.rows.snapshot(async (snapshot) => {
    for (const noun of stores.rows.rules.keys()) {
      counts.set(noun, await snapshot.count(noun));
      for await (const rows of snapshot.rows(noun)) own.push({ noun, rows });
    }
  });
  const newest = counts.get("event") ?? 0;
  for (const noun of ["entry", "event"]) counts.set(noun, (counts.get(noun) ?? 0) + count);
  const translations = Array.from({ length: count }, (_, n) => Object.keys(translated(n)).length);
  const allTranslations = translations.reduce((sum, each) => sum + each, 0);
  if (allTranslations > 0) counts.set("translation", allTranslations);
  async function* batches(): AsyncGenerator<RowBatch> {
    yield* own;
    for (let from = 0; from < count; from += 1000) {
      const numbers = Array.from({ length: Math.min(1000, count - from) }, (_, i) => from + i);
      yield { noun: "event", rows: numbers.map((n) => eventRow(`${top}/e${n}`, n, newest + 1 + n)) };
      const entries = numbers.map((n) =>
        entryRow(`${top}/e${n}`, n, make(n, count), newest + 1 + n, translations[n] ?? 0),
      );
      yield { noun: "entry", rows: entries };
      const rows = entries.flatMap((entry, i) => translationRows(entry, translated(from + i)));
      if (rows.length > 0) yield { noun: "translation", rows };
    }
  }
  const blobs = { count: 0, bytes: 0, sha256: "" };
  await stores.rows.load(batches(), { counts: Object.fromEntries(counts), rows_sha256: "", blobs });
}

const eventRow = (subject: string, n: number, sequence: number): BackupRow => ({
  ...{ sequence, at: 1 + n, kind: "entry.create", subject, target: null, count: 1, actor: context.actor },
});

const entryRow = (slug: string, n: number, data: object, revision: number, translations: number): BackupRow => ({
  ...{ slug, uuid: crypto.randomUUID(), data: JSON.stringify(data) },
  ...{ published_at: 1 + n, created_at: 1 + n, modified_at: 1 + n },
  ...{ published_by: context.actor, created_by: context.actor, routable: 1, visibility: "visible", revision },
  ...{ content_revision: revision, staged_revision: null, was_public: 0 },
  ...{ translated: Number(translations > 0), only_locales: null },
});

const translationRows = (entry: BackupRow, translated: ReturnType<Translated>): BackupRow[] =>
  Object.entries(translated).map(([locale, data]) => ({
    ...{ uuid: entry.uuid ?? null, locale, name: null, visibility: "visible", listing: listing.listed, was_public: 0 },
    ...{ published_at: entry.published_at ?? null, created_at: entry.created_at ?? null },
    ...{ modified_at: entry.modified_at ?? null, modified_by: context.actor, revision: entry.revision ?? null },
    ...{ sources: "{}", data: JSON.stringify(data) },
  }));

/** About 500 bytes and 15 index rows. Groups hold 20 entries whatever the count, so that a filter finds as many. */
export function sample(n: number, count: number): object {
  return {
    title: `Entry number ${n}`,
    group: n % Math.ceil(count / 20),
    year: 1950 + (n % 70),
    price: (n % 997) / 10,
    isFeatured: n % 3 === 0,
    tags: [`t${n % 11}`, `t${n % 13}`, `t${n % 17}`],
    author: { name: `Author ${n % 101}`, country: ["de", "fr", "it", "pl"][n % 4] },
    rating: n % 6,
    state: ["new", "open", "done"][n % 3],
    language: ["en", "de"][n % 2],
    content: "Lorem ipsum dolor sit amet, consectetur adipiscing elit. ".repeat(3),
  };
}
