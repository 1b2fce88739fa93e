import { SaxesParser, type SaxesTagNS } from "saxes";
import { problem } from "./problems.ts";

/** Reads XLIFF 2.0, 2.1 and 1.2 of any tool: what it knows at its place, and nothing else. */

/** Characters, or a code: `id` as the file has it, `text` as far as the file says it. */
export type ReadPiece = string | { readonly id: string; readonly text: string };

/** `order` is the place of the part's target, from 1. `isPartial`: only some of the segments that 1.2 marks have targets. */
export type ReadUnit = {
  readonly id: string;
  readonly name: string;
  readonly isPartial: boolean;
  readonly parts: readonly {
    readonly isSegment: boolean;
    readonly source: readonly ReadPiece[];
    readonly target: readonly ReadPiece[] | undefined;
    readonly order: number;
  }[];
};

export type XliffFile = { sourceLocale: string; targetLocale: string; units: readonly ReadUnit[] };

// A DOCTYPE costs saxes thirty bytes a character until it has ended, so the root must come soon.
const maxDepth = 64;
const maxPrologLength = 64 * 1024;

/**
 * Reads a file of at most so many UTF-16 units, given in pieces. Throws xliff_invalid for what is not well-formed, has a
 * DOCTYPE, another root or version, no languages or several, or elements too deep in each other; body_too_large.
 */
export async function readXliff(
  chunks: AsyncIterable<string> | Iterable<string>,
  maxLength: number,
): Promise<XliffFile> {
  const reader = new Reader();
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > maxLength) throw problem("body_too_large", { limit: maxLength });
    for (let at = 0; at < chunk.length; at += maxPrologLength) reader.write(chunk.slice(at, at + maxPrologLength));
  }
  return reader.end();
}

const namespaces: Readonly<Record<string, string>> = {
  "2.1": "urn:oasis:names:tc:xliff:document:2.0",
  "2.0": "urn:oasis:names:tc:xliff:document:2.0",
  "1.2": "urn:oasis:names:tc:xliff:document:1.2",
};

/** An element in a unit; its name is empty when it is of another namespace. */
type Element = { readonly name: string; readonly tag: SaxesTagNS; readonly children: (string | Element)[] };

const attributeOf = (tag: SaxesTagNS, name: string): string | undefined => tag.attributes[name]?.value;

class Reader {
  private readonly parser = new SaxesParser({ xmlns: true, position: true });
  private readonly open: Element[] = [];
  private readonly units: ReadUnit[] = [];
  private length = 0;
  private version: string | undefined;
  private locales: Pick<XliffFile, "sourceLocale" | "targetLocale"> | undefined;
  /** How deep the unit is that is being read; 0 outside. */
  private unitDepth = 0;

  constructor() {
    this.parser.on("doctype", () => this.fail("a DOCTYPE"));
    this.parser.on("opentag", (tag) => this.enter(tag as SaxesTagNS));
    this.parser.on("closetag", () => this.leave());
    this.parser.on("text", (text) => this.add(text));
    this.parser.on("cdata", (text) => this.add(text));
    this.parser.on("error", ({ message }) => this.fail(message.replace(/^\d+:\d+: /, "")));
  }

  write(text: string): void {
    this.parser.write(text);
    this.length += text.length;
    if (this.version === undefined && this.length > maxPrologLength) this.fail("no root element at the beginning");
  }

  end(): XliffFile {
    this.parser.close();
    return { ...(this.locales ?? this.fail("no languages")), units: this.units };
  }

  private fail(reason: string): never {
    throw problem("xliff_invalid", { line: this.parser.line, reason });
  }

  private enter(tag: SaxesTagNS): void {
    if (this.open.length >= maxDepth) this.fail(`elements more than ${maxDepth} deep`);
    this.version ??= this.versionOf(tag);
    const name = tag.uri === namespaces[this.version] ? tag.local : "";
    const element = { name, tag, children: [] };
    this.add(element);
    this.open.push(element);
    if (name === "xliff" && this.version !== "1.2") this.languages(tag, "srcLang", "trgLang");
    if (name === "file" && this.version === "1.2") this.languages(tag, "source-language", "target-language");
    if (this.unitDepth === 0 && (name === "unit" || name === "trans-unit")) this.unitDepth = this.open.length;
  }

  private versionOf(tag: SaxesTagNS): string {
    const version = attributeOf(tag, "version") ?? "";
    if (tag.local !== "xliff") this.fail(`the root element is "${tag.local.slice(0, 80)}"`);
    if (namespaces[version] === tag.uri) return version;
    return this.fail(`version "${version.slice(0, 80)}" in the namespace "${tag.uri.slice(0, 80)}"`);
  }

