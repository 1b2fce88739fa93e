/** The fields that clients give files, in both dialects: add, update, delete. Contract §5, Meta. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Arguments, Call, Reply } from "./client.ts";
import {
  dialects,
  enterMedia,
  fetchBytes,
  file,
  fileKeys,
  files,
  idDialect,
  keysBeforeMeta,
  pairHeaders,
  pathDialect,
  plantFile,
  png,
  readFile,
  urlOf,
} from "./media.ts";
import { type Any, allRepliesKeptTheirPromises, dataOf, refused, type Scenario, table, tagOf } from "./world.ts";

const world = await enterMedia("meta");
const { tokens, pair } = world;

const reserved = [...fileKeys];
const settable = ["title", "description"];

/** The keys of a file with these meta fields, in order. */
const keysWith = (...fields: string[]): string[] => [
  ...fileKeys.slice(0, keysBeforeMeta),
  ...fields,
  ...fileKeys.slice(keysBeforeMeta),
];

type Meta = {
  add(name: string, field: unknown, value?: unknown, more?: Any): Promise<Reply>;
  update(name: string, field: unknown, value?: unknown, more?: Any): Promise<Reply>;
  remove(name: string, field: unknown, more?: Any): Promise<Reply>;
};
const metaOf = ({ at, files }: (typeof dialects)[number]): Meta => {
  const write =
    (method: string) =>
    (name: string, field: unknown, value?: unknown, more: Any = {}) =>
      world.write(method, { [at]: world.id(name), field, value, ...more }, `${files}/meta`);
  return {
    add: write("POST"),
    update: write("PATCH"),
    remove: (name, field, more) => write("DELETE")(name, field, undefined, more),
  };
};
const { add, update, remove } = metaOf(pathDialect);

async function unchangedBy(name: string, action: () => Promise<Reply>): Promise<Reply> {
  const before = await readFile(world, name);
  const reply = await action();
  const after = await readFile(world, name);
  assert.equal(after.text, before.text, "nothing changed");
  assert.equal(tagOf(after), tagOf(before));
  return reply;
}

/** The state that no refused call may change. */
await plantFile(world, "guard.txt");
const guarded = dataOf(await add("guard.txt", "own", { a: "1" }));

