import assert from "node:assert/strict";
import { test } from "node:test";
import { placesFor, startsOf } from "../../admin/src/model/entry/new-place.ts";
import { slugOf } from "../../admin/src/model/entry/slug.ts";
import { withPaths } from "../../admin/src/model/types.ts";
import type { ContentType } from "../../client/src/client.ts";

/** Where a new entry goes, and what its id is made of. */

const starts: [paths: string[], places: unknown[]][] = [
  [["blog/*"], [{ parent: "blog" }]],
  [["blog/**"], [{ parent: "blog" }]],
  [["blog/*/**"], [{ parent: "blog" }]],
  [["*"], [{ parent: "" }]],
  [["home"], [{ id: "home" }]],
  [
    ["a/b/*", "c/*"],
    [{ parent: "a/b" }, { parent: "c" }],
  ],
  [["shop/*/reviews/*"], []],
  [["shop/*/*"], []],
  [["*/about"], []],
  [[], []],
];

for (const [paths, places] of starts)
  test(`the paths ${paths.join(", ") || "of none"} name ${places.length} places`, () =>
    assert.deepEqual(startsOf({ paths }), places));

test("the place where the person is comes first, if the type fits there", () => {
  const type = (id: string, paths: string[]) => ({ id, paths, title: "", schema: {}, mode: "enforce" }) as ContentType;
  const [article, part, home] = [type("article", ["blog/*", "news/*"]), type("part", []), type("home", ["home"])];
  const types = withPaths([article, part, home]);
  assert.deepEqual(placesFor(types, article, "news"), [{ parent: "news" }, { parent: "blog" }]);
  assert.deepEqual(placesFor(types, article, "elsewhere"), [{ parent: "blog" }, { parent: "news" }]);
  assert.deepEqual(placesFor(types, part, "elsewhere"), [{ parent: "elsewhere" }]);
  assert.deepEqual(placesFor(types, home, ""), [{ id: "home" }]);
  assert.deepEqual(placesFor(types, undefined, "news"), [{ parent: "news" }]);
});

const slugs: [title: string, slug: string][] = [
  ["Métropolis & more", "metropolis-more"],
  ["  Straße, Ærø und Łódź!  ", "strasse-aero-und-lodz"],
  ["Привет, мир", "privet-mir"],
  ["Ada's 10% rule: fooBar", "adas-10-rule-foobar"],
  ["日本語 の本", "日本語-の本"],
  ["…", ""],
  ["a/b\\c", "a-b-c"],
];

for (const [title, slug] of slugs)
  test(`the id of “${title}” is ${slug || "empty"}`, () => assert.equal(slugOf(title), slug));
