// Slow: it runs a browser.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before } from "node:test";
import type { Page } from "playwright-core";
import { eventually } from "../eventually.ts";
import { auditAll, flow, hasFocus, overflow, settle, signIn, skip, useDesk, write } from "./browser.ts";

/** The dialogs that choose an entry or a file: EntryPicker and MediaPicker. */

const desk = useDesk({ "upload-max-bytes": "3000000" });
const { world } = desk;
const picture = readFileSync(new URL("../../assets/demo/uploads/movies/solaris.jpg", import.meta.url));
const hostile = '"><img src=x onerror=alert(1)> ](javascript:alert(1)) \u202eevil';

const put = (id: string, data: object) => write(world, "POST", "/api/entries", { id, data });

async function uploadAs(folder: string, name: string, bytes: Uint8Array<ArrayBuffer> = picture): Promise<void> {
  const form = new FormData();
  for (const [key, value] of Object.entries({
    token: world.token.management,
    access_token: world.token.access,
    folder,
  }))
    form.set(key, value);
  form.set("file", new Blob([bytes]), name);
  assert.equal((await fetch(`${world.app.url}/api/files`, { method: "POST", body: form })).status, 200);
}

const describe = (path: string, field: string, value: string) =>
  write(world, "PATCH", "/api/files/meta", { path, field, value });

before(async () => {
  if (skip) return;
  await world.ready;
  await uploadAs("album", "sea.jpg");
  await uploadAs("album/inner", "hill.jpg");
  await uploadAs("album", "notes.txt", new TextEncoder().encode("plain"));
  await describe("album/sea.jpg", "title", hostile);
  await describe("album/inner/hill.jpg", "description", "Meadows above the harbour");
  await put("people/ann", { title: hostile, content: "Knows Bob." });
  await put("people/bob", { title: "Bob", visibility: "draft" });
  await put("people/bob/letters", { title: "Bobbing" });
  await put("visits/first", { title: "First", fieldset: "guest" });
  const reference = { type: "string", format: "entry" };
  for (const type of [
    { id: "person", title: "Person", paths: ["people/*"], schema: {} },
    { id: "guest", title: "Guest", schema: {} },
    {
      id: "note",
      paths: ["notes/*"],
      schema: {
        properties: {
          any: reference,
          person: { ...reference, "x-octavo-types": ["person", "guest"] },
          file: { type: "string", format: "file", "x-octavo-media": ["image"] },
        },
      },
    },
  ])
    await write(world, "PUT", "/api/types", type);
  await put("notes/one", { title: "One" });
});

const content = (page: Page) => page.getByRole("textbox", { name: "Content" });
const textOf = (page: Page) => page.locator(".cm-content .cm-line").allTextContents();

flow("a picture is chosen by keyboard alone and put into the text at the cursor", async (context) => {
  await put("pages/one", { title: "One", content: "First.\n\nLast." });
  const page = await desk.open(context, "/entries/pages/one");
  await content(page).click();
  await page.keyboard.press("Control+End");
  await page.getByRole("button", { name: "Picture" }).focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Choose a picture" });
  await dialog.getByRole("button", { name: "album" }).waitFor();
  // The dialog takes the focus a moment after it is shown.
  await hasFocus(dialog);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await dialog.getByRole("button", { name: /^sea\.jpg/ }).waitFor();
  await page.waitForFunction(() => document.activeElement?.textContent?.includes("inner"));
  await eventually(() => dialog.getByText("notes.txt").count(), 0, "only pictures are offered");
  assert.deepEqual(await auditAll(page), []);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  const words = page.getByRole("dialog", { name: "What does the picture show?" });
  await words.getByLabel("Description").waitFor();
  assert.deepEqual(await auditAll(page), []);
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector(".cm-content")?.textContent?.includes("sea.jpg"));
  const shown = hostile.replace(/[[\]\\]/g, "\\$&");
  await eventually(async () => (await textOf(page)).slice(0, 2), ["First.", ""]);
  await eventually(async () => (await textOf(page))[2], `Last.![${shown}](/project/uploads/album/sea.jpg)`);
  await eventually(() => page.evaluate(() => document.activeElement?.className.includes("cm-content")), true);
  await page.keyboard.press("Control+s");
  await page.getByText("Preview", { exact: true }).click();
  await page.waitForFunction(() => (document.querySelector(".prose img") as HTMLImageElement | null)?.naturalWidth);
  await eventually(() => page.locator(".prose img").getAttribute("alt"), hostile);
  await eventually(() => page.locator(".prose a").count(), 0);
});

