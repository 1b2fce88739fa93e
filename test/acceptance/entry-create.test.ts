/** Creating and reading one entry. Contract §4, Entry object and §4, Create. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { allRepliesKeptTheirPromises, dataOf, enter, nowSeconds, refused, type Scenario, table } from "./world.ts";

const world = await enter("create");
const { pair } = world;
const path = "/api/entries";
const post = (id: string, data: string, more = "") => ({
  method: "POST",
  path,
  json: `{"id":${JSON.stringify(id)},"token":"${pair.token}","access_token":"${pair.access_token}","data":${data}${more}}`,
});
const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe("POST /api/entries", () => {
  test("creating an entry answers 200 with the whole object, in the order of the contract", async () => {
    const before = nowSeconds();
    const reply = await world.send(post(world.id("whole"), '{"title":"T","content":"C","extra":1}'));
    const data = dataOf(reply);
    assert.deepEqual(Object.keys(data), [
      "title",
      "content",
      "extra",
      "published_at",
      "created_at",
      "modified_at",
      "published_by",
      "created_by",
      "routable",
      "visibility",
      "uuid",
      "slug",
    ]);
    assert.match(data.uuid, uuidV4);
    assert.equal(data.slug, world.id("whole"));
    assert.equal(data.published_by, "");
    assert.equal(data.created_by, "");
    assert.equal(data.routable, true);
    assert.equal(data.visibility, "visible");
    for (const time of [data.published_at, data.created_at, data.modified_at]) {
      assert.ok(Number.isInteger(time) && time >= before - 2 && time <= nowSeconds() + 2, `${time} is now, in seconds`);
    }
    assert.equal(data.created_at, data.modified_at);
  });

  test("a created entry is read back byte for byte", async () => {
    const created = await world.send(post(world.id("again"), '{"title":"T","n":1.50}'));
    const read = await world.read({ id: world.id("again") });
    assert.equal(read.text, created.text);
    assert.equal((await world.read({ id: world.id("again") })).text, read.text, "reading twice answers the same");
  });

  test("content defaults to the empty text", async () => {
    assert.equal((await world.create("no-content", { title: "x" })).content, "");
    assert.equal((await world.create("no-data", {})).content, "");
  });

  test("content of another type is kept", async () => {
    assert.deepEqual((await world.create("content-object", { content: { blocks: [] } })).content, { blocks: [] });
    assert.equal((await world.create("content-null", { content: null })).content, null);
  });

  test("two entries never share a uuid", async () => {
    const [a, b] = await Promise.all([world.create("uuid-a"), world.create("uuid-b")]);
    assert.notEqual(a.uuid, b.uuid);
  });

  test("creating a taken id is refused and changes nothing", async () => {
    await world.create("taken", { title: "first" });
    const before = await world.read({ id: world.id("taken") });
    const reply = await world.write("POST", { id: world.id("taken"), data: { title: "second" } });
    refused(reply, 409, "entry_exists");
    const after = await world.read({ id: world.id("taken") });
    assert.equal(after.text, before.text);
    assert.equal(after.headers.etag, before.headers.etag);
  });

  test("parents need not exist, and a missing parent is not created", async () => {
    await world.create("orphan/deep/leaf", { title: "leaf" });
    refused(await world.read({ id: world.id("orphan/deep") }), 404, "entry_not_found");
    refused(await world.read({ id: world.id("orphan") }), 404, "entry_not_found");
    assert.deepEqual(await world.list("orphan/deep", {}), ["leaf"]);
    await world.create("orphan", { title: "now an entry" });
    assert.equal((await world.entry("orphan/deep/leaf")).title, "leaf");
  });

  test("every write to a missing parent is 404 and leaves its descendants unchanged", async () => {
    await world.create("bare/child", { title: "child" });
    const id = world.id("bare");
    refused(await world.write("PATCH", { id, data: { a: 1 } }), 404, "entry_not_found");
    refused(await world.write("PUT", { id, new_id: world.id("bare2") }), 404, "entry_not_found");
    refused(await world.write("PUT", { id, new_id: world.id("bare2") }, "/api/entries/copy"), 404, "entry_not_found");
    refused(await world.write("DELETE", { id }), 404, "entry_not_found");
    assert.equal((await world.entry("bare/child")).title, "child");
    assert.equal(await world.statusOf("bare2/child"), 404);
  });
});

const survivors: [string, string][] = [
  ["an integer", "15"],
  ["minus zero", "-0"],
  ["1.0", "1.0"],
  ["1e5", "1e5"],
  ["a number above 2^53", "9007199254740993"],
  ["a number of 40 digits", "-1234567890123456789012345678901234567890"],
  ["more digits than a double has", "0.1234567890123456789012345"],
  ["a number too small for a double", "1e-400"],
  ["true", "true"],
  ["null", "null"],
  ["the empty object", "{}"],
  ["the empty text", '""'],
  ["lists in lists", "[[],[[]],[{}],{}]"],
  ["a list of mixed types", '[1,"1",true,null,{"a":[]},1.0]'],
  ["text that looks like a number", '"015"'],
  ["text with HTML", '"<script>alert(1)</script>&amp;"'],
  ["text beyond the basic plane", '"😀 é ü 日本語 "'],
  ["keys in the order sent, digits too", '{"b":1,"10":2,"a":3,"2":4,"":5}'],
  ["an empty key", '{"":{"":""}}'],
];

table(
  "JSON survives as sent",
  world,
  survivors.map(
    ([name, source], n): Scenario => ({
      name: `${name} survives in a create, a read, and an update of another key`,
      call: post(world.id(`survivor-${n}`), `{"value":${source},"other":1}`),
      status: 200,
      holds: [`{"data":{"value":${source},"other":1,`],
      check: async () => {
        const id = world.id(`survivor-${n}`);
        assert.ok((await world.read({ id })).text.startsWith(`{"data":{"value":${source},"other":1,`));
        const patched = await world.write("PATCH", { id, data: { other: 2 } });
        assert.ok(patched.text.startsWith(`{"data":{"value":${source},"other":2,`), patched.text);
        const listed = await world.read({
          id: world.prefix,
          filter: { where: { key: "slug", expr: "eq", value: id } },
        });
        assert.ok(listed.text.includes(`{"value":${source},"other":2,`), listed.text);
      },
    }),
  ),
);

describe("values and names that are kept", () => {
  test("top-level keys stay in the order sent, digits too", async () => {
    const reply = await world.send(post(world.id("order"), '{"zz":1,"1":2,"content":"x","aa":3,"0":4}'));
    assert.ok(reply.text.startsWith('{"data":{"zz":1,"1":2,"content":"x","aa":3,"0":4,"published_at":'), reply.text);
    const read = await world.read({ id: world.id("order") });
    assert.equal(read.text, reply.text);
  });

  test("escaped text is the same text", async () => {
    const data = await world.send(post(world.id("escapes"), '{"a":"\\u0041\\n\\t\\"\\\\\\/\\u2028\\ud83d\\ude00"}'));
    assert.equal(dataOf(data).a, 'A\n\t"\\/\u2028😀');
  });

  test("names such as constructor are accepted as values and ids", async () => {
    for (const name of ["__proto__", "constructor", "prototype", "hasOwnProperty", "toString", "null", "undefined"]) {
      const created = await world.create(`names/${name}`, { title: name, toString: "x", hasOwnProperty: 1 });
      assert.equal(created.title, name);
      assert.equal((await world.entry(`names/${name}`)).slug, world.id(`names/${name}`));
    }
  });

  test("an entry accepts 1 MiB of data and not a byte more", async () => {
    const room = 1024 * 1024 - '{"content":""}'.length;
    const full = await world.send(post(world.id("full"), `{"content":"${"a".repeat(room)}"}`));
    assert.equal(full.status, 200, full.text.slice(0, 300));
    assert.equal((await world.read({ id: world.id("full") })).text.length, full.text.length);
    refused(await world.send(post(world.id("over"), `{"content":"${"a".repeat(room + 1)}"}`)), [400, 413]);
    assert.equal(await world.statusOf("over"), 404);
    const grown = await world.write("PATCH", { id: world.id("full"), data: { more: "x" } });
    refused(grown, [400, 413]);
    assert.equal((await world.read({ id: world.id("full") })).text, full.text);
    await world.write("DELETE", { id: world.id("full") });
  });

  test("data is counted in bytes, not in characters", async () => {
    const room = 1024 * 1024 - '{"content":""}'.length;
    const text = "é".repeat(Math.floor(room / 2) + 1);
    refused(await world.send(post(world.id("bytes"), `{"content":"${text}"}`)), [400, 413]);
  });

  test("data nests 64 deep and no deeper", async () => {
    const nested = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`;
    const deep = await world.send(post(world.id("deep"), nested(64)));
    assert.equal(deep.status, 200, deep.text.slice(0, 300));
    assert.ok((await world.read({ id: world.id("deep") })).text.startsWith(`{"data":${nested(64).slice(0, -1)},`));
    refused(await world.send(post(world.id("deeper"), nested(66))), 400);
    refused(await world.send(post(world.id("deeper"), `{"a":${"[".repeat(66)}${"]".repeat(66)}}`)), 400);
    assert.equal(await world.statusOf("deeper"), 404);
  });
});

describe("the service's own fields", () => {
  test("uuid, slug, created_at and modified_at in data are ignored on create", async () => {
    const sent = {
      uuid: "00000000-0000-4000-8000-000000000000",
      slug: "elsewhere",
      created_at: 1,
      modified_at: 2,
      title: "kept",
    };
    const data = await world.create("ignored", sent);
    assert.equal(data.title, "kept");
    assert.notEqual(data.uuid, sent.uuid);
    assert.equal(data.slug, world.id("ignored"));
    assert.ok(data.created_at > 2 && data.modified_at > 2);
    assert.equal(Object.keys(data).filter((key) => key === "slug").length, 1);
  });

  test("they are ignored even with another type", async () => {
    const data = await world.create("ignored-types", { uuid: 5, slug: [], created_at: "x", modified_at: {} });
    assert.match(data.uuid, uuidV4);
    assert.equal(data.slug, world.id("ignored-types"));
  });

  test("an object that was read can be sent back, to another id and to the same one", async () => {
    const first = await world.create("round", { title: "T", n: 1, published_at: 1700000000, visibility: "hidden" });
    const second = await world.create("round-copy", first);
    for (const key of ["title", "n", "content", "published_at", "visibility", "routable", "published_by"]) {
      assert.deepEqual(second[key], first[key], key);
    }
    assert.notEqual(second.uuid, first.uuid);
    assert.equal(second.slug, world.id("round-copy"));
    const back = dataOf(await world.write("PATCH", { id: world.id("round"), data: first }));
    assert.deepEqual({ ...back, modified_at: 0 }, { ...first, modified_at: 0 });
    assert.deepEqual(Object.keys(back), Object.keys(first), "in the same order");
  });

  // Every form of a flag: src/entry/entry.test.ts.
  const accepted: [string, Record<string, unknown>, Record<string, unknown>][] = [
    ["published_at as Unix seconds", { published_at: 1700000000 }, { published_at: 1700000000 }],
    ["published_at as digits", { published_at: "1700000000" }, { published_at: 1700000000 }],
    ["published_at as ISO 8601 with Z", { published_at: "2024-05-01T10:30:00Z" }, { published_at: 1714559400 }],
    ["published_at with fractions", { published_at: "2024-05-01T10:30:00.500Z" }, { published_at: 1714559400 }],
    ["published_at with an offset", { published_at: "2024-05-01T12:30:00+02:00" }, { published_at: 1714559400 }],
    ["published_at without a zone, as UTC", { published_at: "2024-05-01T10:30:00" }, { published_at: 1714559400 }],
    ["published_at as Y-m-d H:i", { published_at: "2024-05-01 10:30" }, { published_at: 1714559400 }],
    ["published_at as Y-m-d H:i:s", { published_at: "2024-05-01 10:30:15" }, { published_at: 1714559415 }],
    ["published_at as d-m-Y H:i", { published_at: "01-05-2024 10:30" }, { published_at: 1714559400 }],
    ["published_at as a day", { published_at: "2024-05-01" }, { published_at: 1714521600 }],
    ["published_at on a leap day", { published_at: "2024-02-29 00:00" }, { published_at: 1709164800 }],
    ["published_at as 0", { published_at: 0 }, { published_at: 0 }],
    [
      "published_by and created_by",
      { published_by: "ann", created_by: "bob" },
      { published_by: "ann", created_by: "bob" },
    ],
    ["routable false", { routable: false }, { routable: false }],
    ["routable as the text 0", { routable: "0" }, { routable: false }],
    ["visibility hidden", { visibility: "hidden" }, { visibility: "hidden" }],
    ["visibility draft", { visibility: "draft" }, { visibility: "draft" }],
    ["visibility null, which means unset", { visibility: null }, { visibility: "visible" }],
  ];
  for (const [n, [name, data, expected]] of accepted.entries()) {
    test(`a client may set ${name}`, async () => {
      const created = await world.create(`accepted-${n}`, data);
      const read = await world.entry(`accepted-${n}`);
      for (const [key, value] of Object.entries(expected)) {
        assert.equal(created[key], value);
        assert.equal(read[key], value);
      }
    });
  }
});

const wrong: [string, string, string][] = [
  ["published_at", "a word", '"yesterday"'],
  ["published_at", "a thirteenth month", '"2024-13-01"'],
  ["published_at", "30 February", '"2024-02-30"'],
  ["published_at", "hour 25", '"2024-02-03 25:00"'],
  ["published_at", "a list", "[1700000000]"],
  ["published_at", "a number above the last date", "99999999999999999999"],
  ["published_by", "a number", "5"],
  ["created_by", "an object", "{}"],
  ["routable", "a word", '"maybe"'],
  ["visibility", "an unknown word", '"public"'],
];

table(
  "a wrong value of a field is refused and nothing is stored",
  world,
  wrong.flatMap(([field, what, source], n): Scenario[] => [
    {
      name: `creating with ${field} as ${what}`,
      call: post(world.id(`wrong-${n}`), `{"title":"x","${field}":${source}}`),
      status: 400,
      code: "field_invalid",
      about: new RegExp(field),
      check: async () => assert.equal(await world.statusOf(`wrong-${n}`), 404),
    },
    {
      name: `updating with ${field} as ${what}`,
      call: async () => {
        await world.create(`wrong-update-${n}`, { title: "before" });
        return { ...post(world.id(`wrong-update-${n}`), `{"title":"after","${field}":${source}}`), method: "PATCH" };
      },
      status: 400,
      code: "field_invalid",
      about: new RegExp(field),
      check: async () => assert.equal((await world.entry(`wrong-update-${n}`)).title, "before"),
    },
  ]),
);

const notObjects: [string, string][] = [
  ["text", '"title"'],
  ["a text of JSON", '"{\\"title\\":1}"'],
  ["the empty text", '""'],
  ["a number", "5"],
  ["a list", "[]"],
  ["a list of objects", '[{"title":1}]'],
  ["null", "null"],
  ["true", "true"],
];

table("data must be an object", world, [
  ...notObjects.map(
    ([what, source]): Scenario => ({
      name: `data as ${what} is refused`,
      call: post(world.id("not-object"), source),
      status: 400,
      about: /data/,
      check: async () => assert.equal(await world.statusOf("not-object"), 404),
    }),
  ),
  {
    name: "data as text in a form is refused",
    call: { method: "POST", path, form: { ...pair, id: world.id("not-object"), data: "title" } },
    status: 400,
    about: /data/,
  },
]);

// Every form: src/core/lib/json.test.ts.
const unreadable: [string, string][] = [
  ["a number above the largest double", '{"n":1e999}'],
  ["a number above the largest double in a list", '{"n":[{"m":[1e400]}]}'],
  ["a duplicate key", '{"a":1,"a":2}'],
  ["a duplicate nested key", '{"a":{"b":[{"c":1,"c":1}]}}'],
  ["a trailing comma", '{"a":1,}'],
  ["NaN", '{"a":NaN}'],
  ["a control character in a text", '{"a":"\u0001"}'],
  ["U+0000 in a text", '{"a":"x\\u0000y"}'],
  ["U+0000 in a key", '{"a\\u0000":1}'],
  ["a lone high surrogate", '{"a":"\\ud800"}'],
  ["a lone surrogate in a key", '{"\\ud800":1}'],
  ["the key __proto__", '{"__proto__":{"polluted":1}}'],
  ["the key __proto__, escaped", '{"\\u005f_proto__":{"polluted":1}}'],
  ["the key constructor, deep", '{"a":[{"constructor":{"prototype":{"polluted":1}}}]}'],
];

table(
  "JSON that parsers read differently is refused",
  world,
  unreadable.map(
    ([what, source]): Scenario => ({
      name: `${what} in data is refused`,
      call: post(world.id("unreadable"), source),
      status: 400,
      never: ["polluted"],
      check: async () => assert.equal(await world.statusOf("unreadable"), 404),
    }),
  ),
);

table("GET /api/entries, one entry", world, [
  {
    name: "a missing entry is 404",
    call: { path, query: { id: world.id("nothing"), token: pair.token } },
    status: 404,
    code: "entry_not_found",
    about: /nothing/,
  },
  {
    name: "outer slashes of the id do not matter",
    call: { path, query: { id: `//${world.prefix}/`, token: pair.token } },
    status: 200,
    holds: [`"slug":"${world.prefix}"`],
  },
  {
    name: "a junk argument changes nothing",
    call: { path, query: { id: world.prefix, token: pair.token, _: "1699", utm: "x" } },
    status: 200,
    holds: [`"slug":"${world.prefix}"`],
  },
  {
    name: "a collection=false option reads one entry",
    call: { path, query: { id: world.prefix, token: pair.token, options: { collection: "false" } } },
    status: 200,
    holds: [`"slug":"${world.prefix}"`],
  },
]);

describe("the number of keys of an entry", () => {
  const numbered = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]));
  const make = (name: string, data: object) => world.write("POST", { id: world.id(name), data });
  const patch = (name: string, data: object) => world.write("PATCH", { id: world.id(name), data });

  test("10,000 keys at all depths are accepted; one more is refused and nothing is stored", async () => {
    dataOf(await make("keys/flat", numbered(10_000)));
    dataOf(await make("keys/deep", { a: { b: [numbered(4998), { c: numbered(4998) }] }, content: "x" }));
    for (const data of [numbered(10_001), { a: numbered(10_000) }, { a: [{ b: numbered(9999) }], c: 1 }]) {
      refused(await make("keys/more", data), 413, "data_too_large", /data.*10000 keys/);
    }
    assert.equal(await world.statusOf("keys/more"), 404);
    refused(await patch("keys/flat", { one: 1 }), 413, "data_too_large");
    refused(await patch("keys/flat", { k0: { more: 1 } }), 413, "data_too_large");
    assert.equal(dataOf(await patch("keys/flat", { k0: "changed" })).k0, "changed");
  });

  test("list items and the service's fields do not count as keys", async () => {
    const list = dataOf(await make("keys/list", { list: Array.from({ length: 50_000 }, (_, i) => i) }));
    assert.equal(list.list.length, 50_000);
    const entry = dataOf(await make("keys/back", numbered(10_000)));
    assert.equal((await patch("keys/back", entry)).status, 200);
  });
});

allRepliesKeptTheirPromises(world);
