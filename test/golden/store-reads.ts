import type { Args, Ask } from "./store-site.ts";

/** Every read that shows what entries, files and registry items say, said before, or will say. */

type Row = Record<string, string>;

/** Where the readers of the feed of changes and of the log were at the last round. */
export type Places = { cursor?: string; since?: number };

export async function readEverything(ask: Ask, places: Places, readers: readonly string[]): Promise<void> {
  const reader = new StoreReader(ask, readers);
  await reader.lists();
  await reader.entries();
  await reader.pages();
  await reader.releases();
  await reader.files();
  await reader.registry();
  await reader.log(places);
  for (const path of ["stats", "tokens", "people", "roles", "types", "webhooks", "tokens/preview"])
    await ask("editor", "GET", `/api/${path}`);
}

const management = "/api/management/entries";
const delivery = "/api/delivery/entries";
const staged = "/api/entries/staged";

const where = (key: string, expr: string, value: string) => ({ where: { key, expr, value } });

const filters: object[] = [
  { depth: "*" },
  { depth: "*", total: true, limit: 3 },
  { depth: "*", order_by: { field: "title", direction: "desc" }, only: ["slug", "title"] },
  { depth: "*", order_by: { field: "published_at" }, only: ["slug", "published_at"] },
  { depth: "*", order_by: { field: "modified_at", direction: "desc" }, only: ["slug", "modified_at"] },
  { depth: "*", ...where("n", "gte", "10"), only: ["slug", "n"] },
  { depth: "*", ...where("year", "in", "1980"), total: true },
  { depth: "*", ...where("title", "contains", "staged"), only: ["slug", "title"] },
  { depth: "*", ...where("visibility", "neq", "visible"), only: ["slug", "visibility"] },
  { depth: "*", search: "words text", only: ["slug"] },
  { depth: "*", return: "count" },
  { depth: "*", include: "author,related,cover", only: ["slug", "author"] },
];

/** More would only repeat what is said of their like. */
const isRead = (slug: string): boolean => !/^wide\/([1-4]|0[1-9])/.test(slug);

class StoreReader {
  private readonly ask: Ask;
  /** The tokens that read what is public, and more. */
  private readonly readers: readonly string[];

  constructor(ask: Ask, readers: readonly string[]) {
    this.ask = ask;
    this.readers = readers;
  }

  private async rows(who: string, path: string, args?: Args): Promise<Row[]> {
    const { status, data } = await this.ask(who, "GET", path, args);
    return status === 200 && typeof data === "object" && data !== null ? Object.values(data) : [];
  }

  async lists(): Promise<void> {
    for (const filter of filters) {
      const args = { id: "", filter };
      await this.ask("editor", "GET", management, args);
      await this.ask("editor", "GET", staged, args);
      for (const reader of this.readers) await this.ask(reader, "GET", delivery, args);
    }
    await this.ask("section", "GET", management, { id: "", filter: { depth: "*", total: true } });
    await this.ask("delivery", "GET", delivery, { id: "articles", filter: { limit: 100 }, render: "html" });
  }

