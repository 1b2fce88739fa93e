// Long: it runs a browser.
import assert from "node:assert/strict";
import { before } from "node:test";
import { eventually } from "../eventually.ts";
import { audit, canType, copiedBy, flow, overflow, read, skip, useDesk, write } from "./browser.ts";

const desk = useDesk();
const { world } = desk;
type Entry = Record<string, unknown>;
const entry = (id: string) => read<Entry | undefined>(world, "/api/entries/staged", { id });
const put = (id: string, data: object) => write(world, "POST", "/api/entries", { id, data });

before(async () => {
  if (skip) return;
  await world.ready;
  for (const [i, name] of ["alien", "solaris", "stalker"].entries()) {
    await put(`movies/${name}`, { title: name.toUpperCase(), year: 1972 + i * 3, content: `About ${name}.` });
  }
  await put("bare/deep/leaf", { title: "Leaf" });
});

flow(
  "the tree expands level by level, even segments without an entry, and search finds at any depth",
  async (context) => {
    const page = await desk.open(context, "/entries");
    const tree = page.getByRole("tree", { name: "Entries" });
    await tree.getByText("movies").waitFor();
    await eventually(() => tree.getByText("ALIEN").count(), 0);
    await tree.getByRole("treeitem", { name: "bare" }).focus();
    await page.keyboard.press("ArrowRight");
    await tree.getByText("deep").waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    await tree.getByText("Leaf").click();
    await page.getByRole("heading", { name: "Leaf" }).waitFor();
    await page.getByLabel("Search in all entries").fill("stalker");
    await page.getByRole("list", { name: "Found entries" }).getByText("STALKER", { exact: true }).click();
    await page.getByRole("heading", { name: "STALKER" }).waitFor();
  },
);

flow("the tree is one Tab stop, shows a deep entry, and the number of hidden items", async (context) => {
  const ids = Array.from({ length: 130 }, (_, i) => `many/item-${String(i + 1).padStart(3, "0")}`);
  await Promise.all(ids.map((id) => put(id, { note: "Many items" })));
  const page = await desk.open(context, "/entries/many/item-125");
  const item = (name: string) => page.getByRole("treeitem", { name });
  const focused = (selector: string) => page.locator(`${selector}:focus`).waitFor();
  await page.getByRole("treeitem", { name: "item-125", selected: true }).waitFor();
  await item("30 more").waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await focused(".split-main *");
  await page.getByRole("button", { name: "New entry" }).focus();
  await page.keyboard.press("Tab");
  await focused('[role="treeitem"][aria-selected="true"]');
  await page.keyboard.press("Tab");
  await focused(".split-main *");
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await focused('[role="treeitem"][title="many/item-101"]');
  await page.keyboard.press("ArrowDown");
  await focused('[role="treeitem"][title="many/item-102"]');
  await eventually(() => item("more").count(), 0);
  await eventually(() => item("item-125").count(), 1);
  await page.getByLabel("Search in all entries").fill("Many items");
  await page.getByText("130 entries").waitFor();
  await page.getByRole("button", { name: "Show more" }).click();
  await focused('[aria-label="Found entries"] li:nth-child(51) a');
});

