// Slow: it runs a browser.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import type { Locator, Page } from "playwright-core";
import { eventually } from "../eventually.ts";
import { flow, hasPicture, read, skip, useDesk, write } from "./browser.ts";

/** Files dragged from the desktop, by a drag of the browser: it drops only where the page says so during the drag. */

const desk = useDesk();
const { world } = desk;
const desktop = mkdtempSync(join(tmpdir(), "octavo-desktop-"));
after(() => rmSync(desktop, { recursive: true }));
const put = (id: string, data: object) => write(world, "POST", "/api/entries", { id, data });

before(async () => {
  if (skip) return;
  await world.ready;
  const schema = {
    type: "object",
    properties: {
      text: { type: "string", title: "Text", contentMediaType: "text/markdown" },
      note: { type: "string", title: "Note", format: "file" },
      data: { title: "Data" },
    },
  };
  const admin = await world.issue("management", ["admin"]);
  const body = { id: "dragged", title: "Dragged", paths: ["dragged/*"], schema };
  await world.send("PUT", "/api/types", { body: { ...body, token: admin.secret, access_token: world.token.access } });
});

/** Drags a file from outside of the browser to the middle of a place, and lets it go there. */
async function drag(
  page: Page,
  to: Locator,
  name: string,
  bytes: string | Buffer = `A note of ${name}`,
): Promise<void> {
  const path = join(desktop, name);
  writeFileSync(path, bytes);
  await to.scrollIntoViewIfNeeded();
  const box = await to.boundingBox();
  assert.ok(box);
  const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const browser = await page.context().newCDPSession(page);
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "dragOver", "drop"] as const)
    await browser.send("Input.dispatchDragEvent", { type, ...at, data });
}

const content = (page: Page, name = "Content") => page.getByRole("textbox", { name, exact: true });

flow("a file dragged onto a text is uploaded there", async (context) => {
  await put("plain", { title: "Plain", content: "Before" });
  const page = await desk.open(context, "/entries/plain");
  await content(page).waitFor();
  await drag(page, content(page), "one.txt");
  await content(page).getByRole("link", { name: "one.txt" }).waitFor();
  await page.getByText("Not saved", { exact: true }).waitFor();
});

flow("a picture dragged onto a word stands beside it, and is asked for its words", async (context) => {
  const word = "long".repeat(15);
  await put("word", { title: "Word", content: `${word} end` });
  const page = await desk.open(context, "/entries/word");
  await content(page).waitFor();
  const picture = readFileSync(new URL("../../assets/demo/uploads/movies/solaris.jpg", import.meta.url));
  await drag(page, content(page).locator(".cm-line"), "sea.jpg", picture);
  const dialog = page.getByRole("dialog", { name: "What does the picture show?" });
  await dialog.getByLabel("Description").fill("A sea");
  await page.keyboard.press("Enter");
  await hasPicture(content(page), "A sea");
  await dialog.waitFor({ state: "detached" });
  await page.keyboard.press("Control+s");
  await page.getByText("Saved", { exact: true }).waitFor();
  const stored = () => read<{ content: string }>(world, "/api/entries/staged", { id: "word" });
  const mark = "![A sea](/project/uploads/word/sea.jpg)";
  await eventually(async () => [`${word} ${mark} end`, `${mark} ${word} end`].includes((await stored()).content), true);
});

flow("a file dragged onto a cell of a table is linked in it, also where its row is too short", async (context) => {
  await put("cells", { title: "Cells", content: "| a | b |\n| - | - |\n| c |\n| d | e |" });
  const page = await desk.open(context, "/entries/cells");
  const cells = content(page).locator(".cm-table td");
  await drag(page, cells.nth(3), "last.txt");
  await cells.nth(3).getByText("last.txt").waitFor();
  await drag(page, cells.nth(1), "short.txt");
  await cells.nth(1).getByText("short.txt").waitFor();
  await page.keyboard.press("Control+s");
  const link = (name: string) => `[${name}](/project/uploads/cells/${name})`;
  const stored = async () => (await read<{ content: string }>(world, "/api/entries/staged", { id: "cells" })).content;
  await eventually(stored, `| a | b |\n| - | - |\n| c | ${link("short.txt")} |\n| d | e ${link("last.txt")} |`);
});

flow("files dragged onto the text, a field of a file and the dialog of a type's form are uploaded", async (context) => {
  await put("dragged/one", { title: "One", text: "" });
  const page = await desk.open(context, "/entries/dragged/one");
  await content(page, "Text").waitFor();
  await drag(page, content(page, "Text"), "text.txt");
  await content(page, "Text").getByRole("link", { name: "text.txt" }).waitFor();

  await drag(page, page.locator('[data-pointer="/note"] .typed-drop'), "note.txt");
  await page.getByRole("group", { name: "Note: note.txt" }).waitFor();

  await page.getByRole("button", { name: "Replace" }).click();
  const dialog = page.getByRole("dialog", { name: "Choose a file" });
  await dialog.getByRole("button", { name: "Upload" }).waitFor();
  await drag(page, dialog.locator(".drop"), "dialog.txt");
  await dialog.getByText("dialog.txt").first().waitFor();
});

flow("a file dragged onto Media is uploaded; beside a place for it nothing happens", async (context) => {
  const page = await desk.open(context, "/files/dragging");
  await page.locator(".drop").waitFor();
  await drag(page, page.locator(".drop"), "media.txt");
  await page.locator(".drop").getByText("media.txt").first().waitFor();
  await drag(page, page.getByRole("navigation", { name: "Main" }), "beside.txt");
  await page.locator(".drop").getByText("media.txt").first().waitFor();
  await eventually(() => page.getByText("beside.txt").count(), 0);
  assert.match(page.url(), /\/files\/dragging$/);
});
