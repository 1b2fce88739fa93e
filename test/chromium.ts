import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** The browser of the tests: the one named by the environment, else the first that is installed. */

/** The shell has no window: it starts, and opens a page, in a fifth of the time. */
const places = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"].map(
  (name) => `/usr/bin/${name}`,
);
const executablePath = process.env.OCTAVO_CHROMIUM ?? places.find((place) => existsSync(place));

/** For the `skip` of tests that need a browser: why they cannot run, or false. */
export const noBrowser: string | false =
  executablePath && existsSync(executablePath) ? false : `no browser at ${executablePath ?? places.join(", ")}`;

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // As the window has it: otherwise the shell widens letters to whole pixels.
  "--font-render-hinting=none",
];

/** Starts the browser. Who starts it closes it. */
export const launch = (): Promise<Browser> => chromium.launch({ executablePath, headless: true, args: flags });
