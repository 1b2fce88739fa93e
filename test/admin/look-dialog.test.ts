// Slow: it runs a browser.
import assert from "node:assert/strict";
import { before } from "node:test";
import type { Page } from "playwright-core";
import { eventually } from "../eventually.ts";
import { audit, auditAll, flow, hasFocus, overflow, settle, skip, useDesk, write } from "./browser.ts";
import { fillSample } from "./sample.ts";

/** Dialogs, menus and controls: no axe violation, the focus goes back, no label is cut off. */

const desk = useDesk();
before(async () => {
  if (skip) return;
  await desk.world.ready;
  await fillSample(desk.world);
});

const shown = (page: Page, sign: string) => page.getByText(sign).locator("visible=true").first().waitFor();

flow("no axe violation in dialogs and menus", async (context) => {
  const { world } = desk;
  const headers = { Authorization: `Bearer ${world.token.management}`, "X-Access-Token": world.token.access };
  const body = { id: "movies/solaris", data: { note: "outside of the type" } };
  assert.equal((await world.send("PATCH", "/api/entries", { headers, body })).status, 200);
  const page = await desk.open(context, "/entries/movies/solaris");
  const look = async (name: string, open: () => Promise<void>, find = () => audit(page)) => {
    await open();
    await eventually(find, [], name);
    await page.keyboard.press("Escape");
    await settle(page);
  };
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  // A menu is outside of the page's landmarks; otherwise the element below would clip it.
  const inMenu = async () => (await audit(page)).filter((finding) => !finding.startsWith("region"));
  await look(
    "new entry",
    () => button("New entry").click(),
    () => auditAll(page),
  );
  await look("menu", () => button("More actions").click(), inMenu);
  await look("menu of a field", () => button("Options of note").click(), inMenu);
  await look("finder", async () => {
    await page.keyboard.press("Control+k");
    await hasFocus(page.getByLabel("What to find"));
  });
  await page.goto(`${desk.world.app.url}/admin/tokens`);
  await look("new token", () => button("New token").click());
});

flow("no axe violation in the dialog of a role", async (context) => {
  const page = await desk.open(context, "/roles");
  await page.getByRole("button", { name: "New role" }).click();
  await page.getByRole("dialog").waitFor();
  assert.deepEqual(await auditAll(page), []);
});

flow("an overlay returns the focus to the element that opened it", async (context) => {
  const page = await desk.open(context, "/entries/movies/solaris");
  const back = async (opener: string, item?: string) => {
    await page.getByRole("button", { name: opener, exact: true }).focus();
    await page.keyboard.press("Enter");
    if (item) {
      await page.getByRole("menuitem", { name: item }).focus();
      await page.keyboard.press("Enter");
    }
    await page.locator("[data-autofocus]:focus").waitFor();
    await page.keyboard.press("Escape");
    await page.waitForFunction((name) => document.activeElement?.ariaLabel === name, opener);
  };
  await back("New entry");
  await back("More actions", "Rename or move");
  await page.goto(`${desk.world.app.url}/admin/files/movies`);
  await page.getByRole("link", { name: "solaris.jpg" }).focus();
  await page.keyboard.press("Enter");
  await back("Actions for solaris.jpg", "Copy");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.activeElement?.textContent?.includes("solaris.jpg"));
});

flow("a long text leaves space for the others, and no button label is cut off", async (context) => {
  await write(desk.world, "PATCH", "/api/files/meta", {
    path: "movies/metropolis.jpg",
    field: "title",
    value: "Long ".repeat(40),
  });
  await write(desk.world, "PUT", "/api/registry", { id: `${"a.long.key.".repeat(20)}end`, value: "Short value" });
  const page = await desk.open(context, "/files/movies", { viewport: { width: 768, height: 800 } });
  await page.getByLabel("List", { exact: true }).click();
  const name = await page.getByRole("link", { name: "solaris.jpg" }).boundingBox();
  assert.ok(name && name.width > 100, `the name has ${name?.width} px`);
  await page.goto(`${desk.world.app.url}/admin/registry`);
  await eventually(async () => {
    const value = await page.locator(".registry-value").first().boundingBox();
    assert.ok(value && value.width > 150, `the value has ${value?.width} px`);
  });
  assert.ok((await overflow(page)) <= 0);

  await page.setViewportSize({ width: 360, height: 740 });
  const cut = () =>
    page
      .locator(".mantine-Button-label, .mantine-SegmentedControl-label")
      .evaluateAll((labels) =>
        labels
          .filter(
            (label) => label.scrollWidth > label.clientWidth || label.getBoundingClientRect().right > innerWidth - 16,
          )
          .map(({ textContent }) => textContent),
      );
  await page.goto(`${desk.world.app.url}/admin/files/movies?file=solaris.jpg`);
  await shown(page, "Open in the workbench");
  await eventually(cut, []);
  await page.goto(`${desk.world.app.url}/admin/tokens`);
  await page.getByRole("button", { name: "New token" }).click();
  await page.getByRole("dialog").waitFor();
  await settle(page);
  await eventually(cut, []);
});

flow("at 360 px the navigation and the tree open over the page", async (context) => {
  const page = await desk.open(context, "/entries", { viewport: { width: 360, height: 740 }, hasTouch: true });
  await page.getByRole("button", { name: "Tree" }).click();
  await page.getByRole("tree").getByText("Articles").click();
  await page.getByRole("heading", { name: "Articles" }).waitFor();
  await page.getByRole("button", { name: "Open navigation" }).click();
  await page.getByRole("link", { name: "Health" }).click();
  await page.getByRole("heading", { name: "Health" }).waitFor();
});

