// Slow: it runs a browser.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { noBrowser } from "../chromium.ts";
import { atEnd } from "../ending.ts";
import { eventually } from "../eventually.ts";
import { temporaryFolder } from "../harness.ts";
import { openPage } from "./browser.ts";
import { check } from "./project.ts";

/** examples/site in a browser, on the sample site, started by the commands of its README. */

const root = new URL("../../", import.meta.url).pathname;
const guide = readFileSync(new URL("../../examples/site/README.md", import.meta.url), "utf8");
const commands = [...guide.matchAll(/^```sh\n(.*?)\n```/gms)].flatMap(([, lines = ""]) => lines.split("\n"));
const data = temporaryFolder();
const [build = "", serve = "", site = ""] = commands;

test("the example's modules compile under strict", () => {
  assert.equal(check(root, "--project", "examples/site"), "");
});

/** Runs a command of the guide until it prints its URL; answers its output. Stopped after the tests. */
async function begin(command: string, env: Record<string, string>): Promise<{ output: string; url: string }> {
  const child = spawn("sh", ["-c", command], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
    // A process group of its own, since npx does not forward signals.
    detached: true,
  });
  const closed = once(child, "close");
  atEnd(async () => {
    process.kill(-(child.pid as number), "SIGTERM");
    // The shell ends before the service, which writes to its folder until it does: it has the pipe until then.
    child.stdout.resume();
    await closed;
  });
  let output = "";
  for await (const line of createInterface({ input: child.stdout })) {
    output += `${line}\n`;
    const [, url] = /answers on (http:\S+)/.exec(line) ?? [];
    if (url) return { output, url };
  }
  return assert.fail(`${command} ended before it printed its URL`);
}

