import assert from "node:assert/strict";
import { before, test } from "node:test";
import { etagOf } from "../../client/src/client.ts";
import { gather, refusal, textFile, useClients } from "./service.ts";

type Movie = { title: string; year: number; genres: string[]; origin?: { country: string } };

const clients = useClients();
const movies: Record<string, Movie> = {
  metropolis: { title: "Metropolis", year: 1927, genres: ["drama"], origin: { country: "Germany" } },
  solaris: { title: "Solaris", year: 1972, genres: ["drama"] },
  alien: { title: "Alien", year: 1979, genres: ["horror"] },
};

before(async () => {
  await clients.world.ready;
  for (const [name, movie] of Object.entries(movies)) await clients.manager.entries.create(`movies/${name}`, movie);
});

test("a created entry has its own and the service's fields, and is fetched by its id", async () => {
  const { entries } = clients.manager;
  const published = new Date("2024-05-01T10:00:00Z");
  const made = await entries.create("made", { title: "Made", nested: { a: [1, null] }, published_at: published });
  assert.equal(made.title, "Made");
  assert.deepEqual(made.nested, { a: [1, null] });
  assert.equal(made.published_at, published.getTime() / 1000);
  assert.equal(made.slug, "made");
  assert.deepEqual(await clients.visitor.entries.fetch("made"), made);
});

test("`only` fetches the named fields", async () => {
  const { entries } = clients.visitor;
  assert.deepEqual(await entries.fetch("movies/metropolis", { only: ["title", "origin.country"] }), {
    title: "Metropolis",
    origin: { country: "Germany" },
  });
  const rest = await entries.fetch<Movie>("movies/metropolis", { except: ["title", "genres"] });
  assert.equal(rest.year, 1927);
  assert.ok(!("title" in rest) && !("genres" in rest));
});

test("a list is filtered, sorted and limited", async () => {
  const { entries } = clients.visitor;
  const page = await entries.list<Movie>("movies", {
    filter: (where) => where("genres").contains("drama").or(where("title").eq("Alien")),
    sort: "-year",
    limit: 2,
    total: true,
    only: ["title"],
  });
  assert.deepEqual(page.items, [{ title: "Alien" }, { title: "Solaris" }]);
  assert.equal(page.total, 3);
  assert.ok(page.cursor);
  const rest = await entries.list<Movie>("movies", { sort: "-year", offset: 2 });
  assert.deepEqual(
    rest.items.map(({ title }) => title),
    ["Metropolis"],
  );
  assert.deepEqual(Object.keys(rest), ["items"]);
});

test("a cursor leads to the next page, and each iterates over all pages", async () => {
  const { entries } = clients.visitor;
  const first = await entries.list("movies", { sort: "year", limit: 2 });
  const second = await entries.list("movies", { sort: "year", limit: 2, cursor: first.cursor });
  const slugs = [...first.items, ...second.items].map(({ slug }) => slug);
  assert.deepEqual(slugs, ["movies/metropolis", "movies/solaris", "movies/alien"]);
  assert.equal(second.cursor, undefined);
  const walked = await gather(entries.each<Movie>("movies", { sort: "year", limit: 1 }));
  assert.deepEqual(
    walked.map(({ slug }) => slug),
    slugs,
  );
  assert.deepEqual(
    (await gather(entries.each("movies"))).map(({ slug }) => slug),
    [...slugs].sort(),
  );
});

test("first answers the first match, count the number of matches, also of deeper ones", async () => {
  const { entries } = clients.visitor;
  const newest = await entries.first<Movie>("movies", { sort: "-year" });
  assert.equal(newest?.title, "Alien");
  assert.equal(await entries.first<Movie>("movies", { filter: (where) => where("year").gt(2000) }), null);
  assert.equal(await entries.count<Movie>("movies", { filter: (where) => where("year").lt(1975) }), 2);
  assert.equal(await entries.count("movies", { search: "alien" }), 1);
  assert.equal(await entries.count("", { depth: 1 }), (await entries.list("")).items.length);
  assert.equal(await entries.count("", { depth: 2, filter: (where) => where("year").exists() }), 3);
});

