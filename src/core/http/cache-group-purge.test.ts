// Slow: starts Varnish, and compares all that it keeps after each write; a minute in the long rounds.
import assert from "node:assert/strict";
import { test } from "node:test";
import { png } from "../../../test/acceptance/media.ts";
import { until, useWorld } from "../../../test/harness.ts";
import { startReceiver } from "../../../test/hook-receiver.ts";
import { orLong } from "../../../test/long.ts";
import { type Random, random, seed } from "../../../test/random.ts";
import { startVarnish, withoutXkey } from "../../../test/varnish.ts";

/**
 * Varnish keeps every reply until a delivery names one of its cache groups: whatever is written, what it keeps then is what the
 * service would answer, and little was removed that had not changed. Contract, part three, §12, Cache groups.
 */

const world = useWorld({
  "webhook-private": "on",
  "public-url": "https://content.example.org",
  "cache-groups": "xkey",
});
/** Writes that are not refused; all that is kept is compared after each. */
const writes = orLong(8, 80);
const settleMs = 30_000;

type Kept = { status: number; etag: string; body: string };

/** The service behind Varnish, which a receiver of a webhook purges. */
class Site {
  varnish = "";
  /** The last event whose groups were purged. */
  purged = 0;
  readonly live: number[] = [];
  private readonly pick: Random;

  constructor(pick: Random) {
    this.pick = pick;
  }

  async begin(): Promise<void> {
    this.varnish = await startVarnish("varnish-purge.vcl", Number(new URL(world.app.url).port));
    const receiver = await startReceiver();
    receiver.answer = async (reply, { json: { data } }) => {
      for (let at = 0; at < data.groups.length; at += 100) await this.purge(data.groups.slice(at, at + 100));
      this.purged = Math.max(this.purged, data.to);
      for (const { kind, sequence } of data.events) if (kind === "entry.live") this.live.push(sequence);
      reply.writeHead(204).end();
    };
    await this.write("POST", "/api/webhooks", { url: receiver.url });
  }

  private async purge(groups: string[]): Promise<void> {
    const reply = await fetch(this.varnish, { method: "PURGE", headers: { "xkey-purge": groups.join(" ") } });
    assert.equal(reply.status, 200);
  }

  private get headers() {
    return { Authorization: `Bearer ${world.token.management}`, "X-Access-Token": world.token.access };
  }

  /** Answers the sequence of a write; 0 for one that is refused, as many random ones are. */
  async write(method: string, path: string, body: object): Promise<number> {
    const reply = await world.send(method, path, { headers: this.headers, body });
    assert.ok(reply.status < 500, reply.text);
    return reply.status < 300 ? Number(reply.headers.get("octavo-sequence")) : 0;
  }

  async upload(folder: string, name: string, bytes: Uint8Array | string): Promise<number> {
    const form = new FormData();
    form.append("folder", folder);
    form.append("file", new Blob([typeof bytes === "string" ? bytes : new Uint8Array(bytes)]), name);
    const reply = await fetch(`${world.app.url}/api/files`, { method: "POST", headers: this.headers, body: form });
    await reply.arrayBuffer();
    return reply.ok ? Number(reply.headers.get("octavo-sequence")) : 0;
  }

  /** Any of them. */
  one<T>(all: readonly T[]): T {
    return all[this.pick(all.length)] as T;
  }

  chance(percent: number): boolean {
    return this.pick(100) < percent;
  }

  async settled(sequence: number): Promise<void> {
    await until(
      () => this.purged >= sequence,
      () => `${sequence} was not delivered`,
      settleMs,
    );
  }
}

const sections = ["a", "b", "c", "d"];
const names = ["w", "x", "y", "z"];
const ids = sections.flatMap((section) => [
  section,
  ...names.flatMap((name) => [`${section}/${name}`, `${section}/${name}/in`]),
]);
const folders = ["pics", "docs", "docs/old"];
const files = folders.flatMap((folder) => [`${folder}/1.png`, `${folder}/2.txt`]);
const keys = ["site", "site.title", "site.menu.top", "mail"];

/** What a site reads. */
function addresses(): string[] {
  const delivery = `token=${world.token.delivery}`;
  const entries = (query: string) => `/api/entries?${delivery}&${query}`;
  return [
    ...ids.map((id) => entries(`id=${id}`)),
    ...ids.map((id) => entries(`id=${id}&include=to,more.to&options[filter][except]=n`)),
    ...sections.flatMap((id) => [
      entries(`id=${id}&filter[limit]=3`),
      entries(`id=${id}&filter[return]=count`),
      entries(`id=${id}&filter[depth]=<=9&include=to`),
      entries(`id=${id}/w&filter`),
      entries(`id=${id}&filter[where][key]=n&filter[where][expr]=eq&filter[where][value]=3`),
    ]),
    entries("id=&filter[depth]=*&filter[only]=title"),
    entries("id=b&render=html"),
    ...files.flatMap((path) => [`/api/files?${delivery}&path=${path}`, `/project/uploads/${path}`]),
    ...folders.flatMap((path) => [
      `/api/files?${delivery}&path=${path}&collection=true`,
      `/api/folders?${delivery}&path=${path}`,
      `/api/folders?${delivery}&path=${path}&collection=true`,
    ]),
    ...files
      .filter((path) => path.endsWith(".png"))
      .flatMap((path) => [
        `/api/images/${path}?token=${world.token.images}&w=2`,
        `/api/images/${path}?token=${world.token.images}&w=2&mark=m.png`,
      ]),
    `/api/images/1.png?token=${world.token.images}&w=3`,
    ...keys.map((id) => `/api/delivery/registry?${delivery}&id=${id}`),
  ];
}

