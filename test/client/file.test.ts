import assert from "node:assert/strict";
import { openAsBlob, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { temporaryFolder } from "../harness.ts";
import { gather, refusal, textFile, useClients } from "./service.ts";

const clients = useClients({ locales: "en,de,de-AT" });
const folder = temporaryFolder();

before(async () => {
  await clients.world.ready;
  for (const name of ["a.txt", "b.txt", "c.txt"]) await clients.manager.files.upload("texts", textFile(name));
});

test("an upload answers the file object, and its bytes are served", async () => {
  const { files, fileUrl } = clients.manager;
  const made = await files.upload("notes", textFile("Hello World.txt", "hello"), { title: "T", description: "D" });
  assert.equal(made.filename, "hello-world.txt");
  assert.equal(made.path, "notes/hello-world.txt");
  assert.deepEqual([made.title, made.description, made.filesize, made.type], ["T", "D", 5, "text/plain"]);
  assert.equal(await (await fetch(made.full_url)).text(), "hello");
  assert.equal(fileUrl("notes/hello-world.txt"), made.full_url);
  assert.deepEqual(await clients.visitor.files.fetch("notes/hello-world.txt"), made);
});

test("the option `name` names a blob without a name, such as one read from disk", async () => {
  const path = join(folder, "on-disk");
  writeFileSync(path, "from the disk");
  const made = await clients.manager.files.upload("", await openAsBlob(path), { name: "read.txt" });
  assert.equal(await (await fetch(made.full_url)).text(), "from the disk");
});

test("an upload to a taken name replaces, fails or gets a number, by option", async () => {
  const { files } = clients.manager;
  const first = await files.upload("same", textFile("x.txt", "1"));
  const second = await files.upload("same", textFile("x.txt", "2"), { ifMatch: first });
  assert.notEqual(second.version, first.version);
  await refusal(files.upload("same", textFile("x.txt"), { onConflict: "fail" }), "file_exists");
  assert.equal((await files.upload("same", textFile("x.txt"), { onConflict: "suffix" })).filename, "x-1.txt");
  await refusal(files.upload("same", textFile("x.txt"), { ifMatch: first }), "revision_mismatch");
});

test("the files of a folder are listed, filtered, iterated and counted; subfolders with depth", async () => {
  const { files } = clients.visitor;
  const names = (items: { filename: string }[]) => items.map(({ filename }) => filename);
  const page = await files.list("texts", { limit: 2, total: true });
  assert.deepEqual(names(page.items), ["a.txt", "b.txt"]);
  assert.equal(page.total, 3);
  const next = await files.list("texts", { limit: 2, cursor: page.cursor });
  assert.deepEqual([names(next.items), next.cursor], [["c.txt"], undefined]);
  assert.deepEqual(names(await gather(files.each("texts", { limit: 1, sort: "-filename" }))), [
    "c.txt",
    "b.txt",
    "a.txt",
  ]);
  const some = await files.list("texts", { filter: (where) => where("basename").in(["a", "c"]) });
  assert.deepEqual(names(some.items), ["a.txt", "c.txt"]);
  assert.equal(await files.count("texts"), 3);
  assert.equal(await files.count(""), (await files.list("")).items.length);
  assert.ok((await files.count("", { recursive: true })) >= 3);
});

test("the name as sent comes where it is asked for, of files that entries include, too", async () => {
  const { files, entries } = clients.manager;
  await files.upload("sent", textFile("A b.txt"));
  await entries.create("sent", { file: "sent/a-b.txt" });
  await entries.create("sent/one", { file: "sent/a-b.txt" });
  const asked = { sentName: true };
  const one = await entries.fetch("sent", { include: ["file"], ...asked });
  const list = await entries.list("sent", { include: ["file"], ...asked });
  const all = [
    await files.fetch("sent/a-b.txt", asked),
    ...(await files.list("sent", asked)).items,
    one.included.files["sent/a-b.txt"],
    list.included.files["sent/a-b.txt"],
  ];
  assert.deepEqual(
    all.map((file) => file?.sent_name),
    Array(4).fill("A b.txt"),
  );
  assert.equal((await files.fetch("sent/a-b.txt")).sent_name, undefined);
});

test("a file is moved, copied and deleted", async () => {
  const { files } = clients.manager;
  await files.upload("from", textFile("m.txt"));
  const moved = await files.move("from/m.txt", "to/n.txt");
  assert.equal(moved.filename, "n.txt");
  assert.equal((await files.copy("to/n.txt", "to/o.txt")).filename, "o.txt");
  assert.equal((await files.copy("to/n.txt", "to/o.txt")).filename, "o-1.txt");
  assert.equal(await files.delete("to/n.txt", { ifMatch: await files.fetch("to/n.txt") }), undefined);
  await refusal(files.fetch("to/n.txt"), "file_not_found");
});

test("meta fields are added, changed and removed", async () => {
  const { files } = clients.manager;
  const before = await files.upload("meta", textFile("m.txt"));
  const added = await files.meta.add("meta/m.txt", "credits.author", "A", { ifMatch: before });
  assert.deepEqual(added.credits, { author: "A" });
  const fetched = await files.fetch<{ credits: { author: string } }>("meta/m.txt");
  assert.equal(fetched.credits.author, "A");
  assert.deepEqual((await files.meta.update("meta/m.txt", "credits", [1, true])).credits, [1, true]);
  assert.equal((await files.meta.update("meta/m.txt", "title", "New")).title, "New");
  assert.ok(!("credits" in (await files.meta.delete("meta/m.txt", "credits"))));
  await refusal(files.meta.add("meta/m.txt", "x", "y", { ifMatch: before }), "revision_mismatch");
});

test("meta fields are set, read and removed in a locale, by itself and in lists", async () => {
  const { files } = clients.manager;
  const before = await files.upload("spoken", textFile("s.txt"));
  const said = await files.meta.update("spoken/s.txt", "title", "Titel", { locale: "de", ifMatch: before });
  assert.equal(said.title, "Titel");
  await files.meta.add("spoken/s.txt", "alt", "Bild", { locale: "de", ifMatch: said });
  await refusal(files.meta.update("spoken/s.txt", "title", "x", { locale: "de", ifMatch: said }), "revision_mismatch");
  assert.equal((await files.fetch("spoken/s.txt", { locale: "de-AT" })).title, "Titel");
  assert.deepEqual(await files.fetch("spoken/s.txt"), before);
  const { items } = await clients.visitor.files.list("spoken", {
    locale: "de",
    filter: (where) => where("title").eq("Titel"),
  });
  assert.deepEqual(
    items.map(({ alt }) => alt),
    ["Bild"],
  );
  assert.equal(await files.count("spoken", { filter: (where) => where("title").eq("Titel") }), 0);
  assert.equal((await files.meta.delete("spoken/s.txt", "title", { locale: "de" })).title, "s");
});

test("folders are created, fetched, listed, iterated, moved, copied and deleted", async () => {
  const { folders, files } = clients.manager;
  const made = await folders.create("shelf/one");
  assert.equal(made.path, "shelf/one");
  assert.deepEqual(await clients.visitor.folders.fetch("shelf/one"), made);
  await files.upload("shelf/one", textFile("in.txt"));
  assert.equal((await folders.copy("shelf/one", "shelf/two")).path, "shelf/two");
  const paths = (items: { path: string }[]) => items.map(({ path }) => path);
  assert.deepEqual(paths((await folders.list("shelf")).items), ["shelf/one", "shelf/two"]);
  assert.deepEqual(paths(await gather(folders.each("shelf", { limit: 1, sort: "-path" }))), ["shelf/two", "shelf/one"]);
  assert.equal((await folders.move("shelf/two", "shelf/three", { ifMatch: "*" })).path, "shelf/three");
  assert.equal((await files.fetch("shelf/three/in.txt")).filename, "in.txt");
  assert.equal(await folders.delete("shelf", { ifMatch: await folders.fetch("shelf") }), undefined);
  await refusal(folders.fetch("shelf/one"), "folder_not_found");
});
