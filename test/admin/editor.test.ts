// Slow: it runs a browser.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before } from "node:test";
import type { Page } from "playwright-core";
import { eventually } from "../eventually.ts";
import { flow, hasFocus, hasPicture, read, skip, useDesk, write } from "./browser.ts";
import { paste } from "./paste.ts";

/** The form of an entry: shortcuts, fields, files dropped on its text. */

const desk = useDesk();
const { world } = desk;
type Fields = Record<string, unknown>;
const entry = (id: string) => read<Fields>(world, "/api/entries/staged", { id });
const put = (id: string, data: object) => write(world, "POST", "/api/entries", { id, data });
const picture = readFileSync(new URL("../../assets/demo/uploads/movies/solaris.jpg", import.meta.url)).toString(
  "base64",
);

before(async () => {
  if (!skip) await world.ready;
});

const contentOf = (page: Page) => page.getByRole("textbox", { name: "Content" });

/** The text in the editor, without the last line break. */
const textOf = (page: Page) =>
  contentOf(page).evaluate((content) =>
    [...content.querySelectorAll(".cm-line")].map((line) => line.textContent).join("\n"),
  );

const save = async (page: Page) => {
  await page.keyboard.press("Control+s");
  await page.getByText("Saved", { exact: true }).waitFor();
};

flow("Ctrl B, I and K format the selection, and Ctrl K opens the finder elsewhere", async (context) => {
  await put("keys/one", { title: "Keys", content: "one two", note: "n" });
  const page = await desk.open(context, "/entries/keys/one");
  const finder = page.getByRole("dialog").getByLabel("What to find");
  const finds = async (where: () => Promise<void>) => {
    await where();
    await page.keyboard.press("Control+k");
    await hasFocus(finder);
    await page.keyboard.press("Escape");
    await finder.waitFor({ state: "detached" });
  };
  await contentOf(page).click();
  await page.keyboard.press("Control+End");
  for (const [keys, text] of [
    ["Control+Shift+ArrowLeft", "one two"],
    ["Control+b", "one **two**"],
    ["Control+i", "one ***two***"],
    ["Control+b", "one *two*"],
    ["Control+i", "one two"],
  ] as const) {
    await page.keyboard.press(keys);
    await eventually(() => textOf(page), text, keys);
  }
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog", { name: "Link to" }).getByRole("textbox").fill("example.org/two");
  await page.getByRole("button", { name: "https://example.org/two" }).waitFor();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement?.className.includes("cm-content"));
  await eventually(() => textOf(page), "one [two](https://example.org/two)");
  await finds(() => page.keyboard.press("End"));
  await eventually(() => textOf(page), "one [two](https://example.org/two)");
  await finds(() => page.getByRole("textbox", { name: "Title" }).focus());
  await finds(() => page.getByLabel("note", { exact: true }).focus());
  await page.getByText("JSON", { exact: true }).click();
  await finds(() => page.getByRole("textbox", { name: "Fields as JSON" }).click());
});

flow("the menu of a field of any kind opens with Enter and is navigated with the arrow keys", async (context) => {
  await put("keys/menu", { text: "hello", number: 5, switch: true, list: ["a"], json: [1] });
  const page = await desk.open(context, "/entries/keys/menu");
  for (const name of ["text", "number", "switch", "list", "json"]) {
    const button = page.getByRole("button", { name: `Options of ${name}` });
    await button.focus();
    await page.keyboard.press("Enter");
    await page.locator("[role=menuitem]:focus").waitFor();
    await page.keyboard.press("End");
    await page.locator("[role=menuitem]:focus", { hasText: "Remove the field" }).waitFor();
    await page.keyboard.press("Escape");
    await page.waitForFunction((label) => document.activeElement?.ariaLabel === label, `Options of ${name}`);
  }
});

flow("changing the kind of a field keeps its value, or is not offered", async (context) => {
  await put("kinds/one", { word: "hello", list: ["a", "b"], long: 1, spaced: "a,b", map: { a: 1 } });
  const exact = `{"id":"kinds/one","data":{"long":12345678901234567890.10},"token":"${world.token.management}","access_token":"${world.token.access}"}`;
  await world.send("PATCH", "/api/entries", { body: exact, headers: { "Content-Type": "application/json" } });
  const page = await desk.open(context, "/entries/kinds/one");
  const change = async (name: string, kind: string) => {
    await page.getByRole("button", { name: `Options of ${name}` }).click();
    await page.getByRole("menuitem", { name: kind, exact: true }).click();
    await page.getByRole("menu").waitFor({ state: "detached" });
  };
  await page.getByRole("button", { name: "Options of word" }).click();
  for (const kind of ["Number", "Yes or no", "JSON"])
    await eventually(() => page.getByRole("menuitem", { name: kind }).isDisabled(), true, kind);
  await hasFocus(page.getByRole("menu"));
  await page.keyboard.press("Escape");
  await page.getByRole("menu").waitFor({ state: "detached" });
  await change("list", "Text");
  await eventually(() => page.getByLabel("list", { exact: true }).inputValue(), "a, b");
  await change("long", "Text");
  await eventually(() => page.getByLabel("long", { exact: true }).inputValue(), "12345678901234567890.10");
  await change("spaced", "List of texts");
  await change("map", "Text");
  await save(page);
  await eventually(async () => {
    const saved = await entry("kinds/one");
    assert.deepEqual([saved.list, saved.spaced, saved.map], ["a, b", ["a", "b"], '{"a":1}']);
  });
  await change("list", "List of texts");
  await change("long", "Number");
  await change("spaced", "Text");
  await change("map", "JSON");
  await save(page);
  const back = await world.send("GET", "/api/entries/staged", {
    query: { id: "kinds/one", token: world.token.management },
  });
  assert.match(back.text, /"long":12345678901234567890\.10[,}]/);
  await eventually(async () => {
    const { list, spaced, map, word } = await entry("kinds/one");
    assert.deepEqual([list, spaced, map, word], [["a", "b"], "a,b", { a: 1 }, "hello"]);
  });
});

