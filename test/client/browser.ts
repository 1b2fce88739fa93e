import { existsSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { atEnd } from "../ending.ts";

const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const executablePath = places.find((place) => existsSync(place));

/** For the `skip` of tests that need a browser: why they cannot run, or false. */
export const noBrowser = executablePath ? false : `no browser at ${places.join(", ")}`;

const flags = [
  ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
  ...["--disable-component-update", "--disable-sync"],
];

/** A page of a real browser, closed after the tests of the file. `faults` has the errors of its console. */
export async function openPage(options: BrowserContextOptions = {}): Promise<{ page: Page; faults: string[] }> {
  const browser = await chromium.launch({ executablePath, headless: true, args: flags });
  atEnd(() => browser.close());
  const page = await (await browser.newContext(options)).newPage();
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
