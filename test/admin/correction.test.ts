// Slow: it runs a browser.
import assert from "node:assert/strict";
import { before } from "node:test";
import type { Page } from "playwright-core";
import { eventually } from "../eventually.ts";
import { auditAll, flow, hasFocus, overflow, read, signIn, skip, useDesk, write } from "./browser.ts";
import { countClicks } from "./clicks.ts";
import { clicksOf } from "./flows.ts";

/** The live page is corrected while a working copy of it waits. */

const desk = useDesk();
const { world } = desk;
type Fields = Record<string, unknown>;
const entry = (id: string) => read<Fields>(world, "/api/entries", { id });
const staged = (id: string) => read<Fields>(world, "/api/entries/staged", { id });
const put = (id: string, data: object) => write(world, "POST", "/api/entries", { id, data });
const stage = (id: string, data: object) => write(world, "PATCH", "/api/entries/staged", { id, data });
const look = async (page: Page, name: string): Promise<void> => {
  if (process.env.OCTAVO_TEST_LOOK) await page.screenshot({ path: `${process.env.OCTAVO_TEST_LOOK}/${name}.png` });
};

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
async function correct(page: Page): Promise<void> {
  await button(page, "More actions").click();
  await page.getByRole("menuitem", { name: "Correct the live page" }).click();
  await page.getByRole("region", { name: "Correction" }).waitFor();
}
/** What readers see, and what waits, of some keys. */
const both = async (id: string, keys: string[]) => {
  const [live, copy] = [await entry(id), await staged(id)];
  return [keys.map((key) => live[key]), keys.map((key) => copy[key])];
};

before(async () => {
  if (skip) return;
  await world.ready;
});

flow("the live page is corrected, and the copy has the correction where it says nothing else", async (context) => {
  await put("news/one", { title: "Teh harbour", note: "same", place: "Oslo" });
  await stage("news/one", { note: "mine", place: "Oslo" });
  const page = await desk.open(context, "/entries/news/one");
  await eventually(() => field(page, "note").inputValue(), "mine");
  await correct(page);
  await hasFocus(page.getByRole("heading", { level: 1, name: "Teh harbour" }));
  await eventually(() => field(page, "note").inputValue(), "same", "the form has what is live");
  await eventually(() => button(page, "Publish the correction").isEnabled(), false);
  assert.deepEqual(await auditAll(page), []);
  await page.setViewportSize({ width: 360, height: 740 });
  assert.ok((await overflow(page)) <= 0);
  await look(page, "correction-360");
  await page.setViewportSize({ width: 1280, height: 800 });
  await look(page, "correction");
  await field(page, "Title").fill("The harbour");
  await field(page, "place").fill("Bergen");
  await page.keyboard.press("Control+s");
  await eventually(async () => (await entry("news/one")).title, "Teh harbour", "a save publishes nothing");
  await button(page, "Publish the correction").press("Enter");
  await page.getByText("Corrected on the site: The harbour").waitFor();
  await eventually(
    () => both("news/one", ["title", "note", "place"]),
    [
      ["The harbour", "same", "Bergen"],
      ["The harbour", "mine", "Bergen"],
    ],
  );
  await eventually(() => field(page, "note").inputValue(), "mine", "the copy is edited again");
  await eventually(() => page.getByRole("dialog").count(), 0);
  await button(page, "Undo").click();
  await eventually(
    () => both("news/one", ["title", "note", "place"]),
    [
      ["Teh harbour", "same", "Oslo"],
      ["Teh harbour", "mine", "Oslo"],
    ],
  );
});

flow("where the copy changes the same field, the three texts are asked for", async (context) => {
  await put("news/two", { title: "Teh harbour", note: "old" });
  await stage("news/two", { title: "Teh harbour at night", note: "new" });
  const page = await desk.open(context, "/entries/news/two");
  const clicks = await countClicks(page);
  await correct(page);
  await field(page, "Title").fill("The harbour");
  await field(page, "note").fill("older");
  await button(page, "Publish the correction").click();
  await eventually(clicks, clicksOf("Correct the live page while changes wait"));
  const dialog = page.getByRole("dialog", { name: "Changed on the site meanwhile" });
  const texts = (name: string) => dialog.getByRole("region", { name }).getByRole("definition").allTextContents();
  await dialog.getByRole("region", { name: "Title" }).waitFor();
  await eventually(() => texts("Title"), ["Teh harbour", "The harbour", "Teh harbour at night"]);
  await dialog.getByRole("region", { name: "note" }).getByText("Keep the site's").click();
  await look(page, "correction-asked");
  await button(page, "Keep these").click();
  await dialog.waitFor({ state: "detached" });
  const keys = ["title", "note"];
  await eventually(
    () => both("news/two", keys),
    [
      ["The harbour", "older"],
      ["Teh harbour at night", "older"],
    ],
  );
  await eventually(() => page.getByText("Changed on the site meanwhile").count(), 0);
  await button(page, "Undo").click();
  await eventually(
    () => both("news/two", keys),
    [
      ["Teh harbour", "old"],
      ["Teh harbour at night", "new"],
    ],
  );
});

flow(
  "a correction goes over nothing that somebody else has just written, and is asked about when left",
  async (context) => {
    await put("news/three", { title: "Teh harbour", note: "old" });
    await stage("news/three", { note: "mine" });
    const page = await desk.open(context, "/entries/news/three");
    await correct(page);
    await field(page, "Title").fill("The harbour");
    await page.getByRole("link", { name: "Home" }).click();
    await page.getByRole("dialog", { name: "Leave without saving?" }).waitFor();
    await button(page, "Cancel").last().click();
    await write(world, "PATCH", "/api/entries", { id: "news/three", data: { place: "Oslo" } });
    await button(page, "Publish the correction").click();
    const dialog = page.getByRole("dialog", { name: "Someone else saved meanwhile" });
    await dialog.getByText("place").waitFor();
    await dialog.getByRole("button", { name: "Save yours on top" }).click();
    await page.getByText("Corrected on the site: The harbour").waitFor();
    await eventually(
      () => both("news/three", ["title", "note", "place"]),
      [
        ["The harbour", "old", "Oslo"],
        ["The harbour", "mine", "Oslo"],
      ],
    );
  },
);

flow("it is offered where something is live below a copy, to who may publish", async (context) => {
  await put("news/plain", { title: "Plain" });
  await put("news/four", { title: "Four" });
  await stage("news/four", { title: "4" });
  const page = await desk.open(context, "/entries/news/plain");
  await button(page, "More actions").click();
  const items = () => page.getByRole("menuitem", { name: "Correct the live page" }).count();
  await page.getByRole("menuitem", { name: "Used in…" }).waitFor();
  await eventually(items, 0);
  const { secret } = await world.issue("management", ["entries", "files"], { writes: "staged" });
  const author = await desk.openFresh(context, "/entries/news/four");
  await signIn(author, { ...world, token: { ...world.token, management: secret } });
  await button(author, "More actions").click();
  await author.getByRole("menuitem", { name: "Used in…" }).waitFor();
  await eventually(() => author.getByRole("menuitem", { name: "Correct the live page" }).count(), 0);
});
