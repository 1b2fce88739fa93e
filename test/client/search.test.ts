import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { SearchPage } from "../../client/src/client.ts";
import { refusal, textFile, useClients } from "./service.ts";

/** Searches: what the method sends and answers. */

const clients = useClients({ locales: "en,de" });
const off = useClients({ search: "off" });
const schema = {
  properties: { title: { "x-octavo-localized": true }, director: { type: "string", format: "entry" } },
};
type Movie = { title: string; year: number; genre: string; text?: string; director?: string };

before(async () => {
  await clients.world.ready;
  const { entries, types } = clients.manager;
  await types.put({ id: "movie", title: "Film", paths: ["movies/*"], schema });
  await entries.create("people/tarkovsky", { title: "Andrei Tarkovsky" });
  const movies: Record<string, Movie> = {
    solaris: { title: "Solaris", year: 1972, genre: "drama", director: "people/tarkovsky" },
    stalker: { title: "Stalker", year: 1979, genre: "drama", text: "Nobody goes to Solaris in it." },
    alien: { title: "Alien", year: 1979, genre: "horror" },
  };
  for (const [name, movie] of Object.entries(movies)) await entries.create(`movies/${name}`, movie);
});

test("a search answers entries, where their words stand, and what surrounds them", async () => {
  const { entries } = clients.visitor;
  const found = await entries.search<Movie>("solaris", { facets: ["genre"], only: ["title"] });
  assert.deepEqual(found.items, [{ title: "Solaris" }, { title: "Stalker" }]);
  assert.deepEqual(
    found.matches.map(({ id, highlights }) => [id, highlights]),
    [
      ["movies/solaris", { title: [[0, 7]] }],
      ["movies/stalker", { text: [[15, 22]] }],
    ],
  );
  assert.deepEqual([found.facets, found.total, found.dropped], [{ genre: { drama: 2 } }, 2, []]);
  assert.equal(found.matches[0]?.why, undefined);
  assert.deepEqual(Object.keys(found).sort(), ["dropped", "facets", "items", "matches", "total"]);
  const [match] = (await clients.manager.entries.search("solaris", { limit: 1 })).matches;
  assert.equal(match?.why?.words, 1);
});

test("a search is narrowed by a path, conditions, a depth and an offset", async () => {
  const { entries } = clients.visitor;
  const ids = async (found: Promise<SearchPage<object>>) => (await found).matches.map(({ id }) => id);
  const recent = entries.search<Movie>("solaris", { filter: (where) => where("year").gt(1975) });
  assert.deepEqual(await ids(recent), ["movies/stalker"]);
  assert.deepEqual(await ids(entries.search("solaris", { id: "movies", depth: 1, offset: 1 })), ["movies/stalker"]);
  assert.deepEqual(await ids(entries.search("sol")), ["movies/solaris", "movies/stalker"]);
  assert.deepEqual(await ids(entries.search("sol", { prefix: "off" })), []);
  assert.deepEqual((await entries.search("solaris zzzzz")).dropped, ["zzzzz"]);
  await refusal(entries.search("solaris", { id: "nowhere" }), "entry_not_found");
});

test("a search sends along what its entries refer to", async () => {
  const found = await clients.visitor.entries.search<Movie>("solaris", { include: ["director"], limit: 1 });
  assert.equal(found.included.entries["people/tarkovsky"]?.title, "Andrei Tarkovsky");
  assert.equal(found.items[0]?.included, found.included);
  assert.ok(!("included" in JSON.parse(JSON.stringify(found))));
});

test("a search of a locale, or with working copies, is one of what these answer", async () => {
  const { entries, translations } = clients.manager;
  await translations.put("movies/alien", "de", { title: "Das unheimliche Wesen" });
  const german = await clients.visitor.entries.search<Movie>("unheimliche", { locale: "de", localeFallback: "off" });
  assert.deepEqual([german.items[0]?.title, german.total], ["Das unheimliche Wesen", 1]);
  await entries.stage("movies/alien", { text: "Nobody hears a scream." });
  assert.equal((await entries.search("scream")).total, 0);
  assert.equal((await entries.search("scream", { staged: true })).items[0]?.slug, "movies/alien");
});

test("a service that keeps no words says so", async () => {
  await refusal(off.visitor.entries.search("solaris"), "search_off");
});

test("files are searched by their names and texts", async () => {
  await clients.manager.files.upload("stills", textFile("solaris-ocean.txt"), { title: "Waves" });
  const { files } = clients.visitor;
  const byName = await files.search("ocean", { path: "stills", facets: ["type"] });
  assert.deepEqual(
    [byName.items[0]?.filename, byName.matches[0]?.id],
    ["solaris-ocean.txt", "stills/solaris-ocean.txt"],
  );
  assert.deepEqual(byName.facets, { type: { "text/plain": 1 } });
  assert.equal((await files.search("waves", { only: ["title"] })).items[0]?.title, "Waves");
});
