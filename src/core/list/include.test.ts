import assert from "node:assert/strict";
import { test } from "node:test";
import { type Json, parseJson } from "../lib/json.ts";
import { wholeText } from "../lib/long-text.ts";
import type { Path } from "../path.ts";
import { type Included, include, referencesOf } from "./include.ts";

/** Follows these fields from the first entry, and counts how often each entry is parsed. */
async function follow(entries: Record<string, object>, fields: readonly string[]) {
  const parses = new Map<string, number>();
  const parse = (path: string): Json => parseJson(JSON.stringify(entries[path]));
  const thing = (path: string): Included => ({
    kind: "entry",
    json: JSON.stringify(entries[path]),
    jsonBytes: Buffer.byteLength(JSON.stringify(entries[path])),
    fields() {
      parses.set(path, (parses.get(path) ?? 0) + 1);
      return parse(path);
    },
  });
  const read = async (paths: readonly Path[]) => paths.map((path) => (path in entries ? [thing(path)] : []));
  const first = Object.keys(entries)[0] as string;
  const { fits, json } = await include([referencesOf(parse(first), fields)], read);
  return { fits, ids: Object.keys(JSON.parse(wholeText(json)).entries), parses };
}

test("a thing is parsed once a level, however many names go on from it", async () => {
  const fields = Array.from({ length: 10 }, (_, i) => `to.f${i}`);
  const { fits, ids, parses } = await follow({ a: { to: ["b", "c"] }, b: { f1: "c", f9: "d" }, c: {}, d: {} }, fields);
  assert.deepEqual([fits, ids], [1, ["b", "c", "d"]]);
  assert.deepEqual(
    [...parses],
    [
      ["b", 1],
      ["c", 1],
    ],
  );
});

test("a thing that is met again with another name goes on by that, too", async () => {
  const entries = { a: { x: "b" }, b: { x: "b", y: "c" }, c: { x: "d" }, d: {} };
  assert.deepEqual((await follow(entries, ["x.x.y", "x.y.x"])).ids, ["b", "c", "d"]);
  assert.deepEqual((await follow(entries, ["x.x.x"])).ids, ["b"]);
});

test("many things that refer to the same many do not fit", async () => {
  const same = Array.from({ length: 9000 }, (_, i) => `n${i}`);
  const many = Array.from({ length: 50 }, (_, i) => `m${i}`);
  const entries = { a: { to: many }, ...Object.fromEntries(many.map((id) => [id, { to: same }])) };
  assert.equal((await follow(entries, ["to.to"])).fits, 0);
  assert.equal((await follow(entries, ["to"])).fits, 1);
});
