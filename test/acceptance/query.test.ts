/** The query: limits and forbidden keys. The wire: invalid bytes, and connection handling. Contract §1, Query. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
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
  {
    name: "101 items of a list are refused",
    call: get(times(101, () => "x[]=1")),
    status: 400,
    code: "query_too_complex",
  },
  { name: "a list index above the limit is refused or one item", call: get("x[100000000]=1"), status: [200, 400] },
  { name: "nesting of 10 is refused", call: get(nested(10)), status: 400, code: "query_too_complex" },
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

  // Files have the field anyway.
  before(() => world.create("titled", { title: "A" }));
  const ignored: [query: string, named: string][] = [
    ["filter[lmit]=5", "filter[lmit]"],
    ["filter[lmit]=5&filter[Return]=first", "filter[lmit], filter[Return]"],
    ["options[filter][lmit]=5", "options[filter][lmit]"],
    ["options[find][dept]=1", "options[find][dept]"],
    ["options[method]=fetchAll", "options[method]"],
    [condition("filter[where][valeu]=c"), "filter[where][valeu]"],
    [condition("filter[where][a][b]=c"), "filter[where][a]"],
    [`${condition("").replaceAll("where", "and_where][0")}filter[and_where][0][not]=1`, "filter[and_where][0][not]"],
    ["filter[order_by][field]=title&filter[order_by][dir]=desc", "filter[order_by][dir]"],
    ["filter[sort_by][0][key]=title&filter[sort_by][0][order]=desc", "filter[sort_by][0][order]"],
    ["filter[l%20%2C%25%C3%A4]=5", "filter[l%20%2C%25%C3%A4]"],
  ];
  for (const [query, named] of ignored) {
    test(`${query} is ignored on every list and reported, and refused by name with strict=1`, async () => {
      for (const [address, asked] of lists(query)) {
        const reply = await ask(address, asked);
        assert.equal(reply.status, 200, `${address}: ${reply.text}`);
        assert.equal(reply.headers["octavo-ignored"], named, address);
        assert.match(reply.headers["access-control-expose-headers"] ?? "", /\bOctavo-Ignored\b/);
        const { detail } = refused(await ask(address, `${asked}&strict=1`), 400, "argument_unknown");
        assert.ok(detail.includes(decodeURIComponent(named.split(", ")[0] as string)), `${address}: ${detail}`);
      }
    });
  }

  test("known keys are never reported", async () => {
    const known = `${condition("filter[limit]=1")}&filter[return]=all&filter[total]=1&filter[order_by][field]=title&options[find][depth]=*`;
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

  test("a write passes over what it does not know, and reports it", async () => {
    const own = world.id("ignored");
    const wrote = (method: string, more: object, to = "/api/entries") =>
      world.send({ method, path: to, json: { ...world.pair, ...more } });
    for (const reply of [
      await wrote("POST", { id: own, data: { release: "field" }, publsh: true }),
      await wrote("PATCH", { id: own, data: { a: 1 }, publsh: "x" }),
      await world.send({
        method: "PATCH",
        path: "/api/entries",
        form: { ...world.pair, id: own, data: { b: 1 }, publsh: 1 },
      }),
      await wrote("PUT", { id: own, new_id: `${own}-2`, publsh: null }),
      await wrote("DELETE", { id: `${own}-2`, publsh: {} }),
    ])
      assert.deepEqual([Math.floor(reply.status / 100), reply.headers["octavo-ignored"]], [2, "publsh"], reply.text);
    await wrote("POST", { id: own, data: {} });
    const release = await wrote("PATCH", { id: own, data: { a: 1 }, release: "r", "ä b": 1 });
    assert.equal(release.headers["octavo-ignored"], "release, %C3%A4%20b");
    const known = await wrote("PATCH", { id: own, data: { release: "r" } });
    assert.deepEqual([known.status, known.headers["octavo-ignored"]], [200, undefined]);
    for (const [to, name] of [
      ["/api/folders", "path"],
      ["/api/folders", "id"],
      ["/api/media/folders", "id"],
    ] as const) {
      const made = await wrote("POST", { [name]: world.id(`f-${name}-${to.length}`) }, to);
      assert.deepEqual([made.status, made.headers["octavo-ignored"]], [200, undefined], made.text);
    }
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

describe("fields that nothing below has", () => {
  const { tokens } = world;
  const at = (query: string, token = tokens.delivery, address = path) =>
    world.send({ path: address, query: `id=${world.id("shelf")}&token=${token}&${query}` });
  const spied = { secret: "x", seen: { secret: "x" } };

  test("are named as ignored, with strict=1, too, and not refused", async () => {
    await world.plant({
      shelf: {},
      "shelf/a": { date: "2024-01-02", author: "ana", seo: { image: "a.png" }, list: ["x"] },
      "shelf/b": { date: "2024-01-01", cover: "b.png", "dotted.key": 1, nothing: null },
      "shelf/c/deep": { rare: 1 },
      "shelf/d": { ...spied, visibility: "draft" },
    });
    const unknown: [query: string, argument: string][] = [
      ["filter[order_by][field]=-date", "filter[order_by][field]"],
      ["filter[order_by][0][field]=date&filter[order_by][1][field]=dat", "filter[order_by][1][field]"],
      ["filter[sort_by][key]=image&filter[return]=first", "filter[sort_by][key]"],
      ["args[order_by][field]=date.x", "args[order_by][field]"],
      ["options[collection]=1&options[filter][order_by][field]=x", "options[filter][order_by][field]"],
      ['filter={"order_by":{"field":"x"}}', "filter[order_by][field]"],
      ["filter[order_by][field]=x&filter[limit]=0", "filter[order_by][field]"],
      ["filter[limit]=1&include=auther", "include"],
      ["filter[limit]=1&include=author,auther", "include"],
      ["filter[include]=auther.name&filter[only]=title", "filter[include]"],
      ["options[collection]=1&options[include][]=auther", "options[include]"],
      ["filter[order_by][field]=secret", "filter[order_by][field]"],
      ["filter[limit]=1&include=seen.secret", "include"],
    ];
    for (const [query, argument] of unknown) {
      const reply = await at(query);
      assert.deepEqual([reply.status, reply.headers["octavo-ignored"]], [200, argument], query);
      const known = await world.send({
        ...{ path, query: `id=${world.id("shelf")}&token=${tokens.delivery}&${query}` },
        headers: { "If-None-Match": String(reply.headers.etag) },
      });
      assert.deepEqual([known.status, known.headers["octavo-ignored"]], [304, argument], query);
      const strict = await at(`${query}&strict=1`);
      assert.deepEqual([strict.status, strict.headers["octavo-ignored"]], [200, argument], query);
    }
    const both = await at("nonsense=1&filter[order_by][field]=x&include=auther");
    assert.equal(both.headers["octavo-ignored"], "nonsense, filter[order_by][field], include");
  });

  test("are none where something has them, though not what was answered", async () => {
    const known = [
      ...["date", "list", "seo", "seo.image", "dotted.key", "nothing", "rare", "list.0", "created_at", "uuid"].map(
        (field) => `filter[order_by][field]=${field}&filter[limit]=0`,
      ),
      ...["author", "cover", "author,cover,rare", "seo.image", "author.name"].map(
        (field) => `include=${field}&filter[where][key]=date&filter[where][expr]=eq&filter[where][value]=none`,
      ),
      "filter[sort_by]=mtime",
      "filter[order_by][field]=rare&filter[return]=count",
    ];
    for (const query of known) {
      const reply = await at(`${query}&strict=1`);
      assert.deepEqual([reply.status, reply.headers["octavo-ignored"]], [200, undefined], `${query}: ${reply.text}`);
    }
    const seen = await at("filter[order_by][field]=secret&include=seen.secret&strict=1", tokens.management);
    assert.equal(seen.status, 200, "who reads the draft");
    const empty = await world.send({
      path,
      query: `id=${world.id("shelf/b")}&token=${token}&filter[order_by][field]=x&strict=1`,
    });
    assert.equal(empty.status, 200, "nothing is there that could have a field");
  });

  test("are none where a type declares them, for who may read types", async () => {
    const schema = { type: "object", properties: { later: { type: "string" } } };
    const id = world.key.replaceAll("_", "-");
    assert.equal((await world.write("PUT", { id, paths: [world.id("typed/*")], schema }, "/api/types")).status, 200);
    await world.plant({ typed: {}, "typed/a": {} });
    const read = (field: string, token: string) =>
      world.send({
        path,
        query: `id=${world.id("typed")}&token=${token}&filter[order_by][field]=${field}&include=${field}`,
      });
    for (const [field, token, named] of [
      ["later", tokens.management, undefined],
      ["latr", tokens.management, "filter[order_by][field], include"],
      ["later", tokens.delivery, "filter[order_by][field], include"],
    ] as const)
      assert.equal((await read(field, token)).headers["octavo-ignored"], named, field);
    await world.write("DELETE", { id }, "/api/types");
  });

  test("of a single entry are those that nothing beside it has", async () => {
    const of = (name: string, include: string) =>
      world.send({ path, query: `id=${world.id(name)}&include=${include}&token=${tokens.delivery}` });
    assert.equal((await of("shelf/a", "auther")).headers["octavo-ignored"], "include");
    assert.equal((await of("shelf/a", "author,seen")).headers["octavo-ignored"], "include");
    assert.equal((await of("shelf/a", "author,cover")).headers["octavo-ignored"], undefined);
    assert.equal((await of("shelf/a", "cover&strict=1")).status, 200);
    assert.equal((await of("shelf/a", "auther&strict=1")).headers["octavo-ignored"], "include");
  });
});

describe("arguments that nobody reads", () => {
  const { tokens } = world;
  const entries = ["/api/entries", "/api/delivery/entries", "/api/management/entries"];
  const places = ["/api/folders", "/api/files", "/api/media/folders", "/api/media/files"];
  const registry = ["/api/registry", "/api/delivery/registry", "/api/registry/items"];
  const others = ["/api/management/entries/children", "/api/events", "/api/tokens"];
  const needed = (address: string): string => {
    if (entries.includes(address) || address.endsWith("/children")) return `id=${world.prefix}&`;
    if (places.includes(address)) return "id=&collection=true&";
    return registry.includes(address) ? "id=octavo.manifest.name&" : "";
  };
  const ask = (address: string, query: string, headers = {}) =>
    world.send({ path: address, query: `${needed(address)}token=${token}&${query}`, headers });

  test("are named in Octavo-Ignored on every read, also with 304 and HEAD, and change nothing else", async () => {
    for (const address of [...entries, ...places, ...registry, "/api/management/entries/children"]) {
      const [plain, reply] = await Promise.all([
        ask(address, ""),
        ask(address, "nonsense=1&x[a]=1&x[b]=2&y[]=1&_=%20"),
      ]);
      assert.deepEqual([reply.status, reply.text], [200, plain.text], address);
      assert.equal(reply.headers["octavo-ignored"], "nonsense, x[a], x[b], y, _", address);
      assert.equal(plain.headers["octavo-ignored"], undefined, address);
      const known = await ask(address, "nonsense=1", { "If-None-Match": String(reply.headers.etag) });
      assert.deepEqual([known.status, known.headers["octavo-ignored"]], [304, "nonsense"], address);
    }
    for (const address of others)
      assert.equal((await ask(address, "nonsense=1")).headers["octavo-ignored"], "nonsense");
    const head = await world.send({ method: "HEAD", path, query: `${base}&nonsense=1` });
    assert.deepEqual([head.status, head.headers["octavo-ignored"]], [200, "nonsense"]);
  });

  test("are refused with strict=1, each by its name", async () => {
    for (const address of [...entries, ...places, ...registry, ...others]) {
      const { errors } = refused(await ask(address, "nonsense=1&x[a]=1&strict=1"), 400, "argument_unknown");
      assert.deepEqual(
        errors.map(({ argument }: { argument: string }) => argument),
        ["nonsense", "x[a]"],
        address,
      );
      assert.equal((await ask(address, "strict=1")).status, 200, address);
    }
  });

  test("known ones and tokens are none", async () => {
    await world.create("written", { author: "people/ana" });
    const known = "filter[limit]=1&options[collection]=1&include=author&render=raw&cursor=&strict=1";
    for (const address of entries) assert.equal((await ask(address, known)).status, 200, address);
    for (const address of places) {
      const reply = await ask(address, `path=&access_token=${tokens.access}&options[limit]=1&strict=1`);
      assert.equal(reply.status, 200, reply.text);
    }
    assert.equal((await ask("/api/management/entries", `revision=1&strict=1`)).status, 404);
    refused(await ask("/api/entries", "revision=1&strict=1"), 400, "argument_unknown", /"revision"/);
  });

  const meant: [query: string, argument: string, near: string][] = [
    ["limit=2", "limit", "filter[limit]"],
    ["search=x", "search", "filter[search]"],
    ["sort=-year", "sort", "filter[order_by]"],
    ["order_by[field]=year", "order_by[field]", "filter[order_by][field]"],
    ["sort=title", "sort", "filter[order_by]"],
    ["fields=title,year", "fields", "filter[only]"],
    ["filter[lmit]=2", "filter[lmit]", "filter[limit]"],
    ["only[]=title", "only", "filter[only]"],
    ["q=x", "q", "filter[search]"],
    ["pageSize=2", "pageSize", "filter[limit]"],
    ["page=2", "page", "filter[offset]"],
    ["filtr[limit]=2", "filtr[limit]", "filter[limit]"],
    ["filters=2", "filters", "filter"],
    ["Filter[limit]=2", "Filter[limit]", "filter[limit]"],
    ["optoins[collection]=1", "optoins[collection]", "options[collection]"],
    ["token_=x", "token_", "token"],
  ];
  for (const [query, argument, near] of meant) {
    test(`${query} is told, and that ${near} may be meant`, async () => {
      for (const address of [...entries, ...places]) {
        const reply = await ask(address, query);
        assert.deepEqual([reply.status, reply.headers["octavo-ignored"]], [200, argument.replace("$", "%24")], address);
        const { detail } = refused(await ask(address, `${query}&strict=1`), 400, "argument_unknown");
        assert.ok(detail.includes(JSON.stringify(argument)), detail);
        assert.ok(detail.includes(`did you mean "${near}"?`), `${address}: ${detail}`);
      }
    });
  }

  test("of entries alone: include, and a collection", async () => {
    for (const [query, near] of [
      ["inclde=author", "include"],
      ["populate=author", "include"],
      ["collection=true", "options[collection]"],
      ["rendr=html", "render"],
    ]) {
      for (const address of entries)
        refused(
          await ask(address, `${query}&strict=1`),
          400,
          "argument_unknown",
          new RegExp(`did you mean "${near?.replace("[", "\\[")}`),
        );
    }
    refused(
      await ask("/api/registry", "limit=2&strict=1"),
      400,
      "argument_unknown",
      /"limit" is unknown; expected one of id/,
    );
    refused(
      await ask("/api/files", "args[limit]=2&strict=1"),
      400,
      "argument_unknown",
      /did you mean "filter\[limit\]"/,
    );
  });

  test("are named before the unknown keys of filter", async () => {
    const reply = await ask(path, "filter[lmit]=1&nonsense=1");
    assert.equal(reply.headers["octavo-ignored"], "nonsense, filter[lmit]");
  });
});

describe("a condition in the shape of another service", () => {
  const shapes: [query: string, shown: string][] = [
    ["[where][year][gte]=1979", "[where][key]=year&[where][expr]=gte&[where][value]=1979"],
    ["[where][year][$gte]=1979", "[where][key]=year&[where][expr]=gte&[where][value]=1979"],
    ["[where][year][%3E%3D]=1979", "[where][key]=year&[where][expr]=>=&[where][value]=1979"],
    ["[where][title]=Alien", "[where][key]=title&[where][expr]=eq&[where][value]=Alien"],
    [
      "[where][author.name][contains]=Le%20Guin",
      "[where][key]=author.name&[where][expr]=contains&[where][value]=Le Guin",
    ],
    ["[where][author][name][eq]=Le", "[where][key]=author.name&[where][expr]=eq&[where][value]=Le"],
    [
      "[where][year][in][]=1979&[where][year][in][]=1982",
      "[where][key]=year&[where][expr]=in&[where][value][]=1979&[where][value][]=1982",
    ],
    ["[and_where][0][year][lt]=1979", "[and_where][0][key]=year&[and_where][0][expr]=lt&[and_where][0][value]=1979"],
    ["[where][key][eq]=a", "[where][key]=key&[where][expr]=eq&[where][value]=a"],
    ["[where][title]=a%26b%2Bc", "[where][key]=title&[where][expr]=eq&[where][value]=a%26b%2Bc"],
    [
      "[where][year][gte]=1979&[where][year][lt]=1990",
      "[where][0][key]=year&[where][0][expr]=gte&[where][0][value]=1979&[where][1][key]=year&[where][1][expr]=lt&[where][1][value]=1990",
    ],
  ];
  for (const [query, shown] of shapes) {
    test(`filter${query} is refused with the one that works`, async () => {
      const sent = query.replaceAll(/(?<=^|&)/g, "filter");
      const text = shown.replaceAll(/(?<=^|&)(?=\[)/g, "filter");
      for (const more of ["", "&strict=1"]) {
        const { detail } = refused(await world.send(get(`${sent}${more}`)), 400);
        assert.ok(detail.includes(text), `${detail}\n${text}`);
      }
      const works = text.replaceAll(/(?<==)[^&]*/g, (value) => encodeURIComponent(decodeURIComponent(value)));
      const reply = await world.send(get(works));
      assert.equal(reply.status, 200, reply.text);
    });
  }

  /** Sent, and the condition that works: key, operator, values. */
  const others: [query: string, key: string, expr: string, ...values: string[]][] = [
    ["filter[year][_gte]=1979", "year", "gte", "1979"],
    ["filter[a][b][c]=5", "a.b.c", "eq", "5"],
    ["filter[tags][]=a&filter[tags][]=b", "tags", "in", "a", "b"],
    ["filter[tags][_in]=a,b", "tags", "in", "a", "b"],
    ["filter[and][0][year][gte]=1979&filter[and][1][title][eq]=x", "year", "gte", "1979"],
    ["filter[_or][0][author][name][_eq]=Ann&filter[_or][1][year][_lt]=2", "author.name", "eq", "Ann"],
    ["filter[wher][key]=year&filter[wher][expr]=gte&filter[wher][value]=3", "year", "gte", "3"],
    ["filter[0][year][gte]=1979", "year", "gte", "1979"],
    ["filter[deleted][_null]=true", "deleted", "exists", "false"],
    ["filter[title][_nicontains]=x", "title", "ncontains", "x"],
    ["filters[year]=2", "year", "eq", "2"],
    ["filters[year][$gte]=1979", "year", "gte", "1979"],
    ["filters[$or][0][year][$gte]=1979&filters[$or][1][title][$eq]=x", "year", "gte", "1979"],
    ["filters[author][name][$startsWith]=Ann", "author.name", "starts_with", "Ann"],
    ["filters[year][$between][0]=1&filters[year][$between][1]=2", "year", "between", "1", "2"],
    ["filters[year][$notNull]=true", "year", "exists", "true"],
    ["filters[$not][year][$gte]=1979", "year", "lt", "1979"],
    ["where[year][greater_than_equal]=1979", "year", "gte", "1979"],
    ["where[or][0][and][0][title][like]=x", "title", "like", "x"],
    ["where[key]=year&where[expr]=gte&where[value]=3", "year", "gte", "3"],
    ["where[0][key]=year&where[0][operator]=gte&where[0][value]=3", "year", "gte", "3"],
    ["args[year][gte]=1979", "year", "gte", "1979"],
    [`filter=${encodeURIComponent('{"_and":[{"year":{"_gte":1979}}]}')}`, "year", "gte", "1979"],
    [`filter=${encodeURIComponent('{"year":{"gte":1979}}')}`, "year", "gte", "1979"],
  ];
  const parts: [query: string, shape: string, entriesOnly?: true][] = [
    ["sort[]=-year", "filter[order_by][field]=year&filter[order_by][direction]=desc"],
    ["sort[0]=title", "filter[order_by][field]=title"],
    ["sort[year]=desc", "filter[order_by][field]=year&filter[order_by][direction]=desc"],
    ["filter[sort][]=year:desc", "filter[order_by][field]=year&filter[order_by][direction]=desc"],
    ["filter[order][gte]=5", "filter[where][key]=order&filter[where][expr]=gte&filter[where][value]=5"],
    ["fields[]=title&fields[]=year", "filter[only][]=title&filter[only][]=year"],
    ["fields[articles]=title,body", "filter[only][]=title&filter[only][]=body"],
    ["fields[articles][]=title", "filter[only][]=title"],
    ["filters[limit]=5", "filter[limit]=5"],
    ["populate[0]=author&populate[1]=tags.x", "include=author,tags.x", true],
    ["populate[author][fields][0]=name", "include=author", true],
  ];
  const reads = ["/api/entries", "/api/delivery/entries", "/api/management/entries"];
  const placeReads = ["/api/folders", "/api/files", "/api/media/folders", "/api/media/files"];
  const refusedShape = async (address: string, query: string): Promise<string> => {
    const reply = await world.send({
      path: address,
      query: `${address.includes("media") || reads.includes(address) ? "id" : "path"}=&token=${token}&${query}`,
    });
    return refused(reply, 400, "filter_invalid").detail;
  };
  const works = async (shape: string) => {
    const sent = shape.replaceAll(/(?<==)[^&]*/g, (value) => encodeURIComponent(decodeURIComponent(value)));
    const reply = await world.send(get(`${sent}&options[collection]=1&strict=1`));
    assert.equal(reply.status, 200, `${sent}: ${reply.text}`);
  };
  for (const [query, key, expr, ...values] of others) {
    test(`${decodeURIComponent(query)} is refused everywhere with its condition as it works`, async () => {
      const filter = query.startsWith("args") ? "args" : "filter";
      const list = ["in", "nin", "between"].includes(expr) ? "[]" : "";
      const shown = [`[key]=${key}`, `[expr]=${expr}`, ...values.map((value) => `[value]${list}=${value}`)];
      const shape = shown.map((one) => `${filter}[where]${one}`).join("&");
      for (const address of filter === "args" ? reads : [...reads, ...placeReads]) {
        for (const more of ["", "&options[collection]=1", "&strict=1"]) {
          const detail = await refusedShape(address, query + more);
          assert.ok(detail.includes(shape), `${address}: ${detail}\n${shape}`);
        }
      }
      await works(shape);
    });
  }
  for (const [query, shape, isOfEntries] of parts) {
    test(`${query} is refused everywhere with ${shape}`, async () => {
      for (const address of reads) assert.ok((await refusedShape(address, query)).includes(shape));
      for (const address of placeReads)
        assert.equal((await refusedShape(address, query)).includes(shape), !isOfEntries, address);
      await works(shape);
    });
  }
  test("scalars are passed over and named, as before, and so is what a read without filter does not take", async () => {
    const passed = "filter[year]=1979&filters=x&where=x&populate=author&fields=title&sort=title";
    const reply = await world.send(get(passed));
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.headers["octavo-ignored"], "filters, where, populate, fields, sort, filter[year]");
    const other = await world.send({
      path: "/api/registry",
      query: `id=octavo.manifest.name&token=${token}&sort[]=x&filters[a][b]=1`,
    });
    assert.deepEqual([other.status, other.headers["octavo-ignored"]], [200, "sort, filters[a]"], other.text);
  });
  test("who may not read is refused for that", async () => {
    for (const query of ["filter[year][gte]=1", "sort[]=year"])
      assert.equal((await world.send({ path, query: `id=&${query}` })).status, 401);
  });

  test("as JSON text, and under the other name", async () => {
    const where = encodeURIComponent('{"where":{"year":{"gte":1979}}}');
    for (const name of ["filter", "args"])
      refused(await world.send(get(`${name}=${where}`)), 400, "filter_invalid", /\[where\]\[key\]=year&/);
  });

  test("one that is only incomplete is refused as before", async () => {
    for (const query of ["filter[where][expr]=eq&filter[where][value]=1", "filter[where][key]=&filter[where][value]=1"])
      refused(await world.send(get(query)), 400, "filter_invalid", /"filter\[where\]\[key\]".*the name of a field/);
  });
});

