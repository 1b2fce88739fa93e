// Slow: it runs a browser.
import assert from "node:assert/strict";
import { before } from "node:test";
import type { Page } from "playwright-core";
import { newShape } from "../../admin/src/model/type/shapes.ts";
import { eventually } from "../eventually.ts";
import { audit, auditAll, canType, flow, hasFocus, overflow, read, settle, skip, useDesk, write } from "./browser.ts";
import { countClicks } from "./clicks.ts";
import { clicksOf } from "./flows.ts";

/** Blocks, tags, lists of entries and pictures in the form of an entry. */

const desk = useDesk();
const { world } = desk;
type Fields = Record<string, unknown>;
const entry = (id: string) => read<Fields>(world, "/api/entries/staged", { id });
const put = (id: string, data: object) => write(world, "POST", "/api/entries", { id, data });
const text = (title: string, more: object = {}) => ({ type: "string", title, ...more });

before(async () => {
  if (skip) return;
  await world.ready;
  const blocks = {
    type: "array",
    title: "Blocks",
    items: {
      oneOf: [
        newShape("kind", "text", "Text", { text: text("Words", { contentMediaType: "text/plain" }) }),
        newShape("kind", "quote", "Quote", { words: text("Words"), source: text("Source") }),
        newShape("kind", "line", "Line"),
      ],
    },
  };
  const films = {
    type: "array",
    title: "Films",
    items: { type: "string", format: "entry", "x-octavo-types": ["film"] },
  };
  const properties = {
    blocks,
    hero: {
      title: "Hero",
      oneOf: [newShape("as", "plain", "Plain", { line: text("Line") }), newShape("as", "big", "Big")],
    },
    tags: { type: "array", title: "Tags", uniqueItems: true, items: { type: "string" } },
    films,
    cover: text("Cover", { format: "file", "x-octavo-media": ["image/*"] }),
  };
  await write(world, "PUT", "/api/types", {
    id: "page",
    title: "Page",
    paths: ["pages/*"],
    schema: { type: "object", properties },
  });
  await write(world, "PUT", "/api/types", { id: "film", title: "Film", paths: ["films/*"], schema: {} });
  for (const name of ["Alpha", "Beta"]) await put(`films/${name.toLowerCase()}`, { title: name });
});

const save = async (page: Page) => {
  await page.keyboard.press("Control+s");
  await page.getByText("Saved", { exact: true }).waitFor();
};
const heads = (page: Page) =>
  page.getByRole("group", { name: "Blocks", exact: true }).locator(".typed-row .typed-toggle").allTextContents();

flow("a block takes two clicks, and its constant is never seen", async (context) => {
  await put("pages/one", { title: "One" });
  const page = await desk.open(context, "/entries/pages/one");
  await page.getByRole("button", { name: "Add to Blocks" }).waitFor();
  const clicks = await countClicks(page);
  await page.getByRole("button", { name: "Add to Blocks" }).click();
  await settle(page);
  assert.deepEqual(await audit(page), []);
  await eventually(() => page.getByRole("menuitem").allTextContents(), ["Text", "Quote", "Line"]);
  await page.getByRole("menuitem", { name: "Quote" }).click();
  await page.getByRole("button", { name: "Move up: Quote 1" }).waitFor();
  await canType(page);
  await page.keyboard.type("To be");
  await eventually(clicks, clicksOf("Add a block"));
  // By keys alone.
  await page.getByRole("button", { name: "Add to Blocks" }).press("Enter");
  await hasFocus(page.getByRole("menuitem", { name: "Text" }));
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Remove: Text 2" }).waitFor();
  await canType(page);
  await page.keyboard.type("Or not");
  await eventually(() => heads(page), ["Quote To be", "Text Or not"]);
  await eventually(() => page.getByText("kind", { exact: true }).count(), 0);
  await page.getByLabel("Kind of Hero").selectOption("Plain");
  await page.getByLabel("Line", { exact: true }).fill("Loud");
  await page.getByLabel("Kind of Hero").selectOption("Big");
  await page.getByLabel("Kind of Hero").selectOption("Plain");
  await eventually(() => page.getByLabel("Line", { exact: true }).inputValue(), "Loud");
  await save(page);
  await eventually(
    () => entry("pages/one"),
    (seen) =>
      assert.partialDeepStrictEqual(seen, {
        blocks: [
          { kind: "quote", words: "To be" },
          { kind: "text", text: "Or not" },
        ],
        hero: { as: "plain", line: "Loud" },
      }),
  );
  await page.getByLabel("Kind of Hero").selectOption("Not set");
  await save(page);
  await eventually(async () => !("hero" in (await entry("pages/one"))), true);
  assert.deepEqual(await auditAll(page), []);
  await page.setViewportSize({ width: 360, height: 740 });
  await settle(page);
  assert.ok((await overflow(page)) <= 0);
});