for (const dialect of dialects) {
  const { at, to, files: address } = dialect;
  const d = at === "path" ? "p" : "m";
  const meta = metaOf(dialect);

  describe(`POST ${address}/meta`, () => {
    test("adding answers the file with the field at its top level, among the service's fields", async () => {
      const before = await plantFile(world, `${d}/add.txt`);
      const reply = dataOf(await meta.add(`${d}/add.txt`, "tags", "a, b"));
      assert.deepEqual(reply, { ...before, tags: "a, b" });
      assert.deepEqual(Object.keys(reply), keysWith("tags"));
      const second = dataOf(await meta.add(`${d}/add.txt`, "author", { name: "Ann" }));
      assert.deepEqual(Object.keys(second), keysWith("tags", "author"));
      for (const by of dialects) assert.deepEqual(await file(world, `${d}/add.txt`, by), second);
      const delivered = await world.read({ [at]: world.id(`${d}/add.txt`) }, tokens.delivery, address);
      assert.deepEqual(dataOf(delivered), second);
      assert.deepEqual((await files(world, d))["add.txt"], second);
    });

    test("an existing field, even null, is 409 and stays", async () => {
      await plantFile(world, `${d}/there.txt`);
      for (const [field, value] of [
        ["a", "1"],
        ["b", null],
        ["c", {}],
        ["d", ""],
        ["e", false],
      ] as [string, Any][]) {
        dataOf(await meta.add(`${d}/there.txt`, field, value));
        const again = await unchangedBy(`${d}/there.txt`, () => meta.add(`${d}/there.txt`, field, "other"));
        refused(again, 409, "field_exists", new RegExp(field));
      }
    });

    test("focal is two numbers from 0 to 1, 422 else", async () => {
      await plantFile(world, `${d}/focal.png`, { bytes: png({}) });
      const good = ["0,0", "1,1", "0.25,0.6", ".5,1.0"];
      const bad = ["", "0.5", "0.5,", "0.5,0.5,0.5", "0.5;0.5", "1.1,0", "0,-0.1", "a,b", "50,50", "0x1,0", "1e-1,0"];
      const others = [null, 0.5, [0.5, 0.5], { x: 0.5, y: 0.5 }, "0.5,0.5 ", "NaN,0"];
      for (const value of [...bad, ...others]) {
        const reply = await unchangedBy(`${d}/focal.png`, () => meta.add(`${d}/focal.png`, "focal", value as Any));
        refused(reply, 422, "focal_invalid", /two numbers from 0 to 1/);
      }
      refused(await meta.add(`${d}/focal.png`, "focal.x", "0.5"), 422, "focal_invalid");
      dataOf(await meta.add(`${d}/focal.png`, "focal", good[0]));
      for (const value of good) assert.equal(dataOf(await meta.update(`${d}/focal.png`, "focal", value)).focal, value);
      const reply = await unchangedBy(`${d}/focal.png`, () => meta.update(`${d}/focal.png`, "focal", "2,0"));
      refused(reply, 422, "focal_invalid");
      assert.ok(!("focal" in dataOf(await meta.remove(`${d}/focal.png`, "focal"))));
    });

    test("bytes, version and uploaded_on stay", async () => {
      const bytes = png({ shade: 5 });
      const before = await plantFile(world, `${d}/bytes.png`, { bytes });
      const after = dataOf(await meta.add(`${d}/bytes.png`, "alt", "A"));
      assert.deepEqual(after, { ...before, alt: "A" });
      assert.deepEqual((await fetchBytes(world, `${d}/bytes.png`)).bytes, bytes);
    });

    test("new_path has no effect", async () => {
      await plantFile(world, `${d}/stay.txt`);
      for (const [n, name] of ["new_path", "new_id"].entries()) {
        const more = { [name]: world.id(`${d}/gone.txt`) };
        const added = dataOf(await meta.add(`${d}/stay.txt`, `f${n}`, "x", more));
        assert.equal(added.url, urlOf(world, `${d}/stay.txt`));
        assert.equal(dataOf(await meta.update(`${d}/stay.txt`, `f${n}`, "y", more))[`f${n}`], "y");
        const removed = dataOf(await meta.remove(`${d}/stay.txt`, `f${n}`, more));
        assert.ok(!(`f${n}` in removed));
        assert.equal(removed.filename, "stay.txt");
      }
      const odd = dataOf(await meta.add(`${d}/stay.txt`, "odd", "x", { [to]: "../.." }));
      assert.equal(odd.odd, "x");
      refused(await readFile(world, `${d}/gone.txt`), 404, "file_not_found");
    });
  });

  describe(`PATCH ${address}/meta`, () => {
    test("updating answers the file with the new value at the same position", async () => {
      await plantFile(world, `${d}/upd.txt`);
      for (const field of ["a", "b", "c"]) dataOf(await meta.add(`${d}/upd.txt`, field, field));
      const reply = dataOf(await meta.update(`${d}/upd.txt`, "b", { x: [1] }));
      assert.deepEqual(reply.b, { x: [1] });
      assert.deepEqual(Object.keys(reply), keysWith("a", "b", "c"));
      assert.deepEqual(await file(world, `${d}/upd.txt`), reply);
      assert.equal(dataOf(await meta.update(`${d}/upd.txt`, "b", null)).b, null);
      assert.equal(dataOf(await meta.update(`${d}/upd.txt`, "b", "back")).b, "back");
    });

    test("title and description can be updated, with texts", async () => {
      await plantFile(world, `${d}/title.txt`);
      for (const field of settable) {
        for (const value of ["Ünï 😀", "", "two\nlines", "5"]) {
          const reply = dataOf(await meta.update(`${d}/title.txt`, field, value));
          assert.equal(reply[field], value);
          assert.deepEqual(Object.keys(reply), fileKeys);
        }
        for (const value of [5, true, null, ["x"], { a: "x" }]) {
          const reply = await unchangedBy(`${d}/title.txt`, () => meta.update(`${d}/title.txt`, field, value));
          refused(reply, 400, undefined, new RegExp(`${field}|value`));
        }
        refused(await unchangedBy(`${d}/title.txt`, () => meta.update(`${d}/title.txt`, `${field}.x`, "y")), 400);
      }
    });

    test("a missing field is 404 and is not created", async () => {
      await plantFile(world, `${d}/unknown.txt`, {});
      dataOf(await meta.add(`${d}/unknown.txt`, "a", { b: 1 }));
      for (const field of ["x", "a.c", "a.c.d", "x.y", "A", "toString", "a.length", "valueOf"]) {
        const reply = await unchangedBy(`${d}/unknown.txt`, () => meta.update(`${d}/unknown.txt`, field, "v"));
        refused(reply, 404, "field_not_found");
      }
    });
  });

  describe(`DELETE ${address}/meta`, () => {
    test("deleting answers the file without the field; repeated it is 404", async () => {
      const before = await plantFile(world, `${d}/del.txt`);
      dataOf(await meta.add(`${d}/del.txt`, "a", "1"));
      dataOf(await meta.add(`${d}/del.txt`, "b", null));
      const reply = dataOf(await meta.remove(`${d}/del.txt`, "a"));
      assert.deepEqual(reply, { ...before, b: null });
      assert.deepEqual(dataOf(await meta.remove(`${d}/del.txt`, "b")), before);
      for (const field of ["a", "b", "never", "hasOwnProperty"]) {
        refused(await meta.remove(`${d}/del.txt`, field), 404, "field_not_found", new RegExp(field));
      }
      assert.deepEqual(dataOf(await meta.add(`${d}/del.txt`, "a", "2")), { ...before, a: "2" });
    });

    test("value has no effect", async () => {
      await plantFile(world, `${d}/delvalue.txt`);
      dataOf(await meta.add(`${d}/delvalue.txt`, "a", "1"));
      assert.ok(!("a" in dataOf(await meta.remove(`${d}/delvalue.txt`, "a", { value: "2" }))));
    });

    test("the arguments may be in the query", async () => {
      await plantFile(world, `${d}/delquery.txt`);
      dataOf(await meta.add(`${d}/delquery.txt`, "a", "1"));
      const query = { [at]: world.id(`${d}/delquery.txt`), field: "a" };
      const call = { method: "DELETE", path: `${address}/meta`, query, headers: pairHeaders(world) };
      assert.deepEqual(Object.keys(dataOf(await world.send(call))), fileKeys);
    });
  });

  describe(`${address}/meta and names`, () => {
    test("path and id are synonyms and refused when they differ", async () => {
      await plantFile(world, `${d}/alias.txt`);
      const id = world.id(`${d}/alias.txt`);
      const other = at === "path" ? "id" : "path";
      const write = (method: string, args: Any) =>
        world.write(method, { field: "f", value: "v", ...args }, `${address}/meta`);
      for (const method of ["POST", "PATCH", "DELETE"]) {
        refused(await write(method, { path: id, id: `${id}x` }), 400, "argument_conflict");
      }
      for (const method of ["POST", "PATCH", "DELETE"]) dataOf(await write(method, { [other]: id }));
    });

    test("a missing file is 404, and so is a folder", async () => {
      for (const name of ["nothing.txt", d]) {
        refused(await meta.add(name, "f", "v"), 404, "file_not_found", new RegExp(`"${at}"`));
        refused(await meta.update(name, "title", "v"), 404, "file_not_found");
        refused(await meta.remove(name, "f"), 404, "file_not_found");
      }
    });

    test("a form gives texts", async () => {
      await plantFile(world, `${d}/form.txt`);
      const form = (field: string, value: string) => ({ ...pair, [at]: world.id(`${d}/form.txt`), field, value });
      const send = (call: Partial<Call>) => world.send({ method: "POST", path: `${address}/meta`, ...call });
      for (const [n, value] of ["5", "true", "null", "{}", "[1]", "", " x ", "ü=&"].entries()) {
        assert.equal(dataOf(await send({ form: form(`f${n}`, value) }))[`f${n}`], value);
        assert.equal(dataOf(await send({ multipart: form(`m${n}`, value) }))[`m${n}`], value);
        assert.equal(dataOf(await send({ method: "PATCH", form: form(`m${n}`, `${value}!`) }))[`m${n}`], `${value}!`);
      }
    });
  });

  table(`${address}/meta refuses`, world, refusalsOf(dialect));
}