flow("the finder lists prefix matches first, and Enter opens the first at any typing speed", async (context) => {
  await Promise.all(Array.from({ length: 9 }, (_, i) => put(`found/a${i}`, { title: `A${i}`, text: "Of a zebra" })));
  await put("found/z", { title: "Zebra (a)" });
  await put("found/lion/king", { title: "Another" });
  const page = await desk.open(context, "/entries");
  const find = async (word: string) => {
    await page.getByRole("navigation", { name: "Main" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByLabel("What to find").fill(word);
  };
  await find("zebra");
  await page.getByRole("dialog").getByText("Zebra (a)").waitFor();
  await eventually(() => page.locator("[data-action]").first().textContent(), /^Zebra/);
  await page.keyboard.press("Enter");
  await page.waitForURL("**/entries/found/z");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await find("king");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/entries/found/lion/king");
});

flow("an entry is created by keyboard alone", async (context) => {
  const page = await desk.open(context, "/entries");
  await page.getByRole("tree").getByText("movies").waitFor();
  for (let i = 0; i < 30; i++) {
    await page.keyboard.press("Tab");
    if ((await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))) === "New entry") break;
  }
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await canType(page);
  await page.keyboard.type("Métropolis & more");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Métropolis & more" }).waitFor();
  await eventually(async () => (await entry("metropolis-more"))?.visibility, "draft");
  await page.getByRole("textbox", { name: "Title" }).focus();
  await page.keyboard.press("End");
  await page.keyboard.type(" of it");
  await page.keyboard.press("Control+s");
  await page.getByText("Saved", { exact: true }).waitFor();
  await eventually(async () => (await entry("metropolis-more"))?.title, "Métropolis & more of it");
});

