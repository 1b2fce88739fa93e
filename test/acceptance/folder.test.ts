/** Folders: create, read, list, move, copy, delete. Names and places of arguments, If-Match, tokens: dialect. Contract §5, Folders. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Arguments, Reply } from "./client.ts";
import {
  dialects,
  enterMedia,
  eventsOf,
  fetchBytes,
  file,
  folder,
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
  urlOf,
} from "./media.ts";
import { type Any, allRepliesKeptTheirPromises, dataOf, refused, tagOf } from "./world.ts";

const world = await enterMedia("folder");
const { tokens } = world;
const address = "/api/folders";
const { root, base } = await placeUrl(world);
const keys = ["path", "full_path", "url", "full_url"];

const targets = (from: string, to?: string) => ({
  path: world.id(from),
  ...(to === undefined ? {} : { new_path: world.id(to) }),
});
const make = (name: string) => world.write("POST", targets(name), address);
const move = (from: string, to: string) => world.write("PUT", targets(from, to), address);
const copy = (from: string, to: string) => world.write("PUT", targets(from, to), `${address}/copy`);
const remove = (name: string) => world.write("DELETE", targets(name), address);
const made = async (...names: string[]) => {
  for (const name of names) dataOf(await make(name));
};
const get = (name: string, more: Arguments = {}, token?: string) => readFolder(world, name, pathDialect, more, token);
const list = async (name: string, more: Arguments = {}): Promise<string[]> =>
  dataOf(await get(name, { collection: true, ...more })).map((one: Any) => one.path.slice(world.id(name).length + 1));

/** The complete folder object, for names of unreserved characters. */
const objectOf = (name: string): Any => ({
  path: world.id(name),
  full_path: `${root.full_path}/${world.id(name)}`,
  url: urlOf(world, name),
  full_url: `${base}/${urlOf(world, name)}`,
});

function isFolder(reply: Reply, name: string): void {
  assert.deepEqual(dataOf(reply), objectOf(name));
  assert.deepEqual(Object.keys(dataOf(reply)), keys);
}

const missing = async (...names: string[]) => {
  for (const name of names) refused(await get(name), 404, "folder_not_found");
};

/** What a move of the folder keeps: of its files all that does not depend on the path. */
const contents = async (name: string) => {
  const { files, folders } = await tree(world, name);
  const kept = Object.entries(files).map(([path, { dirname: _, url: __, full_url: ___, ...rest }]) => [path, rest]);
  return { files: Object.fromEntries(kept), folders };
};
const filesIn = async (name: string): Promise<string[]> => Object.keys((await tree(world, name)).files).sort();

/** Two folders and three files, with every kind of field. */
async function plantTree(name: string): Promise<void> {
  await made(`${name}/empty/deep`);
  await plantFile(world, `${name}/a.txt`, { fields: { title: "A", description: "first" } });
  await plantFile(world, `${name}/sub/b.txt`);
  await plantFile(world, `${name}/sub/pic.png`, { bytes: png({ width: 7, height: 5, kind: "grey" }) });
  const meta = { path: world.id(`${name}/sub/b.txt`), field: "tags", value: ["x", { y: 1 }] };
  dataOf(await world.write("POST", meta, "/api/files/meta"));
}

test("in both dialects: the root, whose path is empty, and a folder under its own names", async () => {
  await made("both/a");
  for (const { at, full, folders } of dialects) {
    for (const id of ["", "/"]) {
      const data = dataOf(await world.read({ [at]: id }, undefined, folders));
      assert.deepEqual(data, { [at]: "", [full]: root.full_path, url: "project/uploads", full_url: root.full_url });
      assert.deepEqual(Object.keys(data), [at, full, "url", "full_url"]);
    }
    const { path, full_path, ...urls } = objectOf("both/a");
    const listed = await world.read({ [at]: world.id("both"), collection: true }, undefined, folders);
    assert.deepEqual(dataOf(listed), [{ [at]: path, [full]: full_path, ...urls }]);
  }
  assert.match(root.full_path, /^(\/|[A-Za-z]:[\\/]).*[^/]$/, "an absolute directory without a slash at the end");
  assert.ok(dataOf(await world.read({ path: "", collection: true }, undefined, address)).length > 0);
});

