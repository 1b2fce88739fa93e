// Slow: it runs a browser.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { eventually } from "../eventually.ts";
import { audit, auditAll, canType, flow, overflow, read, settle, useDesk, write } from "./browser.ts";
import { countClicks } from "./clicks.ts";
import { clicksOf } from "./flows.ts";

/** A type is modelled without JSON: common kinds, blocks, choices with labels, names of fields. */

const desk = useDesk();
const { world } = desk;

const putType = (type: object) => write(world, "PUT", "/api/types", type);
const stored = (id: string) => read<Record<string, unknown>>(world, "/api/types", { id });
const schemaOf = async (id: string) => (await stored(id)).schema as Record<string, Record<string, unknown>>;

const card = (page: Page, name: string) =>
  page
    .locator(".field-card")
    .filter({ has: page.getByRole("button", { name: `Remove the field ${name}`, exact: true }) });
const open = (page: Page, name: string) => card(page, name).locator(".field-open").first().click();
const save = async (page: Page) => {
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
};

flow("a type with five fields takes fifteen clicks", async (context) => {
  const page = await desk.open(context, "/types");
  const clicks = await countClicks(page);
  const add = async (title: string, kind: string) => {
    await page.getByRole("button", { name: "Add a field", exact: true }).click();
    await canType(page);
    await page.keyboard.type(title);
    await page.locator(".field-card").last().getByRole("combobox", { name: "Kind" }).click();
    await page.getByRole("option", { name: kind, exact: true }).click();
  };
  await page.getByRole("button", { name: "New type" }).click();
  await canType(page);
  await page.keyboard.type("Walk");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { name: "Walk" }).waitFor();
  await add("Length in km", "Number");
  await add("First day", "Date");
  await add("View", "Picture");
  await add("Labels", "Tags");
  await save(page);
  await eventually(clicks, clicksOf("Make a type with five fields"));
  await eventually(async () => (await schemaOf("walk")).properties, {
    title: { type: "string", title: "Title" },
    length_in_km: { type: "number", title: "Length in km" },
    first_day: { type: "string", title: "First day", format: "date" },
    view: { type: "string", title: "View", format: "file", "x-octavo-media": ["image/*"] },
    labels: { type: "array", title: "Labels", items: { type: "string" }, uniqueItems: true },
  });
});

flow("a type of a common kind takes three clicks", async (context) => {
  const page = await desk.open(context, "/types");
  await page.getByRole("button", { name: "New type" }).waitFor();
  const clicks = await countClicks(page);
  await page.getByRole("button", { name: "New type" }).click();
  await page.getByRole("radio", { name: "Product" }).click();
  await settle(page);
  assert.deepEqual(await audit(page), []);
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { name: "Product" }).waitFor();
  await eventually(clicks, clicksOf("Make a type from a common one"));
  await eventually(async () => {
    const { properties = {} } = await schemaOf("product");
    assert.ok(Object.keys(properties).length >= 5);
  });
  await eventually(async () => (await stored("product")).paths, ["products/*"]);
});

flow("blocks are made without JSON: shapes added, named, ordered, removed, with their fields", async (context) => {
  await putType({ id: "page", title: "Page", schema: { type: "object", properties: { title: { type: "string" } } } });
  const page = await desk.open(context, "/types/page");
  await page.getByRole("button", { name: "Add a field", exact: true }).click();
  await canType(page);
  await page.keyboard.type("Parts");
  await card(page, "parts").getByRole("combobox", { name: "Kind" }).click();
  await page.getByRole("option", { name: "List of blocks" }).click();
  await page.getByRole("button", { name: "Add a shape to parts" }).click();
  await canType(page);
  await page.keyboard.type("Big quote");
  await page.getByRole("button", { name: "Add a field to Big quote" }).click();
  await canType(page);
  await page.keyboard.type("Words");
  await page.getByRole("button", { name: "Insert a shape below Text" }).click();
  await canType(page);
  await page.keyboard.type("Gone");
  await page.getByRole("button", { name: "Remove the shape Gone" }).click();
  await page.getByRole("button", { name: "Move Big quote up" }).press("Enter");
  await page.getByText("Big quote is now shape 1 of 2").waitFor({ state: "attached" });
  const moved = page.getByRole("button", { name: "Move Big quote up" });
  await eventually(() => moved.evaluate((one) => one === document.activeElement), true, "the focus stays");
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: "Remove the shape Gone" }).waitFor();
  await page.getByRole("button", { name: "Remove the shape Gone" }).click();
  await settle(page);
  assert.deepEqual(await auditAll(page), []);
  await page.setViewportSize({ width: 360, height: 740 });
  await settle(page);
  assert.equal(await overflow(page), 0);
  await save(page);
  await eventually(async () => (await schemaOf("page")).properties, {
    title: { type: "string" },
    parts: {
      type: "array",
      title: "Parts",
      items: {
        oneOf: [
          {
            type: "object",
            title: "Big quote",
            properties: { kind: { const: "big_quote" }, words: { type: "string", title: "Words" } },
            required: ["kind"],
          },
          {
            type: "object",
            title: "Text",
            properties: {
              kind: { const: "text" },
              text: { type: "string", title: "Text", contentMediaType: "text/markdown" },
            },
            required: ["kind"],
          },
        ],
      },
    },
  });
});

