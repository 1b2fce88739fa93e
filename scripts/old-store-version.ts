import { article, type Body, later, type OldSite } from "./old-store-content.ts";

/** What replaced, deleted and staged contents the store of scripts/old-store.ts has. */

export async function fillVersions(site: OldSite): Promise<void> {
  site.passDays(3);
  await makeHistory(site);
  await moveParents(site);
  site.passDays(3);
  await makeTrash(site);
  await makeFileTrash(site);
  site.passDays(3);
  await makeCopies(site);
  await makeReleases(site);
  await makeFailures(site);
  await restoreWide(site);
  await makePreviews(site);
}

/** Many revisions; some that were not kept, since history was off; some that were trimmed; some that were restored. */
async function makeHistory({ send, passDays, restart, runChore }: OldSite): Promise<void> {
  const change = (id: string, data: Body, as?: string) => send("PATCH", "/api/entries", { id, data }, as);
  await send("POST", "/api/entries", { id: "long", data: { title: "Long", n: 0 } });
  for (let n = 1; n < 10; n++) await change("long", { n, [`key${n}`]: "x".repeat(n) }, n % 2 ? "editor" : "second");
  await send("POST", "/api/entries", { id: "gap", data: { title: "Gap", n: 0 } });
  for (const n of [1, 2]) await change("gap", { n });
  await restart({ "history-keep-rows": "0" });
  for (const n of [3, 4]) await change("gap", { n });
  await change("deep/a", { title: "Not kept" });
  await restart({ "history-keep-rows": "5" });
  for (const n of [5, 6]) await change("gap", { n });
  await runChore("trim history");
  await restart();
  await change("long", { n: 10 });
  const state = { visibility: "draft", published_at: 1_600_000_000, published_by: "desk", routable: false };
  await change("deep/a/b", { title: "Hidden for a while", ...state });
  await change("deep/a/b", { title: "Back", visibility: "visible" });
  const at = passDays(1);
  for (const id of ["deep", "deep/a", "deep/a/b", "deep/a/b/c"])
    await change(id, { text: `changed at ${id}`, extra: id });
  await send("POST", "/api/entries/restore", { id: "deep/a", at, subtree: true });
  const { sequence } = await change("deep/a/b/c/d", { title: "Once" });
  await change("deep/a/b/c/d", { title: "Twice", visibility: "hidden" });
  await send("POST", "/api/entries/restore", { id: "deep/a/b/c/d", revision: sequence, state: true });
}

async function moveParents({ send }: OldSite): Promise<void> {
  const create = (id: string, data: Body) => send("POST", "/api/entries", { id, data });
  for (const id of ["sections", "sections/news", "sections/news/x", "sections/news/x/y"])
    await create(id, { id, n: 0 });
  await send("PATCH", "/api/entries", { id: "sections/news/x", data: { n: 1 } });
  await send("PATCH", "/api/entries/staged", { id: "sections/news/x", data: { staged: "goes along" } });
  await send("PUT", "/api/entries", { id: "sections/news", new_id: "archive/2026/news" });
  await send("PATCH", "/api/entries", { id: "archive/2026/news/x", data: { n: 2 } });
  await create("sections/news", { title: "Another at the old place" });
  await send("PUT", "/api/entries/copy", { id: "archive/2026/news", new_id: "copied/news" });
  await send("PATCH", "/api/entries", { id: "copied/news/x", data: { n: 3 } });
  const staged = { author: "authors/strugatsky", body: "By [them](/authors/strugatsky)." };
  await send("PATCH", "/api/entries/staged", { id: "articles/eight", data: staged });
  const move = { id: "authors/strugatsky", new_id: "authors/brothers", update_references: true };
  await send("PUT", "/api/entries", move);
}

