/** Creating an entry that may be there. Contract §4, Create. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, test } from "node:test";
import { allRepliesKeptTheirPromises, dataOf, enter, refused } from "./world.ts";

const world = await enter("upsert");
const path = "/api/entries";
const post = (name: string, data: object, more: object = {}, headers: Record<string, string> = {}, type?: string) =>
  world.send({
    method: "POST",
    path,
    json: { ...world.pair, id: world.id(name), data, ...more },
    headers,
    ...(type === undefined ? {} : { type }),
  });
const upsert = (name: string, on_conflict: string, data: object, headers: Record<string, string> = {}) =>
  post(name, data, { on_conflict }, headers);
const outcomeOf = (reply: Awaited<ReturnType<typeof post>>) => {
  assert.equal(reply.status, 200, reply.text);
  return reply.headers["octavo-outcome"];
};
const read = (name: string) =>
  world.send({ path: "/api/management/entries", query: `id=${world.id(name)}&token=${world.tokens.management}` });

describe("POST /api/entries with on_conflict", () => {
  test("each word creates what is not there, and the reply says so", async () => {
    for (const word of ["fail", "update", "replace", "skip"]) {
      const reply = await upsert(`new-${word}`, word, { title: word });
      assert.equal(outcomeOf(reply), "created");
      assert.equal(dataOf(reply).title, word);
      assert.match(reply.headers["access-control-expose-headers"] ?? "", /\bOctavo-Outcome\b/);
    }
    assert.equal(outcomeOf(await post("plain", {})), undefined);
  });

  test("fail refuses what is there, as a create without it", async () => {
    await world.create("there", { title: "A" });
    for (const more of [{}, { on_conflict: "fail" }]) refused(await post("there", {}, more), 409, "entry_exists");
    refused(await upsert("there", "Update", {}), 400, "argument_invalid", /on_conflict.*fail.*update.*replace.*skip/);
    refused(await upsert("there", "", {}), 400, "argument_invalid");
    assert.equal((await world.entry("there")).title, "A");
  });

  test("update merges as PATCH does", async () => {
    const before = await world.create("merged", { title: "A", keep: 1, author: { name: "a", born: 1 }, content: "c" });
    const reply = await upsert("merged", "update", {
      title: "B",
      author: { name: "b" },
      gone: null,
      published_by: "me",
    });
    assert.equal(outcomeOf(reply), "updated");
    const { title, keep, author, content, gone, published_by, uuid } = dataOf(reply);
    assert.deepEqual(
      { title, keep, author, content, gone, published_by, uuid },
      { title: "B", keep: 1, author: { name: "b" }, content: "c", gone: null, published_by: "me", uuid: before.uuid },
    );
    const patch = "application/merge-patch+json";
    const merged = await post("merged", { keep: null, author: { born: 2 } }, { on_conflict: "update" }, {}, patch);
    assert.equal(outcomeOf(merged), "updated");
    assert.deepEqual(dataOf(merged).author, { name: "b", born: 2 });
    assert.ok(!("keep" in dataOf(merged)));
  });

  test("replace sets the data whole, and keeps what the service has where data does not name it", async () => {
    const fields = {
      visibility: "draft",
      routable: false,
      published_by: "p",
      created_by: "c",
      published_at: 1_600_000_000,
    };
    const before = await world.create("whole", { title: "A", old: 1, content: "x", ...fields });
    const reply = await upsert("whole", "replace", { title: "B" });
    assert.equal(outcomeOf(reply), "replaced");
    const { modified_at: _, ...after } = dataOf(reply);
    assert.deepEqual(after, {
      ...{ title: "B", content: "", uuid: before.uuid, created_at: before.created_at, slug: before.slug },
      ...fields,
    });
    const named = dataOf(await upsert("whole", "replace", { title: "B", visibility: "hidden", published_by: null }));
    assert.deepEqual([named.visibility, named.published_by, named.created_by], ["hidden", "", "c"]);
  });

  test("skip leaves what is there", async () => {
    const before = await world.create("left", { title: "A" });
    const reply = await upsert("left", "skip", { title: "B" });
    assert.equal(outcomeOf(reply), "skipped");
    assert.deepEqual(dataOf(reply), before);
  });

  test("what changes nothing writes nothing: the same ETag and time, no event, no history", async () => {
    const data = { title: "A", n: 1.5, list: [{ a: 1, b: 2 }], content: "c", visibility: "hidden" };
    await world.create("same", data);
    const before = await read("same");
    const history = async () =>
      (
        await world.send({
          path: "/api/entries/history",
          query: `id=${world.id("same")}&token=${world.tokens.management}`,
        })
      ).text;
    const contents = await history();
    const same: [word: string, data: object][] = [
      ["update", {}],
      ["update", { title: "A", visibility: "hidden" }],
      ["replace", data],
      ["replace", { content: "c", list: [{ b: 2, a: 1 }], n: 1.5, title: "A" }],
      ["skip", { title: "B" }],
    ];
    const newest = await world.newestEvent();
    for (const [word, sent] of same) {
      const reply = await upsert("same", word, sent);
      assert.equal(outcomeOf(reply), word === "skip" ? "skipped" : "unchanged");
      assert.equal(
        reply.headers.etag?.split("-")[0]?.replaceAll('"', ""),
        before.headers.etag?.split("-")[0]?.replaceAll('"', ""),
      );
      assert.equal(reply.headers["last-modified"], before.headers["last-modified"]);
      assert.equal((await read("same")).text, before.text);
    }
    const events = await world.eventsAfter(newest);
    assert.deepEqual(
      events.filter(({ subject }) => subject === world.id("same")),
      [],
    );
    assert.equal(await history(), contents);
    assert.equal(outcomeOf(await upsert("same", "replace", { ...data, list: [{ b: 2 }] })), "replaced");
    assert.notEqual(await history(), contents);
  });

  test("If-Match is compared where the entry is, and 404 where it is not", async () => {
    await world.create("matched", { n: 1 });
    const { etag = "" } = (await read("matched")).headers;
    for (const word of ["update", "replace", "skip"]) {
      refused(await upsert("matched", word, { n: 1 }, { "If-Match": '"no"' }), 412, "revision_mismatch");
      refused(await upsert(`no-${word}`, word, { n: 1 }, { "If-Match": "*" }), 404, "entry_not_found");
    }
    assert.equal(outcomeOf(await upsert("matched", "update", { n: 2 }, { "If-Match": etag })), "updated");
    refused(await upsert("matched", "update", { n: 3 }, { "If-Match": etag }), 412, "revision_mismatch");
    assert.equal(outcomeOf(await upsert("matched", "skip", {}, { "If-Match": "*" })), "skipped");
  });

  test("a release is for creates alone", async () => {
    for (const word of ["update", "replace", "skip"]) {
      const reply = await post("released", { visibility: "draft" }, { on_conflict: word, release: randomUUID() });
      refused(reply, 400, "argument_conflict", /release.*on_conflict/);
    }
    const reply = await post("released", { visibility: "draft" }, { on_conflict: "fail", release: randomUUID() });
    refused(reply, 404, "release_not_found");
  });

  test("the same with a key is answered again with its outcome", async () => {
    const headers = { "Idempotency-Key": randomUUID() };
    const first = await upsert("keyed", "update", { n: 1 }, headers);
    assert.equal(outcomeOf(first), "created");
    await world.write("PATCH", { id: world.id("keyed"), data: { n: 2 } });
    const again = await upsert("keyed", "update", { n: 1 }, headers);
    assert.deepEqual(
      [outcomeOf(again), again.text, again.headers["idempotent-replayed"]],
      ["created", first.text, "true"],
    );
    assert.equal((await world.entry("keyed")).n, 2);
    refused(await upsert("keyed", "replace", { n: 1 }, headers), 422, "idempotency_mismatch");
    for (const [word, outcome] of [
      ["skip", "skipped"],
      ["replace", "unchanged"],
    ] as const) {
      const key = { "Idempotency-Key": randomUUID() };
      for (let i = 0; i < 2; i++) assert.equal(outcomeOf(await upsert("keyed", word, { n: 2 }, key)), outcome);
    }
  });

  test("of those that race one creates, and all are answered", async () => {
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, n) => upsert("raced", n % 2 ? "update" : "replace", { [`k${n}`]: n })),
    );
    const outcomes = replies.map(outcomeOf);
    assert.equal(outcomes.filter((outcome) => outcome === "created").length, 1);
    assert.equal(new Set(replies.map((reply) => dataOf(reply).uuid)).size, 1);
  });
});

describe("a token that only stages", () => {
  test("may create drafts, and skip what is there", async () => {
    const staged = await world.token({ kind: "management", resources: ["entries"], writes: "staged" });
    const send = (name: string, on_conflict: string, data: object) =>
      world.send({
        method: "POST",
        path,
        json: { token: staged.token, access_token: world.pair.access_token, id: world.id(name), data, on_conflict },
      });
    const draft = { visibility: "draft", title: "D" };
    for (const word of ["fail", "skip"]) assert.equal(outcomeOf(await send(`mine-${word}`, word, draft)), "created");
    assert.equal(outcomeOf(await send("mine-skip", "skip", draft)), "skipped");
    for (const word of ["update", "replace"])
      for (const name of ["mine-skip", "mine-none"]) refused(await send(name, word, draft), 403, "scope_missing");
    refused(await send("mine-live", "skip", { title: "L" }), 403, "scope_missing");
  });

  test("with paths, what lies outside is not there", async () => {
    const bound = await world.token({ kind: "management", resources: ["entries"], paths: [world.id("inside")] });
    await world.create("outside", { title: "O" });
    const send = (name: string) =>
      world.send({
        method: "POST",
        path,
        json: {
          token: bound.token,
          access_token: world.pair.access_token,
          id: world.id(name),
          data: { title: "X" },
          on_conflict: "update",
        },
      });
    refused(await send("outside"), 404, "entry_not_found");
    assert.equal(outcomeOf(await send("inside/a")), "created");
    assert.equal((await world.entry("outside")).title, "O");
  });
});

allRepliesKeptTheirPromises(world);
