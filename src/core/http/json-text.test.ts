import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { type Reply, useWorld } from "../../../test/harness.ts";

/**
 * Generated clients send JSON where browsers send names with brackets: an object in a form as JSON text or as a part of
 * type application/json, `filter` and `options` of a query as one JSON text. Contract §1.
 */

const world = useWorld();
const headers = () => ({ Authorization: `Bearer ${world.token.management}`, "X-Access-Token": world.token.access });

// ------------------------------------------------------------------------------------------------ forms

type Part = { name: string; value: string; type?: string; filename?: string };

function multipart(parts: Part[]): { body: string; type: string } {
  const pieces = parts.map(({ name, value, type, filename }) => {
    const file = filename === undefined ? "" : `; filename="${filename}"`;
    const typed = type === undefined ? "" : `Content-Type: ${type}\r\n`;
    return `--edge\r\nContent-Disposition: form-data; name="${name}"${file}\r\n${typed}\r\n${value}\r\n`;
  });
  return { body: `${pieces.join("")}--edge--\r\n`, type: "multipart/form-data; boundary=edge" };
}

const sendParts = (method: string, path: string, parts: Part[]): Promise<Reply> => {
  const { body, type } = multipart(parts);
  return world.send(method, path, { body, headers: { ...headers(), "Content-Type": type } });
};
const sendForm = (method: string, path: string, fields: Record<string, string>): Promise<Reply> => {
  const type = { "Content-Type": "application/x-www-form-urlencoded" };
  return world.send(method, path, { body: new URLSearchParams(fields).toString(), headers: { ...headers(), ...type } });
};

const json = "application/json";
const exact =
  '{"title":"Dune","year":2021,"big":9007199254740993,"one":1.0,"cast":[{"name":"Paul"}],"none":{},"n":null}';
const kept = exact.slice(0, -1);

let count = 0;
const fresh = () => `json/${++count}`;

const bad: [data: string, code: string, detail: RegExp][] = [
  ['{"title":', "argument_invalid", /"data".*JSON/],
  ['"Dune"', "argument_invalid", /"data" was .*an object/],
  ["[1]", "argument_invalid", /"data" was "a list".*an object/],
  ["null", "argument_invalid", /"data" was "null".*an object/],
  ['{"a":1,"a":2}', "argument_invalid", /"data".*"a" twice/],
  ['{"a":1e999}', "argument_invalid", /"data".*1e999/],
  [`${'{"a":'.repeat(65)}1${"}".repeat(65)}`, "argument_invalid", /"data".*64 levels/],
  ["[".repeat(1000), "argument_invalid", /"data".*levels/],
  ['{"__proto__":1}', "key_forbidden", /__proto__/],
  ['{"a":{"constructor":1}}', "key_forbidden", /constructor/],
  ['{"a":"\\u0000"}', "text_invalid", /"data".*U\+0000/],
  ['{"a":"\\ud800"}', "text_invalid", /"data".*surrogate/],
];

/** An object as each kind of form may encode it. */
const carriers: Record<string, (method: string, path: string, id: string, data: string) => Promise<Reply>> = {
  "the JSON text of a form field": (method, path, id, data) => sendForm(method, path, { id, data }),
  "the JSON text of a part": (method, path, id, value) =>
    sendParts(method, path, [
      { name: "id", value: id },
      { name: "data", value },
    ]),
  "a part of type application/json": (method, path, id, value) =>
    sendParts(method, path, [
      { name: "data", value, type: json },
      { name: "id", value: id },
    ]),
  "such a part with a charset": (method, path, id, value) =>
    sendParts(method, path, [
      { name: "data", value, type: `${json}; charset=utf-8` },
      { name: "id", value: id },
    ]),
  "such a part with the file name of a Blob": (method, path, id, value) =>
    sendParts(method, path, [
      { name: "data", value, type: json, filename: "blob" },
      { name: "id", value: id },
    ]),
  "all parts of type application/json": (method, path, id, value) =>
    sendParts(method, path, [
      { name: "data", value, type: json, filename: "blob" },
      { name: "id", value: JSON.stringify(id), type: json },
    ]),
};

