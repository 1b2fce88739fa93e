import assert from "node:assert/strict";
import { globSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { png } from "../../test/cli/flextype.ts";
import { makeStore, runOctavo } from "../../test/cli/octavo.ts";
import { closing } from "../../test/ending.ts";
import { fc } from "../../test/fast-check.ts";
import { temporaryFolder } from "../../test/harness.ts";
import { formatJson, parseJson } from "../core/lib/json.ts";
import { type Path, parsePath } from "../core/path.ts";
import { readSettings } from "../settings.ts";
import { openStores } from "../stores.ts";

/** octavo export, and that export, import, export changes no byte. */

const folder = temporaryFolder();
const [first, second] = [join(folder, "first"), join(folder, "second")];
await makeStore(first);
await makeStore(second);

async function octavo(data: string, ...words: string[]) {
  const { code, out, err } = await runOctavo([...words, "--data", data], { cwd: folder });
  return { code, out: out.trim(), err: err.trim() };
}

/** The files of a folder: bytes by path. */
const filesOf = (at: string): Map<string, string> =>
  new Map(
    (
      readdirSync(at, { recursive: true, withFileTypes: true }) as {
        name: string;
        parentPath: string;
        isFile(): boolean;
      }[]
    )
      .map(
        (one) =>
          [
            relative(at, join(one.parentPath, one.name)),
            one.isFile() ? readFileSync(join(one.parentPath, one.name), "hex") : "folder",
          ] as [string, string],
      )
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 10 }).map((one) => one.toWellFormed().replaceAll("\0", "")),
  fc.constantFrom(
    "",
    "text",
    "a\nb",
    " a\n\n",
    "a\r\nb",
    "---\nx: 1\n---",
    "2020-05-01",
    "no",
    "1.0",
    "~",
    "x".repeat(1500),
  ),
);
const value: fc.Arbitrary<string> = fc.oneof(
  text.map((one) => JSON.stringify(one)),
  fc.constantFrom(
    "1.0",
    "1e5",
    "-0",
    "9007199254740993",
    "null",
    "true",
    "{}",
    "[]",
    '[[1.50],{"a":["b"]}]',
    '{"b":{"c":0.10},"a":"2020-01-01"}',
  ),
);
/** Keys of the service, and those that no entry may have. */
const notTaken = ["content", "uuid", "__proto__", "constructor", "prototype"];
const key = text.filter((one) => !notTaken.includes(one) && one.length < 2000);
const entryData = fc
  .tuple(fc.uniqueArray(fc.tuple(key, value), { maxLength: 4, selector: ([name]) => name }), text, fc.nat(4))
  .map(([pairs, content, place]) => {
    const members = pairs.map(([name, json]) => `${JSON.stringify(name)}:${json}`);
    members.splice(place, 0, `"content":${JSON.stringify(content)}`);
    return `{${members.join(",")}}`;
  });
const oddNames = [
  ...[
    "Blog",
    "blog",
    "BLOG",
    "entry.md",
    "entry.de.md",
    "CON",
    "con.txt",
    ".git",
    "git~1",
    "a:b",
    "100%",
    "end.",
    "end ",
    "ß",
    "SS",
    "ss",
  ],
  ...[
    "é".repeat(127),
    "a".repeat(255),
    "A".repeat(255),
    `${"b".repeat(200)}.git`,
    "日本 語",
    "a\u200cb",
    "x.yaml",
    "%41",
  ],
];
const slug = fc.array(fc.constantFrom(...oddNames), { minLength: 1, maxLength: 3 }).map((names) => names.join("/"));
const contents = fc.uniqueArray(fc.tuple(slug, entryData, fc.integer({ min: -62_000_000_000, max: 253_402_300_799 })), {
  minLength: 60,
  maxLength: 80,
  selector: ([id]) => id,
});