test("an update sets fields and leaves the others; a merge patch removes fields, too", async () => {
  const { entries } = clients.manager;
  await entries.create("patched", { title: "Old", year: 1, origin: { country: "A", language: "B" } });
  const updated = await entries.update("patched", { title: "New", visibility: "hidden" });
  assert.equal(updated.title, "New");
  assert.equal(updated.visibility, "hidden");
  const merged = await entries.update("patched", { year: null, origin: { language: null } }, { mergePatch: true });
  assert.ok(!("year" in merged));
  assert.deepEqual((await entries.fetch("patched")).origin, { country: "A" });
});

test("an entry is moved, copied and deleted with its descendants", async () => {
  const { entries } = clients.manager;
  await entries.create("tree", { title: "tree" });
  await entries.create("tree/leaf", { title: "leaf" });
  const moved = await entries.move<Movie>("tree", "wood");
  assert.equal(moved.slug, "wood");
  assert.equal((await entries.copy("wood", "copse")).slug, "copse");
  assert.equal((await entries.fetch("copse/leaf")).title, "leaf");
  assert.equal(await entries.delete("wood"), undefined);
  await refusal(entries.fetch("wood/leaf"), "entry_not_found");
  await refusal(gather(entries.each("wood")), "entry_not_found");
});

test("a write with ifMatch succeeds only on the revision that was read", async () => {
  const { entries } = clients.manager;
  const read = await entries.create("guarded", { n: 1 });
  const tag = etagOf(read);
  assert.match(tag ?? "", /^".+"$/);
  const written = await entries.update("guarded", { n: 2 }, { ifMatch: read });
  await refusal(entries.update("guarded", { n: 3 }, { ifMatch: read }), "revision_mismatch");
  await refusal(entries.move("guarded", "elsewhere", { ifMatch: tag }), "revision_mismatch");
  await refusal(entries.copy("guarded", "elsewhere", { ifMatch: tag }), "revision_mismatch");
  await refusal(entries.delete("guarded", { ifMatch: tag }), "revision_mismatch");
  assert.equal((await entries.update("guarded", { n: 3 }, { ifMatch: written })).n, 3);
  await entries.delete("guarded", { ifMatch: await entries.fetch("guarded") });
});

test("ifMatch without an ETag throws before a request is sent", async () => {
  const { entries } = clients.manager;
  const [item] = (await entries.list("movies")).items;
  assert.equal(etagOf(item ?? {}), undefined);
  await assert.rejects(entries.update("movies/alien", { year: 0 }, { ifMatch: item }), RangeError);
  assert.equal((await entries.fetch("movies/alien")).year, 1979);
});

test("the entries that refer to an entry, a file and what is in a folder are listed in pages", async () => {
  const { types, entries, files } = clients.manager;
  const properties = { author: { format: "entry" }, cover: { format: "file" } };
  await types.put({ id: "article", paths: ["articles/*"], schema: { properties } });
  await files.upload("covers", textFile("one.txt"));
  await entries.create("people/ada", { name: "Ada" });
  for (const id of ["articles/a", "articles/b"])
    await entries.create(id, { author: "people/ada", cover: "covers/one.txt" });
  const page = await entries.references("people/ada", { limit: 1 });
  const rest = await entries.references("people/ada", { cursor: page.cursor });
  assert.deepEqual(
    [...page.items, ...rest.items].map((row) => ({ ...row })),
    ["articles/a", "articles/b"].map((id) => ({ id, pointers: ["/author"] })),
  );
  assert.equal(rest.cursor, undefined);
  const [row] = (await files.references("covers/one.txt")).items;
  assert.deepEqual({ ...row }, { id: "articles/a", pointers: ["/cover"] });
  assert.equal((await files.references("covers", { descendants: true })).items.length, 2);
});
