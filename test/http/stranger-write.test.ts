import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { type Reply, useWorld } from "../harness.ts";
import { isLong } from "../long.ts";
import { codeOf, good, newEmail, peopleOf, refused, type SignedIn, signedIn } from "../people.ts";

/** Attacks by another site's page, and by a person who wants more. Contract, part three, §19; docs/people.md, What was attacked. */

const world = useWorld({ "trust-proxy": "127.0.0.1", "auth-failures-per-minute": "0" });
before(() => world.ready);
const { manage, invite, join, personOf, send, isIn } = peopleOf(world);

let lastAddress = 0;
/** Another client's address each time. */
const from = (): Record<string, string> => ({ "X-Forwarded-For": `198.51.100.${++lastAddress % 250}` });

const openWrites = [
  ["POST", "/admin/session"],
  ["DELETE", "/admin/session"],
  ["POST", "/admin/session/link"],
  ["POST", "/admin/session/passkey/options"],
  ["POST", "/admin/session/passkey"],
] as const;

const elsewhere: Record<string, string>[] = [
  { "Sec-Fetch-Site": "cross-site" },
  { "Sec-Fetch-Site": "same-site" },
  { "Sec-Fetch-Site": "cross-site", Origin: "http://evil.example" },
  { Origin: "http://evil.example" },
  { Origin: "null" },
  { Origin: "http://127.0.0.1:1" },
  { Origin: "", "Sec-Fetch-Site": "" },
];
const forms: [type: string, body: (args: Record<string, unknown>) => string][] = [
  ["application/json", JSON.stringify],
  ["text/plain", JSON.stringify],
  ["application/x-www-form-urlencoded", (args) => new URLSearchParams(args as Record<string, string>).toString()],
];

describe("another site's page", () => {
  test("signs nobody in, out or over, by whatever form", async () => {
    const { person, session } = await personOf("owner");
    const code = codeOf(await invite("viewer"));
    const who = { email: person.email, code, name: "Eve" };
    for (const [method, path] of openWrites) {
      const args = path.endsWith("options") ? who : { ...who, password: good };
      for (const [type, body] of forms) {
        const sent = path.endsWith("passkey") ? body({ passkey: type.includes("form") ? "{}" : {} }) : body(args);
        const tries = elsewhere.map(async (site) => {
          const headers = { ...site, ...from(), "Content-Type": type, Cookie: session.cookie };
          const reply = await world.send(method, path, { body: sent, headers });
          const what = `${method} ${path} ${JSON.stringify(site)} ${type}: ${reply.text}`;
          assert.ok(reply.status === 403 || reply.status === 415, what);
          if (reply.status === 403) assert.equal(reply.json.code, "csrf_invalid", what);
          assert.equal(reply.headers.get("set-cookie"), null, what);
        });
        await Promise.all(tries);
      }
    }
    assert.ok(await isIn(session));
    signedIn(await join(code));
  });

  test("writes nothing with a person's session, on any route", async () => {
    const { session } = await personOf("owner");
    const { session: other } = await personOf("owner");
    const ways: [headers: Record<string, string>, status: number, code: string][] = [
      [{ "Sec-Fetch-Site": "same-site" }, 401, "token_missing"],
      [{ Origin: "http://evil.example" }, 401, "token_missing"],
      [{ "Sec-Fetch-Site": "same-origin" }, 403, "csrf_invalid"],
      [{ "Sec-Fetch-Site": "same-origin", "X-CSRF-Token": other.csrf }, 403, "csrf_invalid"],
    ];
    const reads: string[] = [];
    for (const { method, url, need } of world.app.api) {
      if (method === "GET") continue;
      if (need?.writes === "none" && need.isOwn !== "write") {
        reads.push(`${method} ${url}`);
        continue;
      }
      const tries = ways.map(async ([site, status, code]) => {
        const headers = { Cookie: session.cookie, ...site };
        const path = url.replace("*", "x");
        refused(await world.send(method, path, { body: {}, headers }), status, code);
        if (method === "POST") return;
        const forged = { ...headers, "X-HTTP-Method-Override": method };
        refused(await world.send("POST", path, { body: {}, headers: forged }), status, code);
      });
      await Promise.all(tries);
    }
    assert.deepEqual(reads, ["POST /api/types/check"]);
  });

  test("reads nothing of it", async () => {
    const { session } = await personOf("owner");
    for (const site of elsewhere) {
      const headers = { Cookie: session.cookie, ...site };
      assert.equal((await world.send("GET", "/admin/session", { headers })).text, '{"data":null}');
      refused(await world.send("GET", "/api/people", { headers }), 401, "token_missing");
    }
    const preflight = await world.send("OPTIONS", "/api/people/me", { headers: { Origin: "http://evil.example" } });
    assert.equal(preflight.headers.get("access-control-allow-credentials"), null);
    assert.doesNotMatch(preflight.headers.get("access-control-allow-headers") ?? "", /csrf/i);
  });
});

