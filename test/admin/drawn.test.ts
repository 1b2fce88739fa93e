// Slow: it runs a browser.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before } from "node:test";
import type { Page } from "playwright-core";
import { eventually } from "../eventually.ts";
import { axNodes } from "./ax-tree.ts";
import { auditAll, flow, read, showSource, skip, useDesk, write } from "./browser.ts";

/** A text is shown as it will read while it is written, and an edit changes only the lines that it touches. */

const desk = useDesk();
const { world } = desk;
const put = (id: string, content: string) => write(world, "POST", "/api/entries", { id, data: { title: id, content } });
const stored = async (id: string) => (await read<{ content: string }>(world, "/api/entries/staged", { id })).content;

before(async () => {
  if (skip) return;
  await world.ready;
  const form = new FormData();
  const fields = { token: world.token.management, access_token: world.token.access, folder: "album" };
  for (const [key, value] of Object.entries(fields)) form.set(key, value);
  const picture = readFileSync(new URL("../../assets/demo/uploads/movies/solaris.jpg", import.meta.url));
  form.set("file", new Blob([picture]), "sea.jpg");
  assert.equal((await fetch(`${world.app.url}/api/files`, { method: "POST", body: form })).status, 200);
});

const contentOf = (page: Page) => page.getByRole("textbox", { name: "Content" });
const lineOf = (page: Page, text: string) => page.locator(".cm-line").filter({ hasText: text }).first();
const textOf = (page: Page) => page.locator(".cm-content .cm-line").allTextContents();

const save = async (page: Page) => {
  await page.keyboard.press("Control+s");
  await page.getByText("Saved", { exact: true }).waitFor();
};

const text = `# Title

Some *italic*, **bold**, ~~old~~ and \`code\`, [words](https://example.org "t"), [ref][r], &amp; \\* end.

Second
------

- one
- two
  - inner
- [ ] to do

3. third
3. fourth

> A *quote*

\`\`\`js
let a = 1;
\`\`\`

---

[r]: /blog/first

End.`;

