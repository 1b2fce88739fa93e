import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { request } from "node:http";
import { test } from "node:test";
import { png } from "../../../test/acceptance/media.ts";
import { startWorld, temporaryFolder, until, useWorld } from "../../../test/harness.ts";
import { startReceiver } from "../../../test/hook-receiver.ts";

/** Cache groups: what delivery replies depend on, and what a commit changes. Contract, part three, §12, Cache groups. */

const publicUrl = "https://content.example.org";
const settings = { "webhook-private": "on", "public-url": publicUrl, "delivery-s-maxage-seconds": "60" };
const world = useWorld({ ...settings, "cache-groups": "xkey,Cache-Groups,Surrogate-Key,Cache-Tag" });

const short = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 16);
const c = (path: string) => `c-${short(path)}`;
/** Of a folder. */
const d = (path: string) => c(`project/uploads/${path}`);
const f = (path: string) => `f-${short(path)}`;

const writing = () => ({ Authorization: `Bearer ${world.token.management}`, "X-Access-Token": world.token.access });
type Data = Record<string, unknown> & { uuid: string };
async function write(method: string, path: string, body: object): Promise<Data> {
  const reply = await world.send(method, path, { headers: writing(), body });
  assert.ok(reply.status < 300, reply.text);
  return reply.json.data as Data;
}
const create = (id: string, data: object = {}) => write("POST", "/api/entries", { id, data });
const update = (id: string, data: object) => write("PATCH", "/api/entries", { id, data });
async function upload(folder: string, name: string, bytes: Buffer | string, more: object = {}): Promise<void> {
  const form = new FormData();
  for (const [key, value] of Object.entries({ folder, ...more })) form.append(key, value);
  form.append("file", new Blob([typeof bytes === "string" ? bytes : new Uint8Array(bytes)]), name);
  const reply = await fetch(`${world.app.url}/api/files`, { method: "POST", headers: writing(), body: form });
  assert.equal(reply.status, 200, await reply.text());
}

const get = (path: string, query: Record<string, string> = {}, headers: Record<string, string> = {}) =>
  world.send("GET", path, { query: { token: world.token.delivery, ...query }, headers });
/** The names in a reply, sorted. */
async function namesOf(path: string, query: Record<string, string> = {}): Promise<string[]> {
  const reply = await get(path, query);
  assert.equal(reply.status, 200, reply.text);
  return (reply.headers.get("xkey") ?? "").split(" ").toSorted();
}
const entryNames = (query: Record<string, string>) => namesOf("/api/entries", query);
const sorted = (...names: string[]) => [...new Set(names)].toSorted();

test("each header lists the names in its own syntax, on a 304 as well, and not on what management reads", async () => {
  const { uuid } = await create("syntax/a", { other: "syntax/b" });
  const { uuid: other } = await create("syntax/b");
  const query = { id: "syntax/a", include: "other" };
  const reply = await get("/api/entries", query);
  const names = [`e-${uuid}`, `e-${other}`];
  const headers = {
    ...{ "cache-groups": `"${names[0]}", "${names[1]}"`, "surrogate-key": names.join(" ") },
    ...{ "cache-tag": names.join(","), xkey: names.join(" ") },
  };
  const told = (from: Headers) => Object.fromEntries(Object.keys(headers).map((name) => [name, from.get(name)]));
  assert.deepEqual(told(reply.headers), headers);
  assert.match(reply.headers.get("cache-control") ?? "", /^public, .*s-maxage=60/);
  const again = await get("/api/entries", query, { "If-None-Match": reply.headers.get("etag") ?? "" });
  assert.equal(again.status, 304);
  assert.deepEqual(told(again.headers), headers);
  const managed = { token: world.token.management };
  for (const [path, more] of [
    ["/api/entries", managed],
    ["/api/management/entries", managed],
    ["/api/entries/staged", managed],
  ] as const)
    assert.deepEqual(Object.values(told((await get(path, { id: "syntax/a", ...more })).headers)), [
      null,
      null,
      null,
      null,
    ]);
  assert.equal((await get("/api/delivery/entries", { id: "syntax/a", ...managed })).headers.get("xkey"), names[0]);
  assert.equal((await get("/api/entries", { id: "syntax/none" })).headers.get("xkey"), null);
});

