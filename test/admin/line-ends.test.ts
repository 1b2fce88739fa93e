import assert from "node:assert/strict";
import { test } from "node:test";
import { history, redo, undo } from "@codemirror/commands";
import { EditorState, type Transaction, type TransactionSpec } from "@codemirror/state";
import fc from "fast-check";
import { keepEnds, replaceAll, storedText } from "../../admin/src/ui/line-ends.ts";

/** An edit changes only the lines that it touches: the ends of all others stay. */

class Editor {
  state: EditorState;
  constructor(text: string) {
    this.state = EditorState.create({ doc: text, extensions: [history({ newGroupDelay: 0 }), keepEnds(text)] });
  }
  apply(spec: TransactionSpec): string {
    this.state = this.state.update(spec).state;
    return this.text;
  }
  run(command: typeof undo): string {
    const dispatch = (transaction: Transaction): void => {
      this.state = transaction.state;
    };
    command({ state: this.state, dispatch });
    return this.text;
  }
  get text(): string {
    return storedText(this.state);
  }
}

test("a text that is only opened keeps every byte", () => {
  for (const text of ["", "a", "a\r\nb", "a\r\n", "\r", "\r\r\n\n\r", "a\nb\r\nc\rd", "\ta \r\n\r\n  b\u00a0"])
    assert.equal(new Editor(text).text, text, JSON.stringify(text));
});

test("a word changes in its line, and new lines end as their neighbours", () => {
  const editor = new Editor("one\r\ntwo\nthree\r\nfour");
  assert.equal(editor.apply({ changes: { from: 4, to: 7, insert: "2" } }), "one\r\n2\nthree\r\nfour");
  assert.equal(editor.apply({ changes: { from: 3, insert: "!" } }), "one!\r\n2\nthree\r\nfour");
  assert.equal(editor.apply({ changes: { from: 6, insert: "\nx" } }), "one!\r\n2\r\nx\nthree\r\nfour");
  assert.equal(new Editor("a\r\n").apply({ changes: { from: 2, insert: "b\nc" } }), "a\r\nb\r\nc");
  const one = new Editor("a\r\nb");
  assert.equal(one.apply({ changes: { from: 0, to: 3, insert: "c" } }), "c");
  assert.equal(one.apply({ changes: { from: 1, insert: "\nd" } }), "c\r\nd");
});

test("an empty line below one that ends with a carriage return stays a line", () => {
  const editor = new Editor("a\rb\nc");
  assert.equal(editor.apply({ changes: { from: 2, to: 3 } }), "a\r\rc");
});

test("a text from elsewhere has its own ends, and a step back those from before", () => {
  const editor = new Editor("a\r\nb\nc");
  assert.equal(editor.apply(replaceAll(editor.state, "x\ny\rz")), "x\ny\rz");
  assert.equal(editor.run(undo), "a\r\nb\nc");
  assert.equal(editor.run(redo), "x\ny\rz");
});

const words = fc.array(fc.constantFrom("a", " ", "\t", "\n", "\r\n"), { maxLength: 12 }).map((all) => all.join(""));

test("lines before and after any edit keep their ends, and all steps back give the text as it was", () => {
  const edit = fc.record({ from: fc.nat(), size: fc.nat(5), insert: words });
  fc.assert(
    fc.property(words, fc.array(edit, { maxLength: 6 }), (text, edits) => {
      const editor = new Editor(text);
      for (const { from, size, insert } of edits) {
        const { doc } = editor.state;
        const [start, stop] = [from % (doc.length + 1), Math.min(doc.length, (from % (doc.length + 1)) + size)];
        const before = linesOf(editor.text);
        const after = linesOf(editor.apply({ changes: { from: start, to: stop, insert } }));
        const kept = doc.lineAt(start).number - 1;
        const rest = doc.lines - doc.lineAt(stop).number;
        assert.deepEqual(after.slice(0, kept), before.slice(0, kept));
        assert.deepEqual(rest ? after.slice(-rest) : [], rest ? before.slice(-rest) : []);
      }
      const last = editor.text;
      for (const _ of edits) editor.run(undo);
      assert.equal(editor.text, text);
      for (const _ of edits) editor.run(redo);
      assert.equal(editor.text, last);
    }),
    { numRuns: 500 },
  );
});

/** With their ends; the last one has none. */
const linesOf = (text: string): string[] => text.match(/.*\r?\n|.*$/g) ?? [];
