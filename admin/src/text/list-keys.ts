import type { Command } from "@codemirror/view";

const item = /^(\s*)(?:([-*+])|(\d{1,9})([.)]))( +)(\[[ xX]\] +)?/;

/**
 * Enter in an item of a list or in a quote begins the next one; in an empty one it ends the list. A blank line stays before
 * what comes then: without it that would be a part of the last item.
 */
export const continueList: Command = (view) => {
  const { state } = view;
  const { from, empty } = state.selection.main;
  const line = state.doc.lineAt(from);
  const [mark = "", indent = "", bullet, number, dot, space, task] = item.exec(line.text) ?? [];
  const quote = mark === "" ? (/^(?:> ?)+/.exec(line.text)?.[0] ?? "") : "";
  const lead = mark || quote;
  if (!empty || lead === "" || from < line.from + lead.length) return false;
  const isEmpty = line.text.slice(lead.length).trim() === "";
  const next =
    mark === "" ? quote : `${indent}${bullet ?? Number(number) + 1}${dot ?? ""}${space}${task ? "[ ] " : ""}`;
  const isBelow = line.number > 1 && state.doc.line(line.number - 1).text.trim() !== "";
  const blank = isBelow ? "\n" : "";
  const change = isEmpty ? { from: line.from, to: line.to, insert: blank } : { from, insert: `\n${next}` };
  const at = isEmpty ? line.from + blank.length : from + 1 + next.length;
  view.dispatch({ changes: change, selection: { anchor: at }, userEvent: "input", scrollIntoView: true });
  return true;
};
