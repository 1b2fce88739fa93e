// Slow: it runs a browser.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { eventually } from "../../eventually.ts";
import { auditAll, flow, overflow, read, settle, useDesk, write } from "../browser.ts";

/** Tables as files of spreadsheets, out and in; and one field of many entries. */

const desk = useDesk();
const { world } = desk;
type Fields = Record<string, unknown>;
const put = (id: string, data: object) => write(world, "POST", "/api/entries", { id, data });
const entry = (id: string) => read<Fields | undefined>(world, "/api/entries", { id });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

const kinds = {
  oneOf: [
    { const: "n", title: "News" },
    { const: "r", title: "Report" },
  ],
};
const properties = {
  sort: { title: "=Sort", ...kinds },
  pages: { type: "number", title: "Pages", minimum: -10 },
  author: { type: "string", format: "entry", title: "Author" },
  begins: { type: "string", format: "date-time", title: "Begins" },
  origin: { type: "object", title: "Origin", properties: { country: { type: "string", title: "Country" } } },
};

async function makeTexts(path: string): Promise<void> {
  const schema = { type: "object", properties };
  await write(world, "PUT", "/api/types", { id: path, title: path, paths: [`${path}/*`], schema });
  await put(`people-${path}/ted`, { title: "Ted Chiang" });
  const data = { title: "=1+1", sort: "n", pages: -3, author: `people-${path}/ted`, published_at: 1_782_892_800 };
  await put(`${path}/one`, { ...data, origin: { country: "PL", city: "Łódź" } });
  await put(`${path}/two`, { title: "Two", visibility: "draft" });
}

const menu = async (page: Page, name: string) => {
  await page.getByLabel("Select all").check();
  await button(page, "More for the selection").click();
  await page.getByRole("menuitem", { name }).click();
};

flow(
  "a table is exported with the columns that it shows, as stored or in words; nothing in it runs",
  async (context) => {
    await makeTexts("out");
    const page = await desk.open(context, "/entries/out?view=below&columns=sort,pages,author,published_at");
    await page.getByText("2 entries").waitFor();
    const exported = async (...marked: string[]) => {
      await menu(page, "Export as CSV…");
      const dialog = page.getByRole("dialog", { name: "Export 2 entries as CSV" });
      for (const name of marked) await dialog.getByLabel(name).check({ force: true });
      if (marked.length > 1) {
        assert.deepEqual(await auditAll(page), []);
        assert.equal(await overflow(page), 0);
        await page.setViewportSize({ width: 1280, height: 800 });
      }
      const saved = page.waitForEvent("download");
      await button(page, "Export 2 entries").click();
      const text = await readFile(await (await saved).path(), "utf8");
      await dialog.waitFor({ state: "detached" });
      return text.replace("\uFEFF", "").trim().split("\r\n");
    };
    const [head, ...lines] = await exported();
    assert.equal(head, "slug,title,sort,pages,author,published_at");
    assert.equal(
      lines.find((line) => line.startsWith("out/one")),
      "out/one,'=1+1,n,-3,people-out/ted,2026-07-01T08:00:00Z",
    );
    const [names, ...words] = await exported("Labels and titles in place of what is stored", "Those of the table");
    assert.equal(names, "Id,Title,'=Sort,Pages,Author,Published");
    assert.equal(
      words.find((line) => line.startsWith("out/one")),
      "out/one,'=1+1,News,-3,Ted Chiang,2026-07-01T08:00:00Z",
    );
  },
);

