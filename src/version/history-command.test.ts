// Slow: it opens a store fifty times, beside a service.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startDemo } from "../../test/cli/demo.ts";

/** octavo history and octavo trash, beside a running service whose API makes the changes. */

const { folder, data, service, headers, octavo } = await startDemo();
const send = async (method: string, path: string, body: object): Promise<number> =>
  (await fetch(service.url + path, { method, headers, body: JSON.stringify(body) })).status;

/** The command's JSON. Throws if it fails. */
async function json(...words: string[]) {
  const { code, out, err } = await octavo(...words, "--json");
  assert.equal(code, 0, err);
  return JSON.parse(out);
}

/** The revision of now, as a flag. */
async function nowFlag(): Promise<string[]> {
  const events = await fetch(`${service.url}/api/events?newest=true&limit=1`, { headers });
  return ["--revision", String(((await events.json()) as { data: { sequence: number }[] }).data[0]?.sequence)];
}

const alien = ["--entry", "movies/alien"];

test("an entry's history is listed, shown and restored", async () => {
  for (const title of ["Alien 2", "Alien 3"]) {
    assert.equal(await send("PATCH", "/api/entries", { id: "movies/alien", data: { title } }), 200);
  }
  const { history } = await json("history", "list", ...alien);
  assert.equal(history.length, 2);
  const table = await octavo("history", "list", ...alien);
  assert.match(table.out, /^REVISION +MADE +BY +REPLACED +BY +SIZE\n\d+ /);
  assert.equal(table.out.split("\n").length, 3);
  const [newest, oldest] = history.map(({ revision }: { revision: number }) => String(revision));
  assert.equal((await json("history", "show", ...alien, "--revision", newest)).title, "Alien 2");
  const restored = await octavo("history", "restore", ...alien, "--revision", oldest);
  assert.equal(restored.out, `movies/alien has the content of revision ${oldest} again.`);
  assert.equal((await json("history", "show", ...alien, ...(await nowFlag()))).title, "Alien");
  const [row] = (await json("history", "list", ...alien)).history;
  assert.equal(row.replaced_by, "octavo");
  assert.equal(await send("PATCH", "/api/entries", { id: "movies/alien", data: { visibility: "hidden" } }), 200);
  const visibility = async (...more: string[]) =>
    (await json("history", "restore", ...alien, "--revision", oldest, ...more)).visibility;
  assert.deepEqual([await visibility(), await visibility("--state")], ["hidden", "visible"]);
  for (const revision of [1, 999_999]) {
    const missing = await octavo("history", "show", ...alien, "--revision", String(revision));
    assert.equal(missing.code, 1);
    assert.match(missing.err, new RegExp(`"revision" was ${revision}; the history of "movies/alien" has no content`));
  }
});

test("a subtree is restored as of a time", async () => {
  const later = ["--subtree", "--at", "2090-01-01"];
  assert.deepEqual(await json("history", "restore", "--entry", "movies", ...later), { restored: 0 });
  assert.deepEqual(await json("history", "restore", "--entry", "movies", ...later, "--state"), { restored: 0 });
  const root = await octavo("history", "restore", "--entry", "", ...later);
  assert.equal(root.out, "0 entries have the content of 2090-01-01 00:00:00Z again.");
});

test("a file's fields are shown, its bytes written to a new file, both restored", async () => {
  const file = ["--file", "movies/solaris.jpg"];
  const title = { path: "movies/solaris.jpg", field: "title", value: "Changed" };
  assert.equal(await send("PATCH", "/api/files/meta", title), 200);
  const [{ revision }] = (await json("history", "list", ...file)).history;
  const at = [...file, "--revision", String(revision)];
  const shown = await json("history", "show", ...at);
  assert.deepEqual([shown.path, shown.title, shown.meta], ["movies/solaris.jpg", "Over the ocean", {}]);
  const out = join(folder, "solaris.jpg");
  assert.deepEqual(await json("history", "show", ...at, "--out", out), { file: out, bytes: shown.filesize });
  assert.deepEqual(readFileSync(out), readFileSync(join(data, "uploads", "movies", "solaris.jpg")));
  const again = await octavo("history", "show", ...at, "--out", out);
  assert.deepEqual([again.code, again.err], [1, `octavo: ${out} is there already; choose another name`]);
  assert.equal((await json("history", "restore", ...at)).bytes, shown.filesize);
  assert.equal((await json("history", "show", ...file, ...(await nowFlag()))).title, "Over the ocean");
});