function refusalsOf({ at, files }: (typeof dialects)[number]): Scenario[] {
  const path = `${files}/meta`;
  const good = { ...pair, [at]: world.id("guard.txt"), field: "own.a", value: "v" };
  const check = async () => assert.deepEqual(await file(world, "guard.txt"), guarded);
  const row = (name: string, method: string, args: Any, more: Partial<Scenario> = {}): Scenario => ({
    name: `${method} with ${name}`,
    call: { method, path, json: { ...good, ...args } },
    status: 400,
    check,
    ...more,
  });
  const methods = ["POST", "PATCH", "DELETE"];
  const without = (name: string) => ({ [name]: undefined });
  return [
    ...methods.flatMap((method): Scenario[] => [
      row(`no ${at}`, method, without(at), { code: "argument_missing", about: new RegExp(`"${at}"`) }),
      row("no field", method, without("field"), { code: "argument_missing", about: /"field"/ }),
      row("the root", method, { [at]: "/" }),
      row("a path that breaks a rule", method, { [at]: "../x" }, { code: "path_invalid" }),
      ...[5, true, null, ["own"], { own: "a" }].map((field) =>
        row(`${JSON.stringify(field)} as field`, method, { field }, { about: /"field"/ }),
      ),
      ...["", ".", "..", "own.", ".own", "own..a"].map((field) =>
        row(`the field ${JSON.stringify(field)}`, method, { field }, { code: "argument_invalid", about: /"field"/ }),
      ),
      ...["__proto__", "constructor", "prototype", "own.__proto__", "__proto__.x", "own.constructor.prototype"].map(
        (field) => row(`the field ${field}`, method, { field }, { code: "key_forbidden" }),
      ),
      row("U+0000 in the field", method, { field: "own.b\0" }),
      ...["exif.Width", "type.x", "url.a.b"].map((field) =>
        row(`the field ${field}`, method, { field }, { code: "field_reserved" }),
      ),
      ...reserved
        .filter((field) => method !== "PATCH" || !settable.includes(field))
        .map((field) =>
          row(`the field ${field}`, method, { field }, { code: "field_reserved", about: new RegExp(field) }),
        ),
    ]),
    ...["POST", "PATCH"].map((method) =>
      row("no value", method, without("value"), { code: "argument_missing", about: /"value"/ }),
    ),
    row("U+0000 in the value", "PATCH", { value: "a\0b" }, { code: "text_invalid" }),
    row("U+0000 deep in the value", "PATCH", { value: { a: ["\0"] } }, { code: "text_invalid" }),
    ...[
      ["a number above the largest double", "1e999"],
      ["a duplicate key", '{"a":1,"a":2}'],
      ["__proto__ as a key", '{"__proto__":1}'],
      ["__proto__ as a key deep down", '[{"a":{"__proto__":{}}}]'],
      ["a lone surrogate", '"\\ud800"'],
      ["70 levels", `${"[".repeat(70)}${"]".repeat(70)}`],
    ].map(([name, value]): Scenario => {
      const { value: _, ...rest } = good;
      const json = `${JSON.stringify(rest).slice(0, -1)},"value":${value}}`;
      return { name: `PATCH with ${name} as value`, call: { method: "PATCH", path, json }, status: 400, check };
    }),
  ];
}

