// Slow: it runs a browser.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before } from "node:test";
import type { Page } from "playwright-core";
import { eventually } from "../eventually.ts";
import { audit, auditAll, flow, hasFocus, overflow, read, skip, useDesk, write } from "./browser.ts";
import { translators } from "./translator.ts";

/** The form of a translation does what that of an entry does. Contract, part four, §24. */

/** A site that shows the language that it is asked for. */
const site = createServer(({ url = "" }, response) => {
  const { searchParams } = new URL(url, "http://site");
  response.setHeader("Content-Type", "text/html; charset=utf-8");
  response.end(`<title>Site</title><h1>In ${searchParams.get("in")}</h1>`);
});
await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
after(() => {
  site.closeAllConnections();
  site.close();
});

const desk = useDesk({
  locales: "en,de,ar",
  preview_url: `http://127.0.0.1:${(site.address() as AddressInfo).port}/{id}?in={locale}&token={token}`,
});
const { world } = desk;
const translator = translators(desk);
type Fields = Record<string, unknown>;
const put = (id: string, data: object) => write(world, "POST", "/api/entries", { id, data });
const translate = (id: string, data: object, more: object = {}) =>
  write(world, "PATCH", "/api/entries/translations", { id, locale: "de", data, ...more });
const stage = (id: string, data: object) => write(world, "PATCH", "/api/entries/staged", { id, locale: "de", data });
const says = async (id: string) => (await read<Fields>(world, "/api/entries", { id, locale: "de" })).title;
const staged = async (id: string) => (await read<Fields>(world, "/api/entries/staged", { id, locale: "de" })).title;
type Row = { locale: string; exists: boolean; name: string | null; visibility: string | null; staged: string[] };
const row = async (id: string) =>
  (await read<Row[]>(world, "/api/entries/translations", { id })).find(({ locale }) => locale === "de") as Row;

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
const shown = (page: Page, text: string) => page.getByText(text, { exact: true }).first().waitFor();
const german = (page: Page) => field(page, "Title in German");
const dialog = (page: Page, name: string) => page.getByRole("dialog", { name, exact: true });
const more = async (page: Page, opener: string, item: string) => {
  await button(page, opener).click();
  await page.getByRole("menuitem", { name: item, exact: true }).click();
};
const undo = (page: Page, done: string) =>
  page.locator(".undo-notice").filter({ hasText: done }).getByRole("button", { name: "Undo" }).click();
const fits = async (page: Page) => {
  await page.setViewportSize({ width: 360, height: 740 });
  assert.ok((await overflow(page)) <= 0, "it is wider than 360 px");
  await page.setViewportSize({ width: 1280, height: 800 });
};

before(async () => {
  if (!skip) await world.ready;
});

flow(
  "what is typed is kept in the browser, given back, and saved by itself where the person wants that",
  async (test) => {
    await put("kept", { title: "Kept" });
    await translate("kept", { title: "Behalten" });
    const page = await desk.open(test, "/entries/kept?locale=de");
    await german(page).fill("Getippt");
    await page.getByRole("heading", { name: "Getippt" }).waitFor();
    await page.goto(`${world.app.url}/admin`);
    const home = page.getByRole("region", { name: "Not saved yet" });
    await home.getByText(/^German, typed/).waitFor();
    await home.getByRole("link", { name: "Getippt" }).click();
    await shown(page, "Your unsaved changes are here again");
    await eventually(() => german(page).inputValue(), "Getippt");
    assert.deepEqual(await auditAll(page), []);
    await fits(page);
    await page.goto(`${world.app.url}/admin/entries/kept`);
    await eventually(() => field(page, "Title").inputValue(), "Kept");
    await eventually(() => page.getByText("Your unsaved changes are here again").count(), 0);
    await page.goto(`${world.app.url}/admin/entries/kept?locale=de`);
    await shown(page, "Your unsaved changes are here again");
    await button(page, "More actions").click();
    await page.getByRole("menuitemcheckbox", { name: "Save automatically" }).click();
    await shown(page, "Not saved: automatic saving waits for you");
    await button(page, "Throw them away").click();
    await dialog(page, "Throw away what is not saved?").getByRole("button", { name: "Throw away" }).click();
    await eventually(() => german(page).inputValue(), "Behalten");
    await german(page).fill("Von selbst");
    await shown(page, "Saved just now");
    await eventually(() => staged("kept"), "Von selbst");
    assert.equal(await says("kept"), "Behalten");
  },
);

flow("where two change the same field, the person decides", async (test) => {
  await put("both", { title: "Both" });
  await translate("both", { title: "Beide" });
  const page = await desk.open(test, "/entries/both?locale=de");
  await german(page).fill("Meins");
  await stage("both", { title: "Ihres" });
  await button(page, "Save draft").click();
  const asked = dialog(page, "Someone else saved meanwhile");
  await asked.getByText("Ihres", { exact: true }).waitFor();
  await asked.getByRole("button", { name: "Save yours on top" }).click();
  await shown(page, "Saved");
  await eventually(() => staged("both"), "Meins");
});

