// Slow: it runs a browser.
import assert from "node:assert/strict";
import { before } from "node:test";
import type { Page } from "playwright-core";
import { eventually } from "../eventually.ts";
import { auditAll, canType, flow, hasFocus, overflow, read, settle, skip, useDesk, write } from "./browser.ts";

/** The form of an entry with a content type. */

const desk = useDesk();
const { world } = desk;
type Fields = Record<string, unknown>;
const entry = (id: string) => read<Fields>(world, "/api/entries/staged", { id });
const put = (id: string, data: object) => write(world, "POST", "/api/entries", { id, data });

const every = {
  type: "object",
  required: ["title", "score"],
  "x-octavo-order": ["title", "score"],
  properties: {
    word: { type: "string", description: "A word", examples: ["like this"] },
    title: { type: "string", title: "Headline", minLength: 1 },
    long: { type: "string", maxLength: 5000, title: "Long" },
    score: { type: "integer", minimum: 1, maximum: 10, title: "Score" },
    price: { type: "number", title: "Price" },
    live: { type: "boolean", title: "Live" },
    size: {
      title: "Size",
      oneOf: [
        { const: "s", title: "Small" },
        { const: "l", title: "Large" },
      ],
    },
    kind: { title: "Kind", enum: ["a", "b", "c", "d", "e", "f"] },
    day: { type: "string", format: "date", title: "Day" },
    hour: { type: "string", format: "time", title: "Hour" },
    at: { type: "string", format: "date-time", title: "At" },
    tint: { type: "string", format: "color", title: "Tint" },
    mail: { type: "string", format: "email", title: "Mail" },
    note: { type: ["string", "null"], title: "Note" },
    author: { type: "string", format: "entry", title: "Author" },
    cover: { type: "string", format: "file", title: "Cover" },
    text: { type: "string", contentMediaType: "text/markdown", title: "Text" },
    page: { type: "string", contentMediaType: "text/html", title: "Page" },
    tags: { type: "array", items: { type: "string" }, title: "Tags" },
    sizes: { type: "array", items: { type: "integer" }, title: "Sizes" },
    marks: { type: "array", uniqueItems: true, items: { enum: ["new", "hot", "old"] }, title: "Marks" },
    place: {
      type: "object",
      title: "Place",
      properties: { city: { type: "string", title: "City" }, inner: { $ref: "#/$defs/inner" } },
    },
    cast: { type: "array", title: "Cast", items: { $ref: "#/$defs/role" } },
    media: {
      title: "Media",
      oneOf: [
        { title: "Video", properties: { kind: { const: "video" }, url: { type: "string" } }, required: ["kind"] },
        { title: "Quote", properties: { kind: { const: "quote" }, words: { type: "string" } }, required: ["kind"] },
      ],
    },
    tree: { $ref: "#/$defs/node" },
    any: { title: "Any" },
    locked: { type: "string", readOnly: true, title: "Locked" },
  },
  $defs: {
    inner: { type: "object", title: "Inner", properties: { depth: { type: "integer", title: "Depth" } } },
    role: {
      type: "object",
      required: ["name"],
      properties: { name: { type: "string", title: "Name" }, part: { type: "string", title: "Part" } },
    },
    node: { type: "object", title: "Node", properties: { name: { type: "string" }, child: { $ref: "#/$defs/node" } } },
  },
};

const types = [
  { id: "every", title: "Everything", paths: ["every/*"], schema: every },
  {
    id: "closed",
    title: "Closed",
    paths: ["closed/*"],
    schema: {
      type: "object",
      additionalProperties: false,
      properties: { name: { type: "string", default: "nobody" }, deep: { properties: { n: { default: 5 } } } },
    },
  },
  { id: "free", title: "Free", paths: [], schema: { properties: { colour: { type: "string", default: "red" } } } },
];

before(async () => {
  if (skip) return;
  await world.ready;
  const admin = await world.issue("management", ["admin", "entries"]);
  for (const type of types) {
    const reply = await world.send("PUT", "/api/types", {
      body: { ...type, token: admin.secret, access_token: world.token.access },
    });
    assert.equal(reply.status, 200, reply.text);
  }
});

const save = async (page: Page) => {
  await page.keyboard.press("Control+s");
  await page.getByText("Saved", { exact: true }).waitFor();
};

