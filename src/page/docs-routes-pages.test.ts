// Slow: it runs a browser.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import axe from "axe-core";
import type { BrowserContextOptions, Page } from "playwright-core";
import { noBrowser } from "../../test/chromium.ts";
import { openPage } from "../../test/client/browser.ts";
import { eventually } from "../../test/eventually.ts";
import { useWorld } from "../../test/harness.ts";
import { looks } from "../../test/looks.ts";

/** The pages at /docs: complete without scripts, readable on every screen, with a page that tries calls. Decision 35. */

const world = useWorld();

type Operation = { operationId: string; summary: string; tags: string[]; responses: Record<string, unknown> };
type Description = { tags: { name: string }[]; paths: Record<string, Record<string, Operation>> };

/** The description without the operations of the tus protocol: their arguments are headers, and a guide has them. */
async function describeApi(): Promise<Description> {
  const { tags, paths } = (await world.send("GET", "/api/openapi.json")).json as unknown as Description;
  assert.ok((await pageOf("/docs")).includes('href="/docs/uploads"'));
  const rest = Object.entries(paths).filter(([path]) => !path.startsWith("/api/uploads"));
  return { tags: tags.filter(({ name }) => name !== "Uploads"), paths: Object.fromEntries(rest) };
}
const slugOf = (tag: string) => tag.toLowerCase().replaceAll(" ", "-");
const pageOf = async (path: string): Promise<string> => {
  const { status, text } = await world.send("GET", path);
  assert.equal(status, 200, path);
  return text;
};
/** The text of HTML without its tags. */
const textOf = (html: string): string =>
  html.replace(/<[^>]*>/g, "").replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));

before(async () => {
  await world.ready;
  const headers = { Authorization: `Bearer ${world.token.management}`, "X-Access-Token": world.token.access };
  const body = { id: "movies/alien", data: { title: "Alien" } };
  assert.equal((await world.send("POST", "/api/entries", { body, headers })).status, 200);
});

test("the first page has the introduction, the guides and every operation, without a script", async () => {
  const html = await pageOf("/docs");
  const text = textOf(html);
  assert.ok(text.includes("Octavo stores content"));
  for (const guide of [
    "readme",
    "contract",
    "compatibility",
    "images",
    "problems",
    "settings",
    "operations",
    "admin",
  ]) {
    assert.ok(html.includes(`<a href="/docs/${guide}">`), guide);
  }
  for (const [path, methods] of Object.entries((await describeApi()).paths)) {
    for (const [method, { operationId, summary, tags }] of Object.entries(methods)) {
      assert.ok(text.includes(`${method.toUpperCase()} ${path}${summary}`), `${method} ${path}`);
      assert.ok(html.includes(`href="/docs/api/${slugOf(tags[0] ?? "")}#${operationId}"`), operationId);
    }
  }
});

test("each operation is on its tag's page with arguments, examples, replies and problems", async () => {
  const { tags, paths } = await describeApi();
  for (const { name } of tags) {
    const html = await pageOf(`/docs/api/${slugOf(name)}`);
    const sections = html.split('<section class="operation"').slice(1);
    const own = Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .filter((operation) => operation.tags[0] === name);
    assert.equal(sections.length, own.length, name);
    for (const { operationId, summary } of own) {
      const section = sections.find((text) => text.startsWith(` id="${operationId}"`)) ?? "";
      const text = textOf(section);
      for (const part of [summary, "curl ", "Try it", "Problems"])
        assert.ok(text.includes(part), `${operationId}: ${part}`);
    }
  }
  const entries = textOf(await pageOf("/docs/api/entries"));
  for (const part of [
    "An object of fields to store.",
    '"title": "Dune"',
    "entry_exists 409",
    "More conditions that must hold",
  ])
    assert.ok(entries.includes(part), part);
  assert.ok(!entries.includes("undefined") && !entries.includes("[object"));
});

test("every link below /docs resolves to a page and an anchor", async () => {
  const description = JSON.stringify(await describeApi());
  const found = new Set([
    "/docs",
    ...[...description.matchAll(/\]\((\/docs[^)]*)\)/g)].map(([, url]) => url as string),
  ]);
  const pages = new Map<string, string>();
  for (const link of found) {
    const [path = "", place = ""] = link.split("#");
    if (!pages.has(path)) {
      const text = await pageOf(path);
      pages.set(path, text);
      for (const [, url = ""] of text.matchAll(/(?:href|src)="([/#][^"]*)"/g)) {
        found.add(url.startsWith("#") ? path + url : url);
      }
    }
    if (place && path !== "/docs/try") assert.ok(pages.get(path)?.includes(`id="${place}"`), link);
  }
  for (const path of ["/docs/images/w.webp", "/docs/screenshots/entry-light.webp", "/docs/operations", "/docs/admin"]) {
    assert.ok(pages.has(path), path);
  }
  assert.ok(pages.size > 40);
});