const placeOf = (path: string): [folder: string, name: string] => [
  path.slice(0, path.lastIndexOf("/")),
  path.slice(path.lastIndexOf("/") + 1),
];
const bytesOf = (site: Site, path: string) =>
  path.endsWith("png") ? png({ shade: site.one([1, 90, 200]) }) : `text ${site.one([1, 2, 3, 4])}`;
const dataOf = (site: Site) => ({
  title: site.one(["one", "two", "**three**"]),
  n: site.one([1, 2, 3]),
  to: site.one([site.one(ids), [site.one(ids), site.one(files)], site.one(files), "none/of/it"]),
  more: { to: site.one(ids) },
  ...(site.chance(20) && { visibility: site.one(["visible", "hidden", "draft"]) }),
});

/** Something that an editor does. Answers its sequence. */
async function anyWrite(site: Site): Promise<number> {
  const id = site.one(ids);
  const other = site.one(ids);
  const file = site.one(files);
  const data = () => dataOf(site);
  const write = (method: string, path: string, body: object) => site.write(method, path, body);
  const kinds: [weight: number, () => Promise<number>][] = [
    [20, () => write("PATCH", "/api/entries", { id, data: data() })],
    [12, () => write("POST", "/api/entries", { id, data: data() })],
    [3, () => write("PUT", "/api/entries", { id, new_id: other })],
    [2, () => write("PUT", "/api/entries/copy", { id, new_id: other })],
    [3, () => write("DELETE", "/api/entries", { id })],
    [2, () => write("PATCH", "/api/entries/staged", { id, data: data() })],
    [2, () => write("POST", "/api/entries/publish", { id })],
    [8, () => site.upload(...placeOf(file), bytesOf(site, file))],
    [1, () => site.upload(site.one(["watermarks", "entries"]), site.one(["m.png", "1.png"]), bytesOf(site, "m.png"))],
    [2, () => write("PUT", "/api/files", { path: file, new_path: site.one(files) })],
    [2, () => write("DELETE", "/api/files", { path: file })],
    [3, () => write("PATCH", "/api/files/meta", { path: file, field: "title", value: site.one(["a", "b"]) })],
    [1, () => write("PUT", "/api/folders", { path: site.one(folders), new_path: site.one(folders) })],
    [1, () => write("DELETE", "/api/folders", { path: site.one(folders) })],
    [2, () => write("PUT", "/api/registry", { id: site.one(keys), value: site.one(["a", "b"]) })],
    [1, () => write("DELETE", "/api/registry", { id: site.one(keys) })],
    [1, () => write("PUT", "/api/types", { id: "t", title: "T", paths: ["b/*"], schema: site.one(schemas) })],
    [2, () => restoreAny(site)],
  ];
  const all = kinds.flatMap(([weight, run]) => Array.from({ length: weight }, () => run));
  return site.one(all)();
}

/** What each entry has at first, by its number: what a write needs to change is known of it. */
const firstData = (n: number) => ({
  title: `title ${n}`,
  n: n % 3,
  to: [ids[(n * 7 + 3) % ids.length], files[n % files.length]],
  more: { to: ids[(n * 5 + 1) % ids.length] },
});

/** A write of each kind that an editor makes often. Each answers its sequence. */
const usualWrites = (site: Site): [what: string, () => Promise<number>][] => {
  const write = (method: string, path: string, body: object) => () => site.write(method, path, body);
  return [
    ["a registry item", write("PUT", "/api/registry", { id: "mail", value: "changed" })],
    ["an entry", write("PATCH", "/api/entries", { id: "a/w", data: { title: "other" } })],
    ["an entry that others refer to", write("PATCH", "/api/entries", { id: ids[3], data: { n: 9 } })],
    ["a new entry", write("POST", "/api/entries", { id: "c/new", data: { title: "new" } })],
    ["an entry moves", write("PUT", "/api/entries", { id: "c/new", new_id: "d/new" })],
    ["an entry is deleted", write("DELETE", "/api/entries", { id: "b/z/in" })],
    ["a working copy", write("PATCH", "/api/entries/staged", { id: "a/x", data: { title: "staged" } })],
    ["it is published", write("POST", "/api/entries/publish", { id: "a/x" })],
    ["other bytes of a file", () => site.upload("pics", "1.png", png({ shade: 7 }))],
    ["fields of a file", write("PATCH", "/api/files/meta", { path: "docs/2.txt", field: "title", value: "t" })],
    ["a file is deleted", write("DELETE", "/api/files", { path: "docs/old/2.txt" })],
  ];
};

