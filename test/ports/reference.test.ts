import assert from "node:assert/strict";
import { test } from "node:test";
import { accessOf } from "../../src/core/access/access.ts";
import type { Path, Slug } from "../../src/core/path.ts";
import { Problem } from "../../src/core/problem.ts";
import type { Entry, EntryInput } from "../../src/entry/entry.ts";
import { statesOf } from "../../src/translation/state.ts";
import { newRelease } from "../../src/working-copy/release.ts";
import { onEachEngine } from "./engines.ts";

/** References of working copies: moves that take them along, deletes that they refuse. Contract, part two, §10. */

const reachAll = { paths: null };
const schema = JSON.stringify({
  properties: {
    author: { type: "string", format: "entry" },
    more: { type: "array", items: { properties: { who: { format: "entry" } } } },
    text: { type: "string", contentMediaType: "text/markdown" },
    cover: { format: "file" },
  },
});

onEachEngine(async (store) => {
  const { entries, staged, releases, types, trash } = store;
  let now = 1000;
  const by = (actor = "mover") => ({ actor, nowSeconds: ++now });
  const slug = (id: string) => id as Slug;
  const input = (data: object, fields: EntryInput["fields"] = {}): EntryInput => ({
    ...{ data: JSON.stringify(data), isMergePatch: true, fields },
  });
  const create = (id: string, data: object = {}, fields: EntryInput["fields"] = {}) =>
    entries.create(slug(id), input(data, fields), by());
  const stage = (id: string, data: object, more: { release?: string } = {}) =>
    staged.stage(slug(id), { ...input(data), ...more }, by("editor"));
  const move = (id: string, to: string, paths: string[] | null = null) =>
    entries.move(slug(id), { newSlug: slug(to), redirected: { paths: paths as Path[] | null } }, by());
  const remove = (id: string, restricted: { paths: readonly Path[] | null } = reachAll) =>
    entries.delete(slug(id), { to: "trash", restricted }, by());
  const find = async (id: string) => JSON.parse(((await entries.find(slug(id))) as Entry).data);
  const view = async (id: string) =>
    (await staged.find(slug(id))) as NonNullable<Awaited<ReturnType<typeof staged.find>>>;
  const data = async (id: string) => JSON.parse((await view(id)).entry.data);
  const publish = async (id: string, current = true) => {
    await staged.publish(slug(id), { current }, by());
    return find(id);
  };
  /** What refuses the write. */
  const references = async (write: Promise<unknown>): Promise<unknown> => {
    const error = await write.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof Problem, "it was not refused");
    assert.equal(error.code, "in_use");
    return error.references;
  };

  const type = { title: "", description: "", mode: "enforce", schema } as const;
  await types.put("post", { ...type, paths: ["posts/**"] }, by());
  await types.put("note", { ...type, paths: [] }, by());

  test("a move takes the references of working copies along, also of drafts, scheduled ones and releases", async () => {
    await releases.create(newRelease("Spring", { ...by(), id: "spring" }), by());
    await create("team/a");
    await create("team/a/b");
    await create("posts/live", { author: "team/a", text: "old", n: 1 });
    await stage("posts/live", {
      author: "team/a/b",
      more: [{ who: "team/a" }, { who: "team/ab" }],
      text: "[x](/team/a)",
    });
    await create("posts/draft", {}, { visibility: "draft" });
    await stage("posts/draft", { author: "team/a" });
    await create("posts/timed", {});
    await stage("posts/timed", { author: "team/a" });
    await staged.schedule(slug("posts/timed"), { atSeconds: 9000 }, by("planner"));
    await create("posts/released", {});
    await stage("posts/released", { author: "team/a" }, { release: "spring" });
    await create("loose", {});
    await stage("loose", { content: "[y](/team/a/b#z)", author: "team/a" });
    await create("posts/other", {});
    const untouched = await stage("posts/other", { author: "team/ab" });
    const before = await view("posts/timed");

    await move("team/a", "crew/z");
    const changed = { author: "crew/z/b", more: [{ who: "crew/z" }, { who: "team/ab" }], text: "[x](/crew/z)" };
    assert.deepEqual(await data("posts/live"), {
      author: "crew/z/b",
      text: "[x](/crew/z)",
      n: 1,
      content: "",
      more: changed.more,
    });
    assert.equal((await find("posts/live")).author, "crew/z", "the live one goes along as before");
    assert.equal((await data("posts/draft")).author, "crew/z");
    assert.deepEqual(await data("loose"), { content: "[y](/crew/z/b#z)", author: "team/a" });
    const timed = (await view("posts/timed")).copy;
    assert.deepEqual(
      [timed?.publishAtSeconds, timed?.scheduledBy, timed?.stagedBy, timed?.stagedAtSeconds],
      [9000, "planner", "editor", before.copy?.stagedAtSeconds],
    );
    assert.equal((await view("posts/released")).copy?.release, "spring");
    assert.equal((await view("posts/other")).copy?.revision, untouched.copy?.revision);
    const events = await store.events.listBefore(undefined, 10);
    const told = events.filter(({ actor }) => actor === "mover").map(({ kind, subject }) => `${kind} ${subject}`);
    assert.ok(told.includes("entry.stage posts/live") && told.includes("entry.update posts/live"), told.join());

    assert.deepEqual(
      (await view("posts/live")).outdated,
      [],
      "its own move is no change that a publish would put back",
    );
    assert.deepEqual(await publish("posts/live"), {
      author: "crew/z/b",
      text: "[x](/crew/z)",
      n: 1,
      content: "",
      more: changed.more,
    });
    assert.equal((await publish("posts/draft")).author, "crew/z");
    await staged.publishDue(9000);
    assert.equal((await find("posts/timed")).author, "crew/z");
    await releases.publish("spring", reachAll, by());
    assert.equal((await find("posts/released")).author, "crew/z");
  });

  test("what was outdated before the move is outdated after it, and who changed a key stays its author", async () => {
    await create("people/old");
    await create("posts/stale", { author: "x", text: "a" });
    await stage("posts/stale", { author: "people/old", text: "mine" });
    await entries.update(slug("posts/stale"), input({ author: "y" }), by());
    await move("people/old", "people/new");
    const { copy, outdated, entry } = await view("posts/stale");
    assert.deepEqual([JSON.parse(entry.data).author, outdated], ["people/new", ["author"]]);
    assert.deepEqual([...(copy?.authors ?? [])], []);
    await staged.discard(slug("posts/stale"), { keys: ["author"], onlyOwn: true }, by("editor"));
  });

  test("live data that is a reference only under the type that a copy gives it goes along with the copy", async () => {
    await create("people/ref");
    await create("untyped", { author: "people/ref", title: "t" });
    await stage("untyped", { fieldset: "note" });
    assert.deepEqual(await references(remove("people/ref")), [{ id: "untyped", pointers: ["/author"], staged: true }]);
    await move("people/ref", "people/reference");
    assert.equal((await find("untyped")).author, "people/ref");
    assert.equal((await publish("untyped")).author, "people/reference");
  });

  test("what is outside the reach, or in the trash, stays", async () => {
    await create("people/far");
    for (const id of ["posts/in", "posts/out", "posts/gone"]) {
      await create(id);
      await stage(id, { author: "people/far" });
    }
    await remove("posts/gone", { paths: [] });
    await move("people/far", "people/away", ["people", "posts/in"]);
    assert.equal((await data("posts/in")).author, "people/away");
    assert.equal((await data("posts/out")).author, "people/far");
    const [gone] = await trash.list({ nouns: ["entry"], paths: null, before: undefined, limit: 1 });
    assert.equal(gone?.path, "posts/gone");
  });

  test("a move that a type refuses for a copy moves nothing", async () => {
    const strict = JSON.stringify({ properties: { home: { format: "entry", pattern: "^homes/" } } });
    await types.put("strict", { ...type, paths: ["strict/*"], schema: strict }, by());
    await create("homes/a");
    await create("strict/b");
    await stage("strict/b", { home: "homes/a" });
    await assert.rejects(move("homes/a", "houses/a"), ({ code }: Problem) => code === "data_invalid");
    assert.equal((await data("strict/b")).home, "homes/a");
    assert.ok(await entries.find(slug("homes/a")));
  });

  test("restrict refuses to delete what a working copy refers to, and says that it is one", async () => {
    await create("people/kept");
    await create("people/kept/part");
    await create("posts/uses", { author: "people/other" });
    await stage("posts/uses", { author: "people/kept/part" });
    await create("posts/both", { author: "people/kept" });
    await stage("posts/both", { author: "people/kept" });
    assert.deepEqual(await references(remove("people/kept")), [
      { id: "posts/both", pointers: ["/author"] },
      { id: "posts/uses", pointers: ["/author"], staged: true },
    ]);
    await entries.delete(slug("posts/both"), { to: "nowhere" }, by());
    assert.deepEqual(await references(remove("people/kept")), [
      { id: "posts/uses", pointers: ["/author"], staged: true },
    ]);
    await remove("people/kept", { paths: ["people" as Path] });
    await create("people/free");
    await stage("people/free", { content: "[itself](/people/free)" });
    await remove("people/free");
  });

  test("translations and their working copies refer, too: a move takes them along, a delete is refused", async () => {
    const { translations, references: finder } = store;
    const translate = (id: string, locale: string, data: object) =>
      translations.put(slug(id), locale, { input: input(data) }, by("translator"));
    const localized = { type: "string", format: "entry", "x-octavo-localized": true };
    const properties = { author: localized, text: { contentMediaType: "text/markdown", "x-octavo-localized": true } };
    await types.put("page", { ...type, paths: ["pages/*"], schema: JSON.stringify({ properties }) }, by());
    await create("who/a");
    await create("who/b");
    await create("pages/one", { author: "who/a", text: "[a](/who/a)" });
    await create("pages/two", { author: "who/b" });
    await translate("pages/one", "de", { text: "[A](/who/a)" });
    await translate("pages/one", "fr", { author: "who/b" });
    await translate("pages/two", "de", { author: "who/a" });
    const staging = { ...by("translator"), locale: "es" };
    await staged.stage(slug("pages/two"), input({ text: "[s](/who/a)" }), staging);
    const found = async (path: string) => {
      const target = { kind: "entry", path: slug(path), isSubtree: true } as const;
      const listed = await finder.list({ target, paths: null, after: undefined, limit: 10 });
      return listed.references.map(({ id, pointers }) => `${id} ${pointers}`);
    };
    assert.deepEqual(await found("who/a"), ["pages/one /author,/text", "pages/two /author"]);
    assert.deepEqual(await references(remove("who/a")), [
      { id: "pages/one", pointers: ["/author", "/text"] },
      { id: "pages/two", pointers: ["/author"] },
    ]);

    await move("who/a", "team/z");
    const stateOf = async (id: string) => {
      const { translations: all, staged: copies } = (await translations.find(slug(id))) as NonNullable<
        Awaited<ReturnType<typeof translations.find>>
      >;
      return { by: Object.fromEntries(all.map((each) => [each.locale, JSON.parse(each.data)])), copies, all };
    };
    const one = await stateOf("pages/one");
    assert.deepEqual(one.by, { de: { text: "[A](/team/z)" }, fr: { author: "who/b" } });
    assert.deepEqual((await stateOf("pages/two")).by, { de: { author: "team/z" } });
    const copy = await staged.find(slug("pages/two"), accessOf({ kind: "management" }, now), "es");
    assert.deepEqual(JSON.parse(copy?.copy?.data ?? ""), { text: "[s](/team/z)" });
    const events = (await store.events.listBefore(undefined, 10)).filter(({ actor }) => actor === "mover");
    const told = events.map(({ kind, subject, locale = "" }) => `${kind} ${subject} ${locale}`);
    for (const kind of ["entry.update pages/one de", "entry.update pages/two de", "entry.stage pages/two es"])
      assert.ok(told.includes(kind), told.join());
    const source = (await entries.find(slug("pages/one"))) as Entry;
    const [state] = await statesOf(["de"], { entry: source, translations: one.all }, undefined);
    assert.deepEqual(state?.outdated, []);

    await entries.delete(slug("pages/one"), { to: "nowhere" }, by());
    await translations.delete(slug("pages/two"), "de", by());
    assert.deepEqual(await references(remove("team/z")), [{ id: "pages/two", pointers: ["/text"], staged: true }]);
    await remove("who/b", { paths: ["who" as Path] });
  });
});
