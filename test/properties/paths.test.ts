import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Reply, startWorld, temporaryFolder, type World } from "../harness.ts";
import { orLong } from "../long.ts";
import { type Random, random, seed } from "../random.ts";

/**
 * What a token with paths is told does not depend on what is elsewhere: the same random reads and writes with such tokens
 * are answered alike by a store with the whole tree and by one that only has what is inside. Contract, part two, §11.
 */

const steps = orLong(60, 6000);
const paths = ["in", "out/deep/in"];

type Ask = { method: string; path: string; body?: object; query?: Record<string, string>; file?: string };
type Kind = "management" | "delivery" | "preview";

const create: Ask = { method: "POST", path: "/api/entries", body: { id: "in/first", data: { n: 1 } } };
/** They come first, with what they are answered: one of each status, which the drawn ones might lack. */
const firstAsks: [Ask, number][] = [
  [create, 200],
  [create, 409],
  [{ method: "GET", path: "/api/entries", query: { id: "in/nowhere" } }, 404],
];

const below = ["", "/a", "/b", "/a/b", "/a-b", "/é"];
const outside = ["in-law", "in2", "out", "out/a", "out/deep", "out/deep/in-law", "z", "z/a", "In"];

class Asks {
  private readonly pick: Random;

  constructor(pick: Random) {
    this.pick = pick;
  }

  one<T>(list: readonly T[]): T {
    return list[this.pick(list.length)] as T;
  }

  inside = () => this.one(paths) + this.one(below);
  anywhere = () => (this.pick(2) ? this.inside() : this.one(outside));

  /** A write of one or two places of the same side. */
  write(place: () => string): Ask {
    const [id, newId] = [place(), place()];
    const data = { n: this.pick(4), t: this.one(["a", "b", "é", "1"]), r: this.reference(), ...this.visibility() };
    const entries = "/api/entries";
    return this.one<Ask>([
      { method: "POST", path: entries, body: { id, data } },
      { method: "POST", path: entries, body: { id, data } },
      { method: "PATCH", path: entries, body: { id, data } },
      { method: "PATCH", path: `${entries}/staged`, body: { id, data } },
      { method: "DELETE", path: `${entries}/staged`, body: { id } },
      { method: "POST", path: `${entries}/publish`, body: { id } },
      { method: "POST", path: "/api/folders", body: { path: id } },
      { method: "POST", path: "/api/files", file: id },
      { method: "PATCH", path: "/api/files/meta", body: { path: `${id}/f.txt`, field: "title", value: "x" } },
      { method: "DELETE", path: "/api/files", body: { path: `${id}/f.txt` } },
      { method: "PUT", path: "/api/files/copy", body: { path: `${id}/f.txt`, new_path: `${newId}/f.txt` } },
      ...this.ofSubtrees(id, newId, place === this.anywhere),
    ]);
  }

  /** A write that both stores get. */
  publicly(): Ask {
    const isInside = this.pick(2) === 0;
    const id = isInside ? this.inside() : this.one(outside);
    const data = { ...this.fields(), visibility: isInside ? this.one(["draft", "visible"]) : "visible" };
    const method = this.one(["POST", "POST", "PATCH"]);
    const path = isInside && method === "PATCH" ? this.one(["/api/entries", "/api/entries/staged"]) : "/api/entries";
    return { method, path, body: { id, data } };
  }

  /** A write that nobody sees outside of the paths. */
  privately(): Ask {
    const id = this.one(outside);
    const hidden = this.one([{ visibility: "draft" }, { published_at: 4e9 }]);
    const below = `${id}/secret${this.pick(3)}`;
    return this.one<Ask>([
      { method: "POST", path: "/api/entries", body: { id: below, data: { ...this.fields(), only: 1, ...hidden } } },
      { method: "PATCH", path: "/api/entries", body: { id: below, data: this.fields() } },
      { method: "PATCH", path: "/api/entries/staged", body: { id, data: { ...this.fields(), only: 1 } } },
      { method: "PATCH", path: "/api/entries/staged", body: { id, data: { visibility: "hidden" } } },
    ]);
  }

  /** What a preview may ask. */
  shown(): Ask {
    for (;;) {
      const ask = this.read();
      if (ask.path === "/api/entries") return ask;
    }
  }

  private fields = () => ({ n: this.pick(4), t: this.one(["a", "b", "é", "1"]), r: this.reference() });

  /** A text, or a list, that refers to something inside or elsewhere. */
  private reference = () => this.one([this.anywhere(), [this.anywhere(), this.anywhere()]]);

