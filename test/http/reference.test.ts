import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { noBrowser, openPage } from "../client/browser.ts";
import { useWorld } from "../harness.ts";

/** The API reference at /docs in a real browser: all of it is drawn, nothing leaves the service, a call can be tried. */

const world = useWorld();

type Operation = { summary: string; tags: string[] };
type Description = { tags: { name: string }[]; paths: Record<string, Record<string, Operation>> };

describe("the API reference in a browser", { skip: noBrowser }, () => {
  let page: Page;
  let faults: string[];
  const asked: string[] = [];

  before(async () => {
    await world.ready;
    const body = { id: "movies/alien", data: { title: "Alien" } };
    const headers = { Authorization: `Bearer ${world.token.management}`, "X-Access-Token": world.token.access };
    assert.equal((await world.send("POST", "/api/entries", { body, headers })).status, 200);
    ({ page, faults } = await openPage({ viewport: { width: 1440, height: 1000 } }));
    page.setDefaultTimeout(30_000);
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(`${world.app.url}/docs`);
    await page.getByRole("heading", { name: "Octavo", level: 1 }).waitFor();
  });

  test("its menu has every operation of the description, under its tag", async () => {
    const { tags, paths } = (await world.send("GET", "/api/openapi.json")).json as unknown as Description;
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    const menu = page.locator(".t-doc__sidebar");
    const closed = menu.getByRole("button", { name: "Open Group" });
    while (await closed.count()) await closed.first().click();
    const opened = await menu.getByRole("button", { name: "Close Group" }).allInnerTexts();
    for (const { name } of tags)
      assert.ok(
        opened.some((text) => text.startsWith(name) || text.endsWith(name)),
        name,
      );
    const entries = await menu.locator("li li").allInnerTexts();
    for (const summary of new Set(operations.map((operation) => operation.summary))) {
      const wanted = operations.filter((operation) => operation.summary === summary).length;
      const shown = entries.filter((text) => text.split("\n")[0] === summary).length;
      assert.equal(shown, wanted, summary);
    }
  });

  test("an operation shows its arguments, its answer and its problems", async () => {
    await page.goto(`${world.app.url}/docs#tag/entries/POST/api/entries`);
    const section = page.locator('section[id$="tag/entries/POST/api/entries"]');
    await section.getByText("Create an entry").first().waitFor();
    await section.getByText("An object of fields to store.").first().waitFor();
    await section.getByText('"Dune"').first().waitFor();
    await section.getByRole("tab", { name: "409" }).click();
    await section.getByText("entry_exists").first().waitFor();
  });

  test("a call is tried with a token and answered 200", async () => {
    await page.goto(`${world.app.url}/docs#tag/entries/GET/api/entries`);
    const section = page.locator('section[id$="tag/entries/GET/api/entries"]');
    await section.getByRole("button", { name: /Test Request/ }).click();
    const client = page.getByRole("dialog");
    await client.getByPlaceholder("Token").fill(world.token.delivery);
    const answered = page.waitForResponse((response) => response.url().includes("/api/entries?"));
    await client.getByRole("button", { name: /^Send/ }).first().click();
    const response = await answered;
    assert.equal(response.status(), 200);
    assert.equal(((await response.json()) as { data: { title: string } }).data.title, "Alien");
    await client.getByText('"Alien"').first().waitFor();
  });

  test("a write is tried with both its tokens, without looking for where they go", async () => {
    await page.goto(`${world.app.url}/docs#tag/entries/POST/api/entries`);
    await page.reload();
    const section = page.locator('section[id$="tag/entries/POST/api/entries"]');
    await section.getByRole("button", { name: /Test Request/ }).click();
    const client = page.getByRole("dialog");
    await client.getByText("X-Access-Token").waitFor();
    const [token, accessToken] = [client.getByPlaceholder("Token"), client.getByPlaceholder(/^QUxM/)];
    await token.fill(world.token.management);
    await accessToken.fill(world.token.access);
    const answered = page.waitForResponse((response) => response.request().method() === "POST");
    await client.getByRole("button", { name: /^Send/ }).first().click();
    assert.equal((await answered).status(), 200);
  });

  for (const colorScheme of ["light", "dark"] as const) {
    test(`its texts stand out from their ground, ${colorScheme}`, async () => {
      await page.emulateMedia({ colorScheme });
      await page.goto(`${world.app.url}/docs`);
      await page.reload();
      await page.locator(`.${colorScheme}-mode`).first().waitFor({ state: "attached" });
      await page.getByText("MANAGEMENT_TOKEN=").first().waitFor();
      await page.evaluate(axe.source);
      const faint = await page.evaluate(async () => {
        const run = (globalThis as unknown as { axe: typeof axe }).axe.run;
        const { violations } = await run({ runOnly: ["color-contrast"] });
        return violations.flatMap(({ nodes }) => nodes.map(({ html }) => html));
      });
      assert.deepEqual(faint, []);
    });
  }

  test("nothing was asked of another host, and nothing broke the page's own policy", () => {
    const others = asked.filter((url) => !/^(data|blob):/.test(url) && !url.startsWith(world.app.url));
    assert.deepEqual(others, []);
    assert.deepEqual(faults, []);
  });
});

