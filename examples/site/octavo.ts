import { createClient, type EntryOf, type Octavo } from "@octavo/client";
import type { Schema } from "./schema.ts";

/** schema.ts is what `octavo types generate` makes of the content types of the service: fields follow from the ids. */
export type Site = Octavo<Schema> & { url: string };
export type Movie = EntryOf<Schema, "movie">;
export type Author = EntryOf<Schema, "author">;
export type Article = EntryOf<Schema, "article">;

/** Reads config.json beside the page: the URL of the service, and a token that is public. */
export async function openSite(): Promise<Site> {
  const config = await (await fetch("config.json")).json();
  return { ...createClient<Schema>({ ...config, tokenInUrl: true }), url: config.url };
}

type Named = { slug: string; title?: string };

export const addressOf = ({ slug }: Named): string => `#/${slug}`;

/** The name of an entry: its title, or the last part of its id. */
export const nameOf = ({ title, slug }: Named): string => title ?? slug.split("/").at(-1) ?? slug;

/** Formats minutes as hours and minutes. */
export const duration = (minutes: number | undefined): string | undefined =>
  minutes === undefined ? undefined : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;

/** Joins the known values. */
export const joined = (...parts: (string | number | null | undefined)[]): string =>
  parts.filter((part) => part !== undefined && part !== null).join(" · ");
