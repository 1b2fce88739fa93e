// Slow: it runs a browser.
import assert from "node:assert/strict";
import { before } from "node:test";
import type { Page } from "playwright-core";
import { eventually } from "../eventually.ts";
import { auditAll, canType, flow, hasFocus, overflow, read, settle, skip, useDesk, write } from "./browser.ts";
import { countClicks } from "./clicks.ts";
import { clicksOf } from "./flows.ts";

/** Releases: what goes live together, and when. The flows count their clicks: docs/admin.md has the table. */

const desk = useDesk({ preview_url: "https://example.org/preview/{id}?token={token}" });
const { world } = desk;
type Fields = Record<string, unknown>;
type Release = { id: string; title: string; state: string; count: number };
const entry = (id: string) => read<Fields>(world, "/api/entries", { id });
const put = (id: string, data: object) => write(world, "POST", "/api/entries", { id, data });
const patch = (id: string, data: object) => write(world, "PATCH", "/api/entries", { id, data });
const stage = (id: string, data: object, release?: string) =>
  write(world, "PATCH", "/api/entries/staged", { id, data, ...(release !== undefined && { release }) });
const releases = () => read<Release[]>(world, "/api/releases", {});
const find = async (title: string) => (await releases()).find((each) => each.title === title) as Release;
const members = async (title: string) =>
  (await read<{ id: string }[]>(world, "/api/releases/entries", { id: (await find(title)).id })).map(({ id }) => id);

async function make(title: string): Promise<string> {
  await write(world, "POST", "/api/releases", { title });
  return (await find(title)).id;
}

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
const bar = (page: Page) => page.getByRole("region", { name: "Publishing" });
const says = (page: Page, text: string) => bar(page).getByText(text, { exact: true }).waitFor();
const undo = (page: Page) => page.getByRole("alert").getByRole("button", { name: "Undo" });
const state = (page: Page, text: string) =>
  page.locator("main .mantine-Badge-root", { hasText: text }).first().waitFor();
const add = (id: string, release: string) => write(world, "PATCH", "/api/entries/staged", { id, release });

async function more(page: Page, item: string): Promise<void> {
  await button(page, "More ways to publish").click();
  await page.getByRole("menuitem", { name: item, exact: true }).click();
}

async function choose(page: Page, from: string, to: string): Promise<void> {
  await button(page, `Release: ${from}`).click();
  await page.getByRole("menuitemradio", { name: to, exact: true }).click();
  await button(page, `Release: ${to}`).waitFor();
}

before(async () => {
  if (skip) return;
  await world.ready;
  const schema = { type: "object", properties: { lead: { type: "string" } }, required: ["lead"] };
  await write(world, "PUT", "/api/types", { id: "led", title: "Led", paths: ["led/*"], schema });
});

flow("without an open release nothing is chosen; one is made on its page, renamed and deleted", async (context) => {
  const page = await desk.open(context, "/releases");
  await page.getByText("No releases yet").waitFor();
  await eventually(() => page.getByRole("button", { name: /^Release: / }).count(), 0);
  await button(page, "New release").click();
  await canType(page);
  await page.keyboard.type("Autum");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Autum", level: 1 }).waitFor();
  await page.getByText("Nothing is in it yet").waitFor();
  await button(page, "Release: No release").waitFor();
  await button(page, "Actions for Autum").click();
  await page.getByRole("menuitem", { name: "Rename…" }).click();
  await page.getByLabel("Title").fill("Autumn");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Autumn", level: 1 }).waitFor();
  assert.deepEqual(await auditAll(page), []);
  await page.setViewportSize({ width: 1280, height: 800 });
  await button(page, "Actions for Autumn").click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No releases yet").waitFor();
  await page.getByRole("button", { name: /^Release: / }).waitFor({ state: "detached" });
  await eventually(releases, []);
});

