// Slow: it runs a browser.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import type { Page } from "playwright-core";
import { png } from "../../acceptance/media.ts";
import { eventually } from "../../eventually.ts";
import { auditAll, flow, hasFocus, overflow, read, skip, useDesk, write } from "../browser.ts";
import { countClicks } from "../clicks.ts";
import { clicksOf } from "../flows.ts";

/** Files that meet others when they are uploaded, and pictures that are described at once. */

const desk = useDesk();
const { world } = desk;
const picture = readFileSync(new URL("../../../assets/demo/uploads/movies/solaris.jpg", import.meta.url));
const other = readFileSync(new URL("../../../assets/demo/uploads/movies/metropolis.jpg", import.meta.url));
const desktop = mkdtempSync(join(tmpdir(), "octavo-desktop-"));
after(() => rmSync(desktop, { recursive: true }));

type Stored = Record<string, unknown> | undefined;
const file = (path: string) => read<Stored>(world, "/api/files", { path });

/** A file on the disk of whoever uploads it. */
function onDesktop(name: string, bytes: Uint8Array): string {
  const path = join(desktop, name);
  writeFileSync(path, bytes);
  return path;
}
const dot = (shade: number): Uint8Array<ArrayBuffer> => Uint8Array.from(png({ width: 40, height: 30, shade }));

async function uploadAs(folder: string, name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  const form = new FormData();
  form.set("token", world.token.management);
  form.set("access_token", world.token.access);
  form.set("folder", folder);
  form.set("file", new Blob([bytes]), name);
  assert.equal((await fetch(`${world.app.url}/api/files`, { method: "POST", body: form })).status, 200);
}

before(async () => {
  if (skip) return;
  await world.ready;
  await uploadAs("album", "sea.jpg", picture);
  await write(world, "POST", "/api/files/meta", { path: "album/sea.jpg", field: "alt", value: "A grey sea" });
});

/** Chooses files in the dialog that a button opens. */
async function choose(page: Page, button: string, paths: string[]): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    page.getByRole("button", { name: button, exact: true }).click(),
  ]);
  await chooser.setFiles(paths);
}

flow("a file is replaced in its drawer: it keeps what it says, and gets its bytes back by Undo", async (context) => {
  const before = await file("album/sea.jpg");
  const page = await desk.open(context, "/files/album?file=sea.jpg");
  const drawer = page.getByRole("dialog", { name: "sea.jpg" });
  await drawer.getByText("1600 × 1000").waitFor();
  const clicks = await countClicks(page);
  await choose(page, "Replace file", [onDesktop("another name.jpg", other)]);
  await eventually(clicks, clicksOf("Replace an open file: a click, and the file"));
  await page.getByText("Replaced sea.jpg").waitFor();
  await drawer.getByText(String(((await file("album/sea.jpg")) as { version: string }).version)).waitFor();
  const { version, title, alt, filesize } = (await file("album/sea.jpg")) ?? {};
  assert.notEqual(version, before?.version);
  assert.deepEqual([title, alt, filesize], [before?.title, "A grey sea", other.length]);
  await eventually(() => file("album/another-name.jpg"), undefined);
  assert.deepEqual(await auditAll(page), []);
  await page.getByRole("button", { name: "Undo" }).click();
  await eventually(async () => (await file("album/sea.jpg"))?.version, before?.version);
  await drawer.getByText(String(before?.version)).waitFor();
});

flow("a file of another type does not replace one, nor does one for a name that no upload gets", async (context) => {
  await write(world, "PUT", "/api/files/copy", { path: "album/sea.jpg", new_path: "odd/Sea + sky.jpg" });
  const page = await desk.open(context, "/files/odd?file=Sea%20%2B%20sky.jpg");
  const tray = page.getByRole("region", { name: "Uploads" });
  await choose(page, "Replace file", [onDesktop("other.jpg", other)]);
  await tray.getByText("rename it first", { exact: false }).waitFor();
  await eventually(() => file("odd/sea-sky.jpg"), undefined);
  await page.goto(`${world.app.url}/admin/files/album?file=sea.jpg`);
  await choose(page, "Replace file", [onDesktop("words.txt", new TextEncoder().encode("no picture"))]);
  await tray.getByRole("button", { name: "Retry words.txt" }).waitFor();
  await eventually(async () => (await file("album/sea.jpg"))?.filesize, picture.length);
});

