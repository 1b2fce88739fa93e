import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../test/fast-check.ts";
import { PortableNames, readPortable } from "./portable-name.ts";

const write = (paths: string[], isFolder = false): string[] => {
  const names = new PortableNames();
  for (const path of paths) names.add(path);
  return paths.map((path) => names.write(path, isFolder));
};

const table: [path: string, written: string][] = [
  ["blog/My post", "blog/My post"],
  ["日本/é", "日本/é"],
  ["100%", "100%25"],
  ["a:b/what?", "a%3Ab/what%3F"],
  [".git/config", "%2Egit/config"],
  ["a\u200c.git", "a%E2%80%8C.git"],
  ["CON/nul.txt", "%43ON/%6Eul.txt"],
  ["entry.md", "%65ntry.md"],
  ["end./end ", "end%2E/end%20"],
  ["git~1", "git%7E1"],
];

test("names that a disk or git could change are escaped, all others stay", () => {
  for (const [path, written] of table) assert.deepEqual(write([path]), [written]);
  assert.deepEqual(write(["Blog/a", "blog/a", "blog/b"]), ["%42log/a", "blog/a", "blog/b"]);
  assert.deepEqual(write(["a.yaml"], true), ["a.yam%6C"]);
  const [long = ""] = write([`${"Ü".repeat(120)}/x`]);
  assert.ok(long.split("/").every((name) => Buffer.byteLength(name) <= 205));
  assert.equal(readPortable(long), `${"Ü".repeat(120)}/x`);
});

test("a name that is no written one is refused", () => {
  for (const name of ["100%", "a%zz", "%ff"]) assert.equal(readPortable(name), undefined, name);
});

const segment = fc
  .oneof(
    fc.string({
      unit: fc.constantFrom("a", "A", "b", ".", " ", "%", "~", "ß", "ẞ", "É", "é", "x", "4", "1", "ſ", "s"),
      minLength: 1,
      maxLength: 6,
    }),
    fc.constantFrom(
      "entry.md",
      "Entry.MD",
      "con",
      "a".repeat(255),
      "A".repeat(255),
      `${"a".repeat(200)}.git`,
      `${"a".repeat(200)}.Git`,
      `${"é".repeat(127)}`,
    ),
  )
  .map((name) => (/^\.{1,2}$/.test(name) ? "dots" : name));

test("written paths are read back, and no two are the same on a disk that ignores case", () => {
  const paths = fc.uniqueArray(
    fc.array(segment, { minLength: 1, maxLength: 3 }).map((all) => all.join("/")),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(paths, (all) => {
      const written = write(all);
      assert.deepEqual(written.map(readPortable), all);
      // Every folder of every path has one spelling.
      const spelt = new Map<string, string>();
      for (const path of written) {
        for (let end = path.indexOf("/"); ; end = path.indexOf("/", end + 1)) {
          const above = end < 0 ? path : path.slice(0, end);
          const known = spelt.get(above.toLowerCase());
          assert.ok(known === undefined || known === above, `${known} and ${above}`);
          spelt.set(above.toLowerCase(), above);
          if (end < 0) break;
        }
      }
    }),
    { numRuns: 600 },
  );
});