flow(
  "what is saved goes into the chosen release, which is published in three clicks, and undone in one",
  async (context) => {
    await make("Spring");
    await put("news/harbour", { title: "The harbour" });
    const page = await desk.open(context, "/entries/news/harbour");
    await choose(page, "No release", "Spring");
    await bar(page).getByText("Saved drafts go into").waitFor();
    await field(page, "Title").fill("The new harbour");
    const clicks = await countClicks(page);
    await button(page, "Save draft").click();
    await says(page, "In a release");
    await eventually(() => bar(page).getByRole("button", { name: "Publish", exact: true }).count(), 0);
    await eventually(() => members("Spring"), ["news/harbour"]);
    assert.deepEqual(await auditAll(page), []);
    await page.setViewportSize({ width: 1280, height: 800 });
    await bar(page).getByRole("link", { name: "Spring" }).click();
    await page.getByRole("heading", { name: "Spring", level: 1 }).waitFor();
    await button(page, "Publish").click();
    await state(page, "Published");
    await eventually(clicks, clicksOf("Put a changed entry into the chosen release, and publish that"));
    await eventually(async () => (await entry("news/harbour")).title, "The new harbour");
    await eventually(
      () => page.getByRole("button", { name: /^Release: / }).count(),
      0,
      "nothing goes into it any more",
    );
    await undo(page).click();
    await state(page, "Open");
    await eventually(clicks, 3 + clicksOf("Undo a published release"));
    await eventually(async () => (await entry("news/harbour")).title, "The harbour");
    await eventually(() => members("Spring"), ["news/harbour"]);

    await button(page, "Release: Spring").waitFor();
    await page.reload();
    await button(page, "Release: Spring").waitFor();
    await page.goto(`${world.app.url}/admin/entries/news/harbour`);
    await field(page, "Title").fill("The newest harbour");
    await page.keyboard.press("Control+s");
    await bar(page)
      .getByText("Saved", { exact: true })
      .or(page.getByText("Saved", { exact: true }))
      .first()
      .waitFor();
    await eventually(async () => (await entry("news/harbour")).title, "The harbour");
    await button(page, "Take out of the release").click();
    await says(page, "Unpublished changes");
    await eventually(() => members("Spring"), []);
    await field(page, "Title").fill("The harbour of all");
    await button(page, "Publish").click();
    await says(page, "On the site");
    await eventually(
      async () => (await entry("news/harbour")).title,
      "The harbour of all",
      "one can still publish past it",
    );
    await choose(page, "Spring", "No release");
  },
);

flow("a new draft goes into the chosen release; a draft is added to one that is made for it", async (context) => {
  const page = await desk.open(context, "/entries/news/harbour");
  await choose(page, "No release", "Spring");
  await page.getByRole("button", { name: "New entry" }).click();
  const dialog = page.getByRole("dialog", { name: "New entry" });
  await dialog.getByLabel("Title").fill("Quay");
  await dialog.getByLabel("Id").fill("news/quay");
  await dialog.getByRole("button", { name: "Create" }).click();
  await says(page, "In a release");
  await eventually(() => members("Spring"), ["news/quay"]);
  await button(page, "Take out of the release").click();
  await says(page, "Nobody sees the entry on the site until it is published.");
  await choose(page, "Spring", "No release");

  const clicks = await countClicks(page);
  await more(page, "Add to a release…");
  await page.getByLabel("Release", { exact: true }).selectOption("New release…");
  await page.getByRole("dialog").getByLabel("Title").fill("Summer");
  await page.keyboard.press("Enter");
  await bar(page).getByRole("link", { name: "Summer" }).waitFor();
  await eventually(clicks, clicksOf("Make a release for an open draft"));
  await eventually(() => members("Summer"), ["news/quay"]);
});

flow("a selection is added in one batch, what cannot go into it is told, and that is undone", async (context) => {
  await put("few/draft", { title: "A draft", visibility: "draft" });
  await put("few/changed", { title: "Before" });
  await stage("few/changed", { title: "Changed" });
  await put("few/same", { title: "The same" });
  await put("few/elsewhere", { title: "Elsewhere" });
  await stage("few/elsewhere", { note: 1 }, (await find("Summer")).id);
  const page = await desk.open(context, "/entries/few?view=below");
  await page.getByLabel("Select all").check();
  await button(page, "More for the selection").click();
  await page.getByRole("menuitem", { name: "Add to a release…" }).click();
  const dialog = page.getByRole("dialog", { name: "Add 4 entries to a release" });
  await dialog.getByText("1 entry has no changes that could go live.").waitFor();
  await dialog.getByText("1 entry is in a release already.").waitFor();
  await dialog.getByLabel("Release", { exact: true }).selectOption("Spring");
  await dialog.getByRole("button", { name: "Add 2 entries" }).click();
  await undo(page).waitFor();
  await eventually(() => members("Spring"), ["few/changed", "few/draft"]);
  await undo(page).click();
  await undo(page).waitFor({ state: "detached" });
  await eventually(() => members("Spring"), []);
  const copies = await read<{ id: string }[]>(world, "/api/entries/staged/list", {});
  const few = copies.map(({ id }) => id).filter((id) => id.startsWith("few/"));
  assert.deepEqual(few, ["few/changed", "few/elsewhere"], "the draft has no copy, as before");

  // What is in a release neither goes live alone nor gets a time of its own.
  for (const id of ["few/changed", "few/draft"]) await add(id, (await find("Spring")).id);
  await page.reload();
  await page.getByLabel("Select all").check();
  const waits = page.getByRole("dialog").getByText("3 working copies wait for a time or a release.");
  await button(page, "Publish").click();
  await waits.waitFor();
  await hasFocus(page.getByRole("dialog"));
  await page.keyboard.press("Escape");
  await button(page, "More for the selection").click();
  await page.getByRole("menuitem", { name: "Schedule…" }).click();
  await waits.waitFor();
  await eventually(() => page.getByRole("dialog").getByText("1 draft").count(), 0);
});

