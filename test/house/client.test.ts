import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { createClient } from "../../client/src/client.ts";

/** Every method of the client, as a program calls it (`entries.fetch`, `files.meta.add`), is called by a test in test/client/. */

const root = new URL("../../", import.meta.url).pathname;

/** The methods of an object and of the objects in it, by their paths. */
function methodsOf(owner: object, prefix = ""): string[] {
  const own = Object.entries(owner).flatMap(([name, value]) => {
    if (typeof value === "function") return [prefix + name];
    return typeof value === "object" && value !== null ? methodsOf(value, `${prefix}${name}.`) : [];
  });
  const shape = Object.getPrototypeOf(owner);
  const inherited = shape === Object.prototype ? [] : Object.getOwnPropertyNames(shape);
  return [...own, ...inherited.filter((name) => name !== "constructor").map((name) => prefix + name)];
}

test("every method of the client is called by a test in test/client/", () => {
  const methods = methodsOf(createClient({ url: "http://127.0.0.1" }));
  assert.ok(methods.includes("entries.fetch") && methods.includes("files.meta.add") && methods.includes("stats"));
  const tests = globSync("test/client/*.test.ts", { cwd: root })
    .map((file) => readFileSync(root + file, "utf8"))
    .join("\n");
  const isCalled = (method: string) =>
    new RegExp(`\\b${method.replaceAll(".", "\\s*\\.")}(?:<[^()]*>)?\\(`).test(tests.replace(/\s*\n\s*(?=\.)/g, ""));
  assert.deepEqual(
    methods.filter((method) => !isCalled(method)),
    [],
    "methods without a test",
  );
});
