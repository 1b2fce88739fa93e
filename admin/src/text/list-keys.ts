import type { Command } from "@codemirror/view";
import { isBelowText, isInCodeBlock, quoteOf } from "./drawn/line-lead.ts";

const item = /^(\s*)(?:([-*+])|(\d{1,9})([.)]))( +)(\[[ xX]\] +)?/;

/**
 * Enter in an item of a list or in a quote begins the next one; in an empty one it ends the list, or else the quote. A
 * blank line stays before what comes then: without it that would be a part of the last item.
 */
export const continueList: Command = (view) => {
  const { state } = view;
  const { from, empty } = state.selection.main;
  const line = state.doc.lineAt(from);
  const quote = quoteOf(line.text);
  const [mark = "", indent = "", bullet, number, dot, space, task] = item.exec(line.text.slice(quote.length)) ?? [];
  const lead = quote + mark;
  if (!empty || lead === "" || from < line.from + lead.length || isInCodeBlock(state)) return false;
  const isEmpty = line.text.slice(lead.length).trim() === "";
  const next = mark && `${indent}${bullet ?? Number(number) + 1}${dot ?? ""}${space}${task ? "[ ] " : ""}`;
  const rest = mark && quote;
  const end = isBelowText(state, line.number) ? `${rest.trimEnd()}\n${rest}` : rest;
  const change = isEmpty ? { from: line.from, to: line.to, insert: end } : { from, insert: `\n${quote}${next}` };
  const at = (isEmpty ? line.from : from) + change.insert.length;
  view.dispatch({ changes: change, selection: { anchor: at }, userEvent: "input", scrollIntoView: true });
  return true;
};