const schemas = [{ type: "object" }, { properties: { title: { type: "string", contentMediaType: "text/markdown" } } }];

async function restoreAny(site: Site): Promise<number> {
  const headers = { Authorization: `Bearer ${world.token.management}` };
  const { json } = await world.send("GET", "/api/trash", { headers });
  const items = json.data as { id: number }[];
  return items.length === 0 ? 0 : site.write("POST", "/api/trash/restore", { id: site.one(items).id });
}

const keptOf = async (base: string, path: string): Promise<Kept & { isHit: boolean }> => {
  const reply = await fetch(base + path, { headers: { "Accept-Encoding": "identity" } });
  const bytes = Buffer.from(await reply.arrayBuffer());
  // A refusal has the id of its request.
  const body = reply.status === 200 ? bytes.toString("latin1") : String(JSON.parse(bytes.toString()).code);
  // Two numbers: that of this request, and that of the one which brought the reply.
  const isHit = (reply.headers.get("x-varnish") ?? "").includes(" ");
  assert.equal(reply.headers.get("xkey") === null, base !== world.app.url || reply.status !== 200);
  // Varnish fetches what is compressed, and unpacks it.
  const etag = (reply.headers.get("etag") ?? "").replace(/^W\/|-gzip(?=")/g, "");
  return { status: reply.status, etag, body, isHit };
};

/** What Varnish keeps of all addresses, compared with what the service answers after each write. */
class Comparison {
  held = 0;
  removed = 0;
  needless = 0;
  private readonly site: Site;
  private readonly all = addresses();
  private readonly kept = new Map<string, Kept>();

  constructor(site: Site) {
    this.site = site;
  }

  async fetchAll(): Promise<void> {
    for (const path of this.all) this.kept.set(path, await keptOf(this.site.varnish, path));
  }

  async compare(what: string): Promise<void> {
    for (let at = 0; at < this.all.length; at += 16) {
      await Promise.all(this.all.slice(at, at + 16).map((path) => this.look(path, what)));
    }
  }

  private async look(path: string, what: string): Promise<void> {
    const { isHit, ...now } = await keptOf(this.site.varnish, path);
    const { isHit: _, ...fresh } = await keptOf(world.app.url, path);
    const before = this.kept.get(path) as Kept;
    assert.deepEqual(now, fresh, `seed ${seed}, ${what}: ${path}`);
    this.kept.set(path, now);
    if (before.status !== 200) return;
    this.held++;
    if (isHit) return;
    this.removed++;
    if (before.etag === now.etag && before.body === now.body && before.status === now.status) this.needless++;
  }
}

test("after each purge no kept reply differs from a fresh one, and few were removed without need", {
  skip: withoutXkey(),
}, async (t) => {
  const site = new Site(random(seed));
  await site.begin();
  for (const [n, id] of ids.entries()) await site.write("POST", "/api/entries", { id, data: firstData(n) });
  for (const path of files) await site.upload(...placeOf(path), path.endsWith("png") ? png({ shade: 1 }) : "text");
  await site.settled(await site.write("PUT", "/api/registry", { id: "mail", value: "begin" }));
  const usual = new Comparison(site);
  await usual.fetchAll();
  for (const [what, write] of usualWrites(site)) {
    const sequence = await write();
    assert.ok(sequence > 0, what);
    await site.settled(sequence);
    await usual.compare(what);
  }
  t.diagnostic(`${usual.held} kept replies, ${usual.removed} removed, ${usual.needless} of them without need`);
  // Of random writes it is not asked: what they change depends on what is drawn.
  assert.ok(usual.needless < usual.held / 10, `${usual.needless} of ${usual.held}`);
  assert.ok(usual.removed > usual.needless);
  for (let i = 0; i < 20; i++) await anyWrite(site);
  // The last write may have been refused.
  await site.settled(await site.write("PUT", "/api/registry", { id: "mail", value: "drawn" }));
  const drawn = new Comparison(site);
  await drawn.fetchAll();
  for (let made = 0; made < writes; ) {
    const sequence = await anyWrite(site);
    if (sequence === 0) continue;
    await site.settled(sequence);
    made++;
    await drawn.compare(`event ${sequence}`);
  }
  // What becomes public by its time.
  const soon = Math.floor(Date.now() / 1000) + 1;
  await site.write("DELETE", "/api/entries", { id: "a/x" });
  const sequence = await site.write("POST", "/api/entries", { id: "a/x", data: { n: 3, published_at: soon } });
  assert.ok(sequence > 0);
  await site.settled(sequence);
  await drawn.fetchAll();
  await until(() => site.live.some((at) => at > sequence), "not live", settleMs);
  await drawn.compare("live");
  t.diagnostic(
    `${writes} writes, ${drawn.held} kept replies, ${drawn.removed} removed, ${drawn.needless} without need`,
  );
});
