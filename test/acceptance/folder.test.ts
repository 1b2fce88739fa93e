/** Folders in both dialects: create, read, list, move, copy, delete. Contract §5, Folders. */
import assert from "node:assert/strict";
import { readdir, readFile as readFromDisk } from "node:fs/promises";
import { join, relative } from "node:path";
import { describe, test } from "node:test";
import { meanwhile } from "../ending.ts";
import { type Random, random } from "../random.ts";
import type { Arguments, Call, Reply } from "./client.ts";
import {
  callersTable,
  type Dialect,
  dialects,
  enterMedia,
  eventsOf,
  fetchBytes,
  file,
  folder,
  folders,
  hasUploadsTree,
  idDialect,
  makeCallers,
  noPathRefusals,
  pairHeaders,
  pathDialect,
  plantFile,
  plantFiles,
  png,
  readFile,
  readFolder,
  tree,
  upload,
  urlOf,
} from "./media.ts";
import { type Any, allRepliesKeptTheirPromises, dataOf, refused, sleep, table, tagOf } from "./world.ts";

const world = await enterMedia("folder");
const { tokens, pair } = world;
const p = world.prefix;

/** The root folder: the uploads directory and the prefix of the service's URLs. */
const root = dataOf(await world.read({ path: "" }, undefined, "/api/folders"));
const base = (root.full_url as string).slice(0, -"/project/uploads".length);

/** Only then is the service's disk readable here. */
const isOurs = hasUploadsTree(world);

const targets = (dialect: Dialect, from: string, to?: string): Record<string, unknown> => ({
  [dialect.at]: world.id(from),
  ...(to === undefined ? {} : { [dialect.to]: world.id(to) }),
});
const make = (name: string, dialect = pathDialect) => world.write("POST", targets(dialect, name), dialect.folders);
const move = (from: string, to: string, dialect = pathDialect) =>
  world.write("PUT", targets(dialect, from, to), dialect.folders);
const copy = (from: string, to: string, dialect = pathDialect) =>
  world.write("PUT", targets(dialect, from, to), `${dialect.folders}/copy`);
const remove = (name: string, dialect = pathDialect) => world.write("DELETE", targets(dialect, name), dialect.folders);
const made = async (...names: string[]) => {
  for (const name of names) dataOf(await make(name));
};

/** The complete folder object, for names of unreserved characters. */
const objectOf = (dialect: Dialect, name: string): Any => ({
  [dialect.at]: world.id(name),
  [dialect.full]: `${root.full_path}/${world.id(name)}`,
  url: urlOf(world, name),
  full_url: `${base}/${urlOf(world, name)}`,
});

function isFolder(reply: Reply, dialect: Dialect, name: string): void {
  const data = dataOf(reply);
  assert.deepEqual(data, objectOf(dialect, name));
  assert.deepEqual(Object.keys(data), [dialect.at, dialect.full, "url", "full_url"]);
}

const missing = async (...names: string[]) => {
  for (const name of names) refused(await readFolder(world, name), 404, "folder_not_found");
};

/** The keys of a file that a move of its folder keeps: all that do not depend on the path. */
const withoutPlace = ({ dirname: _, url: __, full_url: ___, ...rest }: Any): Any => rest;
const contents = async (name: string) => {
  const { files, folders } = await tree(world, name);
  const kept = Object.entries(files).map(([path, one]) => [path, withoutPlace(one)]);
  return { files: Object.fromEntries(kept), folders };
};

async function unchangedBy(name: string, action: () => Promise<Reply>): Promise<Reply> {
  const before = await tree(world, name);
  const reply = await action();
  assert.deepEqual(await tree(world, name), before, "nothing changed");
  return reply;
}

/** A refusal because a file or folder exists. */
function isTaken(reply: Reply): void {
  const { code } = refused(reply, 409);
  assert.ok(["file_exists", "folder_exists"].includes(code), code);
}

/** Two folders and three files, with every kind of field. */
async function plantTree(name: string): Promise<void> {
  await made(`${name}/empty/deep`);
  await plantFile(world, `${name}/a.txt`, { fields: { title: "A", description: "first" } });
  await plantFile(world, `${name}/sub/b.txt`);
  await plantFile(world, `${name}/sub/pic.png`, { bytes: png({ width: 7, height: 5, kind: "grey" }) });
  const meta = { path: world.id(`${name}/sub/b.txt`), field: "tags", value: ["x", { y: 1 }] };
  dataOf(await world.write("POST", meta, "/api/files/meta"));
}

/** The state that no refused call may change. */
await plantTree("guard");
const guarded = await contents("guard");

const callers = await makeCallers(world, "folders");

for (const { at, to, folders: address } of dialects) {
  const [id, elsewhere] = [world.id("guard"), world.id("uniqueAddress")];
  callersTable(
    world,
    {
      title: `who may use ${address}`,
      resource: "folders",
      reads: [
        { path: address, query: { [at]: id } },
        { path: address, query: { [at]: id, collection: true } },
      ],
      writes: [
        { method: "POST", path: address, args: { [at]: elsewhere } },
        { method: "PUT", path: address, args: { [at]: id, [to]: elsewhere } },
        { method: "PUT", path: `${address}/copy`, args: { [at]: id, [to]: elsewhere } },
        { method: "DELETE", path: address, args: { [at]: id } },
      ],
      telling: "project/uploads",
      unchanged: async () => {
        assert.deepEqual(await contents("guard"), guarded);
        await missing("uniqueAddress");
      },
    },
    callers,
  );
}

test("the root can be read: its path is empty and its url is that of the uploads", async () => {
  for (const dialect of dialects) {
    for (const id of ["", "/"]) {
      const reply = await world.read({ [dialect.at]: id }, undefined, dialect.folders);
      const data = dataOf(reply);
      assert.deepEqual(Object.keys(data), [dialect.at, dialect.full, "url", "full_url"]);
      assert.equal(data[dialect.at], "");
      assert.equal(data.url, "project/uploads");
      assert.equal(data[dialect.full], root.full_path);
      assert.equal(data.full_url, root.full_url);
    }
  }
  assert.match(root.full_path, /^(\/|[A-Za-z]:[\\/]).*[^/]$/, "an absolute directory without a slash at the end");
  const listed = await world.read({ path: "", collection: true }, undefined, "/api/folders");
  assert.ok(dataOf(listed).some((one: Any) => one.path === p));
});