for (const [what, send] of Object.entries(carriers)) {
  describe(`an object as ${what}`, () => {
    test("is stored as sent, by every route that accepts one", async () => {
      for (const path of ["/api/entries", "/api/management/entries"]) {
        const id = fresh();
        const made = await send("POST", path, id, exact);
        assert.equal(made.status, 200, made.text);
        assert.ok(made.text.startsWith(`{"data":${kept},`), made.text);
        const changed = await send("PATCH", path, id, '{"title":"Other","year":{"a":[1e2]}}');
        assert.ok(changed.text.startsWith('{"data":{"title":"Other","year":{"a":[1e2]},"big":9007199254740993'), what);
      }
    });

    test("is refused where it is no object, too deep, or has what no text may have", async () => {
      const id = fresh();
      for (const [data, code, detail] of bad) {
        const { status, json: body } = await send("POST", "/api/entries", id, data);
        assert.deepEqual([status, body.code], [400, code], String(body.detail));
        assert.match(String(body.detail), detail);
      }
      assert.equal((await world.send("GET", "/api/entries", { query: { id }, headers: headers() })).status, 404);
    });
  });
}

describe("in a form", () => {
  test("an object in brackets keeps its texts, even JSON texts", async () => {
    const id = fresh();
    const reply = await sendForm("POST", "/api/entries", { id, "data[n]": "15", "data[o]": '{"a":1}' });
    assert.ok(reply.text.startsWith('{"data":{"n":"15","o":"{\\"a\\":1}",'), reply.text);
  });

  test("a part of type application/json inside brackets keeps its types", async () => {
    const reply = await sendParts("POST", "/api/entries", [
      { name: "id", value: fresh() },
      { name: "data[n]", value: "15" },
      { name: "data[o][list][]", value: '{"a":[1,true]}', type: json },
      { name: "data[o][list][]", value: "x" },
    ]);
    assert.ok(reply.text.startsWith('{"data":{"n":"15","o":{"list":[{"a":[1,true]},"x"]},'), reply.text);
  });

  const twice: [string, Part[]][] = [
    [
      "text and brackets",
      [
        { name: "data", value: "{}" },
        { name: "data[a]", value: "1" },
      ],
    ],
    [
      "a part and brackets",
      [
        { name: "data", value: "{}", type: json },
        { name: "data[a]", value: "1" },
      ],
    ],
    [
      "brackets and a part",
      [
        { name: "data[a]", value: "1" },
        { name: "data", value: "{}", type: json },
      ],
    ],
    [
      "two parts",
      [
        { name: "data", value: '{"a":1}', type: json },
        { name: "data", value: "{}", type: json },
      ],
    ],
  ];
  for (const [what, parts] of twice) {
    test(`an object as ${what} is refused`, async () => {
      const { status, json: body } = await sendParts("POST", "/api/entries", [
        { name: "id", value: fresh() },
        ...parts,
      ]);
      assert.deepEqual([status, body.code], [400, "argument_repeated"]);
    });
  }

  test("JSON of a meta field and a registry item keeps its type as a JSON part, and is text as a field", async () => {
    const put = (part: Omit<Part, "name">) =>
      sendParts("PUT", "/api/registry", [
        { name: "id", value: `json.${++count}` },
        { name: "value", ...part },
      ]);
    assert.deepEqual((await put({ value: '["en",1]', type: json })).json.data, {
      key: `json.${count}`,
      value: ["en", 1],
    });
    assert.deepEqual((await put({ value: '["en",1]' })).json.data, { key: `json.${count}`, value: '["en",1]' });
    const { status, json: body } = await put({ value: "[", type: json });
    assert.deepEqual([status, body.code], [400, "argument_invalid"]);
    assert.match(String(body.detail), /"value"/);
  });

  test("booleans and integers may be JSON too", async () => {
    const { status, json: body } = await sendParts("POST", "/api/tokens", [
      { name: "kind", value: "delivery" },
      { name: "resources", value: '["entries"]', type: json, filename: "blob" },
      { name: "limit_calls", value: "5", type: json },
    ]);
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual((body.data as { resources: string[]; limit_calls: number }).resources, ["entries"]);
    assert.equal((body.data as { limit_calls: number }).limit_calls, 5);
  });

  test("tokens may be JSON texts; a token that is not a text is refused", async () => {
    const tokens = (value: string): Part[] => [
      { name: "token", value, type: json },
      { name: "access_token", value: JSON.stringify(world.token.access), type: json },
    ];
    const parts = [
      { name: "id", value: fresh() },
      { name: "data", value: "{}", type: json },
    ];
    const as = (value: string) => {
      const { body, type } = multipart([...tokens(value), ...parts]);
      return world.send("POST", "/api/entries", { body, headers: { "Content-Type": type } });
    };
    assert.equal((await as("{}")).json.code, "argument_invalid");
    assert.equal((await as(JSON.stringify(world.token.management))).status, 200);
  });
});