  /** Not of a path that something inside is below. */
  private ofSubtrees(id: string, newId: string, mayRefer: boolean): Ask[] {
    const isAncestor = (path: string) => paths.some((inside) => inside.startsWith(`${path}/`));
    if (isAncestor(id) || isAncestor(newId)) return [];
    return ["entries", "folders"].flatMap((noun) => {
      const [at, to] = noun === "entries" ? ["id", "new_id"] : ["path", "new_path"];
      const [redirects, restricts] = mayRefer
        ? [{ update_references: this.one([true, false]) }, { restrict: this.one([true, false]) }]
        : [];
      return [
        { method: "PUT", path: `/api/${noun}`, body: { [at]: id, [to]: newId, ...redirects } },
        { method: "PUT", path: `/api/${noun}/copy`, body: { [at]: id, [to]: newId } },
        { method: "DELETE", path: `/api/${noun}`, body: { [at]: id, ...restricts } },
      ];
    });
  }

  read(): Ask {
    const id = this.pick(5) ? this.anywhere() : "";
    const uploads = { path: id, "options[collection]": "true", "options[filter][depth]": this.one(["1", "*"]) };
    return this.one<Ask>([
      { method: "GET", path: "/api/entries", query: { id } },
      { method: "GET", path: "/api/entries", query: { id, include: "r.r,r" } },
      { method: "GET", path: "/api/entries/references", query: { id, descendants: this.one(["true", "false"]) } },
      { method: "GET", path: "/api/entries", query: { ...this.collection(id), include: "r" } },
      { method: "GET", path: "/api/entries", query: this.collection(id) },
      { method: "GET", path: "/api/entries", query: this.collection("") },
      { method: "GET", path: "/api/management/entries/children", query: { id } },
      { method: "GET", path: "/api/entries/staged", query: this.collection(id) },
      { method: "GET", path: "/api/entries/staged/list", query: {} },
      { method: "GET", path: "/api/entries/history", query: { id } },
      { method: "GET", path: "/api/trash", query: {} },
      { method: "GET", path: "/api/files", query: { path: id } },
      { method: "GET", path: "/api/files", query: uploads },
      { method: "GET", path: "/api/folders", query: uploads },
      { method: "GET", path: "/api/folders", query: { path: id } },
    ]);
  }

  private visibility = () => (this.pick(4) ? {} : { visibility: this.one(["draft", "hidden", "visible"]) });

  private collection(id: string): Record<string, string> {
    const where = {
      "filter[where][key]": this.one(["n", "t", "visibility", "published_at", "only"]),
      "filter[where][expr]": this.one(["eq", "neq", "gte", "contains"]),
      "filter[where][value]": this.one(["1", "2", "a", "draft", "4000000000"]),
    };
    const order = {
      "filter[order_by][field]": this.one(["n", "t", "slug", "only"]),
      "filter[order_by][direction]": this.one(["asc", "desc"]),
    };
    return {
      id,
      "options[collection]": "true",
      "filter[depth]": this.one(["1", "*", ">=0", "2"]),
      "filter[limit]": String(1 + this.pick(8)),
      ...(this.pick(2) ? where : undefined),
      ...(this.pick(2) ? order : undefined),
      ...this.one<Record<string, string>>([
        {},
        { "filter[total]": "true" },
        { "filter[return]": "count" },
        { "filter[contains]": "in" },
      ]),
    };
  }
}

type Tokens = Record<Kind | "access" | "limited", string>;

async function tokensOf(world: World): Promise<Tokens> {
  const make = async (kind: Kind | "access", resources: ("entries" | "files" | "folders")[]) =>
    (await world.issue(kind, resources, { paths })).secret;
  return {
    management: await make("management", ["entries", "files", "folders"]),
    delivery: await make("delivery", ["entries", "files", "folders"]),
    preview: "",
    access: world.token.access,
    limited: await make("access", []),
  };
}

/** A preview of these paths, made by this token. */
async function previewOf(world: World, maker: string): Promise<string> {
  const ask = { method: "POST", path: "/api/tokens/preview", body: { paths, resources: ["entries", "files"] } };
  const { json } = await send(world, ask, maker, world.token.access);
  return (json as { data: { token: string } }).data.token;
}

async function send(world: World, { method, path, body, query, file }: Ask, bearer: string, access: string) {
  const headers = { Authorization: `Bearer ${bearer}`, "X-Access-Token": access };
  if (file === undefined) return world.send(method, path, { headers, body, query });
  const form = new FormData();
  form.append("folder", file);
  form.append("file", new Blob(["text"]), "f.txt");
  const reply = await fetch(`${world.app.url}${path}`, { method, headers, body: form });
  return { status: reply.status, headers: reply.headers, text: await reply.text(), json: {} };
}

