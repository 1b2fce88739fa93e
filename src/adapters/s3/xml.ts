/** The subset of XML that the S3 protocol uses: flat elements with text, no relevant attributes. */

const entities: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/** Decodes escaped XML text. */
const decode = (text: string): string =>
  text.replace(/&(?:#(\d+)|#x([0-9a-fA-F]+)|(\w+));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return entities[name] ?? whole;
    return String.fromCodePoint(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal));
  });

/**
 * The text of the first element with this name, which must not hold other elements; undefined when it does not exist.
 */
export function elementOf(xml: string, name: string): string | undefined {
  const found = new RegExp(`<${name}(?:\\s[^>]*)?>([^<]*)</${name}>`).exec(xml)?.[1];
  return found === undefined ? undefined : decode(found);
}

/** The content of each element with this name, as XML. */
export const elementsOf = (xml: string, name: string): string[] =>
  Array.from(xml.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, "gs")), (found) => found[1] ?? "");

/** Escapes text for the content of an element. */
export const escapeXml = (text: string): string =>
  text.replace(/[&<>]/g, (letter) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[letter] as string);
