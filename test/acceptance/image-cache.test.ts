// Slow: draws many images twice.
/** Images: authorization, paths, identity, headers, limits. Contract §7; compatibility, Presets and signatures. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { crc32 } from "node:zlib";
import sharp from "sharp";
import { meanwhile } from "../ending.ts";
import { orLong } from "../long.ts";
import type { Arguments, Reply } from "./client.ts";
import { plantFile, png, svg, upload } from "./media.ts";
import {
  chart,
  drawn,
  enterPictures,
  flat,
  image,
  imageAt,
  longGif,
  look,
  near,
  noise,
  plantBeside,
  plantPictures,
  seenIn,
  sizeOf,
} from "./picture.ts";
import { allRepliesKeptTheirPromises, dataOf, refused, tagOf } from "./world.ts";

const world = await enterPictures("image-cache");
const { tokens } = world;

const original = await chart(96, 64).png().toBuffer();
const { version } = await plantFile(world, "chart.png", { bytes: original });
await plantPictures(world, {
  "notes.txt": "notes\n",
  "drawing.svg": svg(),
  "noise.jpg": await noise(700, 460).jpeg().toBuffer(),
});
const limited = await world.token({ kind: "images", limit_calls: 1000 });
const spent = await world.token({ kind: "images", limit_calls: 1 });
const expired = await world.token({ kind: "images", expires_at: 1_000_000_000 }).catch(() => undefined);
const disabled = await world.token({ kind: "images" });
assert.equal((await world.write("PATCH", { id: disabled.id, state: "disabled" }, "/api/tokens")).status, 200);

const unknown = "oct_i_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const remove = async (path: string): Promise<void> => {
  assert.equal((await world.write("DELETE", { path: world.id(path) }, "/api/files")).status, 204);
};

// ---------------------------------------------------------------------------------------------- tokens

describe("an image is answered", () => {
  for (const query of ["", "w=10"]) {
    const what = query || "nothing";
    test(`for ${what} to an images token in the query or a header`, async () => {
      for (const ask of [{}, { token: null, headers: bearer(tokens.images) }, { headers: bearer(tokens.images) }])
        await seenIn(await image(world, "chart.png", query, ask));
    });

    test(`for ${what} not without a token`, async () => {
      const ask = (token: string | null, path = "chart.png") =>
        image(world, path, query, { token, uniqueAddress: true });
      refused(await ask(null), 401, "token_missing");
      refused(await ask(""), 401);
      refused(await ask(unknown), 401, "token_invalid");
      refused(await ask("no token"), 401, "token_invalid");
      refused(await ask(disabled.token), 401, "token_invalid");
      if (expired) refused(await ask(expired.token), 401, "token_invalid");
      refused(
        await image(world, "chart.png", query, { token: null, uniqueAddress: true, headers: bearer(unknown) }),
        401,
      );
    });

    test(`for ${what} not to a token of another kind`, async () => {
      for (const token of [tokens.delivery, tokens.management, tokens.access]) {
        refused(await image(world, "chart.png", query, { token }), 403, "scope_missing");
        refused(await image(world, "chart.png", query, { token: null, headers: bearer(token) }), 403, "scope_missing");
      }
    });

    test(`for ${what} not to two different tokens`, async () => {
      const reply = await image(world, "chart.png", query, { headers: bearer(limited.token) });
      refused(reply, 400, "token_ambiguous");
    });
  }

  test("without revealing to unauthorized requests whether it exists", async () => {
    const told = async (path: string, token: string | null) => {
      const reply = await image(world, path, "w=10&strict=1&h=x", { token, uniqueAddress: true });
      return `${reply.status} ${reply.text.replaceAll(/"request_id":"[^"]*"/g, "")}`;
    };
    for (const token of [null, unknown, tokens.delivery]) {
      const here = await told("chart.png", token);
      for (const path of ["nothing.png", "notes.txt", "../..", "a\\b"])
        assert.equal(await told(path, token), here, path);
    }
  });

  test("up to the token's call limit, whatever the result", async () => {
    const calls = async () => (await world.row(limited.id)).calls;
    const start = await calls();
    const ask = { token: limited.token };
    const first = await image(world, "chart.png", "w=11", ask);
    await image(world, "chart.png", "w=11", { ...ask, headers: { "if-none-match": tagOf(first) } });
    await image(world, "chart.png", "w=11", { ...ask, method: "HEAD" });
    await image(world, "nothing.png", "w=11", ask);
    await image(world, "chart.png", "w=x&strict=1", ask);
    await image(world, "chart.png", "", ask);
    assert.equal((await calls()) - start, 6);
    await seenIn(await image(world, "chart.png", "w=11", { token: spent.token }));
    refused(await image(world, "chart.png", "w=11", { token: spent.token }), 429, "call_limit_reached");
  });

  test("to HEAD, without a body", async () => {
    const same = ["content-type", "content-length", "etag", "cache-control", "vary", "accept-ranges", "last-modified"];
    for (const query of ["", "w=12", "w=13&fm=auto", "junk=1"]) {
      // Also one that was never drawn.
      const head = await image(world, "chart.png", query, { method: "HEAD" });
      const get = await image(world, "chart.png", query);
      assert.equal(head.status, 200, query);
      assert.equal(head.bytes.length, 0);
      for (const name of same) assert.equal(head.headers[name], get.headers[name], `${name} of ${query}`);
    }
    assert.equal((await image(world, "nothing.png", "w=10", { method: "HEAD" })).status, 404);
  });

  test("only to GET and HEAD", async () => {
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      const reply = await image(world, "chart.png", "", { method });
      refused(reply, 405);
      assert.match(reply.headers.allow ?? "", /\bGET\b/);
    }
  });

  test("to a page of another origin", async () => {
    const reply = await image(world, "chart.png", "w=10", { headers: { origin: "https://site.example" } });
    assert.equal(reply.headers["access-control-allow-origin"], "*");
  });
});

// ---------------------------------------------------------------------------------------------- paths

describe("an image is found", () => {
  test("below the uploads, by any valid file name", async () => {
    for (const path of ["a/b/c/deep.png", "ümlaut/Bild.png"]) {
      const data = await upload(world, {
        folder: path.slice(0, path.lastIndexOf("/")),
        name: "x.png",
        bytes: original,
      });
      const at = dataOf(data).url.slice("project/uploads/".length).split("/").map(encodeURIComponent).join("/");
      assert.equal(sizeOf(await seenIn(await imageAt(world, at, "w=30"))), "30x20");
    }
    const name = "ümlaut";
    const nfd = world
      .id(`${name.normalize("NFD")}/x.png`)
      .split("/")
      .map(encodeURIComponent)
      .join("/");
    await seenIn(await imageAt(world, nfd, "w=30"));
  });

  test("below entries/, too, if the path itself has no file", async () => {
    await plantBeside(world, "entries", "only.png", await flat(30, 20, [200, 60, 20]).png().toBuffer());
    await plantBeside(world, "entries", "chart.png", await flat(30, 20, [200, 60, 20]).png().toBuffer());
    near((await drawn(world, "only.png", "w=10")).at(2, 2), [200, 60, 20]);
    assert.equal((await look((await image(world, "only.png")).bytes)).width, 30);
    assert.equal((await look((await image(world, "chart.png")).bytes)).width, 96, "the path itself comes first");
    near((await seenIn(await imageAt(world, `entries/${world.id("only.png")}`, "w=10"))).at(2, 2), [200, 60, 20]);
  });

  test("nowhere: 404", async () => {
    for (const path of ["nothing.png", "a/nothing.png", "chart.png/x", "nothing/"]) {
      for (const query of ["", "w=10", "w=x&junk=1"]) refused(await image(world, path, query), 404, "file_not_found");
    }
    refused(await imageAt(world, world.id(""), "w=10"), [400, 404]);
    refused(await imageAt(world, "", "w=10"), [400, 404]);
    await plantPictures(world, { "gone.png": original });
    const tag = tagOf(await image(world, "gone.png", "w=10"));
    await remove("gone.png");
    const again = await image(world, "gone.png", "w=10", { headers: { "if-none-match": tag } });
    refused(again, 404, "file_not_found");
  });

  test("never outside of the uploads", async () => {
    const below = world.prefix;
    const paths = [
      ...[
        "../../../../etc/passwd",
        `${below}/../../../etc/passwd`,
        "%2e%2e/%2e%2e/etc/passwd",
        "..%2f..%2fetc%2fpasswd",
      ],
      ...[
        "..%5c..%5cetc%5cpasswd",
        "%2e%2e%5c%2e%2e%5cx",
        "%252e%252e%252fetc",
        "....//....//etc/passwd",
        "/etc/passwd",
      ],
      ...["%2fetc%2fpasswd", "//etc/passwd", ".%2e/x", "a/./b", "a/%2e/b", "a%00.png", `${below}/chart.png%00.txt`],
      ...["%c0%ae%c0%ae/etc/passwd", "%ff%fe", "%", "%zz", "C:%5cwindows%5cwin.ini", "file:%2f%2f%2fetc%2fpasswd"],
      ...["x".repeat(3000), "a/".repeat(200), `${below}/${"b".repeat(300)}.png`, "http:%2f%2f127.0.0.1:1%2fx.png"],
    ];
    for (const path of paths) {
      for (const query of ["", "w=10"]) {
        const reply = await imageAt(world, path, query);
        refused(reply, [400, 404]);
        assert.doesNotMatch(reply.text, /root:/);
      }
    }
  });
});

// ---------------------------------------------------------------------------------------------- the source image

describe("without an effective argument", () => {
  const nothing = ["", "junk=1", "w=abc", "w=0&q=500", "x[y]=1&strict=0", "fit=contain", "dpr=1", "or=odd", "v=abc"];
  for (const query of nothing) {
    test(`"${query}" answers the stored bytes`, async () => {
      const reply = await image(world, "chart.png", query);
      assert.equal(reply.status, 200);
      assert.ok(reply.bytes.equals(original));
      assert.equal(reply.headers["content-type"], "image/png");
      assert.equal(reply.headers["accept-ranges"], "bytes");
      assert.equal(reply.headers["x-content-type-options"], "nosniff");
      assert.equal(reply.headers.etag, (await image(world, "chart.png")).headers.etag);
    });
  }

  test("a range is answered", async () => {
    const range = async (value: string) => image(world, "chart.png", "junk=2", { headers: { range: value } });
    const first = await range("bytes=0-9");
    assert.equal(first.status, 206);
    assert.equal(first.headers["content-range"], `bytes 0-9/${original.length}`);
    assert.ok(first.bytes.equals(original.subarray(0, 10)));
    assert.ok((await range("bytes=-7")).bytes.equals(original.subarray(-7)));
    refused(await range(`bytes=${original.length}-`), 416);
    const other = await image(world, "chart.png", "", { headers: { range: "bytes=0-9", "if-range": '"_x"' } });
    assert.equal(other.status, 200);
  });

  test("its tag gives 304", async () => {
    const tag = tagOf(await image(world, "chart.png"));
    const reply = await image(world, "chart.png", "junk=3", { headers: { "if-none-match": tag } });
    assert.equal(reply.status, 304);
    assert.equal(reply.bytes.length, 0);
  });

  test("an SVG has a sandbox policy, on HEAD and 304, too", async () => {
    const policy = "sandbox; default-src 'none'; style-src 'unsafe-inline'";
    const reply = await image(world, "drawing.svg");
    assert.equal(reply.headers["content-security-policy"], policy);
    assert.match(reply.headers["content-type"] ?? "", /^image\/svg\+xml/);
    const head = await image(world, "drawing.svg", "", { method: "HEAD" });
    assert.equal(head.headers["content-security-policy"], policy);
  });
});

// ---------------------------------------------------------------------------------------------- identity

describe("a rendition is the same", () => {
  const tag = async (query: string, ask = {}) => tagOf(await image(world, "chart.png", query, ask));
  const families: string[][] = [
    [
      ...["w=40&h=30&fit=crop", "fit=crop&h=30&w=40", "h=30&w=40&fit=crop&junk=1", "w=40&h=30&fit=crop&x[y]=2"],
      ...[
        "w=040&h=30.9&fit=crop",
        "w=4e1&h=30&fit=crop",
        "w=40&h=30&fit=crop-center&dpr=1",
        "w=40&h=30&fit=crop-50-50",
      ],
      ...["w=40&h=30&fit=crop&bri=0&blur=0", "w=40&h=30&fit=crop&bri=999&q=x", "w=40&h=30&fit=crop&or=auto&v=1"],
      ...["w=40&h=30&fit=crop&strict=1", "w=40&h=30&fit=crop&p=unknown", "w=40&h=30&fit=crop&expires=1"],
    ],
    ["w=41", "w=41&fit=contain", "w=41&fit=odd", "w=41&mark=nothing.png", "w=41&q=90", "w=41&or=auto"],
    ["fm=jpg&w=42", "w=42&fm=jpg&q=90", "w=42&fm=jpg&interlace=0"],
    ["w=43&bg=f00", "w=43&bg=ff0000", "w=43&bg=FF0000", "w=43&bg=red", "w=43&bg=Red"],
  ];
  for (const family of families) {
    test(`for ${family[0]} in ${family.length} ways`, async () => {
      const [first, ...others] = family as [string, ...string[]];
      const expected = await tag(first);
      const bytes = (await image(world, "chart.png", first)).bytes;
      for (const query of others) {
        const reply = await image(world, "chart.png", query);
        assert.equal(tagOf(reply), expected, query);
        assert.ok(reply.bytes.equals(bytes), query);
      }
    });
  }

  test("with another token, in another place, at another address", async () => {
    const expected = await tag("w=44");
    assert.equal(await tag("w=44", { token: limited.token }), expected);
    assert.equal(await tag("w=44", { token: null, headers: bearer(tokens.images) }), expected);
    const again = await image(world, "chart.png", "w=44");
    assert.equal(again.headers["last-modified"], (await image(world, "chart.png", "w=44")).headers["last-modified"]);
  });

  test("as progressive JPEG, whatever the spelling of its arguments", async () => {
    await plantPictures(world, { "photo.jpg": await chart(96, 64).jpeg().toBuffer() });
    const seen = async (query: string) => {
      const reply = await image(world, "photo.jpg", query);
      return `${tagOf(reply)} ${(await sharp(reply.bytes).metadata()).isProgressive}`;
    };
    const [plain, interlaced] = [await seen("w=43"), await seen("w=43&interlace=1")];
    assert.match(plain, / false$/);
    assert.match(interlaced, / true$/);
    for (const query of ["w=43&interlace=1&fm=jpg", "w=43&fm=pjpg"]) assert.equal(await seen(query), interlaced, query);
    assert.equal(await seen("w=43&fm=jpg"), plain);
  });

  test("but not with other arguments", async () => {
    const queries = ["w=45", "h=45", "w=46", "w=45&q=80", "w=45&fm=webp", "w=45&fm=pjpg", "w=45&bri=1", "w=45&flip=h"];
    const tags = await Promise.all([...queries, "", "w=45&or=90", "w=45&border=1,red"].map((query) => tag(query)));
    // q has no effect on a PNG: the same picture, by the same tag or not.
    assert.ok(new Set(tags).size >= tags.length - 1, tags.join("\n"));
  });

  test("its date gives no 304: a watermark or a preset may have changed", async () => {
    const since = (await image(world, "chart.png", "w=47")).headers["last-modified"] as string;
    const headers = { "if-modified-since": since };
    assert.equal((await image(world, "chart.png", "w=47", { headers })).status, 200);
    assert.equal((await image(world, "chart.png", "", { headers })).status, 304, "the source image's does");
  });

  test("its tag gives 304, also in a list and as a weak tag", async () => {
    const reply = await image(world, "chart.png", "w=47");
    for (const value of [tagOf(reply), `"x", ${tagOf(reply)}`, `W/${tagOf(reply)}`, "*"]) {
      const second = await image(world, "chart.png", "w=47", { headers: { "if-none-match": value } });
      assert.equal(second.status, 304, value);
      assert.equal(second.bytes.length, 0);
      assert.equal(tagOf(second), tagOf(reply));
      assert.equal(second.headers["cache-control"], reply.headers["cache-control"]);
    }
    const other = await image(world, "chart.png", "w=47", { headers: { "if-none-match": '"_x"' } });
    assert.equal(other.status, 200);
  });

  test("for two and for many concurrent requests", async () => {
    for (const [query, count] of [
      ["w=90&blur=3&fm=webp", 2],
      ["w=91&sharp=3&fm=png", 20],
    ] as const) {
      const replies = await Promise.all(Array.from({ length: count }, () => image(world, "noise.jpg", query)));
      const [first] = replies as [Reply];
      await seenIn(first);
      for (const reply of replies) {
        assert.equal(reply.status, 200, reply.text.slice(0, 200));
        assert.equal(tagOf(reply), tagOf(first));
        assert.ok(reply.bytes.equals(first.bytes));
      }
    }
  });

  test("for a client that disconnects and repeats the request", async () => {
    const controllers = Array.from({ length: 5 }, () => new AbortController());
    const address = `${world.url}/api/images/${world.id("noise.jpg")}?w=777&blur=5&token=${tokens.images}`;
    const asked = controllers.map(({ signal }) => fetch(address, { signal }).catch(() => undefined));
    for (const [n, controller] of controllers.entries()) setTimeout(() => controller.abort(), n * 15);
    await Promise.all(asked);
    assert.equal((await drawn(world, "noise.jpg", "w=777&blur=5")).width, 777);
  });
});

// ---------------------------------------------------------------------------------------------- replacement

describe("replacing a file", () => {
  const red = () => flat(60, 40, [220, 40, 40]).png().toBuffer();
  const blue = () => flat(60, 40, [40, 60, 220]).png().toBuffer();

  test("takes effect at once, with another tag", async () => {
    const before = await plantFile(world, "swap.png", { bytes: await red() });
    const first = await image(world, "swap.png", "w=30");
    near((await seenIn(first)).at(5, 5), [220, 40, 40]);
    const originalTag = tagOf(await image(world, "swap.png"));
    const after = await plantFile(world, "swap.png", { bytes: await blue() });
    assert.notEqual(after.version, before.version);
    const second = await image(world, "swap.png", "w=30", { headers: { "if-none-match": tagOf(first) } });
    near((await seenIn(second)).at(5, 5), [40, 60, 220]);
    assert.notEqual(tagOf(second), tagOf(first));
    const whole = await image(world, "swap.png", "", { headers: { "if-none-match": originalTag } });
    assert.ok(whole.bytes.equals(await blue()));
    const stale = await image(world, "swap.png", { w: 30, v: before.version });
    near((await seenIn(stale)).at(5, 5), [40, 60, 220]);
    assert.match(stale.headers["cache-control"] ?? "", /max-age=60\b/);
    const fresh = await image(world, "swap.png", { w: 30, v: after.version });
    assert.match(fresh.headers["cache-control"] ?? "", /immutable/);
    await plantFile(world, "swap.png", { bytes: await red() });
    assert.equal(tagOf(await image(world, "swap.png", "w=30")), tagOf(first), "the same picture again");
  });

  test("that is a watermark takes effect at once, too", async () => {
    const mark = `${world.prefix}/swap.png`;
    await plantBeside(world, "watermarks", "swap.png", await flat(10, 10, [220, 40, 40]).png().toBuffer());
    const first = await image(world, "chart.png", { mark });
    near((await seenIn(first)).at(-2, -2), [220, 40, 40]);
    await plantBeside(world, "watermarks", "swap.png", await flat(10, 10, [40, 60, 220]).png().toBuffer());
    const second = await image(world, "chart.png", { mark }, { headers: { "if-none-match": tagOf(first) } });
    near((await seenIn(second)).at(-2, -2), [40, 60, 220]);
    assert.notEqual(tagOf(second), tagOf(first));
    const gone = await world.write("DELETE", { path: `watermarks/${mark}` }, "/api/files");
    assert.equal(gone.status, 204);
    near((await drawn(world, "chart.png", { mark, w: 50 })).at(-2, -2), [247, 243, 128], 6);
  });

  test("repeatedly never shows an older image", async () => {
    for (let n = 0; n < 12; n++) {
      const shade = n * 20;
      await plantFile(world, "turns.png", { bytes: png({ width: 20, height: 10, shade }) });
      near((await drawn(world, "turns.png", "w=10")).at(2, 2), [shade, shade, shade], 1, `turn ${n}`);
    }
  });

  test("during requests does not affect them", async () => {
    await plantFile(world, "busy.png", { bytes: png({ width: 200, height: 100, shade: 0 }) });
    const look = async (width: number) => {
      const seen = await drawn(world, "busy.png", `w=${width}`);
      assert.equal(seen.width, width);
      assert.deepEqual(seen.at(0, 0), seen.at(-1, -1), "one image, not parts of two");
    };
    const replace = async () => {
      for (let n = 1; n <= 20; n++) {
        await plantFile(world, "busy.png", { bytes: png({ width: 200, height: 100, shade: n * 10 }) });
      }
    };
    await meanwhile(replace(), () => Promise.all([40, 41, 42, 43, 44].map(look)));
    near((await drawn(world, "busy.png", "w=40")).at(3, 3), [200, 200, 200], 1);
  });

  test("or moving it: the image is at the new path only", async () => {
    await plantPictures(world, { "old.png": original });
    await drawn(world, "old.png", "w=21");
    await world.write("PUT", { path: world.id("old.png"), new_path: world.id("new.png") }, "/api/files");
    refused(await image(world, "old.png", "w=21"), 404, "file_not_found");
    assert.equal(sizeOf(await drawn(world, "new.png", "w=21")), "21x14");
  });
});

// ---------------------------------------------------------------------------------------------- headers

describe("the headers", () => {
  const forEver = ["public", "max-age=31536000", "immutable"];
  const cases: [string, Record<string, string>, string[]][] = [
    ["no v", {}, ["public", "max-age=3600"]],
    ["the file's version as v", { v: version }, forEver],
    ["another v", { v: "0123456789abcdef" }, ["public", "max-age=60"]],
    ["another v", { v: "x" }, ["public", "max-age=60"]],
    ["an empty v", { v: "" }, ["public", "max-age=60"]],
    ["a v in upper case", { v: `${version.toUpperCase()}X` }, ["public", "max-age=60"]],
  ];
  const directives = (reply: Reply) => (reply.headers["cache-control"] ?? "").split(/\s*,\s*/);
  for (const [what, args, expected] of cases) {
    test(`with ${what} permit caching: ${expected.join(", ")}`, async () => {
      for (const more of [{ w: "50" }, {}] as Record<string, string>[]) {
        const reply = await image(world, "chart.png", { ...more, ...args });
        assert.deepEqual(directives(reply), expected, JSON.stringify(more));
        const head = await image(world, "chart.png", { ...more, ...args }, { method: "HEAD" });
        assert.deepEqual(directives(head), expected);
        const tag = { "if-none-match": tagOf(reply) };
        assert.deepEqual(directives(await image(world, "chart.png", { ...more, ...args }, { headers: tag })), expected);
      }
    });
  }

  test("are private when the token is in a header", async () => {
    for (const args of [{}, { w: 50 }, { w: 50, v: version }, { v: version }] as Arguments[]) {
      const reply = await image(world, "chart.png", args, { token: null, headers: bearer(tokens.images) });
      const said = directives(reply);
      assert.ok(said.includes("private") && !said.includes("public"), said.join(", "));
      for (const name of ["authorization", "x-access-token"]) {
        assert.ok(reply.headers.vary?.toLowerCase().includes(name));
      }
    }
  });

  test("of a rendition exclude ranges, compression, sniffing and cookies", async () => {
    const headers = { range: "bytes=0-9", "accept-encoding": "gzip, br" };
    const reply = await image(world, "chart.png", "w=51", { headers });
    assert.equal(reply.status, 200, "a range is not answered");
    const seen = await seenIn(reply);
    assert.equal(seen.width, 51);
    assert.equal(reply.headers["accept-ranges"], "none");
    assert.equal(reply.headers["content-range"], undefined);
    assert.equal(reply.headers["content-encoding"], undefined);
    assert.equal(reply.headers["x-content-type-options"], "nosniff");
    assert.equal(reply.headers["set-cookie"], undefined);
    assert.match(reply.headers["content-disposition"] ?? "inline", /^inline/);
  });

  test("of a problem forbid caching", async () => {
    for (const [path, query] of [
      ["nothing.png", `v=${version}`],
      ["chart.png", `v=${version}&w=x&strict=1`],
    ] as const) {
      const reply = await image(world, path, query);
      assert.equal(reply.headers["cache-control"], "no-store");
      assert.equal(reply.headers.etag, undefined);
    }
  });
});

