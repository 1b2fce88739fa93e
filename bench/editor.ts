/**
 * The editor of texts in Chromium: one word edited in each of the Markdown files below the folder that the environment
 * names as FOREIGN_MARKDOWN (at most `--big N`, 5,000), whose other bytes must stay; and the time from a key to the frame
 * that shows it in a text of 5,000 words, on the built admin page. `npm run build` comes first.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import type { Browser, Page } from "playwright-core";
import { launch } from "../test/chromium.ts";
import { inFolder, startOctavo, stop } from "./rounds.ts";
import type { Options } from "./scenario.ts";
import { createEntry, createTokens, inStores, type Tokens } from "./store.ts";

type Edited = { fault?: string; isInTable: boolean };

export async function run({ big = 5000 }: Options, remark: (text: string) => void): Promise<string> {
  const browser = await launch();
  try {
    const lines = [...(await editForeign(browser, big, remark)), ...(await typeLong(browser))];
    return ["| work | figure | goal |", "| --- | --- | --- |", ...lines].join("\n");
  } finally {
    await browser.close();
  }
}

// ---------------------------------------------------------------------------------------------- foreign files

async function editForeign(browser: Browser, most: number, remark: (text: string) => void): Promise<string[]> {
  const folder = process.env.FOREIGN_MARKDOWN;
  if (!folder) return [];
  const page = await editorPage(browser);
  const counts = { files: 0, crlf: 0, noEnd: 0, tables: 0, faults: 0 };
  for (const file of filesIn(folder, most)) {
    const text = varied(readFileSync(join(folder, file), "utf8"), counts.files);
    const call = `edit(${JSON.stringify(text)}, ${counts.files * 7919})`;
    const { fault, isInTable } = await page.evaluate<Edited>(call);
    counts.files++;
    if (text.includes("\r\n")) counts.crlf++;
    if (!text.endsWith("\n")) counts.noEnd++;
    if (isInTable) counts.tables++;
    if (fault === undefined) continue;
    counts.faults++;
    remark(`${file}: ${fault.replaceAll("|", "\\|")}`);
  }
  await page.close();
  const of = `${counts.crlf} with \\r\\n, ${counts.noEnd} without an end of the last line, ${counts.tables} edits in cells`;
  return [`| files edited in one word (${of}) | ${counts.files}, other bytes changed in ${counts.faults} | 0 |`];
}

/** Few files of today have other line ends, or none at their end: of ten, three are made into such. */
function varied(text: string, index: number): string {
  const plain = text.replaceAll("\r\n", "\n");
  if (index % 10 === 1) return plain.replaceAll("\n", "\r\n");
  if (index % 10 === 2) return plain.split("\n").reduce((all, line, i) => `${all}${i % 2 ? "\n" : "\r\n"}${line}`);
  return index % 10 === 3 ? text.trimEnd() : text;
}

/** As many of each folder as there are, spread evenly. */
function filesIn(folder: string, most: number): string[] {
  const all = globSync("**/*.{md,mdx}", { cwd: folder }).sort();
  const step = Math.max(1, all.length / most);
  return Array.from({ length: Math.min(most, all.length) }, (_, i) => all[Math.floor(i * step)] as string);
}

async function editorPage(browser: Browser): Promise<Page> {
  const { outputFiles } = await build({
    entryPoints: [new URL("admin/editor-page.ts", import.meta.url).pathname],
    bundle: true,
    write: false,
    outdir: "/",
    format: "esm",
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const [script, style] = [".js", ".css"].map((end) => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? "");
  const page = await browser.newPage();
  // An address of its own: pictures of the texts are asked for there, in vain.
  await page.route("**/*", (route) =>
    route.request().isNavigationRequest()
      ? route.fulfill({ contentType: "text/html", body: "<!doctype html><body></body>" })
      : route.fulfill({ status: 404 }),
  );
  await page.goto("http://editor.test/");
  await page.addStyleTag({ content: style as string });
  await page.addScriptTag({ type: "module", content: script as string });
  await page.waitForFunction("globalThis.edit");
  return page;
}

// ---------------------------------------------------------------------------------------------- keys

const words = 5000;
const keys = 300;

/** Paragraphs with marks, a heading, a list and a table every hundred words. */
function longText(): string {
  const parts: string[] = [];
  for (let i = 0; i < words / 100; i++) {
    const plain =
      "The *quick* brown fox **jumps** over [the lazy dog](/blog/dogs), and `so` on without an end. ".repeat(5);
    parts.push(`## Part ${i}`, plain, "- one\n- two\n  - three", "| a | b |\n| --- | --- |\n| 1 | **2** |");
  }
  return parts.join("\n\n");
}

function typeLong(browser: Browser): Promise<string[]> {
  return inFolder(async (folder) => {
    const tokens = await inStores(folder, async (stores) => {
      await createEntry(stores, "long", { title: "Long", content: longText() });
      return createTokens(stores, ["entries", "files", "folders", "registry"]);
    });
    const server = await startOctavo(folder);
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await open(page, server.port, tokens);
    const lines = [];
    for (const view of ["Write", "Source"]) {
      await page.getByText(view, { exact: true }).click();
      const { times, cpuMs } = await typed(page);
      const at = (part: number): string => `${(times[Math.floor(times.length * part)] as number).toFixed(1)} ms`;
      lines.push(
        `| key to paint, ${words} words, ${view} | p50 ${at(0.5)}, p95 ${at(0.95)}; ${cpuMs.toFixed(1)} ms of the processor a key | p95 ≤ 30 ms |`,
      );
    }
    await page.close();
    await stop(server);
    return lines;
  });
}

async function open(page: Page, port: number, { management, access }: Tokens): Promise<void> {
  await page.goto(`http://127.0.0.1:${port}/admin/entries/long`);
  await page.getByPlaceholder("oct_m_").fill(management);
  await page.getByPlaceholder("oct_a_").fill(access);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("textbox", { name: "Content" }).waitFor();
}

/** Sorted times, each from the event of the key until the frame after it has been handed to the screen. */
async function typed(page: Page): Promise<{ times: number[]; cpuMs: number }> {
  await page.evaluate(`
    globalThis.times = [];
    globalThis.watch ??= addEventListener("keydown", ({ timeStamp }) => requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => times.push(performance.now() - timeStamp);
      port2.postMessage(0);
    }), true) ?? true;
  `);
  await page.locator(".cm-line", { hasText: "brown" }).nth(1).click();
  const client = await page.context().newCDPSession(page);
  await client.send("Performance.enable", { timeDomain: "threadTicks" });
  const cpuSeconds = async (): Promise<number> => {
    const { metrics } = await client.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN;
  };
  const before = await cpuSeconds();
  for (let i = 0; i < keys; i++) await page.keyboard.press(i % 6 === 5 ? "Space" : "e", { delay: 20 });
  const cpuMs = ((await cpuSeconds()) - before) * (1000 / keys);
  const times = await page.evaluate<number[]>("times");
  return { times: times.sort((a, b) => a - b), cpuMs };
}
