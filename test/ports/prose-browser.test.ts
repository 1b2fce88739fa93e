// Slow: a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cleanHtml } from "../../src/render/prose/clean.ts";
import { markdownToHtml } from "../../src/render/prose/parser.ts";
import { noBrowser } from "../chromium.ts";
import { openPage, startServer } from "../client/browser.ts";
import { attacks } from "../fixtures/html-attacks.ts";

/** What `render=html` answers, put into a page as sites do: no script runs, and nothing but images is requested. Decision 57. */

/** A page without any policy, which puts each text into itself in the ways in which sites do. */
const page = `<!doctype html><body><script>
window.ran = [];
window.alert = (what) => window.ran.push(what);
window.put = (html) => {
  for (const name of ["div", "p", "td", "template"]) {
    const element = document.createElement(name);
    element.innerHTML = html;
    document.body.append(element.content ?? element);
  }
  const frame = document.createElement("iframe");
  document.body.append(frame);
  frame.contentWindow.alert = window.alert;
  frame.contentDocument.write("<!doctype html><body><table><tr><td>" + html + "</td></tr></table>");
  frame.contentDocument.close();
};
</script>`;

/** Every link is followed, and every element that can have the focus gets it. */
const followAll = `for (const frame of [window, ...Array.from(window.frames)]) {
  for (const element of frame.document.querySelectorAll("a, area, button, input, details, [tabindex]")) {
    element.addEventListener("click", (event) => element.href?.startsWith?.("javascript:") || event.preventDefault());
    element.focus();
    element.click();
  }
}`;

test("no script of the attacks runs, and no foreign host is asked for more than images", {
  skip: noBrowser,
}, async () => {
  const url = `${await startServer((_, reply) => reply.setHeader("Content-Type", "text/html").end(page))}/`;
  const { page: view } = await openPage();
  const asked: string[] = [];
  view.on("dialog", (dialog) => {
    asked.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  await view.route("**/*", (route) => {
    const request = route.request();
    const isOwn = request.url().startsWith(url);
    if (request.resourceType() !== "image" && !(isOwn && request.isNavigationRequest()))
      asked.push(`${request.resourceType()} ${request.url()}`);
    return isOwn ? route.continue() : route.abort();
  });
  const run = async (texts: Iterable<string>) => {
    await view.goto(url);
    asked.length = 0;
    for (const html of texts) await view.evaluate(`put(${JSON.stringify(html)})`);
    await view.evaluate(followAll);
    await view.waitForLoadState("networkidle");
    const ran: unknown[] = await view.evaluate("ran");
    assert.equal(view.url(), url);
    return [...ran, ...asked];
  };
  const made = new Set([...attacks.map(cleanHtml), ...attacks.map((text) => cleanHtml(markdownToHtml(text)))]);
  assert.deepEqual(await run(made), []);
  // That the page shows what would happen: two of them as they are.
  const unclean = await run(["<img src=x onerror=alert(1)>", "<link rel=stylesheet href=//evil.invalid/s.css>"]);
  assert.ok(
    unclean.includes(1) && unclean.some((what) => String(what).includes("evil.invalid/s.css")),
    String(unclean),
  );
});
