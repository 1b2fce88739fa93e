// Slow: it starts a service for each kind of import.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { png, siteWriter } from "../../test/cli/flextype.ts";
import { makeStore, runOctavo, startOctavo } from "../../test/cli/octavo.ts";
import { temporaryFolder } from "../../test/harness.ts";

/** octavo import of folders that static site generators and note takers wrote: nothing is changed or lost unsaid. */

const folder = temporaryFolder();

type About = { from: string; why: string };
let number = 0;

const site = siteWriter(folder);

async function octavo(words: string[], at: string) {
  const { code, out, err } = await runOctavo([...words, "--data", at], { cwd: folder });
  // A slow machine is told how far the import is.
  return { code, out: out.trim(), err: err.replace(/^\d+ things\n/gm, "").trim() };
}

async function newStore(): Promise<string> {
  const at = join(folder, `data-${++number}`);
  await makeStore(at);
  return at;
}

/** The report of an import with --json, and its exit code. */
async function imported(dir: string, words: string[], at: string) {
  const { code, out, err } = await octavo(["import", dir, "--json", ...words], at);
  assert.notEqual(out, "", err);
  return { code, err, ...JSON.parse(out) };
}

/** Entries as a management token reads them, and what a delivery token gets for them. */
async function withService(at: string, ids: readonly string[]) {
  const secretOf = async (kind: string): Promise<string> => {
    const { out } = await octavo(["token", "create", "--kind", kind, "--resources", "entries", "--json"], at);
    return JSON.parse(out).token;
  };
  const [management, delivery] = [await secretOf("management"), await secretOf("delivery")];
  const service = await startOctavo(["--data", at], { cwd: folder });
  const read = (id: string, token = "") =>
    fetch(`${service.url}/api/entries?id=${encodeURIComponent(id)}&token=${token}`);
  const entries = new Map<string, { text: string; data: Record<string, unknown>; publicStatus: number }>();
  for (const id of ids) {
    const text = await (await read(id, management)).text();
    entries.set(id, { text, data: JSON.parse(text).data, publicStatus: (await read(id, delivery)).status });
  }
  const get = async (path: string) => (await fetch(service.url + path)).status;
  return { entries, get, stop: () => service.stop("SIGTERM") };
}

const whyOf = (list: readonly About[], from: string): string[] =>
  list.filter((one) => one.from === from).map(({ why }) => why);

