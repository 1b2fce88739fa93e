// Slow: it runs a browser.
import assert from "node:assert/strict";
import { before } from "node:test";
import type { Page } from "playwright-core";
import { eventually } from "../eventually.ts";
import { auditAll, flow, overflow, read, settle, signIn, skip, useDesk, write } from "./browser.ts";

/** Who uses a thing, a second look before it is deleted, and references that move along. */

const desk = useDesk();
const { world } = desk;
type Fields = Record<string, unknown>;
const entry = (id: string) => read<Fields | undefined>(world, "/api/entries", { id });
const file = (path: string) => read<Fields | undefined>(world, "/api/files", { path });
const put = (id: string, data: object = {}) => write(world, "POST", "/api/entries", { id, data });

async function upload(folder: string, name: string): Promise<void> {
  const form = new FormData();
  const texts = { token: world.token.management, access_token: world.token.access, folder };
  for (const [key, value] of Object.entries(texts)) form.set(key, value);
  form.set("file", new Blob(["text"]), name);
  assert.equal((await fetch(`${world.app.url}/api/files`, { method: "POST", body: form })).status, 200);
}

const reference = { type: "string", format: "entry" };
const schema = {
  properties: {
    author: reference,
    cover: { type: "string", format: "file" },
    cast: { type: "array", items: { properties: { actor: reference } } },
    // Refuses what is moved to `far/…` and `posts/far/…`.
    home: { ...reference, not: { pattern: "^(posts/)?far/" } },
  },
};
const putType = () => write(world, "PUT", "/api/types", { id: "post", paths: ["posts/**"], schema });

before(async () => {
  if (skip) return;
  await world.ready;
  for (const name of ["sea.txt", "land.txt"]) await upload("pics", name);
  await put("plain/one", { title: "One" });
});

/** Counts the requests of the page whose URL has this. */
function countOf(page: Page, part: string): () => number {
  let count = 0;
  page.on("request", (request) => {
    if (request.url().includes(part)) count++;
  });
  return () => count;
}

const dialog = (page: Page, name: string | RegExp) => page.getByRole("dialog", { name });
const rows = (page: Page) => page.getByRole("list", { name: "Entries that refer to it" }).getByRole("listitem");
async function choose(page: Page, item: string, menu = "More actions"): Promise<void> {
  await page.getByRole("button", { name: menu, exact: true }).click();
  await page.getByRole("menuitem", { name: item }).click();
}
const gone = (page: Page, name: string | RegExp) => dialog(page, name).waitFor({ state: "detached" });

