/** Second names of the original's releases: `args`, /api/delivery/images, /project/media. Contract §1, §5, §7. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Call, Reply } from "./client.ts";
import { plantFile } from "./media.ts";
import { chart, enterPictures } from "./picture.ts";
import { allRepliesKeptTheirPromises, dataOf, refused } from "./world.ts";

const world = await enterPictures("original-name");
const { tokens } = world;
await world.plant({
  alien: { title: "Alien", year: 1979 },
  brazil: { title: "Brazil", year: 1985 },
  cube: { title: "Cube", year: 1997 },
});
const { version } = await plantFile(world, "äpfel/chart.png", { bytes: await chart(96, 64).png().toBuffer() });
await plantFile(world, "äpfel/page.svg", { bytes: '<svg xmlns="http://www.w3.org/2000/svg"/>' });
await plantFile(world, "äpfel/text.txt", { bytes: "0123456789" });

/** What must be the same at two addresses; the id of a request is its own. */
const told = ({ status, rawHeaders, bytes, text }: Reply) => {
  const named = rawHeaders.flatMap((name, i) =>
    i % 2 === 0 && !/^(x-request-id|date|server-timing)$/i.test(name) ? [`${name}: ${rawHeaders[i + 1]}`] : [],
  );
  const isProblem = status >= 400;
  const said = isProblem ? JSON.parse(text || "{}").code : bytes.toString("base64");
  return { status, said, headers: isProblem ? [] : named };
};

describe("args is filter", () => {
  const reads: [path: string, token: string][] = [
    ["/api/entries", tokens.delivery],
    ["/api/entries", tokens.management],
    ["/api/delivery/entries", tokens.delivery],
    ["/api/management/entries", tokens.management],
    ["/api/entries/staged", tokens.management],
  ];
  const ask = (path: string, token: string, query: string) =>
    world.send({ path, query: `id=${world.prefix}&token=${token}&${query}` });
  const json = encodeURIComponent('{"where":{"key":"year","expr":"gt","value":1980},"limit":1}');

  const cases: [name: string, args: string, filter?: string][] = [
    ["an empty one", "args="],
    ["an empty list", "args[]="],
    ["a condition", "args[where][key]=year&args[where][expr]=lt&args[where][value]=1990"],
    ["order and a page", "args[order_by][field]=year&args[order_by][direction]=desc&args[limit]=2"],
    ["what to return", "args[return]=count"],
    ["one JSON text", `args=${json}`, `filter=${json}`],
    ["beside options", "args[limit]=1&options[filter][only][]=title"],
    ["include", "args[include]=author"],
  ];
  for (const [name, args, filter = args.replaceAll("args", "filter")] of cases) {
    test(`${name} answers the same`, async () => {
      for (const [path, token] of reads) {
        const asked = await ask(path, token, args);
        assert.equal(asked.status, 200, `${path}: ${asked.text}`);
        const meant = await ask(path, token, filter);
        assert.deepEqual(
          [asked.text, asked.headers.etag === undefined],
          [meant.text, meant.headers.etag === undefined],
        );
      }
    });
  }

  test("the next page keeps the name", async () => {
    const first = await ask("/api/entries", tokens.delivery, "args[limit]=2&args[only][]=title");
    const next = /<([^>]+)>; rel="next"/.exec(String(first.headers.link))?.[1] as string;
    assert.match(next, /args/);
    assert.doesNotMatch(next, /filter/);
    const second = await world.send({ path: `${next}&token=${tokens.delivery}` });
    assert.deepEqual(dataOf(second), [{ title: "Cube" }]);
  });

  test("both are refused, whatever they say", async () => {
    for (const [path, token] of reads)
      for (const query of [
        "args[limit]=1&filter[limit]=1",
        "args=&filter[limit]=2",
        "filter=&args=",
        "args={}&filter={}",
      ])
        refused(await ask(path, token, query), 400, "argument_conflict", /args.*filter|filter.*args/);
  });

  test("a refusal names it as it was sent", async () => {
    for (const [path, token] of reads) {
      refused(await ask(path, token, "args[limit]=many"), 400, "filter_invalid", /"args\[limit\]" was "many"/);
      refused(await ask(path, token, "args=x"), 400, "filter_invalid", /"args" was "x"/);
      refused(await ask(path, token, "args={x"), 400, "filter_invalid", /"args" was/);
      refused(await ask(path, token, "args[limit]=999999999"), 400, "limit_too_large", /"args\[limit\]"/);
      refused(await ask(path, token, "args[lmit]=1&strict=1"), 400, "argument_unknown", /did you mean "args\[limit\]"/);
    }
    const reply = await ask("/api/entries", tokens.delivery, "args[lmit]=1");
    assert.equal(reply.headers["octavo-ignored"], "args[lmit]");
    refused(await ask("/api/entries", "oct_d_none", "args=&filter="), 401, "token_invalid");
  });
});

