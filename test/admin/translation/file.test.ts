// Slow: it runs a browser.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { eventually } from "../../eventually.ts";
import { auditAll, flow, overflow, read, signIn, useDesk } from "../browser.ts";

/** What files say in other languages, on the admin page. Contract §5, Texts by locale. */

const desk = useDesk({ locales: "en,de,ar" });
const { world } = desk;
const picture = readFileSync(new URL("../../../assets/demo/uploads/movies/solaris.jpg", import.meta.url));

/** A picture with the title Boat and a meta field in the source. */
async function upload(name: string): Promise<void> {
  const { management, access } = world.token;
  const form = new FormData();
  form.append("token", management);
  form.append("access_token", access);
  form.append("folder", "boats");
  form.append("file", new Blob([picture], { type: "image/jpeg" }), name);
  assert.equal((await fetch(`${world.app.url}/api/files`, { method: "POST", body: form })).status, 200);
  const set = (method: string, field: string, value: string) =>
    world.send(method, "/api/files/meta", {
      body: { token: management, access_token: access, path: `boats/${name}`, field, value },
    });
  await set("PATCH", "title", "Boat");
  await set("POST", "credit", "A friend");
}

const language = (page: Page) => page.getByRole("dialog").getByRole("combobox", { name: "Language", exact: true });
const field = (page: Page, name: string) => page.getByRole("textbox", { name, exact: true });
const says = (path: string, locale: string) => read<Record<string, unknown>>(world, "/api/files", { path, locale });

flow(
  "what a file says in another language is written below its source, and falls back once it is emptied",
  async (context) => {
    await upload("boat.jpg");
    const page = await desk.open(context, "/files/boats?file=boat.jpg");
    await eventually(() => field(page, "Title").inputValue(), "Boat");
    await language(page).selectOption("de");
    await eventually(() => field(page, "Title in German").inputValue(), "", "it has none");
    await page.getByRole("group", { name: "Fields" }).getByText("Boat", { exact: true }).waitFor();
    await field(page, "Title in German").focus();
    await page.keyboard.type("Boot");
    await page.keyboard.press("Enter");
    await eventually(async () => (await says("boats/boat.jpg", "de")).title, "Boot");
    await field(page, "What the picture shows in German").fill("Ein Boot");
    await field(page, "Credit in German").fill("Ein Freund");
    await field(page, "Description in German").focus();
    await eventually(async () => (await says("boats/boat.jpg", "de")).credit, "Ein Freund");
    await eventually(async () => (await says("boats/boat.jpg", "de")).alt, "Ein Boot");
    const { title, credit } = await says("boats/boat.jpg", "en");
    assert.deepEqual([title, credit], ["Boat", "A friend"]);
    assert.deepEqual(await auditAll(page), []);
    await page.setViewportSize({ width: 360, height: 740 });
    assert.ok((await overflow(page)) <= 0);
    await page.setViewportSize({ width: 1280, height: 800 });
    await field(page, "Title in German").fill("");
    await page.keyboard.press("Enter");
    await eventually(async () => (await says("boats/boat.jpg", "de")).title, "Boat");
    await language(page).selectOption("ar");
    await eventually(() => field(page, "Title in Arabic").getAttribute("dir"), "rtl");
    await eventually(() => field(page, "Credit in Arabic").inputValue(), "");
    await language(page).selectOption("en");
    await eventually(() => field(page, "Title").inputValue(), "Boat");
  },
);

flow("who writes one language has the texts of that alone", async (context) => {
  await upload("ship.jpg");
  const { secret } = await world.issue("management", ["files"], { locales: ["de"] });
  const page = await desk.openFresh(context, "/files/boats?file=ship.jpg");
  await signIn(page, { ...world, token: { ...world.token, management: secret } });
  await field(page, "Title in German").fill("Schiff");
  await page.keyboard.press("Enter");
  await eventually(async () => (await says("boats/ship.jpg", "de")).title, "Schiff");
  for (const [locale, name] of [
    ["ar", "Title in Arabic"],
    ["en", "Title"],
  ] as const) {
    await language(page).selectOption(locale);
    await eventually(() => field(page, name).isDisabled(), true, "it is not theirs");
  }
});
