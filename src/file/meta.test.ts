import assert from "node:assert/strict";
import { test } from "node:test";
import { parseJson } from "../core/lib/json.ts";
import type { Path } from "../core/path.ts";
import type { Code } from "../core/problem.ts";
import { maxDataBytes, maxDataDepth } from "../entry/entry.ts";
import type { File } from "./file.ts";
import { changedFile, type MetaVerb, parseMetaChange } from "./meta.ts";

const file: File = {
  path: "a/b.txt" as Path,
  title: "b",
  description: "",
  type: "text/plain",
  hash: "0".repeat(64),
  size: 1,
  uploadedAt: 5,
  image: undefined,
  meta: '{"alt":"old","n":{"x":1.0},"list":["p","q"],"dotted.name":1}',
  createdAt: 5,
  modifiedAt: 50,
  revision: 3,
  contentRevision: 3,
  uuid: "00000000-0000-4000-8000-000000000001",
  sentName: null,
  givenName: null,
  uploader: null,
};
const stamp = { revision: 4, nowSeconds: 60 };

const change = (verb: MetaVerb, field: string, json: string | undefined, meta = file.meta): File =>
  changedFile(
    { ...file, meta },
    parseMetaChange(verb, field, json === undefined ? undefined : parseJson(json, 100)),
    stamp,
  );

const changes: [verb: MetaVerb, field: string, json: string | undefined, meta: string][] = [
  ["add", "new", "9007199254740993", '{"a":1,"l":["p"],"new":9007199254740993}'],
  ["add", "o.p.q", '"v"', '{"a":1,"l":["p"],"o":{"p":{"q":"v"}}}'],
  ["add", "l.1", '"q"', '{"a":1,"l":["p","q"]}'],
  ["update", "a", "null", '{"a":null,"l":["p"]}'],
  ["update", "l.0", "[]", '{"a":1,"l":[[]]}'],
  ["delete", "a", undefined, '{"l":["p"]}'],
  ["delete", "l.0", undefined, '{"a":1,"l":[]}'],
  // Only whole segments are compared: a name may contain the name of a reserved field.
  ["add", "o.title", "5", '{"a":1,"l":["p"],"o":{"title":5}}'],
];
for (const [verb, field, json, meta] of changes) {
  test(`${verb} ${field} ${json ?? ""} gives ${meta}`, () => {
    const changed = change(verb, field, json, '{"a":1,"l":["p"]}');
    assert.equal(changed.meta, meta);
    assert.deepEqual({ ...changed, meta: "" }, { ...file, meta: "", modifiedAt: 60, revision: 4, contentRevision: 4 });
  });
}

test("title and description are updated outside of meta", () => {
  assert.deepEqual(change("update", "title", '"T"'), {
    ...file,
    title: "T",
    modifiedAt: 60,
    revision: 4,
    contentRevision: 4,
  });
  assert.deepEqual(change("update", "description", '""'), { ...file, modifiedAt: 60, revision: 4, contentRevision: 4 });
});
test("modified_at does not decrease when the clock is set back", () => {
  const changed = changedFile(file, parseMetaChange("delete", "alt", undefined), { revision: 4, nowSeconds: 1 });
  assert.equal(changed.modifiedAt, 50);
});

const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const refused: [verb: MetaVerb, field: string, json: string | undefined, code: Code][] = [
  ["add", "", '"v"', "argument_invalid"],
  ["add", "a..b", '"v"', "argument_invalid"],
  ["add", ".", '"v"', "argument_invalid"],
  ["add", "a.constructor", '"v"', "key_forbidden"],
  ["add", "__proto__", '"v"', "key_forbidden"],
  ["add", "title", '"v"', "field_reserved"],
  ["delete", "description", undefined, "field_reserved"],
  ["update", "filesize", "5", "field_reserved"],
  ["update", "exif.Width", "5", "field_reserved"],
  ["update", "title.x", '"v"', "field_reserved"],
  ["update", "title", "5", "field_invalid"],
  ["update", "title", "null", "field_invalid"],
  ["update", "description", undefined, "field_invalid"],
  ["add", "alt", '"v"', "field_exists"],
  ["add", "list.1", '"v"', "field_exists"],
  ["add", "alt.x", '"v"', "field_invalid"],
  ["add", "n.x.y", '"v"', "field_invalid"],
  // A list accepts one index after its end; it has no gaps and no names.
  ["add", "list.3", '"v"', "field_invalid"],
  ["add", "list.x", '"v"', "field_invalid"],
  ["add", "list.01", '"v"', "field_invalid"],
  ["add", "list.-1", '"v"', "field_invalid"],
  ["update", "missing", '"v"', "field_not_found"],
  ["update", "n.y", '"v"', "field_not_found"],
  ["update", "missing.y", '"v"', "field_not_found"],
  ["delete", "list.2", undefined, "field_not_found"],
  ["delete", "n.x.y", undefined, "field_invalid"],
  // Names are split at dots: a key that contains a dot cannot be addressed.
  ["delete", "dotted.name", undefined, "field_not_found"],
  ["add", "big", JSON.stringify("x".repeat(maxDataBytes)), "data_too_large"],
  ["update", "title", JSON.stringify("x".repeat(maxDataBytes + 1)), "data_too_large"],
  ["add", "deep", deep(maxDataDepth), "argument_invalid"],
  [
    "add",
    Array(maxDataDepth + 1)
      .fill("a")
      .join("."),
    "1",
    "argument_invalid",
  ],
];
for (const [verb, field, json, code] of refused) {
  test(`${verb} ${field.slice(0, 30)} ${json?.slice(0, 20) ?? ""} is ${code}`, () => {
    assert.throws(() => change(verb, field, json), { code });
  });
}
test("the deepest permitted level is accepted", () => {
  assert.equal(change("add", "deep", deep(maxDataDepth - 1), "{}").meta, `{"deep":${deep(maxDataDepth - 1)}}`);
});
