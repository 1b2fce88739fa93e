// Slow: it runs a browser.
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import { eventually } from "../eventually.ts";
import { codeOf, good, peopleOf, signedIn } from "../people.ts";
import { audit, auditAll, flow, overflow, read, settle, useDesk, write } from "./browser.ts";

/** Who else has an entry open, and what they save, on the page of the entry. Contract, part three, §19, The desk. */

const desk = useDesk();
const { world } = desk;
const { invite, join, send } = peopleOf(world);
const put = (id: string, data: object) => write(world, "POST", "/api/entries", { id, data });

/** A page of a new editor of this name. */
async function asPerson(context: TestContext, name: string, path: string): Promise<Page> {
  const session = signedIn(await join(codeOf(await invite("editor")), { name, password: good }));
  // A test says when something is saved.
  await send(session, "PATCH", "/api/people/me", { body: { preferences: { autosave: false } } });
  const { cookie } = session;
  const [key = "", value = ""] = cookie.split("=");
  const place = {
    domain: "127.0.0.1",
    path: "/",
    expires: -1,
    httpOnly: true,
    secure: false,
    sameSite: "Strict",
  } as const;
  return desk.openFresh(context, path, { storageState: { cookies: [{ name: key, value, ...place }], origins: [] } });
}

const title = (page: Page) => page.getByRole("textbox", { name: "Title" });
const notice = (page: Page) => page.getByRole("status", { name: "Changed elsewhere" });
const told = (page: Page, text: string) => notice(page).getByText(text).waitFor();

/** No violation, in both schemes, and no overflow on a phone. */
async function looksRight(page: Page): Promise<void> {
  assert.deepEqual(await auditAll(page), []);
  await page.setViewportSize({ width: 360, height: 800 });
  await settle(page);
  assert.equal(await overflow(page), 0);
  await page.setViewportSize({ width: 1280, height: 800 });
}

flow("who else has an entry open is told, within seconds, and no longer when they leave", async (context) => {
  await put("together/a", { title: "Alpha" });
  const [ada, bob] = [
    await asPerson(context, "Ada", "/entries/together/a"),
    await asPerson(context, "Bob", "/entries"),
  ];
  await title(ada).waitFor();
  const top = (await title(ada).boundingBox())?.y;
  await bob.goto(ada.url());
  await bob.getByText("Also here: Ada").waitFor();
  await ada.getByText("Also here: Bob").waitFor();
  await eventually(async () => (await title(ada).boundingBox())?.y, top, "nothing moves");
  // Without a name of a person: the label of a token.
  const office = await desk.open(context, "/entries/together/a");
  await office.getByText("Also here: Ada and Bob").waitFor();
  await bob.getByRole("link", { name: "Home" }).click();
  assert.deepEqual(await audit(office), []);
  await office.close();
  await ada.getByText("Also here").waitFor({ state: "detached", timeout: 25_000 });
});

/** Two editors with the same entry open, and how the second one changes it. */
async function two(context: TestContext, id: string, [one, other]: [string, string]) {
  await put(id, { title: "Alpha", note: "as it was", year: 1972 });
  const [page, writer] = [
    await asPerson(context, one, `/entries/${id}`),
    await asPerson(context, other, `/entries/${id}`),
  ];
  const change = async (name: string, value: string): Promise<void> => {
    await writer.getByRole("textbox", { name, exact: true }).fill(value);
    await writer.keyboard.press("Control+s");
    await writer.getByText("Saved", { exact: true }).waitFor();
  };
  await title(page).waitFor();
  return { page, writer, change, press: (name: string) => notice(page).getByRole("button", { name }).click() };
}

flow(
  "what somebody else saved is told on the open page, compared and reloaded; the own save is not",
  async (context) => {
    const id = "together/b";
    const { page, writer, change, press } = await two(context, id, ["Cleo", "Dora"]);
    await change("Title", "Beta");
    await told(page, "Changed by Dora just now.");
    await looksRight(page);
    // By keyboard alone; the focus returns.
    const compare = notice(page).getByRole("button", { name: "Compare" });
    await compare.focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "What somebody else changed" });
    await dialog.getByText("Beta").waitFor();
    assert.deepEqual(await audit(page), []);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.waitForFunction(() => document.activeElement?.textContent === "Compare");
    await eventually(() => title(page).inputValue(), "Alpha");
    await press("Compare");
    await dialog.getByRole("button", { name: "Reload" }).click();
    await compare.waitFor({ state: "detached" });
    await eventually(() => title(page).inputValue(), "Beta");
    await eventually(() => notice(writer).textContent(), "");
  },
);

flow("what is typed stays on top of what is reloaded; of the same field both sides are shown", async (context) => {
  const id = "together/c";
  const { page, change, press } = await two(context, id, ["Emil", "Finn"]);
  await title(page).fill("Typed");
  await change("note", "as it is");
  await press("Reload");
  await page.getByRole("button", { name: "Compare" }).waitFor({ state: "detached" });
  await eventually(() => page.getByRole("textbox", { name: "note", exact: true }).inputValue(), "as it is");
  await eventually(() => title(page).inputValue(), "Typed");
  await page.getByText("Not saved", { exact: true }).waitFor();

  await change("Title", "Gamma");
  // The conflict that the next save would meet.
  const conflict = page.getByRole("dialog", { name: "Someone else saved meanwhile" });
  for (const name of ["Compare", "Reload"]) {
    await press(name);
    await conflict.getByText("Gamma").waitFor();
    await conflict.getByRole("button", { name: "Go on editing" }).click();
    await conflict.waitFor({ state: "detached" });
    await eventually(() => title(page).inputValue(), "Typed");
  }
  await press("Compare");
  await conflict.getByRole("button", { name: "Save yours on top" }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  await eventually(async () => {
    const saved = await read<Record<string, unknown>>(world, "/api/entries/staged", { id });
    assert.partialDeepStrictEqual(saved, { title: "Typed", note: "as it is" });
  });
  await write(world, "DELETE", "/api/entries", { id });
  await told(page, "Somebody else deleted or moved this entry.");
  await page.getByRole("button", { name: "Close the notice" }).click();
  await eventually(() => notice(page).textContent(), "");
});
