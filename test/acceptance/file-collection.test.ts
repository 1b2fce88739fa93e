/** The files of a folder: keyed by name, filtered, ordered, paged, grouped. Contract §5, File collections and §4, Collections. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { random } from "../random.ts";
import type { Arguments, Reply } from "./client.ts";
import { type Dialect, dialects, enterMedia, file, pathDialect, plantFile, plantFiles, png, urlOf } from "./media.ts";
import { type Any, allRepliesKeptTheirPromises, dataOf, refused, tagOf } from "./world.ts";

const world = await enterMedia("files");
const { tokens } = world;
const { delivery, management } = tokens;

/** name, bytes, the client's fields */
const films: [string, string | Uint8Array, Record<string, unknown>][] = [
  ["alien.txt", "a".repeat(9), { title: "Alien", year: 1979, genre: "sf", author: { name: "Ann" }, tags: ["x", "y"] }],
  ["brazil.md", "b".repeat(100), { title: "Brazil", year: 1985, genre: "sf", author: { name: "Bob" } }],
  ["casablanca.csv", "c".repeat(2e3), { title: "Casa", year: "1942", genre: "drama", description: "a lazy dog" }],
  ["dune.png", png({ width: 7, height: 5 }), { title: "Dune", year: 2021, genre: "sf", big: 9007199254740993n }],
];
const names = films.map(([name]) => name);
for (const [name, bytes, { title, description, ...fields }] of films) {
  const told = { title: String(title), ...(description ? { description: String(description) } : {}) };
  await plantFile(world, `films/${name}`, { bytes, fields: told });
  for (const [field, value] of Object.entries(fields)) {
    const head = JSON.stringify({ ...world.pair, path: world.id(`films/${name}`), field }).slice(0, -1);
    const text = typeof value === "bigint" ? String(value) : JSON.stringify(value);
    dataOf(await world.send({ method: "POST", path: "/api/files/meta", json: `${head},"value":${text}}` }));
  }
}
await plantFiles(world, ["tree/a.txt", "tree/b/a.txt", "tree/b/c.txt", "tree/b/d/e.txt", "tree/b-c/f.txt"]);
dataOf(await world.write("POST", { path: world.id("tree/empty") }, "/api/folders"));

const ask = (
  folder: string,
  more: Arguments = {},
  dialect: Dialect = pathDialect,
  token = management,
): Promise<Reply> => world.read({ [dialect.at]: world.id(folder), ...more }, token, dialect.files);
/** The films that match a filter, as replied. */
const found = async (filter: Arguments): Promise<Any> => dataOf(await ask("films", { filter }));
const where = (key: string, expr: string, value: Any): Arguments => ({ where: { key, expr, value } });
const short = (name: string) => name.slice(0, 1);

test("a field of the order that no file has is named in Octavo-Ignored", async () => {
  for (const dialect of dialects) {
    for (const group of ["options", "filter"]) {
      const order = (field: string, more: Arguments = {}) =>
        ask("films", { collection: true, [group]: { order_by: { field } }, ...more }, dialect);
      const reply = await order("-title");
      assert.deepEqual([reply.status, reply.headers["octavo-ignored"]], [200, `${group}[order_by][field]`]);
      for (const field of ["title", "exif", "author", "author.name"]) {
        const known = await order(field, { strict: 1 });
        assert.deepEqual([known.status, known.headers["octavo-ignored"]], [200, undefined], `${field}: ${known.text}`);
      }
    }
  }
});