flow("Undo restores a removed field at its position", async (context) => {
  await put("fields/undo", { title: "Undo", first: "1", second: "2", third: "3" });
  const page = await desk.open(context, "/entries/fields/undo");
  const names = () => page.locator(".field .field-name").allTextContents();
  await page.getByRole("button", { name: "Options of second" }).click();
  await page.getByRole("menuitem", { name: "Remove the field" }).click();
  await page.getByText("Removed second").waitFor();
  await eventually(names, ["first", "third"]);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  await eventually(names, ["first", "second", "third"]);
  await eventually(() => page.getByLabel("second", { exact: true }).inputValue(), "2");
  await page.getByRole("button", { name: "Options of second" }).click();
  await page.getByRole("menuitem", { name: "Remove the field" }).click();
  await page.getByText("Removed second").waitFor();
  await save(page);
  await eventually(async () => !("second" in (await entry("fields/undo"))), true);
});

/** Drops or pastes files on the text, as a user does. */
async function give(page: Page, type: "drop" | "paste", files: { name: string; type: string; base64: string }[]) {
  await contentOf(page).evaluate(
    async (content, [type, files]) => {
      const data = new DataTransfer();
      for (const { name, type, base64 } of files) {
        const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
        data.items.add(new File([bytes], name, { type }));
      }
      const { left, top, height } = (content.querySelector(".cm-line") as Element).getBoundingClientRect();
      const shared = { bubbles: true, cancelable: true };
      const at = { clientX: left + 1, clientY: top + height / 2 };
      const event =
        type === "drop"
          ? new DragEvent("drop", { ...shared, ...at, dataTransfer: data })
          : new ClipboardEvent("paste", { ...shared, clipboardData: data });
      content.dispatchEvent(event);
    },
    [type, files] as const,
  );
}

/** Uploads wait until the result is called. */
async function holdUploads(page: Page): Promise<() => Promise<void>> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route("**/api/files", async (route) => {
    await promise;
    await route.continue();
  });
  return async () => {
    resolve();
    await page.unrouteAll({ behavior: "wait" });
  };
}

const pasteHtml = (page: Page, html: string) => paste(contentOf(page), html, "the plain text");

flow("an image dropped or pasted into the text is uploaded and linked", async (context) => {
  await put("attach/here", { title: "Attach", content: "Text" });
  const page = await desk.open(context, "/entries/attach/here");
  await contentOf(page).click();
  await give(page, "drop", [
    { name: "sea.jpg", type: "image/jpeg", base64: picture },
    { name: "notes.txt", type: "text/plain", base64: btoa("Notes") },
  ]);
  const content = contentOf(page);
  // Not by its name, which says nothing to who does not see it.
  const words = page.getByRole("dialog", { name: "What does the picture show?" }).getByLabel("Description");
  await eventually(() => words.inputValue(), "");
  await words.fill("The sea");
  await page.keyboard.press("Enter");
  await hasPicture(content, "The sea");
  await content.getByRole("link", { name: "notes.txt" }).waitFor();
  await hasFocus(content);
  await page.keyboard.press("Control+End");
  await page.getByText("Preview", { exact: true }).click();
  await page.locator(".prose img").waitFor();
  await page.waitForFunction(() => (document.querySelector(".prose img") as HTMLImageElement).naturalWidth === 1600);
  await page.getByText("Write", { exact: true }).click();
  await content.click();
  await page.keyboard.press("Control+End");
  // At the position of the drop, even if the user types meanwhile or looks at the preview.
  const release = await holdUploads(page);
  await give(page, "paste", [{ name: "image.jpg", type: "image/jpeg", base64: picture }]);
  await content.getByText("Uploading image.jpg").waitFor();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("Before ");
  await page.getByText("Preview", { exact: true }).click();
  await release();
  await words.waitFor();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelectorAll(".prose img").length === 2);
  await page.getByText("Write", { exact: true }).click();
  await save(page);
  await eventually(
    async () => (await entry("attach/here")).content,
    "Before ![The sea](/project/uploads/attach/here/sea.jpg)\n" +
      "[notes.txt](/project/uploads/attach/here/notes.txt) Text ![](/project/uploads/attach/here/image.jpg)",
  );
});

