import type { Locator } from "playwright-core";

/** Pastes what the clipboard of another program holds into a text; `html` is "" where it holds plain text alone. */
export const paste = (content: Locator, html: string, plain: string) =>
  content.evaluate(
    (element, [html, plain]) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", plain as string);
      if (html) clipboardData.setData("text/html", html);
      element.dispatchEvent(new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData }));
    },
    [html, plain],
  );
