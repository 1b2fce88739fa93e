// Long: it runs a browser.
import assert from "node:assert/strict";
import { before } from "node:test";
import type { Page } from "playwright-core";
import { eventually } from "../eventually.ts";
import { auditAll, flow, hasFocus, overflow, read, settle, skip, useDesk, write } from "./browser.ts";

const desk = useDesk();
const { world } = desk;
type Fields = Record<string, unknown>;
const entry = (id: string) => read<Fields>(world, "/api/entries", { id });
const staged = (id: string) => read<Fields>(world, "/api/entries/staged", { id });
const put = (id: string, data: object) => write(world, "POST", "/api/entries", { id, data });
const stage = (id: string, data: object) => write(world, "PATCH", "/api/entries/staged", { id, data });
const copies = async () => (await read<{ id: string }[]>(world, "/api/entries/staged/list", {})).map(({ id }) => id);

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
const shown = (page: Page, text: string) => page.getByText(text, { exact: true }).first().waitFor();
const gone = (page: Page, text: string) => page.getByText(text, { exact: true }).first().waitFor({ state: "detached" });
async function more(page: Page, item: string): Promise<void> {
  await button(page, "More ways to publish").click();
  await page.getByRole("menuitem", { name: item }).click();
}
const inAnHour = () => Math.floor(Date.now() / 1000) + 3600;

before(async () => {
  if (skip) return;
  await world.ready;
});

flow("changes are staged, compared, and published", async (context) => {
  await put("live/story", { title: "Before", note: "same", old: 1 });
  const page = await desk.open(context, "/entries/live/story");
  await field(page, "Title").fill("After");
  await button(page, "Save draft").click();
  await shown(page, "Unpublished changes");
  await eventually(async () => (await entry("live/story")).title, "Before", "readers see nothing of it");
  await eventually(async () => (await staged("live/story")).title, "After");
  await field(page, "note").fill("other");
  await page.keyboard.press("Control+s");
  await shown(page, "Saved");
  await eventually(async () => (await entry("live/story")).note, "same");

  await page.reload();
  await shown(page, "Unpublished changes");
  await eventually(() => field(page, "Title").inputValue(), "After", "the editor opens the copy");
  await button(page, "What differs").click();
  const dialog = page.getByRole("dialog", { name: "What publishing changes" });
  await dialog.locator("del", { hasText: "Before" }).waitFor();
  await dialog.locator("ins", { hasText: "other" }).waitFor();
  await eventually(() => dialog.getByRole("term").allTextContents(), ["Title", "note"]);
  assert.deepEqual(await auditAll(page), []);
  await page.keyboard.press("Escape");
  await button(page, "Publish").click();
  await gone(page, "Unpublished changes");
  await eventually(async () => {
    const live = await entry("live/story");
    assert.deepEqual([live.title, live.note, live.old], ["After", "other", 1]);
  });
  await eventually(copies, []);
  // The state after the publication is the one that the next save is compared with.
  await field(page, "Title").fill("Directly");
  await button(page, "Publish").click();
  await shown(page, "Saved");
  await field(page, "Title").fill("Staged again");
  await button(page, "Save draft").click();
  await shown(page, "Unpublished changes");
  await eventually(async () => (await entry("live/story")).title, "Directly");
});

flow("a copy is discarded after a question", async (context) => {
  await put("live/dropped", { title: "Kept" });
  await stage("live/dropped", { title: "Dropped", extra: 1 });
  const page = await desk.open(context, "/entries/live/dropped");
  await more(page, "Discard the changes…");
  const dialog = page.getByRole("dialog", { name: "Discard the unpublished changes?" });
  await button(page, "Cancel").click();
  await eventually(async () => (await staged("live/dropped")).title, "Dropped");
  await more(page, "Discard the changes…");
  await dialog.getByRole("button", { name: "Discard changes" }).click();
  await gone(page, "Unpublished changes");
  await eventually(() => field(page, "Title").inputValue(), "Kept");
  await eventually(() => field(page, "extra").count(), 0);
  await field(page, "Title").fill("Changed");
  await button(page, "Publish").click();
  await shown(page, "Saved");
  await eventually(async () => (await entry("live/dropped")).title, "Changed");
});