for (const dialect of dialects) {
  const { at, to, folders: address } = dialect;
  const d = at === "path" ? "p" : "m";
  const get = (name: string, more: Arguments = {}, token?: string) =>
    world.read({ [at]: world.id(name), ...more }, token, address);
  const list = async (name: string, more: Arguments = {}): Promise<string[]> =>
    dataOf(await get(name, { collection: true, ...more })).map((one: Any) => one[at].slice(world.id(name).length + 1));

  // What the store does with a path is the same in both dialects: tested in one of them.
  const storeTest = dialect === pathDialect ? test : () => undefined;
  describe(`GET ${address}`, () => {
    test("a folder is an object of exactly four texts", async () => {
      await made(`${d}/get/one`);
      isFolder(await get(`${d}/get/one`), dialect, `${d}/get/one`);
    });

    test("the other dialect sees the same folder under its own names", async () => {
      const other = dialect === pathDialect ? idDialect : pathDialect;
      dataOf(await make(`${d}/other`, dialect));
      isFolder(await readFolder(world, `${d}/other`, other), other, `${d}/other`);
      dataOf(await make(`${d}/back`, other));
      isFolder(await get(`${d}/back`), dialect, `${d}/back`);
    });

    test("path and id are synonyms and refused when they differ", async () => {
      await made(`${d}/alias`);
      for (const name of ["path", "id"]) {
        const reply = await world.read({ [name]: world.id(`${d}/alias`) }, undefined, address);
        isFolder(reply, dialect, `${d}/alias`);
      }
      const both = { path: world.id(`${d}/alias`), id: world.id(`${d}/alias`) };
      isFolder(await world.read(both, undefined, address), dialect, `${d}/alias`);
      refused(await world.read({ ...both, id: p }, undefined, address), 400, "argument_conflict", /path|id/);
    });

    test("outer slashes are trimmed", async () => {
      await made(`${d}/slash`);
      const reply = await world.read({ [at]: `//${world.id(`${d}/slash`)}/` }, undefined, address);
      isFolder(reply, dialect, `${d}/slash`);
    });

    test("an unknown folder is 404, also as a collection; so is a file", async () => {
      await plantFile(world, `${d}/notafolder/x.txt`);
      for (const name of ["nothing", `${d}/notafolder/nothing/deep`, `${d}/notafolder/x.txt`, `${d}/notafold`]) {
        for (const more of [{}, { collection: true }, { options: { collection: true } }] as Arguments[]) {
          refused(await get(name, more), 404, "folder_not_found", new RegExp(`"${at}"`));
        }
      }
    });

    test("without an id it is 400, and the detail names the argument of this dialect", async () => {
      for (const more of [{}, { collection: true }, { x: 1 }] as Arguments[]) {
        refused(await world.read(more, undefined, address), 400, "argument_missing", new RegExp(`"${at}"`));
      }
    });

    test("an id as a list or an object is refused", async () => {
      for (const value of [[p], { a: p }]) refused(await world.read({ [at]: value }, undefined, address), 400);
      refused(await world.send({ path: address, query: `${at}=${p}&${at}=x&token=${tokens.management}` }), 400);
    });

    test("HEAD answers the status and headers, and no body", async () => {
      await made(`${d}/head/x`);
      for (const more of [{}, { collection: true }] as Arguments[]) {
        const query = { [at]: world.id(`${d}/head`), token: tokens.management, ...more };
        const [got, head] = [
          await world.send({ path: address, query }),
          await world.send({ method: "HEAD", path: address, query }),
        ];
        assert.equal(head.status, 200);
        assert.equal(head.bytes.length, 0);
        for (const name of ["content-type", "etag", "cache-control"])
          assert.equal(head.headers[name], got.headers[name]);
      }
      const gone = { [at]: world.id("nothing"), token: tokens.management };
      refused(await world.send({ method: "HEAD", path: address, query: gone }), 404);
    });

    test("a delivery token reads the same", async () => {
      await made(`${d}/delivered/x`);
      for (const more of [{}, { collection: true }] as Arguments[]) {
        assert.deepEqual(
          dataOf(await get(`${d}/delivered`, more, tokens.delivery)),
          dataOf(await get(`${d}/delivered`, more)),
        );
      }
      refused(await get("nothing", {}, tokens.delivery), 404, "folder_not_found");
    });

    test("a reply must be revalidated before each use", async () => {
      const managed = await get("");
      assert.deepEqual(managed.headers["cache-control"]?.split(/\s*,\s*/).sort(), ["no-cache", "private"]);
      const delivered = await get("", {}, tokens.delivery);
      assert.match(delivered.headers["cache-control"] ?? "", /private|max-age=0/);
    });
  });

  describe(`GET ${address}, a collection`, () => {
    const names = ["B", "a", "a b", "a-b", "a.b", "a0", "b", "é", "\uffee", "😀"];
    const inOrder = [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    const asRead = ["a", "a b", "a-b", "a.b", "a0", "B", "b", "é", "\uffee", "😀"];
    const where = (key: string, expr: string, value: string): Arguments => ({ where: { key, expr, value } });

    test("it is the array of its direct subfolders, sorted by the bytes of their names", async () => {
      await made(...names.map((name) => `${d}/list/${name}`), `${d}/list/a/deep/er`);
      await plantFile(world, `${d}/list/file.txt`);
      assert.deepEqual(await list(`${d}/list`), inOrder);
      const [, a] = dataOf(await get(`${d}/list`, { collection: true }));
      assert.deepEqual(a, objectOf(dialect, `${d}/list/a`));
      assert.deepEqual(Object.keys(a), [at, dialect.full, "url", "full_url"]);
      assert.deepEqual(await list(`${d}/list/a`), ["deep"]);
      assert.deepEqual(await list(`${d}/list/a/deep/er`), []);
    });

    for (const [flag, isCollection] of [
      ["collection=true", true],
      ["collection=1", true],
      ["options[collection]=true", true],
      ["options[collection]=yes", true],
      ["options[collection]=on&collection=TRUE", true],
      ["filter=", true],
      ["filter[limit]=99", true],
      ["collection=false", false],
      ["collection=0", false],
      ["options[collection]=false", false],
      ["x=1", false],
    ] as [string, boolean][]) {
      test(`${flag} reads ${isCollection ? "a collection" : "one folder"}`, async () => {
        const query = `${at}=${world.id(`${d}/list/a`)}&token=${tokens.management}&${flag}`;
        const reply = await world.send({ path: address, query });
        const expected = isCollection ? [objectOf(dialect, `${d}/list/a/deep`)] : objectOf(dialect, `${d}/list/a`);
        assert.deepEqual(dataOf(reply), expected);
      });
    }

    test("two different flags are refused", async () => {
      for (const more of [
        { collection: true, options: { collection: false } },
        { collection: false, options: { collection: true } },
      ]) {
        refused(await get(`${d}/list`, more), 400, "argument_conflict", /collection/);
      }
    });

    test("recursive answers the folders of all depths", async () => {
      const all = await list(`${d}/list`, { options: { recursive: true } });
      assert.deepEqual([...all].sort(), [...names, "a/deep", "a/deep/er"].sort());
      assert.ok(all.indexOf("a") < all.indexOf("a/deep") && all.indexOf("a/deep") < all.indexOf("a/deep/er"));
      assert.deepEqual(await list(`${d}/list`, { options: { recursive: false } }), inOrder);
    });

    for (const [place, wrap] of [
      ["filter", (args: Arguments) => ({ filter: args })],
      ["options", (args: Arguments) => ({ options: args })],
      ["options[filter]", (args: Arguments) => ({ options: { filter: args } })],
    ] as [string, (args: Arguments) => Arguments][]) {
      test(`the filter's arguments work in ${place}`, async () => {
        const ask = (args: Arguments) => list(`${d}/list`, wrap(args));
        const value = async (args: Arguments) => dataOf(await get(`${d}/list`, { collection: true, ...wrap(args) }));
        assert.deepEqual(
          await ask(where("url", "ends_with", "b")),
          inOrder.filter((name) => name.endsWith("b")),
        );
        assert.deepEqual(await ask(where(at, "eq", world.id(`${d}/list/a b`))), ["a b"]);
        assert.deepEqual(await ask({ order_by: { field: at, direction: "desc" } }), [...asRead].reverse());
        assert.deepEqual(await ask({ limit: 2 }), inOrder.slice(0, 2));
        assert.deepEqual(await ask({ limit: 2, offset: 3 }), inOrder.slice(3, 5));
        assert.deepEqual(await ask({ limit: 0 }), []);
        assert.equal(await value({ return: "count" }), names.length);
        assert.equal(await value({ return: "exists" }), true);
        assert.equal(await value({ return: "exists", ...where("url", "eq", "nothing") }), false);
        assert.deepEqual(await value({ return: "first" }), objectOf(dialect, `${d}/list/B`));
        assert.equal((await value({ return: "last" }))[at], world.id(`${d}/list/${inOrder.at(-1)}`));
        assert.equal(await value({ return: "first", ...where("url", "eq", "nothing") }), null);
        assert.deepEqual(await value({ only: ["url"], limit: 1 }), [{ url: urlOf(world, `${d}/list/B`) }]);
        assert.deepEqual(Object.keys((await value({ except: ["url", dialect.full] }))[0]), [at, "full_url"]);
      });
    }

    test("pages give each folder once, with the total", async () => {
      const seen: string[] = [];
      let reply = await get(`${d}/list`, { collection: true, filter: { limit: 4, total: true } });
      for (let page = 0; page < 9; page++) {
        assert.equal(reply.headers["x-total-count"], String(names.length));
        seen.push(...dataOf(reply).map((one: Any) => one[at].slice(world.id(`${d}/list`).length + 1)));
        const next = /^<(\/[^>]+)>\s*;\s*rel="?next"?$/.exec(String(reply.headers.link ?? ""))?.[1];
        if (!next) break;
        assert.ok(!next.includes(tokens.management));
        reply = await world.send({ path: `${next}&token=${tokens.management}` });
      }
      assert.deepEqual(seen, inOrder);
    });

    test("invalid filters are refused", async () => {
      const wrong: [Arguments, RegExp][] = [
        [where("url", "nonsense", "x"), /expr|operator/],
        [{ where: { key: "url" } }, /where/],
        [{ return: "nonsense" }, /return/],
        [{ limit: -1 }, /limit/],
        [{ offset: "x" }, /offset/],
        [{ cursor: "nonsense" }, /cursor/],
      ];
      for (const [filter, about] of wrong) {
        refused(await get(`${d}/list`, { collection: true, filter }), 400, undefined, about);
      }
    });
  });

  describe(`POST ${address}`, () => {
    test("creating answers the folder, which is empty", async () => {
      isFolder(await make(`${d}/new`, dialect), dialect, `${d}/new`);
      isFolder(await get(`${d}/new`), dialect, `${d}/new`);
      assert.deepEqual(await tree(world, `${d}/new`), { files: {}, folders: [] });
    });

    test("parents are created", async () => {
      dataOf(await make(`${d}/par/ent/s`, dialect));
      isFolder(await get(`${d}/par`), dialect, `${d}/par`);
      isFolder(await get(`${d}/par/ent`), dialect, `${d}/par/ent`);
      refused(await make(`${d}/par/ent`, dialect), 409, "folder_exists");
    });

    test("a taken name is 409 in either dialect, and its contents are unchanged", async () => {
      await plantFile(world, `${d}/taken/x.txt`);
      for (const by of dialects) refused(await make(`${d}/taken`, by), 409, "folder_exists");
      assert.deepEqual((await tree(world, `${d}/taken`)).files["x.txt"], await file(world, `${d}/taken/x.txt`));
    });

    storeTest("the path of a file, and a path below a file, are 409", async () => {
      await plantFile(world, `${d}/clash/x.txt`);
      isTaken(await unchangedBy(`${d}/clash`, () => make(`${d}/clash/x.txt`, dialect)));
      isTaken(await unchangedBy(`${d}/clash`, () => make(`${d}/clash/x.txt/y`, dialect)));
      isTaken(await unchangedBy(`${d}/clash`, () => make(`${d}/clash/x.txt/y/z`, dialect)));
    });

    storeTest("names are kept as sent: case, spaces, Unicode, dots", async () => {
      const odd = ["Case", "case", " padded ", "日本語", "a&b=c+d?e#f", "100%", "100%41", "...", ".hidden", "x.txt"];
      await Promise.all(odd.map(async (name) => dataOf(await make(`${d}/odd/${name}`, dialect))));
      assert.deepEqual(new Set(await list(`${d}/odd`)), new Set(odd));
      for (const name of odd) {
        const data = dataOf(await get(`${d}/odd/${name}`));
        assert.equal(data[at], world.id(`${d}/odd/${name}`));
        assert.equal(data.url, urlOf(world, `${d}/odd/${name}`));
        assert.equal(decodeURIComponent(data.full_url.slice(base.length)), `/${data.url}`);
        assert.match(data.full_url, /^[\x21-\x7e]+$/);
      }
    });

    storeTest("composed and decomposed Unicode name one folder, answered composed", async () => {
      const data = dataOf(await make(`${d}/nfc/cafe\u0301`, dialect));
      assert.equal(data[at], world.id(`${d}/nfc/café`));
      refused(await make(`${d}/nfc/café`, dialect), 409, "folder_exists");
    });

    test("the other dialect's name works, and different values are refused", async () => {
      const other = at === "path" ? "id" : "path";
      isFolder(await world.write("POST", { [other]: world.id(`${d}/otherarg`) }, address), dialect, `${d}/otherarg`);
      const both = { path: world.id(`${d}/conflict`), id: world.id(`${d}/conflict2`) };
      refused(await world.write("POST", both, address), 400, "argument_conflict");
      await missing(`${d}/conflict`, `${d}/conflict2`);
    });

    test("forms work", async () => {
      const form = { ...pair, [at]: world.id(`${d}/form`) };
      isFolder(await world.send({ method: "POST", path: address, form }), dialect, `${d}/form`);
      const multipart = { ...pair, [at]: world.id(`${d}/multipart`) };
      isFolder(await world.send({ method: "POST", path: address, multipart }), dialect, `${d}/multipart`);
    });

    storeTest("of many concurrent creates of one folder, exactly one succeeds", async () => {
      const replies = await Promise.all(Array.from({ length: 10 }, () => make(`${d}/race/x/y`, dialect)));
      assert.equal(replies.filter(({ status }) => status === 200).length, 1);
      for (const reply of replies.filter(({ status }) => status !== 200)) refused(reply, 409, "folder_exists");
    });

    storeTest("concurrent creates of siblings below a missing parent all succeed", async () => {
      const names = Array.from({ length: 10 }, (_, n) => `n${n}`);
      const replies = await Promise.all(names.map((name) => make(`${d}/crowd/in/${name}`, dialect)));
      for (const reply of replies) assert.equal(reply.status, 200, reply.text);
      assert.deepEqual(await list(`${d}/crowd/in`), names);
    });
  });

  describe(`PUT ${address}`, () => {
    test("renaming answers the folder at its new path, and the old one is gone", async () => {
      await made(`${d}/ren/old`);
      isFolder(await move(`${d}/ren/old`, `${d}/ren/new`, dialect), dialect, `${d}/ren/new`);
      isFolder(await get(`${d}/ren/new`), dialect, `${d}/ren/new`);
      await missing(`${d}/ren/old`);
      assert.deepEqual(await list(`${d}/ren`), ["new"]);
    });

    test("moving includes all contents: files with every field, folders, bytes", async () => {
      await plantTree(`${d}/mv/a`);
      const before = await contents(`${d}/mv/a`);
      isFolder(await move(`${d}/mv/a`, `${d}/mv/far/a`, dialect), dialect, `${d}/mv/far/a`);
      assert.deepEqual(await contents(`${d}/mv/far/a`), before);
      assert.deepEqual(Object.keys(before.files).sort(), ["a.txt", "sub/b.txt", "sub/pic.png"]);
      const moved = await file(world, `${d}/mv/far/a/sub/b.txt`);
      assert.equal(moved.dirname, `${root.full_path}/${world.id(`${d}/mv/far/a/sub`)}`);
      assert.equal(moved.url, urlOf(world, `${d}/mv/far/a/sub/b.txt`));
      assert.equal(moved.full_url, `${base}/${moved.url}`);
      await missing(`${d}/mv/a`, `${d}/mv/a/sub`, `${d}/mv/a/empty`);
      refused(await readFile(world, `${d}/mv/a/a.txt`), 404, "file_not_found");
      assert.equal((await fetchBytes(world, `${d}/mv/far/a/sub/b.txt`)).text, "b.txt\n");
      refused(await fetchBytes(world, `${d}/mv/a/sub/b.txt`), 404);
    });

    storeTest("the target's parents are created, the source's stay", async () => {
      await made(`${d}/parents/deep/a`);
      dataOf(await move(`${d}/parents/deep/a`, `${d}/parents/new/er/a`, dialect));
      assert.deepEqual((await tree(world, `${d}/parents`)).folders.sort(), ["deep", "new", "new/er", "new/er/a"]);
    });

    storeTest("a folder moves up beside its parent", async () => {
      await plantFile(world, `${d}/up/a/b/x.txt`);
      dataOf(await move(`${d}/up/a/b`, `${d}/up/b`, dialect));
      const { files, folders } = await tree(world, `${d}/up`);
      assert.deepEqual([Object.keys(files), folders], [["b/x.txt"], ["a", "b"]]);
    });

    test("a taken target is 409 and nothing changes", async () => {
      await plantTree(`${d}/mvtaken/a`);
      await made(`${d}/mvtaken/b`);
      await plantFile(world, `${d}/mvtaken/f.txt`);
      const attempt = (target: string) =>
        unchangedBy(`${d}/mvtaken`, () => move(`${d}/mvtaken/a`, `${d}/mvtaken/${target}`, dialect));
      refused(await attempt("b"), 409, "folder_exists");
      isTaken(await attempt("f.txt"));
      isTaken(await attempt("f.txt/x"));
      await made(`${d}/mvtaken/b/c`);
      refused(
        await unchangedBy(`${d}/mvtaken`, () => move(`${d}/mvtaken/b/c`, `${d}/mvtaken/b`, dialect)),
        409,
        "folder_exists",
      );
    });

    test("a target inside the source is 409 and nothing changes", async () => {
      await plantTree(`${d}/mvself/a`);
      for (const target of ["a/x", "a/sub", "a/sub/x", "a/a"]) {
        const reply = await unchangedBy(`${d}/mvself`, () => move(`${d}/mvself/a`, `${d}/mvself/${target}`, dialect));
        refused(reply, 409, "move_into_itself");
      }
    });

    storeTest("a sibling with the same beginning is not itself", async () => {
      await plantFile(world, `${d}/alike/a/x.txt`);
      await made(`${d}/alike/ab`);
      dataOf(await move(`${d}/alike/a`, `${d}/alike/ab/c`, dialect));
      dataOf(await move(`${d}/alike/ab`, `${d}/alike/a`, dialect));
      assert.deepEqual(Object.keys((await tree(world, `${d}/alike`)).files), ["a/c/x.txt"]);
    });

    test("a target equal to the source is 200 and changes nothing", async () => {
      await plantTree(`${d}/same/a`);
      const before = await get(`${d}/same/a`);
      const reply = await unchangedBy(`${d}/same`, () => move(`${d}/same/a`, `${d}/same/a`, dialect));
      isFolder(reply, dialect, `${d}/same/a`);
      assert.equal(tagOf(await get(`${d}/same/a`)), tagOf(before));
      isFolder(await move(`${d}/same/a`, `${d}/same/a//`, dialect), dialect, `${d}/same/a`);
    });

    storeTest("only the folder moves, not LIKE matches", async () => {
      const names = ["a_b", "axb", "a%b", "A_B", "a_b-", "a_b c"];
      await plantFiles(
        world,
        names.map((name) => `${d}/like/${name}/x.txt`),
      );
      dataOf(await move(`${d}/like/a_b`, `${d}/like/z`, dialect));
      assert.deepEqual((await list(`${d}/like`)).sort(), [...names.slice(1), "z"].sort());
    });

    test("a missing source or a file is 404, and no target is created", async () => {
      await plantFile(world, `${d}/mvnone/x.txt`);
      refused(await move(`${d}/mvnone/nothing`, `${d}/mvnone/to/y`, dialect), 404, "folder_not_found");
      refused(await move(`${d}/mvnone/x.txt`, `${d}/mvnone/to/y`, dialect), 404, "folder_not_found");
      await missing(`${d}/mvnone/to`);
      assert.equal((await file(world, `${d}/mvnone/x.txt`)).filename, "x.txt");
    });

    storeTest("a path past the limits anywhere in it is refused and nothing changes", async () => {
      const deep = Array.from({ length: 20 }, () => "d").join("/");
      await made(`${d}/far/a/${deep}`);
      const target = `${d}/far/${Array.from({ length: 12 }, () => "t").join("/")}`;
      const long = "l".repeat(200);
      await made(`${d}/long/a/${long}/${long}`);
      const longTarget = `${d}/long/${long}/${long}/${long}`;
      for (const act of [move, copy]) {
        refused(await unchangedBy(`${d}/far`, () => act(`${d}/far/a`, target, dialect)), 400, "path_invalid");
        refused(await unchangedBy(`${d}/long`, () => act(`${d}/long/a`, longTarget, dialect)), 400, "path_invalid");
      }
    });

    storeTest("of two concurrent moves to one target one succeeds, the other is refused completely", async () => {
      await plantFiles(world, [`${d}/duel/a/x.txt`, `${d}/duel/b/y.txt`]);
      const replies = await Promise.all([
        move(`${d}/duel/a`, `${d}/duel/t`, dialect),
        move(`${d}/duel/b`, `${d}/duel/t`, dialect),
      ]);
      assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409]);
      const expected = replies[0]?.status === 200 ? ["b/y.txt", "t/x.txt"] : ["a/x.txt", "t/y.txt"];
      assert.deepEqual(Object.keys((await tree(world, `${d}/duel`)).files).sort(), expected);
    });

    storeTest("of many concurrent moves of one folder to different targets exactly one succeeds", async () => {
      await plantFile(world, `${d}/flock/a/x.txt`);
      const replies = await Promise.all(
        Array.from({ length: 8 }, (_, n) => move(`${d}/flock/a`, `${d}/flock/t${n}`, dialect)),
      );
      assert.equal(replies.filter(({ status }) => status === 200).length, 1);
      for (const reply of replies.filter(({ status }) => status !== 200)) refused(reply, 404, "folder_not_found");
      assert.equal((await list(`${d}/flock`)).length, 1);
      assert.equal(Object.keys((await tree(world, `${d}/flock`)).files).length, 1);
    });
  });

  describe(`PUT ${address}/copy`, () => {
    test("copying answers the copy with all contents and every field; the source stays", async () => {
      await plantTree(`${d}/cp/a`);
      const before = await tree(world, `${d}/cp/a`);
      const kept = await contents(`${d}/cp/a`);
      isFolder(await copy(`${d}/cp/a`, `${d}/cp/far/b`, dialect), dialect, `${d}/cp/far/b`);
      assert.deepEqual(await contents(`${d}/cp/far/b`), kept);
      assert.deepEqual(await tree(world, `${d}/cp/a`), before);
      assert.equal((await fetchBytes(world, `${d}/cp/far/b/sub/b.txt`)).text, "b.txt\n");
    });

    storeTest("a copy and its source are independent", async () => {
      await plantTree(`${d}/apart/a`);
      dataOf(await copy(`${d}/apart/a`, `${d}/apart/b`, dialect));
      const before = await contents(`${d}/apart/b`);
      const meta = { path: world.id(`${d}/apart/a/a.txt`), field: "color", value: "red" };
      dataOf(await world.write("POST", meta, "/api/files/meta"));
      dataOf(await upload(world, { folder: `${d}/apart/a/sub`, name: "b.txt", bytes: "other\n" }));
      await made(`${d}/apart/a/more`);
      assert.deepEqual(await contents(`${d}/apart/b`), before);
      assert.equal((await remove(`${d}/apart/a`, dialect)).status, 204);
      assert.deepEqual(await contents(`${d}/apart/b`), before);
      assert.equal((await fetchBytes(world, `${d}/apart/b/sub/b.txt`)).text, "b.txt\n");
    });

    test("a taken target is 409 and nothing changes", async () => {
      await plantTree(`${d}/cptaken/a`);
      await plantFile(world, `${d}/cptaken/b/x.txt`);
      const attempt = (target: string) =>
        unchangedBy(`${d}/cptaken`, () => copy(`${d}/cptaken/a`, `${d}/cptaken/${target}`, dialect));
      refused(await attempt("b"), 409, "folder_exists");
      isTaken(await attempt("b/x.txt"));
      isTaken(await attempt("b/x.txt/y"));
    });

    test("a target inside the source is 409 and nothing changes", async () => {
      await plantTree(`${d}/cpself/a`);
      for (const target of ["a/x", "a/sub", "a/sub/x"]) {
        const reply = await unchangedBy(`${d}/cpself`, () => copy(`${d}/cpself/a`, `${d}/cpself/${target}`, dialect));
        refused(reply, 409, "move_into_itself");
      }
    });

    test("a target equal to the source is 200 and changes nothing", async () => {
      await plantTree(`${d}/cpsame/a`);
      const reply = await unchangedBy(`${d}/cpsame`, () => copy(`${d}/cpsame/a`, `${d}/cpsame/a`, dialect));
      isFolder(reply, dialect, `${d}/cpsame/a`);
    });

    test("a missing source or a file is 404", async () => {
      await plantFile(world, `${d}/cpnone/x.txt`);
      refused(await copy(`${d}/cpnone/nothing`, `${d}/cpnone/to/y`, dialect), 404, "folder_not_found");
      refused(await copy(`${d}/cpnone/x.txt`, `${d}/cpnone/to/y`, dialect), 404, "folder_not_found");
      await missing(`${d}/cpnone/to`);
    });

    storeTest("of many concurrent copies to one target exactly one succeeds", async () => {
      await plantTree(`${d}/cprace/a`);
      const replies = await Promise.all(
        Array.from({ length: 6 }, () => copy(`${d}/cprace/a`, `${d}/cprace/b`, dialect)),
      );
      assert.equal(replies.filter(({ status }) => status === 200).length, 1);
      for (const reply of replies.filter(({ status }) => status !== 200)) refused(reply, 409, "folder_exists");
      assert.deepEqual(await contents(`${d}/cprace/b`), await contents(`${d}/cprace/a`));
    });
  });

  describe(`DELETE ${address}`, () => {
    test("deleting answers 204 without a body; repeated it is 404", async () => {
      await made(`${d}/gone`);
      const reply = await remove(`${d}/gone`, dialect);
      assert.equal(reply.status, 204);
      assert.equal(reply.bytes.length, 0);
      assert.equal(reply.headers["content-type"], undefined);
      await missing(`${d}/gone`);
      refused(await remove(`${d}/gone`, dialect), 404, "folder_not_found");
    });

    storeTest("exactly its contents are deleted", async () => {
      await plantTree(`${d}/rm/a_b`);
      const neighbours = ["a-b", "axb", "A_B", "a_bc", "a_b c"];
      await plantFiles(
        world,
        neighbours.map((name) => `${d}/rm/${name}/x.txt`),
      );
      assert.equal((await remove(`${d}/rm/a_b`, dialect)).status, 204);
      assert.deepEqual((await list(`${d}/rm`)).sort(), [...neighbours].sort());
      await missing(`${d}/rm/a_b/sub`, `${d}/rm/a_b/empty/deep`);
      for (const name of ["a.txt", "sub/b.txt", "sub/pic.png"]) {
        refused(await readFile(world, `${d}/rm/a_b/${name}`), 404, "file_not_found");
        refused(await fetchBytes(world, `${d}/rm/a_b/${name}`), 404);
      }
      assert.equal((await fetchBytes(world, `${d}/rm/axb/x.txt`)).text, "x.txt\n");
    });

    storeTest("a folder created after a delete is empty", async () => {
      await plantTree(`${d}/anew`);
      await remove(`${d}/anew`, dialect);
      dataOf(await make(`${d}/anew`, dialect));
      assert.deepEqual(await tree(world, `${d}/anew`), { files: {}, folders: [] });
      refused(await readFile(world, `${d}/anew/a.txt`), 404, "file_not_found");
    });

    test("a file is not a folder", async () => {
      await plantFile(world, `${d}/rmfile/x.txt`);
      refused(await remove(`${d}/rmfile/x.txt`, dialect), 404, "folder_not_found");
      assert.equal((await file(world, `${d}/rmfile/x.txt`)).filename, "x.txt");
    });

    storeTest("of many concurrent deletes of one folder, exactly one succeeds", async () => {
      await plantTree(`${d}/rmrace`);
      const replies = await Promise.all(Array.from({ length: 8 }, () => remove(`${d}/rmrace`, dialect)));
      assert.equal(replies.filter(({ status }) => status === 204).length, 1);
      assert.equal(replies.filter(({ status }) => status === 404).length, 7);
    });
  });

  describe(`${address}: tags`, () => {
    const read = (name: string, headers: Record<string, string>, more: Arguments = {}) =>
      world.send({ path: address, query: { [at]: world.id(name), token: tokens.management, ...more }, headers });

    test("one folder and a collection answer 304 only to their tag", async () => {
      await made(`${d}/tag/x`);
      for (const more of [{}, { collection: true }] as Arguments[]) {
        const tag = tagOf(await read(`${d}/tag`, {}, more));
        for (const value of [tag, `"x", W/${tag}`, "*"]) {
          const reply = await read(`${d}/tag`, { "if-none-match": value }, more);
          assert.equal(reply.status, 304, value);
          assert.equal(reply.bytes.length, 0);
          assert.equal(reply.headers.etag, tag);
        }
        assert.equal((await read(`${d}/tag`, { "if-none-match": '"x"' }, more)).status, 200);
      }
      refused(await read("nothing", { "if-none-match": "*" }), 404, "folder_not_found");
    });

    storeTest("a collection's tag changes when a folder is created, deleted or moved", async () => {
      await made(`${d}/tags/a`);
      const tags: string[] = [];
      const note = async () => tags.push(tagOf(await read(`${d}/tags`, {}, { collection: true })));
      await note();
      await made(`${d}/tags/b`);
      await note();
      await move(`${d}/tags/b`, `${d}/tags/c`);
      await note();
      await remove(`${d}/tags/a`);
      await note();
      assert.equal(new Set(tags).size, tags.length);
    });

    storeTest("a folder's tag changes with its path and never repeats", async () => {
      await made(`${d}/never/a/b`);
      const tags: string[] = [];
      const note = async (name: string) => tags.push(tagOf(await read(name, {})));
      await note(`${d}/never/a/b`);
      await move(`${d}/never/a`, `${d}/never/z`);
      await note(`${d}/never/z/b`);
      await remove(`${d}/never/z/b`);
      await made(`${d}/never/z/b`);
      await note(`${d}/never/z/b`);
      assert.equal(new Set(tags).size, tags.length, tags.join(" "));
    });

    const writes: [string, (name: string) => Call, number][] = [
      [
        "move",
        (name) => ({ method: "PUT", path: address, json: { ...pair, ...targets(dialect, name, `${name}-n`) } }),
        200,
      ],
      [
        "copy",
        (name) => ({
          method: "PUT",
          path: `${address}/copy`,
          json: { ...pair, ...targets(dialect, name, `${name}-n`) },
        }),
        200,
      ],
      ["delete", (name) => ({ method: "DELETE", path: address, json: { ...pair, ...targets(dialect, name) } }), 204],
    ];
    for (const [what, call, status] of writes) {
      test(`If-Match on ${what}: the current tag passes, another is 412 and changes nothing`, async () => {
        const name = (n: string) => `${d}/ifm-${what}/${n}`;
        const write = (n: string, tag: string) => world.send({ ...call(name(n)), headers: { "if-match": tag } });
        await made(name("a"), name("b"), name("c"), name("other"));
        const other = tagOf(await read(name("other"), {}));
        for (const tag of ['"x"', other, '"x", W/"y"']) {
          refused(await unchangedBy(`${d}/ifm-${what}`, () => write("a", tag)), 412, "revision_mismatch");
        }
        const tag = tagOf(await read(name("a"), {}));
        assert.equal((await write("a", `"x", ${tag}`)).status, status);
        assert.equal((await write("b", "*")).status, status);
        const delivered = await world.read({ [at]: world.id(name("c")) }, tokens.delivery, address);
        assert.equal((await write("c", tagOf(delivered))).status, status, "the tag from a delivery token");
        refused(await write("nothing", "*"), 404, "folder_not_found");
        refused(await write("nothing", '"x"'), 404, "folder_not_found");
      });
    }
  });

  test(`If-Match on POST ${address}: 404 for a free path and nothing is created; 409 for a taken one`, async () => {
    await made(`${d}/ifm-taken`);
    const post = (name: string, ifMatch: string) =>
      world.send({
        method: "POST",
        path: address,
        json: { ...pair, ...targets(dialect, `${d}/${name}`) },
        headers: { "if-match": ifMatch },
      });
    for (const value of ["*", '"x"']) {
      refused(await unchangedBy(d, () => post("ifm-free", value)), 404, "folder_not_found");
      refused(await post("ifm-taken", value), 409, "folder_exists");
    }
  });

  describe(`${address}: places of the arguments`, () => {
    test("PUT, copy and DELETE accept them in the query, with the tokens", async () => {
      await made(`${d}/q/a`);
      const args = (from: string, to?: string) => targets(dialect, from, to) as Arguments;
      const send = (method: string, path: string, query: Arguments) => world.send({ method, path, query });
      const moved = await send("PUT", address, { ...pair, ...args(`${d}/q/a`, `${d}/q/b`) });
      isFolder(moved, dialect, `${d}/q/b`);
      const copied = await send("PUT", `${address}/copy`, { ...pair, ...args(`${d}/q/b`, `${d}/q/c`) });
      isFolder(copied, dialect, `${d}/q/c`);
      const headers = pairHeaders(world);
      const gone = await world.send({ method: "DELETE", path: address, query: args(`${d}/q/b`), headers });
      assert.equal(gone.status, 204, gone.text);
      assert.deepEqual(await folders(world, `${d}/q`), ["c"]);
    });

    test("the body takes precedence over the query", async () => {
      await made(`${d}/win/a`, `${d}/win/b`);
      const query = targets(dialect, `${d}/win/b`) as Arguments;
      const json = { ...pair, ...targets(dialect, `${d}/win/a`) };
      const reply = await world.send({ method: "DELETE", path: address, query, json });
      assert.equal(reply.status, 204, reply.text);
      assert.deepEqual(await folders(world, `${d}/win`), ["b"]);
    });

    test("POST carries the other methods", async () => {
      await made(`${d}/over/a`);
      const override = (method: string, json: Any) =>
        world.send({
          method: "POST",
          path: address,
          json: { ...pair, ...json },
          headers: { "x-http-method-override": method },
        });
      isFolder(await override("PUT", targets(dialect, `${d}/over/a`, `${d}/over/b`)), dialect, `${d}/over/b`);
      assert.equal((await override("DELETE", targets(dialect, `${d}/over/b`))).status, 204);
    });

    test("the other dialect's names work on writes, and different values are refused", async () => {
      await made(`${d}/names/a`);
      const [otherAt, otherTo] = at === "path" ? ["id", "new_id"] : ["path", "new_path"];
      const id = (name: string) => world.id(`${d}/names/${name}`);
      const put = (args: Record<string, string>, path = address) => world.write("PUT", args, path);
      isFolder(await put({ [otherAt]: id("a"), [otherTo]: id("b") }), dialect, `${d}/names/b`);
      isFolder(await put({ [at]: id("b"), [otherTo]: id("c") }, `${address}/copy`), dialect, `${d}/names/c`);
      for (const path of [address, `${address}/copy`]) {
        const conflict = await put({ path: id("b"), new_path: id("x"), new_id: id("y") }, path);
        refused(conflict, 400, "argument_conflict", /new_/);
        refused(await put({ path: id("b"), id: id("c"), [to]: id("x") }, path), 400, "argument_conflict");
      }
      const gone = { path: id("b"), id: id("c") };
      refused(await world.write("DELETE", gone, address), 400, "argument_conflict");
      assert.equal((await world.write("DELETE", { [otherAt]: id("b") }, address)).status, 204);
      assert.deepEqual(await folders(world, `${d}/names`), ["c"]);
    });

    test("a trailing slash means the same address", async () => {
      isFolder(await world.read({ [at]: p }, undefined, `${address}/`), dialect, "");
      await made(`${d}/trail/a`);
      const reply = await world.write("PUT", targets(dialect, `${d}/trail/a`, `${d}/trail/b`), `${address}/copy/`);
      isFolder(reply, dialect, `${d}/trail/b`);
    });
  });

  const json = (args: Record<string, unknown>) => ({ json: { ...pair, ...args } });
  const untouched = async () => {
    assert.deepEqual(await contents("guard"), guarded);
    await missing("r");
  };

  const guard = world.id("guard");
  const write = (method: string, path: string, args: Record<string, unknown>): Call => ({
    method,
    path,
    ...json(args),
  });
  /** Each argument of a write that is a path; the rest of the call is valid. */
  const writePlaces: [string, (id: unknown) => Call][] = [
    [`${at} of POST`, (id) => write("POST", address, { [at]: id })],
    [`${at} of PUT`, (id) => write("PUT", address, { [at]: id, [to]: world.id("r") })],
    [`${to} of PUT`, (id) => write("PUT", address, { [at]: guard, [to]: id })],
    [`${at} of PUT copy`, (id) => write("PUT", `${address}/copy`, { [at]: id, [to]: world.id("r") })],
    [`${to} of PUT copy`, (id) => write("PUT", `${address}/copy`, { [at]: guard, [to]: id })],
    [`${at} of DELETE`, (id) => write("DELETE", address, { [at]: id })],
  ];

  table(`${address} refuses`, world, [
    ...writePlaces.flatMap(([place, call]) => noPathRefusals(place, call, guard, untouched)),
    {
      name: "a body of another media type",
      call: { method: "POST", path: address, body: "x", type: "a/b" },
      status: 415,
    },
    { name: "JSON that ends early", call: { method: "POST", path: address, json: '{"a":' }, status: 400 },
  ]);

  const query = (id: string, more: Arguments): Call => ({
    path: address,
    query: { [at]: id, token: tokens.management, ...more },
  });
  const places: [string, (id: string) => Call][] = [
    [`${at} of GET`, (id) => query(id, {})],
    [`${at} of a collection`, (id) => query(id, { collection: true })],
    ...writePlaces,
  ];
  const wrong = [
    ...["..", ".", `../${p}`, `${p}/../x`, `${p}/..`, `${p}/guard/../../../etc/passwd`, `${p}/./x`, `${p}//x`],
    ...[`${p}\\x`, `${p}/..\\..\\x`, `${p}/a\nb`, `${p}/a\tb`, `${p}/a\x7fb`, `${p}/a\u0085b`],
    ...[`${p}/%2e%2e/x`, `${p}/..%2f..%2fx`, `${p}/${"s".repeat(256)}`, `${p}/${"é".repeat(128)}`],
    ...[
      [p, ...Array.from({ length: 32 }, () => "s")].join("/"),
      [p, ...Array.from({ length: 5 }, () => "s".repeat(210))].join("/"),
    ],
  ];
  for (const [n, [place, call]] of places.entries()) {
    test(`${address}: a path that breaks a rule is refused as ${place}`, async () => {
      // All rules in one place, in the others that the rules apply.
      for (const path of n === 0 ? wrong : wrong.slice(0, 3)) {
        const problem = refused(await world.send(call(path)), 400, "path_invalid");
        assert.ok(problem.detail.includes(`"${place.split(" ")[0]}"`), `${problem.detail} names ${place}`);
      }
      refused(await world.send(call(`${p}/a\0b`)), 400);
      await untouched();
    });
  }

  for (const [path, known] of Object.entries({
    [address]: ["DELETE", "GET", "POST", "PUT"],
    [`${address}/copy`]: ["PUT"],
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

// ------------------------------------------------------------------------------------------------ a large folder

describe("300 files in one folder", async () => {
  const names = Array.from({ length: 300 }, (_, n) => `f${String(n).padStart(3, "0")}.txt`);
  await plantFiles(
    world,
    names.slice(0, 100).map((name) => `large/a/${name}`),
  );
  await plantFiles(
    world,
    names.slice(100).map((name, n) => `large/a/s${n % 4}/${name}`),
  );
  const everything = new Set(Object.keys((await tree(world, "large/a")).files));

  test("move in one request; a reader always sees all of them at one path", async () => {
    assert.equal(everything.size, 300);
    let looks = 0;
    const look = async () => {
      const { files } = await treeAt("large");
      const paths = Object.keys(files);
      assert.equal(new Set(paths.map((path) => path[0])).size, 1, "all at one path");
      assert.deepEqual(new Set(paths.map((path) => path.slice(2))), everything);
      looks++;
    };
    const moveAbout = async () => {
      // Until the reader has looked some times; not forever where it cannot.
      for (let n = 0; n < 4 || (looks < 4 && n < 400); n++) {
        isFolder(await move("large/a", "large/b"), pathDialect, "large/b");
        isFolder(await move("large/b", "large/a", idDialect), idDialect, "large/a");
      }
    };
    await meanwhile(moveAbout(), () => Promise.all([look(), look()]));
    assert.ok(looks >= 4);
  });

  test("are copied and deleted in one request, all or none", async () => {
    const counts = new Set<number>();
    const copyAndRemove = async () => {
      dataOf(await copy("large/a", "large/c"));
      assert.equal((await remove("large/c")).status, 204);
    };
    await meanwhile(copyAndRemove(), async () => {
      const { files } = await treeAt("large");
      counts.add(Object.keys(files).filter((path) => path.startsWith("c/")).length);
    });
    for (const count of counts) assert.ok(count === 0 || count === 300, `${count} files`);
    assert.deepEqual(new Set(Object.keys((await tree(world, "large/a")).files)), everything);
  });
});

/** The files below a folder, in one read. */
async function treeAt(name: string): Promise<{ files: Record<string, Any> }> {
  const reply = await readFile(world, name, pathDialect, { collection: true, options: { recursive: true } });
  return { files: dataOf(reply) };
}

test("a file uploaded during a move of its folder moves along or stays, never lost", async () => {
  await made("meanwhile/a");
  const uploads = Array.from({ length: 16 }, (_, n) => upload(world, { folder: "meanwhile/a", name: `f${n}.txt` }));
  const replies = await Promise.all([...uploads, move("meanwhile/a", "meanwhile/b")]);
  for (const reply of replies) assert.equal(reply.status, 200, reply.text);
  const paths = Object.keys((await tree(world, "meanwhile")).files);
  assert.deepEqual(
    paths.map((path) => path.slice(2)).sort(),
    replies
      .slice(0, 16)
      .map((_, n) => `f${n}.txt`)
      .sort(),
  );
  for (const path of paths) assert.equal((await fetchBytes(world, `meanwhile/${path}`)).text, `${path.slice(2)}\n`);
});

test("two folders moved into each other concurrently never form a cycle and lose nothing", async () => {
  for (let n = 0; n < 5; n++) {
    await plantFiles(world, [`circle/${n}/a/x.txt`, `circle/${n}/b/y.txt`]);
    const at = (name: string) => `circle/${n}/${name}`;
    const replies = await Promise.all([move(at("a"), at("b/a")), move(at("b"), at("a/b"))]);
    for (const reply of replies)
      assert.equal(reply.status, 200, "the second one moves to a free path, whose parents are created");
    const paths = Object.keys((await tree(world, `circle/${n}`)).files).sort();
    const expected = [
      ["a/b/a/x.txt", "a/b/y.txt"],
      ["b/a/b/y.txt", "b/a/x.txt"],
    ];
    assert.ok(
      expected.some((these) => these.join() === paths.join()),
      paths.join(),
    );
  }
});

test("uploads during the deletion of their folder end in an existing folder or are refused", async () => {
  for (let n = 0; n < 5; n++) {
    await made(`doomed/${n}/in`);
    const uploads = Array.from({ length: 6 }, (_, m) => upload(world, { folder: `doomed/${n}/in`, name: `f${m}.txt` }));
    const replies = await Promise.all([remove(`doomed/${n}`), ...uploads]);
    assert.equal(replies[0]?.status, 204);
    for (const reply of replies.slice(1)) assert.equal(reply.status, 200, "a missing target folder is created");
    const { files, folders } = await tree(world, "doomed");
    for (const path of Object.keys(files)) assert.ok(folders.includes(path.slice(0, path.lastIndexOf("/"))), path);
  }
});

// ------------------------------------------------------------------------------------------------ random writes

/** The content of a path: a folder, or a file with this text. */
type Model = Map<string, { content?: string }>;

const within = (place: string, top: string): boolean => place === top || place.startsWith(`${top}/`);
const above = (place: string): string[] => {
  const segments = place.split("/").slice(0, -1);
  return segments.map((_, n) => segments.slice(0, n + 1).join("/"));
};
const isFile = (model: Model, place: string) => model.get(place)?.content !== undefined;
const isDirectory = (model: Model, place: string) => model.has(place) && !isFile(model, place);
const isBlocked = (model: Model, place: string) => above(place).some((name) => isFile(model, name));

function put(model: Model, place: string, content?: string): void {
  for (const name of above(place)) if (!model.has(name)) model.set(name, {});
  model.set(place, content === undefined ? {} : { content });
}

function placeFolder(model: Model, from: string, to: string, keep: boolean): number {
  if (!isDirectory(model, from)) return 404;
  if (from === to) return 200;
  if (within(to, from) || model.has(to) || isBlocked(model, to)) return 409;
  const moved = [...model].filter(([place]) => within(place, from));
  if (!keep) for (const [place] of moved) model.delete(place);
  for (const [place, { content }] of moved) put(model, to + place.slice(from.length), content);
  return 200;
}

function placeFile(model: Model, from: string, to: string, keep: boolean): number {
  const content = model.get(from)?.content;
  if (content === undefined) return 404;
  if (from === to && !keep) return 200;
  if (isBlocked(model, to) || (model.has(to) && !keep)) return 409;
  let free = to;
  for (let n = 1; model.has(free); n++) free = to.replace(/\.txt$/, `-${n}.txt`);
  if (!keep) model.delete(from);
  put(model, free, content);
  return 200;
}

function deleteAt(model: Model, place: string, isIt: (model: Model, place: string) => boolean): number {
  if (!isIt(model, place)) return 404;
  for (const name of [...model.keys()]) if (within(name, place)) model.delete(name);
  return 204;
}

/** One random write to both; answers the operation and the two statuses. */
async function step(top: string, model: Model, pick: Random, n: number): Promise<[string, number, number]> {
  const segment = () => ["a", "b", "c.txt"][pick(3)] as string;
  const folderPlace = () => Array.from({ length: 1 + pick(3) }, segment).join("/");
  const filePlace = () => [...Array.from({ length: pick(3) }, segment), ["c.txt", "d.txt"][pick(2)]].join("/");
  const some = (isIt: (model: Model, place: string) => boolean, other: string) => {
    const places = [...model.keys()].filter((place) => isIt(model, place));
    return places.length > 0 && pick(5) > 0 ? (places[pick(places.length)] as string) : other;
  };
  const dialect = dialects[pick(2)] as Dialect;
  const [file, folder] = [some(isFile, filePlace()), some(isDirectory, folderPlace())];
  const [toFile, toFolder] = [filePlace(), folderPlace()];
  const at = (name: string) => `${top}/${name}`;
  const call = async (method: string, path: string, from: string, to?: string) =>
    (await world.write(method, targets(dialect, at(from), to === undefined ? undefined : at(to)), path)).status;
  const keep = pick(2) === 0;
  const way = keep ? "/copy" : "";
  const verb = pick(12);
  if (verb < 3) {
    const expected = isBlocked(model, toFile) || isDirectory(model, toFile) ? 409 : 200;
    if (expected === 200) put(model, toFile, `${n}`);
    const parent = above(toFile).at(-1) ?? "";
    const folder = parent === "" ? top : at(parent);
    const reply = await upload(world, { folder, name: toFile.slice(toFile.lastIndexOf("/") + 1), bytes: `${n}` });
    return [`upload ${toFile}`, reply.status, expected];
  }
  if (verb < 5) {
    const expected = isBlocked(model, toFolder) || model.has(toFolder) ? 409 : 200;
    if (expected === 200) put(model, toFolder);
    return [`folder ${toFolder}`, await call("POST", dialect.folders, toFolder), expected];
  }
  if (verb < 7) {
    const expected = placeFile(model, file, toFile, keep);
    return [`file${way} ${file} ${toFile}`, await call("PUT", `${dialect.files}${way}`, file, toFile), expected];
  }
  if (verb < 10) {
    const expected = placeFolder(model, folder, toFolder, keep);
    return [
      `folder${way} ${folder} ${toFolder}`,
      await call("PUT", `${dialect.folders}${way}`, folder, toFolder),
      expected,
    ];
  }
  if (verb < 11) {
    const expected = deleteAt(model, file, isFile);
    return [`delete file ${file}`, await call("DELETE", dialect.files, file), expected];
  }
  const expected = deleteAt(model, folder, isDirectory);
  return [`delete folder ${folder}`, await call("DELETE", dialect.folders, folder), expected];
}

/** The directory on the service's disk equals the model within two seconds. */
async function diskAgrees(directory: string, model: Model): Promise<void> {
  const expected = [...model].map(([place, { content }]) => `${place} ${content ?? "/"}`).sort();
  let found: string[] = [];
  for (let n = 0; n < 40; n++) {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
    const lines = entries.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      const content = entry.isDirectory() ? "/" : await readFromDisk(path, "utf8").catch(() => "(gone)");
      return `${relative(directory, path)} ${content}`;
    });
    found = (await Promise.all(lines)).sort();
    if (found.join("\n") === expected.join("\n")) return;
    await sleep(50);
  }
  assert.deepEqual(found, expected, "the directory equals the service's replies");
}

describe("random writes agree with a model in memory, on the disk, too", () => {
  for (const seed of [1, 2, 3]) {
    test(`seed ${seed}`, async () => {
      const top = `model-${seed}`;
      await made(top);
      const model: Model = new Map();
      const pick = random(seed);
      const lines: string[] = [];
      for (let n = 0; n < 80; n++) {
        const [line, status, expected] = await step(top, model, pick, n);
        lines.push(`${line} -> ${status}`);
        assert.equal(status, expected, lines.slice(-15).join("\n"));
        if (n % 5 > 0) continue;
        const stored = await tree(world, top);
        const expectedFolders = [...model.keys()].filter((place) => isDirectory(model, place)).sort();
        assert.deepEqual([...stored.folders].sort(), expectedFolders, lines.slice(-15).join("\n"));
        const expectedFiles = [...model.keys()].filter((place) => isFile(model, place)).sort();
        assert.deepEqual(Object.keys(stored.files).sort(), expectedFiles, lines.slice(-15).join("\n"));
      }
      if (isOurs) await diskAgrees(`${root.full_path}/${world.id(top)}`, model);
      for (const [place, { content }] of model) {
        if (content !== undefined) assert.equal((await fetchBytes(world, `${top}/${place}`)).text, content, place);
      }
    });
  }
});

test("each write is one event with the folder's path, the target and the count", async () => {
  await made("told/a/sub");
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
  await world.create("both/name", { title: "T" });
  await made("both/name");
  assert.equal((await remove("both")).status, 204);
  assert.equal((await world.entry("both/name")).title, "T");
  refused(await world.write("DELETE", { path: world.id("both") }, "/api/folders"), 404, "folder_not_found");
  await made("both/name");
  assert.equal((await world.write("DELETE", { id: world.id("both/name") })).status, 204);
  assert.equal((await folder(world, "both/name")).path, world.id("both/name"));
});

allRepliesKeptTheirPromises(world);