/** The reply without what no two stores share: ids, revisions, times, addresses. */
function told({ status, headers, text }: Reply, { app }: World): unknown {
  const plain = text
    .replaceAll(app.url, "URL")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "UUID")
    .replaceAll(
      /"(\w*_at|at|id|revision|uploaded_on|request_id|dirname|full_path)":("\w*"|"\/[^"]*"|\d+|null)/g,
      '"$1":0',
    );
  const kept = ["content-type", "cache-control", "x-total-count", "octavo-ignored"].map((name) => headers.get(name));
  return { status, kept, hasNext: headers.has("link"), text: plain };
}

async function twoWorlds(t: TestContext): Promise<[World, World]> {
  const open = async (): Promise<World> => {
    const world = (await startWorld({ data: temporaryFolder() }, {})) as World;
    t.after(() => world.app.close());
    return world;
  };
  return [await open(), await open()];
}

test(`a token with paths is told the same with and without a tree elsewhere, ${steps} times`, {
  timeout: 300_000,
}, async (t) => {
  const asks = new Asks(random(seed));
  const [whole, part] = await twoWorlds(t);
  const [wholeTokens, partTokens] = [await tokensOf(whole), await tokensOf(part)];
  wholeTokens.preview = await previewOf(whole, wholeTokens.management);
  partTokens.preview = await previewOf(part, partTokens.management);
  for (const world of [whole, part]) {
    const entry = { format: "entry" };
    const type = { id: "any", paths: ["**"], schema: { properties: { r: { ...entry, items: entry } } } };
    const put = { method: "PUT", path: "/api/types", body: type };
    assert.equal((await send(world, put, world.token.management, world.token.access)).status, 200);
  }
  for (let step = 0; step < firstAsks.length + steps; step++) {
    const [first, status] = firstAsks[step] ?? [];
    // Elsewhere: only in the whole tree, by a caller without limits.
    const foreign = asks.write(() => asks.one(outside));
    await send(whole, foreign, whole.token.management, whole.token.access);
    const isWrite = first ? first.method !== "GET" : step % 2 === 0;
    const ask = first ?? (isWrite ? asks.write(asks.anywhere) : asks.read());
    const kind = isWrite ? "management" : asks.one<Kind>(["management", "delivery", "preview"]);
    const access = asks.one(["access", "limited"] as const);
    const isLimited = !isWrite || asks.one([true, true, false]);
    // With a limited access token alone the management token sees everything, which only a write is limited in.
    const bearers = isLimited ? [wholeTokens[kind], partTokens[kind]] : [whole.token.management, part.token.management];
    const accesses = (isLimited ? access : "limited") as keyof Tokens;
    const [one, other] = await Promise.all([
      send(whole, ask, bearers[0] as string, wholeTokens[accesses]),
      send(part, ask, bearers[1] as string, partTokens[accesses]),
    ]);
    const where = `seed ${seed}, step ${step}: ${JSON.stringify(ask)} as ${kind}`;
    assert.deepEqual(told(one, whole), told(other, part), where);
    assert.ok(one.status < 500, `${where}: ${one.text}`);
    if (status !== undefined) assert.equal(one.status, status, where);
  }
  const names = (await part.app.stores.entries.children("" as never, undefined, 100)).map(({ slug }) => slug);
  assert.ok(
    names.every((slug) => ["in", "out"].includes(slug)),
    names.join(),
  );
  assert.deepEqual(await whole.app.stores.verify(), []);
});

test(`a preview is told the same with and without what is not public elsewhere, ${steps} times`, {
  timeout: 300_000,
}, async (t) => {
  const asks = new Asks(random(seed));
  const [whole, part] = await twoWorlds(t);
  const previews = await Promise.all([whole, part].map((world) => previewOf(world, world.token.management)));
  const write = (world: World, ask: Ask) => send(world, ask, world.token.management, world.token.access);
  for (let step = 0; step < 2 * steps; step++) {
    const both = asks.publicly();
    const [done, too] = await Promise.all([write(whole, both), write(part, both)]);
    assert.equal(done.status, too.status);
    await write(whole, asks.privately());
    for (const ask of [asks.shown(), asks.shown()]) {
      const [one, other] = await Promise.all([
        send(whole, ask, previews[0] as string, ""),
        send(part, ask, previews[1] as string, ""),
      ]);
      assert.deepEqual(told(one, whole), told(other, part), `seed ${seed}, step ${step}: ${JSON.stringify(ask)}`);
      assert.ok(one.status < 500, one.text);
    }
  }
});