describe("in an upload", () => {
  const file: Part = { name: "file", value: '{"a":1}', type: json, filename: "Data.json" };
  const upload = (...parts: Part[]) => sendParts("POST", "/api/files", parts);
  type FileData = { filename: string; title: string; description: string; type: string };

  test("a JSON file is a file, and fields before and after it may be JSON", async () => {
    const { status, json: body } = await upload(
      { name: "folder", value: '"json"', type: json },
      file,
      { name: "title", value: '"A \\u00e9"', type: json, filename: "blob" },
      { name: "description", value: "plain" },
    );
    assert.equal(status, 200, JSON.stringify(body));
    const { filename, title, description, type } = body.data as FileData;
    assert.deepEqual([filename, title, description, type], ["data.json", "A é", "plain", "application/json"]);
  });

  test("a field that is not JSON is refused by its name, and nothing is stored", async () => {
    for (const parts of [
      [{ name: "title", value: "{", type: json }, file],
      [file, { name: "title", value: "{", type: json }],
    ]) {
      const { status, json: body } = await upload({ name: "folder", value: "none" }, ...parts);
      assert.deepEqual([status, body.code], [400, "argument_invalid"]);
      assert.match(String(body.detail), /"title"/);
    }
    const { status } = await world.send("GET", "/api/files", { query: { path: "none" }, headers: headers() });
    assert.equal(status, 404);
  });

  test("an object where a text is expected, a second file, a file under another name are refused", async () => {
    const folder = { name: "folder", value: "none" };
    assert.equal(
      (await upload(folder, { name: "title", value: "{}", type: json }, file)).json.code,
      "argument_invalid",
    );
    assert.equal((await upload(folder, file, file)).json.code, "argument_repeated");
    const other = { name: "picture", value: "x", filename: "x.txt" };
    assert.equal((await upload(folder, other, file)).json.code, "argument_invalid");
  });

  test("a JSON part has the size limit of a form", async () => {
    const title = { name: "title", value: `"${"x".repeat(1_400_000)}"`, type: json, filename: "blob" };
    assert.equal((await upload({ name: "folder", value: "none" }, title, file)).json.code, "body_too_large");
  });
});

// ------------------------------------------------------------------------------------------------ queries

before(async () => {
  await world.ready;
  const rows = [
    ["films", {}],
    ["films/a", { title: "A", year: 1979, tags: ["x", "y"], died: null, seen: true }],
    ["films/b", { title: "B", year: 1999, tags: ["x"], died: 1990, seen: false }],
    ["films/c", { title: "C", year: "2016", tags: [], died: 2000 }],
  ] as const;
  for (const [id, data] of rows) {
    const { status, text } = await world.send("POST", "/api/entries", { headers: headers(), body: { id, data } });
    assert.equal(status, 200, text);
  }
  const { status } = await sendParts("POST", "/api/files", [
    { name: "folder", value: "films" },
    { name: "file", value: "x", filename: "x.txt" },
  ]);
  assert.equal(status, 200);
});

