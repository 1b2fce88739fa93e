// Long: it runs a browser.
import assert from "node:assert/strict";
import { before } from "node:test";
import type { Page } from "playwright-core";
import { eventually } from "../eventually.ts";
import { auditAll, flow, hasFocus, overflow, read, settle, skip, useDesk, write } from "./browser.ts";
import { countClicks } from "./clicks.ts";
import { clicksOf } from "./flows.ts";

/** How an entry gets on the site and off it. The flows count their clicks: docs/admin.md has the table. */

const desk = useDesk({ site_url: "https://example.org/{id}" });
const { world } = desk;
type Fields = Record<string, unknown>;
const entry = (id: string) => read<Fields>(world, "/api/entries", { id });
const staged = (id: string) => read<Fields>(world, "/api/entries/staged", { id });
const put = (id: string, data: object) => write(world, "POST", "/api/entries", { id, data });
const patch = (id: string, data: object) => write(world, "PATCH", "/api/entries", { id, data });
const stage = (id: string, data: object) => write(world, "PATCH", "/api/entries/staged", { id, data });
const copies = async () => (await read<{ id: string }[]>(world, "/api/entries/staged/list", {})).map(({ id }) => id);

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
const bar = (page: Page) => page.getByRole("region", { name: "Publishing" });
const says = (page: Page, text: string) => bar(page).getByText(text, { exact: true }).waitFor();
const undo = (page: Page) => page.getByRole("alert").getByRole("button", { name: "Undo" });

async function more(page: Page, item: string): Promise<void> {
  await button(page, "More ways to publish").click();
  await page.getByRole("menuitem", { name: item, exact: true }).click();
}

before(async () => {
  if (skip) return;
  await world.ready;
});

flow("an entry is found, opened, changed and published in four clicks, and that is undone in one", async (context) => {
  await put("news/harbour", { title: "The harbour", note: "same" });
  const page = await desk.open(context, "/entries");
  const clicks = await countClicks(page);
  await page.getByLabel("Search in all entries").click();
  await page.keyboard.type("harbour");
  await page.getByRole("list", { name: "Found entries" }).getByRole("link").click();
  await field(page, "Title").click();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("The new harbour");
  await button(page, "Publish").click();
  const notice = page.getByRole("alert").filter({ hasText: "Published" });
  const address = notice.getByRole("link", { name: "https://example.org/news/harbour" });
  await address.waitFor();
  await eventually(clicks, clicksOf("Find an entry, open it, change its title, publish"));
  await eventually(async () => (await entry("news/harbour")).title, "The new harbour");
  await eventually(
    () => bar(page).getByRole("link", { name: "View on site" }).getAttribute("href"),
    await address.getAttribute("href"),
  );

  await undo(page).click();
  await says(page, "Unpublished changes");
  await eventually(clicks, 4 + clicksOf("Undo a publication"));
  await eventually(async () => (await entry("news/harbour")).title, "The harbour");
  await eventually(
    async () => (await staged("news/harbour")).title,
    "The new harbour",
    "what was published is not lost",
  );
});

flow("what is typed is published with what was saved; a draft is a draft again after an undo", async (context) => {
  await put("news/draft", { title: "Draft", visibility: "draft", note: "a" });
  const page = await desk.open(context, "/entries/news/draft");
  await says(page, "Not on the site yet");
  await field(page, "Title").fill("Kept");
  await button(page, "Save draft").click();
  await page.getByText("Saved", { exact: true }).waitFor();
  await eventually(
    async () => [(await entry("news/draft")).title, (await entry("news/draft")).visibility],
    ["Kept", "draft"],
  );
  await field(page, "note").fill("b");
  await button(page, "Publish").click();
  await says(page, "On the site");
  await eventually(async () => {
    const { title, note, visibility } = await entry("news/draft");
    assert.deepEqual([title, note, visibility], ["Kept", "b", "visible"]);
  });
  await undo(page).click();
  await says(page, "Not on the site yet");
  await eventually(async () => (await entry("news/draft")).visibility, "draft");
  await eventually(async () => (await entry("news/draft")).note, "b");
  await eventually(async () => (await copies()).filter((id) => id === "news/draft"), []);
  const { published_at, created_at } = await entry("news/draft");
  assert.equal(published_at, created_at, "the next publish dates it anew");
});

