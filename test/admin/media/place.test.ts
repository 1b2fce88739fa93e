// Slow: it runs a browser.
import assert from "node:assert/strict";
import { before } from "node:test";
import type { Page } from "playwright-core";
import { png } from "../../acceptance/media.ts";
import { eventually } from "../../eventually.ts";
import { auditAll, flow, hasFocus, overflow, read, skip, useDesk, write } from "../browser.ts";

/** Files of all folders, newest first; their folders, who made them, and what those show of which nobody has said it. */

const desk = useDesk();
const { world } = desk;
type Stored = Record<string, unknown> | undefined;
const file = (path: string) => read<Stored>(world, "/api/files", { path });

async function uploadAs(folder: string, name: string, shade: number): Promise<void> {
  const form = new FormData();
  form.set("token", world.token.management);
  form.set("access_token", world.token.access);
  form.set("folder", folder);
  form.set("file", new Blob([Uint8Array.from(png({ width: 40, height: 30, shade }))]), name);
  assert.equal((await fetch(`${world.app.url}/api/files`, { method: "POST", body: form })).status, 200);
}

before(async () => {
  if (skip) return;
  await world.ready;
  await uploadAs("old/deep", "first.png", 1);
  // The order is by whole seconds.
  const uploadedOn = async (path: string) => Number((await file(path))?.uploaded_on);
  const first = await uploadedOn("old/deep/first.png");
  await eventually(async () => {
    await uploadAs("young", "last.png", 2);
    return (await uploadedOn("young/last.png")) > first;
  }, true);
});

const names = (page: Page) => page.locator(".file-name").allTextContents();

flow("all files are listed newest first, and a file that is opened there leads back to the list", async (context) => {
  const page = await desk.open(context, "/files/old");
  await page.getByText("1 folder, 0 files").waitFor();
  await page.getByText("All files", { exact: true }).click();
  await page.waitForURL("**/files/old?show=all");
  await eventually(() => names(page), ["last.png", "first.png"]);
  await page.getByRole("link", { name: "first.png" }).getByText("old/deep").waitFor();
  if (process.env.OCTAVO_TEST_LOOK) await page.screenshot({ path: `${process.env.OCTAVO_TEST_LOOK}/all.png` });
  assert.deepEqual(await auditAll(page), []);
  await page.setViewportSize({ width: 360, height: 740 });
  await eventually(() => overflow(page), 0);
  if (process.env.OCTAVO_TEST_LOOK) await page.screenshot({ path: `${process.env.OCTAVO_TEST_LOOK}/all-360.png` });
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole("link", { name: "first.png" }).click();
  await page.getByRole("dialog", { name: "first.png" }).waitFor();
  await page.keyboard.press("Escape");
  await page.waitForURL("**/files/old?show=all");
  await page.getByRole("radio", { name: "All files" }).focus();
  await page.keyboard.press("ArrowLeft");
  await page.waitForURL("**/files/old?show=recent");
  await eventually(() => names(page), ["last.png", "first.png"]);
  await page.getByLabel("Search in this folder").fill("first");
  await eventually(() => names(page), ["first.png"]);
});

flow("files are moved to a folder that is picked by keys in the tree of folders", async (context) => {
  await uploadAs("box", "a.png", 3);
  await uploadAs("box", "b.png", 4);
  const page = await desk.open(context, "/files/box");
  await page.getByText("2 files").waitFor();
  await page.getByLabel("Select all").check();
  await page.getByRole("button", { name: "Move to…" }).click();
  const dialog = page.getByRole("dialog", { name: "Move 2 items" });
  const tree = dialog.getByRole("group", { name: "Folders" });
  await tree.getByRole("button", { name: "old", exact: true }).waitFor();
  if (process.env.OCTAVO_TEST_LOOK) await page.screenshot({ path: `${process.env.OCTAVO_TEST_LOOK}/move.png` });
  assert.deepEqual(await auditAll(page), []);
  await tree.getByRole("button", { name: "Media", exact: true }).focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await hasFocus(tree.getByRole("button", { name: "old", exact: true }));
  await page.keyboard.press("ArrowRight");
  await tree.getByRole("button", { name: "deep", exact: true }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await eventually(() => dialog.getByRole("textbox", { name: "Folder" }).inputValue(), "old/deep");
  await page.keyboard.press("ArrowLeft");
  await hasFocus(tree.getByRole("button", { name: "old", exact: true }));
  await dialog.getByRole("button", { name: "Move", exact: true }).press("Enter");
  await dialog.waitFor({ state: "detached" });
  await eventually(() => file("old/deep/a.png"), assert.ok);
  await page.goto(`${world.app.url}/admin/files/old/deep?file=b.png`);
  await page.getByRole("button", { name: "Actions for b.png" }).last().click();
  await page.getByRole("menuitem", { name: "Rename or move" }).click();
  await page
    .getByRole("dialog", { name: "Rename or move b.png" })
    .getByRole("button", { name: "young", exact: true })
    .click();
  await eventually(() => page.getByLabel("New path").inputValue(), "young/b.png");
  await page.getByRole("button", { name: "Move", exact: true }).click();
  await page.waitForURL("**/files/young?file=b.png");
  await eventually(() => file("young/b.png"), assert.ok);
});

flow("who made a file is a field of its drawer, and is gone when it is emptied", async (context) => {
  await uploadAs("made", "by.png", 5);
  const page = await desk.open(context, "/files/made?file=by.png");
  const credit = page.getByRole("textbox", { name: "Credit" });
  await credit.fill("Photo: Ada");
  await credit.press("Enter");
  await eventually(async () => (await file("made/by.png"))?.credit, "Photo: Ada");
  await page.reload();
  await eventually(() => credit.inputValue(), "Photo: Ada");
  await eventually(() => page.getByRole("textbox", { name: "Credit" }).count(), 1);
  await credit.fill("");
  await credit.press("Enter");
  await eventually(async () => "credit" in ((await file("made/by.png")) ?? {}), false);
});

flow("pictures without alt text are described at once, all or those that are selected", async (context) => {
  for (const path of ["old/deep/first.png", "young/last.png"])
    await write(world, "POST", "/api/files/meta", { path, field: "alt", value: "A dot" });
  await uploadAs("bare", "x.png", 6);
  await uploadAs("bare", "y.png", 7);
  const page = await desk.open(context, "/files/bare?show=no-alt");
  await page.getByRole("link", { name: "x.png bare" }).waitFor();
  await page.getByRole("button", { name: "Describe them…" }).click();
  const dialog = page.getByRole("dialog", { name: /^What do \d pictures show\?$/ });
  await dialog.getByLabel("y.png", { exact: true }).fill("The letter y");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("link", { name: "y.png bare" }).waitFor({ state: "detached" });
  await eventually(async () => (await file("bare/y.png"))?.alt, "The letter y");
  await page.goto(`${world.app.url}/admin/files/bare`);
  await page.getByLabel("Select x.png").check();
  await page.getByRole("button", { name: "Describe…" }).click();
  await hasFocus(page.getByRole("dialog").getByLabel("x.png"));
  await page.keyboard.type("The letter x");
  await page.keyboard.press("Enter");
  await eventually(async () => (await file("bare/x.png"))?.alt, "The letter x");
});
