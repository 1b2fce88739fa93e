/** One file: read, move, copy, delete. Names and places of arguments, If-Match, tokens: dialect. Contract §5. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { isAbsolute } from "node:path";
import { describe, test } from "node:test";
import { atEnd } from "../ending.ts";
import type { Arguments, Call } from "./client.ts";
import {
  dialects,
  enterMedia,
  eventsOf,
  fetchBytes,
  file,
  fileKeys,
  files,
  folder,
  idDialect,
  isTaken,
  oneSucceeds,
  pathDialect,
  placeUrl,
  plantFile,
  plantFiles,
  png,
  readFile,
  readFolder,
  tree,
  unchangedBy,
  upload,
} from "./media.ts";
import { docx, zip } from "./small-file.ts";
import { type Any, allRepliesKeptTheirPromises, dataOf, nowSeconds, refused, sleep, tagOf } from "./world.ts";

const world = await enterMedia("file");
const { tokens, pair } = world;
const p = world.prefix;
const { root, base } = await placeUrl(world);
/** Only without a public URL do the service's URLs begin with the Host. */
const isByHost = base === new URL(world.url).origin;

const targets = (from: string, to?: string) => ({
  path: world.id(from),
  ...(to === undefined ? {} : { new_path: world.id(to) }),
});
const move = (from: string, to: string) => world.write("PUT", targets(from, to), "/api/files");
const copy = (from: string, to: string) => world.write("PUT", targets(from, to), "/api/files/copy");
const remove = (name: string) => world.write("DELETE", targets(name), "/api/files");
const makeFolder = async (name: string) => dataOf(await world.write("POST", targets(name), "/api/folders"));
const addMeta = async (name: string, field: string, value: unknown) =>
  dataOf(await world.write("POST", { ...targets(name), field, value }, "/api/files/meta"));
const get = (name: string, headers: Record<string, string> = {}) =>
  world.send({ path: "/api/files", query: { path: world.id(name), token: tokens.management }, headers });

const version = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex").slice(0, 16);

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

