import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { allResources, type Reply, useWorld } from "../../test/harness.ts";
import { toolsOf } from "../../test/mcp.ts";
import { codeOf, good, peopleOf, signedIn } from "../../test/people.ts";
import type { Slug } from "../core/path.ts";

/** Tokens and roles of some locales: what they are given, and which writes they may make. Contract §24, Rights. */

const world = useWorld({ locales: "en, de, de-AT, fr" });
const without = useWorld();
before(async () => {
  await Promise.all([world.ready, without.ready]);
  const schema = {
    properties: { title: { type: "string", "x-octavo-localized": true }, price: { type: "number" } },
    allOf: [{ properties: { lead: { "x-octavo-localized": "required" } } }],
  };
  await done("PUT", "/api/types", { id: "product", paths: ["products/*"], schema });
});

type Call = readonly [method: string, path: string, body: object | string];
const sendAs = (token: string, [method, path, body]: Call): Promise<Reply> =>
  world.send(method, path, {
    body,
    headers: {
      Authorization: `Bearer ${token}`,
      "X-Access-Token": world.token.access,
      ...(typeof body === "string" && { "Content-Type": "multipart/form-data; boundary=o" }),
    },
  });
async function done(method: string, path: string, body: object | string): Promise<Reply> {
  const reply = await sendAs(world.token.management, [method, path, body]);
  assert.ok(reply.status < 300, `${method} ${path}: ${reply.text}`);
  return reply;
}

const everything = { resources: [...allResources, "admin"] as typeof allResources };
const tokenOf = async (locales: string[] | null, more: object = {}): Promise<string> =>
  (await world.issue("management", everything.resources, { locales, ...more })).secret;

let last = 0;
const next = (): string => `n${++last}`;
const upload = (path: string): string =>
  `--o\r\nContent-Disposition: form-data; name="folder"\r\n\r\n${path}\r\n` +
  '--o\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nx\r\n--o--\r\n';
const create = (id: string, data: object) => done("POST", "/api/entries", { id, data });
const staged = "/api/entries/staged";

/** A new product, and the call about it that `of` makes. */
const product =
  (of: (id: string) => Call | Promise<Call>, more: object = {}) =>
  async (): Promise<Call> => {
    const id = `products/${next()}`;
    await create(id, { title: "Lamp", lead: "Light", price: 1, ...more });
    return of(id);
  };
/** The same with these keys in its working copy. */
const copied = (data: object, of: (id: string) => Call) =>
  product(async (id) => {
    await done("PATCH", staged, { id, data });
    return of(id);
  });
const publish = (id: string): Call => ["POST", "/api/entries/publish", { id }];
const later = (id: string): Call => ["POST", "/api/entries/publish", { id, at: Math.floor(Date.now() / 1000) + 9999 }];
const undone = (data: object) =>
  product(async (id) => {
    await done("PATCH", "/api/entries", { id, data });
    const rows = await world.send("GET", `/api/entries/history?id=${id}`, {
      headers: { Authorization: `Bearer ${world.token.management}` },
    });
    const [{ revision }] = rows.json.data as [{ revision: number }];
    return ["POST", "/api/entries/restore", { id, revision }];
  });
/** An entry that this changed in a second of its own. */
async function subtree(data: object): Promise<Call> {
  const id = `products/${next()}` as Slug;
  const { entries } = world.app.stores;
  const now = Math.floor(Date.now() / 1000);
  const input = (of: object) => ({ data: JSON.stringify(of), isMergePatch: false, fields: {} });
  await entries.create(id, input({ title: "Lamp", price: 1 }), { actor: "test", nowSeconds: now - 90 });
  await entries.update(id, input(data), { actor: "test", nowSeconds: now - 30 });
  return ["POST", "/api/entries/restore", { id, at: now - 60, subtree: true }];
}
const file = async (of: (path: string) => Call): Promise<Call> => {
  const folder = next();
  await done("POST", "/api/files", upload(folder));
  return of(`${folder}/a.txt`);
};
const deleted = async (method: string, path: string): Promise<Call> => {
  const id = next();
  await create(id, {});
  await done("DELETE", "/api/entries", { id });
  const list = await world.send("GET", "/api/trash", {
    headers: { Authorization: `Bearer ${world.token.management}` },
  });
  const item = (list.json.data as { id: number; path: string }[]).find(({ path }) => path === id);
  return [method, path, { id: item?.id }];
};

