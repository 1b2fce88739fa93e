// Slow: it runs a browser.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { before } from "node:test";
import type { Page } from "playwright-core";
import { eventually } from "../eventually.ts";
import { auditAll, flow, overflow, read, skip, useDesk, write } from "./browser.ts";
import { countClicks } from "./clicks.ts";
import { clicksOf } from "./flows.ts";
import { translators } from "./translator.ts";

/** Languages on the admin page. Contract, part four, §24. */

const desk = useDesk({ locales: "en,de,ar" });
const { world } = desk;
type Fields = Record<string, unknown>;
const put = (id: string, data: object) => write(world, "POST", "/api/entries", { id, data });
const change = (id: string, data: object) => write(world, "PATCH", "/api/entries", { id, data });
const translate = (id: string, locale: string, data: object) =>
  write(world, "PATCH", "/api/entries/translations", { id, locale, data });
const says = (id: string, locale: string) => read<Fields>(world, "/api/entries", { id, locale });
const staged = (id: string, locale: string) => read<Fields>(world, "/api/entries/staged", { id, locale });
type Row = { locale: string; outdated: string[]; missing: string[]; staged: string[] };
const rowOf = async (id: string, locale: string) =>
  (await read<Row[]>(world, "/api/entries/translations", { id })).find((row) => row.locale === locale) as Row;

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
const translator = translators(desk);
const part = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const language = (page: Page) => page.getByRole("combobox", { name: "Language", exact: true });

before(async () => {
  if (skip) return;
  await world.ready;
  const text = { title: "Text", type: "string", maxLength: 5000, "x-octavo-localized": true };
  const schema = {
    type: "object",
    properties: {
      title: { title: "Title", type: "string", "x-octavo-localized": "required" },
      text,
      tags: { title: "Tags", type: "array", items: { type: "string" }, "x-octavo-localized": true },
      price: { title: "Price", type: "number" },
    },
  };
  await write(world, "PUT", "/api/types", { id: "offer", title: "Offer", schema, paths: ["offers/*"] });
});

flow("a field is translated beside its source, and published in its language", async (context) => {
  await put("offers/a", { title: "Bicycle", text: "Fast.\nLight.", price: 3 });
  const page = await desk.open(context, "/entries/offers/a");
  await language(page).selectOption("de");
  await page.getByText("Not translated", { exact: true }).waitFor();
  await eventually(() => page.url(), `${world.app.url}/admin/entries/offers/a?locale=de`);
  await eventually(() => part(page, "Title").getByText("Missing").count(), 1);
  await eventually(() => part(page, "Price").count(), 0, "what all languages share is not shown");
  await field(page, "Title in German").fill("Fahrrad");
  await button(page, "Save draft").click();
  await part(page, "Title").getByText("Not published").waitFor();
  await eventually(async () => (await says("offers/a", "de")).title, "Bicycle");
  await button(page, "Copy from the source: Text").click();
  await eventually(() => field(page, "Text in German").inputValue(), "Fast.\nLight.");
  await button(page, "Publish German").click();
  await part(page, "Title").getByText("Done").waitFor();
  await eventually(async () => {
    const { title, text, price } = await says("offers/a", "de");
    assert.deepEqual([title, text, price], ["Fahrrad", "Fast.\nLight.", 3]);
  });
  assert.equal((await says("offers/a", "en")).title, "Bicycle");
  await language(page).selectOption("en");
  await button(page, "Publish English").waitFor();
});