test("what its generator keeps from the public is not public here, and the report says so", async () => {
  const yaml = (front: string): string => `---\n${front}\n---\nText`;
  const pages: [path: string, text: string, isPublic: boolean, why: RegExp | undefined][] = [
    ["plain.md", yaml("title: One\ndraft: false\npublished: true\ndate: 2020-01-01"), true, undefined],
    ["draft.md", yaml("draft: true"), false, /makes it a draft: "draft: true"/],
    ["capital.md", yaml("Draft: yes"), false, /makes it a draft: "Draft: yes"/],
    ["toml.md", "+++\ndraft = true\n+++\nText", false, /makes it a draft: "draft: true"/],
    ["json.md", '{"draft": true}\nText', false, /makes it a draft: "draft: true"/],
    ["jekyll.markdown", yaml("published: false"), false, /makes it a draft: "published: false"/],
    ["_drafts/idea.md", "Text", false, /folder makes it a draft/],
    ["future.md", yaml("publishDate: 2199-01-02T03:04:05+01:00"), false, /scheduled: "publishDate: 2199/],
    ["date.md", yaml("date: 2199-01-02 03:04:05 +0100"), false, /scheduled: "date: 2199/],
    ["month.md", yaml("date: March 5, 2199"), false, /scheduled: "date: March 5, 2199"/],
    ["tomldate.md", "+++\ndate = 2199-01-02\n+++\nText", false, /scheduled: "date: 2199-01-02"/],
    ["both.md", yaml("publishDate: 2020-01-01\ndate: 2199-01-01"), true, undefined],
    ["_posts/2199-01-01-party.md", "Text", false, /scheduled: "its name: 2199-01-01"/],
    ["expired.md", yaml("expiryDate: 2021-01-01"), false, /has expired and is a draft: "expiryDate: 2021-01-01"/],
    ["ending.md", yaml("expiryDate: 2199-01-01"), true, /stays public after it has expired/],
    ["unreadable.md", yaml("publishDate: soon"), false, /cannot be read, so it is a draft: "publishDate: soon"/],
  ];
  const dir = site(Object.fromEntries(pages.map(([path, text]) => [path, text])));
  const at = await newStore();
  const dry = await imported(dir, ["--dry-run"], at);
  const report = await imported(dir, [], at);
  assert.deepEqual({ ...dry, dry_run: false }, report);
  assert.deepEqual([report.code, report.entries.created], [0, pages.length]);
  const idOf = (path: string): string => path.replace(/\.\w+$/, "");
  const service = await withService(
    at,
    pages.map(([path]) => idOf(path)),
  );
  for (const [path, , isPublic, why] of pages) {
    assert.equal(service.entries.get(idOf(path))?.publicStatus, isPublic ? 200 : 404, path);
    const [told, ...more] = whyOf(report.notes, path);
    assert.deepEqual(more, [], path);
    if (why) assert.match(told ?? "nothing", why, path);
    else assert.equal(told, undefined, path);
  }
  assert.equal(service.entries.get("future")?.data.published_at, Date.parse("2199-01-02T02:04:05Z") / 1000);
  assert.equal(service.entries.get("draft")?.data.draft, true, "the field stays");
  await service.stop();
  const again = await imported(dir, [], at);
  assert.deepEqual([again.code, again.entries.unchanged], [0, pages.length]);
});

test("a generator that ignores a future date is known by its folder", async () => {
  const at = await newStore();
  const zola = site({
    "config.toml": 'base_url = "https://example.org"',
    "content/a.md": "+++\ndate = 2199-01-01\n+++\n",
  });
  assert.deepEqual((await imported(zola, ["--into", "z"], at)).notes, []);
  const hugo = site({
    "config.toml": 'baseURL = "https://example.org"',
    "content/a.md": "+++\ndate = 2199-01-01\n+++\n",
  });
  assert.match((await imported(hugo, ["--into", "h"], at)).notes[0].why, /scheduled/);
});

test("the pages of a section that Zola leaves out are drafts", async () => {
  const at = await newStore();
  const pages = {
    "2024/_index.md": "+++\ndraft = true\n+++\n",
    "2024/a.md": "+++\n+++\n",
    "2024/deep/b.md": "Text",
    "2025/c.md": "+++\n+++\n",
  };
  const report = await imported(site(pages), ["--into", "x"], at);
  assert.deepEqual(
    report.notes.map(({ from }: About) => from),
    ["2024/_index.md", "2024/a.md", "2024/deep/b.md"],
  );
  const hugo = await imported(site({ ...pages, "hugo.toml": "" }), ["--into", "y"], at);
  assert.deepEqual(
    hugo.notes.map(({ from }: About) => from),
    ["2024/_index.md"],
  );
  const { entries, stop } = await withService(at, ["x/2024", "x/2024/a", "x/2024/deep/b", "x/2025/c", "y/2024/a"]);
  assert.deepEqual(
    [...entries.values()].map((one) => one.publicStatus),
    [404, 404, 404, 200, 200],
  );
  await stop();
});

test("front matter in YAML, TOML and JSON keeps its numbers, dates and fields, or the report names them", async () => {
  const dir = site({
    "toml.md":
      '+++\ntitle = "One"\nn = 1.50\nbig = 9007199254740993\ndate = 2020-05-01T10:00:00+02:00\naliases = ["/old"]\n[extra]\nb = 2.0\na = 1\n+++\n\n    code\ntext\n\n',
    "json.mdx": '{\n  "title": "{Two}",\n  "n": 1.50,\n  "url": "/x"\n}\n\nText {b}\n',
    "own.md":
      "---\nslug: other\nurl: /u\npermalink: /p\naliases: [/a]\ncontent: lost\ntitle: Own # a comment\n---\nThe text",
    "same.md": "---\nslug: same\ncontent: The text\n# another comment\n---\n",
    "brace.md": '{{< figure src="x" >}}\nText',
    "open.md": "+++\ntitle = 1\nText",
    "bad.md": "---\na: b: c\n---\nText",
    "badtoml.md": "+++\na = 1\nb =\n+++\nText",
    "indent.markdown": "    code at the top\n",
  });
  const at = await newStore();
  const report = await imported(dir, [], at);
  assert.deepEqual([report.code, report.entries.created], [1, 7]);
  assert.deepEqual(report.refused, [
    {
      from: "bad.md",
      why: "its fields cannot be read as YAML: line 1: there is a second colon: put the text in quotes",
    },
    { from: "badtoml.md", why: "its fields cannot be read as TOML: line 2 cannot be read" },
  ]);
  assert.deepEqual(whyOf(report.notes, "own.md"), [
    "its field content is not taken: the text below the front matter is the content",
    'its field slug is not taken, since the path of the file is the id: "other"',
    "comments in front matter are not kept, here and in 1 more",
  ]);
  assert.deepEqual(whyOf(report.notes, "same.md"), []);
  assert.match(
    whyOf(report.notes, "open.md").join(),
    /no second line \+\+\+.*,its front matter cannot be read, so it is a draft/,
  );
  assert.match(whyOf(report.notes, "brace.md")[0] ?? "", /templates stay text: "figure"/);
  const { entries, stop } = await withService(at, ["toml", "json", "own", "same", "open", "indent"]);
  assert.match(
    entries.get("toml")?.text ?? "",
    /^\{"data":\{"title":"One","n":1\.50,"big":9007199254740993,"date":"2020-05-01T10:00:00\+02:00","aliases":\["\/old"\],"extra":\{"b":2\.0,"a":1\},"content":" {4}code\\ntext",/,
  );
  assert.match(
    entries.get("json")?.text ?? "",
    /^\{"data":\{"title":"\{Two\}","n":1\.50,"url":"\/x","content":"Text \{b\}",/,
  );
  const own = entries.get("own")?.data ?? {};
  assert.deepEqual(
    [own.slug, own.url, own.permalink, own.aliases, own.content],
    ["own", "/u", "/p", ["/a"], "The text"],
  );
  assert.equal(entries.get("same")?.data.content, "The text");
  assert.equal(entries.get("open")?.data.content, "+++\ntitle = 1\nText");
  assert.equal(entries.get("indent")?.data.content, "    code at the top");
  await stop();
});

test("the page of the whole folder is the entry that --into names", async () => {
  const at = await newStore();
  const names = ["index.md", "_index.md", "index.mdx", "_index.markdown", "entry.md"];
  for (const [i, name] of names.entries()) {
    const dir = site({ [name]: "# Home", "posts/one.md": "One" });
    assert.equal((await imported(dir, ["--into", `x${i}/y`], at)).code, 0);
  }
  const ids = names.flatMap((_, i) => [`x${i}/y`, `x${i}/y/posts/one`, `x${i}/y/index`]);
  const { entries, stop } = await withService(at, ids);
  const statuses = [...entries.values()].map((one) => one.publicStatus);
  assert.deepEqual(
    statuses,
    names.flatMap(() => [200, 200, 404]),
  );
  await stop();
  const report = await imported(site({ "index.md": "a", "_index.md": "b" }), ["--into", "x"], at);
  assert.match(report.refused[0].why, /_index\.md has the same path, x/);
});

test("a folder of which nothing is taken fails, and says what was looked for", async () => {
  const at = await newStore();
  const bare = site({ "a.txt": "x", "b/c.html": "y" });
  for (const words of [[], ["--dry-run"]]) {
    const { code, out, err } = await octavo(["import", bare, ...words], at);
    assert.equal(code, 1);
    assert.match(err, /nothing of .* was taken; looked for .*entry\.md.*Markdown files \(\.md, \.mdx, \.markdown\)/);
    assert.match(out, /it is no file of an entry \(2\)\n {4}a\.txt/);
  }
  const report = await imported(bare, [], at);
  assert.deepEqual([report.code, report.ok], [1, false]);
  assert.equal((await imported(site({}), [], at)).code, 0, "an empty folder");
  const kept = site({ "project/entries/.empty": "", "project/uploads/.empty": "", "project/uploads/a/.gitkeep": "" });
  const empty = await imported(kept, [], at);
  assert.deepEqual([empty.code, empty.refused, empty.not_taken, empty.folders.created], [0, [], [], 1]);
  assert.equal((await imported(kept, [], at)).code, 0);
});

test("notes with a folder media are no project of the original", async () => {
  const at = await newStore();
  const report = await imported(site({ "notes/a.md": "x", "media/dot.png": png, "entries/b.md": "y" }), [], at);
  assert.deepEqual([report.layout, report.entries.created], ["markdown", 2]);
  const project = await imported(site({ "media/dot.png": png, "plugins/p/README.md": "x", "other/x.txt": "" }), [], at);
  assert.deepEqual([project.layout, project.files.created], ["project", 1]);
  assert.deepEqual(
    project.not_taken.map(({ from }: About) => from),
    ["other", "plugins"],
  );
});

test("pictures beside the texts come along, and the links to them lead there", async () => {
  const files = {
    "posts/one/index.md": [
      "---\ncover: dot.png\nother: none.png\n---",
      "![a](dot.png) ![b](./dot.png 'Title') ![c](../my%20dot.png) ![d](<../my dot.png>) [e][ref] ![f][ref]",
      "<img alt='x' src=\"dot.png\"> <img src=dot.png> ![g](/common/dot.png#x) [text](data.csv) [page](../two.md)",
      "![gone](gone.png) ![out](https://example.org/dot.png) ![up](../../../dot.png) `![h](dot.png)` ![big](bad.png)",
      "",
      '[ref]: dot.png "T"',
      "",
      "```md\n![i](dot.png)\n```",
      "",
      "    ![j](dot.png)",
    ].join("\n"),
    "posts/one/dot.png": png,
    "posts/one/bad.png": "no picture",
    "posts/one/data.csv": "a,b",
    "posts/one/unlinked.csv": "a,b",
    "posts/my dot.png": png,
    "posts/two.md": "Two",
    "static/common/dot.png": png,
    "secret.json": "{}",
    ".hidden/dot.png": png,
  };
  const dir = site(files);
  const at = await newStore();
  const words = ["--files", "pics/site", "--into", "blog"];
  const dry = await imported(dir, [...words, "--dry-run"], at);
  const report = await imported(dir, words, at);
  assert.deepEqual({ ...dry, dry_run: false }, report);
  assert.deepEqual([report.code, report.entries.created, report.files.created], [1, 2, 4]);
  assert.deepEqual(
    report.refused.map(({ from }: About) => from),
    ["posts/one/bad.png"],
  );
  assert.deepEqual(
    report.not_taken.map(({ from }: About) => from),
    [".hidden", "posts/one/unlinked.csv", "secret.json"],
  );
  assert.deepEqual(whyOf(report.notes, "posts/one/index.md"), [
    'links to files that are not there stay as they are: "gone.png", "../../../dot.png"',
    'links to files that were not taken stay as they are: "bad.png"',
    'fields name pictures by their old paths: "cover"',
  ]);
  const { entries, get, stop } = await withService(at, ["blog/posts/one"]);
  const top = "/project/uploads/pics/site";
  const [dot, mine] = [`${top}/posts/one/dot.png`, `${top}/posts/my%20dot.png`];
  const { content, cover } = entries.get("blog/posts/one")?.data ?? {};
  assert.equal(
    content,
    [
      `![a](${dot}) ![b](${dot} 'Title') ![c](${mine}) ![d](<${mine}>) [e][ref] ![f][ref]`,
      `<img alt='x' src="${dot}"> <img src=${dot}> ![g](${top}/static/common/dot.png#x) [text](${top}/posts/one/data.csv) [page](../two.md)`,
      "![gone](gone.png) ![out](https://example.org/dot.png) ![up](../../../dot.png) `![h](dot.png)` ![big](bad.png)",
      "",
      `[ref]: ${dot} "T"`,
      "",
      "```md\n![i](dot.png)\n```",
      "",
      "    ![j](dot.png)",
    ].join("\n"),
  );
  assert.equal(cover, "dot.png");
  assert.deepEqual([await get(dot), await get(mine)], [200, 200]);
  await stop();
  const again = await imported(dir, words, at);
  assert.deepEqual([again.entries.unchanged, again.files.unchanged, again.conflicts], [2, 4, []]);
});

test("attachments of a vault are found by their names", async () => {
  const dir = site({
    ".obsidian/app.json": "{}",
    "Notes/Trip.md":
      "![[Photo 1.PNG]] ![[photo 1.png|The sea]] ![[attachments/Photo 1.png|120x80]] [[plan.pdf|Plan]] ![[Other]]\n![](Photo%201.png)\n`![[Photo 1.png]]`",
    "Notes/Other.md": "date: x",
    "attachments/Photo 1.png": png,
    "attachments/plan.pdf": "%PDF-1.4\n%\u00e2\u00e3\n1 0 obj\n<<>>\nendobj\n",
  });
  const at = await newStore();
  const report = await imported(dir, ["--files", ""], at);
  assert.deepEqual([report.code, report.files.created], [0, 2]);
  assert.deepEqual(whyOf(report.notes, "Notes/Trip.md"), ['links in double brackets stay text: "Other"']);
  const { entries, stop } = await withService(at, ["Notes/Trip"]);
  const photo = "/project/uploads/attachments/Photo%201.png";
  assert.equal(
    entries.get("Notes/Trip")?.data.content,
    `![Photo 1.PNG](${photo}) ![The sea](${photo}) <img src="${photo}" alt="Photo 1.png" width="120" height="80"> [Plan](/project/uploads/attachments/plan.pdf) ![[Other]]\n![](${photo})\n\`![[Photo 1.png]]\``,
  );
  await stop();
});

test("without --files pictures are named with the flag that takes them", async () => {
  const at = await newStore();
  const report = await imported(site({ "a.md": "![x](dot.png)", "dot.png": png }), [], at);
  assert.deepEqual(report.not_taken, [{ from: "dot.png", why: "a picture: --files PREFIX takes it along" }]);
  const project = site({ "project/entries/a/entry.md": "x" });
  const { code, err } = await octavo(["import", project, "--files", "x"], at);
  assert.equal(code, 1);
  assert.match(err, /--files is for a folder of Markdown/);
  assert.match((await octavo(["import", project, "--files", "a/../b"], at)).err, /--files was "a\/\.\.\/b"/);
});
