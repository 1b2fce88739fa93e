import assert from "node:assert/strict";
import { before, test } from "node:test";
import { accessOf } from "../../src/core/access/access.ts";
import { standardExtensions } from "../../src/core/bytes/media-type.ts";
import { wholeText } from "../../src/core/lib/long-text.ts";
import { parseCollection } from "../../src/core/list/list.ts";
import { isWithin, type Path } from "../../src/core/path.ts";
import { Problem } from "../../src/core/problem.ts";
import type { ConflictPolicy, File } from "../../src/file/file.ts";
import { parseMetaChange } from "../../src/file/meta.ts";
import { atEnd, closing, meanwhile } from "../ending.ts";
import { fc } from "../fast-check.ts";
import { orLong } from "../long.ts";
import { at, type Uploads } from "./uploads.ts";

const path = (text: string) => text as Path;
const address = { root: "/uploads", base: "http://test" };
const management = accessOf({ kind: "management" }, 1000);
const refused = (code: string) => (error: unknown) => error instanceof Problem && error.code === code;
const codeOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "done",
    (error) => (error instanceof Problem ? error.code : Promise.reject(error)),
  );

/** The contract of every store of folders and files. */
export function fileStoreSuite(name: string, open: () => Promise<Uploads>): void {
  let uploads: Uploads;
  before(async () => {
    uploads = await open();
  });
  atEnd(() => closing(uploads.store, async () => assert.deepEqual(await uploads.verify(), [])));
  const files = () => uploads.store.files;
  const folders = () => uploads.store.folders;
  const names = async (folder: string, args: [string, string][] = []): Promise<string[]> => {
    const bounds = { maxLimit: 10_000, defaultLimit: 10_000, isKeyed: true };
    const query = parseCollection(path(folder), new Map(args), bounds);
    return Object.keys(JSON.parse(wholeText((await files().list(query, address, management)).json)));
  };

  test(`${name}: an uploaded file and its folders are read back as returned`, async () => {
    const made = await uploads.upload("one/two/a.txt", "hello");
    const found = (await files().find(path("one/two/a.txt"))) as File;
    const row = { id: 0, folder: 0, isUnindexed: false };
    assert.deepEqual({ ...found, ...row }, { ...made, ...row });
    assert.equal(found.size, 5);
    assert.ok((await folders().find(path("one"))) && (await folders().find(path("one/two"))));
    assert.equal(await files().find(path("one/two")), undefined);
  });

  test(`${name}: equal bytes are stored once, whatever the file names`, async () => {
    const before = await uploads.store.ledger.size();
    const made = await Promise.all([1, 2, 3, 4].map((n) => uploads.upload(`same/${n}.txt`, "the very same bytes")));
    assert.equal(new Set(made.map(({ hash }) => hash)).size, 1);
    assert.equal((await uploads.store.ledger.size()) - before, 19);
  });

  test(`${name}: of concurrent uploads of one name "suffix" keeps all, "replace" and "fail" one`, async () => {
    const race = (folder: string, onConflict: ConflictPolicy) =>
      Promise.allSettled(
        [..."abcdefgh"].map((text) => uploads.upload(`${folder}/x.txt`, text.repeat(9), { onConflict })),
      );
    const kept = await race("race-suffix", "suffix");
    assert.equal(new Set(kept.map((result) => result.status === "fulfilled" && result.value.path)).size, 8);
    assert.deepEqual((await names("race-suffix")).length, 8);
    await race("race-replace", "replace");
    assert.deepEqual(await names("race-replace"), ["x.txt"]);
    const failed = await race("race-fail", "fail");
    assert.equal(failed.filter(({ status }) => status === "fulfilled").length, 1);
  });

  test(`${name}: of racing uploads of names that become one each has its file, through trash and copies of folders`, async () => {
    const rule = { onConflict: "replace", onOther: "suffix" } as const;
    const send = async (sent: string, text = sent) => (await uploads.upload(`sent/${sent}`, text, rule)).path;
    const sent = ["n.TXT", "n.txt", " n.txt", "n.txt "];
    const got = new Map<string, string>();
    for (const one of await Promise.all([...sent, ...sent].map(async (name) => [name, await send(name)] as const))) {
      assert.equal(got.get(one[0]) ?? one[1], one[1]);
      got.set(...one);
    }
    assert.equal(new Set(got.values()).size, 4);
    const { revision } = await files().delete(path(got.get("n.TXT") as string), { to: "trash" }, at(1));
    await uploads.store.trash.restore(revision, { newPath: undefined, extensions: standardExtensions }, at(1));
    assert.equal(await send("n.TXT", "again"), got.get("n.TXT"));
    await folders().copy(path("sent"), { newPath: path("sent-copy") }, at(1));
    const copied = await files().find(path(`${got.get("n.TXT")}`.replace("sent/", "sent-copy/")));
    assert.deepEqual([copied?.sentName, copied?.givenName], [null, null]);
    const gone = await folders().delete(path("sent"), { to: "trash" }, at(1));
    await uploads.store.trash.restore(
      gone.revision,
      { newPath: path("sent-back"), extensions: standardExtensions },
      at(1),
    );
    for (const [name, place] of got)
      assert.equal((await files().find(path(place.replace("sent/", "sent-back/"))))?.sentName, name);
  });

  test(`${name}: a free number is found with one query, even after a thousand taken ones`, async () => {
    await uploads.upload("many/x.txt", "x");
    for (let n = 0; n < 300; n++)
      await files().copy(path("many/x.txt"), { newPath: path("many/x.txt"), extensions: standardExtensions }, at(1));
    assert.ok(await files().find(path("many/x-300.txt")));
    await files().delete(path("many/x-1.txt"), { to: "trash" }, at(1));
    const copy = await files().copy(
      path("many/x.txt"),
      { newPath: path("many/x.txt"), extensions: standardExtensions },
      at(1),
    );
    assert.equal(copy.path, "many/x-1.txt");
  });

  test(`${name}: concurrent additions of different fields are all kept`, async () => {
    await uploads.upload("meta/a.txt", "a");
    const keys = Array.from({ length: 40 }, (_, i) => `key${i}`);
    await Promise.all(keys.map((key) => files().change(path("meta/a.txt"), parseMetaChange("add", key, key), at(1))));
    const meta = JSON.parse((await files().find(path("meta/a.txt")))?.meta ?? "{}");
    assert.deepEqual(Object.keys(meta).sort(), keys.sort());
  });

  const many = orLong(1000, 10_000);
  test(`${name}: ${many} files are moved, copied and deleted atomically for readers`, {
    timeout: 120_000,
  }, async () => {
    const { upload, store } = uploads;
    // Including the first one, and within the limit of a collection.
    const all = Math.min(many + 1, 10_000);
    const first = await upload("big/0/f.txt", "shared");
    const input = { onConflict: "fail", title: undefined, description: undefined, image: undefined } as const;
    const { generation } = await store.ledger.keep(first.hash, first.size, 1);
    const facts = { type: first.type, hash: first.hash, generation, size: first.size };
    for (let from = 0; from < many; from += 1000) {
      await Promise.all(
        Array.from({ length: 1000 }, (_, i) =>
          store.files.put(path(`big/${(from + i) % 10}`), { ...input, ...facts, name: `${from + i}.txt` }, at(1)),
        ),
      );
    }
    await meanwhile(folders().move(path("big"), { newPath: path("there/big") }, at(5)), async () => {
      const [old, moved] = [await files().find(path("big/3/3.txt")), await files().find(path("there/big/3/3.txt"))];
      assert.ok(old || moved, "a file was nowhere during a move");
      // The folder may move between the two reads.
      const count = (await names(old ? "big/3" : "there/big/3").catch(() => [])).length;
      if (count > 0) assert.equal(count, many / 10);
    });
    assert.equal(await folders().find(path("big")), undefined);
    assert.equal((await names("there/big", [["recursive", "1"]])).length, all);
    await folders().copy(path("there/big"), { newPath: path("copy") }, at(6));
    await folders().delete(path("there"), { to: "trash" }, at(7));
    assert.equal((await names("copy", [["recursive", "1"]])).length, all);
    await folders().delete(path("copy"), { to: "trash" }, at(8));
    assert.equal(await files().find(path("copy/3/3.txt")), undefined);
  });

  test(`${name}: a move that would exceed a limit is refused and changes nothing`, async () => {
    const deep = Array.from({ length: 30 }, (_, i) => `d${i}`).join("/");
    await uploads.upload(`${deep}/f.txt`, "deep");
    await assert.rejects(folders().move(path("d0"), { newPath: path("x/y/z") }, at(1)), refused("path_invalid"));
    await assert.rejects(folders().copy(path("d0"), { newPath: path("x/y/z") }, at(1)), refused("path_invalid"));
    assert.equal(await folders().find(path("x")), undefined);
    assert.ok(await files().find(path(`${deep}/f.txt`)));
  });

  test(`${name}: random operations agree with a small model`, { timeout: 120_000 }, async () => {
    const segment = fc.constantFrom("a", "b", "a-b", "ä");
    const folderPath = fc.array(segment, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
    const filePath = fc
      .tuple(folderPath, fc.constantFrom("f.txt", "g.txt", "a"))
      .map(([top, last]) => `${top}/${last === "a" ? "f.txt" : last}`);
    const operation = fc.oneof(
      fc.record({ do: fc.constant("folder" as const), path: folderPath }),
      fc.record({
        do: fc.constantFrom("moveFolder" as const, "copyFolder" as const),
        path: folderPath,
        to: folderPath,
      }),
      fc.record({ do: fc.constant("deleteFolder" as const), path: folderPath }),
      fc.record({ do: fc.constant("upload" as const), path: filePath, text: segment }),
      fc.record({ do: fc.constantFrom("moveFile" as const, "copyFile" as const), path: filePath, to: filePath }),
      fc.record({ do: fc.constant("deleteFile" as const), path: filePath }),
      fc.record({ do: fc.constant("changeFile" as const), path: filePath, text: segment }),
    );
    let round = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 25 }), async (operations) => {
        const top = `model${round++}`;
        const model = new Model(top);
        await folders().create(path(top), at(1));
        for (const step of operations) {
          const [from, to] = [`${top}/${step.path}`, "to" in step ? `${top}/${step.to}` : ""];
          const expected = model.apply(step.do, from, to, "text" in step ? step.text : "");
          assert.equal(
            await codeOf(run(step.do, path(from), path(to), "text" in step ? step.text : "")),
            expected,
            JSON.stringify(step),
          );
        }
        for (const [file, text] of model.files) {
          const found = await files().find(path(file));
          assert.equal(found && (await contentOf(found)), text, file);
        }
        assert.deepEqual(
          new Set(await names(top, [["recursive", "1"]])),
          new Set([...model.files.keys()].map((file) => file.slice(top.length + 1))),
        );
        for (const folder of model.folders) assert.ok(await folders().find(path(folder)), folder);
      }),
      { numRuns: orLong(15, 200) },
    );
  });

  function run(verb: Verb, from: Path, to: Path, text: string): Promise<unknown> {
    switch (verb) {
      case "folder":
        return folders().create(from, at(1));
      case "moveFolder":
        return folders().move(from, { newPath: to }, at(1));
      case "copyFolder":
        return folders().copy(from, { newPath: to }, at(1));
      case "deleteFolder":
        return folders().delete(from, { to: "trash" }, at(1));
      case "upload":
        return uploads.upload(from, text);
      case "moveFile":
        return files().move(from, { newPath: to, extensions: standardExtensions }, at(1));
      case "copyFile":
        return files().copy(from, { newPath: to, extensions: standardExtensions }, at(1));
      case "deleteFile":
        return files().delete(from, { to: "trash" }, at(1));
      case "changeFile":
        return changeTitle(from, text);
    }
  }

  const changeTitle = (from: Path, text: string) =>
    files().change(from, parseMetaChange("update", "title", text), at(1));

  async function contentOf(file: File): Promise<string> {
    const bytes = await uploads.blobs.open(file.hash, file.size);
    return Buffer.from(bytes as Uint8Array).toString();
  }
}

