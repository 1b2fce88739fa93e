// Slow: it imports sites into a service and into stores, and exports them.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { png, project0912, secretOf, siteWriter } from "../../test/cli/flextype.ts";
import { makeStore, runOctavo } from "../../test/cli/octavo.ts";
import { temporaryFolder, useWorld } from "../../test/harness.ts";

/** octavo import and export with --url: what they bring to a service and from it, beside what they do on its own machine. */

const folder = temporaryFolder();
const data = join(folder, "here");
const world = useWorld({ data: join(folder, "there") });
const site = siteWriter(folder);

test.before(() => makeStore(data));

// biome-ignore lint/suspicious/noExplicitAny: replies and reports as JSON.
type Shown = any;
type Report = Record<string, Shown>;

const env = () => ({ OCTAVO_TOKEN: world.token.management, OCTAVO_ACCESS_TOKEN: world.token.access });
const here = (...words: string[]) => runOctavo([...words, "--data", data], { cwd: folder });
const there = (...words: string[]) => runOctavo([...words, "--url", world.app.url], { cwd: folder, env: env() });

async function reportOf(run: typeof here, ...words: string[]): Promise<Report> {
  const { code, out, err } = await run("import", ...words, "--json");
  assert.notEqual(out, "", err);
  return { code, ...JSON.parse(out) };
}

/** What only one of the reports has: that the API sets a thing itself, and that a text that it does not keep is weak. */
const ofOne = /\bnew: the API sets\b|text is weak/;

/** What both reports have. */
const common = ({ notes, new_tokens: _, ...report }: Report): Report => ({
  ...report,
  notes: notes.filter(({ why }: { why: string }) => !ofOne.test(why)),
});
const isNew = ({ notes }: Report): [from: string, why: string][] =>
  notes
    .filter(({ why }: { why: string }) => /\bnew: the API sets\b/.test(why))
    .map(({ from, why }: { from: string; why: string }) => [from, why]);

async function get(path: string): Promise<Shown> {
  const { json } = await world.send("GET", path, { headers: { Authorization: `Bearer ${world.token.management}` } });
  return json.data;
}

test("a site of Flextype has the same report, but for what the API sets itself", async () => {
  const dir = site(project0912);
  const dry = await reportOf(there, dir, "--dry-run");
  assert.deepEqual(common(dry), common(await reportOf(here, dir, "--dry-run")));
  assert.equal((await world.send("GET", "/api/entries?id=blog", {})).status, 401);
  assert.equal((await here("verify")).code, 0);
  const [one, other] = [await reportOf(here, dir), await reportOf(there, dir)];
  assert.deepEqual(common(other), common(one));
  assert.deepEqual(isNew(dry), isNew(other));
  assert.deepEqual(isNew(other).slice(0, 3), [
    ["project/entries/blog/entry.md", "its uuid and created_at are new: the API sets them"],
    ["project/entries/blog/first/entry.md", "its uuid and created_at are new: the API sets them"],
    ["project/uploads/photos/Dot.PNG", "its time of upload is new: the API sets it"],
  ]);
  const first = await get("/api/management/entries?id=blog/first");
  assert.deepEqual([first.title, first.published_at], ["First", Date.parse("2020-05-02T11:00Z") / 1000]);
  const dot = await get("/api/files?path=photos/Dot.PNG&options[sent_name]=true");
  assert.deepEqual([dot.title, dot.description, dot.photographer, dot.sent_name], ["Dot", "A dot", "Bob", "Dot.PNG"]);
  const made: { from: string; token: string }[] = other.new_tokens;
  assert.deepEqual([made.length, made.length], [other.tokens.created, one.tokens.created]);
  const works = await fetch(`${world.app.url}/api/entries?id=blog`, {
    headers: { Authorization: `Bearer ${made.find(({ from }) => /entries/.test(from))?.token}` },
  });
  assert.equal(works.status, 200);
  const old = await fetch(`${world.app.url}/api/entries?id=blog`, {
    headers: { Authorization: `Bearer ${secretOf("e")}` },
  });
  assert.equal(old.status, 401);
  const again = [await reportOf(here, dir), await reportOf(there, dir)] as const;
  assert.deepEqual(common(again[1]).entries, common(again[0]).entries);
  assert.deepEqual(again[1].files, again[0].files);
  assert.deepEqual(again[1].folders, again[0].folders);
  assert.deepEqual(again[1].tokens, again[0].tokens);
});