/** Fills the first store: random entries at odd paths, and files at them. */
async function fill(): Promise<void> {
  const settings = readSettings({ flags: { data: first }, env: {}, file: undefined });
  const context = { actor: "octavo", nowSeconds: Math.floor(Date.now() / 1000) };
  const { uploadNamed } = await import("../upload/upload.ts");
  await closing(openStores(settings), async (stores) => {
    for (const [id, data, publishedAt] of fc.sample(contents, 1)[0] ?? []) {
      const path = parsePath("id", id);
      const input = {
        data: formatJson(parseJson(data)),
        fields: { publishedAt, visibility: "hidden" as const },
        isMergePatch: false,
      };
      await stores.entries.create(path, input, context);
    }
    const rules = {
      hasSafeNames: false,
      extensions: settings.uploadTypes,
      maxPixels: 1e6,
      refusesCorruptImages: false,
    };
    for (const at of [
      "Photos/Dot.png",
      "photos/Dot.PNG",
      "photos/dot.png",
      "photos/con.png",
      `long/${"ü".repeat(120)}.png`,
      "x.md",
      "x.md.yaml/y.md",
    ]) {
      const bytes = at.endsWith("md") ? Buffer.from("# text") : png;
      const staged = await stores.blobs.stage(
        (async function* () {
          yield bytes;
        })(),
        1e6,
      );
      const slash = at.lastIndexOf("/");
      const isDot = /dot\.png$/i.test(at);
      const request = {
        ...(isDot && { sentName: "no", givenName: at.endsWith("/Dot.png") ? null : at.slice(at.lastIndexOf("/") + 1) }),
        ...{ folder: at.slice(0, Math.max(0, slash)) as Path, onConflict: "fail" as const, ifMatch: undefined },
        ...{ title: "A: title\n", description: " ", meta: '{"n":1.0,"tags":["a",{"b":null}]}', uploadedAt: 1588329000 },
      };
      await uploadNamed(stores, staged, at.slice(slash + 1), request, rules, context);
      await staged.discard();
    }
    await stores.folders.create("empty/.hidden" as Path, context);
  });
}

test("the name under which a file was sent is in exports, beside a client's field of that name", async () => {
  const [data, out, other] = [join(folder, "sent"), join(folder, "sent-export"), join(folder, "sent-import")];
  await makeStore(data);
  await makeStore(other);
  const settings = (at: string) => readSettings({ flags: { data: at }, env: {}, file: undefined });
  const context = { actor: "octavo", nowSeconds: 1000 };
  const { uploadFile } = await import("../upload/upload.ts");
  const rules = { hasSafeNames: true, extensions: ["png"], maxPixels: 1e6, refusesCorruptImages: false };
  const bytes = async function* () {
    yield png;
  };
  await closing(openStores(settings(data)), async (stores) => {
    const sent: [string, string | undefined][] = [
      ["A b.PNG", undefined],
      ["a#b.png", '{"sent_name":"own"}'],
      ["c.png", '{"sent_name":"own"}'],
    ];
    for (const [fileName, meta] of sent) {
      const staged = await stores.blobs.stage(bytes(), 1e6);
      const named = { folder: "" as Path, fileName, title: undefined, description: undefined, meta };
      await uploadFile(stores, staged, { ...named, onConflict: "replace", onOther: "suffix" }, rules, context);
      await staged.discard();
    }
    const move = { newPath: "moved.png" as Path, extensions: ["png"] };
    await stores.files.move("c.png" as Path, move, context);
    await stores.files.copy("moved.png" as Path, { ...move, newPath: "copy.png" as Path }, context);
  });
  assert.equal((await octavo(data, "export", out)).code, 0);
  assert.match(readFileSync(join(out, "project/uploads/.meta/a-b.png.yaml"), "utf8"), /^sent_name: A b.PNG$/m);
  assert.equal((await octavo(other, "import", out)).code, 0);
  const names = (at: string) =>
    closing(openStores(settings(at)), (stores) =>
      stores.rows.snapshot(async (rows) => {
        const all = (await Array.fromAsync(rows.rows("file"))).flat();
        return all.map(({ name, sent_name, given_name, meta }) => [name, sent_name, given_name, meta]);
      }),
    );
  const own = '{"sent_name":"own"}';
  const expected = [
    ["a-b-1.png", "a#b.png", "a-b-1.png", own],
    ["a-b.png", "A b.PNG", "a-b.png", "{}"],
    ["copy.png", null, null, own],
    ["moved.png", "c.png", "c.png", own],
  ];
  assert.deepEqual(await names(data), expected);
  assert.deepEqual(await names(other), [...expected.slice(0, 3), ["moved.png", "c.png", null, own]]);
});

