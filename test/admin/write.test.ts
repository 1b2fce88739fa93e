// Slow: it runs a browser.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before } from "node:test";
import type { Page } from "playwright-core";
import { eventually } from "../eventually.ts";
import {
  auditAll,
  canType,
  flow,
  hasFocus,
  overflow,
  read,
  settle,
  showSource,
  skip,
  useDesk,
  write,
} from "./browser.ts";
import { countClicks } from "./clicks.ts";
import { clicksOf } from "./flows.ts";
import { paste } from "./paste.ts";

/** What an editor does all day, with the clicks that it takes. docs/admin.md, Clicks. */

const desk = useDesk();
const { world } = desk;
type Fields = Record<string, unknown>;
const entry = (id: string) => read<Fields>(world, "/api/entries/staged", { id });
const put = (id: string, data: object) => write(world, "POST", "/api/entries", { id, data });

const picture = readFileSync(new URL("../../assets/demo/uploads/movies/solaris.jpg", import.meta.url));

async function upload(folder: string, name: string): Promise<void> {
  const form = new FormData();
  const fields = { token: world.token.management, access_token: world.token.access, folder };
  for (const [key, value] of Object.entries(fields)) form.set(key, value);
  form.set("file", new Blob([picture]), name);
  assert.equal((await fetch(`${world.app.url}/api/files`, { method: "POST", body: form })).status, 200);
}

const text = (title: string, more: object = {}) => ({ type: "string", title, ...more });
const types = [
  {
    id: "article",
    title: "Article",
    paths: ["articles/*", "news/*"],
    schema: {
      type: "object",
      required: ["title"],
      properties: {
        title: text("Title"),
        text: text("Text", { contentMediaType: "text/markdown" }),
        cover: text("Cover", { format: "file", "x-octavo-media": ["image/*"] }),
        author: text("Author", { format: "entry", "x-octavo-types": ["person"] }),
      },
    },
  },
  {
    id: "person",
    title: "Person",
    paths: ["people/*"],
    schema: {
      type: "object",
      properties: { title: text("Name"), photo: text("Photo", { format: "file" }) },
    },
  },
  { id: "home", title: "Home page", paths: ["home"], schema: { type: "object", properties: { title: text("Title") } } },
];

before(async () => {
  if (skip) return;
  await world.ready;
  await upload("album", "solaris.jpg");
  const admin = await world.issue("management", ["admin", "entries"]);
  for (const type of types) {
    const body = { ...type, token: admin.secret, access_token: world.token.access };
    assert.equal((await world.send("PUT", "/api/types", { body })).status, 200);
  }
});

flow("an article is made without knowing a path: its type, its title", async (context) => {
  const page = await desk.open(context, "/entries");
  const clicks = await countClicks(page);
  const dialog = page.getByRole("dialog", { name: "New entry" });
  const id = dialog.getByLabel("Id");
  await page.getByRole("button", { name: "New entry" }).click();
  await dialog.getByText("Article", { exact: true }).click();
  await canType(page);
  await page.keyboard.type("Größe & Maß");
  await eventually(() => id.inputValue(), "articles/groesse-mass");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Größe & Maß" }).waitFor();
  await eventually(clicks, clicksOf("Make an article: `New`, its type, the title, `Enter`"));
  await eventually(
    () => entry("articles/groesse-mass"),
    (seen) => assert.partialDeepStrictEqual(seen, { title: "Größe & Maß", visibility: "draft" }),
  );

  // What the type has, and nothing else; what the service keeps is folded away.
  await page.getByText("Not on the site yet").waitFor();
  const fields = page.getByRole("region", { name: "Fields of Article" });
  for (const name of ["title", "text", "cover", "author"]) await fields.locator(`[data-pointer="/${name}"]`).waitFor();
  await eventually(() => page.getByRole("textbox", { name: "Content" }).count(), 0);
  for (const hidden of ["Published by", "Created by", "Has a page of its own"])
    await eventually(async () => !(await page.getByLabel(hidden).isVisible()), true, hidden);
  await page.getByText("Advanced", { exact: true }).click();
  await page.getByLabel("Created by").waitFor();
  assert.deepEqual(await auditAll(page), []);

  // A second one of that title, beside the first: the type is known, and a taken id becomes a free one.
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole("button", { name: "New entry" }).click();
  await canType(page);
  await page.keyboard.type("Größe & Maß");
  await page.getByLabel("Place").selectOption("news");
  await eventually(() => id.inputValue(), "news/groesse-mass");
  await page.getByLabel("Place").selectOption("articles");
  assert.deepEqual(await auditAll(page), []);
  await dialog.getByLabel("Title").press("Enter");
  await dialog.waitFor({ state: "detached" });
  await eventually(async () => (await entry("articles/groesse-mass-2")).title, "Größe & Maß");

  // An id of another type is refused while it is typed; a type with one entry has its id.
  await page.setViewportSize({ width: 360, height: 800 });
  await page.getByRole("button", { name: "New entry" }).click();
  await dialog.getByText("Person", { exact: true }).click();
  await canType(page);
  await page.keyboard.type("Ada");
  await id.fill("elsewhere/ada");
  await dialog.getByText("An id of the type Person is like people/*").waitFor();
  await eventually(() => dialog.getByRole("button", { name: "Create" }).isDisabled(), true);
  await dialog.getByText("Home page", { exact: true }).click();
  await eventually(() => id.inputValue(), "home");
  await settle(page);
  assert.equal(await overflow(page), 0);
});

