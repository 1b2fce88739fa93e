// Slow: it runs a browser.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { eventually } from "../../eventually.ts";
import { audit, auditAll, flow, hasFocus, overflow, read, useDesk, write } from "../browser.ts";

/** Lists of entries in another language: how far each is translated, and what is done with several. Contract §24. */

const desk = useDesk({ locales: "en,de,ar" });
const { world } = desk;
type Fields = Record<string, unknown>;
const put = (id: string, data: object) => write(world, "POST", "/api/entries", { id, data });
const change = (id: string, data: object) => write(world, "PATCH", "/api/entries", { id, data });
const translate = (id: string, locale: string, data: object) =>
  write(world, "PATCH", "/api/entries/translations", { id, locale, data });
const stage = (id: string, locale: string, data: object) =>
  write(world, "PATCH", "/api/entries/staged", { id, locale, data });
const says = (id: string, locale: string) => read<Fields>(world, "/api/entries", { id, locale });
type Row = { locale: string; visibility: string | null; outdated: string[]; staged: string[] };
const rowOf = async (id: string, locale: string) =>
  (await read<Row[]>(world, "/api/entries/translations", { id })).find((row) => row.locale === locale) as Row;

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const row = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });
const select = (page: Page, name: string) =>
  page.getByRole("checkbox", { name: `Select ${name}`, exact: true }).check();
const dialog = (page: Page) => page.getByRole("dialog");

/** Clicks the button of the dialog; the list is as it is then. */
async function submit(page: Page, name: string): Promise<void> {
  await button(page, name).click();
  await dialog(page).waitFor({ state: "detached" });
}

/** In German: tea is done, jam outdated, milk and bread missing; bread has a working copy. */
async function shop(path: string): Promise<void> {
  await put(path, { title: "Shop" });
  for (const title of ["Tea", "Jam", "Milk", "Bread"]) await put(`${path}/${title.toLowerCase()}`, { title });
  await translate(`${path}/tea`, "de", { title: "Tee" });
  await translate(`${path}/jam`, "de", { title: "Marmelade" });
  await change(`${path}/jam`, { title: "Plum jam" });
  await stage(`${path}/bread`, "de", { title: "Brot" });
}

