// Long: it runs a browser.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before } from "node:test";
import type { Page } from "playwright-core";
import { eventually } from "../eventually.ts";
import { audit, flow, hasFocus, overflow, read, skip, useDesk, write } from "./browser.ts";

const desk = useDesk({ "upload-max-bytes": "20000000" });
const { world } = desk;
const picture = readFileSync(new URL("../../assets/demo/uploads/movies/solaris.jpg", import.meta.url));
const file = (path: string) => read<Record<string, unknown> | undefined>(world, "/api/files", { path });

async function uploadAs(folder: string, name: string): Promise<void> {
  const form = new FormData();
  for (const [key, value] of [
    ["token", world.token.management],
    ["access_token", world.token.access],
    ["folder", folder],
  ] as const) {
    form.set(key, value);
  }
  form.set("file", new Blob([picture]), name);
  assert.equal((await fetch(`${world.app.url}/api/files`, { method: "POST", body: form })).status, 200);
}

before(async () => {
  if (skip) return;
  await world.ready;
  await uploadAs("album", "sea.jpg");
  await write(world, "POST", "/api/folders", { path: "album/inner" });
});

/** Drops files on the page, as a user does, each with other bytes. */
async function drop(page: Page, names: string[], bytes: number): Promise<void> {
  const transfer = await page.evaluateHandle(
    ([files, size]) => {
      const data = new DataTransfer();
      for (const [i, name] of files.entries())
        data.items.add(new File([new Uint8Array(size).fill(65 + i)], name, { type: "text/plain", lastModified: 1 }));
      return data;
    },
    [names, bytes] as const,
  );
  for (const type of ["dragenter", "dragover", "drop"])
    await page.dispatchEvent(".drop", type, { dataTransfer: transfer });
}

flow("folders and files are shown as grid and list, with thumbnails from the image API", async (context) => {
  const page = await desk.open(context, "/files");
  await page.getByRole("link", { name: "album" }).click();
  await page.getByRole("link", { name: "inner" }).waitFor();
  const image = page.locator(".file-picture img");
  await image.waitFor();
  await eventually(() => image.getAttribute("src"), /^\/api\/images\/album\/sea\.jpg\?v=[0-9a-f]{16}&w=320&/);
  await page.waitForFunction(
    () => (document.querySelector(".file-picture img") as HTMLImageElement).naturalWidth > 100,
  );
  await page.getByLabel("List", { exact: true }).click();
  await page.getByRole("row").filter({ hasText: "sea.jpg" }).getByText("1600 × 1000").waitFor();
  await page.reload();
  await page.getByRole("row").filter({ hasText: "sea.jpg" }).waitFor();
});

flow(
  "many dropped files have their own progress; a refused one shows the reason and can be retried",
  async (context) => {
    const page = await desk.open(context, "/files/dropped");
    await page.getByText("The folder cannot be read").or(page.getByText("Nothing here yet")).waitFor();
    await drop(page, ["one.txt", "two.txt", "three.txt", "four.txt", "bad.exe"], 2000);
    const tray = page.getByRole("region", { name: "Uploads" });
    await tray.getByText("one.txt", { exact: true }).first().waitFor();
    await tray.getByRole("button", { name: "Retry bad.exe" }).waitFor();
    await tray.getByText("expected a name that ends in", { exact: false }).waitFor();
    await drop(page, ["huge.txt"], 20_500_000);
    await tray.getByText("larger than the 19.1 MiB accepted").waitFor();
    for (const name of ["one", "two", "three", "four"]) {
      await eventually(async () => (await file(`dropped/${name}.txt`))?.filesize, 2000);
    }
    await tray.getByRole("button", { name: "Retry bad.exe" }).click();
    await tray.getByText("expected a name that ends in", { exact: false }).waitFor();
    await page.getByRole("link", { name: "one.txt" }).waitFor();
    await tray.getByRole("button", { name: "Clear" }).click();
    await tray.waitFor({ state: "detached" });
  },
);