/** By what it needs: every locale, the source, or none at all. */
const writes: [what: string, needs: "all" | "source" | "none", call: () => Call | Promise<Call>][] = [
  ["create an entry", "all", () => ["POST", "/api/entries", { id: next(), data: {} }]],
  [
    "upsert an entry",
    "all",
    product((id) => ["POST", "/api/entries", { id, data: { title: "B" }, on_conflict: "update" }]),
  ],
  [
    "change localized keys",
    "source",
    product((id) => ["PATCH", "/api/entries", { id, data: { title: "B", lead: "C" } }]),
  ],
  [
    "send all keys, one changed",
    "source",
    product((id) => ["PATCH", "/api/entries", { id, data: { title: "B", price: 1 } }]),
  ],
  [
    "by the other address",
    "source",
    product((id) => ["PATCH", "/api/management/entries", { id, data: { lead: "B" } }]),
  ],
  ["change a shared key", "all", product((id) => ["PATCH", "/api/entries", { id, data: { title: "B", price: 2 } }])],
  ["add a shared key", "all", product((id) => ["PATCH", "/api/entries", { id, data: { size: 2 } }])],
  [
    "change content that no schema names",
    "all",
    product((id) => ["PATCH", "/api/entries", { id, data: { content: "B" } }]),
  ],
  [
    "change a field of the service",
    "all",
    product((id) => ["PATCH", "/api/entries", { id, data: { visibility: "hidden" } }]),
  ],
  ["date an entry", "all", product((id) => ["PATCH", "/api/entries", { id, data: { published_at: 5 } }])],
  [
    "change an untyped entry",
    "source",
    async () => {
      const id = next();
      await create(id, { any: 1 });
      return ["PATCH", "/api/entries", { id, data: { any: 2, content: "B" } }];
    },
  ],
  [
    "give an entry a fieldset",
    "all",
    async () => {
      const id = next();
      await create(id, {});
      return ["PATCH", "/api/entries", { id, data: { fieldset: "product" } }];
    },
  ],
  ["move", "all", product((id) => ["PUT", "/api/entries", { id, new_id: next() }])],
  ["copy", "all", product((id) => ["PUT", "/api/entries/copy", { id, new_id: next() }])],
  ["delete", "all", product((id) => ["DELETE", "/api/entries", { id }])],
  ["stage localized keys", "source", product((id) => ["PATCH", staged, { id, data: { title: "B" } }])],
  ["stage a shared key", "all", product((id) => ["PATCH", staged, { id, data: { price: 2 } }])],
  ["stage a field of the service", "all", product((id) => ["PATCH", staged, { id, data: { routable: false } }])],
  ["drop a copy of localized keys", "source", copied({ title: "B" }, (id) => ["DELETE", staged, { id }])],
  ["drop a copy of a shared key", "all", copied({ price: 2 }, (id) => ["DELETE", staged, { id }])],
  [
    "drop a localized key of a copy",
    "source",
    copied({ title: "B", price: 2 }, (id) => ["DELETE", staged, { id, keys: ["title"] }]),
  ],
  ["publish localized keys", "source", copied({ title: "B" }, publish)],
  ["publish a shared key", "all", copied({ title: "B", price: 2 }, publish)],
  ["publish a draft", "all", product(publish, { visibility: "draft" })],
  ["schedule localized keys", "source", copied({ title: "B" }, later)],
  ["schedule a shared key", "all", copied({ price: 2 }, later)],
  ["schedule a draft", "all", product(later, { visibility: "draft" })],
  ["restore localized keys", "source", undone({ title: "B" })],
  ["restore a shared key", "all", undone({ price: 2 })],
  ["restore localized keys of a subtree", "source", () => subtree({ title: "B" })],
  ["restore a shared key of a subtree", "all", () => subtree({ price: 2 })],
  ["restore from the trash", "all", () => deleted("POST", "/api/trash/restore")],
  ["purge from the trash", "all", () => deleted("DELETE", "/api/trash")],
  ["upload", "all", () => ["POST", "/api/files", upload(next())]],
  [
    "change the meta of a file",
    "all",
    () => file((path) => ["PATCH", "/api/files/meta", { path, field: "title", value: "B" }]),
  ],
  ["delete a file", "all", () => file((path) => ["DELETE", "/api/files", { path }])],
  ["create a folder", "all", () => ["POST", "/api/folders", { path: next() }]],
  ["set a registry item", "all", () => ["PUT", "/api/registry", { id: next(), value: 1 }]],
  ["put a type", "all", () => ["PUT", "/api/types", { id: "other", schema: {} }]],
  ["make a release", "all", () => ["POST", "/api/releases", { title: "R" }]],
  ["make a token", "all", () => ["POST", "/api/tokens", { kind: "access" }]],
  ["put a role", "all", () => ["PUT", "/api/roles", { id: "any", resources: ["entries"], writes: "all" }]],
  [
    "create in a batch",
    "all",
    product((id) => [
      "POST",
      "/api/batch",
      {
        operations: [
          { method: "PATCH", path: "/api/entries", body: { id, data: { title: "B" } } },
          { method: "POST", path: "/api/entries", body: { id: next(), data: {} } },
        ],
      },
    ]),
  ],
  [
    "change a shared key in a batch",
    "all",
    product((id) => [
      "POST",
      "/api/batch",
      { operations: [{ method: "PATCH", path: "/api/entries", body: { id, data: { price: 2 } } }] },
    ]),
  ],
  [
    "change localized keys in a batch",
    "source",
    product((id) => [
      "POST",
      "/api/batch",
      { operations: [{ method: "PATCH", path: "/api/entries", body: { id, data: { title: "B" } } }] },
    ]),
  ],
  ["make a preview", "none", () => ["POST", "/api/tokens/preview", {}]],
  ["sign in to the page", "none", () => ["POST", "/admin/session", {}]],
];

