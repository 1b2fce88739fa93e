import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { launch } from "../chromium.ts";
import { atEnd } from "../ending.ts";

/** The browser of the file that is running; none before its first page. */
let browser: Promise<Browser> | undefined;

/** The one browser of a file, closed after its tests. */
function browserOfFile(): Promise<Browser> {
  if (browser) return browser;
  const started = launch();
  browser = started;
  atEnd(async () => {
    browser = undefined;
    await (await started).close();
  });
  return started;
}

/** A page of a real browser, closed after the tests of the file. `faults` has the errors of its console. */
export async function openPage(options: BrowserContextOptions = {}): Promise<{ page: Page; faults: string[] }> {
  const page = await (await (await browserOfFile()).newContext(options)).newPage();
  page.setDefaultTimeout(10_000);
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  return { page, faults };
}

/** A server on a free port, closed after the tests of the file; answers its URL. */
export async function startServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  atEnd(() => server.close().closeAllConnections());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