test("export, import, export changes no byte, and neither does the answer", async () => {
  await fill();
  const [one, two] = [join(folder, "one"), join(folder, "two")];
  const exported = await octavo(first, "export", one, "--json");
  assert.equal(exported.code, 0, exported.err);
  const imported = await octavo(second, "import", one, "--json");
  assert.deepEqual([imported.code, imported.err], [0, ""], imported.out);
  const { entries, files, folders, notes, not_taken } = JSON.parse(imported.out);
  assert.deepEqual([entries.created, files.created, folders.created], [JSON.parse(exported.out).entries, 7, 6]);
  assert.deepEqual([notes.filter(({ why }: { why: string }) => !/shortcode|PHP/.test(why)), not_taken], [[], []]);
  assert.equal((await octavo(second, "export", two)).code, 0);
  assert.deepEqual(filesOf(two), filesOf(one));
  // Beyond the files: the data of every entry, key by key.
  const dataOf = async (data: string) =>
    closing(openStores(readSettings({ flags: { data }, env: {}, file: undefined })), (stores) =>
      stores.rows.snapshot(async (rows) => {
        const all: unknown[] = [];
        for await (const batch of rows.rows("entry")) {
          for (const { slug, uuid, data, published_at, created_at, modified_at } of batch)
            all.push([slug, uuid, data, published_at, created_at, modified_at]);
        }
        return all;
      }),
    );
  assert.ok(isDeepStrictEqual(await dataOf(first), await dataOf(second)));
  const again = JSON.parse((await octavo(second, "import", one, "--json")).out);
  assert.deepEqual([again.entries.created, again.entries.unchanged], [0, entries.created]);
});

test("an export is replaced by its flag only, and removes what is gone", async () => {
  const dir = join(folder, "site");
  mkdirSync(dir);
  writeFileSync(join(dir, "README.md"), "mine");
  const refused = await octavo(second, "export", dir);
  assert.equal(refused.code, 1);
  assert.match(refused.err, /is not empty; --replace/);
  assert.equal((await octavo(second, "export", dir, "--replace")).code, 0);
  const before = filesOf(dir);
  const outside = join(folder, "outside");
  mkdirSync(outside);
  // What was changed since comes back; a link does not lead out.
  const [blog = ""] = globSync("project/entries/*", { cwd: dir });
  renameSync(join(dir, blog), join(dir, "project/entries/gone"));
  symlinkSync(outside, join(dir, blog));
  assert.equal((await octavo(second, "export", dir, "--replace")).code, 0);
  assert.deepEqual(filesOf(dir), before);
  assert.deepEqual(readdirSync(outside), []);
  assert.equal(readFileSync(join(dir, "README.md"), "utf8"), "mine");

  const marker = join(dir, "project", "octavo-export.json");
  writeFileSync(marker, readFileSync(marker, "utf8").replace("true", "false"));
  const cut = await octavo(first, "import", dir);
  assert.deepEqual([cut.code, /its export was interrupted/.test(cut.err)], [1, true]);
  renameSync(marker, `${marker}.old`);
  const other = await octavo(second, "export", dir, "--replace");
  assert.match(other.err, /is no export of Octavo/);
});
