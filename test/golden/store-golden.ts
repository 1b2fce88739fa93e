import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";

/** Golden files of many answers: a text with all of them, compressed, since most are said several times. */

type Answers = ReadonlyMap<string, string>;

const folder = new URL("./stores/", import.meta.url).pathname;
const fileOf = (name: string): string => join(folder, `${name}.br`);

/** Begins each question; no answer has such a line. */
const mark = "#### ";

const toText = (answers: Answers): string =>
  [...answers].map(([question, answer]) => `${mark}${question}\n${answer}\n`).join("");

const toAnswers = (text: string): Answers =>
  new Map(
    text
      .replace(/\n$/, "")
      .split(`\n${mark}`)
      .map((part) => part.replace(mark, ""))
      .map((part) => [part.slice(0, part.indexOf("\n")), part.slice(part.indexOf("\n") + 1)]),
  );

/** Fails for each answer that is not that of the golden file. UPDATE_GOLDEN=1 writes it, UPDATE_GOLDEN=rows those of rows. */
export function assertGolden(name: string, answers: Answers): void {
  const updated = process.env.UPDATE_GOLDEN;
  if (updated === "1" || (updated && name.endsWith(updated))) write(fileOf(name), toText(answers));
  if (!existsSync(fileOf(name))) assert.fail(`there is no ${fileOf(name)}; UPDATE_GOLDEN=1 writes it`);
  assertSame(name, answers, toAnswers(brotliDecompressSync(readFileSync(fileOf(name))).toString()));
}

/** A window that holds the whole text: a round of reads says again what the one before said. */
const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_QUALITY]: 11 };

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, brotliCompressSync(text, { params }));
}

/** How many answers a failure shows; the texts of all are in two files. */
const maxShown = 5;

function assertSame(name: string, actual: Answers, expected: Answers): void {
  const questions = [...new Set([...expected.keys(), ...actual.keys()])];
  const others = questions.filter((question) => actual.get(question) !== expected.get(question));
  if (others.length === 0) return;
  const report = mkdtempSync(join(tmpdir(), "octavo-golden-"));
  writeFileSync(join(report, "expected.txt"), inLines(toText(expected)));
  writeFileSync(join(report, "actual.txt"), inLines(toText(actual)));
  const shown = others
    .slice(0, maxShown)
    .map((question) => `${question}\n${lineDifference(expected.get(question), actual.get(question))}`);
  assert.fail(
    `${name}: ${others.length} of ${questions.length} answers differ; all of them: diff ${report}/{expected,actual}.txt\n${shown.join("\n")}`,
  );
}

/** A member of an object on each line. */
const inLines = (text: string): string => text.replaceAll(/([,{[])(?=["{[])/g, "$1\n");

function lineDifference(expected: string | undefined, actual: string | undefined): string {
  if (expected === undefined) return "  was not asked before";
  if (actual === undefined) return "  is not asked any more";
  const [before, now] = [inLines(expected).split("\n"), inLines(actual).split("\n")];
  const first = before.findIndex((line, n) => line !== now[n]);
  const at = first < 0 ? before.length : first;
  return `  line ${at + 1}\n  - ${before.slice(at, at + 3).join("\n  - ")}\n  + ${now.slice(at, at + 3).join("\n  + ")}`;
}
