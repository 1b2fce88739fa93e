import assert from "node:assert/strict";
import { test } from "node:test";
import { isProblem } from "../core/problem.ts";
import { admittedBy, type Claims, type KnownPeople, parseIdentity, readAssertion } from "./identity.ts";
import { type Asserted, type Person, stateAfter } from "./person.ts";

/** Who comes in by an issuer of OpenID Connect. Contract, part three, §19. */

const identity = { issuer: "https://id.example.org", subject: "ada" };
const said = (...claims: Claims[]) => readAssertion({ identity, claims }, { roleClaim: "role", trustsEmail: false });
const refuses = (work: () => unknown, what: string) =>
  assert.throws(work, (error) => isProblem(error, "sign_in_failed"), what);

// ------------------------------------------------------------------------------------------ what counts

test("an address counts where the same answer says that it is verified", () => {
  const email = "Ada@Example.org";
  for (const [claims, key] of [
    [[{ email, email_verified: true }], "ada@example.org"],
    [[{ email }], undefined],
    [[{ email, email_verified: false }], undefined],
    [[{ email, email_verified: "true" }], undefined],
    [[{ email, email_verified: 1 }], undefined],
    [[{ email: [email], email_verified: true }], undefined],
    [[{ email: "ada", email_verified: true }], undefined],
    [[{ email: "ada@example.org, eve@example.org", email_verified: true }], undefined],
    [[{ email: "a\ud800@example.org", email_verified: true }], undefined],
    // At the issuer this is another mailbox, whose letter is a Kelvin sign.
    [[{ email: "\u212aay@example.org", email_verified: true }], undefined],
    [[{ email: "e\u0301va@example.org", email_verified: true }], "\u00e9va@example.org"],
    [[{}, { email, email_verified: true }], "ada@example.org"],
    // The mark of one answer says nothing about the address of another.
    [[{ email }, { email: "eve@example.org", email_verified: true }], "eve@example.org"],
    [[{ email_verified: true }, { email }], undefined],
    [[{ email }, { email_verified: true }], undefined],
  ] as [Claims[], string | undefined][])
    assert.equal(said(...claims).emailKey, key, JSON.stringify(claims));
});

test("of an issuer that is trusted an address counts without the mark, and one with it first", () => {
  const email = "Ada@Example.org";
  const key = (...claims: Claims[]) =>
    readAssertion({ identity, claims }, { roleClaim: "", trustsEmail: true }).emailKey;
  for (const email_verified of [undefined, null, false, "true", 1, true])
    assert.equal(key({ email, email_verified }), "ada@example.org", String(email_verified));
  assert.equal(key({ email: "eve@example.org" }, { email, email_verified: true }), "ada@example.org");
  for (const other of [undefined, "", "ada", [email], "\u212aay@example.org"])
    assert.equal(key({ email: other }), undefined, String(other));
});

test("the cause of each refusal says why, for the log, and the refusal itself does not", () => {
  const invited = (more: Partial<Person>) => ({ linked: { ...person, ...more } });
  for (const [why, what, known] of [
    [/no email address/, { emailKey: undefined, saysEmail: false }, {}],
    [/not mark its address as verified .*oidc_trust_email/, { emailKey: undefined }, invited({})],
    [/no invitation of "ada@example.org" is open/, {}, {}],
    [/no longer only invited, but active/, {}, invited({ state: "active" })],
    [/its person 1 is disabled/, {}, { bound: { ...bound, state: "disabled" } }],
    [/the role claim is "staff, boss", and none is a role/, { roles: ["staff", "boss"] }, { bound }],
    [/the role claim, which gave its role, is gone/, {}, { bound: enter({ roles: ["owner"] }, { bound }) }],
  ] as [RegExp, Partial<Asserted>, Partial<KnownPeople>][]) {
    assert.throws(
      () => enter(what, known),
      (error) => {
        assert.ok(isProblem(error, "sign_in_failed"));
        assert.match(String(error.cause), why);
        assert.match(String(error.cause), /^subject "ada" of https:\/\/id\.example\.org: /);
        assert.doesNotMatch(error.message, why);
        return true;
      },
    );
  }
});

test("roles are a text or a list at a name, or at a path of names", () => {
  for (const [claims, claim, roles] of [
    [[{ role: "editor" }], "role", ["editor"]],
    [[{ role: ["a", "editor"] }], "role", ["a", "editor"]],
    [[{ role: "" }, {}], "role", undefined],
    [[{ role: [] }], "role", undefined],
    [[{ role: null }], "role", undefined],
    [[{}, { role: "viewer" }], "role", ["viewer"]],
    [[{ role: "viewer" }, { role: "owner" }], "role", ["viewer"]],
    [[{ role: 1 }], "role", [""]],
    [[{ role: { owner: true } }], "role", [""]],
    [[{ role: [["owner"]] }], "role", [""]],
    [[{ realm_access: { roles: ["owner"] } }], "realm_access.roles", ["owner"]],
    [[{ "https://example.org/role": "author" }], "https://example.org/role", ["author"]],
    [[{ role: "owner" }], "constructor", undefined],
    [[{ role: "owner" }], "role.length", undefined],
    [[{ role: "owner" }], "", undefined],
  ] as [Claims[], string, string[] | undefined][])
    assert.deepEqual(
      readAssertion({ identity, claims }, { roleClaim: claim, trustsEmail: false }).roles,
      roles,
      `${claim} ${JSON.stringify(claims)}`,
    );
});

