// Slow: it runs a browser.
import assert from "node:assert/strict";
import { before } from "node:test";
import type { BrowserContext, Page } from "playwright-core";
import { eventually } from "../eventually.ts";
import { auditAll, flow, read, signIn, skip, useDesk, write } from "./browser.ts";

/** What is typed stays in the browser until it is saved or thrown away, also when its tab is closed. */

const desk = useDesk();
const { world } = desk;
const put = (id: string, data: object) => write(world, "POST", "/api/entries", { id, data });
const title = (page: Page) => page.getByRole("textbox", { name: "Title" });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const found = (page: Page) => page.getByText("Your unsaved changes are here again");
const list = (page: Page) => page.getByRole("region", { name: "Not saved yet" });
const titled = (page: Page, text: string) => page.getByRole("heading", { name: text, exact: true }).waitFor();

before(async () => {
  if (!skip) await world.ready;
});

/** Another tab of the same browser. */
async function tab(context: BrowserContext, path: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${world.app.url}/admin${path}`);
  return page;
}

async function saveByHand(page: Page): Promise<void> {
  await button(page, "More actions").click();
  const item = page.getByRole("menuitemcheckbox", { name: "Save automatically" });
  if (await item.isChecked()) await item.click();
  else await page.keyboard.press("Escape");
}

flow("what was typed in a tab that is closed is found on the start page and in the entry", async (test) => {
  await put("kept/closed", { title: "Stored" });
  const page = await desk.open(test, "/entries/kept/closed");
  const context = page.context();
  await saveByHand(page);
  await title(page).fill("Typed");
  await titled(page, "Typed");
  const home = await tab(context, "");
  await page.close();
  await home.reload();
  await list(home).getByRole("link", { name: "Typed" }).waitFor();
  assert.deepEqual(await auditAll(home), []);
  await home.setViewportSize({ width: 1280, height: 800 });
  await list(home).getByRole("link", { name: "Typed" }).click();
  await found(home).waitFor();
  await eventually(() => title(home).inputValue(), "Typed");
  await home.close();

  const again = await tab(context, "/entries/kept/closed");
  await found(again).waitFor();
  await button(again, "Throw them away").click();
  await again.getByRole("dialog").getByRole("button", { name: "Throw away" }).click();
  await titled(again, "Stored");
  await again.reload();
  await titled(again, "Stored");
  await again.goto(`${world.app.url}/admin`);
  await again.getByRole("region", { name: "My work" }).waitFor();
  await eventually(() => list(again).count(), 0);
});

flow("of two tabs with one entry, neither takes the text of the other away", async (test) => {
  await put("kept/both", { title: "Stored" });
  const one = await desk.open(test, "/entries/kept/both");
  const context = one.context();
  await saveByHand(one);
  const other = await tab(context, "/entries/kept/both");
  await titled(other, "Stored");
  await title(one).fill("Of the first tab");
  await title(other).fill("Of the second tab");
  await titled(other, "Of the second tab");
  await other.keyboard.press("Control+s");
  await other.getByText("Unpublished changes").waitFor();
  await other.close();
  await one.close();
  const after = await tab(context, "/entries/kept/both");
  const dialog = after.getByRole("dialog", { name: "Someone else saved meanwhile" });
  await dialog.getByText("Of the first tab").waitFor();
  await dialog.getByText("Of the second tab").waitFor();
});

flow("whoever signs in next sees nothing of it, and it comes back for who typed it", async (test) => {
  await put("kept/private", { title: "Stored" });
  const tokens = async () => world.issue("management", ["entries"]);
  const as = async (page: Page, secret: string) =>
    signIn(page, { ...world, token: { ...world.token, management: secret } });
  const [first, second] = [await tokens(), await tokens()];
  const page = await desk.openFresh(test, "/entries/kept/private");
  await as(page, first.secret);
  await saveByHand(page);
  await title(page).fill("Secret");
  await titled(page, "Secret");
  // The session ends; somebody else signs in, in the open page.
  await page.context().clearCookies();
  await page.keyboard.press("Control+s");
  await as(page, second.secret);
  await titled(page, "Stored");
  await eventually(() => page.getByText("Secret").count(), 0);
  await page.goto(`${world.app.url}/admin`);
  await page.getByRole("region", { name: "My work" }).waitFor();
  await eventually(() => list(page).count(), 0);

  await page.context().clearCookies();
  await page.reload();
  await as(page, first.secret);
  await list(page).getByRole("link", { name: "Secret" }).waitFor();
});

flow("a draft saves itself while it is written, and of a live entry a change is prepared", async (test) => {
  await put("kept/draft", { title: "Draft", visibility: "draft" });
  await put("kept/live", { title: "Live" });
  const page = await desk.openFresh(test, "/entries/kept/draft");
  const { secret } = await world.issue("management", ["entries"]);
  await signIn(page, { ...world, token: { ...world.token, management: secret } });
  await title(page).fill("Written");
  await page.getByText("Saved just now").waitFor();
  await page.goto(`${world.app.url}/admin/entries/kept/live`);
  await title(page).fill("Changed");
  await page.getByText("Unpublished changes", { exact: true }).waitFor();
  const titleAt = async (path: string, id: string) => (await read<{ title: string }>(world, path, { id })).title;
  await eventually(() => titleAt("/api/entries", "kept/draft"), "Written");
  assert.deepEqual(
    [await titleAt("/api/entries", "kept/live"), await titleAt("/api/entries/staged", "kept/live")],
    ["Live", "Changed"],
  );
});
