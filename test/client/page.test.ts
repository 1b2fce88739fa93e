import assert from "node:assert/strict";
import { before, test } from "node:test";
import { condition, createClient, exactJson, type Filter, OctavoProblem, where } from "../../client/src/client.ts";
import { refusal, textFile, useClients } from "./service.ts";

/** A custom page on the service: session cookies, exact numbers, requests without a client method. */

const clients = useClients();

before(async () => {
  await clients.world.ready;
  const { entries, files } = clients.manager;
  for (const id of ["movies/alien", "movies/solaris", "books/deep/solaris"]) await entries.create(id, { title: id });
  await files.upload("notes", textFile("a.txt", "Hello"));
});

test("a session cookie with its CSRF token replaces tokens", async () => {
  const { world } = clients;
  const sent: Record<string, string> = { Origin: world.app.url };
  const octavo = createClient({ url: world.app.url, headers: () => sent });
  const pair = { token: world.token.management, access_token: world.token.access };
  const signedIn = await octavo.request<{ id: string; csrf_token: string }>("POST /admin/session", pair);
  sent.Cookie = (signedIn.headers.getSetCookie()[0] ?? "").split(";")[0] ?? "";
  assert.equal((await octavo.entries.fetch("movies/alien")).title, "movies/alien");
  await refusal(octavo.entries.create("mine", {}), "csrf_invalid");
  sent["X-CSRF-Token"] = signedIn.data.csrf_token;
  await octavo.entries.create("mine", {});
  await octavo.entries.delete("mine");
  assert.deepEqual(
    (await octavo.sessions.page()).items.map(({ id }) => id),
    [signedIn.data.id],
  );
  await octavo.request("DELETE /admin/session");
  assert.equal((await octavo.request("GET /admin/session")).data, null);
});

test("with exactJson, numbers beyond the range of JavaScript survive an edit", async () => {
  const { url } = clients.world.app;
  const { management: token, access: accessToken } = clients.world.token;
  const exact = createClient({ url, token, accessToken, json: exactJson });
  const body = '{"id":"numbers","data":{"big":9007199254740993,"price":1.10,"far":-0.0,"year":1979}}';
  const headers = { Authorization: `Bearer ${token}`, "X-Access-Token": accessToken };
  await fetch(`${url}/api/entries`, {
    method: "POST",
    body,
    headers: { ...headers, "Content-Type": "application/json" },
  });
  const read = await exact.entries.fetch("numbers");
  assert.equal(read.year, 1979);
  await exact.entries.update("numbers", { copy: [read.big, read.price, read.far] }, { ifMatch: read });
  const text = await (await exact.get("/api/entries?id=numbers")).text();
  assert.match(text, /"copy":\[9007199254740993,1\.10,-0\.0\]/);
  await exact.registry.set("numbers", { big: read.big });
  assert.match(await (await exact.get("/api/registry?id=numbers")).text(), /9007199254740993/);
  await exact.files.meta.add("notes/a.txt", "big", read.big);
  assert.match(await (await exact.get("/api/files?path=notes/a.txt")).text(), /"big":9007199254740993/);
  for (const noun of [exact.entries, exact.registry]) await noun.delete("numbers");
});

test("onProblem is called once for each refusal, and not for retries", async () => {
  const codes: string[] = [];
  const octavo = createClient({
    url: clients.world.app.url,
    token: clients.world.token.delivery,
    onProblem: ({ code }) => codes.push(code),
  });
  await refusal(octavo.entries.fetch("nowhere"), "entry_not_found");
  await refusal(octavo.get("/api/entries?id=nowhere"), "entry_not_found");
  await refusal(octavo.files.upload("", textFile("b.txt"), { onProgress: () => undefined }), "scope_missing");
  await octavo.entries.fetch("movies/alien");
  assert.deepEqual(codes, ["entry_not_found", "entry_not_found", "scope_missing"]);
});

test("get reads any URL of the service with the client's token and answers the reply unchanged", async () => {
  const { manager, world } = clients;
  assert.equal(await (await manager.get(manager.fileUrl("notes/a.txt"))).text(), "Hello");
  assert.equal((await manager.get("/api/openapi.json")).headers.get("content-type")?.split(";")[0], "application/json");
  // The URL has its own token: the client must not add a second one.
  await refusal(manager.get(manager.imageUrl("notes/a.txt")), "image_unsupported");
  const { management: token } = world.token;
  const inUrl = createClient({ url: world.app.url, token, tokenInUrl: true });
  assert.equal((await inUrl.get("/api/entries?id=movies/alien")).status, 200);
  assert.equal((await inUrl.get("/api/events")).status, 200);
});