test("what is there and differs is refused, skipped or replaced", async () => {
  const dir = site({
    "project/entries/a/entry.md": "---\ntitle: A\nvisibility: hidden\n---\nText",
    "project/entries/b/entry.md": "---\ntitle: B\n---\n",
    "project/uploads/x/One Two.txt": "one",
    "project/uploads/x/plain.txt": "plain",
    "project/uploads/.meta/x/plain.txt.yaml": "title: Plain\ncolour: red\nold: 1.50\n",
    "project/uploads/x/untitled.txt": "untitled",
    "project/uploads/.meta/x/untitled.txt.yaml": "title: ''\n",
  });
  const changed = site({
    "project/entries/a/entry.md": "---\ntitle: A2\n---\nText",
    "project/entries/b/entry.md": "---\ntitle: B\n---\n",
    "project/uploads/x/One Two.txt": "other",
    "project/uploads/x/plain.txt": "plain",
    "project/uploads/.meta/x/plain.txt.yaml": "title: Plainer\ncolour: blue\nnew: [1.0]\n",
    "project/uploads/x/untitled.txt": "untitled",
    "project/uploads/.meta/x/untitled.txt.yaml": "title: ''\n",
  });
  for (const words of [
    [dir],
    [changed, "--dry-run"],
    [changed],
    [changed, "--on-conflict", "skip"],
    [changed, "--on-conflict", "replace", "--dry-run"],
    [changed, "--on-conflict", "replace"],
    [changed, "--on-conflict", "replace"],
    [changed, "--into", "sub/tree"],
    [join(folder, "nowhere")],
    [changed, "--on-conflict", "perhaps"],
  ]) {
    const [one, other] = [await here("import", ...words), await there("import", ...words)];
    assert.deepEqual(other, one, words.join(" "));
  }
  const a = await get("/api/management/entries?id=a");
  assert.deepEqual([a.title, a.visibility], ["A2", "visible"]);
  const plain = await get("/api/files?path=x/plain.txt");
  assert.deepEqual([plain.title, plain.colour, plain.old, plain.new], ["Plainer", "blue", undefined, [1]]);
  const bytes = await fetch(`${world.app.url}/project/uploads/x/One%20Two.txt`);
  assert.equal(await bytes.text(), "other");
  assert.deepEqual(Object.keys(await get("/api/files?path=x")), ["One Two.txt", "plain.txt", "untitled.txt"]);
});

test("a folder of Markdown comes with its pictures; what a service refuses is named", async () => {
  const dir = site({
    "notes/one.md": "---\ntitle: One\ndate: 2024-05-01\n---\n![](dot.png)",
    "notes/dot.png": png,
    "notes/fake.png": "no picture",
    "notes/two.md": "---\ntitle: [\n---\n",
    "notes/three.md": "![](fake.png)",
  });
  const [one, other] = [
    await reportOf(here, join(dir, "notes"), "--into", "notes", "--files", "notes"),
    await reportOf(there, join(dir, "notes"), "--into", "notes", "--files", "notes"),
  ];
  assert.deepEqual(common(other), common(one));
  assert.equal(other.refused.length, 2);
});

