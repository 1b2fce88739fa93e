import { createClient, type Entry, type EntryOf, where } from "../../client/src/client.ts";

/**
 * What the compiler must accept and reject with the types of a store, as `octavo types generate` prints them. Nothing here
 * runs: `npm run types` is the test, and test/client/schema.test.ts for another version of the compiler.
 */

type Movie = {
  title: string;
  year?: number;
  cut: "short" | "long";
  director?: PersonId;
  cast?: { actor: PersonId; role: string }[];
  related?: string[];
  picture?: string;
};
type MovieId = `movies/${string}`;
type Person = { name: string; home?: PlaceId };
type PersonId = `people/${string}`;
type Place = { city: string };
type PlaceId = `places/${string}`;
type Classic = { restored: boolean };
type ClassicId = `movies/classics/${string}`;

interface Schema {
  entries: {
    movie: {
      id: MovieId;
      data: Movie;
      references: { director: "person"; "cast.actor": "person"; related: string; picture: never };
    };
    classic: { id: ClassicId; data: Classic; references: object };
    person: { id: PersonId; data: Person; references: { home: "place" } };
    place: { id: PlaceId; data: Place; references: object };
    festival: { id: never; data: { days: number }; references: object };
  };
}

const octavo = createClient<Schema>({ url: "" });

export async function reads(id: string, movieId: MovieId): Promise<void> {
  const movie = await octavo.entries.fetch("movies/alien");
  const typed: EntryOf<Schema, "movie"> = movie;
  const texts: string[] = [typed.title, movie.uuid, (await octavo.entries.fetch(movieId)).title];
  const restored: boolean = (await octavo.entries.fetch("movies/classics/metropolis")).restored;
  const plain: Entry = await octavo.entries.fetch(id);
  const anything = (await octavo.entries.fetch("unknown/thing")).whatever;
  const days: number = (await octavo.entries.fetch<{ days: number }>("concerts/summer")).days;
  const some: string | undefined = (await octavo.entries.fetch("movies/alien", { only: ["title"] })).title;
  void [texts, restored, plain, anything, days, some];

  // @ts-expect-error an unknown field
  movie.raiting;
  // @ts-expect-error a year is a number, and may be missing
  movie.year.toFixed();
  // @ts-expect-error a field of a less specific type
  (await octavo.entries.fetch("movies/classics/metropolis")).title;
  // @ts-expect-error an unknown field to select
  await octavo.entries.fetch("movies/alien", { only: ["raiting"] });
  // @ts-expect-error `only` may exclude it
  (await octavo.entries.fetch("movies/alien", { only: ["title"] })).title.trim();
}

export async function includes(): Promise<void> {
  const movie = await octavo.entries.fetch("movies/alien", { include: ["director", "cast.actor", "picture"] });
  const { included } = movie;
  const name: string | undefined = movie.director && included.entries[movie.director]?.name;
  const names = movie.cast?.map(({ actor }) => included.entries[actor]?.name.trim());
  const bytes: number | undefined = movie.picture === undefined ? 0 : included.files[movie.picture]?.filesize;
  const deep = await octavo.entries.fetch("movies/alien", { include: ["director.home"] });
  const city: string | undefined = deep.included.entries["places/x"]?.city;
  const director: string | undefined = deep.included.entries["people/x"]?.name;
  const any = await octavo.entries.fetch("movies/alien", { include: ["related"] });
  const whatever = any.included.entries["movies/solaris"]?.whatever;
  const page = await octavo.entries.list("movies", { include: ["director"], sort: "-year", limit: 2 });
  const both: (string | undefined)[] = page.items.flatMap((each) => [
    each.title,
    each.director && each.included.entries[each.director]?.name,
    each.director && page.included.entries[each.director]?.name,
  ]);
  for await (const each of octavo.entries.each("movies", { include: ["director"] })) void each.included.files;
  const untyped = await createClient({ url: "" }).entries.fetch("a", { include: ["author"] });
  void [name, names, bytes, city, director, whatever, both, untyped.included.entries.x?.title, untyped.any];

  // @ts-expect-error no reference of the type
  await octavo.entries.fetch("movies/alien", { include: ["title"] });
  // @ts-expect-error no reference of the next type
  await octavo.entries.fetch("movies/alien", { include: ["director.name"] });
  // @ts-expect-error nothing goes on from a file
  await octavo.entries.fetch("movies/alien", { include: ["picture.home"] });
  // @ts-expect-error nothing was requested
  (await octavo.entries.fetch("movies/alien")).included;
  // @ts-expect-error an entry may be absent: the token may not see it
  included.entries["people/x"].name;
  // @ts-expect-error a field of another type
  included.entries["people/x"]?.city;
  // @ts-expect-error a place was not requested
  included.entries["places/x"];
  // @ts-expect-error no reference of the children's type
  await octavo.entries.list("movies", { include: ["home"] });
}

export async function lists(): Promise<void> {
  const { items } = await octavo.entries.list("movies", {
    filter: (where) => where("year").gte(1979).and(where("cut").eq("long")),
    sort: ["-year", "title"],
  });
  const titles: string[] = items.map(({ title }) => title);
  const first: string | undefined = (await octavo.entries.first("people", { filter: where("name").eq("x") }))?.name;
  const named = await octavo.entries.list<{ days: number }>("concerts", { sort: "days" });
  const days: number[] = named.items.map((item) => item.days);
  await octavo.entries.count("anything", { filter: where("whatever").gt(7) });
  void [titles, first, days];

  // @ts-expect-error an unknown field
  await octavo.entries.list("movies", { filter: where("raiting").gt(7) });
  // @ts-expect-error not one of its values
  await octavo.entries.list("movies", { filter: (where) => where("cut").eq("broad") });
  // @ts-expect-error an unknown field to sort by
  await octavo.entries.list("movies", { sort: "-raiting" });
  // @ts-expect-error the same for all pages
  octavo.entries.each("movies", { sort: "-raiting" });
}

export async function writes(id: string): Promise<void> {
  const made = await octavo.entries.create("movies/x", { title: "X", cut: "long", published_at: new Date() });
  const title: string = made.title;
  await octavo.entries.create("movies/x", { title: "X", visibility: "draft" });
  await octavo.entries.create("movies/x", { title: "X", cut: "long", fieldset: "movie" });
  await octavo.entries.update("movies/x", { year: 1979, director: "people/x" }, { ifMatch: made });
  await octavo.entries.create(id, { whatever: 1 });
  await octavo.entries.stage("movies/x", { year: 1980 });
  const moved: string = (await octavo.entries.move("drafts/x", "movies/x")).title;
  void [title, moved];

  // @ts-expect-error a required field is missing
  await octavo.entries.create("movies/x", { title: "X" });
  // @ts-expect-error a wrong type
  await octavo.entries.create("movies/x", { title: 5, cut: "long" });
  // @ts-expect-error a wrong type in a draft
  await octavo.entries.create("movies/x", { title: 5, visibility: "draft" });
  // @ts-expect-error an unknown field
  await octavo.entries.create("movies/x", { title: "X", cut: "long", raiting: 5 });
  // @ts-expect-error not an id of a person
  await octavo.entries.update("movies/x", { director: "Ridley Scott" });
  // @ts-expect-error an unknown field
  await octavo.entries.update("movies/x", { raiting: 5 });
  // @ts-expect-error a wrong type in the working copy
  await octavo.entries.stage("movies/x", { year: "1980" });
}
