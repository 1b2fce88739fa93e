/** One file in both dialects: read, move, copy, delete. Contract §5. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdir, readFile as readFromDisk } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { describe, test } from "node:test";
import { atEnd } from "../ending.ts";
import type { Arguments, Call, Reply } from "./client.ts";
import {
  callersTable,
  type Dialect,
  dialects,
  docx,
  enterMedia,
  eventsOf,
  fetchBytes,
  file,
  fileKeys,
  files,
  folder,
  gif,
  hasUploadsTree,
  idDialect,
  jpeg,
  makeCallers,
  noPathRefusals,
  pairHeaders,
  pathDialect,
  pdf,
  plantFile,
  plantFiles,
  png,
  readFile,
  readFolder,
  tree,
  upload,
  urlOf,
  webp,
  zip,
} from "./media.ts";
import { type Any, allRepliesKeptTheirPromises, dataOf, nowSeconds, refused, sleep, table, tagOf } from "./world.ts";

const world = await enterMedia("file");
const { tokens, pair } = world;
const p = world.prefix;
const root = dataOf(await world.read({ path: "" }, undefined, "/api/folders"));
const base = (root.full_url as string).slice(0, -"/project/uploads".length);
/** Only without a public URL do the service's URLs begin with the Host. */
const isByHost = base === new URL(world.url).origin;

const targets = (dialect: Dialect, from: string, to?: string): Record<string, string> => ({
  [dialect.at]: world.id(from),
  ...(to === undefined ? {} : { [dialect.to]: world.id(to) }),
});
const move = (from: string, to: string, dialect = pathDialect) =>
  world.write("PUT", targets(dialect, from, to), dialect.files);
const copy = (from: string, to: string, dialect = pathDialect) =>
  world.write("PUT", targets(dialect, from, to), `${dialect.files}/copy`);
const remove = (name: string, dialect = pathDialect) => world.write("DELETE", targets(dialect, name), dialect.files);
const makeFolder = async (name: string) => dataOf(await world.write("POST", { path: world.id(name) }, "/api/folders"));
const addMeta = async (name: string, field: string, value: unknown) =>
  dataOf(await world.write("POST", { path: world.id(name), field, value }, "/api/files/meta"));

const version = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex").slice(0, 16);
const withoutPlace = ({
  filename: _,
  basename: __,
  extension: ___,
  dirname: ____,
  url: _____,
  full_url: ______,
  ...rest
}: Any) => rest;

/** The keys that depend on the path, for names of unreserved characters. */
function placeOf(name: string): Any {
  const path = world.id(name);
  const filename = path.slice(path.lastIndexOf("/") + 1);
  const dot = filename.lastIndexOf(".");
  return {
    filename,
    basename: filename.slice(0, dot),
    extension: filename.slice(dot + 1),
    dirname: `${root.full_path}/${path.slice(0, path.lastIndexOf("/"))}`,
    url: `project/uploads/${path}`,
    full_url: `${base}/project/uploads/${path}`,
  };
}

async function unchangedBy(name: string, action: () => Promise<Reply>): Promise<Reply> {
  const before = await tree(world, name);
  const reply = await action();
  assert.deepEqual(await tree(world, name), before, "nothing changed");
  return reply;
}

function isTaken(reply: Reply): void {
  const { code } = refused(reply, 409);
  assert.ok(["file_exists", "folder_exists"].includes(code), code);
}

/** The bytes of a file in a directory of the service's disk, or undefined. Waits for a tree that lags behind. */
async function onDisk(one: Any, isThere: boolean): Promise<Buffer | undefined> {
  let found: Buffer | undefined;
  for (let n = 0; n < 40; n++) {
    found = await readFromDisk(join(one.dirname, one.filename)).catch(() => undefined);
    if ((found !== undefined) === isThere) return found;
    await sleep(50);
  }
  return found;
}

/** The state that no refused call may change. */
await plantFile(world, "guard/x.txt", { fields: { title: "X", description: "D" } });
await plantFile(world, "guard/pic.png", { bytes: png() });
const guarded = await tree(world, "guard");

const callers = await makeCallers(world, "files");

for (const { at, to, files: address } of dialects) {
  const [id, elsewhere] = [world.id("guard/x.txt"), world.id("guard/uniqueAddress.txt")];
  callersTable(
    world,
    {
      title: `who may use ${address}`,
      resource: "files",
      reads: [
        { path: address, query: { [at]: id } },
        { path: address, query: { [at]: world.id("guard"), collection: true } },
      ],
      writes: [
        { method: "PUT", path: address, args: { [at]: id, [to]: elsewhere } },
        { method: "PUT", path: `${address}/copy`, args: { [at]: id, [to]: elsewhere } },
        { method: "DELETE", path: address, args: { [at]: id } },
        { method: "POST", path: `${address}/meta`, args: { [at]: id, field: "a", value: "b" } },
        { method: "PATCH", path: `${address}/meta`, args: { [at]: id, field: "title", value: "b" } },
        { method: "DELETE", path: `${address}/meta`, args: { [at]: id, field: "title" } },
      ],
      telling: "project/uploads",
      unchanged: async () => assert.deepEqual(await tree(world, "guard"), guarded),
    },
    callers,
  );
}

