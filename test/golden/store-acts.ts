import type { Args, Ask, Reply } from "./store-site.ts";

/** The further acts on an old store. What is refused is an answer, too. */

/** What of a row the acts look at. */
type Row = { id: number | string; path: string; title: string; revision: number; replaced_at: number };

/** Noon of 1 January 2100: `scripts/old-store.ts` schedules for it. */
export const later = 4_102_488_000;

/** Sections that are restored as they were when the content of this entry began, and just before. */
const sections = {
  deep: "deep/a",
  "deep/a/b": "deep/a/b/c/d",
  articles: "articles/four",
  rel: "rel/c1",
  wide: "wide/59",
  "": "long",
};

export class StoreActs {
  private readonly ask: Ask;

  constructor(ask: Ask) {
    this.ask = ask;
  }

  private send(method: string, path: string, args: Args, who = "editor"): Promise<Reply> {
    return this.ask(who, method, `/api/${path}`, args);
  }

  private async rows(path: string, args: Args = {}): Promise<Row[]> {
    const { status, data } = await this.ask("editor", "GET", `/api/${path}`, { limit: 1000, ...args });
    return status === 200 ? (data as Row[]) : [];
  }

  private restore = (args: Args) => this.send("POST", "entries/restore", args);
  private stage = (id: string, data: object, who?: string) => this.send("PATCH", "entries/staged", { id, data }, who);
  private publish = (id: string, more: object = {}) => this.send("POST", "entries/publish", { id, ...more });
  private discard = (id: string, more: object = {}, who?: string) =>
    this.send("DELETE", "entries/staged", { id, ...more }, who);
  private remove = (id: string, more: object = {}) => this.send("DELETE", "entries", { id, ...more });

  /** Restores the newest item of the trash with this path. */
  private async undelete(path: string, newId?: string): Promise<void> {
    const items = await this.rows("trash", { search: path });
    const { id = 0 } = items.find((item) => item.path === path) ?? {};
    await this.send("POST", "trash/restore", { id, new_id: newId });
  }

  /** Every revision of the entry is restored, the oldest first, and what is not kept is refused. */
  private async restoreRevisions(id: string, more: object = {}): Promise<void> {
    const rows = await this.rows("entries/history", { id });
    for (const { revision } of rows.reverse()) await this.restore({ id, revision, ...more });
    for (const revision of [1, (rows[0]?.revision ?? 0) + 1, 9_999_999]) await this.restore({ id, revision, ...more });
  }

  /** What the present contents of the entry replaced began at these times. */
  private async timesOf(id: string): Promise<number[]> {
    const rows = await this.rows("entries/history", { id });
    return rows.map(({ replaced_at }) => replaced_at).reverse();
  }

  private async releaseOf(title: string): Promise<string> {
    const rows = await this.rows("releases");
    return String(rows.find((row) => row.title === title)?.id ?? "none");
  }

  private async release(verb: "publish" | "undo", title: string, more: object = {}): Promise<void> {
    await this.send("POST", `releases/${verb}`, { id: await this.releaseOf(title), ...more });
  }

  /** On the films that every store has. */
  async films(): Promise<void> {
    await this.restoreRevisions("films/alien");
    await this.stage("films/alien", { year: 1999, more: "staged" });
    await this.stage("films/alien", { tags: null }, "author");
    await this.send("PATCH", "entries", { id: "films/alien", data: { year: 2000 } });
    await this.publish("films/alien", { current: true });
    await this.discard("films/alien", { keys: ["more"] });
    await this.publish("films/alien");
    await this.publish("films/solaris", { at: later });
    await this.stage("films/solaris", { year: 1 });
    await this.publish("films/solaris", { at: null });
    await this.stage("films/alien", { year: 3000 });
    await this.remove("films/alien");
    await this.undelete("films/alien");
    await this.remove("films");
    await this.send("POST", "entries", { id: "films", data: { title: "Another" } });
    await this.undelete("films");
    await this.remove("films", { purge: true });
    await this.undelete("films");
    const { data } = await this.send("POST", "releases", { title: "Films" });
    const release = String((data as { id?: string }).id);
    await this.send("PATCH", "entries/staged", { id: "films/alien", release });
    await this.release("publish", "Films", { dry_run: true });
    await this.release("publish", "Films");
    await this.release("undo", "Films");
    await this.restore({ id: "films", at: 1, subtree: true });
    for (const at of (await this.timesOf("films/alien")).slice(-3))
      await this.restore({ id: "films", at, subtree: true });
  }

