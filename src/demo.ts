import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import type { EntryStore } from "./domain/entry.ts";
import { parseEntryData, toEntryInput } from "./domain/entry-data.ts";
import { standardExtensions } from "./domain/media-type.ts";
import { parsePath, parsePathBelowRoot } from "./domain/path.ts";
import { Problem } from "./domain/problem.ts";
import type { RegistryStore } from "./domain/registry.ts";
import { createToken, type TokenKind, type TokenResource, type TokenStore } from "./domain/token.ts";
import { type UploadStores, uploadFile } from "./domain/upload.ts";
import { toJson } from "./lib/json.ts";

/** The sample site of a first run, and how it is written into an empty store. */

export type DemoStores = UploadStores & { entries: EntryStore; tokens: TokenStore; registry: RegistryStore };
/** One secret of each kind. */
export type DemoTokens = Record<Exclude<TokenKind, "preview">, string>;

/** In the registry from before the first write until the secrets were shown. */
const unfinishedKey = "demo.unfinished";
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
  const isCutOff = (await stores.registry.listBelow(unfinishedKey)).length > 0;
  if (!isCutOff && !(await isEmpty(stores))) return false;
  await stores.registry.put({ key: unfinishedKey, value: "true" }, actor, nowSeconds);
  if (isCutOff) await revokeUnseen(stores.tokens, nowSeconds);
  await Promise.all(samplePictures.map((picture) => uploadPicture(stores, picture, nowSeconds)));
  await Promise.all(sampleEntries.map(([slug, data]) => createOnce(stores.entries, slug, data, nowSeconds)));
  for (const [key, value] of sampleItems) {
    await stores.registry.put({ key, value: JSON.stringify(value) }, actor, nowSeconds);
  }
  show(await createTokens(stores.tokens, nowSeconds));
  await stores.registry.delete(unfinishedKey, actor, nowSeconds);
  return true;
}

async function isEmpty({ entries, files, tokens }: DemoStores): Promise<boolean> {
  return (await entries.count()) + (await files.count()) + (await tokens.list()).length === 0;
}

async function revokeUnseen(tokens: TokenStore, nowSeconds: number): Promise<void> {
  const unseen = (await tokens.list()).filter((token) => token.label === label);
  for (const { id } of unseen) await tokens.revoke(id, actor, nowSeconds);
}

async function createOnce(entries: EntryStore, slug: string, data: object, nowSeconds: number): Promise<void> {
  try {
    const input = await toEntryInput(parseEntryData(toJson(data)), { isMergePatch: false });
    await entries.create(parsePathBelowRoot("id", slug), input, { actor, nowSeconds });
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "entry_exists") throw error;
  }
}

type Picture = { name: string; title: string; description: string };

