/** The query: limits and forbidden keys. The wire: invalid bytes, and connection handling. Contract §1, Query. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Call, sendRaw } from "./client.ts";
import { allRepliesKeptTheirPromises, enter, refused, type Scenario, table } from "./world.ts";

const world = await enter("query");
const { token } = world.pair;
const path = "/api/entries";

let made = 0;
/** An unused id. */
const fresh = (): string => world.id(`fresh-${made++}`);

const base = `id=${world.prefix}&token=${token}`;
const get = (query: string): Call => ({ path, query: `${base}&${query}` });
const times = (count: number, part: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => part(n)).join("&");
const nested = (levels: number): string => `filter${"[a]".repeat(levels)}=1`;

table("the caps of a query", world, [
  { name: "200 parameters are accepted", call: get(times(198, (n) => `x${n}=1`)), status: 200 },
  { name: "201 are refused", call: get(times(199, (n) => `x${n}=1`)), status: 400, code: "query_too_complex" },
  { name: "100 items of a list are accepted", call: get(times(100, () => "x[]=1")), status: 200 },
  { name: "101 are refused", call: get(times(101, () => "x[]=1")), status: 400, code: "query_too_complex" },
  { name: "a list index above the limit is refused or one item", call: get("x[100000000]=1"), status: [200, 400] },
  { name: "nesting of 8 is accepted", call: get(nested(7).replace("filter", "x")), status: 200 },
  { name: "nesting of 10 is refused", call: get(nested(10)), status: 400, code: "query_too_complex" },
  { name: "nesting of 5,000 is refused", call: get(nested(5000)), status: 400, code: "query_too_complex" },
  { name: "16,000 bytes are accepted", call: get(`x=${"a".repeat(16_000 - base.length - 3)}`), status: 200 },
  { name: "16 KiB are accepted", call: get(`x=${"a".repeat(16_384 - base.length - 3)}`), status: 200 },
  {
    name: "a byte more is refused",
    call: get(`x=${"a".repeat(16_385 - base.length - 3)}`),
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

describe("unknown keys of filter and options", () => {
  const lists = (filter: string, options = "options[collection]=1"): [string, string][] => [
    ["/api/entries", `${options}&${filter}`],
    ["/api/delivery/entries", `${options}&${filter}`],
    ["/api/management/entries", `${options}&${filter}`],
    ...["folders", "files"].flatMap((noun): [string, string][] => [
      [`/api/${noun}`, `collection=true&${options}&${filter}`],
      [`/api/media/${noun}`, `collection=true&${options}&${filter}`],
    ]),
  ];
  const ask = (address: string, query: string) => {
    const id = address.includes("entries") ? `id=${world.prefix}` : `${address.includes("media") ? "id" : "path"}=`;
    return world.send({ path: address, query: `${id}&token=${token}&${query}` });
  };
  const condition = (more: string) => `filter[where][key]=a&filter[where][expr]=eq&filter[where][value]=b&${more}`;

  const ignored: [query: string, named: string][] = [
    ["filter[lmit]=5", "filter[lmit]"],
    ["filter[lmit]=5&filter[Return]=first", "filter[lmit], filter[Return]"],
    ["options[filter][lmit]=5", "options[filter][lmit]"],
    ["options[find][dept]=1", "options[find][dept]"],
    ["options[method]=fetchAll", "options[method]"],
    ["filter[a][b][c]=5", "filter[a]"],
    [condition("filter[where][valeu]=c"), "filter[where][valeu]"],
    [condition("filter[where][a][b]=c"), "filter[where][a]"],
    [
      condition(
        "filter[and_where][0][key]=a&filter[and_where][0][operator]=eq&filter[and_where][0][value]=&filter[and_where][0][not]=1",
      ),
      "filter[and_where][0][not]",
    ],
    ["filter[order_by][field]=a&filter[order_by][dir]=desc", "filter[order_by][dir]"],
    ["filter[sort_by][0][key]=a&filter[sort_by][0][order]=desc", "filter[sort_by][0][order]"],
    ["filter[l%20%2C%25%C3%A4]=5", "filter[l%20%2C%25%C3%A4]"],
  ];
  for (const [query, named] of ignored) {
    test(`${query} is ignored on every list and reported`, async () => {
      for (const [address, asked] of lists(query)) {
        const reply = await ask(address, asked);
        assert.equal(reply.status, 200, `${address}: ${reply.text}`);
        assert.equal(reply.headers["octavo-ignored"], named, address);
        assert.match(reply.headers["access-control-expose-headers"] ?? "", /\bOctavo-Ignored\b/);
      }
    });

    test(`${query} is refused by name with strict=1`, async () => {
      for (const [address, asked] of lists(query)) {
        const { detail } = refused(await ask(address, `${asked}&strict=1`), 400, "argument_unknown");
        assert.ok(detail.includes(decodeURIComponent(named.split(", ")[0] as string)), `${address}: ${detail}`);
      }
    });
  }

  test("known keys are never reported", async () => {
    const known = `${condition("filter[limit]=1")}&filter[return]=all&filter[total]=1&filter[order_by][field]=a&options[find][depth]=*`;
    for (const [address, asked] of lists(known)) {
      const reply = await ask(address, `${asked}&strict=1`);
      assert.equal(reply.status, 200, reply.text);
      assert.equal(reply.headers["octavo-ignored"], undefined);
    }
    for (const noun of ["folders", "files"]) {
      const reply = await ask(`/api/${noun}`, "collection=true&options[limit]=1&options[recursive]=1&strict=1");
      assert.equal(reply.status, 200, reply.text);
    }
    const { detail } = refused(await ask(path, "options[recursive]=1&strict=1"), 400, "argument_unknown");
    assert.match(detail, /options\[recursive\]/);
  });

  test("a single read reports it, too, also with 304", async () => {
    const query = "options[filter][ony][]=title";
    for (const address of ["/api/entries", "/api/delivery/entries", "/api/folders", "/api/media/folders"]) {
      const reply = await ask(address, query);
      assert.equal(reply.status, 200, reply.text);
      assert.equal(reply.headers["octavo-ignored"], "options[filter][ony]", address);
      refused(
        await ask(address, `${query}&strict=true`),
        400,
        "argument_unknown",
        /did you mean.*options\[filter\]\[only\]/,
      );
    }
    const tag = (await ask(path, query)).headers.etag as string;
    const headers = { "If-None-Match": tag };
    const known = await world.send({ path, query: `${base}&${query}`, headers });
    assert.deepEqual([known.status, known.headers["octavo-ignored"]], [304, "options[filter][ony]"]);
    assert.equal((await ask(path, "strict=1")).status, 200);
  });

  test("the nearest name is suggested, and every unknown one is among the errors", async () => {
    const { detail, errors } = refused(await ask(path, "filter[lmit]=5&filter[zzzzzzzz]=1&strict=1"), 400);
    assert.match(detail, /filter\[lmit\].*did you mean.*filter\[limit\]/);
    assert.deepEqual(
      errors.map(({ code }: { code: string }) => code),
      ["argument_unknown", "argument_unknown"],
    );
    assert.match(errors[1].detail, /filter\[zzzzzzzz\].*expected.*where.*limit/);
  });

  test("the header stays short and plain for any number of unknown keys", async () => {
    const odd = times(150, (n) => `filter[${n}%C3%BC%22%0D%0A%3Cx%3E${"y".repeat(50)}]=1`);
    const { status, headers } = await ask(path, odd);
    assert.equal(status, 200);
    assert.match(String(headers["octavo-ignored"]), /^[\x21-\x7e]+(, [\x21-\x7e]+)*, \.\.\.$/);
    assert.ok(String(headers["octavo-ignored"]).length < 2000);
    const long = await ask(path, `filter[${"%F0%9F%98%80".repeat(600)}]=1`);
    assert.ok(String(long.headers["octavo-ignored"]).length < 2000);
    assert.ok(refused(await ask(path, `${odd}&strict=1`), 400).errors.length <= 20);
  });
});

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

describe("malformed requests", () => {
  const host = new URL(world.url).host;

  test("headers above the limit are 431 with a problem body", async () => {
    const reply = await world.send({
      path,
      query: { id: world.prefix, token },
      headers: { "x-junk": "a".repeat(200_000) },
    });
    refused(reply, 431);
  });

  test("a request that is not HTTP gets a problem body", async () => {
    for (const bytes of [
      "GET\r\n\r\n",
      "NONSENSE / HTTP/1.1\r\nHost: x\r\n\r\n",
      "\0\0\0\0\r\n\r\n",
      "GET /api/entries HTTP/9.9\r\n\r\n",
    ]) {
      const reply = await sendRaw(world.url, bytes);
      assert.match(reply, /^HTTP\/1\.1 400 /, JSON.stringify(bytes));
      assert.match(reply, /application\/problem\+json/i, JSON.stringify(bytes));
      assert.doesNotMatch(reply, /node:|\.ts:|HPE_/);
    }
  });

  test("a body with two lengths is refused: no request smuggling", async () => {
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

  test("a connection is usable after a refusal", async () => {
    const post = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello`;
    const get = `GET ${path}?id=${world.prefix}&token=${token} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
    assert.match(await sendRaw(world.url, post + get), /^HTTP\/1\.1 415 [\s\S]*HTTP\/1\.1 200 /);
  });

  test("Expect: 100-continue is answered", async () => {
    const body = JSON.stringify({ ...world.pair, id: fresh(), data: {} });
    const head = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`;
    assert.match(await sendRaw(world.url, head + body), /HTTP\/1\.1 200 /);
  });

  test("an unknown expectation is ignored", async () => {
    const head = `GET ${path}?${base} HTTP/1.1\r\nHost: ${host}\r\nExpect: foo\r\nConnection: close\r\n\r\n`;
    assert.match(await sendRaw(world.url, head), /^HTTP\/1\.1 200 /);
  });

  test("HTTP/1.1 requires exactly one Host", async () => {
    const ask = (version: string, hosts: string) =>
      sendRaw(world.url, `GET ${path}?${base} HTTP/${version}\r\n${hosts}Connection: close\r\n\r\n`);
    const problem = /^HTTP\/1\.1 400 [\s\S]*application\/problem\+json[\s\S]*"code":"host_invalid"/;
    assert.match(await ask("1.1", ""), problem);
    assert.match(await ask("1.1", `Host: ${host}\r\nHost: other.example\r\n`), problem);
    assert.match(await ask("1.0", ""), /^HTTP\/1\.\d 200 /);
    assert.match(await ask("1.1", `Host: ${host}\r\n`), /^HTTP\/1\.1 200 /);
  });

  test("a body that never arrives does not block others", async () => {
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

allRepliesKeptTheirPromises(world);
