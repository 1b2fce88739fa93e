import { svgBox, svgSize } from "../../core/bytes/svg-size.ts";

/** SVGs with lengths that depend on the density: libvips draws 72 pixels an inch, browsers 96. */

/** Pixels an inch. CSS Values and Units 4, §6.2. */
const density = 96;
/** With a density libvips scales the whole by its ratio to 72, too, also what is in pixels. */
const shrink = 72 / density;

/** Lengths, and words for sizes of text, that depend on the density; and ems, of which a root has 12 pixels in librsvg. */
const dependent = /[\d.](?:mm|cm|in|pt|pc|q|r?em)\b|\b(?:small|medium|large)\b/i;

/** The tag of the root, or what stands in front of it. No value of an attribute has a "<". */
const beginning =
  /<!--.*?-->|<\?.*?\?>|<!DOCTYPE[^[>]*(?:\[.*?\]\s*)?>|(?<name><(?:[^\s:<>/!]+:)?svg)(?<rest>(?:\s[^"'<>]*(?:"[^"<]*"[^"'<>]*|'[^'<]*'[^"'<>]*)*)?\/?>)/gs;
const attribute = /\s(?<name>[^\s=>"'/]+)\s*=\s*(?<quote>["'])(?<value>.*?)\k<quote>/gs;

/**
 * What sharp draws in the size of browsers: the bytes as they are where no length depends on the density, or the root
 * has no size. A style of the root does not change the size, as in browsers.
 */
export function svgInput(bytes: Buffer): { from: Buffer; density?: number } {
  // A character for each byte, whatever the encoding is.
  const text = bytes.toString("latin1");
  const root = dependent.test(text) ? text.matchAll(beginning).find(({ groups }) => groups?.name) : undefined;
  const tag = root && sized(root.groups?.name ?? "", root.groups?.rest ?? "");
  if (!tag) return { from: bytes };
  const rest = text.slice(root.index + root[0].length);
  return { from: Buffer.from(text.slice(0, root.index) + tag + rest, "latin1"), density };
}

/** The tag with its size in its style, which comes before attributes and style sheets, and with a view box. */
function sized(name: string, rest: string): string | undefined {
  const attributes = new Map([...rest.matchAll(attribute)].map(({ groups = {} }) => [groups.name, groups]));
  const textOf = (of: string): string => attributes.get(of)?.value ?? "";
  const size = svgSize(textOf);
  // What an entity stands for is not read.
  if (!size || textOf("viewBox").includes("&")) return undefined;
  const box = svgBox(textOf) ? textOf("viewBox") : `0 0 ${size.width} ${size.height}`;
  const { quote = '"', value = "" } = attributes.get("style") ?? {};
  const style = `width:${size.width * shrink}px!important;height:${size.height * shrink}px!important;${value}`;
  const others = rest.replace(attribute, (text, own) => (own === "style" || own === "viewBox" ? "" : text));
  return `${name} viewBox="${box}" style=${quote}${style}${quote}${others}`;
}
