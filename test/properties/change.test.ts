import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { startWorld, temporaryFolder, until, type World } from "../harness.ts";
import { orLong } from "../long.ts";
import { createDatabase, lacksPostgres } from "../postgres.ts";
import { type Random, random, seed } from "../random.ts";

/**
 * Whatever is written meanwhile, all pages of changes in their order make the list of what is public to a token, and tell it
 * of nothing that never was. Contract, part three, §12; decision 73.
 */

const steps = orLong(60, 1500);
type Site = Omit<World, "ready">;
type Row = { slug: string; uuid: string; visibility: string; published_at: number };
type Change = { op: "put" | "gone"; uuid: string; id: string; entry?: Record<string, unknown> };
type Page = { data: Change[]; cursor: string; has_more: boolean };

/** What one reader of the feed has. */
type Mirror = { token: string; paths: string[] | null; cursor: string | undefined; entries: Map<string, Change> };

const nowSeconds = () => Math.floor(Date.now() / 1000);
const reaches = (paths: string[] | null, id: string) =>
  paths === null || paths.some((path) => id === path || id.startsWith(`${path}/`));
const isListed = ({ visibility, published_at }: Row) => visibility === "visible" && published_at <= nowSeconds();

class Feed {
  readonly sites: Site[];
  readonly pick: Random;
  readonly mirrors: Mirror[] = [];
  /** Of each paths the uuids that were ever public there. */
  readonly public = new Map<string[] | null, Set<string>>();
  rows: Row[] = [];
  readonly tokens: { token: string; paths: string[] | null }[] = [];

  constructor(sites: Site[], pick: Random) {
    this.sites = sites;
    this.pick = pick;
  }

  get site(): Site {
    return this.sites[this.pick(this.sites.length)] as Site;
  }

  async begin(): Promise<void> {
    for (const paths of [null, ["a"], ["b/a", "c"], ["c"]]) {
      const { secret } = await (this.sites[0] as Site).issue(
        "delivery",
        ["entries"],
        paths ? ({ paths } as never) : {},
      );
      this.tokens.push({ token: secret, paths });
      this.public.set(paths, new Set());
    }
  }

  /** Reads one page of a mirror, old or new, and applies it. */
  async read(mirror: Mirror, limit: number, isOracle: boolean): Promise<boolean> {
    const { token, cursor, paths, entries } = mirror;
    const query = { token, limit: String(limit), ...(cursor === undefined ? {} : { cursor }) };
    const reply = await this.site.send("GET", "/api/delivery/changes", { query });
    assert.equal(reply.status, 200, reply.text);
    const page = reply.json as unknown as Page;
    assert.ok(page.data.length <= limit);
    assert.equal(new Set(page.data.map(({ uuid }) => uuid)).size, page.data.length, "an entry twice in a page");
    for (const change of page.data) {
      assert.ok(reaches(paths, change.id), `${change.id} is outside of ${paths}`);
      if (isOracle) assert.ok(this.public.get(paths)?.has(change.uuid), `${JSON.stringify(change)} was never public`);
      if (change.op === "put") entries.set(change.uuid, change);
      else entries.delete(change.uuid);
    }
    mirror.cursor = page.cursor;
    return page.has_more;
  }

  newMirror(): Mirror {
    const of = this.tokens[this.pick(this.tokens.length)] as { token: string; paths: string[] | null };
    const mirror = { ...of, cursor: undefined, entries: new Map() };
    this.mirrors.push(mirror);
    return mirror;
  }

  /** Notes what is public now. */
  note(): void {
    for (const row of this.rows.filter(isListed))
      for (const [paths, uuids] of this.public) if (reaches(paths, row.slug)) uuids.add(row.uuid);
  }

  async look(): Promise<void> {
    this.rows = await this.site.app.stores.rows.snapshot(async (rows) => {
      const all: Row[] = [];
      for await (const batch of rows.rows("entry")) all.push(...(batch as unknown as Row[]));
      return all;
    });
    this.note();
  }

