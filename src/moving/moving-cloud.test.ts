// Long: PostgreSQL, a bucket, two services, and an import and export of each.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { test } from "node:test";
import { stores } from "../../test/acceptance/store.ts";
import { png, project0912, project0913, secretOf, writeFiles } from "../../test/cli/flextype.ts";
import { makeStore, runOctavo, startOctavo } from "../../test/cli/octavo.ts";
import { atEnd } from "../../test/ending.ts";
import { temporaryFolder } from "../../test/harness.ts";
import { lacksPostgres } from "../../test/postgres.ts";

/** A site of the original into PostgreSQL and a bucket, out of it, and into another such store and a disk. */

const skip = lacksPostgres() ?? false;
const folder = temporaryFolder();

/** Larger than one part of an upload to a bucket. */
const large = Buffer.alloc(9 * 1024 * 1024, "large file\n");
const site = {
  ...project0912,
  ...project0913,
  "project/media/texts/large.txt": large,
  "project/media/.meta/texts/large.txt.yaml":
    "title: 2020\ndescription: ''\nuploaded_on: 1588329000\nowner:\n  name: Ada\n",
  "project/media/texts/empty.txt": "",
  "project/entries/blog/Ä b/entry.md": "---\ntitle: Umlaut\n---\n[media]\n",
};
// Both generations have it, and both cannot be taken.
delete (site as Record<string, unknown>)["project/uploads/photos/Dot.PNG"];
delete (site as Record<string, unknown>)["project/uploads/.meta/photos/Dot.PNG.yaml"];
const isToken = (path: string): boolean => path.startsWith("project/tokens/");
const tokens = Object.fromEntries(Object.entries(site).filter(([path]) => isToken(path)));

type Place = Record<string, string>;

async function cloud(name: string): Promise<Place> {
  const { env, stop } = await stores.cloud();
  atEnd(stop);
  const place = { ...env, OCTAVO_DATA: join(folder, name) };
  await startOctavo([], { cwd: folder, env: place }).then((service) => service.stop("SIGTERM"));
  return place;
}

async function octavo(place: Place, ...words: string[]) {
  const { code, out, err } = await runOctavo([...words, "--json"], { cwd: folder, env: place });
  assert.equal(code, 0, `${words.join(" ")}: ${err}${out}`);
  return JSON.parse(out);
}

/** The files of a folder: bytes by path. */
const filesOf = (at: string): Map<string, string> =>
  new Map(
    readdirSync(at, { recursive: true, withFileTypes: true })
      .map((one) => [join(one.parentPath, one.name), one.isFile()] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, isFile]) => [relative(at, path), isFile ? readFileSync(path, "hex") : "folder"]),
  );

const reads: readonly (readonly [path: string, token: string, status: number])[] = [
  ["/api/entries?id=blog/first", "e", 200],
  ["/api/entries?id=blog/draft", "e", 200],
  ["/api/entries?id=blog/Ä b", "e", 200],
  ["/api/entries?id=blog&options[collection]=true&options[filter][order_by][field]=title", "e", 200],
  ["/api/entries?id=blog/first", "f", 403],
  ["/api/files?path=photos", "f", 200],
  ["/api/files?path=texts/large.txt", "f", 200],
  ["/api/media/files?id=photos/Dot.PNG", "f", 200],
  ["/api/folders?path=texts", "o", 200],
  ["/api/images/photos/Dot.PNG?w=1", "i", 200],
  ["/api/images/photos/Dot.PNG?mark=mark.png", "i", 200],
  ["/project/uploads/texts/large.txt?", "e", 200],
  ["/project/uploads/texts/empty.txt?", "e", 200],
];

/** The reply to each read; of a refusal only its type, since it names the request. */
async function repliesOf(place: Place): Promise<Map<string, string>> {
  const service = await startOctavo(["--public-url", "http://site.test"], { cwd: folder, env: place });
  const replies = new Map<string, string>();
  for (const [path, token, status] of reads) {
    const reply = await fetch(`${service.url}${path}&token=${secretOf(token)}`);
    assert.equal(reply.status, status, path);
    const bytes = Buffer.from(await reply.arrayBuffer()).toString("hex");
    replies.set(`${path} ${token}`, `${reply.headers.get("content-type")} ${reply.ok ? bytes : ""}`);
  }
  await service.stop("SIGTERM");
  return replies;
}

const hexOf = (reply = ""): string => reply.split(" ").at(-1) as string;

test("a site moves in, out and into another store with PostgreSQL and a bucket; every byte and reply is the same", {
  skip,
}, async () => {
  writeFiles(join(folder, "site"), site);
  writeFiles(join(folder, "tokens"), tokens);
  const first = await cloud("first");
  const imported = await octavo(first, "import", join(folder, "site"));
  assert.deepEqual([imported.entries.created, imported.files.created, imported.refused], [7, 5, []]);
  const replies = await repliesOf(first);
  assert.match(
    hexOf(replies.get("/api/entries?id=blog/first e")),
    new RegExp(Buffer.from('"weight":1.50').toString("hex")),
  );
  assert.equal(hexOf(replies.get("/project/uploads/texts/large.txt? e")), large.toString("hex"));
  const one = join(folder, "one");
  const exported = await octavo(first, "export", one);
  assert.deepEqual([exported.entries, exported.files, exported.bytes > large.length], [7, 5, true]);
  const bytes = filesOf(one);
  assert.equal(bytes.get("project/uploads/photos/Dot.PNG"), png.toString("hex"));

  const second = await cloud("second");
  const again = await octavo(second, "import", one);
  assert.deepEqual([again.entries.created, again.files.created, again.refused], [7, 5, []]);
  await octavo(second, "import", join(folder, "tokens"));
  assert.deepEqual(await repliesOf(second), replies);
  await octavo(second, "export", join(folder, "two"));
  assert.deepEqual(filesOf(join(folder, "two")), bytes);

  const disk = { OCTAVO_DATA: join(folder, "disk") };
  await makeStore(disk.OCTAVO_DATA);
  await octavo(disk, "import", one);
  await octavo(disk, "export", join(folder, "three"));
  assert.deepEqual(filesOf(join(folder, "three")), bytes);
  for (const place of [first, second, disk]) await octavo(place, "verify");
});
