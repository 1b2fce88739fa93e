// Slow: it runs a browser.
import assert from "node:assert/strict";
import { before } from "node:test";
import type { Page } from "playwright-core";
import { eventually } from "../eventually.ts";
import { auditAll, flow, overflow, read, settle, skip, useDesk, write } from "./browser.ts";

/** Lists of entries: sort orders and bulk changes. */

const desk = useDesk();
const { world } = desk;
type Fields = Record<string, unknown>;
const entry = (id: string) => read<Fields | undefined>(world, "/api/entries", { id });
const put = (id: string, data: object) => write(world, "POST", "/api/entries", { id, data });
const future = Math.floor(Date.now() / 1000) + 86_400;

before(async () => {
  if (!skip) await world.ready;
});

const titles = (page: Page) => page.locator("tbody .row-name").allTextContents();
const box = (page: Page, name: string) => page.getByRole("checkbox", { name: `Select ${name}`, exact: true });
const selected = (page: Page) =>
  page
    .getByRole("checkbox", { name: /^Select (?!all)/, checked: true })
    .evaluateAll((boxes) => boxes.map((one) => one.getAttribute("aria-label")?.replace("Select ", "")));

flow(
  "a heading sorts the list, numbers in titles by value, then in reverse, then newest first as before, and the URL keeps it",
  async (context) => {
    for (const [i, title] of ["Film 10", "Film 2", "Film 30"].entries())
      await put(`order/${i}`, {
        title,
        published_at: 1000 + ((i + 1) % 3) * 86_400,
        visibility: i ? "visible" : "draft",
      });
    const page = await desk.open(context, "/entries/order?view=below");
    const heading = (name: string) => page.getByRole("columnheader", { name });
    const ordered = async (expected: string[], name: string, sort: string | null) => {
      await page.waitForFunction(
        (titles) => [...document.querySelectorAll("tbody .row-name")].map((one) => one.textContent).join() === titles,
        expected.join(),
      );
      await eventually(() => heading(name).getAttribute("aria-sort"), sort);
    };
    await ordered(["Film 2", "Film 10", "Film 30"], "Published", "descending");
    await heading("Title").getByRole("button").click();
    await ordered(["Film 2", "Film 10", "Film 30"], "Title", "ascending");
    await heading("Title").getByRole("button").press("Enter");
    await ordered(["Film 30", "Film 10", "Film 2"], "Title", "descending");
    await page.reload();
    await ordered(["Film 30", "Film 10", "Film 2"], "Title", "descending");
    await heading("Published").getByRole("button").click();
    await ordered(["Film 30", "Film 10", "Film 2"], "Published", "ascending");
    await heading("Published").getByRole("button").click();
    await ordered(["Film 2", "Film 10", "Film 30"], "Published", "descending");
    await heading("State").getByRole("button").click();
    await ordered(["Film 10", "Film 2", "Film 30"], "State", "ascending");
    await heading("State").getByRole("button").click();
    await heading("State").getByRole("button").click();
    await ordered(["Film 2", "Film 10", "Film 30"], "State", null);
  },
);

flow("a list without types has the columns of every entry, and loads nothing of types", async (context) => {
  await put("plain/a", { title: "A", year: 1972 });
  const loaded: string[] = [];
  const page = await desk.open(context, "/entries/plain?view=below");
  page.on("request", (request) => loaded.push(request.url()));
  await page.reload();
  await page.getByText("1 entry").waitFor();
  await page.waitForLoadState("networkidle");
  await eventually(
    async () => (await page.getByRole("columnheader").allTextContents()).map((text) => text.trim()),
    ["Title", "State", "Published", "Changed"],
  );
  assert.ok(loaded.some((url) => url.includes("/api/types")));
  assert.deepEqual(
    loaded.filter((url) => /typed-list|typed-value|schema-/.test(url)),
    [],
  );
});

flow("a section without an entry has a list, no link to nothing, and no failed request", async (context) => {
  for (const name of ["a", "b"]) await put(`bare/section/${name}`, { title: name });
  await put("bare/full", { title: "Full" });
  await put("bare/full/a", { title: "A" });
  const page = await desk.open(context, "/entries");
  const failed: string[] = [];
  page.on("response", (response) => response.status() >= 400 && failed.push(response.url()));
  for (const path of ["bare", "bare/section"]) {
    await page.goto(`${world.app.url}/admin/entries/${path}?view=below`);
    await page.getByText(`Entries below ${path}, which has no entry of its own`).waitFor();
    await eventually(() => page.locator(".page").getByRole("link", { name: path, exact: true }).count(), 0);
  }
  await page.goto(`${world.app.url}/admin/entries/bare/full?view=below`);
  await page.getByRole("heading", { name: "Full", exact: true }).waitFor();
  await page.locator(".page").getByRole("link", { name: "bare/full", exact: true }).click();
  await page.getByRole("textbox", { name: "Title" }).waitFor();
  assert.deepEqual(failed, []);
});

