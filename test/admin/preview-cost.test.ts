// Slow: it runs a browser.
import { before } from "node:test";
import type { Page } from "playwright-core";
import { flow, skip, useDesk, write } from "./browser.ts";

/** A text that takes long to be drawn, or nests very deep, hangs no tab and takes no editor away. */

const desk = useDesk();
const { world } = desk;
const texts = { hanging: "**a_".repeat(15_000), deep: "1. ".repeat(5000), quotes: "> ".repeat(8000) };

before(async () => {
  if (skip) return;
  await world.ready;
  for (const [id, content] of Object.entries({ ...texts, plain: "Some *words*" }))
    await write(world, "POST", "/api/entries", { id, data: { title: id, content } });
});

const title = (page: Page) => page.getByRole("textbox", { name: "Title" });
/** The title is still typed into, and shown above. */
async function lives(page: Page, text: string): Promise<void> {
  await title(page).fill(text);
  await page.getByRole("heading", { name: text, exact: true }).first().waitFor();
}
/** What is said, or what is shown, of any text. */
const ended = (page: Page) =>
  page.getByText("No preview of this text").or(page.locator(".prose > *")).first().waitFor();

for (const id of Object.keys(texts)) {
  flow(`the preview beside the form of a text that is ${id}`, async (context) => {
    const page = await desk.open(context, `/entries/${id}`, { viewport: { width: 1440, height: 900 } });
    await page.getByRole("button", { name: "Preview", exact: true }).click();
    await lives(page, "While it is drawn");
    await ended(page);
    await lives(page, "After it was drawn");
  });

  flow(`the preview in the editor of a text that is ${id}`, async (context) => {
    const page = await desk.open(context, `/entries/${id}`, { viewport: { width: 1440, height: 900 } });
    await page.getByRole("textbox", { name: "Content" }).waitFor();
    await page.getByText("Both", { exact: true }).click();
    await lives(page, "While it is drawn");
    await ended(page);
    await lives(page, "After it was drawn");
  });
}

flow("after such a text the next one is drawn", async (context) => {
  const page = await desk.open(context, "/entries/plain", { viewport: { width: 1440, height: 900 } });
  const content = page.getByRole("textbox", { name: "Content" });
  await content.click();
  await page.getByText("Both", { exact: true }).click();
  await page.locator(".prose em").getByText("words").waitFor();
  await content.click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(texts.deep);
  await page.getByText("No preview of this text").waitFor();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText("**Short**");
  await page.locator(".prose strong").getByText("Short").waitFor();
});
