// Slow: it starts a service for each generation of the original, and imports many sites.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  fileSeconds,
  png,
  project098,
  project0912,
  project0913,
  secretOf,
  siteWriter,
  writeFiles,
} from "../../test/cli/flextype.ts";
import { makeStore, runOctavo, startOctavo } from "../../test/cli/octavo.ts";
import { temporaryFolder } from "../../test/harness.ts";

/** octavo import: projects of each generation of the original, folders of Markdown, and hostile folders. */

const folder = temporaryFolder();
const data = join(folder, "data");
await makeStore(data);

type Files = Record<string, string | Buffer>;

const site = siteWriter(folder);

async function octavo(words: string[], at = data) {
  const { code, out, err } = await runOctavo([...words, "--data", at], { cwd: folder });
  return { code, out: out.trim(), err: err.trim() };
}

/** The report of an import with --json, and its exit code. */
async function imported(dir: string, words: string[] = [], at = data) {
  const { code, out, err } = await octavo(["import", dir, "--json", ...words], at);
  assert.notEqual(out, "", err);
  return { code, ...JSON.parse(out) };
}

const counts = (created: number, more: object = {}) => ({ created, replaced: 0, unchanged: 0, skipped: 0, ...more });
const dateOf = (text: string): number => Date.parse(text) / 1000;

// ------------------------------------------------------------------------------------------------ the three generations

const dot = (path: string, more: object): object => ({
  ...{ filename: path.split("/").at(-1), url: `project/uploads/${path}`, filesize: png.length, type: "image/png" },
  ...more,
});
const firstFields = {
  ...{ title: "First", date: "2020-05-01", zip: "01234", tags: ["red", "green"], author: { name: "Ada" } },
  ...{ content: 'Hello [registry_get name="x"]', uuid: "7d1f2a56-2f3f-4d6d-8f52-6a3a4f0e7b22", slug: "blog/first" },
  ...{ published_at: dateOf("2020-05-02T11:00Z"), created_at: dateOf("2020-05-02T11:00Z"), modified_at: fileSeconds },
};
const draftFields = { title: "Draft", visibility: "draft", created_at: fileSeconds, published_at: fileSeconds };
const same = [
  [
    "/api/registry?id=flextype.manifest.version",
    "r",
    200,
    { data: { key: "flextype.manifest.version", value: "0.9.8" } },
  ],
  ["/api/images/photos/Dot.PNG?w=1", "i", 200],
  ["/api/entries?id=data", "e", 200, { data: { title: "From YAML" } }],
  ["/api/entries?id=more", "e", 200, { data: { title: "From JSON" } }],
  ["/api/entries?id=short", "e", 200, { data: { title: "From yml" } }],
  ["/api/entries?id=blog/first", "e", 200, { data: firstFields }],
  ["/api/entries?id=blog/draft", "e", 200, { data: draftFields }],
  ["/api/entries?id=blog/first", "f", 403],
] as const;
type Call = readonly [path: string, token: string, status: number, body?: object];
const generations: Record<string, { files: Files; calls: readonly Call[]; tokens: number }> = {
  "0.9.8": {
    files: project098,
    tokens: 5,
    calls: [
      ["/api/delivery/entries?id=blog/first", "d", 200, { data: firstFields }],
      ["/api/delivery/entries?id=blog/draft", "d", 404],
      [
        "/api/delivery/entries?id=blog&filter[where][key]=tags&filter[where][expr]=eq&filter[where][value]=red",
        "d",
        200,
        { data: [firstFields] },
      ],
      ["/api/management/entries?id=blog/draft", "m", 200, { data: draftFields }],
      ["/api/delivery/registry?id=flextype.manifest.version", "r", 200],
      ["/api/images/blog/dot.png?w=1", "i", 200],
    ],
  },
  "0.9.12": {
    files: project0912,
    tokens: 9,
    calls: [
      ...same,
      [
        "/api/files?path=photos/Dot.PNG",
        "f",
        200,
        {
          data: dot("photos/Dot.PNG", {
            title: "Dot",
            description: "A dot",
            photographer: "Bob",
            uploaded_on: 1588329000,
          }),
        },
      ],
      ["/api/files?path=photos", "f", 200],
      ["/api/folders?path=photos", "o", 200, { data: { path: "photos" } }],
      ["/api/images/blog/dot.png?w=1", "i", 200],
      ["/api/entries?id=blog", "l", 200],
      ["/api/entries?id=blog", "l", 200],
      ["/api/entries?id=blog", "l", 429],
      ["/api/entries?id=blog", "x", 401],
    ],
  },
  "0.9.13": {
    files: project0913,
    tokens: 5,
    calls: [
      ...same.slice(0, -1),
      [
        "/api/media/files?id=photos/Dot.PNG",
        "f",
        200,
        { data: dot("photos/Dot.PNG", { title: "Dot", photographer: "Bob" }) },
      ],
      ["/api/media/folders?id=photos", "f", 200, { data: { id: "photos" } }],
      [
        "/api/entries?id=blog&options[collection]=true&options[filter][sort_by][key]=title&options[filter][sort_by][direction]=desc",
        "e",
        200,
        { data: [firstFields, draftFields] },
      ],
      ["/api/images/photos/Dot.PNG?mark=mark.png", "i", 200],
    ],
  },
};

