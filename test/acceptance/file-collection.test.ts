/** The files of a folder: keyed by name, filtered, ordered, paged, grouped. Contract §5, File collections and §4, Collections. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Arguments, Reply } from "./client.ts";
import {
  type Dialect,
  dialects,
  enterMedia,
  file,
  fileKeys,
  pathDialect,
  plantFile,
  plantFiles,
  png,
  readFile,
  urlOf,
} from "./media.ts";
import { type Any, allRepliesKeptTheirPromises, dataOf, refused, type Scenario, table, tagOf } from "./world.ts";

const world = await enterMedia("files");
const { tokens } = world;
const { delivery, management } = tokens;

/** name, bytes, the client's fields */
const films: [string, string | Uint8Array, Record<string, unknown>][] = [
  ["alien.txt", "a".repeat(9), { title: "Alien", year: 1979, genre: "sf", author: { name: "Ann" }, tags: ["x", "y"] }],
  [
    "brazil.md",
    "b".repeat(100),
    { title: "Brazil", year: 1985, genre: "sf", author: { name: "Bob" }, note: "quick fox" },
  ],
  [
    "casablanca.csv",
    "c".repeat(2000),
    { title: "Casablanca", year: "1942", genre: "drama", description: "a lazy dog" },
  ],
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

for (const dialect of dialects) {
  describe(`GET ${dialect.files}, a folder`, () => {
    const get = (folder: string, more: Arguments = {}, token = management) => ask(folder, more, dialect, token);

    test("answers an object: the files directly in it, by name, in the byte order of names", async () => {
      const data = dataOf(await get("films", { collection: true }));
      assert.ok(!Array.isArray(data));
      assert.deepEqual(Object.keys(data), names);
      for (const name of names) {
        const one = await file(world, `films/${name}`, dialect);
        assert.deepEqual(data[name], one);
        assert.deepEqual(Object.keys(data[name]), Object.keys(one));
      }
      assert.deepEqual(Object.keys(dataOf(await get("tree", { collection: true }))), ["a.txt"]);
    });

    test("answers {} when it contains no files", async () => {
      const reply = await get("tree/empty", { collection: true });
      assert.equal(reply.text, '{"data":{}}');
      assert.equal((await get("", { collection: true })).text, '{"data":{}}', "folders are not files");
    });

    for (const [flag, what] of [
      ["collection=true", "the flag of the path dialect"],
      ["collection=1", "1"],
      ["collection=TRUE", "upper case"],
      ["options[collection]=true", "the flag of the id dialect"],
      ["options[collection]=yes", "yes"],
      ["options[collection]=on&collection=true", "both flags"],
      ["filter=", "an empty filter"],
      ["filter[]=", "an empty list as filter"],
      ["filter[limit]=99", "a filled filter"],
      ["options[limit]=99", "a filter in the options"],
      ["", "nothing: the path is a folder"],
    ]) {
      test(`${flag || "no flag"}, ${what}, answers the files`, async () => {
        const query = `${dialect.at}=${world.id("tree/b")}&token=${management}${flag ? `&${flag}` : ""}`;
        const data = dataOf(await world.send({ path: dialect.files, query }));
        assert.deepEqual(Object.keys(data), ["a.txt", "c.txt"]);
      });
    }

    test("a collection read of a file answers the file", async () => {
      const one = await file(world, "films/alien.txt", dialect);
      for (const more of [{ collection: true }, { options: { collection: true } }] as Arguments[]) {
        assert.deepEqual(dataOf(await get("films/alien.txt", more)), one);
      }
    });

    test("two different flags are refused", async () => {
      const differ = { collection: true, options: { collection: false } };
      refused(await get("films", differ), 400, "argument_conflict", /collection/);
    });

    test("an unknown folder is 404: folder_not_found for a collection read, otherwise file_not_found", async () => {
      for (const name of ["nothing", "tree/b/nothing", "tree/a.txt/x", "tre", "tree/B"]) {
        for (const more of [{ collection: true }, { options: { collection: true } }, { filter: "" }] as Arguments[]) {
          refused(await get(name, more), 404, "folder_not_found", new RegExp(`"${dialect.at}"`));
        }
        refused(await get(name), 404, "file_not_found");
      }
    });

    test("options[recursive] answers all files below, by their path below the folder", async () => {
      for (const more of [{ collection: true }, {}] as Arguments[]) {
        const data = dataOf(await get("tree", { ...more, options: { recursive: true } }));
        const expected = ["a.txt", "b-c/f.txt", "b/a.txt", "b/c.txt", "b/d/e.txt"];
        assert.deepEqual(Object.keys(data).sort(), expected.sort());
        for (const path of expected) assert.deepEqual(data[path], await file(world, `tree/${path}`, dialect));
        assert.deepEqual(Object.keys(dataOf(await get("tree", { ...more, options: { recursive: false } }))), ["a.txt"]);
      }
      assert.deepEqual(dataOf(await get("tree/empty", { options: { recursive: true } })), {});
    });

    test("the uploads' root can be read", async () => {
      const filter = where("url", "starts_with", urlOf(world, "films/"));
      for (const id of ["", "/"]) {
        const options = { recursive: true, filter };
        const data = dataOf(await world.read({ [dialect.at]: id, options }, undefined, dialect.files));
        assert.deepEqual(
          Object.keys(data),
          names.map((name) => world.id(`films/${name}`)),
        );
        const direct = await world.read({ [dialect.at]: id, filter }, undefined, dialect.files);
        assert.deepEqual(dataOf(direct), {});
      }
    });

    test("a delivery token reads the same", async () => {
      const more = { collection: true, options: { recursive: true } };
      assert.deepEqual(dataOf(await get("", more, delivery)), dataOf(await get("", more)));
      refused(await get("nothing", { collection: true }, delivery), 404, "folder_not_found");
    });
  });
}

const places: [string, (filter: Arguments) => Arguments][] = [
  ["filter", (filter) => ({ filter })],
  ["options[filter]", (filter) => ({ options: { filter } })],
  ["options[find]", (filter) => ({ options: { find: filter } })],
  ["options", (filter) => ({ options: filter })],
];
const order_by = { field: "filesize" };

/** A filter and the first letters of the matching names, in order. */
const filters: [string, Arguments, string][] = [
  ["where eq", where("genre", "eq", "sf"), "abd"],
  [
    "a list of conditions",
    {
      where: [
        { key: "genre", operator: "=", value: "sf" },
        { key: "year", operator: ">", value: 1980 },
      ],
    },
    "bd",
  ],
  [
    "and_where",
    { ...where("genre", "eq", "sf"), and_where: [{ key: "author.name", expr: "contains", value: "o" }] },
    "b",
  ],
  ["or_where", { ...where("genre", "eq", "drama"), or_where: [{ key: "year", expr: "eq", value: 2021 }] }, "cd"],
  ["a number by its value, above 2^53", where("big", "eq", "9007199254740993"), "d"],
  ["a number next to it", where("big", "eq", "9007199254740992"), ""],
  ["numbers as numbers, texts of digits too", where("year", "lt", 1980), "ac"],
  ["filesize", where("filesize", "gte", 100), "bc"],
  ["type", where("type", "starts_with", "text/"), "abc"],
  ["extension", where("extension", "in", ["md", "csv"]), "bc"],
  ["filename", where("filename", "eq", "dune.png"), "d"],
  ["an image's width", where("exif.Width", "eq", 7), "d"],
  ["an existing field", where("exif.Width", "exists", true), "d"],
  ["a missing field", where("author", "exists", false), "cd"],
  ["an element of a list", where("tags", "eq", "y"), "a"],
  ["an element by its index", where("tags.0", "eq", "x"), "a"],
  ["title", where("title", "ends_with", "a"), "c"],
  ["uploaded_on as a date", where("uploaded_on", "newer", "2020-01-01"), "abcd"],
  ["a regular expression", where("filename", "regexp", "^[ab].*\\.(txt|md)$"), "ab"],
  ["order_by filesize", { order_by, ...where("type", "starts_with", "text/") }, "abc"],
  [
    "order_by filesize, descending",
    { order_by: { ...order_by, direction: "desc" }, ...where("type", "starts_with", "text/") },
    "cba",
  ],
  ["sort_by year", { sort_by: { key: "year", direction: "DESC" } }, "dbac"],
  ["order_by a field that some lack", { order_by: { field: "author.name", direction: "desc" } }, "bacd"],
  ["two sort keys", { order_by: [{ field: "genre" }, { field: "title", direction: "desc" }] }, "cdba"],
  ["limit", { limit: 2 }, "ab"],
  ["limit 0", { limit: 0 }, ""],
  ["offset", { offset: 3 }, "d"],
  ["limit and offset", { limit: 2, offset: 1 }, "bc"],
  ["set_max_result and set_first_result", { set_max_result: 1, set_first_result: 2 }, "c"],
  ["slice", { return: "slice", slice_offset_value: 1, slice_limit_value: 2 }, "bc"],
  ["search in a client's field", { search: "quick" }, "b"],
  ["search in a nested field", { search: "Ann" }, "a"],
  ["search in the description", { search: "lazy" }, "c"],
  ["search in the title", { search: "Dune" }, "d"],
  ["search without a match", { search: "xyzzy" }, ""],
  ["search for a type, which is a service's field", { search: "text" }, ""],
  ["search for a name, which is a service's field", { search: "csv" }, ""],
  ["search for a part of the address", { search: "uploads" }, ""],
  ["contains a part of the address", { contains: "casablanca.csv" }, "c"],
  ["contains", { contains: "lazy" }, "c"],
  ["not_contains", { not_contains: "lazy" }, "abd"],
  ["a pattern in contains", { contains: "/^[AB].*[nl]$/" }, "ab"],
  ["a pattern in path", { path: "/\\.(md|csv)$/" }, "bc"],
  ["date, all", { date: "> 2020-01-01" }, "abcd"],
  ["date, none", { date: "< 2020-01-01" }, ""],
  ["depth 1", { depth: "1" }, "abcd"],
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

describe("return", () => {
  const none = where("title", "eq", "Zardoz");

  test("all and shuffle keep the names as keys", async () => {
    assert.deepEqual(await found({ return: "all" }), await found({}));
    const orders = new Set<string>();
    for (let n = 0; n < 20; n++) {
      const data = await found({ return: "shuffle" });
      assert.deepEqual(Object.keys(data).sort(), names);
      orders.add(Object.keys(data).join());
    }
    assert.ok(orders.size > 1);
  });

  test("first, next and last answer one file object, without a match null", async () => {
    assert.deepEqual(
      await found({ return: "first", order_by: { field: "year" } }),
      await file(world, "films/casablanca.csv"),
    );
    assert.equal((await found({ return: "next" })).filename, "brazil.md");
    assert.equal((await found({ return: "last" })).filename, "dune.png");
    for (const what of ["first", "next", "last", "random"])
      assert.equal(await found({ return: what, ...none }), null, what);
  });

  test("random answers one file object, with random_value an object of that many", async () => {
    assert.ok(names.includes((await found({ return: "random" })).filename));
    const two = await found({ return: "random", random_value: 2 });
    assert.equal(Object.keys(two).length, 2);
    for (const [name, one] of Object.entries<Any>(two)) assert.equal(one.filename, name);
    assert.equal(Object.keys(await found({ return: "random", random_value: 99 })).length, 4);
  });

  test("count is an integer and exists a boolean", async () => {
    assert.equal(await found({ return: "count" }), 4);
    assert.equal(await found({ return: "count", ...where("genre", "eq", "sf") }), 3);
    assert.equal(await found({ return: "count", ...none }), 0);
    assert.equal(await found({ return: "exists" }), true);
    assert.equal(await found({ return: "exists", ...none }), false);
    assert.equal(dataOf(await ask("tree", { options: { recursive: true, filter: { return: "count" } } })), 5);
    assert.equal(dataOf(await ask("tree/empty", { filter: { return: "count" } })), 0);
  });
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

  test("except leaves out only the named keys", async () => {
    const data = await found({ except: ["title", "exif.html", "tags"], limit: 99 });
    for (const name of names) {
      const { title: _, tags: __, ...rest } = await file(world, `films/${name}`);
      delete rest.exif.html;
      assert.deepEqual(data[name], rest);
    }
  });

  test("a different projection has a different ETag", async () => {
    const filters: Arguments[] = [{}, { only: ["title"] }, { only: ["year"] }, { except: ["title"] }, { limit: 1 }];
    const tags = await Promise.all(
      filters.map(async (filter) => tagOf(await ask("films", { filter: { depth: "1", ...filter } }))),
    );
    assert.equal(new Set(tags).size, filters.length);
  });

  test("group_by answers an object of lists", async () => {
    const data = await found({ group_by: "genre" });
    assert.deepEqual(Object.keys(data).sort(), ["drama", "sf"]);
    assert.deepEqual(
      data.sf.map((one: Any) => one.filename),
      ["alien.txt", "brazil.md", "dune.png"],
    );
    assert.deepEqual(data.drama, [await file(world, "films/casablanca.csv")]);
    const text = await found({ group_by: "type", where: { key: "type", expr: "starts_with", value: "text/" } });
    assert.deepEqual(Object.keys(text).sort(), ["text/csv", "text/markdown", "text/plain"]);
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
    for (const [place, wrap] of places) {
      test(`${dialect.files}: a walk with a limit in ${place} gives each file once, in order`, async () => {
        for (const limit of [4, 15]) {
          const pages = await walk(dialect, { collection: true, ...wrap({ limit }) });
          assert.deepEqual(pages.flat(), many.slice(0, 15));
          for (const page of pages.slice(0, -1)) assert.equal(page.length, limit);
          assert.equal(pages.length, Math.ceil(15 / limit));
        }
      });
    }

    test(`${dialect.files}: recursive and sorted walks give each file once, too`, async () => {
      const all = await walk(dialect, { options: { recursive: true, limit: 7 } });
      assert.deepEqual(all.flat().sort(), [...byDepth].sort());
      assert.equal(all.length, 4);
      const filter = { limit: 4, order_by: { field: "filename", direction: "desc" } };
      assert.deepEqual((await walk(dialect, { filter }, delivery)).flat(), many.slice(0, 15).reverse());
    });
  }

  test("a requested total is on every page", async () => {
    for (const [, wrap] of places) {
      const reply = await ask("pages", { collection: true, ...wrap({ limit: 2, total: true }) });
      assert.equal(reply.headers["x-total-count"], "15");
      assert.equal(Object.keys(dataOf(reply)).length, 2);
    }
    const filtered = { filter: { total: true, ...where("filename", "contains", "1") } };
    assert.equal((await ask("pages", filtered)).headers["x-total-count"], "6");
    assert.equal((await ask("pages", { collection: true })).headers["x-total-count"], undefined);
  });

  test("a file is given once while others are created and deleted", async () => {
    await plantFiles(
      world,
      Array.from({ length: 9 }, (_, n) => `moving/f${n}.txt`),
    );
    const seen: string[] = [];
    let reply = await ask("moving", { filter: { limit: 2 } });
    for (let page = 0; page < 20; page++) {
      seen.push(...Object.keys(dataOf(reply)));
      const next = /^<([^>]+)>/.exec(String(reply.headers.link ?? ""))?.[1];
      if (!next) break;
      if (page === 0) await plantFile(world, "moving/a.txt");
      if (page === 1) await world.write("DELETE", { path: world.id("moving/f0.txt") }, "/api/files");
      if (page === 2) await world.write("DELETE", { path: world.id("moving/f8.txt") }, "/api/files");
      reply = await world.send({ path: `${next}&token=${management}` });
    }
    for (let n = 1; n < 8; n++) assert.equal(seen.filter((name) => name === `f${n}.txt`).length, 1, `f${n}`);
    assert.equal(new Set(seen).size, seen.length);
  });

  test("a cursor of a different query is refused", async () => {
    const reply = await ask("pages", { filter: { limit: 2 } });
    const next = new URL(/^<([^>]+)>/.exec(String(reply.headers.link))?.[1] ?? "", "http://x");
    const [key, cursor] = [...next.searchParams].find(([name]) => name.includes("cursor")) ?? [];
    assert.ok(key && cursor);
    const own = `collection=true&${encodeURIComponent(key)}=${encodeURIComponent(cursor)}&filter[limit]=2&token=${management}`;
    const at = (folder: string, more = "") =>
      world.send({ path: "/api/files", query: `path=${world.id(folder)}&${own}${more}` });
    refused(await at("films"), 400, "cursor_invalid");
    refused(
      await at("pages", "&filter[where][key]=title&filter[where][expr]=eq&filter[where][value]=x"),
      400,
      "cursor_invalid",
    );
    refused(await ask("pages", { filter: { cursor: "nonsense" } }), 400, "cursor_invalid");
  });
});

const call = (filter: Arguments) => ({
  path: "/api/files",
  query: { path: world.id("films"), token: management, filter },
});
const wrong: [string, Arguments, RegExp?][] = [
  ["an unknown operator", where("title", "resembles", "x"), /resembles/],
  ["a condition without a value", { where: { key: "title", expr: "eq" } }, /value/],
  ["a condition without a key", { where: { expr: "eq", value: "x" } }, /key/],
  ["an unknown return", { return: "everything" }, /everything/],
  ["a negative limit", { limit: -1 }, /limit/],
  ["a limit that is a word", { limit: "many" }, /limit/],
  ["a negative offset", { offset: -1 }, /offset/],
  ["a limit above the maximum", { limit: 1_000_000 }, /limit/],
  ["a depth that is a word", { depth: "deep" }, /depth/],
  ["a look-ahead", where("title", "regexp", "(?=x)")],
  ["51 conditions", { where: Array.from({ length: 51 }, () => ({ key: "a", expr: "eq", value: "b" })) }],
  ["11 sort keys", { order_by: Array.from({ length: 11 }, (_, n) => ({ field: `f${n}` })) }],
  ["101 names in only", { only: Array.from({ length: 101 }, (_, n) => `k${n}`) }],
  ["constructor as an argument", { constructor: { a: "b" } } as Arguments],
];
table("a collection of files is refused for", world, [
  ...wrong.map(
    ([name, filter, about]): Scenario => ({ name, call: call(filter), status: 400, ...(about ? { about } : {}) }),
  ),
  ...["filter[0][limit]=1", "filter[][where]=x", "options[filter][0][limit]=1", "filter=x", "filter[]=x"].map(
    (query): Scenario => ({
      name: `${query}, which is not an object`,
      call: { path: "/api/files", query: `path=${world.id("films")}&token=${management}&${query}` },
      status: 400,
      code: "filter_invalid",
    }),
  ),
]);

test("any query gives a reply or a problem that names an argument", async () => {
  let state = 11;
  const pick = (below: number) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >> 8) % below;
  };
  const one = (texts: string) => {
    const words = texts.split(" ");
    return words[pick(words.length)] as string;
  };
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
  for (let n = 0; n < 600; n++) {
    const { files, folders } = dialects[pick(2)] as Dialect;
    const queries = Array.from({ length: 1 + pick(3) }, query).join("&");
    const place = ["films", "films/alien.txt", "tree/empty", "nothing"][pick(4)] as string;
    const path = [files, folders][pick(2)] as string;
    const reply = await world.send({ path, query: `id=${world.id(place)}&token=${management}&${queries}` });
    if (reply.status !== 200) refused(reply, [400, 404]);
  }
});

describe("the tag of a collection", () => {
  const read = (headers: Record<string, string> = {}, token = management) =>
    world.send({ path: "/api/files", query: { path: world.id("tag"), collection: true, token }, headers });

  test("changes when a file in it is created, changed, deleted or moved; one tag stands for one text", async () => {
    await plantFiles(world, ["tag/a.txt", "tag/b.txt"]);
    const seen = new Map<string, string>();
    let notes = 0;
    const note = async () => {
      const reply = await read();
      const before = seen.get(tagOf(reply));
      assert.ok(before === undefined || before === reply.text, "one tag, one text");
      seen.set(tagOf(reply), reply.text);
      notes++;
    };
    const id = (name: string) => world.id(`tag/${name}`);
    await note();
    await plantFile(world, "tag/c.txt");
    await note();
    await plantFile(world, "tag/c.txt", { bytes: "other" });
    await note();
    await world.write("POST", { path: id("c.txt"), field: "f", value: "v" }, "/api/files/meta");
    await note();
    await world.write("PUT", { path: id("c.txt"), new_path: id("d.txt") }, "/api/files");
    await note();
    await world.write("DELETE", { path: id("d.txt") }, "/api/files");
    await note();
    assert.ok(seen.size >= notes - 1, "only an identical reply may have the same tag");
  });

  test("gives 304 only for the current tag", async () => {
    const tag = tagOf(await read());
    const reply = await read({ "if-none-match": tag });
    assert.equal(reply.status, 304);
    assert.equal(reply.bytes.length, 0);
    assert.equal((await read({ "if-none-match": '"x"' })).status, 200);
    const head = {
      method: "HEAD",
      path: "/api/files",
      query: { path: world.id("tag"), collection: true, token: management },
    };
    assert.equal((await world.send(head)).headers.etag, tag);
  });
});

test("a folder of a thousand files is answered completely, compressed on request", async () => {
  await plantFiles(
    world,
    Array.from({ length: 50 }, (_, n) => `thousand/s/f${n}.txt`),
  );
  const copies = Array.from({ length: 19 }, (_, n) => ({
    path: world.id("thousand/s"),
    new_path: world.id(`thousand/s${n}`),
  }));
  for (const args of copies) dataOf(await world.write("PUT", args, "/api/folders/copy"));
  const query = { path: world.id("thousand"), options: { recursive: true }, token: management };
  const plain = await world.send({ path: "/api/files", query });
  const data = dataOf(plain);
  assert.equal(Object.keys(data).length, 1000);
  assert.deepEqual(Object.keys(data["s7/f7.txt"]), fileKeys);
  const coded = await world.send({ path: "/api/files", query, headers: { "accept-encoding": "br" } });
  assert.equal(coded.headers["content-encoding"], "br");
  assert.equal(coded.text, plain.text);
  assert.ok(coded.bytes.length < plain.bytes.length / 4);
  const limited = await readFile(world, "thousand", pathDialect, { options: { recursive: true, limit: 7 } });
  assert.equal(Object.keys(dataOf(limited)).length, 7);
});

allRepliesKeptTheirPromises(world);
