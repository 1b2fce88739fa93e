/** Bodies: media types, forms, sizes, arguments in the query of PUT and DELETE. Contract §1, Bodies. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { brackets, type Call, sendRaw } from "./client.ts";
import { type Any, allRepliesKeptTheirPromises, dataOf, enter, refused, type Scenario, table } from "./world.ts";

const world = await enter("request");
const { token, access_token } = world.pair;
const path = "/api/entries";
const headers = { authorization: `Bearer ${token}`, "x-access-token": access_token };

let made = 0;
/** An unused id. */
const fresh = (): string => world.id(`fresh-${made++}`);
async function planted(): Promise<string> {
  const id = fresh();
  dataOf(await world.write("POST", { id, data: { title: "before" } }));
  return id;
}

type Body = (args: Any) => Partial<Call>;
const bodies: Record<string, Body> = {
  "application/json": (json) => ({ json }),
  "application/json; charset=utf-8": (json) => ({ json, type: "application/json; charset=utf-8" }),
  'application/json;charset="UTF-8"': (json) => ({ json, type: 'application/json;charset="UTF-8"' }),
  "Application/JSON": (json) => ({ json, type: "Application/JSON" }),
  "application/vnd.api+json": (json) => ({ json, type: "application/vnd.api+json" }),
  "application/merge-patch+json": (json) => ({ json, type: "application/merge-patch+json" }),
  "an urlencoded form": (form) => ({ form }),
  "an urlencoded form with a charset": (form) => ({
    form,
    type: "application/x-www-form-urlencoded; charset=UTF-8",
  }),
  "a multipart form": (multipart) => ({ multipart }),
  "JSON in chunks": (json) => ({ json, chunked: true }),
};

for (const [name, body] of Object.entries(bodies)) {
  test(`${name} carries every write`, async () => {
    const id = fresh();
    const write = (method: string, args: Any, at = path) =>
      world.send({ method, path: at, ...body({ token, access_token, ...args }) });
    const created = dataOf(await write("POST", { id, data: { title: "é & +=%", deep: { list: ["a", "b"] } } }));
    assert.equal(created.title, "é & +=%");
    assert.deepEqual(created.deep, { list: ["a", "b"] });
    assert.equal(dataOf(await write("PATCH", { id, data: { title: "b" } })).title, "b");
    assert.equal(dataOf(await write("PUT", { id, new_id: `${id}-moved` })).slug, `${id}-moved`);
    assert.equal(dataOf(await write("PUT", { id: `${id}-moved`, new_id: id }, `${path}/copy`)).slug, id);
    for (const gone of [id, `${id}-moved`]) assert.equal((await write("DELETE", { id: gone })).status, 204);
  });
}

