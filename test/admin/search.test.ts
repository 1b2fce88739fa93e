// Slow: it runs a browser.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before } from "node:test";
import type { Page } from "playwright-core";
import { eventually } from "../eventually.ts";
import { auditAll, flow, overflow, skip, useDesk, write } from "./browser.ts";

/** Searches on the admin page: the finder, the list of a section, the picker of entries, and a service without words. */

const desk = useDesk();
const without = useDesk({ search: "off" });

const put = (id: string, data: object, { world } = desk) => write(world, "POST", "/api/entries", { id, data });

before(async () => {
  if (skip) return;
  await Promise.all([desk.world.ready, without.world.ready]);
  await put("authors/lem", { title: "Stanisław Lem", content: "He wrote *The Cyberiad*." });
  for (let i = 0; i < 60; i++) {
    const content = `Number ${i} of many. ${"A long way to the name. ".repeat(8)}It is by Lem, of Kraków.`;
    await put(`books/b${i}`, { title: `Book ${i}`, content });
  }
  await put("books/lemon", { title: "Of lemons" });
  await put("authors/lem", { title: "Stanisław Lem", content: "A writer" }, without);
  for (const world of [desk.world, without.world])
    await write(world, "PUT", "/api/types", {
      id: "note",
      paths: ["notes/*"],
      schema: { properties: { about: { type: "string", format: "entry" } } },
    });
  await put("notes/one", { title: "One" });
});

const find = async (page: Page, words: string) => {
  await page.getByRole("navigation", { name: "Main" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByLabel("What to find").fill(words);
};
const marksIn = (page: Page) => page.locator("[data-action] mark").allTextContents();

flow("the finder has the best match first, marks the words, and leads to all of them by keyboard", async (context) => {
  const page = await desk.open(context, "/entries");
  await find(page, "stanislaw lem");
  await eventually(() => page.locator("[data-action] .name-lines > span").first().textContent(), "Stanisław Lem");
  await eventually(async () => (await marksIn(page)).slice(0, 2), ["Stanisław", "Lem"]);
  await page.getByLabel("What to find").fill("lem");
  await page.getByText("Show all 62 entries").waitFor();
  await eventually(() => page.locator("[data-action] .name-lines > span").first().textContent(), "Stanisław Lem");
  await eventually(() => page.locator("[data-action] .found-excerpt").first().textContent(), /by Lem, of Kraków/);
  assert.deepEqual(await auditAll(page), []);
  assert.equal(await overflow(page), 0);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Entries", exact: true }).waitFor();
  await page.getByText("62 entries", { exact: true }).waitFor();
  const rows = page.locator(".entry-table tbody tr");
  await eventually(() => rows.first().textContent(), /Stanisław Lem/);
  await page.getByRole("button", { name: "Show more" }).click();
  await eventually(() => page.locator(".entry-table table").getAttribute("aria-rowcount"), "63");
});

flow("a typo is found in the finder and in the list of a section, which a heading sorts", async (context) => {
  const page = await desk.open(context, "/entries/authors?view=below");
  await page.getByLabel("Search here").fill("cybreiad");
  await page.getByText("1 entry", { exact: true }).waitFor();
  await page.getByRole("link", { name: /Stanisław Lem/ }).waitFor();
  await find(page, "cybreiad");
  await eventually(() => marksIn(page), ["Cyberiad"]);
  await page.keyboard.press("Enter");
  await page.waitForURL("**/entries/authors/lem");
});

flow("the picker marks the words, shows all on demand, and is used by keyboard", async (context) => {
  const page = await desk.open(context, "/entries/notes/one");
  await page
    .getByRole("button", { name: /Choose/ })
    .first()
    .click();
  const dialog = page.getByRole("dialog", { name: "Choose an entry" });
  await dialog.getByLabel("Search titles and ids").fill("lem");
  await dialog.getByText("The first 50 matches").waitFor();
  await eventually(() => dialog.locator("[data-row] mark").first().textContent(), "Lem");
  assert.deepEqual(await auditAll(page), []);
  await dialog.getByRole("button", { name: "Show all" }).click();
  await dialog.getByText("62 matches").waitFor();
  await dialog.getByLabel("Search titles and ids").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  await page.getByText("authors/lem").waitFor();
});

flow("where the service keeps no words, lists find what they can", async (context) => {
  const page = await without.open(context, "/entries");
  await find(page, "lem");
  await page.locator("[data-action]").first().getByText("Stanisław Lem").waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL("**/entries/authors/lem");
});

flow("the search box of docs/search.md finds, marks and narrows, and makes no markup of a text", async (context) => {
  const guide = readFileSync(new URL("../../docs/search.md", import.meta.url), "utf8");
  const [, box = ""] = /^```html\n(.*?)^```/ms.exec(guide) ?? [];
  await put("movies/solaris", {
    title: "Solaris <img src=x onerror=alert(1)>",
    genres: ["drama"],
    content: "An ocean",
  });
  await put("movies/alien", { title: "Alien", genres: ["horror"], content: "No ocean, but Solarix" });
  const page = await desk.open(context, "/entries");
  const { app, token } = desk.world;
  const body = box.replace("https://content.example.org", app.url).replace("DELIVERY_TOKEN", token.delivery);
  await page.route("**/box", (route) => route.fulfill({ contentType: "text/html", body }));
  await page.goto(`${app.url}/box`);
  const [status, found] = [page.getByRole("status"), page.locator("#found li")];
  await eventually(() => status.textContent(), "2 found");
  await page.getByLabel("Search").fill("solaris");
  await eventually(() => found.first().locator("a").textContent(), "Solaris <img src=x onerror=alert(1)>");
  await eventually(() => found.locator("mark").allTextContents(), ["Solaris"]);
  await eventually(() => page.locator("img").count(), 0);
  await page.getByLabel("Search").fill("ocean submarine");
  await eventually(() => status.textContent(), /^2 found, without “submarine”/);
  await page.getByRole("button", { name: "horror (1)" }).click();
  await eventually(() => found.locator("a").allTextContents(), ["Alien"]);
});