  async entries(): Promise<void> {
    const filter = { depth: "*", only: ["slug", "fieldset"] };
    const slugs = (await this.rows("editor", management, { id: "", filter })).map(({ slug = "" }) => slug);
    const parents = new Set(slugs.map((slug) => slug.slice(0, Math.max(0, slug.lastIndexOf("/")))));
    for (const id of slugs.filter(isRead)) await this.entry(id);
    for (const id of parents) await this.ask("editor", "GET", `${management}/children`, { id });
    for (const id of ["purged", "rel/l1", "again", "gone/other"]) await this.ask("editor", "GET", management, { id });
    for (const id of slugs.filter((slug) => /^(authors|articles)\//.test(slug)))
      await this.ask("editor", "GET", "/api/entries/references", { id });
  }

  private async entry(id: string): Promise<void> {
    const { ask } = this;
    await ask("editor", "GET", management, { id });
    await ask("editor", "GET", staged, { id });
    for (const reader of this.readers) await ask(reader, "GET", delivery, { id });
    const history = await this.rows("editor", "/api/entries/history", { id });
    for (const { revision = "" } of history) await ask("editor", "GET", management, { id, revision });
    const [newest] = history;
    if (newest) await ask("editor", "GET", management, { id, revision: Number(newest.revision) + 1 });
    const oldest = history.at(-1);
    if (oldest) await ask("editor", "GET", management, { id, revision: Number(oldest.revision) - 1 });
  }

  /** Lists in pages, whose cursors are made of keys of rows. */
  async pages(): Promise<void> {
    await this.pagesOf("/api/trash", {});
    for (const args of [{}, { noun: "entry" }, { noun: "folder" }, { noun: "file" }, { search: "GONE" }])
      for (const who of ["editor", "section", "author"]) await this.ask(who, "GET", "/api/trash", args);
    await this.pagesOf("/api/entries/staged/list", {});
    for (const { id = "" } of await this.rows("editor", "/api/entries/staged/list"))
      await this.ask("editor", "GET", "/api/entries/staged/outdated", { id });
    await this.ask("section", "GET", "/api/entries/staged/list");
    await this.pagesOf("/api/entries/history", { id: "long" });
    await this.pagesOf("/api/releases", {});
    for (const args of [{}, { limit: 100 }, { mine: true }, { visibility: "draft" }])
      for (const who of ["editor", "second", "section"]) await this.ask(who, "GET", "/api/entries/recent", args);
  }

  private async pagesOf(path: string, args: Args): Promise<void> {
    let page = await this.ask("editor", "GET", path, { ...args, limit: 3 });
    while (page.cursor) page = await this.ask("editor", "GET", path, { ...args, limit: 3, cursor: page.cursor });
  }

  async releases(): Promise<void> {
    for (const { id = "" } of await this.rows("editor", "/api/releases")) {
      for (const who of ["editor", "section"]) {
        await this.ask(who, "GET", "/api/releases", { id });
        await this.ask(who, "GET", "/api/releases/entries", { id });
      }
    }
  }

  async files(): Promise<void> {
    const below = { path: "", options: { collection: true, filter: { depth: "*" } } };
    await this.ask("editor", "GET", "/api/folders", below);
    await this.ask("delivery", "GET", "/api/files", below);
    for (const { url = "" } of await this.rows("editor", "/api/files", below)) {
      const path = decodeURIComponent(url.replace("project/uploads/", ""));
      for (const who of ["editor", "section"]) await this.ask(who, "GET", "/api/files", { path });
      await this.ask("delivery", "GET", `/${url}`);
      await this.ask("editor", "GET", "/api/files/references", { path });
      await this.ask("editor", "GET", "/api/media/files/history", { id: path });
      for (const { revision = "" } of await this.rows("editor", "/api/files/history", { path })) {
        await this.ask("editor", "GET", "/api/files/history/state", { path, revision });
        await this.ask("editor", "GET", "/api/files/history/bytes", { path, revision });
      }
    }
  }

  async registry(): Promise<void> {
    const live = await this.rows("editor", "/api/registry/items", { id: "" });
    for (const id of new Set([...live.map(({ key = "" }) => key), "gone.key", "back.key"])) {
      await this.ask("delivery", "GET", "/api/delivery/registry", { id });
      for (const { revision = "" } of await this.rows("editor", "/api/registry/history", { id }))
        await this.ask("editor", "GET", "/api/registry/history/state", { id, revision });
    }
  }

  /** From the beginning, and from where the last round ended. */
  async log(places: Places): Promise<void> {
    const events = await this.rows("editor", "/api/events", { limit: 1000, since: places.since });
    places.since = Number(events.at(-1)?.sequence ?? places.since);
    await this.ask("editor", "GET", "/api/events", { limit: 20, newest: true });
    const feed = "/api/delivery/changes";
    await this.ask("delivery", "GET", feed, { limit: 1000, only: "id" });
    if (places.cursor) await this.ask("delivery", "GET", feed, { limit: 1000, cursor: places.cursor });
    const { cursor } = await this.ask("delivery", "GET", feed, { limit: 1000 });
    if (cursor) places.cursor = cursor;
  }
}
