// Long: it runs a browser.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before } from "node:test";
import type { Page } from "playwright-core";
import { eventually } from "../eventually.ts";
import { auditAll, flow, hasFocus, overflow, read, settle, skip, useDesk, write } from "./browser.ts";

const desk = useDesk();
const { world } = desk;
type Fields = Record<string, unknown>;
const entry = (id: string) => read<Fields | undefined>(world, "/api/entries", { id });
const put = (id: string, data: object) => write(world, "POST", "/api/entries", { id, data });
const patch = (id: string, data: object) => write(world, "PATCH", "/api/entries", { id, data });

const sea = "A long text about the sea. ".repeat(40);

before(async () => {
  if (skip) return;
  await world.ready;
  await put("past/story", { title: "First", content: `${sea}The end.`, tags: ["a", "b", "c", "d", "e"], stars: 3 });
  await patch("past/story", { title: "Second", tags: ["a", "b", "c", "d", "f"], visibility: "draft" });
  await patch("past/story", { content: `${sea}The beginning.`, stars: 4, author: { name: "Ann", born: 1950 } });
});

const openHistory = async (page: Page): Promise<void> => {
  await page.getByRole("button", { name: "History", exact: true }).click();
  await page.getByRole("region", { name: "What changed" }).waitFor();
};
const versions = (page: Page) => page.getByRole("navigation", { name: "Versions" }).locator("ol").getByRole("button");
/** What a field's difference says: removed texts in [-], added ones in [+]. */
async function difference(page: Page, field: string): Promise<string> {
  await settle(page);
  return await page
    .getByRole("region", { name: "What changed" })
    .locator("dl > div")
    .filter({ has: page.getByRole("term").filter({ hasText: new RegExp(`^${field}$`) }) })
    .last()
    .locator("dd")
    .first()
    .evaluate((dd) => {
      const copy = dd.cloneNode(true) as HTMLElement;
      for (const element of copy.querySelectorAll("del")) element.textContent = `[-${element.textContent}]`;
      for (const element of copy.querySelectorAll("ins")) element.textContent = `[+${element.textContent}]`;
      return copy.textContent ?? "";
    });
}

flow("the history of an entry shows who changed what, by words, elements and keys", async (context) => {
  const page = await desk.open(context, "/entries/past/story");
  await openHistory(page);
  await eventually(() => versions(page).count(), 3);
  await eventually(() => difference(page, "stars"), "[-3] → [+4]");
  await eventually(() => difference(page, "author"), /^\[\+{[\s\S]*Ann[\s\S]*}\]added$/);
  await eventually(async () => {
    const content = await difference(page, "Content");
    assert.match(content, /^[\d,]+ characters unchanged/, "the part that both have is folded");
    assert.match(content, /The \[-end\]\[\+beginning\]\.$/);
  });
  await page.getByRole("button", { name: /characters unchanged/ }).click();
  await eventually(async () => (await difference(page, "Content")).startsWith(sea), true, "and opens");

  await versions(page).last().click();
  await eventually(() => difference(page, "Title"), "[-First][+Second]");
  await eventually(() => difference(page, "Visibility"), "[-Visible] → [+Draft]");
  await eventually(() => difference(page, "tags"), "4 elements unchanged[-e][+f]");
  await versions(page).nth(1).click();
  await page.getByText("With the one before").click();
  await eventually(() => difference(page, "Title"), "[-First][+Second]");
  await versions(page).last().click();
  await page.getByText("No earlier version is kept").waitFor();
});