  async write(): Promise<void> {
    const { pick } = this;
    const id = () => Array.from({ length: 1 + pick(3) }, () => "abc"[pick(3)]).join("/");
    /** One that exists, or the top of a subtree. */
    const known = () => {
      const row = this.rows[pick(this.rows.length || 1)];
      if (!row || pick(4) === 0) return id();
      return pick(2) ? row.slug : row.slug.replace(/\/[^/]*$/, "");
    };
    const fields = () => ({
      n: pick(100),
      ...(pick(2) ? {} : { visibility: ["visible", "visible", "draft", "hidden"][pick(4)] }),
      ...(pick(4) ? {} : { published_at: nowSeconds() + pick(4) - 1 }),
    });
    const operation = (): { method: string; path: string; body: object } => {
      const kinds = [
        () => ({ method: "POST", path: "/api/entries", body: { id: id(), data: fields() } }),
        () => ({ method: "POST", path: "/api/entries", body: { id: id(), data: {} } }),
        () => ({ method: "PUT", path: "/api/entries", body: { id: known(), new_id: id() } }),
        () => ({ method: "POST", path: "/api/entries", body: { id: id(), data: fields() } }),
        () => ({ method: "PATCH", path: "/api/entries", body: { id: known(), data: fields() } }),
        () => ({ method: "PUT", path: "/api/entries", body: { id: known(), new_id: id() } }),
        () => ({ method: "PUT", path: "/api/entries/copy", body: { id: known(), new_id: id() } }),
        () => ({ method: "DELETE", path: "/api/entries", body: { id: known() } }),
        () => ({ method: "PATCH", path: "/api/entries/staged", body: { id: known(), data: { n: pick(100) } } }),
        () => ({ method: "POST", path: "/api/entries/publish", body: { id: known() } }),
      ];
      return (kinds[pick(kinds.length)] as (typeof kinds)[0])();
    };
    const { site } = this;
    const { management, access } = (this.sites[0] as Site).token;
    const tokens = { token: management, access_token: access };
    const send = async (method: string, path: string, body: object) => {
      const reply = await site.send(method, path, { body: { ...tokens, ...body } });
      assert.ok(reply.status < 500, reply.text);
    };
    const kind = pick(12);
    if (kind === 0) await send("POST", "/api/batch", { operations: Array.from({ length: 1 + pick(3) }, operation) });
    else if (kind === 1) {
      const { items } = await site.app.stores.trash.list({ limit: 20 } as never).then(
        (found) => ({ items: found as { id: number }[] }),
        () => ({ items: [] as { id: number }[] }),
      );
      const item = items[pick(items.length || 1)];
      if (item) await send("POST", "/api/trash/restore", { id: item.id, ...(pick(2) ? { new_id: id() } : {}) });
    } else if (kind === 2) {
      const at = nowSeconds() - pick(3);
      await send("POST", "/api/entries/restore", { id: known(), at, subtree: true, state: pick(2) === 1 });
    } else {
      const { method, path, body } = operation();
      await send(method, path, body);
    }
  }

  /** What is public to the token of a mirror, as changes have it. */
  private expected({ paths, token }: Mirror): Promise<string[]> {
    const listed = this.rows.filter((row) => isListed(row) && reaches(paths, row.slug));
    return Promise.all(
      listed.map(async ({ slug, uuid }) => {
        const reply = await this.site.send("GET", "/api/entries", { query: { token, id: slug } });
        return JSON.stringify({ op: "put", uuid, id: slug, entry: reply.json.data });
      }),
    );
  }

  /** Reads what every mirror lacks, and compares it with what is public. */
  async compare(said: string): Promise<void> {
    await this.look();
    const isScheduled = ({ visibility, published_at }: Row) => visibility === "visible" && published_at > nowSeconds();
    while (this.rows.some(isScheduled)) await setTimeout(100);
    for (let i = 0; i < 4; i++) this.newMirror();
    const expectedOf = new Map<string, string[]>();
    for (const mirror of this.mirrors) {
      const expected = expectedOf.get(mirror.token) ?? (await this.expected(mirror));
      expectedOf.set(mirror.token, expected);
      const found = () => [...mirror.entries.values()].map((change) => JSON.stringify(change)).sort();
      const isSame = async () => {
        while (await this.read(mirror, 1 + this.pick(50), false));
        return found().join("\n") === expected.sort().join("\n");
      };
      // What became public by its time is told up to three seconds later.
      await until(isSame, () => `${said}, ${mirror.paths}: ${found().join("\n")}\n\n${expected.join("\n")}`, 6000);
    }
  }
}

for (const [engine, skip] of [
  ["SQLite", false],
  ["PostgreSQL", lacksPostgres() ?? false],
] as const) {
  describe(engine, { skip }, () => {
    const sites: Site[] = [];
    before(async () => {
      const env: Record<string, string> =
        engine === "PostgreSQL" ? { OCTAVO_POSTGRES_URL: await createDatabase() } : {};
      for (let i = 0; i < (engine === "PostgreSQL" ? 2 : 1); i++)
        sites.push(await startWorld({ data: temporaryFolder() }, env));
    });
    after(() => Promise.all(sites.map(({ app }) => app.close())));

    /** A feed of the store as earlier tests left it. */
    const open = async (): Promise<Feed> => {
      const feed = new Feed(sites, random(seed));
      await feed.begin();
      return feed;
    };
    test("writes one after another: all that is public is told, and nothing else", async () => {
      const feed = await open();
      const { pick, mirrors } = feed;
      for (let n = 0; n < steps; n++) {
        feed.note();
        await feed.write();
        await feed.look();
        if (pick(10) === 0) feed.newMirror();
        const mirror = mirrors[pick(mirrors.length || 1)];
        if (mirror && pick(2)) await feed.read(mirror, 1 + pick(5), true);
      }
      await feed.compare(`seed ${seed}`);
    });

    test("writes at once", async () => {
      const feed = await open();
      const { pick, mirrors } = feed;
      for (let n = 0; n < steps / 5; n++) {
        if (pick(5) === 0) feed.newMirror();
        await feed.look();
        const read = async () => {
          const mirror = mirrors[pick(mirrors.length || 1)];
          if (mirror) await feed.read(mirror, 1 + pick(10), false);
        };
        await Promise.all([read(), ...Array.from({ length: 5 }, () => feed.write())]);
      }
      await feed.compare(`seed ${seed}`);
    });
  });
}