const contentOf = (page: Page) => page.getByRole("textbox", { name: "Content" });

const textOf = (page: Page) =>
  contentOf(page).evaluate((content) =>
    [...content.querySelectorAll(".cm-line")].map((line) => line.textContent).join("\n"),
  );

const fixture = (name: string) => readFileSync(new URL(`clipboard/${name}`, import.meta.url), "utf8");
const plain = "the plain text";

flow("what is pasted from Word, Google Docs or a page is Markdown, without scripts", async (context) => {
  await put("texts/pasted", { title: "Pasted" });
  const page = await desk.open(context, "/entries/texts/pasted");
  await showSource(page);
  const clicks = await countClicks(page);
  await contentOf(page).click();
  const pasted = async (html: string, text: string) => {
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Delete");
    await paste(contentOf(page), html, plain);
    await page.waitForFunction(() => document.querySelector(".cm-content")?.textContent?.trim());
    await eventually(() => textOf(page), text);
  };
  for (const name of ["word", "docs", "page"])
    await pasted(fixture(`${name}.html.txt`), fixture(`${name}.md`).trimEnd());
  const [box, note] = [(is: string) => `<img src="data:image/png;base64,AA" alt="${is}">`, "[1]</a>"];
  await pasted(
    `<ul><li role="checkbox" aria-checked="true">${box("checked")}<p><span>Pack</span></p></li>` +
      `<li role="checkbox" aria-checked="false">${box("unchecked")}<p><span>Go</span></p></li></ul>` +
      `<p>Sea<sup><a href="#ftnt1" id="ftnt_ref1">${note}</sup> and <a href="#h.2">there</a></p><hr>` +
      `<div><p><a href="#ftnt_ref1" id="ftnt1">${note}<span>&nbsp;Deep</span></p></div>`,
    "- [x] Pack\n- [ ] Go\n\nSea[^1] and there\n\n---\n\n[^1]: Deep",
  );
  await pasted(
    '<ul><li><input type="checkbox" checked disabled> Done</li><li><input type="checkbox"> Open</li></ul>',
    "- [x] Done\n- [ ] Open",
  );
  await eventually(clicks, clicksOf("Paste a text of Word or Google Docs"));
  await pasted(
    "<p><b>Not</b> ~~struck~~ ~nor~ this, ~5 or <s>old</s></p><ul><li>a<pre><code>1\n\n\n2</code></pre></li></ul>",
    "**Not** \\~\\~struck\\~\\~ \\~nor\\~ this, \\~5 or ~~old~~\n\n- a\n\n  ```\n  1\n\n\n  2\n  ```",
  );
  // What has no form of its own, or is code, is pasted as it is.
  await pasted('<meta charset="utf-8"><span style="color:red">the plain text</span>', plain);
  await pasted(
    '<div style="color:#000;font-family:Menlo, Monaco, monospace;font-size:12px;white-space:pre;"><div><b>let</b> a</div></div>',
    plain,
  );
  await pasted("", plain);

  // Blocks stand apart from what is around them; an address on a selection is its link.
  await page.keyboard.press("Home");
  for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowRight");
  await paste(contentOf(page), "<ul><li>a</li><li>b</li></ul>", "a b");
  await page.waitForFunction(() => document.querySelector(".cm-content")?.textContent?.includes("- b"));
  await eventually(() => textOf(page), "the\n\n- a\n- b\n\n plain text");
  await page.keyboard.press("Control+End");
  await page.keyboard.press("Control+Shift+ArrowLeft");
  await paste(contentOf(page), "", "https://example.org/a");
  await eventually(async () => (await textOf(page)).endsWith("plain [text](https://example.org/a)"), assert.ok);
  await page.getByRole("button", { name: "Step back" }).click();
  await eventually(async () => (await textOf(page)).endsWith("plain text"), true);
  await page.getByRole("button", { name: "Step forward" }).click();
  await eventually(async () => (await textOf(page)).endsWith("(https://example.org/a)"), assert.ok);
});