flow(
  "a text is drawn as it reads, for the accessibility tree too, with marks only where the cursor is",
  async (context) => {
    await put("drawn/text", text);
    const page = await desk.open(context, "/entries/drawn/text");
    await contentOf(page).getByText("First steps").waitFor({ state: "hidden" });
    const seen = async () =>
      (await axNodes(page, "Content")).filter(([role]) => role !== "generic" && role !== "LineBreak");
    await eventually(
      async () => (await seen()).slice(0, 8),
      [
        ["heading 1", "Title"],
        ["text", "Title"],
        ["text", "Some "],
        ["emphasis", ""],
        ["text", "italic"],
        ["text", ", "],
        ["strong", ""],
        ["text", "bold"],
      ],
    );
    const nodes = await seen();
    for (const role of [
      "deletion",
      "code",
      "link",
      "heading 2",
      "list",
      "listitem",
      "blockquote",
      "separator",
      "checkbox",
    ])
      assert.ok(
        nodes.some(([seenRole]) => seenRole === role),
        role,
      );
    const words = nodes.map(([, name]) => name).join("\n");
    assert.doesNotMatch(words.replace("* ", "").replace("[r]", ""), /[*_~`>#[\]|]|--|&amp;/);
    await lineOf(page, "Some").click({ position: { x: 5, y: 5 } });
    await page.keyboard.press("Home");
    await eventually(async () => (await textOf(page))[2]?.startsWith("Some italic, bold"), true);
    await page.keyboard.press("Control+ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await eventually(async () => (await textOf(page))[2]?.startsWith("Some *italic*, bold"), true);
    await showSource(page);
    await eventually(async () => (await textOf(page)).join("\n"), text);
    await page.getByText("Write", { exact: true }).click();
    await eventually(async () => (await textOf(page))[0], "Title");
    assert.deepEqual(await auditAll(page), []);
  },
);

const foreign = [
  "\tcode with a tab\r\n",
  "| a   | b |\r\n|-----|:-:|\r\n| one |   |\r\n\r\n",
  "Setext  \r\n===\r\n\r\n",
  "*one* and _two_ [x][Y]\n\n",
  "<p align=center>\n <b>raw</b></p>\n\n[y]:   <http://example.org>  'T'\r\n\r\n",
  "+ a\r\n+ b\r\n\r\nlast line",
].join("");

flow("a word that is edited changes its line alone, whatever the others hold", async (context) => {
  await put("drawn/foreign", foreign);
  const page = await desk.open(context, "/entries/drawn/foreign");
  await contentOf(page).waitFor();
  // What is opened is not changed.
  await eventually(() => page.getByText("Not saved").count(), 0);
  await lineOf(page, "last line").click();
  await page.keyboard.press("End");
  await page.keyboard.type(" more");
  await lineOf(page, "one and").click();
  await page.keyboard.press("End");
  await page.keyboard.type(" now");
  await page.locator(".cm-table td").nth(1).click();
  await page.keyboard.type("2|3 *x*");
  await save(page);
  const expected = foreign
    .replace("last line", "last line more")
    .replace("[x][Y]", "[x][Y] now")
    .replace("| one |   |", "| one | 2\\|3 *x*  |");
  await eventually(() => stored("drawn/foreign"), expected);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+z");
  await eventually(() => page.locator(".cm-table td").nth(1).textContent(), "");
  await save(page);
  await eventually(() => stored("drawn/foreign"), foreign);
});

flow("cells of a table are gone through by keys, and rows added, without its source", async (context) => {
  await put("drawn/table", "Before\n\n| a | b |\n| - | - |\n| *c* | d |");
  const page = await desk.open(context, "/entries/drawn/table");
  const cells = page.locator(".cm-table :is(th, td)");
  await eventually(() => cells.allTextContents(), ["a", "b", "c", "d"]);
  await lineOf(page, "Before").click();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await eventually(() => cells.nth(0).evaluate((cell) => cell === document.activeElement), true);
  await page.keyboard.press("ArrowDown");
  await eventually(() => cells.allTextContents(), ["a", "b", "*c*", "d"]);
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Control+b");
  await eventually(() => cells.nth(2).textContent(), "***c***");
  await page.keyboard.press("Tab");
  await page.keyboard.press("End");
  await page.keyboard.type("e");
  await page.getByRole("button", { name: "Table" }).click();
  await page.getByText("Add a row below").click();
  await eventually(() => cells.nth(4).evaluate((cell) => cell === document.activeElement), true);
  await page.keyboard.type("f");
  await page.keyboard.press("Enter");
  await eventually(() => contentOf(page).evaluate((content) => content === document.activeElement), true);
  await page.keyboard.type("After");
  await save(page);
  await eventually(() => stored("drawn/table"), "Before\n\n| a | b |\n| - | - |\n| ***c*** | de |\n| f |  |\n\nAfter");
});

const nested = [
  "A claim[^b] and more[^A], not[^c].\n",
  "[^a]: First note\n    goes on.\n[^b]: *Second*\n",
  "> | q | r |\n> | - | - |\n> | 1 | 2 |\n",
  "- item\n\n  | in | list |\n  |:--|--:|\n  | x   | y |\n\n  > said",
].join("\n");

flow("footnotes have their numbers, and tables in quotes and lists cells, with buttons for rows", async (context) => {
  await put("drawn/nested", nested);
  const page = await desk.open(context, "/entries/drawn/nested");
  await contentOf(page).waitFor();
  await eventually(() => page.locator(".cm-content sup").allTextContents(), ["1", "2"]);
  await eventually(() => page.locator(".cm-footnote").allInnerTexts(), ["2.First note\ngoes on.", "1.Second"]);
  await eventually(async () => (await textOf(page))[0], "A claim1 and more2, not[^c].");
  await page.locator(".cm-item .cm-quote").getByText("said").waitFor();
  const quoted = page.locator(".cm-quote .cm-table :is(th, td)");
  const listed = page.locator(".cm-item .cm-table :is(th, td)");
  await eventually(() => quoted.allTextContents(), ["q", "r", "1", "2"]);
  await eventually(() => listed.allTextContents(), ["in", "list", "x", "y"]);
  await eventually(
    () => axNodes(page, "Content"),
    (nodes) => {
      const roles = new Set(nodes.map(([role]) => role));
      for (const role of ["superscript", "blockquote", "listitem", "table", "row", "columnheader", "cell", "emphasis"])
        assert.ok(roles.has(role), role);
      const words = nodes.map(([, name]) => name).join("\n");
      assert.doesNotMatch(words.replace("[^c]", ""), /[*|>[\]^:]|--/);
    },
  );
  await quoted.nth(3).click();
  await page.keyboard.press("End");
  await page.keyboard.type("!");
  const act = async (name: string) => {
    await page.getByRole("button", { name: "Rows and columns" }).click();
    await page.getByRole("toolbar", { name: "Cell" }).getByRole("button", { name }).click();
  };
  const isIn = (cells: typeof listed, i: number) =>
    eventually(() => cells.nth(i).evaluate((cell) => cell === document.activeElement), true);
  await act("Add row");
  await isIn(quoted, 4);
  await page.keyboard.type("3");
  await listed.nth(2).click();
  await act("Add column");
  await isIn(listed, 4);
  await page.keyboard.type("new");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.type("more");
  await save(page);
  const grown = nested
    .replace("| 1 | 2 |", "| 1 | 2! |\n> | 3 |  |")
    .replace(
      "| in | list |\n  |:--|--:|\n  | x   | y |",
      "| in | more | list |\n  |:--| --- |--:|\n  | x   | new | y |",
    );
  await eventually(() => stored("drawn/nested"), grown);
  await page.getByRole("button", { name: "Rows and columns" }).click();
  assert.deepEqual(await auditAll(page), []);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole("button", { name: "Rows and columns" }).click();
  await listed.nth(3).click();
  await act("Remove column");
  await isIn(listed, 2);
  await page.keyboard.press("Control+z");
  await eventually(() => listed.count(), 6);
  await page.keyboard.press("Control+y");
  await eventually(() => listed.count(), 4);
  await quoted.nth(2).click();
  await act("Remove row");
  await eventually(() => quoted.allTextContents(), ["q", "r", "3", ""]);
  await quoted.nth(0).click();
  await page.getByRole("button", { name: "Rows and columns" }).click();
  await eventually(() => page.getByRole("button", { name: "Remove row" }).isDisabled(), true);
  await save(page);
  const shrunk = grown
    .replace("> | 1 | 2! |\n", "")
    .replace("| in | more ", "| more ")
    .replace("|:--| --- ", "| --- ")
    .replace("| x   | new ", "| new ");
  await eventually(() => stored("drawn/nested"), shrunk);
});

flow("each line is written from the side of its own letters, in the text and in its preview", async (context) => {
  await put("drawn/sides", "First line.\n\nשלום עולם\n\n- **עולם**\n- two\n\n12\n\n| שלום | b |\n| - | - |");
  const page = await desk.open(context, "/entries/drawn/sides");
  const side = (place: ReturnType<Page["locator"]>) => place.evaluate((element) => getComputedStyle(element).direction);
  const expected: [words: string, side: string][] = [
    ["First", "ltr"],
    ["שלום עולם", "rtl"],
    ["עולם", "rtl"],
    ["two", "ltr"],
    ["12", "ltr"],
  ];
  for (const [words, from] of expected) await eventually(() => side(lineOf(page, words)), from, words);
  await eventually(() => side(page.locator(".cm-item").first()), "rtl");
  await eventually(() => side(page.locator(".cm-table th").first()), "rtl");
  await lineOf(page, "12").click();
  await page.keyboard.press("End");
  await page.keyboard.type(" ש");
  await eventually(() => side(lineOf(page, "12")), "rtl");
  await page.getByText("Preview", { exact: true }).click();
  const prose = page.locator(".prose");
  await eventually(() => side(prose.locator("p").first()), "ltr");
  await eventually(() => side(prose.locator("p").nth(1)), "rtl");
  await eventually(() => side(prose.locator("li").first()), "rtl");
  await eventually(() => side(prose.locator("li").nth(1)), "ltr");
  await eventually(() => side(prose.locator("th").first()), "rtl");
});

flow("pictures are drawn from the store, and links to entries say their titles", async (context) => {
  await put("blog/first", "");
  await write(world, "PATCH", "/api/entries", { id: "blog/first", data: { title: "First steps" } });
  await put(
    "drawn/links",
    "See [this](/blog/first), [First steps](/blog/first).\n\n![The sea](/project/uploads/album/sea.jpg)\n\n| [cell][r] |\n| - |\n\n[r]: /blog/first",
  );
  const page = await desk.open(context, "/entries/drawn/links");
  await contentOf(page).getByText("First steps", { exact: true }).first().waitFor();
  await eventually(() => lineOf(page, "See").innerText(), "See thisFirst steps, First steps.");
  await eventually(() => page.locator(".cm-table th .cm-link").textContent(), "cell");
  const picture = contentOf(page).getByRole("img", { name: "The sea" });
  await eventually(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth), 1400);
  await eventually(async () => (await picture.getAttribute("src"))?.includes("/api/images/album/sea.jpg"), true);
});

flow(
  "a task is done with a click, Enter twice ends a list, Backspace at its start makes an item a paragraph",
  async (context) => {
    await put("drawn/task", "- [ ] one\n- two");
    const page = await desk.open(context, "/entries/drawn/task");
    await contentOf(page).getByRole("checkbox", { name: "To do" }).click();
    await contentOf(page).getByRole("checkbox", { name: "Done" }).waitFor();
    await lineOf(page, "two").click();
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await page.keyboard.type("three");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await page.keyboard.type("After");
    await eventually(() => page.locator(".cm-item").last().innerText(), "•three");
    await lineOf(page, "two").click();
    await page.keyboard.press("Home");
    await page.keyboard.press("Backspace");
    await save(page);
    await eventually(() => stored("drawn/task"), "- [x] one\n\ntwo\n- three\n\nAfter");
  },
);

flow("composed words and words from the right are written into drawn lines", async (context) => {
  await put("drawn/ime", "**bold** text\n\nשלום *עולם* סוף");
  const page = await desk.open(context, "/entries/drawn/ime");
  const client = await page.context().newCDPSession(page);
  await lineOf(page, "text").click();
  await page.keyboard.press("End");
  for (const composed of ["に", "にほ", "日本"])
    await client.send("Input.imeSetComposition", {
      text: composed,
      selectionStart: composed.length,
      selectionEnd: composed.length,
    });
  await client.send("Input.insertText", { text: "日本" });
  await eventually(async () => (await textOf(page))[0], "bold text日本");
  await page.keyboard.press("Home");
  await eventually(async () => (await textOf(page))[0], "**bold** text日本");
  await page.keyboard.press("Home");
  await client.send("Input.imeSetComposition", { text: "ko", selectionStart: 2, selectionEnd: 2 });
  await client.send("Input.insertText", { text: "子" });
  await lineOf(page, "סוף").click();
  await page.keyboard.press("End");
  await page.keyboard.type("!");
  await eventually(async () => (await textOf(page))[2], "שלום עולם סוף!");
  await save(page);
  await eventually(() => stored("drawn/ime"), "子**bold** text日本\n\nשלום *עולם* סוף!");
});

flow("words are composed and pasted into a cell as its text, and taken back", async (context) => {
  const table = "| a | b |\n| - | - |\n| c | d |";
  await put("drawn/cell", table);
  const page = await desk.open(context, "/entries/drawn/cell");
  const cell = page.locator(".cm-table td").first();
  const client = await page.context().newCDPSession(page);
  await cell.click();
  await page.keyboard.press("End");
  for (const composed of ["に", "にほ", "日本"])
    await client.send("Input.imeSetComposition", {
      text: composed,
      selectionStart: composed.length,
      selectionEnd: composed.length,
    });
  await client.send("Input.insertText", { text: "日本" });
  await eventually(() => cell.textContent(), "c日本");
  await cell.evaluate((focused) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", " x|y\nz");
    focused.dispatchEvent(new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData }));
  });
  await save(page);
  await eventually(() => stored("drawn/cell"), table.replace("c", "c日本 x\\|y z"));
  for (let steps = 0; steps < 9 && (await cell.textContent()) !== "c"; steps++) await page.keyboard.press("Control+z");
  await save(page);
  await eventually(() => stored("drawn/cell"), table);
});

flow("a slash on an empty line offers what it can become, by keys and letters", async (context) => {
  await put("drawn/slash", "Before");
  await put("blog/target", "");
  const page = await desk.open(context, "/entries/drawn/slash");
  const options = page.getByRole("listbox", { name: "Insert" }).getByRole("option");
  const selected = () => page.getByRole("option", { selected: true }).allTextContents();
  await lineOf(page, "Before").click();
  await page.keyboard.press("End");
  await page.keyboard.type(" 1/2");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await page.keyboard.type("/");
  await eventually(selected, ["Heading"]);
  await page.keyboard.press("ArrowUp");
  await eventually(selected, ["Line"]);
  await page.keyboard.press("Escape");
  await options.first().waitFor({ state: "detached" });
  await page.keyboard.press("Backspace");
  await page.keyboard.type("/quo");
  await eventually(selected, ["Quote"]);
  await page.keyboard.press("Enter");
  await page.keyboard.type("quoted");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await page.keyboard.type("/tab");
  await eventually(selected, ["Table"]);
  await page.keyboard.press("Enter");
  await page.locator(".cm-table th").first().waitFor();
  await page.keyboard.type("Head");
  await page.keyboard.press("Escape");
  await page.keyboard.type("/link");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Link to" });
  await dialog.getByRole("textbox").fill("target");
  await dialog.getByRole("button", { name: "blog/target" }).click();
  await dialog.waitFor({ state: "detached" });
  await save(page);
  await eventually(
    () => stored("drawn/slash"),
    "Before 1/2\n\n> quoted\n\n| Head |  |\n| --- | --- |\n|  |  |\n\n[blog/target](/blog/target)",
  );
});

flow("a text right below a table is apart from it, whether it is typed, pasted or composed", async (context) => {
  const table = "| a |\n| - |\n| b |\n";
  await put("drawn/below", table);
  const page = await desk.open(context, "/entries/drawn/below");
  const client = await page.context().newCDPSession(page);
  const acts: [act: () => Promise<unknown>, text: string][] = [
    [() => page.keyboard.type("typed"), "typed"],
    [() => client.send("Input.insertText", { text: "inserted" }), "inserted"],
    [
      async () => {
        for (const text of ["に", "にほ"])
          await client.send("Input.imeSetComposition", {
            text,
            selectionStart: text.length,
            selectionEnd: text.length,
          });
        await client.send("Input.insertText", { text: "日本" });
      },
      "日本",
    ],
    [
      () =>
        contentOf(page).evaluate((content) => {
          const clipboardData = new DataTransfer();
          clipboardData.setData("text/plain", "pasted");
          content.dispatchEvent(new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData }));
        }),
      "pasted",
    ],
  ];
  for (const [act, text] of acts) {
    await page.locator(".cm-line").last().click();
    await act();
    await save(page);
    await eventually(() => stored("drawn/below"), `${table}\n${text}`);
    for (let steps = 0; steps < 9 && (await lineOf(page, text).count()) > 0; steps++)
      await page.keyboard.press("Control+z");
    for (let steps = 0; steps < 9 && (await page.locator(".cm-line").count()) > 1; steps++)
      await page.keyboard.press("Control+z");
    await save(page);
    await eventually(() => stored("drawn/below"), table);
  }
});

flow("a row that is shorter than its head has all cells, which are written when they are filled", async (context) => {
  await put("drawn/short", "| a | b | c |\n| - | - | - |\n| d |\ne");
  const page = await desk.open(context, "/entries/drawn/short");
  const cells = page.locator(".cm-table td");
  await cells.nth(2).click();
  await page.keyboard.type("f");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.type("gh");
  await eventually(() => cells.allTextContents(), ["d", "", "f", "e", "gh", ""]);
  await page.keyboard.press("Control+s");
  await eventually(() => stored("drawn/short"), "| a | b | c |\n| - | - | - |\n| d |  | f |\ne| gh |");
});

flow("backslashes and bars in a cell stay in it, and code shows its bars", async (context) => {
  const table = "|a|b|\n|-|-|\n|c|`x\\|y`|\n|d\\\\|e|";
  await put("drawn/bars", table);
  const page = await desk.open(context, "/entries/drawn/bars");
  const cells = page.locator(".cm-table td");
  await eventually(() => cells.allTextContents(), ["c", "x|y", "d\\", "e"]);
  await cells.first().click();
  await page.keyboard.press("End");
  await page.keyboard.type("\\");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("End");
  await page.keyboard.type("\\\\|f");
  await save(page);
  const written = table.replace("|c|", "|c\\ |").replace("|e|", "|e\\\\\\|f |");
  await eventually(() => stored("drawn/bars"), written);
  await page.keyboard.press("Escape");
  await eventually(() => cells.allTextContents(), ["c\\", "x|y", "d\\", "e\\|f"]);
});

flow("lists go on in quotes, and no key takes a mark for a list where it is code", async (context) => {
  await put("drawn/quoted", "> 1. one\n> 2. two\n\n```yaml\n    - name\n```");
  const page = await desk.open(context, "/entries/drawn/quoted");
  await lineOf(page, "two").click();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.keyboard.type("three");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await page.keyboard.type("said");
  await lineOf(page, "two").click();
  await page.keyboard.press("Home");
  await page.keyboard.press("Backspace");
  await lineOf(page, "name").click();
  await page.keyboard.press("End");
  await page.keyboard.press("Control+ArrowLeft");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.keyboard.type("/");
  await page.keyboard.press("Enter");
  await page.keyboard.type("x");
  await save(page);
  const quote = "> 1. one\n>\n> two\n> 3. three\n>\n> said";
  await eventually(() => stored("drawn/quoted"), `${quote}\n\n\`\`\`yaml\n    -name\n/\nx\n\`\`\``);
});