  /** On what `scripts/old-store.ts` has made. */
  async everything(): Promise<void> {
    await this.histories();
    await this.trash();
    await this.copies();
    await this.releases();
    await this.files();
    await this.batch();
  }

  private async histories(): Promise<void> {
    for (const id of ["long", "gap", "deep/a/b/c/d", "archive/2026/news/x", "articles/by-ada"])
      await this.restoreRevisions(id);
    await this.restoreRevisions("deep/a/b", { state: true });
    const headers = { "If-Match": '"1"' };
    await this.send("POST", "entries/restore", { headers, id: "long", revision: 1 });
    await this.restore({ id: "sections/news/x", revision: 200 });
    for (const [id, changed] of Object.entries(sections)) {
      const times = await this.timesOf(changed);
      for (const at of [...times, ...times.map((time) => time - 1), 1_767_800_000, 1_768_200_000])
        for (const state of [undefined, true]) await this.restore({ id, at, subtree: true, state });
    }
  }

  private async trash(): Promise<void> {
    for (const newId of [undefined, "again/newer", "again/older"]) await this.undelete("again", newId);
    await this.restoreRevisions("again/newer");
    await this.restoreRevisions("again/older");
    for (const newId of [undefined, "came/gone"]) await this.undelete("gone", newId);
    await this.undelete("gone/tree/leaf", "came/gone/tree/leaf");
    await this.undelete("articles/nine", "articles/ten");
    await this.restoreRevisions("articles/ten");
    await this.publish("articles/ten");
    await this.publish("came/gone/tree");
    await this.discard("came/gone/other", {}, "author");
    for (const path of ["elsewhere/below/b", "rel/o3", "rel/l2", "wide/30"]) await this.undelete(path);
    for (const newId of [undefined, "twice/newer.txt", "twice/older.txt"]) await this.undelete("twice/same.txt", newId);
    for (const newId of [undefined, "came/album"]) await this.undelete("album", newId);
    await this.remove("deep/x/y/z");
    await this.send("DELETE", "trash", { id: (await this.rows("trash"))[0]?.id ?? 0 });
    await this.remove("deep");
    await this.send("POST", "entries", { id: "deep/a", data: { title: "At its place" } });
    for (const newId of [undefined, "deeper"]) await this.undelete("deep", newId);
    await this.restore({ id: "deeper", at: 1_768_000_000, subtree: true, state: true });
    await this.send("DELETE", "trash", { id: 1 }, "section");
    await this.remove("articles");
    await this.undelete("articles");
  }

  private async copies(): Promise<void> {
    for (const key of ["year", "tags"]) await this.discard("films/alien", { keys: [key] }, "author");
    await this.discard("films/stalker", { keys: ["routable"] });
    await this.discard("films/stalker", { keys: ["routable"] }, "author");
    await this.publish("films/stalker");
    await this.publish("odd", { current: true });
    await this.publish("odd");
    await this.restoreRevisions("odd");
    await this.discard("long");
    await this.discard("articles/three");
    await this.publish("articles/three", { at: null });
    await this.stage("articles/three", { rating: 2 });
    await this.publish("articles/three");
    await this.publish("articles/one", { at: later + 300 });
    await this.publish("articles/draft", { at: null });
    await this.publish("articles/draft");
    await this.send("PATCH", "entries", { id: "articles/draft", data: { visibility: "draft" } });
    await this.publish("articles/fails-copy-0");
    await this.stage("articles/fails-copy-0", { stars: 4 });
    await this.publish("articles/fails-copy-0");
    await this.send("PUT", "entries", { id: "articles/five", new_id: "articles/moved-five" });
    await this.send("PUT", "entries", { id: "archive/2026/news", new_id: "sections/back" });
    await this.publish("sections/back/x");
    await this.restoreRevisions("sections/back/x");
    const move = { id: "authors/le-guin", new_id: "authors/ursula", update_references: true };
    await this.send("PUT", "entries", move);
    await this.remove("authors/lem", { restrict: true });
    await this.publish("articles/eight");
    await this.publish("wide/59");
  }