flow("files are searched in all folders, and uploaded into the folder shown", async (context) => {
  await put("pages/two", { title: "Two" });
  const page = await desk.open(context, "/entries/pages/two", { viewport: { width: 360, height: 740 } });
  await page.getByRole("button", { name: "Picture" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Search names and titles").fill("HILL");
  await dialog.getByRole("button", { name: /^hill\.jpg/ }).waitFor();
  await dialog.getByText("album/inner").waitFor();
  // A word with a typo, and the middle of one.
  for (const text of ["harbuor", "rbou"]) {
    await dialog.getByLabel("Search names and titles").fill(text);
    await dialog.getByRole("button", { name: /^hill\.jpg/ }).waitFor();
    await dialog.getByRole("button", { name: /^sea\.jpg/ }).waitFor({ state: "detached" });
  }
  await dialog.getByLabel("Search names and titles").fill("nowhere");
  await dialog.getByText("Nothing found").waitFor();
  await dialog.getByLabel("Search names and titles").fill("");
  await dialog.getByRole("button", { name: "album" }).click();
  await dialog.getByRole("button", { name: "inner" }).click();
  await dialog.getByRole("button", { name: /^hill\.jpg/ }).waitFor();
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    dialog.getByRole("button", { name: "Upload" }).click(),
  ]);
  await chooser.setFiles([
    { name: "new.jpg", mimeType: "image/jpeg", buffer: picture },
    { name: "huge.jpg", mimeType: "image/jpeg", buffer: Buffer.alloc(3_500_000, picture) },
  ]);
  const uploads = dialog.getByRole("list", { name: "Uploads of this dialog" });
  await uploads.getByText("larger than the 2.9 MiB accepted").waitFor();
  await uploads.getByRole("button", { name: "Choose new.jpg" }).waitFor();
  await dialog.getByRole("list", { name: "Files" }).getByText("new.jpg").waitFor();
  assert.equal(await overflow(page), 0);
  assert.deepEqual(await auditAll(page), []);
  await uploads.getByRole("button", { name: "Choose new.jpg" }).click();
  await page.getByRole("dialog", { name: "What does the picture show?" }).getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.waitForFunction(() =>
    document.querySelector(".cm-content")?.textContent?.includes("/album/inner/new.jpg)"),
  );
});

/** Opens the dialog of a reference of the entry that is shown, by keyboard. */
async function choose(page: Page, field: string) {
  await page.getByRole("button", { name: `Choose ${field}` }).press("Enter");
  const dialog = page.getByRole("dialog", { name: "Choose an entry" });
  await dialog.getByLabel("Search titles and ids").waitFor();
  return dialog;
}

/** The id below the title of what a field refers to. */
const referred = (page: Page, field: string) =>
  page
    .getByRole("group", { name: new RegExp(`^${field}: `) })
    .locator("small")
    .textContent();

flow("an entry is chosen in the tree by keyboard alone", async (context) => {
  const page = await desk.open(context, "/entries/notes/one", { viewport: { width: 360, height: 740 } });
  const dialog = await choose(page, "any");
  await dialog.getByText("people", { exact: true }).first().waitFor();
  await hasFocus(dialog);
  for (const key of ["ArrowDown", "ArrowDown", "ArrowDown"]) await page.keyboard.press(key);
  await page.waitForFunction(() => document.activeElement?.textContent?.startsWith("people"));
  await page.keyboard.press("Enter");
  await dialog.getByText(hostile).waitFor();
  await page.waitForFunction(() => document.activeElement?.textContent?.includes("people/ann"));
  assert.deepEqual(await auditAll(page), []);
  await page.setViewportSize({ width: 360, height: 740 });
  await settle(page);
  assert.equal(await overflow(page), 0);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => document.activeElement?.textContent?.includes("people/bob/letters"));
  await page.keyboard.press("ArrowLeft");
  await page.waitForFunction(() => document.activeElement?.textContent?.includes("people/ann"));
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  await eventually(() => referred(page, "any"), "people/ann");
});

