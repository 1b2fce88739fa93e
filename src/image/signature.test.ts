import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../core/lib/json.ts";
import type { Path } from "../core/path.ts";
import { Problem } from "../core/problem.ts";
import { isSigned, signatureOf } from "./signature.ts";

const key = "a key";
const path = "a/b.jpg" as Path;
const refused = (error: unknown) => error instanceof Problem && error.code === "signature_invalid";

/** The arguments, signed. */
const signed = (args: Record<string, string>, at = path): JsonObject =>
  new Map(Object.entries({ ...args, s: signatureOf(key, at, Object.entries(args)) }));

test("a signature is valid until, but not in, the second it expires", () => {
  const args = signed({ w: "10", expires: "1000" });
  assert.equal(isSigned(key, path, args, 999), true);
  assert.throws(() => isSigned(key, path, args, 1000), refused);
  assert.throws(() => isSigned(key, path, args, 1001), refused);
  assert.equal(isSigned(key, path, signed({ w: "10" }), Number.MAX_SAFE_INTEGER), true, "without an expiry: forever");
});

test("an invalid expiry is not unlimited", () => {
  for (const expires of ["", "never", "-1", "1e9", "99999999999999", " 1000", "1000.5"]) {
    assert.throws(() => isSigned(key, path, signed({ expires }), 0), refused, JSON.stringify(expires));
  }
});

test("a signature is valid for one path with one set of arguments, in any order", () => {
  assert.equal(isSigned(key, path, new Map([...signed({ w: "1", h: "2" })].reverse()), 0), true);
  assert.equal(
    isSigned(key, path, new Map([...signed({ w: "1" }), ["token", "oct_i_x"]]), 0),
    true,
    "token is excluded",
  );
  const changed: JsonObject[] = [
    signed({ w: "1" }, "a/c.jpg" as Path),
    new Map([...signed({ w: "1" }), ["w", "2"]]),
    new Map([...signed({ w: "1" }), ["h", "1"]]),
    new Map([...signed({ w: "1" })].filter(([name]) => name !== "w")),
    new Map([...signed({ w: "1" }), ["p", new Map([["x", "1"]])]]),
    new Map([...signed({ w: "1" }), ["p", ["1"]]]),
    new Map([...signed({ w: "1" }), ["s", ["x"]]]),
    new Map([...signed({ w: "1" }), ["s", "0"]]),
    new Map([["s", signatureOf("another key", path, [])]]),
  ];
  for (const args of changed) assert.throws(() => isSigned(key, path, args, 0), refused, JSON.stringify([...args]));
  assert.equal(isSigned(key, path, new Map([["w", "1"]]), 0), false, "an unsigned URL is not refused here");
  assert.equal(isSigned(key, path, new Map([["s", ""]]), 0), false);
});

test("a character of an argument cannot imitate the separator", () => {
  const one = signatureOf(key, path, [["a", "1&b=2"]]);
  const two = signatureOf(key, path, [
    ["a", "1"],
    ["b", "2"],
  ]);
  assert.notEqual(one, two);
  assert.notEqual(signatureOf(key, "a\nb=1" as Path, []), signatureOf(key, "a" as Path, [["b", "1"]]));
});
