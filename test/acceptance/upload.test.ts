/** The bytes of files, GET and HEAD /project/uploads/<path>. Contract §5; RFC 9110 §8.8. Conditions and ranges: upload-range; types: upload-kind. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Call, Reply } from "./client.ts";
import { enterMedia, file, plantFile, png, svg, urlOf } from "./media.ts";
import { zip } from "./small-file.ts";
import { Wire } from "./wire.ts";
import { allRepliesKeptTheirPromises, dataOf, refused, sleep, tagOf } from "./world.ts";

const world = await enterMedia("upload");
const base = new URL(world.url);

type Headers = Record<string, string>;
const encoded = (path: string): string => path.split("/").map(encodeURIComponent).join("/");
const addressOf = (path: string): string => `/${encoded(urlOf(world, path))}`;
const get = (path: string, headers: Headers = {}, more: Partial<Call> = {}): Promise<Reply> =>
  world.send({ path: addressOf(path), headers, ...more });
const head = (path: string, headers: Headers = {}): Promise<Reply> => get(path, headers, { method: "HEAD" });
const move = (from: string, to: string): Promise<Reply> =>
  world.write("PUT", { path: world.id(from), new_path: world.id(to) }, "/api/files");
const remove = async (path: string): Promise<void> => {
  assert.equal((await world.write("DELETE", { path: world.id(path) }, "/api/files")).status, 204);
};

const large = Buffer.from(Array.from({ length: 38_400 }, (_, n) => `${String(n).padStart(7, "0")}\n`).join(""));
const size = large.length;
await plantFile(world, "large.txt", { bytes: large });
await plantFile(world, "small.txt", { bytes: "01234567890" });
await plantFile(world, "empty.txt", { bytes: "" });
await plantFile(world, "kinds/a.png", { bytes: png() });
await plantFile(world, "kinds/a.zip", { bytes: zip() });
const uploadedOn: number = (await file(world, "large.txt")).uploaded_on;

// ---------------------------------------------------------------------------------------------- complete replies

describe("a file is served", () => {
  test("byte for byte, without a token, with caching headers", async () => {
    const reply = await get("large.txt");
    assert.equal(reply.status, 200);
    assert.ok(reply.bytes.equals(large));
    tagOf(reply);
    const { headers } = reply;
    assert.equal(headers["content-type"]?.toLowerCase(), "text/plain; charset=utf-8");
    assert.equal(headers["content-length"], String(size));
    assert.equal(headers["accept-ranges"], "bytes");
    assert.equal(headers["cache-control"], "public, max-age=0, must-revalidate");
    assert.equal(headers["last-modified"], new Date(uploadedOn * 1000).toUTCString());
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["content-encoding"], undefined);
    assert.equal(headers["content-range"], undefined);
    assert.equal(headers["set-cookie"], undefined);
    assert.match(headers["content-disposition"] ?? "", /^inline(;|$)/);
    const object = await file(world, "large.txt");
    assert.equal(object.full_url, `${world.url}/${object.url}`);
    assert.equal((await fetch(object.full_url)).status, 200);
  });

  test("with any token, an invalid one or unknown arguments", async () => {
    const same: Partial<Call>[] = [
      { query: { token: world.tokens.images } },
      { query: "token=wrong&w=100&q=1" },
      { headers: { authorization: "Bearer wrong" } },
      { headers: { authorization: "Basic eDp5", accept: "image/png" } },
    ];
    for (const more of same) {
      const reply = await world.send({ path: addressOf("small.txt"), ...more });
      assert.deepEqual([reply.status, reply.text], [200, "01234567890"], JSON.stringify(more));
    }
  });

  test("even if it is empty", async () => {
    const reply = await get("empty.txt");
    assert.equal(reply.status, 200);
    assert.equal(reply.bytes.length, 0);
    assert.equal(reply.headers["content-length"], "0");
    assert.equal((await get("empty.txt", { "if-none-match": tagOf(reply) })).status, 304);
  });

  test("never compressed, whatever the client accepts", async () => {
    const tag = tagOf(await get("large.txt"));
    for (const accepted of ["gzip, br, deflate, zstd", "*", "br;q=1, identity;q=0.1"]) {
      const reply = await get("large.txt", { "accept-encoding": accepted });
      assert.equal(reply.status, 200, accepted);
      assert.equal(reply.headers["content-encoding"], undefined, accepted);
      assert.equal(reply.headers["content-length"], String(size));
      assert.equal(tagOf(reply), tag);
      assert.ok(reply.bytes.equals(large));
    }
  });
});

// ---------------------------------------------------------------------------------------------- headers for browsers

describe("what a browser may do with a file", () => {
  test("an SVG runs and loads nothing, in every reply", async () => {
    const bytes = svg('<script>alert(1)</script><rect width="4" height="3"/>');
    await plantFile(world, "kinds/a.svg", { bytes });
    const tag = tagOf(await get("kinds/a.svg"));
    const forms: [Headers, string, number][] = [
      [{}, "GET", 200],
      [{}, "HEAD", 200],
      [{ range: "bytes=0-9" }, "GET", 206],
      [{ "if-none-match": tag }, "GET", 304],
    ];
    for (const [headers, method, status] of forms) {
      const reply = await get("kinds/a.svg", headers, { method });
      assert.equal(reply.status, status);
      const policy = reply.headers["content-security-policy"];
      assert.equal(policy, "sandbox; default-src 'none'; style-src 'unsafe-inline'");
      assert.equal(reply.headers["x-content-type-options"], "nosniff");
    }
  });

  test("a name with special characters is quoted and encoded, RFC 6266", async () => {
    const names = ['say "hi".zip', "grün café 照片.zip", "100%.zip", "a;b=c.zip", "it's.zip", "a\u2028b.zip"];
    for (const [n, name] of names.entries()) {
      await plantFile(world, `names/n${n}.zip`, { bytes: zip() });
      dataOf(await move(`names/n${n}.zip`, `names/${name}`));
      const disposition = (await get(`names/${name}`)).headers["content-disposition"] ?? "";
      assert.match(disposition, /^attachment; filename/, name);
      assert.match(disposition, /^[\x20-\x7e]+$/, name);
      const extended = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1];
      const quoted = /filename="((?:[^"\\]|\\.)*)"/.exec(disposition)?.[1]?.replaceAll(/\\(.)/g, "$1");
      assert.equal(extended === undefined ? quoted : decodeURIComponent(extended), name, disposition);
      if (extended !== undefined) assert.match(extended, /^[\w!#$&+.^`|~%-]+$/, "RFC 8187 value characters");
    }
  });
});

// ---------------------------------------------------------------------------------------------- validators

describe("the validators", () => {
  test("the tag changes exactly with the bytes", async () => {
    await plantFile(world, "tag.txt", { bytes: "one" });
    const tags = new Set<string>();
    for (const bytes of ["one", "two", "three"]) {
      await plantFile(world, "tag.txt", { bytes });
      const tag = tagOf(await get("tag.txt"));
      assert.equal(tagOf(await get("tag.txt")), tag);
      assert.equal(tagOf(await head("tag.txt")), tag);
      tags.add(tag);
    }
    assert.equal(tags.size, 3);
    dataOf(await world.write("POST", { path: world.id("tag.txt"), field: "f", value: "a" }, "/api/files/meta"));
    assert.ok(tags.has(tagOf(await get("tag.txt"))), "a meta field does not change it");
  });

  test("revalidation after a replacement gives the new bytes, and Last-Modified does not go back", async () => {
    await plantFile(world, "cached.txt", { bytes: "old" });
    const old = await get("cached.txt");
    const replaced = async (bytes: string) => {
      const { uploaded_on } = await plantFile(world, "cached.txt", { bytes });
      const checked = await get("cached.txt", { "if-none-match": tagOf(old) });
      assert.deepEqual([checked.status, checked.text], [200, bytes]);
      assert.equal(Date.parse(checked.headers["last-modified"] as string), uploaded_on * 1000);
      const resumed = await get("cached.txt", { range: "bytes=1-", "if-range": tagOf(old) });
      assert.equal(resumed.status, 200, "the rest of the new bytes is not appended to the start of the old ones");
      assert.equal(resumed.text, bytes);
      return uploaded_on;
    };
    const first = await replaced("new");
    const both = { "if-none-match": tagOf(old), "if-modified-since": old.headers["last-modified"] as string };
    assert.equal((await get("cached.txt", both)).text, "new", "also within the same second");
    await sleep(1100);
    assert.ok((await replaced("newer")) > first);
  });
});

describe("?v=", () => {
  const forever = "public, max-age=31536000, immutable";
  const checked = "public, max-age=0, must-revalidate";
  const cacheOf = async (path: string, query: string, headers: Headers = {}) =>
    (await get(path, headers, { query })).headers["cache-control"];

  test("the file's version may be cached forever, anything else is revalidated", async () => {
    const { version } = await plantFile(world, "v.txt", { bytes: "version one" });
    assert.match(version, /^[0-9a-f]{16}$/);
    assert.equal(await cacheOf("v.txt", `v=${version}`), forever);
    assert.equal(await cacheOf("v.txt", `a=b&v=${version}`), forever);
    for (const v of ["", "1", version.slice(1), `${version}0`, version.toUpperCase().replace(/^\d+$/, "x")]) {
      if (v !== version) assert.equal(await cacheOf("v.txt", `v=${v}`), checked, v);
    }
    const tag = tagOf(await get("v.txt"));
    assert.equal(await cacheOf("v.txt", `v=${version}`, { "if-none-match": tag }), forever, "on 304");
    assert.equal(await cacheOf("v.txt", `v=${version}`, { range: "bytes=0-1" }), forever, "on 206");
  });

  test("the version of replaced bytes is not cached forever", async () => {
    const { version } = await file(world, "v.txt");
    const { version: next } = await plantFile(world, "v.txt", { bytes: "version two" });
    const reply = await get("v.txt", {}, { query: `v=${version}` });
    assert.equal(reply.text, "version two");
    assert.equal(reply.headers["cache-control"], checked);
    assert.equal(await cacheOf("v.txt", `v=${next}`), forever);
  });

  test("malformed values never cause a 500", async () => {
    for (const query of ["v", "v=&v=", "v[]=a", "v[a]=b", "v=%zz", "v=%00", "v=%ff", "&&&", "=", "__proto__=1"]) {
      const reply = await get("small.txt", {}, { query });
      if (reply.status === 200) assert.equal(reply.headers["cache-control"], checked, query);
      else refused(reply, 400);
    }
  });

  test("an error is never cacheable", async () => {
    const failed = [get("never.txt", {}, { query: "v=0123456789abcdef" }), get("small.txt", { range: "bytes=99-" })];
    for (const { status, headers } of await Promise.all(failed)) {
      assert.ok(status >= 400);
      assert.deepEqual([headers["cache-control"], headers["last-modified"]], ["no-store", undefined]);
    }
  });
});

// ---------------------------------------------------------------------------------------------- HEAD and other methods

test("HEAD has every header of GET, and no body", async () => {
  const names = ["large.txt", "small.txt", "empty.txt", "kinds/a.svg", "kinds/a.zip", "kinds/a.png", "nothing.txt", ""];
  for (const name of names) {
    const [got, asked] = [await get(name), await head(name)];
    assert.equal(asked.status, got.status, name);
    assert.equal(asked.bytes.length, 0);
    const kept = ({ headers }: Reply) =>
      Object.entries(headers).filter(([header]) => !["date", "x-request-id", "request-id"].includes(header));
    if (got.status === 200) assert.deepEqual(kept(asked), kept(got), name);
  }
});

describe("no other method", () => {
  test("is answered but 405, and Allow names GET and HEAD", async () => {
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      for (const call of [{}, { json: world.pair }, { body: "x", type: "text/plain" }] as Partial<Call>[]) {
        const reply = await get("small.txt", {}, { method, ...call });
        refused(reply, 405, "method_not_allowed");
        assert.deepEqual((reply.headers.allow ?? "").match(/GET|HEAD|PUT|POST|PATCH|DELETE/g)?.sort(), ["GET", "HEAD"]);
      }
    }
  });

  test("nor is a method override", async () => {
    for (const value of ["DELETE", "PUT", "GET"]) {
      refused(await get("small.txt", { "x-http-method-override": value }, { method: "POST" }), [404, 405]);
    }
    assert.equal((await get("small.txt", { "x-http-method-override": "DELETE" })).text, "01234567890");
  });
});

// ---------------------------------------------------------------------------------------------- names

describe("names", () => {
  test("of every kind are served at their full_url, and with every letter encoded that can be", async () => {
    const odd = "two words|café ñ|照片|😀|100%|100%41|what?|a#b|a+b|a&b=c|a;b:c@d,e|it's (so) [x] {y}!*~$^`<b>";
    const names = [...odd.split("|"), '"q"', "..", "a..b", "..x", " padded ", "é".repeat(120)].map(
      (name) => `${name}.txt`,
    );
    for (const [n, name] of [...names, "UPPER.TXT"].entries()) {
      const bytes = `odd ${n}`;
      await plantFile(world, `plain/n${n}.txt`, { bytes });
      const moved = dataOf(await move(`plain/n${n}.txt`, `odd/${name}`));
      assert.equal(moved.url, urlOf(world, `odd/${name}`));
      const address = moved.full_url.slice(world.url.length);
      assert.match(address, /^\/[\w!$&'()*+,;=:@~./%-]+$/, "only characters that a URL can contain");
      assert.equal(address.split("/").map(decodeURIComponent).join("/"), `/${moved.url}`);
      assert.equal((await world.send({ path: address })).text, bytes, address);
      assert.equal((await get(`odd/${name}`)).text, bytes);
      assert.equal(await (await fetch(moved.full_url)).text(), bytes, "through a client that reads URLs");
    }
  });

  test("composed and decomposed Unicode name one file", async () => {
    for (const name of ["odd/café ñ.txt", "odd/cafe\u0301 n\u0303.txt"]) assert.equal((await get(name)).text, "odd 1");
  });

  test("names are case-sensitive, and a plus is no space", async () => {
    refused(await get("SMALL.txt"), 404, "file_not_found");
    refused(await get("small.TXT"), 404, "file_not_found");
    refused(await world.send({ path: addressOf("odd/two words.txt").replace("%20", "+") }), 404, "file_not_found");
  });

  test("what is below a file, beside it, a folder or the root has no bytes", async () => {
    for (const name of ["small.txt/x", "small.tx", "small.txt.", "small.txt.txt", "small", "small.txt ", "kinds"])
      refused(await get(name), 404, "file_not_found");
    for (const path of [addressOf(""), `${addressOf("kinds")}/`, "/project/uploads", "/project/uploads/"])
      refused(await world.send({ path }), 404);
    for (const path of "/project /project/ /project/config /project/uploadsx/a.txt /project/Uploads/a.txt".split(" "))
      refused(await world.send({ path }), 404, "route_not_found");
  });
});

// ---------------------------------------------------------------------------------------------- traversal

describe("a URL outside the uploads never answers bytes", () => {
  const here = addressOf("").replace(/\/$/, "");
  async function nothing(path: string): Promise<void> {
    const reply = await world.send({ path });
    refused(reply, [400, 404]);
    assert.equal(reply.headers["set-cookie"], undefined);
    assert.ok(!/root:|SQLite format|"octavo"|^# Octavo|01234567890/.test(reply.text), path);
  }

  test("up, by any spelling", async () => {
    // Each spelling by itself: test/http/encoded-path.
    const climbs =
      "../ %2e%2e/ .%2e/ ..%2f ..%5c ..\\ %252e%252e/ ..%252f %25252e%25252e%25252f %c0%ae%c0%ae/ ..%c0%af %uff0e%uff0e/ ..;/ ....// ..%00/ %ef%bc%8e%ef%bc%8e/";
    for (const climb of climbs.split(" ")) {
      for (const target of ["etc/passwd", "octavo.db", "package.json"])
        for (const times of [1, 3, 12]) await nothing(`/project/uploads/${climb.repeat(times)}${target}`);
      for (const own of ["kinds", "small.txt"]) await nothing(`${here}/${own}/${climb}small.txt`);
    }
  });

  test("dots, absolute paths, drives, URLs, control characters, invalid UTF-8 and escapes, what is too long", async () => {
    const names =
      "/etc/passwd %2fetc%2fpasswd file:///etc/passwd file%3a%2f%2f%2fetc%2fpasswd C:/windows/win.ini %5c%5cserver%5cshare . .. %2e %2e%2e ./ ~root/.ssh/id_rsa ../uploads/x";
    for (const name of names.split(" ")) await nothing(`/project/uploads/${name}`);
    const own =
      "./small.txt %2e/small.txt kinds/../small.txt kinds/%2e%2e/small.txt kinds\\..\\small.txt %00 small.txt%00 small.txt%00.png small%00.txt small.txt%0a small.txt%0d%0aX-Evil:%201 x%0d%0aSet-Cookie:%20a=b%0d%0a.txt %7f %1b %c2%85 %ff %c3 %e2%82 %ed%a0%80 %f5%80%80%80 sm%c1%a1ll.txt % %% %zz %4 small.txt% %u0073mall.txt";
    for (const name of own.split(" ")) await nothing(`${here}/${name}`);
    for (const path of ["a".repeat(300), "a/".repeat(40), "é".repeat(200), "a".repeat(20_000)])
      refused(await world.send({ path: `/project/uploads/${encoded(path)}` }), [400, 404, 414, 431]);
  });
});

// ---------------------------------------------------------------------------------------------- connections

describe("connections", () => {
  const request = (path: string, headers = "", method = "GET") =>
    `${method} ${addressOf(path)} HTTP/1.1\r\nHost: ${base.host}\r\n${headers}\r\n`;

  test("pipelined requests of every kind are answered in order", async () => {
    const wire = new Wire(world.url);
    const tag = tagOf(await get("large.txt"));
    const range = "Range: bytes=8-15\r\n";
    const asked: [string, string, number][] = [
      [request("large.txt"), "GET", 200],
      [request("large.txt", range), "GET", 206],
      [request("large.txt", "", "HEAD"), "HEAD", 200],
      [request("nothing.txt"), "GET", 404],
      [request("large.txt", `If-None-Match: ${tag}\r\n`), "GET", 304],
      [request("large.txt", "Range: bytes=99999999-\r\n"), "GET", 416],
      [request("empty.txt"), "GET", 200],
      [request("large.txt", `If-Match: "none-of-them"\r\n`), "GET", 412],
      [request("small.txt", "Connection: close\r\n"), "GET", 200],
    ];
    await wire.write(asked.map(([text]) => text).join(""));
    const replies: Reply[] = [];
    for (const [, method, status] of asked) {
      const reply = await wire.reply(method);
      assert.equal(reply.status, status);
      replies.push(reply);
    }
    assert.ok(replies[0]?.bytes.equals(large));
    assert.equal(replies[1]?.text, "0000001\n");
    assert.equal(replies[8]?.text, "01234567890");
  });

  test("a slow reader does not delay others, and gets the old bytes, whole", async () => {
    const old = Buffer.alloc(12 * 1024 * 1024, large);
    await plantFile(world, "slow.txt", { bytes: old });
    const wire = new Wire(world.url);
    await wire.write(request("slow.txt", "Connection: close\r\n"));
    while (!wire.isAnswered) await sleep(5);
    wire.socket.pause();
    for (let n = 0; n < 10; n++) assert.equal((await get("small.txt")).text, "01234567890");
    await plantFile(world, "slow.txt", { bytes: "short and new" });
    assert.equal((await get("slow.txt")).text, "short and new");
    await remove("slow.txt");
    wire.socket.resume();
    assert.ok((await wire.reply("GET", 20_000)).bytes.equals(old));
  });
});

allRepliesKeptTheirPromises(world);
