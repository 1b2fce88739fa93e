/** Identifiers: refused ones in every argument that takes a path, and ones kept as sent. Contract §1, Paths. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Call } from "./client.ts";
import { allRepliesKeptTheirPromises, dataOf, enter, refused } from "./world.ts";

const world = await enter("path");
const { token, access_token } = world.pair;
const p = world.prefix;

/** Each argument that takes a path, with a call that sends it. */
const places: Record<string, (id: string) => Call> = {
  "id of GET": (id) => ({ path: "/api/entries", query: { id, token } }),
  "id of a collection": (id) => ({ path: "/api/entries", query: { id, token, filter: "" } }),
  "id of GET /api/delivery/entries": (id) => ({ path: "/api/delivery/entries", query: { id, token } }),
  "id of POST": (id) => ({ method: "POST", path: "/api/entries", json: { ...world.pair, id, data: {} } }),
  "id of PATCH": (id) => ({ method: "PATCH", path: "/api/entries", json: { ...world.pair, id, data: {} } }),
  "id of PUT": (id) => ({ method: "PUT", path: "/api/entries", json: { ...world.pair, id, new_id: `${p}/x` } }),
  "new_id of PUT": (new_id) => ({ method: "PUT", path: "/api/entries", json: { ...world.pair, id: p, new_id } }),
  "id of PUT /copy": (id) => ({
    method: "PUT",
    path: "/api/entries/copy",
    json: { ...world.pair, id, new_id: `${p}/x` },
  }),
  "new_id of PUT /copy": (new_id) => ({
    method: "PUT",
    path: "/api/entries/copy",
    json: { ...world.pair, id: p, new_id },
  }),
  "id of DELETE": (id) => ({ method: "DELETE", path: "/api/entries", json: { ...world.pair, id } }),
  "id of DELETE in the query": (id) => ({
    method: "DELETE",
    path: "/api/entries",
    query: { id },
    headers: { authorization: `Bearer ${token}`, "x-access-token": access_token },
  }),
};

const long = (bytes: number): string => {
  const segment = "s".repeat(200);
  let path = p;
  while (path.length + 201 < bytes) path += `/${segment}`;
  return `${path}/${"t".repeat(bytes - path.length - 1)}`;
};
const many = (segments: number): string => [p, ...Array.from({ length: segments - 1 }, () => "s")].join("/");

const refusedPaths: [string, string][] = [
  ["..", ".."],
  [".", "."],
  ["a parent segment first", `../${p}`],
  ["a parent segment inside", `${p}/../x`],
  ["a parent segment last", `${p}/..`],
  ["many parent segments", `${p}/../../../../etc/passwd`],
  ["a dot segment inside", `${p}/./x`],
  ["an empty segment", `${p}//x`],
  ["a backslash", `${p}\\x`],
  ["a parent segment with backslashes", `${p}/..\\..\\x`],
  ["NUL", `${p}/a\0b`],
  ["a line feed", `${p}/a\nb`],
  ["a carriage return", `${p}/a\rb`],
  ["a tab", `${p}/a\tb`],
  ["the delete character", `${p}/a\x7fb`],
  ["a C1 control character", `${p}/a\u0085b`],
  ["an encoded parent segment, as text", `${p}/%2e%2e/x`],
  ["an encoded slash behind dots, as text", `${p}/..%2f..%2fx`],
  ["a doubly encoded parent segment, as text", `${p}/%252e%252e%252fx`],
  ["a segment of 256 bytes", `${p}/${"s".repeat(256)}`],
  ["a segment of 256 bytes in 128 characters", `${p}/${"é".repeat(128)}`],
  ["1,025 bytes", long(1025)],
  ["33 segments", many(33)],
];

// Each rule at one place, all places with some: src/core/path.test.ts has the rules.
for (const [n, [place, call]] of Object.entries(places).entries()) {
  test(`as ${place} what breaks a rule is refused`, async () => {
    for (const [what, path] of n === 0 ? refusedPaths : refusedPaths.slice(0, 4)) {
      const code = what === "NUL" ? undefined : "path_invalid";
      const problem = refused(await world.send(call(path)), 400, code);
      if (code) assert.match(problem.detail, place.startsWith("new_id") ? /new_id/ : /"id"/);
    }
  });
}

test("no refused write changed anything", async () => {
  assert.deepEqual(await world.list("", { depth: ">0" }), []);
  assert.equal(await world.statusOf(""), 200);
});

describe("in the raw query", () => {
  const raw: [string, string][] = [
    ["an encoded parent segment", `${p}/%2e%2e/x`],
    ["an encoded slash", `%2e%2e%2f${p}`],
    ["a doubly encoded parent segment", `${p}/%252e%252e%252fx`],
    ["a trebly encoded parent segment", `${p}/%25252e%25252e%25252fx`],
    ["NUL", `${p}/a%00b`],
    ["a backslash", `${p}/a%5Cb`],
    ["bytes that are not UTF-8", `${p}/%ff%fe`],
    ["an overlong encoding of a dot", `${p}/%c0%ae%c0%ae/x`],
    ["a cut UTF-8 sequence", `${p}/%e2%82`],
    ["an encoded lone surrogate", `${p}/%ed%a0%80`],
  ];
  for (const [what, id] of raw) {
    test(`${what} is refused`, async () => {
      refused(await world.send({ path: "/api/entries", query: `id=${id}&token=${token}` }), 400);
    });
  }

  test("an invalid percent escape never causes a 500", async () => {
    for (const id of ["%", "%zz", "%4", "100%"]) {
      const reply = await world.send({ path: "/api/entries", query: `id=${p}/${id}&token=${token}` });
      refused(reply, [400, 404]);
    }
  });

  test("a parent segment in the URL reaches nothing", async () => {
    for (const path of ["/api/../api/entries", "/api/entries/../entries", "/api/%2e%2e/etc/passwd", "//api/entries"]) {
      const reply = await world.send({ path, query: { id: p, token } });
      assert.ok([200, 400, 404].includes(reply.status), `${path}: ${reply.status}`);
      assert.ok(!reply.text.includes("root:"), path);
    }
  });
});