describe("the file object", () => {
  test("of an image: every key, in order, with its exact value", async () => {
    const bytes = png({ width: 7, height: 5 });
    const before = nowSeconds();
    const uploaded = await plantFile(world, "object/pic.png", { bytes });
    assert.deepEqual(Object.keys(uploaded), fileKeys);
    const { uploaded_on, ...rest } = uploaded;
    assert.ok(Number.isInteger(uploaded_on) && uploaded_on >= before - 1 && uploaded_on <= nowSeconds() + 1);
    assert.deepEqual(rest, {
      title: "pic",
      description: "",
      type: "image/png",
      filesize: bytes.length,
      exif: { html: 'width="7" height="5"', Height: 5, Width: 7, IsColor: 1 },
      ...placeOf("object/pic.png"),
      version: version(bytes),
    });
    assert.deepEqual(Object.keys(uploaded.exif), ["html", "Height", "Width", "IsColor"]);
    for (const dialect of dialects) {
      const reply = await readFile(world, "object/pic.png", dialect);
      assert.deepEqual(dataOf(reply), uploaded);
      assert.deepEqual(Object.keys(dataOf(reply)), fileKeys);
    }
  });

  test("of a greyscale image: IsColor is 0", async () => {
    for (const [name, bytes] of [
      ["grey.png", png({ kind: "grey", width: 3, height: 9 })],
      ["grey.jpg", jpeg({ kind: "grey" })],
    ] as const) {
      const { exif } = await plantFile(world, `object/${name}`, { bytes });
      assert.equal(exif.IsColor, 0, name);
      assert.equal(exif.html, `width="${exif.Width}" height="${exif.Height}"`);
    }
  });

  test("of other image formats: width, height and type", async () => {
    for (const [name, bytes, type] of [
      ["a.jpg", jpeg(), "image/jpeg"],
      ["a.gif", gif(), "image/gif"],
      ["a.webp", webp(), "image/webp"],
    ] as const) {
      const one = await plantFile(world, `object/${name}`, { bytes });
      assert.equal(one.type, type);
      assert.deepEqual(one.exif, { html: 'width="4" height="3"', Height: 3, Width: 4, IsColor: 1 });
    }
  });

  test("of any other file: exif is an empty object", async () => {
    for (const [name, bytes, type] of [
      ["a.txt", "hello\n", "text/plain"],
      ["a.pdf", pdf(), "application/pdf"],
      ["a.zip", zip(), "application/zip"],
    ] as const) {
      const one = await plantFile(world, `object/${name}`, { bytes });
      assert.deepEqual(one.exif, {});
      assert.equal(one.type, type);
      assert.equal(one.filesize, Buffer.byteLength(bytes));
      assert.deepEqual(Object.keys(one), fileKeys);
    }
  });

  test("has the title and the description as sent", async () => {
    const fields = { title: 'Ünï 😀 "x"', description: "two\nlines" };
    const one = await plantFile(world, "object/told.txt", { fields });
    assert.equal(one.title, fields.title);
    assert.equal(one.description, fields.description);
    assert.deepEqual(await file(world, "object/told.txt"), one);
  });

  test("version depends on the bytes only", async () => {
    const same = await plantFile(world, "object/v1.txt", { bytes: "same" });
    const again = await plantFile(world, "object/v2.txt", { bytes: "same" });
    const other = await plantFile(world, "object/v3.txt", { bytes: "other" });
    assert.equal(same.version, again.version);
    assert.notEqual(same.version, other.version);
    assert.match(same.version, /^[0-9a-f]{16}$/);
  });

  test("basename ends at the last dot and extension follows it, whatever the folder's name", async () => {
    await plantFile(world, "object/dots/x.txt");
    const moved = dataOf(await move("object/dots/x.txt", "object/v1.2.d/a.b.c.txt"));
    assert.equal(moved.filename, "a.b.c.txt");
    assert.equal(moved.basename, "a.b.c");
    assert.equal(moved.extension, "txt");
    assert.equal(moved.title, "x");
  });

  test("dirname is absolute and begins with that of the root", async () => {
    const one = await file(world, "object/pic.png");
    assert.ok(isAbsolute(one.dirname));
    assert.equal(one.dirname, (await folder(world, "object")).full_path);
  });

  test("a file in the uploads' root has the root's directory", async () => {
    const name = `${p}.txt`;
    const reply = await upload(world, { name, fields: { folder: "" } });
    atEnd(() => world.write("DELETE", { path: name }, "/api/files"));
    const one = dataOf(reply);
    assert.equal(one.dirname, root.full_path);
    assert.equal(one.url, `project/uploads/${name}`);
    assert.deepEqual(dataOf(await world.read({ id: name }, undefined, "/api/media/files")), one);
  });

  test("full_url is percent-encoded, url is not, and both serve the bytes", async () => {
    const names = [
      "Größe 1.txt",
      "日本語/写真 😀.txt",
      "a&b=c+d?e#f;g.txt",
      "100%41.txt",
      "it's (1) [x].txt",
      "a\u200db.txt",
    ];
    for (const [n, name] of names.entries()) {
      await plantFile(world, `odd/src${n}.txt`, { bytes: name });
      const moved = dataOf(await move(`odd/src${n}.txt`, `odd/${name}`));
      assert.equal(moved.url, urlOf(world, `odd/${name}`));
      assert.equal(moved.filename, name.slice(name.lastIndexOf("/") + 1));
      assert.match(moved.full_url, /^[A-Za-z0-9\-._~!$&'()*+,;=:@%/]+$/, "only valid characters of a path");
      assert.ok(!/[?#]/.test(moved.full_url));
      const pathname = moved.full_url.slice(base.length);
      assert.equal(decodeURIComponent(pathname), `/${moved.url}`);
      assert.equal((await world.send({ path: pathname })).text, name, pathname);
      assert.deepEqual(await file(world, `odd/${name}`), moved);
    }
    const spaced = await file(world, "odd/Größe 1.txt");
    assert.equal(spaced.full_url, `${base}/project/uploads/${world.id("odd/Gr%C3%B6%C3%9Fe%201.txt")}`);
  });

  test("composed and decomposed Unicode name one file, answered composed", async () => {
    await plantFile(world, "nfc/x.txt");
    const moved = dataOf(await move("nfc/x.txt", "nfc/cafe\u0301.txt"));
    assert.equal(moved.filename, "café.txt");
    for (const name of ["café", "cafe\u0301"]) assert.deepEqual(await file(world, `nfc/${name}.txt`), moved);
  });
});

describe("dirname on the disk", {
  skip: hasUploadsTree(world) ? false : "the service has no visible uploads tree",
}, () => {
  test("the directory exists and holds the bytes, after an upload, a move, a copy and a replacement", async () => {
    const bytes = png({ shade: 17 });
    const uploaded = await plantFile(world, "disk/a/pic.png", { bytes });
    assert.deepEqual(await onDisk(uploaded, true), bytes);
    const moved = dataOf(await move("disk/a/pic.png", "disk/b/Bild ü.png"));
    assert.deepEqual(await onDisk(moved, true), bytes);
    assert.equal(await onDisk(uploaded, false), undefined);
    const copied = dataOf(await copy("disk/b/Bild ü.png", "disk/c/copy.png"));
    assert.deepEqual(await onDisk(copied, true), bytes);
    const other = png({ shade: 18 });
    const replaced = dataOf(await upload(world, { folder: "disk/c", name: "copy.png", bytes: other }));
    for (let n = 0; n < 40 && !(await onDisk(replaced, true))?.equals(other); n++) await sleep(50);
    assert.deepEqual(await onDisk(replaced, true), other);
    assert.deepEqual(await onDisk(moved, true), bytes, "the file that was copied keeps its bytes");
  });

  test("a delete removes the file there, and a move of the folder moves it", async () => {
    await plantFile(world, "disk/d/x.txt");
    const y = await plantFile(world, "disk/d/sub/y.txt");
    const moved = { path: world.id("disk/d"), new_path: world.id("disk/e") };
    const { full_path } = dataOf(await world.write("PUT", moved, "/api/folders"));
    const now = await file(world, "disk/e/sub/y.txt");
    assert.equal((await onDisk(now, true))?.toString(), "y.txt\n");
    assert.equal(await onDisk(y, false), undefined);
    assert.equal((await remove("disk/e/sub/y.txt")).status, 204);
    assert.equal(await onDisk(now, false), undefined);
    assert.ok((await readdir(full_path)).includes("x.txt"));
    assert.equal((await world.write("DELETE", { path: world.id("disk/e") }, "/api/folders")).status, 204);
    assert.equal(await onDisk({ dirname: full_path, filename: "x.txt" }, false), undefined);
  });

  test("the directory of an empty folder exists, too", async () => {
    const { full_path } = await makeFolder("disk/empty");
    let found: string[] | undefined;
    for (let n = 0; n < 40 && !found; n++)
      found = await readdir(full_path).catch(() => sleep(50).then(() => undefined));
    assert.deepEqual(found, []);
  });
});

describe("the Host", { skip: isByHost ? false : "a public base is set" }, () => {
  const calls: [string, Call][] = dialects.flatMap(({ at, files: address, folders }) => [
    [`GET ${address}`, { path: address, query: { [at]: world.id("guard/x.txt") } }],
    [`GET ${address}, a collection`, { path: address, query: { [at]: world.id("guard"), collection: true } }],
    [`GET ${folders}`, { path: folders, query: { [at]: world.id("guard") } }],
  ]);
  const get = (call: Call, host: string, headers: Record<string, string> = {}) =>
    world.send({ ...call, headers: { authorization: `Bearer ${tokens.delivery}`, host, ...headers } });

  for (const [what, call] of calls) {
    test(`${what}: another Host gives another full_url and another tag, and the reply is private`, async () => {
      const plain = await world.send({ ...call, query: { ...(call.query as Arguments), token: tokens.delivery } });
      assert.ok((plain.headers["cache-control"] ?? "").includes("private"), plain.headers["cache-control"]);
      for (const host of ["cms.example", "cms.example:8080", "[::1]:80", "10.1.2.3:65535", "a-b.c_d.example"]) {
        const reply = await get(call, host);
        assert.equal(reply.status, 200, `${host}: ${reply.text}`);
        const url = `http://${host}/project/uploads/`.replace(/:80\//, "(:80)?/").replaceAll(/[[\].]/g, "\\$&");
        assert.match(reply.text, new RegExp(`"full_url":"${url}`));
        assert.ok(!reply.text.includes(new URL(world.url).host));
        assert.notEqual(tagOf(reply), tagOf(plain));
        assert.ok((reply.headers["cache-control"] ?? "").includes("private"));
      }
    });

    test(`${what}: an invalid Host is 400`, async () => {
      const odd = ["a b", "a/b", "user@host", "host:99999", "host:x", "<script>", 'a"b', "[::1", "a,b", "?x", "a\\b"];
      const taken: string[] = [];
      for (const host of odd) {
        const reply = await get(call, host);
        if (reply.status === 200) taken.push(host);
        else refused(reply, 400, "host_invalid", /Host/);
        assert.ok(reply.status === 200 || !reply.text.includes("full_url"));
      }
      assert.deepEqual(taken, []);
    });

    test(`${what}: X-Forwarded-* from an untrusted client is ignored`, async () => {
      const plain = await get(call, new URL(world.url).host);
      const headers = {
        "x-forwarded-host": "evil.example",
        "x-forwarded-proto": "https",
        "x-forwarded-port": "444",
        forwarded: "host=evil.example;proto=https",
      };
      const reply = await get(call, new URL(world.url).host, headers);
      assert.equal(reply.text, plain.text);
      assert.ok(!reply.text.includes("evil"));
    });
  }

  test("the tag of a read with any Host passes If-Match", async () => {
    await plantFile(world, "host/x.txt");
    const call = { path: "/api/files", query: { path: world.id("host/x.txt") } };
    const tag = tagOf(await get(call, "cms.example"));
    const json = { ...pair, ...targets(pathDialect, "host/x.txt", "host/y.txt") };
    const reply = await world.send({ method: "PUT", path: "/api/files", json, headers: { "if-match": tag } });
    assert.equal(reply.status, 200, reply.text);
  });
});

for (const dialect of dialects) {
  const { at, to, files: address } = dialect;
  const d = at === "path" ? "p" : "m";
  const get = (name: string, more: Arguments = {}, headers: Record<string, string> = {}) =>
    world.send({ path: address, query: { [at]: world.id(name), token: tokens.management, ...more }, headers });

  // What the store does with a path is the same in both dialects: tested in one of them.
  const storeTest = dialect === pathDialect ? test : () => undefined;
  describe(`GET ${address}, one file`, () => {
    test("an unknown file is 404", async () => {
      await plantFile(world, `${d}/get/x.txt`);
      for (const name of ["nothing.txt", `${d}/get/y.txt`, `${d}/get/x.tx`, `${d}/get/x.txt/y`, `${d}/get/X.txt`]) {
        refused(await get(name), 404, "file_not_found", new RegExp(`"${at}"`));
        refused(await get(name, { collection: false }), 404, "file_not_found");
      }
    });

    test("path and id are synonyms and refused when they differ", async () => {
      const one = await plantFile(world, `${d}/alias/x.txt`);
      for (const name of ["path", "id"]) {
        assert.deepEqual(dataOf(await world.read({ [name]: world.id(`${d}/alias/x.txt`) }, undefined, address)), one);
      }
      const both = { path: world.id(`${d}/alias/x.txt`), id: p };
      refused(await world.read(both, undefined, address), 400, "argument_conflict");
    });

    test("without an id it is 400, and the detail names the argument of this dialect", async () => {
      refused(await world.read({}, undefined, address), 400, "argument_missing", new RegExp(`"${at}"`));
      refused(
        await world.read({ collection: true }, undefined, address),
        400,
        "argument_missing",
        new RegExp(`"${at}"`),
      );
      for (const value of [[p], { a: p }]) refused(await world.read({ [at]: value }, undefined, address), 400);
    });

    test("a delivery token reads the same object", async () => {
      const one = await plantFile(world, `${d}/delivered.txt`);
      const query = { [at]: world.id(`${d}/delivered.txt`) };
      assert.deepEqual(dataOf(await world.read(query, tokens.delivery, address)), one);
      refused(await world.read({ [at]: "nothing.txt" }, tokens.delivery, address), 404, "file_not_found");
    });

    test("HEAD answers the status and headers, and no body", async () => {
      const query = { [at]: world.id("guard/x.txt"), token: tokens.management };
      const [got, head] = [
        await world.send({ path: address, query }),
        await world.send({ method: "HEAD", path: address, query }),
      ];
      assert.equal(head.status, 200);
      assert.equal(head.bytes.length, 0);
      for (const name of ["content-type", "etag", "cache-control"]) assert.equal(head.headers[name], got.headers[name]);
    });

    test("304 only for its tag", async () => {
      const tag = tagOf(await get("guard/x.txt"));
      assert.equal(tagOf(await get("guard/x.txt")), tag);
      for (const value of [tag, `"x", W/${tag}`, "*"]) {
        const reply = await get("guard/x.txt", {}, { "if-none-match": value });
        assert.equal(reply.status, 304, value);
        assert.equal(reply.bytes.length, 0);
        assert.equal(reply.headers.etag, tag);
      }
      assert.equal((await get("guard/x.txt", {}, { "if-none-match": '"x"' })).status, 200);
      assert.equal((await get("guard/pic.png", {}, { "if-none-match": tag })).status, 200);
      refused(await get("nothing.txt", {}, { "if-none-match": "*" }), 404, "file_not_found");
    });

    storeTest("its tag changes with every change and never repeats", async () => {
      const tags: string[] = [];
      const note = async (name: string) => tags.push(tagOf(await get(name)));
      const x = `${d}/tags/x.txt`;
      await plantFile(world, x, { bytes: "a" });
      await note(x);
      await addMeta(x, "n", "1");
      await note(x);
      await world.write("DELETE", { [at]: world.id(x), field: "n" }, `${address}/meta`);
      await note(x);
      await plantFile(world, x, { bytes: "b" });
      await note(x);
      await plantFile(world, x, { bytes: "a" });
      await note(x);
      await move(x, `${d}/tags/y.txt`, dialect);
      await note(`${d}/tags/y.txt`);
      await move(`${d}/tags/y.txt`, x, dialect);
      await note(x);
      await remove(x, dialect);
      await plantFile(world, x, { bytes: "a" });
      await note(x);
      await world.write("PUT", { path: world.id(`${d}/tags`), new_path: world.id(`${d}/tags2`) }, "/api/folders");
      await note(`${d}/tags2/x.txt`);
      await copy(`${d}/tags2/x.txt`, `${d}/tags2/z.txt`, dialect);
      await note(`${d}/tags2/z.txt`);
      assert.equal(new Set(tags).size, tags.length, tags.join(" "));
    });
  });

  describe(`PUT ${address}`, () => {
    test("renaming keeps everything except the name, even the title", async () => {
      const before = await plantFile(world, `${d}/ren/old.txt`, { fields: { description: "D" } });
      await addMeta(`${d}/ren/old.txt`, "tags", ["a", { b: null }]);
      const reply = dataOf(await move(`${d}/ren/old.txt`, `${d}/ren/new.txt`, dialect));
      assert.deepEqual(reply, { ...before, tags: ["a", { b: null }], ...placeOf(`${d}/ren/new.txt`) });
      assert.equal(reply.title, "old");
      assert.deepEqual(await file(world, `${d}/ren/new.txt`, dialect), reply);
      refused(await get(`${d}/ren/old.txt`), 404, "file_not_found");
      assert.equal((await fetchBytes(world, `${d}/ren/new.txt`)).text, "old.txt\n");
      refused(await fetchBytes(world, `${d}/ren/old.txt`), 404);
    });

    storeTest("moving creates the target's folders and keeps the source's", async () => {
      const bytes = png({ shade: 3 });
      const before = await plantFile(world, `${d}/mv/from/pic.png`, { bytes });
      const reply = dataOf(await move(`${d}/mv/from/pic.png`, `${d}/mv/to/far/pic.png`, dialect));
      assert.deepEqual(reply, { ...before, ...placeOf(`${d}/mv/to/far/pic.png`) });
      assert.deepEqual((await tree(world, `${d}/mv`)).folders.sort(), ["from", "to", "to/far"]);
      assert.deepEqual((await fetchBytes(world, `${d}/mv/to/far/pic.png`)).bytes, bytes);
    });

    test("a move in one dialect is visible in the other", async () => {
      await plantFile(world, `${d}/see/x.txt`);
      const reply = dataOf(await move(`${d}/see/x.txt`, `${d}/see/y.txt`, dialect));
      const other = dialect === pathDialect ? idDialect : pathDialect;
      assert.deepEqual(await file(world, `${d}/see/y.txt`, other), reply);
    });

    test("a move onto itself is 200 and changes nothing", async () => {
      await plantFile(world, `${d}/same/x.txt`);
      const before = await get(`${d}/same/x.txt`);
      const reply = await move(`${d}/same/x.txt`, `${d}/same/x.txt`, dialect);
      assert.deepEqual(dataOf(reply), dataOf(before));
      assert.equal(tagOf(await get(`${d}/same/x.txt`)), tagOf(before));
      assert.equal(
        (await move(`${d}/same/x.txt`, `${d}/same/x.txt/`, dialect)).status,
        200,
        "outer slashes are trimmed",
      );
    });

    test("a taken target is 409 and nothing changes", async () => {
      await plantFiles(world, [`${d}/taken/a.txt`, `${d}/taken/b.txt`]);
      await makeFolder(`${d}/taken/dir.txt`);
      const attempt = (target: string) =>
        unchangedBy(`${d}/taken`, () => move(`${d}/taken/a.txt`, `${d}/taken/${target}`, dialect));
      refused(await attempt("b.txt"), 409, "file_exists");
      isTaken(await attempt("dir.txt"));
      isTaken(await attempt("b.txt/a.txt"));
      isTaken(await attempt("b.txt/x/a.txt"));
      isTaken(await attempt("a.txt/b.txt"));
    });

    test("a missing source or a folder is 404, and no target is created", async () => {
      await makeFolder(`${d}/none/dir`);
      refused(await move(`${d}/none/x.txt`, `${d}/none/to/x.txt`, dialect), 404, "file_not_found");
      refused(await move(`${d}/none/dir`, `${d}/none/to/x.txt`, dialect), 404, "file_not_found");
      assert.deepEqual((await tree(world, `${d}/none`)).folders, ["dir"]);
    });

    storeTest("of concurrent moves to one target exactly one succeeds, and no file is lost", async () => {
      const names = Array.from({ length: 6 }, (_, n) => `f${n}.txt`);
      await plantFiles(
        world,
        names.map((name) => `${d}/duel/${name}`),
      );
      const replies = await Promise.all(names.map((name) => move(`${d}/duel/${name}`, `${d}/duel/t.txt`, dialect)));
      assert.equal(replies.filter(({ status }) => status === 200).length, 1);
      for (const reply of replies.filter(({ status }) => status !== 200)) refused(reply, 409, "file_exists");
      const left = Object.keys(await files(world, `${d}/duel`));
      assert.equal(left.length, 6);
      const winner = names[replies.findIndex(({ status }) => status === 200)];
      assert.equal((await fetchBytes(world, `${d}/duel/t.txt`)).text, `${winner}\n`);
    });

    storeTest("of concurrent moves of one file to different targets exactly one succeeds", async () => {
      await plantFile(world, `${d}/flock/x.txt`);
      const replies = await Promise.all(
        Array.from({ length: 8 }, (_, n) => move(`${d}/flock/x.txt`, `${d}/flock/t${n}.txt`, dialect)),
      );
      assert.equal(replies.filter(({ status }) => status === 200).length, 1);
      for (const reply of replies.filter(({ status }) => status !== 200)) refused(reply, 404, "file_not_found");
      assert.equal(Object.keys(await files(world, `${d}/flock`)).length, 1);
    });
  });

  describe(`PUT ${address}/copy`, () => {
    test("copying answers the copy with every field; the source is unchanged", async () => {
      const bytes = png({ shade: 4 });
      await plantFile(world, `${d}/cp/a.png`, { bytes, fields: { title: "T", description: "D" } });
      const before = await addMeta(`${d}/cp/a.png`, "tags", { x: [1, "2"] });
      const tag = tagOf(await get(`${d}/cp/a.png`));
      const reply = dataOf(await copy(`${d}/cp/a.png`, `${d}/cp/far/b.png`, dialect));
      assert.deepEqual(reply, { ...before, ...placeOf(`${d}/cp/far/b.png`) });
      assert.deepEqual(Object.keys(reply), Object.keys(before));
      assert.deepEqual(await file(world, `${d}/cp/far/b.png`), reply);
      assert.deepEqual(await file(world, `${d}/cp/a.png`), before);
      assert.equal(tagOf(await get(`${d}/cp/a.png`)), tag);
      assert.deepEqual((await fetchBytes(world, `${d}/cp/far/b.png`)).bytes, bytes);
    });

    storeTest("a copy and its source are independent", async () => {
      await plantFile(world, `${d}/apart/a.txt`, { bytes: "one" });
      const copied = dataOf(await copy(`${d}/apart/a.txt`, `${d}/apart/b.txt`, dialect));
      await addMeta(`${d}/apart/a.txt`, "n", 1);
      await plantFile(world, `${d}/apart/a.txt`, { bytes: "two" });
      assert.deepEqual(await file(world, `${d}/apart/b.txt`), copied);
      assert.equal((await remove(`${d}/apart/a.txt`)).status, 204);
      assert.deepEqual(await file(world, `${d}/apart/b.txt`), copied);
      assert.equal((await fetchBytes(world, `${d}/apart/b.txt`)).text, "one");
    });

    test("a copy onto a taken name gets the first free number and keeps its extension", async () => {
      await plantFile(world, `${d}/num/a.png`, { bytes: png({ shade: 1 }) });
      await plantFile(world, `${d}/num/cover.jpg`, { bytes: jpeg() });
      const cover = await file(world, `${d}/num/cover.jpg`);
      const next = async (from: string) =>
        dataOf(await copy(`${d}/num/${from}`, `${d}/num/cover.jpg`, dialect)).filename;
      assert.equal(await next("a.png"), "cover-1.jpg");
      assert.equal(await next("a.png"), "cover-2.jpg");
      assert.equal(await next("cover.jpg"), "cover-3.jpg", "onto itself too");
      await remove(`${d}/num/cover-2.jpg`);
      assert.equal(await next("cover.jpg"), "cover-2.jpg");
      await makeFolder(`${d}/num/cover-4.jpg`);
      assert.equal(await next("cover.jpg"), "cover-5.jpg", "a folder's name is taken too");
      assert.deepEqual(await file(world, `${d}/num/cover.jpg`), cover, "the existing file is unchanged");
      const copied = await file(world, `${d}/num/cover-1.jpg`);
      assert.equal(copied.full_url, `${base}/${urlOf(world, `${d}/num/cover-1.jpg`)}`);
      assert.equal(copied.basename, "cover-1");
      assert.equal(copied.version, version(png({ shade: 1 })), "with the source's bytes");
    });

    storeTest("a copy onto a folder gets a number, too; below a file it is refused and nothing changes", async () => {
      await plantFile(world, `${d}/cpclash/a.txt`);
      await makeFolder(`${d}/cpclash/dir.txt/sub`);
      const attempt = (target: string) => copy(`${d}/cpclash/a.txt`, `${d}/cpclash/${target}`, dialect);
      isTaken(await unchangedBy(`${d}/cpclash`, () => attempt("a.txt/b.txt")));
      isTaken(await unchangedBy(`${d}/cpclash`, () => attempt("a.txt/x/b.txt")));
      assert.equal(dataOf(await attempt("dir.txt")).filename, "dir-1.txt");
      const { files, folders } = await tree(world, `${d}/cpclash`);
      assert.deepEqual(
        [Object.keys(files), folders],
        [
          ["a.txt", "dir-1.txt"],
          ["dir.txt", "dir.txt/sub"],
        ],
      );
    });

    test("a missing source or a folder is 404, and no target is created", async () => {
      await makeFolder(`${d}/cpnone/dir`);
      refused(await copy(`${d}/cpnone/x.txt`, `${d}/cpnone/to/x.txt`, dialect), 404, "file_not_found");
      refused(await copy(`${d}/cpnone/dir`, `${d}/cpnone/to/x.txt`, dialect), 404, "file_not_found");
      assert.deepEqual((await tree(world, `${d}/cpnone`)).folders, ["dir"]);
    });

    storeTest("concurrent copies onto one name all succeed under different names", async () => {
      await plantFile(world, `${d}/cprace/a.txt`);
      const replies = await Promise.all(
        Array.from({ length: 10 }, () => copy(`${d}/cprace/a.txt`, `${d}/cprace/b.txt`, dialect)),
      );
      const names = replies.map((reply) => dataOf(reply).filename).sort();
      assert.deepEqual(names, ["b.txt", ...Array.from({ length: 9 }, (_, n) => `b-${n + 1}.txt`)].sort());
      assert.deepEqual(Object.keys(await files(world, `${d}/cprace`)).sort(), ["a.txt", ...names].sort());
    });
  });

  describe(`PUT ${address} and its copy: extensions`, () => {
    const sources: Record<string, string | Uint8Array> = { "a.png": png(), "a.txt": "hello\n", "a.zip": zip() };
    // Which extensions match which types: test/domain/media-type.
    const letThrough: [string, string, string][] = [
      ["a.png", "b.jpg", "image/png"],
      ["a.txt", "b.md", "text/markdown"],
      ["a.txt", "Größe 1.txt", "text/plain"],
      ["a.txt", "b.c.txt", "text/plain"],
    ];
    const keptOut: [string, string][] = [
      ...["b.txt", "b.php", "b", "b.", "b.png.exe"].map((to): [string, string] => ["a.png", to]),
      ...["b.html", ".htaccess"].map((to): [string, string] => ["a.txt", to]),
      ["a.zip", "b.docx"],
    ];

    for (const [verb, act] of [
      ["move", move],
      ["copy", copy],
    ] as const) {
      test(`${verb}: another extension is accepted if the type matches, and the type stays true`, async () => {
        for (const [n, [from, target, type]] of letThrough.entries()) {
          const source = `${d}/ext-${verb}/${n}/${from}`;
          const before = await plantFile(world, source, { bytes: sources[from] });
          const after = dataOf(await act(source, `${d}/ext-${verb}/${n}/${target}`, dialect));
          assert.equal(after.filename, target);
          assert.equal(after.type, type, `${from} as ${target}`);
          assert.deepEqual(withoutPlace({ ...after, type: "" }), withoutPlace({ ...before, type: "" }));
        }
        const source = `${d}/ext-${verb}/office/a.docx`;
        await plantFile(world, source, { bytes: docx() });
        assert.equal(dataOf(await act(source, `${d}/ext-${verb}/office/b.zip`, dialect)).extension, "zip");
      });

      test(`${verb}: an extension that is not accepted or does not match is 415, and nothing changes`, async () => {
        const place = `${d}/noext-${verb}`;
        for (const [name, bytes] of Object.entries(sources)) await plantFile(world, `${place}/${name}`, { bytes });
        const before = await tree(world, place);
        for (const [from, target] of keptOut) {
          const reply = await act(`${place}/${from}`, `${place}/${target}`, dialect);
          assert.equal(reply.status, 415, `${from} to ${target}: ${reply.text}`);
          refused(reply, 415, "file_type_refused");
        }
        assert.deepEqual(await tree(world, place), before);
      });
    }
  });

  describe(`DELETE ${address}`, () => {
    test("deleting answers 204 without a body; repeated it is 404", async () => {
      await plantFiles(world, [`${d}/rm/x.txt`, `${d}/rm/x-1.txt`, `${d}/rm/xy.txt`]);
      const reply = await remove(`${d}/rm/x.txt`, dialect);
      assert.equal(reply.status, 204);
      assert.equal(reply.bytes.length, 0);
      assert.equal(reply.headers["content-type"], undefined);
      refused(await get(`${d}/rm/x.txt`), 404, "file_not_found");
      refused(await fetchBytes(world, `${d}/rm/x.txt`), 404);
      refused(await remove(`${d}/rm/x.txt`, dialect), 404, "file_not_found");
      assert.deepEqual(Object.keys(await files(world, `${d}/rm`)).sort(), ["x-1.txt", "xy.txt"]);
    });

    storeTest("a folder is not a file, and remains when its last file is deleted", async () => {
      await plantFile(world, `${d}/rmdir/x.txt`);
      refused(await remove(`${d}/rmdir`, dialect), 404, "file_not_found");
      assert.equal((await remove(`${d}/rmdir/x.txt`, dialect)).status, 204);
      assert.equal((await readFolder(world, `${d}/rmdir`)).status, 200);
    });

    storeTest("a file uploaded after a delete is a new one", async () => {
      await plantFile(world, `${d}/anew/x.txt`, { fields: { title: "T", description: "D" } });
      await addMeta(`${d}/anew/x.txt`, "n", 1);
      await remove(`${d}/anew/x.txt`, dialect);
      const again = await plantFile(world, `${d}/anew/x.txt`);
      assert.deepEqual(Object.keys(again), fileKeys);
      assert.deepEqual([again.title, again.description], ["x", ""]);
    });

    storeTest("a copy of a deleted file keeps its bytes", async () => {
      await plantFile(world, `${d}/rmcopy/x.txt`, { bytes: "kept" });
      dataOf(await copy(`${d}/rmcopy/x.txt`, `${d}/rmcopy/y.txt`, dialect));
      await remove(`${d}/rmcopy/x.txt`, dialect);
      assert.equal((await fetchBytes(world, `${d}/rmcopy/y.txt`)).text, "kept");
    });

    storeTest("of many concurrent deletes of one file, exactly one succeeds", async () => {
      await plantFile(world, `${d}/rmrace/x.txt`);
      const replies = await Promise.all(Array.from({ length: 8 }, () => remove(`${d}/rmrace/x.txt`, dialect)));
      assert.equal(replies.filter(({ status }) => status === 204).length, 1);
      assert.equal(replies.filter(({ status }) => status === 404).length, 7);
    });
  });

  const moving = (name: string) => targets(dialect, name, name.replace(".txt", "-n.txt"));
  const conditional: [string, (name: string) => Call, number][] = [
    ["move", (name) => ({ method: "PUT", path: address, json: { ...pair, ...moving(name) } }), 200],
    ["copy", (name) => ({ method: "PUT", path: `${address}/copy`, json: { ...pair, ...moving(name) } }), 200],
    ["delete", (name) => ({ method: "DELETE", path: address, json: { ...pair, ...targets(dialect, name) } }), 204],
    ...(["POST", "PATCH", "DELETE"] as const).map((method): [string, (name: string) => Call, number] => [
      `${method} meta`,
      (name) => ({
        method,
        path: `${address}/meta`,
        json: { ...pair, ...targets(dialect, name), field: method === "POST" ? "new" : "old", value: "v" },
      }),
      200,
    ]),
  ];
  for (const [what, call, status] of conditional) {
    test(`${address}: If-Match on ${what}: the current tag passes, another is 412 and changes nothing`, async () => {
      const place = `${d}/ifm-${what.replace(" ", "-").toLowerCase()}`;
      const write = (name: string, tag: string) =>
        world.send({ ...call(`${place}/${name}`), headers: { "if-match": tag } });
      await plantFiles(
        world,
        ["a.txt", "b.txt", "c.txt", "o.txt"].map((name) => `${place}/${name}`),
      );
      const stale = tagOf(await get(`${place}/a.txt`));
      for (const name of ["a.txt", "b.txt", "c.txt"]) await addMeta(`${place}/${name}`, "old", "o");
      const other = tagOf(await get(`${place}/o.txt`));
      for (const tag of [stale, '"x"', other, `"x", W/${other}`]) {
        refused(await unchangedBy(place, () => write("a.txt", tag)), 412, "revision_mismatch");
      }
      const tag = tagOf(await get(`${place}/a.txt`));
      assert.equal((await write("a.txt", `"x", W/${tag}`)).status, status);
      assert.equal((await write("b.txt", "*")).status, status);
      const delivered = await world.read({ [at]: world.id(`${place}/c.txt`) }, tokens.delivery, address);
      assert.equal((await write("c.txt", tagOf(delivered))).status, status, "the tag from a delivery token");
      refused(await write("nothing.txt", "*"), 404, "file_not_found");
      refused(await write("nothing.txt", '"x"'), 404, "file_not_found");
    });
  }

  describe(`${address}: places of the arguments`, () => {
    test("PUT, copy and DELETE accept them in the query, with the tokens; the body takes precedence", async () => {
      await plantFiles(world, [`${d}/q/a.txt`, `${d}/q/z.txt`]);
      const moved = { ...pair, ...targets(dialect, `${d}/q/a.txt`, `${d}/q/b.txt`) };
      assert.equal(dataOf(await world.send({ method: "PUT", path: address, query: moved })).filename, "b.txt");
      const copied = targets(dialect, `${d}/q/b.txt`, `${d}/q/c.txt`);
      const headers = pairHeaders(world);
      const put = { method: "PUT", path: `${address}/copy`, query: copied, headers };
      assert.equal(dataOf(await world.send(put)).filename, "c.txt");
      const query = { ...pair, ...targets(dialect, `${d}/q/b.txt`) };
      assert.equal((await world.send({ method: "DELETE", path: address, query })).status, 204);
      const json = { ...pair, ...targets(dialect, `${d}/q/c.txt`) };
      const wins = { method: "DELETE", path: address, query: targets(dialect, `${d}/q/z.txt`), json };
      assert.equal((await world.send(wins)).status, 204);
      assert.deepEqual(Object.keys(await files(world, `${d}/q`)), ["z.txt"]);
    });

    test("the other dialect's names work, and different values are refused", async () => {
      await plantFile(world, `${d}/names/a.txt`);
      const id = (name: string) => world.id(`${d}/names/${name}.txt`);
      const [otherAt, otherTo] = at === "path" ? ["id", "new_id"] : ["path", "new_path"];
      const put = (args: Record<string, string>, path = address) => world.write("PUT", args, path);
      assert.equal(dataOf(await put({ [otherAt]: id("a"), [to]: id("b") })).filename, "b.txt");
      assert.equal(dataOf(await put({ [at]: id("b"), [otherTo]: id("c") }, `${address}/copy`)).filename, "c.txt");
      for (const path of [address, `${address}/copy`]) {
        const conflict = { path: id("b"), new_path: id("x"), new_id: id("y") };
        refused(await put(conflict, path), 400, "argument_conflict", /new_/);
        refused(await put({ path: id("b"), id: id("c"), [to]: id("x") }, path), 400, "argument_conflict");
      }
      refused(await world.write("DELETE", { path: id("b"), id: id("c") }, address), 400, "argument_conflict");
      assert.equal((await world.write("DELETE", { [otherAt]: id("b") }, address)).status, 204);
      assert.deepEqual(Object.keys(await files(world, `${d}/names`)), ["c.txt"]);
    });

    test("forms and X-Http-Method-Override work", async () => {
      await plantFile(world, `${d}/form/a.txt`);
      const form = { ...pair, ...targets(dialect, `${d}/form/a.txt`, `${d}/form/b.txt`) };
      assert.equal(dataOf(await world.send({ method: "PUT", path: address, form })).filename, "b.txt");
      const multipart = { ...pair, ...targets(dialect, `${d}/form/b.txt`, `${d}/form/c.txt`) };
      assert.equal(dataOf(await world.send({ method: "PUT", path: address, multipart })).filename, "c.txt");
      const headers = { "x-http-method-override": "DELETE" };
      const json = { ...pair, ...targets(dialect, `${d}/form/c.txt`) };
      assert.equal((await world.send({ method: "POST", path: address, json, headers })).status, 204);
    });
  });

  const write = (method: string, path: string, args: Record<string, unknown>): Call => ({
    method,
    path,
    json: { ...pair, ...args },
  });
  const untouched = async () => {
    assert.deepEqual(await tree(world, "guard"), guarded);
    refused(await readFile(world, "r.txt"), 404);
  };
  const guard = world.id("guard/x.txt");
  const result = world.id("r.txt");
  const writePlaces: [string, (id: unknown) => Call][] = [
    [`${at} of PUT`, (id) => write("PUT", address, { [at]: id, [to]: result })],
    [`${to} of PUT`, (id) => write("PUT", address, { [at]: guard, [to]: id })],
    [`${at} of PUT copy`, (id) => write("PUT", `${address}/copy`, { [at]: id, [to]: result })],
    [`${to} of PUT copy`, (id) => write("PUT", `${address}/copy`, { [at]: guard, [to]: id })],
    [`${at} of DELETE`, (id) => write("DELETE", address, { [at]: id })],
  ];
  table(`${address} refuses`, world, [
    ...writePlaces.flatMap(([place, call]) => noPathRefusals(place, call, guard, untouched)),
    {
      name: "a body of another media type",
      call: { method: "PUT", path: address, body: "x", type: "a/b" },
      status: 415,
    },
    { name: "JSON that ends early", call: { method: "PUT", path: address, json: '{"a":' }, status: 400 },
  ]);

  const places: [string, (id: string) => Call][] = [
    [`${at} of GET`, (id) => ({ path: address, query: { [at]: id, token: tokens.management } })],
    ...writePlaces,
  ];
  const wrong = [
    ...["..", ".", `../${p}/x.txt`, `${p}/../x.txt`, `${p}/guard/../../../etc/passwd`, `${p}/./x.txt`, `${p}//x.txt`],
    ...[`${p}\\x.txt`, `${p}/a\nb.txt`, `${p}/a\x7fb.txt`, `${p}/%2e%2e/x.txt`, `${p}/..%2f..%2fx.txt`],
    ...[`${p}/${"s".repeat(252)}.txt`, `${p}/${"é".repeat(126)}.txt`],
    ...[[p, ...Array.from({ length: 31 }, () => "s"), "x.txt"].join("/"), `${p}${`/${"s".repeat(210)}`.repeat(5)}.txt`],
  ];
  for (const [n, [place, call]] of places.entries()) {
    test(`${address}: a path that breaks a rule is refused as ${place}`, async () => {
      // All rules in one place, in the others that the rules apply.
      for (const path of n === 0 ? wrong : wrong.slice(0, 3)) {
        const problem = refused(await world.send(call(path)), 400, "path_invalid");
        assert.ok(problem.detail.includes(`"${place.split(" ")[0]}"`), `${problem.detail} names ${place}`);
      }
      refused(await world.send(call(`${p}/a\0b.txt`)), 400);
      await untouched();
    });
  }

  for (const [path, known] of Object.entries({
    [address]: ["DELETE", "GET", "POST", "PUT"],
    [`${address}/copy`]: ["PUT"],
    [`${address}/meta`]: ["DELETE", "PATCH", "POST"],
  })) {
    test(`${path}: a method it does not know is 405, and Allow names those it does`, async () => {
      for (const method of ["GET", "POST", "PATCH", "PUT", "DELETE"].filter((name) => !known.includes(name))) {
        const reply = await world.send({ method, path });
        refused(reply, 405, "method_not_allowed");
        const allow = (reply.headers.allow ?? "").split(/\s*,\s*/).filter((m) => m !== "HEAD" && m !== "OPTIONS");
        assert.deepEqual(allow.sort(), known);
      }
    });
  }
}

test("a name too long for a number is shortened, or the copy is refused", async () => {
  const name = `long/${"l".repeat(251)}.txt`;
  await plantFile(world, "long/x.txt");
  assert.equal(dataOf(await copy("long/x.txt", name)).url, urlOf(world, name));
  const reply = await copy("long/x.txt", name);
  if (reply.status === 400) return refused(reply, 400, "path_invalid");
  const { filename } = dataOf(reply);
  assert.ok(Buffer.byteLength(filename) <= 255 && filename.endsWith("-1.txt"), filename);
});

test("the tag of a compressed answer passes If-Match", async () => {
  await plantFile(world, "coded.txt");
  await addMeta("coded.txt", "long", "lorem ipsum ".repeat(500));
  for (const coding of ["br", "gzip"]) {
    const query = { path: world.id("coded.txt"), token: tokens.management };
    const read = await world.send({ path: "/api/files", query, headers: { "accept-encoding": coding } });
    assert.equal(read.headers["content-encoding"], coding);
    const json = { ...pair, path: world.id("coded.txt"), field: coding, value: "v" };
    const headers = { "if-match": tagOf(read) };
    dataOf(await world.send({ method: "POST", path: "/api/files/meta", json, headers }));
    refused(await world.send({ method: "PATCH", path: "/api/files/meta", json, headers }), 412, "revision_mismatch");
  }
});

test("a call counts once, whatever the result, and a limit is exact", async () => {
  const { id, token } = await world.token({ kind: "delivery", resources: ["files"], limit_calls: 3 });
  const read = (path: string) => world.read({ path }, token, "/api/files");
  dataOf(await read(world.id("guard/x.txt")));
  refused(await read("nothing.txt"), 404);
  refused(await read(".."), 400);
  refused(await read(world.id("guard/x.txt")), 429, "call_limit_reached");
  assert.equal((await world.row(id)).calls, 3);
});

test("each write is one event, with the file's path and the target's", async () => {
  const seen = await eventsOf(world, "told", async () => {
    await plantFile(world, "told/x.txt");
    await addMeta("told/x.txt", "f", "v");
    await copy("told/x.txt", "told/x.txt");
    await move("told/x.txt", "told/y.txt");
    await remove("told/y.txt");
  });
  const [x, y, copied] = ["told/x.txt", "told/y.txt", "told/x-1.txt"].map((name) => world.id(name));
  assert.deepEqual(seen, [
    ["file.upload", x, null, 1],
    ["file.update", x, null, 1],
    ["file.copy", x, copied, 1],
    ["file.move", x, y, 1],
    ["file.delete", y, null, 1],
  ]);
});

test("a move and a copy a second later keep uploaded_on", async () => {
  const { uploaded_on } = await plantFile(world, "later/a.txt");
  await sleep(1100);
  assert.equal(dataOf(await copy("later/a.txt", "later/b.txt")).uploaded_on, uploaded_on);
  assert.equal(dataOf(await move("later/a.txt", "later/c.txt")).uploaded_on, uploaded_on);
  assert.ok((await plantFile(world, "later/c.txt")).uploaded_on > uploaded_on, "a replacement is a new upload");
});

test("a move there and back changes only the tag", async () => {
  const before = await plantFile(world, "back/x.txt");
  for (let n = 0; n < 3; n++) {
    dataOf(await move("back/x.txt", "back/far/y.txt"));
    dataOf(await move("back/far/y.txt", "back/x.txt", idDialect));
  }
  assert.deepEqual(await file(world, "back/x.txt"), before);
});

test("a file and a folder exclude each other; an entry may have the same name", async () => {
  await world.create("names/x.txt", { title: "T" });
  await plantFile(world, "names/x.txt");
  isTaken(await world.write("POST", { path: world.id("names/x.txt") }, "/api/folders"));
  await remove("names/x.txt");
  await makeFolder("names/x.txt");
  assert.equal((await world.entry("names/x.txt")).title, "T");
});

allRepliesKeptTheirPromises(world);
