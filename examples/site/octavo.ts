import { createClient, type Entry, type Octavo, type StoredFile } from "@octavo/client";

/** The fields of entries below `movies`; all are optional. */
export type Movie = {
  title?: string;
  year?: number;
  director?: string;
  minutes?: number;
  silent?: boolean;
  genres?: string[];
  origin?: { country?: string; language?: string };
  based_on?: { title: string; author: string; year: number };
  cast?: { name: string; role: string }[];
  picture?: string;
  content?: string;
};
export type Article = { title?: string; movies?: string[]; content?: string };

/** The client, and the file objects of pictures by path: their version makes image URLs immutable for caches. */
export type Site = { octavo: Octavo; pictures: ReadonlyMap<string, StoredFile> };

/** Reads config.json beside the page: the URL of the service, and two tokens that are public. */
export async function openSite(): Promise<Site> {
  const octavo = createClient({ ...(await (await fetch("config.json")).json()), tokenInUrl: true });
  const { items } = await octavo.files.list("movies");
  return { octavo, pictures: new Map(items.map((file) => [`movies/${file.filename}`, file])) };
}

export const addressOf = ({ slug }: Entry<object>): string => `#/${slug}`;

/** The name of an entry: its title, or the last part of its id. */
export const nameOf = ({ title, slug }: Entry<{ title?: string }>): string => title ?? slug.split("/").at(-1) ?? slug;

/** Formats minutes as hours and minutes. */
export const duration = (minutes: number | undefined): string | undefined =>
  minutes === undefined ? undefined : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;

/** Joins the known values. */
export const joined = (...parts: (string | number | undefined)[]): string =>
  parts.filter((part) => part !== undefined).join(" · ");