flow("a restored version is on the page at once, and Undo brings the one before it back", async (context) => {
  await put("past/restored", { title: "Old", note: "one" });
  await patch("past/restored", { title: "New", note: "two" });
  const page = await desk.open(context, "/entries/past/restored");
  await openHistory(page);
  await versions(page).last().click();
  await page.getByRole("button", { name: "Restore this" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("heading", { name: "Old" }).waitFor();
  await eventually(() => page.getByLabel("Title", { exact: true }).inputValue(), "Old");
  await eventually(async () => (await entry("past/restored"))?.note, "one");
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("heading", { name: "New" }).waitFor();
  await eventually(async () => (await entry("past/restored"))?.note, "two");
  await openHistory(page);
  await eventually(() => versions(page).count(), 4, "the restore and its undo are in the history");
  await versions(page).nth(2).click();
  await page.getByText("It is the same as the present.").waitFor();
});

flow(
  "a restore says what it will do, and leaves who reads the entry as it is unless the box is ticked",
  async (context) => {
    await put("past/state", { title: "Old", note: "one", visibility: "draft", published_by: "Ann" });
    await patch("past/state", { title: "New", visibility: "visible", published_by: "Bob" });
    const state = async () => {
      const { title, visibility, published_by: by } = (await entry("past/state")) as Fields;
      return [title, visibility, by];
    };
    const page = await desk.open(context, "/entries/past/state");
    const restore = page.getByRole("button", { name: "Restore this" });
    const box = page.getByLabel("Bring back visibility and publish date, too");
    const kept = "Restore will change Title. It leaves as it is now: Published by and Visibility (Visible).";
    const whole = "Restore will change Title, Published by, and Visibility (from Visible to Draft).";
    await openHistory(page);
    await versions(page).last().click();
    await eventually(() => box.isChecked(), false);
    await page.getByText(kept).waitFor();
    await page.getByText("With the one before").click();
    await page.getByText(kept).waitFor();
    await box.check();
    await page.getByText(whole).waitFor();
    await page.getByText("With the present").click();
    await page.getByText(whole).waitFor();
    assert.deepEqual(await auditAll(page), []);
    await page.setViewportSize({ width: 360, height: 800 });
    await settle(page);
    assert.equal(await overflow(page), 0);
    await page.setViewportSize({ width: 1280, height: 800 });
    await box.uncheck();
    await restore.click();
    await page.getByRole("heading", { name: "Old", exact: true }).waitFor();
    await eventually(state, ["Old", "visible", "Bob"]);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("heading", { name: "New", exact: true }).waitFor();
    await eventually(state, ["New", "visible", "Bob"]);

    await openHistory(page);
    await versions(page).last().click();
    await box.check();
    await restore.click();
    await page.getByRole("heading", { name: "Old", exact: true }).waitFor();
    await eventually(state, ["Old", "draft", "Ann"]);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("heading", { name: "New", exact: true }).waitFor();
    await eventually(state, ["New", "visible", "Bob"]);

    // Only the state differs: there is nothing to restore without it.
    await patch("past/state", { visibility: "hidden" });
    await page.reload();
    await openHistory(page);
    await versions(page).nth(1).click();
    await page.getByText("Restore will change nothing. It leaves as it is now: Visibility (Hidden).").waitFor();
    await eventually(() => restore.isDisabled(), true);
    await box.check();
    await restore.click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await eventually(state, ["New", "visible", "Bob"]);
  },
);

flow("a restore overwrites no concurrent change and no unsaved one", async (context) => {
  await put("past/raced", { title: "Old" });
  await patch("past/raced", { title: "New" });
  const page = await desk.open(context, "/entries/past/raced");
  await openHistory(page);
  await versions(page).last().click();
  await page.getByRole("button", { name: "Restore this" }).waitFor();
  await patch("past/raced", { title: "Theirs" });
  await page.getByRole("button", { name: "Restore this" }).click();
  await page.getByRole("alert").getByText("Nothing was restored").waitFor();
  await eventually(async () => (await entry("past/raced"))?.title, "Theirs");
  await eventually(() => difference(page, "Title"), "[-Old][+Theirs]");
  await page.getByRole("button", { name: "Restore this" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("heading", { name: "Old" }).waitFor();

  await page.getByLabel("Title", { exact: true }).fill("Typed");
  const undone = page.waitForResponse((response) => response.url().endsWith("/api/entries/restore"));
  await page.getByRole("button", { name: "Undo" }).click();
  await undone;
  await page.getByRole("heading", { name: "Typed" }).waitFor();
  await openHistory(page);
  await versions(page).last().click();
  await page.getByText("Save your changes first").waitFor();
  await eventually(() => page.getByRole("button", { name: "Restore this" }).isDisabled(), true);
  await hasFocus(page.getByRole("dialog"));
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await eventually(() => page.getByLabel("Title", { exact: true }).inputValue(), "Typed");
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByRole("dialog", { name: "Someone else saved meanwhile" }).waitFor();
});

flow("more versions are shown on request, and an entry without any says so", async (context) => {
  await put("past/many", { n: 0 });
  for (let n = 1; n <= 60; n++) await patch("past/many", { n });
  const page = await desk.open(context, "/entries/past/many");
  await openHistory(page);
  await eventually(() => versions(page).count(), 51);
  await versions(page).last().click();
  await page.getByText("With the one before").click();
  await page.getByText("The one before is below Show more.").waitFor();
  await page.getByRole("button", { name: "Show more" }).click();
  await page.locator(".history-versions li:nth-child(52) button:focus").waitFor();
  await eventually(() => versions(page).count(), 61);
  await put("past/none", {});
  await page.goto(`${world.app.url}/admin/entries/past/none`);
  await page.getByRole("button", { name: "History", exact: true }).click();
  await page.getByText("No earlier version").waitFor();
});

async function upload(name: string, bytes: Uint8Array | string): Promise<void> {
  const form = new FormData();
  for (const [key, value] of [
    ["token", world.token.management],
    ["access_token", world.token.access],
    ["folder", "past"],
    ["on_conflict", "replace"],
  ] as const) {
    form.set(key, value);
  }
  form.set("file", new Blob([bytes as BlobPart]), name);
  assert.equal((await fetch(`${world.app.url}/api/files`, { method: "POST", body: form })).status, 200);
}
const asset = (name: string) => readFileSync(new URL(`../../assets/demo/uploads/movies/${name}`, import.meta.url));
const file = (path: string) => read<Fields | undefined>(world, "/api/files", { path });

flow("the history of a file shows its pictures, its other bytes and its fields, and restores them", async (context) => {
  await upload("sea.jpg", asset("solaris.jpg"));
  await write(world, "PATCH", "/api/files/meta", { path: "past/sea.jpg", field: "title", value: "The sea" });
  await upload("sea.jpg", asset("metropolis.jpg"));
  const before = await file("past/sea.jpg");
  const page = await desk.open(context, "/files/past?file=sea.jpg");
  await openHistory(page);
  await versions(page).last().click();
  const pictures = page.getByRole("region", { name: "What changed" }).locator("img");
  await pictures.nth(1).waitFor();
  for (const n of [0, 1]) {
    await pictures.nth(n).evaluate((image: HTMLImageElement) => image.decode());
    await eventually(
      async () => (await pictures.nth(n).evaluate((image: HTMLImageElement) => image.naturalWidth)) > 100,
      true,
    );
  }
  await eventually(async () => {
    const [old, now] = await Promise.all([0, 1].map((n) => pictures.nth(n).getAttribute("src")));
    assert.notEqual(old, now);
  });
  assert.deepEqual(await auditAll(page), []);
  await page.getByRole("button", { name: "Restore this" }).click();
  await page.getByRole("dialog", { name: "History of sea.jpg" }).waitFor({ state: "detached" });
  await eventually(
    async () => (await file("past/sea.jpg"))?.version,
    (seen) => assert.notEqual(seen, before?.version),
  );
  await page.waitForFunction(
    (title) =>
      [...document.querySelectorAll<HTMLInputElement>(".file-drawer input")].some(({ value }) => value === title),
    String((await file("past/sea.jpg"))?.title),
  );
  await page.getByRole("button", { name: "Undo" }).click();
  await page.waitForFunction(
    (title) =>
      [...document.querySelectorAll<HTMLInputElement>(".file-drawer input")].some(({ value }) => value === title),
    String(before?.title),
  );
  await eventually(async () => (await file("past/sea.jpg"))?.version, before?.version);

  await upload("notes.txt", "first notes");
  await upload("notes.txt", "second notes, longer");
  await page.goto(`${world.app.url}/admin/files/past?file=notes.txt`);
  await openHistory(page);
  await versions(page).last().click();
  const link = page.getByRole("link", { name: "Download notes.txt" }).first();
  const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
  await eventually(async () => readFileSync(await download.path(), "utf8"), "first notes");
  assert.equal(download.suggestedFilename(), "notes.txt");
});

flow("the history of a registry item compares and restores its values", async (context) => {
  await write(world, "PUT", "/api/registry", { id: "past.menu", value: ["home", "films"] });
  await write(world, "PUT", "/api/registry", { id: "past.menu", value: ["home", "books"] });
  const page = await desk.open(context, "/registry");
  const value = async () => (await read<{ value: unknown }>(world, "/api/registry", { id: "past.menu" })).value;
  await page.getByRole("button", { name: "History of past.menu" }).click();
  const changed = page.getByRole("region", { name: "What changed" });
  await changed.waitFor();
  await eventually(() => changed.locator("del, ins").allTextContents(), ["films", "books"]);
  await versions(page).last().click();
  await page.getByRole("button", { name: "Restore this" }).click();
  await page.getByText('["home","films"]').filter({ visible: true }).waitFor();
  await eventually(value, ["home", "films"]);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText('["home","books"]').filter({ visible: true }).waitFor();
  await eventually(value, ["home", "books"]);
});

flow("a subtree is restored to a moment from the menu of its top, and all entries from the list", async (context) => {
  await put("time/top", { title: "Top" });
  await put("time/top/below", { title: "Below" });
  await put("time/leaf", { title: "Leaf" });
  const at = (await entry("time/leaf"))?.modified_at as number;
  // A restore reads the content in force at the end of a second.
  await eventually(() => Math.floor(Date.now() / 1000) > at, true);
  for (const id of ["time/top", "time/top/below", "time/leaf"]) await patch(id, { title: "Spoilt" });
  const page = await desk.open(context, "/entries/time/leaf", { timezoneId: "UTC" });
  const menu = async (item: RegExp) => {
    await page.getByRole("button", { name: "More actions" }).click();
    return page.getByRole("menuitem", { name: item });
  };
  const leaf = await menu(/Restore it/);
  await leaf.waitFor();
  await eventually(() => leaf.isDisabled(), true, "an entry without others below has its history");
  await hasFocus(page.getByRole("menu"));
  await page.keyboard.press("Escape");
  const restore = async () => {
    await page.getByLabel("To the state of").fill(new Date(at * 1000).toISOString().slice(0, 19));
    await page.getByRole("dialog").getByRole("button", { name: "Restore", exact: true }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
  };
  await page.goto(`${world.app.url}/admin/entries/time/top`);
  await (await menu(/Restore it/)).and(page.locator(":enabled")).click();
  await page.getByText("Deleted ones stay deleted").waitFor();
  assert.deepEqual(await auditAll(page), []);
  await page.setViewportSize({ width: 1280, height: 800 });
  await restore();
  await page.getByText("Restored 2 entries to").waitFor();
  await page.getByRole("heading", { name: "Top" }).waitFor();
  await eventually(async () => (await entry("time/top/below"))?.title, "Below");
  await eventually(async () => (await entry("time/leaf"))?.title, "Spoilt");
  await page.goto(`${world.app.url}/admin/entries`);
  await (await menu(/Restore all entries/)).click();
  await page.getByLabel("To the state of").fill("");
  await eventually(
    () => page.getByRole("dialog").getByRole("button", { name: "Restore", exact: true }).isDisabled(),
    true,
  );
  await restore();
  await page
    .getByText(/^Restored \d+ entr/)
    .last()
    .waitFor();
  await eventually(async () => (await entry("time/leaf"))?.title, "Leaf");
});

flow("the history is used by keyboard, fits on a phone, and axe finds no violations", async (context) => {
  await put("past/short", { title: "First" });
  await patch("past/short", { title: "Second", tags: ["a"] });
  await patch("past/short", { title: "Third", tags: ["b"] });
  const page = await desk.open(context, "/entries/past/short");
  await page.getByRole("button", { name: "History", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.locator(".history-versions button[aria-pressed=true]:focus").waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await eventually(() => versions(page).last().getAttribute("aria-pressed"), "true");
  await page.getByRole("button", { name: "Restore this" }).waitFor();
  await page.setViewportSize({ width: 360, height: 740 });
  await settle(page);
  assert.ok((await overflow(page)) <= 0);
  await eventually(async () => {
    const cut = await page
      .getByRole("dialog")
      .evaluate(
        (dialog) => [...dialog.querySelectorAll("button")].filter((b) => b.getBoundingClientRect().right > 360).length,
      );
    assert.equal(cut, 0);
  });
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.activeElement?.ariaLabel === "History");
});
