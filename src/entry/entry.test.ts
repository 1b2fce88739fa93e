import assert from "node:assert/strict";
import { test } from "node:test";
import { accessOf } from "../core/access/access.ts";
import { formatJson, parseJson } from "../core/lib/json.ts";
import type { Path, Slug } from "../core/path.ts";
import { Problem } from "../core/problem.ts";
import { parseEntryData, toEntryInput } from "./data.ts";
import {
  copiedEntry,
  createdEntry,
  type Entry,
  type EntryInput,
  existingEntry,
  formatEntry,
  maxDataBytes,
  maxDataDepth,
  rebaseAll,
  refuseIntoItself,
  updatedEntry,
} from "./entry.ts";
import { type EntryFields, serviceFields } from "./field.ts";
import { isListed, isPublic, isReadable } from "./visibility.ts";

const slug = "blog/post" as Slug;
const uuid = "00000000-0000-4000-8000-000000000000";
const stored: Entry = {
  slug,
  uuid,
  data: '{"title":"Old","content":"","n":1.0,"o":{"a":1,"b":2}}',
  publishedAt: 100,
  createdAt: 50,
  modifiedAt: 200,
  publishedBy: "p",
  createdBy: "c",
  routable: false,
  visibility: "hidden",
  revision: 7,
  contentRevision: 7,
  stagedRevision: null,
};
const stamp = { revision: 8, nowSeconds: 300 };
const input = (data: string, rest: Partial<EntryInput> = {}): EntryInput => ({
  data,
  isMergePatch: false,
  fields: {},
  ...rest,
});
const create = (sent: EntryInput) => createdEntry(undefined, slug, sent, undefined, { ...stamp, uuid });
const update = (sent: EntryInput) => updatedEntry(stored, slug, sent, undefined, stamp);

// ---------------------------------------------------------------------------------------------- visibility

const seen: [fields: Partial<EntryFields>, isFetched: boolean, isInLists: boolean][] = [
  [{ visibility: "visible" }, true, true],
  [{ visibility: "hidden" }, true, false],
  [{ visibility: "draft" }, false, false],
  [{ visibility: "visible", publishedAt: 300 }, true, true],
  [{ visibility: "visible", publishedAt: 301 }, false, false],
  [{ visibility: "hidden", publishedAt: 301 }, false, false],
];
for (const [fields, isFetched, isInLists] of seen) {
  test(`delivery ${isFetched ? "fetches" : "does not fetch"} ${JSON.stringify(fields)}, ${isInLists ? "and" : "but no"} list has it`, () => {
    const entry = { ...stored, ...fields };
    const delivery = accessOf({ kind: "delivery" }, 300);
    const management = accessOf({ kind: "management" }, 300);
    assert.equal(isPublic(entry, 300), isFetched);
    assert.equal(isReadable(entry, delivery), isFetched);
    assert.equal(isListed(entry, delivery), isInLists);
    assert.ok(isReadable(entry, management) && isListed(entry, management));
  });
}

// ---------------------------------------------------------------------------------------------- the text of a reply

test("an entry is its data as stored, then the service's fields", () => {
  const text = formatEntry({ ...stored, publishedBy: 'a "b"\n', slug: "ü/\u2028" as Slug });
  assert.ok(text.startsWith(`${stored.data.slice(0, -1)},"published_at":100,`), text);
  const read = JSON.parse(text) as Record<string, unknown>;
  assert.equal(read.published_by, 'a "b"\n');
  assert.equal(read.slug, "ü/\u2028");
  assert.deepEqual(Object.keys(read).slice(-serviceFields.size), [...serviceFields]);
});

// ---------------------------------------------------------------------------------------------- parsing `data`

const read = (json: string) => parseEntryData(parseJson(json, 1000));

const fields: [json: string, fields: object][] = [
  ["{}", {}],
  ['{"published_at":"2024-05-01"}', { publishedAt: Date.UTC(2024, 4, 1) / 1000 }],
  ['{"published_at":-5}', { publishedAt: -5 }],
  ['{"published_at":""}', { publishedAt: null }],
  ['{"published_at":null,"routable":null,"visibility":null}', { publishedAt: null, routable: null, visibility: null }],
  ['{"published_by":"","created_by":null}', { publishedBy: "", createdBy: null }],
  ['{"routable":"0"}', { routable: false }],
  ['{"routable":1}', { routable: true }],
  ['{"routable":""}', { routable: null }],
  ['{"visibility":"draft"}', { visibility: "draft" }],
  // The service's fields are removed unchecked: an object that was read can be sent back.
  ['{"uuid":5,"slug":[],"created_at":"x","modified_at":{}}', {}],
];
for (const [json, expected] of fields) {
  test(`${json} sets ${JSON.stringify(expected)} and no data`, () => {
    const { own, fields } = read(json);
    assert.deepEqual(fields, expected);
    assert.equal(own.size, 0);
  });
}
test("the client's keys keep their order and the text of numbers", () => {
  assert.equal(
    formatJson(read('{"b":1.0,"uuid":"x","1":9007199254740993,"a":{"slug":1}}').own),
    '{"b":1.0,"1":9007199254740993,"a":{"slug":1}}',
  );
});

