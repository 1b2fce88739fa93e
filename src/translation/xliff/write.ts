import { inOne, nameOfCode, type Piece, type Segmented, segmentText } from "./segment.ts";
import { type TranslatedEntry, type Unit, type UnitState, unitsOf } from "./unit.ts";

/** XLIFF 2.1 (OASIS standard, 2018) and 1.2 (2008): a file of each entry, a unit of each text, a segment of each block. */

export type XliffVersion = "2.1" | "1.2";

/** `state` selects units; all without it. */
export type XliffHead = {
  readonly version: XliffVersion;
  readonly sourceLocale: string;
  readonly targetLocale: string;
  readonly state?: UnitState | undefined;
};

/** The text of the file in pieces, one for each entry that has units. */
export async function* writeXliff(
  head: XliffHead,
  entries: AsyncIterable<TranslatedEntry> | Iterable<TranslatedEntry>,
): AsyncGenerator<string> {
  const form = head.version === "2.1" ? form21 : form12;
  let isEmpty = true;
  yield `<?xml version="1.0" encoding="UTF-8"?>\n${form.open(head)}\n`;
  for await (const entry of entries) {
    const units = unitsOf(entry).filter(({ state }) => head.state === undefined || state === head.state);
    if (units.length === 0) continue;
    isEmpty = false;
    yield form.file(entry, units.map(form.unit).join(""), head);
  }
  yield `${isEmpty ? form.empty(head) : ""}</xliff>\n`;
}

type Form = {
  open(head: XliffHead): string;
  file(entry: TranslatedEntry, units: string, head: XliffHead): string;
  unit(unit: Unit): string;
  /** The file must not be without one. */
  empty(head: XliffHead): string;
};

const form21: Form = {
  open: ({ sourceLocale, targetLocale }) =>
    `<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.1" ${attributes({ srcLang: sourceLocale, trgLang: targetLocale })}>`,
  file: ({ uuid, id, title }, units) =>
    `<file ${attributes({ id: uuid, original: id })}>\n<notes><note>${plain(title)}</note></notes>\n${units}</file>\n`,
  unit: unit21,
  empty: () => `<file id="empty"><group id="empty"/></file>\n`,
};

const form12: Form = {
  open: () => `<xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2">`,
  file: ({ id, title }, units, head) =>
    `<file ${fileAttributes(id, head)}>\n<header><note>${plain(title)}</note></header>\n<body>\n${units}</body></file>\n`,
  unit: unit12,
  empty: (head) => `<file ${fileAttributes("", head)}><body/></file>\n`,
};

const fileAttributes = (original: string, { sourceLocale, targetLocale }: XliffHead): string =>
  attributes({
    original,
    datatype: "plaintext",
    "source-language": sourceLocale,
    "target-language": targetLocale,
  });

/** The source and the translation in as many segments: in one when the translation has others than the source. */
function aligned({ source, target }: Unit): { source: Segmented; target: Segmented | undefined } {
  const one = segmentText(source);
  const other = target === undefined ? undefined : segmentText(target);
  if (!other || other.segments.length === one.segments.length) return { source: one, target: other };
  return { source: whole(one), target: whole(other) };
}

const whole = (text: Segmented): Segmented => ({ gaps: ["", ""], segments: [inOne(text)] });

function unit21(unit: Unit): string {
  const { source, target } = aligned(unit);
  const [sources, targets] = [new Inline21(), new Inline21()];
  const parts = source.gaps.flatMap((gap, i) => {
    const [before, segment] = [target?.gaps[i] ?? gap, source.segments[i]];
    const [ours, theirs] = [sources.write(codeOf(gap)), targets.write(codeOf(before))];
    const ignorable = `<source>${ours}</source>${before === gap ? "" : `<target>${theirs}</target>`}`;
    const own = target?.segments[i];
    const inside = segment && `<source>${sources.write(segment)}</source>`;
    const translated = own ? `<target>${targets.write(own)}</target>` : "";
    return [
      gap + before === "" ? "" : `<ignorable>${ignorable}</ignorable>\n`,
      inside ? `<segment id="s${i + 1}" ${states21[unit.state]}>${inside}${translated}</segment>\n` : "",
    ];
  });
  const data = [...new Map([...sources.data, ...targets.data])].map(
    ([name, code]) => `<data id="d${name}">${escapeText(code, (hex) => `<cp hex="${hex}"/>`)}</data>`,
  );
  const originalData = data.length > 0 ? `<originalData>${data.join("")}</originalData>\n` : "";
  return `<unit ${attributes({ id: unit.id, name: unit.name })} xml:space="preserve">\n${originalData}${parts.join("")}</unit>\n`;
}

