// Slow: it runs a browser.
import assert from "node:assert/strict";
import { before } from "node:test";
import type { Page } from "playwright-core";
import { openDatabase } from "../database.ts";
import { eventually } from "../eventually.ts";
import { temporaryFolder } from "../harness.ts";
import { auditAll, canType, flow, overflow, settle, signIn, skip, useDesk, write } from "./browser.ts";

/** The content types: their list, their editor, and what a check finds. */

const data = temporaryFolder();
const desk = useDesk({ data });
const { world } = desk;
const hostile = "<img src=x onerror=alert(1)> \u202etitle";

const put = (id: string, data: object) => write(world, "POST", "/api/entries", { id, data });
const putType = (type: object) => write(world, "PUT", "/api/types", type);

/** The type as the service answers it, as text. */
const storedText = async (id: string): Promise<string> =>
  (await world.send("GET", "/api/types", { query: { id, token: world.token.management } })).text;
const stored = async (id: string): Promise<Record<string, unknown>> => JSON.parse(await storedText(id)).data;
const schemaOf = async (id: string) => (await stored(id)).schema as Record<string, Record<string, unknown>>;

before(async () => {
  if (skip) return;
  await world.ready;
  for (const [i, price] of [5, "dear", -1].entries())
    await put(`concerts/${i}`, { title: `Concert ${i}`, price, venue: i });
  await putType({ id: "hostile", title: hostile, paths: ["hostile/**"], schema: { properties: { [hostile]: {} } } });
});

const card = (page: Page, name: string) =>
  page
    .locator(".field-card")
    .filter({ has: page.getByRole("button", { name: `Remove the field ${name}`, exact: true }) });
const open = async (page: Page, name: string) => {
  const button = card(page, name).locator(".field-open").first();
  if ((await button.getAttribute("aria-expanded")) === "false") await button.click();
};
const save = async (page: Page) => {
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Unsaved changes").waitFor({ state: "detached" });
};