flow("text, typed fields, visibility and date are edited; untouched values stay exact", async (context) => {
  await put("edit/one", { title: "One", big: 1, content: "# Old", tags: ["a"], gone: "x", done: false });
  const exact = `{"id":"edit/one","data":{"big":12345678901234567890.10},"token":"${world.token.management}","access_token":"${world.token.access}"}`;
  await world.send("PATCH", "/api/entries", { body: exact, headers: { "Content-Type": "application/json" } });
  const page = await desk.open(context, "/entries/edit/one");
  const content = page.getByRole("textbox", { name: "Content" });
  await content.click();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("## New *text*");
  await page.getByText("Preview", { exact: true }).click();
  await page.locator(".prose h2 em").getByText("text").waitFor();
  await page.getByRole("combobox", { name: "tags" }).fill("b");
  await page.keyboard.press("Enter");
  await page.locator("label", { hasText: "No" }).click();
  await page.getByRole("button", { name: "Options of gone" }).click();
  await page.getByRole("menuitem", { name: "Remove the field" }).click();
  await page.getByRole("button", { name: "Add a field" }).click();
  await page.getByRole("menuitem", { name: "Number" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("stars");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByLabel("stars", { exact: true }).fill("5");
  for (const item of ["Hide from lists", "Publish date…"]) {
    await page.getByRole("button", { name: "More ways to publish" }).click();
    await page.getByRole("menuitem", { name: item }).click();
  }
  await page.getByRole("textbox", { name: "Publish date" }).fill("2031-02-03T04:05:06");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  const stored = (await world.send("GET", "/api/entries", { query: { id: "edit/one", token: world.token.management } }))
    .text;
  assert.match(stored, /"big":12345678901234567890\.10[,}]/);
  await eventually(async () => {
    const saved = await entry("edit/one");
    assert.equal(saved?.content, "## New *text*");
    assert.deepEqual(saved?.tags, ["a", "b"]);
    assert.equal(saved?.done, true);
    assert.ok(saved && !("gone" in saved));
    assert.equal(saved.stars, 5);
    assert.equal(saved.visibility, "hidden");
    assert.equal(new Date((saved.published_at as number) * 1000).getFullYear(), 2031);
  });
  await page.getByText("Goes live").waitFor();
});

flow("all fields are edited as JSON, and invalid JSON is neither saved nor lost", async (context) => {
  await put("edit/json", { title: "Json", list: [1, { a: null }] });
  const page = await desk.open(context, "/entries/edit/json");
  const type = async (text: string) => {
    await page.getByRole("textbox", { name: "Fields as JSON" }).click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText(text);
  };
  const discard = page.getByRole("dialog").getByRole("button", { name: "Discard" });
  await page.getByText("JSON", { exact: true }).click();
  await type('{"title":"Earlier"} oops');
  await page.getByRole("alert").waitFor();
  await page.getByText("Cannot be saved: the JSON cannot be read").waitFor();
  await page.keyboard.press("Control+s");
  await eventually(() => page.getByRole("button", { name: "Publish", exact: true }).isDisabled(), true);
  await page.getByRole("link", { name: "Media" }).click();
  await discard.waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await page.getByText("Form", { exact: true }).click();
  await discard.click();
  await eventually(() => page.getByRole("textbox", { name: "Title" }).inputValue(), "Json");
  await page.getByText("JSON", { exact: true }).click();
  await type('{"title":"Json","a":{"b":1,"\\u0062":2}}');
  await page.getByRole("alert").getByText('The key "b" occurs twice in one object').waitFor();
  await type('{"title":"Json","visibility":"foo","routable":true,"uuid":"zzz"}');
  await page.getByRole("alert").getByText('"visibility" and "uuid" are not changed here').waitFor();
  await type('{"title":"Json 2","deep":{"n":1.50}}');
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  const stored = (
    await world.send("GET", "/api/entries", { query: { id: "edit/json", token: world.token.management } })
  ).text;
  assert.match(stored, /"deep":\{"n":1\.50\}/);
  assert.ok(!stored.includes('"list"'));
  assert.ok(!stored.includes("Earlier"));
});

flow("a save is one write, even if it removes keys", async (context) => {
  await put("edit/once", { title: "Once", gone: 1, map: { a: 1, b: { c: 2, d: 3 } } });
  const page = await desk.open(context, "/entries/edit/once");
  const writes: string[] = [];
  page.on("request", (request) => request.method() === "PATCH" && writes.push(request.postData() ?? ""));
  const store = async (fields: object) => {
    await page.getByRole("textbox", { name: "Fields as JSON" }).click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText(JSON.stringify(fields));
    await page.keyboard.press("Control+s");
  };
  await page.getByText("JSON", { exact: true }).click();
  await store({ title: "Once", content: "", map: { a: 1, b: { d: 4, e: [null] } }, new: {} });
  await page.getByText("Saved", { exact: true }).waitFor();
  await eventually(async () => (await entry("edit/once"))?.map, { a: 1, b: { d: 4, e: [null] } });
  assert.equal(writes.length, 1, writes.join());
  // A change that no merge patch expresses takes two writes. If the second fails, the rest is not shown as saved.
  await page.route("**/api/**", (route) =>
    route.request().headers()["content-type"] === "application/merge-patch+json" ? route.abort() : route.continue(),
  );
  await store({ title: "Twice", content: "", map: { a: null } });
  await page.getByRole("alert").getByText("The service does not answer").waitFor();
  await page.getByText("Not saved", { exact: true }).first().waitFor();
  await page.unroute("**/api/**");
  await page.keyboard.press("Control+s");
  await page.getByText("Saved", { exact: true }).waitFor();
  await eventually(async () => {
    const saved = await entry("edit/once");
    assert.deepEqual([saved?.title, saved?.map, saved?.new], ["Twice", { a: null }, undefined]);
  });
});

flow("an invalid number or JSON field is not saved, and leaving asks first", async (context) => {
  await put("edit/unread", { title: "Unread", year: 1972, list: [1, 2] });
  const page = await desk.open(context, "/entries/edit/unread");
  await page.getByLabel("year", { exact: true }).fill("197x");
  await page.getByText("Cannot be saved: year is not a number").waitFor();
  await page.getByRole("link", { name: "Media" }).click();
  await page.getByRole("dialog", { name: "Leave without saving?" }).getByRole("button", { name: "Cancel" }).click();
  await page.getByLabel("year", { exact: true }).fill("1979");
  await page.getByLabel("list", { exact: true }).fill("[1,2");
  await page.getByText("Cannot be saved: list is not valid JSON").waitFor();
  await page.keyboard.press("Control+s");
  await page.getByLabel("list", { exact: true }).fill("[1,2,3]");
  await page.getByText("Not saved", { exact: true }).waitFor();
  await eventually(async () => (await entry("edit/unread"))?.year, 1972);
  await page.keyboard.press("Control+s");
  await page.getByText("Saved", { exact: true }).waitFor();
  await eventually(async () => {
    const saved = await entry("edit/unread");
    assert.deepEqual([saved?.year, saved?.list], [1979, [1, 2, 3]]);
  });
});

flow("a concurrent change shows both sides, and either can be kept", async (context) => {
  await put("edit/shared", { title: "Shared", note: "start" });
  const page = await desk.open(context, "/entries/edit/shared");
  await page.getByLabel("note", { exact: true }).fill("mine");
  await write(world, "PATCH", "/api/entries", { id: "edit/shared", data: { title: "Theirs" } });
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Someone else saved meanwhile" });
  await dialog.getByRole("definition").getByText("Theirs", { exact: true }).waitFor();
  await dialog.getByRole("definition").getByText("mine", { exact: true }).waitFor();
  await eventually(async () => (await entry("edit/shared"))?.note, "start");
  await dialog.getByRole("button", { name: "Save yours on top" }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  await eventually(async () => {
    const saved = await entry("edit/shared");
    assert.deepEqual([saved?.title, saved?.note], ["Theirs", "mine"]);
  });
  await page.getByLabel("note", { exact: true }).fill("mine again");
  await write(world, "PATCH", "/api/entries/staged", { id: "edit/shared", data: { note: "theirs" } });
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await dialog.getByRole("button", { name: "Take theirs" }).click();
  await eventually(() => page.getByLabel("note", { exact: true }).inputValue(), "theirs");
});

flow("a deleted entry is created again from the draft, and a missing one from its id", async (context) => {
  await put("edit/gone", { title: "Gone", big: 1 });
  const page = await desk.open(context, "/entries/edit/gone");
  await page.getByRole("textbox", { name: "Title" }).fill("Back");
  await write(world, "DELETE", "/api/entries", { id: "edit/gone" });
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByRole("button", { name: "Create it again" }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  await eventually(async () => {
    const saved = await entry("edit/gone");
    assert.deepEqual([saved?.title, saved?.big], ["Back", 1]);
  });
  await page.goto(`${world.app.url}/admin/entries/bare/deep`);
  await page.getByRole("button", { name: "Create it" }).click();
  await page.getByRole("dialog").getByLabel("Title").fill("Deep");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.getByRole("heading", { name: "Deep", exact: true }).waitFor();
  await eventually(async () => (await entry("bare/deep"))?.title, "Deep");
});

flow("leaving with unsaved changes asks first", async (context) => {
  await put("edit/left", { title: "Left" });
  const page = await desk.open(context, "/entries/edit/left");
  await page.getByRole("textbox", { name: "Title" }).fill("Changed");
  await page.getByRole("link", { name: "Registry" }).click();
  const dialog = page.getByRole("dialog", { name: "Leave without saving?" });
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await eventually(() => page.getByRole("textbox", { name: "Title" }).inputValue(), "Changed");
  await page.getByRole("link", { name: "Registry" }).click();
  await dialog.getByRole("button", { name: "Discard changes" }).click();
  await page.getByRole("heading", { name: "Registry" }).waitFor();
});

flow("right-to-left text is shown so, and the list of an entry has its title and a link back", async (context) => {
  await put("arabic", { title: "سولاريس", content: "فيلم عن كوكب", note: "ملاحظة" });
  await put("arabic/below", { title: "Below" });
  const page = await desk.open(context, "/entries/arabic?view=below");
  await page.getByRole("heading", { name: "سولاريس" }).waitFor();
  await page.locator(".page").getByRole("link", { name: "arabic", exact: true }).click();
  const fields = [
    page.getByRole("heading", { name: "سولاريس" }),
    page.getByRole("textbox", { name: "Title" }),
    page.getByRole("textbox", { name: "Content" }),
    page.getByLabel("note", { exact: true }),
  ];
  for (const field of fields) {
    await eventually(
      () => field.evaluate((at) => getComputedStyle(at).direction),
      "rtl",
      await field.evaluate((at) => at.outerHTML),
    );
  }
});

flow("an entry is renamed with its descendants, and copied", async (context) => {
  await put("place/from", { title: "Placed" });
  await put("place/from/child", { title: "Child" });
  const page = await desk.open(context, "/entries/place/from");
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Rename or move" }).click();
  await page.getByLabel("New id").fill("place/to");
  await page.getByRole("button", { name: "Move", exact: true }).click();
  await page.waitForURL("**/admin/entries/place/to");
  await eventually(async () => (await entry("place/to/child"))?.title, "Child");
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Copy", exact: true }).click();
  await page.getByLabel("New id").fill("place/to");
  await page.getByRole("button", { name: "Copy", exact: true }).click();
  await page.getByRole("alert").getByText("exists already").waitFor();
  await page.getByLabel("New id").fill("place/copy");
  await page.getByRole("button", { name: "Copy", exact: true }).click();
  await page.waitForURL("**/admin/entries/place/copy");
  await eventually(async () => (await entry("place/copy/child"))?.title, "Child");
});

flow("a deleted entry is in the trash at once, and Undo brings it back with all below it", async (context) => {
  await put("delete/undone", { title: "Undone" });
  await put("delete/undone/a", {});
  await put("delete/undone/a/b", {});
  await put("delete/gone", { title: "Gone" });
  const before = await entry("delete/undone");
  const page = await desk.open(context, "/entries/delete/undone");
  const remove = async () => {
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
  };
  await remove();
  await page.getByText("Moved Undone to the trash").waitFor();
  await page.getByText("and 2 entries below it").waitFor();
  await eventually(() => entry("delete/undone"), undefined);
  await eventually(() => page.getByRole("tree").getByText("Undone").count(), 0);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.locator("[data-content]:focus").waitFor();
  await page.getByRole("tree").getByText("Undone").click();
  await page.getByRole("heading", { name: "Undone" }).waitFor();
  await eventually(() => entry("delete/undone"), before);
  await eventually(() => entry("delete/undone/a/b"), assert.ok);
  await page.getByRole("tree").getByText("Gone").click();
  await page.getByRole("heading", { name: "Gone" }).waitFor();
  await remove();
  await page.getByText("Moved Gone to the trash").waitFor();
  await put("delete/gone", { title: "Another" });
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("alert").filter({ hasText: "Not restored" }).getByText("Gone:").waitFor();
  await eventually(async () => (await entry("delete/gone"))?.title, "Another");
  await eventually(
    async () => (await read<unknown[]>(world, "/api/trash", { search: "delete/gone" })).length,
    1,
    "it stays in the trash",
  );
});

flow("an entry with unsaved changes is not deleted", async (context) => {
  await put("delete/typed", { title: "Typed" });
  const page = await desk.open(context, "/entries/delete/typed");
  await page.getByLabel("Title", { exact: true }).fill("Changed");
  await page.getByRole("button", { name: "More actions" }).click();
  await eventually(() => page.getByRole("menuitem", { name: "Delete" }).isDisabled(), true);
});

flow("the filter builder shows the resulting URL, which answers the same", async (context) => {
  const page = await desk.open(context, "/entries/movies?view=below", {
    permissions: ["clipboard-read", "clipboard-write"],
  });
  await page.getByRole("button", { name: "Filter" }).click();
  await page.getByRole("button", { name: "Add a condition" }).click();
  await eventually(() => page.getByRole("button", { name: "Filter" }).locator("..").textContent(), "Filter");
  await page.getByRole("combobox", { name: "Field of condition 1" }).fill("year");
  await page.getByRole("combobox", { name: "Operator of condition 1" }).click();
  await page.getByRole("option", { name: "is at least" }).click();
  await page.getByLabel("Value of condition 1").fill("1975");
  await page.getByLabel("Order by").fill("year");
  await page.getByText("Descending").click();
  await page.getByText("2 entries").waitFor();
  await page.getByRole("row").nth(1).getByRole("link", { name: "STALKER" }).waitFor();
  const rows = ["STALKER", "SOLARIS"];
  await eventually(() => page.getByRole("row").getByRole("link").allTextContents(), rows);
  const copied = await copiedBy(page, () => page.getByRole("button", { name: "Copy the address" }).click());
  assert.doesNotMatch(copied, /[[\]]/, "curl would read brackets as ranges");
  const reply = await fetch(copied.replace("ENTRIES_TOKEN", world.token.delivery));
  const { data } = (await reply.json()) as { data: { title: string }[] };
  assert.deepEqual(
    data.map(({ title }) => title),
    rows,
  );
  await page.reload();
  await page.getByText("2 entries").waitFor();
  await page.getByRole("combobox", { name: "Operator of condition 1" }).click();
  await page.getByRole("option", { name: "is between" }).click();
  await page.getByText("3 entries").waitFor();
  await page.getByLabel("Value of condition 1").fill("1975, 1976");
  await page.getByText("1 entry").waitFor();
});

flow("a hostile entry runs no script anywhere on the page", async (context) => {
  const hostile = [
    '<img src=x onerror="window.hacked=1">',
    "<script>window.hacked=2</script>",
    "[a](javascript:window.hacked=3)",
    "<svg><style><img src=x onerror=window.hacked=4></style></svg>",
    '<a href="data:text/html,<script>window.hacked=5</script>">x</a>',
    "<form action='https://evil.example'><button>x</button></form>",
    "![far](https://evil.example/pixel.gif)",
    "<iframe srcdoc='<script>parent.hacked=6</script>'></iframe>",
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=window.hacked=7&gt;">',
  ].join("\n\n");
  await put("hostile/<img src=x onerror=window.hacked=8>", {
    title: "<b onmouseover=window.hacked=9>T",
    content: hostile,
  });
  const page = await desk.open(context, "/entries");
  // Blocked by the CSP is expected here; every other error still fails the test.
  page.removeAllListeners("console");
  await page.getByRole("tree").getByRole("treeitem", { name: "hostile" }).focus();
  await page.keyboard.press("ArrowRight");
  await page.getByRole("tree").getByText("<b onmouseover").click();
  await page.getByText("Preview", { exact: true }).click();
  await page.locator(".prose").waitFor();
  // What a picture that cannot be read would run has run.
  await eventually(() => page.evaluate(() => [...document.images].every(({ complete }) => complete)), true);
  await eventually(() => page.evaluate(() => (globalThis as { hacked?: number }).hacked), undefined);
  await eventually(async () => {
    const left = await page.locator(".prose").innerHTML();
    assert.ok(!/script|onerror|javascript:|data:|<form|<iframe|style/i.test(left), left);
  });
});

flow("on a phone and at 400 % zoom the form has the window, and what publishes is at hand", async (context) => {
  const content = Array.from({ length: 80 }, (_, i) => `Line ${i}\n`).join("\n");
  await put("room", { title: "Room", content, note: "last" });
  const page = await desk.open(context, "/entries/room", { viewport: { width: 360, height: 740 } });
  const field = page.getByLabel("note", { exact: true });
  // What is not covered of the window while the last field has the focus, above it.
  const free = async () => {
    await field.focus();
    return page.evaluate(() => {
      const { top } = document.activeElement?.getBoundingClientRect() ?? { top: 0 };
      const isForm = (y: number) => document.elementFromPoint(180, y)?.closest(".editor-columns") != null;
      return Array.from({ length: innerHeight }, (_, y) => y).filter((y) => isForm(y) || y >= top).length / innerHeight;
    });
  };
  await field.waitFor();
  await eventually(async () => (await free()) > 0.8, true, "on a phone");
  await field.press("End");
  await field.pressSequentially(" one");
  await page.getByRole("button", { name: "Save draft" }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  await eventually(() => page.evaluate(() => scrollY > 100), true, "saved from where one was");
  await page.setViewportSize({ width: 320, height: 256 });
  await eventually(async () => (await free()) > 0.7, true, "at 400 % zoom");
  assert.ok((await overflow(page)) <= 0);
  assert.deepEqual(await audit(page), []);
});
