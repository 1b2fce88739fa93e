// Slow: it runs a browser.
import assert from "node:assert/strict";
import { eventually } from "../eventually.ts";
import { flow, saveByHand, signIn, useDesk, write } from "./browser.ts";

const desk = useDesk();

flow("two tokens sign in, a reload stays signed in, signing out ends the session", async (context) => {
  const page = await desk.openFresh(context, "");
  await signIn(page, desk.world);
  await page.getByRole("heading", { name: "Home" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Home" }).waitFor();
  await page.getByRole("button", { name: /account$/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in to Octavo" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Sign in to Octavo" }).waitFor();
  await eventually(async () => (await page.context().cookies()).length, 0);
});

flow("wrong tokens are refused with the reason", async (context) => {
  const page = await desk.openFresh(context, "");
  for (const name of ["Show the management token", "Show the access token"])
    await page.getByRole("button", { name }).waitFor();
  await page.getByLabel("Management token *", { exact: true }).fill("oct_m_wrong");
  await page.getByLabel("Access token *", { exact: true }).fill(desk.world.token.access);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page
    .getByRole("alert")
    .getByText(/^The management token is unknown, disabled or expired[^.]*\.$/)
    .waitFor();
  await page.getByLabel("Management token *", { exact: true }).fill(desk.world.token.management);
  await page.getByLabel("Access token *", { exact: true }).fill("oct_a_wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").getByText("The access token is unknown").waitFor();
});

flow("the link of a first run signs in once and leaves no code in the URL", async (context) => {
  const link = desk.world.app.signInLink();
  const page = await desk.openFresh(context, "");
  await page.goto(link);
  await page.getByRole("navigation", { name: "Main" }).waitFor();
  assert.ok(!page.url().includes("code"));
  const second = await desk.openFresh(context, "");
  await second.goto(link);
  await second.getByRole("alert").getByText('"code" is unknown').waitFor();
});

flow(
  "a session whose token is revoked asks to sign in, and another token sees nothing of what was typed",
  async (context) => {
    const { world } = desk;
    const { secret, id } = await world.issue("management", ["entries", "admin"]);
    await write(world, "POST", "/api/entries", { id: "revoked", data: { title: "Revoked" } });
    const page = await desk.openFresh(context, "/entries/revoked");
    await signIn(page, { ...world, token: { ...world.token, management: secret } });
    const title = page.getByRole("textbox", { name: "Title" });
    await title.fill("Typed");
    // While the write is under way: a read that is refused before it would cover the button.
    await page.route("**/api/entries*", async (route) => {
      if (route.request().method() !== "GET")
        await world.app.stores.tokens.revoke(id, { actor: "test", nowSeconds: 1 });
      await route.continue();
    });
    await page.getByRole("button", { name: "Publish", exact: true }).click();
    await page.getByText("The session has ended").waitFor();
    await page.unrouteAll();
    await signIn(page, world);
    await eventually(() => title.inputValue(), "Revoked");
    await eventually(() => page.getByRole("alert").count(), 0, "the error message is gone");
  },
);

flow("disabling or rotating one's own token warns first and does not lock out", async (context) => {
  const { world } = desk;
  const { secret: management } = await world.issue("management", ["admin"], { label: "Key" });
  const { secret: access } = await world.issue("access", [], { label: "Pen" });
  const page = await desk.openFresh(context, "/tokens");
  await signIn(page, { ...world, token: { ...world.token, management, access } });
  await page.getByText("You", { exact: true }).nth(1).waitFor();
  const act = async (name: string, item: string) => {
    await page.getByRole("button", { name: `Actions for ${name}` }).click();
    await page.getByRole("menuitem", { name: item }).click();
    await page.getByRole("dialog").getByText("this session ends, too").waitFor();
  };
  await act("Pen", "Disable");
  await page.getByRole("button", { name: "Cancel" }).click();
  await act("Key", "Rotate");
  await page.getByRole("button", { name: "Rotate", exact: true }).click();
  const shown = page.getByRole("dialog", { name: "The management token" });
  const rotated = (await shown.locator("code").textContent()) ?? "";
  await shown.getByRole("button", { name: "I have it" }).click();
  await page.getByText("The session has ended").waitFor();
  await signIn(page, { ...world, token: { ...world.token, management: rotated, access } });
  await page.getByText("You", { exact: true }).nth(1).waitFor();
});

flow("a session that has ended asks to sign in again and continues where it was", async (context) => {
  const { world } = desk;
  await write(world, "POST", "/api/entries", { id: "kept", data: { title: "Kept" } });
  const page = await desk.openFresh(context, "");
  await signIn(page, world);
  await page.evaluate(saveByHand);
  await page.goto(`${world.app.url}/admin/entries/kept`);
  const title = page.getByRole("textbox", { name: "Title" });
  await title.fill("Not saved yet");
  await page.getByRole("button", { name: "New entry" }).click();
  await page.getByRole("dialog").waitFor();
  await page.context().clearCookies();
  await page.getByText("The session has ended").waitFor();
  await eventually(() => title.isVisible(), false, "the page shows no content");
  await eventually(() => page.getByRole("dialog").isVisible(), false);
  await eventually(() => page.title(), "Sign in · Octavo");
  await signIn(page, world);
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await eventually(() => title.inputValue(), "Not saved yet");
  await eventually(() => page.title(), "Kept · Octavo");
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
});

flow("a session whose token expires asks to sign in by itself", async (context) => {
  const { world } = desk;
  const expiresAt = Math.floor(Date.now() / 1000) + 15;
  const { secret } = await world.issue("management", ["entries"], { expiresAt });
  const page = await desk.openFresh(context, "/entries");
  await signIn(page, { ...world, token: { ...world.token, management: secret } });
  await page.getByText("The session has ended").waitFor();
});

flow("a token sees the pages of its resources and no others", async (context) => {
  const { world } = desk;
  const { secret } = await world.issue("management", ["entries"]);
  const page = await desk.openFresh(context, "");
  await signIn(page, { ...world, token: { ...world.token, management: secret } });
  const links = page.getByRole("navigation", { name: "Main" }).getByRole("link");
  await page.getByRole("heading", { name: "Home" }).waitFor();
  await eventually(async () => {
    const names = (await links.allTextContents()).filter((name) => name !== "" && name !== "Octavo");
    assert.deepEqual(names, ["Home", "Entries", "Work", "Releases", "Trash"]);
  });
  await page.goto(`${world.app.url}/admin/tokens`);
  await page.getByText("Page not found").waitFor();
});

flow("sessions are listed, the current one marked, and ended: their pages ask to sign in", async (context) => {
  const { world } = desk;
  const { secret: management } = await world.issue("management", ["entries"], { label: "Editor" });
  const other = await desk.openFresh(context, "/entries");
  await signIn(other, { ...world, token: { ...world.token, management } });
  const page = await desk.openFresh(context, "/sessions");
  await signIn(page, world);
  const row = page.getByRole("row").filter({ hasText: "Editor" });
  await row.waitFor();
  await eventually(() => page.getByText("This session", { exact: true }).count(), 1);
  await eventually(() => row.getByText("This session").count(), 0);

  await row.getByRole("button", { name: /^End the session .* of Editor/ }).click();
  await page.getByRole("dialog", { name: "End a session of Editor?" }).waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await row.getByRole("button", { name: /^End/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "End", exact: true }).click();
  await row.waitFor({ state: "detached" });
  await other.reload();
  await other.getByText("Sign in to Octavo").waitFor();

  const own = page.getByRole("row").filter({ hasText: "This session" });
  await own.getByRole("button", { name: /^End/ }).click();
  await page
    .getByRole("dialog", { name: "End this session?" })
    .getByRole("button", { name: "End", exact: true })
    .click();
  await page.getByText("The session has ended").waitFor();
});

flow("signing out on one device keeps other sessions, and a copied cookie is invalid", async (context) => {
  const { world } = desk;
  const [first, second] = [await desk.openFresh(context, "/entries"), await desk.openFresh(context, "/entries")];
  await signIn(first, world);
  await signIn(second, world);
  const copied = await first.context().cookies();
  await first.getByRole("button", { name: /account$/ }).click();
  await first.getByRole("menuitem", { name: "Sign out" }).click();
  await first.getByText("Sign in to Octavo").waitFor();
  await first.context().addCookies(copied);
  await first.reload();
  await first.getByText("Sign in to Octavo").waitFor();
  await second.reload();
  await second.getByRole("heading", { name: "Entries" }).waitFor();
});