flow("every control writes its value, and what is emptied is removed", async (context) => {
  await put("writers/ada", { title: "Ada Lovelace" });
  await put("every/controls", { title: "All", score: 3, word: "gone", note: null, kept: "other" });
  const page = await desk.open(context, "/entries/every/controls");
  const field = (name: string) => page.getByLabel(name, { exact: true });
  await field("word").waitFor();
  await eventually(async () => {
    const order = await page
      .locator("section [data-pointer]")
      .evaluateAll((all) => all.slice(0, 3).map((e) => e.getAttribute("data-pointer")));
    assert.deepEqual(order, ["/title", "/score", "/word"]);
  });
  await page.getByLabel("Headline").fill("All of it");
  await page.getByLabel("Score").press("ArrowUp");
  await eventually(() => field("word").getAttribute("placeholder"), "like this");
  await field("word").fill("");
  await field("Long").fill("one\ntwo");
  await field("Price").fill("12345678901234567890.10");
  await page.getByRole("switch", { name: "Live" }).press("Space");
  await page.getByRole("radio", { name: "Large" }).check();
  await field("Kind").selectOption("f");
  await field("Day").fill("2031-02-03");
  await field("Hour").fill("04:05:06");
  await field("At").fill("2031-02-03T04:05:06");
  await field("Tint").fill("#a0b0c0");
  await eventually(() => field("Pick Tint").inputValue(), "#a0b0c0");
  await field("Mail").fill("ada@example.org");
  await field("Author").fill("writers/ada");
  await page.getByRole("link", { name: "Ada Lovelace" }).waitFor();
  await field("Cover").fill("a/b.pdf");
  await page.getByRole("textbox", { name: "Text", exact: true }).fill("**bold**");
  await page.getByRole("textbox", { name: "Page", exact: true }).fill("<p>x</p>");
  await page.getByRole("button", { name: "Add to Tags" }).click();
  await canType(page);
  await page.keyboard.type("red");
  await page.getByRole("checkbox", { name: "hot" }).check();
  await page.getByRole("checkbox", { name: "new" }).check();
  await field("City").fill("Bern");
  await page.getByRole("button", { name: "Inner", exact: true }).press("Enter");
  await field("Depth").fill("7");
  await field("Kind of Media").selectOption("Quote");
  await field("words").fill("To be");
  await page.getByRole("button", { name: "Add Any" }).click();
  await field("Any").fill('{"a": [1]}');
  await eventually(() => field("Locked").isEditable(), false);
  await save(page);
  await eventually(async () => {
    const { title, score, word, note, kept, ...rest } = await entry("every/controls");
    assert.deepEqual([title, score, word, note, kept], ["All of it", 4, undefined, null, "other"]);
    assert.partialDeepStrictEqual(rest, {
      long: "one\ntwo",
      live: true,
      size: "l",
      kind: "f",
      day: "2031-02-03",
      hour: "04:05:06",
      tint: "#a0b0c0",
      mail: "ada@example.org",
      author: "writers/ada",
      cover: "a/b.pdf",
      text: "**bold**",
      page: "<p>x</p>",
      tags: ["red"],
      marks: ["hot", "new"],
      place: { city: "Bern", inner: { depth: 7 } },
      media: { kind: "quote", words: "To be" },
      any: { a: [1] },
    });
    assert.match(String(rest.at), /^2031-02-03T04:05:06(Z|[+-]\d\d:\d\d)$/);
  });
  const raw = await world.send("GET", "/api/entries/staged", {
    query: { id: "every/controls", token: world.token.management },
  });
  assert.match(raw.text, /"price":12345678901234567890\.10[,}]/);
  await page.getByText("JSON", { exact: true }).click();
  await page.getByRole("textbox", { name: "Fields as JSON" }).waitFor();
  await page.getByText("Form", { exact: true }).click();
  await eventually(() => field("City").inputValue(), "Bern");
  assert.deepEqual(await auditAll(page), []);
  await page.setViewportSize({ width: 360, height: 800 });
  await settle(page);
  assert.ok((await overflow(page)) <= 0);
});

const names = (page: Page) =>
  page.getByRole("group", { name: "Cast", exact: true }).locator(".typed-toggle").allTextContents();