flow(
  "a list in another language says how far each entry is, and has those that are missing or outdated",
  async (context) => {
    await shop("one");
    const page = await desk.open(context, "/entries/one?view=below");
    const states = page.getByRole("combobox", { name: "State of the translation" });
    await row(page, "one/tea").waitFor();
    await eventually(() => states.count(), 0, "the source is not translated");
    await page.getByRole("combobox", { name: "Language", exact: true }).selectOption("de");
    await row(page, "one/tea").getByText("Done", { exact: true }).waitFor();
    await row(page, "one/jam").getByText("Outdated", { exact: true }).waitFor();
    await row(page, "one/milk").getByText("Missing", { exact: true }).waitFor();
    await row(page, "one/bread").getByText("Not published", { exact: true }).waitFor();
    assert.deepEqual(await auditAll(page), []);
    for (const width of [360, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      assert.ok((await overflow(page)) <= 0, `it is wider than ${width} px`);
      await row(page, "one/jam").getByText("Outdated", { exact: true }).waitFor();
    }
    await states.selectOption("outdated");
    await row(page, "one/tea").waitFor({ state: "detached" });
    await row(page, "one/jam").waitFor();
    await page.reload();
    await row(page, "one/jam").waitFor();
    await eventually(() => states.inputValue(), "outdated", "the address has it");
    await eventually(() => row(page, "one/tea").count(), 0);
    await states.selectOption("missing");
    await row(page, "one/milk").waitFor();
    await page.getByRole("combobox", { name: "Language", exact: true }).selectOption("en");
    await row(page, "one/tea").waitFor();
    await eventually(() => page.url(), `${world.app.url}/admin/entries/one?view=below&locale=en`);
  },
);

flow(
  "several are published in a language, by keys, and taken off the site again; the source stays",
  async (context) => {
    await shop("two");
    const page = await desk.open(context, "/entries/two?view=below&locale=de");
    const box = page.getByRole("checkbox", { name: "Select all", exact: true });
    await box.focus();
    await page.keyboard.press("Space");
    await button(page, "Publish German").focus();
    await page.keyboard.press("Enter");
    await dialog(page).getByText("1 working copy").waitFor();
    await dialog(page).getByText("3 entries stay as they are: nothing to publish.").waitFor();
    assert.deepEqual(await audit(page), []);
    await button(page, "Publish German: 1 entry").focus();
    await page.keyboard.press("Enter");
    await eventually(async () => (await says("two/bread", "de")).title, "Brot");
    await hasFocus(box);
    await row(page, "two/bread").getByText("Done", { exact: true }).waitFor();
    await box.check();
    await button(page, "Unpublish German").click();
    await submit(page, "Unpublish German: 3 entries");
    await page.getByText("Unpublished in German:").waitFor();
    for (const id of ["two/tea", "two/jam", "two/bread"])
      await eventually(async () => (await rowOf(id, "de")).visibility, "draft");
    assert.equal((await says("two/tea", "en")).visibility, "visible");
    await button(page, "Undo").click();
    await eventually(async () => (await rowOf("two/tea", "de")).visibility, "visible");
    await eventually(async () => (await rowOf("two/bread", "de")).visibility, "visible");
  },
);

flow(
  "what still fits is said of several, drafts go live, and changes of one language are discarded",
  async (context) => {
    await shop("three");
    await translate("three/milk", "de", { title: "Milch", visibility: "draft" });
    await stage("three/tea", "ar", { title: "شاي" });
    await stage("three/tea", "de", { title: "Schwarzer Tee" });
    const page = await desk.open(context, "/entries/three?view=below&locale=de");
    const all = page.getByRole("checkbox", { name: "Select all", exact: true });
    await all.check();
    await button(page, "Still right").click();
    await dialog(page).getByText("3 entries stay as they are: not outdated.").waitFor();
    await submit(page, "Still right: 1 entry");
    await eventually(async () => (await rowOf("three/jam", "de")).outdated, []);
    await all.check();
    await button(page, "Discard changes").click();
    await submit(page, "Discard changes: 2 entries");
    await eventually(async () => (await rowOf("three/tea", "de")).staged, []);
    await eventually(async () => (await rowOf("three/bread", "de")).staged, []);
    assert.deepEqual((await rowOf("three/tea", "ar")).staged, ["title"], "another language keeps its own");
    await all.check();
    await button(page, "Publish German").click();
    await submit(page, "Publish German: 1 entry");
    await eventually(async () => (await rowOf("three/milk", "de")).visibility, "visible");
  },
);

flow(
  "the copies of a language go into a release, and what is of all languages is done in the source's list",
  async (context) => {
    await shop("four");
    await write(world, "POST", "/api/releases", { title: "In autumn" });
    const page = await desk.open(context, "/entries/four?view=below&locale=de");
    await select(page, "Bread");
    await select(page, "Tee");
    for (const name of ["Move to…", "Delete"]) await eventually(() => button(page, name).count(), 0);
    await button(page, "Add to a release…").click();
    await dialog(page).getByText("1 entry has no changes that could go live.").waitFor();
    await button(page, "Add 1 entry").click();
    await page.getByText("Added to In autumn:").waitFor();
    type Copy = { id: string; locale?: string; release?: string };
    const copies = async () =>
      (await read<Copy[]>(world, "/api/entries/staged/list", {})).filter(({ id }) => id === "four/bread");
    await eventually(
      async () => (await copies()).map(({ locale, release }) => [locale, release !== undefined]),
      [["de", true]],
    );
    await button(page, "Undo").click();
    await eventually(
      async () => (await copies()).map(({ locale, release }) => [locale, release !== undefined]),
      [["de", false]],
    );
  },
);
