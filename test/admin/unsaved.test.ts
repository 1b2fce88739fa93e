// Slow: it runs a browser.
import assert from "node:assert/strict";
import { before, type TestContext } from "node:test";
import type { Page } from "playwright-core";
import { eventually } from "../eventually.ts";
import { audit, flow, overflow, read, saveByHand, settle, signIn, skip, useDesk, write } from "./browser.ts";

/** Unsaved changes of an entry: no fault of the page, reload or lost session loses them. */

const desk = useDesk();
const { world } = desk;
type Fields = Record<string, unknown>;
const entry = (id: string) => read<Fields>(world, "/api/entries/staged", { id });
const put = (id: string, data: object) => write(world, "POST", "/api/entries", { id, data });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const title = (page: Page) => page.getByRole("textbox", { name: "Title" });
const content = (page: Page) => page.getByRole("textbox", { name: "Content" });
const found = (page: Page) => page.getByRole("status").filter({ hasText: "Your unsaved changes are here again" });
const notSaved = (page: Page) => page.getByText("Not saved", { exact: true }).waitFor();
const saved = (page: Page) => page.getByText("Saved", { exact: true }).waitFor();
const kept = (page: Page) =>
  page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("octavo.unsaved.")));

/** The page of a new entry with this content, and its preview beside the text. */
async function openBoth(context: TestContext, id: string, text: string): Promise<Page> {
  await put(id, { title: "Drawn", content: text });
  const page = await desk.open(context, `/entries/${id}`, { viewport: { width: 1440, height: 900 } });
  await content(page).click();
  await page.getByText("Both", { exact: true }).click();
  return page;
}

/** Makes the renderer of the page fail at an address that ends with "fault.png". */
async function failAtFault(page: Page): Promise<void> {
  await page.evaluate(() => {
    const { canParse } = URL;
    URL.canParse = (address, base) => {
      if (String(address).endsWith("fault.png")) throw new TypeError("A fault");
      return canParse(address, base);
    };
  });
  page.removeAllListeners("console");
}

before(async () => {
  if (!skip) await world.ready;
});

flow("a picture whose address is not finished is left out of the preview, and typing goes on", async (context) => {
  const page = await openBoth(context, "unsaved/address", "");
  await content(page).click();
  const addresses = [
    "https://",
    "http://[",
    "//",
    "https://%",
    "data:",
    "http://a:99999999/x.png",
    "/project/uploads/a%",
  ];
  for (const address of addresses) {
    await page.keyboard.press("Control+a");
    await page.keyboard.type(`Before ![alt](${address}) ${address} after`);
    await page.locator(".prose").getByText("after").waitFor();
    await eventually(() => page.getByRole("alert").count(), 0, address);
    await eventually(() => page.locator(".prose img[src^='http']").count(), 0, address);
  }
  await page.keyboard.press("Control+s");
  await saved(page);
  await eventually(
    async () => (await entry("unsaved/address")).content,
    "Before ![alt](/project/uploads/a%) /project/uploads/a% after",
  );
});

flow("a preview that fails says so, keeps the text beside it, and is tried again", async (context) => {
  const page = await openBoth(context, "unsaved/fault", "Text");
  await page.locator(".prose").getByText("Text").waitFor();
  await failAtFault(page);
  await content(page).click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type(" ![a](/fault.png)");
  await page.getByRole("alert").getByText("A fault").waitFor();
  await eventually(() => content(page).textContent(), /^Text !\[a\]\(\/fault\.png\)$/);
  await page.keyboard.type(" more");
  for (let i = 0; i < " more".length + 1; i++) await page.keyboard.press("Backspace");
  await page.keyboard.press("Backspace");
  await page.locator(".prose").getByText("Text").waitFor();
});

flow("a preview that fails while the next text is typed shows the next text", async (context) => {
  // A preview waits for the writer 2 ms for each 1,000 characters: the fault comes within this time.
  const page = await openBoth(context, "unsaved/late", `${"x ".repeat(100_000)}Text`);
  await page.locator(".prose").getByText("Text").waitFor();
  await failAtFault(page);
  await content(page).click();
  await page.keyboard.press("Control+End");
  const drawing = page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const { postMessage } = Worker.prototype;
        Worker.prototype.postMessage = function (this: Worker, message: unknown) {
          postMessage.call(this, message);
          if (String(message).endsWith("fault.png)")) resolve();
        };
      }),
  );
  await page.keyboard.insertText(" ![a](/fault.png)");
  await drawing;
  await page.keyboard.press("Backspace");
  await page.locator(".prose").getByText("Text ![a](/fault.png").waitFor();
});