test("no token is sent to another host", async () => {
  const requested: unknown[] = [];
  const own = { token: "secret", fetch: async (url: unknown) => requested.push(url) as never };
  for (const url of ["", "https://octavo.example", "https://octavo.example/cms"]) {
    const octavo = createClient({ ...own, url });
    const elsewhere = [
      "https://other.example/",
      "//other.example/",
      "/\\other.example",
      "/\t/other.example",
      "/\n/other.example",
      "https://octavo.example.org/a",
      "a",
    ];
    for (const address of elsewhere) {
      await assert.rejects(octavo.get(address), RangeError, `${url}: ${address}`);
      await assert.rejects(octavo.request(`GET ${address}`), RangeError);
    }
  }
  assert.deepEqual(requested, []);
});

test("request answers data and headers of any call, and throws problems like the methods", async () => {
  const { manager } = clients;
  const { data, headers } = await manager.request<{ slug: string }[]>("GET /api/management/entries", {
    id: "movies",
    filter: { limit: 1, total: true },
  });
  assert.deepEqual([data.length, headers.get("x-total-count")], [1, "2"]);
  await refusal(
    manager.request("GET /api/management/entries", { id: "movies", filter: { lmit: 1 } }),
    "argument_unknown",
  );
  assert.ok((await refusal(manager.request("PUT /api/nothing"), "route_not_found")) instanceof OctavoProblem);
});

test("`headers` are sent with every request and do not replace the client's own", async () => {
  const seen: Headers[] = [];
  const { url } = clients.world.app;
  const octavo = createClient({
    url,
    token: clients.world.token.management,
    accessToken: clients.world.token.access,
    headers: { "X-Trace": "7", Authorization: "Bearer other" },
    fetch: (input, init) => {
      seen.push(new Headers(init?.headers));
      return fetch(input, init);
    },
  });
  await octavo.entries.fetch("movies/alien");
  await octavo.entries.update("movies/alien", { year: 1979 }, { keepalive: true });
  await octavo.get("/health/live");
  for (const headers of seen) {
    assert.equal(headers.get("x-trace"), "7");
    assert.equal(headers.get("authorization"), `Bearer ${clients.world.token.management}`);
  }
  assert.equal(seen.length, 3);
});

test("the tree is read level by level, with segments that have no entry", async () => {
  const { entries } = clients.manager;
  const [books, movies] = await entries.children("");
  assert.deepEqual(books, { slug: "books", has_children: true, entry: null });
  assert.equal(movies?.slug, "movies");
  const [first] = await entries.children("movies", { limit: 1 });
  assert.deepEqual([first?.slug, first?.entry?.title], ["movies/alien", "movies/alien"]);
  assert.equal((await entries.children("movies", { after: first?.slug })).length, 1);
});

test("conditions are built from the names of fields and operators", async () => {
  const { entries } = clients.manager;
  const found = async (filter: Filter) =>
    (await entries.list("", { filter, depth: "*" })).items.map(({ slug }) => slug);
  const solaris = condition("title", "ends_with", "solaris");
  assert.deepEqual(await found(solaris.and(condition("slug", "in", ["movies/solaris", "x"]))), ["movies/solaris"]);
  assert.deepEqual(await found(condition("slug", "eq", "movies/alien").or(solaris)), [
    "books/deep/solaris",
    "movies/alien",
    "movies/solaris",
  ]);
  assert.deepEqual(await found(solaris.and(condition("title", "exists", false))), []);
  await refusal(entries.list("", { filter: condition("title", "resembles", "x") }), "filter_invalid");
});

test("the URL of a collection is the one that list requests", async () => {
  const { entries } = clients.visitor;
  const query = { filter: where("title").contains("solaris"), depth: "*", sort: "-slug" } as const;
  const { items } = await entries.list("", query);
  assert.equal(items.length, 2);
  const response = await fetch(`${entries.url("", query)}&token=${clients.world.token.delivery}`);
  assert.deepEqual(((await response.json()) as { data: unknown }).data, items);
});
