import { inOne, nameOfCode, type Piece, type Segmented, segmentText } from "./segment.ts";
import { type TranslatedEntry, type Unit, type UnitState, unitsOf } from "./unit.ts";

/** XLIFF 2.1 (OASIS, 2018) and 1.2 (2008): a file of each entry, a unit of each text, a segment of each block. */

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
  const { root, file, unit, none } = forms[head.version](head);
  let isEmpty = true;
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<xliff ${root}>\n`;
  for await (const entry of entries) {
    const units = unitsOf(entry).filter(({ state }) => head.state === undefined || state === head.state);
    if (units.length === 0) continue;
    isEmpty = false;
    yield file(entry, units.map(unit).join(""));
  }
  yield `${isEmpty ? none : ""}</xliff>\n`;
}

/** `none`: no file may be without an element of this kind. */
const forms = {
  "2.1": ({ sourceLocale: srcLang, targetLocale: trgLang }: XliffHead) => ({
    root: `xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.1" ${attributes({ srcLang, trgLang })}`,
    none: `<file id="none"><group id="none"/></file>\n`,
    file: ({ uuid, id, title }: TranslatedEntry, units: string) =>
      `<file ${attributes({ id: uuid, original: id })}>\n<notes><note>${plain(title)}</note></notes>\n${units}</file>\n`,
    unit: unit21,
  }),
  "1.2": ({ sourceLocale, targetLocale }: XliffHead) => {
    const languages = { "source-language": sourceLocale, "target-language": targetLocale };
    const begin = (original: string): string =>
      `<file ${attributes({ original, datatype: "plaintext", ...languages })}>`;
    return {
      root: `xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2"`,
      none: `${begin("")}<body/></file>\n`,
      file: ({ id, title }: TranslatedEntry, units: string) =>
        `${begin(id)}\n<header><note>${plain(title)}</note></header>\n<body>\n${units}</body></file>\n`,
      unit: unit12,
    };
  },
};

/** The source and the translation in as many segments: in one when the translation has others than the source. */
function aligned({ source, target }: Unit): { source: Segmented; target: Segmented | undefined } {
  const one = segmentText(source);
  const other = target === undefined ? undefined : segmentText(target);
  if (!other || other.segments.length === one.segments.length) return { source: one, target: other };
  const whole = (text: Segmented): Segmented => ({ gaps: ["", ""], segments: [inOne(text)] });
  return { source: whole(one), target: whole(other) };
}

/** A translation of an older source begins anew: XLIFF 2.1 §4.7.1, 1.2 §3.2.3. */
const states = {
  missing: ["initial", "new"],
  outdated: ["initial", "needs-translation"],
  done: ["translated", "translated"],
} as const;

function unit21(unit: Unit): string {
  const { source, target } = aligned(unit);
  const data = new Map<string, string>();
  const [ours, theirs] = [inlineWriter("2.1", data), inlineWriter("2.1", data)];
  const parts = source.gaps.flatMap((gap, i) => {
    const [before, segment, translated] = [target?.gaps[i] ?? gap, source.segments[i], target?.segments[i]];
    const [one, other] = [ours([{ code: gap }]), theirs([{ code: before }])];
    const ignorable = `<source>${one}</source>${before === gap ? "" : `<target>${other}</target>`}`;
    const inside = `<source>${ours(segment ?? [])}</source>${translated ? `<target>${theirs(translated)}</target>` : ""}`;
    return [
      gap + before === "" ? "" : `<ignorable>${ignorable}</ignorable>\n`,
      segment ? `<segment id="s${i + 1}" state="${states[unit.state][0]}">${inside}</segment>\n` : "",
    ];
  });
  const codes = [...data].map(
    ([name, code]) => `<data id="d${name}">${escapeText(code, (hex) => `<cp hex="${hex}"/>`)}</data>`,
  );
  const all = `${codes.length > 0 ? `<originalData>${codes.join("")}</originalData>\n` : ""}${parts.join("")}`;
  return `<unit ${attributes({ id: unit.id, name: unit.name })} xml:space="preserve">\n${all}</unit>\n`;
}

function unit12(unit: Unit): string {
  const { source, target } = aligned(unit);
  const isMarked = source.segments.length > 1;
  const segmented = isMarked ? `<seg-source>${marked(source)}</seg-source>\n` : "";
  const translated = target && (isMarked ? marked(target) : inlineWriter("1.2")(inOne(target)));
  const ours = `<source>${inlineWriter("1.2")(inOne(source))}</source>\n${segmented}`;
  const theirs = translated === undefined ? "" : `<target state="${states[unit.state][1]}">${translated}</target>\n`;
  return `<trans-unit ${attributes({ id: unit.id, resname: unit.name })} xml:space="preserve">\n${ours}${theirs}</trans-unit>\n`;
}

function marked({ gaps, segments }: Segmented): string {
  const write = inlineWriter("1.2");
  const parts = gaps.map((code, i) => {
    const [before, segment] = [write([{ code }]), segments[i]];
    return segment ? `${before}<mrk mtype="seg" mid="${i + 1}">${write(segment)}</mrk>` : before;
  });
  return parts.join("");
}

/** Writes the pieces of one source or target: the ids of its elements differ. `data` gets the codes by their names. */
function inlineWriter(version: XliffVersion, data = new Map<string, string>()): (pieces: readonly Piece[]) => string {
  const counts = new Map<string, number>();
  const idOf = (name: string): string => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count === 1 ? name : `${name}-${count}`;
  };
  const character = (hex: string): string =>
    version === "2.1" ? `<cp hex="${hex}"/>` : `<x id="${idOf(`cp-${hex}`)}"/>`;
  const element = (code: string): string => {
    if (code === "") return "";
    const name = nameOfCode(code);
    data.set(name, code);
    const id = `id="${idOf(name)}"`;
    return version === "2.1" ? `<ph ${id} dataRef="d${name}"/>` : `<ph ${id}>${plain(code)}</ph>`;
  };
  return (pieces) =>
    pieces.map((piece) => (typeof piece === "string" ? escapeText(piece, character) : element(piece.code))).join("");
}

/** XML 1.0 §2.2 has no place for these, escaped neither. */
const notInXml = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu;
const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const escapeText = (text: string, character: (hex: string) => string): string =>
  text
    .replace(/[&<>\r]/g, (char) => entities[char] ?? "&#13;")
    .replace(notInXml, (char) =>
      character((char.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0")),
    );

/** Where no element has a place. What is lost here, the name of the code still tells. */
const plain = (text: string): string => escapeText(text, () => "\ufffd");

const attributes = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}="${plain(value).replace(/["\n\t]/g, (char) => entities[char] ?? " ")}"`)
    .join(" ");