/** Whose token, and whether it holds for the source. */
const callers: [locales: string[] | null, holdsSource: boolean][] = [
  [null, true],
  [["en"], true],
  [["de", "en"], true],
  [["de"], false],
  // One that is no locale any more.
  [["it"], false],
];

for (const [locales, holdsSource] of callers) {
  describe(`a token of ${locales?.join(" and ") ?? "all locales"}`, () => {
    let token = "";
    before(async () => {
      token = await tokenOf(locales);
    });
    for (const [what, needs, call] of writes) {
      const isGood = locales === null || needs === "none" || (needs === "source" && holdsSource);
      test(`${isGood ? "may" : "may not"} ${what}`, async () => {
        const sent = await call();
        const before = (await world.app.stores.events.bounds()).newest;
        const reply = await sendAs(token, sent);
        if (isGood) return assert.ok(reply.status < 300, reply.text);
        assert.deepEqual([reply.status, reply.json.code], [403, "scope_missing"], reply.text);
        assert.match(String(reply.json.detail), needs === "source" ? /locales:en/ : /locales:(all|en)/);
        assert.equal((await world.app.stores.events.bounds()).newest, before, "nothing is written");
      });
    }
    test("reads everything", async () => {
      const headers = { Authorization: `Bearer ${token}` };
      for (const path of ["/api/entries/recent", "/api/entries/staged/list", "/api/trash", "/api/tokens"])
        assert.equal((await world.send("GET", path, { headers })).status, 200, path);
    });
  });
}

test("an agent is offered the tools of its locales' writes, and refused the others", async () => {
  const tools = toolsOf(world, `${await tokenOf(["en"])}.${world.token.access}`);
  const offered = (await tools.list()).map(({ name }) => name);
  assert.deepEqual(
    ["stage", "publish", "create_draft", "upload_link"].filter((name) => offered.includes(name)),
    ["stage", "publish"],
  );
  const id = `products/${next()}`;
  await create(id, { title: "Lamp", lead: "Light", price: 1 });
  const stage = async (data: object) => JSON.stringify(await tools.call("stage", { id, data }));
  assert.doesNotMatch(await stage({ title: "B" }), /scope_missing/);
  assert.match(await stage({ price: 2 }), /scope_missing/);
  assert.match(JSON.stringify(await tools.call("create_draft", { id: next(), data: {} })), /scope_missing/);
});

test("an upload that resumes is refused before a byte is taken", async () => {
  const headers = {
    ...{ Authorization: `Bearer ${await tokenOf(["en"])}`, "X-Access-Token": world.token.access },
    ...{ "Tus-Resumable": "1.0.0", "Upload-Length": "1", "Upload-Metadata": `filename ${btoa("a.txt")}` },
  };
  const reply = await world.send("POST", "/api/uploads", { headers });
  assert.deepEqual([reply.status, reply.json.code], [403, "scope_missing"], reply.text);
});