flow("a reload brings unsaved changes back; they are saved, or thrown away", async (context) => {
  await put("unsaved/reload", { title: "Stored", note: "as stored", year: 1.5, removed: "x" });
  const page = await desk.open(context, "/entries/unsaved/reload");
  await title(page).fill("Typed");
  await button(page, "Options of removed").click();
  await page.getByRole("menuitem", { name: "Remove the field" }).click();
  await page.getByText("Removed removed").waitFor();
  await page.reload();
  await found(page).waitFor();
  await notSaved(page);
  await eventually(() => title(page).inputValue(), "Typed");
  await eventually(() => page.getByLabel("removed", { exact: true }).count(), 0);
  assert.deepEqual(await audit(page), []);
  await page.setViewportSize({ width: 360, height: 800 });
  await settle(page);
  assert.equal(await overflow(page), 0);
  await page.setViewportSize({ width: 1280, height: 800 });
  await eventually(async () => (await entry("unsaved/reload")).title, "Stored", "nothing is written");
  await page.keyboard.press("Control+s");
  await saved(page);
  await found(page).waitFor({ state: "detached" });
  await eventually(() => kept(page), []);
  await eventually(async () => {
    const after = await entry("unsaved/reload");
    assert.deepEqual([after.title, after.note, after.removed], ["Typed", "as stored", undefined]);
  });

  await title(page).fill("Typed again");
  await notSaved(page);
  await page.reload();
  await button(page, "Throw them away").click();
  await page.getByRole("dialog").getByRole("button", { name: "Throw away" }).click();
  await saved(page);
  await eventually(() => title(page).inputValue(), "Typed");
  await page.reload();
  await saved(page);
  await eventually(() => found(page).count(), 0);

  await title(page).fill("Left");
  await page.getByRole("link", { name: "Registry" }).click();
  await button(page, "Discard changes").click();
  await page.getByRole("heading", { name: "Registry" }).waitFor();
  await eventually(() => kept(page), [], "what is discarded does not come back");
});