describe("the file object", () => {
  test("every key, in order, with its exact value, in both dialects", async () => {
    const bytes = png({ width: 7, height: 5 });
    const before = nowSeconds();
    const fields = { title: 'Ünï 😀 "x"', description: "two\nlines" };
    const uploaded = await plantFile(world, "object/pic.png", { bytes, fields });
    const { uploaded_on, ...rest } = uploaded;
    assert.ok(Number.isInteger(uploaded_on) && uploaded_on >= before - 1 && uploaded_on <= nowSeconds() + 1);
    const exif = { html: 'width="7" height="5"', Height: 5, Width: 7, IsColor: 1 };
    const facts = { type: "image/png", filesize: bytes.length, exif, version: version(bytes) };
    assert.deepEqual(rest, { ...fields, ...facts, ...placeOf("object/pic.png") });
    assert.deepEqual(Object.keys(uploaded.exif), Object.keys(exif));
    for (const dialect of dialects) {
      const one = await file(world, "object/pic.png", dialect);
      assert.deepEqual(one, uploaded);
      assert.deepEqual(Object.keys(one), fileKeys);
    }
    const delivered = await world.read(targets("object/pic.png"), tokens.delivery, "/api/files");
    assert.deepEqual(dataOf(delivered), uploaded);
  });

  test("basename ends at the last dot and extension follows it, whatever the folder's name; Unicode is composed", async () => {
    await plantFile(world, "object/dots/x.txt");
    const moved = dataOf(await move("object/dots/x.txt", "object/v1.2.d/a.b.c.txt"));
    assert.deepEqual([moved.filename, moved.basename, moved.extension], ["a.b.c.txt", "a.b.c", "txt"]);
    const composed = dataOf(await move("object/v1.2.d/a.b.c.txt", "object/cafe\u0301.txt"));
    assert.equal(composed.filename, "café.txt");
    for (const name of ["café", "cafe\u0301"]) assert.deepEqual(await file(world, `object/${name}.txt`), composed);
    assert.equal(moved.title, "x");
  });

  test("dirname is absolute and begins with that of the root, which may hold files", async () => {
    const one = await file(world, "object/pic.png");
    assert.ok(isAbsolute(one.dirname));
    assert.equal(one.dirname, (await folder(world, "object")).full_path);
    const name = `${p}.txt`;
    const inRoot = dataOf(await upload(world, { name, fields: { folder: "" } }));
    atEnd(() => world.write("DELETE", { path: name }, "/api/files"));
    assert.deepEqual([inRoot.dirname, inRoot.url], [root.full_path, `project/uploads/${name}`]);
    assert.deepEqual(dataOf(await world.read({ id: name }, undefined, "/api/media/files")), inRoot);
  });

  test("an unknown file is 404, whatever it resembles and whoever asks", async () => {
    await plantFile(world, "get/x.txt");
    for (const name of ["nothing.txt", "get/y.txt", "get/x.tx", "get/x.txt/y", "get/X.txt"]) {
      for (const more of [{}, { collection: false }] as Arguments[])
        refused(await readFile(world, name, pathDialect, more), 404, "file_not_found", /"path"/);
      refused(await world.read(targets(name), tokens.delivery, "/api/files"), 404, "file_not_found");
    }
    refused(await get("get/y.txt", { "if-none-match": "*" }), 404, "file_not_found");
  });

  test("its tag changes with every change and never repeats", async () => {
    const x = "tags/x.txt";
    const steps: [string, () => Promise<unknown>][] = [
      [x, () => plantFile(world, x, { bytes: "a" })],
      [x, () => addMeta(x, "n", "1")],
      [x, () => world.write("DELETE", { ...targets(x), field: "n" }, "/api/files/meta")],
      [x, () => plantFile(world, x, { bytes: "b" })],
      [x, () => plantFile(world, x, { bytes: "a" })],
      ["tags/y.txt", () => move(x, "tags/y.txt")],
      [x, () => move("tags/y.txt", x)],
      [x, () => remove(x).then(() => plantFile(world, x, { bytes: "a" }))],
      ["tags2/x.txt", () => world.write("PUT", targets("tags", "tags2"), "/api/folders")],
      ["tags2/z.txt", () => copy("tags2/x.txt", "tags2/z.txt")],
    ];
    const seen: string[] = [];
    for (const [name, step] of steps) {
      await step();
      seen.push(tagOf(await get(name)));
      assert.equal(tagOf(await get(name)), seen.at(-1));
    }
    assert.equal(new Set(seen).size, seen.length, seen.join(" "));
  });

  test("the tag of a compressed answer passes If-Match", async () => {
    await plantFile(world, "coded.txt");
    await addMeta("coded.txt", "long", "lorem ipsum ".repeat(500));
    for (const coding of ["br", "gzip"]) {
      const read = await get("coded.txt", { "accept-encoding": coding });
      assert.equal(read.headers["content-encoding"], coding);
      const json = { ...pair, ...targets("coded.txt"), field: coding, value: "v" };
      const headers = { "if-match": tagOf(read) };
      dataOf(await world.send({ method: "POST", path: "/api/files/meta", json, headers }));
      refused(await world.send({ method: "PATCH", path: "/api/files/meta", json, headers }), 412, "revision_mismatch");
    }
  });
});

