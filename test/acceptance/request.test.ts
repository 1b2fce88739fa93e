/** The envelope: media types, forms, arguments, methods, addresses, caps. Contract §1; issue point 13. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { brackets, type Call, sendRaw } from "./client.ts";
import { type Any, allRepliesKeptTheirPromises, dataOf, enter, refused, type Scenario, table } from "./world.ts";

const world = await enter("request");
const { token, access_token } = world.pair;
const path = "/api/entries";
const headers = { authorization: `Bearer ${token}`, "x-access-token": access_token };

let made = 0;
/** An id nobody used yet. */
const fresh = (): string => world.id(`fresh-${made++}`);
async function planted(): Promise<string> {
  const id = fresh();
  dataOf(await world.write("POST", { id, data: { title: "before" } }));
  return id;
}

// ---------------------------------------------------------------------------------------------- bodies

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
  test("true, false, 1 and 0 are booleans, and digits are integers, where those are meant", async () => {
    for (const [sent, routable] of Object.entries({ true: true, false: false, "1": true, "0": false })) {
      const form = { token, access_token, id: fresh(), data: { routable: sent, published_at: "1700000000" } };
      const data = dataOf(await world.send({ method: "POST", path, form }));
      assert.equal(data.routable, routable);
      assert.equal(data.published_at, 1700000000);
    }
  });

  test("what the client's own fields hold stays text", async () => {
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

  test("keys keep the order sent", async () => {
    const body = `data[z]=1&data[1]=2&data[a]=3&token=${token}&access_token=${access_token}&id=${fresh()}`;
    const reply = await world.send({ method: "POST", path, body, type: "application/x-www-form-urlencoded" });
    assert.ok(reply.text.startsWith('{"data":{"z":"1","1":"2","a":"3",'), reply.text);
  });

  test("10,000 fields are let through and more are refused", async () => {
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
  for (const [what, tail] of odd) {
    test(`${what} in a form is refused`, async () => {
      const id = fresh();
      const body = `token=${token}&access_token=${access_token}&id=${id}&data[x]=1&${tail}`;
      refused(await world.send({ method: "POST", path, body, type: "application/x-www-form-urlencoded" }), 400);
      refused(await world.read({ id }), 404);
    });
  }

  test("nothing hostile in a form is a fault of the service", async () => {
    const tails = [
      "data[",
      "data]",
      "data[[a]]=1",
      "data[a=1",
      "=1",
      "&&&",
      "data[]=1&data[a]=2",
      "data=1&data[a]=2",
      "[a]=1",
    ];
    for (const tail of [...tails, "data[a]=1&data[a][b]=2", "data[a][b]=1&data[a]=2", `data${"[a]".repeat(5000)}=1`]) {
      const body = `token=${token}&access_token=${access_token}&id=${fresh()}&${tail}`;
      const reply = await world.send({ method: "POST", path, body, type: "application/x-www-form-urlencoded" });
      assert.ok([200, 400].includes(reply.status), `${tail.slice(0, 40)}: ${reply.status} ${reply.text}`);
    }
  });
});

const json = () => JSON.stringify({ token, access_token, id: world.id("type"), data: {} });
const notCreated = async () => assert.equal(await world.statusOf("type"), 404);

table("a body of another kind is 415", world, [
  ...[
    "text/plain",
    "text/json",
    "text/html",
    "application/xml",
    "application/octet-stream",
    "application/jsonp",
    "application/json5",
    "application/x-json",
    "application/+json",
    "application/javascript",
    "multipart/mixed; boundary=x",
    "json",
    "application/",
    "*/*",
    "application/json; charset=iso-8859-1",
    "application/json; charset=utf-16",
    "application/json; charset=",
    "application/x-www-form-urlencoded; charset=latin1",
    "application/json, text/plain",
  ].map(
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

const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, "utf16le");

table("an unreadable body is 400", world, [
  ...(
    [
      ["cut JSON", () => json().slice(0, -1)],
      ["two JSON values", () => json() + json()],
      ["text after the JSON", () => `${json()}x`],
      ["a JSON list", () => `[${json()}]`],
      ["a JSON text", () => JSON.stringify(json())],
      ["a JSON number", () => "5"],
      ["JSON null", () => "null"],
      ["only spaces", () => "   "],
      ["invalid UTF-8 in a text", () => Buffer.concat([Buffer.from(json().slice(0, -2)), Buffer.from([0xff, 0xfe])])],
      [
        "an overlong UTF-8 sequence in a value",
        () =>
          Buffer.from(json().replace('"data":{}', '"data":{"a":"\u0001\u0001"}'), "latin1").map((b) =>
            b === 1 ? 0xc0 : b,
          ),
      ],
      ["UTF-16", () => utf16(json())],
      ["JSON 10,000 deep", () => json().replace("{}", `{"a":${"[".repeat(10_000)}${"]".repeat(10_000)}}`)],
      ["objects 10,000 deep", () => json().replace("{}", `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`)],
      ["an opening bracket 100,000 times", () => "[".repeat(100_000)],
      ["a key twice at the top", () => json().replace("{", '{"id":"other",')],
      ["__proto__ at the top", () => json().replace("{", '{"__proto__":{"token":"x"},')],
      ["constructor at the top", () => json().replace("{", '{"constructor":1,')],
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

describe("odd multipart bodies", () => {
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

  test("a file, a field twice, a nameless part or stray text is no fault of the service", async () => {
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

describe("odd headers of a good request", () => {
  test("a byte order mark before JSON is read over or refused", async () => {
    const reply = await world.send({ method: "POST", path, body: `\ufeff${json()}`, type: "application/json" });
    if (reply.status !== 200) refused(reply, 400);
    else assert.equal((await world.write("DELETE", { id: world.id("type") })).status, 204);
  });

  test("a range, another Accept or a body on GET change nothing", async () => {
    const query = { id: world.prefix, token };
    const plain = await world.send({ path, query });
    for (const extra of [{ range: "bytes=0-1" }, { accept: "text/html" }, { accept: "application/xml;q=1, */*;q=0" }]) {
      const reply = await world.send({ path, query, headers: extra as Record<string, string> });
      assert.equal(reply.status, 200, JSON.stringify(extra));
      assert.equal(reply.text, plain.text);
    }
    const body = JSON.stringify({ token, id: world.prefix });
    refused(await world.send({ path, query: { id: world.prefix }, json: body, stranger: true }), [400, 401, 415]);
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
    test(`${what} past 1.25 MiB is 413`, async () => {
      refused(await world.send({ method: "POST", path, ...call() }), 413);
      assert.equal(await world.statusOf("size"), 404);
    });
  }

  test("it is refused for callers without a token too, before they are asked for one", async () => {
    refused(await world.send({ method: "POST", path, json: { a: filler(cap) }, stranger: true }), 413);
  });

  test("a client that sends 10 MB without looking up still reads the 413", async () => {
    const body = JSON.stringify({ ...world.pair, id: world.id("size"), data: { a: filler(10_000_000) } });
    for (let n = 0; n < 8; n++) {
      const headers = { "content-type": "application/json" };
      const reply = await fetch(`${world.url}${path}`, { method: "POST", headers, body });
      assert.equal(reply.status, 413);
      await reply.text();
    }
  });

  test("the service is well after them", async () => assert.equal(await world.statusOf(""), 200));
});

describe("an empty body is {}", () => {
  test("with the tokens in headers and the arguments in the query, DELETE and PUT need no body", async () => {
    const id = await planted();
    const moved = await world.send({ method: "PUT", path, query: { id, new_id: `${id}-q` }, headers });
    assert.equal(dataOf(moved).slug, `${id}-q`);
    const copied = await world.send({
      method: "PUT",
      path: `${path}/copy`,
      query: { id: `${id}-q`, new_id: id },
      headers,
    });
    assert.equal(dataOf(copied).slug, id);
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
  test("tokens may come there too", async () => {
    const id = await planted();
    const query = { id, new_id: `${id}-q`, token, access_token };
    assert.equal(dataOf(await world.send({ method: "PUT", path, query })).slug, `${id}-q`);
    assert.equal((await world.send({ method: "DELETE", path, query: { ...query, id: `${id}-q` } })).status, 204);
  });

  test("the body wins", async () => {
    const [right, wrong] = [await planted(), await planted()];
    const json = { token, access_token, id: right, new_id: `${right}-moved` };
    const query = { id: wrong, new_id: `${wrong}-moved` };
    assert.equal(dataOf(await world.send({ method: "PUT", path, json, query })).slug, `${right}-moved`);
    const gone = { token, access_token, id: `${right}-moved` };
    assert.equal((await world.send({ method: "DELETE", path, json: gone, query: { id: wrong } })).status, 204);
    assert.equal((await world.read({ id: wrong })).status, 200);
  });

  test("they may be spread over both", async () => {
    const id = await planted();
    const json = { token, access_token, new_id: `${id}-moved` };
    assert.equal(dataOf(await world.send({ method: "PUT", path, json, query: { id } })).slug, `${id}-moved`);
  });

  test("registry items take them there as well", async () => {
    const id = `${world.key}.query`;
    assert.deepEqual(
      dataOf(await world.send({ method: "PUT", path: "/api/registry", query: { id, value: "v" }, headers })),
      {
        key: id,
        value: "v",
      },
    );
    assert.equal((await world.send({ method: "DELETE", path: "/api/registry", query: { id }, headers })).status, 204);
  });
});

// ---------------------------------------------------------------------------------------------- methods, addresses

describe("X-Http-Method-Override", () => {
  test("POST stands for PATCH, PUT and DELETE", async () => {
    const id = await planted();
    const override = (method: string, json: Any, at = path) =>
      world.send({
        method: "POST",
        path: at,
        json: { ...world.pair, ...json },
        headers: { "x-http-method-override": method },
      });
    assert.equal(dataOf(await override("PATCH", { id, data: { title: "after" } })).title, "after");
    assert.equal(dataOf(await override("PUT", { id, new_id: `${id}-m` })).slug, `${id}-m`);
    assert.equal(dataOf(await override("PUT", { id: `${id}-m`, new_id: id }, `${path}/copy`)).slug, id);
    assert.equal((await override("DELETE", { id })).status, 204);
    assert.equal((await override("delete", { id: `${id}-m` })).status, 204, "in lower case");
  });

  test("it means nothing on another method", async () => {
    const id = await planted();
    const get = await world.send({
      path,
      query: { id, token },
      headers: { "x-http-method-override": "DELETE", ...headers },
    });
    assert.equal(get.status, 200);
    assert.equal((await world.read({ id })).status, 200);
  });

  test("it does not lead round the tokens or the body's kind", async () => {
    const id = await planted();
    const override = { "x-http-method-override": "DELETE" };
    refused(
      await world.send({ method: "POST", path, json: { id }, headers: override, stranger: true }),
      401,
      "token_missing",
    );
    const text = { method: "POST", path, body: json(), type: "text/plain", headers: override };
    refused(await world.send(text), 415, "media_type_unsupported");
    assert.equal((await world.read({ id })).status, 200);
  });

  test("a method that is none of the three never reads or creates by stealth", async () => {
    for (const method of ["GET", "HEAD", "OPTIONS", "TRACE", "NONSENSE", "constructor"]) {
      const id = fresh();
      const reply = await world.send({
        method: "POST",
        path,
        json: { ...world.pair, id, data: {} },
        headers: { "x-http-method-override": method },
      });
      assert.ok(reply.status === 200 ? dataOf(reply).slug === id : reply.status >= 400, `${method}: ${reply.status}`);
    }
  });
});

const methods: Record<string, string[]> = {
  "/api/entries": ["GET", "POST", "PATCH", "PUT", "DELETE"],
  "/api/entries/copy": ["PUT"],
  "/api/delivery/entries": ["GET"],
  "/api/delivery/registry": ["GET"],
  "/api/management/entries": ["GET", "POST", "PATCH", "PUT", "DELETE"],
  "/api/registry": ["GET", "PUT", "DELETE"],
  "/api/tokens": ["GET", "POST", "PATCH", "DELETE"],
  "/api/tokens/rotate": ["PUT"],
  "/api/events": ["GET"],
  "/api/stats": ["GET"],
  "/api/openapi.json": ["GET"],
  "/health/live": ["GET"],
  "/health/ready": ["GET"],
};

for (const [address, known] of Object.entries(methods)) {
  describe(`the methods of ${address}`, () => {
    for (const method of ["GET", "POST", "PATCH", "PUT", "DELETE", "TRACE", "PROPFIND"].filter(
      (m) => !known.includes(m),
    )) {
      test(`${method} is 405, and Allow names the others`, async () => {
        const reply = await world.send({ method, path: address, ...(method === "GET" ? {} : { headers }) });
        refused(reply, 405);
        const allow = (reply.headers.allow ?? "")
          .split(/\s*,\s*/)
          .filter((name) => name !== "HEAD" && name !== "OPTIONS");
        assert.deepEqual(allow.sort(), [...known].sort());
      });
    }

    test("a trailing slash means the same address", async () => {
      const method = known[0] as string;
      const [plain, slashed] = await Promise.all(
        [address, `${address}/`].map((path) =>
          world.send({ method, path, stranger: true, ...(method === "GET" ? {} : { json: {} }) }),
        ),
      );
      assert.equal(slashed?.status, plain?.status);
      assert.equal(slashed?.headers["content-type"], plain?.headers["content-type"]);
    });
  });
}

table("an address that is none of the service's", world, [
  ...[
    "/api",
    "/api/",
    "/api/nothing",
    "/api/entries/x",
    "/api/entries/copy/x",
    "/api/entriesx",
    "/api/v1/entries",
    "/api/delivery",
    "/api/management/registry",
    "/api/Entries",
    "/health",
    "/favicon.ico",
    "/.env",
    "/.git/config",
    "/package.json",
    "/src/main.ts",
    "/data/octavo.db",
    "/%2e%2e/package.json",
    "/api/entries%2fcopy",
    "/api/%00",
    "/api/%ff",
    "/api/entries;x=1",
  ].map(
    (address): Scenario => ({
      name: `${address} is 404 without any token`,
      call: { path: address },
      status: address.includes("%") ? [400, 404] : 404,
      ...(address.includes("%") ? {} : { code: "route_not_found" }),
    }),
  ),
  ...["POST", "PUT", "PATCH", "DELETE"].map(
    (method): Scenario => ({
      name: `${method} to an unknown address is 404 before anything else`,
      call: { method, path: "/api/nothing", body: "{", type: "text/odd" },
      status: 404,
      code: "route_not_found",
    }),
  ),
]);

describe("HEAD answers wherever GET does", () => {
  const get: [string, () => Call][] = [
    ["an entry", () => ({ path, query: { id: world.prefix, token } })],
    ["a collection", () => ({ path, query: { id: world.prefix, token, filter: { total: "true" } } })],
    ["a missing entry", () => ({ path, query: { id: world.id("nothing"), token } })],
    ["a delivery entry", () => ({ path: "/api/delivery/entries", query: { id: world.prefix, token } })],
    ["a management entry", () => ({ path: "/api/management/entries", query: { id: world.prefix, token } })],
    ["a registry item", () => ({ path: "/api/registry", query: { id: "flextype.manifest.version", token } })],
    [
      "a delivery registry item",
      () => ({ path: "/api/delivery/registry", query: { id: "flextype.manifest.version", token } }),
    ],
    ["the description", () => ({ path: "/api/openapi.json" })],
    ["live", () => ({ path: "/health/live" })],
    ["ready", () => ({ path: "/health/ready" })],
    ["no token", () => ({ path, query: { id: world.prefix }, stranger: true })],
  ];
  for (const [what, call] of get) {
    test(`${what}: the same status and headers, and no body`, async () => {
      const [got, head] = await Promise.all([world.send(call()), world.send({ ...call(), method: "HEAD" })]);
      assert.equal(head.status, got.status);
      assert.equal(head.bytes.length, 0);
      for (const name of ["content-type", "etag", "cache-control", "last-modified", "x-total-count", "vary"]) {
        assert.equal(head.headers[name], got.headers[name], name);
      }
      if (head.headers["content-length"] !== undefined && got.status < 400) {
        assert.equal(Number(head.headers["content-length"]), got.bytes.length);
      }
    });
  }
});

describe("CORS", () => {
  const origin = "https://site.example";

  for (const [address, known] of Object.entries(methods).filter(([address]) => address.startsWith("/api/"))) {
    test(`a preflight of ${address} is 204 and allows what the API needs`, async () => {
      const reply = await world.send({
        method: "OPTIONS",
        path: address,
        headers: {
          origin,
          "access-control-request-method": known.at(-1) as string,
          "access-control-request-headers": "authorization, content-type, x-access-token, if-match",
        },
      });
      assert.equal(reply.status, 204, reply.text);
      assert.equal(reply.bytes.length, 0);
      assert.equal(reply.headers["access-control-allow-origin"], "*");
      const allowed = (reply.headers["access-control-allow-methods"] ?? "").toUpperCase();
      for (const method of known) assert.ok(allowed.includes(method), `${method} in ${allowed}`);
      const names = (reply.headers["access-control-allow-headers"] ?? "").toLowerCase();
      const needed = [
        "authorization",
        "content-type",
        "x-access-token",
        "if-match",
        "if-none-match",
        "x-http-method-override",
      ];
      for (const name of needed) assert.ok(names.includes(name), `${name} in ${names}`);
      assert.equal(reply.headers["access-control-allow-credentials"], undefined, "no credentials with *");
    });
  }

  test("every reply can be read by a page of another site, problems too", async () => {
    const calls: Call[] = [
      { path, query: { id: world.prefix, token } },
      { path, query: { id: world.id("nothing"), token } },
      { path, query: { id: world.prefix }, stranger: true },
      { path: "/api/nothing" },
      { method: "POST", path, body: "x", type: "text/plain" },
      { method: "POST", path: "/api/registry" },
    ];
    for (const call of calls) {
      const reply = await world.send({ ...call, headers: { origin } });
      assert.equal(reply.headers["access-control-allow-origin"], "*", `${call.path} ${reply.status}`);
      const exposed = (reply.headers["access-control-expose-headers"] ?? "").toLowerCase();
      for (const name of ["etag", "link", "x-total-count"]) assert.ok(exposed.includes(name), `${name} in ${exposed}`);
    }
  });
});

// ---------------------------------------------------------------------------------------------- caps of the query

const base = `id=${world.prefix}&token=${token}`;
const get = (query: string): Call => ({ path, query: `${base}&${query}` });
const times = (count: number, part: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => part(n)).join("&");
const nested = (levels: number): string => `filter${"[a]".repeat(levels)}=1`;

table("the caps of a query", world, [
  { name: "200 parameters are let through", call: get(times(198, (n) => `x${n}=1`)), status: 200 },
  { name: "201 are refused", call: get(times(199, (n) => `x${n}=1`)), status: 400, code: "query_too_complex" },
  { name: "100 items of a list are let through", call: get(times(100, () => "x[]=1")), status: 200 },
  { name: "101 are refused", call: get(times(101, () => "x[]=1")), status: 400, code: "query_too_complex" },
  { name: "a list index past the items is refused or one item", call: get("x[100000000]=1"), status: [200, 400] },
  { name: "nesting of 8 is let through", call: get(nested(7).replace("filter", "x")), status: 200 },
  { name: "nesting of 10 is refused", call: get(nested(10)), status: 400, code: "query_too_complex" },
  { name: "nesting of 5,000 is refused", call: get(nested(5000)), status: 400, code: "query_too_complex" },
  { name: "16,000 bytes are let through", call: get(`x=${"a".repeat(16_000 - base.length - 3)}`), status: 200 },
  {
    name: "more than 16 KiB are refused",
    call: get(`x=${"a".repeat(16_400)}`),
    status: 400,
    code: "query_too_complex",
  },
  {
    name: "40,000 bytes are refused as a query, not as a header",
    call: get(`x=${"a".repeat(40_000)}`),
    status: [400, 431],
  },
  ...["__proto__", "constructor", "prototype"].flatMap((key): Scenario[] => [
    { name: `the key ${key}`, call: get(`${key}=1`), status: 400, about: new RegExp(key) },
    { name: `the key ${key} in brackets`, call: get(`filter[${key}]=1`), status: 400, about: new RegExp(key) },
    { name: `the key ${key} deep in brackets`, call: get(`filter[where][${key}][x]=1`), status: 400 },
    { name: `the key ${key}, encoded`, call: get(`filter%5B${key.replace("t", "%74")}%5D=1`), status: 400 },
    { name: `the key ${key} in options`, call: get(`options[${key}][polluted]=1`), status: 400 },
    {
      name: `${key} as a value of an argument is only text`,
      call: get(`filter[where][key]=${key}&filter[where][expr]=eq&filter[where][value]=x`),
      status: [200, 400],
    },
  ]),
  { name: "a value with U+0000", call: get("filter[search]=a%00b"), status: 400 },
  { name: "a value that is not UTF-8", call: get("filter[search]=%ff"), status: 400 },
]);

test("whatever the query, the service answers or refuses", async () => {
  const odd = [
    "&&&",
    "=",
    "a&b&c",
    "filter[",
    "filter]",
    "filter[[]]=1",
    "filter[a",
    "[]=1",
    "[a]=1",
    "filter[][]=1",
    "%",
    "%%%",
    "filter[%5d]=1",
  ];
  const more = [
    "filter=x",
    "filter=[]",
    "filter={}",
    "filter[0]=1",
    "filter[limit][limit]=1",
    "options=x",
    "options[]=x",
    "options[filter]=x",
    "options[filter][]=x",
  ];
  const deep = [
    "filter[where][0][0][0][key]=x",
    "filter[where][key][]=x",
    "filter[order_by]=x",
    "filter[order_by][]=x",
    "filter[only][a][b]=x",
    "filter[depth][]=",
  ];
  for (const query of [
    ...odd,
    ...more,
    ...deep,
    "filter=1&filter[limit]=1",
    "filter[limit]=1&filter=1",
    "filter[limit]=1&filter[limit]=2",
    "?",
    "?&?",
    "x=1#y",
  ]) {
    const reply = await world.send(get(query));
    assert.ok([200, 400].includes(reply.status), `${query}: ${reply.status} ${reply.text}`);
  }
});

describe("odd bytes on the wire", () => {
  const host = new URL(world.url).host;

  test("headers past the limit are 431 with a problem body", async () => {
    const reply = await world.send({
      path,
      query: { id: world.prefix, token },
      headers: { "x-junk": "a".repeat(200_000) },
    });
    refused(reply, 431);
  });

  test("a request that is no HTTP gets a problem body or a closed connection", async () => {
    for (const bytes of [
      "GET\r\n\r\n",
      "NONSENSE / HTTP/1.1\r\nHost: x\r\n\r\n",
      "\0\0\0\0\r\n\r\n",
      "GET /api/entries HTTP/9.9\r\n\r\n",
    ]) {
      const reply = await sendRaw(world.url, bytes);
      if (reply === "") continue;
      assert.match(reply, /^HTTP\/1\.1 (4\d\d|505) /, JSON.stringify(bytes));
      assert.match(reply, /application\/problem\+json/i, JSON.stringify(bytes));
      assert.doesNotMatch(reply, /node:|\.ts:|HPE_/);
    }
  });

  test("a body with two lengths is refused, so nobody can smuggle a request", async () => {
    const smuggle = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /api/entries?token=${token}&id=${world.prefix} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    const reply = await sendRaw(world.url, smuggle);
    assert.doesNotMatch(reply, /"slug"/);
    assert.match(reply, /^HTTP\/1\.1 4\d\d /);
  });

  test("a refused body is never read as the next request", async () => {
    const inner = `GET ${path}?id=${world.prefix}&token=${token} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    for (const [address, type] of [
      [path, "text/plain"],
      ["/api/nothing", "application/json"],
      ["/health/live", "application/json"],
    ]) {
      const bytes = `POST ${address} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: ${type}\r\nContent-Length: ${inner.length}\r\n\r\n${inner}`;
      const reply = await sendRaw(world.url, bytes, 700);
      assert.match(reply, /^HTTP\/1\.1 4\d\d /);
      assert.equal(reply.match(/HTTP\/1\.1 \d\d\d/g)?.length, 1, "one request, one reply");
    }
  });

  test("a connection is of use after a refusal", async () => {
    const post = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello`;
    const get = `GET ${path}?id=${world.prefix}&token=${token} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
    assert.match(await sendRaw(world.url, post + get), /^HTTP\/1\.1 415 [\s\S]*HTTP\/1\.1 200 /);
  });

  test("Expect: 100-continue is answered", async () => {
    const body = JSON.stringify({ ...world.pair, id: fresh(), data: {} });
    const head = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`;
    assert.match(await sendRaw(world.url, head + body), /HTTP\/1\.1 200 /);
  });

  test("a body that never comes does not stop others", async () => {
    const hung = sendRaw(
      world.url,
      `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
      800,
    );
    assert.equal(await world.statusOf(""), 200);
    await hung;
  });

  test("two requests on one connection are answered in order", async () => {
    const get = (id: string, more = "") =>
      `GET ${path}?id=${id}&token=${token} HTTP/1.1\r\nHost: ${host}\r\n${more}\r\n`;
    const reply = await sendRaw(world.url, get(world.prefix) + get(world.id("nothing"), "Connection: close\r\n"));
    assert.match(reply, /^HTTP\/1\.1 200 [\s\S]*HTTP\/1\.1 404 /);
  });

  test("an absolute address and HTTP/1.0 are answered", async () => {
    const old = await sendRaw(
      world.url,
      `GET ${path}?id=${world.prefix}&token=${token} HTTP/1.0\r\nHost: ${host}\r\n\r\n`,
    );
    assert.match(old, /^HTTP\/1\.\d 200 /);
  });
});

test("nothing of all this polluted the service", async () => {
  const id = fresh();
  const data = dataOf(await world.write("POST", { id, data: {} }));
  assert.deepEqual(Object.keys(data).sort(), [
    "content",
    "created_at",
    "created_by",
    "modified_at",
    "published_at",
    "published_by",
    "routable",
    "slug",
    "uuid",
    "visibility",
  ]);
});

allRepliesKeptTheirPromises(world);