test("the pages run no inline script and load nothing from other hosts", async () => {
  for (const path of ["/docs", "/docs/api/entries", "/docs/contract"]) {
    const { headers, text } = await world.send("GET", path);
    const policy = headers.get("content-security-policy") ?? "";
    assert.match(policy, /^default-src 'none'; style-src 'self'; img-src 'self';/);
    assert.doesNotMatch(policy, /script-src|unsafe/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.doesNotMatch(text, /<script|<style| style=| on\w+=/);
  }
});

test("the pages are cacheable, revalidated by their tag, and compressed", async () => {
  for (const path of ["/docs", "/docs/api/files", "/docs/problems"]) {
    const { headers } = await world.send("GET", path);
    const known = await world.send("GET", path, { headers: { "If-None-Match": headers.get("etag") ?? "" } });
    assert.equal(known.status, 304, path);
    const coded = await world.send("HEAD", path, { headers: { "Accept-Encoding": "br" } });
    assert.equal(coded.headers.get("content-encoding"), "br", path);
  }
});

test("samples have the host that the reader used", async () => {
  const html = await pageOf("/docs/api/entries");
  assert.ok(html.includes(`curl '${world.app.url}/api/entries?id=movies/alien'`));
  assert.ok(!html.includes(".invalid"));
  const { headers } = await world.send("GET", "/docs/api/entries");
  assert.equal(headers.get("cache-control"), "private, max-age=3600");
});

test("samples name the tokens as the introduction does", async () => {
  const introduction = textOf(await pageOf("/docs"));
  const { tags } = await describeApi();
  const used = new Set<string>();
  for (const { name } of tags) {
    for (const [, variable = ""] of textOf(await pageOf(`/docs/api/${slugOf(name)}`)).matchAll(/\$(\w+_TOKEN)\b/g)) {
      used.add(variable);
    }
  }
  assert.deepEqual([...used].sort(), [
    "ACCESS_TOKEN",
    "CSRF_TOKEN",
    "DELIVERY_TOKEN",
    "IMAGES_TOKEN",
    "MANAGEMENT_TOKEN",
  ]);
  for (const variable of used) assert.ok(introduction.includes(`export ${variable}=`), variable);
});

test("only the pages exist below /docs", async () => {
  const paths = [
    "/docs/images/..%2fproblems.md",
    "/docs/images/missing.webp",
    "/docs/examples.json",
    "/docs/viewer.js",
  ];
  for (const path of [...paths, "/docs/api", "/docs/api/nothing", "/docs/screenshots/../contract.webp"]) {
    assert.equal((await world.send("GET", path)).json.code, "route_not_found", path);
  }
});

/** A directive of a reply's Content-Security-Policy. */
function directive(headers: Headers, name: string): string | undefined {
  const directives = (headers.get("content-security-policy") ?? "").split("; ").map((text) => text.split(" "));
  return directives
    .find(([first]) => first === name)
    ?.slice(1)
    .join(" ");
}

test("the page that tries calls allows its script by a fresh nonce and forbids framing", async () => {
  const [first, second] = [await world.send("GET", "/docs/try"), await world.send("GET", "/docs/try")];
  const nonce = /^'nonce-([\w-]{22})'$/.exec(directive(first.headers, "script-src") ?? "")?.[1];
  assert.ok(nonce);
  assert.notEqual(directive(first.headers, "script-src"), directive(second.headers, "script-src"));
  const [script = ""] = [...first.text.matchAll(/<script(.*?)>/g)].map(([, attributes]) => attributes as string);
  assert.ok(script.includes(`nonce="${nonce}"`));
  assert.equal(directive(first.headers, "default-src"), "'none'");
  assert.equal(directive(first.headers, "connect-src"), "'self'");
  assert.equal(directive(first.headers, "frame-ancestors"), "'none'");
  assert.equal(first.headers.get("cache-control"), "no-store");
  const { headers } = await world.send("GET", /src="([^"]+)"/.exec(script)?.[1] ?? "");
  assert.match(headers.get("cache-control") ?? "", /immutable/);
});

// ------------------------------------------------------------------------------------------------ in a browser

const requested: string[] = [];

async function open(path: string, options: BrowserContextOptions = {}): Promise<{ page: Page; faults: string[] }> {
  const opened = await openPage({ viewport: { width: 1440, height: 1000 }, ...options });
  opened.page.on("request", (request) => requested.push(request.url()));
  await opened.page.goto(world.app.url + path);
  return opened;
}