/** Deleted once, twice, with copies, and restored: where it was, elsewhere, and not. */
async function makeTrash({ send }: OldSite): Promise<void> {
  const create = (id: string, data: Body) => send("POST", "/api/entries", { id, data });
  const change = (id: string, data: Body) => send("PATCH", "/api/entries", { id, data });
  const remove = async (id: string): Promise<number> => {
    const { sequence } = await send("DELETE", "/api/entries", { id });
    return sequence;
  };
  for (const n of [1, 2, 3]) {
    await create("again", { title: `The same id, ${n}`, n });
    await change("again", { n: n * 10 });
    if (n < 3) await remove("again");
  }
  for (const id of ["gone", "gone/tree", "gone/tree/leaf", "gone/other"])
    await create(id, { id, author: "authors/lem" });
  await change("gone/tree", { n: 1 });
  await change("gone/tree/leaf", { n: 1, visibility: "draft" });
  await send("PATCH", "/api/entries/staged", { id: "gone/tree", data: { n: 2, author: "authors/le-guin" } });
  await send("PATCH", "/api/entries/staged", { id: "gone/other", data: { visibility: "hidden" } }, "author");
  await remove("gone/tree/leaf");
  await remove("gone");
  await create("gone/tree", { title: "At a place that the trash has, too" });
  for (const id of ["back", "back/a", "back/b"]) await create(id, { id });
  await change("back/a", { n: 1 });
  await send("PATCH", "/api/entries/staged", { id: "back/a", data: { n: 2 } });
  await send("POST", "/api/trash/restore", { id: await remove("back") });
  await change("back/a", { n: 3 });
  await send("POST", "/api/trash/restore", { id: await remove("back/b"), new_id: "elsewhere/below/b" });
  await remove("elsewhere/below/b");
  await create("purged", { title: "For good" });
  await change("purged", { n: 1 });
  await send("DELETE", "/api/entries", { id: "purged", purge: true });
  await create("purged/later", { title: "For good, later" });
  await send("DELETE", "/api/trash", { id: await remove("purged/later") });
  const typed = { title: "Nine", author: "authors/lem", related: ["articles/one", "articles/two"] };
  await create("articles/nine", typed);
  await change("articles/nine", { rating: 4 });
  await send("PATCH", "/api/entries/staged", { id: "articles/nine", data: { rating: 5, related: ["articles/six"] } });
  await remove("articles/nine");
}

async function makeFileTrash({ send, upload, runChore }: OldSite): Promise<void> {
  const remove = async (noun: string, path: string): Promise<number> => {
    const { sequence } = await send("DELETE", `/api/${noun}`, { path });
    return sequence;
  };
  for (const n of [1, 2]) {
    await upload("twice", "same.txt", Buffer.from(`same ${n}\n`));
    await upload("twice", "same.txt", Buffer.from(`same ${n}, replaced\n`));
    await remove("files", "twice/same.txt");
  }
  await upload("twice", "same.txt", Buffer.from("same, live\n"));
  for (const path of ["album/a.txt", "album/in/b.txt", "album/in/c.txt"]) {
    const at = path.lastIndexOf("/");
    await upload(path.slice(0, at), path.slice(at + 1), Buffer.from(`${path}\n`));
  }
  await upload("album", "a.txt", Buffer.from("replaced\n"));
  await send("POST", "/api/files/meta", { path: "album/in/b.txt", field: "alt", value: "In the trash" });
  await remove("folders", "album");
  await upload("album", "a.txt", Buffer.from("at the place again\n"));
  await upload("back", "a.txt", Buffer.from("comes back\n"));
  await upload("back", "a.txt", Buffer.from("comes back, replaced\n"));
  await send("POST", "/api/trash/restore", { id: await remove("folders", "back"), new_id: "came/back" });
  await upload("", "purged.txt", Buffer.from("for good\n"));
  await send("DELETE", "/api/files", { path: "purged.txt", purge: true });
  await runChore("clear the trash");
}

const mergePatch = { headers: { "Content-Type": "application/merge-patch+json" } };

