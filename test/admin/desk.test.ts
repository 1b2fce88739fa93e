// Slow: it runs a browser.
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Locator, Page } from "playwright-core";
import { eventually } from "../eventually.ts";
import { auditAll, flow, overflow, read, settle, useDesk, write } from "./browser.ts";
import { countClicks } from "./clicks.ts";
import { clicksOf } from "./flows.ts";

/** The desk: tables with chosen columns, views, filters by kind, bulk changes of all that is found, moves, the list beside. */

const desk = useDesk();
const { world } = desk;
type Fields = Record<string, unknown>;
const put = (id: string, data: object) => write(world, "POST", "/api/entries", { id, data });
const entry = (id: string) => read<Fields | undefined>(world, "/api/entries", { id });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

const isFocused = (place: Locator) => place.evaluate((one) => one === document.activeElement);

/** Counts the clicks of a flow; docs/admin.md has the table. */
function clicks() {
  let count = 0;
  return {
    click: async (place: Locator): Promise<void> => {
      count++;
      await place.click();
    },
    is: (most: number): void => assert.equal(count, most, `${count} clicks`),
  };
}

/** A page of a person with this role. */
async function asPerson(context: TestContext, name: string, path: string, role = "editor"): Promise<Page> {
  const tokens = { token: world.token.management, access_token: world.token.access };
  const invited = await world.send("POST", "/api/people", { body: { ...tokens, email: `${name}@example.org`, role } });
  const code = new URL((invited.json.data as { link: string }).link).hash.replace("#code=", "");
  const form = { code, name, password: "a quiet harbour at noon" };
  const joined = await world.send("POST", "/admin/session/link", { body: form });
  const [cookie = "", value = ""] = (joined.headers.get("set-cookie") ?? "").split(";", 1)[0]?.split("=") ?? [];
  const place = {
    domain: "127.0.0.1",
    path: "/",
    expires: -1,
    httpOnly: true,
    secure: false,
    sameSite: "Strict",
  } as const;
  const storageState = { cookies: [{ name: cookie, value, ...place }], origins: [] };
  return desk.openFresh(context, path, { storageState });
}

const headings = async (page: Page): Promise<string[]> =>
  (await page.getByRole("columnheader").allTextContents()).map((text) => text.trim());