flow("the page of a release says what differs, what is wrong and what is outdated", async (context) => {
  const id = await make("Campaign");
  await put("led/one", { title: "Without a lead", visibility: "draft" });
  await stage("led/one", { note: 1 }, id);
  await put("camp/old", { title: "Teh old" });
  await stage("camp/old", { title: "Teh newer" }, id);
  await patch("camp/old", { title: "The old" });
  const page = await desk.open(context, `/releases/${id}`);
  const faults = page.getByRole("alert").filter({ hasText: "It cannot be published yet" });
  await faults.getByText(/lead/).waitFor();
  await eventually(() => button(page, "Publish").isDisabled(), true);
  await page.getByText("Corrected on the site meanwhile: title").waitFor();
  assert.deepEqual(await auditAll(page), []);
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    assert.ok((await overflow(page)) <= 0, `wider than ${width}`);
  }
  await button(page, "What differs in Teh newer").click();
  const dialog = page.getByRole("dialog", { name: "What publishing changes" });
  await dialog.locator("ins", { hasText: "Teh newer" }).waitFor();
  await hasFocus(dialog);
  await page.keyboard.press("Escape");

  await faults.getByRole("link", { name: "Without a lead" }).click();
  await field(page, "lead *").fill("A lead");
  await button(page, "Save draft").click();
  await page.getByText("Saved", { exact: true }).first().waitFor();
  await page.goto(`${world.app.url}/admin/entries/camp/old`);
  await button(page, "Compare").click();
  await page.getByRole("dialog").getByText("Keep the site's").click();
  await button(page, "Keep these").click();
  await bar(page)
    .getByText(/^Changed on the site meanwhile/)
    .waitFor({ state: "detached" });
  await page.goto(`${world.app.url}/admin/releases/${id}`);
  await button(page, "Publish").click();
  await state(page, "Published");
  await eventually(async () => (await entry("led/one")).visibility, "visible");
});

flow(
  "a release is scheduled, frozen and taken back; an undo names what was changed since; all by keyboard",
  async (context) => {
    const id = await make("By keys");
    await put("keys/a", { title: "A" });
    await stage("keys/a", { title: "A2" }, id);
    await put("keys/b", { title: "B", visibility: "draft" });
    await add("keys/b", id);
    const page = await desk.open(context, `/releases/${id}`);
    const press = async (name: string): Promise<void> => {
      await button(page, name).focus();
      await page.keyboard.press("Enter");
    };
    await button(page, "Actions for A2").waitFor();
    await press("Schedule…");
    await page.getByLabel("Publish at").fill("2100-01-01T12:00:00");
    await page.keyboard.press("Enter");
    await state(page, "Scheduled");
    await eventually(() => button(page, "Actions for A2").count(), 0);
    await page.getByRole("link", { name: "A2" }).focus();
    await page.keyboard.press("Enter");
    await says(page, "Scheduled");
    await bar(page)
      .getByText(/^Until 1 Jan 2100/)
      .waitFor();
    await eventually(() => button(page, "Take back").count(), 0);
    await bar(page).getByRole("link", { name: "By keys" }).focus();
    await page.keyboard.press("Enter");
    await button(page, "Take back").waitFor();
    await press("Take back");
    await state(page, "Open");
    await press("Publish");
    await state(page, "Published");
    await eventually(
      async () => [(await entry("keys/a")).title, (await entry("keys/b")).visibility],
      ["A2", "visible"],
    );

    await patch("keys/b", { title: "B2" });
    await button(page.getByRole("main") as unknown as Page, "Undo").focus();
    await page.keyboard.press("Enter");
    const refused = page.getByRole("dialog", { name: "Nothing was changed" });
    await refused.getByRole("link", { name: "B2" }).waitFor();
    assert.deepEqual(await auditAll(page), []);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.keyboard.press("Escape");
    await button(page, "Actions for By keys").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "Delete…" }).press("Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).press("Enter");
    await page.getByRole("link", { name: "By keys" }).waitFor({ state: "detached" });
    await eventually(async () => (await entry("keys/a")).title, "A2");
  },
);