/** Asserts that the value has the expected members. */
function assertHas(value: unknown, expected: unknown, where: string): void {
  if (typeof expected !== "object" || expected === null) {
    assert.deepEqual(value, expected, where);
    return;
  }
  if (Array.isArray(expected)) assert.equal((value as unknown[]).length, expected.length, where);
  for (const [key, member] of Object.entries(Object(expected)))
    assertHas(Object(value)[key], member, `${where} ${key}`);
}

for (const [generation, { files, calls, tokens }] of Object.entries(generations)) {
  test(`a site of ${generation} answers its own calls with its own tokens`, async () => {
    const own = join(folder, generation);
    await makeStore(own);
    const dir = site(files);
    const report = await imported(dir, [], own);
    assert.deepEqual(report.refused, []);
    assert.deepEqual([report.code, report.layout], [0, "project"]);
    assert.deepEqual([report.entries, report.tokens], [counts(6), counts(tokens)]);
    const service = await startOctavo(["--data", own], { cwd: folder });
    for (const [path, token, status, body] of calls) {
      const where = `${generation} ${path} ${token}`;
      const reply = await fetch(`${service.url}${path}&token=${secretOf(token)}`);
      assert.equal(reply.status, status, where);
      if (body) assertHas(await reply.json(), body, where);
    }
    // Numbers are those that were written, also above 2^53.
    const reader = generation === "0.9.8" ? "m" : "e";
    const text = await (await fetch(`${service.url}/api/entries?id=blog/first&token=${secretOf(reader)}`)).text();
    assert.match(text, /"weight":1\.50,"big":9007199254740993,/);
    const write = await fetch(`${service.url}/api/entries`, {
      method: "PATCH",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({
        id: "blog",
        token: secretOf(reader),
        access_token: secretOf("a"),
        data: { title: "Changed" },
      }),
    });
    assert.equal(write.status, 200);
    await service.stop("SIGTERM");
    const again = await imported(dir, ["--on-conflict", "skip"], own);
    assert.deepEqual(
      [again.entries, again.tokens],
      [counts(0, { unchanged: 5, skipped: 1 }), counts(0, { unchanged: tokens })],
    );
    assert.equal((await octavo(["verify"], own)).code, 0);
  });
}

test("what is not taken is reported, without the text of a token", async () => {
  const dir = site({
    ...project0912,
    "project/entries/blog/notes.txt": "x",
    "project/entries/php/entry.md": "<?php echo 1; ?>",
    "project/uploads/tool.exe": "MZ",
    "project/tokens/images/weak/token.yaml": "title: Other\n",
    "project/tokens/entries/bad/token.yaml": "limit_calls: many\n",
  });
  const before = await octavo(["token", "list", "--json"]);
  const report = await imported(dir, ["--dry-run"]);
  const text = JSON.stringify(report);
  assert.equal(report.code, 1);
  assert.ok(!text.includes(secretOf("e")));
  for (const [list, from, why] of [
    ["notes", "project/entries/blog/first/entry.md", /shortcodes stay text: \[registry_get\]/],
    ["notes", "project/entries/php/entry.md", /PHP stays text/],
    ["notes", "project/tokens/entries (number ", /weak/],
    ["not_taken", "project/entries/blog/notes.txt", /no file of an entry/],
    ["not_taken", "project/uploads/.meta/gone.png.yaml", /file that is not there/],
    ["refused", "project/uploads/tool.exe", /exe/],
    ["refused", "project/tokens/images (number", /has the same text/],
    ["refused", "project/tokens/entries (number", /limit_calls is no number/],
  ] as const) {
    const found = report[list].find(
      (one: { from: string; why: string }) => one.from.startsWith(from) && why.test(one.why),
    );
    assert.ok(found, `${list} ${from}: ${text}`);
  }
  assert.deepEqual(await octavo(["token", "list", "--json"]), before, "a dry run writes nothing");
  const shown = await octavo(["import", dir, "--dry-run"]);
  assert.match(shown.out, /^A dry run: nothing is written\.\nentries: 7 created\nfiles: 2 created\n/);
});

