// Long: it runs a browser.
import assert from "node:assert/strict";
import { before } from "node:test";
import type { Page } from "playwright-core";
import { eventually } from "../eventually.ts";
import { until } from "../harness.ts";
import { auditAll, flow, overflow, read, settle, skip, useDesk, write } from "./browser.ts";

const desk = useDesk();
const { world } = desk;
/** A service without a trash. */
const bare = useDesk({ "trash-keep-days": "0" });
const entry = (id: string, of = world) => read<Record<string, unknown> | undefined>(of, "/api/entries", { id });
const put = (id: string, data: object, of = world) => write(of, "POST", "/api/entries", { id, data });
const remove = (path: string, args: object) => write(world, "DELETE", path, args);
const trashed = async (search: string) =>
  (await read<{ path: string }[]>(world, "/api/trash", { search })).map(({ path }) => path);

before(async () => {
  if (skip) return;
  await world.ready;
  await bare.world.ready;
  await put("site/about", { title: "About" });
  await put("site/about/team", { title: "Team" });
  await remove("/api/entries", { id: "site/about" });
  await write(world, "POST", "/api/folders", { path: "album/2019" });
  await remove("/api/folders", { path: "album" });
});

const row = (page: Page, path: string) => page.getByRole("row").filter({ hasText: path });
const act = async (page: Page, name: string, item: string) => {
  await page.getByRole("button", { name: `Actions for ${name}`, exact: true }).click();
  await page.getByRole("menuitem", { name: item }).click();
};

flow("the trash lists what was deleted, and finds it by path and kind", async (context) => {
  const page = await desk.open(context, "/entries");
  await page.getByRole("link", { name: "Trash", exact: true }).click();
  await row(page, "site/about").getByText("2 entries").locator("visible=true").waitFor();
  await row(page, "site/about").getByText("in 30 days").locator("visible=true").waitFor();
  await row(page, "album").getByText("2 items").locator("visible=true").waitFor();
  await page.getByRole("textbox", { name: "Search in the trash" }).fill("ABOUT");
  await row(page, "album").waitFor({ state: "detached" });
  await row(page, "site/about").waitFor();
  await page.getByRole("combobox", { name: "Kind" }).click();
  await page.getByRole("option", { name: "Files" }).click();
  await page.getByText("Nothing found").waitFor();
});