async function uploadPicture(stores: DemoStores, { name, ...texts }: Picture, nowSeconds: number): Promise<void> {
  const bytes = createReadStream(new URL(`../assets/demo/${name}`, import.meta.url));
  const staged = await stores.blobs.stage(bytes, Number.POSITIVE_INFINITY);
  const folder = parsePath("folder", "movies");
  const request = { ...texts, folder, fileName: name, onConflict: "replace", ifMatch: undefined } as const;
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

const sampleItems: readonly (readonly [string, unknown])[] = [
  ["site.title", "The reading room"],
  ["site.description", "Films, and the books some of them came from."],
  ["site.language", "en"],
  ["site.per_page", 10],
  ["site.navigation", ["movies", "articles", "authors"]],
];

const samplePictures: readonly Picture[] = [
  { name: "metropolis.jpg", title: "The city above", description: "Towers before a low sun, drawn for this site." },
  { name: "solaris.jpg", title: "Over the ocean", description: "A station, two suns and waves, drawn for this site." },
];

/** Numbers, booleans, lists, objects; one draft and one hidden entry. The facts are true. */
const sampleEntries: readonly (readonly [string, object])[] = [
  ["movies", { title: "Movies", content: "Science fiction on the screen." }],
  [
    "movies/metropolis",
    {
      title: "Metropolis",
      year: 1927,
      director: "Fritz Lang",
      minutes: 153,
      silent: true,
      genres: ["science fiction", "drama"],
      origin: { country: "Germany", language: "German" },
      picture: "movies/metropolis.jpg",
      content: "A city above, and the workers below it.",
    },
  ],
  [
    "movies/solaris",
    {
      title: "Solaris",
      year: 1972,
      director: "Andrei Tarkovsky",
      minutes: 167,
      silent: false,
      genres: ["science fiction", "drama"],
      origin: { country: "Soviet Union", language: "Russian" },
      based_on: { title: "Solaris", author: "Stanisław Lem", year: 1961 },
      picture: "movies/solaris.jpg",
      content: "A psychologist is sent to a station above an ocean that answers.",
    },
  ],
  [
    "movies/alien",
    {
      title: "Alien",
      year: 1979,
      director: "Ridley Scott",
      minutes: 117,
      silent: false,
      genres: ["science fiction", "horror"],
      origin: { country: "United Kingdom", language: "English" },
      cast: [
        { name: "Sigourney Weaver", role: "Ripley" },
        { name: "Ian Holm", role: "Ash" },
      ],
      content: "The crew of a freighter answers a signal.",
    },
  ],
  [
    "movies/stalker",
    {
      title: "Stalker",
      year: 1979,
      director: "Andrei Tarkovsky",
      minutes: 162,
      silent: false,
      genres: ["science fiction", "drama"],
      origin: { country: "Soviet Union", language: "Russian" },
      based_on: { title: "Roadside Picnic", author: "Arkady and Boris Strugatsky", year: 1972 },
      content: "Three men walk into the Zone.",
    },
  ],
  [
    "movies/arrival",
    {
      title: "Arrival",
      year: 2016,
      director: "Denis Villeneuve",
      minutes: 116,
      silent: false,
      genres: ["science fiction", "drama"],
      origin: { country: "United States", language: "English" },
      based_on: { title: "Story of Your Life", author: "Ted Chiang", year: 1998 },
      content: "A linguist learns to read the visitors.",
    },
  ],
  ["articles", { title: "Articles", content: "" }],
  [
    "articles/from-page-to-screen",
    {
      title: "From page to screen",
      published_at: "2024-03-01 09:00",
      featured: true,
      tags: ["books", "film"],
      movies: ["movies/solaris", "movies/stalker", "movies/arrival"],
      content: "Three films here began as a novel or a story.",
    },
  ],
  [
    "articles/silent-cities",
    {
      title: "Silent cities",
      published_at: "2024-05-17 09:00",
      featured: false,
      tags: ["film", "architecture"],
      movies: ["movies/metropolis"],
      content: "What a city says when nobody speaks.",
    },
  ],
  [
    "articles/colophon",
    {
      title: "Colophon",
      visibility: "hidden",
      tags: ["about"],
      content: "This article is hidden: it can be fetched by its id, and no collection lists it.",
    },
  ],
  [
    "articles/unfinished",
    {
      title: "Unfinished",
      visibility: "draft",
      tags: [],
      content: "This article is a draft: a delivery token does not see it, a management token does.",
    },
  ],
  ["authors", { title: "Authors", content: "" }],
  [
    "authors/stanislaw-lem",
    {
      title: "Stanisław Lem",
      born: 1921,
      died: 2006,
      languages: ["Polish"],
      works: [
        { title: "Solaris", year: 1961 },
        { title: "The Cyberiad", year: 1965 },
      ],
      content: "",
    },
  ],
  [
    "authors/ted-chiang",
    {
      title: "Ted Chiang",
      born: 1967,
      died: null,
      languages: ["English"],
      works: [{ title: "Story of Your Life", year: 1998 }],
      content: "",
    },
  ],
];