flow("a change meanwhile loses nothing that was typed, and publishes nothing unseen", async (context) => {
  await put("live/shared", { title: "Shared", note: "start" });
  await stage("live/shared", { title: "Staged" });
  const page = await desk.open(context, "/entries/live/shared");
  await field(page, "note").fill("mine");
  await stage("live/shared", { title: "Theirs" });
  await button(page, "Save draft").click();
  const dialog = page.getByRole("dialog", { name: "Someone else saved meanwhile" });
  await dialog.getByRole("definition").getByText("Theirs", { exact: true }).waitFor();
  await dialog.getByRole("definition").getByText("mine", { exact: true }).waitFor();
  await dialog.getByRole("button", { name: "Save yours on top" }).click();
  await shown(page, "Saved");
  await eventually(async () => {
    const copy = await staged("live/shared");
    assert.deepEqual([copy.title, copy.note], ["Theirs", "mine"]);
  });
  await eventually(async () => (await entry("live/shared")).note, "start");

  await stage("live/shared", { title: "Unseen" });
  await button(page, "Publish").click();
  await page.getByRole("alert").getByText("Someone else changed this entry meanwhile").waitFor();
  await eventually(async () => (await entry("live/shared")).title, "Shared");
  await eventually(() => field(page, "Title").inputValue(), "Unseen");
  await button(page, "Publish").click();
  await gone(page, "Unpublished changes");
  await eventually(async () => (await entry("live/shared")).title, "Unseen");

  // A save of the live entry does not overwrite a copy that someone made meanwhile.
  await field(page, "note").fill("mine too");
  await stage("live/shared", { note: "theirs" });
  await button(page, "Save draft").click();
  await dialog.getByRole("definition").getByText("theirs", { exact: true }).waitFor();
  await dialog.getByRole("button", { name: "Go on editing" }).click();
  await eventually(() => field(page, "note").inputValue(), "mine too");
  await eventually(async () => (await staged("live/shared")).note, "theirs");
});

flow(
  "staged changes of an entry that was deleted meanwhile are not published by creating it again",
  async (context) => {
    await put("live/deleted", { title: "Public" });
    const page = await desk.open(context, "/entries/live/deleted");
    await field(page, "Title").fill("Secret");
    await write(world, "DELETE", "/api/entries", { id: "live/deleted" });
    await button(page, "Save draft").click();
    await button(page, "Create it again as a draft").click();
    await shown(page, "Saved");
    await eventually(async () => {
      const again = await entry("live/deleted");
      assert.deepEqual([again.title, again.visibility], ["Secret", "draft"]);
    });
  },
);

flow("a draft is published, now or at a time", async (context) => {
  await put("live/draft", { title: "Draft", visibility: "draft" });
  const page = await desk.open(context, "/entries/live/draft");
  await shown(page, "Not on the site yet");
  await eventually(() => button(page, "Save draft").isDisabled(), true);
  await button(page, "Publish").click();
  await gone(page, "Not on the site yet");
  await eventually(async () => (await entry("live/draft")).visibility, "visible");
});

