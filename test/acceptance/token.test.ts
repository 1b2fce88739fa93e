/** Who may call: kinds, places of a token, order of checks. Contract §2. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Arguments, Call } from "./client.ts";
import { allRepliesKeptTheirPromises, dataOf, enter, nowSeconds, refused, sleep } from "./world.ts";

const world = await enter("token");
const { tokens, pair } = world;
await world.create("there", { title: "there" });
const there = world.id("there");

const expiresAt = nowSeconds() + 3;
const [registryReader, registryWriter, noAdmin, disabled, expired, disabledAccess, expiredAccess, disabledManagement] =
  await Promise.all([
    world.token({ kind: "delivery", resources: ["registry"] }),
    world.token({ kind: "management", resources: ["registry", "admin"] }),
    world.token({ kind: "management", resources: ["entries", "registry"] }),
    world.token({ kind: "delivery", resources: ["entries", "registry"] }),
    world.token({ kind: "delivery", resources: ["entries", "registry"], expires_at: expiresAt }),
    world.token({ kind: "access" }),
    world.token({ kind: "access", expires_at: expiresAt }),
    world.token({ kind: "management", resources: ["entries", "registry", "admin"] }),
  ]);
const entriesOnly = await world.token({ kind: "management", resources: ["entries"] });
const entriesReader = await world.token({ kind: "delivery", resources: ["entries"] });
for (const { id } of [disabled, disabledAccess, disabledManagement]) {
  dataOf(await world.write("PATCH", { id, state: "disabled" }, "/api/tokens"));
}
while (nowSeconds() <= expiresAt) await sleep(200);

// ---------------------------------------------------------------------------------------------- reads

const unknown = "oct_d_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
const unauthorized: [string, string | undefined, string][] = [
  ["no token", undefined, "token_missing"],
  ["an unknown token", unknown, "token_invalid"],
  ["a word", "secret", "token_invalid"],
  ["a path to another token", `../entries/${tokens.delivery}`, "token_invalid"],
  ["a valid token with an additional letter", `${tokens.delivery}A`, "token_invalid"],
  ["a valid token without its last letter", tokens.management.slice(0, -1), "token_invalid"],
  ["a valid token in upper case", tokens.management.toUpperCase(), "token_invalid"],
  ["a valid token after a space", ` ${tokens.management}`, "token_invalid"],
  ["a token of 10,000 letters", "a".repeat(10_000), "token_invalid"],
  ["a token beyond ASCII", "é😀", "token_invalid"],
  ["a wildcard", "%", "token_invalid"],
  ["a disabled token", disabled.token, "token_invalid"],
  ["an expired token", expired.token, "token_invalid"],
];

const [all, managed] = [["delivery", "management"], ["management"]];
const manifest = "flextype.manifest.version";
// Every kind and resource at every route of OpenAPI: test/http/routes.
const reads: [at: string, resource: "entries" | "registry" | "admin", kinds: string[], id?: string][] = [
  ["/api/entries", "entries", all, there],
  ["/api/delivery/entries", "entries", all, there],
  ["/api/management/entries", "entries", managed, there],
  ["/api/registry", "registry", all, manifest],
  ["/api/delivery/registry", "registry", all, manifest],
  ["/api/tokens", "admin", managed],
];
const others = {
  entries: [registryReader.token, registryWriter.token],
  registry: [entriesReader.token, entriesOnly.token],
  admin: [registryReader.token, noAdmin.token],
};
for (const [at, resource, kinds, id] of reads) {
  test(`GET ${at} is answered to ${kinds.join(" and ")} tokens of ${resource}, and to no others`, async () => {
    const read = (token: string, what = id) => world.send({ path: at, query: { ...(what && { id: what }), token } });
    for (const kind of kinds) assert.equal((await read(tokens[kind as "delivery"])).status, 200, kind);
    const wrong = [tokens.images, tokens.access, ...others[resource]];
    for (const token of kinds === all ? wrong : [...wrong, tokens.delivery]) {
      refused(await read(token), 403, "scope_missing");
      if (id) refused(await read(token, "nothing.at.all"), 403, "scope_missing");
    }
  });
}

describe("GET", () => {
  const query = (token: string | undefined, id = there) => ({ id, ...(token === undefined ? {} : { token }) });
  const ask = (query: Arguments, headers: Record<string, string> = {}) =>
    world.send({ path: "/api/entries", query, headers, uniqueAddress: true });
  const bearer = (token: string, scheme = "Bearer") => ({ authorization: `${scheme} ${token}` });

  for (const [what, token, code] of unauthorized) {
    test(`with ${what} is 401 ${code}`, async () => {
      const reply = await ask(query(token));
      refused(reply, 401, code);
      const isRepeated = token && token.length > 6 && reply.text.includes(token.trim().slice(0, 20));
      assert.ok(!isRepeated, "the token is not repeated");
    });
  }

  test("the token may be a bearer, in any letter case of the word; an invalid one is 401", async () => {
    for (const scheme of ["Bearer", "bearer", "BEARER"])
      assert.equal((await ask(query(undefined), bearer(tokens.management, scheme))).status, 200, scheme);
    refused(await ask(query(undefined), bearer(unknown)), 401, "token_invalid");
  });

  test("the same token in both places is accepted, different ones are 400", async () => {
    assert.equal((await ask(query(tokens.management), bearer(tokens.management))).status, 200);
    for (const other of [tokens.delivery, unknown])
      refused(await ask(query(tokens.management), bearer(other)), 400, "token_ambiguous");
  });

  test("without a token the reply does not reveal whether a thing exists", async () => {
    const told = async (id: string, token: string | undefined) =>
      (await ask(query(token, id))).text.replaceAll(/"request_id":"[^"]*"/g, "");
    for (const token of [undefined, unknown]) {
      assert.equal(await told(there, token), await told("nothing", token));
      assert.equal(await told(there, token), await told("../..", token), "the id is not checked");
    }
  });

  test("authentication precedes validation", async () => {
    refused(await ask({}), 401, "token_missing");
    refused(await ask({ token: unknown }), 401, "token_invalid");
    refused(await ask({ token: tokens.images }), 403, "scope_missing");
    refused(await ask({ token: tokens.management }), 400, undefined, /id/);
  });
});

describe("unusual places of a token", () => {
  const read = (call: Partial<Call>) => world.send({ path: "/api/entries", uniqueAddress: true, ...call });

  test("a token as a list or an object is refused", async () => {
    for (const tail of [`token[]=${tokens.delivery}`, `token[a]=${tokens.delivery}`]) {
      refused(await read({ query: `id=${there}&${tail}` }), [400, 401]);
    }
  });

  test("two tokens in the query are refused", async () => {
    const query = `id=${there}&token=${tokens.delivery}&token=${tokens.management}`;
    refused(await read({ query }), [400, 401]);
  });

  test("an empty token is a missing token", async () => {
    refused(await read({ query: `id=${there}&token=` }), 401);
    refused(await read({ query: { id: there }, headers: { authorization: "Bearer " } }), 401);
    refused(await read({ query: { id: there }, headers: { authorization: "" } }), 401);
  });

  test("two headers with the same token are accepted, different ones are 400", async () => {
    const ask = (first: string, second: string) =>
      read({ query: { id: there }, headers: { authorization: [`Bearer ${first}`, `Bearer ${second}`] } });
    assert.equal((await ask(tokens.management, tokens.management)).status, 200);
    refused(await ask(tokens.management, tokens.delivery), 400, "token_ambiguous");
    refused(await ask(tokens.management, unknown), 400, "token_ambiguous");
    const access = (first: string, second: string) =>
      world.send({
        method: "PATCH",
        path: "/api/entries",
        json: { id: there, data: {} },
        headers: { authorization: `Bearer ${tokens.management}`, "x-access-token": [first, second] },
        uniqueAddress: true,
      });
    assert.equal((await access(tokens.access, tokens.access)).status, 200);
    refused(await access(tokens.access, unknown), 400, "token_ambiguous");
  });

  test("another scheme is a missing token", async () => {
    const basic = `Basic ${Buffer.from(`x:${tokens.management}`).toString("base64")}`;
    for (const authorization of [basic, tokens.management, `Token ${tokens.management}`]) {
      refused(await read({ query: { id: there }, headers: { authorization } }), 401);
    }
  });

  test("the access token's header alone gives no access", async () => {
    refused(await read({ query: { id: there }, headers: { "x-access-token": tokens.access } }), 401, "token_missing");
    refused(await read({ query: { id: there, access_token: tokens.access } }), 401, "token_missing");
  });

  test("a cookie is not a token", async () => {
    refused(
      await read({ query: { id: there }, headers: { cookie: `token=${tokens.management}` } }),
      401,
      "token_missing",
    );
  });
});

// ---------------------------------------------------------------------------------------------- writes

const unknownAccess = "oct_a_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
const { access: access_token, management } = tokens;
const refusals: [string, Record<string, string>, number, string][] = [
  ["no token", {}, 401, "token_missing"],
  ["only an access token", { access_token }, 401, "token_missing"],
  ["an unknown token", { token: unknown, access_token }, 401, "token_invalid"],
  ["a disabled token", { token: disabledManagement.token, access_token }, 401, "token_invalid"],
  ["a delivery token", { token: tokens.delivery, access_token }, 403, "scope_missing"],
  ["an images token", { token: tokens.images, access_token }, 403, "scope_missing"],
  ["two access tokens", { token: access_token, access_token }, 403, "scope_missing"],
  ["a management token of another resource", { token: registryWriter.token, access_token }, 403, "scope_missing"],
  ["no access token", { token: management }, 401, "access_token_missing"],
  ["an empty access token", { token: management, access_token: "" }, 401, "access_token_missing"],
  ["an unknown access token", { token: management, access_token: unknownAccess }, 401, "access_token_invalid"],
  ["a disabled access token", { token: management, access_token: disabledAccess.token }, 401, "access_token_invalid"],
  ["an expired access token", { token: management, access_token: expiredAccess.token }, 401, "access_token_invalid"],
  ["the management token twice", { token: management, access_token: management }, 401, "access_token_invalid"],
  ["a delivery token for access", { token: management, access_token: tokens.delivery }, 401, "access_token_invalid"],
];

describe("a write", () => {
  const args = { id: there, data: { title: "changed" } };
  const send = (more: Partial<Call>) =>
    world.send({ method: "PATCH", path: "/api/entries", uniqueAddress: true, ...more });

  for (const [what, sent, status, code] of refusals) {
    test(`with ${what} is ${status} ${code}`, async () => {
      refused(await send({ json: { ...args, ...sent } }), status, code);
      const headers = {
        ...(sent.token ? { authorization: `Bearer ${sent.token}` } : {}),
        ...(sent.access_token ? { "x-access-token": sent.access_token } : {}),
      };
      if (sent.access_token !== "") refused(await send({ json: args, headers }), status, code);
    });
  }

  test("with different tokens in two places is 400, for either token", async () => {
    const others: Record<string, string>[] = [
      { authorization: `Bearer ${entriesOnly.token}` },
      { "x-access-token": unknownAccess },
    ];
    for (const headers of others) refused(await send({ json: { ...args, ...pair }, headers }), 400, "token_ambiguous");
  });

  test("is authenticated after its form is read and before it is validated", async () => {
    refused(await send({ json: {} }), 401, "token_missing");
    refused(await send({ json: { token: unknown, id: "../.." } }), 401, "token_invalid");
    refused(await send({ body: "x", type: "text/plain" }), 415);
    refused(await send({ json: "{" }), 400);
    refused(await send({ json: { ...pair } }), 400);
  });

  test("that is refused changes nothing", async () => {
    assert.equal((await world.entry("there")).title, "there");
  });
});

describe("the places of a write's tokens", () => {
  const bearer = { authorization: `Bearer ${pair.token}` };
  const access = { "x-access-token": pair.access_token };
  const places: [string, Partial<Call>][] = [
    ["the body", { json: pair }],
    ["the headers", { json: {}, headers: { ...bearer, ...access } }],
    ["one each", { json: { token: pair.token }, headers: access }],
    ["one token in each place", { json: { access_token: pair.access_token }, headers: bearer }],
    ["both twice", { json: pair, headers: { ...bearer, ...access } }],
  ];
  for (const [n, [what, call]] of places.entries()) {
    test(`${what}`, async () => {
      const json = { ...(call.json as object), id: world.id(`place-${n}`), data: {} };
      dataOf(await world.send({ method: "POST", path: "/api/entries", ...call, json }));
    });
  }

  test("form fields, in any order", async () => {
    const form = { id: world.id("place-form"), data: { a: "b" }, access_token: pair.access_token, token: pair.token };
    dataOf(await world.send({ method: "POST", path: "/api/entries", form }));
    const multipart = { ...form, id: world.id("place-multipart") };
    dataOf(await world.send({ method: "POST", path: "/api/entries", multipart }));
  });

  test("a token in data is neither used nor stored as a token", async () => {
    const json = { id: world.id("inside"), data: { ...pair } };
    refused(
      await world.send({ method: "POST", path: "/api/entries", json, uniqueAddress: true }),
      401,
      "token_missing",
    );
  });

  test("tokens of a body as other types are refused", async () => {
    for (const token of [5, true, null, [pair.token], { a: pair.token }]) {
      const json = { ...pair, token, id: world.id("types"), data: {} };
      refused(await world.send({ method: "POST", path: "/api/entries", json, uniqueAddress: true }), [400, 401]);
    }
  });
});

allRepliesKeptTheirPromises(world);
