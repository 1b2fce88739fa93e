import { randomUUID } from "node:crypto";
import { createReadStream, existsSync, readFileSync } from "node:fs";
import { createToken, type TokenKind, type TokenResource, type TokenStore } from "./core/access/token.ts";
import { standardExtensions } from "./core/bytes/media-type.ts";
import type { JsonObject } from "./core/lib/json.ts";
import { nameOf, parentOf, parsePathBelowRoot } from "./core/path.ts";
import { Problem } from "./core/problem.ts";
import { parseEntryData, toEntryInput } from "./entry/data.ts";
import type { EntryStore } from "./entry/entry.ts";
import type { RegistryStore } from "./registry/registry.ts";
import type { TranslationStore } from "./translation/translation.ts";
import { parseType, type TypeStore } from "./type/type.ts";
import { type UploadStores, uploadFile } from "./upload/upload.ts";
import type { StagedStore } from "./working-copy/staged.ts";

/** The sample site of a first run, and how it is written into an empty store. */

export type DemoStores = UploadStores & {
  entries: EntryStore;
  translations: TranslationStore;
  staged: StagedStore;
  tokens: TokenStore;
  registry: RegistryStore;
  types: TypeStore;
};
export type SampleType = { id: string; title: string; description?: string; paths: readonly string[]; schema: object };
export type SampleSite = {
  /** Paths and ids, each in the order of the writes. */
  files: readonly string[];
  entries: readonly string[];
  /** Of entries that go live after the fill. */
  days_until_live: Readonly<Record<string, number>>;
  /** What entries say until they are translated: their translations are outdated. */
  translated_from: Readonly<Record<string, object>>;
  /** Entries whose translation is a working copy. */
  staged_translations: readonly string[];
  /** What files say in German. */
  file_texts: Readonly<Record<string, Readonly<Record<string, string>>>>;
  registry: Readonly<Record<string, unknown>>;
  types: readonly SampleType[];
};
const [source, target] = ["en", "de"];
/** The locales of a sample site for which the settings name none: the one of its entries, that of their translations. */
export const demoLocales: readonly string[] = [source, target];

/** One secret of each kind. */
export type DemoTokens = Record<Exclude<TokenKind, "preview">, string>;

/** In the registry from before the first write until the secrets were shown. */
const unfinishedKey = "demo.unfinished";
const daySeconds = 86_400;
const label = "demo";
const actor = "octavo";

/** A project that `octavo import` reads, too. What no import takes, and the order of the writes, is in its `site.json`. */
const folder = new URL("../assets/demo/", import.meta.url);

export const sampleSite = (): SampleSite => JSON.parse(readFileSync(new URL("site.json", folder), "utf8"));

/**
 * Fills an empty store (no entries, no files, no tokens) and shows the secrets. Returns false and changes nothing when
 * the store is not empty. A store that has both of `demoLocales` is filled in both. The next call repeats a fill that a crash
 * interrupted: it adds what is missing, and replaces tokens whose secrets may not have been seen.
 */
export async function fillDemo(
  stores: DemoStores,
  nowSeconds: number,
  show: (tokens: DemoTokens) => void,
  locales: readonly string[] = [],
): Promise<boolean> {
  await fillSite(stores, nowSeconds, locales);
  return finishDemo(stores, nowSeconds, show);
}

const isUnfinished = async ({ registry }: DemoStores): Promise<boolean> =>
  (await registry.listBelow(unfinishedKey)).length > 0;

/** The first half of fillDemo: the content. */
export async function fillSite(stores: DemoStores, nowSeconds: number, locales: readonly string[] = []): Promise<void> {
  if (!(await isUnfinished(stores)) && !(await isEmpty(stores))) return;
  await stores.registry.put(unfinishedKey, { value: "true" }, { actor, nowSeconds });
  const site = sampleSite();
  // One write after the other: the events of the sample site, which the reference shows, are always in this order.
  for (const path of site.files) await uploadSample(stores, path, nowSeconds);
  for (const type of site.types) await putOnce(stores.types, type, nowSeconds);
  const isTranslated = locales[0] === source && locales.includes(target);
  for (const id of site.entries) {
    const before = isTranslated ? site.translated_from[id] : undefined;
    await createOnce(stores.entries, id, { ...before, ...liveFrom(site, id, nowSeconds) }, nowSeconds);
  }
  for (const [key, value] of Object.entries(site.registry)) {
    await stores.registry.put(key, { value: JSON.stringify(value) }, { actor, nowSeconds });
  }
  // Last: the reference names revisions of what was written before.
  if (isTranslated) await translate(stores, site, nowSeconds);
}

/** The second half: the tokens. Returns false where there was no first one. */
export async function finishDemo(
  stores: DemoStores,
  nowSeconds: number,
  show: (tokens: DemoTokens) => void,
): Promise<boolean> {
  if (!(await isUnfinished(stores))) return false;
  await revokeUnseen(stores.tokens, nowSeconds);
  show(await createTokens(stores.tokens, nowSeconds));
  await stores.registry.delete(unfinishedKey, { actor, nowSeconds });
  return true;
}