describe("GET, a folder", () => {
  test("answers an object: the files directly in it, by name, in the byte order of names, in both dialects", async () => {
    for (const dialect of dialects) {
      const data = dataOf(await ask("films", { collection: true }, dialect));
      assert.ok(!Array.isArray(data));
      assert.deepEqual(Object.keys(data), names);
      for (const name of names) {
        const one = await file(world, `films/${name}`, dialect);
        assert.deepEqual(data[name], one);
        assert.deepEqual(Object.keys(data[name]), Object.keys(one));
      }
    }
    assert.deepEqual(Object.keys(dataOf(await ask("tree", { collection: true }))), ["a.txt"]);
    assert.equal((await ask("tree/empty", { collection: true })).text, '{"data":{}}');
    assert.equal((await ask("", { collection: true })).text, '{"data":{}}', "folders are not files");
  });

  test("is read with any flag, any filter or nothing; two different flags are refused", async () => {
    const flags =
      "collection=true collection=1 collection=TRUE options[collection]=true options[collection]=yes options[collection]=on&collection=true filter= filter[]= filter[limit]=99 options[limit]=99 x=1";
    for (const { at, files } of dialects) {
      for (const flag of flags.split(" ")) {
        const query = `${at}=${world.id("tree/b")}&token=${management}&${flag}`;
        assert.deepEqual(Object.keys(dataOf(await world.send({ path: files, query }))), ["a.txt", "c.txt"], flag);
      }
    }
    const differ = { collection: true, options: { collection: false } };
    refused(await ask("films", differ), 400, "argument_conflict", /collection/);
  });

  test("a collection read of a file answers the file; of an unknown folder it is 404", async () => {
    const one = await file(world, "films/alien.txt");
    for (const more of [{ collection: true }, { options: { collection: true } }, { filter: "" }] as Arguments[]) {
      if (more.filter !== "") assert.deepEqual(dataOf(await ask("films/alien.txt", more)), one);
      for (const name of ["nothing", "tree/b/nothing", "tree/a.txt/x", "tre", "tree/B"])
        refused(await ask(name, more), 404, "folder_not_found", /"path"/);
    }
    refused(await ask("tre"), 404, "file_not_found");
  });

  test("options[recursive] answers all files below, by their path below the folder", async () => {
    const expected = ["a.txt", "b-c/f.txt", "b/a.txt", "b/c.txt", "b/d/e.txt"];
    for (const more of [{ collection: true }, {}] as Arguments[]) {
      const data = dataOf(await ask("tree", { ...more, options: { recursive: true } }));
      assert.deepEqual(Object.keys(data).sort(), expected);
      for (const path of expected) assert.deepEqual(data[path], await file(world, `tree/${path}`));
      assert.deepEqual(Object.keys(dataOf(await ask("tree", { ...more, options: { recursive: false } }))), ["a.txt"]);
    }
    assert.deepEqual(dataOf(await ask("tree/empty", { options: { recursive: true } })), {});
  });

  test("the uploads' root can be read", async () => {
    const filter = where("url", "starts_with", urlOf(world, "films/"));
    const all = names.map((name) => world.id(`films/${name}`));
    for (const id of ["", "/"]) {
      const read = async (more: Arguments) =>
        Object.keys(dataOf(await world.read({ path: id, ...more }, undefined, "/api/files")));
      assert.deepEqual(await read({ options: { recursive: true, filter } }), all);
      assert.deepEqual(await read({ filter }), []);
    }
  });
});

const places: [string, (filter: Arguments) => Arguments][] = [
  ["filter", (filter) => ({ filter })],
  ["options[filter]", (filter) => ({ options: { filter } })],
  ["options[find]", (filter) => ({ options: { find: filter } })],
  ["options", (filter) => ({ options: filter })],
];
const order_by = { field: "filesize" };