flow("an upload whose name is taken, or whose bytes are there already, asks what becomes of it", async (context) => {
  await uploadAs("met", "taken.jpg", dot(9));
  await uploadAs("met", "numbered.png", dot(10));
  // More than are sent at once.
  for (const name of ["p.png", "q.png", "r.png"]) await uploadAs("met", name, dot(name.charCodeAt(0)));
  const page = await desk.open(context, "/files/met");
  await page.getByText("5 files").waitFor();
  const chosen = [
    onDesktop("taken.jpg", other),
    // The service makes the name of the other one of it.
    onDesktop("NUMBERED.png", dot(11)),
    onDesktop("copy of sea.jpg", picture),
    onDesktop("new.png", dot(12)),
    ...["p.png", "q.png", "r.png"].map((name) => onDesktop(name, dot(name.charCodeAt(0) + 100))),
  ];
  await choose(page, "Upload", chosen);
  const dialog = page.getByRole("dialog", { name: "6 files are already there" });
  await dialog.getByText("In met another file has this name already.").nth(1).waitFor();
  await dialog.getByText("The same file is already at album/sea.jpg").waitFor();
  await eventually(() => file("met/new.png"), assert.ok, "what meets nothing is not asked about");
  const taken = dialog.getByLabel("What becomes of taken.jpg");
  await eventually(() => taken.inputValue(), "both");
  await eventually(() => dialog.getByLabel("What becomes of copy of sea.jpg").inputValue(), "skip");
  assert.deepEqual(await auditAll(page), []);
  await page.setViewportSize({ width: 360, height: 740 });
  await eventually(() => overflow(page), 0);
  if (process.env.OCTAVO_TEST_LOOK) await page.screenshot({ path: `${process.env.OCTAVO_TEST_LOOK}/asked.png` });
  await taken.focus();
  await page.keyboard.press("R");
  await eventually(() => taken.inputValue(), "replace");
  await page.keyboard.press("Tab");
  await hasFocus(dialog);
  await dialog.getByRole("button", { name: "Go on" }).press("Enter");
  await dialog.waitFor({ state: "detached" });
  await page.getByText("Replaced taken.jpg").waitFor();
  await eventually(async () => (await file("met/taken.jpg"))?.filesize, other.length);
  for (const name of ["numbered", "p", "q", "r"]) await eventually(() => file(`met/${name}-1.png`), assert.ok);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole("region", { name: "Uploads" }).getByText("Not uploaded").first().waitFor();
  await eventually(() => file("met/copy-of-sea.jpg"), undefined);
});

flow("several pictures that were uploaded are described in one dialog, Enter goes to the next", async (context) => {
  const page = await desk.open(context, "/files/described");
  await choose(page, "Upload", [onDesktop("one.png", dot(20)), onDesktop("two.png", dot(21))]);
  const dialog = page.getByRole("dialog", { name: "What do 2 pictures show?" });
  await hasFocus(dialog.getByLabel("one.png"));
  if (process.env.OCTAVO_TEST_LOOK) await page.screenshot({ path: `${process.env.OCTAVO_TEST_LOOK}/described.png` });
  assert.deepEqual(await auditAll(page), []);
  await page.setViewportSize({ width: 360, height: 740 });
  await eventually(() => overflow(page), 0);
  await page.keyboard.type("The first dot");
  await page.keyboard.press("Enter");
  await hasFocus(dialog.getByLabel("two.png"));
  await page.keyboard.type("The second dot");
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  await eventually(async () => (await file("described/one.png"))?.alt, "The first dot");
  await eventually(async () => (await file("described/two.png"))?.alt, "The second dot");
});

flow("what is pasted gets a number, and the list of uploads names where the same bytes are", async (context) => {
  const bytes = dot(30);
  await uploadAs("pasted", "image.png", bytes);
  const page = await desk.open(context, "/files/pasted");
  await page.getByText("1 file", { exact: true }).waitFor();
  await page.evaluate(
    (content) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(content)], "image.png", { type: "image/png" }));
      document.body.dispatchEvent(
        new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }),
      );
    },
    [...bytes],
  );
  await page.getByText("image-1.png. The same file is already at pasted/image.png").waitFor();
});