/** The files of an export: bytes by path. */
const filesOf = (at: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(at, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .map((one) => join(one.parentPath, one.name))
      .toSorted()
      .map((path) => [path.slice(at.length), readFileSync(path, "latin1")]),
  );

test("an export has the same bytes over the API as on the service's own machine", async () => {
  const [one, other] = [join(folder, "export-here"), join(folder, "export-there")];
  const local = await runOctavo(["export", one, "--json", "--data", join(folder, "there")], { cwd: folder });
  const remote = await there("export", other, "--json");
  assert.deepEqual({ ...JSON.parse(remote.out), folder: "" }, { ...JSON.parse(local.out), folder: "" });
  assert.deepEqual(filesOf(other), filesOf(one));
  assert.ok(Object.keys(filesOf(one)).length > 15);
  const twice = await there("export", other);
  assert.deepEqual([twice.code, /is not empty; --replace replaces/.test(twice.err)], [1, true]);
  const photo = Object.keys(filesOf(other)).find((path) => /uploads\/photos/.test(path)) as string;
  const before = statSync(join(other, photo)).mtimeMs;
  assert.equal((await there("export", other, "--replace")).code, 0);
  assert.equal(statSync(join(other, photo)).mtimeMs, before);
});

const upload = async (folder: string, name: string): Promise<string> => {
  const body = new FormData();
  for (const [key, value] of Object.entries({
    folder,
    token: world.token.management,
    access_token: world.token.access,
  }))
    body.set(key, value);
  body.set("file", new Blob([name]), name);
  const reply = await fetch(`${world.app.url}/api/files`, { method: "POST", body });
  return ((await reply.json()) as Shown).data.filename;
};

test("files whose names become one come beside each other, and each stays the one that its name means", async () => {
  const names = ["a#b.txt", "a&b.txt", "a b.txt"];
  const folders = ["same/a", "same/b", "same/c"];
  for (const at of folders) for (const name of names) await upload(at, name);
  const sent = async () =>
    Promise.all(folders.map((path) => get(`/api/files?path=${path}&options[sent_name]=1&options[only][]=sent_name`)));
  const before = await sent();
  const dir = join(folder, "same");
  assert.equal((await there("export", dir)).code, 0);
  const body = JSON.stringify({ path: "same", token: world.token.management, access_token: world.token.access });
  await world.send("DELETE", "/api/folders", { body, headers: { "Content-Type": "application/json" } });
  const { code, files, conflicts } = await reportOf(there, dir);
  assert.deepEqual([code, files.created, conflicts], [0, 9, []]);
  assert.deepEqual(await sent(), before);
  for (const at of folders)
    assert.deepEqual(
      [await upload(at, "a&b.txt"), await upload(at, "a b.txt"), await upload(at, "a#b.txt")],
      ["a-b-1.txt", "a-b-2.txt", "a-b.txt"],
    );
});

test("files of a project whose names become one are no conflict", async () => {
  const names = ["a b.txt", "a#b.txt", "a-b.txt", "a-b-1.txt"];
  const at = ["x", "y", "z"].flatMap((folder) => names.map((name) => `project/uploads/alike/${folder}/${name}`));
  const { code, files, conflicts } = await reportOf(there, site(Object.fromEntries(at.map((path) => [path, path]))));
  assert.deepEqual([code, files.created, conflicts], [0, 12, []]);
  assert.deepEqual(Object.keys(await get("/api/files?path=alike/x")).toSorted(), names.toSorted());
});

test("a field of a client that has the name of the one as sent is exported over the API, too", async () => {
  await upload("own", "A b.txt");
  const own = { path: "own/a-b.txt", field: "sent_name", value: "own" };
  const body = JSON.stringify({ ...own, token: world.token.management, access_token: world.token.access });
  await world.send("POST", "/api/files/meta", { body, headers: { "Content-Type": "application/json" } });
  const [one, other] = [join(folder, "own-here"), join(folder, "own-there")];
  await runOctavo(["export", one, "--data", join(folder, "there")], { cwd: folder });
  assert.equal((await there("export", other)).code, 0);
  assert.match(readFileSync(join(one, "project/uploads/.meta/own/a-b.txt.yaml"), "utf8"), /^sent_name: own$/m);
  assert.deepEqual(filesOf(other), filesOf(one));
});

test("lists of several pages are exported whole", async () => {
  const numbers = Array.from({ length: 130 }, (_, i) => i);
  const dir = site(
    Object.fromEntries(
      numbers.flatMap((i): [string, string][] => [
        [`project/entries/many/n${i}/entry.md`, `---\ntitle: N${i}\n---\n`],
        [`project/uploads/many/f${i}/file.txt`, `file ${i}`],
      ]),
    ),
  );
  const { entries, files, folders } = await reportOf(there, dir, "--on-conflict", "replace");
  assert.deepEqual([entries.created, files.created, folders.created], [130, 130, 131]);
  const [one, other] = [join(folder, "many-here"), join(folder, "many-there")];
  const local = await runOctavo(["export", one, "--json", "--data", join(folder, "there")], { cwd: folder });
  const remote = await there("export", other, "--json");
  assert.deepEqual({ ...JSON.parse(remote.out), folder: "" }, { ...JSON.parse(local.out), folder: "" });
  assert.deepEqual(filesOf(other), filesOf(one));
});

test("a token whose writes are staged brings drafts, and replaces nothing", async () => {
  const { secret } = await world.issue("management", ["entries"], { writes: "staged" });
  const staged = (...words: string[]) =>
    runOctavo([...words, "--url", world.app.url], { cwd: folder, env: { ...env(), OCTAVO_TOKEN: secret } });
  const draft = site({ "project/entries/proposed/entry.md": "---\ntitle: Proposed\nvisibility: draft\n---\n" });
  const live = site({ "project/entries/live/entry.md": "---\ntitle: Live\n---\n" });
  assert.match((await staged("import", draft, "--dry-run")).out, /^entries: 1 created$/m);
  assert.match((await staged("import", draft)).out, /^entries: 1 created$/m);
  assert.match((await staged("import", draft, "--on-conflict", "skip")).out, /^entries: 1 skipped$/m);
  for (const words of [[draft, "--on-conflict", "replace"], [live]]) {
    const { code, err } = await staged("import", ...words);
    assert.deepEqual([code, /OCTAVO_TOKEN is good, but not for this; .* writes:all/.test(err)], [1, true], err);
  }
});
