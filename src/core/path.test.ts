import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../test/fast-check.ts";
import {
  compareText,
  depthBelow,
  isWithin,
  nameOf,
  type Path,
  parentOf,
  parsePath,
  parsePathBelowRoot,
  rebase,
} from "./path.ts";
import { Problem } from "./problem.ts";

const accepted: [string, string][] = [
  ["movies/alien", "movies/alien"],
  ["/movies/alien/", "movies/alien"],
  ["///a///", "a"],
  ["", ""],
  ["/", ""],
  ["Ein Café/ünï", "Ein Café/ünï"],
  ["cafe\u0301", "café"],
  ["...", "..."],
  [".hidden/a.b", ".hidden/a.b"],
  ["100%", "100%"],
  ["a".repeat(255), "a".repeat(255)],
  [Array(32).fill("a").join("/"), Array(32).fill("a").join("/")],
  [Array(4).fill("é".repeat(127)).join("/"), Array(4).fill("é".repeat(127)).join("/")],
];
for (const [text, path] of accepted) {
  test(`${JSON.stringify(text.slice(0, 30))} is a path`, () => assert.equal(parsePath("id", text), path));
}

const refused = [
  "a//b",
  "..",
  "a/../b",
  "./a",
  "a/.",
  "a\\b",
  "a\0b",
  "a\nb",
  "a\u0085b",
  "%2e%2e/a",
  "a/%2E%2e",
  "..%2fa",
  "%252e%252e",
  "%25252e%25252e",
  "a%5cb",
  "a%00",
  "a".repeat(256),
  "é".repeat(128),
  Array(33).fill("a").join("/"),
  Array(5).fill("a".repeat(250)).join("/"),
  // 1,027 bytes in 516 characters.
  Array(5).fill("é".repeat(102)).join("/").concat("/é"),
];
for (const text of refused) {
  test(`${JSON.stringify(text.slice(0, 30))} is refused`, () => {
    assert.throws(
      () => parsePath("new_id", text),
      (error) => error instanceof Problem && error.code === "path_invalid" && error.message.includes('"new_id"'),
    );
  });
}

test("a refusal names a percent-encoded separator", () => {
  const told: [string, RegExp][] = [
    ["a/%2e%2e", /dot segment/],
    ["..%2fa", /slash/],
    ["a%5cb", /backslash/],
    ["a%00", /NUL/],
  ];
  for (const [text, rule] of told) assert.throws(() => parsePath("id", text), { message: rule });
});

test("a lone surrogate is refused as text", () => {
  assert.throws(() => parsePath("id", "a\ud800"), { code: "text_invalid" });
});

test("the root is refused as a target", () => {
  assert.throws(() => parsePathBelowRoot("id", "//"), { code: "path_invalid" });
});

test("parents, names and depths", () => {
  const path = parsePath("id", "a/b/c");
  assert.equal(parentOf(path), "a/b");
  assert.equal(parentOf("a" as Path), "");
  assert.equal(nameOf(path), "c");
  assert.equal(depthBelow(path, "" as Path), 3);
  assert.equal(depthBelow(path, "a" as Path), 2);
  assert.equal(depthBelow(path, path), 0);
  assert.ok(isWithin(path, "a/b" as Path));
  assert.ok(!isWithin("ab" as Path, "a" as Path));
  assert.equal(rebase(path, "a" as Path, "x/y" as Path), "x/y/b/c");
});

test("text is ordered by its UTF-8 bytes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (a, b) => {
      assert.equal(compareText(a, b), Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
});