// -------------------------------------------------------------------------------------------------------- any folder

test("a folder of Markdown is imported below a prefix, and again with a policy", async () => {
  const files = {
    "index.md": "# Home",
    "posts/one.md": "---\ntitle: One\n---\nText",
    "posts/_index.md": "---\ntitle: Posts\n---\n",
    "posts/picture.png": png,
    ".git/config.md": "x",
    "bad.md": "---\n- a list\n---\n",
  };
  const dir = site(files);
  const first = await imported(dir, ["--into", "notes"]);
  assert.deepEqual([first.layout, first.entries], ["markdown", counts(3)]);
  assert.deepEqual(
    first.refused.map(({ from }: { from: string }) => from),
    ["bad.md"],
  );
  assert.deepEqual(
    first.not_taken.map(({ from }: { from: string }) => from),
    [".git", "posts/picture.png"],
  );

  writeFiles(dir, { "posts/one.md": "---\ntitle: Two\n---\nText", "posts/new.md": "New", "bad.md": "fine" });
  const failed = await imported(dir, ["--into", "notes"]);
  assert.deepEqual([failed.code, failed.conflicts], [1, ["entry notes/posts/one"]]);
  const skipped = await imported(dir, ["--into", "notes", "--on-conflict", "skip"]);
  assert.deepEqual(skipped.entries, counts(2, { unchanged: 2, skipped: 1 }), "the failed one wrote nothing");
  const replaced = await imported(dir, ["--into", "notes", "--on-conflict", "replace"]);
  assert.deepEqual(replaced.entries, counts(0, { unchanged: 4, replaced: 1 }));
  const { history } = JSON.parse((await octavo(["history", "list", "--entry", "notes/posts/one", "--json"])).out);
  assert.equal(history.length, 1, "what was replaced is in the history");
  assert.deepEqual((await imported(dir, ["--into", "notes"])).entries, counts(0, { unchanged: 5 }));
});

test("an import never has more writes waiting than the store lets wait", async () => {
  const dir = site(Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`${n}.md`, `Text ${n}`])));
  const env = { OCTAVO_WRITE_QUEUE_MAX: "4" };
  const { err, out } = await runOctavo(["import", dir, "--into", "many", "--json", "--data", data], {
    cwd: folder,
    env,
  });
  const said = err.replace(/^\d+ things\n/gm, "");
  assert.deepEqual([said, JSON.parse(out || "{}").entries], ["", counts(100)]);
});

test("of several forms of an entry the one that the original reads is taken", async () => {
  const forms = { md: "---\ntitle: md\n---\n", json: '{"title":"json"}', yaml: "title: yaml", yml: "title: yml" };
  const all = Object.entries(forms);
  const files = Object.fromEntries(all.map(([form, text]) => [`project/entries/forms/entry.${form}`, text]));
  const report = await imported(site(files));
  assert.deepEqual(report.entries, counts(1));
  const refused = report.refused.map(({ from }: { from: string }) => from.split(".").at(-1));
  assert.deepEqual(refused, ["json", "yaml", "yml"]);
  assert.match(report.refused[0].why, /forms\/entry\.md is beside it/);
});

test("an entry's copy with the same uuid gets a new one", async () => {
  const text = "---\nuuid: 3a1f2a56-2f3f-4d6d-8f52-6a3a4f0e7b33\n---\n";
  const report = await imported(site({ "twins/a.md": text, "twins/b.md": text }));
  assert.deepEqual(report.notes, [{ from: "twins/b.md", why: "another entry has its uuid: it gets a new one" }]);
  assert.equal((await octavo(["verify"])).code, 0);
});

