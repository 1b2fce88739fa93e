import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../../src/core/problem.ts";
import { OidcIssuer } from "../../src/people/oidc/issuer.ts";
import {
  type Answers,
  claimsOf,
  confusedToken,
  type HostileIssuer,
  openToken,
  otherKeys,
  partsOf,
  startHostile,
  tokenOf,
} from "../hostile-issuer.ts";
import { clientId, clientSecret, startIssuer } from "../issuer.ts";

/** The client of OpenID Connect against a real issuer, and against one that lies. */

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

/** A sign-in at the issuer while it answers this. */
async function signInAt(
  hostile: HostileIssuer,
  what: Partial<Answers>,
  change: (query: URLSearchParams) => void = () => undefined,
) {
  const issuer = new OidcIssuer({ ...signIn, issuer: hostile.issuer });
  hostile.answer(what.description ? { description: what.description } : {});
  const { address, flow } = await issuer.begin(back);
  const { searchParams } = hostile.back(address);
  change(searchParams);
  hostile.answer(what);
  return issuer.finish(flow, searchParams.toString());
}

test("a token that is not this issuer's, for this client, of this flow and of now is refused", async () => {
  const hostile = await startHostile();
  const now = Math.floor(Date.now() / 1000);
  const { identity } = await signInAt(hostile, {});
  assert.deepEqual(identity, { issuer: hostile.issuer, subject: "ada" });
  for (const [what, answers] of [
    ["another iss", { claims: { iss: "https://id.example.org" } }],
    ["no iss", { claims: { iss: undefined } }],
    ["another client", { claims: { aud: "another" } }],
    ["several clients without azp", { claims: { aud: [clientId, "another"] } }],
    ["several clients, for another one", { claims: { aud: [clientId, "another"], azp: "another" } }],
    ["another nonce", { claims: { nonce: "another" } }],
    ["no nonce", { claims: { nonce: undefined } }],
    ["expired", { claims: { exp: now - 60 } }],
    ["no exp", { claims: { exp: undefined } }],
    ["not valid yet", { claims: { nbf: now + 600 } }],
    ["no subject", { claims: { sub: undefined } }],
    ["a subject that is no text", { claims: { sub: 1 } }],
    ["no token", { token: () => undefined }],
    ["no text as token", { token: () => "x" }],
    ["alg none", { token: (token) => openToken(claimsOf(token)) }],
    ["alg none, with the signature", { header: { alg: "none" } }],
    ["the public key as a secret", { token: (token) => confusedToken(claimsOf(token)) }],
    ["another key of the same name", { token: (token) => tokenOf({}, claimsOf(token), otherKeys.privateKey) }],
    ["another key of another name", { token: (token) => tokenOf({ kid: "x" }, claimsOf(token), otherKeys.privateKey) }],
    ["another signature", { token: (token) => `${token.slice(0, -8)}AAAAAAAA` }],
    ["no signature", { token: (token) => partsOf(token).with(2, "").join(".") }],
    [
      "another subject under the signature",
      {
        token: (token) => {
          const claims = { ...claimsOf(token), sub: "eve" };
          return partsOf(token)
            .with(1, Buffer.from(JSON.stringify(claims)).toString("base64url"))
            .join(".");
        },
      },
    ],
    ["an encoding that is not known", { header: { crit: ["b64"], b64: false } }],
    ["somebody else's answer to who it is", { userInfo: { sub: "eve", email: "ada@example.org" } }],
  ] as [string, Partial<Answers>][])
    await refuses(signInAt(hostile, answers), "sign_in_failed", what);
  await refuses(signInAt(hostile, { status: 500 }), "issuer_unavailable");
});

test("the answer of one issuer is not taken to another: no code goes there", async () => {
  const [honest, hostile] = [await startHostile(), await startHostile()];
  // The browser went to one of them, and comes back with what the other one gave it.
  const mixed = (query: URLSearchParams) => query.set("iss", honest.issuer);
  await refuses(signInAt(hostile, {}, mixed), "sign_in_failed");
  await refuses(
    signInAt(hostile, {}, (query) => query.delete("iss")),
    "sign_in_failed",
  );
  assert.deepEqual([honest.asked, hostile.asked], [0, 0]);
  // One that does not say that it sends iss is still held to the one that it sends.
  const issuer = new OidcIssuer({ ...signIn, issuer: hostile.issuer });
  hostile.answer({ description: { authorization_response_iss_parameter_supported: undefined } });
  const { address, flow } = await issuer.begin(back);
  const { searchParams } = hostile.back(address);
  mixed(searchParams);
  await refuses(issuer.finish(flow, searchParams.toString()), "sign_in_failed");
  assert.equal(hostile.asked, 0);
});

test("a description of another issuer, or one that leads away from TLS, is not used", async () => {
  const hostile = await startHostile();
  const issuer = () => new OidcIssuer({ ...signIn, issuer: hostile.issuer });
  for (const description of [
    ...[{ issuer: "https://id.example.org" }, { issuer: `${hostile.issuer}/other` }, { issuer: undefined }],
    ...[{ authorization_endpoint: undefined }, { authorization_endpoint: "javascript:alert(1)" }],
    { authorization_endpoint: "x" },
  ]) {
    hostile.answer({ description });
    await refuses(issuer().begin(back), "issuer_unavailable", JSON.stringify(description));
  }
  for (const description of [{ token_endpoint: undefined }, { jwks_uri: undefined }, { token_endpoint: "file:///x" }])
    await refuses(signInAt(hostile, { description }), "sign_in_failed", JSON.stringify(description));
});