flow("without types links in texts are references: listed, asked for, and redirected", async (context) => {
  await put("plain/linking", { title: "Linking", content: "See [it](/plain/one)." });
  const page = await desk.open(context, "/entries/plain/one");
  await page.getByRole("heading", { name: "One" }).waitFor();
  await choose(page, "Used in…");
  await dialog(page, "One is used in").getByText("Linking", { exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await choose(page, "Rename or move");
  await dialog(page, "Rename or move one").getByLabel("New id").fill("plain/first");
  await page.getByRole("checkbox", { name: /references/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL("**/entries/plain/first");
  await eventually(async () => (await entry("plain/linking"))?.content, "See [it](/plain/first).");
  await choose(page, "Delete");
  await page.getByRole("dialog").getByText("Linking", { exact: true }).waitFor();
});

flow("an entry lists who refers to it and where, page by page, by keys", async (context) => {
  await putType();
  await put("people/ana", { title: "Ana" });
  await put("posts/many/000", { title: "First", author: "people/ana", cast: [{}, { actor: "people/ana" }] });
  for (let n = 1; n <= 100; n++) await put(`posts/many/${String(n).padStart(3, "0")}`, { author: "people/ana" });
  const page = await desk.open(context, "/entries/people/ana");
  await page.getByRole("button", { name: "More actions" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Used in…" }).focus();
  await page.keyboard.press("Enter");
  const shown = dialog(page, "Ana is used in");
  await rows(page).first().getByText("author, cast › item 2 › actor").waitFor();
  await eventually(() => rows(page).count(), 100);
  await page.setViewportSize({ width: 360, height: 800 });
  await settle(page);
  assert.equal(await overflow(page), 0);
  await shown.getByRole("button", { name: "Show more" }).focus();
  await page.keyboard.press("Enter");
  await page.locator("a:focus").filter({ hasText: "100" }).waitFor();
  await page.keyboard.press("Escape");
  await gone(page, "Ana is used in");
  await page.locator("[aria-label='More actions']:focus").waitFor();
  await choose(page, "Used in…");
  await shown.getByRole("link", { name: "First" }).click();
  await page.getByRole("heading", { name: "First" }).waitFor();
  await gone(page, "Ana is used in");
});

flow("the drawer of a file lists who refers to it", async (context) => {
  await putType();
  await put("posts/sea", { title: "Sea", cover: "pics/sea.txt" });
  const page = await desk.open(context, "/files/pics?file=sea.txt");
  const button = page.getByRole("button", { name: "Used in" });
  await button.click();
  await rows(page).filter({ hasText: "Sea" }).getByText("cover").waitFor();
  assert.deepEqual(await auditAll(page), []);
  await page.keyboard.press("Escape");
  await gone(page, "sea.txt is used in");
  await dialog(page, "sea.txt").waitFor();
  await button.click();
  await rows(page).getByRole("link", { name: "Sea" }).click();
  await page.getByRole("heading", { name: "Sea" }).waitFor();
});

flow("an entry that others refer to is deleted after a second look, another one at once", async (context) => {
  await putType();
  await put("crew/bo", { title: "Bo" });
  await put("crew/bo/pets", { title: "Pets" });
  for (let n = 0; n < 6; n++) await put(`posts/bo/${n}`, { author: n === 0 ? "crew/bo/pets" : "crew/bo" });
  const page = await desk.open(context, "/entries/crew/bo");
  await page.getByRole("heading", { name: "Bo" }).waitFor();
  await choose(page, "Delete");
  const question = dialog(page, "Delete “Bo”?");
  await question.getByText("and others").waitFor();
  await question.getByText("Entries refer to it or to what is below it").waitFor();
  await question.getByText("lead to nothing, unless").waitFor();
  await eventually(() => rows(page).count(), 6);
  assert.deepEqual(await auditAll(page), []);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.keyboard.press("Escape");
  await gone(page, "Delete “Bo”?");
  await page.getByRole("heading", { name: "Bo" }).waitFor();
  await eventually(() => entry("crew/bo"), assert.ok);
  await choose(page, "Delete");
  await question.getByRole("button", { name: "Delete anyway" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("Moved Bo to the trash").waitFor();
  await page.waitForURL("**/admin/entries/crew?view=below");
  await eventually(() => entry("crew/bo"), undefined);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("link", { name: "Bo", exact: true }).first().waitFor();
  await eventually(() => entry("crew/bo/pets"), assert.ok);
  await page.goto(`${world.app.url}/admin/entries/posts/bo/3`);
  await page.getByRole("heading", { name: "3" }).waitFor();
  await choose(page, "Delete");
  await page.getByText("Moved 3 to the trash").waitFor();
});

flow("a deletion asks, too, when who refers to it cannot be read", async (context) => {
  await putType();
  await put("crew/cut", { title: "Cut" });
  const page = await desk.open(context, "/entries/crew/cut");
  await page.getByRole("heading", { name: "Cut" }).waitFor();
  await page.route("**/api/entries/references**", (route) => route.abort());
  await choose(page, "Delete");
  const question = dialog(page, "Delete “Cut”?");
  await question.getByText("Whether entries refer to it or to what is below it is not known").waitFor();
  await eventually(() => entry("crew/cut"), assert.ok);
  await question.getByRole("button", { name: "Delete anyway" }).click();
  await page.getByText("Moved Cut to the trash").waitFor();
});

flow("several entries that refer to one another are deleted at once, unless others refer to one", async (context) => {
  await putType();
  await put("posts/pair", { title: "Pair" });
  await put("posts/pair/a", { title: "A", author: "posts/pair/b" });
  await put("posts/pair/b", { title: "B", author: "posts/pair/a" });
  await put("posts/pair/c", { title: "C" });
  const page = await desk.open(context, "/entries/posts/pair?view=below");
  const select = (name: string) => page.getByRole("checkbox", { name: `Select ${name}`, exact: true }).check();
  await select("B");
  await select("C");
  const question = dialog(page, "Delete 2 items?");
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await question.getByText("An entry refers to them or to what is below them").waitFor();
  await rows(page).getByRole("link", { name: "A", exact: true }).waitFor();
  await question.getByRole("button", { name: "Cancel" }).click();
  await gone(page, "Delete 2 items?");
  await page.getByText("2 selected").waitFor();
  await select("A");
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("Moved 3 items to the trash").waitFor();
  await eventually(() => entry("posts/pair/b"), undefined);
});

flow("files and folders that entries refer to are deleted after a second look", async (context) => {
  await putType();
  for (const name of ["a.txt", "b.txt", "free.txt"]) await upload("press/kit", name);
  await put("posts/press", { cover: "press/kit/a.txt" });
  const page = await desk.open(context, "/files/press/kit?file=a.txt");
  await dialog(page, "a.txt").waitFor();
  await choose(page, "Delete", "Actions for a.txt");
  await rows(page).getByRole("link", { name: "press", exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await gone(page, "Delete “a.txt”?");
  await dialog(page, "a.txt").waitFor();
  await page.keyboard.press("Escape");
  await gone(page, "a.txt");
  await page
    .getByRole("button", { name: "free.txt" })
    .or(page.getByRole("link", { name: "free.txt" }))
    .first()
    .click();
  await choose(page, "Delete", "Actions for free.txt");
  await page.getByText("Moved free.txt to the trash").waitFor();
  await page.getByRole("checkbox", { name: "Select all" }).check();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await dialog(page, "Delete 2 items?").getByText("An entry refers to them:").waitFor();
  await page.keyboard.press("Escape");
  await gone(page, "Delete 2 items?");
  await page.goto(`${world.app.url}/admin/files/press`);
  await choose(page, "Delete", "Actions for kit");
  const question = dialog(page, "Delete “kit”?");
  await question.getByText("An entry refers to it or to what is in it:").waitFor();
  await question.getByRole("button", { name: "Delete anyway" }).click();
  await page.getByText("Moved kit to the trash").waitFor();
  await eventually(() => file("press/kit/a.txt"), undefined);
});

flow("a move of an entry counts the references and takes them along, unless told not to", async (context) => {
  await putType();
  await put("team/x", { title: "X" });
  await put("posts/x1", { author: "team/x" });
  await put("posts/x2", { author: "team/x" });
  const page = await desk.open(context, "/entries/posts/x1");
  await page.getByRole("heading", { name: "x1" }).waitFor();
  await page.goto(`${world.app.url}/admin/entries/team/x`);
  await page.getByRole("heading", { name: "X" }).waitFor();
  const move = async (to: string) => {
    await choose(page, "Rename or move");
    await page.getByText("2 entries refer to it or to what is below it.").waitFor();
    await page.getByLabel("New id").fill(to);
  };
  const box = page.getByRole("checkbox", { name: "Update these references" });
  await move("team/y");
  await eventually(() => box.isChecked(), true);
  assert.deepEqual(await auditAll(page), []);
  await page.setViewportSize({ width: 360, height: 800 });
  await settle(page);
  assert.equal(await overflow(page), 0);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole("button", { name: "Move", exact: true }).click();
  await page.waitForURL("**/admin/entries/team/y");
  await eventually(
    async () => [(await entry("posts/x1"))?.author, (await entry("posts/x2"))?.author],
    ["team/y", "team/y"],
  );
  await page.getByRole("heading", { name: "X" }).waitFor();
  await move("team/z");
  await box.focus();
  await page.keyboard.press("Space");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/admin/entries/team/z");
  await eventually(async () => (await entry("posts/x1"))?.author, "team/y");
});

flow("a refused update of a reference is said in the dialog, with a link to the entry", async (context) => {
  await putType();
  await put("team/house", { title: "House" });
  await put("posts/guest", { title: "Guest", home: "team/house" });
  await put("posts/self", { title: "Self", home: "posts/self" });
  const page = await desk.open(context, "/entries/team/house");
  await page.getByRole("heading", { name: "House" }).waitFor();
  await choose(page, "Rename or move");
  await page.getByText("1 entry refers to it").waitFor();
  await page.getByLabel("New id").fill("far/house");
  await page.keyboard.press("Enter");
  const alert = dialog(page, "Rename or move house").getByRole("alert");
  await alert.getByText("does not fit the type").waitFor();
  await eventually(() => alert.getByRole("link").getAttribute("href"), "/admin/entries/posts/guest");
  await eventually(() => entry("team/house"), assert.ok);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole("checkbox", { name: "Update these references" }).uncheck();
  await page.getByRole("button", { name: "Move", exact: true }).click();
  await page.waitForURL("**/admin/entries/far/house");
  await eventually(async () => (await entry("posts/guest"))?.home, "team/house");

  // What refers to itself is named by its present id.
  await page.goto(`${world.app.url}/admin/entries/posts/self`);
  await page.getByRole("heading", { name: "Self" }).waitFor();
  await choose(page, "Rename or move");
  await page.getByText("No other entry refers to it").waitFor();
  await page.getByLabel("New id").fill("posts/far/self");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByRole("link", { name: "Self" }).waitFor();

  // Several at once.
  await put("team/hut", { title: "Hut" });
  await put("posts/hiker", { home: "team/hut" });
  await page.goto(`${world.app.url}/admin/entries/team?view=below`);
  await page.getByRole("checkbox", { name: "Select Hut", exact: true }).check();
  await page.getByRole("button", { name: "Move to…" }).click();
  await page.getByText("1 entry refers to it").waitFor();
  await page.getByLabel("Below").fill("far");
  await page.keyboard.press("Enter");
  await dialog(page, "Move 1 entry").getByRole("link", { name: "hiker" }).waitFor();
  await page.getByLabel("Below").fill("near");
  await page.getByRole("button", { name: "Move", exact: true }).click();
  await gone(page, "Move 1 entry");
  await eventually(async () => (await entry("posts/hiker"))?.home, "near/hut");
});

flow("a move of a file or a folder takes references along", async (context) => {
  await putType();
  for (const name of ["a.txt", "b.txt"]) await upload("shelf/box", name);
  await put("posts/shelf", { cover: "shelf/box/a.txt" });
  const page = await desk.open(context, "/files/shelf/box?file=a.txt");
  await dialog(page, "a.txt").waitFor();
  await choose(page, "Rename or move", "Actions for a.txt");
  await page.getByText("1 entry refers to it.").waitFor();
  await page.getByLabel("New path").fill("shelf/box/c.txt");
  await page.keyboard.press("Enter");
  await dialog(page, "c.txt").waitFor();
  await eventually(async () => (await entry("posts/shelf"))?.cover, "shelf/box/c.txt");
  await page.goto(`${world.app.url}/admin/files/shelf/box?file=b.txt`);
  await choose(page, "Rename or move", "Actions for b.txt");
  await page.getByText("No entry refers to it.").waitFor();
  await page.keyboard.press("Escape");
  await page.goto(`${world.app.url}/admin/files/shelf`);
  await page.getByRole("checkbox", { name: "Select all" }).check();
  await page.getByRole("button", { name: "Move to…" }).click();
  await page.getByText("1 entry refers to it or to what is in it.").waitFor();
  await page.getByLabel("Folder", { exact: true }).fill("rack");
  await page.keyboard.press("Enter");
  await gone(page, "Move 1 item");
  await eventually(async () => (await entry("posts/shelf"))?.cover, "rack/box/c.txt");
});

flow("a session without entries sees nothing of it, and asks for nothing", async (context) => {
  await putType();
  await upload("alone", "a.txt");
  await put("posts/alone", { cover: "alone/a.txt" });
  const { secret } = await world.issue("management", ["files", "folders"]);
  const page = await desk.openFresh(context, "/files/alone?file=a.txt");
  const asked = countOf(page, "/references");
  const types = countOf(page, "/api/types");
  await signIn(page, { ...world, token: { ...world.token, management: secret } });
  await page.getByRole("button", { name: "History" }).waitFor();
  await eventually(() => page.getByRole("button", { name: "Used in" }).count(), 0);
  await choose(page, "Rename or move", "Actions for a.txt");
  await page.getByLabel("New path").waitFor();
  await settle(page);
  await eventually(() => page.getByRole("checkbox", { name: /references/ }).count(), 0);
  await page.keyboard.press("Escape");
  await gone(page, "Rename or move a.txt");
  await choose(page, "Delete", "Actions for a.txt");
  await page.getByText("Moved a.txt to the trash").waitFor();
  assert.deepEqual([asked(), types()], [0, 0]);
});