test("a dry run and a real one report the same, with types in force and paths that are taken", async () => {
  const own = join(folder, "dry");
  await makeStore(own);
  const before = site({
    "project/uploads/album": "a file",
    "project/uploads/dot.txt/in.txt": "x",
    "project/entries/typed/old/entry.md": "---\ntitle: 1\n---\n",
  });
  assert.equal((await imported(before, [], own)).refused.length, 1, "a file without an extension");
  writeFiles(before, { "project/uploads/album.txt": "a file" });
  await imported(before, [], own);
  const schema = { type: "object", properties: { title: { type: "string" } } };
  writeFileSync(join(folder, "typed.json"), JSON.stringify({ id: "typed", paths: ["typed/**"], schema }));
  const put = await octavo(["types", "put", join(folder, "typed.json")], own);
  assert.equal(put.code, 0, put.err);
  const dir = site({
    "project/entries/typed/bad/entry.md": "---\ntitle: 1\n---\n",
    "project/entries/typed/good/entry.md": "---\ntitle: One\n---\n",
    "project/entries/typed/old/entry.md": '---\ntitle: 2\nnew: [""]\n---\n',
    "project/entries/nul/entry.md": "a\0b",
    "project/entries/open/entry.md": "---\ntitle: One",
    "project/uploads/album.txt/picture.txt": "x",
    "project/uploads/dot.txt": "x",
    "project/uploads/year.txt": "x",
    "project/uploads/.meta/year.txt.yaml": "title: 2020\n",
  });
  const failed = await imported(dir, [], own);
  assert.deepEqual([failed.entries.created, failed.conflicts.length > 0], [2, true]);
  assert.equal((await octavo(["export", join(folder, "dry-out"), "--json"], own)).out.includes('"entries":1,'), true);
  for (const policy of ["skip", "replace"]) {
    const words = ["--on-conflict", policy];
    const [dry, real] = [await imported(dir, [...words, "--dry-run"], own), await imported(dir, words, own)];
    assert.deepEqual({ ...dry, dry_run: false }, real);
    const why = Object.fromEntries([...real.refused, ...real.notes].map((one) => [one.from, one.why]));
    assert.match(why["project/entries/typed/bad/entry.md"] ?? "", /title/);
    assert.match(why["project/entries/nul/entry.md"] ?? "", /U\+0000/);
    assert.match(why["project/entries/open/entry.md"] ?? "", /no second line/);
    assert.deepEqual(real.conflicts, [
      "project/uploads/album.txt",
      "project/uploads/album.txt/picture.txt",
      "project/uploads/dot.txt",
    ]);
  }
  await octavo(["export", join(folder, "dry-end")], own);
  const meta = readFileSync(join(folder, "dry-end/project/uploads/.meta/year.txt.yaml"), "utf8");
  assert.match(meta, /^title: "2020"$/m);
});

test("what clashes within one folder is refused by the dry run as by the real one", async () => {
  const own = join(folder, "clash");
  await makeStore(own);
  const dir = site({
    "project/uploads/a.txt": "a file",
    "project/media/a.txt/b.txt": "below it",
    "project/uploads/c.txt/d.txt": "a folder",
    "project/media/c.txt": "a file",
    "project/uploads/e.txt": "first",
    "project/media/e.txt": "second",
    "project/uploads/bad.png": "no picture",
    "project/media/bad.png": png,
    "project/uploads/album/f.txt": "x",
    "project/media/album/F.txt": "its twin in case",
    "project/watermarks/f.txt": "x",
    "project/media/watermarks/f.txt": "the same place",
    "project/uploads/\u00e9.txt": "composed",
    "project/uploads/e\u0301.txt": "decomposed",
    "project/entries/\u00e9/entry.md": "composed",
    "project/entries/e\u0301/entry.md": "decomposed",
  });
  const dry = await imported(dir, ["--dry-run"], own);
  const real = await imported(dir, [], own);
  assert.deepEqual({ ...dry, dry_run: false }, real);
  assert.deepEqual([real.entries, real.folders], [counts(1), counts(3, { unchanged: 1 })]);
  assert.deepEqual([real.files, real.conflicts], [counts(8), []]);
  const why = Object.fromEntries(real.refused.map((one: { from: string; why: string }) => [one.from, one.why]));
  for (const [from, reason] of [
    ["uploads/bad.png", /png/],
    ["media/a.txt", /project\/uploads\/a\.txt is a file at the path a\.txt/],
    ["media/a.txt/b.txt", /project\/uploads\/a\.txt is a file at the path a\.txt/],
    ["media/c.txt", /project\/uploads\/c\.txt is a folder at the path c\.txt/],
    ["media/e.txt", /project\/uploads\/e\.txt is a file at the path e\.txt/],
    ["watermarks/f.txt", /project\/media\/watermarks\/f\.txt is a file at the path watermarks\/f\.txt/],
    ["uploads/\u00e9.txt", /is a file at the path/],
    ["entries/\u00e9/entry.md", /has the same path/],
  ] as const) {
    assert.match(why[`project/${from}`] ?? JSON.stringify(real.refused), reason, from);
  }
  assert.equal(real.refused.length, 8);
  assert.equal((await octavo(["verify"], own)).code, 0);
});