flow("while publishing is scheduled nothing can be edited, and the time can be taken back", async (context) => {
  await put("live/timed", { title: "Now", content: "Text", note: "n" });
  await stage("live/timed", { title: "Later" });
  const page = await desk.open(context, "/entries/live/timed");
  await button(page, "More ways to publish").focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Schedule…" }).focus();
  await page.keyboard.press("Enter");
  const at = page.getByLabel("Publish at");
  await at.fill("2020-01-01T00:00");
  const submit = page.getByRole("dialog").getByRole("button", { name: "Schedule" });
  await eventually(() => submit.isDisabled(), true, "a time in the past is no schedule");
  await at.fill("2100-01-01T12:00:00");
  await page.keyboard.press("Enter");
  await shown(page, "Scheduled");
  await page.getByText(/published on 1 Jan 2100/).waitFor();
  await eventually(() => field(page, "Title").isEditable(), false);
  const content = page.getByRole("textbox", { name: "Content" });
  await content.click();
  await page.keyboard.type("typed");
  await eventually(() => content.textContent(), "Text");
  // The cursor of a focused editor blinks for ever.
  await button(page, "Take back").focus();
  assert.deepEqual(await auditAll(page), []);
  await page.reload();
  await page.getByText(/published on 1 Jan 2100/).waitFor();
  await button(page, "Take back").click();
  await shown(page, "Unpublished changes");
  await field(page, "Title").fill("Edited");
  await content.click();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("typed");
  await shown(page, "Not saved");
  await button(page, "Save draft").click();
  await shown(page, "Saved");
  await eventually(async () => {
    const copy = await staged("live/timed");
    assert.deepEqual([copy.title, copy.content], ["Edited", "typed"]);
  });
});

flow("what is staged or scheduled is listed with links, also on a phone", async (context) => {
  await put("list/staged", { title: "A" });
  await put(`list/${"long-name-".repeat(8)}`, { title: "B" });
  await stage("list/staged", { title: "AA" });
  await stage(`list/${"long-name-".repeat(8)}`, { title: "BB" });
  await write(world, "POST", "/api/entries/publish", { id: `list/${"long-name-".repeat(8)}`, at: inAnHour() });
  const page = await desk.open(context, "/entries", { viewport: { width: 360, height: 740 } });
  await button(page, "Open navigation").click();
  await page.getByRole("link", { name: "Work", exact: true }).click();
  const row = (name: string) => page.getByRole("row").filter({ hasText: name });
  await row("long-name").getByText("Scheduled", { exact: true }).waitFor();
  await row("list/staged").getByText("Waiting", { exact: true }).waitFor();
  await settle(page);
  assert.ok((await overflow(page)) <= 0);
  assert.deepEqual(await auditAll(page), []);
  await page.setViewportSize({ width: 360, height: 740 });
  await page.getByRole("link", { name: "AA", exact: true }).focus();
  await page.keyboard.press("Enter");
  await shown(page, "Unpublished changes");
  await settle(page);
  assert.ok((await overflow(page)) <= 0);
  await page.setViewportSize({ width: 360, height: 740 });
  await button(page, "Publish").click();
  await gone(page, "Unpublished changes");
  await page.goBack();
  await row("long-name").waitFor();
  // The list is read again.
  await row("list/staged").waitFor({ state: "detached" });
});

flow("by keyboard a new entry is begun where one types, and the focus stays at what publishes", async (context) => {
  const page = await desk.open(context, "/entries/live");
  await button(page, "New entry").focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "New entry" });
  await hasFocus(dialog.getByLabel("Title"));
  await page.keyboard.type("By keyboard");
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  await hasFocus(field(page, "Title"));
  await page.keyboard.type(" alone");
  const bar = page.getByRole("region", { name: "Publishing" });
  for (const name of ["Save draft", "Publish"]) {
    await button(page, name).focus();
    await page.keyboard.press("Enter");
    await eventually(() => button(page, name).isDisabled(), true);
    await shown(page, "Saved");
    await hasFocus(bar);
  }
  await shown(page, "On the site");
  await page.keyboard.press("Tab");
  await hasFocus(bar);
});

flow("a page that is open says so when what was scheduled is live", async (context) => {
  await put("live/due", { title: "Due" });
  await stage("live/due", { title: "Live now" });
  const at = Math.floor(Date.now() / 1000) + 8;
  await write(world, "POST", "/api/entries/publish", { id: "live/due", at });
  const page = await desk.open(context, "/entries/live/due");
  await shown(page, "Scheduled");
  await eventually(async () => {
    await world.app.stores.staged.publishDue(Math.floor(Date.now() / 1000));
    return (await read<Fields>(world, "/api/entries", { id: "live/due" })).title;
  }, "Live now");
  await shown(page, "On the site");
  await eventually(() => field(page, "Title").isEditable(), true);
  await eventually(() => page.getByText("Changed by").count(), 0, "nobody else has changed it");
});