describe("dotted names", () => {
  test("nest, and missing parents are created", async () => {
    await plantFile(world, "dots.txt");
    assert.deepEqual(dataOf(await add("dots.txt", "a.b.c", "1")).a, { b: { c: "1" } });
    assert.deepEqual(dataOf(await add("dots.txt", "a.b.d", 2)).a, { b: { c: "1", d: 2 } });
    assert.deepEqual(dataOf(await add("dots.txt", "a.e", [])).a, { b: { c: "1", d: 2 }, e: [] });
    assert.deepEqual(dataOf(await update("dots.txt", "a.b.c", { x: 1 })).a.b.c, { x: 1 });
    assert.deepEqual(dataOf(await remove("dots.txt", "a.b.c.x")).a.b.c, {}, "an empty object remains");
    assert.deepEqual(dataOf(await remove("dots.txt", "a.b")).a, { e: [] });
    assert.deepEqual(Object.keys(await file(world, "dots.txt")), keysWith("a"));
  });

  test("an existing object is 409 to add, but a key in it can be added", async () => {
    await plantFile(world, "dots2.txt");
    dataOf(await add("dots2.txt", "a.b", "1"));
    refused(await add("dots2.txt", "a", "x"), 409, "field_exists");
    refused(await add("dots2.txt", "a.b", "x"), 409, "field_exists");
    assert.deepEqual(dataOf(await add("dots2.txt", "a.toString", "y")).a, { b: "1", toString: "y" });
  });

  test("below a text, a number or a boolean they are refused", async () => {
    await plantFile(world, "below.txt");
    for (const [n, value] of ["text", "", 5, 1.5, true, false].entries()) {
      dataOf(await add("below.txt", `f${n}`, value));
      dataOf(await add("below.txt", `g.f${n}`, value));
      for (const field of [`f${n}.x`, `f${n}.0`, `f${n}.length`, `g.f${n}.x.y`]) {
        for (const act of [add, update, remove]) {
          const reply = await unchangedBy("below.txt", () => act("below.txt", field, act === remove ? {} : "v"));
          refused(reply, 400, "field_invalid");
        }
      }
    }
  });

  test("count the elements of a list", async () => {
    await plantFile(world, "list.txt");
    dataOf(await add("list.txt", "tags", ["a", { x: 1 }, "c"]));
    assert.deepEqual(dataOf(await update("list.txt", "tags.0", "A")).tags, ["A", { x: 1 }, "c"]);
    assert.deepEqual(dataOf(await update("list.txt", "tags.1.x", 2)).tags, ["A", { x: 2 }, "c"]);
    assert.deepEqual(dataOf(await add("list.txt", "tags.1.y", 3)).tags, ["A", { x: 2, y: 3 }, "c"]);
    assert.deepEqual(dataOf(await add("list.txt", "tags.3", "d")).tags, ["A", { x: 2, y: 3 }, "c", "d"]);
    assert.deepEqual(dataOf(await remove("list.txt", "tags.1")).tags, ["A", "c", "d"]);
    refused(await add("list.txt", "tags.0", "x"), 409, "field_exists");
    for (const segment of ["x", "-1", "4", "99999999", "01", "1.5x", "length", " 0", "0x0", "1e0"]) {
      const reply = await unchangedBy("list.txt", () => add("list.txt", `tags.${segment}`, "x"));
      refused(reply, 400, "field_invalid");
    }
    for (const act of [update, remove]) {
      for (const segment of ["3", "x", "-1", "length"]) {
        const reply = await unchangedBy("list.txt", () =>
          act("list.txt", `tags.${segment}`, act === remove ? {} : "v"),
        );
        refused(reply, [400, 404]);
      }
    }
  });

  test("special names are kept as sent", async () => {
    await plantFile(world, "names.txt");
    const names = [
      "Größe",
      "日本語",
      "two words",
      "😀",
      "a-b",
      "a/b",
      "a[b]",
      "$x",
      "_",
      "toString",
      "path",
      "id",
      "token",
      "1",
    ];
    for (const name of names) dataOf(await add("names.txt", name, `v ${name}`));
    const one = await file(world, "names.txt");
    for (const name of names) assert.equal(one[name], `v ${name}`, name);
    for (const name of names) dataOf(await remove("names.txt", name));
    assert.deepEqual(Object.keys(await file(world, "names.txt")), fileKeys);
  });
});

