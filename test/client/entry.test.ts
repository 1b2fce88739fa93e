import assert from "node:assert/strict";
import { before, test } from "node:test";
import { etagOf, type ProblemCode } from "../../client/src/client.ts";
import { gather, refusal, useClients } from "./service.ts";

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

test("first answers the first match, count the number of matches", async () => {
  const { entries } = clients.visitor;
  const newest = await entries.first<Movie>("movies", { sort: "-year" });
  assert.equal(newest?.title, "Alien");
  assert.equal(await entries.first<Movie>("movies", { filter: (where) => where("year").gt(2000) }), null);
  assert.equal(await entries.count<Movie>("movies", { filter: (where) => where("year").lt(1975) }), 2);
  assert.equal(await entries.count("movies", { search: "alien" }), 1);
});

test("depth includes deeper descendants", async () => {
  const { entries } = clients.manager;
  await entries.create("deep/a/b", { title: "b" });
  assert.equal(await entries.count("deep", { depth: "*" }), 1);
  assert.equal(await entries.count("deep", { depth: 1 }), 0);
  assert.equal(await entries.count("deep", { depth: "<=2" }), 1);
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

const refusals: [name: string, call: () => Promise<unknown>, code: ProblemCode][] = [
  ["a missing entry", () => clients.visitor.entries.fetch("nowhere"), "entry_not_found"],
  ["a list of a missing entry", () => clients.visitor.entries.list("nowhere"), "entry_not_found"],
  ["an iteration over a missing entry", () => gather(clients.visitor.entries.each("nowhere")), "entry_not_found"],
  ["a taken id", () => clients.manager.entries.create("movies/alien", {}), "entry_exists"],
  ["an invalid path", () => clients.manager.entries.create("a//b", {}), "path_invalid"],
  ["a reserved field", () => clients.manager.entries.create("x", { visibility: "x" as never }), "field_invalid"],
  ["too much data", () => clients.manager.entries.create("x", { x: "x".repeat(1_100_000) }), "data_too_large"],
  ["an update of a missing entry", () => clients.manager.entries.update("nowhere", {}), "entry_not_found"],
  ["a move of a missing entry", () => clients.manager.entries.move("nowhere", "x"), "entry_not_found"],
  [
    "a move onto an existing entry",
    () => clients.manager.entries.move("movies/alien", "movies/solaris"),
    "entry_exists",
  ],
  ["a move into itself", () => clients.manager.entries.move("movies/alien", "movies/alien/x"), "move_into_itself"],
  ["a copy of a missing entry", () => clients.manager.entries.copy("nowhere", "x"), "entry_not_found"],
  [
    "a copy onto an existing entry",
    () => clients.manager.entries.copy("movies/alien", "movies/solaris"),
    "entry_exists",
  ],
  ["a deletion of a missing entry", () => clients.manager.entries.delete("nowhere"), "entry_not_found"],
  ["a limit above the maximum", () => clients.visitor.entries.list("movies", { limit: 10_001 }), "limit_too_large"],
  ["an invalid cursor", () => clients.visitor.entries.list("movies", { cursor: "x" }), "cursor_invalid"],
  ["a client without a token", () => clients.anonymous.entries.fetch("movies/alien"), "token_missing"],
  ["a write with a delivery token", () => clients.visitor.entries.create("x", {}), "scope_missing"],
];

for (const [name, call, code] of refusals) {
  test(`${name}: ${code}`, async () => {
    await refusal(call(), code);
  });
}