flow("blocks collapse to a line, are moved by keys and by drag, copied, removed and brought back", async (context) => {
  const blocks = [
    { kind: "text", text: "First" },
    { kind: "quote", words: "Second" },
    { kind: "line" },
    { kind: "odd", text: "Fourth" },
  ];
  await put("odd/blocks", { title: "Blocks", blocks });
  // A move out of the trash is not checked: it has a block of no variant.
  await write(world, "DELETE", "/api/entries", { id: "odd/blocks" });
  const [item] = await read<{ id: string }[]>(world, "/api/trash", {});
  await write(world, "POST", "/api/trash/restore", { id: item?.id, new_id: "pages/two" });
  const page = await desk.open(context, "/entries/pages/two");
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  await button("Copy: Quote: Second").click();
  await button("Remove: Text: First").click();
  await page.getByText("Removed Text: First").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await button("Move up: Line 4").press("Enter");
  await page.getByText("Moved to position 3 of 5").waitFor({ state: "attached" });
  const row = (name: string) => page.locator(".typed-row", { has: button(`Remove: ${name}`) });
  await row("Line 3")
    .locator(".typed-grip")
    .dragTo(row("Text: First"), { targetPosition: { x: 60, y: 3 } });
  await page.getByText("Moved to position 1 of 5").waitFor({ state: "attached" });
  await eventually(
    async () => (await heads(page)).map((head) => head.replace(/\d/, "")),
    ["Line", "Text First", "Quote Second", "Quote Second", "Text odd"],
  );
  // What is of no variant says so, and can be mended.
  await page.locator(".typed-toggle", { hasText: "odd" }).click();
  await page.getByLabel("Kind of Item 5").selectOption("Quote");
  await save(page);
  await eventually(
    async () => (await entry("pages/two")).blocks,
    [{ kind: "line" }, blocks[0], blocks[1], blocks[1], { kind: "quote" }],
  );
});

flow("tags are typed with Enter and taken away with Backspace; those in use are suggested", async (context) => {
  await put("pages/tagged", { title: "Tagged", tags: ["harbour", "night"] });
  await put("pages/three", { title: "Three" });
  const page = await desk.open(context, "/entries/pages/three");
  await page.getByRole("combobox", { name: "Tags" }).click();
  await page.getByRole("option", { name: "night" }).click();
  await page.keyboard.type("sea");
  await page.keyboard.press("Enter");
  await page.keyboard.type("rain");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Escape");
  assert.deepEqual(await auditAll(page), []);
  await save(page);
  await eventually(async () => (await entry("pages/three")).tags, ["night", "sea"]);
});

flow("entries are added by choosing them, and sorted", async (context) => {
  await put("pages/four", { title: "Four" });
  const page = await desk.open(context, "/entries/pages/four");
  for (const title of ["Alpha", "Beta"]) {
    await page.getByRole("button", { name: "Add to Films" }).click();
    await page.getByRole("dialog").getByText(title, { exact: true }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
  }
  await page.getByRole("button", { name: "Move up: films/beta" }).press("Enter");
  await save(page);
  await eventually(async () => (await entry("pages/four")).films, ["films/beta", "films/alpha"]);
});

flow("what a picture shows is asked when it is chosen, and kept with the file", async (context) => {
  await put("pages/five", { title: "Five" });
  const page = await desk.open(context, "/entries/pages/five");
  await page.getByRole("button", { name: "Choose Cover" }).waitFor();
  await page.getByLabel("Cover", { exact: true }).evaluate((input) => {
    const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const bytes = Uint8Array.from(atob(pixel), (letter) => letter.charCodeAt(0));
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([bytes], "dot.png", { type: "image/png" }));
    input.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer }));
  });
  await page.waitForFunction(
    () => (document.activeElement as HTMLInputElement)?.labels?.[0]?.textContent === "What the picture shows",
  );
  await page.keyboard.type("A dot");
  await page.keyboard.press("Enter");
  await page.getByText("Saved with the file.").waitFor();
  // The point that crops keep is beside it.
  const point = page.getByRole("slider", { name: "Focal point" });
  await point.click({ position: { x: 12, y: 36 } });
  await page.getByText(/^Crops keep this point: 25 %, 7\d %$/).waitFor();
  assert.deepEqual(await auditAll(page), []);
  await save(page);
  const path = String((await entry("pages/five")).cover);
  await eventually(async () => {
    const file = await read<Fields>(world, "/api/files", { path });
    assert.equal(file.alt, "A dot");
    assert.match(String(file.focal), /^0\.25,0\.7/);
  });
});