// ------------------------------------------------------------------------------------------------------------ hostile

test("links, pipes, bad names, bombs and large files are reported, never followed", async () => {
  const secret = join(folder, "secret.md");
  writeFileSync(secret, "SECRET");
  const deep = `${"d/".repeat(40)}entry.md`;
  const bomb = `---\na0: &a0 [x,x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}*a${i}]`).join("\n")}\n---\n`;
  const dir = site({
    [`project/entries/${deep}`]: "x",
    "project/entries/bomb/entry.md": bomb,
    "project/entries/utf/entry.md": Buffer.from([0xff, 0xfe]),
    "project/entries/large/entry.md": Buffer.alloc(5 * 1024 * 1024, "x"),
    "project/entries/mebibyte/entry.md": Buffer.alloc(1024 * 1024 + 1, "x"),
    "project/entries/proto/entry.md": "---\n__proto__: 1\n---\n",
    "project/entries/%2e%2e/entry.md": "x",
    "project/entries/back\\slash/entry.md": "x",
    "project/entries/fine/entry.md": "---\nid: ../../etc\nslug: ../x\nuuid: x\npublished_at: soon\n---\nfine",
    "project/entries/entry.md": "the root",
  });
  const entries = join(dir, "project", "entries");
  symlinkSync(secret, join(entries, "entry.yaml"));
  mkdirSync(join(entries, "file-link"));
  symlinkSync(secret, join(entries, "file-link", "entry.md"));
  symlinkSync("/etc", join(entries, "folder-link"));
  symlinkSync("..", join(entries, "loop"));
  symlinkSync("/etc", join(dir, "project", "media"));
  symlinkSync("/etc", join(dir, "project", "tokens"));
  mkdirSync(join(entries, "pipe"));
  spawnSync("mkfifo", [join(entries, "pipe", "entry.md")]);
  mkdirSync(Buffer.from([...Buffer.from(`${entries}/`), 0xe9]));
  const report = await imported(dir, ["--into", "hostile"]);
  assert.deepEqual(report.entries, counts(2), "fine, and the root, which the prefix names");
  const all = JSON.stringify(report);
  assert.ok(!all.includes("SECRET") && !all.includes("passwd"));
  const why = Object.fromEntries([...report.refused, ...report.not_taken].map((one) => [one.from, one.why]));
  for (const [from, reason] of [
    [deep, /32 segments/],
    ["bomb/entry.md", /with its aliases/],
    ["utf/entry.md", /not in UTF-8/],
    ["large/entry.md", /at most 4194304 are read/],
    ["mebibyte/entry.md", /1048576/],
    ["proto/entry.md", /__proto__/],
    ["%2e%2e/entry.md", /encoded dot/],
    ["back\\slash/entry.md", /backslash/],
    ["entry.yaml", /symbolic link/],
    ["file-link/entry.md", /symbolic link/],
    ["folder-link", /symbolic link/],
    ["loop", /symbolic link/],
    ["pipe/entry.md", /a pipe/],
    ["\ufffd", /not UTF-8/],
  ] as const) {
    assert.match(why[`project/entries/${from}`] ?? "nothing", reason, from);
  }
  assert.match(why["project/media"] ?? "", /symbolic link/);
});

test("a wrong flag or folder is named", async () => {
  for (const [words, code, message] of [
    [["import", "nowhere"], 1, /there is no folder nowhere/],
    [["import", ".", "--on-conflict", "suffix"], 2, /--on-conflict was "suffix"; expected one of fail, skip, replace/],
    [["import", ".", "--into", "a/../b"], 2, /--into was "a\/\.\.\/b"/],
    [["import"], 2, /DIR is missing/],
  ] as const) {
    const result = await octavo([...words]);
    assert.equal(result.code, code, words.join(" "));
    assert.match(result.err, message);
  }
  assert.ok(readFileSync(join(folder, "secret.md"), "utf8"));
});
