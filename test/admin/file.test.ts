import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import { flow, read, skip, useDesk, write } from "./browser.ts";

const desk = useDesk({ "upload-max-bytes": "3000000" });
const { world } = desk;
const picture = readFileSync(new URL("../../assets/demo/solaris.jpg", import.meta.url));
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

/** Drops files on the page, as a hand would. */
async function drop(page: Page, names: string[], bytes: number): Promise<void> {
  const transfer = await page.evaluateHandle(
    ([files, size]) => {
      const data = new DataTransfer();
      for (const name of files) data.items.add(new File([new Uint8Array(size).fill(65)], name, { type: "text/plain" }));
      return data;
    },
    [names, bytes] as const,
  );
  for (const type of ["dragenter", "dragover", "drop"])
    await page.dispatchEvent(".drop", type, { dataTransfer: transfer });
}

flow("folders and files are shown as grid and list, pictures by the image API", async (context) => {
  const page = await desk.open(context, "/files");
  await page.getByRole("link", { name: "album" }).click();
  await page.getByRole("link", { name: "inner" }).waitFor();
  const image = page.locator(".file-picture img");
  await image.waitFor();
  assert.match((await image.getAttribute("src")) ?? "", /^\/api\/images\/album\/sea\.jpg\?w=320.*&v=[0-9a-f]{16}$/);
  await page.waitForFunction(
    () => (document.querySelector(".file-picture img") as HTMLImageElement).naturalWidth > 100,
  );
  await page.getByLabel("List", { exact: true }).click();
  await page.getByRole("row").filter({ hasText: "sea.jpg" }).getByText("1600 × 1000").waitFor();
  await page.reload();
  await page.getByRole("row").filter({ hasText: "sea.jpg" }).waitFor();
});

flow(
  "many files are dropped at once; each has its progress, a refused one says why and is tried again",
  async (context) => {
    const page = await desk.open(context, "/files/dropped");
    await page.getByText("The folder cannot be read").or(page.getByText("Nothing here yet")).waitFor();
    await drop(page, ["one.txt", "two.txt", "three.txt", "four.txt", "bad.exe"], 2000);
    const tray = page.getByRole("region", { name: "Uploads" });
    await tray.getByText("one.txt", { exact: true }).first().waitFor();
    await tray.getByRole("button", { name: "Retry bad.exe" }).waitFor();
    await tray.getByText("expected a name that ends in", { exact: false }).waitFor();
    for (const name of ["one", "two", "three", "four"]) {
      for (let i = 0; i < 50 && !(await file(`dropped/${name}.txt`)); i++) await sleep(100);
      assert.equal((await file(`dropped/${name}.txt`))?.filesize, 2000);
    }
    await tray.getByRole("button", { name: "Retry bad.exe" }).click();
    await tray.getByText("expected a name that ends in", { exact: false }).waitFor();
    await page.getByRole("link", { name: "one.txt" }).waitFor();
    await tray.getByRole("button", { name: "Clear" }).click();
    await tray.waitFor({ state: "detached" });
  },
);

flow("an upload under way is cancelled, and sent again by retry", async (context) => {
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
  assert.equal(await file("album/long.txt"), undefined);
  await cdp.send("Network.emulateNetworkConditions", { ...slow, uploadThroughput: -1 });
  await page.getByRole("button", { name: "Retry long.txt" }).click();
  await page.getByRole("region", { name: "Uploads" }).getByLabel("Done").waitFor();
  assert.equal((await file("album/long.txt"))?.filesize, 2_500_000);
});

flow("a taken name gets a number; files chosen by the button are uploaded too", async (context) => {
  const page = await desk.open(context, "/files/album");
  await page.getByLabel("Files to upload").setInputFiles({ name: "sea.jpg", mimeType: "image/jpeg", buffer: picture });
  await page.getByRole("link", { name: "sea-1.jpg" }).waitFor();
  assert.ok(await file("album/sea.jpg"));
});

flow("title, description and own fields of a file are added, changed and deleted", async (context) => {
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
  for (let i = 0; i < 50 && (await file("meta/card.jpg"))?.author !== "Stanisław Lem"; i++) await sleep(100);
  const stored = await file("meta/card.jpg");
  assert.deepEqual([stored?.title, stored?.description, stored?.author], ["A card", "With a sea", "Stanisław Lem"]);
  await page.getByRole("button", { name: "Delete the field author" }).click();
  await page.getByLabel("author", { exact: true }).waitFor({ state: "detached" });
  assert.ok(!("author" in ((await file("meta/card.jpg")) ?? {})));
});

flow("files and folders are renamed, copied, and deleted with undo", async (context) => {
  await uploadAs("things", "a.jpg");
  const page = await desk.open(context, "/files/things?file=a.jpg");
  const act = async (name: string, path: string, submit: string) => {
    await page.getByRole("button", { name: /^Actions for [ab]\.jpg/ }).click();
    await page.getByRole("menuitem", { name }).click();
    await page.getByLabel("New path").fill(path);
    await page.getByRole("button", { name: submit, exact: true }).click();
    await page.getByLabel("New path").waitFor({ state: "detached" });
  };
  await act("Rename or move", "things/b.jpg", "Move");
  await page.waitForURL("**/files/things?file=b.jpg");
  await act("Copy", "things/c.jpg", "Copy");
  assert.ok(await file("things/c.jpg"));
  await page.getByRole("button", { name: "Actions for b.jpg" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByText("Deleted b.jpg").waitFor();
  await page.getByRole("link", { name: "b.jpg" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("link", { name: "b.jpg" }).waitFor();
  await page.getByRole("button", { name: "New folder" }).click();
  await page.getByLabel("Path").fill("things/inside");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("link", { name: "inside" }).waitFor();
});
