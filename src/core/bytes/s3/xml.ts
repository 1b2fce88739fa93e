import { SaxesParser } from "saxes";

/** The XML of the S3 protocol: elements that hold elements or text, no attributes that matter. */

/** An element; `text` is its own, without that of the elements in it. */
export type Element = { readonly name: string; text: string; readonly elements: Element[] };

/** The root of a reply; undefined if it is not well-formed, for example truncated. */
export function parseXml(text: string): Element | undefined {
  const parser = new SaxesParser({ position: false });
  const document: Element = { name: "", text: "", elements: [] };
  const open = [document];
  const addText = (part: string): void => {
    (open.at(-1) as Element).text += part;
  };
  parser.on("opentag", ({ name }) => {
    const element: Element = { name, text: "", elements: [] };
    open.at(-1)?.elements.push(element);
    open.push(element);
  });
  parser.on("closetag", () => void open.pop());
  parser.on("text", addText);
  parser.on("cdata", addText);
  try {
    // Without an error handler saxes throws syntax errors.
    parser.write(text).close();
    return document.elements[0];
  } catch {
    return undefined;
  }
}

/** The elements with this name directly inside. */
export const elementsOf = (element: Element, name: string): Element[] =>
  element.elements.filter((inner) => inner.name === name);

/** The text of the first element with this name directly inside; undefined when there is none. */
export const textOf = (element: Element | undefined, name: string): string | undefined =>
  element?.elements.find((inner) => inner.name === name)?.text;

/** Escapes text for the content of an element. */
export const escapeXml = (text: string): string =>
  text.replace(/[&<>]/g, (letter) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[letter] as string);