flow("a choice has labels, made by keys alone; Enter adds the next", async (context) => {
  const size = { type: "string", title: "Size", enum: ["s", "m"] };
  await putType({ id: "coat", title: "Coat", schema: { type: "object", properties: { size } } });
  const page = await desk.open(context, "/types/coat");
  await open(page, "size");
  await card(page, "size").getByLabel("Value of choice 2").press("Enter");
  await page.keyboard.press("Escape");
  await card(page, "size").getByLabel("Value of choice 3").fill("l");
  await save(page);
  await eventually(async () => (await schemaOf("coat")).properties?.size, { ...size, enum: ["s", "m", "l"] });
  await card(page, "size").getByLabel("Label of choice 1").fill("Small");
  await card(page, "size").getByLabel("Label of choice 1").press("Enter");
  await page.keyboard.type("Extra Small");
  await eventually(() => card(page, "size").getByLabel("Value of choice 2").inputValue(), "extra_small");
  await card(page, "size").getByRole("button", { name: "Move Extra Small up" }).press("Enter");
  await card(page, "size").getByRole("combobox", { name: "Default" }).click();
  await page.getByRole("option", { name: "Small", exact: true }).click();
  assert.deepEqual(await auditAll(page), []);
  await page.setViewportSize({ width: 360, height: 740 });
  await settle(page);
  assert.equal(await overflow(page), 0);
  await save(page);
  await eventually(async () => (await schemaOf("coat")).properties?.size, {
    type: "string",
    title: "Size",
    oneOf: [
      { const: "extra_small", title: "Extra Small" },
      { const: "s", title: "Small" },
      { const: "m" },
      { const: "l" },
    ],
    default: "s",
  });
});

flow("a label over the sample of a new choice takes the value along, until it is typed or stored", async (context) => {
  await putType({ id: "tour", title: "Tour", schema: { type: "object", properties: {} } });
  const page = await desk.open(context, "/types/tour");
  await page.getByRole("button", { name: "Add a field", exact: true }).click();
  await canType(page);
  await page.keyboard.type("Level");
  await card(page, "level").getByRole("combobox", { name: "Kind" }).click();
  await page.getByRole("option", { name: "Choice", exact: true }).click();
  const over = async (label: string, text: string) => {
    await card(page, "level").getByLabel(label).focus();
    await page.keyboard.press("Control+a");
    await page.keyboard.type(text);
  };
  await over("Label of choice 1", "Easy");
  await over("Value of choice 2", "x2");
  await over("Label of choice 2", "Hard");
  await save(page);
  const choices = [
    { const: "easy", title: "Easy" },
    { const: "x2", title: "Hard" },
  ];
  await eventually(
    async () => ((await schemaOf("tour")).properties?.level as { oneOf?: object[] } | undefined)?.oneOf,
    choices,
  );
  await over("Label of choice 1", "Light");
  await save(page);
  const renamed = [{ const: "easy", title: "Light" }, ...choices.slice(1)];
  await eventually(
    async () => ((await schemaOf("tour")).properties?.level as { oneOf?: object[] } | undefined)?.oneOf,
    renamed,
  );
});

flow("a field of the service is offered as what every entry has, or gets another name", async (context) => {
  await putType({ id: "named", title: "Named", schema: { type: "object", properties: {} } });
  const page = await desk.open(context, "/types/named");
  const add = page.getByRole("button", { name: "Add a field", exact: true });
  await add.click();
  await canType(page);
  await page.keyboard.type("Slug");
  await page.getByText("the last part of its id").waitFor();
  assert.deepEqual(await audit(page), []);
  await page.getByRole("button", { name: "Use the last part of the id" }).click();
  await page.getByText("No fields yet").waitFor();
  await add.click();
  await canType(page);
  await page.keyboard.type("Created at");
  await page.getByText("The service has created_at of every entry itself, so this field is named date.").waitFor();
  await card(page, "date").getByLabel("Name").fill("modified_at");
  await card(page, "date").getByText("The service has this of every entry itself").waitFor();
  await save(page);
  await eventually(async () => Object.keys((await schemaOf("named")).properties ?? {}), ["date"]);
});
