import type { FileObject } from "../../client/src/api.ts";
import { createClient, type Entry, type ImageArguments, where, whereOf } from "../../client/src/client.ts";

/**
 * What the compiler must accept and reject in calls of the client. Nothing here runs: `npm run types` is the test, since
 * an unused `@ts-expect-error` is an error.
 */

type Movie = {
  title: string;
  year: number;
  silent: boolean;
  genres: string[];
  origin: { country: string };
  based_on?: { author: string; year: number };
  rating: number | null;
  cut: "short" | "long";
};
interface Book {
  title: string;
  pages: number;
}

const octavo = createClient({ url: "" });

export async function filters(): Promise<void> {
  await octavo.entries.list<Movie>("movies", {
    filter: (where) => where("year").gte(1979).and(where("genres").contains("horror")).or(where("title").eq("Alien")),
    sort: ["-year", "origin.country", "created_at"],
    only: ["title", "based_on.author", "genres.0", "slug"],
  });
  await octavo.entries.list<Movie>("movies", { filter: where("year").gte(1979).and(where("silent").eq(true)) });
  await octavo.entries.list<Movie>("movies", { filter: where("based_on.year").between(1960, 1970) });
  await octavo.entries.list<Movie>("movies", {
    filter: where("rating").eq(null).or(where("modified_at").newer("today")),
  });
  await octavo.entries.list<Book>("books", { filter: whereOf<Book>()("pages").gt(100), sort: "-pages" });
  await octavo.entries.list("anything", { filter: where("whatever").gt(7), sort: "-whatever", only: ["a.b.c.d.e"] });
  await octavo.entries.list("anything", { filter: (where) => where("whatever").startsWith("x") });
  await octavo.files.list<{ tags: string[] }>("movies", { filter: (where) => where("tags").memberOf("new") });
  await octavo.folders.list("", { filter: (where) => where("path").startsWith("a") });

  const found = await octavo.entries.search<Movie>("alien", { facets: ["genres"], only: ["title"], staged: true });
  const title: string | undefined = found.items[0]?.title ?? found.dropped[0];
  await octavo.entries.search<Movie>(title ?? "", { filter: (where) => where("year").gte(1979), locale: "de" });
  // @ts-expect-error an unknown field
  await octavo.entries.search<Movie>("alien", { facets: ["raiting"] });
  // @ts-expect-error an unknown field
  await octavo.entries.list<Movie>("movies", { filter: (where) => where("raiting").gt(7) });
  // @ts-expect-error the same without the list's types
  await octavo.entries.list<Movie>("movies", { filter: where("raiting").gt(7) });
  // @ts-expect-error as one of several conditions
  await octavo.entries.list<Movie>("movies", { filter: where("year").gt(7).and(where("raiting").gt(7)) });
  // @ts-expect-error the same in an alternative
  await octavo.entries.list<Movie>("movies", { filter: where("year").gt(7).or(where("raiting").gt(7)) });
  // @ts-expect-error a number contains no text
  await octavo.entries.list<Movie>("movies", { filter: (where) => where("year").contains("19") });
  // @ts-expect-error the same without the list's types
  await octavo.entries.list<Movie>("movies", { filter: where("year").contains("19") });
  // @ts-expect-error a number is not compared with a text
  await octavo.entries.list<Movie>("movies", { filter: (where) => where("year").gte("1979") });
  // @ts-expect-error the same without the list's types
  await octavo.entries.list<Movie>("movies", { filter: where("year").gte("1979") });
  // @ts-expect-error booleans have no order
  await octavo.entries.list<Movie>("movies", { filter: (where) => where("silent").lt(true) });
  // @ts-expect-error not one of its values
  await octavo.entries.list<Movie>("movies", { filter: (where) => where("cut").eq("broad") });
  // @ts-expect-error a text is not a list
  await octavo.entries.list<Movie>("movies", { filter: (where) => where("title").memberOf("Alien") });
  // @ts-expect-error an object cannot be compared
  await octavo.entries.list<Movie>("movies", { filter: (where) => where("origin").eq("Germany") });
  // @ts-expect-error null has no order
  await octavo.entries.list<Movie>("movies", { filter: (where) => where("rating").gt(null) });
  // @ts-expect-error a condition on another type
  await octavo.entries.list<Movie>("movies", { filter: whereOf<Book>()("pages").gt(100) });
  // @ts-expect-error an unknown field to sort by
  await octavo.entries.list<Movie>("movies", { sort: "-raiting" });
  // @ts-expect-error an unknown field to select
  await octavo.entries.list<Movie>("movies", { only: ["raiting"] });
  const [a, b] = [where("a").eq(1), where("b").eq(1)];
  // @ts-expect-error the service has no (a or b) and c
  a.or(b).and(a);
  // @ts-expect-error nor a or (b and c)
  a.or(b.and(a));
}