describe("a person who wants more", () => {
  const everything = ["entries", "files", "folders", "registry"];
  const admin = () => world.app.api.filter(({ need }) => need?.resources.join() === "admin");

  test("gets nothing that needs admin, on any route, whatever the role", async () => {
    const put = await manage("PUT", "/api/roles", { id: "most", resources: everything, writes: "all" });
    assert.equal(put.status, 200, put.text);
    assert.ok(admin().length >= 15);
    for (const role of ["most", "editor", "author", "viewer"]) {
      const { session } = await personOf(role);
      for (const { method, url } of admin()) {
        const body = method === "GET" ? undefined : { id: "x", role: "owner", email: newEmail() };
        refused(await send(session, method, url, { body }), 403, "scope_missing");
      }
    }
  });

  test("nor with tokens that stage, or hold below paths", async () => {
    const staged = await world.issue("management", ["admin"], { writes: "staged" });
    const below = await world.issue("access", [], { paths: ["news"] });
    const { secret: full } = await world.issue("management", ["admin"]);
    await assert.rejects(world.issue("management", ["admin"], { paths: ["news"] }), { code: "argument_invalid" });
    const pairs = [
      { token: staged.secret, access_token: world.token.access },
      { token: full, access_token: below.secret },
    ];
    for (const { method, url } of admin()) {
      if (method === "GET") continue;
      const args = { id: "x", role: "owner", email: newEmail() };
      for (const pair of pairs)
        refused(await world.send(method, url, { body: { ...pair, ...args } }), 403, "scope_missing");
    }
  });

  test("no role has admin, and nobody is an owner by another spelling", async () => {
    const spellings = ["admin", "Admin", "ADMIN", " admin", "admin\u200b", "\uff41dmin", "admin,entries"];
    for (const resource of spellings) {
      for (const resources of [[resource], ["entries", resource], resource, JSON.stringify([resource])]) {
        const reply = await manage("PUT", "/api/roles", { id: "boss", resources, writes: "all" });
        refused(reply, 400, "argument_invalid");
      }
    }
    for (const id of [
      "Owner",
      "OWNER",
      " owner",
      "owner ",
      "owner\u0000",
      "\u03bfwner",
      "__proto__",
      "constructor",
      "",
    ]) {
      const made = await manage("POST", "/api/people", { email: newEmail(), role: id });
      assert.ok(made.status === 404 || made.status === 400, made.text);
      const put = await manage("PUT", "/api/roles", { id, resources: ["entries"], writes: "all" });
      if (put.status === 200) await manage("DELETE", "/api/roles", { id });
      else assert.ok(put.status === 400, put.text);
    }
    const roles = (await manage("GET", "/api/roles")).json.data as { id: string; resources: string[] }[];
    assert.deepEqual(
      roles.filter(({ resources }) => resources.includes("admin")).map(({ id }) => id),
      ["owner"],
    );
  });

  test("changes neither role nor state of the own account, nor of another's", async () => {
    const { person, session } = await personOf("author");
    const { person: other } = await personOf("viewer");
    for (const more of [
      { role: "owner" },
      { state: "active" },
      { id: other.id },
      { identity: "x" },
      { Role: "owner" },
    ]) {
      const changed = await send(session, "PATCH", "/api/people/me", { body: { name: "Eve", ...more } });
      refused(changed, 400, "argument_unknown");
      const query = new URLSearchParams(Object.entries(more));
      const asked = await send(session, "PATCH", `/api/people/me?${query}`, { body: { name: "Eve" } });
      refused(asked, 400, "argument_unknown");
    }
    refused(
      await send(session, "PATCH", "/api/people", { body: { id: person.id, role: "owner" } }),
      403,
      "scope_missing",
    );
    const { name, role } = (await send(session, "GET", "/api/people/me")).json.data as typeof person;
    assert.deepEqual([name, role], ["Ada", "author"]);
  });

  test("CVE-2025-61928: nobody makes a credential for a person by naming him", async () => {
    const { person, session } = await personOf("editor");
    const { session: eve } = await personOf("editor");
    const names = ["person", "person_id", "user_id", "userId", "id", "actor", "maker", "session"];
    const writes = [
      ["/api/tokens", { kind: "images" }],
      ["/api/tokens/preview", { paths: ["x"] }],
      ["/api/people/me/passkeys", { name: "Phone", passkey: {} }],
      ["/api/people/me/passkeys/options", {}],
    ] as const;
    for (const [path, args] of writes) {
      for (const name of names) {
        const body = { ...args, [name]: name === "actor" || name === "maker" ? `person:${person.id}` : person.id };
        refused(await world.send("POST", path, { body }), 401, "token_missing");
        const pair = { token: world.token.management, access_token: world.token.access };
        for (const reply of [
          await world.send("POST", path, { body: { ...pair, ...body } }),
          await send(eve, "POST", path, { body }),
        ]) {
          if (reply.status !== 200) {
            assert.ok(reply.status === 400 || reply.status === 403, reply.text);
            continue;
          }
          // What is not known is ignored there: the token is that of who asked.
          const { id, maker } = reply.json.data as { id: string; maker?: string };
          assert.ok(id !== person.id && maker !== `person:${person.id}`, reply.text);
        }
      }
    }
    assert.deepEqual((await send(session, "GET", "/api/people/me/passkeys")).json.data, []);
  });

  test("an address is one person's in every spelling, and has nothing in it that is not seen", async () => {
    const { session } = await personOf("viewer");
    const owner = await invite("owner", `K\u00e9lvin.${newEmail()}`);
    const { email } = owner;
    const same = [
      ...[email.toUpperCase(), ` ${email}\t`, email.normalize("NFD"), email.replace("K", "\u212a")],
      ...[`\ufeff${email}`, email.toLowerCase()],
    ];
    const wrong = ["", "x", "a@b@c", "a b@c.d", `${"x".repeat(250)}@example.org`];
    const hidden = ["\u200b", "\u00ad", "\u202e", "\u2060", "\ufe0f\u200d", "\u0007", "\u00a0"];
    for (const [set, status, code] of [
      [same, 409, "person_exists"],
      [[...wrong, ...hidden.map((mark) => email.replace("@", `${mark}@`))], 400, "argument_invalid"],
    ] as const) {
      for (const text of set) {
        refused(await manage("POST", "/api/people", { email: text, role: "viewer" }), status, code);
        refused(await send(session, "PATCH", "/api/people/me", { body: { email: text } }), status, code);
      }
    }
  });
});

