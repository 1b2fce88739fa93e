/** The registry. Contract §6. */
import "../env.ts";
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { atEnd } from "../ending.ts";
import { allRepliesKeptTheirPromises, dataOf, enter, refused, type Scenario, table, tagOf } from "./world.ts";

const world = await enter("registry");
const { delivery, management } = world.tokens;
const path = "/api/registry";
const key = (name: string): string => `${world.key}.${name}`;
const get = (id: string, token = management) => world.read({ id }, token, path);
const put = (id: string, value: unknown) => world.write("PUT", { id, value }, path);
const remove = (id: string) => world.write("DELETE", { id }, path);
const made: string[] = [];
const set = async (name: string, value: unknown) => {
  made.push(name);
  return dataOf(await put(key(name), value));
};
atEnd(async () => {
  for (const name of made) await remove(key(name));
});

describe("the built-in items", () => {
  test("flextype.manifest.version is the generation of the API", async () => {
    for (const token of [delivery, management]) {
      const reply = await get("flextype.manifest.version", token);
      assert.equal(reply.text, '{"data":{"key":"flextype.manifest.version","value":"0.9.8"}}');
    }
  });

  for (const name of ["name", "version", "description", "license"]) {
    test(`octavo.manifest.${name} is a text`, async () => {
      const data = dataOf(await get(`octavo.manifest.${name}`, delivery));
      assert.deepEqual(Object.keys(data), ["key", "value"]);
      assert.equal(data.key, `octavo.manifest.${name}`);
      assert.ok(typeof data.value === "string" && data.value !== "");
    });
  }

  test("a parent answers the object of its items", async () => {
    assert.deepEqual(dataOf(await get("flextype.manifest", delivery)), {
      key: "flextype.manifest",
      value: { version: "0.9.8" },
    });
    const manifest = dataOf(await get("octavo.manifest", delivery)).value;
    assert.deepEqual(Object.keys(manifest).sort(), ["description", "license", "name", "version"]);
    assert.deepEqual(dataOf(await get("octavo", delivery)).value.manifest, manifest);
  });

  const readOnly = [
    "flextype.manifest.version",
    "octavo.manifest.version",
    "octavo.manifest.name",
    "octavo.manifest.x",
  ];
  for (const id of [...readOnly, "octavo.manifest", "flextype.manifest"]) {
    test(`${id} cannot be set or deleted`, async () => {
      const before = await get(id);
      refused(await put(id, "hacked"), [400, 403, 409]);
      refused(await remove(id), [400, 403, 404, 409]);
      assert.equal(
        (await get(id)).text.replaceAll(/"request_id":"[^"]*"/g, ""),
        before.text.replaceAll(/"request_id":"[^"]*"/g, ""),
      );
    });
  }

  test("a parent of the built-in items cannot be set", async () => {
    for (const id of ["octavo", "flextype"]) {
      await put(id, "over");
      assert.equal(dataOf(await get("flextype.manifest.version")).value, "0.9.8");
      await remove(id);
      assert.equal(dataOf(await get("octavo.manifest.license")).value, "MIT");
    }
  });

  test("secrets and settings are not in it", async () => {
    for (const id of [
      "flextype.settings",
      "octavo.settings",
      "octavo.tokens",
      "tokens",
      "settings",
      "process.env",
      "env",
      "plugins",
    ]) {
      refused(await get(id), 404, "registry_item_not_found");
    }
  });
});

const survivors: [string, string][] = [
  ["a text", '"v"'],
  ["the empty text", '""'],
  ["text beyond ASCII", '"é 😀"'],
  ["an integer", "15"],
  ["a number past 2^53", "9007199254740993"],
  ["1.0", "1.0"],
  ["true", "true"],
  ["false", "false"],
  ["an object", '{"b":1,"1":2,"a":{}}'],
  ["a list", '[1,"1",null,[]]'],
];

