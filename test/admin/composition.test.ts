// Slow: it runs a browser.
import assert from "node:assert/strict";
import { before } from "node:test";
import type { CDPSession, Page } from "playwright-core";
import { eventually } from "../eventually.ts";
import { flow, skip, useDesk, write } from "./browser.ts";

/** Keys that confirm or leave a candidate of an input method do nothing else, by a composition of the browser. */

const desk = useDesk();
const { world } = desk;

before(async () => {
  if (!skip) await world.ready;
});

async function upload(folder: string, name: string): Promise<void> {
  const form = new FormData();
  const fields = { token: world.token.management, access_token: world.token.access, folder };
  for (const [key, value] of Object.entries(fields)) form.set(key, value);
  form.set("file", new Blob(["A note"]), name);
  assert.equal((await fetch(`${world.app.url}/api/files`, { method: "POST", body: form })).status, 200);
}

/** An input method that shows a candidate in the field with the focus, and what it was sent. */
async function composing(
  page: Page,
): Promise<{ show(text: string): Promise<void>; press(key: string): Promise<void> }> {
  const browser: CDPSession = await page.context().newCDPSession(page);
  const codes: Record<string, number> = { Enter: 13, Escape: 27 };
  return {
    show: async (text) =>
      void (await browser.send("Input.imeSetComposition", {
        text,
        selectionStart: text.length,
        selectionEnd: text.length,
      })),
    press: async (key) => {
      const event = { key, code: key, windowsVirtualKeyCode: codes[key] as number };
      await browser.send("Input.dispatchKeyEvent", { type: "rawKeyDown", ...event });
      await browser.send("Input.dispatchKeyEvent", { type: "keyUp", ...event });
    },
  };
}

flow("Enter that confirms a candidate saves no title of a file; the next one does", async (context) => {
  await upload("composed", "note.txt");
  const page = await desk.open(context, "/files/composed?file=note.txt");
  const writes: string[] = [];
  page.on(
    "request",
    (request) => request.method() !== "GET" && /meta/.test(request.url()) && writes.push(request.url()),
  );
  const field = page.getByRole("textbox", { name: "Title", exact: true });
  await field.fill("");
  const method = await composing(page);
  await method.show("にほん");
  await method.press("Enter");
  // Something that is done after it.
  await page.keyboard.insertText("日本");
  await page.waitForFunction(() => (document.activeElement as HTMLInputElement | null)?.value === "日本");
  assert.deepEqual(writes, []);
  await field.press("Enter");
  await page.getByRole("status").filter({ hasText: "Saved" }).first().waitFor();
  assert.equal(writes.length, 1);
});

flow("Escape that leaves a candidate leaves the drawer of the file and a dialog open", async (context) => {
  await upload("composed", "other.txt");
  const page = await desk.open(context, "/files/composed?file=other.txt");
  const drawer = page.getByRole("dialog", { name: "other.txt" });
  await drawer.getByRole("textbox", { name: "Title", exact: true }).fill("");
  const method = await composing(page);
  await method.show("か");
  await method.press("Escape");
  await page.keyboard.insertText("科");
  await page.waitForFunction(() => (document.activeElement as HTMLInputElement | null)?.value === "科");
  await eventually(() => drawer.count(), 1);
  await drawer.getByRole("button", { name: "Add a field" }).click();
  const dialog = page.getByRole("dialog", { name: "New field" });
  await dialog.getByLabel("Name").click();
  await method.show("き");
  await method.press("Escape");
  await page.keyboard.insertText("木");
  await page.waitForFunction(() => (document.activeElement as HTMLInputElement | null)?.value === "木");
  await eventually(() => dialog.count(), 1);
});

flow("a text is composed in the editor as before", async (context) => {
  await write(world, "POST", "/api/entries", { id: "composed", data: { title: "Composed", content: "" } });
  const page = await desk.open(context, "/entries/composed");
  const content = page.getByRole("textbox", { name: "Content" });
  await content.click();
  const method = await composing(page);
  await method.show("に");
  await page.keyboard.insertText("日");
  await content.getByText("日").waitFor();
});
