// Slow: it runs a browser.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Browser } from "playwright-core";
import { launch } from "../chromium.ts";
import { atEnd } from "../ending.ts";
import { eventually } from "../eventually.ts";
import { useWorld } from "../harness.ts";
import { startIssuer } from "../issuer.ts";
import { audit, hasFocus, skip } from "./browser.ts";

/** A browser signs in at a real issuer, which is another site: what of the cookies it sends decides. */

const started = startIssuer(() => [`${world.app.url}/admin/session/oidc/back`], { host: "localhost" });
const world = useWorld(
  {},
  started.then(({ env }) => env),
);
before(() => world.ready);

async function open(): Promise<Browser> {
  const browser = await launch();
  atEnd(() => browser.close());
  return browser;
}

test("an owner binds a person, who comes in by the subject with an address that is not marked", { skip }, async () => {
  const issuer = await started;
  const browser = await open();
  const owner = await browser.newPage();
  await owner.goto(world.app.signInLink({ asksOwner: true }));
  for (const [label, text] of [
    ["Name", "Olga"],
    ["Email address", "olga@example.org"],
    ["Password", "a quiet harbour at noon"],
  ] as const)
    await owner.getByLabel(`${label} *`, { exact: true }).fill(text);
  await owner.getByRole("button", { name: "Continue", exact: true }).click();
  await owner.getByRole("button", { name: "Olga, account" }).waitFor();
  await owner.getByRole("link", { name: "People" }).click();
  await owner.getByRole("button", { name: "Invite", exact: true }).click();
  await owner.getByLabel("Email address *", { exact: true }).fill("bea@example.org");
  await owner.getByRole("dialog").getByRole("button", { name: "Invite" }).click();
  await owner.getByRole("button", { name: "I have it" }).click();
  await owner.getByRole("button", { name: "Actions for bea@example.org" }).click();
  await owner.getByRole("menuitem", { name: "Edit" }).click();
  const dialog = owner.getByRole("dialog", { name: "bea@example.org" });
  await dialog.getByLabel("Subject at the issuer").fill("sub-of-bea ");
  assert.deepEqual(await audit(owner), []);
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  await eventually(() => owner.getByText("Invited", { exact: true }).count(), 0);

  issuer.accounts.set("sub-of-bea", { email: "bea@example.org", email_verified: false, name: "Bea" });
  issuer.expect("sub-of-bea");
  const bea = await (await browser.newContext()).newPage();
  await bea.goto(`${world.app.url}/admin`);
  await bea.getByRole("link", { name: /^Sign in with localhost:/ }).click();
  await bea.getByRole("button", { name: /, account$/ }).waitFor();

  await owner.reload();
  await owner.getByRole("button", { name: "Actions for Bea" }).click();
  await owner.getByRole("menuitem", { name: "Edit" }).click();
  const again = owner.getByRole("dialog", { name: "Bea" });
  await again.getByLabel("Subject at the issuer").fill("");
  await again.getByRole("button", { name: "Save" }).click();
  await again.waitFor({ state: "detached" });
  await owner.getByText("Invited", { exact: true }).waitFor();
  await eventually(() => bea.evaluate(async () => (await fetch("/api/people/me")).status), 401);
});

test("the button leads to the issuer and back, refused with the reason, then signed in", { skip }, async () => {
  const issuer = await started;
  const page = await (await open()).newPage({ viewport: { width: 360, height: 740 } });
  await page.goto(`${world.app.url}/admin`);
  const button = page.getByRole("link", { name: /^Sign in with localhost:/ });
  await page.getByLabel("Password *", { exact: true }).waitFor();
  await eventually(() => page.getByPlaceholder("oct_m_").count(), 0, "tokens are folded away");
  await page.keyboard.press("Tab");
  await hasFocus(button);
  issuer.accounts.set("ada", { email: "ada@example.org", email_verified: true, name: "Ada" });
  issuer.expect("ada");
  await button.click();
  await page
    .getByRole("alert")
    .getByText(/was not completed, or you may not sign in here/)
    .waitFor();
  assert.equal(page.url(), `${world.app.url}/admin`);
  assert.deepEqual(await audit(page), []);
  await page.reload();
  await button.waitFor();
  await eventually(() => page.getByRole("alert").count(), 0);

  const tokens = { token: world.token.management, access_token: world.token.access };
  const body = { ...tokens, email: "ada@example.org", role: "editor" };
  assert.equal((await world.send("POST", "/api/people", { body })).status, 200);
  await button.click();
  // There and back is several pages, of which the last one has the address of the first.
  await eventually(() => page.url(), `${world.app.url}/admin`);
  const signedIn = async () => {
    const { person, role } = await page.evaluate(async () => (await (await fetch("/admin/session")).json()).data ?? {});
    return [person?.email, role?.id];
  };
  await eventually(signedIn, ["ada@example.org", "editor"]);
  await eventually(async () => {
    const cookies = await page.context().cookies();
    assert.deepEqual(
      cookies.filter(({ name }) => name.startsWith("octavo_")).map(({ name, sameSite }) => [name, sameSite]),
      [["octavo_session", "Strict"]],
    );
  });
});