flow(
  "a link is found among entries and files, or is an address; tables, lists and headings by buttons",
  async (context) => {
    await put("blog/first steps", { title: "First [steps]" });
    await put("texts/linked", { title: "Linked", content: "See this." });
    const page = await desk.open(context, "/entries/texts/linked");
    await showSource(page);
    const dialog = page.getByRole("dialog", { name: "Link to" });
    const clicks = await countClicks(page);
    await contentOf(page).click();
    await page.keyboard.press("Control+End");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Control+Shift+ArrowLeft");
    await page.getByRole("button", { name: "Link", exact: true }).click();
    await dialog.getByRole("textbox").fill("first");
    await dialog.getByRole("button", { name: /First \[steps\]/ }).click();
    await dialog.waitFor({ state: "detached" });
    await eventually(() => textOf(page), "See [this](/blog/first%20steps).");
    await eventually(clicks, clicksOf("Link selected words to an entry"));

    // Without a selection: the words of the target. By keys alone, and a file.
    await page.keyboard.press("Control+End");
    await page.keyboard.type(" ");
    await page.getByRole("button", { name: "Link", exact: true }).press("Enter");
    await dialog.getByRole("textbox").fill("solaris");
    await dialog.getByRole("list", { name: "Files" }).getByRole("button").first().waitFor();
    assert.deepEqual(await auditAll(page), []);
    await page.setViewportSize({ width: 1280, height: 800 });
    await dialog.getByRole("list", { name: "Files" }).getByRole("button").first().press("Enter");
    await eventually(
      async () => (await textOf(page)).endsWith(". [solaris](/project/uploads/album/solaris.jpg)"),
      assert.ok,
    );
    await page.keyboard.press("Control+s");
    await page.getByText("Preview", { exact: true }).click();
    const shown = page.locator(".prose").getByRole("link", { name: "this" });
    await eventually(() => shown.getAttribute("href"), "/admin/entries/blog/first%20steps");

    await showSource(page);
    await contentOf(page).click();
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Delete");
    await page.getByRole("button", { name: "Table", exact: true }).click();
    await page.getByRole("menuitem", { name: "Insert a table" }).click();
    await canType(page);
    await page.keyboard.type("Day");
    for (const item of ["Add a row below", "Add a column after"]) {
      await page.getByRole("button", { name: "Table", exact: true }).click();
      await page.getByRole("menuitem", { name: item }).click();
      await canType(page);
      await page.keyboard.type(item.slice(6, 9));
    }
    await eventually(
      async () => (await textOf(page)).split("\n"),
      ["| Day |  |  |", "| --- | --- | --- |", "| row | col |  |", "|  |  |  |"],
    );

    await page.keyboard.press("Control+End");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await page.keyboard.type("- one");
    await page.keyboard.press("Enter");
    await page.keyboard.type("two");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await page.keyboard.type("Title");
    await page.getByRole("button", { name: "Heading" }).click();
    await eventually(async () => (await textOf(page)).endsWith("- one\n- two\n\n## Title"), true, await textOf(page));
    await page.getByText("6 words").waitFor();

    await page.getByRole("button", { name: "Full screen" }).click();
    await settle(page);
    await eventually(async () => {
      const box = await page.locator(".markdown-field").boundingBox();
      assert.deepEqual([box?.width, box?.height], [1280, 800]);
    });
    assert.deepEqual(await auditAll(page), []);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Full screen" }).waitFor();
    await settle(page);
    assert.equal(await overflow(page), 0);
  },
);