/** A filter and the first letters of the matching names, in order. Every operator: collection-filter, src/core/list/match.test.ts. */
const texts = where("type", "starts_with", "text/");
const filters: [string, Arguments, string][] = [
  ["where eq", where("genre", "eq", "sf"), "abd"],
  ["and_where", { ...texts, and_where: [{ key: "author.name", expr: "contains", value: "o" }] }, "b"],
  ["or_where", { ...where("genre", "eq", "drama"), or_where: [{ key: "year", expr: "eq", value: 2021 }] }, "cd"],
  ["a number by its value, above 2^53", where("big", "eq", "9007199254740993"), "d"],
  ["numbers as numbers, texts of digits too", where("year", "lt", 1980), "ac"],
  ["filesize", where("filesize", "gte", 100), "bc"],
  ["extension", where("extension", "in", ["md", "csv"]), "bc"],
  ["an image's width", where("exif.Width", "eq", 7), "d"],
  ["an element of a list", where("tags", "eq", "y"), "a"],
  ["uploaded_on as a date", where("uploaded_on", "newer", "2020-01-01"), "abcd"],
  ["order_by filesize, descending", { order_by: { ...order_by, direction: "desc" }, ...texts }, "cba"],
  ["two sort keys", { order_by: [{ field: "genre" }, { field: "title", direction: "desc" }] }, "cdba"],
  ["limit and offset", { limit: 2, offset: 1 }, "bc"],
  ["slice", { return: "slice", slice_offset_value: 1, slice_limit_value: 2 }, "bc"],
  ["search in a nested field", { search: "Ann" }, "a"],
  ["search in the description", { search: "lazy" }, "c"],
  ["search for a part of the address, a service's field", { search: "uploads" }, ""],
  ["contains a part of the address", { contains: "casablanca.csv" }, "c"],
  ["not_contains", { not_contains: "lazy" }, "abd"],
  ["a pattern in path", { path: "/\\.(md|csv)$/" }, "bc"],
  ["date", { date: "< 2020-01-01" }, ""],
  ["depth 2", { depth: "2" }, ""],
];

describe("the filter's arguments", () => {
  for (const [what, filter, expected] of filters) {
    test(`${what} finds ${[...expected].join(", ") || "nothing"}, in all four places`, async () => {
      for (const [place, wrap] of places) {
        const data = dataOf(await ask("films", { collection: true, ...wrap(filter) }));
        assert.deepEqual(Object.keys(data).map(short).join(""), expected, place);
      }
    });
  }

  test("a match is the complete object of a single read", async () => {
    const data = await found(where("genre", "eq", "sf"));
    for (const name of Object.keys(data)) assert.deepEqual(data[name], await file(world, `films/${name}`));
    const text = (await ask("films", { filter: where("filename", "eq", "dune.png") })).text;
    assert.ok(text.includes('"big":9007199254740993,'), "numbers have the text that was sent");
  });

  test("depth finds files at every depth, under their paths", async () => {
    const below = async (depth: Any) => Object.keys(dataOf(await ask("tree", { filter: { depth } }))).sort();
    assert.deepEqual(await below("*"), ["a.txt", "b-c/f.txt", "b/a.txt", "b/c.txt", "b/d/e.txt"]);
    assert.deepEqual(await below(">1"), ["b-c/f.txt", "b/a.txt", "b/c.txt", "b/d/e.txt"]);
    assert.deepEqual(await below("3"), ["b/d/e.txt"]);
    assert.deepEqual(await below(["> 1", "< 3"]), ["b-c/f.txt", "b/a.txt", "b/c.txt"]);
  });

  test("they are combined with options[recursive]", async () => {
    for (const [, wrap] of places) {
      const { options, ...rest } = wrap(where("filename", "eq", "a.txt")) as Any;
      const data = dataOf(await ask("tree", { ...rest, options: { ...options, recursive: true } }));
      assert.deepEqual(Object.keys(data).sort(), ["a.txt", "b/a.txt"]);
    }
  });
});

// Each value of return, and groups: collection-result, src/core/list/list.test.ts.
test("return answers the files by name, one file or null, an integer or a boolean", async () => {
  const none = where("title", "eq", "Zardoz");
  assert.deepEqual(await found({ return: "all" }), await found({}));
  assert.deepEqual(Object.keys(await found({ return: "shuffle" })).sort(), names);
  const oldest = await found({ return: "first", order_by: { field: "year" } });
  assert.deepEqual(oldest, await file(world, "films/casablanca.csv"));
  assert.equal((await found({ return: "next" })).filename, "brazil.md");
  assert.equal((await found({ return: "last" })).filename, "dune.png");
  for (const what of ["first", "next", "last", "random"])
    assert.equal(await found({ return: what, ...none }), null, what);
  assert.ok(names.includes((await found({ return: "random" })).filename));
  const two = Object.entries<Any>(await found({ return: "random", random_value: 2 }));
  for (const [name, one] of two) assert.equal(one.filename, name);
  assert.equal(two.length, 2);
  assert.equal(await found({ return: "count", ...where("genre", "eq", "sf") }), 3);
  assert.equal(await found({ return: "exists", ...none }), false);
  assert.equal(dataOf(await ask("tree", { options: { recursive: true, filter: { return: "count" } } })), 5);
});

