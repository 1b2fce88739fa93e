/**
 * Random writes against a small model in memory, and subtrees of some thousand entries. Contract §4: create, update, move,
 * copy, delete; part two, §11: history, trash.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { meanwhile } from "../ending.ts";
import { type Random, random, seed } from "../random.ts";
import type { Reply } from "./client.ts";
import { type Any, allRepliesKeptTheirPromises, dataOf, enter } from "./world.ts";

const world = await enter("model");

/** An entry: its number, and those before, oldest first. */
type Thing = { n: number; past: readonly number[] };
/** The expected content of the store, by id. */
type Things = Map<string, Thing>;
/** A deleted subtree. */
type Item = { id: number; top: string; things: [place: string, thing: Thing][] };
type Model = { things: Things; trash: Item[] };

const within = (place: string, top: string): boolean => place === top || place.startsWith(`${top}/`);

/** The expected status, and the model after the write. */
function relocate({ things }: Model, from: string, to: string, keep: boolean): number {
  if (!things.has(from)) return 404;
  if (from === to) return keep ? 409 : 200;
  if (within(to, from)) return 409;
  const moved = [...things].filter(([place]) => within(place, from));
  const targets = moved.map(([place, thing]) => [to + place.slice(from.length), thing] as const);
  const stays = (place: string) => things.has(place) && (keep || !within(place, from));
  if (targets.some(([place]) => stays(place))) return 409;
  if (!keep) for (const [place] of moved) things.delete(place);
  for (const [place, thing] of targets) things.set(place, keep ? { n: thing.n, past: [] } : thing);
  return 200;
}

/** The same for what comes back from the trash. */
function bringBack({ things, trash }: Model, item: Item, to: string): number {
  const targets = item.things.map(([place, thing]) => [to + place.slice(item.top.length), thing] as const);
  if (targets.some(([place]) => things.has(place))) return 409;
  for (const [place, thing] of targets) things.set(place, thing);
  trash.splice(trash.indexOf(item), 1);
  return 200;
}

async function stored(top: string): Promise<[string, number][]> {
  const reply = await world.read({ id: world.id(top), filter: { depth: ">0" } });
  if (reply.status === 404) return [];
  return dataOf(reply).map((entry: Any) => [entry.slug.slice(world.id(top).length + 1), entry.n]);
}

/** The revisions of the earlier contents, newest first. */
const revisionsOf = async (id: string): Promise<number[]> =>
  dataOf(await world.read({ id }, undefined, "/api/entries/history")).map((row: Any) => row.revision);

async function checkHistory(id: string, { past }: Thing): Promise<void> {
  const revisions = await revisionsOf(id);
  const numbers = await Promise.all(
    revisions.map(async (revision) => {
      const entry = dataOf(await world.read({ id, revision }, undefined, "/api/management/entries"));
      assert.equal(entry.slug, id);
      return entry.n as number;
    }),
  );
  assert.deepEqual(numbers.toReversed(), past, id);
}

/** One random write to both; answers a line for the failure message. */
async function step(top: string, model: Model, pick: Random, n: number): Promise<string> {
  const { things, trash } = model;
  const names = ["a", "b", "a_", "ab"];
  const place = () => Array.from({ length: 1 + pick(3) }, () => names[pick(names.length)]).join("/");
  const some = () => (things.size > 0 && pick(4) > 0 ? ([...things.keys()][pick(things.size)] as string) : place());
  const id = (name: string) => world.id(`${top}/${name}`);
  const [verb, from, to] = [pick(14), some(), place()];
  const thing = things.get(from);
  let reply: Reply;
  let status: number;
  if (verb < 4) {
    status = things.has(to) ? 409 : 200;
    if (status === 200) things.set(to, { n, past: [] });
    reply = await world.write("POST", { id: id(to), data: { n } });
  } else if (verb < 5) {
    status = thing ? 200 : 404;
    if (thing) things.set(from, { n, past: [...thing.past, thing.n] });
    reply = await world.write("PATCH", { id: id(from), data: { n } });
  } else if (verb < 7) {
    status = relocate(model, from, to, false);
    reply = await world.write("PUT", { id: id(from), new_id: id(to) });
  } else if (verb < 9) {
    status = relocate(model, from, to, true);
    reply = await world.write("PUT", { id: id(from), new_id: id(to) }, "/api/entries/copy");
  } else if (verb < 11) {
    status = thing ? 204 : 404;
    const gone = [...things].filter(([gonePlace]) => within(gonePlace, from));
    reply = await world.write("DELETE", { id: id(from) });
    if (thing) {
      for (const [gonePlace] of gone) things.delete(gonePlace);
      const [item] = dataOf(await world.read({ search: id(from), limit: 1 }, undefined, "/api/trash"));
      assert.deepEqual([item.path, item.count, item.noun], [id(from), gone.length, "entry"]);
      trash.push({ id: item.id, top: from, things: gone });
    }
  } else if (verb < 13) {
    const item = trash[pick(trash.length)];
    const isElsewhere = pick(2) === 0;
    status = item ? bringBack(model, item, isElsewhere ? to : item.top) : 404;
    const args = { id: item?.id ?? 1, ...(isElsewhere && { new_id: id(to) }) };
    reply = await world.write("POST", args, "/api/trash/restore");
  } else {
    const revisions = thing ? await revisionsOf(id(from)) : [];
    const at = pick(revisions.length);
    const back = thing?.past.toReversed()[at];
    status = back === undefined ? 404 : 200;
    if (thing && back !== undefined) things.set(from, { n: back, past: [...thing.past, thing.n] });
    reply = await world.write("POST", { id: id(from), revision: revisions[at] ?? 1 }, "/api/entries/restore");
  }
  const line = `${reply.call.method} ${reply.call.path} ${from} -> ${to}: ${reply.status}`;
  assert.equal(reply.status, status, `${line}; the model says ${status}; ${reply.text}`);
  return line;
}