async function isEmpty({ entries, files, tokens }: DemoStores): Promise<boolean> {
  return (await entries.count()) + (await files.count()) + (await tokens.list()).length === 0;
}

async function revokeUnseen(tokens: TokenStore, nowSeconds: number): Promise<void> {
  const unseen = (await tokens.list()).filter((token) => token.label === label);
  for (const { id } of unseen) await tokens.revoke(id, { actor, nowSeconds });
}

function liveFrom({ days_until_live: days }: SampleSite, id: string, nowSeconds: number): object {
  const daysUntilLive = days[id];
  return daysUntilLive === undefined ? {} : { published_at: nowSeconds + daysUntilLive * daySeconds };
}

/** The data in the file of an entry; undefined without the file. */
async function dataIn(id: string, name: string): Promise<JsonObject | undefined> {
  const file = new URL(`entries/${id}/${name}`, folder);
  if (!existsSync(file)) return undefined;
  // Loaded here, with the parser of YAML: only a first start needs it.
  const { parseFrontMatter } = await import("./moving/front-matter.ts");
  return parseFrontMatter(readFileSync(file, "utf8"), "md").data;
}

/** German for entries and files. What a first call has translated stays. */
async function translate(stores: DemoStores, site: SampleSite, nowSeconds: number): Promise<void> {
  const { entries, files, staged, translations } = stores;
  const context = { actor, nowSeconds };
  const inTarget = { ...context, locale: target };
  for (const id of site.entries) {
    const slug = parsePathBelowRoot("id", id);
    const data = await dataIn(id, `entry.${target}.md`);
    const found = await translations.find(slug);
    if (!data || found?.translations.length || found?.staged.size) continue;
    const name = data.get("slug") as string | undefined;
    data.delete("slug");
    // A file without a text leaves it to the source.
    if (data.get("content") === "") data.delete("content");
    const input = await toEntryInput(parseEntryData(data), { isMergePatch: false });
    if (site.staged_translations.includes(id)) await staged.stage(slug, input, inTarget);
    else await translations.put(slug, target, { input, name }, context);
  }
  for (const [id, before] of Object.entries(site.translated_from)) {
    const data = (await dataIn(id, "entry.md")) ?? new Map();
    const now = new Map(Object.keys(before).map((key) => [key, data.get(key) ?? null]));
    const input = await toEntryInput(parseEntryData(now), { isMergePatch: false });
    await entries.update(parsePathBelowRoot("id", id), input, context);
  }
  for (const [path, texts] of Object.entries(site.file_texts)) {
    for (const [key, text] of Object.entries(texts)) {
      const change = { verb: "update", keys: [key], value: JSON.stringify(text), chain: [target] } as const;
      await files.change(parsePathBelowRoot("path", path), change, context);
    }
  }
}

async function createOnce(entries: EntryStore, id: string, more: object, nowSeconds: number): Promise<void> {
  const data = (await dataIn(id, "entry.md")) as JsonObject;
  for (const [key, value] of Object.entries(more)) data.set(key, value);
  try {
    const input = await toEntryInput(parseEntryData(data), { isMergePatch: false });
    await entries.create(parsePathBelowRoot("id", id), input, { actor, nowSeconds });
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "entry_exists") throw error;
  }
}

async function putOnce(types: TypeStore, { schema, ...sent }: SampleType, nowSeconds: number): Promise<void> {
  if (await types.find(sent.id)) return;
  const type = parseType({ ...sent, schema: JSON.stringify(schema) });
  await types.put(type.id, type, { actor, nowSeconds });
}

async function uploadSample(stores: DemoStores, written: string, nowSeconds: number): Promise<void> {
  const { readMeta } = await import("./moving/import-file.ts");
  const path = parsePathBelowRoot("path", written);
  const meta = readFileSync(new URL(`uploads/.meta/${path}.yaml`, folder));
  const { title, description } = readMeta(meta, path, nowSeconds, nowSeconds, "project");
  const bytes = createReadStream(new URL(`uploads/${path}`, folder));
  const staged = await stores.blobs.stage(bytes, Number.POSITIVE_INFINITY);
  const target = { folder: parentOf(path), fileName: nameOf(path), onConflict: "replace" } as const;
  const maxPixels = Number.POSITIVE_INFINITY;
  const rules = { hasSafeNames: true, extensions: standardExtensions, maxPixels, refusesCorruptImages: true };
  try {
    await uploadFile(stores, staged, { title, description, ...target }, rules, { actor, nowSeconds });
  } finally {
    await staged.discard();
  }
}

async function createTokens(tokens: TokenStore, nowSeconds: number): Promise<DemoTokens> {
  const content: TokenResource[] = ["entries", "registry", "files", "folders"];
  const create = async (kind: TokenKind, resources: TokenResource[]): Promise<string> => {
    const input = { kind, resources, label, environment: "", limitCalls: 0, expiresAt: null };
    return (await createToken(tokens, input, { id: randomUUID(), actor, nowSeconds })).secret;
  };
  return {
    delivery: await create("delivery", content),
    management: await create("management", [...content, "admin"]),
    access: await create("access", []),
    images: await create("images", []),
  };
}
