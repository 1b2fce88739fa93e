/** The fields that clients give files: add, update, delete. Names and places of arguments, If-Match, tokens: dialect. Contract §5, Meta. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Arguments, Reply } from "./client.ts";
import {
  dialects,
  enterMedia,
  fetchBytes,
  file,
  fileKeys,
  files,
  idDialect,
  keysBeforeMeta,
  oneSucceeds,
  plantFile,
  png,
  readFile,
  urlOf,
} from "./media.ts";
import { type Any, allRepliesKeptTheirPromises, dataOf, refused, tagOf } from "./world.ts";

const world = await enterMedia("meta");
const { pair } = world;
const path = "/api/files/meta";
const settable = ["title", "description"];

/** The keys of a file with these meta fields, in order. */
const keysWith = (...fields: string[]): string[] => [
  ...fileKeys.slice(0, keysBeforeMeta),
  ...fields,
  ...fileKeys.slice(keysBeforeMeta),
];
const call =
  (method: string) =>
  (name: string, field: unknown, value?: unknown, more: Any = {}) =>
    world.write(method, { path: world.id(name), field, value, ...more }, path);
const [add, update] = [call("POST"), call("PATCH")];
const remove = (name: string, field: unknown, more?: Any) => call("DELETE")(name, field, undefined, more);
/** A call whose value is this JSON text. */
const raw = (method: string, name: string, field: string, value: string): Promise<Reply> => {
  const head = JSON.stringify({ ...pair, path: world.id(name), field }).slice(0, -1);
  return world.send({ method, path, json: `${head},"value":${value}}` });
};

async function unchangedBy(name: string, action: () => Promise<Reply>): Promise<Reply> {
  const before = await readFile(world, name);
  const reply = await action();
  const after = await readFile(world, name);
  assert.equal(after.text, before.text, "nothing changed");
  assert.equal(tagOf(after), tagOf(before));
  return reply;
}

test("adding answers the file with the field at its top level, among the service's fields; bytes stay", async () => {
  const bytes = png({ shade: 5 });
  const before = await plantFile(world, "add/a.png", { bytes });
  const first = dataOf(await add("add/a.png", "tags", "a, b"));
  assert.deepEqual(first, { ...before, tags: "a, b" });
  assert.deepEqual(Object.keys(first), keysWith("tags"));
  const second = dataOf(await add("add/a.png", "author", { name: "Ann" }));
  assert.deepEqual(Object.keys(second), keysWith("tags", "author"));
  for (const by of dialects) assert.deepEqual(await file(world, "add/a.png", by), second);
  const delivered = await world.read({ path: world.id("add/a.png") }, world.tokens.delivery, "/api/files");
  assert.deepEqual(dataOf(delivered), second);
  assert.deepEqual((await files(world, "add"))["a.png"], second);
  assert.deepEqual((await fetchBytes(world, "add/a.png")).bytes, bytes);
});

test("an existing field, even null, is 409 and stays", async () => {
  await plantFile(world, "there.txt");
  for (const [field, value] of Object.entries({ a: "1", b: null, c: {}, d: "", e: false })) {
    dataOf(await add("there.txt", field, value));
    const again = await unchangedBy("there.txt", () => add("there.txt", field, "other"));
    refused(again, 409, "field_exists", new RegExp(field));
  }
});

test("focal is two numbers from 0 to 1, 422 else", async () => {
  await plantFile(world, "focal.png", { bytes: png({}) });
  const bad = ["", "0.5", "0.5,0.5,0.5", "1.1,0", "0,-0.1", "a,b", "0x1,0", null, 0.5, [0.5, 0.5], "0.5,0.5 ", "NaN,0"];
  for (const value of bad) {
    const reply = await unchangedBy("focal.png", () => add("focal.png", "focal", value));
    refused(reply, 422, "focal_invalid", /two numbers from 0 to 1/);
  }
  refused(await add("focal.png", "focal.x", "0.5"), 422, "focal_invalid");
  dataOf(await add("focal.png", "focal", "0,0"));
  for (const value of ["1,1", "0.25,0.6", ".5,1.0"])
    assert.equal(dataOf(await update("focal.png", "focal", value)).focal, value);
  refused(await unchangedBy("focal.png", () => update("focal.png", "focal", "2,0")), 422, "focal_invalid");
  assert.ok(!("focal" in dataOf(await remove("focal.png", "focal"))));
});