flow("a type is made without JSON: fields added, named, ordered by keys and by drag, required", async (context) => {
  const page = await desk.open(context, "/types");
  await page.getByText(hostile).waitFor();
  await page.getByRole("button", { name: "New type" }).click();
  await page.getByRole("textbox", { name: "Title" }).fill("Festival");
  await eventually(() => page.getByLabel("Id").inputValue(), "festival");
  await page.getByLabel("Paths").fill("festivals/*\n\n festivals/*/* ");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { name: "Festival" }).waitFor();
  const add = page.getByRole("button", { name: "Add a field", exact: true });
  await add.click();
  await canType(page);
  await page.keyboard.type("Days");
  await card(page, "days").getByRole("combobox", { name: "Kind" }).click();
  await page.getByRole("option", { name: "Whole number" }).click();
  await card(page, "days").getByLabel("At least", { exact: true }).fill("1");
  await card(page, "days").getByLabel("Default").fill("3");
  await card(page, "days").getByRole("switch", { name: "Required" }).click({ force: true });
  // The name follows the title, until it is typed.
  await page.getByRole("button", { name: "Insert a field below title" }).click();
  await canType(page);
  await page.keyboard.type("Groups");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("bands");
  await page.keyboard.press("Enter");
  await card(page, "bands").getByLabel("Title").fill("Bands");
  await card(page, "bands").getByRole("combobox", { name: "Kind" }).click();
  await page.getByRole("option", { name: "Group of fields" }).click();
  await card(page, "bands").getByRole("switch", { name: "A list of these: bands" }).click({ force: true });
  await page.getByRole("button", { name: "Add a field to bands" }).click();
  await canType(page);
  await page.keyboard.type("Name");
  // By keys.
  await page.getByRole("button", { name: "Move bands up" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("bands is now field 1 of 3").waitFor({ state: "attached" });
  // By drag.
  const goal = card(page, "title").locator(".field-head").first();
  await card(page, "days")
    .locator(".field-grip")
    .first()
    .dragTo(goal, { targetPosition: { x: 60, y: 3 } });
  await save(page);
  await page.getByText("Saved", { exact: true }).waitFor();
  await eventually(() => stored("festival"), {
    id: "festival",
    title: "Festival",
    description: "",
    paths: ["festivals/*", "festivals/*/*"],
    schema: {
      type: "object",
      properties: {
        bands: {
          type: "array",
          title: "Bands",
          items: { type: "object", properties: { name: { type: "string", title: "Name" } } },
        },
        days: { type: "integer", title: "Days", minimum: 1, default: 3 },
        title: { type: "string", title: "Title" },
      },
      required: ["days"],
    },
    mode: "enforce",
  });
  await eventually(async () => Object.keys((await schemaOf("festival")).properties ?? {}), ["bands", "days", "title"]);
  await page.getByRole("button", { name: "Remove the field days" }).click();
  await page.getByText("Removed the field").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await card(page, "days").waitFor();
  await eventually(() => page.getByText("Unsaved changes").count(), 0, "undo puts it back as it was");
});

flow("the change of one field keeps all that the fields do not show, byte for byte", async (context) => {
  const schema =
    '{"$comment":"kept","type":"object","$defs":{"z":{"type":"string"},"a":{"minimum":1.50}},"required":["title"],' +
    '"properties":{"title":{"x-mine":[1,{"b":2,"a":1e2}],"type":"string","maxLength":12345678901234567890},' +
    '"home":{"$ref":"#/$defs/z"},"odd":{"type":["string","null"]}},"additionalProperties":true,"x-last":{"y":1,"x":2}}';
  await putType({ id: "foreign", title: "Foreign", paths: ["foreign/*"], schema });
  const before = await storedText("foreign");
  assert.ok(before.includes(schema));
  const page = await desk.open(context, "/types/foreign");
  await open(page, "title");
  await card(page, "title").getByLabel("Help text").fill("A name");
  await save(page);
  await eventually(
    () => storedText("foreign"),
    before.replace('"maxLength":12345678901234567890}', '"maxLength":12345678901234567890,"description":"A name"}'),
  );
  // The JSON beside is the same document.
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+End");
  await page.keyboard.press("Backspace");
  await page.getByText("The JSON cannot be read").waitFor();
  await eventually(() => page.getByRole("button", { name: "Save", exact: true }).isDisabled(), true);
  await eventually(() => card(page, "title").getByLabel("Help text").isDisabled(), true);
  await page.keyboard.type(', "x-typed": 1.0}');
  await page.getByText("The JSON cannot be read").waitFor({ state: "detached" });
  await save(page);
  await eventually(() => storedText("foreign"), /"x-last":\{"y":1,"x":2\},"x-typed":1\.0\},"mode"/);
});

flow("a schema that is not understood is shown as JSON alone", async (context) => {
  for (const [id, schema] of Object.entries({ never: false, odd: { type: "array", items: {} } })) {
    await putType({ id, schema });
    const before = await storedText(id);
    const page = await desk.open(context, `/types/${id}`);
    await page.getByText("It is edited as JSON").waitFor();
    await page.getByLabel("Title").fill("Named");
    await save(page);
    await eventually(() => storedText(id), before.replace('"title":""', '"title":"Named"'));
  }
});