test("a deleted registry item is restored by its key", async () => {
  const item = ["--registry", "site.per_page"];
  assert.equal(await send("DELETE", "/api/registry", { id: "site.per_page" }), 204);
  const [{ revision }] = (await json("history", "list", ...item)).history;
  const at = [...item, "--revision", String(revision)];
  assert.deepEqual(await json("history", "show", ...at), { key: "site.per_page", value: 10 });
  assert.equal((await octavo("history", "restore", ...at)).code, 0);
  assert.deepEqual(await json("registry", "get", "site.per_page"), { key: "site.per_page", value: 10 });
  assert.equal((await octavo("history", "list", "--registry", "site.nothing")).out, "There is no history.");
});

test("the trash is listed, filtered, restored where it was and elsewhere, and purged", async () => {
  assert.equal((await octavo("trash", "list")).out, "There is nothing in the trash.");
  assert.equal(await send("DELETE", "/api/entries", { id: "authors" }), 204);
  assert.equal(await send("DELETE", "/api/folders", { path: "movies" }), 204);
  const [folderItem, authors] = (await json("trash", "list")).items;
  assert.deepEqual([folderItem.noun, folderItem.path, folderItem.count], ["folder", "movies", 3]);
  assert.deepEqual((await json("trash", "list", "--noun", "entry", "--search", "AUTH")).items, [authors]);
  assert.match((await octavo("trash", "list")).out, /^ID +NOUN +PATH +COUNT +SIZE +DELETED +BY +EXPIRES\n/);

  const elsewhere = await json("trash", "restore", String(authors.id), "--to", "archive/authors");
  assert.deepEqual([elsewhere.path, elsewhere.count], ["archive/authors", authors.count]);
  const gone = await octavo("trash", "restore", String(authors.id));
  assert.equal(gone.code, 1);
  assert.match(gone.err, /there is no such item in the trash/);
  const there = await octavo("trash", "restore", String(folderItem.id));
  assert.match(there.out, /^The folder is at movies again/);
  assert.equal((await fetch(`${service.url}/project/uploads/movies/solaris.jpg`)).status, 200);

  assert.equal(await send("DELETE", "/api/entries", { id: "archive/authors" }), 204);
  const [item] = (await json("trash", "list")).items;
  assert.deepEqual(await json("trash", "purge", String(item.id)), { id: item.id, purged: true });
  assert.deepEqual((await json("trash", "list")).items, []);
});

test("the trash is emptied, as a whole or in part, and only after a yes", async () => {
  for (const id of ["articles/colophon", "movies/alien", "movies/arrival"]) {
    assert.equal(await send("DELETE", "/api/entries", { id }), 204);
  }
  const refused = await octavo("trash", "empty");
  assert.deepEqual([refused.code, refused.err], [2, "octavo: --yes is missing; without a terminal it is required"]);
  assert.deepEqual(await json("trash", "empty", "--search", "articles", "--yes"), { purged: 1 });
  assert.equal((await octavo("trash", "empty", "--yes")).out, "2 items are deleted for good.");
  assert.equal((await octavo("trash", "empty", "--yes")).out, "There is nothing in the trash.");
});

const wrong: [words: string[], message: RegExp][] = [
  [["history", "list"], /nothing is named; expected one of --entry, --file, --registry/],
  [["history", "list", ...alien, "--file", "a"], /several things are named/],
  [["history", "list", "--entry", "a/../b"], /--entry was "a\/\.\.\/b"/],
  [["history", "show", ...alien], /--revision is missing/],
  [["history", "restore", ...alien, "--revision", "x"], /--revision was "x"; expected an integer from 1/],
  [["history", "show", ...alien, "--revision", "9", "--out", "a"], /--out needs --file/],
  [["history", "restore", "--file", "a", "--revision", "9", "--state"], /--state is for --entry/],
  [["history", "restore", ...alien, "--at", "2026-01-01"], /--entry ID --subtree --at TIME/],
  [["history", "restore", ...alien, "--subtree", "--at", "soon"], /--at was "soon"/],
  [["trash", "restore", "x"], /ID was "x"; expected the number of an item/],
  [["trash", "restore", "1", "--to", "../a"], /--to was "\.\.\/a"/],
  [["trash", "list", "--noun", "page"], /--noun was "page"; expected one of entry, folder, file/],
];

test("a wrong flag is named, with exit code 2", async () => {
  for (const [words, message] of wrong) {
    const { code, err } = await octavo(...words);
    assert.equal(code, 2, words.join(" "));
    assert.match(err, message);
  }
});
