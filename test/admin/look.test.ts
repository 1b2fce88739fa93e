// Slow: it runs a browser.
import assert from "node:assert/strict";
import { before } from "node:test";
import type { Page } from "playwright-core";
import { eventually } from "../eventually.ts";
import { audit, auditAll, flow, overflow, settle, skip, useDesk, write } from "./browser.ts";
import { fillSample } from "./sample.ts";

/** Rules for every page: no axe violation, no horizontal scrolling, no layout shift, no other host. */

const desk = useDesk({ locales: "en,de,ar" });
const pages: [name: string, path: string, sign: string][] = [
  ["list of entries", "/entries", "Movies"],
  [
    "filter",
    `/entries/movies?view=below&filter=${JSON.stringify({ conditions: [{ key: "year", operator: "gte", value: "1970" }] })}`,
    "Solaris",
  ],
  ["entry", "/entries/movies/solaris", "Advanced"],
  ["translation", "/entries/movies/solaris?locale=ar", "Not translated"],
  ["translations", "/translations", "All entries"],
  ["list of translations", "/translations/movies?locale=de&state=missing", "Solaris"],
  ["media", "/files/movies", "solaris.jpg"],
  ["file", "/files/movies?file=solaris.jpg", "Open in the workbench"],
  ["workbench", "/images/movies/solaris.jpg?w=400", "400 × 250"],
  ["registry", "/registry", "site.title"],
  ["home", "/home", "Changed last"],
  ["work", "/work", "Unfinished"],
  ["releases", "/releases", "No releases yet"],
  ["types", "/types", "New type"],
  ["type", "/types/article", "Add a field"],
  ["faults of a type", "/types/article?view=faults", "Entries with faults"],
  ["webhooks", "/webhooks", "No webhooks yet"],
  ["trash", "/trash", "old/page"],
  ["people", "/people", "ada@example.org"],
  ["roles", "/roles", "Built in"],
  ["no profile", "/profile", "You signed in with tokens"],
  ["tokens", "/tokens", "In force"],
  ["sessions", "/sessions", "This session"],
  ["events", "/events", "entry create"],
  ["health", "/health", "Storage"],
  ["no such entry", "/entries/movies/none", "There is no entry at movies/none"],
  ["no such picture", "/images/movies/none.jpg", "The picture cannot be read"],
  ["no such page", "/nowhere", "Page not found"],
];

before(async () => {
  if (skip) return;
  await desk.world.ready;
  await fillSample(desk.world);
  await write(desk.world, "POST", "/api/people", { email: "ada@example.org", role: "editor" });
  await write(desk.world, "POST", "/api/entries", { id: "old/page", data: {} });
  await write(desk.world, "DELETE", "/api/entries", { id: "old/page" });
});

const shown = (page: Page, sign: string) => page.getByText(sign).locator("visible=true").first().waitFor();

const widths = [360, 1440, 3840];

/** A window of 1280 × 1024 at 400 %. WCAG 2.2, 1.4.10. */
const zoomed = { width: 320, height: 256 };

/** Checks an open page in both schemes, in all widths and at 400 % zoom, without a reload. */
async function check(page: Page): Promise<void> {
  assert.deepEqual(await auditAll(page), []);
  await page.setViewportSize(zoomed);
  assert.deepEqual(await audit(page), [], "at 400 % zoom");
  assert.ok((await overflow(page)) <= 0, "it is wider than a window at 400 % zoom");
  for (const width of widths) {
    await page.setViewportSize({ width, height: width > 2000 ? 2160 : 800 });
    await settle(page);
    assert.ok((await overflow(page)) <= 0, `it is wider than ${width} px`);
  }
}

/** The cumulative layout shift since the page was loaded. */
const shift = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0;
        type Shift = PerformanceEntry & { value: number; hadRecentInput: boolean };
        const observer = new PerformanceObserver((list) => {
          for (const entry of list.getEntriesByType("layout-shift") as Shift[]) {
            if (!entry.hadRecentInput) sum += entry.value;
          }
          if (list.getEntriesByType("mark").length > 0) resolve(sum);
        });
        observer.observe({ type: "layout-shift", buffered: true });
        // It comes after the earlier shifts.
        observer.observe({ type: "mark" });
        performance.mark("the end of what is measured");
      }),
  );

for (const [name, path, sign] of pages) {
  flow(`${name}: no layout shift, no axe violation in either scheme, no horizontal scrolling`, async (context) => {
    const page = await desk.open(context, path);
    await shown(page, sign);
    await settle(page);
    // "Good" by Web Vitals.
    await eventually(async () => (await shift(page)) < 0.1, true, "it moved");
    await check(page);
  });
}

flow("sign-in: no axe violation in either scheme, no horizontal scrolling", async (context) => {
  const page = await desk.openFresh(context, "");
  await shown(page, "Sign in to Octavo");
  await check(page);
});

flow("links and a profile: no axe violation in either scheme, no horizontal scrolling", async (context) => {
  const page = await desk.openFresh(context, "");
  await page.goto(desk.world.app.signInLink({ asksOwner: true }));
  await shown(page, "Welcome to Octavo");
  await check(page);
  const facts = { Name: "Olga", "Email address": "olga@example.org", Password: "a quiet harbour at noon" };
  for (const [label, text] of Object.entries(facts)) await page.getByLabel(`${label} *`, { exact: true }).fill(text);
  await page.getByRole("button", { name: "Continue", exact: true }).click();
  await page.getByRole("button", { name: "Olga, account" }).waitFor();
  await page.goto(`${desk.world.app.url}/admin/profile`);
  await shown(page, "Present password");
  await check(page);
  const fresh = await desk.openFresh(context, "");
  await fresh.getByLabel("Email address *", { exact: true }).waitFor();
  await check(fresh);
});

flow("a page opened on a phone in dark mode looks as one that changes to it", async (context) => {
  const page = await desk.open(context, "/entries", { colorScheme: "dark", viewport: { width: 360, height: 740 } });
  for (const [name, path, sign] of pages.filter((_, i) => i % 4 === 2)) {
    await page.goto(`${desk.world.app.url}/admin${path}`);
    await shown(page, sign);
    await settle(page);
    assert.ok((await overflow(page)) <= 0, `${name} is wider than 360 px`);
    await eventually(() => page.evaluate(() => document.documentElement.dataset.mantineColorScheme), "dark", name);
  }
});
