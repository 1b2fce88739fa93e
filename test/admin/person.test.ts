// Slow: it runs a browser.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { flow, signIn, useDesk } from "./browser.ts";

/** People on the admin page: the first owner, an invitation, a profile. Contract, part three, §19. */

const desk = useDesk();
const password = "a quiet harbour at noon";

const fill = async (page: Page, fields: Record<string, string>): Promise<void> => {
  for (const [label, text] of Object.entries(fields)) await page.getByLabel(`${label} *`, { exact: true }).fill(text);
};

flow(
  "the link of a first start makes the owner, who invites an editor in three clicks; the editor signs in",
  async (context) => {
    const page = await desk.openFresh(context, "");
    await page.goto(desk.world.app.signInLink({ asksOwner: true }));
    await page.getByRole("heading", { name: "Welcome to Octavo" }).waitFor();
    assert.ok(!page.url().includes("code"));
    await fill(page, { Name: "Olga", "Email address": "olga@example.org", Password: "password" });
    await page.getByRole("button", { name: "Continue", exact: true }).click();
    await page.getByRole("alert").getByText("most common").waitFor();
    await fill(page, { Password: password });
    await page.getByRole("button", { name: "Continue", exact: true }).click();
    await page.getByRole("button", { name: "Olga, account" }).waitFor();

    await page.getByRole("link", { name: "People" }).click();
    await page.getByRole("button", { name: "Invite", exact: true }).click();
    await fill(page, { "Email address": "eddie@example.org" });
    await page.getByRole("dialog").getByRole("button", { name: "Invite" }).click();
    const shown = page.getByRole("dialog", { name: "The link for eddie@example.org" });
    const link = (await shown.locator("code").textContent()) ?? "";
    assert.ok(link.startsWith(`${desk.world.app.url}/admin#code=invite-`), link);
    await shown.getByRole("button", { name: "I have it" }).click();
    await page.getByText("Invited", { exact: true }).waitFor();

    const eddie = await desk.openFresh(context, "");
    await eddie.goto(link);
    await fill(eddie, { Name: "Eddie", Password: password });
    await eddie.getByRole("button", { name: "Continue", exact: true }).click();
    await eddie.getByRole("button", { name: "Eddie, account" }).click();
    assert.equal(await eddie.getByRole("link", { name: "People" }).count(), 0);
    await eddie.getByRole("menuitem", { name: "Sign out" }).click();
    await eddie.getByRole("heading", { name: "Sign in to Octavo" }).waitFor();
    await eddie.reload();
    await fill(eddie, { "Email address": "Eddie@example.org", Password: "wrong password" });
    await eddie.getByRole("button", { name: "Sign in", exact: true }).click();
    await eddie.getByRole("alert").getByText("The email address or the password is wrong").waitFor();
    await fill(eddie, { Password: password });
    await eddie.getByRole("button", { name: "Sign in", exact: true }).click();
    await eddie.getByRole("button", { name: "Eddie, account" }).waitFor();
  },
);

flow("a profile changes the name and the password, and lists the sessions", async (context) => {
  const page = await desk.openFresh(context, "");
  await page.goto(desk.world.app.signInLink({ asksOwner: true }));
  await fill(page, { Name: "Paula", "Email address": "paula@example.org", Password: password });
  await page.getByRole("button", { name: "Continue", exact: true }).click();
  await page.getByRole("button", { name: "Paula, account" }).click();
  await page.getByRole("menuitem", { name: "Profile" }).click();
  const form = page.getByRole("form", { name: "Password" });
  await form.getByLabel("Present password *", { exact: true }).fill(password);
  await form.getByLabel("New password *", { exact: true }).fill("a louder harbour at noon");
  await form.getByRole("button", { name: "Save" }).click();
  await page.getByText("The password is changed").waitFor();
  await page.getByText("This session").waitFor();
  const reply = await desk.world.send("POST", "/admin/session", {
    body: { email: "paula@example.org", password: "a louder harbour at noon" },
  });
  assert.equal(reply.status, 200);
});

flow("tokens sign in beside people", async (context) => {
  const page = await desk.openFresh(context, "");
  await page.getByLabel("Email address *", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Use tokens instead" }).click();
  await signIn(page, desk.world);
  await page.getByRole("link", { name: "People" }).click();
  await page.getByRole("button", { name: "Actions for Olga" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await page.getByRole("dialog", { name: "Olga" }).getByText("Does everything").waitFor();
});

flow("a viewer reads and is offered no write", async (context) => {
  const { world } = desk;
  const tokens = { token: world.token.management, access_token: world.token.access };
  await world.send("POST", "/api/entries", { body: { ...tokens, id: "seen", data: { title: "Seen" } } });
  const invited = await world.send("POST", "/api/people", {
    body: { ...tokens, email: "vera@example.org", role: "viewer" },
  });
  const page = await desk.openFresh(context, "");
  await page.goto((invited.json.data as { link: string }).link);
  await fill(page, { Name: "Vera", Password: password });
  await page.getByRole("button", { name: "Continue", exact: true }).click();
  await page.getByRole("button", { name: "Vera, account" }).waitFor();
  await page.goto(`${world.app.url}/admin/entries/seen`);
  assert.equal(await page.getByRole("textbox", { name: "Title" }).isDisabled(), true);
  for (const name of ["Publish", "Save draft", "New entry"])
    assert.equal(await page.getByRole("button", { name, exact: true }).count(), 0, name);
});
