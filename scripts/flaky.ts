/**
 * `npm run flaky -- N [--gate] [--load L]`: runs `npm test`, or the gate, N times in a row and names what failed in which
 * runs, with its output in a file. `--load L` keeps L processes busy beside every second run: much of what fails by
 * chance depends on the speed of the machine. Exit code 0: nothing failed. Before a release, and after a change to the
 * runner of the tests.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

const root = join(import.meta.dirname, "..");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { gate: { type: "boolean", default: false }, load: { type: "string", default: "0" } },
});
const [runs, load] = [Number(positionals[0]), Number(values.load)];
if (!Number.isInteger(runs) || runs < 1 || !Number.isInteger(load) || load < 0) {
  console.error("usage: npm run flaky -- N [--gate] [--load L]; N is a whole number from 1, L from 0");
  process.exit(2);
}
const command = values.gate ? ["bash", ".ci/run"] : ["npm", "test"];
const outputs = mkdtempSync(join(tmpdir(), "octavo-flaky-"));

/** Keeps one processor busy until it is killed, or this process ends. */
const burn = (): ChildProcess =>
  spawn(process.execPath, ["-e", `while (process.ppid === ${process.pid});`], { stdio: "ignore" });

/** Runs the command once; returns the names of the tests that failed, or what else went wrong. */
async function runOnce(n: number): Promise<string[]> {
  const burners = Array.from({ length: n % 2 === 0 ? load : 0 }, burn);
  const startedMs = performance.now();
  const [program = "", ...words] = command;
  const child = spawn(program, words, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  const [code] = (await once(child, "close")) as [number | null];
  for (const burner of burners) burner.kill("SIGKILL");
  const file = join(outputs, `${n}.txt`);
  writeFileSync(file, output);
  const failed = code === 0 ? [] : failuresIn(output);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
  const beside = burners.length > 0 ? ` beside a load of ${load}` : "";
  console.log(`run ${n}${beside}: ${failed.length === 0 ? "green" : failed.join("; ")}, ${seconds} s, ${file}`);
  return failed;
}

/** The leaves below the last `failing tests`; the end of the output where there are none. */
function failuresIn(output: string): string[] {
  const closing = output.slice(Math.max(0, output.lastIndexOf("✖ failing tests:")));
  const names = [...closing.matchAll(/^test at (\S+?):\d+:\d+\n✖ (.+?) \([\d.]+ms\)$/gm)].map(
    ([, file, name]) => `${file}: ${name}`,
  );
  return names.length > 0 ? [...new Set(names)] : [output.trimEnd().split("\n").slice(-3).join(" | ")];
}

const runsOf = new Map<string, number[]>();
for (let n = 1; n <= runs; n++) {
  for (const name of await runOnce(n)) runsOf.set(name, [...(runsOf.get(name) ?? []), n]);
}
for (const [name, numbers] of runsOf) console.log(`✖ ${name}: runs ${numbers.join(", ")}`);
console.log(`${runs} runs, ${runsOf.size} tests failed at least once`);
process.exitCode = runsOf.size === 0 ? 0 : 1;
