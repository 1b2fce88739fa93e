import { createClient, type Entry, type Octavo, type StoredFile } from "@octavo/client";

/** What the entries below `movies` hold; an entry may lack any of it. */
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

/** The service, and its pictures by their paths: a file object knows its version, so its images are kept for ever. */
export type Site = { octavo: Octavo; pictures: ReadonlyMap<string, StoredFile> };

/** Reads config.json beside the page: where the service is, and two tokens that any visitor may have. */
export async function openSite(): Promise<Site> {
  const octavo = createClient({ ...(await (await fetch("config.json")).json()), tokenInUrl: true });
  const { items } = await octavo.files.list("movies");
  return { octavo, pictures: new Map(items.map((file) => [`movies/${file.filename}`, file])) };
}

export const addressOf = ({ slug }: Entry<object>): string => `#/${slug}`;

/** What an entry is called: its title, or the last part of its id. */
export const nameOf = ({ title, slug }: Entry<{ title?: string }>): string => title ?? slug.split("/").at(-1) ?? slug;

/** Hours and minutes, as programmes print them. */
export const duration = (minutes: number | undefined): string | undefined =>
  minutes === undefined ? undefined : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;

/** What is known of several things, one after the other. */
export const joined = (...parts: (string | number | undefined)[]): string =>
  parts.filter((part) => part !== undefined).join(" · ");
