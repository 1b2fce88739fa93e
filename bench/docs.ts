/**
 * `node bench/docs.ts`: load time and size of the pages at /docs on a phone. An installed Chromium (OCTAVO_CHROMIUM
 * names another one) with a quarter of the processor and the Slow 4G profile of its developer tools; medians of five loads
 * with an empty cache. Writes bench/results/docs.md; `--save NAME` names the file.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { build } from "../src/app.ts";
import { fillDemo } from "../src/demo.ts";
import { readSettings } from "../src/settings.ts";
import { median } from "./rounds.ts";

const executablePath = process.env.OCTAVO_CHROMIUM ?? "/usr/bin/chromium";
const rounds = 5;
const slow4G = { offline: false, latency: 562.5, downloadThroughput: 180_000, uploadThroughput: 84_375 };
const phone = { viewport: { width: 412, height: 823 }, deviceScaleFactor: 1.75, isMobile: true };
/** The path, and a text of the page's content. */
const pages: Record<string, string> = {
  "/docs": "Octavo stores content",
  "/docs/api/entries": "Create an entry",
  "/docs/problems": "route_not_found",
};

type Load = { paintMs: number; textMs: number; kilobytes: number; scriptKilobytes: number; unusedKilobytes: number };

async function load(browser: Browser, url: string, text: string): Promise<Load> {
  const context = await browser.newContext(phone);
  try {
    const page = await context.newPage();
    const tools = await context.newCDPSession(page);
    await tools.send("Network.enable");
    await tools.send("Network.emulateNetworkConditions", slow4G);
    await tools.send("Emulation.setCPUThrottlingRate", { rate: 4 });
    let bytes = 0;
    tools.on("Network.loadingFinished", ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await page.coverage.startJSCoverage();
    const startedMs = performance.now();
    await page.goto(url, { waitUntil: "commit" });
    await page.getByText(text).filter({ visible: true }).first().waitFor({ timeout: 120_000 });
    const textMs = performance.now() - startedMs;
    await page.waitForLoadState("networkidle");
    const paintMs = await page.evaluate(
      () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0,
    );
    const scripts = await page.coverage.stopJSCoverage();
    const size = scripts.reduce((sum, { source = "" }) => sum + source.length, 0);
    const unused = scripts.reduce((sum, { source = "", functions }) => sum + unusedOf(source, functions), 0);
    return { paintMs, textMs, kilobytes: bytes / 1000, scriptKilobytes: size / 1000, unusedKilobytes: unused / 1000 };
  } finally {
    await context.close();
  }
}

type Functions = { ranges: { startOffset: number; endOffset: number; count: number }[] }[];

/** Characters of code that never ran: inner ranges follow the outer ones. */
function unusedOf(source: string, functions: Functions): number {
  const isUsed = new Uint8Array(source.length);
  for (const { ranges } of functions) {
    for (const { startOffset, endOffset, count } of ranges) isUsed.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  }
  return isUsed.reduce((sum, used) => sum + (used ? 0 : 1), 0);
}

async function measure(browser: Browser, url: string, text: string): Promise<Load> {
  const loads: Load[] = [];
  for (let i = 0; i < rounds; i++) loads.push(await load(browser, url, text));
  const keys = Object.keys(loads[0] as Load) as (keyof Load)[];
  return Object.fromEntries(keys.map((key) => [key, median(loads.map((one) => one[key]))])) as Load;
}

const row = (path: string, { paintMs, textMs, kilobytes, scriptKilobytes, unusedKilobytes }: Load): string =>
  `| \`${path}\` | ${(paintMs / 1000).toFixed(1)} | ${(textMs / 1000).toFixed(1)} | ${Math.round(kilobytes)} | ${Math.round(scriptKilobytes)} | ${Math.round(unusedKilobytes)} |`;

const data = mkdtempSync(join(tmpdir(), "octavo-bench-"));
const app = await build(readSettings({ flags: { port: "0", log: "off", data }, env: {}, file: undefined }));
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-quic"] });
try {
  await fillDemo(app.stores, Math.floor(Date.now() / 1000), () => undefined);
  const rows: string[] = [];
  for (const [path, text] of Object.entries(pages)) {
    if ((await fetch(app.url + path)).ok) rows.push(row(path, await measure(browser, app.url + path, text)));
  }
  const head =
    "| page | first paint s | text there s | KB over the wire | KB of script | of these never run |\n|---|---|---|---|---|---|";
  const table = [head, ...rows].join("\n");
  console.log(table);
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, Chromium ${browser.version()}`;
  const at = process.argv.indexOf("--save");
  const name = at < 0 ? "docs" : process.argv[at + 1];
  const about = `# docs\n\n* machine: ${machine}, a quarter of the processor, Slow 4G\n* commit: ${commit}\n* command: node bench/docs.ts\n`;
  writeFileSync(new URL(`results/${name}.md`, import.meta.url), `${about}\n${table}\n`);
} finally {
  await browser.close();
  await app.close();
  rmSync(data, { recursive: true });
}