describe("the example in a browser", { skip: noBrowser }, () => {
  let page: Page;
  let faults: string[];
  let url: string;
  let octavoUrl: string;
  let secrets: Record<string, string>;
  const asked: string[] = [];

  before(async () => {
    assert.equal(commands.length, 3);
    execFileSync("sh", ["-c", build], { cwd: root });
    const octavo = await begin(serve, { OCTAVO_PORT: "0", OCTAVO_DATA: data, OCTAVO_LOG: "off" });
    octavoUrl = octavo.url;
    const printed = octavo.output.matchAll(/^ +(\w+) +(oct_\S+)$/gm);
    secrets = Object.fromEntries([...printed].map(([, kind, secret]) => [kind, secret]));
    const tokens = site.replace(
      /oct_\w_…/g,
      (form) => new RegExp(`${form.slice(0, -1)}\\S+`).exec(octavo.output)?.[0] ?? "",
    );
    ({ url } = await begin(tokens, { OCTAVO_URL: octavo.url, PORT: "0" }));
    ({ page, faults } = await openPage({ viewport: { width: 1280, height: 900 } }));
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(url);
    await page.waitForSelector(".card");
  });

  const titles = () => page.locator(".card h2").allTextContents();
  async function write(method: string, id: string, known?: object, locale?: string): Promise<void> {
    const { management: token, access: access_token } = secrets;
    const body = JSON.stringify({ id, locale, data: known, token, access_token });
    const headers = { "Content-Type": "application/json" };
    const path = locale ? "/api/entries/translations" : "/api/entries";
    const reply = await fetch(octavoUrl + path, { method, headers, body });
    assert.ok(reply.ok, await reply.text());
  }
  /** Waits until the list has these items. */
  async function expectTitles(...expected: string[]): Promise<void> {
    await eventually(titles, expected);
  }

  test("the home page shows the films, newest first, under the name of the site", async () => {
    await expectTitles("Arrival", "Alien", "Stalker", "Solaris", "Metropolis");
    await eventually(() => page.title(), "The reading room");
    await eventually(() => page.locator(".motto").textContent(), "Films, and the books some of them came from.");
  });

  test("the service sorts, filters and searches the list", async () => {
    await page.selectOption("select", "year");
    await expectTitles("Metropolis", "Solaris", "Alien", "Stalker", "Arrival");
    await page.getByLabel("horror").check();
    await expectTitles("Alien");
    await page.getByLabel("drama").check();
    await page.getByLabel("from a book").check();
    await expectTitles("Solaris", "Stalker", "Arrival");
    await eventually(() => page.locator(".count").textContent(), "3 films");
    await page.getByRole("searchbox").fill("zone");
    await expectTitles("Stalker");
    await eventually(() => page.locator(".count").textContent(), "One film");
    await page.getByRole("searchbox").fill("no such thing");
    await expectTitles();
    await eventually(() => page.locator(".count").textContent(), "No films");
  });

  test("what changes is shown without a reload, and what is in the form stays", async () => {
    await page.getByRole("searchbox").fill("zone");
    await expectTitles("Stalker");
    await write("PATCH", "movies/stalker", { title: "The stalker" });
    await expectTitles("The stalker");
    await eventually(() => page.getByRole("searchbox").inputValue(), "zone");
    await page.getByRole("link", { name: "The stalker" }).click();
    await page.getByRole("heading", { name: "The stalker", level: 1 }).waitFor();
    await write("PATCH", "movies/stalker", { title: "Stalker" });
    await page.getByRole("heading", { name: "Stalker", exact: true, level: 1 }).waitFor();
    await page.getByText("All films").click();
    await page.waitForSelector(".grid");
  });

  test("images have the width of the screen and one aspect ratio, and are immutable for caches", async () => {
    await page.reload();
    const picture = page.locator("img.poster").first();
    await picture.scrollIntoViewIfNeeded();
    await page.evaluate("Promise.all([...document.images].map((image) => image.decode()))");
    const source = await picture.evaluate((image) => (image as unknown as { currentSrc: string }).currentSrc);
    assert.match(source, /solaris|arrival|alien|stalker|metropolis/);
    assert.match(source, /\?p=card&v=\w+$/);
    assert.doesNotMatch(source, /token/);
    const { headers } = await fetch(source, { headers: { Accept: "image/avif,image/webp" } });
    assert.match(headers.get("cache-control") ?? "", /immutable/);
    assert.equal(headers.get("content-type"), "image/avif");
  });

  test("pictures move nothing when they arrive, have something to show until then, and the size that each of three screens needs", async () => {
    // Held back until the page is measured.
    let send = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      send = resolve;
    });
    await page.route("**/api/images/**", async (route) => {
      await held;
      await route.continue();
    });
    await page.reload();
    await page.waitForSelector(".card");
    await page.waitForFunction(
      "[...document.querySelectorAll('img.poster')].every((one) => one.style.background.includes('data:image/png'))",
    );
    const boxes = () =>
      page.locator("img.poster").evaluateAll((all) => all.map((one) => JSON.stringify(one.getBoundingClientRect())));
    const before = await boxes();
    await page.evaluate(`globalThis.moved = 0; new PerformanceObserver((list) => {
      for (const { value } of list.getEntries()) moved += value;
    }).observe({ type: "layout-shift" })`);
    send();
    const decoded = "Promise.all([...document.images].map((image) => ((image.loading = 'eager'), image.decode())))";
    await page.evaluate(decoded);
    await eventually(boxes, before);
    await eventually(() => page.evaluate("moved"), 0);
    await page.unroute("**/api/images/**");
    // The preset is 384 pixels wide; `srcset` has it once, one and a half times, twice and three times.
    const offered = [384, 576, 768, 1152];
    // The widest picture last: a browser shows a larger one that it has.
    for (const width of [390, 1280, 640]) {
      await page.setViewportSize({ width, height: 800 });
      await page.goto(`${url}/?${width}`);
      await page.waitForSelector("img.poster");
      await page.evaluate(decoded);
      const pictures = (await page.evaluate(
        "[...document.querySelectorAll('img.poster')].map((one) => [one.clientWidth, one.currentSrc])",
      )) as [shown: number, source: string][];
      assert.ok(pictures.length > 0);
      for (const [shown, source] of pictures) {
        const density = Number(/&dpr=([\d.]+)/.exec(source)?.[1] ?? 1);
        assert.equal(
          384 * density,
          offered.find((each) => each >= shown),
          `${shown} of ${width}: ${source}`,
        );
      }
    }
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  test("a film page has its facts, its director's other films and texts about it", async () => {
    await page.getByRole("link", { name: "Solaris" }).click();
    await page.waitForSelector("article.page");
    const text = await page.locator("article").innerText();
    for (const part of ["Solaris", "2 h 47 min", "Stanisław Lem", "Also by Andrei Tarkovsky", "From page to screen"]) {
      assert.ok(text.includes(part), part);
    }
    await page.getByRole("link", { name: "Stalker (1979)" }).click();
    await page.getByRole("heading", { name: "Stalker" }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "Solaris" }).waitFor();
    await page.getByText("All films").click();
    await page.waitForSelector(".grid");
  });

  test("the types of the site are what its README's command makes of the running store", () => {
    const [, generate = ""] = /`(npx octavo types generate [^`]+)`/.exec(guide) ?? [];
    const env = { ...process.env, OCTAVO_DATA: data };
    const said = execFileSync("sh", ["-c", `${generate} --check`], { cwd: root, env, encoding: "utf8" });
    assert.equal(said.trim(), "examples/site/schema.ts is up to date: 3 types.");
  });

  test("an article comes with its cover, author and films in one request, its Markdown as elements", async () => {
    const before = asked.length;
    await page.getByRole("link", { name: "From page to screen" }).click();
    await page.getByRole("heading", { name: "An ocean that answers" }).waitFor();
    const entries = asked.slice(before).filter((address) => address.includes("/api/entries"));
    assert.equal(entries.length, 1, entries.join());
    const article = page.locator("article.page");
    await eventually(() => article.innerText(), /By The reading room/);
    await eventually(() => article.locator("td").nth(5).textContent(), "7");
    await eventually(() => article.locator("img.poster").getAttribute("src"), /solaris\.jpg/);
    await article.getByRole("link", { name: "Stalker" }).click();
    await page.getByRole("heading", { name: "Stalker" }).waitFor();
    await page.getByText("All films").click();
    await page.waitForSelector(".grid");
  });

  test("a film with few fields is shown: the README's example, and one with fewer", async () => {
    await write("POST", "movies/dune", { title: "Dune", year: 2021, genres: ["science fiction", "adventure"] });
    await write("POST", "movies/untold", {});
    await page.goto(`${url}/#/`);
    await page.reload();
    await expectTitles("Dune", "Arrival", "Alien", "Stalker", "Solaris", "Metropolis", "untold");
    await eventually(() => page.locator(".card", { hasText: "Dune" }).locator(".facts").innerText(), "2021");
    const shown = async () => (await page.locator("main").innerText()) + (await page.locator("main").innerHTML());
    await eventually(shown, (seen) => assert.doesNotMatch(seen, /NaN|undefined|null|\[object/));
    for (const name of ["dune", "untold"]) {
      await page.goto(`${url}/#/movies/${name}`);
      await page.locator("article.page").waitFor();
      await eventually(shown, (seen) => assert.doesNotMatch(seen, /NaN|undefined|null|\[object/, name));
    }
    // A page of what is deleted reads it in vain, when it hears of that.
    await page.getByText("All films").click();
    await page.waitForSelector(".grid");
    for (const id of ["movies/dune", "movies/untold"]) await write("DELETE", id);
  });

  const hash = () => page.evaluate("location.hash");
  const language = () => page.evaluate("document.documentElement.lang");
  const alternates = () =>
    page.locator("link[rel=alternate]").evaluateAll((links) =>
      links.map((link) => {
        const [, there] = (link.getAttribute("href") ?? "").split("#");
        return `${link.getAttribute("hreflang")} #${there}`;
      }),
    );

  test("the language switch leads to the same page at its own path, and the page names both for search engines", async () => {
    await page.goto(`${url}/#/movies/alien`);
    await page.getByRole("heading", { name: "Alien", exact: true }).waitFor();
    const both = ["en #/movies/alien", "de #/de/filme/alien-das-unheimliche-wesen"];
    await eventually(alternates, both);
    await eventually(language, "en");
    await page.getByRole("link", { name: "Deutsch" }).click();
    await page.getByRole("heading", { name: "Alien – Das unheimliche Wesen aus einer fremden Welt" }).waitFor();
    await eventually(hash, "#/de/filme/alien-das-unheimliche-wesen");
    await eventually(language, "de");
    await eventually(alternates, both);
    await eventually(() => page.title(), "Der Lesesaal");
    // An id is found in every language; the page then has the address of its own.
    await page.goto(`${url}/#/de/articles/silent-cities`);
    await page.getByRole("heading", { name: "Stille Städte" }).waitFor();
    await eventually(hash, "#/de/artikel/stille-staedte");
    await page.getByText("Alle Filme").click();
    await eventually(() => page.locator(".count").textContent(), "5 Filme");
    await eventually(alternates, ["en #/", "de #/de/"]);
    await page.getByRole("link", { name: "English" }).click();
    await eventually(() => page.locator(".count").textContent(), "5 films");
  });

  test("what is not translated is in English, marked as such, until it is", async () => {
    await page.goto(`${url}/#/de/`);
    const card = page.locator(".card", { hasText: "Stalker" });
    await eventually(() => card.locator("p[lang=en]").textContent(), "Three men walk into the Zone.");
    await card.click();
    await page.getByText("Dieser Text ist noch nicht übersetzt.").waitFor();
    await eventually(hash, "#/de/filme/stalker");
    await eventually(() => page.locator(".prose").getAttribute("lang"), "en");
    await eventually(alternates, ["en #/movies/stalker"]);
    await write("PATCH", "movies/stalker", { content: "Drei Männer gehen in die Zone." }, "de");
    await eventually(() => page.locator(".prose").textContent(), /Drei Männer/);
    await eventually(() => page.locator(".note").count(), 0);
    await eventually(alternates, ["en #/movies/stalker", "de #/de/filme/stalker"]);
  });

  test("a phone's page has no horizontal overflow", async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    for (const hash of ["#/", "#/movies/metropolis", "#/de/filme/alien", "#/de/artikel/vom-buch-zum-film"]) {
      await page.goto(`${url}/${hash}`);
      await page.waitForSelector(".card, article");
      await eventually(() => page.evaluate("document.documentElement.scrollWidth"), 360, hash);
    }
  });

  test("no request left the machine, and the console has no errors", () => {
    assert.ok(asked.length > 20);
    for (const address of asked) assert.match(address, /^(http:\/\/127\.0\.0\.1:\d+\/|data:)/);
    assert.deepEqual(faults, []);
  });

  test("a missing film shows the service's message", async () => {
    await page.goto(`${url}/#/movies/nowhere`);
    await page.getByRole("heading", { name: "Entry not found" }).waitFor();
    await eventually(() => page.locator("main").innerText(), /there is no entry with this id/);
  });

  test("the site's policy keeps HTML from running scripts and from loading from elsewhere", async () => {
    const html = '<img src="data:," onerror="document.title = 1"><img src="http://localhost:9/">';
    const refused = await page.evaluate(`new Promise((resolve) => {
      const refused = [];
      addEventListener("securitypolicyviolation", ({ effectiveDirective }) => {
        if (refused.push(effectiveDirective) === 2) resolve(refused.sort());
      });
      document.querySelector("main").innerHTML = ${JSON.stringify(html)};
    })`);
    assert.deepEqual(refused, ["img-src", "script-src-attr"]);
    await eventually(() => page.title(), "The reading room");
  });
});
