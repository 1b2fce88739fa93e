// Long: it runs a browser.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, type TestContext } from "node:test";
import type { Page } from "playwright-core";
import { createClient } from "../../client/src/client.ts";
import type { TokenInput } from "../../src/core/access/token.ts";
import { eventually } from "../eventually.ts";
import { audit, auditAll, flow, hasFocus, overflow, read, settle, signIn, skip, useDesk, write } from "./browser.ts";

/** A site that shows an entry by the token that it was given, as docs/staged.md describes. */
const site = createServer(async ({ url = "", headers }, response) => {
  const { searchParams, pathname } = new URL(url, "http://site");
  const octavo = createClient({ url: desk.world.app.url, token: searchParams.get("token") ?? "" });
  const id = decodeURIComponent(pathname.slice("/preview/".length));
  const text = await octavo.entries.fetch<{ title: string }>(id).then(
    ({ title }) => title,
    (error: Error) => error.message,
  );
  response.setHeader("Content-Type", "text/html; charset=utf-8");
  response.end(`<title>Site</title><h1>${text}</h1><p>Referrer: ${headers.referer ?? "none"}</p>`);
});
await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
after(() => {
  site.closeAllConnections();
  site.close();
});

const desk = useDesk({
  preview_url: `http://127.0.0.1:${(site.address() as AddressInfo).port}/preview/{id}?token={token}`,
});
const { world } = desk;
type Fields = Record<string, unknown>;
const staged = (id: string) => read<Fields>(world, "/api/entries/staged", { id });
const entry = (id: string) => read<Fields>(world, "/api/entries", { id });
const put = (id: string, data: object) => write(world, "POST", "/api/entries", { id, data });
const stage = (id: string, data: object) => write(world, "PATCH", "/api/entries/staged", { id, data });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
const shown = (page: Page, text: string) => page.getByText(text, { exact: true }).first().waitFor();
const previews = () => read<{ id: string; paths: string[] }[]>(world, "/api/tokens/preview", {});

/** A page signed in with another management token. */
async function openAs(context: TestContext, path: string, more: Partial<TokenInput>): Promise<Page> {
  const { secret } = await world.issue("management", ["entries", "files", "folders"], more);
  const page = await desk.openFresh(context, path);
  await signIn(page, { ...world, token: { ...world.token, management: secret } });
  return page;
}

before(async () => {
  if (skip) return;
  await world.ready;
  await put("blog", { title: "Blog" });
  await put("blog/open & shut", { title: "Live" });
  await put("blog/second", { title: "Second", visibility: "draft" });
  await put("shop", { title: "Shop" });
});

flow("the button shows what is saved on the site, beside the form and in a tab of its own", async (context) => {
  await stage("blog/open & shut", { title: "Staged" });
  const page = await desk.open(context, "/entries/blog/open%20%26%20shut");
  await button(page, "Preview").click();
  const pane = page.getByRole("region", { name: "Preview" });
  const framed = pane.frameLocator("iframe").getByRole("heading");
  await framed.filter({ hasText: "Staged" }).waitFor();
  await page.getByLabel("Width of the preview").getByText("Desktop").click();
  const opened = page.context().waitForEvent("page");
  await pane.getByRole("link", { name: "Open in a new tab" }).click();
  const tab = await opened;
  await tab.getByRole("heading", { name: "Staged" }).waitFor();
  assert.match(tab.url(), /\/preview\/blog\/open%20%26%20shut\?token=oct_p_/);
  await eventually(() => tab.evaluate(() => window.opener), null);
  await tab.getByText("Referrer: none").waitFor();
  await eventually(async () => (await previews()).length, 1);

  await field(page, "Title").fill("Typed");
  await pane.getByText("The preview shows what is saved").waitFor();
  await button(page, "Save draft").click();
  await framed.filter({ hasText: "Typed" }).waitFor();
  assert.deepEqual(await audit(page), []);
  await page.setViewportSize({ width: 360, height: 800 });
  await settle(page);
  assert.equal(await overflow(page), 0);
  await eventually(async () => (await previews()).length, 1, "the token is used again");
});

flow("links are made with an expiry, listed, and revoked", async (context) => {
  const page = await desk.open(context, "/entries/blog/second");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await button(page, "More actions").click();
  await page.getByRole("menuitem", { name: "Preview links…" }).click();
  const dialog = page.getByRole("dialog", { name: "Preview links" });
  await dialog.getByRole("combobox", { name: "Expires" }).click();
  await page.getByRole("option", { name: "In 30 days" }).click();
  await button(page, "Copy preview link").click();
  const link = (await dialog.getByRole("status").locator("code").textContent()) ?? "";
  await eventually(() => page.evaluate(() => navigator.clipboard.readText()), link);
  const show = async () => (await (await fetch(link)).text()).match(/<h1>(.*)<\/h1>/)?.[1];
  await eventually(show, "Second");
  await dialog.getByText(/^Made just now by \S+, expires in 30 days$/).waitFor();
  await eventually(() => dialog.getByRole("listitem").count(), 1, "those of other entries are not listed");
  assert.deepEqual(await auditAll(page), []);
  await page.setViewportSize({ width: 360, height: 800 });
  await settle(page);
  assert.equal(await overflow(page), 0);
  const revoke = dialog.getByRole("button", { name: /^Revoke the link/ });
  await revoke.focus();
  await page.keyboard.press("Enter");
  await revoke.waitFor({ state: "detached" });
  await eventually(
    () => show(),
    (seen) => assert.notEqual(seen, "Second"),
  );
});

