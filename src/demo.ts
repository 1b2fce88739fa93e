import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { createToken, type TokenKind, type TokenResource, type TokenStore } from "./core/access/token.ts";
import { standardExtensions } from "./core/bytes/media-type.ts";
import { toJson } from "./core/lib/json.ts";
import { parsePath, parsePathBelowRoot } from "./core/path.ts";
import { Problem } from "./core/problem.ts";
import {
  type Picture,
  type SampleType,
  sampleEntries,
  sampleItems,
  samplePictures,
  sampleTypes,
  scheduledEntry,
} from "./demo-site.ts";
import { parseEntryData, toEntryInput } from "./entry/data.ts";
import type { EntryStore } from "./entry/entry.ts";
import type { RegistryStore } from "./registry/registry.ts";
import { parseType, type TypeStore } from "./type/type.ts";
import { type UploadStores, uploadFile } from "./upload/upload.ts";

/** The sample site of a first run, and how it is written into an empty store. */

export type DemoStores = UploadStores & {
  entries: EntryStore;
  tokens: TokenStore;
  registry: RegistryStore;
  types: TypeStore;
};
/** One secret of each kind. */
export type DemoTokens = Record<Exclude<TokenKind, "preview">, string>;

/** In the registry from before the first write until the secrets were shown. */
const unfinishedKey = "demo.unfinished";
const daySeconds = 86_400;
const label = "demo";
const actor = "octavo";

/**
 * Fills an empty store (no entries, no files, no tokens) and shows the secrets. Returns false and changes nothing when
 * the store is not empty. The next call repeats a fill that a crash interrupted: it adds what is missing, and replaces
 * tokens whose secrets may not have been seen.
 */
export async function fillDemo(
  stores: DemoStores,
  nowSeconds: number,
  show: (tokens: DemoTokens) => void,
): Promise<boolean> {
  await fillSite(stores, nowSeconds);
  return finishDemo(stores, nowSeconds, show);
}

const isUnfinished = async ({ registry }: DemoStores): Promise<boolean> =>
  (await registry.listBelow(unfinishedKey)).length > 0;

/** The first half of fillDemo: the content. */
export async function fillSite(stores: DemoStores, nowSeconds: number): Promise<void> {
  if (!(await isUnfinished(stores)) && !(await isEmpty(stores))) return;
  await stores.registry.put(unfinishedKey, { value: "true" }, { actor, nowSeconds });
  // One write after the other: the events of the sample site, which the reference shows, are always in this order.
  for (const picture of samplePictures) await uploadPicture(stores, picture, nowSeconds);
  for (const type of sampleTypes) await putOnce(stores.types, type, nowSeconds);
  for (const [slug, data] of sampleEntries) await createOnce(stores.entries, slug, data, nowSeconds);
  const { slug, data, days } = scheduledEntry;
  await createOnce(stores.entries, slug, { ...data, published_at: nowSeconds + days * daySeconds }, nowSeconds);
  for (const [key, value] of sampleItems) {
    await stores.registry.put(key, { value: JSON.stringify(value) }, { actor, nowSeconds });
  }
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

async function createOnce(entries: EntryStore, slug: string, data: object, nowSeconds: number): Promise<void> {
  try {
    const input = await toEntryInput(parseEntryData(toJson(data)), { isMergePatch: false });
    await entries.create(parsePathBelowRoot("id", slug), input, { actor, nowSeconds });
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "entry_exists") throw error;
  }
}

async function putOnce(types: TypeStore, { schema, ...sent }: SampleType, nowSeconds: number): Promise<void> {
  if (await types.find(sent.id)) return;
  const type = parseType({ ...sent, schema: JSON.stringify(schema) });
  await types.put(type.id, type, { actor, nowSeconds });
}

async function uploadPicture(stores: DemoStores, { name, ...texts }: Picture, nowSeconds: number): Promise<void> {
  const bytes = createReadStream(new URL(`../assets/demo/${name}`, import.meta.url));
  const staged = await stores.blobs.stage(bytes, Number.POSITIVE_INFINITY);
  const folder = parsePath("folder", "movies");
  const request = { ...texts, folder, fileName: name, onConflict: "replace" } as const;
  const maxPixels = Number.POSITIVE_INFINITY;
  const rules = { hasSafeNames: true, extensions: standardExtensions, maxPixels, refusesCorruptImages: true };
  try {
    await uploadFile(stores, staged, request, rules, { actor, nowSeconds });
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