flow("a publication is scheduled in three clicks", async (context) => {
  await put("news/later", { title: "Now" });
  const page = await desk.open(context, "/entries/news/later");
  await field(page, "Title").fill("Later");
  const clicks = await countClicks(page);
  await more(page, "Schedule…");
  await page.getByLabel("Publish at").fill("2100-01-01T12:00:00");
  await page.getByRole("dialog").getByRole("button", { name: "Schedule" }).click();
  await says(page, "Scheduled");
  await eventually(clicks, clicksOf("Schedule what was changed in an open entry"));
  await eventually(
    async () => [(await entry("news/later")).title, (await staged("news/later")).title],
    ["Now", "Later"],
  );
});

flow("an entry is taken off the site in two clicks, and at a time in three", async (context) => {
  await put("news/off", { title: "Off" });
  const page = await desk.open(context, "/entries/news/off");
  await says(page, "On the site");
  const clicks = await countClicks(page);
  await more(page, "Unpublish");
  await says(page, "Not on the site yet");
  await eventually(clicks, clicksOf("Take an open entry off the site"));
  await eventually(async () => (await entry("news/off")).visibility, "draft");
  await undo(page).click();
  await says(page, "On the site");
  await eventually(async () => (await entry("news/off")).visibility, "visible");

  const before = await clicks();
  await more(page, "Unpublish at…");
  const dialog = page.getByRole("dialog", { name: "Take it off the site" });
  await dialog.getByLabel("Unpublish at").fill("2100-01-01T12:00:00");
  await dialog.getByRole("button", { name: "Schedule" }).click();
  await bar(page)
    .getByText(/^It goes off the site on 1 Jan 2100/)
    .waitFor();
  await eventually(async () => (await clicks()) - before, clicksOf("Take it off at a time"));
  await eventually(async () => (await entry("news/off")).visibility, "visible");
  await eventually(async () => (await staged("news/off")).visibility, "draft");
  await page.reload();
  await bar(page)
    .getByText(/^It goes off the site on/)
    .waitFor();
  await button(page, "Take back").click();
  await bar(page).getByText("Publishing them takes the entry off the site.").waitFor();
});

flow("a stale copy is told in three texts, and settled in three clicks", async (context) => {
  await put("news/stale", { title: "Teh harbour", note: "old", deep: { a: 1 } });
  await stage("news/stale", { title: "Teh harbour at night", note: "mine", deep: { a: 2 } });
  await patch("news/stale", { title: "The harbour", note: "theirs" });
  const page = await desk.open(context, "/entries/news/stale");
  await bar(page).getByText("Changed on the site meanwhile: title, note.").waitFor();
  const clicks = await countClicks(page);
  await button(page, "Publish").click();
  const dialog = page.getByRole("dialog", { name: "Changed on the site meanwhile" });
  const texts = (name: string) => dialog.getByRole("region", { name }).getByRole("definition").allTextContents();
  await dialog.getByRole("region", { name: "Title" }).waitFor();
  await eventually(() => texts("Title"), ["Teh harbour", "The harbour", "Teh harbour at night"]);
  await eventually(() => texts("note"), ["old", "theirs", "mine"]);
  assert.deepEqual(await auditAll(page), []);
  await page.setViewportSize({ width: 360, height: 740 });
  await settle(page);
  assert.ok((await overflow(page)) <= 0);
  await page.setViewportSize({ width: 1280, height: 800 });
  await dialog.getByRole("region", { name: "Title" }).getByText("Keep the site's").click();
  await dialog.getByRole("button", { name: "Publish" }).click();
  await says(page, "On the site");
  await eventually(clicks, clicksOf("Settle a stale copy, one field, and publish it"));
  await eventually(async () => {
    const { title, note, deep } = await entry("news/stale");
    assert.deepEqual([title, note, deep], ["The harbour", "mine", { a: 2 }]);
  });
});

