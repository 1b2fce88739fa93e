// Slow: it runs a browser.
import assert from "node:assert/strict";
import { before } from "node:test";
import { auditAll, flow, overflow, read, settle, skip, useDesk, write } from "./browser.ts";
import { countClicks } from "./clicks.ts";

/** What an editor does all day, with the clicks that it takes. docs/admin.md, Clicks. */

const desk = useDesk();
const { world } = desk;
type Fields = Record<string, unknown>;
const entry = (id: string) => read<Fields>(world, "/api/entries", { id });
const put = (id: string, data: object) => write(world, "POST", "/api/entries", { id, data });

const text = (title: string, more: object = {}) => ({ type: "string", title, ...more });
const types = [
  {
    id: "article",
    title: "Article",
    paths: ["articles/*", "news/*"],
    schema: {
      type: "object",
      required: ["title"],
      properties: {
        title: text("Title"),
        text: text("Text", { contentMediaType: "text/markdown" }),
        cover: text("Cover", { format: "file", "x-octavo-media": ["image/*"] }),
        author: text("Author", { format: "entry", "x-octavo-types": ["person"] }),
      },
    },
  },
  {
    id: "person",
    title: "Person",
    paths: ["people/*"],
    schema: {
      type: "object",
      properties: { title: text("Name"), photo: text("Photo", { format: "file" }) },
    },
  },
  { id: "home", title: "Home page", paths: ["home"], schema: { type: "object", properties: { title: text("Title") } } },
];

before(async () => {
  if (skip) return;
  await world.ready;
  const admin = await world.issue("management", ["admin", "entries"]);
  for (const type of types) {
    const body = { ...type, token: admin.secret, access_token: world.token.access };
    assert.equal((await world.send("PUT", "/api/types", { body })).status, 200);
  }
});

flow("an article is made without knowing a path: its type, its title", async (context) => {
  const page = await desk.open(context, "/entries");
  const clicks = await countClicks(page);
  const dialog = page.getByRole("dialog", { name: "New entry" });
  const id = dialog.getByLabel("Id");
  await page.getByRole("button", { name: "New entry" }).click();
  await dialog.getByText("Article", { exact: true }).click();
  await page.keyboard.type("Größe & Maß");
  assert.equal(await id.inputValue(), "articles/groesse-mass");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Größe & Maß" }).waitFor();
  assert.equal(await clicks(), 2);
  assert.partialDeepStrictEqual(await entry("articles/groesse-mass"), { title: "Größe & Maß", visibility: "draft" });

  // What the type has, and nothing else; what the service keeps is folded away.
  await page.getByText("Not on the site yet").waitFor();
  const fields = page.getByRole("region", { name: "Fields of Article" });
  for (const name of ["title", "text", "cover", "author"]) await fields.locator(`[data-pointer="/${name}"]`).waitFor();
  assert.equal(await page.getByRole("textbox", { name: "Content" }).count(), 0);
  for (const hidden of ["Published by", "Created by", "Has a page of its own"])
    assert.ok(!(await page.getByLabel(hidden).isVisible()), hidden);
  await page.getByText("Advanced", { exact: true }).click();
  assert.ok(await page.getByLabel("Created by").isVisible());
  assert.deepEqual(await auditAll(page), []);

  // A second one of that title, beside the first: the type is known, and a taken id becomes a free one.
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole("button", { name: "New entry" }).click();
  await page.keyboard.type("Größe & Maß");
  await page.getByLabel("Place").selectOption("news");
  assert.equal(await id.inputValue(), "news/groesse-mass");
  await page.getByLabel("Place").selectOption("articles");
  assert.deepEqual(await auditAll(page), []);
  await dialog.getByLabel("Title").press("Enter");
  await dialog.waitFor({ state: "detached" });
  assert.equal((await entry("articles/groesse-mass-2")).title, "Größe & Maß");

  // An id of another type is refused while it is typed; a type with one entry has its id.
  await page.setViewportSize({ width: 360, height: 800 });
  await page.getByRole("button", { name: "New entry" }).click();
  await dialog.getByText("Person", { exact: true }).click();
  await page.keyboard.type("Ada");
  await id.fill("elsewhere/ada");
  await dialog.getByText("An id of the type Person is like people/*").waitFor();
  assert.ok(await dialog.getByRole("button", { name: "Create" }).isDisabled());
  await dialog.getByText("Home page", { exact: true }).click();
  assert.equal(await id.inputValue(), "home");
  await settle(page);
  assert.equal(await overflow(page), 0);
});