flow("a running upload can be cancelled and retried", async (context) => {
  const page = await desk.open(context, "/files/album");
  const cdp = await page.context().newCDPSession(page);
  const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 200_000 };
  await cdp.send("Network.enable");
  await cdp.send("Network.emulateNetworkConditions", slow);
  await drop(page, ["long.txt"], 2_500_000);
  const bar = page.getByRole("progressbar", { name: "Progress of long.txt" });
  await bar.waitFor();
  await page.getByRole("button", { name: "Cancel long.txt" }).click();
  await page.getByText("Cancelled").waitFor();
  await eventually(() => file("album/long.txt"), undefined);
  await cdp.send("Network.emulateNetworkConditions", { ...slow, uploadThroughput: -1 });
  await page.getByRole("button", { name: "Retry long.txt" }).click();
  await page.getByRole("region", { name: "Uploads" }).getByLabel("Done").waitFor();
  await eventually(async () => (await file("album/long.txt"))?.filesize, 2_500_000);
});

flow("files are found by a part of their name, title or description, whatever the case", async (context) => {
  await uploadAs("find", "map.jpg");
  await uploadAs("find", "plan.jpg");
  await write(world, "PUT", "/api/files", { path: "find/map.jpg", new_path: "find/c++.jpg" });
  await write(world, "PATCH", "/api/files/meta", {
    path: "find/plan.jpg",
    field: "description",
    value: "A Harbour",
  });
  const page = await desk.open(context, "/files/find");
  const found = async (text: string, name: string, other: string) => {
    await page.getByLabel("Search in this folder").fill(text);
    await page.getByRole("link", { name: other }).waitFor({ state: "detached" });
    await page.getByRole("link", { name }).waitFor();
  };
  await found("C++", "c++.jpg", "plan.jpg");
  await found("MAP", "c++.jpg", "plan.jpg");
  await found("a harb", "plan.jpg", "c++.jpg");
});