flow("before it is saved, a type says which entries it would refuse; saving stays possible", async (context) => {
  await putType({
    id: "concert",
    title: "Concert",
    paths: ["concerts/*"],
    schema: { type: "object", properties: { price: {}, title: { type: "string" } } },
  });
  const page = await desk.open(context, "/types/concert");
  await page.getByRole("button", { name: "Check entries" }).click();
  await page.getByText("All 3 entries of this type fit.").waitFor();
  await page.getByRole("button", { name: "Close" }).last().click();
  await open(page, "price");
  await card(page, "price").getByLabel("Schema of price").fill('{"type":"number"}');
  await card(page, "price").getByLabel("At least", { exact: true }).fill("0");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Save the type" });
  await dialog.getByText("2 of 3 entries").waitFor();
  await dialog.getByText('price was "dear"; expected number').waitFor();
  await eventually(
    () => dialog.getByRole("link", { name: "Concert 2" }).getAttribute("href"),
    "/admin/entries/concerts/2",
  );
  assert.deepEqual(await auditAll(page), []);
  await page.setViewportSize({ width: 360, height: 740 });
  await settle(page);
  assert.equal(await overflow(page), 0);
  await dialog.getByRole("button", { name: "Go on editing" }).click();
  await eventually(async () => (await schemaOf("concert")).properties?.price, {}, "nothing is stored");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await dialog.getByRole("button", { name: "Save all the same" }).click();
  await page.getByText("Unsaved changes").waitFor({ state: "detached" });
  await eventually(async () => (await schemaOf("concert")).properties?.price, { type: "number", minimum: 0 });
  // The same list for the stored type, from the list of types.
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`${world.app.url}/admin/types`);
  await page.getByRole("button", { name: "Actions for Concert" }).click();
  await page.getByRole("menuitem", { name: "Entries with faults" }).click();
  await page.getByRole("heading", { name: "Entries with faults: Concert" }).waitFor();
  await page.getByText("2 of 3 entries").waitFor();
  assert.deepEqual(await auditAll(page), []);
});