const ask = (query: string, path = "/api/entries"): Promise<Reply> =>
  world.send("GET", `${path}?${query}`, { headers: headers() });
const encode = (value: unknown) => encodeURIComponent(JSON.stringify(value));

/** The same read in brackets and as JSON. */
const same: [brackets: string, filter: unknown, options?: unknown][] = [
  ["filter[limit]=1", { limit: 1 }],
  ["filter[limit]=1", { limit: "1" }],
  ["filter=", {}],
  [
    "filter[where][key]=year&filter[where][expr]=gte&filter[where][value]=1999",
    { where: { key: "year", expr: "gte", value: 1999 } },
  ],
  [
    "filter[where][0][key]=year&filter[where][0][expr]=in&filter[where][0][value][]=1979&filter[where][0][value][]=1999",
    { where: [{ key: "year", expr: "in", value: [1979, 1999] }] },
  ],
  [
    "filter[where][key]=seen&filter[where][expr]=eq&filter[where][value]=true",
    { where: { key: "seen", expr: "eq", value: true } },
  ],
  [
    "filter[where][key]=died&filter[where][expr]=eq&filter[where][value]=null",
    { where: { key: "died", expr: "eq", value: null } },
  ],
  [
    "filter[order_by][field]=year&filter[order_by][direction]=desc&filter[total]=true",
    { order_by: { field: "year", direction: "desc" }, total: true },
  ],
  ["filter[only][]=title&filter[only][]=slug", { only: ["title", "slug"] }],
  ["filter[return]=count", { return: "count" }],
  ["options[collection]=true", undefined, { collection: true }],
  ["options[filter][only][]=title", undefined, { filter: { only: ["title"] } }],
  ["filter[limit]=2&options[find][depth]=1", { limit: 2 }, { find: { depth: 1 } }],
];