flow("files are found in all folders by the media search and the finder", async (context) => {
  await uploadAs("far/away/below", "lighthouse.jpg");
  await uploadAs("far", "harbour.jpg");
  const page = await desk.open(context, "/files/far");
  await page.getByRole("link", { name: "harbour.jpg" }).waitFor();
  await page.getByLabel("Search in this folder").fill("LIGHT");
  await page.getByText("Nothing found").waitFor();
  await page.getByText("All folders", { exact: true }).click();
  await page.getByRole("link", { name: "lighthouse.jpg" }).getByText("far/away/below").waitFor();
  await eventually(() => page.getByRole("link", { name: "harbour.jpg" }).count(), 0);
  await page.getByLabel("List", { exact: true }).click();
  await page.getByRole("row").filter({ hasText: "lighthouse.jpg" }).getByText("far/away/below").waitFor();
  await page.getByLabel("Grid", { exact: true }).click();
  await page.getByRole("link", { name: "lighthouse.jpg" }).click();
  await page.waitForURL("**/files/far/away/below?file=lighthouse.jpg");
  await page.getByRole("dialog", { name: "lighthouse.jpg" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByLabel("What to find").fill("harb");
  await page.getByRole("dialog", { name: "Find anything" }).getByText("harbour.jpg").waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL("**/files/far?file=harbour.jpg");
});

flow("a large upload is paused and resumed, and goes on after a reload with the file chosen again", async (context) => {
  const page = await desk.open(context, "/files/film");
  const cdp = await page.context().newCDPSession(page);
  const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 4_000_000 };
  await cdp.send("Network.enable");
  await cdp.send("Network.emulateNetworkConditions", slow);
  const size = 18_000_000;
  await drop(page, ["film.txt"], size);
  const tray = page.getByRole("region", { name: "Uploads" });
  const bar = tray.getByRole("progressbar", { name: "Progress of film.txt" });
  const progress = async () => Number(await bar.getAttribute("aria-valuenow"));
  await bar.waitFor();
  await page.waitForFunction(() => Number(document.querySelector(".tray [role=progressbar]")?.ariaValueNow) > 0);
  await tray.getByRole("button", { name: "Pause film.txt" }).click();
  await tray.getByText("Paused at", { exact: false }).waitFor();
  await tray.getByRole("button", { name: "Resume film.txt" }).click();
  await page.waitForFunction(() => Number(document.querySelector(".tray [role=progressbar]")?.ariaValueNow) > 15);
  await tray.getByRole("button", { name: "Pause film.txt" }).click();
  await tray.getByText("Paused at", { exact: false }).waitFor();
  page.on("dialog", (dialog) => void dialog.accept());
  await page.reload();
  await tray.getByText("choose the file again", { exact: false }).waitFor();
  await eventually(async () => (await progress()) > 10, true);
  await cdp.send("Network.emulateNetworkConditions", { ...slow, uploadThroughput: -1 });
  await drop(page, ["film.txt"], size);
  await tray.getByLabel("Done").waitFor();
  await eventually(async () => (await file("film/film.txt"))?.filesize, size);
  await eventually(
    () =>
      page.evaluate(() =>
        localStorage.getItem(Object.keys(localStorage).find((key) => key.startsWith("octavo-upload")) ?? ""),
      ),
    null,
  );
});

flow(
  "title, description and meta fields are added, changed, deleted, and saved on every way to leave them",
  async (context) => {
    await uploadAs("meta", "card.jpg");
    const page = await desk.open(context, "/files/meta?file=card.jpg");
    await page.getByLabel("Title").fill("A card");
    await page.getByLabel("Description").fill("With a sea");
    await page.getByRole("button", { name: "Add a field" }).click();
    const dialog = page.getByRole("dialog", { name: "New field" });
    await dialog.getByLabel("Name").fill("author");
    await dialog.getByLabel("Value").fill("Lem");
    await dialog.getByRole("button", { name: "Add" }).click();
    await page.getByLabel("author", { exact: true }).fill("Stanisław Lem");
    await page.getByLabel("author", { exact: true }).press("Enter");
    await eventually(async () => {
      const stored = await file("meta/card.jpg");
      assert.deepEqual([stored?.title, stored?.description, stored?.author], ["A card", "With a sea", "Stanisław Lem"]);
    });
    await page.getByRole("status").getByText("Saved").last().waitFor();
    await page.getByLabel("Title").fill("Left by Escape");
    await page.keyboard.press("Escape");
    await page.getByText("Saved card.jpg").waitFor();
    await eventually(async () => (await file("meta/card.jpg"))?.title, "Left by Escape");
    await page.getByRole("link", { name: "card.jpg" }).click();
    await page.getByLabel("Title").fill("Left by going back");
    await page.goBack();
    await eventually(async () => (await file("meta/card.jpg"))?.title, "Left by going back");
    await page.goForward();
    await page.getByLabel("Title").fill("Left for another site");
    await page.goto("about:blank");
    await eventually(async () => (await file("meta/card.jpg"))?.title, "Left for another site");
    await page.goto(`${world.app.url}/admin/files/meta?file=card.jpg`);
    await page.getByRole("button", { name: "Delete the field author" }).click();
    await page.getByLabel("author", { exact: true }).waitFor({ state: "detached" });
    await eventually(async () => !("author" in ((await file("meta/card.jpg")) ?? {})), true);
  },
);

flow("a missing image, file or folder links to the parent folder", async (context) => {
  const page = await desk.open(context, "/images/gone/away/x.jpg");
  await page.getByRole("link", { name: "Go to gone/away" }).click();
  await page.getByRole("link", { name: "Go to gone", exact: true }).click();
  await page.getByRole("link", { name: "Go to media" }).click();
  await page.getByRole("link", { name: "album" }).waitFor();
  await page.goto(`${world.app.url}/admin/files/album?file=none.jpg`);
  await page.getByRole("dialog").getByRole("link", { name: "Go to album" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
});

flow("the address of a file without its folder opens it", async (context) => {
  await uploadAs("", "top.jpg");
  const page = await desk.open(context, "/files/album/sea.jpg");
  const dialog = page.getByRole("dialog", { name: "sea.jpg" });
  await dialog.getByText("Open in the workbench").waitFor();
  assert.equal(new URL(page.url()).pathname + new URL(page.url()).search, "/admin/files/album?file=sea.jpg");
  await hasFocus(dialog);
  await page.keyboard.press("Escape");
  await page.getByRole("heading", { name: "album" }).waitFor();
  await page.goto(`${world.app.url}/admin/files/top.jpg`);
  await page.getByRole("dialog", { name: "top.jpg" }).waitFor();
  await page.goto(`${world.app.url}/admin/files/album/none.jpg`);
  await page.getByText("The folder cannot be read").waitFor();
});

flow("files and folders are renamed, copied, and deleted with undo", async (context) => {
  await uploadAs("things", "a.jpg");
  const page = await desk.open(context, "/files/things?file=a.jpg");
  // The name is selected without its extension: typing replaces the name only.
  const act = async (name: string, letter: string, submit: string) => {
    await page.getByRole("button", { name: /^Actions for [ab]\.jpg/ }).click();
    await page.getByRole("menuitem", { name }).click();
    await page.waitForFunction(() => getSelection()?.toString().length === 1);
    await page.keyboard.type(letter);
    await page.getByRole("button", { name: submit, exact: true }).click();
    await page.getByLabel("New path").waitFor({ state: "detached" });
  };
  await act("Rename or move", "b", "Move");
  await page.waitForURL("**/files/things?file=b.jpg");
  await act("Copy", "c", "Copy");
  await eventually(() => file("things/c.jpg"), assert.ok);
  await page.getByRole("button", { name: "Actions for b.jpg" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByText("Moved b.jpg to the trash").waitFor();
  await page.getByRole("link", { name: "b.jpg" }).waitFor({ state: "detached" });
  await eventually(() => file("things/b.jpg"), undefined);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("link", { name: "b.jpg" }).waitFor();
  await page.getByRole("button", { name: "New folder" }).click();
  await page.waitForFunction(() => getSelection()?.toString() === "new-folder");
  await page.keyboard.type("inside");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("link", { name: "inside" }).waitFor();
});

/** A folder with two folders and four pictures. */
async function fillForSelection(folder: string): Promise<void> {
  for (const name of ["a.jpg", "b.jpg", "c.jpg", "d.jpg"]) await uploadAs(folder, name);
  for (const name of ["inner", "other"]) await write(world, "POST", "/api/folders", { path: `${folder}/${name}` });
}

/** The names of the selected items, in order. */
const selected = (page: Page) =>
  page
    .getByRole("checkbox", { name: /^Select (?!all)/, checked: true })
    .evaluateAll((boxes) => boxes.map((box) => box.getAttribute("aria-label")?.replace("Select ", "")));
const folder = (path: string) => read<object | undefined>(world, "/api/folders", { path });

flow("folders and files are selected one by one, by range and all; Escape clears", async (context) => {
  await fillForSelection("chosen");
  const page = await desk.open(context, "/files/chosen");
  const box = (name: string) => page.getByRole("checkbox", { name: `Select ${name}` });
  await page.getByText("2 folders, 4 files").waitFor();
  const before = await page.locator(".file-card").first().boundingBox();
  await box("other").check();
  await page.getByText("1 selected").waitFor();
  await eventually(() => page.locator(".file-card").first().boundingBox(), before, "nothing moves");
  await box("c.jpg").click({ modifiers: ["Shift"] });
  await eventually(() => selected(page), ["other", "a.jpg", "b.jpg", "c.jpg"]);
  await box("a.jpg").click({ modifiers: ["Shift"] });
  await eventually(() => selected(page), ["other"], "Shift deselects a range, too");
  await eventually(() => page.evaluate(() => getSelection()?.toString()), "", "no text is selected");
  await page.keyboard.press("Escape");
  await page.getByText("2 folders, 4 files").waitFor();

  await page.getByLabel("List", { exact: true }).click();
  await box("all").focus();
  await page.keyboard.press("Space");
  await page.getByText("6 selected").waitFor();
  await page.keyboard.press("Tab");
  await box("inner").uncheck();
  await eventually(() => selected(page), ["other", "a.jpg", "b.jpg", "c.jpg", "d.jpg"]);
  await eventually(() => box("all").evaluate((input: HTMLInputElement) => input.indeterminate), true);
  await page.getByLabel("Grid", { exact: true }).click();
  await page.getByText("5 selected").waitFor();
  await page.getByRole("button", { name: "Move to…" }).click();
  await hasFocus(page.getByRole("dialog", { name: "Move 5 items" }));
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByText("5 selected").waitFor();
  await page.getByRole("button", { name: "Actions for inner" }).click();
  await hasFocus(page.getByRole("menu"));
  await page.keyboard.press("Escape");
  await page.getByRole("menu").waitFor({ state: "detached" });
  await page.getByText("5 selected").waitFor();
  await page.getByRole("button", { name: "Clear" }).click();
  await page.getByText("2 folders, 4 files").waitFor();
  await eventually(
    () => box("all").evaluate((input) => input === document.activeElement),
    true,
    "the focus is not lost",
  );
});

flow("selected items are moved and copied, all or none; a failure is named, and all stay selected", async (context) => {
  await fillForSelection("several");
  await uploadAs("goal", "b.jpg");
  const page = await desk.open(context, "/files/several");
  const place = async (button: string, folder: string, submit: string) => {
    await page.getByRole("button", { name: button }).click();
    await page.getByRole("textbox", { name: "Folder", exact: true }).fill(folder);
    await page.getByRole("button", { name: submit, exact: true }).click();
  };
  for (const name of ["inner", "a.jpg", "b.jpg"]) await page.getByLabel(`Select ${name}`).check();
  await place("Move to…", "goal", "Move");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("alert").getByText('b.jpg: "new_path" was').waitFor();
  await eventually(
    async () => !(await file("goal/a.jpg")) && !(await folder("goal/inner")),
    assert.ok,
    "nothing was moved",
  );
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("3 selected").waitFor();
  for (const name of ["inner", "a.jpg"]) await page.getByLabel(`Select ${name}`).uncheck();
  await eventually(() => selected(page), ["b.jpg"]);
  await page.getByLabel("Select d.jpg").check();
  await place("Copy to…", "goal/new", "Copy");
  await dialog.waitFor({ state: "detached" });
  await eventually(
    async () => (await file("goal/new/b.jpg")) && (await file("goal/new/d.jpg")) && (await file("several/d.jpg")),
    assert.ok,
  );
  await eventually(() => selected(page), []);
  await page.getByLabel("Select d.jpg").check();
  await place("Move to…", "", "Move");
  await dialog.waitFor({ state: "detached" });
  await eventually(async () => (await file("d.jpg")) && !(await file("several/d.jpg")), assert.ok);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByLabel("Select d.jpg").waitFor();
  await eventually(async () => !(await file("d.jpg")) && (await file("several/d.jpg")), assert.ok);
});

flow("selected items are deleted, all or none, with one undo", async (context) => {
  await fillForSelection("doomed");
  await uploadAs("doomed/inner", "deep.jpg");
  const page = await desk.open(context, "/files/doomed");
  for (const name of ["inner", "a.jpg", "b.jpg"]) await page.getByLabel(`Select ${name}`).check();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByText("Moved 3 items to the trash").waitFor();
  await page.getByText("1 folder, 2 files").waitFor();
  await eventually(() => file("doomed/a.jpg"), undefined);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("3 selected").waitFor();
  await eventually(async () => (await file("doomed/a.jpg")) && (await file("doomed/inner/deep.jpg")), assert.ok);
  await write(world, "DELETE", "/api/files", { path: "doomed/b.jpg" });
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByText(/^b\.jpg: "path" was/).waitFor();
  await page.getByText("Nothing was changed.").waitFor();
  await page.getByText("2 selected").waitFor();
  await eventually(async () => (await file("doomed/a.jpg")) && (await folder("doomed/inner")), assert.ok);
});

flow("a page that is left while it deletes asks first, and shows the next items", async (context) => {
  await uploadAs("many", "0.jpg");
  for (let n = 1; n <= 200; n++)
    await write(world, "PUT", "/api/files/copy", { path: "many/0.jpg", new_path: `many/${n}.jpg` });
  const page = await desk.open(context, "/files/many");
  await page.getByText("201 files").waitFor();
  await page.getByLabel("Select all").check();
  await page.getByText("120 of 201 selected").waitFor();
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/api\/batch$/, async (route) => {
    await held;
    await route.continue();
  });
  await page.getByRole("button", { name: "Delete" }).click();
  // The next items are read at once: the folder is not empty.
  await page.getByText("81 files").waitFor();
  await page.getByText("99.jpg", { exact: true }).waitFor();
  const asked = page.waitForEvent("dialog");
  await page.close({ runBeforeUnload: true });
  const dialog = await asked;
  assert.equal(dialog.type(), "beforeunload");
  await dialog.dismiss();
  release();
  await page.getByText("Moved 120 items to the trash").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("120 of 201 selected").waitFor();
  await page.close();
});

for (const colorScheme of ["light", "dark"] as const) {
  flow(`the selection bar fits on a phone, and axe finds no violations, ${colorScheme}`, async (context) => {
    await fillForSelection(`small-${colorScheme}`);
    const viewport = { width: 360, height: 740 };
    const page = await desk.open(context, `/files/small-${colorScheme}`, { colorScheme, viewport, hasTouch: true });
    for (const layout of ["Grid", "List"]) {
      await page.getByLabel(layout, { exact: true }).tap();
      await page.getByRole("checkbox", { name: "Select a.jpg" }).tap();
      await page.getByText("1 selected").waitFor();
      assert.ok((await overflow(page)) <= 0, layout);
      assert.deepEqual(await audit(page), [], layout);
      await page.getByRole("button", { name: "Clear" }).tap();
    }
  });
}