flow(
  "a translator finds in few clicks what is outdated, sees what changed, translates it and hands it over",
  async (context) => {
    await put("offers/old", { title: "Boat", text: "Slow.", price: 1 });
    await translate("offers/old", "de", { title: "Boot", text: "Langsam." });
    await change("offers/old", { title: "Sail boat", text: "Very slow." });
    const page = await translator(context, ["de"]);
    await page.goto(`${world.app.url}/admin/entries/offers?view=below`);
    const link = page.getByRole("link", { name: "Boot", exact: true });
    await link.waitFor();
    const clicks = await countClicks(page);
    await link.click();
    await part(page, "Title").getByText("Outdated").waitFor();
    await part(page, "Title").locator("ins", { hasText: "Sail boat" }).waitFor();
    await part(page, "Text").locator("del", { hasText: "Slow" }).waitFor();
    await button(page, "Still right: Text").click();
    await part(page, "Text").getByText("Not published").waitFor();
    await field(page, "Title in German").click();
    await field(page, "Title in German").fill("Segelboot");
    await button(page, "Hand over").click();
    await part(page, "Title").getByText("Not published").waitFor();
    await eventually(clicks, clicksOf("Update two fields of an outdated translation, from the list to the hand-over"));
    await eventually(async () => (await rowOf("offers/old", "de")).staged.toSorted(), ["text", "title"]);
    assert.equal((await says("offers/old", "de")).title, "Boot");
    await eventually(() => page.getByRole("button", { name: /^Publish/ }).count(), 0);
    await write(world, "POST", "/api/entries/publish", { id: "offers/old", locale: "de" });
    await eventually(async () => (await rowOf("offers/old", "de")).outdated, []);
    assert.deepEqual(await auditAll(page), []);
    for (const width of [360, 1440, 3840]) {
      await page.setViewportSize({ width, height: 800 });
      assert.ok((await overflow(page)) <= 0, `it is wider than ${width} px`);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await language(page).selectOption("ar");
    await field(page, "Title in Arabic").waitFor();
    await eventually(() => field(page, "Title in Arabic").isEditable(), false);
    await language(page).selectOption("en");
    await eventually(() => field(page, "Title").isEditable(), false, "the source is not theirs");
  },
);

flow("the list of a section opens its entries in the language that is chosen", async (context) => {
  await put("shop", { title: "Shop" });
  await put("shop/tea", { title: "Tea" });
  await put("shop/jam", { title: "Jam" });
  await translate("shop/tea", "de", { title: "Tee" });
  const page = await desk.open(context, "/entries/shop?view=below");
  await page.getByRole("checkbox", { name: "Select Tea" }).waitFor();
  await language(page).selectOption("de");
  await page.getByRole("link", { name: "Tee", exact: true }).click();
  await field(page, "Title in German").waitFor();
  await button(page, "Previous entry").click();
  await part(page, "Title").getByText("Jam").waitFor();
  await page.getByTitle("Back to the list").click();
  await eventually(() => language(page).inputValue(), "de");
});

flow("the sections lead to what is missing, and files of translators go out and come back", async (context) => {
  await put("tours", { title: "Tours" });
  await put("tours/a", { title: "Alps" });
  await put("tours/b", { title: "Bay" });
  await translate("tours/a", "de", { title: "Alpen" });
  const page = await desk.open(context, "/translations");
  await page.getByRole("link", { name: "Tours: 2 of 3 missing in German" }).click();
  await eventually(() => page.getByRole("link", { name: "Alps", exact: true }).count(), 0);
  await page.getByRole("link", { name: "Bay", exact: true }).waitFor();
  assert.deepEqual(await auditAll(page), []);
  await page.setViewportSize({ width: 360, height: 740 });
  assert.ok((await overflow(page)) <= 0);
  await page.setViewportSize({ width: 1280, height: 800 });
  await button(page, "Export").click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: "XLIFF 1.2" }).click(),
  ]);
  const text = await readFile(await download.path(), "utf8");
  assert.match(text, /<source[^>]*>Bay<\/source>/);
  const translated = text.replace(
    /(<source[^>]*>Bay<\/source>)(?:\s*<target.*?(?:\/>|<\/target>))?/s,
    '$1<target state="translated">Bucht</target>',
  );
  await page
    .locator("input[type=file]")
    .setInputFiles({ name: "de.xlf", mimeType: "application/xliff+xml", buffer: Buffer.from(translated) });
  const dialog = page.getByRole("dialog", { name: "What the file brought" });
  await dialog.getByText("1 text translated, not published yet.").waitFor();
  assert.deepEqual(await auditAll(page), []);
  await page.keyboard.press("Escape");
  await eventually(async () => (await staged("tours/b", "de")).title, "Bucht");
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole("radio", { name: "Not published" }).locator("xpath=following-sibling::label").click();
  await page.getByRole("link", { name: "Bay", exact: true }).waitFor();
  await page.getByRole("link", { name: "Work", exact: true }).click();
  await page.getByRole("row", { name: /Bay.*German|Bucht.*German/ }).waitFor();
});