type Verb =
  | "folder"
  | "moveFolder"
  | "copyFolder"
  | "deleteFolder"
  | "upload"
  | "moveFile"
  | "copyFile"
  | "deleteFile"
  | "changeFile";

/** Folders and files as sets of paths: slow, simple and correct. */
class Model {
  readonly folders: Set<string>;
  readonly files = new Map<string, string>();

  constructor(top: string) {
    this.folders = new Set([top]);
  }

  apply(verb: Verb, from: string, to: string, text: string): string {
    const { files, folders } = this;
    const isFolderVerb = /older$/.test(verb);
    if (verb === "folder") return this.taken(from) ?? this.blocked(from) ?? this.done(() => this.make(from));
    if (verb === "upload") {
      if (folders.has(from)) return "folder_exists";
      return this.blocked(from) ?? this.done(() => this.write(from, text));
    }
    if (isFolderVerb ? !folders.has(from) : !files.has(from))
      return isFolderVerb ? "folder_not_found" : "file_not_found";
    if (verb === "changeFile") return "done";
    if (verb === "deleteFolder" || verb === "deleteFile") return this.done(() => this.remove(from));
    if (verb === "copyFile") return this.copyFile(from, to);
    if (from === to) return "done";
    if (isFolderVerb && isWithin(path(to), path(from))) return "move_into_itself";
    const refusal = this.taken(to) ?? this.blocked(to);
    return refusal ?? this.done(() => this.transfer(from, to, verb.startsWith("move")));
  }