// ---------------------------------------------------------------------------------------------- signed URLs

describe("a signature", () => {
  test("that is invalid gives no access", async () => {
    const far = Math.floor(Date.now() / 1000) + 3600;
    for (const query of [
      "s=",
      "s=abc",
      `s=${"0".repeat(64)}`,
      `s=${"0".repeat(64)}&expires=${far}`,
      `s=${"0".repeat(64)}&expires=1`,
      "s[]=a",
      "expires=9999999999",
    ]) {
      const reply = await image(world, "chart.png", `w=10&${query}`, { token: null, uniqueAddress: true });
      refused(reply, query.startsWith("s[") ? [400, 401, 403] : [401, 403]);
    }
  });
});

// ---------------------------------------------------------------------------------------------- limits

describe("the limits", () => {
  const huge = [
    "w=100000",
    "w=1e9&h=1e9&fit=stretch",
    "w=100000&h=100&fit=fill-max",
    "w=9999&h=99999&dpr=8&fit=crop-10-10-100",
    "w=50&border=100000,red,expand",
    "w=8192&h=100&fit=stretch&border=5000,red,expand",
    "w=100000&h=1&fit=stretch",
    "w=50&markw=100000&mark=@&markfit=stretch",
  ];
  for (const query of huge) {
    test(`${query} stays within 8192 pixels a side and the budget`, async () => {
      const mark = `${world.prefix}/small.png`;
      if (query.includes("@")) await plantBeside(world, "watermarks", "small.png", png());
      const reply = await image(world, "drawing.svg", `${query.replace("@", mark)}&fm=jpg&q=10`);
      if (reply.status !== 200) return void refused(reply, [422, 503]);
      const { width = 0, height = 0 } = await sharp(reply.bytes).metadata();
      assert.ok(width <= 8192 && height <= 8192 && width * height <= 8192 * 8192, `${width}x${height}`);
      if (query === "w=100000") {
        assert.ok(width > 2000, "as large as it may be");
        assert.ok(Math.abs(width / height - 4 / 3) < 0.01, `the ratio of ${width}x${height}`);
      }
    });
  }

  test("refuse the upload of an image with too many pixels", async () => {
    const header = png({ width: 1, height: 1 });
    header.writeUInt32BE(100_000, 16);
    header.writeUInt32BE(100_000, 20);
    header.writeUInt32BE(crc32(header.subarray(12, 29)), 29);
    refused(await upload(world, { name: "bomb.png", bytes: header }), 413, "image_too_large");
    const vast = png({ width: 30_000, height: 20_000, kind: "grey", bits: 1 });
    refused(await upload(world, { name: "bomb.png", bytes: vast }), 413, "image_too_large");
    refused(await image(world, "bomb.png", "w=10"), 404, "file_not_found");
  });

  test("an animation bomb shows its first frame, or is refused with strict=1", async () => {
    const bytes = await longGif(2000, 1500, 150);
    dataOf(await upload(world, { name: "frames.gif", bytes }));
    for (const query of ["w=20", "fm=webp&w=30", "flip=h&w=20&fm=gif"]) {
      const seen = await drawn(world, "frames.gif", query);
      assert.equal(seen.pages, 1, query);
      near(seen.at(query.startsWith("flip") ? 5 : -5, 5), [200, 60, 20], 12);
    }
    const strict = await image(world, "frames.gif", "w=20&strict=1");
    refused(strict, 400, "argument_invalid");
    assert.equal((await drawn(world, "frames.gif", "w=20&fm=jpg&strict=1")).pages, 1, "one frame was requested");
  });

  test("the costliest arguments together end within the time limit", async () => {
    const query = "w=800&blur=100&sharp=100&pixel=3&filt=sepia&bri=5&con=5&gam=1.1&fm=jpg&border=50,red,shrink&or=90";
    const reply = await image(world, "noise.jpg", query);
    if (reply.status !== 200) refused(reply, [422, 503]);
    else await seenIn(reply);
  });
});

