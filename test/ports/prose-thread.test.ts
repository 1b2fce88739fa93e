import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ThreadRenderer } from "../../src/adapters/prose/renderer.ts";
import { isProblem } from "../../src/domain/problem.ts";
import { EntryRenderer, type Prose } from "../../src/domain/render.ts";
import { wholeText } from "../../src/lib/long-text.ts";

/** Texts are rendered in a thread with bounds of time, memory and length. Decision 57. */

const options = { timeoutMs: 20_000, maxWaiting: 100, idleMs: 60_000, maxHeapMib: 256 };
const markdown = (text: string): Prose => ({ format: "markdown", text });

async function using<T>(more: Partial<typeof options>, work: (renderer: ThreadRenderer) => Promise<T>): Promise<T> {
  const renderer = new ThreadRenderer({ ...options, ...more });
  try {
    return await work(renderer);
  } finally {
    await renderer.close();
  }
}

const n = 200_000;
/** Texts that take some parsers hours, and whether they become HTML here. */
const hostile: [name: string, text: string, isRendered: boolean][] = [
  ["open brackets", "[".repeat(n), true],
  ["nested brackets", "[".repeat(n) + "]".repeat(n), true],
  ["nested quotes", ">".repeat(n), true],
  ["nested lists", "- ".repeat(n), true],
  ["emphasis that does not end", "*a **a ".repeat(n / 7), true],
  ["code that does not end", Array.from({ length: 600 }, (_, i) => `e${"`".repeat(i)}`).join(""), true],
  [
    "a table of 10,000 cells",
    `${"|a".repeat(100)}|\n${"|-".repeat(100)}|\n${`${"|b".repeat(100)}|\n`.repeat(100)}`,
    true,
  ],
  ["images in links", "![[]()".repeat(n / 6), true],
  ["comments that do not end", "<!--".repeat(n / 4), true],
  ["elements nested without end", "<div>".repeat(n / 5), false],
  [
    "elements that are opened again in each paragraph",
    Array.from({ length: n / 10 }, (_, i) => `<b c${i}><p>`).join(""),
    false,
  ],
  ["many references to one long address", `[a]: ${"x".repeat(n)}\n\n${"[a]".repeat(n / 3)}`, false],
];

describe("hostile texts", () => {
  test("each becomes HTML or is given up, and the thread goes on", () =>
    using({}, async (renderer) => {
      for (const [name, text, isRendered] of hostile) {
        const [html] = await renderer.render([markdown(text)]);
        assert.equal(html !== undefined, isRendered, name);
        assert.deepEqual(await renderer.render([markdown("*a*")]), ["<p><em>a</em></p>\n"], name);
      }
    }));

  test("a text beyond the time limit is given up alone", () =>
    using({ timeoutMs: 1500 }, async (renderer) => {
      const endless = markdown("![[]()".repeat(1_500_000));
      const texts = [markdown("a"), endless, { format: "html", text: "<b onclick=x>b" } as const];
      assert.deepEqual(await renderer.render(texts), ["<p>a</p>\n", undefined, "<b>b</b>"]);
    }));
});

test("reads beyond the queue are refused, and so are all once it is closed", async () => {
  const late = await using({ maxWaiting: 1 }, async (renderer) => {
    const reads = await Promise.allSettled([1, 2, 3].map((i) => renderer.render([markdown(`${i}`)])));
    const refused = reads.filter((read) => read.status === "rejected");
    assert.equal(refused.length, 1);
    assert.ok(isProblem(refused[0]?.reason, "busy"));
    return renderer;
  });
  await assert.rejects(late.render([markdown("a")]), (error) => isProblem(error, "busy"));
});

test("the thread ends when it is idle, and starts again", () =>
  using({ idleMs: 1 }, async (renderer) => {
    for (let i = 0; i < 3; i++) {
      assert.deepEqual(await renderer.render([markdown(`${i}`)]), [`<p>${i}</p>\n`]);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }));

test("thousands of texts of one answer are rendered in parts, each in its place", async () => {
  const names = Array.from({ length: 2500 }, (_, i) => `n${i}`);
  const sent = Object.fromEntries(names.map((name) => [name, { slug: name, content: `*${name}*` }]));
  const html = await using({}, async (thread) => {
    const renderer = new EntryRenderer({ current: () => ({ types: undefined }) }, thread);
    return JSON.parse(wholeText(await renderer.included(JSON.stringify({ entries: sent, files: {} })))).entries;
  });
  for (const name of names) assert.equal(html[name].content, `<p><em>${name}</em></p>\n`);
});