const refusedFields: [json: string, names: string[]][] = [
  ['{"published_at":"soon"}', ["data.published_at"]],
  ['{"published_at":1.5}', ["data.published_at"]],
  ['{"published_at":true}', ["data.published_at"]],
  ['{"published_by":5}', ["data.published_by"]],
  ['{"routable":"yes"}', ["data.routable"]],
  ['{"routable":2}', ["data.routable"]],
  ['{"visibility":"Visible"}', ["data.visibility"]],
  ['{"visibility":"toString","routable":[],"created_by":{}}', ["data.visibility", "data.routable", "data.created_by"]],
];
for (const [json, names] of refusedFields) {
  test(`${json} is refused, naming ${names.join(" and ")}`, () => {
    assert.throws(
      () => read(json),
      (error) => {
        assert.ok(error instanceof Problem && error.code === "field_invalid");
        const details = error.errors.length > 0 ? error.errors.map(({ detail }) => detail) : [error.message];
        assert.deepEqual(
          details.map((detail) => detail.split('"')[1]),
          names,
        );
        return true;
      },
    );
  });
}
for (const json of ["null", "[]", '"text"', "5"]) {
  test(`data that is ${json} is refused`, () => assert.throws(() => read(json), { code: "argument_invalid" }));
}
const nested = (levels: number) => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
test("data has exactly the permitted depth", () => {
  assert.equal(formatJson(read(nested(maxDataDepth)).own), nested(maxDataDepth));
  assert.throws(() => read(nested(maxDataDepth + 1)), { code: "argument_invalid", message: /64 levels/ });
});
test("data is limited in bytes, not in characters", async () => {
  const data = (letter: string, count: number) => read(`{"a":"${letter.repeat(count)}"}`);
  const most = (maxDataBytes - '{"a":""}'.length) / 2;
  const rest = { isMergePatch: false };
  assert.equal(Buffer.byteLength((await toEntryInput(data("é", most), rest)).data), maxDataBytes);
  await assert.rejects(async () => toEntryInput(data("é", most + 1), rest), { code: "data_too_large" });
});

// ---------------------------------------------------------------------------------------------- rules of writes

test("a new entry has the defaults, and content", async () => {
  const { entry, data } = await create(input('{"b":1,"a":2}'));
  assert.equal(entry.data, '{"b":1,"a":2,"content":""}');
  assert.equal(formatJson(data), entry.data);
  const { slug: _slug, uuid: _uuid, data: _data, ...rest } = entry;
  assert.deepEqual(rest, {
    publishedAt: 300,
    createdAt: 300,
    modifiedAt: 300,
    publishedBy: "",
    createdBy: "",
    routable: true,
    visibility: "visible",
    stagedRevision: null,
  });
});
test("sent fields are kept, unset ones have defaults", async () => {
  const sent = { publishedAt: 0, createdBy: "me", routable: false, visibility: null };
  const { entry } = await create(input('{"content":null}', { fields: sent }));
  assert.equal(entry.data, '{"content":null}');
  assert.deepEqual([entry.publishedAt, entry.createdBy, entry.routable, entry.visibility], [0, "me", false, "visible"]);
});
test("a taken id and an If-Match for a new entry are refused", async () => {
  const racing = { ...stamp, uuid };
  await assert.rejects(createdEntry(stored, slug, input("{}"), undefined, racing), { code: "entry_exists" });
  await assert.rejects(createdEntry(stored, slug, input("{}"), "*", racing), { code: "entry_exists" });
  await assert.rejects(createdEntry(undefined, slug, input("{}"), "*", racing), { code: "entry_not_found" });
});

