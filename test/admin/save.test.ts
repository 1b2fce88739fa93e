// Slow: it runs a browser.
import assert from "node:assert/strict";
import { before } from "node:test";
import type { Page } from "playwright-core";
import { flow, read, skip, useDesk, write } from "./browser.ts";

/** A save never publishes. */

const desk = useDesk();
const { world } = desk;
type Fields = Record<string, unknown>;
const live = async (id: string) => (await read<Fields>(world, "/api/entries", { id })).title;
const staged = async (id: string) => (await read<Fields>(world, "/api/entries/staged", { id })).title;
const put = (id: string, data: object) => write(world, "POST", "/api/entries", { id, data });
const title = (page: Page) => page.getByRole("textbox", { name: "Title" });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const shown = (page: Page, text: string) => page.getByText(text, { exact: true }).first().waitFor();

before(async () => {
  if (!skip) await world.ready;
});

for (const key of ["Control+s", "Meta+s"])
  flow(`${key} on an entry that is on the site prepares a change; Publish publishes it, with Undo`, async (context) => {
    const id = `live/${key.slice(0, 4).toLowerCase()}`;
    await put(id, { title: "On the site" });
    const page = await desk.open(context, `/entries/${id}`);
    await title(page).fill("Prepared");
    await page.keyboard.press(key);
    await shown(page, "Unpublished changes");
    await shown(page, "Saved");
    assert.deepEqual([await live(id), await staged(id)], ["On the site", "Prepared"]);
    await button(page, "Publish").click();
    await button(page, "Undo").waitFor();
    assert.equal(await live(id), "Prepared");
    await button(page, "Undo").click();
    await shown(page, "Unpublished changes");
    assert.deepEqual([await live(id), await staged(id)], ["On the site", "Prepared"]);
  });

flow("a draft is saved as it is, and stays one", async (context) => {
  await put("draft/one", { title: "Draft", visibility: "draft" });
  const page = await desk.open(context, "/entries/draft/one");
  await title(page).fill("Written");
  await page.keyboard.press("Control+s");
  await shown(page, "Saved");
  await shown(page, "Not on the site yet");
  assert.equal(await live("draft/one"), "Written");
});

flow("Save yours on top of what another person saved prepares a change, too", async (context) => {
  await put("live/both", { title: "Before", note: "a" });
  const page = await desk.open(context, "/entries/live/both");
  await title(page).fill("Mine");
  await write(world, "PATCH", "/api/entries", { id: "live/both", data: { title: "Theirs", note: "b" } });
  await page.keyboard.press("Control+s");
  await button(page, "Save yours on top").click();
  await shown(page, "Unpublished changes");
  await shown(page, "Saved");
  assert.deepEqual([await live("live/both"), await staged("live/both")], ["Theirs", "Mine"]);
});

flow(
  "Save yours on top after a refused publication prepares a change; the next Publish publishes it",
  async (context) => {
    await put("live/refused", { title: "Before" });
    const page = await desk.open(context, "/entries/live/refused");
    await title(page).fill("Mine");
    await write(world, "PATCH", "/api/entries", { id: "live/refused", data: { title: "Theirs" } });
    await button(page, "Publish").click();
    await button(page, "Save yours on top").click();
    await shown(page, "Saved");
    assert.deepEqual([await live("live/refused"), await staged("live/refused")], ["Theirs", "Mine"]);
    await button(page, "Publish").click();
    await button(page, "Undo").waitFor();
    assert.equal(await live("live/refused"), "Mine");
  },
);