/** Of several authors, with removed keys and fields, outdated, scheduled; and drafts. */
async function makeCopies({ send, passDays }: OldSite): Promise<void> {
  const stage = (id: string, data: Body, as?: string) => send("PATCH", "/api/entries/staged", { id, data }, as);
  await stage("films/alien", { title: "Alien, staged", year: 1981, published_by: "desk" });
  await stage("films/alien", { tags: ["staged"] }, "author");
  await stage("films/alien", { year: 1982, minutes: 117 }, "second");
  await send("PATCH", "/api/entries", { id: "films/alien", data: { tags: ["horror"], minutes: 118 } });
  await send("PATCH", "/api/entries/staged", {
    ...mergePatch,
    id: "odd",
    data: { real: null, list: null, more: { a: 1 } },
  });
  await stage("odd", { real: 2 }, "second");
  await send("PATCH", "/api/entries", { id: "odd", data: { list: [2] } });
  await stage("films/stalker", { visibility: "visible", routable: true, published_at: later });
  await stage("films/solaris", { year: 1973 }, "author");
  await stage("articles/one", { title: "One, staged", author: "authors/le-guin", cover: "pictures/dot.png" });
  await stage("articles/two", { rating: 3 });
  await send("DELETE", "/api/entries/staged", { id: "articles/two" });
  await stage("articles/three", { rating: 7, body: "Scheduled" });
  await send("POST", "/api/entries/publish", { id: "articles/three", at: later });
  await send("POST", "/api/entries", { id: "articles/draft", data: { title: "A draft", visibility: "draft" } });
  await send("POST", "/api/entries/publish", { id: "articles/draft", at: later + 60 });
  await stage("articles/four", { rating: 6 });
  await send("POST", "/api/entries/publish", { id: "articles/four" });
  await stage("articles/four", { rating: 7 });
  await stage("articles/five", { rating: 8 });
  await send("POST", "/api/entries/publish", { id: "articles/five", at: later + 120 });
  // Two of the same time, and one that is deleted before it.
  await send("POST", "/api/entries", { id: "articles/trashed", data: { title: "In the trash at its time" } });
  for (const id of ["six", "seven", "trashed"]) {
    await stage(`articles/${id}`, { rating: 8 });
    await send("POST", "/api/entries/publish", { id: `articles/${id}`, at: later + 150 });
  }
  await send("DELETE", "/api/entries", { id: "articles/trashed" });
  await stage("long", { n: 1000, key1: "staged" });
  passDays(1);
  await send("PATCH", "/api/entries", { id: "long", data: { n: 11 } });
}

const previewDays = 30;

/** Of everything, and of a release. They last a month, so they are made last. */
async function makePreviews({ send, issue, passDays }: OldSite): Promise<void> {
  const { id: release } = (await send("POST", "/api/releases", { title: "previewed" })).data as unknown as {
    id: string;
  };
  await send("PATCH", "/api/entries/staged", { id: "wide/58", data: { n: 5800 }, release });
  await send("POST", "/api/entries", { id: "wide/draft", data: { title: "New", visibility: "draft" }, release });
  const preview = { kind: "preview", resources: ["entries", "files"], expiresAt: passDays(previewDays) };
  passDays(-previewDays);
  await issue("preview", preview);
  await issue("release", { ...preview, release });
}

