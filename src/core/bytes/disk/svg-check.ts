import { SaxesParser, type SaxesTagNS } from "saxes";
import type { PixelSize } from "../../lib/image-header.ts";
import { svgSize } from "../svg-size.ts";

/**
 * Whether a text is an SVG: well-formed XML with namespaces, whose root is `svg` in the SVG namespace or in none. Reads
 * it piece by piece; does not look at the scripts or links in it.
 */

const svgNamespace = "http://www.w3.org/2000/svg";

// What saxes keeps in memory: the open elements, and the one tag, comment or declaration being read. The largest
// legitimate one is a tag with an embedded photo. Looking up a prefix walks the open elements, so depth costs time too.
const maxDepth = 256;
const maxTokenLength = 32 * 1024 * 1024;
// In front of the root saxes collects a DOCTYPE character by character, at some thirty bytes of memory each.
const maxPrologTokenLength = 1024 * 1024;
const maxAttributes = 10_000;

type Parser = SaxesParser<{ xmlns: true; position: false }>;

/** Reads an SVG piece by piece; reports whether it is one, and its size. */
export class SvgCheck {
  private readonly parser: Parser = new SaxesParser({ xmlns: true, position: false });
  private readonly entities = new Map<string, string>();
  private depth = 0;
  private attributes = 0;
  private sinceToken = 0;
  private hasRoot = false;
  private isBroken = false;
  /** The size that the root declares, in CSS pixels; undefined when it declares none or percentages. */
  size: PixelSize | undefined;

  constructor() {
    const endToken = (): void => {
      this.sinceToken = 0;
    };
    this.parser.on("doctype", (doctype) => this.define(doctype));
    this.parser.on("attribute", () => refuseIf(++this.attributes > maxAttributes));
    this.parser.on("opentag", (tag) => this.open(tag as SaxesTagNS));
    this.parser.on("closetag", () => this.depth--);
    for (const token of ["comment", "cdata", "processinginstruction"] as const) this.parser.on(token, endToken);
  }

  /**
   * Reads the next piece. False as soon as no text with this beginning can be an SVG; the rest need not be read then.
   */
  write(text: string): boolean {
    this.sinceToken += text.length;
    return this.attempt(() => {
      this.parser.write(text);
      refuseIf(this.sinceToken > (this.hasRoot ? maxTokenLength : maxPrologTokenLength));
    });
  }

  /** True when the pieces together are an SVG. */
  end(): boolean {
    return this.attempt(() => this.parser.close());
  }

  /** Without an error handler saxes throws. */
  private attempt(reading: () => void): boolean {
    if (this.isBroken) return false;
    try {
      reading();
    } catch {
      this.isBroken = true;
    }
    return !this.isBroken;
  }

  /**
   * Old Illustrator files name their namespaces by entities of their own. saxes would reject those as unknown; here
   * each expands to its own reference, so that none is ever expanded and a "billion laughs" stays short.
   */
  private define(doctype: string): void {
    this.sinceToken = 0;
    for (const [, name, value] of doctype.matchAll(/<!ENTITY\s+([^\s%"'<>&;]+)\s+["']?([^"']*)/g)) {
      this.parser.ENTITIES[name as string] = `&${name};`;
      this.entities.set(`&${name};`, value as string);
    }
  }

  private open(tag: SaxesTagNS): void {
    this.attributes = 0;
    this.sinceToken = 0;
    if (this.depth === 0) this.readRoot(tag);
    refuseIf(++this.depth > maxDepth);
  }

  private readRoot(tag: SaxesTagNS): void {
    this.hasRoot = true;
    const namespace = this.entities.get(tag.uri) ?? tag.uri;
    refuseIf(tag.local !== "svg" || (namespace !== "" && namespace !== svgNamespace));
    this.size = svgSize((name) => tag.attributes[name]?.value ?? "");
  }
}

function refuseIf(isRefused: boolean): void {
  if (isRefused) throw new Error("not an SVG, or above the limits");
}
