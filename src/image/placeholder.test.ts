import assert from "node:assert/strict";
import { test } from "node:test";
import { wholeText } from "../core/lib/long-text.ts";
import {
  type Placeholder,
  type PlaceholderDrawer,
  type PlaceholderStore,
  Placeholders,
  previewMember,
} from "./placeholder.ts";
import { problem } from "./problems.ts";

/** Which pictures are drawn for a reply, and which of those that fail are tried again. Contract, part three, §17. */

const grey: Placeholder = { thumbhash: "AAA=", color: "#808080" };
const hashOf = (n: number): string => n.toString(16).padStart(64, "0");
/** File objects with these pictures. */
const reply = (...numbers: number[]): string =>
  `[${numbers.map((n) => `{"n":${n},${previewMember({ hash: hashOf(n), type: "image/png" })}}`).join(",")}]`;

/** Placeholders that are kept in memory; `drawn` has the hashes that were begun. */
function placeholdersOf(draw: () => Promise<Placeholder>, maxWaitMs?: number) {
  const kept = new Map<string, Placeholder>();
  const drawn: string[] = [];
  const store: PlaceholderStore = {
    findAll: async (hashes) => new Map([...kept].filter(([hash]) => hashes.includes(hash))),
    keep: async (hash, placeholder) => void kept.set(hash, placeholder),
  };
  const drawer: PlaceholderDrawer = {
    placeholder: ({ hash }) => {
      drawn.push(hash);
      return draw();
    },
  };
  const placeholders = new Placeholders(store, drawer, maxWaitMs);
  const fill = async (...numbers: number[]) => {
    const { text, pending } = await placeholders.fill(reply(...numbers));
    const previews = (JSON.parse(wholeText(text)) as { preview?: unknown }[]).map(({ preview }) => preview);
    return { previews, pending };
  };
  return { fill, drawn };
}

const picture = { argument: "file" };
const lasting = [
  problem("image_unreadable", picture),
  problem("image_unsupported", { ...picture, received: "image/x-icon" }),
  problem("image_too_large", { ...picture, limit: 1 }),
  problem("image_too_costly", { reason: "too much time" }),
];
const passing = [
  problem("busy", { reason: "no time" }),
  problem("storage_full", { reason: "the disk is full" }),
  new Error("the bytes are away"),
];

for (const failure of lasting) {
  test(`${failure.code}: the preview is null, and the picture is not drawn again`, async () => {
    const { fill, drawn } = placeholdersOf(() => Promise.reject(failure));
    for (let n = 0; n < 2; n++) assert.deepEqual(await fill(1), { previews: [null], pending: 0 });
    assert.deepEqual(drawn, [hashOf(1)]);
  });
}

for (const failure of passing) {
  test(`${failure.message}: the preview is to come, and the next request draws it`, async () => {
    const failures: Error[] = [failure];
    const { fill, drawn } = placeholdersOf(async () => {
      const next = failures.pop();
      if (next) throw next;
      return grey;
    });
    assert.deepEqual(await fill(1), { previews: [undefined], pending: 1 });
    assert.deepEqual(await fill(1), { previews: [grey], pending: 0 });
    assert.deepEqual(drawn, [hashOf(1), hashOf(1)]);
  });
}

test("of a reply with more pictures 24 are drawn; the next request draws the others", async () => {
  const { fill, drawn } = placeholdersOf(async () => grey);
  const numbers = Array.from({ length: 30 }, (_, n) => n);
  assert.equal((await fill(...numbers)).pending, 6);
  assert.equal(drawn.length, 24);
  assert.deepEqual(await fill(...numbers), { previews: numbers.map(() => grey), pending: 0 });
});

test("240 pictures wait to be drawn, one after the other; further ones are left to a later request", async () => {
  const { promise: opened, resolve: open } = Promise.withResolvers<Placeholder>();
  const { fill, drawn } = placeholdersOf(() => opened);
  const replies = Array.from({ length: 10 }, (_, at) => fill(...Array.from({ length: 24 }, (_, n) => at * 24 + n)));
  await new Promise(setImmediate);
  assert.deepEqual(await fill(240, 241), { previews: [undefined, undefined], pending: 2 });
  assert.deepEqual(drawn, [hashOf(0)]);
  const same = fill(0, 239);
  open(grey);
  for (const { previews, pending } of await Promise.all(replies)) {
    assert.deepEqual([previews, pending], [Array.from({ length: 24 }, () => grey), 0]);
  }
  assert.deepEqual(
    await same,
    { previews: [grey, grey], pending: 0 },
    "those that are drawn for another are waited for",
  );
  assert.equal(drawn.length, 240);
  assert.deepEqual(await fill(240), { previews: [grey], pending: 0 });
});

test("a reply does not wait for a drawing that takes too long, and a later one has it", async () => {
  const { promise: opened, resolve: open } = Promise.withResolvers<Placeholder>();
  const { fill, drawn } = placeholdersOf(() => opened, 50);
  assert.deepEqual(await fill(1), { previews: [undefined], pending: 1 });
  open(grey);
  assert.deepEqual(await fill(1), { previews: [grey], pending: 0 });
  assert.deepEqual(drawn, [hashOf(1)]);
});
