import type { Json, JsonObject } from "../../core/lib/json.ts";
import { segmentOf } from "../../type/walk.ts";
import { problem } from "./problems.ts";
import type { ReadPiece, ReadUnit } from "./read.ts";
import { inOne, joinText, nameOfCode, type Segmented, segmentText, textOfPieces } from "./segment.ts";
import { isContainer, membersOf, type TranslatedEntry, type Unit, unitsOf } from "./unit.ts";

/**
 * What a translators' file changes in one entry. `data`: the keys that change, with their whole new values; `applied`
 * and `unchanged` count units. Of a unit without any target nothing is said. `outdated` (its source is another now) and
 * `partial` (a part has no target, neither in the file nor in a translation with the same segments) are pointers of
 * units that are not applied; `unknown` are names.
 */
export type XliffChange = {
  readonly data: JsonObject;
  readonly applied: number;
  readonly unchanged: number;
  readonly outdated: readonly string[];
  readonly partial: readonly string[];
  readonly unknown: readonly string[];
};

/** The units are those of the file whose names begin with the entry's uuid. Throws text_invalid. */
export function applyUnits(entry: TranslatedEntry, read: readonly ReadUnit[]): XliffChange {
  const units = new Map(unitsOf(entry).map((unit) => [unit.name, unit]));
  const lists = { outdated: [] as string[], partial: [] as string[], unknown: [] as string[] };
  const edits = new Map<string, string>();
  const keys = new Set<string>();
  let unchanged = 0;
  for (const one of new Map(read.map((unit) => [unit.name, unit])).values()) {
    const unit = units.get(one.name);
    const { text, refused } = unit ? translationIn(one, unit) : {};
    if (!unit) lists.unknown.push(one.name);
    else if (refused) lists[refused].push(unit.pointer);
    else if (text === unit.target) unchanged += text === undefined ? 0 : 1;
    else if (text !== undefined) {
      edits.set(unit.pointer, checked(unit, text));
      keys.add(unit.key);
    }
  }
  return { data: edited(entry, edits, keys), applied: edits.size, unchanged, ...lists };
}

function translationIn(read: ReadUnit, unit: Unit): { text?: string; refused?: "outdated" | "partial" } {
  const [live, old] = [segmentText(unit.source), segmentText(unit.target ?? "")];
  // By their names: tools lose what a file says that they are.
  const codes = new Map<string, string>();
  for (const piece of [...inOne(live), ...inOne(old)])
    if (typeof piece !== "string") codes.set(nameOfCode(piece.code), piece.code);
  const partsIn = (clean: (text: string) => string): Part[] => {
    const textOf = (piece: ReadPiece): string =>
      typeof piece === "string" ? clean(piece) : (codes.get(piece.id.replace(/-\d+$/, "")) ?? piece.text);
    const join = (pieces: readonly ReadPiece[]): string => pieces.map(textOf).join("");
    return read.parts.map((part) => ({ ...part, source: join(part.source), target: part.target && join(part.target) }));
  };
  const isWhole = (all: readonly Part[]): boolean => all.map(({ source }) => source).join("") === unit.source;
  const asWritten = partsIn((text) => text);
  const parts = isWhole(asWritten) ? asWritten : partsIn(withoutLayout);
  const segments = parts.filter(({ isSegment }) => isSegment);
  if (!segments.some(({ target }) => target)) return {};
  if (!isWhole(parts) && read.id !== unit.id) return { refused: "outdated" };
  if (isWhole(parts) && !read.isPartial && segments.every(({ source, target }) => target || source === "")) {
    const inOrder = parts.toSorted((a, b) => a.order - b.order);
    return { text: inOrder.map(({ source, target }) => target ?? source).join("") };
  }
  const text = read.isPartial ? undefined : filledIn(segments, unit, live, old);
  return text === undefined ? { refused: "partial" } : { text };
}

type Part = { isSegment: boolean; order: number; source: string; target: string | undefined };

/** Some tools write each element on a line of its own, in the middle of a text; their own ends are never there in ours. */
function withoutLayout(text: string): string {
  const at = text.lastIndexOf("\n");
  return at >= 0 && text.slice(at).trim() === "" ? text.slice(0, at) : text;
}

/**
 * The translation with the targets that are there: some tools drop segments of a unit, and translators leave some. The
 * others stay as they are, unless they are of an older source.
 */
function filledIn(segments: readonly Part[], unit: Unit, live: Segmented, old: Segmented): string | undefined {
  if (old.segments.length !== live.segments.length) return undefined;
  const sources = live.segments.map(textOfPieces);
  const texts = old.segments.map(textOfPieces);
  let next = 0;
  for (const { source, target } of segments) {
    const at = sources.indexOf(source, next);
    if (at < 0) return undefined;
    if (target) texts[at] = target;
    next = at + 1;
  }
  const text = joinText(old.gaps, texts);
  return unit.state === "outdated" && text !== unit.target ? undefined : text;
}

/** A file can say characters that no JSON text may have. */
function checked({ pointer }: Unit, text: string): string {
  const rule = text.includes("\0") ? "U+0000" : text.isWellFormed() ? undefined : "a lone surrogate";
  if (rule !== undefined) throw problem("text_invalid", { argument: pointer, rule });
  return text;
}

function edited(entry: TranslatedEntry, edits: ReadonlyMap<string, string>, keys: ReadonlySet<string>): JsonObject {
  const touched = new Set<string>();
  for (const pointer of edits.keys())
    for (let end = pointer.length; end > 0; end = pointer.lastIndexOf("/", end - 1)) touched.add(pointer.slice(0, end));

  /** What is not touched stays as the translation has it, or as the source where there is none. */
  const valueAt = (pointer: string, source: Json | undefined, target: Json | undefined): Json => {
    const text = edits.get(pointer);
    if (text !== undefined) return text;
    if (!touched.has(pointer) || !isContainer(source)) return (target === undefined ? source : target) as Json;
    const values = new Map<string, Json>();
    for (const one of membersOf(source, target))
      values.set(one.step, valueAt(pointer + segmentOf(one.step), one.source, one.target));
    return Array.isArray(source) ? [...values.values()] : values;
  };
  const top = (key: string): Json => valueAt(segmentOf(key), entry.source.get(key), entry.target?.get(key));
  return new Map([...keys].map((key) => [key, top(key)]));
}
