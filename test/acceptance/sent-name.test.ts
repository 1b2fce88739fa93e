/** Names that become one, and the name as it was sent. Contract §5, Uploads. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Arguments } from "./client.ts";
import { enterMedia, fetchBytes, files, pairHeaders, plantFile, readFile, type Upload, upload } from "./media.ts";
import { allRepliesKeptTheirPromises, dataOf, refused } from "./world.ts";

const world = await enterMedia("sent-name");
let folders = 0;
const fresh = (): string => `f${folders++}`;
const asked = { options: { sent_name: "true" } };

/** The name that the file gets. */
const send = async (folder: string, name: string, more: Partial<Upload> = {}): Promise<string> =>
  dataOf(await upload(world, { folder, name, bytes: name, ...more })).filename;
const bytesAt = async (path: string): Promise<string> => (await fetchBytes(world, path)).text;
const sentNameOf = async (path: string): Promise<unknown> =>
  dataOf(await readFile(world, path, undefined, asked)).sent_name;
const write = (method: string, path: string, more: object, url = "/api/files") =>
  world.write(method, { path: world.id(path), ...more }, url);
const replacing = { fields: { on_conflict: "replace" } };

describe("different names that become one", () => {
  test("get numbers, and each replaces its own file", async () => {
    const folder = fresh();
    const names: [string, string][] = [
      ["a#b.txt", "a-b.txt"],
      ["a&b.txt", "a-b-1.txt"],
      ["a b.txt", "a-b-2.txt"],
    ];
    for (const [sent, name] of names) assert.equal(await send(folder, sent), name);
    for (const [sent, name] of names) {
      assert.equal(await send(folder, sent, { bytes: `${sent} again` }), name);
      assert.equal(await bytesAt(`${folder}/${name}`), `${sent} again`);
      assert.equal(await sentNameOf(`${folder}/${name}`), sent);
    }
    assert.deepEqual(Object.keys(await files(world, folder)).sort(), names.map(([, name]) => name).sort());
  });

  test("a number stays while its file stands, also where the first is gone", async () => {
    const folder = fresh();
    await send(folder, "Ä b.txt");
    assert.equal(await send(folder, "ae b.txt"), "ae-b-1.txt");
    await write("DELETE", `${folder}/ae-b.txt`, {});
    assert.equal(await send(folder, "ae b.txt"), "ae-b-1.txt");
    assert.equal(await send(folder, "AE b.txt"), "ae-b.txt");
    await write("DELETE", `${folder}/ae-b-1.txt`, {});
    assert.equal(await send(folder, "ae b.txt"), "ae-b-1.txt", "as a new one");
  });

  test("the same name in another Unicode form is the same", async () => {
    const folder = fresh();
    assert.equal(await send(folder, "ä.txt".normalize("NFD")), "ae.txt");
    assert.equal(await send(folder, "ä.txt".normalize("NFC")), "ae.txt");
    assert.equal(await send(folder, "ae.txt"), "ae-1.txt");
  });

  test("on_conflict=replace replaces the file of its own name, else the one that is there", async () => {
    const folder = fresh();
    await send(folder, "a b.txt");
    assert.equal(await send(folder, "a#b.txt", replacing), "a-b.txt");
    assert.equal(await sentNameOf(`${folder}/a-b.txt`), "a#b.txt");
    assert.equal(await send(folder, "a b.txt"), "a-b-1.txt");
    assert.equal(await send(folder, "a b.txt", replacing), "a-b-1.txt");
    assert.equal(await bytesAt(`${folder}/a-b.txt`), "a#b.txt");
  });

  test("on_conflict=fail refuses both, suffix numbers both", async () => {
    const folder = fresh();
    await send(folder, "a b.txt");
    for (const name of ["a b.txt", "a#b.txt"]) {
      refused(await upload(world, { folder, name, fields: { on_conflict: "fail" } }), 409, "file_exists");
    }
    assert.equal(await send(folder, "a b.txt", { fields: { on_conflict: "suffix" } }), "a-b-1.txt");
    assert.equal(await send(folder, "a b.txt", { bytes: "first" }), "a-b.txt", "of several the first");
  });

  test("a file that was renamed, and a copy, count as sent under the name that they have", async () => {
    const folder = fresh();
    await send(folder, "One.txt");
    await write("PUT", `${folder}/one.txt`, { new_path: world.id(`${folder}/a-b.txt`) });
    assert.equal(await sentNameOf(`${folder}/a-b.txt`), "One.txt", "it is kept");
    assert.equal(await send(folder, "One.txt"), "one.txt", "no longer the file of that name");
    assert.equal(await send(folder, "A b.txt"), "a-b.txt");
    await write("PUT", `${folder}/one.txt`, { new_path: world.id(`${folder}/c-d.txt`) }, "/api/files/copy");
    assert.equal(await sentNameOf(`${folder}/c-d.txt`), null);
    assert.equal(await send(folder, "C d.txt"), "c-d.txt");
    assert.equal(await send(folder, "c#d.txt"), "c-d-1.txt");
  });

  test("in other folders are others, and a folder of the name is refused as before", async () => {
    const folder = fresh();
    await send(`${folder}/x`, "a b.txt");
    assert.equal(await send(`${folder}/y`, "a#b.txt"), "a-b.txt");
    await world.write("POST", { path: world.id(`${folder}/c-d.txt`) }, "/api/folders");
    refused(await upload(world, { folder, name: "c d.txt" }), 409, "folder_exists");
  });

  test("of racing uploads each name has one file", async () => {
    const folder = fresh();
    const names = ["a b.txt", "a#b.txt", "a&b.txt"];
    const got = await Promise.all([...names, ...names, ...names].map(async (name) => [name, await send(folder, name)]));
    assert.equal(new Set(got.map(([name, path]) => `${name} ${path}`)).size, 3);
    assert.equal(Object.keys(await files(world, folder)).length, 3);
  });

  test("an upload in parts gets the same", async () => {
    const folder = fresh();
    const begin = (filename: string) => {
      const fields = { folder: world.id(folder), filename };
      const metadata = Object.entries(fields).map(([key, value]) => `${key} ${Buffer.from(value).toString("base64")}`);
      const headers = {
        ...{ ...pairHeaders(world), "Tus-Resumable": "1.0.0", "Upload-Length": "2" },
        ...{ "Upload-Metadata": metadata.join(","), "Content-Type": "application/offset+octet-stream" },
      };
      return world.send({ method: "POST", path: "/api/uploads", headers, body: Buffer.from("ab") });
    };
    const pathOf = async (name: string) => decodeURIComponent(String((await begin(name)).headers["octavo-file"]));
    assert.equal(await pathOf("a b.txt"), world.id(`${folder}/a-b.txt`));
    assert.equal(await pathOf("a#b.txt"), world.id(`${folder}/a-b-1.txt`));
    assert.equal(await pathOf("a#b.txt"), world.id(`${folder}/a-b-1.txt`));
    assert.equal(await sentNameOf(`${folder}/a-b-1.txt`), "a#b.txt");
    const at = String((await begin("c#d.txt")).headers.location).replace(/^.*uploads\//, "/api/uploads/");
    const read = await world.send({ path: at, query: "options[sent_name]=1", headers: pairHeaders(world) });
    assert.equal(dataOf(read).sent_name, "c#d.txt");
    assert.equal(dataOf(await world.send({ path: at, headers: pairHeaders(world) })).sent_name, undefined);
  });
});

describe("the name as sent", () => {
  test("gives the title", async () => {
    const folder = fresh();
    const titles: [string, string][] = [
      ["写真.png.TXT", "写真.png"],
      ["C:\\pictures\\My  photo.txt", "My  photo"],
      [".txt", "file"],
      ["a%22b.txt", 'a"b'],
    ];
    for (const [name, title] of titles)
      assert.equal(dataOf(await upload(world, { folder, name, bytes: "x" })).title, title);
    assert.equal(dataOf(await upload(world, { folder, name: "b.txt", fields: { title: "T" } })).title, "T");
  });

  test("is shown where it is asked for, in reads, lists and uploads, and nowhere else", async () => {
    const folder = fresh();
    const plain = dataOf(await upload(world, { folder, name: "A b.txt", bytes: "x" }));
    assert.ok(!("sent_name" in plain));
    const fields = { "options[sent_name]": "true" };
    const made = dataOf(await upload(world, { folder, name: "A b.txt", bytes: "x", fields }));
    assert.equal(made.sent_name, "A b.txt");
    assert.deepEqual(Object.keys(made), [...Object.keys(plain), "sent_name"]);
    const without = await readFile(world, `${folder}/a-b.txt`);
    const whole = await readFile(world, `${folder}/a-b.txt`, undefined, asked);
    assert.deepEqual(dataOf(whole), { ...dataOf(without), sent_name: "A b.txt" });
    assert.notEqual(whole.headers.etag, without.headers.etag);
    const list = await files(world, folder, asked);
    assert.equal(list["a-b.txt"].sent_name, "A b.txt");
    assert.ok(!("sent_name" in (await files(world, folder))["a-b.txt"]));
    const few = await files(world, folder, { options: { sent_name: "1", only: ["title", "sent_name"] } });
    assert.deepEqual(few["a-b.txt"], { title: "A b", sent_name: "A b.txt" });
    const none = await files(world, folder, { options: { sent_name: "1", except: ["sent_name"] } });
    assert.deepEqual(none["a-b.txt"], dataOf(without));
    const both = await files(world, folder, { options: { sent_name: "1", preview: "1" } });
    assert.deepEqual(both["a-b.txt"], { ...dataOf(without), sent_name: "A b.txt", preview: null });
  });

  test("of files that entries include, too", async () => {
    const folder = fresh();
    await send(folder, "A b.txt");
    await world.plant({ [folder]: {}, [`${folder}/e`]: { file: world.id(`${folder}/a-b.txt`) } });
    const included = async (name: string, more: Arguments) => {
      const reply = await world.read({ id: world.id(name), include: "file", ...more });
      assert.equal(reply.headers["octavo-ignored"], undefined);
      return JSON.parse(reply.text).included.files[world.id(`${folder}/a-b.txt`)];
    };
    const plain = await included(`${folder}/e`, {});
    assert.ok(!("sent_name" in plain));
    assert.deepEqual(await included(`${folder}/e`, asked), { ...plain, sent_name: "A b.txt" });
    assert.deepEqual(await included(folder, { filter: { limit: 1 }, ...asked }), { ...plain, sent_name: "A b.txt" });
    const both = await included(`${folder}/e`, { options: { sent_name: "1", preview: "1" } });
    assert.deepEqual(both, { ...plain, sent_name: "A b.txt", preview: null });
  });

  test("stands in the place of a client's field", async () => {
    const folder = fresh();
    await send(folder, "A b.txt");
    dataOf(await write("POST", `${folder}/a-b.txt`, { field: "sent_name", value: "own" }, "/api/files/meta"));
    assert.equal(dataOf(await readFile(world, `${folder}/a-b.txt`)).sent_name, "own");
    assert.equal(await sentNameOf(`${folder}/a-b.txt`), "A b.txt");
    assert.equal((await files(world, folder, asked))["a-b.txt"].sent_name, "A b.txt");
  });

  test("is searched", async () => {
    const folder = fresh();
    await plantFile(world, `${folder}/x.txt`, { fields: { title: "Summer" } });
    await send(folder, "Übung Nr 7.txt", { fields: { title: "Winter" } });
    const found = async (search: string) => Object.keys(await files(world, folder, { filter: { search } }));
    assert.deepEqual(await found("übung"), ["uebung-nr-7.txt"]);
    assert.deepEqual(await found("winter ÜBUNG 7"), ["uebung-nr-7.txt"]);
    assert.deepEqual(await found("summer übung"), []);
  });
});

allRepliesKeptTheirPromises(world);