flow("pictures that a pasted text holds are uploaded to their places, and others are told", async (context) => {
  await put("attach/pasted", { title: "Pasted", content: "Text" });
  const page = await desk.open(context, "/entries/attach/pasted");
  await contentOf(page).click();
  await page.keyboard.press("Control+End");
  const held = `data:image/jpeg;base64,${picture}`;
  await pasteHtml(
    page,
    `<p>One <img src="${held}" alt="A [sea]"></p><p>Two <b>words</b></p><p><img src="${held}"></p>`,
  );
  const words = page.getByRole("dialog", { name: "What does the picture show?" }).getByLabel("Description");
  await words.fill("Waves");
  await page.keyboard.press("Enter");
  await hasPicture(contentOf(page), "Waves");
  // The text goes on behind the picture.
  await hasFocus(contentOf(page));
  await pasteHtml(page, '<p><b>Last</b> <img src="file:///C:/one.png"></p>');
  await page.getByText("Pictures are missing in the pasted text").waitFor();
  await contentOf(page).getByText("Last").waitFor();
  await save(page);
  // Whichever of the two is uploaded first has the name without a number.
  const inOrder = (one: string, two: string) =>
    `Text\n\nOne ![A \\[sea\\]](/project/uploads/attach/pasted/${one}.jpg)\n\nTwo **words**\n\n` +
    `![Waves](/project/uploads/attach/pasted/${two}.jpg)**Last**`;
  const either = [inOrder("picture", "picture-1"), inOrder("picture-1", "picture")];
  await eventually(
    async () => (await entry("attach/pasted")).content,
    (content) => assert.ok(either.includes(String(content)), String(content)),
  );
});

flow("the place of an upload goes and comes back with the text around it", async (context) => {
  await put("attach/again", { title: "Again", content: "Text" });
  const page = await desk.open(context, "/entries/attach/again");
  const content = contentOf(page);
  await content.click();
  await page.keyboard.press("Control+End");
  const pasted = (name: string) =>
    pasteHtml(page, `<p>Before <img src="data:image/jpeg;base64,${picture}" alt="${name}"> after ${name}.</p>`);
  const waiting = content.getByText("Uploading picture.jpg");
  const undo = async (name: string) => {
    await page.keyboard.press("Control+z");
    await content.getByText(`after ${name}.`).waitFor({ state: "detached" });
    await waiting.waitFor({ state: "detached" });
  };
  // Before the upload ends, and after it.
  const releaseFirst = await holdUploads(page);
  await pasted("one");
  await waiting.waitFor();
  await undo("one");
  await page.keyboard.press("Control+y");
  await waiting.waitFor();
  await releaseFirst();
  await hasPicture(content, "one");
  const releaseSecond = await holdUploads(page);
  await pasted("two");
  await waiting.waitFor();
  await undo("two");
  const ended = page.waitForResponse("**/api/files");
  await releaseSecond();
  await ended;
  await page.keyboard.press("Control+y");
  await hasPicture(content, "two");
  await save(page);
  await eventually(
    async () => (await entry("attach/again")).content,
    /^TextBefore !\[one\]\(\S+\) after one\.Before !\[two\]\(\S+\) after two\.$/,
  );
});

flow("a failed upload does not change the text, nor does a file on a text without uploads", async (context) => {
  await put("attach/none", { title: "None", content: "Text" });
  const page = await desk.open(context, "/entries/attach/none");
  await contentOf(page).click();
  await give(page, "drop", [{ name: "bad.exe", type: "application/x-msdownload", base64: btoa("MZ bytes") }]);
  await contentOf(page).getByText("bad.exe was not uploaded").waitFor();
  const tray = page.getByRole("region", { name: "Uploads" });
  await tray.getByText("Uploads, 1 failed").waitFor();
  await page.getByText("Saved", { exact: true }).waitFor();
  await tray.getByRole("button", { name: "Clear" }).click();
  await contentOf(page).getByText("bad.exe").waitFor({ state: "detached" });
  await page.getByText("JSON", { exact: true }).click();
  const json = page.getByRole("textbox", { name: "Fields as JSON" });
  await json.evaluate(async (content) => {
    const dataTransfer = new DataTransfer();
    const file = new File(["bytes of a file"], "a.txt", { type: "text/plain" });
    dataTransfer.items.add(file);
    content.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer }));
    // A reader that began after the editor's ends after it.
    const reader = new FileReader();
    const read = new Promise((resolve) => reader.addEventListener("load", resolve));
    reader.readAsText(file);
    await read;
  });
  await eventually(async () => !(await json.textContent())?.includes("bytes of a file"), true);
});