describe("values", () => {
  const raw = (method: string, name: string, field: string, value: string): Promise<Reply> => {
    const head = JSON.stringify({ ...pair, path: world.id(name), field }).slice(0, -1);
    return world.send({ method, path: "/api/files/meta", json: `${head},"value":${value}}` });
  };
  const exact = [
    ...["9007199254740993", "-9007199254740993.25", "1.0", "0.1", "1e3", "123456789012345678901234567890", "-0"],
    ...["{}", "[]", "null", "true", "false", '""', '"\u2028 😀 \\"quoted\\" \\\\ \\n"'],
    '{"z":1,"a":{"2":1,"1":[{},[],null]},"0":1.50}',
    '["a",1.0,{"b":[true,{"c":{}}]}]',
  ];

  test("survive exactly as JSON: numbers, empty objects, order of keys, unicode", async () => {
    await plantFile(world, "exact.txt");
    for (const [n, value] of exact.entries()) {
      const added = await raw("POST", "exact.txt", `f${n}`, value);
      assert.equal(added.status, 200, `${value}: ${added.text}`);
      assert.ok(added.text.includes(`"f${n}":${value}`), `${value} in ${added.text}`);
      await raw("POST", "exact.txt", `u${n}.x`, '"first"');
      const updated = await raw("PATCH", "exact.txt", `u${n}.x`, value);
      assert.ok(updated.text.includes(`"u${n}":{"x":${value}}`), `${value} in ${updated.text}`);
    }
    const every = (text: string) => {
      for (const [n, value] of exact.entries()) {
        assert.ok(
          text.includes(`"f${n}":${value},`) && text.includes(`"u${n}":{"x":${value}},`),
          `${value} in ${text}`,
        );
      }
    };
    every((await readFile(world, "exact.txt")).text);
    const args = (to: string) => ({ path: world.id("exact.txt"), new_path: world.id(to) });
    every((await world.write("PUT", args("exact/copy.txt"), "/api/files/copy")).text);
    every((await world.write("PUT", args("exact/moved.txt"), "/api/files")).text);
    every((await readFile(world, "exact", idDialect, { options: { collection: true } })).text);
    every((await add("exact/moved.txt", "one", "more")).text);
  });

  test("of 600 KB are kept; past 1 MiB of fields the file accepts no more", async () => {
    await plantFile(world, "large.txt");
    const large = "x".repeat(600_000);
    assert.equal(dataOf(await add("large.txt", "a", large)).a, large);
    const reply = await unchangedBy("large.txt", () => add("large.txt", "b", large));
    refused(reply, 413, "data_too_large");
    refused(
      await unchangedBy("large.txt", () => update("large.txt", "a", "x".repeat(1_100_000))),
      413,
      "data_too_large",
    );
    dataOf(await add("large.txt", "b", "x".repeat(400_000)));
    refused(await add("large.txt", "c", "x".repeat(1_400_000)), 413);
    for (const field of ["title", "description"]) {
      dataOf(await update("large.txt", field, large));
      const past = () => update("large.txt", field, "x".repeat(1_100_000));
      refused(await unchangedBy("large.txt", past), 413, "data_too_large");
    }
  });

  test("nest 60 deep, by value and by name, and not past 64", async () => {
    await plantFile(world, "deep.txt");
    const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
    assert.equal((await raw("POST", "deep.txt", "d", deep(60))).status, 200);
    refused(await unchangedBy("deep.txt", () => raw("POST", "deep.txt", "e", deep(66))), 400);
    const name = (levels: number) => Array.from({ length: levels }, (_, n) => `s${n}`).join(".");
    dataOf(await add("deep.txt", `n.${name(58)}`, "x"));
    refused(await unchangedBy("deep.txt", () => add("deep.txt", `m.${name(70)}`, "x")), 400);
    refused(await unchangedBy("deep.txt", () => raw("PATCH", "deep.txt", `n.${name(58)}`, deep(10))), 400);
  });
});

