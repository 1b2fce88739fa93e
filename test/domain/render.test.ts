import assert from "node:assert/strict";
import { test } from "node:test";
import { EntryRenderer, type Prose } from "../../src/domain/render.ts";
import { wholeText } from "../../src/lib/long-text.ts";

test("many texts are rendered in parts, each in its place", async () => {
  const sent: number[] = [];
  const prose = {
    render: async (texts: readonly Prose[]) => {
      sent.push(texts.length);
      return texts.map(({ text }) => `<p>${text}</p>`);
    },
  };
  const renderer = new EntryRenderer({ current: () => ({ types: undefined }) }, prose);
  const names = Array.from({ length: 2500 }, (_, i) => `n${i}`);
  const entries = Object.fromEntries(names.map((name) => [name, { slug: name, content: name }]));
  const html = JSON.parse(wholeText(await renderer.included(JSON.stringify({ entries, files: {} })))).entries;
  assert.deepEqual(sent, [1000, 1000, 500]);
  for (const name of names) assert.equal(html[name].content, `<p>${name}</p>`);
});