flow(
  "the path in a language is shown, changed and taken away, by the keyboard, and refused at its field",
  async (test) => {
    await put("news", { title: "News" });
    for (const id of ["news/one", "news/two"]) await put(id, { title: id });
    await translate("news", { title: "Neues" }, { name: "neues" });
    await translate("news/two", { title: "Zwei" }, { name: "zwei" });
    const page = await desk.open(test, "/entries/news/one?locale=de");
    await shown(page, "neues/one");
    await shown(page, "It can be changed once German is published.");
    await german(page).fill("Eins");
    await button(page, "Publish German").click();
    const change = button(page, "Change the path in German");
    await change.focus();
    await page.keyboard.press("Enter");
    const asked = dialog(page, "Path in German");
    const name = asked.getByLabel("Name in German");
    await hasFocus(name);
    await page.keyboard.type("zwei");
    await page.keyboard.press("Enter");
    await asked.getByText(/the entry "news\/two" has this name in de/).waitFor();
    await eventually(() => name.getAttribute("aria-invalid"), "true");
    assert.deepEqual(await auditAll(page), []);
    await fits(page);
    await name.fill("eins/zwei");
    await page.keyboard.press("Enter");
    await asked.getByText(/one segment of a path/).waitFor();
    await name.fill("eins");
    await page.keyboard.press("Enter");
    await shown(page, "neues/eins");
    await eventually(async () => (await row("news/one")).name, "eins");
    await german(page).fill("Getippt");
    await change.click();
    await name.fill("");
    await page.keyboard.press("Enter");
    await shown(page, "neues/one");
    await eventually(async () => (await row("news/one")).name, null);
    await eventually(() => german(page).inputValue(), "Getippt", "what is typed stays");
    await button(page, "Save draft").click();
    await shown(page, "Unpublished changes");
  },
);

flow("it is published later or taken back, unpublished, and each publication is undone", async (test) => {
  await put("later", { title: "Later" });
  const page = await desk.open(test, "/entries/later?locale=de");
  await german(page).fill("Später");
  await more(page, "More ways to publish", "Schedule…");
  await dialog(page, "Schedule publishing").getByRole("button", { name: "Schedule" }).click();
  await page.getByText(/^German goes live .* Until then nothing can be changed here\.$/).waitFor();
  await eventually(() => german(page).isEditable(), false);
  assert.deepEqual(await audit(page), []);
  await fits(page);
  await button(page, "Take back").click();
  await shown(page, "Unpublished changes");
  await button(page, "Publish German").click();
  await shown(page, "Published");
  assert.equal(await says("later"), "Später");
  await undo(page, "Published Später");
  await shown(page, "Unpublished changes");
  await eventually(() => german(page).inputValue(), "Später");
  await eventually(async () => (await row("later")).exists, false);
  assert.equal(await says("later"), "Later");
  await button(page, "Publish German").click();
  await shown(page, "Published");
  await german(page).fill("Bald");
  await button(page, "Publish German").click();
  await eventually(() => says("later"), "Bald");
  await undo(page, "Published Bald");
  await eventually(() => says("later"), "Später");
  await eventually(() => staged("later"), "Bald");
  await more(page, "More ways to publish", "Discard the changes…");
  await dialog(page, "Discard the unpublished changes?").getByRole("button", { name: "Discard changes" }).click();
  await shown(page, "Published");
  await more(page, "More ways to publish", "Unpublish");
  await shown(page, "Draft");
  await eventually(async () => (await row("later")).visibility, "draft");
  await undo(page, "Taken off the site: Später");
  await shown(page, "Published");
  await more(page, "More ways to publish", "Unpublish at…");
  await dialog(page, "Take it off the site").getByRole("button", { name: "Schedule" }).click();
  await page.getByText(/^German goes off the site/).waitFor();
  await button(page, "Take back").click();
  await shown(page, "Unpublished changes");
});

flow("its history is compared and restored, and it goes to the trash and comes back", async (test) => {
  await put("past", { title: "Past", note: "Source" });
  await translate("past", { title: "Gestern" });
  await translate("past", { title: "Heute", note: "Notiz" });
  const page = await desk.open(test, "/entries/past?locale=de");
  await button(page, "History").click();
  const history = dialog(page, "History of Heute in German");
  await history.getByRole("navigation", { name: "Versions" }).getByRole("button").nth(1).click();
  await history.locator("del", { hasText: "Gestern" }).waitFor();
  await history.locator("ins", { hasText: "Heute" }).waitFor();
  assert.deepEqual(await auditAll(page), []);
  await fits(page);
  await button(page, "Restore this").click();
  await eventually(() => german(page).inputValue(), "Gestern");
  await eventually(() => says("past"), "Gestern");
  await undo(page, "Restored the version of");
  await eventually(() => says("past"), "Heute");
  await eventually(() => german(page).inputValue(), "Heute");
  await more(page, "More actions", "Delete German");
  await shown(page, "Not translated");
  await eventually(() => german(page).inputValue(), "");
  await eventually(async () => (await row("past")).exists, false);
  assert.equal((await read<Fields>(world, "/api/entries", { id: "past" })).title, "Past");
  await undo(page, "Moved Heute in German to the trash");
  await shown(page, "Published");
  await eventually(() => german(page).inputValue(), "Heute");
});