test("a read without id says how the root is read", async () => {
  for (const [address, name] of [
    ["/api/entries", "id"],
    ["/api/delivery/entries", "id"],
    ["/api/management/entries", "id"],
    ["/api/management/entries/children", "id"],
    ["/api/folders", "path"],
    ["/api/media/files", "id"],
  ] as const) {
    const reply = await world.send({ path: address, query: `token=${token}` });
    const { detail } = refused(reply, 400, "argument_missing", new RegExp(`"${name}" is missing`));
    assert.ok(detail.includes(`"${name}=" is the root`), `${address}: ${detail}`);
  }
});

test("whatever the query, the service answers or refuses", async () => {
  const odd =
    "&&& = a&b&c filter[ filter] filter[[]]=1 filter[a []=1 [a]=1 filter[][]=1 % %%% filter[%5d]=1 filter=x filter=[] filter={} filter[0]=1 filter[limit][limit]=1 options=x options[]=x options[filter]=x options[filter][]=x filter[where][0][0][0][key]=x filter[where][key][]=x filter[order_by]=x filter[order_by][]=x filter[only][a][b]=x filter[depth][]= filter=1&filter[limit]=1 filter[limit]=1&filter=1 filter[limit]=1&filter[limit]=2 ? ?&? x=1#y";
  for (const query of odd.split(" ")) {
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
      headers: { "x-junk": "a".repeat(2e5) },
    });
    refused(reply, 431);
  });

  test("a request that is not HTTP gets a problem body", async () => {
    for (const bytes of [
      "GET\r\n\r\n",
      "NONSENSE / HTTP/1.1\r\nHost: x\r\n\r\n",
      "\0\0\r\n\r\n",
      "GET / HTTP/9.9\r\n\r\n",
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
});

allRepliesKeptTheirPromises(world);
