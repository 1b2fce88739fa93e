import assert from "node:assert/strict";
import { join } from "node:path";
import { before, test } from "node:test";
import { makeStore, type Running, runOctavo, startOctavo } from "../../test/cli/octavo.ts";
import { eventually } from "../../test/eventually.ts";
import { temporaryFolder } from "../../test/harness.ts";
import { startHostile } from "../../test/hostile-issuer.ts";
import { clientId, clientSecret } from "../../test/issuer.ts";

/** What the operator of a service reads where an issuer's sign-ins are refused. Contract, part three, §19. */

const cwd = temporaryFolder();
const data = ["--data", join(cwd, "data")];
before(() => makeStore(join(cwd, "data")));
const started = startHostile();

const email = "ada@example.org";
type Row = { id: string; state: string };

const settings = async (more: Record<string, string> = {}): Promise<Record<string, string>> => ({
  OCTAVO_OIDC_ISSUER: (await started).issuer,
  OCTAVO_OIDC_CLIENT_ID: clientId,
  OCTAVO_OIDC_CLIENT_SECRET: clientSecret,
  OCTAVO_OIDC_ROLE_CLAIM: "role",
  ...more,
});

async function people(...words: string[]): Promise<Row> {
  const { code, out, err } = await runOctavo(["people", ...words, ...data, "--json"], { cwd, env: await settings() });
  assert.equal(code, 0, err);
  return JSON.parse(out);
}

/** Signs in at the issuer, which says these claims; the status of the way back, and where it leads. */
async function visit(
  { url }: Running,
  { sub = "ada", ...claims }: Record<string, unknown>,
  accept = "application/json",
) {
  const issuer = await started;
  issuer.answer({ claims: { sub, ...claims }, userInfo: { sub } });
  const begun = await fetch(`${url}/admin/session/oidc`, { redirect: "manual" });
  const cookie = begun.headers.getSetCookie()[0]?.split(";", 1)[0] ?? "";
  const address = issuer.back(begun.headers.get("location") ?? "");
  const came = await fetch(address, { redirect: "manual", headers: { cookie, accept } });
  return { status: came.status, text: await came.text(), leadsTo: came.headers.get("location") ?? "" };
}

/** The reason is a line of the error log and no part of the answer. */
async function isRefused(service: Running, claims: Record<string, unknown>, reason: RegExp): Promise<void> {
  for (const accept of ["application/json", "text/html"]) {
    const logged = service.errors.length;
    const { status, text, leadsTo } = await visit(service, claims, accept);
    if (accept === "text/html") assert.match(leadsTo, /#refused=sign_in_failed$/);
    else assert.equal(status, 401, text);
    assert.doesNotMatch(text + leadsTo, reason);
    await eventually(() => service.errors.slice(logged).filter((line) => reason.test(line)).length, 1);
  }
}

test("each refused sign-in is in the log with its subject and why; who is bound or trusted comes in", async () => {
  const off = await startOctavo(data, { cwd, env: await settings() });
  await isRefused(off, {}, /subject \\"ada\\" of http.*no email address/);
  await isRefused(off, { email, email_verified: true }, /no invitation of \\"ada@example.org\\" is open/);
  const ada = await people("invite", email, "--role", "viewer");
  for (const mark of [{}, { email_verified: false }, { email_verified: "true" }])
    await isRefused(off, { email, ...mark }, /not mark its address as verified .*oidc_trust_email/);
  await isRefused(off, { email, email_verified: true, role: "root" }, /the role claim is \\"root\\"/);
  await isRefused(off, { aud: "another" }, /aud/);
  const eve = await people("invite", "eve@example.org", "--role", "viewer");
  await people("bind", eve.id, "--subject", "ada");
  assert.equal((await visit(off, { email: "other@example.org" })).leadsTo, `${off.url}/admin`, "bound");
  await people("disable", eve.id);
  await isRefused(off, { email, email_verified: true }, /its person .* is disabled/);
  await people("bind", eve.id, "--subject", "eve");
  assert.equal(await off.stop("SIGTERM"), 0);

  const on = await startOctavo(data, { cwd, env: await settings({ OCTAVO_OIDC_TRUST_EMAIL: "on" }) });
  await isRefused(on, { email: "nobody@example.org" }, /no invitation of/);
  assert.equal((await visit(on, { email, email_verified: false })).leadsTo, `${on.url}/admin`);
  await isRefused(on, { sub: "mallory", email }, /no invitation of \\"ada@example.org\\" is open/);
  assert.equal((await people("role", ada.id, "viewer")).state, "active");
  assert.equal(await on.stop("SIGTERM"), 0);
});