flow("where an entry is public is asked with the languages, and set by who writes in all of them", async (test) => {
  await put("some", { title: "Some" });
  await translate("some", { title: "Manche" });
  const only = async () => {
    const query = { id: "some", token: world.token.management };
    return (await world.send("GET", "/api/entries/translations", { query })).json.only_locales;
  };
  const page = await desk.open(test, "/entries/some");
  await field(page, "Title").fill("Typed");
  await more(page, "More actions", "Where it is public…");
  const asked = dialog(page, "Where it is public");
  await asked.getByRole("radio", { name: "All languages" }).focus();
  await page.keyboard.press("ArrowDown");
  await eventually(() => asked.getByRole("button", { name: "Set" }).isDisabled(), true, "in some at least");
  await asked.getByRole("checkbox", { name: "German (de)" }).focus();
  await page.keyboard.press("Space");
  assert.deepEqual(await auditAll(page), []);
  await fits(page);
  await asked.getByRole("button", { name: "Set" }).click();
  await asked.waitFor({ state: "detached" });
  await eventually(only, ["de"]);
  await eventually(() => field(page, "Title").inputValue(), "Typed", "what is typed stays");
  await button(page, "Save draft").click();
  await shown(page, "Unpublished changes");
  await more(page, "More actions", "Where it is public…");
  await eventually(() => asked.getByRole("checkbox", { name: "German (de)" }).isChecked(), true);
  await asked.getByText("All languages").click();
  await asked.getByRole("button", { name: "Set" }).click();
  await eventually(only, null);
});

flow("the preview beside the form is in its language", async (test) => {
  await put("seen", { title: "Seen" });
  const page = await desk.open(test, "/entries/seen?locale=de");
  await button(page, "Preview").click();
  const pane = page.getByRole("region", { name: "Preview" });
  await pane.frameLocator("iframe").getByRole("heading", { name: "In de" }).waitFor();
  // The tooltip of the button is outside of all landmarks.
  await page.mouse.move(0, 0);
  assert.deepEqual(await audit(page), []);
  await fits(page);
  await page.goto(`${world.app.url}/admin/entries/seen`);
  await button(page, "Preview").click();
  await pane.frameLocator("iframe").getByRole("heading", { name: "In en" }).waitFor();
});

flow("a translator sees what he may do in his language, and nothing else", async (test) => {
  await put("own", { title: "Own" });
  await translate("own", { title: "Eigen" });
  await translate("own", { title: "Eigenes" });
  const page = await translator(test, ["de"]);
  await page.goto(`${world.app.url}/admin/entries/own?locale=de`);
  await german(page).fill("Mein Eigenes");
  await button(page, "Hand over").click();
  await shown(page, "Unpublished changes");
  await eventually(() => staged("own"), "Mein Eigenes");
  assert.equal(await says("own"), "Eigenes");
  for (const name of ["Publish German", "Preview", "Change the path in German"])
    await eventually(() => button(page, name).count(), 0, name);
  await button(page, "More ways to publish").click();
  await page.getByRole("menuitem", { name: "Discard the changes…" }).waitFor();
  await eventually(() => page.getByRole("menuitem").allTextContents(), ["Add to a release…", "Discard the changes…"]);
  await page.keyboard.press("Escape");
  await button(page, "More actions").click();
  await page.getByRole("menuitemcheckbox", { name: "Save automatically" }).waitFor();
  await eventually(() => page.getByRole("menuitem").count(), 0);
  await page.keyboard.press("Escape");
  await button(page, "History").click();
  const history = page.getByRole("dialog", { name: /^History of/ });
  await history.getByRole("navigation", { name: "Versions" }).getByRole("button").nth(1).click();
  await history.locator("del", { hasText: "Eigen" }).first().waitFor();
  await eventually(() => button(page, "Restore this").count(), 0);
  await page.keyboard.press("Escape");
  await page.goto(`${world.app.url}/admin/entries/own?locale=en`);
  await more(page, "More actions", "Where it is public…");
  const asked = dialog(page, "Where it is public");
  await asked.getByText("Only who publishes in every language says where an entry is public.").waitFor();
  await eventually(() => asked.getByRole("button", { name: "Set" }).isDisabled(), true);
  assert.deepEqual(await audit(page), []);
});
