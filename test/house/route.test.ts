import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

/** What one reads to know what a route may be; 32 before doors were values. */
const mostMembers = 16;

test("a route has few members: who calls and how he is refused is said by its door, what its replies have by their form", () => {
  const source = readFileSync(new URL("../../src/core/http/route.ts", import.meta.url), "utf8");
  const [, body = ""] = /^export type Route = \{\n(.*?)^\};$/ms.exec(source) ?? [];
  const members = [...body.matchAll(/^ {2}(\w+)\??[:(]/gm)].map(([, name]) => name);
  assert.ok(members.includes("method") && members.includes("handle"));
  assert.ok(members.length <= mostMembers, `${members.length}: ${members.join(", ")}`);
});
