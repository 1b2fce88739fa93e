import assert from "node:assert/strict";
import { test } from "node:test";
import { OidcIssuer } from "../../src/adapters/oidc/issuer.ts";
import { Problem } from "../../src/domain/problem.ts";
import { clientId, clientSecret, startIssuer } from "../issuer.ts";

/** The client of OpenID Connect against a real issuer. */

const back = "https://octavo.example.org/admin/session/oidc/back";
const signIn = { clientId, clientSecret, roleClaim: "role", timeoutSeconds: 10 };

const refuses = (work: Promise<unknown>, code: string, what = "") =>
  assert.rejects(work, (error) => error instanceof Problem && error.code === code, what);

for (const authentication of ["client_secret_basic", "client_secret_post"] as const)
  test(`a sign-in tells who it is, to a client that is registered for ${authentication}`, async () => {
    const real = await startIssuer(() => [back], { authentication });
    real.accounts.set("ada", { email: "ada@example.org", email_verified: true, name: "Ada", role: "editor" });
    const issuer = new OidcIssuer({ ...signIn, issuer: real.issuer });
    const { address, flow } = await issuer.begin(back);
    const query = new URL(address).searchParams;
    assert.equal(query.get("code_challenge_method"), "S256");
    assert.equal(query.get("redirect_uri"), back);
    assert.equal(query.get("scope"), "openid email profile role");
    assert.ok(!address.includes(flow.verifier));
    const { search } = await real.signIn(address, "ada");
    const { identity, claims } = await issuer.finish(flow, search.slice(1));
    assert.deepEqual(identity, { issuer: real.issuer, subject: "ada" });
    const said = Object.assign({}, ...claims);
    assert.deepEqual(
      [said.email, said.email_verified, said.name, said.role],
      ["ada@example.org", true, "Ada", "editor"],
    );
    await refuses(issuer.finish(flow, search.slice(1)), "sign_in_failed", "a code that was used");
  });

test("what belongs to another flow is refused", async () => {
  const real = await startIssuer(() => [back, "https://elsewhere.example.org/"]);
  const issuer = new OidcIssuer({ ...signIn, issuer: real.issuer });
  const other = await issuer.begin(back);
  const answer = async (change: (query: URLSearchParams) => void, of = other.flow) => {
    const { address, flow } = await issuer.begin(back);
    const { searchParams } = await real.signIn(address, "ada");
    change(searchParams);
    return issuer.finish({ ...flow, ...of }, searchParams.toString());
  };
  const none = {} as typeof other.flow;
  await answer(() => undefined, none);
  const { state, nonce, verifier } = other.flow;
  for (const [what, change, of] of [
    ["the state of another flow", () => undefined, { state }],
    ["the nonce of another flow", () => undefined, { nonce }],
    ["the verifier of another flow", () => undefined, { verifier }],
    ["another address to come back to", () => undefined, { redirectUri: "https://elsewhere.example.org/" }],
    ["another issuer in the setting", () => undefined, { issuer: "https://id.example.org" }],
    ["no state", (query) => query.delete("state")],
    ["another iss", (query) => query.set("iss", "https://id.example.org")],
    ["no iss, of an issuer that sends it", (query) => query.delete("iss")],
    ["no code", (query) => query.delete("code")],
    ["another code", (query) => query.set("code", "x")],
    ["two codes", (query) => query.append("code", "x")],
    ["two states", (query) => query.append("state", "x")],
    ["an error", (query) => query.set("error", "access_denied")],
  ] as [string, (query: URLSearchParams) => void, object?][])
    await refuses(answer(change, { ...none, ...of }), "sign_in_failed", what);
  const { flow } = await issuer.begin(back);
  for (const query of [
    "",
    "error=access_denied",
    `state=${flow.state}&error=access_denied`,
    "?",
    "%zz",
    "code=&state=",
  ])
    await refuses(issuer.finish(flow, query), "sign_in_failed", query);
});

test("a wrong secret is refused; an issuer that is not there is unavailable, and asked again", async () => {
  const real = await startIssuer(() => [back]);
  const wrong = new OidcIssuer({ ...signIn, clientSecret: "wrong", issuer: real.issuer });
  const { address, flow } = await wrong.begin(back);
  const { search } = await real.signIn(address, "ada");
  await refuses(wrong.finish(flow, search.slice(1)), "sign_in_failed");
  const right = new OidcIssuer({ ...signIn, issuer: real.issuer });
  const begun = await right.begin(back);
  const answer = await real.signIn(begun.address, "ada");
  await real.close();
  await refuses(right.finish(begun.flow, answer.search.slice(1)), "issuer_unavailable");
  const gone = new OidcIssuer({ ...signIn, issuer: real.issuer });
  await refuses(gone.begin(back), "issuer_unavailable");
  await refuses(gone.begin(back), "issuer_unavailable");
});
