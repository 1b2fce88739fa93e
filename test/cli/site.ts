import assert from "node:assert/strict";
import { startWorld } from "../harness.ts";
import { envOf, type Place, type Secrets } from "./answers.ts";

/** Fills a store over HTTP with every kind of content, including the results of moves, copies and deletes. */
export async function fillSite(place: Place): Promise<Secrets> {
  const { OCTAVO_DATA: data = "" } = envOf(place);
  const world = await startWorld({ data }, place.postgresUrl ? { postgres_url: place.postgresUrl } : {});
  const { management, access } = world.token;
  const send = async (method: string, path: string, body: object): Promise<void> => {
    const reply = await world.send(method, path, { body: { token: management, access_token: access, ...body } });
    assert.ok(reply.status < 300, `${method} ${path} ${JSON.stringify(body).slice(0, 100)}: ${reply.text}`);
  };
  const upload = async (folder: string, name: string, bytes: Buffer): Promise<void> => {
    const form = new FormData();
    for (const [field, value] of Object.entries({ token: management, access_token: access, folder }))
      form.set(field, value);
    form.set("file", new File([new Uint8Array(bytes)], name));
    const reply = await fetch(`${world.app.url}/api/files`, { method: "POST", body: form });
    assert.ok(reply.ok, await reply.text());
  };
  try {
    await writeEntries(send);
    await writeReleases(world, send);
    await writeFiles(send, upload);
    await send("PUT", "/api/registry", { id: "site.title", value: "Title" });
    await send("PUT", "/api/registry", { id: "site.title", value: "Füllung" });
    await send("PUT", "/api/registry", { id: "numbers.list", value: [1, 2.5, "1e400"] });
    await writePeople(world, send);
    const hook = { url: "https://8.8.8.8/hook", label: "Füllung", kinds: ["entry.*"], paths: ["news"], state: "off" };
    await send("POST", "/api/webhooks", hook);
    await world.issue("delivery", ["entries"], { limitCalls: 7, label: "few 😀", expiresAt: 4_000_000_000 });
  } finally {
    await world.app.close();
  }
  return { management, access };
}

/** Somebody of each state: invited, active and a writer, disabled, deleted. */
async function writePeople(world: Awaited<ReturnType<typeof startWorld>>, send: Send): Promise<void> {
  await send("PUT", "/api/roles", {
    id: "news",
    title: "News",
    resources: ["entries"],
    paths: ["news"],
    writes: "all",
  });
  const tokens = { token: world.token.management, access_token: world.token.access };
  const invite = async (name: string): Promise<{ id: string; link: string }> => {
    const body = { ...tokens, email: `${name}@example.org`, name, role: "news" };
    return (await world.send("POST", "/api/people", { body })).json.data as { id: string; link: string };
  };
  await invite("Invited");
  const { link } = await invite("Ada");
  const body = { code: new URL(link).hash.replace("#code=", ""), password: "a quiet harbour at noon" };
  const joined = await world.send("POST", "/admin/session/link", { body });
  const { csrf_token: csrf } = joined.json.data as { csrf_token: string };
  const headers = { Cookie: joined.headers.get("set-cookie")?.split(";", 1)[0] as string, "X-CSRF-Token": csrf };
  const made = await world.send("POST", "/api/entries", { body: { id: "news/by-ada", data: {} }, headers });
  assert.equal(made.status, 200, made.text);
  await world.send("DELETE", "/api/entries", { body: { id: "news/by-ada" }, headers });
  await send("PATCH", "/api/people", { id: (await invite("Off")).id, state: "disabled" });
  await send("DELETE", "/api/people", { id: (await invite("Gone")).id });
}

/** One that is published, one that is scheduled, one that is open, and a preview of it. */
async function writeReleases(world: Awaited<ReturnType<typeof startWorld>>, send: Send): Promise<void> {
  const tokens = { token: world.token.management, access_token: world.token.access };
  for (const [n, at] of [undefined, 4_000_000_000, null].entries()) {
    const { data } = (await world.send("POST", "/api/releases", { body: { ...tokens, title: `Frühling ${n}` } })).json;
    const release = (data as { id: string }).id;
    await send("POST", "/api/entries", { id: `release/${n}`, data: { n, visibility: "draft" }, release });
    await send("PATCH", "/api/entries/staged", { id: `large/${n}`, data: { title: `é${n}` }, release });
    await send("POST", "/api/releases/publish", { id: release, ...(at !== undefined && { at }) });
    if (at === null) await send("POST", "/api/tokens/preview", { release });
  }
}

type Send = (method: string, path: string, body: object) => Promise<void>;

const large = 300_000;

async function writeEntries(send: Send): Promise<void> {
  for (let n = 0; n < 80; n++) {
    const data = { n: n / 2, tags: ["é", `t${n % 5}`, n], deep: { text: `x${n}`, empty: {} }, "a.b": null };
    await send("POST", "/api/entries", { id: `list/é${n % 7}-${n}`, data });
  }
  await send("POST", "/api/entries", {
    id: "list",
    data: { title: 'line\u2028end "quoted" \\ 😀', visibility: "draft" },
  });
  const many = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`field${i}`, i]));
  await send("POST", "/api/entries", { id: "many", data: { ...many, n: 1e21, visibility: "hidden" } });
  for (let n = 0; n < 4; n++)
    await send("POST", "/api/entries", { id: `large/${n}`, data: { text: `${n}`.repeat(large) } });
  await send("PUT", "/api/entries", { id: "list", new_id: "moved/deep/list" });
  await send("PUT", "/api/entries/copy", { id: "moved/deep/list", new_id: "copied/list" });
  await send("PATCH", "/api/entries", { id: "many", data: { n: 2 } });
  await send("DELETE", "/api/entries", { id: "copied/list/é1-1" });
}

async function writeFiles(
  send: Send,
  upload: (folder: string, name: string, bytes: Buffer) => Promise<void>,
): Promise<void> {
  for (let n = 0; n < 12; n++)
    await upload(`docs/d${n % 3}`, `note ${n}.txt`, Buffer.from(`text ${n % 5} `.repeat(1 + n * n * 300)));
  await upload("", "at the root.txt", Buffer.from("before"));
  await upload("", "at the root.txt", Buffer.from(""));
  await upload("", "deleted.txt", Buffer.from("only in the trash"));
  await send("DELETE", "/api/files", { path: "deleted.txt" });
  await upload("large", "large.txt", Buffer.alloc(1_100_000, "large "));
  await send("POST", "/api/folders", { path: "empty/below" });
  await send("PUT", "/api/folders", { path: "docs/d0", new_path: "moved/é" });
  await send("PUT", "/api/folders/copy", { path: "docs", new_path: "docs2" });
  await send("DELETE", "/api/folders", { path: "docs/d1" });
  await send("POST", "/api/files/meta", { path: "large/large.txt", field: "alt", value: { de: "groß" } });
}
