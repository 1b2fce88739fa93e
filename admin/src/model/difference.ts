import { diffArrays } from "diff";
import { formatJson, isObject, isSame, type Json, type JsonObject } from "../api/json.ts";

/** What changed between two JSON values: texts by words, lists by elements, objects by keys. */

type Kind = "same" | "old" | "new";
/** A part of a text that both have, or one of them. */
export type Piece = { kind: Kind; text: string };
/** Elements of a list that both have, or one of them; or an element that changed. */
export type Elements = { kind: Kind; values: Json[] } | { kind: "changed"; difference: Difference };
export type FieldDifference = { key: string; difference: Difference };

export type Difference =
  | { type: "text"; pieces: Piece[] }
  | { type: "list"; elements: Elements[] }
  | { type: "fields"; fields: FieldDifference[] }
  /** Anything else; undefined for a field that one of them does not have. */
  | { type: "value"; before: Json | undefined; after: Json | undefined };

/** How fields are named and their values shown: as in their form. */
export type FieldWords = Record<string, { label: string; show?(value: Json): string }>;

/** The keys whose values differ, in the order of `after`, then the removed ones. */
export function compareFields(before: JsonObject, after: JsonObject): FieldDifference[] {
  const keys = [...new Set([...Object.keys(after), ...Object.keys(before)])];
  return keys
    .filter((key) => !isSame(before[key], after[key]))
    .map((key) => ({ key, difference: compare(before[key], after[key]) }));
}

export function compare(before: Json | undefined, after: Json | undefined): Difference {
  if (typeof before === "string" && typeof after === "string")
    return { type: "text", pieces: compareTexts(before, after) };
  if (Array.isArray(before) && Array.isArray(after)) return { type: "list", elements: compareLists(before, after) };
  if (isObject(before) && isObject(after)) {
    const fields = compareFields(before, after);
    // Otherwise only the order of the keys differs.
    if (fields.length > 0) return { type: "fields", fields };
  }
  return { type: "value", before, after };
}

// The time grows with the square of the number of edits.
const mostEdits = 2000;

/** The runs that lead from one list to the other; a list with too many edits is replaced as a whole. */
function runs<T>(before: T[], after: T[]): { kind: Kind; values: T[] }[] {
  const changes = diffArrays(before, after, { maxEditLength: mostEdits });
  const whole = [
    { kind: "old" as const, values: before },
    { kind: "new" as const, values: after },
  ];
  const found = changes?.map(({ added, removed, value }) => ({
    kind: added ? ("new" as const) : removed ? ("old" as const) : ("same" as const),
    values: value,
  }));
  return (found ?? whole).filter(({ values }) => values.length > 0);
}

// ---------------------------------------------------------------------------------------------- texts

// Longer parts are replaced as a whole.
const mostWords = 20_000;
const words = new Intl.Segmenter(undefined, { granularity: "word" });
const wordsOf = (text: string): string[] => Array.from(words.segment(text), ({ segment }) => segment);
const linesOf = (text: string): string[] => text.split(/(?<=\n)/);

/** By lines first, which is fast in long texts, then by words within the changed lines. */
export function compareTexts(before: string, after: string): Piece[] {
  const pieces: Piece[] = [];
  const lines = runs(linesOf(before), linesOf(after)).map(toPiece);
  for (let at = 0; at < lines.length; at++) {
    const [line, next] = [lines[at] as Piece, lines[at + 1]];
    if (line.kind === "old" && next?.kind === "new") {
      pieces.push(...compareWords(line.text, next.text));
      at++;
    } else pieces.push(line);
  }
  return joinPieces(pieces);
}

const toPiece = ({ kind, values }: { kind: Kind; values: string[] }): Piece => ({ kind, text: values.join("") });

function compareWords(before: string, after: string): Piece[] {
  if (before.length + after.length > mostWords)
    return [
      { kind: "old", text: before },
      { kind: "new", text: after },
    ];
  return runs(wordsOf(before), wordsOf(after)).map(toPiece);
}

/** Joins changes with nothing but spaces between them, so that a replaced phrase reads as one. */
function joinPieces(pieces: readonly Piece[]): Piece[] {
  const joined: Piece[] = [];
  let [old, fresh, gap] = ["", "", ""];
  const flush = (): void => {
    if (old) joined.push({ kind: "old", text: old });
    if (fresh) joined.push({ kind: "new", text: fresh });
    if (gap) joined.push({ kind: "same", text: gap });
    [old, fresh, gap] = ["", "", ""];
  };
  for (const { kind, text } of pieces) {
    if (kind === "same") {
      if ((old || fresh) && gap === "" && /^[^\S\n]+$/.test(text)) gap = text;
      else {
        flush();
        joined.push({ kind, text });
      }
      continue;
    }
    [old, fresh, gap] = [old + gap, fresh + gap, ""];
    if (kind === "old") old += text;
    else fresh += text;
  }
  flush();
  return joined;
}

// ---------------------------------------------------------------------------------------------- lists

const textOf = (value: Json): string => formatJson(value);

/** An element that was replaced by one of the same type is compared with it. */
function compareLists(before: Json[], after: Json[]): Elements[] {
  const found: Elements[] = [];
  const steps = runs(before.map(textOf), after.map(textOf));
  let [i, j] = [0, 0];
  for (let at = 0; at < steps.length; at++) {
    const { kind, values } = steps[at] as { kind: Kind; values: string[] };
    const next = steps[at + 1];
    const old = before.slice(i, i + values.length);
    if (kind === "old" && next?.kind === "new" && next.values.length === values.length) {
      found.push(...old.flatMap((value, k) => compareElement(value, after[j + k] as Json)));
      at++;
      i += values.length;
      j += values.length;
      continue;
    }
    found.push({ kind, values: kind === "new" ? after.slice(j, j + values.length) : old });
    if (kind !== "new") i += values.length;
    if (kind !== "old") j += values.length;
  }
  return found;
}

function compareElement(before: Json, after: Json): Elements[] {
  const difference = compare(before, after);
  if (difference.type === "fields" || difference.type === "list") return [{ kind: "changed", difference }];
  return [
    { kind: "old", values: [before] },
    { kind: "new", values: [after] },
  ];
}