test("updating answers the file with the new value at the same position", async () => {
  await plantFile(world, "upd.txt");
  for (const field of ["a", "b", "c"]) dataOf(await add("upd.txt", field, field));
  for (const value of [{ x: [1] }, null, "back"]) {
    const reply = dataOf(await update("upd.txt", "b", value, { new_path: world.id("gone.txt") }));
    assert.equal(reply.url, urlOf(world, "upd.txt"), "new_path has no effect");
    assert.deepEqual([reply.b, Object.keys(reply)], [value, keysWith("a", "b", "c")]);
    assert.deepEqual(await file(world, "upd.txt"), reply);
  }
});

test("title and description can be updated, with texts", async () => {
  await plantFile(world, "title.txt");
  for (const field of settable) {
    for (const value of ["Ünï 😀", "", "two\nlines", "5"]) {
      const reply = dataOf(await update("title.txt", field, value));
      assert.deepEqual([reply[field], Object.keys(reply)], [value, fileKeys]);
    }
    for (const value of [5, null, ["x"]])
      refused(
        await unchangedBy("title.txt", () => update("title.txt", field, value)),
        400,
        undefined,
        /title|desc|value/,
      );
  }
});

test("deleting answers the file without the field; a missing one is 404, to delete or to update", async () => {
  const before = await plantFile(world, "del.txt");
  dataOf(await add("del.txt", "a", "1"));
  dataOf(await add("del.txt", "b", null));
  assert.deepEqual(dataOf(await remove("del.txt", "a")), { ...before, b: null });
  assert.deepEqual(dataOf(await remove("del.txt", "b")), before);
  for (const field of ["a", "b", "never", "hasOwnProperty", "x.y"]) {
    for (const act of [update, remove])
      refused(await unchangedBy("del.txt", () => act("del.txt", field, "v")), 404, "field_not_found");
  }
  assert.deepEqual(dataOf(await add("del.txt", "a", "2")), { ...before, a: "2" });
});

test("a form gives texts, and empty ones", async () => {
  await plantFile(world, "form.txt");
  for (const [n, value] of ["", "5", "true", "null", "{}", "[1]", " x ", "ü=&"].entries()) {
    const form = (field: string, text: string) => ({ ...pair, path: world.id("form.txt"), field, value: text });
    const post = { method: "POST", path, form: form(`f${n}`, value) };
    assert.equal(dataOf(await world.send(post))[`f${n}`], value);
    const multipart = { method: "PATCH", path, multipart: form(`f${n}`, `${value}!`) };
    assert.equal(dataOf(await world.send(multipart))[`f${n}`], `${value}!`);
  }
});

/** Refused by each method, or by those named. Which names are refused: src/file/meta.test.ts. */
const refusals: [what: string, args: Any, status: number, code: string | undefined, about?: RegExp, by?: RegExp][] = [
  ["no field", { field: undefined }, 400, "argument_missing", /"field"/],
  ["no value", { value: undefined }, 400, "argument_missing", /"value"/, /POST|PATCH/],
  ["a missing file", { path: world.id("nothing.txt") }, 404, "file_not_found"],
  ["a folder", { path: world.prefix }, 404, "file_not_found"],
  ["a list as field", { field: ["own"] }, 400, undefined, /"field"/],
  ["a number as field", { field: 5 }, 400, undefined, /"field"/],
  ...["", ".", "own.", "own..a"].map((field): (typeof refusals)[number] => [
    `the field ${JSON.stringify(field)}`,
    ...([{ field }, 400, "argument_invalid", /"field"/] as const),
  ]),
  ["a forbidden key", { field: "own.__proto__" }, 400, "key_forbidden"],
  ["U+0000 in the field", { field: "own.b\0" }, 400, undefined],
  ["a part of a service's field", { field: "exif.Width" }, 400, "field_reserved"],
  ...fileKeys.map((field): (typeof refusals)[number] => [
    `the field ${field}`,
    ...([{ field }, 400, "field_reserved", new RegExp(field)] as const),
    settable.includes(field) ? /POST|DELETE/ : /./,
  ]),
  ["U+0000 in the value", { value: { a: ["\0"] } }, 400, "text_invalid", undefined, /POST|PATCH/],
];
test("what is refused changes nothing", async () => {
  await plantFile(world, "guard.txt");
  const guarded = dataOf(await add("guard.txt", "own", { a: "1" }));
  for (const [what, args, status, code, about, by = /./] of refusals) {
    for (const method of ["POST", "PATCH", "DELETE"].filter((name) => by.test(name))) {
      const reply = await world.write(
        method,
        { path: world.id("guard.txt"), field: "own.a", value: "v", ...args },
        path,
      );
      assert.equal(reply.status, status, `${method}, ${what}: ${reply.text}`);
      refused(reply, status, code, about);
    }
  }
  const values = [
    "1e999",
    '{"a":1,"a":2}',
    '[{"a":{"__proto__":{}}}]',
    '"\\ud800"',
    `${"[".repeat(70)}${"]".repeat(70)}`,
  ];
  for (const value of values) refused(await raw("PATCH", "guard.txt", "own.a", value), 400);
  assert.deepEqual(await file(world, "guard.txt"), guarded);
});