/** A translation of an older source begins anew. XLIFF 2.1 §4.3.1.28. */
const states21: Readonly<Record<UnitState, string>> = {
  missing: `state="initial"`,
  outdated: `state="initial" subState="octavo:outdated"`,
  done: `state="translated"`,
};
const states12: Readonly<Record<UnitState, string>> = {
  missing: "new",
  outdated: "needs-translation",
  done: "translated",
};

function unit12(unit: Unit): string {
  const { source, target } = aligned(unit);
  const isMarked = source.segments.length > 1;
  const segmented = isMarked ? `<seg-source>${marked(source)}</seg-source>\n` : "";
  const translated = target && (isMarked ? marked(target) : new Inline12().write(inOne(target)));
  const ours = `<source>${new Inline12().write(inOne(source))}</source>\n${segmented}`;
  const theirs = translated === undefined ? "" : `<target state="${states12[unit.state]}">${translated}</target>\n`;
  return `<trans-unit ${attributes({ id: unit.id, resname: unit.name })} xml:space="preserve">\n${ours}${theirs}</trans-unit>\n`;
}

function marked({ gaps, segments }: Segmented): string {
  const inline = new Inline12();
  const parts = gaps.map((gap, i) => {
    const [before, segment] = [inline.write(codeOf(gap)), segments[i]];
    return segment ? `${before}<mrk mtype="seg" mid="${i + 1}">${inline.write(segment)}</mrk>` : before;
  });
  return parts.join("");
}

const codeOf = (gap: string): Piece[] => (gap === "" ? [] : [{ code: gap }]);

/** Writes the pieces of one source or target, whose elements have ids that differ. */
abstract class Inline {
  private readonly counts = new Map<string, number>();

  write(pieces: readonly Piece[]): string {
    return pieces
      .map((piece) =>
        typeof piece === "string" ? escapeText(piece, (hex) => this.character(hex)) : this.code(piece.code),
      )
      .join("");
  }

  protected abstract code(code: string): string;
  protected abstract character(hex: string): string;

  protected id(name: string): string {
    const count = (this.counts.get(name) ?? 0) + 1;
    this.counts.set(name, count);
    return count === 1 ? name : `${name}-${count}`;
  }
}

class Inline21 extends Inline {
  /** The codes by their names. */
  readonly data = new Map<string, string>();

  protected code(code: string): string {
    const name = nameOfCode(code);
    this.data.set(name, code);
    return `<ph id="${this.id(name)}" dataRef="d${name}"/>`;
  }

  protected character = (hex: string): string => `<cp hex="${hex}"/>`;
}

class Inline12 extends Inline {
  protected code = (code: string): string => `<ph id="${this.id(nameOfCode(code))}">${plain(code)}</ph>`;
  protected character = (hex: string): string => `<x id="${this.id(`cp-${hex}`)}"/>`;
}

/** XML 1.0 §2.2 has no place for these, escaped neither. */
const notInXml = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu;
const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\r": "&#13;",
  "\n": "&#10;",
  "\t": "&#9;",
};

const escapeText = (text: string, character: (hex: string) => string): string =>
  text
    .replace(/[&<>\r]/g, (char) => entities[char] as string)
    .replace(notInXml, (char) =>
      character((char.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0")),
    );

/** Where no element has a place. What is lost here, the name of the code still tells. */
const plain = (text: string): string => escapeText(text, () => "\ufffd");

const attributes = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}="${plain(value).replace(/["\n\t]/g, (char) => entities[char] as string)}"`)
    .join(" ");