flow("the menu folds to its icons by keyboard, stays so, and keeps its names", async (context) => {
  const page = await desk.open(context, "/health");
  const menu = page.getByRole("navigation", { name: "Main" });
  const width = async () => (await menu.boundingBox())?.width ?? 0;
  const names = () => menu.getByRole("link").allTextContents();
  await page.getByRole("heading", { name: "Health" }).waitFor();
  const before = { names: await names(), width: await width() };
  await menu.getByRole("button", { name: "Fold the menu" }).press("Enter");
  await settle(page);
  await eventually(async () => (await width()) <= 64, true, `${await width()} px`);
  await eventually(names, before.names);
  // The same button brings it back.
  await menu
    .locator(":focus")
    .and(menu.getByRole("button", { name: "Show the menu" }))
    .waitFor();
  await menu.getByRole("link", { name: "Media" }).hover();
  await page.getByRole("tooltip", { name: "Media" }).waitFor();
  await menu.getByRole("link", { name: "Media" }).click();
  await page.getByRole("heading", { name: "Media" }).waitFor();
  await page.reload();
  await menu.getByRole("button", { name: "Show the menu" }).waitFor();
  assert.deepEqual(await auditAll(page), []);
  // A phone has it whole.
  await page.setViewportSize({ width: 360, height: 800 });
  await page.getByRole("button", { name: "Open navigation" }).click();
  await settle(page);
  await eventually(async () => {
    const label = await menu.getByText("Media", { exact: true }).boundingBox();
    assert.ok(label && label.width > 30, `the label has ${label?.width} px`);
  });
  await page.setViewportSize({ width: 1280, height: 800 });
  await menu.getByRole("button", { name: "Show the menu" }).press("Enter");
  await settle(page);
  await eventually(width, before.width);
});

flow("the colour scheme follows the system until it is chosen, and the choice persists", async (context) => {
  const page = await desk.open(context, "/health", { colorScheme: "dark" });
  const scheme = () => page.evaluate(() => document.documentElement.dataset.mantineColorScheme);
  await page.getByRole("heading", { name: "Health" }).waitFor();
  await eventually(scheme, "dark");
  await page.getByRole("button", { name: "Colours: as in the system" }).click();
  await eventually(scheme, "light");
  await page.reload();
  await page.getByRole("heading", { name: "Health" }).waitFor();
  await eventually(scheme, "light");
});

flow("page changes are announced to screen readers", async (context) => {
  const page = await desk.open(context, "/tokens");
  const announced = (text: string) => page.getByRole("status").getByText(text, { exact: true }).waitFor();
  await announced("Tokens");
  await page.getByRole("link", { name: "Media" }).click();
  await announced("Media");
  await page.getByRole("link", { name: "movies" }).click();
  await announced("movies");
  await page.goBack();
  await announced("Media");
});

flow("an unreachable service is reported, and the page recovers", async (context) => {
  const page = await desk.open(context, "/tokens");
  await page.getByText("In force").first().waitFor();
  await page.route("**/api/**", (route) => route.abort());
  await page.getByRole("link", { name: "Registry" }).click();
  await page.getByRole("alert").getByText("The service does not answer").waitFor();
  await page.unroute("**/api/**");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("site.title").first().waitFor();
});

flow("a script that fails to load keeps the shell and unsaved input; a reload recovers", async (context) => {
  const page = await desk.open(context, "/entries/movies/solaris");
  page.removeAllListeners("console");
  const title = page.getByRole("textbox", { name: "Title" }).first();
  await title.fill("Typed");
  const scripts = /assets\/(json-view|registry-page)/;
  await page.route(scripts, (route) => route.abort());
  const alert = page.getByRole("alert").getByText("This part of the page cannot be shown");
  await page.getByText("JSON", { exact: true }).click();
  await alert.waitFor();
  await page.getByText("Form", { exact: true }).click();
  await eventually(() => title.inputValue(), "Typed");
  await page.getByRole("link", { name: "Registry" }).click();
  await page.getByRole("button", { name: "Discard changes" }).click();
  await alert.waitFor();
  await page.getByRole("link", { name: "Health" }).click();
  await page.getByRole("heading", { name: "Health" }).waitFor();
  await page.goBack();
  await alert.waitFor();
  await page.unroute(scripts);
  await page.getByRole("button", { name: "Reload the page" }).click();
  await page.getByText("site.title").first().waitFor();
});

flow("an uploaded script does not run on the page", async (context) => {
  const { world } = desk;
  const form = new FormData();
  form.set("token", world.token.management);
  form.set("access_token", world.token.access);
  form.set("folder", "hostile");
  form.set("file", new Blob(["window.hacked = true"]), "evil.txt");
  assert.equal((await fetch(`${world.app.url}/api/files`, { method: "POST", body: form })).status, 200);
  const page = await desk.open(context, "/health");
  await page.getByRole("heading", { name: "Health" }).waitFor();
  page.removeAllListeners("console");
  await page.evaluate(async () => {
    const failed = (element: HTMLElement) => new Promise((resolve) => element.addEventListener("error", resolve));
    const script = document.createElement("script");
    script.src = "/project/uploads/hostile/evil.txt";
    document.body.append(script);
    document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='window.hacked = true'>");
    await Promise.all([failed(script), failed(document.body.lastElementChild as HTMLImageElement)]);
  });
  await eventually(() => page.evaluate(() => (globalThis as { hacked?: boolean }).hacked), undefined);
});