describe("a picture at /api/delivery/images", () => {
  const path = world.id("äpfel/chart.png").split("/").map(encodeURIComponent).join("/");
  const both = async (query: string, more: Partial<Call> = {}, at = path): Promise<Reply> => {
    const [own, other] = await Promise.all([
      world.send({ path: `/api/images/${at}`, query, ...more }),
      world.send({ path: `/api/delivery/images/${at}`, query, ...more }),
    ]);
    assert.deepEqual(told(other), told(own));
    return other;
  };
  const images = `token=${tokens.images}`;

  test("is the one at /api/images: bytes, headers, conditions, ranges", async () => {
    for (const query of ["", "&w=20", "&w=20&fm=webp", `&w=20&v=${version}`, "&or=90", "&w=wide"]) {
      const { status, headers } = await both(images + query);
      assert.equal(status, 200);
      const known = { "if-none-match": String(headers.etag) };
      assert.equal((await both(images + query, { headers: known })).status, 304);
      await both(images + query, { method: "HEAD" });
    }
    assert.equal((await both(images, { headers: { range: "bytes=0-9" } })).status, 206);
    assert.equal((await both(images, {}, path.replaceAll("/", "%2F"))).status, 200);
  });

  test("is refused alike", async () => {
    const refusals: [query: string, at: string, status: number][] = [
      ["", path, 401],
      ["token=oct_i_none", path, 401],
      [`token=${tokens.delivery}`, path, 403],
      [images, `${path}x`, 404],
      [images, "a/../b", 400],
      [`${images}&w=wide&strict=1`, path, 400],
      ["s=x&expires=1", path, 403],
    ];
    for (const [query, at, status] of refusals) {
      assert.equal((await both(query, { uniqueAddress: true }, at)).status, status, query);
    }
    refused(await world.send({ method: "POST", path: `/api/delivery/images/${path}` }), 405);
  });
});

test("a file at /project/media is the one at /project/uploads, with the same tag, and is refused alike", async () => {
  const both = async (name: string, status: number, more: Partial<Call> = {}): Promise<Reply> => {
    const at = world.id(name).split("/").map(encodeURIComponent).join("/");
    const [own, other] = await Promise.all([
      world.send({ path: `/project/uploads/${at}`, ...more }),
      world.send({ path: `/project/media/${at}`, ...more }),
    ]);
    assert.deepEqual(told(other), told(own));
    assert.equal(other.status, status);
    return other;
  };
  for (const name of ["äpfel/chart.png", "äpfel/page.svg", "äpfel/text.txt"]) {
    const { headers } = await both(name, 200);
    await both(name, 200, { method: "HEAD" });
    await both(name, 200, { query: `v=${version}` });
    const tag = String(headers.etag);
    await both(name, 304, { headers: { "if-none-match": tag } });
    await both(name, 304, { headers: { "if-modified-since": String(headers["last-modified"]) } });
    await both(name, 206, { headers: { range: "bytes=2-5", "if-range": tag } });
    await both(name, 416, { headers: { range: "bytes=100000-" } });
    await both(name, 412, { headers: { "if-match": '"_x"' } });
  }
  for (const name of ["äpfel/none.txt", "äpfel"]) await both(name, 404);
  refused(await world.send({ path: "/project/media/a/%2e%2e/b" }), 400, "path_invalid");
  refused(await world.send({ method: "PUT", path: `/project/media/${world.prefix}` }), 405);
  const { url } = dataOf(await world.read({ path: world.id("äpfel/text.txt") }, undefined, "/api/files"));
  assert.match(url, /^project\/uploads\//, "file objects go on naming /project/uploads");
});

allRepliesKeptTheirPromises(world);