flow("a preview link shows the site as it is once the release is published", async (context) => {
  const id = await make("Previewed");
  await put("seen/in", { title: "Before" });
  await stage("seen/in", { title: "In it" }, id);
  await put("seen/out", { title: "Live" });
  await stage("seen/out", { title: "Not in it" });
  const page = await desk.open(context, `/releases/${id}`);
  await button(page, "What differs in In it").waitFor();
  await button(page, "Preview link…").click();
  await button(page, "Copy preview link").click();
  const line = await page.getByRole("dialog").locator("code").textContent();
  const [, token = ""] = /^https:\/\/example\.org\/preview\/seen\/in\?token=(\S+)$/.exec(line ?? "") ?? [];
  const title = async (of: string) =>
    ((await world.send("GET", "/api/entries", { query: { id: of, token } })).json.data as Fields).title;
  await eventually(async () => [await title("seen/in"), await title("seen/out")], ["In it", "Live"]);
  await page
    .getByRole("region", { name: "Links" })
    .getByRole("button", { name: /^Revoke/ })
    .click();
  await page.getByRole("region", { name: "Links" }).waitFor({ state: "detached" });
});

flow("the calendar has what goes live, is walked through by keys, and is a list on a phone", async (context) => {
  const at = Math.floor(new Date(new Date().getFullYear() + 1, 4, 14, 9, 30).getTime() / 1000);
  const id = await make("May campaign");
  await put("may/in", { title: "In May", visibility: "draft" });
  await add("may/in", id);
  await write(world, "POST", "/api/releases/publish", { id, at });
  await put("may/alone", { title: "Before" });
  await stage("may/alone", { title: "Alone in May" });
  await write(world, "POST", "/api/entries/publish", { id: "may/alone", at: at + 60 });
  await put("may/dated", { title: "Dated in May", published_at: at + 86_400 });
  const page = await desk.open(context, "/releases?view=calendar");
  const grid = page.getByRole("grid", { name: "What goes live" });
  await grid.locator('[aria-selected="true"]').focus();
  const month = new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric" }).format(at * 1000);
  while (!(await page.getByRole("heading", { name: month }).isVisible())) await page.keyboard.press("PageDown");
  const day = () => grid.locator('[aria-selected="true"]').getAttribute("data-day");
  const goal = `${new Date(at * 1000).getFullYear()}-05-14`;
  while (((await day()) ?? "") < goal) await page.keyboard.press("ArrowRight");
  while (((await day()) ?? "") > goal) await page.keyboard.press("ArrowLeft");
  const list = page.getByRole("region", { name: /14 May$/ });
  await list.getByRole("link", { name: "May campaign" }).waitFor();
  await list.getByRole("link", { name: "Alone in May" }).waitFor();
  await eventually(() => list.getByRole("listitem").count(), 2, "what is in a release is not there twice");
  await page.keyboard.press("ArrowRight");
  await page
    .getByRole("region", { name: /15 May$/ })
    .getByRole("link", { name: "Dated in May" })
    .waitFor();
  await page.keyboard.press("ArrowDown");
  await eventually(day, goal.replace("14", "22"));
  await eventually(
    () => page.evaluate(() => document.activeElement?.getAttribute("data-day")?.endsWith("-22")),
    assert.ok,
  );
  assert.deepEqual(await auditAll(page), []);

  await page.setViewportSize({ width: 360, height: 740 });
  await settle(page);
  await eventually(() => grid.count(), 0);
  for (const title of ["May campaign", "Alone in May", "Dated in May"])
    await page.getByRole("link", { name: title }).waitFor();
  assert.ok((await overflow(page)) <= 0);
  await page.goto(`${world.app.url}/admin/releases`);
  await page.getByRole("link", { name: "May campaign" }).waitFor();
  assert.deepEqual(await auditAll(page), []);
  assert.ok((await overflow(page)) <= 0);
  await page.getByRole("link", { name: "May campaign" }).click();
  await button(page, "Take back").waitFor();
  assert.ok((await overflow(page)) <= 0);
});
