/** Who may call: kinds, places of a token, order of checks. Contract §2. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Call } from "./client.ts";
import { allRepliesKeptTheirPromises, dataOf, enter, nowSeconds, refused, sleep } from "./world.ts";

const world = await enter("token");
const { tokens, pair } = world;
await world.create("there", { title: "there" });
const there = world.id("there");
const nothing = world.id("nothing");

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

const reads: { at: string; resource: "entries" | "registry" | "admin"; kinds: string[]; id: string }[] = [
  { at: "/api/entries", resource: "entries", kinds: ["delivery", "management"], id: there },
  { at: "/api/delivery/entries", resource: "entries", kinds: ["delivery", "management"], id: there },
  { at: "/api/management/entries", resource: "entries", kinds: ["management"], id: there },
  { at: "/api/registry", resource: "registry", kinds: ["delivery", "management"], id: "flextype.manifest.version" },
  {
    at: "/api/delivery/registry",
    resource: "registry",
    kinds: ["delivery", "management"],
    id: "flextype.manifest.version",
  },
  { at: "/api/tokens", resource: "admin", kinds: ["management"], id: "" },
  { at: "/api/events", resource: "admin", kinds: ["management"], id: "" },
  { at: "/api/stats", resource: "admin", kinds: ["management"], id: "" },
];

for (const { at, resource, kinds, id } of reads) {
  const query = (token: string | undefined, what = id) => ({
    ...(what ? { id: what } : {}),
    ...(token === undefined ? {} : { token }),
  });

  describe(`GET ${at}`, () => {
    for (const [what, token, code] of unauthorized) {
      test(`with ${what} is 401 ${code}`, async () => {
        const reply = await world.send({ path: at, query: query(token), uniqueAddress: true });
        refused(reply, 401, code);
        if (token)
          assert.ok(!reply.text.includes(token.trim().slice(0, 20)) || token.length < 7, "the token is not repeated");
      });
    }

    const wrong: [string, string][] = [
      ["an images token", tokens.images],
      ["an access token", tokens.access],
    ];
    if (resource !== "registry") wrong.push(["a delivery token of another resource", registryReader.token]);
    if (resource === "entries") wrong.push(["a management token of another resource", registryWriter.token]);
    if (resource === "registry") wrong.push(["a management token of another resource", entriesOnly.token]);
    if (resource === "registry") wrong.push(["a delivery token of another resource", entriesReader.token]);
    if (resource === "admin") wrong.push(["a management token without admin", noAdmin.token]);
    if (!kinds.includes("delivery")) wrong.push(["a delivery token", tokens.delivery]);
    for (const [what, token] of wrong) {
      test(`with ${what} is 403 scope_missing`, async () => {
        refused(await world.send({ path: at, query: query(token) }), 403, "scope_missing");
        if (id) refused(await world.send({ path: at, query: query(token, "nothing.at.all") }), 403, "scope_missing");
      });
    }

    for (const kind of kinds) {
      test(`with a ${kind} token is 200`, async () => {
        const token = kind === "delivery" ? tokens.delivery : tokens.management;
        assert.equal((await world.send({ path: at, query: query(token) })).status, 200);
      });
    }

    test("the token may be a bearer, in any letter case of the word", async () => {
      for (const scheme of ["Bearer", "bearer", "BEARER"]) {
        const headers = { authorization: `${scheme} ${tokens.management}` };
        assert.equal((await world.send({ path: at, query: query(undefined), headers })).status, 200, scheme);
      }
    });

    test("the same token in both places is accepted, different ones are 400", async () => {
      const headers = (token: string) => ({ authorization: `Bearer ${token}` });
      const both = { path: at, query: query(tokens.management), headers: headers(tokens.management) };
      assert.equal((await world.send(both)).status, 200);
      for (const other of [tokens.delivery, unknown]) {
        refused(await world.send({ ...both, headers: headers(other), uniqueAddress: true }), 400, "token_ambiguous");
      }
    });

    test("an invalid bearer is 401", async () => {
      const headers = { authorization: `Bearer ${unknown}` };
      refused(
        await world.send({ path: at, query: query(undefined), headers, uniqueAddress: true }),
        401,
        "token_invalid",
      );
    });

    if (id) {
      test("without a token the reply does not reveal whether a thing exists", async () => {
        const told = async (what: string, token: string | undefined) => {
          const reply = await world.send({ path: at, query: query(token, what), uniqueAddress: true });
          return reply.text.replaceAll(/"request_id":"[^"]*"/g, "");
        };
        for (const token of [undefined, unknown]) {
          assert.equal(await told(id, token), await told("nothing", token));
          assert.equal(await told(id, token), await told("../..", token), "the id is not checked");
        }
      });

      test("authentication precedes validation", async () => {
        refused(await world.send({ path: at, query: {}, uniqueAddress: true }), 401, "token_missing");
        refused(await world.send({ path: at, query: { token: unknown }, uniqueAddress: true }), 401, "token_invalid");
        refused(await world.send({ path: at, query: { token: tokens.images } }), 403, "scope_missing");
        refused(await world.send({ path: at, query: { token: tokens.management } }), 400, undefined, /id/);
      });
    }
  });
}

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

type Write = {
  name: string;
  method: string;
  at: string;
  args: Record<string, unknown>;
  resource: "entries" | "registry" | "admin";
};
const writes: Write[] = [
  { name: "POST", method: "POST", at: "/api/entries", args: { id: nothing, data: { a: 1 } }, resource: "entries" },
  {
    name: "PATCH",
    method: "PATCH",
    at: "/api/entries",
    args: { id: there, data: { title: "changed" } },
    resource: "entries",
  },
  { name: "PUT", method: "PUT", at: "/api/entries", args: { id: there, new_id: nothing }, resource: "entries" },
  { name: "PUT", method: "PUT", at: "/api/entries/copy", args: { id: there, new_id: nothing }, resource: "entries" },
  { name: "DELETE", method: "DELETE", at: "/api/entries", args: { id: there }, resource: "entries" },
  { name: "POST", method: "POST", at: "/api/management/entries", args: { id: nothing, data: {} }, resource: "entries" },
  { name: "DELETE", method: "DELETE", at: "/api/management/entries", args: { id: there }, resource: "entries" },
  { name: "PUT", method: "PUT", at: "/api/registry", args: { id: world.key, value: "x" }, resource: "registry" },
  { name: "DELETE", method: "DELETE", at: "/api/registry", args: { id: world.key }, resource: "registry" },
  { name: "POST", method: "POST", at: "/api/tokens", args: { kind: "access" }, resource: "admin" },
  {
    name: "PATCH",
    method: "PATCH",
    at: "/api/tokens",
    args: { id: entriesOnly.id, state: "disabled" },
    resource: "admin",
  },
  { name: "DELETE", method: "DELETE", at: "/api/tokens", args: { id: entriesOnly.id }, resource: "admin" },
  { name: "PUT", method: "PUT", at: "/api/tokens/rotate", args: { id: entriesOnly.id }, resource: "admin" },
];

const unknownAccess = "oct_a_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

for (const { name, method, at, args, resource } of writes) {
  const other =
    resource === "entries" ? registryWriter.token : resource === "registry" ? entriesOnly.token : noAdmin.token;
  const refusals: [string, Record<string, string>, number, string][] = [
    ["no token", {}, 401, "token_missing"],
    ["only an access token", { access_token: tokens.access }, 401, "token_missing"],
    ["an unknown token", { token: unknown, access_token: tokens.access }, 401, "token_invalid"],
    ["a disabled token", { token: disabledManagement.token, access_token: tokens.access }, 401, "token_invalid"],
    ["a delivery token", { token: tokens.delivery, access_token: tokens.access }, 403, "scope_missing"],
    ["an images token", { token: tokens.images, access_token: tokens.access }, 403, "scope_missing"],
    ["two access tokens", { token: tokens.access, access_token: tokens.access }, 403, "scope_missing"],
    ["a management token of another resource", { token: other, access_token: tokens.access }, 403, "scope_missing"],
    ["no access token", { token: tokens.management }, 401, "access_token_missing"],
    ["an empty access token", { token: tokens.management, access_token: "" }, 401, "access_token_missing"],
    ["an unknown access token", { token: tokens.management, access_token: unknownAccess }, 401, "access_token_invalid"],
    [
      "a disabled access token",
      { token: tokens.management, access_token: disabledAccess.token },
      401,
      "access_token_invalid",
    ],
    [
      "an expired access token",
      { token: tokens.management, access_token: expiredAccess.token },
      401,
      "access_token_invalid",
    ],
    [
      "the management token twice",
      { token: tokens.management, access_token: tokens.management },
      401,
      "access_token_invalid",
    ],
    [
      "a delivery token for access",
      { token: tokens.management, access_token: tokens.delivery },
      401,
      "access_token_invalid",
    ],
  ];

  describe(`${name} ${at}`, () => {
    for (const [what, sent, status, code] of refusals) {
      test(`with ${what} is ${status} ${code}`, async () => {
        const body = await world.send({ method, path: at, json: { ...args, ...sent }, uniqueAddress: true });
        refused(body, status, code);
        const headers = {
          ...(sent.token ? { authorization: `Bearer ${sent.token}` } : {}),
          ...(sent.access_token ? { "x-access-token": sent.access_token } : {}),
        };
        if (sent.access_token === "") return;
        refused(await world.send({ method, path: at, json: args, headers, uniqueAddress: true }), status, code);
      });
    }

    test("different tokens in two places are 400, for either token", async () => {
      const token = { json: { ...args, ...pair }, headers: { authorization: `Bearer ${entriesOnly.token}` } };
      refused(await world.send({ method, path: at, ...token, uniqueAddress: true }), 400, "token_ambiguous");
      const access = { json: { ...args, ...pair }, headers: { "x-access-token": unknownAccess } };
      refused(await world.send({ method, path: at, ...access, uniqueAddress: true }), 400, "token_ambiguous");
    });

    test("authentication follows the request's form and precedes validation", async () => {
      refused(await world.send({ method, path: at, json: {}, uniqueAddress: true }), 401, "token_missing");
      refused(
        await world.send({ method, path: at, json: { token: unknown, id: "../.." }, uniqueAddress: true }),
        401,
        "token_invalid",
      );
      refused(await world.send({ method, path: at, body: "x", type: "text/plain", uniqueAddress: true }), 415);
      refused(await world.send({ method, path: at, json: "{", uniqueAddress: true }), 400);
      refused(await world.send({ method, path: at, json: { ...pair } }), 400);
    });
  });
}

test("none of the refused writes changed anything", async () => {
  assert.equal((await world.entry("there")).title, "there");
  assert.equal(await world.statusOf("nothing"), 404);
  refused(await world.read({ id: world.key }, undefined, "/api/registry"), 404);
  const row = await world.row(entriesOnly.id);
  assert.equal(row.state, "enabled");
  assert.equal(await world.statusOf("there", entriesOnly.token), 200, "neither rotated nor revoked");
});

describe("the places of a write's tokens", () => {
  const places: [string, Partial<Call>][] = [
    ["the body", { json: pair }],
    [
      "the headers",
      { json: {}, headers: { authorization: `Bearer ${pair.token}`, "x-access-token": pair.access_token } },
    ],
    ["one each", { json: { token: pair.token }, headers: { "x-access-token": pair.access_token } }],
    [
      "one token in each place",
      { json: { access_token: pair.access_token }, headers: { authorization: `Bearer ${pair.token}` } },
    ],
    [
      "both twice",
      { json: pair, headers: { authorization: `Bearer ${pair.token}`, "x-access-token": pair.access_token } },
    ],
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
