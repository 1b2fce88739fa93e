import { createClient, type EntryOf, type Octavo } from "@octavo/client";
import { formatHash, type Locale } from "./language.ts";
import type { Schema } from "./schema.ts";
import { type Words, words } from "./words.ts";

/** schema.ts is what `octavo types generate` makes of the content types of the service: fields follow from the ids. */
export type Site = Octavo<Schema> & { url: string; locale: Locale; words: Words };
export type Movie = EntryOf<Schema, "movie">;
export type Author = EntryOf<Schema, "author">;
export type Article = EntryOf<Schema, "article">;

/** Reads config.json beside the page: the URL of the service, and a token that is public. */
export async function openSite(): Promise<Site> {
  const config = await (await fetch("config.json")).json();
  return { ...createClient<Schema>({ ...config, tokenInUrl: true }), url: config.url, locale: "en", words: words.en };
}

type Named = { slug: string; title?: string };

/** By its id, which every language takes as a path, too; the page then shows its own path. */
export const addressOf = ({ locale }: Site, { slug }: Named, path = slug): string => formatHash(locale, path);

/** The name of an entry: its title, or the last part of its id. */
export const nameOf = ({ title, slug }: Named): string => title ?? slug.split("/").at(-1) ?? slug;

/** Formats minutes as hours and minutes. */
export const duration = (minutes: number | undefined): string | undefined =>
  minutes === undefined ? undefined : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;

/** Joins the known values. */
export const joined = (...parts: (string | number | null | undefined)[]): string =>
  parts.filter((part) => part !== undefined && part !== null).join(" · ");