flow("a search finds titles, ids and texts, the beginnings first, and answers only the last text", async (context) => {
  const page = await desk.open(context, "/entries/notes/one");
  const dialog = await choose(page, "any");
  const field = dialog.getByLabel("Search titles and ids");
  const rows = () => dialog.getByRole("listitem").locator("small.mono").allTextContents();
  await field.fill("bob");
  await dialog.getByText("3 matches").waitFor();
  await eventually(async () => (await rows()).slice(0, 2).sort(), ["people/bob", "people/bob/letters"]);
  await eventually(async () => (await rows()).slice(2), ["people/ann"], "a text that has it comes last");
  await dialog.getByText("Person", { exact: true }).first().waitFor();
  const asked: string[] = [];
  page.on("requestfailed", (request) => asked.push(request.url()));
  let hold = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    hold = resolve;
  });
  await page.route(/[?&]q=ann/, async (route) => {
    await held;
    await route.continue().catch(() => undefined);
  });
  await field.fill("ann");
  await page.waitForRequest(/[?&]q=ann/);
  await field.fill("nobody");
  await dialog.getByText("Nothing found").waitFor();
  hold();
  assert.ok(
    asked.some((url) => /ann/.test(url)),
    "the search that is no longer needed is aborted",
  );
  await field.fill("letters");
  await dialog.getByText("1 match").waitFor();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await eventually(() => referred(page, "any"), "people/bob/letters");
});

flow("a reference that names types offers their entries alone, in the list and in the search", async (context) => {
  const page = await desk.open(context, "/entries/notes/one");
  const dialog = await choose(page, "person");
  const rows = () => dialog.getByRole("listitem").locator("small.mono").allTextContents();
  await dialog.getByText("Only entries of the type Person, Guest").waitFor();
  await dialog.getByText("people/bob", { exact: true }).waitFor();
  await eventually(rows, ["people/ann", "people/bob", "visits/first"]);
  await dialog.getByLabel("Search titles and ids").fill("bob");
  await dialog.getByText("2 matches").waitFor();
  await eventually(async () => (await rows()).sort(), ["people/ann", "people/bob"]);
  await dialog.getByText("people/bob", { exact: true }).click();
  await eventually(() => referred(page, "person"), "people/bob");
});

flow("a token for a part of the tree sees its part, and uploads only there", async (context) => {
  const { secret } = await world.issue("management", ["entries", "files", "folders"], {
    paths: ["notes", "album/inner"],
  } as never);
  const page = await desk.openFresh(context, "/entries/notes/one");
  await signIn(page, { ...world, token: { ...world.token, management: secret } });
  const dialog = await choose(page, "any");
  await dialog.getByText("notes", { exact: true }).first().waitFor();
  await eventually(() => dialog.getByText("people", { exact: true }).count(), 0);
  await dialog.getByLabel("Search titles and ids").fill("bob");
  await dialog.getByText("Nothing found").waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Choose file" }).click();
  const files = page.getByRole("dialog", { name: "Choose a picture" });
  await files.getByRole("button", { name: "inner" }).waitFor();
  // To the folder of the entry: the top is not the token's.
  await files.getByRole("button", { name: "Upload" }).waitFor();
  await files.getByRole("button", { name: "inner" }).click();
  await files.getByRole("button", { name: /^hill\.jpg/ }).waitFor();
  await files.getByRole("button", { name: "Upload" }).waitFor();
  await files.getByRole("button", { name: /^hill\.jpg/ }).click();
  await page.getByRole("group", { name: "file: hill.jpg" }).waitFor();
});