describe("only, except and group_by", () => {
  test("only answers only the named keys, under the names of the files", async () => {
    assert.deepEqual(await found({ only: ["title", "year", "author.name"], limit: 2 }), {
      "alien.txt": { title: "Alien", year: 1979, author: { name: "Ann" } },
      "brazil.md": { title: "Brazil", year: 1985, author: { name: "Bob" } },
    });
    assert.deepEqual(await found({ only: "filesize", limit: 1 }), { "alien.txt": { filesize: 9 } });
    const big = await ask("films", { filter: { only: ["big"], offset: 3 } });
    assert.equal(big.text, '{"data":{"dune.png":{"big":9007199254740993}}}');
  });

  test("group_by answers an object of lists", async () => {
    const data = await found({ group_by: "genre" });
    assert.deepEqual(Object.keys(data).sort(), ["drama", "sf"]);
    assert.deepEqual(
      data.sf.map((one: Any) => one.filename),
      ["alien.txt", "brazil.md", "dune.png"],
    );
    assert.deepEqual(data.drama, [await file(world, "films/casablanca.csv")]);
  });
});

describe("pages", async () => {
  const many = Array.from({ length: 25 }, (_, n) => `f${String(n).padStart(2, "0")}.txt`);
  await plantFiles(world, [
    ...many.slice(0, 15).map((name) => `pages/${name}`),
    ...many.slice(15).map((name) => `pages/sub/${name}`),
  ]);
  const byDepth = [...many.slice(0, 15), ...many.slice(15).map((name) => `sub/${name}`)];

  /** The names of all pages, one list for each. */
  const walk = async (dialect: Dialect, more: Arguments, as = management) => {
    const pages: string[][] = [];
    let reply = await ask("pages", more, dialect, as);
    for (;;) {
      pages.push(Object.keys(dataOf(reply)));
      if (JSON.stringify(more).includes("total")) assert.equal(reply.headers["x-total-count"], "15");
      const link = String(reply.headers.link ?? "");
      if (link === "") return pages;
      const next: string = /^<(\/[^/>][^>]*)>\s*;\s*rel="?next"?$/.exec(link)?.[1] ?? "";
      assert.ok(next.startsWith(dialect.files), `a relative address in ${link}`);
      assert.ok(!next.includes(as) && next.includes("cursor"), next);
      assert.ok(pages.length < 50, "the walk ends");
      reply = await world.send({ path: `${next}&token=${as}` });
    }
  };

  for (const dialect of dialects) {
    test(`${dialect.files}: a walk with a limit, recursive or sorted, gives each file once, in order`, async () => {
      for (const [place, wrap] of places) {
        const pages = await walk(dialect, { collection: true, ...wrap({ limit: 4, total: true }) });
        assert.deepEqual(pages.flat(), many.slice(0, 15), place);
        assert.deepEqual(
          pages.map((page) => page.length),
          [4, 4, 4, 3],
        );
      }
      assert.equal((await walk(dialect, { filter: { limit: 15 } })).length, 1);
      const all = await walk(dialect, { options: { recursive: true, limit: 7 } });
      assert.deepEqual(all.flat().sort(), [...byDepth].sort());
      assert.equal(all.length, 4);
      const filter = { limit: 4, order_by: { field: "filename", direction: "desc" } };
      assert.deepEqual((await walk(dialect, { filter }, delivery)).flat(), many.slice(0, 15).reverse());
    });
  }

  test("a cursor of a different query is refused", async () => {
    const reply = await ask("pages", { filter: { limit: 2 } });
    const next = /^<([^>]+)>/.exec(String(reply.headers.link))?.[1] as string;
    const path = next.replace(encodeURIComponent(world.id("pages")), encodeURIComponent(world.id("films")));
    assert.notEqual(path, next);
    refused(await world.send({ path: `${path}&token=${management}` }), 400, "cursor_invalid");
    refused(await ask("pages", { filter: { cursor: "nonsense" } }), 400, "cursor_invalid");
  });
});