describe("what a token is given", () => {
  const post = async (locales: unknown, more: object = {}, at = world) =>
    at.send("POST", "/api/tokens", {
      body: {
        ...{ token: at.token.management, access_token: at.token.access },
        ...{ kind: "management", resources: ["entries"], locales, ...more },
      },
    });

  test("locales are stored by their names, each once, and lifted by null", async () => {
    const made = await post(["DE-at", "en", "de-AT"]);
    const shown = made.json.data as { id: string; locales?: string[] };
    assert.deepEqual(shown.locales, ["de-AT", "en"]);
    const patch = async (locales: unknown) =>
      (await done("PATCH", "/api/tokens", { id: shown.id, locales })).json.data as { locales?: string[] };
    assert.deepEqual((await patch(undefined)).locales, ["de-AT", "en"], "what is not sent stays");
    assert.deepEqual((await patch(["FR"])).locales, ["fr"]);
    assert.ok(!("locales" in (await patch(null))));
    assert.ok(!("locales" in ((await post(null)).json.data as object)));
  });

  const refused: [what: string, status: number, code: string, locales: unknown, more?: object][] = [
    ["an empty list", 400, "argument_invalid", []],
    ["a name that is no locale", 400, "locale_unknown", ["en", "it"]],
    ["what is no language tag", 400, "locale_unknown", ["en_US"]],
    ["a number", 400, "argument_invalid", [1]],
    ["an access token", 400, "argument_invalid", ["en"], { kind: "access", resources: [] }],
    ["a delivery token", 400, "argument_invalid", ["en"], { kind: "delivery" }],
  ];
  for (const [what, status, code, locales, more] of refused) {
    test(`${what} is refused`, async () => {
      const reply = await post(locales, more);
      assert.deepEqual([reply.status, reply.json.code], [status, code], reply.text);
    });
  }

  test("without the setting a list is refused, and null is not", async () => {
    const reply = await post(["en"], {}, without);
    assert.deepEqual([reply.status, reply.json.code], [409, "locales_missing"]);
    assert.equal((await post(null, {}, without)).status, 200);
  });

  test("without the setting a token that has locales may write nothing", async () => {
    const { secret } = await without.issue("management", allResources, { locales: ["en"] });
    const headers = { Authorization: `Bearer ${secret}`, "X-Access-Token": without.token.access };
    const reply = await without.send("PATCH", "/api/entries", { body: { id: "a", data: {} }, headers });
    assert.deepEqual([reply.status, reply.json.code], [403, "scope_missing"], reply.text);
  });
});

describe("roles", () => {
  const { manage, personOf, invite, join, send } = peopleOf(world);
  const put = (locales: unknown, id = "translators") =>
    manage("PUT", "/api/roles", { id, resources: ["entries"], writes: "staged", locales });

  test("have locales as tokens do, null for all", async () => {
    assert.deepEqual(((await put(["DE", "de"])).json.data as { locales: unknown }).locales, ["de"]);
    const roles = (await manage("GET", "/api/roles")).json.data as { id: string; locales: unknown }[];
    assert.deepEqual(
      roles.filter(({ locales }) => locales !== null).map(({ id }) => id),
      ["translators"],
    );
    assert.equal((await put([])).json.code, "argument_invalid");
    assert.equal((await put(["it"])).json.code, "locale_unknown");
    assert.equal(((await put(undefined, "others")).json.data as { locales: unknown }).locales, null);
  });

  test("hold for a person's session, from the next request on; what is his own is his", async () => {
    await put(["en"]);
    const id = `products/${next()}`;
    await create(id, { title: "Lamp", lead: "Light" });
    const { session } = await personOf("translators");
    const stage = (data: object) => send(session, "PATCH", staged, { body: { id, data } });
    assert.equal((await stage({ title: "B" })).status, 200);
    assert.equal((await stage({ price: 2 })).json.code, "scope_missing");
    await put(["de"]);
    const refused = await stage({ title: "C" });
    assert.deepEqual([refused.status, refused.json.code], [403, "scope_missing"]);
    assert.equal((await send(session, "PATCH", "/api/people/me", { body: { name: "Ada" } })).status, 200);
    await put(null);
    assert.equal((await stage({ price: 2 })).status, 200);
  });

  test("the page is told which locales there are, the source first", async () => {
    const joined = await join(codeOf(await invite("viewer")), { name: "Ada", password: good });
    signedIn(joined);
    assert.deepEqual((joined.json.data as { locales: unknown }).locales, ["en", "de", "de-AT", "fr"]);
    const other = peopleOf(without);
    const alone = await other.join(codeOf(await other.invite("viewer")), { name: "Ada", password: good });
    assert.equal((alone.json.data as { locales: unknown }).locales, null);
  });
});