test("entries are named by their uuids, lists by what they walk, includes by what they found or looked for", async () => {
  const { uuid } = await create("read/a", { to: ["read/b", "away/none", "pics/none.png"], pic: "read-pics/a.png" });
  const { uuid: b } = await create("read/b", { to: "further/none" });
  await upload("read-pics", "a.png", png());
  assert.deepEqual(await entryNames({ id: "read/a" }), [`e-${uuid}`]);
  assert.deepEqual(await entryNames({ id: "read/a", "options[filter][only]": "to" }), [`e-${uuid}`]);
  assert.deepEqual(await entryNames({ id: "read/a", render: "html" }), sorted(`e-${uuid}`, "types"));
  assert.deepEqual(
    await entryNames({ id: "read/a", include: "to.to,pic" }),
    sorted(`e-${uuid}`, `e-${b}`, c("away"), c("pics"), d("pics"), c("further"), f("read-pics/a.png")),
  );
  const list = (more: object) => entryNames({ id: "read", "filter[limit]": "5", ...more });
  assert.deepEqual(await list({}), [c("read")]);
  assert.deepEqual(await list({ "filter[depth]": "*" }), [c("read")]);
  assert.deepEqual(await list({ "filter[depth]": "<=1" }), sorted(c("read"), c("")));
  assert.deepEqual(await list({ "filter[return]": "count" }), [c("read")]);
  assert.deepEqual(await list({ "filter[return]": "count", "filter[depth]": ">5" }), [c("read")]);
  assert.deepEqual(await list({ render: "html" }), sorted(c("read"), "types"));
  assert.deepEqual(
    await list({ include: "to,pic" }),
    sorted(c("read"), `e-${b}`, c("away"), c("pics"), d("pics"), c("further"), f("read-pics/a.png")),
  );
  assert.deepEqual(await entryNames({ id: "", filter: "" }), [c("")]);
  // Nothing is in it, so it is one of nothing once its entry is gone.
  assert.deepEqual(await entryNames({ id: "read/b", filter: "" }), sorted(c("read/b"), `e-${b}`));
  assert.deepEqual(await entryNames({ id: "read/b", "filter[depth]": "<=1" }), sorted(c("read/b"), `e-${b}`));
});

test("files, their bytes and their pictures are named by path, lists of files and folders by their folder", async () => {
  await upload("kept/in", "a.png", png());
  await upload("kept/in/sub", "b.txt", "text");
  await upload("entries/kept", "c.png", png());
  await write("POST", "/api/folders", { path: "kept/empty" });
  await upload("watermarks", "mark.png", png());
  const a = f("kept/in/a.png");
  for (const path of ["/api/files", "/api/media/files"]) {
    assert.deepEqual(await namesOf(path, { id: "kept/in/a.png" }), [a]);
    assert.deepEqual(await namesOf(path, { id: "kept/in", collection: "true" }), [d("kept/in")]);
    assert.deepEqual(await namesOf(path, { id: "kept/in", "filter[depth]": ">1" }), [d("kept/in")]);
    assert.deepEqual(await namesOf(path, { id: "kept", collection: "true" }), sorted(d("kept"), f("kept")));
    assert.deepEqual(
      await namesOf(path, { id: "kept/empty", collection: "true" }),
      sorted(d("kept/empty"), f("kept/empty")),
    );
  }
  for (const path of ["/api/folders", "/api/media/folders"]) {
    assert.deepEqual(await namesOf(path, { id: "kept/in" }), [f("kept/in")]);
    assert.deepEqual(await namesOf(path, { id: "kept", collection: "true" }), [d("kept")]);
  }
  assert.deepEqual(await namesOf("/project/uploads/kept/in/a.png"), [a]);
  const part = await get("/project/uploads/kept/in/sub/b.txt", {}, { Range: "bytes=0-1" });
  assert.deepEqual([part.status, part.headers.get("xkey")], [206, f("kept/in/sub/b.txt")]);
  const images = { token: world.token.images };
  assert.deepEqual(await namesOf("/api/images/kept/in/a.png", images), [a]);
  assert.deepEqual(await namesOf("/api/images/kept/in/a.png", { ...images, w: "1" }), [a]);
  const marked = { ...images, w: "1", mark: "mark.png" };
  assert.deepEqual(await namesOf("/api/images/kept/in/a.png", marked), sorted(a, f("watermarks/mark.png")));
  const missing = { ...images, w: "1", mark: "none.png" };
  assert.deepEqual(await namesOf("/api/images/kept/in/a.png", missing), sorted(a, f("watermarks/none.png")));
  const fallback = sorted(f("kept/c.png"), f("entries/kept/c.png"));
  assert.deepEqual(await namesOf("/api/images/kept/c.png", { ...images, w: "1" }), fallback);
});