flow(
  "what is typed is saved by itself: a working copy of what is live, never published, never a conflict",
  async (context) => {
    await put("auto/live", { title: "Live", content: "One." });
    const page = await desk.open(context, "/entries/auto/live");
    const clicks = await countClicks(page);
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitemcheckbox", { name: "Save automatically" }).click();
    await contentOf(page).click();
    await page.keyboard.press("Control+End");
    // What is typed while the first save is under way is saved by the next one.
    const held = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    await page.route("**/api/entries/staged**", async (route) => {
      if (route.request().method() !== "PATCH") return route.continue();
      asked.resolve();
      await held.promise;
      return route.continue();
    });
    await page.keyboard.type(" Two.");
    await asked.promise;
    await page.keyboard.type(" Three.");
    held.resolve();
    await page.getByText("Saved just now").waitFor();
    await eventually(async () => (await entry("auto/live")).content, "One. Two. Three.");
    const live = await read<Fields>(world, "/api/entries", { id: "auto/live" });
    assert.equal(live.content, "One.");
    await eventually(clicks, clicksOf("Turn automatic saving on, and write"));
  },
);

flow(
  "a conflict stops automatic saving; the setting holds for other entries, and a draft stays one",
  async (context) => {
    await put("auto/both", { title: "Both", content: "One." });
    await put("auto/draft", { title: "Draft", visibility: "draft" });
    const page = await desk.open(context, "/entries/auto/both");
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitemcheckbox", { name: "Save automatically" }).click();
    await write(world, "PATCH", "/api/entries/staged", { id: "auto/both", data: { content: "Theirs." } });
    await contentOf(page).fill("Mine.");
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Theirs.").first().waitFor();
    await page.getByText("Not saved: automatic saving waits for you").waitFor();
    await eventually(async () => (await entry("auto/both")).content, "Theirs.");
    await dialog.getByRole("button", { name: "Take theirs" }).click();

    // The setting is the person's: it holds for the next entry, which stays a draft.
    await page.goto(`${world.app.url}/admin/entries/auto/draft`);
    await page.getByRole("textbox", { name: "Title" }).fill("A draft");
    await page.getByText("Saved just now").waitFor();
    await eventually(
      () => entry("auto/draft"),
      (seen) => assert.partialDeepStrictEqual(seen, { title: "A draft", visibility: "draft" }),
    );
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitemcheckbox", { name: "Save automatically", checked: true }).click();
  },
);

/** What lies over a button, a link or a field on the page. */
const coveredBy = (page: Page, name: string) =>
  page.getByRole("region", { name }).evaluate((region) => {
    const own = region.getBoundingClientRect();
    /** Without what a box around it that scrolls does not show. */
    const shownOf = (element: Element) => {
      let { left, right, top, bottom } = element.getBoundingClientRect();
      for (let box = element.parentElement; box; box = box.parentElement) {
        if (getComputedStyle(box).overflowY === "visible") continue;
        const around = box.getBoundingClientRect();
        [top, bottom] = [Math.max(top, around.top), Math.min(bottom, around.bottom)];
        [left, right] = [Math.max(left, around.left), Math.min(right, around.right)];
      }
      return { left, right, top, bottom };
    };
    const isOver = (element: Element) => {
      const { left, right, top, bottom } = shownOf(element);
      return (
        Math.max(left, own.left) < Math.min(right, own.right) && Math.max(top, own.top) < Math.min(bottom, own.bottom)
      );
    };
    return [...document.querySelectorAll("button, a, input, [contenteditable=true]")]
      .filter((other) => !region.contains(other) && other.checkVisibility() && isOver(other))
      .map((other) => other.outerHTML.slice(0, 120));
  });