describe("dotted names", () => {
  test("nest, and missing parents are created; an object that is there is 409, a key in it can be added", async () => {
    await plantFile(world, "dots.txt");
    assert.deepEqual(dataOf(await add("dots.txt", "a.b.c", "1")).a, { b: { c: "1" } });
    assert.deepEqual(dataOf(await add("dots.txt", "a.b.d", 2)).a, { b: { c: "1", d: 2 } });
    assert.deepEqual(dataOf(await add("dots.txt", "a.e", [])).a, { b: { c: "1", d: 2 }, e: [] });
    for (const field of ["a", "a.b.c"]) refused(await add("dots.txt", field, "x"), 409, "field_exists");
    assert.deepEqual(dataOf(await update("dots.txt", "a.b.c", { x: 1 })).a.b.c, { x: 1 });
    assert.deepEqual(dataOf(await remove("dots.txt", "a.b.c.x")).a.b.c, {}, "an empty object remains");
    assert.deepEqual(dataOf(await remove("dots.txt", "a.b")).a, { e: [] });
    const odd = "Größe a/b[c] $x 日本語 😀 token";
    assert.equal(dataOf(await add("dots.txt", odd, 1))[odd], 1, "a name is kept as sent");
    dataOf(await remove("dots.txt", odd));
    assert.deepEqual(Object.keys(await file(world, "dots.txt")), keysWith("a"));
  });

  test("count the elements of a list, and are refused below a text, a number or a boolean", async () => {
    await plantFile(world, "list.txt");
    dataOf(await add("list.txt", "tags", ["a", { x: 1 }, "c"]));
    assert.deepEqual(dataOf(await update("list.txt", "tags.1.x", 2)).tags, ["a", { x: 2 }, "c"]);
    assert.deepEqual(dataOf(await add("list.txt", "tags.3", "d")).tags, ["a", { x: 2 }, "c", "d"]);
    assert.deepEqual(dataOf(await remove("list.txt", "tags.1")).tags, ["a", "c", "d"]);
    refused(await add("list.txt", "tags.0", "x"), 409, "field_exists");
    dataOf(await add("list.txt", "text", "text"));
    // Every other path that is none: src/file/meta.test.ts.
    for (const field of ["tags.x", "tags.4", "text.x"])
      refused(await unchangedBy("list.txt", () => add("list.txt", field, "x")), 400, "field_invalid");
    for (const act of [update, remove]) refused(await act("list.txt", "tags.3", "v"), 404, "field_not_found");
  });
});

