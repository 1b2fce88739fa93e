// Slow: it runs a browser.
import assert from "node:assert/strict";
import { before } from "node:test";
import type { Page } from "playwright-core";
import { eventually } from "../eventually.ts";
import { flow, overflow, settle, skip, useDesk } from "./browser.ts";
import { fillSample } from "./sample.ts";

/** The page in the language of its reader: the browser's, or the one that was chosen; and read from the right. */

const desk = useDesk();

before(async () => {
  if (skip) return;
  await desk.world.ready;
  await fillSample(desk.world);
});

const isIn = (page: Page, language: string): Promise<void> =>
  eventually(() => page.locator("html").getAttribute("lang"), language);

flow("the page has the browser's language, until another one is chosen", async (context) => {
  const page = await desk.open(context, "/entries", { locale: "de-AT" });
  await isIn(page, "de");
  await page.locator(".who").click();
  await page.getByRole("menuitemradio", { name: "Français" }).click();
  await isIn(page, "fr");
  await page.locator(".who").click();
  await page.getByRole("menuitemradio", { name: "English" }).click();
  await page.getByRole("link", { name: "Entries", exact: true }).first().waitFor();
  await isIn(page, "en");
});

flow("a language without a catalogue is English", async (context) => {
  const page = await desk.open(context, "/entries", { locale: "tr-TR" });
  await isIn(page, "en");
});

const paths = ["/entries/movies", "/entries/movies/solaris", "/files/movies", "/home", "/types/article", "/events"];

flow("read from the right, nothing is wider than a window or a phone", async (context) => {
  const page = await desk.open(context, "/entries");
  await page.addInitScript(() => {
    // Once it is parsed, before its modules are run.
    document.addEventListener("readystatechange", () => {
      document.documentElement.dir = "rtl";
    });
  });
  for (const size of [1280, 360]) {
    await page.setViewportSize({ width: size, height: 800 });
    for (const path of paths) {
      await page.goto(`${desk.world.app.url}/admin${path}`);
      await page.locator("main").waitFor();
      await settle(page);
      await eventually(() => page.evaluate(() => getComputedStyle(document.body).direction), "rtl");
      const width = await overflow(page);
      assert.ok(width <= 0, `${path} at ${size}: ${width}`);
    }
  }
});