flow("without a site the preview shows every text and block of a type, as it is typed", async (context) => {
  const block = (kind: string, properties: object) => ({
    ...{ type: "object", title: kind, required: ["kind"] },
    properties: { kind: { const: kind }, ...properties },
  });
  const properties = {
    lead: { type: "string", maxLength: 5000, title: "Lead" },
    price: { type: "string", title: "Price" },
    body: { type: "string", contentMediaType: "text/markdown", title: "Body" },
    legal: { type: "string", contentMediaType: "text/html", title: "Legal" },
    parts: {
      ...{ type: "array", title: "Parts" },
      items: {
        oneOf: [
          block("quote", { words: { type: "string" } }),
          block("text", { text: { type: "string", contentMediaType: "text/markdown" } }),
        ],
      },
    },
  };
  await write(world, "PUT", "/api/types", { id: "read", paths: ["read/*"], schema: { type: "object", properties } });
  await put("read/one", {
    ...{
      title: "One",
      lead: "The lead",
      price: "12",
      body: "- [x] *done*\n- [ ] open",
      legal: "<b>Bold</b><script>1</script>",
    },
    parts: [
      { kind: "quote", words: "Said so" },
      { kind: "text", text: "## Below" },
    ],
  });
  const page = await desk.open(context, "/entries/read/one", { viewport: { width: 1440, height: 900 } });
  await button(page, "Preview").click();
  const pane = page.getByRole("region", { name: "Preview" });
  const read = (name: string) => pane.getByRole("region", { name, exact: true });
  await read("Lead").getByText("The lead").waitFor();
  await read("Body").getByRole("listitem").filter({ hasText: "☑" }).getByText("done").waitFor();
  await read("Legal").getByText("Bold", { exact: true }).waitFor();
  await read("Parts").getByText("Said so").waitFor();
  await read("Parts").getByRole("heading", { name: "Below" }).waitFor();
  await eventually(() => read("Price").count(), 0, "what is no text is not read");
  const lead = page.getByRole("textbox", { name: "Lead" });
  await lead.press("End");
  await lead.pressSequentially(", typed");
  await read("Lead").getByText("The lead, typed").waitFor();
  await page.mouse.move(0, 0);
  assert.deepEqual(await auditAll(page), []);
});

flow("without a site a preview is a token and an address of the API", async (context) => {
  await put("live/plain", { title: "Plain", visibility: "draft" });
  const page = await desk.open(context, "/entries/live/plain");
  await button(page, "Preview").click();
  const pane = page.getByRole("region", { name: "Preview" });
  await pane.getByText("preview_url", { exact: true }).waitFor();
  await field(page, "Title").fill("Typed");
  await pane.getByRole("heading", { name: "Typed" }).waitFor();
  await field(page, "Title").fill("Plain");
  await page.getByLabel("Width of the preview").getByText("Tablet").click();
  assert.deepEqual(await auditAll(page), []);
  await page.setViewportSize({ width: 1280, height: 800 });
  await button(page, "Close the preview").click();
  await button(page, "More actions").click();
  await page.getByRole("menuitem", { name: "Preview links…" }).click();
  await button(page, "Copy preview token").click();
  const shownOnce = page.getByRole("status").locator("code");
  await shownOnce.nth(1).waitFor();
  const [token = "", address = ""] = await shownOnce.allTextContents();
  const reply = await fetch(address, { headers: { Authorization: `Bearer ${token}` } });
  assert.equal(((await reply.json()) as { data: Fields }).data.title, "Plain");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.activeElement?.ariaLabel === "More actions");
});
