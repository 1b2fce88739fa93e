import assert from "node:assert/strict";
import { test } from "node:test";
import { formatJson, parseJson } from "./json.ts";
import { membersOf, objectOfMembers } from "./json-members.ts";

test("the members of an object as their texts, and an object of them", () => {
  const texts = [
    "{}",
    '{"a":1}',
    '{"a":"b\\"c,}","d":{"e":[1,{"f":"]"}]},"g":[],"h":null,"\\"k\\\\":"\\\\","1":"x\\\\\\""}',
    '{"content":"","":{"":""},"n":1.5e300,"t":true}',
  ];
  for (const text of texts) {
    const members = membersOf(text);
    assert.equal(objectOfMembers(members), text);
    const object = parseJson(text) as Map<string, never>;
    assert.deepEqual(
      [...members.keys()],
      [...object.keys()].map((key) => JSON.stringify(key)),
    );
    assert.deepEqual(
      [...members.values()],
      [...object].map(([key, value]) => `${JSON.stringify(key)}:${formatJson(value)}`),
    );
  }
});
