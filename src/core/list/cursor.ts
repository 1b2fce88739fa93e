import { hash as hashOf } from "node:crypto";
import { compareText, isPath, type Path } from "../path.ts";
import { problem } from "../problem.ts";
import { compareSortValues, headOf, type Rank, type SortKey, type SortValue } from "./order.ts";

/**
 * The end of a page: the path and the sort values of its last item, as base64url of a JSON list. Not a secret and not
 * signed: a forged cursor only names another place to continue from, in what its caller may read anyway.
 *
 * A cursor is part of a URL, so it holds a prefix of each long value and one digest of all values. Where a prefix
 * cannot decide the order, the item itself can, as long as it exists unchanged; when it does not, the walk must be
 * refused, or it could skip items.
 */

const headCharacters = 256;

/** A cursor's binding: a short hash of everything that decides which items there are and in which order. */
export function cursorBinding(...parts: unknown[]): string {
  return hash(parts);
}

/** The cursor after an item. */
export function formatCursor(binding: string, { path, values }: Rank): string {
  const places = values.map(toPlace);
  const digest = places.every((place) => place.isWhole) ? "" : digestOf(values);
  return Buffer.from(JSON.stringify([binding, digest, path, ...places.map(formatPlace)])).toString("base64url");
}

/** The item after which a page starts. */
export class Cursor {
  readonly path: Path;
  private readonly order: readonly SortKey[];
  private readonly places: readonly CursorPosition[];
  private readonly digest: string;
  /** The item itself, once it was seen unchanged. */
  private item: Rank | undefined;

  /** Throws cursor_invalid for another binding, another number of values, or garbage. */
  constructor(text: string, binding: string, order: readonly SortKey[]) {
    const [bound, digest, path, ...places] = decode(text);
    const isWhole = typeof digest === "string" && places.length === order.length;
    // The path is passed to the database, which refuses U+0000.
    if (bound !== binding || !isWhole || typeof path !== "string" || !isPath(path)) throw problem("cursor_invalid");
    this.digest = digest;
    this.path = path;
    this.order = order;
    this.places = places.map(parsePlace);
  }

  /** The sort values of the item; undefined where the cursor has only a prefix of one. */
  get values(): readonly SortValue[] | undefined {
    return this.places.every(({ isWhole }) => isWhole) ? this.places.map(({ head }) => head) : undefined;
  }

  /** -, 0 or + as the item sorts before, is, or sorts after the cursor's; undefined while that is unknown. */
  compare(rank: Rank): number | undefined {
    if (rank.path === this.path && this.digest !== "" && digestOf(rank.values) === this.digest) this.item = rank;
    for (let i = 0; i < this.order.length; i++) {
      const compared = this.compareValue(rank, i);
      if (compared !== 0) return compared;
    }
    return compareText(rank.path, this.path);
  }

  private compareValue(rank: Rank, i: number): number | undefined {
    const { isDescending } = this.order[i] as SortKey;
    const { head, isWhole } = this.places[i] as CursorPosition;
    const value = rank.values[i];
    if (isWhole) return compareSortValues(value, head, isDescending);
    const compared = compareSortValues(headOf(value, headCharacters), head, isDescending);
    if (compared !== 0) return compared;
    return this.item && compareSortValues(value, this.item.values[i], isDescending);
  }
}

/** One sort value of the cursor's item, or its prefix. */
type CursorPosition = { head: SortValue; isWhole: boolean };

function toPlace(value: SortValue): CursorPosition {
  const head = headOf(value, headCharacters);
  return { head, isWhole: head === value };
}

const hash = (value: unknown): string => hashOf("sha256", JSON.stringify(value), "base64url").slice(0, 16);

const digestOf = (values: readonly SortValue[]): string =>
  hash(values.map((value) => formatPlace({ head: value, isWhole: true })));

function decode(cursor: string): unknown[] {
  try {
    const list: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    if (Array.isArray(list)) return list;
  } catch {}
  throw problem("cursor_invalid");
}

/** `k` and a whole order key, or `K` and a prefix of one. */
const formatPlace = ({ head, isWhole }: CursorPosition): string | null =>
  head === undefined ? null : `${isWhole ? "k" : "K"}${head}`;

function parsePlace(place: unknown): CursorPosition {
  if (place === null) return { head: undefined, isWhole: true };
  const kind = typeof place === "string" ? place.charAt(0) : "";
  const head = typeof place === "string" ? place.slice(1) : "";
  // The database refuses U+0000 and lone surrogates.
  if ((kind !== "k" && kind !== "K") || head.includes("\0") || !head.isWellFormed()) throw problem("cursor_invalid");
  return { head, isWhole: kind === "k" };
}

/** The cursor of a list of events or of what they made: the sequence of the last item's event. */
export const formatSequence = (sequence: number): string => String(sequence);

/** The inverse. Throws cursor_invalid. */
export function parseSequence(cursor: string): number {
  if (!/^[1-9]\d{0,14}$/.test(cursor)) throw problem("cursor_invalid");
  return Number(cursor);
}
