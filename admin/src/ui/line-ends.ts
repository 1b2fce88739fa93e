import { invertedEffects } from "@codemirror/commands";
import {
  type ChangeDesc,
  type EditorState,
  type Extension,
  MapMode,
  RangeSet,
  RangeSetBuilder,
  RangeValue,
  StateEffect,
  StateField,
  type Text,
  type Transaction,
} from "@codemirror/state";

/**
 * The ends of lines as they are stored. The editor knows one end; here is which lines have another, so that an edit changes
 * no line but those that it touches, also in a text that has several kinds.
 */

type End = "\n" | "\r\n" | "\r";
type PlacedEnd = { readonly at: number; readonly end: End };

class LineEnd extends RangeValue {
  readonly end: End;
  constructor(end: End) {
    super();
    this.end = end;
  }
  override eq(other: LineEnd): boolean {
    return other.end === this.end;
  }
}
// What is typed at the end of a line stands before its end, which goes when it is deleted itself.
Object.assign(LineEnd.prototype, { startSide: 1, endSide: 1, point: true, mapMode: MapMode.TrackAfter });

type Ends = {
  /** Where a line ends otherwise than by a line feed. */
  readonly odd: RangeSet<LineEnd>;
  /** Of a new line without a neighbour: the first of the text as it was opened. */
  readonly usual: End;
};

const setEnds = StateEffect.define<readonly PlacedEnd[]>({
  map: (ends, changes) =>
    ends.flatMap(({ at, end }) => {
      const moved = changes.mapPos(at, 1, MapMode.TrackAfter);
      return moved === null ? [] : [{ at: moved, end }];
    }),
});

const lineEnds = StateField.define<Ends>({
  create: () => ({ odd: RangeSet.empty, usual: "\n" }),
  update(ends, transaction) {
    const given = transaction.effects.flatMap((effect) => (effect.is(setEnds) ? effect.value : []));
    if (given.length === 0 && (!transaction.docChanged || !hasOdd(ends))) return ends;
    const odd = ends.odd.map(transaction.changes);
    const named = new Set(given.map(({ at }) => at));
    const made = insertedEnds(transaction, { ...ends, odd }).filter(({ at }) => !named.has(at));
    const added = [...given, ...made]
      .filter(({ end }) => end !== "\n")
      .map(({ at, end }) => new LineEnd(end).range(at));
    return { odd: odd.update({ add: added, sort: true }), usual: ends.usual };
  },
});

const hasOdd = ({ odd, usual }: Ends): boolean => odd.size > 0 || usual !== "\n";

/** New lines end as the one before them, else as the one after them. */
function insertedEnds({ changes, newDoc }: Transaction, ends: Ends): PlacedEnd[] {
  const made: PlacedEnd[] = [];
  changes.iterChanges((_fromA, _toA, from, to, { lines }) => {
    if (lines === 1) return;
    const [first, last] = [newDoc.lineAt(from), newDoc.lineAt(to)];
    const near = first.number > 1 ? first.from - 1 : last.number < newDoc.lines ? last.to : undefined;
    const end = near === undefined ? ends.usual : endAt(ends.odd, near);
    for (let number = first.number; number < last.number; number++) made.push({ at: newDoc.line(number).to, end });
  });
  return made;
}

function endAt(odd: RangeSet<LineEnd>, at: number): End {
  let found: End = "\n";
  odd.between(at, at, (_from, _to, { end }) => {
    found = end;
    return false;
  });
  return found;
}

/** What a step back or forward puts back ends as it did. */
const undone = invertedEffects.of(({ changes, startState }) => {
  const ends = startState.field(lineEnds);
  if (!hasOdd(ends)) return [];
  const removed = removedEnds(changes, startState.doc, ends.odd);
  return removed.length > 0 ? [setEnds.of(removed)] : [];
});

function removedEnds(changes: ChangeDesc, doc: Text, odd: RangeSet<LineEnd>): PlacedEnd[] {
  const removed: PlacedEnd[] = [];
  changes.iterChangedRanges((from, to) => {
    const last = doc.lineAt(to).number;
    for (let { number } = doc.lineAt(from); number < last; number++) {
      const at = doc.line(number).to;
      removed.push({ at, end: endAt(odd, at) });
    }
  });
  return removed;
}

/** Keeps the ends of the lines of this text, with which the editor begins. */
export function keepEnds(text: string): Extension {
  const all = endsIn(text);
  const odd = new RangeSetBuilder<LineEnd>();
  for (const { at, end } of all) if (end !== "\n") odd.add(at, at, new LineEnd(end));
  return [lineEnds.init(() => ({ odd: odd.finish(), usual: all[0]?.end ?? "\n" })), undone];
}

/** Where the lines of a text end, in positions of the editor. */
function endsIn(text: string): PlacedEnd[] {
  if (!text.includes("\r")) return [];
  let dropped = 0;
  return [...text.matchAll(/\r\n?|\n/g)].map(({ index, 0: end }) => {
    const at = index - dropped;
    dropped += end.length - 1;
    return { at, end: end as End };
  });
}

/** The text of an editor, each line with its own end. */
export function storedText(state: EditorState): string {
  const text = state.doc.toString();
  const odd = state.field(lineEnds, false)?.odd;
  if (!odd?.size) return text;
  let [stored, at] = ["", 0];
  const add = (part: string): void => {
    // Together they would be one end.
    stored += stored.endsWith("\r") ? part.replace(/^\n+/, (ends) => "\r".repeat(ends.length)) : part;
  };
  for (const cursor = odd.iter(); cursor.value; cursor.next()) {
    add(text.slice(at, cursor.from));
    stored += cursor.value.end;
    at = cursor.from + 1;
  }
  add(text.slice(at));
  return stored;
}

/** Replaces all of the text. */
export const replaceAll = ({ doc }: EditorState, text: string) => ({
  changes: { from: 0, to: doc.length, insert: text },
  effects: setEnds.of(endsIn(text)),
});