describe("random writes agree with the model", () => {
  for (let run = 0; run < 6; run++) {
    const drawn = seed + run;
    test(`after each of 80 writes, seed ${drawn}`, async () => {
      const model: Model = { things: new Map(), trash: [] };
      const pick = random(drawn);
      const lines: string[] = [];
      for (let n = 0; n < 80; n++) {
        lines.push(await step(`run-${run}`, model, pick, n));
        // Limits the growth by copies of copies.
        if (model.things.size > 200) break;
        const expected = [...model.things].map(([place, thing]) => [place, thing.n]);
        assert.deepEqual((await stored(`run-${run}`)).sort(), expected.sort(), lines.slice(-8).join("\n"));
      }
      for (const [place, thing] of model.things) await checkHistory(world.id(`run-${run}/${place}`), thing);
    });
  }
});

describe("a subtree of some thousand entries", async () => {
  await Promise.all(Array.from({ length: 16 }, (_, n) => world.create(`big/seed/${n}`, { n, text: "some words" })));
  await world.create("big/seed", {});
  // 17 entries doubled seven times, by copying into a sibling and moving both below one parent.
  let top = "big/seed";
  for (let round = 0; round < 7; round++) {
    const parent = `big/round-${round}`;
    await world.create(parent, {});
    dataOf(await world.write("PUT", { id: world.id(top), new_id: world.id(`${parent}/x`) }));
    dataOf(
      await world.write("PUT", { id: world.id(`${parent}/x`), new_id: world.id(`${parent}/y`) }, "/api/entries/copy"),
    );
    top = parent;
  }
  const count = async (name: string): Promise<number> => {
    const reply = await world.read({ id: world.id(name), filter: { depth: ">=0", return: "count" } });
    return reply.status === 404 ? 0 : dataOf(reply);
  };

  test("is copied, moved and deleted completely while reads continue", async () => {
    const size = await count(top);
    assert.equal(size, 17 * 128 + 127);
    await world.create("bystander", { n: 0 });
    const read = async () => assert.equal(await world.statusOf("bystander"), 200);
    const during = async (method: string, args: Record<string, string>, path?: string) => {
      const write = world.write(method, args, path);
      const reads = await meanwhile(write, read);
      assert.ok(reads >= 1, `no read during ${method}`);
      return write;
    };
    dataOf(await during("PUT", { id: world.id(top), new_id: world.id("big/copy") }, "/api/entries/copy"));
    assert.equal(await count("big/copy"), size);
    dataOf(await during("PUT", { id: world.id("big/copy"), new_id: world.id("big/moved/far") }));
    assert.equal(await count("big/moved/far"), size);
    assert.equal(await count("big/copy"), 0);
    assert.equal((await during("DELETE", { id: world.id("big/moved/far") })).status, 204);
    assert.equal(await count("big/moved"), 0);
    assert.equal(await count(top), size, "the source is complete");
  });

  test("is not moved at all when one descendant's target is taken", async () => {
    const size = await count(top);
    await world.create("big/blocked/y/y/y/y/y/y/y/15", { n: "here first" });
    const reply = await world.write("PUT", { id: world.id(top), new_id: world.id("big/blocked") });
    assert.equal(reply.status, 409, reply.text);
    assert.equal(await count(top), size);
    assert.equal(await count("big/blocked"), 1);
  });

  test("is walked page by page, each entry once", async () => {
    const size = await count(top);
    const seen = new Set<string>();
    let query: string | undefined =
      `id=${encodeURIComponent(world.id(top))}&filter[depth]=%3E%3D0&filter[limit]=700&filter[order_by][field]=n`;
    while (query !== undefined) {
      const reply: Reply = await world.send({
        path: "/api/entries",
        query: `${query}&token=${world.tokens.management}`,
      });
      for (const { slug } of dataOf(reply)) {
        assert.ok(!seen.has(slug), `${slug} twice`);
        seen.add(slug);
      }
      query = /<[^?>]*\?([^>]*)>/.exec(String(reply.headers.link ?? ""))?.[1];
    }
    assert.equal(seen.size, size);
  });
});

allRepliesKeptTheirPromises(world);