flow(
  "a file is imported: columns are mapped, what is refused is named by row, and then all or nothing",
  async (context) => {
    await makeTexts("in");
    const page = await desk.open(context, "/entries/in?view=below");
    await page.getByText("2 entries").waitFor();
    await button(page, "More actions").click();
    await page.getByRole("menuitem", { name: "Import CSV…" }).click();
    const dialog = page.getByRole("dialog", { name: "Import a CSV file below in" });
    const choose = async (text: string, name: string) => {
      const chooser = page.waitForEvent("filechooser");
      await dialog.getByRole("button", { name: / file…$/ }).click();
      await (await chooser).setFiles({ name, mimeType: "text/csv", buffer: Buffer.from(text) });
      await dialog.getByText(`${name}: `).waitFor();
    };
    await choose("Id;Title;=Sort;Pages\r\none;'=2+2;Report;1,5\r\nthree;Drei;Poem;x\r\n", "odd.csv");
    await dialog.getByText("Row 3, in/three: =Sort: “Poem” does not fit").waitFor();
    await eventually(() => button(page, "Import 2 rows").isDisabled(), true);

    // What only the service knows.
    await choose('title,Country,number\n"Fünf, sechs",DE,7\n,PL,8\n', "bad.csv");
    await dialog.getByText("Row 3: It has neither an id nor a title").waitFor();
    await choose("id,title,Country,number\ntwo,Drei,PL,8\none,'=2+2,DE,-50\n", "refused.csv");
    await dialog.getByLabel("Field of id").selectOption("Id");
    await eventually(() => dialog.getByLabel("Field of number").inputValue(), "");
    await dialog.getByLabel("Field of number").selectOption("Pages");
    await button(page, "Import 2 rows").click();
    await dialog.getByText("Row 3, in/one: Pages: Expected").waitFor();
    await eventually(async () => (await entry("in/two"))?.title, "Two", "nothing was written");
    assert.deepEqual(await auditAll(page), []);
    await page.setViewportSize({ width: 360, height: 800 });
    await settle(page);
    assert.equal(await overflow(page), 0);
    await page.setViewportSize({ width: 1280, height: 800 });

    await choose(
      "slug,title,origin.country,Pages,Begins\none,'=2+2,DE,7,2026-07-01T08:00:00Z\n,Drei Männer,PL,8,\n",
      "good.csv",
    );
    await button(page, "Import 2 rows").press("Enter");
    await page.getByText("New: 1. Changed: 1. As it was: 0.").waitFor();
    await dialog.waitFor({ state: "detached" });
    await eventually(async () => {
      const one = await entry("in/one");
      assert.partialDeepStrictEqual(one, { title: "=2+2", pages: 7, sort: "n", begins: "2026-07-01T08:00:00Z" });
      assert.deepEqual(one?.origin, { country: "DE", city: "Łódź" });
      assert.equal(one?.visibility, "visible");
    });
    const made = { title: "Drei Männer", pages: 8, origin: { country: "PL" }, visibility: "draft" };
    await eventually(async () => assert.partialDeepStrictEqual(await entry("in/drei-maenner"), made));
    await page.getByRole("link", { name: "Drei Männer" }).waitFor();
  },
);

flow("a field in a group, a date and a reference are changed of several, each with an undo", async (context) => {
  await makeTexts("many");
  const page = await desk.open(context, "/entries/many?view=below", { timezoneId: "UTC" });
  await page.getByText("2 entries").waitFor();
  const change = async (field: string, fill: () => Promise<void>, changed: string) => {
    await menu(page, "Change a field…");
    await page.getByRole("combobox", { name: "Field" }).fill(field);
    await fill();
    await button(page, "Change 2 entries").click();
    await page.getByText(`Changed ${changed} of 2 entries`).waitFor();
  };
  const undo = async () => {
    await button(page, "Undo").press("Enter");
    await page.getByText(/^Changed .* of 2 entries/).waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
  };
  const origins = async () => [(await entry("many/one"))?.origin, (await entry("many/two"))?.origin];
  const value = page.getByLabel("New value", { exact: true });
  await change("Country", () => value.fill("CZ"), "Country");
  await eventually(origins, [{ country: "CZ", city: "Łódź" }, { country: "CZ" }]);
  await undo();
  await eventually(origins, [{ country: "PL", city: "Łódź" }, undefined]);
  await change("Publish date", () => value.fill("2026-07-01T08:30"), "Publish date");
  await eventually(async () => (await entry("many/two"))?.published_at, Date.parse("2026-07-01T08:30Z") / 1000);
  await undo();
  const pick = async () => {
    await page.getByRole("dialog").getByRole("button", { name: "New value" }).click();
    await page.getByRole("textbox", { name: "Search titles and ids" }).fill("Ted");
    await page
      .getByRole("button", { name: /Ted Chiang people-many/ })
      .first()
      .click();
  };
  await change("Author", pick, "Author");
  await eventually(async () => (await entry("many/two"))?.author, "people-many/ted");
  await undo();
  await eventually(async () => (await entry("many/two"))?.author, undefined);
});
