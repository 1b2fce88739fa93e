import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { wholeText } from "../../src/core/lib/long-text.ts";
import { isProblem } from "../../src/core/problem.ts";
import { FileAddresses } from "../../src/render/address.ts";
import { ThreadRenderer } from "../../src/render/prose/renderer.ts";
import { EntryRenderer, type Prose } from "../../src/render/render.ts";

/** Texts are rendered in a thread with bounds of time, memory and length. Decision 57. */

const options = { timeoutMs: 20_000, maxWaitMs: 60_000, idleMs: 60_000 };
const markdown = (text: string): Prose => ({ format: "markdown", text });
const asker = (client: string, signal = new AbortController().signal) => ({ client, signal });
const render = (renderer: ThreadRenderer, texts: readonly Prose[], client = "a") =>
  Promise.all(renderer.render(texts, asker(client)));

async function using<T>(more: Partial<typeof options>, work: (renderer: ThreadRenderer) => Promise<T>): Promise<T> {
  const renderer = new ThreadRenderer({ ...options, ...more });
  try {
    return await work(renderer);
  } finally {
    await renderer.close();
  }
}

const n = 60_000;
/** Texts that take some parsers an hour, and whether they become HTML here. */
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
  ["many references to one long address", `[a]: ${"x".repeat(n)}\n\n${"[a]".repeat(n / 3)}`, false],
];

/** Texts that no time limit is enough for. */
const endless: [name: string, text: string][] = [
  ["images in links", "![[]()".repeat(300_000)],
  [
    "elements that are opened again in each paragraph",
    Array.from({ length: n / 10 }, (_, i) => `<b c${i}><p>`).join(""),
  ],
];
const shortMs = 250;

describe("hostile texts", () => {
  test("each becomes HTML or is given up, and the thread goes on", () =>
    using({}, async (renderer) => {
      for (const [name, text, isRendered] of hostile) {
        const [html] = await render(renderer, [markdown(text)]);
        assert.equal(html !== undefined, isRendered, name);
        assert.deepEqual(await render(renderer, [markdown("*a*")]), ["<p><em>a</em></p>\n"], name);
      }
    }));

  for (const [name, text] of endless)
    test(`${name}: a text beyond the time limit is given up alone`, () =>
      using({ timeoutMs: shortMs }, async (renderer) => {
        const texts = [markdown("a"), markdown(text), { format: "html", text: "<b onclick=x>b" } as const];
        assert.deepEqual(await render(renderer, texts), ["<p>a</p>\n", undefined, "<b>b</b>"]);
      }));
});

/** Texts that take a while, each another one. */
const long = (name: string, count: number): Prose[] =>
  Array.from({ length: count }, (_, i) =>
    markdown(`${name}${i} ${"*a* a a a a a a a a a a a a a a a a ".repeat(1000)}`),
  );

/** Rejects where it is not refused. */
const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => assert.fail("not refused"),
    (error) => {
      assert.ok(isProblem(error, "busy"), String(error));
      return error.message;
    },
  );

/** Notes each read that is answered, in the order of their answers. */
function inOrder() {
  const order: string[] = [];
  const note = (name: string, read: Promise<unknown>) => read.then(() => void order.push(name));
  return { order, note };
}