test("a reply with more than 128 names is not to be kept, one with 128 is", async () => {
  const operations = Array.from({ length: 128 }, (_, i) => ({
    ...{ method: "POST", path: "/api/entries", body: { id: `many/n${i}`, data: {} } },
  }));
  await write("POST", "/api/batch", { operations });
  const to = operations.map(({ body }) => body.id);
  await create("few", { to: to.slice(0, 127) });
  await create("lots", { to });
  const few = await headOf("few");
  assert.equal(few.xkey?.split(" ").length, 128);
  assert.match(few["cache-control"] ?? "", /^public/);
  const lots = await headOf("lots");
  assert.deepEqual([lots["cache-control"], lots.xkey], ["no-store", undefined]);
  assert.deepEqual(await entryNames({ id: "many", filter: "" }), [c("many")]);
});

/** The headers of an entry with what it includes: in all syntaxes at once they are longer than `fetch` takes. */
const headOf = (id: string) =>
  new Promise<Record<string, string | undefined>>((resolve, reject) => {
    const url = `${world.app.url}/api/entries?token=${world.token.delivery}&id=${id}&include=to`;
    const sent = request(url, { maxHeaderSize: 64 * 1024 }, (reply) => {
      reply.resume();
      resolve(reply.headers as Record<string, string | undefined>);
    });
    sent.on("error", reject).end();
  });

test("where the setting is off, replies have no names", async () => {
  const other = await startWorld({ data: temporaryFolder() }, {});
  try {
    const headers = { Authorization: `Bearer ${other.token.management}`, "X-Access-Token": other.token.access };
    await other.send("POST", "/api/entries", { headers, body: { id: "a", data: {} } });
    for (const query of [{ id: "a" }, { id: "", filter: "" }, { id: "a", include: "x" }] as Record<string, string>[]) {
      const reply = await other.send("GET", "/api/entries", { query: { token: other.token.delivery, ...query } });
      for (const name of ["Cache-Groups", "Surrogate-Key", "Cache-Tag", "xkey"])
        assert.equal(reply.headers.get(name), null);
    }
  } finally {
    await other.app.close();
  }
});

// ---------------------------------------------------------------------------------------------- what a commit changes

const receiver = startReceiver();
let hook: Promise<unknown> | undefined;

/** The groups of the delivery of each of the commits that the work makes. */
async function changed(work: () => Promise<unknown>): Promise<string[][]> {
  const { received, url } = await receiver;
  hook ??= write("POST", "/api/webhooks", { url });
  await hook;
  const marker = `marker-${randomUUID()}`;
  await create(`${marker}-1`, { visibility: "draft" });
  await work();
  await create(`${marker}-2`, { visibility: "draft" });
  const at = (name: string) => received.findIndex(({ json }) => json.data.events[0]?.subject === `${marker}-${name}`);
  await until(() => at("2") >= 0, "no delivery");
  return received.slice(at("1") + 1, at("2")).map(({ json }) => json.data.groups.toSorted());
}
const changedBy = async (work: () => Promise<unknown>): Promise<string[]> => (await changed(work))[0] ?? [];

