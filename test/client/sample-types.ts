import { createClient, type EntryOf } from "../../client/src/client.ts";
import type { Schema } from "../../examples/site/schema.ts";

/**
 * What the compiler says of a client with the types of the sample site. Never run: an error that is expected and missing is
 * an error of `npm run types`.
 */
export async function typed(): Promise<unknown> {
  const octavo = createClient<Schema>({ url: "http://localhost" });
  const { entries } = octavo;

  const movie = await entries.fetch("movies/alien");
  const year: number | undefined = movie.year;
  const born: `authors/${string}` | undefined = movie.author;
  const role: string | undefined = movie.cast?.[0]?.role;
  // @ts-expect-error no movie has this field
  movie.yaer;
  // @ts-expect-error a number
  const text: string = movie.year;
  const article: EntryOf<Schema, "article"> = await entries.fetch("articles/colophon");
  const kind: "essay" | "note" | undefined = article.kind;

  // An id that no type has is an entry with any fields.
  const other = await entries.fetch("somewhere/free");
  const anything: unknown = other.whatever;

  await entries.create("movies/dune", { title: "Dune", year: 2021 });
  // @ts-expect-error a year is a number
  await entries.create("movies/dune", { title: "Dune", year: "2021" });
  // @ts-expect-error an article has a title
  await entries.create("articles/dune", { kind: "note" });
  await entries.create("articles/draft", { kind: "note", visibility: "draft" });
  await entries.update("movies/dune", { year: 2022 });
  // @ts-expect-error no movie has this field
  await entries.update("movies/dune", { yaer: 2022 });
  // @ts-expect-error one of essay and note
  await entries.update("articles/colophon", { kind: "poem" });

  const included = await entries.fetch("movies/solaris", { include: ["author", "picture"] });
  const author = included.author && included.included.entries[included.author];
  const died: number | null | undefined = author?.died;
  const picture = included.included.files["movies/solaris.jpg"]?.filesize;
  const deep = await entries.fetch("articles/colophon", { include: ["movies.author"] });
  const lem = deep.included.entries["authors/stanislaw-lem"]?.born;
  // @ts-expect-error not a field that refers
  await entries.fetch("movies/solaris", { include: ["year"] });
  // @ts-expect-error authors refer to nothing
  await entries.fetch("movies/solaris", { include: ["author.movies"] });
  // @ts-expect-error nothing was included
  movie.included;

  const page = await entries.list("movies", {
    filter: (where) => where("year").gte(1970),
    sort: "-year",
    include: ["author"],
  });
  const listed: string | undefined = page.items[0]?.director ?? undefined;
  const inPage = page.included.entries["authors/stanislaw-lem"]?.title;
  // @ts-expect-error no movie has this field
  await entries.list("movies", { sort: "-yaer" });
  const some = await entries.list("movies", { only: ["title"] });
  const title: string | undefined = some.items[0]?.title;
  for await (const each of entries.each("articles", { include: ["author"] })) each.included.entries;

  await octavo.translations.put("movies/alien", "de", { title: "Das unheimliche Wesen aus einer fremden Welt" });
  // @ts-expect-error a year is the same in all locales
  await octavo.translations.put("movies/alien", "de", { year: 1979 });
  // @ts-expect-error a text
  await octavo.translations.put("articles/colophon", "de", { title: 1 });
  await octavo.translations.put("somewhere/free", "de", { anything: 1 }, { name: "frei" });
  const here = (await entries.list("movies", { locale: "de", localeInfo: true })).locales?.["movies/alien"]?.locales;

  // Without a type argument nothing is known, and `include` is any list of names.
  const plain = await createClient({ url: "http://localhost" }).entries.fetch("a/b", { include: ["x.y"] });
  const found: unknown = plain.included.entries["c/d"]?.title;
  return [year, born, role, text, kind, anything, died, picture, lem, listed, inPage, title, found, here];
}