/** A directive of a reply's Content-Security-Policy. */
function directive(headers: Headers, name: string): string | undefined {
  const directives = (headers.get("content-security-policy") ?? "").split("; ").map((text) => text.split(" "));
  return directives
    .find(([first]) => first === name)
    ?.slice(1)
    .join(" ");
}

test("the page takes scripts by a nonce of this reply alone, and may not be framed", async () => {
  const [first, second] = [await world.send("GET", "/docs"), await world.send("GET", "/docs")];
  const nonce = /^'nonce-([\w-]{22})'$/.exec(directive(first.headers, "script-src") ?? "")?.[1];
  assert.ok(nonce);
  assert.notEqual(directive(first.headers, "script-src"), directive(second.headers, "script-src"));
  assert.deepEqual(
    [...first.text.matchAll(/<script(.*?)>/g)].map(([, attributes]) => attributes?.includes(`nonce="${nonce}"`)),
    [true, true],
  );
  assert.equal(directive(first.headers, "default-src"), "'none'");
  assert.equal(directive(first.headers, "frame-ancestors"), "'none'");
  assert.equal(first.headers.get("cache-control"), "no-store");
  assert.equal(first.headers.get("x-content-type-options"), "nosniff");
});

test("what the page loads may be kept for ever and is compressed", async () => {
  const { text } = await world.send("GET", "/docs");
  const scripts = [...text.matchAll(/src="([^"]+)"/g)].map(([, url]) => url as string);
  assert.equal(scripts.length, 2);
  for (const url of scripts) {
    const reply = await world.send("GET", url);
    assert.equal(reply.status, 200, url);
    assert.match(reply.headers.get("cache-control") ?? "", /immutable/);
    const known = await world.send("GET", url, { headers: { "If-None-Match": reply.headers.get("etag") ?? "" } });
    assert.equal(known.status, 304, url);
  }
  assert.equal(
    (await world.send("HEAD", scripts[0] as string, { headers: { "Accept-Encoding": "br" } })).headers.get(
      "content-encoding",
    ),
    "br",
  );
});

test("every link of the reference and of the guides leads to a page and a place on it", async () => {
  const description = JSON.stringify((await world.send("GET", "/api/openapi.json")).json);
  const found = new Set([...description.matchAll(/\]\((\/docs[^)]*)\)/g)].map(([, url]) => url as string));
  assert.ok(found.has("/docs/problems#entry_not_found"));
  const pages = new Map<string, string>();
  for (const link of found) {
    const [path = "", place] = link.split("#");
    if (!pages.has(path)) {
      const { status, text } = await world.send("GET", path);
      assert.equal(status, 200, path);
      pages.set(path, text);
      for (const [, url = ""] of text.matchAll(/(?:href|src)="(\/[^"]*)"/g)) found.add(url);
    }
    if (place) assert.ok(pages.get(path)?.includes(`id="${place}"`), link);
  }
  assert.ok(found.has("/docs/images/w.webp"));
});

test("below /docs there is nothing but the pages", async () => {
  for (const path of ["/docs/images/..%2fproblems.md", "/docs/images/missing.webp", "/docs/examples.json"]) {
    assert.equal((await world.send("GET", path)).json.code, "route_not_found", path);
  }
});