/** Open, scheduled, published, undone, changed since, with an entry that moved, was deleted or purged; and deleted ones. */
async function makeReleases({ send, passDays, restart }: OldSite): Promise<void> {
  const release = async (title: string, ids: readonly string[]): Promise<string> => {
    const { id = "" } = (await send("POST", "/api/releases", { title })).data;
    for (const [n, entry] of ids.entries()) {
      const slug = `rel/${entry}`;
      await send("POST", "/api/entries", { id: slug, data: { title: entry, n: 0, old: true } });
      await send("PATCH", "/api/entries", { id: slug, data: { n: 1 } });
      await send("PATCH", "/api/entries/staged", {
        ...mergePatch,
        id: slug,
        data: { n: n + 10, old: null, published_by: title },
        release: id,
      });
      await send("PATCH", "/api/entries/staged", { id: slug, data: { by: "author" } }, "author");
    }
    const draft = { id: `rel/${title}-draft`, data: { title: "New in a release", visibility: "draft" }, release: id };
    await send("POST", "/api/entries", draft);
    return id;
  };
  const publish = (id: string, at?: number) => send("POST", "/api/releases/publish", { id, ...(at && { at }) });
  await send("POST", "/api/entries", { id: "rel", data: { title: "In releases" } });
  const open = await release("open", ["o1", "o2", "o3"]);
  await send("PATCH", "/api/entries", { id: "rel/o1", data: { n: 5 } });
  await send("DELETE", "/api/entries", { id: "rel/o3" });
  await publish(await release("scheduled", ["s1", "s2", "s3"]), later + 180);
  await send("DELETE", "/api/entries", { id: "rel/s3" });
  await publish(await release("same-time", ["e1"]), later + 180);
  await publish(await release("published", ["p1", "p2"]));
  const undone = await release("undone", ["u1", "u2"]);
  await publish(undone);
  await send("PUT", "/api/entries", { id: "rel/u1", new_id: "rel/moved/u1" });
  passDays(1);
  await send("POST", "/api/releases/undo", { id: undone });
  await publish(await release("changed", ["c1", "c2"]));
  await send("PATCH", "/api/entries", { id: "rel/c1", data: { n: 99 } });
  await publish(await release("lost", ["l1", "l2", "l3"]));
  await send("DELETE", "/api/entries", { id: "rel/l1", purge: true });
  await send("DELETE", "/api/entries", { id: "rel/l2" });
  await send("PUT", "/api/entries", { id: "rel/l3", new_id: "rel/moved/l3" });
  await publish(await release("staged-since", ["t1"]));
  await send("PATCH", "/api/entries/staged", { id: "rel/t1", data: { n: 77 } });
  await publish(await release("good", ["g1", "g2", "g3"]));
  await send("PUT", "/api/entries", { id: "rel/g1", new_id: "rel/moved/g1" });
  await send("DELETE", "/api/releases", { id: await release("deleted", ["d1"]) });
  const forgotten = await release("forgotten", ["f1"]);
  await restart({ "history-keep-rows": "0" });
  await publish(forgotten);
  await restart();
  await send("PATCH", "/api/releases", { id: open, title: "open é" });
  await release("spare", []);
}

/** A type refuses at their time what fitted when it was scheduled: one copy and one release now, and later. */
async function makeFailures({ send, passDays, publishDue }: OldSite): Promise<void> {
  const at = passDays(0) + 7 * 24 * 3600;
  for (const [n, time] of [at, later + 240].entries()) {
    for (const kind of ["copy", "release"]) {
      const id = `articles/fails-${kind}-${n}`;
      await send("POST", "/api/entries", { id, data: { title: id } });
    }
    const data = { stars: 7 };
    await send("PATCH", "/api/entries/staged", { id: `articles/fails-copy-${n}`, data });
    await send("POST", "/api/entries/publish", { id: `articles/fails-copy-${n}`, at: time });
    const { id } = (await send("POST", "/api/releases", { title: `fails ${n}` })).data;
    await send("PATCH", "/api/entries/staged", { id: `articles/fails-release-${n}`, data, release: id });
    await send("POST", "/api/releases/publish", { id, at: time });
  }
  const schema = article({ stars: { type: "integer", maximum: 5 } });
  await send("PUT", "/api/types", { id: "article", title: "Article", paths: ["articles/*"], schema });
  passDays(8);
  await publishDue();
}

/** More than enter the index at once: the others have none of their rows there until a chore runs. */
async function restoreWide({ send }: OldSite): Promise<void> {
  await send("POST", "/api/entries", { id: "wide", data: { title: "Wide" } });
  const operations = Array.from({ length: 60 }, (_, n) => ({
    method: "POST",
    path: "/api/entries",
    body: { id: `wide/${String(n).padStart(2, "0")}`, data: { title: `Wide ${n}`, n } },
  }));
  await send("POST", "/api/batch", { operations });
  await send("PATCH", "/api/entries", { id: "wide/59", data: { n: 590 } });
  await send("PATCH", "/api/entries/staged", { id: "wide/59", data: { n: 5900 } });
  const { sequence } = await send("DELETE", "/api/entries", { id: "wide" });
  await send("POST", "/api/trash/restore", { id: sequence });
  await send("DELETE", "/api/entries", { id: "wide/30" });
}