flow("nothing covers the filter, and a table fits its page at every width", async (context) => {
  const long = { type: "string", title: "A title of a field that is longer than its column" };
  const schema = { properties: { one: long, two: long, three: long, four: long } };
  await write(world, "PUT", "/api/types", { id: "fit", title: "Fit", paths: ["fit/*"], schema });
  const text = "A text that is longer than its column is wide";
  await put("fit/a", { title: text.repeat(3), one: text, two: text, three: text, four: text });
  await put("unfit/a", { title: text.repeat(3) });
  for (const [path, most] of [
    ["fit", 9],
    ["unfit", 5],
  ] as const) {
    const page = await desk.open(context, `/entries/${path}?view=below`, { viewport: { width: 1440, height: 900 } });
    await page.getByText("1 entry").waitFor();
    const shown: number[] = [];
    for (const width of [360, 480, 768, 1024, 1280, 1440, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      await settle(page);
      await eventually(async () => {
        const spare = await page.locator(".table-panel").evaluate((panel) => panel.clientWidth - panel.scrollWidth);
        assert.ok(spare >= 0, `${path} at ${width} px lacks ${-spare} px`);
      });
      shown.push(await page.locator("tbody tr").first().locator("td:visible").count());
    }
    assert.deepEqual([shown[0], shown.at(-1)], [3, most]);
    await page.getByRole("button", { name: "Filter" }).click();
    await page.getByRole("region", { name: "Filter", exact: true }).waitFor();
    await eventually(async () => {
      const [panel, bar] = await Promise.all(
        ["Filter", "Selection"].map((name) => page.getByRole("region", { name, exact: true }).boundingBox()),
      );
      assert.ok(panel && bar && panel.y + panel.height <= bar.y, "the bar of the list is below the filter");
    });
  }
});

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

flow(
  "selected entries are moved, all or none, with one undo; a failure is named, and all stay selected",
  async (context) => {
    for (const name of ["a", "b", "c"]) await put(`from/${name}`, { title: name.toUpperCase() });
    await put("from/a/child", { title: "Child" });
    await put("goal/b", { title: "Taken" });
    const filter = JSON.stringify({ isDeep: true, orderBy: "slug" });
    const page = await desk.open(context, `/entries/from?view=below&filter=${filter}`);
    await page.getByText("4 entries").waitFor();
    await box(page, "A").check();
    await box(page, "B").click({ modifiers: ["Shift"] });
    await eventually(() => selected(page), ["A", "Child", "B"]);
    await page.getByRole("button", { name: "Move to…" }).click();
    await page.getByRole("dialog", { name: "Move 3 entries" }).waitFor();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Below").fill("goal");
    await dialog.getByRole("button", { name: "Move", exact: true }).click();
    await dialog.getByRole("alert").getByText('B: "new_id" was').waitFor();
    await eventually(() => entry("goal/a"), undefined, "nothing was moved");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("3 selected").waitFor();
    await eventually(() => selected(page), ["A", "Child", "B"]);
    await page.getByRole("button", { name: "Move to…" }).click();
    await page.getByLabel("Below").fill("");
    await page.getByRole("button", { name: "Move", exact: true }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByText("1 entry", { exact: true }).waitFor();
    await eventually(async () => (await entry("a/child"))?.title, "Child", "descendants move along, once");
    await eventually(async () => (await entry("b"))?.title, "B");
    await button(page, "Undo").click();
    await page.getByText("4 entries").waitFor();
    await eventually(async () => (await entry("from/a/child"))?.title, "Child");
    await eventually(() => entry("b"), undefined);
  },
);

const stateOf = async (id: string) => {
  const { visibility, published_at: at } = (await entry(id)) ?? {};
  return [visibility, at];
};

flow("publishing says what it changes, asks for what somebody set apart, and has an undo", async (context) => {
  await put("news/draft", { title: "Draft one", visibility: "draft" });
  await put("news/hidden", { title: "Hidden one", visibility: "hidden" });
  await put("news/later", { title: "Later one", published_at: future });
  await put("news/planned", { title: "Planned one", visibility: "draft", published_at: future });
  await put("news/public", { title: "Public one" });
  await put("news/refused", { title: "Refused one", visibility: "draft" });
  const ids = ["draft", "hidden", "later", "planned", "public", "refused"].map((name) => `news/${name}`);
  const before = await Promise.all(ids.map(stateOf));
  const tag = async () =>
    (
      await world.send("GET", "/api/entries", { query: { id: "news/public", token: world.token.management } })
    ).headers.get("etag");
  const earlier = await tag();
  assert.ok(earlier);
  const page = await desk.open(context, "/entries/news?view=below");
  await page.getByText("6 entries").waitFor();
  const dialog = page.getByRole("dialog", { name: "Publish 6 selected entries" });
  await page.getByLabel("Select all").check();
  await button(page, "Publish").click();
  await dialog.getByText("3 drafts", { exact: true }).waitFor();
  await dialog.getByText("1 public entry stays as it is.").waitFor();
  await eventually(() => dialog.getByLabel("Also 1 hidden entry").isChecked(), false);
  await eventually(() => dialog.getByLabel("Also 1 scheduled entry").isChecked(), false);
  assert.deepEqual(await auditAll(page), []);
  await page.setViewportSize({ width: 360, height: 800 });
  await settle(page);
  assert.equal(await overflow(page), 0);
  await page.setViewportSize({ width: 1280, height: 800 });
  // Of one that cannot be read nothing is known: it is left, and stays selected.
  await page.route(/\/api\/entries\?id=news(\/|%2F)refused/, (route) => route.abort());
  await dialog.getByRole("button", { name: "Publish 3 entries" }).click();
  await page.getByText("Published 2 entries").waitFor();
  await page.getByText("Refused one: The service does not answer").waitFor();
  await eventually(() => selected(page), ["Refused one"]);
  const visible = (at: unknown) => ["visible", at];
  await eventually(
    () => Promise.all(ids.map(stateOf)),
    [visible((await entry("news/draft"))?.modified_at), before[1], before[2], visible(future), ...before.slice(4)],
  );
  await button(page, "Undo").click();
  await page.getByRole("row").filter({ hasText: "Draft one" }).getByText("Draft", { exact: true }).waitFor();
  await eventually(() => Promise.all(ids.map(stateOf)), before);
  await eventually(tag, earlier, "public entries are not written");

  for (const name of ["Hidden one", "Later one"]) await box(page, name).check();
  await box(page, "Refused one").uncheck();
  await button(page, "Publish").click();
  const others = page.getByRole("dialog", { name: "Publish 2 selected entries" });
  await eventually(() => others.getByRole("button", { name: "Publish 0 entries" }).isDisabled(), true);
  await others.getByLabel("Also 1 hidden entry").check();
  await others.getByLabel("Also 1 scheduled entry").check();
  await others.getByRole("button", { name: "Publish 2 entries" }).click();
  await page.getByText("Published 2 entries").waitFor();
  await eventually(async () => (await stateOf("news/hidden"))[0], "visible");
  await eventually(async () => Number((await stateOf("news/later"))[1]) < future, true);
  // One of them was written to since: it is named, and nothing is undone.
  await write(world, "PATCH", "/api/entries", { id: "news/hidden", data: { title: "Newer" } });
  await button(page, "Undo").click();
  await page.getByText(/^Hidden one: .*If-Match/).waitFor();
  await eventually(async () => Number((await stateOf("news/later"))[1]) < future, true);
  await eventually(async () => (await stateOf("news/hidden"))[0], "visible");
});

flow(
  "working copies are published along with drafts, outdated ones where that is ticked, with one undo",
  async (context) => {
    const stage = (id: string, data: object) => write(world, "PATCH", "/api/entries/staged", { id, data });
    const staged = (id: string) => read<Fields>(world, "/api/entries/staged", { id });
    for (const name of ["one", "two", "old"]) await put(`copies/${name}`, { title: name, text: "Live" });
    await put("copies/draft", { title: "draft", visibility: "draft" });
    await stage("copies/one", { text: "Staged" });
    await stage("copies/two", { text: "Staged", more: [1] });
    await stage("copies/old", { text: "Staged" });
    await write(world, "PATCH", "/api/entries", { id: "copies/old", data: { text: "Mended" } });
    const texts = async () =>
      (await Promise.all(["one", "two", "old"].map((name) => entry(`copies/${name}`)))).map((one) => one?.text);
    const page = await desk.open(context, "/entries/copies?view=below");
    await page.getByText("4 entries").waitFor();
    await page.getByLabel("Select all").check();
    await button(page, "Publish").click();
    const dialog = page.getByRole("dialog", { name: "Publish 4 selected entries" });
    await dialog.getByText("1 draft", { exact: true }).waitFor();
    await dialog.getByText("2 working copies", { exact: true }).waitFor();
    await dialog.getByText("old (text)").waitFor();
    await eventually(() => dialog.getByLabel("Also 1 outdated working copy").isChecked(), false);
    assert.deepEqual(await auditAll(page), []);
    await page.setViewportSize({ width: 1280, height: 800 });
    const batch = page.waitForRequest(/\/api\/batch$/);
    await dialog.getByRole("button", { name: "Publish 3 entries" }).click();
    assert.equal((await batch).postDataJSON().operations.length, 3);
    await page.getByText("Published 3 entries").waitFor();
    await eventually(texts, ["Staged", "Staged", "Mended"]);
    await eventually(
      async () => [(await entry("copies/two"))?.more, (await stateOf("copies/draft"))[0]],
      [[1], "visible"],
    );
    const again = page.waitForResponse(/staged$/);
    await button(page, "Undo").click();
    await again;
    await page.getByRole("row").filter({ hasText: "two" }).getByText("Changed", { exact: true }).waitFor();
    await eventually(texts, ["Live", "Live", "Mended"]);
    await eventually(async () => (await entry("copies/two"))?.more, undefined);
    await eventually(
      async () => [(await staged("copies/two")).more, (await staged("copies/one")).text],
      [[1], "Staged"],
    );
    await eventually(async () => (await stateOf("copies/draft"))[0], "draft");

    await page.keyboard.press("Escape");
    await box(page, "old").check();
    await button(page, "Publish").click();
    const one = page.getByRole("dialog", { name: "Publish 1 selected entry" });
    await eventually(() => one.getByRole("button", { name: "Publish 0 entries" }).isDisabled(), true);
    await one.getByLabel("Also 1 outdated working copy").check();
    await one.getByRole("button", { name: "Publish 1 entry" }).click();
    await page.getByText("Published 1 entry").waitFor();
    await eventually(texts, ["Live", "Live", "Staged"]);
  },
);

flow("hiding and making drafts of several; a state that changed meanwhile is not overruled", async (context) => {
  await put("states/public", { title: "Public one" });
  await put("states/moved", { title: "Moved one" });
  await put("states/draft", { title: "Draft one", visibility: "draft" });
  const page = await desk.open(context, "/entries/states?view=below");
  await page.getByText("3 entries").waitFor();
  await page.getByLabel("Select all").check();
  await button(page, "Hide").click();
  const hide = page.getByRole("dialog", { name: "Hide 3 selected entries" });
  await eventually(() => hide.getByLabel("Also 1 draft").isChecked(), false);
  await write(world, "PATCH", "/api/entries", { id: "states/moved", data: { visibility: "draft" } });
  await hide.getByRole("button", { name: "Hide 2 entries" }).click();
  await page.getByText("Hid 1 entry").waitFor();
  await page.getByText("Moved one: Someone else changed it meanwhile").waitFor();
  const states = async () =>
    (await Promise.all(["public", "moved", "draft"].map((name) => stateOf(`states/${name}`)))).map(([state]) => state);
  await eventually(states, ["hidden", "draft", "draft"]);
  await button(page, "Undo").click();
  await page.getByRole("row").filter({ hasText: "Public one" }).getByText("Public", { exact: true }).waitFor();

  await page.keyboard.press("Escape");
  await box(page, "Draft one").check();
  await button(page, "Unpublish").click();
  await page.getByText("Nothing to change: 1 draft").waitFor();
  await box(page, "Public one").check();
  await button(page, "Unpublish").click();
  await page.getByRole("button", { name: "Unpublish 1 entry" }).click();
  await page.getByText("Unpublished 1 entry").waitFor();
  await eventually(states, ["draft", "draft", "draft"]);
  await button(page, "Undo").click();
  await page.getByRole("row").filter({ hasText: "Public one" }).getByText("Public", { exact: true }).waitFor();
  await eventually(states, ["visible", "draft", "draft"]);
});

flow("selected entries are deleted, all or none, with one undo", async (context) => {
  for (const name of ["a", "b", "c"]) await put(`doomed/${name}`, { title: name.toUpperCase() });
  await put("doomed/a/child", { title: "Child" });
  const page = await desk.open(context, `/entries/doomed?view=below&filter=${JSON.stringify({ isDeep: true })}`);
  await page.getByText("4 entries").waitFor();
  for (const name of ["A", "Child", "B"]) await box(page, name).check();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByText("Moved 2 items to the trash").waitFor();
  await page.getByText("1 entry").waitFor();
  await eventually(() => titles(page), ["C"]);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("3 selected").waitFor();
  await eventually(() => entry("doomed/a/child"), assert.ok);
  await write(world, "DELETE", "/api/entries", { id: "doomed/b" });
  // The page asks who refers to an entry that is gone.
  page.removeAllListeners("response");
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByText(/^B: "id" was/).waitFor();
  await page.getByText("Nothing was changed.").waitFor();
  await page.getByText("2 selected").waitFor();
  await eventually(() => selected(page), ["A", "Child"]);
  await eventually(() => entry("doomed/a"), assert.ok);
});