flow("an item is restored in place, or elsewhere when its place is taken", async (context) => {
  await put("back/one", { title: "One", note: "first" });
  await put("back/one/child", {});
  const uuid = (await entry("back/one"))?.uuid;
  await remove("/api/entries", { id: "back/one" });
  const page = await desk.open(context, "/trash");
  await page.getByRole("button", { name: "Restore one", exact: true }).click();
  await row(page, "back/one").waitFor({ state: "detached" });
  await eventually(async () => (await entry("back/one"))?.uuid, uuid);
  await eventually(() => entry("back/one/child"), assert.ok);

  await remove("/api/entries", { id: "back/one" });
  await put("back/one", { title: "Another" });
  await page.getByRole("link", { name: "Entries" }).click();
  await page.getByRole("link", { name: "Trash", exact: true }).click();
  await page.getByRole("button", { name: "Restore one", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Restore one" });
  const field = dialog.getByRole("textbox", { name: "Id" });
  await dialog.getByText("exists already").waitFor();
  await eventually(() => field.getAttribute("aria-invalid"), "true");
  await page.waitForFunction(() => getSelection()?.toString() === "one");
  await page.keyboard.type("two");
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  await eventually(async () => (await entry("back/two"))?.uuid, uuid);
  await eventually(async () => (await entry("back/one"))?.title, "Another");
  await page.getByRole("alert").getByRole("link", { name: "back/two" }).click();
  await page.getByRole("heading", { name: "One" }).waitFor();

  await remove("/api/entries", { id: "back/two" });
  await page.getByRole("link", { name: "Trash", exact: true }).click();
  await row(page, "back/two").waitFor();
  await act(page, "two", "Restore elsewhere…");
  const elsewhere = page.getByRole("dialog", { name: "Restore two" });
  await elsewhere.getByRole("textbox", { name: "Id" }).fill("back/one");
  await elsewhere.getByRole("button", { name: "Restore" }).click();
  await elsewhere.getByText("exists already").waitFor();
  assert.deepEqual(await auditAll(page), []);
});

flow("an item is deleted for good, and the trash is emptied; both ask first", async (context) => {
  await put("doomed/a", {});
  await put("doomed/b", {});
  await put("doomed/c", {});
  for (const id of ["doomed/a", "doomed/b"]) await remove("/api/entries", { id });
  const page = await desk.open(context, "/trash");
  await act(page, "a", "Delete for good…");
  await page.getByRole("dialog", { name: "Delete a for good?" }).waitFor();
  assert.deepEqual(await auditAll(page), []);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole("button", { name: "Delete for good" }).click();
  await row(page, "doomed/a").waitFor({ state: "detached" });
  await eventually(() => trashed("doomed"), ["doomed/b"]);

  const count = (await trashed("")).length;
  await page.getByRole("button", { name: "Empty trash" }).click();
  const dialog = page.getByRole("dialog", { name: "Empty the trash?" });
  await dialog.getByText(`${count} item`).waitFor();
  await remove("/api/entries", { id: "doomed/c" });
  await dialog.getByRole("button", { name: "Delete for good" }).click();
  await dialog.waitFor({ state: "detached" });
  await row(page, "doomed/c").waitFor();
  await eventually(() => trashed(""), ["doomed/c"], "what was deleted after the question stays");
  await page.getByRole("button", { name: "Empty trash" }).click();
  await dialog.getByRole("button", { name: "Delete for good" }).click();
  await page.getByText("The trash is empty").waitFor();
  await page.getByText("kept here for 30 days").waitFor();
  await eventually(() => page.getByRole("button", { name: "Empty trash" }).isDisabled(), true);
});

flow("emptying the trash can be stopped, and names what failed", async (context) => {
  for (let n = 0; n < 5; n++) {
    await put(`stop/${n}`, {});
    await remove("/api/entries", { id: `stop/${n}` });
  }
  const count = (await trashed("")).length;
  const page = await desk.open(context, "/trash");
  let sent = 0;
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/api\/trash\?id=/, async (route) => {
    if (++sent === 2) await held;
    await route.continue();
  });
  await page.getByRole("button", { name: "Empty trash" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Delete for good" }).click();
  await dialog.getByText(`1 of ${count}`).waitFor();
  assert.deepEqual(await auditAll(page), []);
  await dialog.getByRole("button", { name: "Stop" }).click();
  release();
  await page.getByText(`Deleted 2 of ${count} items for good`).waitFor();
  await eventually(async () => (await trashed("")).length, count - 2);
  await page.unroute(/\/api\/trash\?id=/);
  await page.route(/\/api\/trash\?id=/, (route) => route.abort());
  await page.getByRole("button", { name: "Empty trash" }).click();
  await dialog.getByRole("button", { name: "Delete for good" }).click();
  await dialog.getByRole("alert").getByText("Stopped after 0 items").waitFor();
  await page.unroute(/\/api\/trash\?id=/);
  await dialog.getByRole("button", { name: "Delete for good" }).click();
  await page.getByText("The trash is empty").waitFor();
});

flow("without a trash a deletion asks first and is for good", async (context) => {
  await put("bare/one", { title: "Bare" }, bare.world);
  const page = await bare.open(context, "/entries/bare/one");
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete “Bare” for good?" });
  await dialog.getByText("This service has no trash").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
  await eventually(() => entry("bare/one", bare.world), assert.ok);
  await page.goto(`${bare.world.app.url}/admin/entries/bare/one`);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await dialog.getByRole("button", { name: "Delete for good" }).click();
  await page.getByText("Deleted Bare for good").waitFor();
  await eventually(() => page.getByRole("button", { name: "Undo" }).count(), 0);
  await until(async () => (await entry("bare/one", bare.world)) === undefined, "it is deleted");
  await page.getByRole("link", { name: "Trash", exact: true }).click();
  await page.getByText("This service has no trash").waitFor();
});

flow("the trash fits on a phone, and axe finds no violations", async (context) => {
  const path = `phone/${"a-long-name-".repeat(8)}end`;
  await put(path, {});
  await remove("/api/entries", { id: path });
  const page = await desk.open(context, "/trash", { viewport: { width: 360, height: 740 } });
  await row(page, path).waitFor();
  await settle(page);
  assert.ok((await overflow(page)) <= 0);
  await eventually(async () => {
    const right = await page
      .getByRole("button", { name: /^Actions for/ })
      .first()
      .boundingBox();
    assert.ok(right && right.x + right.width <= 360, "its menu is on the screen");
  });
  assert.deepEqual(await auditAll(page), []);
});
