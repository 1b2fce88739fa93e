import "../env.ts";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createClient, etagOf } from "../../client/src/client.ts";
import type { Schema } from "../../examples/site/schema.ts";
import { withSite } from "../../scripts/examples.ts";
import { sampleSite } from "../../src/demo.ts";
import { declarationsOf } from "../../src/type/declaration.ts";

const root = new URL("../../", import.meta.url).pathname;

/** A client whose content types are known; what it may say is in schema-types.ts and sample-types.ts. */

test("the example's schema.ts is what is generated of the sample site's types", () => {
  const types = sampleSite().types.map((type) => ({
    ...{ description: "", mode: "enforce" as const, ...type },
    schema: JSON.stringify(type.schema),
  }));
  assert.equal(
    readFileSync(new URL("../../examples/site/schema.ts", import.meta.url), "utf8").trim(),
    declarationsOf(types).trim(),
  );
});

test("an older compiler says the same of the client", () => {
  const tsc = join(root, "generators/node_modules/typescript/bin/tsc");
  const files = ["schema-types.ts", "sample-types.ts"].map((name) => join(root, "test/client", name));
  const flags = "--strict --noEmit --module nodenext --target es2022 --allowImportingTsExtensions";
  const words = [...flags.split(" "), ...files];
  const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, ...words], { cwd: root, encoding: "utf8" });
  assert.equal(stdout + stderr, "");
  assert.equal(status, 0);
});

test("what is included is beside an entry and a page, and is not written back", () =>
  withSite(async ({ app, tokens }) => {
    const { management: token, access: accessToken } = tokens;
    const { entries } = createClient<Schema>({ url: app.url, token, accessToken });
    const movie = await entries.fetch("movies/solaris", { include: ["author", "picture"] });
    assert.equal(movie.author && movie.included.entries[movie.author]?.title, "Stanisław Lem");
    assert.equal(movie.included.files["movies/solaris.jpg"]?.filename, "solaris.jpg");
    assert.deepEqual(JSON.parse(JSON.stringify(movie)), await entries.fetch("movies/solaris"));
    assert.ok(etagOf(movie));
    const page = await entries.list("articles", {
      include: ["movies.author"],
      filter: (where) => where("movies").exists(),
    });
    const [article] = page.items;
    assert.ok(article);
    assert.equal(article.included, page.included);
    assert.ok(Object.keys(page.included.entries).some((id) => id.startsWith("authors/")));
    const first = await entries.first("movies", { include: ["author"], filter: (where) => where("author").exists() });
    assert.ok(first?.author && first.included.entries[first.author]);
    assert.ok(!("included" in (await entries.fetch("movies/solaris"))));
    const plain = createClient({ url: app.url, token, accessToken });
    const films: string[] = [];
    for await (const film of plain.entries.each("movies", { include: ["author"], limit: 2 }))
      films.push(...Object.keys(film.included.entries));
    assert.deepEqual([...new Set(films)].sort(), ["authors/stanislaw-lem", "authors/ted-chiang"]);
    const some = await plain.entries.first("movies", { include: ["picture"], filter: (w) => w("picture").exists() });
    assert.equal(Object.keys(some?.included.files ?? {}).length, 1);
    const { included, ...fields } = await plain.entries.fetch("movies/solaris", {
      only: ["title"],
      include: ["author"],
    });
    assert.deepEqual(fields, { title: "Solaris" });
    assert.equal(included.entries["authors/stanislaw-lem"]?.title, "Stanisław Lem");
    const named = await plain.entries.list("movies", { only: ["title"], include: ["picture"], sort: "year", limit: 1 });
    assert.equal(
      named.items[0]?.included.files["movies/metropolis.jpg"],
      named.included.files["movies/metropolis.jpg"],
    );
    assert.deepEqual({ ...named.items[0] }, { title: "Metropolis" });
  }));
