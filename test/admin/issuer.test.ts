// Slow: it runs a browser.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Browser } from "playwright-core";
import { launch } from "../chromium.ts";
import { atEnd } from "../ending.ts";
import { eventually } from "../eventually.ts";
import { useWorld } from "../harness.ts";
import { startIssuer } from "../issuer.ts";
import { audit, skip } from "./browser.ts";

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

test("the button leads to the issuer and back, refused with the reason, then signed in", { skip }, async () => {
  const issuer = await started;
  const page = await (await open()).newPage({ viewport: { width: 360, height: 740 } });
  await page.goto(`${world.app.url}/admin`);
  const button = page.getByRole("link", { name: /^Sign in with localhost:/ });
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
  await page.waitForURL(`${world.app.url}/admin`);
  const session = await page.evaluate(async () => (await (await fetch("/admin/session")).json()).data);
  assert.deepEqual([session.person.email, session.role.id], ["ada@example.org", "editor"]);
  await eventually(async () => {
    const cookies = await page.context().cookies();
    assert.deepEqual(
      cookies.filter(({ name }) => name.startsWith("octavo_")).map(({ name, sameSite }) => [name, sameSite]),
      [["octavo_session", "Strict"]],
    );
  });
});