  private copyFile(from: string, to: string): string {
    let free = to;
    for (let n = 1; this.taken(free); n++) free = to.replace(/\.txt$/, `-${n}.txt`);
    return this.blocked(free) ?? this.done(() => this.write(free, this.files.get(from) as string));
  }

  private done(change: () => void): string {
    change();
    return "done";
  }

  private taken(at: string): string | undefined {
    if (this.folders.has(at)) return "folder_exists";
    return this.files.has(at) ? "file_exists" : undefined;
  }

  private parents(at: string): string[] {
    const parts = at.split("/");
    return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join("/"));
  }

  private blocked(at: string): string | undefined {
    return this.parents(at).some((above) => this.files.has(above)) ? "file_exists" : undefined;
  }

  private make(at: string): void {
    for (const above of [...this.parents(at), at]) this.folders.add(above);
  }

  private write(at: string, text: string): void {
    for (const above of this.parents(at)) this.folders.add(above);
    this.files.set(at, text);
  }

  private remove(at: string): void {
    for (const folder of [...this.folders]) if (isWithin(path(folder), path(at))) this.folders.delete(folder);
    for (const file of [...this.files.keys()]) if (isWithin(path(file), path(at))) this.files.delete(file);
  }

  private transfer(from: string, to: string, isMove: boolean): void {
    const within = (at: string) => isWithin(path(at), path(from));
    const [folders, files] = [[...this.folders].filter(within), [...this.files].filter(([at]) => within(at))];
    if (isMove) this.remove(from);
    for (const folder of folders) this.make(to + folder.slice(from.length));
    for (const [file, text] of files) this.write(to + file.slice(from.length), text);
  }
}