flow("items are sorted by keys and by drag, copied, removed and brought back", async (context) => {
  const cast = ["Ann", "Bob", "Cy"].map((name) => ({ name, part: `${name}'s part` }));
  await put("every/sorted", { title: "Sorted", score: 1, cast, tags: ["x", "y"] });
  const page = await desk.open(context, "/entries/every/sorted");
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  await button("Move down: Ann").focus();
  await page.keyboard.press("Enter");
  await page.getByText("Moved to position 2 of 3").waitFor({ state: "attached" });
  await eventually(() => names(page), ["Bob", "Ann", "Cy"]);
  await eventually(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label")), "Move down: Ann");
  const row = (name: string) => page.locator(".typed-row", { has: button(`Remove: ${name}`) });
  // Both rows are seen: a drag that has begun scrolls by itself where a person's hand does.
  await page.setViewportSize({ width: 1280, height: 1200 });
  await row("Cy").scrollIntoViewIfNeeded();
  await row("Cy")
    .locator(".typed-grip")
    .dragTo(row("Bob"), { targetPosition: { x: 60, y: 3 } });
  await page.waitForFunction(() => document.querySelector(".typed-toggle .typed-name")?.isConnected);
  await eventually(() => names(page), ["Cy", "Bob", "Ann"]);
  await button("Copy: Bob").click();
  await eventually(() => names(page), ["Cy", "Bob", "Bob", "Ann"]);
  await button("Remove: Cy").click();
  await page.getByText("Removed Cy").waitFor();
  await eventually(() => names(page), ["Bob", "Bob", "Ann"]);
  await page.getByRole("button", { name: "Undo" }).click();
  await eventually(() => names(page), ["Cy", "Bob", "Bob", "Ann"]);
  await button("Move up: y").press("Enter");
  await save(page);
  await eventually(async () => {
    const saved = await entry("every/sorted");
    assert.deepEqual(
      (saved.cast as Fields[]).map(({ name }) => name),
      ["Cy", "Bob", "Bob", "Ann"],
    );
    assert.deepEqual(saved.tags, ["y", "x"]);
  });
});

const focused = (page: Page, label: string) =>
  page.waitForFunction(
    (wanted) => (document.activeElement as HTMLInputElement)?.labels?.[0]?.textContent?.startsWith(wanted),
    label,
  );

flow("a refusal is shown at each field, also in what is closed, and in a summary that leads there", async (context) => {
  const cast = ["A", "B", "C", "D"].map((name) => ({ name }));
  await put("every/faulty", { title: "Faulty", score: 1, cast, place: { inner: { depth: 1 } } });
  const page = await desk.open(context, "/entries/every/faulty");
  await page.getByLabel("Score").fill("99");
  await page.getByRole("button", { name: "D", exact: true }).click();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("");
  await page.getByText("JSON", { exact: true }).click();
  const json = page.getByRole("textbox", { name: "Fields as JSON" });
  await json.fill(JSON.stringify({ score: 99, cast: [...cast.slice(0, 3), {}], place: { inner: { depth: "deep" } } }));
  await page.getByText("Form", { exact: true }).click();
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  const summary = page.getByRole("alert").filter({ hasText: "not fit the type" });
  await summary.waitFor();
  await eventually(async () => {
    const lines = await summary.getByRole("listitem").allTextContents();
    assert.deepEqual(lines.sort(), [
      "Cast › 4 › Name: Required",
      "Headline: Required",
      "Place › Inner › Depth: Expected integer",
      "Score: Expected at most 10",
    ]);
  });
  for (const [line, label] of [
    ["Cast › 4 › Name", "Name"],
    ["Place › Inner › Depth", "Depth"],
    ["Headline", "Headline"],
  ] as const) {
    await summary.getByRole("button", { name: line }).press("Enter");
    await focused(page, label);
  }
  assert.deepEqual(await auditAll(page), []);
  await page.getByLabel("Headline").fill("Whole again");
  await eventually(
    async () => !(await summary.getByRole("listitem").allTextContents()).includes("Headline: Required"),
    true,
  );
  await page.getByLabel("Score").fill("9");
  await page.getByRole("textbox", { name: "Depth" }).fill("2");
  await summary.getByRole("button", { name: "Cast › 4 › Name" }).click();
  await focused(page, "Name");
  await page.keyboard.type("Dee");
  await summary.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  await eventually(
    () => read(world, "/api/entries", { id: "every/faulty" }),
    (seen) => assert.partialDeepStrictEqual(seen, { score: 9, place: { inner: { depth: 2 } } }),
  );
});

flow("a draft is saved without what is required, and publishing names it", async (context) => {
  await put("every/draft", { word: "w", visibility: "draft" });
  const page = await desk.open(context, "/entries/every/draft");
  await page.getByLabel("word", { exact: true }).fill("words");
  await save(page);
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  const summary = page.getByRole("alert").filter({ hasText: "not fit the type" });
  await summary.waitFor();
  await eventually(
    async () => (await summary.getByRole("listitem").allTextContents()).sort(),
    ["Headline: Required", "Score: Required"],
  );
  await summary.getByRole("button", { name: "Score" }).click();
  await focused(page, "Score");
  await page.keyboard.type("5");
  await page.getByLabel("Headline").fill("Now");
  await save(page);
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByText("Not on the site yet").waitFor({ state: "detached" });
  await eventually(async () => (await entry("every/draft")).visibility, "visible");
});

flow("odd data are shown and saved unchanged", async (context) => {
  const data =
    '{"title":7,"score":"many","word":["a"],"long":{"a":null},"live":"yes","size":"xl","kind":5,"day":"soon","hour":"10:00:00Z",' +
    '"at":"2031-02-03T04:05:06.1234567+02:00","tint":"tomato","author":3,"tags":[1,null,{"toString":{"x":1}}],"marks":["hot","cold","hot"],' +
    '"place":{"city":5,"hasOwnProperty":{"deep":[[[[1.10]]]]},"length":"c"},"cast":"none","media":[1],"valueOf":"own",' +
    `"tree":${'{"child":'.repeat(40)}"end"${"}".repeat(40)},"any":1e300,"name":[1.00]}`;
  const body = (id: string) =>
    `{"id":"${id}","data":${data},"token":"${world.token.management}","access_token":"${world.token.access}"}`;
  const headers = { "Content-Type": "application/json" };
  const raw = async (id: string) =>
    (await world.send("GET", "/api/entries/staged", { query: { id, token: world.token.management } })).text;
  // Stored before the type was, as it were: a move out of the trash is not checked.
  const created = await world.send("POST", "/api/entries", { body: body("odd/data"), headers });
  assert.equal(created.status, 200, created.text);
  await write(world, "DELETE", "/api/entries", { id: "odd/data" });
  const trash = await world.send("GET", "/api/trash", { query: { token: world.token.management } });
  const [item] = trash.json.data as { id: string }[];
  await write(world, "POST", "/api/trash/restore", { id: item?.id, new_id: "every/odd" });
  const clean = (text: string) => text.replace(/"(modified_at)":\d+/, "");
  const stored = clean(await raw("every/odd"));
  const page = await desk.open(context, "/entries/every/odd");
  await page.getByLabel("City", { exact: true }).waitFor();
  await eventually(() => page.getByLabel("Score").inputValue(), '"many"');
  assert.deepEqual(await auditAll(page), []);
  await page.getByRole("button", { name: "Add a field" }).click();
  await page.getByRole("menuitem", { name: "Text", exact: true }).click();
  await page.getByRole("textbox", { name: "Name", exact: true }).last().fill("added");
  await page.getByRole("dialog").getByRole("button", { name: "Add" }).click();
  await save(page);
  await eventually(async () => clean(await raw("every/odd")).replace(',"added":""', ""), stored);
});

flow("a thousand items are shown in parts, and none is lost", async (context) => {
  const cast = Array.from({ length: 1000 }, (_, i) => ({ name: `Name ${i}`, extra: i }));
  await put("every/huge", { title: "Huge", score: 1, cast, tags: cast.map(({ name }) => name) });
  const page = await desk.open(context, "/entries/every/huge");
  const group = page.getByRole("group", { name: "Cast", exact: true });
  await group.getByRole("button", { name: "Show items 51 to 100 of 1,000" }).click();
  await eventually(async () => (await names(page)).length, 100);
  await group.getByRole("button", { name: "Add to Cast" }).click();
  await canType(page);
  await page.keyboard.type("Last");
  await save(page);
  await eventually(async () => {
    const saved = await entry("every/huge");
    assert.deepEqual(saved.cast, [...cast, { name: "Last" }]);
  });
});

flow("a new entry begins with its type, and with what that accepts", async (context) => {
  const page = await desk.open(context, "/entries/closed");
  const create = async (title: string, id: string, type?: string) => {
    await page.goto(`${world.app.url}/admin/entries?new`);
    await page.getByRole("button", { name: "New entry" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Title").fill(title);
    await dialog.getByRole("textbox", { name: "Id" }).fill(id);
    const types = dialog.getByRole("radiogroup", { name: "Type" });
    if (type) await types.getByText(type, { exact: true }).click();
    const shown = await types.locator("div:has(> input:checked)").textContent();
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.waitFor({ state: "detached" });
    await settle(page);
    return { shown, data: await entry(id) };
  };
  const closed = await create("Closed one", "closed/one");
  assert.equal(closed.shown, "Closed");
  assert.partialDeepStrictEqual(closed.data, { name: "nobody", deep: { n: 5 }, visibility: "draft" });
  assert.ok(!closed.data.title);
  await eventually(() => page.getByLabel("Title").count(), 0);
  const free = await create("Free one", "elsewhere/one", "Free");
  assert.partialDeepStrictEqual(free.data, { title: "Free one", colour: "red", fieldset: "free" });
  await eventually(() => page.getByLabel("colour", { exact: true }).inputValue(), "red");
  const plain = await create("Plain", "elsewhere/two");
  assert.equal(plain.shown, "No type");
  assert.ok(!("fieldset" in plain.data) && plain.data.title === "Plain");
});

flow("a reference and a file are chosen in dialogs", async (context) => {
  await put("writers/grace", { title: "Grace Hopper" });
  await put("every/chosen", { title: "Chosen", score: 1 });
  const page = await desk.open(context, "/entries/every/chosen");
  await page.getByRole("button", { name: "Choose Author" }).press("Enter");
  await page.getByRole("dialog").getByLabel("Search titles and ids").fill("Grace");
  await page.getByRole("dialog").getByText("Grace Hopper").click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Grace Hopper" }).waitFor();
  await page.getByRole("button", { name: "Choose Cover" }).click();
  await hasFocus(page.getByRole("dialog", { name: "Choose a file" }));
  await page.keyboard.press("Escape");
  await save(page);
  await eventually(async () => (await entry("every/chosen")).author, "writers/grace");
});

flow("a change by another session is shown beside the one of the form", async (context) => {
  await put("every/both", { title: "Both", score: 1, place: { city: "Bern" } });
  const page = await desk.open(context, "/entries/every/both");
  await page.getByLabel("City", { exact: true }).fill("Basel");
  await write(world, "PATCH", "/api/entries", { id: "every/both", data: { score: 2 } });
  await page.keyboard.press("Control+s");
  await page.getByRole("button", { name: "Save yours on top" }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  await eventually(
    () => entry("every/both"),
    (seen) => assert.partialDeepStrictEqual(seen, { score: 2, place: { city: "Basel" } }),
  );
  await eventually(() => page.getByLabel("Score").inputValue(), "2");
});

flow("an emptied text is removed when it is optional, and kept as it was stored otherwise", async (context) => {
  await put("every/empty", { title: "Empty", score: 1, word: "", mail: "x@y", note: null, price: 1 });
  const page = await desk.open(context, "/entries/every/empty");
  for (const name of ["word", "Note"]) {
    await page.getByLabel(name, { exact: true }).fill("typed");
    await page.getByLabel(name, { exact: true }).fill("");
  }
  for (const name of ["Mail", "Price"]) await page.getByLabel(name, { exact: true }).fill("");
  await save(page);
  await eventually(async () => {
    const { word, note, ...rest } = await entry("every/empty");
    assert.deepEqual([word, note, "mail" in rest, "price" in rest], ["", null, false, false]);
  });
});

flow("Enter in an item of a list of short values begins the next one", async (context) => {
  await put("every/enter", { title: "Enter", score: 1, tags: ["one", "three"], sizes: [1] });
  const page = await desk.open(context, "/entries/every/enter");
  const tags = page.getByRole("group", { name: "Tags", exact: true });
  await tags.getByLabel("Item 1", { exact: true }).click();
  await page.keyboard.press("Enter");
  await hasFocus(tags.getByLabel("Item 2", { exact: true }));
  await page.keyboard.type("two");
  await tags.getByLabel("Item 3", { exact: true }).click();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await page.keyboard.type("four");
  await page.getByRole("group", { name: "Sizes", exact: true }).getByLabel("Item 1", { exact: true }).click();
  await page.keyboard.press("Enter");
  await page.keyboard.type("2");
  await page.keyboard.press("Control+s");
  await page.getByText("Saved", { exact: true }).waitFor();
  await eventually(async () => {
    const { tags: saved, sizes } = await entry("every/enter");
    assert.deepEqual(
      [saved, sizes],
      [
        ["one", "two", "three", "four"],
        [1, 2],
      ],
    );
  });
});

flow(
  "a file dropped on a file field is uploaded and chosen; what the field does not hold is refused",
  async (context) => {
    await write(world, "PUT", "/api/types", {
      id: "dropped",
      paths: ["dropped/*"],
      schema: {
        properties: {
          cover: { type: "string", format: "file", "x-octavo-media": ["image/*"], title: "Cover" },
          note: { type: "string", format: "file", title: "Note" },
        },
      },
    });
    await put("dropped/here", { title: "Here" });
    const page = await desk.open(context, "/entries/dropped/here");
    const drop = (field: string, names: string[]) =>
      page
        .getByRole(field.includes(":") ? "group" : "textbox", { name: field, exact: true })
        .evaluate((input, files) => {
          const dataTransfer = new DataTransfer();
          for (const name of files) dataTransfer.items.add(new File(["Notes"], name, { type: "text/plain" }));
          const event = new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer });
          input.dispatchEvent(event);
        }, names);
    await drop("Note", ["note.txt"]);
    await page.getByRole("group", { name: "Note: note.txt" }).waitFor();
    await drop("Cover", ["note.txt"]);
    await page.getByText("note.txt was not taken. Pictures only.").waitFor();
    await drop("Note: note.txt", ["other.txt", "third.txt"]);
    await page.getByText("The field holds one file: 1 other not taken.").waitFor();
    await page.getByRole("group", { name: "Note: other.txt" }).waitFor();
    assert.deepEqual(await auditAll(page), []);
    await page.keyboard.press("Control+s");
    await page.getByText("Saved", { exact: true }).waitFor();
    await eventually(
      async () => [(await entry("dropped/here")).note, (await entry("dropped/here")).cover],
      ["dropped/here/other.txt", undefined],
    );
  },
);

flow("what is cleared can be brought back, and an emptied number of a list waits for another", async (context) => {
  await put("every/cleared", { title: "Cleared", score: 1, place: { city: "Bern" }, any: [1], sizes: [1, 2] });
  const page = await desk.open(context, "/entries/every/cleared");
  await page.getByRole("button", { name: "Clear Place" }).click();
  await page.getByText("Cleared Place").waitFor();
  await eventually(() => page.getByLabel("City", { exact: true }).inputValue(), "");
  await page.getByRole("button", { name: "Undo" }).click();
  await eventually(() => page.getByLabel("City", { exact: true }).inputValue(), "Bern");
  await page.getByRole("button", { name: "Remove Any" }).click();
  await page.locator(".undo-notice", { hasText: "Any" }).getByRole("button", { name: "Undo" }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  const size = page.getByRole("group", { name: "Sizes" }).getByLabel("Item 2", { exact: true });
  await size.fill("");
  await page.getByText("Cannot be saved: Item 2 is not a number").waitFor();
  await size.pressSequentially("30");
  await save(page);
  await eventually(
    () => entry("every/cleared"),
    (seen) => assert.partialDeepStrictEqual(seen, { place: { city: "Bern" }, any: [1], sizes: [1, 30] }),
  );
});

flow("a number is typed with the comma of a phone, and what could be a thousand is asked about", async (context) => {
  await put("every/comma", { title: "Comma", score: 1 });
  const page = await desk.open(context, "/entries/every/comma");
  const price = page.getByLabel("Price", { exact: true });
  await price.pressSequentially("1,5");
  await save(page);
  await eventually(async () => (await entry("every/comma")).price, 1.5);
  await price.press("ControlOrMeta+a");
  await price.pressSequentially("1,500");
  await page.getByText("A thousand, or a few with decimals?").waitFor();
  await price.pressSequentially("0");
  await save(page);
  await page.reload();
  await eventually(() => price.inputValue(), "1.5000");
  await price.press("ControlOrMeta+a");
  await price.pressSequentially("−,25");
  await save(page);
  await eventually(async () => (await entry("every/comma")).price, -0.25);
});

flow("an entry without a type loads nothing of the form of types", async (context) => {
  await put("untyped/one", { title: "Plain", a: 1 });
  const page = await desk.open(context, "/entries/untyped/one");
  await page.getByLabel("Title", { exact: true }).waitFor();
  await settle(page);
  await eventually(async () => {
    const scripts = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
    assert.ok(
      scripts.some((name) => /editor/.test(name)),
      scripts.join("\n"),
    );
    assert.ok(!scripts.some((name) => /typed-form|picker/.test(name)), scripts.join("\n"));
  });
});
