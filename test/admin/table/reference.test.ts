// Slow: it runs a browser.
import assert from "node:assert/strict";
import { before } from "node:test";
import { eventually } from "../../eventually.ts";
import { auditAll, flow, overflow, read, settle, skip, useDesk, write } from "../browser.ts";

/** References by the titles of their entries, and fields by theirs: in tables, filters, differences and conflicts; links; blocks. */

const desk = useDesk({ site_url: "https://site.example/{id}" });
const { world } = desk;
type Fields = Record<string, unknown>;
const put = (id: string, data: object) => write(world, "POST", "/api/entries", { id, data });
const entry = (id: string) => read<Fields | undefined>(world, "/api/entries", { id });

const block = (kind: string, title: string, field: string) => ({
  ...{ type: "object", title, required: ["kind"] },
  properties: { kind: { const: kind }, [field]: { type: "string", title: "Words" } },
});
const author = { type: "string", format: "entry", title: "Author" };
const properties = {
  author,
  others: { type: "array", title: "Other authors", items: { type: "string", format: "entry" } },
  more: { type: "string", format: "uri", title: "Read more" },
  next: { type: "string", format: "uri-reference", title: "Next page" },
  blocks: {
    type: "array",
    title: "Blocks",
    items: { oneOf: [block("text", "Text", "text"), block("quote", "Quote", "quote")] },
  },
};

before(async () => {
  if (skip) return;
  await world.ready;
  const schema = { type: "object", properties };
  await write(world, "PUT", "/api/types", { id: "story", title: "Story", paths: ["stories/*"], schema });
  for (const [id, title] of Object.entries({ ted: "Ted Chiang", ursula: "Ursula Le Guin" }))
    await put(`writers/${id}`, { title });
});

flow("a table shows titles of references, and a filter takes the entry that is picked", async (context) => {
  await put("stories/exhalation", { title: "Exhalation", author: "writers/ted", others: ["writers/ursula"] });
  await put("stories/omelas", { title: "Omelas", author: "writers/ursula" });
  await put("stories/lost", { title: "Lost", author: "writers/nobody" });
  const page = await desk.open(context, "/entries/stories?view=below&columns=author,others");
  const row = (name: string) => page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
  await row("Exhalation").getByText("Ted Chiang", { exact: true }).waitFor();
  await row("Exhalation").getByText("Ursula Le Guin", { exact: true }).waitFor();
  await row("Lost").getByText("writers/nobody", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Filter" }).click();
  await page.getByRole("button", { name: "Add a condition" }).click();
  await page.getByRole("combobox", { name: "Field of condition 1" }).fill("Author");
  const value = page.getByRole("button", { name: "Value of condition 1" });
  await value.press("Enter");
  await page.getByRole("textbox", { name: "Search titles and ids" }).fill("Chiang");
  await page
    .getByRole("button", { name: /Ted Chiang writers/ })
    .first()
    .press("Enter");
  await page.getByText("1 entry", { exact: true }).waitFor();
  await page.getByRole("region", { name: "Filter" }).getByText("Ted Chiang", { exact: true }).waitFor();
  assert.deepEqual(await auditAll(page), []);
  await page.setViewportSize({ width: 360, height: 800 });
  await settle(page);
  assert.equal(await overflow(page), 0);
});

flow(
  "what differs and a conflict name fields and entries by their titles; each field is decided by itself",
  async (context) => {
    await put("stories/tower", { title: "Tower", author: "writers/ursula", note: "first" });
    const page = await desk.open(context, "/entries/stories/tower");
    await page.getByRole("link", { name: "Ursula Le Guin" }).waitFor();
    await page.getByRole("textbox", { name: "Title", exact: true }).fill("Tower of Babylon");
    await page.getByRole("button", { name: "Clear Author" }).click();
    await page.getByRole("textbox", { name: "Author" }).fill("writers/ted");
    await write(world, "PATCH", "/api/entries", {
      id: "stories/tower",
      data: { title: "Theirs", author: "writers/nobody", note: "second" },
    });
    await page.keyboard.press("Control+s");
    const dialog = page.getByRole("dialog", { name: "Someone else saved meanwhile" });
    const texts = (name: string) =>
      dialog.getByRole("region", { name, exact: true }).getByRole("definition").allTextContents();
    await eventually(() => texts("Author"), ["Ursula Le Guin", "writers/nobody", "Ted Chiang"]);
    await eventually(() => texts("Title"), ["Tower", "Theirs", "Tower of Babylon"]);
    await eventually(() => texts("note"), ["first", "second"]);
    assert.deepEqual(await auditAll(page), []);
    await page.setViewportSize({ width: 360, height: 800 });
    await settle(page);
    assert.equal(await overflow(page), 0);
    await page.setViewportSize({ width: 1280, height: 800 });
    await dialog.getByRole("radiogroup", { name: "Keep for Title" }).getByText("Theirs").click();
    await dialog.getByRole("button", { name: "Save what is chosen" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByText("Saved", { exact: true }).waitFor();
    await eventually(async () => {
      const staged = await read<Fields>(world, "/api/entries/staged", { id: "stories/tower" });
      assert.partialDeepStrictEqual(staged, { title: "Theirs", author: "writers/ted", note: "second" });
    });
    await eventually(() => page.getByRole("textbox", { name: "Title", exact: true }).inputValue(), "Theirs");
    await page.getByRole("button", { name: "What differs" }).click();
    const differs = page.getByRole("region", { name: "What differs" });
    await eventually(() => differs.getByRole("term").allTextContents(), ["Author"]);
    await eventually(() => differs.getByRole("definition").textContent(), "writers/nobody → Ted Chiang");
  },
);

flow("a link leads to an entry that is picked, and a block is inserted between two others", async (context) => {
  const blocks = [
    { kind: "text", text: "First" },
    { kind: "text", text: "Last" },
  ];
  await put("stories/links", { title: "Links", blocks });
  const page = await desk.open(context, "/entries/stories/links");
  for (const name of ["Read more", "Next page"]) {
    await page.getByRole("button", { name: `Choose an entry for ${name}` }).press("Enter");
    await page.getByRole("textbox", { name: "Search titles and ids" }).fill("Chiang");
    await page
      .getByRole("button", { name: /Ted Chiang writers/ })
      .first()
      .press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  }
  await page.getByRole("button", { name: "Insert below: Text: First" }).press("Enter");
  await page.getByRole("menuitem", { name: "Quote" }).press("Enter");
  await eventually(
    () => page.evaluate(() => document.activeElement?.closest("[data-index]")?.getAttribute("data-index")),
    "1",
  );
  await page.keyboard.type("Between");
  assert.deepEqual(await auditAll(page), []);
  await page.setViewportSize({ width: 360, height: 800 });
  await settle(page);
  assert.equal(await overflow(page), 0);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await eventually(async () => {
    const saved = await entry("stories/links");
    assert.equal(saved?.more, "https://site.example/writers/ted");
    assert.equal(saved?.next, "/writers/ted");
    assert.deepEqual(saved?.blocks, [blocks[0], { kind: "quote", quote: "Between" }, blocks[1]]);
  });
});