flow("a token for a part of the tree whose writes are staged is made, listed and changed", async (context) => {
  const page = await desk.open(context, "/tokens");
  await button(page, "New token").click();
  const kind = page.getByRole("radiogroup", { name: "Kind" });
  await kind.getByText("management").click();
  await field(page, "Label").fill("Author");
  const paths = page.getByRole("combobox", { name: "Paths" });
  await paths.fill("bl");
  await page.getByRole("option", { name: "blog", exact: true }).click();
  await paths.fill("/shop/");
  await page.keyboard.press("Enter");
  await eventually(() => page.getByLabel("admin").count(), 0, "an admin token has no paths");
  await page.getByRole("combobox", { name: "Writes" }).click();
  await page.getByRole("option", { name: "Drafts and working copies" }).click();
  assert.deepEqual(await auditAll(page), []);
  await page.setViewportSize({ width: 360, height: 800 });
  await settle(page);
  assert.equal(await overflow(page), 0);
  await page.setViewportSize({ width: 1280, height: 800 });
  await button(page, "Create").click();
  await button(page, "I have it").click();
  const row = page.getByRole("row").filter({ hasText: "Author" });
  await row.getByText("blog, shop").filter({ visible: true }).waitFor();
  await row.getByText("drafts and working copies only").filter({ visible: true }).waitFor();
  const own = async () => (await world.app.stores.tokens.list()).find(({ label }) => label === "Author");
  await eventually(async () => {
    const { paths, writes } = (await own()) ?? {};
    return [paths?.join(), writes];
  }, ["blog,shop", "staged"]);

  await page.getByRole("button", { name: "Actions for Author" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await hasFocus(page.getByRole("dialog"));
  await paths.focus();
  for (const key of ["Backspace", "Backspace", "Tab"]) await page.keyboard.press(key);
  await page.getByRole("combobox", { name: "Writes" }).click();
  await page.getByRole("option", { name: "All", exact: true }).click();
  await button(page, "Save").click();
  await row.getByText("drafts and working copies only").first().waitFor({ state: "detached" });
  await eventually(async () => [(await own())?.paths, (await own())?.writes], [null, "all"]);

  await button(page, "New token").click();
  await kind.getByText("preview").click();
  await field(page, "Label").fill("Reviewers");
  await button(page, "Create").click();
  await page.getByRole("dialog", { name: "The preview token" }).getByRole("button", { name: "I have it" }).click();
  await page.getByRole("row").filter({ hasText: "Reviewers" }).getByText("in 7 days").waitFor();
  await page
    .getByRole("row")
    .filter({ hasText: "Preview" })
    .first()
    .getByText(/^made by /)
    .filter({ visible: true })
    .waitFor();
});

flow("a token whose writes are staged is offered drafts and working copies only", async (context) => {
  const page = await openAs(context, "/entries/blog/second", { writes: "staged" });
  await page.getByRole("heading", { name: "Second" }).waitFor();
  const offered = page.locator("main").getByRole("button");
  for (const name of ["Publish", "Preview"]) await eventually(() => button(page, name).count(), 0, name);
  await field(page, "Title").fill("Second, staged");
  await page.keyboard.press("Control+s");
  await shown(page, "Unpublished changes");
  await eventually(
    async () => [(await entry("blog/second")).title, (await staged("blog/second")).title],
    ["Second", "Second, staged"],
  );
  await eventually(() => offered.getByText("Publish", { exact: true }).count(), 0);
  await button(page, "More actions").click();
  await eventually(() => page.getByRole("menuitem").allTextContents(), ["Entries below", "Used in…"]);
  await hasFocus(page.getByRole("menu"));
  await page.keyboard.press("Escape");
  await button(page, "History").click();
  await page.getByRole("dialog").getByText("No earlier version").waitFor();
  await hasFocus(page.getByRole("dialog"));
  await page.keyboard.press("Escape");
  await button(page, "More ways to publish").click();
  await page.getByRole("menuitem", { name: "Add to a release…" }).waitFor();
  await eventually(() => page.getByRole("menuitem").allTextContents(), ["Add to a release…", "Discard the changes…"]);
  await page.getByRole("menuitem", { name: "Discard the changes…" }).click();
  await button(page, "Discard changes").click();
  await shown(page, "Not on the site yet");

  await button(page, "New entry").click();
  await page.getByRole("dialog").getByLabel("Title").fill("Mine");
  await button(page, "Create").click();
  await page.getByRole("heading", { name: "Mine" }).waitFor();
  await eventually(async () => (await entry("blog/mine")).visibility, "draft");

  // Somebody else's copy.
  await stage("blog/mine", { title: "Theirs" });
  await page.reload();
  await button(page, "More ways to publish").click();
  await page.getByRole("menuitem", { name: "Discard the changes…" }).click();
  await page.getByText("only if nobody else has changed them").waitFor();
  await button(page, "Discard changes").click();
  await page.getByRole("alert").getByText("You may only create drafts").waitFor();
  await eventually(async () => (await staged("blog/mine")).title, "Theirs");

  await eventually(async () => {
    const sections = await page.getByRole("navigation", { name: "Main" }).getByRole("link").allTextContents();
    assert.deepEqual(
      sections.filter((name) => name !== "Octavo"),
      ["Home", "Entries", "Media", "Work", "Releases"],
    );
  });
  await page.goto(`${world.app.url}/admin/entries/blog?view=below`);
  await page.getByRole("link", { name: "Mine" }).first().waitFor();
  await eventually(() => page.getByRole("checkbox").count(), 0);
  await page.goto(`${world.app.url}/admin/files`);
  await button(page, "Upload").waitFor();
  await eventually(() => button(page, "New folder").count(), 0);
  await page.getByLabel("Files to upload").setInputFiles({
    name: "note.txt",
    mimeType: "text/plain",
    buffer: Buffer.from("a"),
  });
  await page.getByRole("link", { name: "note.txt" }).click();
  await eventually(() => field(page, "Description").isEditable(), true, "it uploaded the file itself");
  await eventually(() => page.getByRole("button", { name: "Actions for note.txt" }).count(), 0);
});

flow("a token for a part of the tree starts there", async (context) => {
  await put("deep/er/place", { title: "Place" });
  await put("deep/er/place/inside", { title: "Inside" });
  const page = await openAs(context, "/entries", { paths: ["deep/er/place", "shop"] });
  const tree = page.getByRole("tree");
  await tree.getByRole("treeitem", { name: "Place" }).waitFor();
  await eventually(() => tree.getByRole("treeitem").allTextContents(), ["deep", "er", "Place", "Shop"]);
  await page.getByRole("link", { name: "deep/er/place" }).waitFor();
  await page.setViewportSize({ width: 360, height: 800 });
  await settle(page);
  assert.equal(await overflow(page), 0);
  await page.setViewportSize({ width: 1280, height: 800 });
  await button(page, "New entry").click();
  await page.getByRole("dialog").getByLabel("Title").fill("New one");
  const id = page.getByRole("dialog").getByLabel("Id");
  await eventually(() => id.inputValue(), "deep/er/place/new-one");
  await id.fill("elsewhere");
  await page.getByText("You may write at and below deep/er/place, shop").waitFor();
  await eventually(() => button(page, "Create").isDisabled(), true);
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "deep/er/place" }).click();
  await page.getByRole("heading", { name: "Place" }).waitFor();
  await field(page, "Title").fill("Placed");
  await button(page, "Publish").click();
  await shown(page, "Saved");
  await eventually(async () => (await entry("deep/er/place")).title, "Placed");

  await page.goto(`${world.app.url}/admin/entries/blog`);
  await page.getByText("You have access to deep/er/place, shop").waitFor();
  await eventually(() => button(page, "Create it").count(), 0);
  await page.goto(`${world.app.url}/admin/files`);
  await page.getByRole("link", { name: "shop", exact: true }).click();
  await button(page, "Upload").waitFor();
  await settle(page);
});

flow("the health page names entries that were not published on time, until they are", async (context) => {
  const at = Math.floor(Date.now() / 1000) + 20;
  await put("late", { title: "Late" });
  await stage("late", { more: "x".repeat(600_000) });
  await write(world, "POST", "/api/entries/publish", { id: "late", at });
  await write(world, "PATCH", "/api/entries", { id: "late", data: { big: "y".repeat(600_000) } });
  await eventually(() => world.app.stores.staged.publishDue(at), 0);
  const page = await desk.open(context, "/health");
  const alert = page.getByRole("alert").filter({ hasText: "1 entry was not published on time" });
  await alert.waitFor();
  await alert.getByRole("link", { name: "late" }).click();
  await shown(page, "Unpublished changes");
  await write(world, "PATCH", "/api/entries", { id: "late", data: { big: "" } });
  await write(world, "POST", "/api/entries/publish", { id: "late" });
  await page.goto(`${world.app.url}/admin/health`);
  await page.getByText("Storage").waitFor();
  await settle(page);
  await eventually(() => alert.count(), 0);
});