flow("Arabic writes from the right, and everything is reached by keys", async (context) => {
  await put("plain", { title: "Hello", note: "Short", content: "Long" });
  const page = await desk.open(context, "/entries/plain?locale=ar");
  const title = field(page, "Title in Arabic");
  await eventually(() => title.getAttribute("dir"), "rtl");
  await eventually(() => title.getAttribute("lang"), "ar");
  await eventually(() => page.locator(".cm-content").getAttribute("dir"), "rtl");
  await title.focus();
  await page.keyboard.type("مرحبا");
  await page.keyboard.press("Control+s");
  await part(page, "Title").getByText("Not published").waitFor();
  await eventually(async () => (await staged("plain", "ar")).title, "مرحبا");
  const copy = button(page, "Copy from the source: note");
  await copy.focus();
  await page.keyboard.press("Enter");
  await eventually(() => field(page, "note in Arabic").inputValue(), "Short");
  assert.deepEqual(await auditAll(page), []);
  await page.setViewportSize({ width: 1280, height: 800 });
  await button(page, "Publish Arabic").focus();
  await page.keyboard.press("Enter");
  await part(page, "note").getByText("Done").waitFor();
  await eventually(async () => (await says("plain", "ar")).note, "Short");
});

flow(
  "what is typed is not lost when somebody else changes the translation or the language is switched",
  async (context) => {
    await put("both", { title: "One", note: "Two" });
    await translate("both", "de", { title: "Eins", note: "Zwei" });
    const page = await desk.open(context, "/entries/both?locale=de");
    await field(page, "note in German").fill("Zwo");
    await write(world, "PATCH", "/api/entries/staged", { id: "both", locale: "de", data: { title: "Ein" } });
    await button(page, "Save draft").click();
    await page.getByText("Someone else changed this translation meanwhile").waitFor();
    await eventually(() => field(page, "Title in German").inputValue(), "Ein");
    await eventually(() => field(page, "note in German").inputValue(), "Zwo");
    await language(page).selectOption("ar");
    await page.getByRole("dialog", { name: "Leave without saving?" }).getByRole("button", { name: "Cancel" }).click();
    await button(page, "Save draft").click();
    await part(page, "note").getByText("Not published").waitFor();
    await eventually(async () => {
      const { title, note } = await staged("both", "de");
      assert.deepEqual([title, note], ["Ein", "Zwo"]);
    });
    await button(page, "More ways to publish").click();
    await page.getByRole("menuitem", { name: "Discard the changes…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Discard changes" }).click();
    await eventually(() => field(page, "note in German").inputValue(), "Zwei");
    await eventually(() => part(page, "Title").getByText("Done").count(), 1);
  },
);

flow("a release has the copy of a language beside that of the source, and lets go of that alone", async (context) => {
  await put("spring", { title: "Spring" });
  await write(world, "POST", "/api/releases", { title: "In spring" });
  const [release] = await read<{ id: string }[]>(world, "/api/releases", {});
  const stage = (more: object) =>
    write(world, "PATCH", "/api/entries/staged", { id: "spring", release: release?.id, ...more });
  await stage({ data: { title: "Early spring" } });
  await stage({ data: { title: "Frühling" }, locale: "de" });
  const page = await desk.open(context, `/releases/${release?.id}`);
  const row = page.getByRole("row", { name: /German/ });
  await row.getByRole("button", { name: /^What differs in/ }).click();
  const dialog = page.getByRole("dialog", { name: "What publishing changes" });
  await dialog.locator("ins", { hasText: "Frühling" }).waitFor();
  await page.keyboard.press("Escape");
  await row.getByRole("button").last().click();
  await page.getByRole("menuitem", { name: "Take out of the release" }).click();
  await row.waitFor({ state: "detached" });
  type Copy = { locale?: string; release?: string };
  const copies = await read<(Copy & { id: string })[]>(world, "/api/entries/staged/list", {});
  const own = copies.filter(({ id }) => id === "spring");
  assert.deepEqual(
    own.map(({ locale, release: into }) => [locale, into]),
    [
      [undefined, release?.id],
      ["de", undefined],
    ],
  );
});

flow("the editor of a type says which fields are translated", async (context) => {
  const schema = { type: "object", properties: { motto: { title: "Motto", type: "string" } } };
  await write(world, "PUT", "/api/types", { id: "shield", title: "Shield", schema, paths: ["shields/*"] });
  const page = await desk.open(context, "/types/shield");
  await page.getByRole("button", { name: /Motto/ }).first().click();
  await page.getByRole("combobox", { name: "Languages", exact: true }).selectOption("required");
  await button(page, "Save").click();
  await page.getByText("Saved", { exact: true }).waitFor();
  type Type = { id: string; schema: { properties: { motto: object } } };
  const types = await read<Type[]>(world, "/api/types", {});
  assert.deepEqual(types.find(({ id }) => id === "shield")?.schema.properties.motto, {
    title: "Motto",
    type: "string",
    "x-octavo-localized": "required",
  });
});