describe("fields stay", () => {
  const fields = { tags: ["a", "b"], author: { name: "Ann", born: 1970 }, none: null };
  const plant = async (name: string, bytes: string | Uint8Array = name): Promise<Any> => {
    await plantFile(world, name, { bytes, fields: { title: "T", description: "D" } });
    for (const [field, value] of Object.entries(fields)) dataOf(await add(name, field, value));
    return file(world, name);
  };
  const kept = (one: Any) => {
    const { tags, author, none, title, description } = one;
    assert.deepEqual({ tags, author, none, title, description }, { ...fields, title: "T", description: "D" });
    assert.deepEqual(Object.keys(one), keysWith(...Object.keys(fields)));
  };
  const relocate = async (from: string, to: string, path: string) =>
    dataOf(await world.write("PUT", { path: world.id(from), new_path: world.id(to) }, path));

  test("on a move, a copy, and moves and copies of folders above", async () => {
    await plant("stay/a/x.txt");
    kept(await relocate("stay/a/x.txt", "stay/a/b/y.txt", "/api/files"));
    kept(await relocate("stay/a/b/y.txt", "stay/a/b/z.txt", "/api/files/copy"));
    await relocate("stay/a", "stay/c", "/api/folders");
    kept(await file(world, "stay/c/b/y.txt"));
    await relocate("stay/c", "stay/d/e", "/api/folders/copy");
    kept(await file(world, "stay/d/e/b/z.txt"));
    kept((await files(world, "stay/d/e/b"))["y.txt"]);
  });

  test("when the file is replaced: meta fields, title and description, but not facts about the bytes", async () => {
    const before = await plant("stay/pic.png", png({ width: 2, height: 2, shade: 1 }));
    const bytes = png({ width: 3, height: 3, shade: 2 });
    const after = await plantFile(world, "stay/pic.png", { bytes });
    kept(after);
    assert.equal(after.filesize, bytes.length);
    assert.equal(after.exif.Width, 3);
    assert.notEqual(after.version, before.version);
    const retitled = await plantFile(world, "stay/pic.png", { bytes, fields: { title: "new" } });
    assert.equal(retitled.title, "new");
    assert.equal(retitled.description, "D");
    assert.deepEqual(retitled.author, fields.author);
  });

  test("an upload's other form fields are not stored as fields", async () => {
    const one = await plantFile(world, "stay/fields.txt", { fields: { tags: "x", exif: "y" } }).catch(() => undefined);
    if (one) assert.deepEqual(Object.keys(one), fileKeys);
  });
});