const merges: [data: string, isMergePatch: boolean, merged: string][] = [
  ["{}", false, stored.data],
  ['{"new":1,"title":null}', false, '{"title":null,"content":"","n":1.0,"o":{"a":1,"b":2},"new":1}'],
  ['{"o":{"a":3}}', false, '{"title":"Old","content":"","n":1.0,"o":{"a":3}}'],
  ['{"o":{"a":3,"b":null}}', true, '{"title":"Old","content":"","n":1.0,"o":{"a":3}}'],
  ['{"title":null,"n":null}', true, '{"content":"","o":{"a":1,"b":2}}'],
  // An entry always has content.
  ['{"content":null}', true, '{"title":"Old","n":1.0,"o":{"a":1,"b":2},"content":""}'],
];
for (const [data, isMergePatch, merged] of merges) {
  test(`${data} ${isMergePatch ? "as a merge patch " : ""}gives ${merged}`, async () => {
    const { entry, before } = await update(input(data, { isMergePatch }));
    assert.equal(entry.data, merged);
    assert.equal(formatJson(before), stored.data);
  });
}
test("an update changes only the sent keys and modified_at, and has no revision yet", async () => {
  const { entry } = await update(input("{}", { fields: { publishedBy: "new" } }));
  const { revision: _, contentRevision: __, ...unsaved } = stored;
  assert.deepEqual(entry, { ...unsaved, publishedBy: "new", modifiedAt: 300 });
});
test("unset fields have defaults: the publication is the creation", async () => {
  const unset = { publishedAt: null, publishedBy: null, createdBy: null, routable: null, visibility: null };
  const { entry } = await update(input("{}", { fields: unset }));
  assert.deepEqual(
    [entry.publishedAt, entry.publishedBy, entry.createdBy, entry.routable, entry.visibility],
    [50, "", "", true, "visible"],
  );
});
test("modified_at does not decrease when the clock is set back", async () => {
  const { entry } = await updatedEntry(stored, slug, input("{}"), undefined, { nowSeconds: 1 });
  assert.equal(entry.modifiedAt, 200);
});
test("an update refuses another revision, a missing entry and data that becomes too large", async () => {
  await assert.rejects(updatedEntry(undefined, slug, input("{}"), "*", stamp), { code: "entry_not_found" });
  await assert.rejects(updatedEntry(stored, slug, input("{}"), '"6"', stamp), { code: "revision_mismatch" });
  await updatedEntry(stored, slug, input("{}"), '"7"', stamp);
  const large = JSON.stringify({ big: "x".repeat(maxDataBytes - 20) });
  await assert.rejects(update(input(large)), { code: "data_too_large" });
});

test("keys are limited at all depths, not counting the default content", async () => {
  const keys = '{"a":{"b":1},"c":[{"d":1}]}';
  await create(input(keys, { maxKeys: 4 }));
  await assert.rejects(create(input(keys, { maxKeys: 3 })), { code: "data_too_large", message: /3 keys/ });
});
test("an entry with too many keys can change and remove keys, but add none", async () => {
  const limited = (data: string, isMergePatch = false) => update(input(data, { maxKeys: 2, isMergePatch }));
  await limited('{"title":"New"}');
  await limited('{"title":null}', true);
  await assert.rejects(limited('{"more":1}'), { code: "data_too_large" });
});

test("a copy has a new uuid and new times, and everything else of the entry", () => {
  const copy = copiedEntry(stored, "x" as Slug, { ...stamp, uuid: "other" });
  assert.deepEqual(copy, {
    ...stored,
    slug: "x",
    uuid: "other",
    createdAt: 300,
    modifiedAt: 300,
    revision: 8,
    contentRevision: 8,
    wasPublic: false,
  });
});
test("existing fields are answered unchanged", () => assert.equal(existingEntry(stored, slug, "*"), stored));

test("an entry is not moved into its own subtree, nor onto itself", () => {
  for (const target of ["a", "a/b"]) {
    assert.throws(() => refuseIntoItself("a" as Slug, target as Slug), { code: "move_into_itself" });
  }
  for (const target of ["ab", "b/a", "b"]) refuseIntoItself("a" as Slug, target as Slug);
});
test("a subtree moves along, each path relative to the target", () => {
  const paths = ["a", "a/b", "a/a/b"] as Path[];
  assert.deepEqual(rebaseAll(paths, "a" as Slug, "x/a" as Slug), ["x/a", "x/a/b", "x/a/a/b"]);
  const deep = Array(30).fill("a").join("/") as Path;
  assert.throws(() => rebaseAll([deep], "a" as Slug, "x/y/z/w" as Slug), { code: "path_invalid" });
});