describe("forms", () => {
  test("true, false, 1 and 0 are booleans and digits are integers for arguments of these types", async () => {
    for (const [sent, routable] of Object.entries({ true: true, false: false, "1": true, "0": false })) {
      const form = { token, access_token, id: fresh(), data: { routable: sent, published_at: "1700000000" } };
      const data = dataOf(await world.send({ method: "POST", path, form }));
      assert.equal(data.routable, routable);
      assert.equal(data.published_at, 1700000000);
    }
  });

  test("the client's own fields are texts", async () => {
    const form = { token, access_token, id: fresh(), data: { n: "15", t: "true", z: "007", e: "" } };
    const { n, t, z, e } = dataOf(await world.send({ method: "POST", path, form }));
    assert.deepEqual({ n, t, z, e }, { n: "15", t: "true", z: "007", e: "" });
  });

  test("a plus is a space and raw brackets are brackets", async () => {
    const body = `token=${token}&access_token=${access_token}&id=${fresh()}&data[title]=a+b%2Bc&data[tags][]=x&data[tags][]=y&data[o][k]=v`;
    const type = "application/x-www-form-urlencoded";
    const data = dataOf(await world.send({ method: "POST", path, body, type }));
    assert.equal(data.title, "a b+c");
    assert.deepEqual(data.tags, ["x", "y"]);
    assert.deepEqual(data.o, { k: "v" });
  });

  test("10,000 fields are accepted and more are refused", async () => {
    const fields = (count: number) => Array.from({ length: count - 3 }, (_, n) => `data[k${n}]=v`).join("&");
    const form = (count: number, id: string) => ({
      method: "POST",
      path,
      body: `token=${token}&access_token=${access_token}&id=${id}&${fields(count)}`,
      type: "application/x-www-form-urlencoded",
    });
    const id = fresh();
    const most = dataOf(await world.send(form(10_000, id)));
    assert.equal(most.k9996, "v");
    const over = fresh();
    refused(await world.send(form(10_001, over)), [400, 413]);
    refused(await world.read({ id: over }), 404);
  });

  const odd: [string, string][] = [
    ["a forbidden key", "data[__proto__][polluted]=1"],
    ["a forbidden key below", "data[a][constructor][prototype]=1"],
    ["a forbidden key at the top", "__proto__[polluted]=1"],
    ["U+0000", "data[a]=%00"],
    ["bytes that are not UTF-8", "data[a]=%ff%fe"],
    ["an encoded surrogate", "data[a]=%ed%a0%80"],
  ];
  test("what no text and no key may be is refused in a form", async () => {
    for (const [what, tail] of odd) {
      const id = fresh();
      const body = `token=${token}&access_token=${access_token}&id=${id}&data[x]=1&${tail}`;
      const reply = await world.send({ method: "POST", path, body, type: "application/x-www-form-urlencoded" });
      assert.ok(refused(reply, 400), what);
      refused(await world.read({ id }), 404);
    }
  });

  test("a hostile form never causes a 500", async () => {
    const tails = "data[ data] data[[a]]=1 data[a=1 =1 &&& data[]=1&data[a]=2 data=1&data[a]=2 [a]=1".split(" ");
    for (const tail of [...tails, "data[a]=1&data[a][b]=2", "data[a][b]=1&data[a]=2", `data${"[a]".repeat(5000)}=1`]) {
      const body = `token=${token}&access_token=${access_token}&id=${fresh()}&${tail}`;
      const reply = await world.send({ method: "POST", path, body, type: "application/x-www-form-urlencoded" });
      assert.ok([200, 400].includes(reply.status), `${tail.slice(0, 40)}: ${reply.status} ${reply.text}`);
    }
  });
});

const json = (id = world.id("type")) => JSON.stringify({ token, access_token, id, data: {} });
const notCreated = async () => assert.equal(await world.statusOf("type"), 404);

const kinds =
  "text/plain | text/json | application/xml | application/octet-stream | application/jsonp | application/+json | multipart/mixed; boundary=x | json | application/ | */* | application/json; charset=utf-16 | application/json; charset= | application/x-www-form-urlencoded; charset=latin1 | application/json, text/plain";

table("a body of another kind is 415", world, [
  ...kinds.split(" | ").map(
    (type): Scenario => ({
      name: `Content-Type ${type}`,
      call: () => ({ method: "POST", path, body: json(), type }),
      status: 415,
      code: "media_type_unsupported",
      check: notCreated,
    }),
  ),
  ...["PATCH", "PUT", "DELETE"].map(
    (method): Scenario => ({
      name: `text/plain on ${method}`,
      call: () => ({ method, path, body: json(), type: "text/plain" }),
      status: 415,
      code: "media_type_unsupported",
    }),
  ),
  {
    name: "a body without a Content-Type",
    call: () => ({ method: "POST", path, body: json(), type: null }),
    status: 415,
    code: "media_type_unsupported",
    check: notCreated,
  },
]);

const coded = (coding: string, body: string | Uint8Array = json()): Call => ({
  method: "POST",
  path,
  body,
  type: "application/json",
  headers: { "content-encoding": coding },
});

table("a body with a content coding is 415", world, [
  ...["gzip", "br", "GZIP", "identity, gzip", "nonsense"].map(
    (coding): Scenario => ({
      name: `Content-Encoding ${coding}`,
      call: () => coded(coding, coding === "gzip" ? gzipSync(json()) : json()),
      status: 415,
      code: "media_type_unsupported",
      about: /Content-Encoding.*identity/,
      check: async (reply) => {
        assert.equal(reply.headers["accept-encoding"], "identity");
        await notCreated();
      },
    }),
  ),
  ...["Identity", "identity, identity", ""].map(
    (coding): Scenario => ({
      name: `Content-Encoding "${coding}" is not a coding`,
      call: () => coded(coding, json(fresh())),
      status: 200,
    }),
  ),
]);