describe("filter and options as one JSON text", () => {
  test("read as the same in brackets", async () => {
    for (const [brackets, filter, options] of same) {
      const asked = { ...(filter !== undefined && { filter }), ...(options !== undefined && { options }) };
      const query = Object.entries(asked).map(([name, value]) => `&${name}=${encode(value)}`);
      const [plain, made] = [await ask(`id=films&${brackets}`), await ask(`id=films${query.join("")}`)];
      assert.equal(made.status, 200, made.text);
      assert.equal(made.text, plain.text);
      assert.equal(made.headers.get("x-total-count"), plain.headers.get("x-total-count"));
    }
  });

  test("JSON whitespace and escapes are accepted", async () => {
    const { json: body } = await ask(`id=films&filter=${encodeURIComponent(' {\n "only" : ["t\\u0069tle"] } ')}`);
    assert.deepEqual(body.data, [{ title: "A" }, { title: "B" }, { title: "C" }]);
  });

  test("pages continue, and a cursor belongs to the filter in either form", async () => {
    const first = await ask(`id=films&filter=${encode({ limit: 2, only: ["slug"] })}`);
    const next = /^<([^>]+)>; rel="next"$/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
    assert.deepEqual((await world.send("GET", next, { headers: headers() })).json.data, [{ slug: "films/c" }]);
    const cursor = new URL(next, "http://x").searchParams.get("cursor");
    const brackets = await ask(`id=films&filter[limit]=2&filter[only][]=slug&cursor=${cursor}`);
    assert.deepEqual(brackets.json.data, [{ slug: "films/c" }]);
    assert.equal(
      (await ask(`id=films&filter=${encode({ search: "a" })}&cursor=${cursor}`)).json.code,
      "cursor_invalid",
    );
  });

  test("files and folders accept it, too, in both dialects", async () => {
    const filter = encode({ only: ["filename"] });
    assert.deepEqual((await ask(`path=films&filter=${filter}`, "/api/files")).json.data, {
      "x.txt": { filename: "x.txt" },
    });
    const options = encode({ collection: true, limit: 1 });
    assert.equal(
      Object.keys((await ask(`id=films&options=${options}`, "/api/media/files")).json.data as object).length,
      1,
    );
    assert.deepEqual(
      (await ask(`path=&options=${encode({ collection: true, only: ["path"] })}`, "/api/folders")).json.data,
      [{ path: "films" }, { path: "json" }],
    );
  });

  const deep = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`);
  const many = (members: number) => Object.fromEntries(Array.from({ length: members }, (_, i) => [`k${i}`, 1]));
  const refused: [string, string, string, RegExp][] = [
    ["no JSON", '{"limit":1', "filter_invalid", /"filter".*JSON/],
    ["a duplicate key", '{"limit":1,"limit":2}', "filter_invalid", /"filter".*twice/],
    ["a list", "[1]", "filter_invalid", /"filter"/],
    ["another text", "limit", "filter_invalid", /"filter"/],
    ["nine levels", JSON.stringify(deep(8)), "query_too_complex", /8 levels/],
    ["a thousand levels", '{"a":'.repeat(1000), "query_too_complex", /levels/],
    ["101 items", JSON.stringify({ only: Array(101).fill("a") }), "query_too_complex", /100 items/],
    ["201 members", JSON.stringify(many(201)), "query_too_complex", /200 parameters/],
    [
      "201 members in lists",
      JSON.stringify({ a: Array(100).fill([1]), b: Array(100).fill(1), c: 1 }),
      "query_too_complex",
      /200/,
    ],
    ["a forbidden key", '{"where":{"__proto__":1}}', "key_forbidden", /__proto__/],
    ["an escaped U+0000", '{"search":"\\u0000"}', "text_invalid", /"filter".*U\+0000/],
    ["an escaped lone surrogate", '{"search":"\\ud800"}', "text_invalid", /"filter".*surrogate/],
    ["an unknown operator", '{"where":{"key":"a","expr":"?","value":1}}', "filter_invalid", /filter\[where\]\[expr\]/],
    ["a negative limit", '{"limit":-1}', "filter_invalid", /filter\[limit\]/],
    ["a limit above the maximum", '{"limit":1000000}', "limit_too_large", /limit/],
    ["more than 16 KiB", JSON.stringify({ search: "x".repeat(17_000) }), "query_too_complex", /bytes/],
  ];
  for (const [what, text, code, detail] of refused) {
    test(`${what} is refused`, async () => {
      const { status, json: body } = await ask(`id=films&filter=${encodeURIComponent(text)}`);
      assert.deepEqual([status, body.code], [400, code], String(body.detail));
      assert.match(String(body.detail), detail);
    });
  }

  test("a filter within the limits is accepted", async () => {
    for (const filter of [many(200), { only: Array(100).fill("title") }]) {
      assert.equal((await ask(`id=films&filter=${encode(filter)}`)).status, 200);
    }
    // It is read, and is no condition.
    const { status, json: body } = await ask(`id=films&filter=${encode(deep(7))}`);
    assert.deepEqual([status, body.code], [400, "filter_invalid"]);
    assert.match(String(body.detail), /filter\[where\]\[key\]=a\.a\.a\.a\.a\.a\.a&/);
  });

  test("both forms of one argument are refused", async () => {
    const { status, json: body } = await ask(`id=films&filter=${encode({ limit: 1 })}&filter[offset]=1`);
    assert.deepEqual([status, body.code], [400, "argument_repeated"]);
  });

  test("options that are not JSON are refused by name", async () => {
    const { status, json: body } = await ask(`id=films&options=${encodeURIComponent('{"collection":tru')}`);
    assert.deepEqual([status, body.code], [400, "filter_invalid"]);
    assert.match(String(body.detail), /"options"/);
  });

  test("a text of another argument stays a text, even if it looks like JSON", async () => {
    const { json: body } = await ask(`id=${encodeURIComponent('{"a":1}')}`);
    assert.equal(body.code, "entry_not_found");
    const images = { Authorization: `Bearer ${world.token.images}` };
    const reply = await world.send("GET", `/api/images/films/x.txt?filter=${encodeURIComponent("{")}`, {
      headers: images,
    });
    assert.equal(reply.json.code, "image_unsupported");
  });
});