test("a subject is bound where there is an issuer and the text could be one", () => {
  assert.deepEqual(parseIdentity("subject", identity), identity);
  for (const [wrong, says] of [
    [{ ...identity, subject: "" }, /issuer's sub/],
    [{ ...identity, subject: "x".repeat(256) }, /issuer's sub/],
    [{ ...identity, issuer: undefined }, /oidc_issuer is not set/],
    [{ ...identity, issuer: "" }, /oidc_issuer is not set/],
  ] as const)
    assert.throws(() => parseIdentity("subject", wrong), says);
});

test("a name that a request could not send is none, and a subject that could not be stored is nobody", () => {
  assert.equal(said({ name: " Ada  " }).name, "Ada");
  assert.equal(said({ name: "x".repeat(1000) }).name, "");
  assert.equal(said({ name: "a\nb" }).name, "");
  assert.equal(said({ name: 5 }).name, "");
  for (const subject of ["", "a\u0000", "a\ud800", "x".repeat(256)])
    refuses(
      () => readAssertion({ identity: { ...identity, subject }, claims: [] }, { roleClaim: "", trustsEmail: true }),
      subject,
    );
});

// ------------------------------------------------------------------------------------------ who comes in

const person: Person = {
  ...{ id: "1", name: "", email: "Ada@example.org", role: "author", state: "invited", password: null, identity: null },
  ...{ createdAt: 1, lastSeenAt: null },
};
const bound: Person = { ...person, state: "active", identity: { ...identity, isRoleClaimed: false } };
const asserted: Asserted = { identity, emailKey: "ada@example.org", saysEmail: true, name: "Ada", roles: undefined };
const isRole = (id: string) => ["owner", "editor", "author", "viewer"].includes(id);
const enter = (what: Partial<Asserted>, known: Partial<KnownPeople>) =>
  admittedBy({ ...asserted, ...what }, { bound: undefined, linked: undefined, isRole, ...known });

test("who is bound comes in, whatever the address says", () => {
  for (const emailKey of [undefined, "eve@example.org"]) assert.equal(enter({ emailKey }, { bound }).id, "1");
  const eve: Person = { ...person, id: "2", email: "eve@example.org" };
  assert.equal(enter({ emailKey: "eve@example.org" }, { bound, linked: eve }).id, "1");
});

test("who is invited by the verified address is bound, and active", () => {
  const come = enter({}, { linked: person });
  assert.deepEqual(come, { ...bound, name: "Ada" });
  assert.equal(enter({}, { linked: { ...person, name: "Countess" } }).name, "Countess");
});

test("nobody else comes in", () => {
  refuses(() => enter({}, {}), "nobody");
  refuses(() => enter({ emailKey: undefined }, { linked: person }), "not verified");
  refuses(() => enter({ emailKey: "eve@example.org" }, { linked: person }), "another address");
  for (const state of ["active", "disabled", "deleted"] as const) {
    refuses(() => enter({}, { linked: { ...person, state } }), `${state}, with a link`);
    refuses(() => enter({}, { linked: { ...person, state, password: "x" } }), `${state}, with a reset`);
  }
  refuses(() => enter({}, { linked: { ...person, password: "x" } }), "an invited one with a password");
  refuses(() => enter({}, { linked: { ...person, identity: bound.identity } }), "an invited one who is bound");
  for (const state of ["disabled", "deleted", "invited"] as const) {
    refuses(() => enter({}, { bound: { ...bound, state } }), `bound, ${state}`);
    refuses(() => enter({}, { bound: { ...bound, state }, linked: person }), `bound, ${state}, invited beside`);
  }
});

test("the role of the claim wins; one that there is not lets nobody in", () => {
  assert.equal(enter({ roles: ["owner"] }, { bound }).role, "owner");
  assert.equal(enter({ roles: ["staff", "editor", "owner"] }, { linked: person }).role, "editor");
  for (const roles of [["staff"], [""], ["Owner"], ["owner "], ["__proto__"]]) {
    refuses(() => enter({ roles }, { bound }), roles.join());
    refuses(() => enter({ roles }, { linked: person }), roles.join());
  }
});

test("who had the role from the claim does not keep it when the claim says nothing any more", () => {
  assert.equal(enter({}, { bound }).role, "author");
  const come = enter({ roles: ["owner"] }, { bound });
  assert.equal(come.identity?.isRoleClaimed, true);
  refuses(() => enter({}, { bound: come }), "the claim is gone");
});

test("who is bound is active again when the account is enabled, without a password", () => {
  assert.equal(stateAfter({ ...bound, state: "disabled" }, "active", 0), "active");
  assert.equal(stateAfter({ ...person, state: "disabled" }, "active", 0), "invited");
});