describe("PUT and DELETE /api/registry", () => {
  for (const [n, [what, source]] of survivors.entries()) {
    test(`${what} set as JSON is answered as it was sent`, async () => {
      const { token, access_token } = world.pair;
      const id = key(`survivor_${n}`);
      made.push(`survivor_${n}`);
      const json = `{"id":"${id}","token":"${token}","access_token":"${access_token}","value":${source}}`;
      const reply = await world.send({ method: "PUT", path, json });
      const expected = `{"data":{"key":"${id}","value":${source}}}`;
      assert.equal(reply.text, expected);
      assert.equal((await get(id)).text, expected);
      assert.equal((await get(id, delivery)).text, expected);
    });
  }

  test("a form sets text", async () => {
    made.push("form");
    const reply = await world.send({ method: "PUT", path, form: { ...world.pair, id: key("form"), value: "15" } });
    assert.deepEqual(dataOf(reply), { key: key("form"), value: "15" });
  });

  test("setting again overwrites, also with the same value", async () => {
    await set("again", "a");
    await set("again", "a");
    assert.equal((await set("again", "b")).value, "b");
    assert.equal(dataOf(await get(key("again"))).value, "b");
  });

  test("deleting answers 204; repeated it is 404", async () => {
    await set("gone", "a");
    const reply = await remove(key("gone"));
    assert.equal(reply.status, 204);
    assert.equal(reply.bytes.length, 0);
    refused(await get(key("gone")), 404, "registry_item_not_found");
    refused(await remove(key("gone")), 404, "registry_item_not_found");
  });

  test("a parent key answers an object of its items", async () => {
    await set("parent.a", "1");
    await set("parent.b.c", 2);
    await set("parent.b.d", [3]);
    assert.deepEqual(dataOf(await get(key("parent"))), {
      key: key("parent"),
      value: { a: "1", b: { c: 2, d: [3] } },
    });
    assert.deepEqual(dataOf(await get(key("parent.b"), delivery)).value, { c: 2, d: [3] });
  });

  test("a key with the same prefix is not a parent", async () => {
    await set("near_x", "1");
    await set("nearby", "2");
    refused(await get(key("near")), 404, "registry_item_not_found");
    await set("like_a.x", "1");
    await set("likeba.x", "2");
    assert.deepEqual(dataOf(await get(key("like_a"))).value, { x: "1" });
  });

  test("keys are case-sensitive", async () => {
    await set("Case", "upper");
    refused(await get(key("case")), 404, "registry_item_not_found");
  });

  test("the tag of a read gives 304 until a change", async () => {
    await set("tag", "a");
    const first = await get(key("tag"));
    const tag = tagOf(first);
    const query = { id: key("tag"), token: management };
    const again = await world.send({ path, query, headers: { "if-none-match": tag } });
    assert.equal(again.status, 304);
    assert.equal(again.bytes.length, 0);
    await set("tag", "b");
    const changed = await world.send({ path, query, headers: { "if-none-match": tag } });
    assert.equal(dataOf(changed).value, "b");
    assert.notEqual(tagOf(changed), tag);
  });
});

const write = (method: string, more: Record<string, unknown>, pair: Record<string, string> = world.pair) => ({
  method,
  path,
  json: { ...pair, ...more },
});
const absent = async () => refused(await get(key("refused")), 404);

table("the registry refuses", world, [
  {
    name: "an unknown key",
    call: { path, query: { id: key("nothing"), token: management } },
    status: 404,
    code: "registry_item_not_found",
  },
  { name: "a read without an id", call: { path, query: { token: management } }, status: 400, about: /id/ },
  {
    name: "a read with an id as a list",
    call: { path, query: { id: ["a"], token: management } },
    status: 400,
    about: /id/,
  },
  ...[
    "",
    ".",
    "a..b",
    ".a",
    "a.",
    "a b",
    "a/b",
    "../x",
    "__proto__",
    "a.constructor.b",
    "a\0b",
    "a\nb",
    "x".repeat(5000),
  ].flatMap((id): Scenario[] => [
    {
      name: `reading the key ${JSON.stringify(id).slice(0, 40)}`,
      call: { path, query: { id, token: management } },
      status: [400, 404],
    },
    { name: `setting the key ${JSON.stringify(id).slice(0, 40)}`, call: write("PUT", { id, value: "x" }), status: 400 },
  ]),
  {
    name: "a missing value",
    call: write("PUT", { id: key("refused") }),
    status: 400,
    about: /value/,
    check: absent,
  },
  { name: "a missing id on PUT", call: write("PUT", { value: "x" }), status: 400, about: /id/ },
  { name: "a missing id on DELETE", call: write("DELETE", {}), status: 400, about: /id/ },
  {
    name: "a value with U+0000",
    call: write("PUT", { id: key("refused"), value: "a\0b" }),
    status: 400,
    check: absent,
  },
  {
    name: "a write by a delivery token",
    call: write("PUT", { id: key("refused"), value: "x", token: delivery }),
    status: 403,
    code: "scope_missing",
    check: absent,
  },
  {
    name: "a write without an access token",
    call: write("PUT", { id: key("refused"), value: "x" }, { token: management }),
    status: 401,
    code: "access_token_missing",
    check: absent,
  },
  {
    name: "a delete without an access token",
    call: write("DELETE", { id: key("refused") }, { token: management }),
    status: 401,
    code: "access_token_missing",
  },
]);

allRepliesKeptTheirPromises(world);