// ---------------------------------------------------------------------------------------------- load

describe("many concurrent requests", () => {
  /** The same numbers in each run. */
  function dice(seed: number): (below: number) => number {
    let state = seed;
    return (below) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return (state >>> 8) % below;
    };
  }
  const names = (
    "or crop w h fit dpr bri con gam sharp filt flip blur pixel mark markw markh markx marky markpad markfit markpos " +
    "markalpha bg border q fm interlace p v s expires junk __proto__ w[] w[a] filter[where]"
  ).split(" ");
  const pieces = [
    ...[
      "0",
      "1",
      "-1",
      "50",
      "100",
      "7.5",
      "1e3",
      "-",
      ".",
      ",",
      "w",
      "h",
      "%",
      "auto",
      "both",
      "crop",
      "crop-",
      "-50-50",
    ],
    ...[
      "cover",
      "fill",
      "max",
      "stretch",
      "red",
      "ff0000",
      "top",
      "left",
      "sepia",
      "jpg",
      "webp",
      "é",
      "\u{1f600}",
      " ",
      "+",
    ],
    ...[
      "../",
      "/",
      "\\",
      "'",
      '"',
      "<",
      "NaN",
      "Infinity",
      "null",
      "99999999999999999999",
      "0x10",
      "\t",
      "1,1,1,1",
      "&",
      "=",
    ],
  ];
  function randomQuery(roll: (below: number) => number): string {
    const pairs = Array.from({ length: 1 + roll(6) }, () => {
      const value = Array.from({ length: roll(4) }, () => pieces[roll(pieces.length)]).join("");
      const text = roll(20) === 0 ? value.replaceAll(/[^ -~]/gu, "") : encodeURIComponent(value);
      return `${names[roll(names.length)]}=${text.replaceAll(" ", "%20")}`;
    });
    return pairs.join("&");
  }
  async function inParallel(count: number, one: (n: number) => Promise<void>): Promise<void> {
    let next = 0;
    const worker = async () => {
      while (next < count) await one(next++);
    };
    await Promise.all(Array.from({ length: 16 }, worker));
  }

  const strictly = orLong(600, 3000);
  test(`${strictly} random queries with strict=1: an image or a problem, never a 500`, async () => {
    const roll = dice(4711);
    const queries = Array.from({ length: strictly }, () => `strict=1&q=bad&${randomQuery(roll)}`);
    const statuses = new Map<number, number>();
    await inParallel(queries.length, async (n) => {
      const reply = await image(world, "chart.png", queries[n] as string);
      statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
      // Only a later q may replace the invalid one, and only a signature may be refused before it.
      if (reply.status !== 200) refused(reply, [400, 401, 403]);
    });
    assert.ok((statuses.get(400) ?? 0) > (strictly * 2) / 3, JSON.stringify([...statuses]));
  });

  const leniently = orLong(50, 150);
  test(`${leniently} random queries without: an image or a problem, never a 500`, async () => {
    const roll = dice(1234);
    const queries = Array.from({ length: leniently }, () => `${randomQuery(roll)}`);
    await inParallel(queries.length, async (n) => {
      const reply = await image(world, "chart.png", queries[n] as string);
      if (reply.status === 200) await look(reply.bytes);
      else refused(reply, [400, 403, 422, 503]);
    });
  });
});

