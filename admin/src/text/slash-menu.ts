import { type EditorState, type Extension, Facet, Prec, StateEffect, StateField } from "@codemirror/state";
import { type Command, EditorView, keymap, showTooltip, type TooltipView } from "@codemirror/view";
import { say } from "../language/say.ts";
import { isInCodeBlock } from "./drawn/line-lead.ts";
import { insertTable } from "./drawn/table-commands.ts";

/** A slash at the start of an empty line offers what the line can become; letters after it choose among that. */

type Item = {
  label: string;
  /** The mark that begins the line. */
  mark?: string;
  /** A block of its own, with an empty line before it. */
  block?: { text: string; cursor: number };
  run?: Command;
};
/** What other parts of the page ask for. */
type Asks = { link: () => void; picture: () => (() => void) | undefined };
type Open = { from: number; query: string; index: number };

const listId = "slash-menu";
const move = StateEffect.define<number>();
const close = StateEffect.define<null>();

const itemsOf = ({ link, picture }: Asks): Item[] => {
  const choose = picture();
  return [
    { label: say("Heading"), mark: "## " },
    { label: say("Smaller heading"), mark: "### " },
    { label: say("List"), mark: "- " },
    { label: say("Numbered list"), mark: "1. " },
    { label: say("Tasks"), mark: "- [ ] " },
    { label: say("Quote"), mark: "> " },
    { label: say("Table"), block: { text: "", cursor: 0 }, run: insertTable },
    ...(choose ? [{ label: say("Picture"), run: asks(choose) }] : []),
    { label: say("Link to an entry"), run: asks(link) },
    { label: say("Code"), block: { text: "```\n\n```", cursor: 4 } },
    { label: say("Line"), block: { text: "---\n\n", cursor: 5 } },
  ];
};

const asks =
  (ask: () => void): Command =>
  () => {
    ask();
    return true;
  };

const wanted = Facet.define<Asks, Asks>({
  combine: ([asked]) => asked ?? { link: () => undefined, picture: () => undefined },
});

const found = (state: EditorState, query: string): Item[] =>
  itemsOf(state.facet(wanted)).filter(({ label }) => label.toLowerCase().includes(query.toLowerCase()));

const menu: StateField<Open | undefined> = StateField.define<Open | undefined>({
  create: () => undefined,
  update(open, transaction) {
    const { effects, state } = transaction;
    const next = slashIn(state);
    const begins = transaction.isUserEvent("input") && next?.query === "";
    if (!next || (!open && !begins) || effects.some((effect) => effect.is(close))) return undefined;
    const count = found(state, next.query).length;
    if (count === 0) return undefined;
    const step = effects.reduce((sum, effect) => sum + (effect.is(move) ? effect.value : 0), 0);
    return { ...next, index: open?.query === next.query ? (open.index + step + count) % count : 0 };
  },
  provide: (field) => [
    showTooltip.from(field, (open) => (open ? { pos: open.from, create: listOf } : null)),
    EditorView.contentAttributes.compute([field], (state): Record<string, string> => {
      const open = state.field(field);
      return open ? { "aria-controls": listId, "aria-activedescendant": `${listId}-${open.index}` } : {};
    }),
  ],
});

function listOf(view: EditorView): TooltipView {
  const dom = document.createElement("div");
  Object.assign(dom, { id: listId, className: "slash-menu", role: "listbox", ariaLabel: say("Insert") });
  const show = (state: EditorState): void => {
    const open = state.field(menu);
    if (open) dom.replaceChildren(...found(state, open.query).map((item, i) => optionOf(item, i, i === open.index)));
  };
  show(view.state);
  dom.addEventListener("mousedown", (event) => {
    event.preventDefault();
    const at = [...dom.children].indexOf((event.target as Element).closest("[role=option]") as Element);
    const item = found(view.state, view.state.field(menu)?.query ?? "")[at];
    if (item) put(view, item);
  });
  return { dom, update: ({ state }) => show(state) };
}

const when =
  (run: (view: EditorView, open: Open) => void): Command =>
  (view) => {
    const open = view.state.field(menu);
    if (open) run(view, open);
    return open !== undefined;
  };
const step = (by: number): Command => when((view) => view.dispatch({ effects: move.of(by) }));
const choose = when((view, { query, index }) => put(view, found(view.state, query)[index] as Item));

/** The extension. `picture` gives what asks for a picture; undefined for who may choose none. */
export const slashMenu = (asked: Asks): Extension => [
  wanted.of(asked),
  menu,
  Prec.highest(
    keymap.of([
      { key: "ArrowDown", run: step(1) },
      { key: "ArrowUp", run: step(-1) },
      { key: "Enter", run: choose },
      { key: "Tab", run: choose },
      { key: "Escape", run: when((view) => view.dispatch({ effects: close.of(null) })) },
    ]),
  ),
];

/** A line of nothing but a slash and letters, with the cursor at its end; none in code. */
function slashIn(state: EditorState): Omit<Open, "index"> | undefined {
  const { head, empty } = state.selection.main;
  const line = state.doc.lineAt(head);
  const query = /^\/([\p{L} ]{0,20})$/u.exec(line.text)?.[1];
  if (!empty || head !== line.to || query === undefined || isInCodeBlock(state)) return undefined;
  return { from: line.from, query };
}

function optionOf({ label }: Item, index: number, isSelected: boolean): HTMLElement {
  const option = document.createElement("div");
  Object.assign(option, { id: `${listId}-${index}`, role: "option", ariaSelected: String(isSelected) });
  option.textContent = label;
  return option;
}

function put(view: EditorView, { mark, block, run }: Item): void {
  const { doc, selection } = view.state;
  const line = doc.lineAt(selection.main.head);
  const isApart = line.number === 1 || doc.line(line.number - 1).text.trim() === "";
  const lead = block && !isApart ? "\n" : "";
  const insert = lead + (mark ?? block?.text ?? "");
  const anchor = line.from + (block ? lead.length + block.cursor : insert.length);
  view.dispatch({ changes: { from: line.from, to: line.to, insert }, selection: { anchor }, userEvent: "input" });
  run?.(view);
}