flow(
  "a refused schema is said at its place; the renamed field, a conflict and the leaving are said",
  async (context) => {
    const schema = { type: "object", properties: { venue: { type: "string" }, note: { type: "string" } } };
    await putType({ id: "place", title: "Place", schema });
    const page = await desk.open(context, "/types/place");
    await open(page, "note");
    await card(page, "note").getByLabel("Pattern").fill("(?<=a)b");
    await card(page, "note").locator(".field-open").click();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("The schema is wrong at /properties/note/pattern").waitFor();
    await card(page, "note").getByRole("alert").waitFor();
    await card(page, "note").getByLabel("Pattern").fill("");
    await open(page, "venue");
    await card(page, "venue").getByLabel("Name").fill("note");
    await card(page, "venue").getByText("There is a field of this name already").waitFor();
    await card(page, "venue").getByLabel("Name").fill("hall");
    await page.keyboard.press("Enter");
    await card(page, "hall").getByText("Entries have it as venue").waitFor();
    await page.getByRole("link", { name: "Entries" }).click();
    await page.getByRole("dialog", { name: "Leave without saving?" }).getByRole("button", { name: "Cancel" }).click();
    await putType({ id: "place", title: "Theirs", schema });
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page
      .getByRole("button", { name: "Save all the same" })
      .or(page.getByRole("button", { name: "Take theirs" }))
      .first()
      .waitFor();
    const conflict = page.getByRole("dialog", { name: "Someone else saved meanwhile" });
    await conflict.waitFor();
    await eventually(async () => (await stored("place")).title, "Theirs");
    await conflict.getByRole("button", { name: "Replace it by yours" }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    await eventually(async () => (await stored("place")).title, "Place");
    await eventually(async () => Object.keys((await schemaOf("place")).properties ?? {}), ["hall", "note"]);
  },
);

flow("a renamed and a removed field ask what becomes of them in entries, and come back by undo", async (context) => {
  const properties = {
    author: { type: "string" },
    old: { type: "string" },
    seo: { type: "object", properties: { t: {} } },
  };
  const schema = { type: "object", properties, required: ["author"] };
  await putType({ id: "poem", title: "Poem", paths: ["poems/*"], schema });
  for (const name of ["a", "b"]) await put(`poems/${name}`, { author: name, old: "x", seo: { t: 1 } });
  const entry = async (id: string) =>
    JSON.parse((await world.send("GET", "/api/entries", { query: { id, token: world.token.management } })).text).data;
  const page = await desk.open(context, "/types/poem");
  const saved = page.locator(".undo-notice", { hasText: "Saved the type" });
  const undo = () => saved.getByRole("button", { name: "Undo" }).click();
  await open(page, "author");
  await card(page, "author").getByLabel("Name").fill("writer");
  await page.keyboard.press("Enter");
  await card(page, "writer").getByText("Entries have it as author").waitFor();
  await page.getByRole("button", { name: "Remove the field old" }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Fields that entries have" });
  await dialog.getByRole("radiogroup", { name: "2 entries have author" }).waitFor();
  await eventually(() => dialog.getByRole("radio", { name: "Rename it to writer in them" }).isChecked(), true);
  await eventually(() => dialog.getByRole("radio", { name: "Leave it in them as old" }).isChecked(), true);
  assert.deepEqual(await auditAll(page), []);
  await dialog.getByRole("radio", { name: "Remove it from them" }).click();
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved the type").waitFor();
  await page.getByText("Unsaved changes").waitFor({ state: "detached" });
  const { writer, author, old } = await entry("poems/a");
  assert.deepEqual([writer, author, old], ["a", undefined, undefined]);
  await eventually(async () => JSON.stringify((await schemaOf("poem")).required), '["writer"]');
  await undo();
  await card(page, "author").waitFor();
  await eventually(async () => (await entry("poems/b")).author, "b");
  await eventually(async () => (await stored("poem")).schema, schema);
  // In a group, with another change, which is saved after it and goes with the undo, too.
  await open(page, "seo");
  await card(page, "t").last().locator(".field-open").click();
  await card(page, "t").last().getByLabel("Name").fill("title");
  await page.keyboard.press("Enter");
  await card(page, "author").getByRole("button", { name: "author" }).first().click();
  await card(page, "author").getByLabel("Help text").fill("Who");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await dialog.getByRole("radiogroup", { name: "2 entries have seo.t" }).waitFor();
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Unsaved changes").waitFor({ state: "detached" });
  await eventually(async () => (await entry("poems/a")).seo, { title: 1 });
  await eventually(async () => (await schemaOf("poem")).properties?.author, { type: "string", description: "Who" });
  await undo();
  await eventually(async () => (await stored("poem")).schema, schema);
  await eventually(async () => (await entry("poems/a")).seo, { t: 1 });
  // Of a type that checks nothing the rest is saved at once.
  await putType({ id: "poem", title: "Poem", paths: ["poems/*"], schema, mode: "off" });
  await page.reload();
  await open(page, "author");
  await card(page, "author").getByLabel("Name").fill("poet");
  await page.keyboard.press("Enter");
  await card(page, "poet").getByLabel("Help text").fill("Who");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Unsaved changes").waitFor({ state: "detached" });
  await eventually(async () => (await schemaOf("poem")).properties?.poet, { type: "string", description: "Who" });
});

flow("a deleted type comes back by undo; one in use is refused", async (context) => {
  await putType({ id: "part", title: "Part", schema: { properties: { city: { type: "string" } } } });
  await putType({ id: "whole", title: "Whole", schema: { properties: { part: { $ref: "/types/part" } } } });
  const page = await desk.open(context, "/types");
  const remove = async (title: string) => {
    await page.getByRole("button", { name: `Actions for ${title}` }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
  };
  await remove("Part");
  await page.getByText('the schema of the type "whole" refers to it').waitFor();
  await page.getByRole("alert").getByRole("button", { name: "Close" }).click();
  const before = await storedText("whole");
  await remove("Whole");
  await page.getByText("Deleted the type").waitFor();
  await page.getByRole("link", { name: "Whole" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("link", { name: "Whole" }).waitFor();
  await eventually(() => storedText("whole"), before);
});

flow("a type gets another id, with the entries that name it; one that is taken is refused", async (context) => {
  await putType({ id: "tune", title: "Tune", schema: true });
  await putType({ id: "taken", title: "Taken", schema: true });
  await put("tuned", { fieldset: "tune" });
  const page = await desk.open(context, "/types/tune");
  await page.getByRole("button", { name: "Actions for Tune" }).click();
  await page.getByRole("menuitem", { name: "Rename…" }).click();
  const dialog = page.getByRole("dialog", { name: "Rename Tune" });
  assert.deepEqual(await auditAll(page), []);
  await dialog.getByRole("textbox", { name: "Id" }).fill("taken");
  await dialog.getByRole("button", { name: "Rename" }).click();
  await dialog.getByText("there is a type with this id already").waitFor();
  await dialog.getByRole("textbox", { name: "Id" }).fill("melody");
  await dialog.getByRole("button", { name: "Rename" }).click();
  await page.waitForURL("**/types/melody");
  await page.getByRole("heading", { name: "Tune" }).waitFor();
  assert.equal((await stored("melody")).title, "Tune");
  const query = { id: "tuned", token: world.token.management };
  const entry = await world.send("GET", "/api/management/entries", { query });
  assert.equal((entry.json.data as { fieldset: string }).fieldset, "melody");
  await page.getByRole("textbox", { name: "Title" }).fill("Melody");
  await page.getByRole("button", { name: "Actions for Melody" }).click();
  await eventually(() => page.getByRole("menuitem", { name: "Rename…" }).isDisabled(), true);
});

flow("the editor is accessible and fits a phone, with hostile names", async (context) => {
  const page = await desk.open(context, "/types/hostile", { viewport: { width: 360, height: 740 } });
  await page.getByRole("heading", { name: hostile }).waitFor();
  await open(page, hostile);
  assert.equal(await overflow(page), 0);
  assert.deepEqual(await auditAll(page), []);
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`${world.app.url}/admin/types`);
  await page.getByText(hostile).waitFor();
  assert.equal(await overflow(page), 0);
  assert.deepEqual(await auditAll(page), []);
});

flow(
  "a list of entries of one type has its columns, sorted by the service; the filter knows its fields",
  async (context) => {
    await putType({
      id: "film",
      title: "Film",
      paths: ["films/*"],
      mode: "off",
      schema: {
        type: "object",
        properties: {
          title: { type: "string" },
          text: { type: "string", contentMediaType: "text/markdown" },
          released: { type: "string", format: "date", title: "Released" },
          rating: {
            type: "string",
            oneOf: [
              { const: "g", title: "For all" },
              { const: "x", title: "Adults" },
            ],
          },
          length: { $ref: "#/$defs/minutes" },
          seen: { type: "boolean" },
          maker: { type: "string", format: "entry" },
          origin: { type: "object", properties: { country: { type: "string", enum: ["de", "fr"] } } },
        },
        $defs: { minutes: { type: "integer", title: "Minutes" } },
      },
    });
    await put("films/a", { title: "Alpha", released: "1972-05-13", rating: "g", length: 167, seen: true });
    await put("films/b", { title: "Beta", released: hostile, rating: ["odd"], length: 90, origin: { country: "fr" } });
    await put("films/c", { title: "Gamma", length: 120, seen: "maybe" });
    const page = await desk.open(context, "/entries/films?view=below", { viewport: { width: 1600, height: 800 } });
    const heading = (name: string) => page.getByRole("columnheader", { name });
    await heading("Minutes").waitFor();
    await eventually(
      async () => (await page.getByRole("columnheader").allTextContents()).map((text) => text.trim()),
      ["Title", "State", "Released", "rating", "Minutes", "seen", "Changed"],
    );
    const row = (title: string) => page.getByRole("row").filter({ hasText: title });
    await eventually(
      () => row("Alpha").locator(".typed-cell").allTextContents(),
      ["13 May 1972", "For all", "167", "Yes"],
    );
    await eventually(() => row("Beta").locator(".typed-cell").allTextContents(), [hostile, "odd", "90", ""]);
    await eventually(() => row("Gamma").locator(".typed-cell").allTextContents(), ["", "", "120", "maybe"]);
    await heading("Minutes").getByRole("button").click();
    await page.waitForFunction(
      () =>
        [...document.querySelectorAll("tbody .row-name")].map((one) => one.textContent).join() === "Beta,Gamma,Alpha",
    );
    await page.getByRole("button", { name: "Filter" }).click();
    await page.getByRole("button", { name: "Add a condition" }).click();
    await eventually(async () => {
      const hints = await page
        .locator("#entry-keys option")
        .evaluateAll((options) => options.map((option) => option.getAttribute("label") ?? ""));
      assert.ok(
        hints.includes("released: Released, date") && hints.includes("origin.country: choice"),
        hints.join("; "),
      );
    });
    await page.getByRole("combobox", { name: "Field of condition 1" }).fill("rating");
    await page.getByRole("combobox", { name: "Value of condition 1" }).click();
    await eventually(() => page.getByRole("option").allTextContents(), ["For all", "Adults"]);
    await page.getByRole("combobox", { name: "Field of condition 1" }).fill("origin.country");
    await page.getByRole("combobox", { name: "Value of condition 1" }).click();
    await eventually(() => page.getByRole("option").allTextContents(), ["de", "fr"]);
    await page.getByRole("option", { name: "fr" }).click();
    await page.getByText("1 entry").waitFor();
    await page.getByRole("combobox", { name: "Value of condition 1" }).click();
    await page.getByRole("option", { name: "de" }).click();
    await page.getByText("No entry matches").waitFor();
    await eventually(
      async () => (await page.locator("#entry-keys option").count()) > 5,
      true,
      "the fields are known without an entry",
    );
    await page.getByRole("button", { name: "Clear the filter" }).click();
    await heading("Minutes").waitFor();
    assert.equal(await overflow(page), 0);
  },
);

flow("a schema that is longer than its editor is scrolled by keyboard", async (context) => {
  const fields = Array.from({ length: 40 }, (_, i) => [
    `field_${i}`,
    { type: "string", description: "Words ".repeat(30) },
  ]);
  await putType({ id: "long", title: "Long", paths: [], schema: { properties: Object.fromEntries(fields) } });
  const page = await desk.open(context, "/types/long", { viewport: { width: 1440, height: 900 } });
  await page.getByRole("heading", { name: "Long" }).waitFor();
  await page.locator(".cm-scroller").waitFor();
});

flow("a type of an earlier version that names a field of the service is told, and mended", async (context) => {
  await putType({ id: "early", title: "Early", paths: [], schema: { properties: { slug1: {}, note: {} } } });
  const store = openDatabase(data);
  store.exec("UPDATE type SET schema = replace(schema, 'slug1', 'slug') WHERE id = 'early'");
  store.close();
  const page = await desk.open(context, "/types");
  await page.getByRole("row").filter({ hasText: "Early" }).getByText("Wrong schema").waitFor();
  await page.getByRole("link", { name: "Early" }).click();
  const alert = page.getByRole("alert").filter({ hasText: "The schema is wrong at /properties/slug" });
  await alert.getByText(/the service has "slug" of every entry itself.*"short_name"/).waitFor();
  assert.deepEqual(await auditAll(page), []);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByLabel("Title", { exact: true }).fill("Early, mended");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page
    .getByRole("alert")
    .getByText(/is not accepted at "\/properties\/slug"/)
    .waitFor();
  await page.getByRole("button", { name: "Remove the field slug", exact: true }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Unsaved changes").waitFor({ state: "detached" });
  await eventually(() => page.getByText("The schema is wrong").count(), 0);
  await eventually(async () => (await schemaOf("early")).properties, { note: {} });
});

flow("a token without admin reads types and checks entries, and changes nothing", async (context) => {
  await put("fixed/one", { title: "One" });
  await putType({ id: "fixed", title: "Fixed", paths: ["fixed/*"], schema: { required: ["missing"] } });
  const { secret } = await world.issue("management", ["entries"]);
  const page = await desk.openFresh(context, "/types");
  await signIn(page, { ...world, token: { ...world.token, management: secret } });
  await page.getByRole("link", { name: "Fixed" }).waitFor();
  await eventually(() => page.getByRole("button", { name: "New type" }).count(), 0);
  await page.getByRole("link", { name: "Fixed" }).click();
  await page.getByText("Only to read").waitFor();
  await eventually(() => page.getByRole("button", { name: "Save", exact: true }).count(), 0);
  await eventually(() => page.getByRole("button", { name: "Add a field", exact: true }).isDisabled(), true);
  await eventually(() => page.getByLabel("Schema as JSON").getAttribute("aria-readonly"), "true");
  await page.getByRole("button", { name: "Check entries" }).click();
  await page.getByText("1 of 1 entry").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();
  await page.getByRole("button", { name: "Actions for Fixed" }).click();
  await eventually(() => page.getByRole("menuitem").allTextContents(), ["Entries with faults"]);
});