flow("columns are chosen and ordered, and kept for the person", async (context) => {
  await put("films/a", { title: "Alpha", year: 1972, maker: "Ada" });
  await put("films/b", { title: "Beta", year: 1979, maker: "Bob" });
  const page = await asPerson(context, "Vera", "/entries/films?view=below");
  await page.getByText("2 entries").waitFor();
  await button(page, "Columns").click();
  const dialog = page.getByRole("dialog", { name: "Columns" });
  const ticked = () =>
    dialog
      .getByRole("checkbox", { checked: true })
      .evaluateAll((boxes) => boxes.map((box) => (box as HTMLInputElement).labels?.[0]?.textContent));
  // Those that there is room for.
  for (const [width, ...seen] of [
    [360, "State"],
    [1280, "State", "Published", "Changed"],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    await eventually(ticked, [...seen]);
  }
  await dialog.getByLabel("year", { exact: true }).check();
  const kept = page.waitForResponse((reply) => (reply.request().postData() ?? "").includes('["year","visibility"'));
  await dialog.getByLabel("Published", { exact: true }).uncheck();
  await button(page, "Move year up").press("Enter");
  await page.keyboard.press("Enter");
  await eventually(() => isFocused(button(page, "Move year up")), true, "kept at the end of the list");
  assert.deepEqual(await auditAll(page), []);
  await page.setViewportSize({ width: 360, height: 800 });
  await settle(page);
  assert.equal(await overflow(page), 0);
  await page.setViewportSize({ width: 1280, height: 800 });
  await button(page, "Done").click();
  await eventually(() => headings(page), ["Title", "year", "State", "Changed"]);
  await kept;
  await page.evaluate(() => localStorage.clear());
  await page.reload();
  await page.getByRole("columnheader", { name: "year" }).waitFor();
  await eventually(() => headings(page), ["Title", "year", "State", "Changed"]);
});

flow("a view is saved, shared, opened by another person, and deleted with an undo", async (context) => {
  await put("shelf/a", { title: "Alpha", year: 1972 });
  await put("shelf/b", { title: "Beta", year: 1979 });
  const page = await asPerson(context, "Wera", "/entries/shelf?view=below&columns=year,visibility");
  await page.getByLabel("Search here").fill("Beta");
  await page.getByText("1 entry", { exact: true }).waitFor();
  const { click, is } = clicks();
  await click(button(page, "Views"));
  await click(page.getByRole("menuitem", { name: "Save as a view…" }));
  await page.getByLabel("Title *", { exact: true }).fill("Only Beta");
  await click(page.getByLabel("For everybody"));
  await click(button(page, "Save"));
  is(clicksOf("Save a table as a view for everybody"));
  await button(page, "Only Beta").waitFor();

  const other = await asPerson(context, "Olaf", "/entries");
  await button(other, "Views").click();
  await other.getByRole("menuitem", { name: "Only Beta shelf, shared by Wera" }).click();
  await other.getByText("1 entry", { exact: true }).waitFor();
  await eventually(() => headings(other), ["Title", "year", "State"]);
  await other.reload();
  await other.getByRole("columnheader", { name: "year" }).waitFor();

  await button(page, "Only Beta").click();
  await page.getByRole("menuitem", { name: "Delete this view" }).click();
  await page.getByText("Deleted the view Only Beta").waitFor();
  await button(page, "Undo").click();
  await button(page, "Only Beta").waitFor();
});

flow("a session by tokens keeps views and columns in the browser", async (context) => {
  await put("kept/a", { title: "Alpha", year: 1972 });
  const page = await desk.open(context, "/entries/kept?view=below");
  await button(page, "Views").click();
  await page.getByRole("menuitem", { name: "Save as a view…" }).click();
  await page.getByText("It is kept in this browser").waitFor();
  await page.getByLabel("Title *", { exact: true }).fill("Mine");
  await button(page, "Save").click();
  await button(page, "Mine").waitFor();
  await page.reload();
  await button(page, "Mine").waitFor();
});

flow("a filter speaks of the field's kind: dates, states, choices; what cannot match is told", async (context) => {
  const day = 86_400;
  const now = Math.floor(Date.now() / 1000);
  const kinds = {
    oneOf: [
      { const: "n", title: "News" },
      { const: "r", title: "Report" },
    ],
  };
  const tags = { type: "array", title: "Topics", uniqueItems: true, items: { type: "string" } };
  const pages = { type: "number", title: "Pages" };
  const begins = { type: "string", format: "date-time", title: "Begins" };
  const schema = { properties: { sort: { title: "Sort", ...kinds }, pages, tags, begins } };
  await write(world, "PUT", "/api/types", { id: "text", title: "Text", paths: ["texts/*"], schema });
  await put("texts/old", { title: "Old", sort: "n", pages: 3, tags: ["sea", "sun"], published_at: now - 30 * day });
  await put("texts/new", { title: "New", sort: "r", pages: 5 });
  // Begins after "Draft", though its text is less; the browser is two hours ahead of that.
  await put("texts/later", { title: "Later", published_at: now + day, begins: "2026-07-01T08:00:00-05:00" });
  await put("texts/draft", { title: "Draft", visibility: "draft", begins: "2026-07-01T12:00:00Z" });
  const page = await desk.open(context, "/entries/texts?view=below", { timezoneId: "Europe/Berlin" });
  await page.getByText("4 entries").waitFor();
  const rows = async (...titles: string[]) => {
    await page.waitForFunction(
      (wanted) => [...document.querySelectorAll("tbody .row-name")].map((one) => one.textContent).join() === wanted,
      titles.join(),
    );
  };
  const choose = async (field: string, operator: string) => {
    await page.getByRole("combobox", { name: "Field of condition 1" }).fill(field);
    await page.getByRole("combobox", { name: "Operator of condition 1" }).click();
    await page.getByRole("option", { name: operator, exact: true }).click();
  };
  const { click, is } = clicks();
  await click(page.getByRole("button", { name: "Filter" }));
  await click(button(page, "Add a condition"));
  await eventually(() => isFocused(page.getByRole("combobox", { name: "Field of condition 1" })), true);
  await page.getByRole("combobox", { name: "Field of condition 1" }).fill("Published");
  await click(page.getByRole("combobox", { name: "Operator of condition 1" }));
  await click(page.getByRole("option", { name: "is before", exact: true }));
  const input = page.getByLabel("Value of condition 1");
  await eventually(() => input.getAttribute("type"), "date");
  await input.fill(new Date((now - 10 * day) * 1000).toISOString().slice(0, 10));
  is(clicksOf("Filter a table by a date"));
  await rows("Old");
  assert.deepEqual(await auditAll(page), []);
  await page.setViewportSize({ width: 1280, height: 800 });

  await choose("State", "is");
  const value = page.getByRole("combobox", { name: "Value of condition 1" });
  for (const [state, ...titles] of [
    ["Public", "New", "Old"],
    ["Scheduled", "Later"],
    ["Draft", "Draft"],
  ] as const) {
    await value.click();
    await page.getByRole("option", { name: state, exact: true }).click();
    await rows(...titles);
  }
  await choose("Sort", "is");
  await value.click();
  await page.getByRole("option", { name: "Report", exact: true }).click();
  await rows("New");
  await choose("Sort", "is empty");
  await rows("Later", "Draft");
  await choose("Pages", "is at least");
  await page.getByLabel("Value of condition 1").fill("many");
  await page.getByText("“many” is no number: no entry matches").waitFor();
  await page.getByLabel("Value of condition 1").fill("4");
  await rows("New");
  await choose("Pages", "is between");
  await page.getByLabel("Value of condition 1, from").fill("2");
  await page.getByLabel("Value of condition 1, to").fill("4");
  await rows("Old");
  await choose("Topics", "contains");
  await page.getByLabel("Value of condition 1").fill("sun");
  await rows("Old");
  for (const [operator, title] of [
    ["is after", "Later"],
    ["is before", "Draft"],
  ] as const) {
    await choose("Begins", operator);
    await page.getByLabel("Value of condition 1").fill("2026-07-01T14:30");
    await rows(title);
    await eventually(() => page.getByLabel("Value of condition 1").inputValue(), "2026-07-01T14:30");
  }
  await button(page, "Remove condition 1").press("Enter");
  await eventually(() => isFocused(button(page, "Add a condition")), true);
  await button(page, "Columns").click();
  const topics = page.getByRole("dialog", { name: "Columns" }).getByLabel("Topics", { exact: true });
  await topics.press("Space");
  await eventually(() => topics.isChecked(), true);
  await eventually(() => isFocused(topics), true, "the focus goes along");
  await page.getByRole("row").filter({ hasText: "Old" }).getByText("sea, sun").waitFor({ state: "attached" });
});

flow("all 300 that a filter finds are published in one batch, with one undo", async (context) => {
  const operations = Array.from({ length: 300 }, (_, i) => ({
    ...{ method: "POST", path: "/api/entries" },
    body: { id: `bulk/n-${i}`, data: { title: `News ${i}`, visibility: "draft", year: 1 } },
  }));
  await write(world, "POST", "/api/batch", { operations });
  const page = await desk.open(context, "/entries/bulk?view=below");
  await page.getByText("300 entries").waitFor();
  let batches = 0;
  page.on("request", (request) => request.url().endsWith("/api/batch") && batches++);
  await page.getByLabel("Select all").check();
  const bar = page.getByRole("region", { name: "Selection" });
  for (const width of [1440, 768, 360, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    await settle(page);
    await eventually(async () => {
      const spare = await bar.evaluate((one) => one.clientWidth - one.scrollWidth);
      assert.ok(spare >= 0, `the bar of the selection lacks ${-spare} px at ${width} px`);
    });
    await eventually(async () => {
      const every = await button(page, "Select all 300").evaluate((one) => one.clientWidth - one.scrollWidth);
      assert.ok(every >= 0, `Select all lacks ${-every} px at ${width} px`);
    });
  }
  await page.keyboard.press("Escape");
  const { click, is } = clicks();
  await click(page.getByLabel("Select all"));
  await click(button(page, "Select all 300"));
  await page.getByText("300 selected", { exact: true }).waitFor();
  await eventually(() => isFocused(page.getByLabel("Select all")), true);
  await click(button(page, "Publish"));
  const answered = page.waitForResponse(/\/api\/batch$/);
  await click(page.getByRole("button", { name: "Publish 300 entries" }));
  await answered;
  const undo = button(page, "Undo");
  await page.getByText("Published 300 entries").waitFor();
  // Not a click, which waits until the notice does not move any more.
  await undo.press("Enter");
  is(clicksOf("Publish all 300 that a filter finds"));
  await page.getByRole("row").nth(1).getByText("Draft", { exact: true }).waitFor();
  await eventually(async () => (await entry("bulk/n-299"))?.visibility, "draft");
  assert.equal(batches, 2, "one batch, and one to undo it");
});

flow("a field of several is changed, they are scheduled; each has an undo", async (context) => {
  for (const n of [0, 1])
    await put(`few/n-${n}`, { title: `News ${n}`, visibility: "draft", year: n === 0 ? 1 : undefined });
  const page = await desk.open(context, "/entries/few?view=below");
  await page.getByLabel("Select News 0", { exact: true }).check();
  await page.getByLabel("Select News 1", { exact: true }).check();
  const menu = async (name: string) => {
    await button(page, "More for the selection").click();
    await page.getByRole("menuitem", { name }).click();
  };
  await menu("Change a field…");
  await page.getByRole("combobox", { name: "Field" }).fill("year");
  await page.getByLabel("New value", { exact: true }).fill("1984");
  assert.deepEqual(await auditAll(page), []);
  await page.setViewportSize({ width: 1280, height: 800 });
  await button(page, "Change 2 entries").click();
  await page.getByText("Changed year of 2 entries").waitFor();
  await eventually(async () => (await entry("few/n-1"))?.year, 1984);
  await button(page, "Undo").click();
  await page.getByText("Changed year of 2 entries").waitFor({ state: "detached" });
  await page.getByLabel("Select News 0", { exact: true }).check();
  await eventually(async () => (await entry("few/n-1"))?.year, undefined);

  await menu("Schedule…");
  await page.getByLabel("Goes live").fill("2199-01-01T10:00");
  await button(page, "Schedule 1 entry").click();
  await page.getByText("Scheduled 1 entry").waitFor();
  await page.getByText("Goes live 1 Jan 2199").waitFor();
  await button(page, "Undo").click();
  await page.getByText("Goes live").waitFor({ state: "detached" });
});

flow(
  "a click on a section opens its table, with its own entry above; an entry is dragged elsewhere",
  async (context) => {
    await put("shop", { title: "Shop" });
    await put("shop/cup", { title: "Cup" });
    await put("store", { title: "Store" });
    await put("store/plate", { title: "Plate" });
    const page = await desk.open(context, "/entries");
    const tree = page.getByRole("tree", { name: "Entries" });
    const item = (name: string) => tree.getByRole("treeitem", { name, exact: true });
    await item("Shop").click();
    await page.getByText("1 entry", { exact: true }).waitFor();
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole("link", { name: "Shop Edit this page" }).click();
    await page.getByLabel("Title", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Entries below" }).click();
    await page.getByText("1 entry", { exact: true }).waitFor();

    await item("Shop").focus();
    await page.keyboard.press("ArrowRight");
    const clicks = await countClicks(page);
    await item("Cup").dragTo(item("Store"));
    await page.getByText("Moved Cup").waitFor();
    await eventually(clicks, clicksOf("Move an entry in the tree: a drag"));
    await eventually(async () => (await entry("store/cup"))?.title, "Cup");
    await button(page, "Undo").click();
    await item("Cup").waitFor();
    await eventually(async () => (await entry("shop/cup"))?.title, "Cup");

    await page.getByLabel("Select Cup", { exact: true }).check();
    await button(page, "Move to…").click();
    await button(page, "Store").click();
    await eventually(() => page.getByLabel("Below", { exact: true }).inputValue(), "store");
    assert.deepEqual(await auditAll(page), []);
    await page.setViewportSize({ width: 1280, height: 800 });
    await button(page, "Move").click();
    await page.getByText("Moved Cup").waitFor();
    await eventually(async () => (await entry("store/cup"))?.title, "Cup");

    await button(page, "Hide the tree").click();
    await tree.waitFor({ state: "detached" });
    await page.reload();
    await button(page, "Tree").click();
    await tree.waitFor();
  },
);

flow("previous and next follow the list one came from, over its pages", async (context) => {
  const operations = Array.from({ length: 60 }, (_, i) => ({
    ...{ method: "POST", path: "/api/entries" },
    body: { id: `line/n-${String(i).padStart(2, "0")}`, data: { title: `N ${i}` } },
  }));
  await write(world, "POST", "/api/batch", { operations });
  const filter = encodeURIComponent(JSON.stringify({ orderBy: "title", direction: "desc" }));
  const page = await desk.open(context, `/entries/line?view=below&filter=${filter}`);
  const { click, is } = clicks();
  await click(page.getByRole("link", { name: "N 11", exact: true }));
  await page.getByText("49 of 60 entries").waitFor();
  for (const title of ["N 10", "N 9"]) {
    await click(page.getByRole("button", { name: "Next entry" }));
    await page.getByRole("heading", { name: title, exact: true }).waitFor();
  }
  await click(page.getByRole("button", { name: "Previous entry" }));
  await page.getByRole("heading", { name: "N 10", exact: true }).waitFor();
  is(1 + 3 * clicksOf("Open the next or the previous entry"));
  await page.getByRole("link", { name: "50 of 60 entries" }).click();
  await page.getByText("60 entries", { exact: true }).waitFor();
  await eventually(() => page.locator("tbody .row-name").first().textContent(), "N 59");
});

flow("a table says that an entry has a working copy, and when it goes live", async (context) => {
  await put("states/a", { title: "Alpha" });
  await put("states/b", { title: "Beta" });
  for (const id of ["states/a", "states/b"]) await write(world, "PATCH", "/api/entries/staged", { id, data: { x: 1 } });
  await write(world, "POST", "/api/entries/publish", { id: "states/b", at: 7_226_582_400 });
  const page = await desk.open(context, "/entries/states?view=below");
  const row = (name: string) => page.getByRole("row").filter({ hasText: name });
  await row("Alpha").getByText("Changed", { exact: true }).waitFor();
  await row("Beta")
    .getByText(/^Goes live .* 2199/)
    .waitFor();
  await eventually(() => row("Alpha").getByText("Goes live").count(), 0);
});