  private languages(tag: SaxesTagNS, ...names: [string, string]): void {
    const [sourceLocale, targetLocale] = names.map(
      (name) => attributeOf(tag, name) || this.fail(`"${name}" is missing`),
    );
    this.locales ??= { sourceLocale: sourceLocale as string, targetLocale: targetLocale as string };
    if (this.locales.sourceLocale !== sourceLocale || this.locales.targetLocale !== targetLocale)
      this.fail("a file in other languages than those before it");
  }

  private add(child: string | Element): void {
    if (this.unitDepth > 0) this.open.at(-1)?.children.push(child);
  }

  private leave(): void {
    const element = this.open.pop();
    if (!element || this.open.length !== this.unitDepth - 1) return;
    this.unitDepth = 0;
    this.units.push(element.name === "unit" ? unitOf(element) : transUnitOf(element));
  }
}

/** A unit of 2.1. */
function unitOf(unit: Element): ReadUnit {
  const data = new Map<string, string>();
  for (const one of elementsIn(unit, "originalData").flatMap((all) => elementsIn(all, "data")))
    data.set(attributeOf(one.tag, "id") ?? "", textOf(piecesOf(one, data)));
  const parts = elementsIn(unit, "segment", "ignorable").map((part, i) => {
    const [source, target] = [elementsIn(part, "source")[0], elementsIn(part, "target")[0]];
    return {
      isSegment: part.name === "segment",
      source: source ? piecesOf(source, data) : [],
      target: target && piecesOf(target, data),
      order: Number((target && attributeOf(target.tag, "order")) ?? i + 1),
    };
  });
  return { ...idsOf(unit, "name"), parts, isPartial: false };
}

/** A unit of 1.2: one source, in which `seg-source` marks segments, and one target. */
function transUnitOf(unit: Element): ReadUnit {
  const piecesIn = (name: string) => elementsIn(unit, name).map((one) => piecesOf(one, new Map()))[0];
  const marks = elementsIn(unit, "target").flatMap(marksIn);
  const full = new Set(marks.filter((mark) => textOf(piecesOf(mark, new Map())) !== "").map(midOf));
  const marked = elementsIn(unit, "seg-source").flatMap(marksIn);
  // What stands between empty segments is no translation.
  const target = marks.length > 0 && full.size === 0 ? undefined : piecesIn("target");
  const part = { isSegment: true, source: piecesIn("source") ?? [], target, order: 1 };
  const isPartial = full.size > 0 && marked.some((mark) => !full.has(midOf(mark)));
  return { ...idsOf(unit, "resname"), parts: [part], isPartial };
}

const idsOf = ({ tag }: Element, name: string): { id: string; name: string } => {
  const id = attributeOf(tag, "id") ?? "";
  return { id, name: attributeOf(tag, name) ?? id };
};

const elementsIn = ({ children }: Element, ...names: string[]): Element[] =>
  children.filter((child): child is Element => typeof child !== "string" && names.includes(child.name));

const marksIn = (element: Element): Element[] =>
  elementsIn(element, "mrk", "g").flatMap((mark) =>
    attributeOf(mark.tag, "mtype") === "seg" ? [mark] : marksIn(mark),
  );

const midOf = ({ tag }: Element): string => attributeOf(tag, "mid") ?? "";

/** Elements that are code, or stand for it. */
const codes = new Set(["ph", "sc", "ec", "x", "bx", "ex", "it", "bpt", "ept"]);

function piecesOf(element: Element, data: ReadonlyMap<string, string>): ReadPiece[] {
  return element.children.flatMap((child): ReadPiece[] => {
    if (typeof child === "string") return [child];
    const { name, tag } = child;
    const dataOf = (attribute: string): string => data.get(attributeOf(tag, attribute) ?? "") ?? "";
    const id = attributeOf(tag, "copyOf") ?? attributeOf(tag, "id") ?? "";
    const hex = name === "cp" ? (attributeOf(tag, "hex") ?? "") : name === "x" && /^cp-([0-9A-F]+)/.exec(id)?.[1];
    if (typeof hex === "string") return [characterOf(Number.parseInt(hex, 16))];
    const inner = piecesOf(child, data);
    if (name === "pc") return [dataOf("dataRefStart"), ...inner, dataOf("dataRefEnd")];
    return codes.has(name)
      ? [{ id, text: dataOf("dataRef") || textOf(inner) || (attributeOf(tag, "equiv-text") ?? "") }]
      : inner;
  });
}

const textOf = (pieces: readonly ReadPiece[]): string =>
  pieces.map((piece) => (typeof piece === "string" ? piece : piece.text)).join("");

const characterOf = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd");