export async function replies(): Promise<void> {
  const movie: Entry<Movie> = await octavo.entries.fetch<Movie>("movies/alien");
  const text: string = movie.title + movie.uuid;
  const created = await octavo.entries.create("movies/x", { title: "X", published_at: new Date() });
  const seconds: number = created.published_at;
  const [some] = (await octavo.entries.list<Movie>("movies", { only: ["title"] })).items;
  const perhaps: string | undefined = some?.title;
  await octavo.entries.update<Movie>("movies/alien", { year: 1979, visibility: "hidden" }, { ifMatch: movie });
  void [text, seconds, perhaps];

  // @ts-expect-error it may be undefined: `only` may exclude it
  const surely: string = some.title;
  // @ts-expect-error an unknown field
  movie.raiting;
  // @ts-expect-error an unknown visibility
  await octavo.entries.update<Movie>("movies/alien", { visibility: "secret" });
  // @ts-expect-error a wrong type
  await octavo.entries.update<Movie>("movies/alien", { year: "1979" });
  void surely;
}

export function images(file: FileObject): void {
  octavo.imageUrl(file, { w: 400, h: "50h", fit: "crop-50-20", border: [4, "black", "shrink"], crop: [9, 9, 0, 0] });
  octavo.srcset("movies/solaris.jpg", { widths: [320, 640], ratio: 3 / 2, fit: "cover-top-left", fm: "auto" });

  // @ts-expect-error an unknown argument
  octavo.imageUrl("a.jpg", { width: 400 });
  // @ts-expect-error an unknown fit
  octavo.imageUrl("a.jpg", { fit: "squeeze" });
  // @ts-expect-error an unknown position
  octavo.imageUrl("a.jpg", { fit: "crop-upper-left" });
  // @ts-expect-error an unknown format
  octavo.imageUrl("a.jpg", { fm: "bmp" });
  // @ts-expect-error only w and h take percentages
  octavo.imageUrl("a.jpg", { w: "50%" });
  // @ts-expect-error srcset sets the width
  octavo.srcset("a.jpg", { widths: [320], w: 200 });
}

/** Values that the types accept for each image argument; image.test.ts passes them to the service's parser. */
export const imageSamples: { [N in keyof Required<ImageArguments>]: readonly NonNullable<ImageArguments[N]>[] } = {
  or: ["auto", 0, 90, 180, 270],
  crop: [[300, 200, 10, 20], "300,200,10,20"],
  trim: [true, 25],
  w: [1, 300, "300", "50w", "50h"],
  h: [1, 300, "300", "50w", "50h"],
  fit: [
    ...(["contain", "max", "fill", "fill-max", "stretch", "crop", "cover"] as const),
    ...(["crop-top-left", "crop-top", "crop-top-right", "crop-left", "crop-center", "crop-right"] as const),
    ...([
      "cover-bottom-left",
      "cover-bottom",
      "cover-bottom-right",
      "crop-50-20",
      "crop-50-20-1.5",
      "crop-focal",
    ] as const),
  ],
  dpr: [0.5, 2],
  bri: [-100, 100],
  con: [-100, 100],
  gam: [0.1, 1.5],
  sharp: [0, 100],
  filt: ["greyscale", "sepia"],
  flip: ["h", "v", "both"],
  blur: [0, 100],
  pixel: [0, 1000],
  mark: ["logo.png"],
  markw: [20, "20w"],
  markh: [20, "20h"],
  markx: [0, "5w"],
  marky: [0, "5h"],
  markpad: [0, "5w"],
  markfit: ["contain", "max", "stretch", "crop", "cover", "crop-top-left"],
  markpos: ["top-left", "top", "top-right", "left", "center", "right", "bottom-left", "bottom", "bottom-right"],
  markalpha: [50],
  bg: ["f0b25f", "crimson"],
  border: [10, "5w", [10, "black", "shrink"], ["5h", "5f00", "overlay"], "10,black,expand"],
  q: [75],
  fm: ["jpg", "pjpg", "png", "gif", "webp", "avif", "auto"],
  lossless: [true, 1],
  interlace: [true, false, 1, 0],
  p: ["small,round", ["small", "round"]],
  strict: [1],
  v: ["0123456789abcdef"],
};