flow("texts that cannot be read come back too", async (context) => {
  await put("unsaved/unread", { title: "Unread", year: 1972, list: [1, 2] });
  const page = await desk.open(context, "/entries/unsaved/unread");
  await page.getByLabel("year", { exact: true }).fill("197x");
  await page.getByLabel("list", { exact: true }).fill("[1, 2,");
  await eventually(() => page.evaluate(() => Object.values(localStorage).join()), /197x.*\[1, 2,/);
  await page.reload();
  await found(page).waitFor();
  await eventually(() => page.getByLabel("year", { exact: true }).inputValue(), "197x");
  await eventually(() => page.getByLabel("list", { exact: true }).inputValue(), "[1, 2,");
  await page.getByText(/^Cannot be saved: /).waitFor();
  await page.getByLabel("year", { exact: true }).fill("1973");
  await page.getByLabel("list", { exact: true }).fill("[1, 2, 3]");
  await page.keyboard.press("Control+s");
  await saved(page);
  await eventually(async () => (await entry("unsaved/unread")).list, [1, 2, 3]);

  await page.getByText("JSON", { exact: true }).click();
  const json = page.getByRole("textbox", { name: "Fields as JSON" });
  await json.click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type(" unfinished");
  await page.getByText("Cannot be saved: the JSON cannot be read").waitFor();
  await page.reload();
  await json.getByText("unfinished").waitFor();
  await page.getByText("Cannot be saved: the JSON cannot be read").waitFor();
});

flow("an entry that was changed, or deleted, meanwhile is not overwritten: the page asks", async (context) => {
  await put("unsaved/changed", { title: "Stored", note: "stored" });
  const page = await desk.open(context, "/entries/unsaved/changed");
  await title(page).fill("Mine");
  await notSaved(page);
  await page.goto("about:blank");
  await write(world, "PATCH", "/api/entries", { id: "unsaved/changed", data: { note: "theirs" } });
  await page.goto(`${world.app.url}/admin/entries/unsaved/changed`);
  const dialog = page.getByRole("dialog", { name: "Someone else saved meanwhile" });
  await dialog.getByRole("definition").getByText("theirs", { exact: true }).waitFor();
  await dialog.getByRole("definition").getByText("Mine", { exact: true }).waitFor();
  await button(page, "Go on editing").click();
  await eventually(() => title(page).inputValue(), "Mine");
  await button(page, "Publish").click();
  await button(page, "Save yours on top").click();
  await saved(page);
  await eventually(async () => {
    const after = await entry("unsaved/changed");
    assert.deepEqual([after.title, after.note], ["Mine", "theirs"]);
  });

  // What was stored by another way needs no question.
  await title(page).fill("The same");
  await notSaved(page);
  await page.goto("about:blank");
  await write(world, "PATCH", "/api/entries/staged", { id: "unsaved/changed", data: { title: "The same" } });
  await page.goto(`${world.app.url}/admin/entries/unsaved/changed`);
  await saved(page);
  await eventually(() => found(page).count(), 0);

  await title(page).fill("Of a deleted one");
  await notSaved(page);
  await page.goto("about:blank");
  await write(world, "DELETE", "/api/entries", { id: "unsaved/changed" });
  await page.goto(`${world.app.url}/admin/entries/unsaved/changed`);
  await page.getByRole("alert").getByText("Someone else deleted or moved this entry meanwhile.").waitFor();
  await eventually(() => title(page).inputValue(), "Of a deleted one");
  await button(page, "Create it again as a draft").click();
  await saved(page);
  await eventually(async () => (await entry("unsaved/changed")).title, "Of a deleted one");

  await title(page).fill("Nobody wants it");
  await notSaved(page);
  await page.goto("about:blank");
  await write(world, "DELETE", "/api/entries", { id: "unsaved/changed" });
  await page.goto(`${world.app.url}/admin/entries/unsaved/changed`);
  await button(page, "Throw them away").click();
  await button(page, "Throw away").click();
  await page.getByRole("heading", { name: "There is no entry at unsaved/changed" }).waitFor();
});

flow("a lost session keeps them through a reload", async (context) => {
  await put("unsaved/session", { title: "Stored" });
  const page = await desk.open(context, "/entries/unsaved/session");
  await title(page).fill("Typed before");
  await page.context().clearCookies();
  await page.reload();
  await page.getByRole("heading", { name: "Sign in to Octavo" }).waitFor();
  await signIn(page, world);
  await found(page).waitFor();
  await eventually(() => title(page).inputValue(), "Typed before");
  await page.keyboard.press("Control+s");
  await saved(page);
});

flow("signing out asks first, and leaves none of them in the browser", async (context) => {
  for (const name of ["one", "two"]) await put(`unsaved/${name}`, { title: name });
  const page = await desk.openFresh(context, "");
  await signIn(page, world);
  await page.evaluate(saveByHand);
  await page.goto(`${world.app.url}/admin/entries/unsaved/one`);
  await title(page).fill("Typed");
  await notSaved(page);
  await page.goto(`${world.app.url}/admin/entries/unsaved/two`);
  await title(page).fill("Typed, too");
  const out = async () => {
    await page.getByRole("button", { name: /account$/ }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
  };
  await out();
  const leave = page.getByRole("dialog", { name: "Leave without saving?" });
  await leave.getByRole("button", { name: "Cancel" }).click();
  await eventually(() => title(page).inputValue(), "Typed, too");
  await out();
  await leave.getByRole("button", { name: "Discard changes" }).click();
  const others = page.getByRole("dialog", { name: "Sign out without saving?" });
  await others.getByText("unsaved/one").waitFor();
  await others.getByRole("button", { name: "Discard changes and sign out" }).click();
  await page.getByRole("heading", { name: "Sign in to Octavo" }).waitFor();
  await eventually(() => kept(page), []);
});

flow("a text that the browser cannot keep is said to be so", async (context) => {
  await put("unsaved/large", { title: "Large" });
  const page = await desk.open(context, "/entries/unsaved/large");
  await page.evaluate(() => localStorage.setItem("other", "x".repeat(5_242_000)));
  await title(page).fill("y".repeat(2000));
  await page.getByText("Not saved, and too large to be kept in this browser").waitFor();
  await page.evaluate(() => localStorage.removeItem("other"));
  await title(page).fill("Small");
  await notSaved(page);
});
