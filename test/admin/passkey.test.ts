// Slow: it runs a browser.
import assert from "node:assert/strict";
import type { CDPSession, Page } from "playwright-core";
import { eventually } from "../eventually.ts";
import { atLocalhost, audit, auditAll, flow, overflow, useDesk } from "./browser.ts";

/** Passkeys on the page, with the virtual authenticator of the browser. */

const desk = useDesk();

type Authenticator = { client: CDPSession; authenticatorId: string };

/** An authenticator like that of a phone, whose user agrees at once. */
async function authenticatorOf(page: Page, options: { isUserVerified?: boolean } = {}): Promise<Authenticator> {
  const client = await page.context().newCDPSession(page);
  await client.send("WebAuthn.enable");
  const { authenticatorId } = await client.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      ...{ protocol: "ctap2", ctap2Version: "ctap2_1", transport: "internal" },
      ...{ hasResidentKey: true, hasUserVerification: true, automaticPresenceSimulation: true },
      isUserVerified: options.isUserVerified ?? true,
    },
  });
  return { client, authenticatorId };
}

const credentialsOf = async ({ client, authenticatorId }: Authenticator) =>
  (await client.send("WebAuthn.getCredentials", { authenticatorId })).credentials;

let last = 0;
async function invite(): Promise<{ email: string; link: string }> {
  const { world } = desk;
  const email = `page-${++last}@example.org`;
  const body = { email, role: "owner", token: world.token.management, access_token: world.token.access };
  const { json } = await world.send("POST", "/api/people", { body });
  return { email, link: atLocalhost((json.data as { link: string }).link) };
}

const submit = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

async function openProfile(page: Page): Promise<void> {
  await page.goto(atLocalhost(`${desk.world.app.url}/admin/profile`));
  await page.getByRole("heading", { name: "Passkeys" }).waitFor();
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole("button", { name: /account$/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in to Octavo" }).waitFor();
}

flow("an invitation is accepted with a passkey, which signs in, and is listed", async (context) => {
  const { link, email } = await invite();
  const page = await desk.openFresh(context, "");
  const authenticator = await authenticatorOf(page);
  await page.goto(link);
  await page.getByRole("button", { name: "Use a passkey in place of a password" }).click();
  await page.getByLabel("Name").fill("Ada");
  assert.deepEqual(await audit(page), []);
  await submit(page, "Continue with a passkey");
  await page.getByRole("navigation", { name: "Main" }).waitFor();
  await eventually(async () => {
    const [credential] = await credentialsOf(authenticator);
    assert.deepEqual([credential?.isResidentCredential, credential?.rpId], [true, "localhost"]);
    assert.equal(credential?.userName, email);
  });
  await signOut(page);
  assert.deepEqual(await audit(page), []);
  await submit(page, "Sign in with a passkey");
  await page.getByRole("navigation", { name: "Main" }).waitFor();
  await openProfile(page);
  const row = page.getByRole("row", { name: /Passkey/ });
  await row.getByRole("button", { name: "Remove the passkey Passkey" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByRole("alert").getByText("the only passkey of somebody without a password").waitFor();
});

flow("passkeys are added and removed on the profile", async (context) => {
  const { link } = await invite();
  const page = await desk.openFresh(context, "");
  await page.goto(link);
  await page.getByLabel("Name").fill("Grace");
  await page.getByLabel("Password *", { exact: true }).fill("a quiet harbour at noon");
  await submit(page, "Continue");
  await page.getByRole("navigation", { name: "Main" }).waitFor();
  await openProfile(page);
  const authenticator = await authenticatorOf(page);
  await submit(page, "Add a passkey");
  await page.getByRole("dialog").getByLabel("Name").fill("Laptop");
  assert.deepEqual(await audit(page), []);
  await submit(page, "Continue");
  await page.getByText("Laptop", { exact: true }).waitFor();
  assert.deepEqual(await auditAll(page), []);
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    assert.equal(await overflow(page), 0, `${width} px`);
  }
  await submit(page, "Add a passkey");
  await page.getByRole("dialog").getByLabel("Name").fill("The same");
  await submit(page, "Continue");
  await page.getByRole("alert").getByText("This device has a passkey of yours already").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await signOut(page);
  await submit(page, "Sign in with a passkey");
  await page.getByRole("navigation", { name: "Main" }).waitFor();
  await openProfile(page);
  await submit(page, "Remove the passkey Laptop");
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByText("Laptop", { exact: true }).waitFor({ state: "detached" });
  await eventually(async () => (await credentialsOf(authenticator)).length, 1, "the device still has it");
  await signOut(page);
  await submit(page, "Sign in with a passkey");
  await page.getByRole("alert").waitFor();
});

flow("whose device cannot verify its user gets no passkey, and a sentence", async (context) => {
  const { link } = await invite();
  const page = await desk.openFresh(context, "");
  await authenticatorOf(page, { isUserVerified: false });
  await page.goto(link);
  await page.getByRole("button", { name: "Use a passkey in place of a password" }).click();
  await page.getByLabel("Name").fill("Eve");
  await submit(page, "Continue with a passkey");
  await page.getByRole("alert").getByText("No passkey was used").waitFor();
  await page.getByRole("button", { name: "Use a password" }).click();
  await page.getByLabel("Password *", { exact: true }).fill("a quiet harbour at noon");
  await submit(page, "Continue");
  await page.getByRole("navigation", { name: "Main" }).waitFor();
});

flow("at an IP address the page offers no passkeys, and says why", async (context) => {
  const { link } = await invite();
  const page = await desk.openFresh(context, "");
  await page.goto(link.replace("//localhost:", "//127.0.0.1:"));
  await page.getByLabel("Name").waitFor();
  await eventually(() => page.getByRole("button", { name: /passkey/ }).count(), 0);
});
