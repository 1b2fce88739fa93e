/** Uploads as the store keeps them: taken names, races, counted calls, broken connections. Contract §1, §2, §5. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { meanwhile } from "../ending.ts";
import {
  dialects,
  enterMedia,
  fetchBytes,
  file,
  fileKeys,
  files,
  hasUploadsTree,
  pairHeaders,
  plantFile,
  png,
  readFile,
  type Upload,
  upload,
  urlOf,
} from "./media.ts";
import { gif, jpeg } from "./small-file.ts";
import { field, fileStart, handOf, MiB, unknown, unknownAccess } from "./upload-by-hand.ts";
import { Wire } from "./wire.ts";
import { allRepliesKeptTheirPromises, dataOf, refused, sleep, tagOf } from "./world.ts";

const world = await enterMedia("file-upload");
const { pair } = world;
const { fresh, nothingAt, served, fieldsOf, headOf } = handOf(world);

describe("an upload", () => {
  for (const dialect of dialects) {
    const { files: path } = dialect;
    test(`to ${path} answers the complete file object, as a later read does`, async () => {
      const name = `${fresh()}/cover.png`;
      const fields = { title: " A título & <b>\r\n😀 ", description: "Of «7 × 5» pixels" };
      const bytes = png({ width: 7, height: 5 });
      const reply = await upload(world, { path, folder: name.slice(0, -10), name: "cover.png", bytes, fields });
      const data = dataOf(reply);
      assert.deepEqual(Object.keys(data), fileKeys);
      assert.equal(
        decodeURIComponent(String(reply.headers["octavo-file"])),
        world.id(name),
        "what other calls take, beside it",
      );
      assert.deepEqual([data.title, data.description], [fields.title, fields.description]);
      for (const other of dialects) assert.deepEqual(await file(world, name, other), data);
      if (reply.headers.etag) assert.equal(reply.headers.etag, tagOf(await readFile(world, name, dialect)));
      assert.equal(reply.headers["cache-control"]?.includes("public"), false);
    });
  }

  test("stores the bytes as they were sent", async () => {
    const folder = fresh();
    const noise = Buffer.from(Array.from({ length: 70_000 }, (_, n) => (n * n * 31 + (n >> 3)) & 255));
    const bytes = Buffer.concat([gif(), noise, Buffer.from("\r\n--\r\n----octavo-media-51c\r\n\r\n")]);
    const data = dataOf(await upload(world, { folder, name: "noise.gif", bytes }));
    assert.ok((await world.send({ path: `/${data.url}` })).bytes.equals(bytes));
    if (!hasUploadsTree(world)) return;
    const onDisk = `${data.dirname}/${data.filename}`;
    assert.ok(readFileSync(onDisk).equals(bytes), "also in the directory of dirname, before the reply");
    await plantFile(world, `${folder}/noise.gif`, { bytes: gif() });
    assert.ok(readFileSync(onDisk).equals(gif()), "replaced there, too");
    const moved = { path: world.id(`${folder}/noise.gif`), new_path: world.id(`${folder}/Größe.gif`) };
    const { dirname, filename } = dataOf(await world.write("PUT", moved, "/api/files"));
    assert.ok(readFileSync(`${dirname}/${filename}`).equals(gif()), "moved there, too");
    assert.ok(!existsSync(onDisk), "and gone from where it was");
  });

  test("goes into a folder by its full path in any accepted form, created when missing, or into the root", async () => {
    const id = fresh();
    const folders: [string, string][] = [
      [world.id(id), id],
      [`/${world.id(id)}/a/b/`, `${id}/a/b`],
      [world.id(`${id}/Two Words/grün 照片`), `${id}/Two Words/grün 照片`],
      [world.id(`${id}/cafe\u0301`), `${id}/café`],
    ];
    for (const [folder, stored] of folders) {
      const data = dataOf(await upload(world, { name: "a.txt", fields: { folder } }));
      assert.equal(data.url, urlOf(world, `${stored}/a.txt`));
      assert.equal(await served(`${stored}/a.txt`), "a.txt\n");
      assert.deepEqual(Object.keys(await files(world, stored)), ["a.txt"]);
    }
    const name = `${world.prefix}-root.txt`;
    for (const folder of ["", "/"])
      assert.equal(dataOf(await upload(world, { name, fields: { folder } })).url, `project/uploads/${name}`);
    assert.equal((await world.write("DELETE", { path: name }, "/api/files")).status, 204);
  });
});

// ---------------------------------------------------------------------------------------------- a taken name

describe("a taken name", () => {
  test("is replaced: the new bytes at the same URL, the client's fields kept, or those that are sent", async () => {
    for (const on_conflict of [null, "replace"]) {
      const folder = fresh();
      const sent = { title: "Kept", description: "Too" };
      const first = dataOf(await upload(world, { folder, name: "a.png", bytes: png({ width: 9 }), fields: sent }));
      const path = world.id(`${folder}/a.png`);
      dataOf(await world.write("POST", { path, field: "tags", value: "a, b" }, "/api/files/meta"));
      if (on_conflict === null) await sleep(1050);
      const bytes = jpeg();
      const data = dataOf(await upload(world, { folder, name: "a.png", bytes, fields: { on_conflict } }));
      assert.equal(data.url, first.url);
      const { title, description, tags, type, filesize, exif } = data;
      assert.deepEqual({ title, description, tags }, { ...sent, tags: "a, b" });
      assert.deepEqual([type, filesize, exif.Width], ["image/jpeg", bytes.length, 4]);
      assert.notEqual(data.version, first.version);
      assert.ok(data.uploaded_on > first.uploaded_on || on_conflict !== null);
      assert.deepEqual(await file(world, `${folder}/a.png`), data);
      assert.ok((await fetchBytes(world, `${folder}/a.png`)).bytes.equals(bytes));
      assert.deepEqual(Object.keys(await files(world, folder)), ["a.png"]);
      const titled = dataOf(await upload(world, { folder, name: "a.png", bytes, fields: { title: "two" } }));
      const described = dataOf(await upload(world, { folder, name: "a.png", bytes, fields: { description: "" } }));
      assert.deepEqual(
        [titled, described].map(({ title, description }) => [title, description]),
        [
          ["two", "Too"],
          ["two", ""],
        ],
      );
    }
  });

  test("with on_conflict=fail is 409, and the file stays; any other word is 400", async () => {
    const before = await plantFile(world, "fail/a.txt", { bytes: "before", fields: { on_conflict: "fail" } });
    assert.deepEqual(Object.keys(before), fileKeys, "without effect while the name is free, nor a field of the file");
    for (const [on_conflict, status, code] of [
      ["fail", 409, "file_exists"],
      ["overwrite", 400, "argument_invalid"],
      ["__proto__", 400, "argument_invalid"],
    ] as const) {
      const fields = { on_conflict, title: "other" };
      refused(await upload(world, { folder: "fail", name: "A.TXT", bytes: "after", fields }), status, code);
    }
    for (const folder of ["fail/a.txt", "fail/a.txt/b/c"])
      refused(await upload(world, { folder, name: "x.txt" }), 409, "file_exists");
    assert.deepEqual(await file(world, "fail/a.txt"), before);
    assert.equal(await served("fail/a.txt"), "before");
  });

  test("with on_conflict=suffix keeps both", async () => {
    const folder = fresh();
    const fields = { on_conflict: "suffix" };
    for (const [n, name] of ["a.txt", "a-1.txt", "a-2.txt"].entries()) {
      const data = dataOf(await upload(world, { folder, name: "a.txt", bytes: `${n}`, fields }));
      assert.equal(data.filename, name);
      assert.equal(data.title, "a", "the name that was sent, without its extension");
      assert.equal(data.url, urlOf(world, `${folder}/${name}`));
    }
    await world.write("DELETE", { path: world.id(`${folder}/a-1.txt`) }, "/api/files");
    assert.equal(dataOf(await upload(world, { folder, name: "a.txt", fields })).filename, "a-1.txt", "the first free");
    assert.equal(await served(`${folder}/a.txt`), "0");
  });

  test("by a folder is 409, except with a suffix", async () => {
    const folder = fresh();
    const path = world.id(`${folder}/a.txt`);
    dataOf(await world.write("POST", { path }, "/api/folders"));
    await plantFile(world, `${folder}/a.txt/inner.txt`);
    for (const on_conflict of [null, "fail", "replace"]) {
      refused(await upload(world, { folder, name: "a.txt", fields: { on_conflict } }), 409, "folder_exists");
    }
    const suffixed = await upload(world, { folder, name: "a.txt", fields: { on_conflict: "suffix" } });
    assert.equal(dataOf(suffixed).filename, "a-1.txt");
    assert.equal(await served(`${folder}/a.txt/inner.txt`), "inner.txt\n");
  });
});

// Of one name, with each on_conflict: test/ports/file-store.
describe("concurrent uploads", () => {
  test("of twenty names all succeed, in a folder that each of them creates", async () => {
    const folder = `${fresh()}/a/b/c`;
    const sent = Array.from({ length: 20 }, (_, n) => ({ name: `n${n}.txt`, bytes: `${n}\n`.repeat(20_000 + n) }));
    const replies = await Promise.all(sent.map((one) => upload(world, { folder, ...one })));
    for (const [n, reply] of replies.entries()) assert.equal(dataOf(reply).filesize, sent[n]?.bytes.length);
    for (const { name, bytes } of sent) assert.ok((await served(`${folder}/${name}`)) === bytes, name);
    assert.equal(Object.keys(await files(world, folder)).length, 20);
  });

  test("during the deletion or move of their folder leave no file without bytes and none listed twice", async () => {
    for (let round = 0; round < 8; round++) {
      const [folder, target] = [fresh(), fresh()];
      await plantFile(world, `${folder}/old.txt`, { bytes: "old" });
      const change: Record<string, unknown> = { path: world.id(folder), new_path: world.id(target) };
      const method = round % 2 ? "PUT" : "DELETE";
      const [stored, changed] = await Promise.all([
        upload(world, { folder, name: "new.txt", bytes: `new ${round}` }),
        world.write(method, change, "/api/folders"),
      ]);
      assert.ok([200, 204].includes(changed.status), changed.text);
      const where: string[] = [];
      for (const one of [folder, target]) {
        const listed = await readFile(world, one, dialects[0], { collection: true });
        if (listed.status !== 200) continue;
        for (const name of Object.keys(dataOf(listed))) {
          assert.equal(await served(`${one}/${name}`), name === "new.txt" ? `new ${round}` : "old");
          where.push(name);
        }
      }
      assert.equal(new Set(where).size, where.length, where.join(", "));
      if (method === "PUT" && stored.status === 200) assert.deepEqual(where.sort(), ["new.txt", "old.txt"]);
    }
  });

  test("a reader gets the complete old file or the complete new one", async () => {
    const folder = fresh();
    const texts = ["a", "b", "c", "d"].map((letter) => letter.repeat(200_000));
    await plantFile(world, `${folder}/a.txt`, { bytes: texts[0] });
    const read = async () => assert.ok(texts.includes(await served(`${folder}/a.txt`)));
    const write = async () => {
      for (let n = 0; n < 12; n++) await plantFile(world, `${folder}/a.txt`, { bytes: texts[n % 4] });
    };
    await meanwhile(write(), () => Promise.all([read(), read()]));
  });
});

// ---------------------------------------------------------------------------------------------- counting

const [folderWriter, limited, limitedAccess, spent] = await Promise.all([
  world.token({ kind: "management", resources: ["folders", "entries"] }),
  world.token({ kind: "management", resources: ["files"], limit_calls: 1000 }),
  world.token({ kind: "access", limit_calls: 1000 }),
  world.token({ kind: "management", resources: ["files"], limit_calls: 1 }),
]);

describe("calls are counted", () => {
  const sent = { token: limited.token, access_token: limitedAccess.token };
  const counts = async () => [(await world.row(limited.id)).calls, (await world.row(limitedAccess.id)).calls];
  const outcomes: [string, Upload, number, boolean][] = [
    ["a valid upload", { name: "a.txt" }, 200, true],
    ["one with its tokens after the file", { name: "b.txt", late: ["token", "access_token"] }, 200, true],
    ["one with a refused type", { name: "a.png", bytes: "x" }, 415, true],
    ["one without a folder", { name: "a.txt", fields: { folder: null } }, 400, true],
    ["one to a taken name", { name: "a.txt", fields: { on_conflict: "fail" } }, 409, true],
    ["one with an invalid access token", { name: "a.txt", fields: { access_token: unknownAccess } }, 401, false],
    ["one with an invalid token", { name: "a.txt", fields: { token: unknown } }, 401, false],
    ["one with a token of another resource", { name: "a.txt", fields: { token: folderWriter.token } }, 403, false],
  ];
  test("once, of both tokens or neither", async () => {
    for (const [what, call, status, isCounted] of outcomes) {
      const before = await counts();
      const fields = { ...sent, ...call.fields };
      const reply = await upload(world, { folder: "counted", ...call, fields, uniqueAddress: status === 401 });
      assert.equal(reply.status, status, reply.text);
      const more = isCounted ? 1 : 0;
      assert.deepEqual(
        await counts(),
        before.map((count) => count + more),
        what,
      );
    }
  });

  test("of concurrent uploads exactly as many succeed as the token has calls left", async () => {
    const folder = fresh();
    const few = await world.token({ kind: "management", resources: ["files"], limit_calls: 3 });
    const one = (n: number) => {
      const late = n % 2 ? ["token", "access_token"] : [];
      return upload(world, { folder, name: `n${n}.txt`, fields: { token: few.token }, late });
    };
    const replies = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(one));
    assert.deepEqual(replies.map((reply) => reply.status).sort(), [200, 200, 200, 429, 429, 429, 429, 429]);
    assert.equal(Object.keys(await files(world, folder)).length, 3);
    assert.equal((await world.row(few.id)).calls, 3);
  });

  test("a token without calls left is 429 before the file is sent", async () => {
    const folder = fresh();
    const fields = { token: spent.token };
    dataOf(await upload(world, { folder, name: "a.txt", fields }));
    refused(await upload(world, { folder, name: "b.txt", fields }), 429, "call_limit_reached");
    refused(await upload(world, { folder, name: "b.txt", fields, late: ["token"] }), 429, "call_limit_reached");
    const wire = new Wire(world.url);
    const tokens = field("token", spent.token) + field("access_token", pair.access_token);
    await wire.write(headOf(20 * MiB) + field("folder", world.id(folder)) + tokens + fileStart("b.txt"));
    refused(await wire.reply("POST", 3000), 429, "call_limit_reached");
    wire.destroy();
    assert.deepEqual(Object.keys(await files(world, folder)), ["a.txt"]);
  });
});

// ---------------------------------------------------------------------------------------------- If-Match

describe("If-Match on an upload", () => {
  const put = (folder: string, ifMatch: string, bytes: string) =>
    upload(world, { folder, name: "a.txt", bytes, headers: { "if-match": ifMatch } });

  test("the current tag permits one replacement, another is 412, and a change of the fields changes it", async () => {
    const folder = fresh();
    const before = await plantFile(world, `${folder}/a.txt`, { bytes: "one" });
    const current = async () => tagOf(await readFile(world, `${folder}/a.txt`));
    refused(await put(folder, '"none-of-them"', "two"), 412, "revision_mismatch");
    assert.deepEqual(await file(world, `${folder}/a.txt`), before);
    const tag = await current();
    dataOf(await put(folder, tag, "two"));
    refused(await put(folder, tag, "three"), 412, "revision_mismatch");
    dataOf(await put(folder, "*", "four"));
    dataOf(await put(folder, `"_x", W/${await current()}`, "five"));
    const old = await current();
    const meta = { path: world.id(`${folder}/a.txt`), field: "title", value: "new" };
    dataOf(await world.write("PATCH", meta, "/api/files/meta"));
    refused(await put(folder, old, "six"), 412, "revision_mismatch");
    assert.equal(await served(`${folder}/a.txt`), "five");
  });

  test("without an existing file it is 404, and nothing is stored", async () => {
    const folder = fresh();
    for (const tag of ["*", '"_x"']) refused(await put(folder, tag, "two"), 404, "file_not_found");
    await nothingAt(folder);
  });
});

// ---------------------------------------------------------------------------------------------- broken connections

describe("an interrupted upload", () => {
  /** Sends a part of the upload and disconnects. */
  async function broken(folder: string, name: string, size: number, headers = {}, before = fieldsOf(folder)) {
    const wire = new Wire(world.url);
    await wire.write(headOf(size + 100_000, headers) + before + fileStart(name));
    await wire.write(Buffer.alloc(size, "half a file\n"));
    await sleep(20);
    wire.destroy();
  }

  test("leaves nothing", async () => {
    const folder = fresh();
    for (const size of [0, 1, 1000, 300_000, 3_000_000]) await broken(folder, `n${size}.txt`, size);
    await broken(folder, "late.txt", 300_000, {}, "");
    await broken(folder, "headers.txt", 300_000, pairHeaders(world), field("folder", world.id(folder)));
    const ended = new Wire(world.url);
    await ended.write(headOf(5000) + fieldsOf(folder) + fileStart("a.txt"));
    ended.socket.end("half");
    const reply = await ended.reply("POST", 2000).catch(() => undefined);
    if (reply) refused(reply, [400, 408]);
    ended.destroy();
    await nothingAt(folder);
  });
});

allRepliesKeptTheirPromises(world);
