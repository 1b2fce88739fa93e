import { parentPort } from "node:worker_threads";
import type { Prose } from "../render.ts";
import { cleanHtml } from "./clean.ts";
import { markdownToHtml } from "./parser.ts";

/** The thread that renders prose. It is ended from outside when a text takes too long or too much memory. */

/** A list of references to one long address is many times as long as its source. */
const maxHtmlLength = 8 * 1024 * 1024;

/** Undefined for a text that cannot be rendered: nested too deep, or too long as HTML. */
function render({ format, text }: Prose): string | undefined {
  try {
    const html = format === "markdown" ? markdownToHtml(text) : text;
    if (html.length > maxHtmlLength) return undefined;
    const clean = cleanHtml(html);
    return clean.length > maxHtmlLength ? undefined : clean;
  } catch (error) {
    // The stack, or the length of a string. Anything else is a fault of ours, and the thread ends with it.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

parentPort?.on("message", (texts: Prose[]) => parentPort?.postMessage(texts.map(render)));
parentPort?.postMessage("ready");