test("arguments that nobody reads are named in Octavo-Ignored, whatever is answered", async () => {
  for (const query of ["", "w=10&", "w=10&fm=auto&"]) {
    const reply = await image(world, "chart.png", `${query}widht=10&x[a]=1`);
    await seenIn(reply);
    assert.equal(reply.headers["octavo-ignored"], "widht, x[a]");
    const known = { "if-none-match": tagOf(reply) };
    const again = await image(world, "chart.png", `${query}widht=10&x[a]=1`, { headers: known });
    assert.deepEqual([again.status, again.headers["octavo-ignored"]], [304, "widht, x[a]"]);
    assert.equal((await image(world, "chart.png", `${query}v=${version}`)).headers["octavo-ignored"], undefined);
  }
  refused(await image(world, "chart.png", "widht=10&strict=1"), 400, "argument_invalid", /widht/);
});

test("arguments with a value that is not understood are named in Octavo-Ignored, and refused with strict=1", async () => {
  const cases: [query: string, named: string, nothing: string][] = [
    ["w=abc", "w", ""],
    ["fm=jpg2", "fm", ""],
    ["p=nosuch", "p", ""],
    ["w=10&h=-5", "h", "w=10"],
    ["w=10&q=500&dpr=x&fit=odd", "q, dpr, fit", "w=10"],
    ["w[]=10", "w", ""],
    ["widht=5&w=abc", "widht, w", ""],
  ];
  for (const [query, named, nothing] of cases) {
    const reply = await image(world, "chart.png", query);
    const plain = await image(world, "chart.png", nothing);
    assert.deepEqual(
      [reply.status, String(reply.headers["octavo-ignored"]).split(", ").sort()],
      [200, named.split(", ").sort()],
    );
    assert.ok(reply.bytes.equals(plain.bytes), query);
    assert.deepEqual([plain.headers["octavo-ignored"], reply.headers.etag], [undefined, plain.headers.etag], query);
    const again = await image(world, "chart.png", query, { headers: { "if-none-match": tagOf(reply) } });
    assert.deepEqual([again.status, again.headers["octavo-ignored"]], [304, reply.headers["octavo-ignored"]], query);
    refused(await image(world, "chart.png", `${query}&strict=1`), 400, "argument_invalid");
  }
  assert.equal((await image(world, "chart.png", "w=&h=10")).headers["octavo-ignored"], undefined);
});

allRepliesKeptTheirPromises(world);