test("a Content-Encoding is refused before the body has arrived, on uploads, too", async () => {
  const { host } = new URL(world.url);
  const multipart = "multipart/form-data; boundary=x";
  for (const [address, type] of [
    [path, "application/json"],
    ["/api/files", multipart],
    ["/api/media/files", multipart],
  ]) {
    const head = `POST ${address} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: ${type}\r\nContent-Encoding: gzip\r\nContent-Length: 1000\r\n\r\n`;
    assert.match(await sendRaw(world.url, head, 700), /^HTTP\/1\.1 415 [\s\S]*"code":"media_type_unsupported"/);
  }
  const empty = `GET ${path}?id=${world.prefix}&token=${token} HTTP/1.1\r\nHost: ${host}\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n`;
  assert.match(await sendRaw(world.url, empty), /^HTTP\/1\.1 200 /, "without a body it has no effect");
});

const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, "utf16le");

table("an unreadable body is 400", world, [
  ...(
    [
      ["cut JSON", () => json().slice(0, -1)],
      ["two JSON values", () => json() + json()],
      ["text after the JSON", () => `${json()}x`],
      ["a JSON list", () => `[${json()}]`],
      ["a JSON number", () => "5"],
      ["invalid UTF-8 in a text", () => Buffer.concat([Buffer.from(json().slice(0, -2)), Buffer.from([0xff, 0xfe])])],
      ["UTF-16", () => utf16(json())],
      ["JSON 10,000 deep", () => json().replace("{}", `{"a":${"[".repeat(10_000)}${"]".repeat(10_000)}}`)],
      ["an opening bracket 100,000 times", () => "[".repeat(100_000)],
      ["a key twice at the top", () => json().replace("{", '{"id":"other",')],
      ["__proto__ at the top", () => json().replace("{", '{"__proto__":{"token":"x"},')],
      ["a form sent as JSON", () => brackets({ token, access_token, id: world.id("type"), data: { a: 1 } })],
    ] as [string, () => string | Buffer][]
  ).map(
    ([what, body]): Scenario => ({
      name: what,
      call: () => ({ method: "POST", path, body: body(), type: "application/json" }),
      status: 400,
      check: notCreated,
    }),
  ),
  {
    name: "a multipart body without a boundary",
    call: () => ({ method: "POST", path, body: json(), type: "multipart/form-data" }),
    status: [400, 415],
    check: notCreated,
  },
  {
    name: "a multipart body that ends early",
    call: {
      method: "POST",
      path,
      body: '--x\r\nContent-Disposition: form-data; name="id"\r\n\r\nabc',
      type: "multipart/form-data; boundary=x",
    },
    status: 400,
  },
]);

