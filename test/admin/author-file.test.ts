// Slow: it runs a browser.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext } from "node:test";
import type { Page } from "playwright-core";
import { eventually } from "../eventually.ts";
import { auditAll, flow, read, signIn, skip, useDesk, write } from "./browser.ts";

/** An author says what a picture shows that he has just uploaded. Contract §5, Meta. */

const desk = useDesk();
const { world } = desk;
const desktop = mkdtempSync(join(tmpdir(), "octavo-desktop-"));
after(() => rmSync(desktop, { recursive: true }));
const picture = join(desktop, "sea.jpg");

before(async () => {
  if (skip) return;
  await world.ready;
  writeFileSync(picture, readFileSync(new URL("../../assets/demo/uploads/movies/solaris.jpg", import.meta.url)));
  const admin = await world.issue("management", ["admin", "entries"]);
  const schema = {
    type: "object",
    properties: {
      title: { type: "string" },
      cover: { type: "string", format: "file", title: "Cover", "x-octavo-media": ["image/*"] },
    },
  };
  const body = { id: "story", title: "Story", paths: ["stories/*"], schema, token: admin.secret };
  await world.send("PUT", "/api/types", { body: { ...body, access_token: world.token.access } });
});

async function asAuthor(context: TestContext, path: string): Promise<Page> {
  const { secret } = await world.issue("management", ["entries", "files"], { writes: "staged" });
  const page = await desk.openFresh(context, path);
  await signIn(page, { ...world, token: { ...world.token, management: secret } });
  return page;
}

flow("an author describes the picture of his draft; once it is on the site, an editor does", async (context) => {
  await write(world, "POST", "/api/entries", { id: "stories/one", data: { title: "One", visibility: "draft" } });
  const page = await asAuthor(context, "/entries/stories/one");
  await page.getByRole("button", { name: "Choose Cover" }).click();
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    page.getByRole("dialog").getByRole("button", { name: "Upload" }).click(),
  ]);
  await chooser.setFiles(picture);
  await page.getByRole("dialog").getByRole("button", { name: "Choose sea.jpg" }).click();
  const words = page.getByRole("textbox", { name: "What the picture shows" });
  await words.waitFor();
  assert.ok(await words.isEditable());
  await words.fill("A grey sea");
  await words.press("Enter");
  await page.getByText("Saved with the file.").waitFor();
  assert.deepEqual(await auditAll(page), []);
  const path = "stories/one/sea.jpg";
  const file = () => read<Record<string, unknown>>(world, "/api/files", { path });
  assert.equal((await file()).alt, "A grey sea");

  await write(world, "POST", "/api/entries", { id: "stories/two", data: { title: "Two", cover: path } });
  await words.fill("A blue sea");
  await words.press("Enter");
  await page.getByText("Not saved. It is on the site already: ask an editor.").waitFor();
  assert.equal((await file()).alt, "A grey sea");
});

flow("an author is told whose a file is that he may not describe", async (context) => {
  const form = new FormData();
  const fields = { token: world.token.management, access_token: world.token.access, folder: "others" };
  for (const [key, value] of Object.entries(fields)) form.set(key, value);
  form.set("file", new Blob(["A note"]), "note.txt");
  assert.equal((await fetch(`${world.app.url}/api/files`, { method: "POST", body: form })).status, 200);
  const page = await asAuthor(context, "/files/others?file=note.txt");
  const title = page.getByRole("textbox", { name: "Title", exact: true });
  await title.fill("Mine");
  await title.press("Enter");
  await page.getByRole("alert").getByText("Somebody else uploaded it, or has replaced it: ask an editor.").waitFor();
  await eventually(() => page.getByRole("button", { name: "Add a field" }).count(), 0);
});