test("a write of an entry changes its own group, and those of every parent above it", async () => {
  let e = "";
  const above = [c("one/two"), c("one"), c("")];
  const made = await changedBy(async () => {
    e = `e-${(await create("one/two/three", { title: "a" })).uuid}`;
  });
  assert.deepEqual(made, sorted(e, ...above));
  assert.deepEqual(await changedBy(() => update("one/two/three", { title: "b" })), sorted(e, ...above));
  // By its id alone: no list changes, but an include at its id would.
  assert.deepEqual(await changedBy(() => update("one/two/three", { visibility: "hidden" })), sorted(e, ...above));
  assert.deepEqual(await changedBy(() => update("one/two/three", { title: "c" })), [e]);
  assert.deepEqual(await changedBy(() => update("one/two/three", { visibility: "draft" })), sorted(e, c("one/two")));
  assert.deepEqual(await changedBy(() => update("one/two/three", { title: "d" })), []);
  assert.deepEqual(await changedBy(() => update("one/two/three", { visibility: "visible" })), sorted(e, ...above));
  const moved = await changedBy(() => write("PUT", "/api/entries", { id: "one/two/three", new_id: "else/three" }));
  assert.deepEqual(moved, sorted(e, ...above, c("else")));
  const removed = await changedBy(async () => {
    await world.send("DELETE", "/api/entries", { headers: writing(), body: { id: "else/three" } });
  });
  assert.deepEqual(removed, sorted(e, c("else"), c("")));
});

test("what changes nothing in public has no groups: drafts, working copies, tokens, people", async () => {
  await create("quiet/a", { title: "a" });
  const groups = await changed(async () => {
    await create("quiet/draft", { visibility: "draft" });
    await write("PATCH", "/api/entries/staged", { id: "quiet/a", data: { title: "b" } });
    await write("PUT", "/api/roles", { id: "helper", title: "Helper", resources: ["entries"], writes: "none" });
    await world.issue("delivery", ["entries"]);
  });
  assert.deepEqual(groups, [[], [], [], []]);
  const { uuid } = await write("GET", "/api/entries?id=quiet/a", {}).catch(() => ({ uuid: "" }));
  const published = await changedBy(() => write("POST", "/api/entries/publish", { id: "quiet/a" }));
  assert.deepEqual(
    published.filter((name) => name.startsWith("c-")),
    sorted(c("quiet"), c("")),
  );
  assert.ok(published.length === 3 && (uuid === "" || published.includes(`e-${uuid}`)));
});

test("a subtree changes each of its entries that were public, and the parents of both places", async () => {
  const a = `e-${(await create("tree/x/a")).uuid}`;
  const top = `e-${(await create("tree/x")).uuid}`;
  const draft = `e-${(await create("tree/x/a/draft", { visibility: "draft" })).uuid}`;
  const hidden = `e-${(await create("tree/x/hide/h", { visibility: "hidden" })).uuid}`;
  const moved = await changedBy(() => write("PUT", "/api/entries", { id: "tree/x", new_id: "wood/y" }));
  const above = [c("tree"), c("tree/x"), c("tree/x/hide"), c("wood"), c("wood/y"), c("wood/y/hide"), c("")];
  assert.deepEqual(moved, sorted(top, a, hidden, ...above));
  assert.ok(!moved.includes(draft));
  const remove = () => world.send("DELETE", "/api/entries", { headers: writing(), body: { id: "wood/y" } });
  const gone = await changedBy(remove);
  assert.deepEqual(gone, sorted(top, a, hidden, c("wood"), c("wood/y"), c("wood/y/hide"), c("")));
  const trash = await world.send("GET", "/api/trash", { headers: writing() });
  const item = (trash.json.data as { id: number; path: string }[]).find(({ path }) => path === "wood/y");
  const back = await changedBy(() => write("POST", "/api/trash/restore", { id: item?.id }));
  assert.deepEqual(back, gone);
  assert.deepEqual(
    await changedBy(() => write("PUT", "/api/entries/copy", { id: "wood/y/a", new_id: "copied/a" })).then((names) =>
      names.filter((name) => name.startsWith("c-")),
    ),
    sorted(c("copied"), c("")),
  );
});

