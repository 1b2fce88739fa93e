// Slow: it runs a browser.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { eventually } from "../../eventually.ts";
import { auditAll, flow, hasFocus, overflow, useDesk, write } from "../browser.ts";

/** Long tables: of their rows those near the window are drawn. */

const desk = useDesk();
const { world } = desk;
const count = 300;
const row = (page: Page, n: number) => page.getByRole("link", { name: `N ${n}`, exact: true });
const drawn = (page: Page) => page.locator("tbody .row-name").count();
const byId = encodeURIComponent(JSON.stringify({ orderBy: "slug" }));

flow("a table of 300 rows draws those near the window, by wheel and by keys, and selects over all", async (context) => {
  const operations = Array.from({ length: count }, (_, i) => ({
    ...{ method: "POST", path: "/api/entries" },
    body: { id: `long/n-${String(i).padStart(3, "0")}`, data: { title: `N ${i}`, year: i } },
  }));
  await write(world, "POST", "/api/batch", { operations });
  const page = await desk.open(context, `/entries/long?view=below&filter=${byId}`);
  const table = page.getByRole("table");
  await eventually(() => drawn(page), 50);
  await eventually(() => table.getAttribute("aria-rowcount"), null);
  await page.getByRole("button", { name: "Show more" }).press("Enter");
  await hasFocus(row(page, 50).locator("xpath=ancestor::tr"));
  await eventually(() => table.getAttribute("aria-rowcount"), String(count + 1));
  await page.getByRole("checkbox", { name: "Select N 50", exact: true }).press("Space");

  // The rest comes while one scrolls to the end.
  await page.mouse.move(700, 500);
  await eventually(async () => {
    await page.mouse.wheel(0, 20_000);
    await row(page, count - 1).waitFor({ timeout: 300 });
  });
  await eventually(() => page.getByRole("button", { name: "Show more" }).count(), 0);
  await eventually(async () => assert.ok((await drawn(page)) < 130, `${await drawn(page)} rows are drawn`));
  await eventually(
    () =>
      row(page, count - 1)
        .locator("xpath=ancestor::tr")
        .getAttribute("aria-rowindex"),
    "301",
  );
  await page.getByText("1 selected", { exact: true }).waitFor({ state: "attached" });
  await page.getByRole("checkbox", { name: `Select N ${count - 1}`, exact: true }).click({ modifiers: ["Shift"] });
  await page.getByText("250 selected", { exact: true }).waitFor();

  // Keys go from row to row, over what was not drawn.
  await row(page, 299).focus();
  for (let n = 298; n > 275; n--) {
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Shift+Tab");
    await hasFocus(row(page, n).locator("xpath=ancestor::tr"));
  }
  await page.keyboard.press("Escape");
  await eventually(() => drawn(page).then((rows) => rows < 150), true);
  assert.deepEqual(await auditAll(page), []);
  await page.setViewportSize({ width: 360, height: 800 });
  assert.equal(await overflow(page), 0);
});