/**
 * Every route of the API answers a person with a role as a token with the same rights: nothing downstream knows people.
 * Contract, part two, §11.
 */

const resources = ["entries", "files", "folders"];
const places = ["up/in", "up/out", ...(isLong ? ["up", "up/nothing"] : [])];

const dot = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

before(async () => {
  await world.ready;
  for (const id of ["up", "up/in", "up/in/a", "up/out", "up/out/b"]) {
    await manage("POST", "/api/entries", { id, data: { n: 1 } });
    await manage("PATCH", "/api/entries/staged", { id, data: { n: 2 } });
    await manage("POST", "/api/folders", { path: id });
  }
  for (const folder of ["up/in", "up/out"]) {
    const form = new FormData();
    const { management: token, access: access_token } = world.token;
    for (const [name, value] of Object.entries({ token, access_token, folder })) form.set(name, value);
    form.set("file", new File([dot], "dot.png"));
    const sent = await fetch(`${world.app.url}/api/files`, { method: "POST", body: form });
    assert.equal(sent.status, 200, await sent.text());
  }
});

/** What a reply says, without what differs between two callers. */
const told = ({ status, text }: Reply, who: string): string =>
  `${status} ${text}`
    .replaceAll(who, "<who>")
    .replace(/"(request_id|uuid|revision|id|token|maker|actor|cursor|\w+_at|\w+_by|\w+_name)":("[^"]*"|\d+|null)/g, "")
    .replace(/"(revision|sequence)": *\d+/g, "");

/** Arguments for whatever the route has: a place that is there to read, one of the caller's own to write. */
const argumentsFor = (
  names: readonly string[],
  place: string,
  who: string,
  isRead: boolean,
): Record<string, unknown> => {
  const own = isRead ? place : `${place}/${who}`;
  const values: Record<string, unknown> = {
    ...{ id: own, path: own, new_id: `${own}-moved`, new_path: `${own}-moved`, paths: [place], data: {} },
    ...{
      field: "alt",
      value: "x",
      revision: 1,
      sequence: 1,
      kind: "images",
      type: "x",
      role: "viewer",
      state: "active",
    },
    ...{ email: `${who}@example.org`, schema: {}, resources: ["entries"], writes: "all", search: "up" },
    operations: [{ method: "DELETE", path: "/api/entries", body: { id: own } }],
  };
  return Object.fromEntries(names.flatMap((name) => (name in values ? [[name, values[name]]] : [])));
};

for (const writes of ["none", "staged", "all"] as const) {
  describe(`a role of writes ${writes}, below a path`, () => {
    let session: SignedIn;
    let token: string;
    before(async () => {
      await world.ready;
      const put = await manage("PUT", "/api/roles", { id: writes, resources, paths: ["up/in"], writes });
      assert.equal(put.status, 200, put.text);
      ({ session } = await personOf(writes));
      const limits = { paths: ["up/in"], ...(writes === "staged" && { writes }) };
      token = (await world.issue("management", ["entries", "files", "folders"], limits)).secret;
    });

    test("is answered as a token, on every route", async () => {
      // Images are for sessions, too, which tokens need a kind of their own for.
      const routes = world.app.api.filter(({ need, door }) => need && !need.isOwn && !door.sessionNeed);
      assert.ok(routes.length > 80);
      const refusedForNone: string[] = [];
      for (const { method, url, arguments: declared, need } of routes) {
        for (const place of places) {
          const isRead = method === "GET";
          const args = (who: string) => argumentsFor(Object.keys(declared), place, `${writes}-${who}`, isRead);
          const path = url.replace("*", "x.png");
          if (isRead) {
            const query = Object.fromEntries(Object.entries(args("x")).map(([name, value]) => [name, String(value)]));
            const [mine, other] = await Promise.all([
              send(session, method, path, { query }),
              world.send(method, path, { query, headers: { Authorization: `Bearer ${token}` } }),
            ]);
            assert.equal(told(mine, "person"), told(other, "person"), `${method} ${url} ${place}`);
            continue;
          }
          const mine = await send(session, method, path, { body: args("person") });
          if (writes === "none" && need?.writes !== "none") {
            refusedForNone.push(`${mine.status} ${mine.json.code}`);
            continue;
          }
          const body = { token, access_token: world.token.access, ...args("token") };
          const other = await world.send(method, path, { body });
          const what = `${method} ${url} ${place}`;
          assert.equal(told(mine, `${writes}-person`), told(other, `${writes}-token`), what);
        }
      }
      // No token writes nothing at all.
      if (writes === "none") assert.deepEqual([...new Set(refusedForNone)], ["403 scope_missing"]);
    });

    test("sees images below it alone", async () => {
      const answers = await Promise.all(
        ["up/in/dot.png", "up/out/dot.png", "up/out/none.png"].map((path) =>
          send(session, "GET", `/api/images/${path}`),
        ),
      );
      const [inside, outside, nothing] = answers as [Reply, Reply, Reply];
      assert.deepEqual([inside.status, outside.status], [200, 404]);
      assert.equal(told(outside, "dot"), told(nothing, "none"));
    });
  });
}