test("files and folders change their paths and the folders above", async () => {
  const above = [d("dir/sub"), d("dir"), d("")];
  assert.deepEqual(await changedBy(() => upload("dir/sub", "a.txt", "a")), sorted(f("dir/sub/a.txt"), ...above));
  const meta = { path: "dir/sub/a.txt", field: "alt", value: "x" };
  assert.deepEqual(await changedBy(() => write("POST", "/api/files/meta", meta)), sorted(f("dir/sub/a.txt"), ...above));
  const copied = await changedBy(() =>
    write("PUT", "/api/files/copy", { path: "dir/sub/a.txt", new_path: "dir/b.txt" }),
  );
  assert.deepEqual(copied, sorted(f("dir/b.txt"), d("dir"), d("")));
  await write("POST", "/api/folders", { path: "dir/sub/empty" });
  const moved = await changedBy(() => write("PUT", "/api/folders", { path: "dir/sub", new_path: "new/sub" }));
  assert.deepEqual(
    moved,
    sorted(
      ...["", "/a.txt", "/empty"].flatMap((name) => [f(`dir/sub${name}`), f(`new/sub${name}`)]),
      ...[d("dir"), d("dir/sub"), d("new"), d("new/sub"), d("")],
    ),
  );
  const gone = await changedBy(async () => {
    await world.send("DELETE", "/api/folders", { headers: writing(), body: { path: "new/sub" } });
  });
  const inside = ["", "/a.txt", "/empty"].map((name) => f(`new/sub${name}`));
  assert.deepEqual(gone, sorted(...inside, d("new"), d("new/sub"), d("")));
  const trash = await world.send("GET", "/api/trash", { headers: writing() });
  const item = (trash.json.data as { id: number; path: string }[]).find(({ path }) => path === "new/sub");
  const back = await changedBy(() => write("POST", "/api/trash/restore", { id: item?.id, new_id: "back" }));
  assert.deepEqual(back, sorted(...["", "/a.txt", "/empty"].map((name) => f(`back${name}`)), d("back"), d("")));
  const again = await changedBy(() => write("PUT", "/api/folders/copy", { path: "back", new_path: "twin" }));
  assert.deepEqual(again, sorted(...["", "/a.txt", "/empty"].map((name) => f(`twin${name}`)), d("twin"), d("")));
});

test("the registry changes the values at, above and below a key, a type what is HTML", async () => {
  const set = (id: string) => changedBy(() => write("PUT", "/api/registry", { id, value: "x" }));
  await set("site.a.title");
  const names = async (id: string) => new Set(await namesOf("/api/delivery/registry", { id }));
  const hits = (groups: string[], read: Set<string>) => groups.some((group) => read.has(group));
  const [site, a, title] = [await names("site"), await names("site.a"), await names("site.a.title")];
  const one = await set("site.a.title");
  assert.ok(hits(one, site) && hits(one, a) && hits(one, title));
  const beside = await set("site.b.title");
  assert.ok(hits(beside, site) && !hits(beside, a) && !hits(beside, title));
  const gone = await changedBy(async () => {
    await world.send("DELETE", "/api/registry", { headers: writing(), body: { id: "site.a" } });
  });
  assert.ok(hits(gone, site) && hits(gone, a) && hits(gone, title));
  const type = { id: "note", title: "Note", paths: ["notes/*"], schema: { type: "object" } };
  assert.deepEqual(await changedBy(() => write("PUT", "/api/types", type)), ["types"]);
});

test("a batch has the groups of all its writes once, and what becomes public by its time has its own", async () => {
  const e: string[] = [];
  const operation = (id: string, data = {}) => ({ method: "POST", path: "/api/entries", body: { id, data } });
  const groups = await changedBy(async () => {
    const reply = await world.send("POST", "/api/batch", {
      headers: writing(),
      body: { operations: [operation("pair/a"), operation("pair/b")] },
    });
    for (const { data } of reply.json.data as { data: Data }[]) e.push(`e-${data.uuid}`);
  });
  assert.deepEqual(groups, sorted(...e, c("pair"), c("")));
  const soon = Math.floor(Date.now() / 1000) + 1;
  const { received } = await receiver;
  const { uuid } = await create("soon/a", { published_at: soon });
  const live = () => received.find(({ json }) => json.data.events[0]?.kind === "entry.live");
  await until(() => live() !== undefined, "not live");
  assert.deepEqual(live()?.json.data.groups.toSorted(), sorted(`e-${uuid}`, c("soon"), c("")));
  const made = received.find(({ json }) => json.data.events[0]?.subject === "soon/a");
  assert.deepEqual(made?.json.data.groups, []);
});