describe("turns", () => {
  test("a short text does not wait for long ones, whoever asks for them", () =>
    using({}, async (renderer) => {
      const { order, note } = inOrder();
      await render(renderer, [markdown("a")]);
      const reads = [note("long", render(renderer, long("x", 20))), note("short", render(renderer, [markdown("*b*")]))];
      await Promise.all(reads);
      assert.deepEqual(order, ["short", "long"]);
    }));

  for (const [whose, client] of [
    ["another client", "b"],
    ["the same client", "a"],
  ])
    test(`a read of ${whose} has its turn between the texts of a read of many`, () =>
      using({}, async (renderer) => {
        const { order, note } = inOrder();
        const many = renderer.render(long("x", 15), asker("a"));
        const one = render(renderer, long("y", 1), client);
        await Promise.all([...many.map((text) => note("many", text)), note("one", one)]);
        assert.ok(order.indexOf("one") <= 2, order.join());
      }));

  test("a client with many reads does not hold up another one", () =>
    using({}, async (renderer) => {
      const { order, note } = inOrder();
      const many = long("x", 15).map((text) => note("many", render(renderer, [text], "a")));
      await Promise.all([...many, note("one", render(renderer, long("y", 1), "b"))]);
      assert.ok(order.indexOf("one") <= 2, order.join());
    }));

  test("a text that several wait for is rendered at the first of their turns, for all", () =>
    using({}, async (renderer) => {
      const { order, note } = inOrder();
      const [shared] = long("s", 1) as [Prose];
      const reads = [
        note("many", render(renderer, [...long("x", 20), shared], "a")),
        note("one", render(renderer, [shared], "b")),
        note("same", render(renderer, [shared], "c")),
      ];
      await Promise.all(reads);
      assert.deepEqual(order, ["one", "same", "many"]);
    }));

  test("a read whose turn does not come in time is refused, one that is being rendered goes on", () =>
    using({ maxWaitMs: 20 }, async (renderer) => {
      await render(renderer, long("w", 1));
      const slow = render(renderer, [markdown("![[]()".repeat(15_000))]);
      assert.match(await refusal(render(renderer, long("x", 1), "b")), /texts of other reads are being rendered/);
      assert.equal((await slow).length, 1);
      assert.equal((await render(renderer, long("x", 5), "b")).length, 5);
    }));

  test("the texts of a client that has left are not rendered", () =>
    using({}, async (renderer) => {
      const left = new AbortController();
      const reads = renderer.render(long("x", 20), asker("a", left.signal));
      left.abort();
      assert.match(await refusal(Promise.all(reads)), /the client has left/);
      await refusal(Promise.all(renderer.render(long("x", 1), asker("a", left.signal))));
      assert.equal((await render(renderer, long("x", 1))).length, 1);
    }));

  test("reads beyond a thousand of one client are refused, and so are all once it is closed", async () => {
    const late = await using({}, async (renderer) => {
      const first = render(renderer, [markdown("first")]);
      const reads = await Promise.allSettled(
        Array.from({ length: 1001 }, (_, i) => render(renderer, [markdown(`${i}`)])),
      );
      assert.equal(reads.filter(({ status }) => status === "rejected").length, 1);
      await first;
      return renderer;
    });
    await refusal(render(late, [markdown("a")]));
  });
});

test("what a refused read had rendered is kept, so that it is answered when it comes again", () =>
  using({ maxWaitMs: 20 }, async (thread) => {
    const renderer = new EntryRenderer({ current: () => ({ types: undefined }) }, thread);
    const texts = [markdown("*short*"), ...long("x", 1)].map(({ text }, i) => ({ slug: `${i}`, content: text }));
    const json = JSON.stringify({ entries: Object.fromEntries(texts.map((one) => [one.slug, one])), files: {} });
    const slow = render(thread, [markdown("![[]()".repeat(15_000))], "b");
    await refusal(Promise.resolve(renderer.included(json, asker("a"), new FileAddresses(""))));
    await slow;
    const html = JSON.parse(wholeText(await renderer.included(json, asker("a"), new FileAddresses("")))).entries;
    assert.equal(html["0"].content, "<p><em>short</em></p>\n");
    assert.match(html["1"].content, /^<p>x0 <em>a<\/em>/);
    // All is kept: nothing of it is rendered again, or it would be refused.
    await thread.close();
    assert.deepEqual(
      JSON.parse(wholeText(await renderer.included(json, asker("a"), new FileAddresses("")))).entries,
      html,
    );
  }));

test("the thread ends when it is idle, and starts again", () =>
  using({ idleMs: 1 }, async (renderer) => {
    for (let i = 0; i < 3; i++) {
      assert.deepEqual(await render(renderer, [markdown(`${i}`)]), [`<p>${i}</p>\n`]);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }));

test("thousands of texts of one answer are rendered in parts, each in its place", async () => {
  const names = Array.from({ length: 2500 }, (_, i) => `n${i}`);
  const sent = Object.fromEntries(names.map((name) => [name, { slug: name, content: `*${name}*` }]));
  const html = await using({}, async (thread) => {
    const renderer = new EntryRenderer({ current: () => ({ types: undefined }) }, thread);
    return JSON.parse(
      wholeText(
        await renderer.included(JSON.stringify({ entries: sent, files: {} }), asker("a"), new FileAddresses("")),
      ),
    ).entries;
  });
  for (const name of names) assert.equal(html[name].content, `<p><em>${name}</em></p>\n`);
});