describe("the Host", { skip: isByHost ? false : "a public base is set" }, () => {
  const ask = (call: Call, host: string, headers: Record<string, string> = {}) =>
    world.send({ ...call, headers: { authorization: `Bearer ${tokens.delivery}`, host, ...headers } });
  const own = new URL(world.url).host;
  const calls: Call[] = dialects.flatMap(({ at, files, folders }) => [
    { path: files, query: { [at]: world.id("host/x.txt") } },
    { path: files, query: { [at]: world.id("host"), collection: true } },
    { path: folders, query: { [at]: world.id("host") } },
  ]);

  test("another one gives another full_url and tag, in a private reply; an invalid one is 400", async () => {
    await plantFile(world, "host/x.txt");
    for (const call of calls) {
      const plain = await ask(call, own);
      for (const host of ["cms.example", "cms.example:8080", "[::1]:80", "10.1.2.3:65535", "a-b.c_d.example"]) {
        const reply = await ask(call, host);
        assert.equal(reply.status, 200, `${host}: ${reply.text}`);
        const url = `http://${host}/project/uploads/`.replace(/:80\//, "(:80)?/").replaceAll(/[[\].]/g, "\\$&");
        assert.match(reply.text, new RegExp(`"full_url":"${url}`));
        assert.ok(!reply.text.includes(own));
        assert.notEqual(tagOf(reply), tagOf(plain));
        for (const { headers } of [plain, reply]) assert.match(headers["cache-control"] ?? "", /private/);
      }
      for (const host of ["a b", "a/b", "user@host", "host:99999", "host:x", "<script>", 'a"b', "[::1", "a,b", "?x"])
        refused(await ask(call, host), 400, "host_invalid", /Host/);
      const forwarded = { "x-forwarded-host": "evil.example", "x-forwarded-proto": "https", "x-forwarded-port": "444" };
      const untrusted = await ask(call, own, { ...forwarded, forwarded: "host=evil.example;proto=https" });
      assert.equal(untrusted.text, plain.text, "X-Forwarded-* of an untrusted client is ignored");
    }
  });

  test("the tag of a read with any Host passes If-Match", async () => {
    await plantFile(world, "host/tag.txt");
    const call = { path: "/api/files", query: targets("host/tag.txt") };
    const json = { ...pair, ...targets("host/tag.txt", "host/y.txt") };
    const headers = { "if-match": tagOf(await ask(call, "cms.example")) };
    dataOf(await world.send({ method: "PUT", path: "/api/files", json, headers }));
  });
});

describe("PUT", () => {
  test("renaming keeps everything except the name, even the title", async () => {
    const before = await plantFile(world, "ren/old.txt", { fields: { description: "D" } });
    await addMeta("ren/old.txt", "tags", ["a", { b: null }]);
    const reply = dataOf(await move("ren/old.txt", "ren/new.txt"));
    assert.deepEqual(reply, { ...before, tags: ["a", { b: null }], ...placeOf("ren/new.txt") });
    assert.equal(reply.title, "old");
    for (const dialect of dialects) assert.deepEqual(await file(world, "ren/new.txt", dialect), reply);
    refused(await get("ren/old.txt"), 404, "file_not_found");
    assert.equal((await fetchBytes(world, "ren/new.txt")).text, "old.txt\n");
    refused(await fetchBytes(world, "ren/old.txt"), 404);
  });

  test("moving creates the target's folders and keeps the source's; a second later it keeps uploaded_on, as a copy", async () => {
    const bytes = png({ shade: 3 });
    const before = await plantFile(world, "mv/from/pic.png", { bytes });
    await sleep(1100);
    assert.equal(dataOf(await copy("mv/from/pic.png", "copied.png")).uploaded_on, before.uploaded_on);
    const reply = dataOf(await move("mv/from/pic.png", "mv/to/far/pic.png"));
    assert.deepEqual(reply, { ...before, ...placeOf("mv/to/far/pic.png") });
    assert.deepEqual((await tree(world, "mv")).folders.sort(), ["from", "to", "to/far"]);
    assert.deepEqual((await fetchBytes(world, "mv/to/far/pic.png")).bytes, bytes);
    dataOf(
      await world.write(
        "PUT",
        { id: world.id("mv/to/far/pic.png"), new_id: world.id("mv/from/pic.png") },
        idDialect.files,
      ),
    );
    assert.deepEqual(await file(world, "mv/from/pic.png"), before, "a move there and back changes only the tag");
  });

  test("a move onto itself is 200 and changes nothing", async () => {
    await plantFile(world, "same/x.txt");
    const before = await get("same/x.txt");
    for (const to of ["same/x.txt", "same/x.txt/"])
      assert.deepEqual(dataOf(await move("same/x.txt", to)), dataOf(before));
    assert.equal(tagOf(await get("same/x.txt")), tagOf(before));
  });

  test("a taken target is 409 and nothing changes", async () => {
    await plantFiles(world, ["taken/a.txt", "taken/b.txt"]);
    await makeFolder("taken/dir.txt");
    const attempt = (to: string) => unchangedBy(world, "taken", () => move("taken/a.txt", `taken/${to}`));
    refused(await attempt("b.txt"), 409, "file_exists");
    for (const to of ["dir.txt", "b.txt/a.txt", "b.txt/x/a.txt", "a.txt/b.txt"]) isTaken(await attempt(to));
  });
});

describe("PUT /copy", () => {
  test("copying answers the copy with every field; the source is unchanged, and both are independent", async () => {
    const bytes = png({ shade: 4 });
    await plantFile(world, "cp/a.png", { bytes, fields: { title: "T", description: "D" } });
    const before = await addMeta("cp/a.png", "tags", { x: [1, "2"] });
    const tag = tagOf(await get("cp/a.png"));
    const copied = dataOf(await copy("cp/a.png", "cp/far/b.png"));
    assert.deepEqual(copied, { ...before, ...placeOf("cp/far/b.png") });
    assert.deepEqual(Object.keys(copied), Object.keys(before));
    assert.deepEqual(await file(world, "cp/a.png"), before);
    assert.equal(tagOf(await get("cp/a.png")), tag);
    await addMeta("cp/a.png", "n", 1);
    await plantFile(world, "cp/a.png", { bytes: png({ shade: 5 }) });
    assert.equal((await remove("cp/a.png")).status, 204);
    assert.deepEqual(await file(world, "cp/far/b.png"), copied);
    assert.deepEqual((await fetchBytes(world, "cp/far/b.png")).bytes, bytes);
  });

  test("a copy onto a taken name gets the first free number and keeps its extension", async () => {
    await plantFile(world, "num/a.png", { bytes: png({ shade: 1 }) });
    const cover = await plantFile(world, "num/cover.jpg", { bytes: png() });
    const next = async (from: string) => dataOf(await copy(`num/${from}`, "num/cover.jpg")).filename;
    assert.equal(await next("a.png"), "cover-1.jpg");
    assert.equal(await next("a.png"), "cover-2.jpg");
    assert.equal(await next("cover.jpg"), "cover-3.jpg", "onto itself too");
    await remove("num/cover-2.jpg");
    assert.equal(await next("cover.jpg"), "cover-2.jpg");
    for (const to of ["cover.jpg/b.jpg", "cover.jpg/x/b.jpg"])
      isTaken(await unchangedBy(world, "num", () => copy("num/a.png", `num/${to}`)));
    await makeFolder("num/cover-4.jpg");
    assert.equal(dataOf(await copy("num/a.png", "num/cover-4.jpg")).filename, "cover-4-1.jpg", "onto a folder, too");
    assert.equal(await next("cover.jpg"), "cover-5.jpg", "a folder's name is taken too");
    assert.deepEqual(await file(world, "num/cover.jpg"), cover, "the existing file is unchanged");
    const copied = await file(world, "num/cover-1.jpg");
    const { full_url, basename } = placeOf("num/cover-1.jpg");
    assert.deepEqual([copied.full_url, copied.basename], [full_url, basename]);
    assert.equal(copied.version, version(png({ shade: 1 })), "with the source's bytes");
  });
});

// Which extensions match which types: src/core/bytes/media-type.test.ts.
for (const [verb, act] of Object.entries({ move, copy })) {
  const sources: Record<string, string | Uint8Array> = { "a.png": png(), "a.txt": "hello\n", "a.docx": docx() };
  const plant = async (place: string, from: string) =>
    plantFile(world, `${place}/${from}`, { bytes: sources[from] ?? zip() });

  test(`${verb}: another extension is accepted if the type matches, and the type stays true`, async () => {
    const letThrough = [
      ["a.png", "b.jpg", "image/png"],
      ["a.txt", "b.md", "text/markdown"],
      ["a.txt", "Größe b.c.txt", "text/plain"],
      ["a.docx", "b.zip", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
    ] as const;
    for (const [n, [from, to, type]] of letThrough.entries()) {
      const before = await plant(`ext-${verb}/${n}`, from);
      const after = dataOf(await act(`ext-${verb}/${n}/${from}`, `ext-${verb}/${n}/${to}`));
      const { title, exif, filesize, uploaded_on } = before;
      const kept = { title: after.title, exif: after.exif, filesize: after.filesize, uploaded_on: after.uploaded_on };
      assert.deepEqual([after.filename, after.type, kept], [to, type, { title, exif, filesize, uploaded_on }]);
    }
  });

  test(`${verb}: an extension that does not match is 415, no file is 404; nothing changes, no target is made`, async () => {
    const place = `noext-${verb}`;
    for (const from of ["a.png", "a.txt", "a.zip"]) await plant(place, from);
    await makeFolder(`${place}/dir`);
    const attempt = (from: string, to: string) =>
      unchangedBy(world, place, () => act(`${place}/${from}`, `${place}/${to}`));
    const keptOut = ["a.png b.txt", "a.png b.php", "a.png b", "a.txt b.html", "a.zip b.docx"].map((one) =>
      one.split(" "),
    );
    for (const [from = "", to = ""] of keptOut) refused(await attempt(from, to), 415, "file_type_refused");
    for (const from of ["x.txt", "dir"]) refused(await attempt(from, "to/x.txt"), 404, "file_not_found");
  });
}

describe("DELETE", () => {
  test("answers 204 without a body; repeated it is 404; what is uploaded then is a new file", async () => {
    await plantFiles(world, ["rm/x-1.txt", "rm/xy.txt"]);
    await plantFile(world, "rm/x.txt", { fields: { title: "T", description: "D" } });
    await addMeta("rm/x.txt", "n", 1);
    const reply = await remove("rm/x.txt");
    assert.deepEqual([reply.status, reply.bytes.length, reply.headers["content-type"]], [204, 0, undefined]);
    refused(await get("rm/x.txt"), 404, "file_not_found");
    refused(await fetchBytes(world, "rm/x.txt"), 404);
    refused(await remove("rm/x.txt"), 404, "file_not_found");
    assert.deepEqual(Object.keys(await files(world, "rm")).sort(), ["x-1.txt", "xy.txt"]);
    const again = await plantFile(world, "rm/x.txt");
    assert.deepEqual(Object.keys(again), fileKeys);
    assert.deepEqual([again.title, again.description], ["x", ""]);
  });

  test("a folder is not a file, and remains when its last file is deleted", async () => {
    await plantFile(world, "rmdir/x.txt");
    refused(await remove("rmdir"), 404, "file_not_found");
    assert.equal((await remove("rmdir/x.txt")).status, 204);
    assert.equal((await readFolder(world, "rmdir")).status, 200);
  });
});

test("of concurrent moves and deletes exactly one succeeds, of copies all; no file is lost", async () => {
  const many = <T>(count: number, one: (n: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, n) => one(n)));
  await plantFiles(
    world,
    Array.from({ length: 6 }, (_, n) => `duel/f${n}.txt`),
  );
  const winner = oneSucceeds(await many(6, (n) => move(`duel/f${n}.txt`, "duel/t.txt")), 409, "file_exists");
  assert.equal(Object.keys(await files(world, "duel")).length, 6);
  assert.equal((await fetchBytes(world, "duel/t.txt")).text, `f${winner}.txt\n`);
  await plantFile(world, "flock/x.txt");
  oneSucceeds(await many(8, (n) => move("flock/x.txt", `flock/t${n}.txt`)), 404, "file_not_found");
  assert.equal(Object.keys(await files(world, "flock")).length, 1);
  await plantFile(world, "race/a.txt");
  const names = (await many(10, () => copy("race/a.txt", "race/b.txt"))).map((reply) => dataOf(reply).filename);
  assert.deepEqual(names.sort(), ["b.txt", ...Array.from({ length: 9 }, (_, n) => `b-${n + 1}.txt`)].sort());
  assert.equal(Object.keys(await files(world, "race")).length, 11);
  oneSucceeds(await many(8, () => remove("race/a.txt")), 404, "file_not_found");
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

test("a file and a folder exclude each other; an entry may have the same name", async () => {
  await world.create("names/x.txt", { title: "T" });
  await plantFile(world, "names/x.txt");
  isTaken(await world.write("POST", targets("names/x.txt"), "/api/folders"));
  await remove("names/x.txt");
  await makeFolder("names/x.txt");
  assert.equal((await world.entry("names/x.txt")).title, "T");
});

allRepliesKeptTheirPromises(world);
