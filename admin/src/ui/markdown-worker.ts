import { marked } from "marked";

/** Renders Markdown on a thread of its own, which is ended from outside when a text takes too long. */

// The page takes no input from a text: a tick is a sign in it.
marked.use({ renderer: { checkbox: ({ checked }) => (checked ? "☑ " : "☐ ") } });

/** Undefined for a text that is nested too deep. */
function render(text: string): string | undefined {
  try {
    return marked.parse(text, { async: false, gfm: true });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

addEventListener("message", ({ data }: MessageEvent<string>) => postMessage({ html: render(data) }));
postMessage("ready");