flow("by keyboard alone, also on a phone, a copy is published without a click", async (context) => {
  await put("news/keys", { title: "Keys" });
  await stage("news/keys", { title: "By keys" });
  const page = await desk.open(context, "/entries/news/keys", { viewport: { width: 360, height: 740 } });
  await says(page, "Unpublished changes");
  await settle(page);
  assert.ok((await overflow(page)) <= 0);
  await button(page, "What differs").focus();
  await page.keyboard.press("Enter");
  await hasFocus(page.getByRole("dialog", { name: "What publishing changes" }));
  await page.keyboard.press("Escape");
  await button(page, "Publish").focus();
  await page.keyboard.press("Enter");
  await says(page, "On the site");
  await eventually(async () => (await entry("news/keys")).title, "By keys");
  assert.deepEqual(await auditAll(page), []);
});

flow("the home page shows what is mine, what waits, what comes, and who changed what", async (context) => {
  const { secret } = await world.issue("management", ["entries"], { label: "Ann" });
  const ann = async (method: string, path: string, body: object) => {
    const tokens = { token: secret, access_token: world.token.access };
    assert.ok((await world.send(method, path, { body: { ...body, ...tokens } })).status < 300);
  };
  await put("desk", { title: "Desk" });
  await put("desk/mine", { title: "A draft of mine", visibility: "draft" });
  for (const id of ["desk/hers", "desk/soon"]) await put(id, { title: id });
  await ann("PATCH", "/api/entries/staged", { id: "desk/hers", data: { title: "What Ann waits for" } });
  await ann("PATCH", "/api/entries/staged", { id: "desk/soon", data: { title: "What comes soon" } });
  await ann("POST", "/api/entries/publish", { id: "desk/soon", at: Math.floor(Date.now() / 1000) + 7200 });
  const page = await desk.open(context, "");
  await page.getByRole("heading", { name: "Home" }).waitFor();
  const box = (name: string) => page.getByRole("region", { name });
  await box("My work").getByRole("link", { name: "A draft of mine" }).waitFor();
  await box("Waiting for publication").getByRole("link", { name: "What Ann waits for" }).waitFor();
  await box("Goes live this week").getByRole("link", { name: "What comes soon" }).waitFor();
  await box("Changed last")
    .getByText(/by Ann$/)
    .first()
    .waitFor();
  await box("Changed by me").getByRole("link", { name: "A draft of mine" }).waitFor();
  await eventually(() => box("Changed by me").getByText("What Ann waits for").count(), 0);
  assert.deepEqual(await auditAll(page), []);
  await page.setViewportSize({ width: 360, height: 740 });
  await settle(page);
  assert.ok((await overflow(page)) <= 0);

  await page.setViewportSize({ width: 1280, height: 800 });
  await button(page, "New entry").press("Enter");
  await page.getByRole("dialog").getByLabel("Title").fill("Begun at home");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Begun at home" }).waitFor();
  await page.goBack();
  await box("Changed by me").getByRole("link", { name: "Begun at home" }).waitFor();
  await box("My work").getByRole("link", { name: "All work" }).click();
  const rows = page.getByRole("row");
  await rows.filter({ hasText: "What Ann waits for" }).waitFor();
  await page.getByText("Mine", { exact: true }).click();
  await rows.filter({ hasText: "What Ann waits for" }).waitFor({ state: "detached" });
  await rows.filter({ hasText: "A draft of mine" }).getByText("desk", { exact: true }).waitFor();
  await page.getByText("Scheduled", { exact: true }).first().click();
  await page.reload();
  await rows.filter({ hasText: "A draft of mine" }).waitFor({ state: "detached" });
  await page.getByText("All", { exact: true }).first().click();
  await rows.filter({ hasText: "What comes soon" }).waitFor();
});