// Every invalid filter: collection-filter, src/core/list/list.test.ts.
test("an invalid filter, and what is no object, is refused", async () => {
  refused(await ask("films", { filter: where("title", "resembles", "x") }), 400, undefined, /resembles/);
  refused(await ask("films", { filter: { limit: 1_000_000 } }), 400, undefined, /limit/);
  refused(await ask("films", { filter: { constructor: { a: "b" } } as Arguments }), 400);
  for (const wrong of [
    "filter[0][limit]=1",
    "filter[][where]=x",
    "options[filter][0][limit]=1",
    "filter=x",
    "filter[]=x",
  ]) {
    const query = `path=${world.id("films")}&token=${management}&${wrong}`;
    refused(await world.send({ path: "/api/files", query }), 400, "filter_invalid");
  }
});

test("any query gives a reply or a problem that names an argument", async () => {
  const pick = random(11);
  const one = (texts: string) => texts.split(" ")[pick(texts.split(" ").length)] as string;
  const places = ["filter", "options", "options[filter]", "options[find]", "collection", "filter[where]"];
  const keys =
    "where and_where or_where order_by limit offset cursor return only except search depth group_by total recursive find contains date size path random_value key expr value field direction 0 1 x";
  const values =
    "0 1 -1 true desc eq regexp between exists title exif.Width id first last random * >1 .. ( [ é 2020-01-01 null % ' tags.0";
  const query = () => {
    const nested = Array.from({ length: pick(3) }, () => `[${one(keys)}]`).join("");
    const name = `${places[pick(places.length)]}${nested}`;
    return `${encodeURIComponent(name)}=${encodeURIComponent(one(values))}`;
  };
  for (let n = 0; n < 300; n++) {
    const { files, folders } = dialects[pick(2)] as Dialect;
    const queries = Array.from({ length: 1 + pick(3) }, query).join("&");
    const place = ["films", "films/alien.txt", "tree/empty", "nothing"][pick(4)] as string;
    const path = [files, folders][pick(2)] as string;
    const reply = await world.send({ path, query: `id=${world.id(place)}&token=${management}&${queries}` });
    if (reply.status !== 200) refused(reply, [400, 404]);
  }
});

test("the tag of a collection changes with each change of a file in it; one tag stands for one text", async () => {
  const query = { path: world.id("tag"), collection: true, token: management };
  const read = (headers: Record<string, string> = {}) => world.send({ path: "/api/files", query, headers });
  await plantFiles(world, ["tag/a.txt", "tag/b.txt"]);
  const seen = new Map<string, string>();
  const [path, new_path] = [world.id("tag/c.txt"), world.id("tag/d.txt")];
  const steps = [
    async () => undefined,
    () => plantFile(world, "tag/c.txt"),
    () => plantFile(world, "tag/c.txt", { bytes: "other" }),
    () => world.write("POST", { path, field: "f", value: "v" }, "/api/files/meta"),
    () => world.write("PUT", { path, new_path }, "/api/files"),
    () => world.write("DELETE", { path: new_path }, "/api/files"),
  ];
  for (const step of steps) {
    await step();
    const reply = await read();
    assert.equal(seen.get(tagOf(reply)) ?? reply.text, reply.text, "one tag, one text");
    seen.set(tagOf(reply), reply.text);
    const again = await read({ "if-none-match": tagOf(reply) });
    assert.deepEqual([again.status, again.bytes.length], [304, 0]);
    assert.equal((await read({ "if-none-match": '"_x"' })).status, 200);
  }
  assert.ok(seen.size >= steps.length - 1, "only an identical reply may have the same tag");
  const onHead = await world.send({ method: "HEAD", path: "/api/files", query });
  assert.equal(onHead.headers.etag, tagOf(await read()));
});

allRepliesKeptTheirPromises(world);