describe("concurrent writes", () => {
  test("adds of different fields lose none", async () => {
    await plantFile(world, "race.txt");
    const names = Array.from({ length: 20 }, (_, n) => `f${n}`);
    const replies = await Promise.all([
      ...names.map((name) => add("race.txt", name, name)),
      ...names.map((name) => add("race.txt", `deep.${name}`, name)),
    ]);
    for (const reply of replies) assert.equal(reply.status, 200, reply.text);
    const one = await file(world, "race.txt");
    for (const name of names) assert.deepEqual([one[name], one.deep[name]], [name, name]);
  });

  test("adds, a move and a replacement lose nothing", async () => {
    await plantFile(world, "race2/x.txt");
    const names = Array.from({ length: 12 }, (_, n) => `f${n}`);
    const moved = { path: world.id("race2"), new_path: world.id("race3") };
    const replies = await Promise.all([
      ...names.slice(0, 6).map((name) => add("race2/x.txt", name, name)),
      plantFile(world, "race2/x.txt", { bytes: "new" }),
      ...names.slice(6).map((name) => add("race2/x.txt", name, name)),
    ]);
    for (const reply of replies) if ("status" in reply) assert.equal(reply.status, 200, reply.text);
    dataOf(await world.write("PUT", moved, "/api/folders"));
    const one = await file(world, "race3/x.txt");
    for (const name of names) assert.equal(one[name], name);
    assert.equal((await fetchBytes(world, "race3/x.txt")).text, "new");
  });

  test("of concurrent adds of one field exactly one succeeds", async () => {
    await plantFile(world, "duel.txt");
    const replies = await Promise.all(Array.from({ length: 10 }, (_, n) => add("duel.txt", "f", n)));
    const winners = replies.filter(({ status }) => status === 200);
    assert.equal(winners.length, 1);
    for (const reply of replies.filter(({ status }) => status !== 200)) refused(reply, 409, "field_exists");
    assert.equal((await file(world, "duel.txt")).f, dataOf(winners[0] as Reply).f);
  });

  test("of concurrent updates with one tag exactly one succeeds", async () => {
    await plantFile(world, "tag.txt");
    dataOf(await add("tag.txt", "n", -1));
    const tag = tagOf(await readFile(world, "tag.txt"));
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        world.send({
          method: "PATCH",
          path: "/api/files/meta",
          json: { ...pair, path: world.id("tag.txt"), field: "n", value: n },
          headers: { "if-match": tag },
        }),
      ),
    );
    assert.equal(replies.filter(({ status }) => status === 200).length, 1);
    for (const reply of replies.filter(({ status }) => status !== 200)) refused(reply, 412, "revision_mismatch");
  });

  test("of concurrent deletes of one field exactly one succeeds", async () => {
    await plantFile(world, "rm.txt");
    dataOf(await add("rm.txt", "f", "x"));
    const replies = await Promise.all(Array.from({ length: 8 }, () => remove("rm.txt", "f")));
    assert.equal(replies.filter(({ status }) => status === 200).length, 1);
    assert.equal(replies.filter(({ status }) => status === 404).length, 7);
  });
});

test("POST carries the other methods", async () => {
  await plantFile(world, "override.txt");
  const send = (method: string, value: unknown) =>
    world.send({
      method: "POST",
      path: "/api/files/meta",
      json: { ...pair, path: world.id("override.txt"), field: "f", value },
      headers: { "x-http-method-override": method },
    });
  refused(await send("PATCH", "x"), 404, "field_not_found");
  dataOf(await add("override.txt", "f", "x"));
  assert.equal(dataOf(await send("PATCH", "y")).f, "y");
  assert.ok(!("f" in dataOf(await send("DELETE", undefined))));
});

test("a call to the file's own address is no meta call, whatever the examples of Flextype show", async () => {
  await plantFile(world, "own.txt");
  const args: Arguments = { path: world.id("own.txt"), field: "tags", value: "x" };
  refused(await world.write("PATCH", args, "/api/files"), 405, "method_not_allowed");
  refused(await world.write("PUT", args, "/api/files"), 400, "argument_missing");
  assert.deepEqual(Object.keys(await file(world, "own.txt")), fileKeys);
});

allRepliesKeptTheirPromises(world);