describe("in a browser", { skip: noBrowser }, () => {
  const paths = [
    ...["/docs", "/docs/try", "/docs/operations", "/docs/readme"],
    ...["/docs/api/entries", "/docs/api/images", "/docs/api/registry", "/docs/api/bytes"],
  ];
  for (const path of paths) {
    test(`${path} is accessible, in light and dark, from 360 pixels on`, async () => {
      const { page, faults } = await open(path);
      await page.evaluate(axe.source);
      for (const { width, colorScheme } of looks) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        const what = `${colorScheme}, ${width} pixels`;
        await eventually(
          () => page.evaluate("document.documentElement.scrollWidth <= innerWidth"),
          true,
          `${what}: it is wider`,
        );
        const found = await page.evaluate(async () => {
          const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run({
            rules: { "target-size": { enabled: true } },
          });
          return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`);
        });
        assert.deepEqual(found, [], what);
      }
      assert.deepEqual(faults, []);
    });
  }

  test("without JavaScript everything is readable, and on a small screen the contents open", async () => {
    const { page } = await open("/docs", { javaScriptEnabled: false, viewport: { width: 360, height: 740 } });
    const contents = page.getByRole("navigation", { name: "Contents" });
    await eventually(() => contents.isVisible(), false);
    await page.getByRole("button", { name: "Contents" }).click();
    await contents.getByRole("link", { name: "Entries", exact: true }).click();
    await page.getByRole("heading", { name: "Create an entry" }).waitFor();
    await page.locator("#postEntries pre.reply").first().filter({ hasText: '"title": "Dune"' }).waitFor();
  });

  /** An example of the reference in the page that tries it. */
  async function tryExample(tag: string, operationId: string): Promise<{ page: Page; faults: string[] }> {
    const { page, faults } = await open(`/docs/api/${tag}`);
    const link = page.locator(`#${operationId}`).getByRole("link", { name: "Try it" }).first();
    const [opened] = await Promise.all([page.context().waitForEvent("page"), link.click()]);
    opened.on("request", (request) => requested.push(request.url()));
    opened.on("pageerror", (error) => faults.push(String(error)));
    await opened.getByRole("heading", { name: "Try a call" }).waitFor();
    return { page: opened, faults };
  }

  test("a read is tried with a token, which the next example reuses", async () => {
    const { page, faults } = await tryExample("entries", "getEntries");
    await page.getByLabel("Token", { exact: true }).fill(world.token.delivery);
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("200 OK").waitFor();
    await page.getByText('"title": "Alien"').waitFor();
    const call = { method: "GET", address: "/api/entries?id=movies/nowhere", kind: "delivery" };
    await page.goto(`${world.app.url}/docs/try#${encodeURIComponent(JSON.stringify(call))}`);
    await page.getByText("200 OK").waitFor({ state: "hidden" });
    await eventually(() => page.getByLabel("Token", { exact: true }).inputValue(), world.token.delivery);
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("404 Not Found").waitFor();
    await page.getByText("entry_not_found").first().waitFor();
    assert.deepEqual(faults, []);
  });

  test("a write is tried with both its tokens", async () => {
    const { page } = await tryExample("entries", "postEntries");
    await page.getByLabel("Token", { exact: true }).fill(world.token.management);
    await page.getByLabel("Access token, for writes").fill(world.token.access);
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("200 OK").waitFor();
    const headers = { Authorization: `Bearer ${world.token.management}` };
    const { json } = await world.send("GET", "/api/entries", { query: { id: "movies/dune" }, headers });
    assert.equal((json.data as { title: string }).title, "Dune");
  });

  test("an upload is tried with a file, and the resulting image is shown", async () => {
    const { page } = await tryExample("files", "postFiles");
    await page.getByLabel("Token", { exact: true }).fill(world.token.management);
    await page.getByLabel("Access token, for writes").fill(world.token.access);
    await page.getByLabel("Body", { exact: true }).fill('{"folder":"movies"}');
    const file = new URL("../../assets/demo/uploads/movies/solaris.jpg", import.meta.url).pathname;
    await page.getByLabel("File").setInputFiles(file);
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText('"filename": "solaris.jpg"').waitFor();
    await page.getByLabel("Method").selectOption("GET");
    await page.getByLabel("Address").fill("/api/images/movies/solaris.jpg?w=100");
    await page.getByLabel("Token", { exact: true }).fill(world.token.images);
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("img", { name: "The picture that was answered" }).waitFor();
  });

  test("no call goes to another host, whatever the link", async () => {
    const call = { method: "GET", address: "https://example.org/api/entries" };
    const { page } = await open(`/docs/try#${encodeURIComponent(JSON.stringify(call))}`);
    await page.getByLabel("Token", { exact: true }).fill(world.token.delivery);
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Not sent").waitFor();
    await page.getByText("must be one of this service").waitFor();
  });

  test("no request went to another host", () => {
    assert.deepEqual(
      requested.filter((url) => !/^(data|blob):/.test(url) && !url.startsWith(world.app.url)),
      [],
    );
  });
});