flow("a picture pasted into a field is uploaded beside its entry, and asked for its words", async (context) => {
  await put("articles/pictured", { title: "Pictured" });
  const page = await desk.open(context, "/entries/articles/pictured");
  const clicks = await countClicks(page);
  await page.getByText("Pictures only, up to").waitFor();
  const cover = page.getByRole("textbox", { name: "Cover" });
  await cover.click();
  await cover.evaluate((field, base64) => {
    const bytes = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File([bytes], "sea.jpg", { type: "image/jpeg" }));
    field.dispatchEvent(new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData }));
  }, picture.toString("base64"));
  const words = page.getByLabel("What the picture shows");
  await words.waitFor();
  assert.deepEqual(await auditAll(page), []);
  await page.setViewportSize({ width: 1280, height: 800 });
  await eventually(
    () => words.evaluate((input) => input === document.activeElement),
    assert.ok,
    "it is asked for at once",
  );
  await page.keyboard.type("The sea of a planet");
  await page.keyboard.press("Enter");
  await page.getByText("Saved with the file.").waitFor();
  await eventually(clicks, clicksOf("Paste a picture into a field, and describe it"));
  const card = page.getByRole("group", { name: "Cover: sea.jpg" });
  await card.getByText(/ × .* KB$/).waitFor();
  await card.getByRole("button", { name: "Edit the path of Cover" }).press("Enter");
  await eventually(() => cover.inputValue(), "articles/pictured/sea.jpg");
  await page.keyboard.press("Tab");
  await card.getByRole("button", { name: "Replace Cover" }).press("Enter");
  await hasFocus(page.getByRole("dialog"));
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await eventually(async () => {
    const file = await read<Fields>(world, "/api/files", { path: "articles/pictured/sea.jpg" });
    assert.equal(file.alt, "The sea of a planet");
  });
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 800 });
    await settle(page);
    await eventually(() => coveredBy(page, "Uploads"), [], `at ${width} px`);
    assert.equal(await overflow(page), 0);
  }
  assert.deepEqual(await auditAll(page), []);

  await card.getByRole("button", { name: "Remove Cover" }).press("Enter");
  await eventually(() => cover.inputValue(), "");
  await eventually(() => cover.evaluate((input) => input === document.activeElement), assert.ok);

  // From the dialog too: not to the top.
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole("button", { name: "Picture", exact: true }).click();
  await page.getByLabel("Files to upload").setInputFiles({ name: "hill.jpg", mimeType: "image/jpeg", buffer: picture });
  await page.getByRole("button", { name: "Choose hill.jpg" }).click();
  const dialog = page.getByRole("dialog", { name: "What does the picture show?" });
  await dialog.getByLabel("Description").fill("A hill");
  await page.keyboard.press("Enter");
  const text = page.getByRole("textbox", { name: "Text" });
  await text.getByText("![A hill](/project/uploads/articles/pictured/hill.jpg)").waitFor();
});

flow("a reference shows the title and the picture, and a new entry is made from its dialog", async (context) => {
  await put("people/ada", { title: "Ada Lovelace", photo: "album/solaris.jpg" });
  await put("articles/signed", { title: "Signed", author: "people/ada" });
  const page = await desk.open(context, "/entries/articles/signed");
  const card = (name: string) => page.getByRole("group", { name: `Author: ${name}` });
  await card("Ada Lovelace").getByRole("link", { name: "Ada Lovelace" }).waitFor();
  await card("Ada Lovelace").locator("img").waitFor();
  await eventually(() => card("Ada Lovelace").locator("small").textContent(), "people/ada");
  assert.deepEqual(await auditAll(page), []);
  assert.equal(await overflow(page), 0);
  await page.setViewportSize({ width: 1280, height: 800 });
  const clicks = await countClicks(page);
  await page.getByRole("button", { name: "Choose Author" }).click();
  await page.getByRole("dialog").locator("li img").first().waitFor();
  await page.getByRole("button", { name: "New Person…" }).click();
  const dialog = page.getByRole("dialog", { name: "New entry" });
  await dialog.getByLabel("Title").fill("Grace Hopper");
  await eventually(() => dialog.getByLabel("Id").inputValue(), "people/grace-hopper");
  assert.deepEqual(await auditAll(page), []);
  await page.setViewportSize({ width: 1280, height: 800 });
  await dialog.getByLabel("Title").press("Enter");
  await card("Grace Hopper").getByText("Draft").waitFor();
  await eventually(() => page.getByRole("dialog").count(), 0);
  await eventually(clicks, clicksOf("Make an entry in the dialog of a reference"));
  await page.keyboard.press("Control+s");
  await page.getByText("Saved", { exact: true }).waitFor();
  await eventually(async () => (await entry("articles/signed")).author, "people/grace-hopper");
  await eventually(async () => (await entry("people/grace-hopper")).visibility, "draft");
  // The id by keys.
  await page.getByRole("button", { name: "Edit the id of Author" }).press("Enter");
  await canType(page);
  await page.keyboard.press("Control+a");
  await page.keyboard.type("people/ada");
  await page.keyboard.press("Tab");
  await card("Ada Lovelace").waitFor();
});