describe("unusual multipart bodies", () => {
  const part = (name: string, value: string, more = "") =>
    `--x\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
  const tokens = part("token", token) + part("access_token", access_token);
  const type = "multipart/form-data; boundary=x";
  const post = (body: string) => world.send({ method: "POST", path, body: `${body}--x--\r\n`, type });

  test("a forbidden key or U+0000 in a field is refused", async () => {
    for (const odd of [part("data[__proto__][polluted]", "1"), part("__proto__[a]", "1"), part("data[a]", "x\0y")]) {
      const id = fresh();
      refused(await post(tokens + part("id", id) + part("data[x]", "1") + odd), 400);
      refused(await world.read({ id }), 404);
    }
  });

  test("a file, a repeated field, a nameless part or stray text never causes a 500", async () => {
    const odds = [
      part("data[file]", "bytes", '; filename="a.txt"'),
      part("id", fresh(), '; filename="a.txt"'),
      part("id", fresh()),
      "--x\r\nContent-Disposition: form-data\r\n\r\nv\r\n",
      "--x\r\n\r\nv\r\n",
      "stray\r\n",
      part("data[a]", "v", '; name="data[b]"'),
      `--x\r\nContent-Disposition: form-data; name="data[q]"\r\nContent-Transfer-Encoding: base64\r\n\r\neA==\r\n`,
    ];
    for (const odd of odds) {
      const reply = await post(tokens + part("id", fresh()) + part("data[x]", "1") + odd);
      assert.ok([200, 400, 415].includes(reply.status), `${odd}: ${reply.status} ${reply.text}`);
    }
  });
});

describe("a name twice in a form", () => {
  const both = Object.entries({ token, access_token }).map(([name, value]): [string, string] => [name, value]);
  const asForm = (pairs: [string, string][]): Partial<Call> => ({
    body: pairs.map((pair) => pair.map(encodeURIComponent).join("=")).join("&"),
    type: "application/x-www-form-urlencoded",
  });
  const asParts = (pairs: [string, string][]): Partial<Call> => ({
    body: `${pairs.map(([name, value]) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`).join("")}--x--\r\n`,
    type: "multipart/form-data; boundary=x",
  });
  for (const [form, as] of Object.entries({ urlencoded: asForm, multipart: asParts })) {
    const post = (...pairs: [string, string][]) =>
      world.send({ method: "POST", path, ...as([...both, ["id", fresh()], ...pairs]) });

    test(`${form}: below a key it is the list of its values`, async () => {
      const reply = await post(
        ["data[l]", "a"],
        ["data[one]", "x"],
        ["data[l]", "b"],
        ["data[o][k]", "1"],
        ["data[o][k]", "2"],
      );
      assert.equal(reply.status, 200, reply.text);
      const { l, one, o } = dataOf(reply);
      assert.deepEqual({ l, one, o }, { l: ["a", "b"], one: "x", o: { k: ["1", "2"] } });
      assert.deepEqual(dataOf(await post(["data[l][]", "a"], ["data[l][]", "a"])).l, ["a", "a"]);
      assert.equal(dataOf(await post(["data[l]", "a"], ["data[l]", "a"])).l, "a");
    });

    test(`${form}: no field of the service, and no argument, takes two values`, async () => {
      refused(await post(["data[visibility]", "visible"], ["data[visibility]", "draft"]), 400, "field_invalid");
      refused(await post(["data", "{}"], ["data", '{"a":1}']), 400, "argument_repeated");
      refused(await post(["id", "another"], ["data[a]", "1"]), 400, "argument_repeated");
      refused(await post(["data[l][0]", "a"], ["data[l][0]", "b"]), 400, "argument_repeated", /data\[l\]\[0\]/);
    });
  }

  test("in a query it is refused", async () => {
    const query = `id=${world.prefix}&token=${token}&filter[limit]=1&filter[limit]=2`;
    refused(await world.send({ path, query }), 400, "argument_repeated", /filter\[limit\]/);
  });
});

describe("unusual headers of a valid request", () => {
  test("a byte order mark before JSON is ignored or refused", async () => {
    const reply = await world.send({ method: "POST", path, body: `\ufeff${json()}`, type: "application/json" });
    if (reply.status !== 200) refused(reply, 400);
    else assert.equal((await world.write("DELETE", { id: world.id("type") })).status, 204);
  });

  test("a range, another Accept or a body on GET change nothing", async () => {
    const query = { id: world.prefix, token };
    const plain = await world.send({ path, query });
    const extras = [
      { name: "range", value: "bytes=0-1" },
      { name: "accept", value: "text/html" },
      { name: "accept", value: "application/xml;q=1, */*;q=0" },
    ];
    for (const { name, value } of extras) {
      const reply = await world.send({ path, query, headers: { [name]: value } });
      assert.equal(reply.status, 200, value);
      assert.equal(reply.text, plain.text);
    }
    const body = JSON.stringify({ token, id: world.prefix });
    refused(await world.send({ path, query: { id: world.prefix }, json: body, uniqueAddress: true }), [400, 401, 415]);
  });
});

describe("the size of a body", () => {
  const cap = 1.25 * 1024 * 1024;
  const filler = (bytes: number) => "x".repeat(Math.ceil(bytes));
  const over: [string, () => Partial<Call>][] = [
    ["JSON", () => ({ json: { ...world.pair, id: world.id("size"), data: { a: filler(cap) } } })],
    ["a form", () => ({ form: { ...world.pair, id: world.id("size"), data: { a: filler(cap) } } })],
    ["a multipart form", () => ({ multipart: { ...world.pair, id: world.id("size"), data: { a: filler(cap) } } })],
    ["10 MB of JSON", () => ({ json: { ...world.pair, id: world.id("size"), data: { a: filler(10_000_000) } } })],
    [
      "JSON in chunks",
      () => ({ json: { ...world.pair, id: world.id("size"), data: { a: filler(cap) } }, chunked: true }),
    ],
    ["spaces", () => ({ body: filler(cap + 1).replaceAll("x", " "), type: "application/json" })],
  ];
  for (const [what, call] of over) {
    test(`${what} above 1.25 MiB is 413`, async () => {
      refused(await world.send({ method: "POST", path, ...call() }), 413);
      assert.equal(await world.statusOf("size"), 404);
    });
  }

  test("it is refused before the token is checked", async () => {
    refused(await world.send({ method: "POST", path, json: { a: filler(cap) }, uniqueAddress: true }), 413);
  });

  test("a client that sends 10 MB before reading gets the 413", async () => {
    const body = JSON.stringify({ ...world.pair, id: world.id("size"), data: { a: filler(10_000_000) } });
    for (let n = 0; n < 8; n++) {
      const headers = { "content-type": "application/json" };
      const reply = await fetch(`${world.url}${path}`, { method: "POST", headers, body });
      assert.equal(reply.status, 413);
      await reply.text();
    }
  });
});

