// Slow: it runs a browser.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { build } from "esbuild";
import type { Page } from "playwright-core";
import { noBrowser } from "../chromium.ts";
import { eventually } from "../eventually.ts";
import { openPage, startServer } from "./browser.ts";
import { useClients } from "./service.ts";

/** The client in a browser, on a page of another origin than the service's. */

type Tried = { progress?: { loaded: number; total: number }[]; name?: string; code?: string; data?: unknown };

/** Limits uploads to bytes a second, -1 for no limit: over loopback an upload would end at once. */
async function limitUpload(page: Page, uploadThroughput: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const conditions = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput };
  await session.send("Network.emulateNetworkConditions", conditions);
}

describe("in a browser", { skip: noBrowser }, () => {
  const clients = useClients();
  let page: Page;
  let faults: string[];

  before(async () => {
    await clients.world.ready;
    await clients.manager.entries.create("films/here", { title: "Here", year: 1979 });
    const { outputFiles } = await build({
      entryPoints: [new URL("../../client/src/client.ts", import.meta.url).pathname],
      ...{ bundle: true, format: "esm", write: false },
    });
    const url = await startServer((request, response) => {
      const isScript = request.url === "/client.js";
      response.setHeader("Content-Type", isScript ? "text/javascript" : "text/html");
      response.end(isScript ? outputFiles[0]?.text : "<!doctype html><link rel=icon href=data:,><title>Page</title>");
    });
    ({ page, faults } = await openPage());
    await page.goto(url);
  });

  /** Runs a script on the page; `octavo` has all tokens, `tell` records progress. An error is answered as its name. */
  function run(script: string): Promise<Tried> {
    const { app, token } = clients.world;
    const config = { url: app.url, token: token.management, accessToken: token.access, imagesToken: token.images };
    return page.evaluate(`(async () => {
      const { createClient, where } = await import("/client.js");
      const octavo = createClient(${JSON.stringify(config)});
      const progress = [];
      const onProgress = (told) => progress.push(told);
      try {
        const data = await (async () => { ${script} })();
        return { progress, data };
      } catch ({ name, code }) {
        return { progress, name, code };
      }
    })()`);
  }

  test("entries are read across origins, with the ETag for a conditional write", async () => {
    const { data } = await run(`
      const { items } = await octavo.entries.list("films", { filter: where("year").gt(1970), limit: 1, total: true });
      const read = await octavo.entries.fetch("films/here");
      await octavo.entries.update("films/here", { seen: true }, { ifMatch: read });
      return [items[0].title, (await octavo.entries.fetch("films/here")).seen];`);
    assert.deepEqual(data, ["Here", true]);
    assert.deepEqual(faults, []);
  });

  test("an upload reports progress from the first byte to the last", async () => {
    const size = 8 * 2 ** 20;
    await limitUpload(page, size / 2);
    const { data, progress = [] } = await run(`
      const file = new File(["x".repeat(${size})], "large.txt");
      return (await octavo.files.upload("", file, { onProgress })).filesize;`);
    assert.equal(data, size);
    assert.ok(progress.length > 2, `told ${progress.length} times`);
    await limitUpload(page, -1);
    const loaded = progress.map((told) => told.loaded);
    assert.deepEqual(
      loaded,
      loaded.toSorted((a, b) => a - b),
    );
    const last = progress.at(-1);
    assert.equal(last?.loaded, last?.total);
    assert.ok((last?.total ?? 0) >= size);
  });

  test("an upload with ifMatch and progress sends its tag, and a refusal is a problem", async () => {
    const made = await run(`
      const first = await octavo.files.upload("", new File(["1"], "small.txt"), { onProgress });
      return (await octavo.files.upload("", new File(["22"], "small.txt"), { onProgress, ifMatch: first })).filesize;`);
    assert.equal(made.data, 2);
    const refused = await run(`return octavo.files.upload("", new File(["x"], "x.exe"), { onProgress });`);
    assert.deepEqual([refused.name, refused.code], ["OctavoProblem", "file_type_refused"]);
  });

  test("an aborted upload ends, and an unreachable service is a connection error", async () => {
    const aborted = await run(`
      const controller = new AbortController();
      const file = new File(["x".repeat(${24 * 2 ** 20})], "aborted.txt");
      const tell = (told) => { onProgress(told); controller.abort(); };
      return octavo.files.upload("", file, { onProgress: tell, signal: controller.signal });`);
    assert.equal(aborted.name, "AbortError");
    await eventually(() => clients.manager.files.count("", { filter: (where) => where("basename").eq("aborted") }), 0);
    const gone = await run(`
      const nobody = createClient({ url: "http://127.0.0.1:1" });
      return nobody.files.upload("", new File(["x"], "x.txt"), { onProgress });`);
    assert.equal(gone.name, "OctavoConnectionError");
  });

  test("a token in the URL needs no preflight", async () => {
    const methods: string[] = [];
    page.on("request", (request) => methods.push(`${request.method()} ${"authorization" in request.headers()}`));
    const { data } = await run(`
      const token = ${JSON.stringify(clients.world.token.delivery)};
      const reader = createClient({ url: ${JSON.stringify(clients.world.app.url)}, token, tokenInUrl: true });
      return (await reader.entries.fetch("films/here")).title;`);
    assert.equal(data, "Here");
    assert.deepEqual(
      methods.filter((method) => method !== "GET false"),
      [],
    );
  });
});