describe("values", () => {
  const exact = [
    ...["9007199254740993", "-9007199254740993.25", "1.0", "0.1", "1e3", "123456789012345678901234567890", "-0"],
    ...["{}", "[]", "null", "true", "false", '""', '"\u2028 😀 \\"quoted\\" \\\\ \\n"'],
    '{"z":1,"a":{"2":1,"1":[{},[],null]},"0":1.50}',
    '["a",1.0,{"b":[true,{"c":{}}]}]',
  ];

  test("survive exactly as JSON: numbers, empty objects, order of keys, unicode", async () => {
    await plantFile(world, "exact.txt");
    for (const [n, value] of exact.entries()) {
      await raw("POST", "exact.txt", `f${n}`, value);
      await raw("POST", "exact.txt", `u${n}.x`, '"first"');
      await raw("PATCH", "exact.txt", `u${n}.x`, value);
    }
    const every = ({ text }: Reply) => {
      for (const [n, value] of exact.entries()) {
        const held = [`"f${n}":${value},`, `"u${n}":{"x":${value}},`].every((part) => text.includes(part));
        assert.ok(held, `${value} in ${text}`);
      }
    };
    every(await readFile(world, "exact.txt"));
    const args = (to: string) => ({ path: world.id("exact.txt"), new_path: world.id(to) });
    every(await world.write("PUT", args("exact/copy.txt"), "/api/files/copy"));
    every(await world.write("PUT", args("exact/moved.txt"), "/api/files"));
    every(await readFile(world, "exact", idDialect, { options: { collection: true } }));
    every(await add("exact/moved.txt", "one", "more"));
  });

  test("of 600 KB are kept; past 1 MiB of fields, of a title or a description the file accepts no more", async () => {
    await plantFile(world, "large.txt");
    const [large, past] = ["x".repeat(600_000), "x".repeat(1_100_000)];
    assert.equal(dataOf(await add("large.txt", "a", large)).a, large);
    refused(await unchangedBy("large.txt", () => add("large.txt", "b", large)), 413, "data_too_large");
    dataOf(await add("large.txt", "b", "x".repeat(400_000)));
    for (const field of ["a", ...settable]) {
      dataOf(await update("large.txt", field, large));
      refused(await unchangedBy("large.txt", () => update("large.txt", field, past)), 413, "data_too_large");
    }
    refused(await add("large.txt", "c", "x".repeat(1_400_000)), 413);
  });

  test("nest 60 deep, by value and by name, and not past 64", async () => {
    await plantFile(world, "deep.txt");
    const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
    dataOf(await raw("POST", "deep.txt", "d", deep(60)));
    const name = Array(58).fill("s").join(".");
    dataOf(await add("deep.txt", name, "x"));
    refused(await unchangedBy("deep.txt", () => raw("POST", "deep.txt", "e", deep(66))), 400);
    refused(await unchangedBy("deep.txt", () => raw("PATCH", "deep.txt", name, deep(10))), 400);
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
    kept((await files(world, "stay/d/e/b"))["z.txt"]);
  });

  test("when the file is replaced: meta fields, title and description, but not facts about the bytes", async () => {
    const before = await plant("stay/pic.png", png({ width: 2, height: 2, shade: 1 }));
    const bytes = png({ width: 3, height: 3, shade: 2 });
    const after = await plantFile(world, "stay/pic.png", { bytes });
    kept(after);
    assert.deepEqual([after.filesize, after.exif.Width], [bytes.length, 3]);
    assert.notEqual(after.version, before.version);
  });

  test("an upload's other form fields are not stored as fields", async () => {
    const one = await plantFile(world, "stay/fields.txt", { fields: { tags: "x", exif: "y" } });
    assert.deepEqual(Object.keys(one), fileKeys);
  });
});

describe("concurrent writes", () => {
  test("of adds of one field, updates with one tag, and deletes, exactly one succeeds", async () => {
    await plantFile(world, "duel.txt");
    const ten = (one: (n: number) => Promise<Reply>) => Promise.all(Array.from({ length: 10 }, (_, n) => one(n)));
    const winner = oneSucceeds(await ten((n) => add("duel.txt", "f", n)), 409, "field_exists");
    assert.equal((await file(world, "duel.txt")).f, winner);
    const json = { ...pair, path: world.id("duel.txt"), field: "f", value: "v" };
    const headers = { "if-match": tagOf(await readFile(world, "duel.txt")) };
    const updates = await ten(() => world.send({ method: "PATCH", path, json, headers }));
    oneSucceeds(updates, 412, "revision_mismatch");
    oneSucceeds(await ten(() => remove("duel.txt", "f")), 404, "field_not_found");
  });
});

test("a call to the file's own address is no meta call, whatever the examples of Flextype show", async () => {
  await plantFile(world, "own.txt");
  const args: Arguments = { path: world.id("own.txt"), field: "tags", value: "x" };
  refused(await world.write("PATCH", args, "/api/files"), 405, "method_not_allowed");
  refused(await world.write("PUT", args, "/api/files"), 400, "argument_missing");
  assert.deepEqual(Object.keys(await file(world, "own.txt")), fileKeys);
});

allRepliesKeptTheirPromises(world);
