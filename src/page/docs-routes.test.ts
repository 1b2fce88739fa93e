import assert from "node:assert/strict";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { openApiText, readApi } from "../../api-docs/build.ts";
import { temporaryFolder, useWorld } from "../../test/harness.ts";
import type { Call } from "../core/http/call.ts";
import { anyAddress } from "../core/http/html.ts";
import { Docs } from "./docs-routes.ts";

/** Serving the built files of the reference, which must be built from these sources. */

const call = (url: string) => ({ method: "GET", url, origin: () => "https://octavo.example" }) as Call;

function write(folder: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

test("a folder that is not built, is built, and is built again", () => {
  const folder = temporaryFolder();
  const docs = new Docs(undefined, false, folder);
  const textOf = (url: string) => String(docs.answer(call(url)).body);
  assert.throws(() => docs.answer(call("/docs")), { code: "docs_not_built" });
  write(folder, { "open/docs.html": "First", "open/docs/a.html": "A", "open/docs/notes.txt": "x", "built-from": "1" });
  assert.equal(textOf("/docs?utm=1"), "First");
  assert.equal(textOf("/docs/a"), "A");
  for (const path of ["/docs/b", "/docs/notes.txt", "/docs/", "/built-from", "/open/docs", "/docs/../docs"])
    assert.throws(() => docs.answer(call(path)), { code: "route_not_found" }, path);
  write(folder, { "open/docs.html": "Second" });
  utimesSync(join(folder, "built-from"), 1, 1);
  assert.equal(textOf("/docs"), "Second");
});

test("a page with the service's URL is rendered per URL, any other is shared", () => {
  const folder = temporaryFolder();
  write(folder, { "open/docs.html": `At ${anyAddress}`, "open/docs/a.html": "A", "built-from": "1" });
  const answerOf = (url: string, publicUrl?: string) => new Docs(publicUrl, false, folder).answer(call(url));
  assert.equal(String(answerOf("/docs").body), "At https://octavo.example");
  assert.equal(answerOf("/docs").cacheControl, "private, max-age=3600");
  assert.equal(String(answerOf("/docs", "https://public.example").body), "At https://public.example");
  assert.equal(answerOf("/docs", "https://public.example").cacheControl, "public, max-age=3600");
  assert.equal(answerOf("/docs/a").cacheControl, "public, max-age=3600");
});

test("with private uploads their separate files are served", () => {
  const folder = temporaryFolder();
  write(folder, {
    "open/docs.html": "Open",
    "open/docs/a.html": "A",
    "private/docs.html": "Private",
    "built-from": "1",
  });
  const textOf = (arePrivate: boolean, url: string) =>
    String(new Docs(undefined, arePrivate, folder).answer(call(url)).body);
  assert.equal(textOf(false, "/docs"), "Open");
  assert.equal(textOf(true, "/docs"), "Private");
  assert.equal(textOf(true, "/docs/a"), "A");
});

const open = useWorld();
const shut = useWorld({ "uploads-private": "on" });

test("the served files are built from these sources, for either value of uploads_private", async () => {
  for (const [world, flags] of [
    [open, {}],
    [shut, { "uploads-private": "on" }],
  ] as const) {
    const { text } = await world.send("GET", "/api/openapi.json");
    const made = openApiText(await readApi(flags)).replaceAll(anyAddress, world.app.url);
    assert.ok(text === made, "api-docs/dist is older than its sources: npm run build");
  }
  const bytes = async (world: typeof open) => (await world.send("GET", "/docs/api/bytes")).text;
  assert.match(await bytes(open), /Open to everybody/);
  assert.match(await bytes(shut), /Needs a delivery, preview or management token/);
});

test("a search finds the sections that have all words, those in headings first, and escapes what was asked", async () => {
  const search = (q: string) => open.send("GET", "/docs/search", { query: { q } });
  const linksIn = (text: string) =>
    [...text.matchAll(/<li><a href="(\/docs[^"]*)">[^<]*<\/a> <span>/g)].map(([, url]) => url);
  const { status, text, headers } = await search("focal points");
  assert.equal(status, 200);
  assert.equal(linksIn(text)[0], "/docs/images#focal-points");
  assert.match(text, /<mark>focal<\/mark>/i);
  assert.match(headers.get("content-security-policy") ?? "", /default-src 'none'.*form-action 'self'/);
  for (const url of new Set(linksIn(text).map((link = "") => link.split("#", 1)[0]))) {
    assert.equal((await open.send("GET", url as string)).status, 200, url);
  }
  const hostile = '"><script>alert(1)</script> $& $1 [a(';
  const nothing = await search(hostile);
  assert.equal(nothing.status, 200);
  assert.match(nothing.text, /Nothing has all these words/);
  assert.doesNotMatch(nothing.text, /<script/);
  assert.match((await search("")).text, /<h1>Search<\/h1>/);
  const long = await search("x".repeat(201));
  assert.equal(long.status, 400);
  assert.match(String(long.json.detail), /"q" was .*at most 200 characters/);
});

test("no page of the documentation is larger than a reader waits for", async () => {
  const { text } = await open.send("GET", "/docs");
  const pages = new Set([...text.matchAll(/href="(\/docs\/[^"#?]+)"/g)].map(([, url = ""]) => url));
  assert.ok(pages.size > 20);
  for (const page of pages) {
    const reply = await open.send("GET", page);
    assert.equal(reply.status, 200, page);
    assert.ok(reply.text.length < 450_000, `${page} has ${reply.text.length} characters`);
  }
});