const kept: [string, string][] = [
  ["spaces inside", "two words"],
  ["spaces at the ends of a segment", " padded /  x  "],
  ["upper and lower case", "MiXeD/CaSe"],
  ["letters beyond ASCII", "Ünïcode/日本語/العربية"],
  ["characters beyond the basic plane", "😀/𝒳"],
  ["a percent sign", "100%"],
  ["a percent sign and hexadecimal digits", "100%41"],
  ["characters of the query", "a&b=c+d?e#f"],
  ["quotes and brackets", `it's "so" <b> [x] {y}`],
  ["wildcards of SQL", "_%_"],
  ["wildcards of shells", "*?~$HOME`id`"],
  ["three dots", ".../x"],
  ["leading dots", ".hidden/..x/x.."],
  ["a colon and a semicolon", "c:;x"],
  ["a comma and an at sign", "a,b@c"],
  ["digits only", "123/007"],
  ["a name like a file's", "entry.md"],
  ["full-width dots", "．．/x"],
  ["a zero-width joiner", "a\u200db"],
  ["a segment of 255 bytes", "s".repeat(255)],
  ["a segment of 254 bytes in 127 characters", "é".repeat(127)],
];

describe("kept as sent", () => {
  for (const [what, name] of kept) {
    test(`${what}: created, read, listed, moved and deleted`, async () => {
      const created = await world.create(`kept/${name}`, { title: what });
      assert.equal(created.slug, world.id(`kept/${name}`));
      assert.equal((await world.entry(`kept/${name}`)).slug, created.slug);
      assert.ok((await world.list("kept", { depth: ">0" })).includes(name));
      const moved = await world.write("PUT", { id: created.slug, new_id: world.id(`kept2/${name}`) });
      assert.equal(dataOf(moved).slug, world.id(`kept2/${name}`));
      assert.equal(await world.statusOf(`kept/${name}`), 404);
      assert.equal((await world.write("DELETE", { id: world.id(`kept2/${name}`) })).status, 204);
    });
  }

  test("1,024 bytes and 32 segments are accepted", async () => {
    for (const id of [long(1024), many(32)]) {
      assert.equal(dataOf(await world.write("POST", { id, data: {} })).slug, id);
      assert.equal(dataOf(await world.read({ id })).slug, id);
      assert.equal((await world.write("DELETE", { id })).status, 204);
    }
  });

  test("ids that differ in case or in a space are different entries", async () => {
    for (const name of ["case/A", "case/a", "case/a ", "case/ a"]) await world.create(name, { name });
    for (const name of ["case/A", "case/a", "case/a ", "case/ a"]) assert.equal((await world.entry(name)).name, name);
  });

  test("outer slashes are trimmed everywhere", async () => {
    const reply = await world.write("POST", { id: `//${world.id("trim/a")}/`, data: {} });
    assert.equal(dataOf(reply).slug, world.id("trim/a"));
    const moved = await world.write("PUT", { id: `/${world.id("trim/a")}`, new_id: `${world.id("trim/b")}//` });
    assert.equal(dataOf(moved).slug, world.id("trim/b"));
    assert.equal((await world.write("DELETE", { id: `${world.id("trim/b")}/` })).status, 204);
  });

  test("composed and decomposed Unicode name one entry, answered composed", async () => {
    const decomposed = "cafe\u0301/A\u030a";
    const composed = decomposed.normalize("NFC");
    assert.notEqual(decomposed, composed);
    assert.equal((await world.create(`nfc/${decomposed}`, { n: 1 })).slug, world.id(`nfc/${composed}`));
    for (const name of [decomposed, composed]) assert.equal((await world.entry(`nfc/${name}`)).n, 1);
    refused(await world.write("POST", { id: world.id(`nfc/${composed}`), data: {} }), 409, "entry_exists");
    const moved = await world.write("PUT", { id: world.id(`nfc/${decomposed}`), new_id: world.id("nfc/e\u0301") });
    assert.equal(dataOf(moved).slug, world.id("nfc/é"));
    assert.deepEqual(await world.list("nfc", {}), ["é"]);
  });

  test("text in data is not composed", async () => {
    assert.equal((await world.create("nfc-data", { title: "cafe\u0301" })).title, "cafe\u0301");
  });
});

test("a lone surrogate in an id is refused", async () => {
  for (const id of ['"\\ud800"', `"${p}/\\udfff"`]) {
    const json = `{"token":"${token}","access_token":"${access_token}","id":${id},"data":{}}`;
    refused(await world.send({ method: "POST", path: "/api/entries", json }), 400);
  }
});

allRepliesKeptTheirPromises(world);