describe("an empty body is {}", () => {
  test("with the tokens in headers and the arguments in the query, DELETE and PUT need no body", async () => {
    const id = await planted();
    const moved = await world.send({ method: "PUT", path, query: { id, new_id: `${id}-q` }, headers });
    assert.equal(dataOf(moved).slug, `${id}-q`);
    const query = { id: `${id}-q`, new_id: id };
    assert.equal(dataOf(await world.send({ method: "PUT", path: `${path}/copy`, query, headers })).slug, id);
    assert.equal((await world.send({ method: "DELETE", path, query: { id }, headers })).status, 204);
    const json = { method: "DELETE", path, query: { id: `${id}-q` }, headers, body: "", type: "application/json" };
    assert.equal((await world.send(json)).status, 204);
  });

  test("then required arguments are missing, which is 400", async () => {
    for (const method of ["POST", "PATCH", "PUT", "DELETE"]) {
      for (const type of [null, "application/json", "application/x-www-form-urlencoded"]) {
        refused(await world.send({ method, path, headers, body: "", type }), 400, undefined, /id/);
      }
    }
  });

  test("a Content-Type without a body and without a length is answered at once", async () => {
    const head = (method: string, type: string) =>
      `${method} ${path} HTTP/1.1\r\nHost: ${new URL(world.url).host}\r\nContent-Type: ${type}\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\nX-Access-Token: ${access_token}\r\n\r\n`;
    for (const method of ["POST", "PATCH", "PUT", "DELETE"]) {
      for (const type of ["application/json", "application/x-www-form-urlencoded", "text/plain"]) {
        assert.match(await sendRaw(world.url, head(method, type)), /^HTTP\/1\.1 4(00|15) /, `${method} ${type}`);
      }
    }
  });
});

describe("arguments in the query of PUT and DELETE", () => {
  test("tokens may be there, too", async () => {
    const id = await planted();
    const query = { id, new_id: `${id}-q`, token, access_token };
    assert.equal(dataOf(await world.send({ method: "PUT", path, query })).slug, `${id}-q`);
    assert.equal((await world.send({ method: "DELETE", path, query: { ...query, id: `${id}-q` } })).status, 204);
  });

  test("the body takes precedence", async () => {
    const [right, wrong] = [await planted(), await planted()];
    const json = { token, access_token, id: right, new_id: `${right}-moved` };
    const query = { id: wrong, new_id: `${wrong}-moved` };
    assert.equal(dataOf(await world.send({ method: "PUT", path, json, query })).slug, `${right}-moved`);
    const gone = { token, access_token, id: `${right}-moved` };
    assert.equal((await world.send({ method: "DELETE", path, json: gone, query: { id: wrong } })).status, 204);
    assert.equal((await world.read({ id: wrong })).status, 200);
  });

  test("registry items accept them there, too", async () => {
    const id = `${world.key}.query`;
    const put = { method: "PUT", path: "/api/registry", query: { id, value: "v" }, headers };
    assert.deepEqual(dataOf(await world.send(put)), { key: id, value: "v" });
    assert.equal((await world.send({ method: "DELETE", path: "/api/registry", query: { id }, headers })).status, 204);
  });
});

test("no prototype was polluted", async () => {
  const id = fresh();
  const data = dataOf(await world.write("POST", { id, data: {} }));
  const own = "content created_at created_by modified_at published_at published_by routable slug uuid visibility";
  assert.deepEqual(Object.keys(data).sort(), own.split(" "));
});

allRepliesKeptTheirPromises(world);