describe("GET", () => {
  test("an unknown folder is 404, also as a collection; so is a file", async () => {
    await plantFile(world, "notafolder/x.txt");
    for (const name of ["nothing", "notafolder/nothing/deep", "notafolder/x.txt", "notafold"]) {
      for (const more of [{}, { collection: true }, { options: { collection: true } }] as Arguments[])
        refused(await get(name, more), 404, "folder_not_found", /"path"/);
    }
  });

  test("a delivery token reads the same, and a reply must be revalidated before each use", async () => {
    await made("delivered/x");
    for (const more of [{}, { collection: true }] as Arguments[]) {
      const [managed, delivered] = [await get("delivered", more), await get("delivered", more, tokens.delivery)];
      assert.deepEqual(dataOf(delivered), dataOf(managed));
      assert.deepEqual(managed.headers["cache-control"]?.split(/\s*,\s*/).sort(), ["no-cache", "private"]);
      assert.match(delivered.headers["cache-control"] ?? "", /private|max-age=0/);
    }
  });
});

describe("GET, a collection", () => {
  const names = ["B", "a", "a b", "a-b", "a.b", "a0", "b", "é", "\uffee", "😀"];
  const inOrder = [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const objectAt = (name: string): Any => {
    const full_url = `${base}/${urlOf(world, "list")}/${encodeURIComponent(name)}`;
    return { ...objectOf(`list/${name}`), full_url };
  };
  const where = (key: string, expr: string, value: string): Arguments => ({ where: { key, expr, value } });

  test("is the array of its direct subfolders, sorted by the bytes of their names; recursive answers all depths", async () => {
    await made(...names.map((name) => `list/${name}`), "list/a/deep/er");
    await plantFile(world, "list/file.txt");
    assert.deepEqual(await list("list"), inOrder);
    const [, a] = dataOf(await get("list", { collection: true }));
    assert.deepEqual(a, objectOf("list/a"));
    assert.deepEqual(Object.keys(a), keys);
    assert.deepEqual(await list("list/a"), ["deep"]);
    assert.deepEqual(await list("list/a/deep/er"), []);
    const all = await list("list", { options: { recursive: true } });
    assert.deepEqual([...all].sort(), [...names, "a/deep", "a/deep/er"].sort());
  });

  test("is read by a flag or a filter, and nothing else", async () => {
    // Two different flags: file-collection.
    const flags = "collection=true collection=1 options[collection]=yes options[collection]=on&collection=TRUE filter=";
    const read = async (flag: string) =>
      dataOf(
        await world.send({ path: address, query: `path=${world.id("list/a")}&token=${tokens.management}&${flag}` }),
      );
    for (const flag of [...flags.split(" "), "filter[limit]=99"])
      assert.deepEqual(await read(flag), [objectOf("list/a/deep")], flag);
    for (const flag of ["collection=false", "options[collection]=false", "x=1"])
      assert.deepEqual(await read(flag), objectOf("list/a"), flag);
  });

  const none = where("url", "eq", "nothing");
  const values: [Arguments, unknown][] = [
    [where("url", "ends_with", "b"), inOrder.filter((name) => name.endsWith("b")).map((name) => objectAt(name))],
    [{ order_by: { field: "path", direction: "desc" }, limit: 1 }, [objectAt("😀")]],
    [{ limit: 2, offset: 1, only: ["path"] }, inOrder.slice(1, 3).map((name) => ({ path: world.id(`list/${name}`) }))],
    [{ limit: 0 }, []],
    [{ return: "count" }, names.length],
    [{ return: "exists", ...none }, false],
    [{ return: "first" }, objectOf("list/B")],
    [{ return: "first", ...none }, null],
    [{ except: ["url", "full_path", "full_url"], limit: 1 }, [{ path: world.id("list/B") }]],
  ];
  const places: [string, (filter: Arguments) => Arguments][] = [
    ["filter", (filter) => ({ filter })],
    ["options", (options) => ({ options })],
    ["options[filter]", (filter) => ({ options: { filter } })],
  ];
  for (const [place, wrap] of places) {
    test(`the filter's arguments work in ${place}`, async () => {
      for (const [args, expected] of values)
        assert.deepEqual(dataOf(await get("list", { collection: true, ...wrap(args) })), expected);
      refused(await get("list", { collection: true, ...wrap({ limit: -1 }) }), 400, undefined, /limit/);
    });
  }

  test("pages give each folder once, with the total", async () => {
    const seen: string[] = [];
    for (let next = `${address}?path=${world.id("list")}&filter[limit]=4&filter[total]=1`; next !== ""; ) {
      const reply = await world.send({ path: `${next}&token=${tokens.management}` });
      assert.equal(reply.headers["x-total-count"], String(names.length));
      seen.push(...dataOf(reply).map((one: Any) => one.path.slice(world.id("list").length + 1)));
      next = /^<(\/[^>]+)>\s*;\s*rel="?next"?$/.exec(String(reply.headers.link ?? ""))?.[1] ?? "";
    }
    assert.deepEqual(seen, inOrder);
  });
});

describe("POST", () => {
  test("creating answers the folder, which is empty, and creates its parents; a taken path is 409, also below a file", async () => {
    isFolder(await make("par/ent/s"), "par/ent/s");
    for (const name of ["par", "par/ent", "par/ent/s"]) isFolder(await get(name), name);
    assert.deepEqual(await tree(world, "par/ent/s"), { files: {}, folders: [] });
    await plantFile(world, "par/x.txt");
    refused(await make("par/ent"), 409, "folder_exists");
    for (const name of ["x.txt", "x.txt/y", "x.txt/y/z"])
      isTaken(await unchangedBy(world, "par", () => make(`par/${name}`)));
  });

  test("names are kept as sent: case, spaces, Unicode, dots; composed and decomposed Unicode are one", async () => {
    const odd = ["Case", "case", " padded ", "日本語", "a&b=c+d?e#f", "100%", "100%41", "...", ".hidden", "x.txt"];
    await Promise.all(odd.map(async (name) => dataOf(await make(`odd/${name}`))));
    assert.deepEqual(new Set(await list("odd")), new Set(odd));
    for (const name of odd) {
      const data = dataOf(await get(`odd/${name}`));
      assert.deepEqual([data.path, data.url], [world.id(`odd/${name}`), urlOf(world, `odd/${name}`)]);
      assert.equal(decodeURIComponent(data.full_url.slice(base.length)), `/${data.url}`);
      assert.match(data.full_url, /^[\x21-\x7e]+$/);
    }
    assert.equal(dataOf(await make("nfc/cafe\u0301")).path, world.id("nfc/café"));
    refused(await make("nfc/café"), 409, "folder_exists");
  });
});

describe("PUT", () => {
  test("moving answers the folder at its new path, with all contents: files, every field, folders, bytes", async () => {
    await plantTree("mv/a");
    const before = await contents("mv/a");
    isFolder(await move("mv/a", "mv/far/a"), "mv/far/a");
    isFolder(await get("mv/far/a"), "mv/far/a");
    assert.deepEqual(await contents("mv/far/a"), before);
    assert.deepEqual(Object.keys(before.files).sort(), ["a.txt", "sub/b.txt", "sub/pic.png"]);
    const moved = await file(world, "mv/far/a/sub/b.txt");
    assert.equal(moved.dirname, `${root.full_path}/${world.id("mv/far/a/sub")}`);
    assert.equal(moved.url, urlOf(world, "mv/far/a/sub/b.txt"));
    assert.equal(moved.full_url, `${base}/${moved.url}`);
    await missing("mv/a", "mv/a/sub", "mv/a/empty");
    dataOf(await move("mv/far/a/empty/deep", "mv/new/er"));
    dataOf(await move("mv/new/er", "mv/er"));
    assert.deepEqual((await list("mv")).sort(), ["er", "far", "new"], "the source's parents stay");
    assert.deepEqual(await list("mv/far/a"), ["empty", "sub"]);
    refused(await readFile(world, "mv/a/a.txt"), 404, "file_not_found");
    assert.equal((await fetchBytes(world, "mv/far/a/sub/b.txt")).text, "b.txt\n");
    refused(await fetchBytes(world, "mv/a/sub/b.txt"), 404);
  });

  test("only the folder moves: no sibling with the same beginning, no match of LIKE", async () => {
    const names = ["a_b", "axb", "a%b", "A_B", "a_b-", "a_b c", "a_bc"];
    for (const name of names) await plantFile(world, `like/${name}/x.txt`);
    dataOf(await move("like/a_b", "like/a_bc/d"));
    assert.deepEqual((await list("like")).sort(), names.slice(1).sort());
    dataOf(await move("like/a_bc", "like/a_b"));
    assert.deepEqual(await filesIn("like/a_b"), ["d/x.txt", "x.txt"]);
  });
});

describe("PUT /copy", () => {
  test("copying answers the copy with all contents and every field; the source stays", async () => {
    await plantTree("cp/a");
    const [before, kept] = [await tree(world, "cp/a"), await contents("cp/a")];
    isFolder(await copy("cp/a", "cp/far/b"), "cp/far/b");
    assert.deepEqual(await contents("cp/far/b"), kept);
    assert.deepEqual(await tree(world, "cp/a"), before);
    const meta = { path: world.id("cp/a/a.txt"), field: "color", value: "red" };
    dataOf(await world.write("POST", meta, "/api/files/meta"));
    dataOf(await upload(world, { folder: "cp/a/sub", name: "b.txt", bytes: "other\n" }));
    await made("cp/a/more");
    assert.deepEqual(await contents("cp/far/b"), kept, "both are independent");
    assert.equal((await remove("cp/a")).status, 204);
    assert.deepEqual(await contents("cp/far/b"), kept);
    assert.equal((await fetchBytes(world, "cp/far/b/sub/b.txt")).text, "b.txt\n");
  });
});

for (const [verb, act] of Object.entries({ move, copy })) {
  test(`a ${verb} is refused, and nothing changes, from what is none, onto what is there, and into itself`, async () => {
    const top = `refuse-${verb}`;
    await plantTree(`${top}/a`);
    await plantFile(world, `${top}/f.txt`);
    await made(`${top}/b/c`);
    const attempt = (from: string, to: string) => unchangedBy(world, top, () => act(`${top}/${from}`, `${top}/${to}`));
    for (const from of ["nothing", "f.txt"]) refused(await attempt(from, "to/y"), 404, "folder_not_found");
    refused(await attempt("a", "b"), 409, "folder_exists");
    refused(await attempt("b/c", "b"), 409, "folder_exists");
    for (const to of ["f.txt", "f.txt/x"]) isTaken(await attempt("a", to));
    for (const to of ["a/x", "a/sub", "a/sub/x"]) refused(await attempt("a", to), 409, "move_into_itself");
    const tag = tagOf(await get(`${top}/a`));
    for (const to of ["a", "a//"]) isFolder(await attempt("a", to), `${top}/a`);
    assert.equal(tagOf(await get(`${top}/a`)), tag, "onto itself it is 200 and changes nothing");
  });
}

describe("DELETE", () => {
  test("answers 204 without a body and deletes exactly the folder's contents; repeated it is 404", async () => {
    await plantTree("rm/a_b");
    const neighbours = ["A_B", "a-b", "a_b c", "a_bc", "axb"];
    for (const name of neighbours) await plantFile(world, `rm/${name}/x.txt`);
    const reply = await remove("rm/a_b");
    assert.deepEqual([reply.status, reply.bytes.length, reply.headers["content-type"]], [204, 0, undefined]);
    refused(await remove("rm/a_b"), 404, "folder_not_found");
    refused(await remove("rm/axb/x.txt"), 404, "folder_not_found");
    assert.deepEqual((await list("rm")).sort(), neighbours);
    await missing("rm/a_b", "rm/a_b/sub", "rm/a_b/empty/deep");
    for (const name of ["a.txt", "sub/b.txt", "sub/pic.png"]) {
      refused(await readFile(world, `rm/a_b/${name}`), 404, "file_not_found");
      refused(await fetchBytes(world, `rm/a_b/${name}`), 404);
    }
    assert.equal((await fetchBytes(world, "rm/axb/x.txt")).text, "x.txt\n");
    dataOf(await make("rm/a_b"));
    assert.deepEqual(await tree(world, "rm/a_b"), { files: {}, folders: [] }, "a new one is empty");
  });
});

describe("tags", () => {
  const tagNow = async (name: string, more: Arguments = {}) => tagOf(await get(name, more));

  test("a collection's changes when a folder is created, moved or deleted; 304 only to the current one", async () => {
    const seen: string[] = [];
    await made("tags/a");
    const steps = [() => made("tags/b"), () => move("tags/b", "tags/c"), () => remove("tags/a")];
    for (const step of [async () => undefined, ...steps]) {
      await step();
      seen.push(await tagNow("tags", { collection: true }));
    }
    assert.equal(new Set(seen).size, seen.length);
    const query = { path: world.id("tags"), token: tokens.management, collection: true };
    const statuses = [seen[0], seen.at(-1)].map(async (tag) => {
      const reply = await world.send({ path: address, query, headers: { "if-none-match": tag as string } });
      return reply.status;
    });
    assert.deepEqual(await Promise.all(statuses), [200, 304]);
  });

  test("a folder's changes with its path and never repeats", async () => {
    await made("never/a/b");
    const seen = [await tagNow("never/a/b")];
    await move("never/a", "never/z");
    seen.push(await tagNow("never/z/b"));
    await remove("never/z/b");
    await made("never/z/b");
    seen.push(await tagNow("never/z/b"));
    assert.equal(new Set(seen).size, seen.length, seen.join(" "));
  });
});

describe("concurrent writes", () => {
  const many = <T>(count: number, one: (n: number) => Promise<T>) =>
    Promise.all(
      Array(count)
        .fill(0)
        .map((_, n) => one(n)),
    );

  test("of creates, deletes, moves and copies, exactly one succeeds, completely", async () => {
    oneSucceeds(await many(10, () => make("race/x/y")), 409, "folder_exists");
    for (const reply of await many(10, (n) => make(`crowd/in/n${n}`))) assert.equal(reply.status, 200, reply.text);
    await plantTree("race/rm");
    oneSucceeds(await many(8, () => remove("race/rm")), 404, "folder_not_found");
    await plantTree("race/a");
    oneSucceeds(await many(6, () => copy("race/a", "race/b")), 409, "folder_exists");
    assert.deepEqual(await contents("race/b"), await contents("race/a"));
    await plantFile(world, "flock/a/x.txt");
    oneSucceeds(await many(8, (n) => move("flock/a", `flock/t${n}`)), 404, "folder_not_found");
    assert.deepEqual([(await list("flock")).length, (await filesIn("flock")).length], [1, 1]);
    await plantFiles(world, ["duel/0/x.txt", "duel/1/y.txt"]);
    const first = oneSucceeds(await many(2, (n) => move(`duel/${n}`, "duel/t")), 409, "folder_exists");
    assert.equal((await filesIn("duel")).join(), first === 0 ? "1/y.txt,t/x.txt" : "0/x.txt,t/y.txt");
  });

  test("two folders moved into each other never form a cycle and lose nothing", async () => {
    for (let n = 0; n < 5; n++) {
      await plantFiles(world, [`circle/${n}/a/x.txt`, `circle/${n}/b/y.txt`]);
      const at = (name: string) => `circle/${n}/${name}`;
      const replies = await Promise.all([move(at("a"), at("b/a")), move(at("b"), at("a/b"))]);
      // The second one moves to a free path, whose parents are created.
      for (const reply of replies) assert.equal(reply.status, 200);
      const paths = (await filesIn(`circle/${n}`)).join();
      assert.ok(["a/b/a/x.txt,a/b/y.txt", "b/a/b/y.txt,b/a/x.txt"].includes(paths), paths);
    }
  });
});

test("each write is one event with the folder's path, the target and the count", async () => {
  await plantFiles(world, ["told/a/x.txt", "told/a/sub/y.txt"]);
  const seen = await eventsOf(world, "told", async () => {
    dataOf(await move("told/a", "told/b"));
    dataOf(await copy("told/b", "told/c"));
    await remove("told/b");
  });
  assert.deepEqual(seen, [
    ["folder.move", world.id("told/a"), world.id("told/b"), 4],
    ["folder.copy", world.id("told/b"), world.id("told/c"), 4],
    ["folder.delete", world.id("told/b"), null, 4],
  ]);
});

test("a folder and an entry of the same name are independent", async () => {
  await world.create("name/one", { title: "T" });
  await made("name/one");
  assert.equal((await remove("name")).status, 204);
  assert.equal((await world.entry("name/one")).title, "T");
  await made("name/one");
  assert.equal((await world.write("DELETE", { id: world.id("name/one") })).status, 204);
  assert.equal((await folder(world, "name/one")).path, world.id("name/one"));
});

allRepliesKeptTheirPromises(world);