  private async releases(): Promise<void> {
    for (const title of ["open é", "undone", "fails 0", "spare", "published"])
      await this.release("publish", title, { dry_run: true });
    await this.release("publish", "open é", { current: true });
    await this.release("publish", "open é");
    await this.stage("rel/scheduled-draft", { n: 1 });
    await this.release("publish", "scheduled", { at: null });
    await this.stage("rel/s1", { n: 2 });
    await this.release("publish", "scheduled", { at: later + 180 });
    await this.remove("rel");
    await this.release("undo", "published");
    await this.undelete("rel");
    for (const title of ["published", "good", "changed", "lost", "staged-since", "open é", "undone", "forgotten"])
      await this.release("undo", title);
    // Outdated again by what the copies of the release were staged on.
    await this.send("PATCH", "entries", { id: "rel/p2", data: { n: 55, by: "live" } });
    for (const id of ["rel/p1", "rel/p2"]) await this.rows("entries/staged/outdated", { id, limit: undefined });
    for (const key of ["n", "by"]) await this.discard("rel/p2", { keys: [key] }, "author");
    await this.discard("rel/t1");
    await this.release("undo", "staged-since");
    await this.release("publish", "undone");
    await this.restoreRevisions("rel/moved/u1");
    await this.release("undo", "undone");
    await this.stage("articles/fails-release-0", { stars: 3 });
    await this.release("publish", "fails 0");
    await this.release("publish", "previewed");
    await this.send("DELETE", "releases", { id: await this.releaseOf("spare") });
    await this.send("DELETE", "releases", { id: await this.releaseOf("changed") });
    await this.send("PATCH", "entries/staged", { id: "rel/p1", release: null });
    await this.restore({ id: "rel", at: 1_768_200_000, subtree: true });
  }

  private async files(): Promise<void> {
    for (const path of [
      "docs/note.txt",
      "docs/moved/copy.txt",
      "docs/many.txt",
      "came/back/a.txt",
      "came/album/a.txt",
      "twice/older.txt",
    ]) {
      const rows = await this.rows("files/history", { path });
      for (const { revision } of rows.reverse()) await this.send("POST", "files/restore", { path, revision });
      await this.send("POST", "files/restore", { path, revision: 1 });
    }
    for (const id of ["gone.key", "back.key", "site.title", "site.value", "many.key", "again.key"]) {
      const rows = await this.rows("registry/history", { id });
      for (const { revision } of rows.reverse()) await this.send("POST", "registry/restore", { id, revision });
    }
  }

  /** All or none, with results of its own writes. */
  private async batch(): Promise<void> {
    const operation = (method: string, path: string, body: object) => ({ method, path: `/api/${path}`, body });
    const operations = [
      operation("PATCH", "entries/staged", { id: "articles/two", data: { rating: 1 } }),
      operation("POST", "entries/publish", { id: "articles/two" }),
      operation("POST", "entries/restore", { id: "articles/two", revision: 60 }),
      operation("DELETE", "entries", { id: "articles/six" }),
      operation("POST", "entries", { id: "articles/six", data: { title: "Six again" } }),
      operation("DELETE", "entries/staged", { id: "articles/by-ada" }),
    ];
    await this.send("POST", "batch", { operations, dry_run: true });
    await this.send("POST", "batch", { operations });
    await this.send("POST", "batch", {
      operations: [operations[0], operation("DELETE", "entries", { id: "nowhere" })],
    });
  }
}
