/** The browser of the tests: one for all files of a run, which test/run.ts starts, or one of a file that runs by itself. */
import { existsSync } from "node:fs";
import { type Browser, type BrowserServer, chromium } from "playwright-core";

const places = [
  process.env.OCTAVO_CHROMIUM ?? "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];
const executablePath = places.find((place) => existsSync(place));

/** For the `skip` of tests that need a browser: why they cannot run, or false. */
export const noBrowser: string | false = executablePath ? false : `no browser at ${places.join(", ")}`;

const args = [
  ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
  ...["--disable-component-update", "--disable-sync"],
];
const options = { ...(executablePath ? { executablePath } : {}), headless: true, args };

/** A browser for the contexts of this file. Closing it closes these, and nothing of other files. */
export function openBrowser(): Promise<Browser> {
  const shared = process.env.OCTAVO_TEST_BROWSER;
  return shared ? chromium.connect(shared) : chromium.launch(options);
}

/** A browser that other processes share: they get its address in OCTAVO_TEST_BROWSER. Undefined where there is none. */
export async function startBrowser(): Promise<BrowserServer | undefined> {
  return noBrowser ? undefined : chromium.launchServer(options);
}
