import "../env.ts";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { realpathSync } from "node:fs";
import { createInterface } from "node:readline";
import { Readable, Writable } from "node:stream";
import { after } from "node:test";
import { main } from "../../src/cli/main.ts";
import { readSettings } from "../../src/settings.ts";
import { openStores } from "../../src/stores.ts";
import { closing } from "../ending.ts";

/** An installed `octavo.cjs` (`npm run test:package`), which runs in a process of its own, or the checkout. */
const installed = process.env.OCTAVO_TEST_PROGRAM;
export const octavoProgram = installed ?? new URL("../../src/main.ts", import.meta.url).pathname;

/** The part of this process's environment that commands get: PATH, Node's compile cache, the bundles of threads. */
export const commonEnv: Record<string, string> = Object.fromEntries(
  ["PATH", "NODE_COMPILE_CACHE", "NODE_OPTIONS", "OCTAVO_TEST_THREADS"].flatMap((name) => {
    const value = process.env[name];
    return value ? [[name, value]] : [];
  }),
);

/**
 * `env` is the rest of the command's environment; `cwd` is where it looks for octavo.json and ./data; `program` is
 * another octavo than the checkout's; `input` is its standard input, empty by default.
 */
export type Surroundings = { cwd: string; env?: Record<string, string>; program?: string; input?: string | Buffer };
/** `err` is without the lines of progress: how many there are depends on the speed of the machine. */
export type Result = { code: number; out: string; err: string };

const progressLine = /^\d+ (?:things|entries|folders|files|items)\n/gm;

/** Creates the empty store that a first start creates: no other command does. */
export const makeStore = (data: string): Promise<void> =>
  closing(openStores(readSettings({ flags: { data }, env: {}, file: undefined })), async () => undefined);

/**
 * Runs `octavo` to its end, in this process; `program`, and a service, which listens to signals, in their own. What the process itself does, and what must hold between two of them, is
 * seen by `runProcess` only.
 */
export async function runOctavo(words: string[], surroundings: Surroundings): Promise<Result> {
  const { cwd, env = {}, input = "", program } = surroundings;
  if (program || installed || words[0] === "serve") return runProcess(words, surroundings);
  const stdout = new Collected();
  const stderr = new Collected();
  const stdin = Readable.from(input.length === 0 ? [] : [Buffer.from(input)]);
  const io = { env: { ...commonEnv, ...env }, stdin, stdout, stderr };
  const code = await inFolder(cwd, () => main(words, io));
  return { code, out: stdout.text, err: stderr.text.replace(progressLine, "") };
}

class Collected extends Writable {
  text = "";
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk;
    done();
  }
}

const home = process.cwd();
let underWay = 0;

/** A process has one working folder: commands that run at once in this one share it. */
async function inFolder<T>(folder: string, work: () => Promise<T>): Promise<T> {
  if (underWay > 0 && process.cwd() !== realpathSync(folder)) throw new Error("another command runs in another folder");
  underWay++;
  process.chdir(folder);
  try {
    return await work();
  } finally {
    if (--underWay === 0) process.chdir(home);
  }
}

/** The same in a process of its own. */
export function runProcess(words: string[], surroundings: Surroundings): Promise<Result> {
  const { program = octavoProgram, input = "" } = surroundings;
  const child = spawn(process.execPath, [program, ...words], { ...options(surroundings), stdio: "pipe" });
  // A command that does not read its input may exit before all of it is written.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  return finish(child);
}

/** Starts `octavo` without waiting; `output` grows while it runs. It is killed after the tests of the file. */
export function beginOctavo(words: string[], surroundings: Surroundings) {
  const { program = octavoProgram } = surroundings;
  const child = spawn(process.execPath, [program, ...words], options(surroundings));
  after(() => child.kill("SIGKILL"));
  const output = { out: "", err: "" };
  child.stdout?.on("data", (chunk) => {
    output.out += chunk;
  });
  child.stderr?.on("data", (chunk) => {
    output.err += chunk;
  });
  const ended = once(child, "close").then(([code]) => code as number | null);
  return {
    pid: child.pid as number,
    output,
    ended,
    stop: () => child.kill("SIGTERM"),
    kill: () => child.kill("SIGKILL"),
  };
}

/** Runs a line as a shell would. */
export function shell(line: string): Promise<Result> {
  return finish(spawn("sh", ["-c", line], { stdio: ["ignore", "pipe", "pipe"] }));
}

const options = ({ cwd, env }: Surroundings) => ({
  cwd,
  env: { ...commonEnv, ...env },
  stdio: ["ignore", "pipe", "pipe"] as ["ignore", "pipe", "pipe"],
});

async function finish(child: ReturnType<typeof spawn>): Promise<Result> {
  let [out, err] = ["", ""];
  child.stdout?.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr?.on("data", (chunk) => {
    err += chunk;
  });
  const [code] = await once(child, "close");
  return { code, out, err: err.replace(progressLine, "") };
}

const levels = ["info", "warn", "error"];

/** The lines of a service's log: each is one JSON object with a time and a level. */
export function logLines(text: string): Record<string, unknown>[] {
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => {
    const { time, level, ...facts } = JSON.parse(line) as Record<string, string>;
    assert.match(String(time), /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/, line);
    assert.ok(levels.includes(String(level)), line);
    return { level, ...facts };
  });
}

/** What they say, a line each: `error: port 80 of …`. */
export const saidIn = (text: string): string =>
  logLines(text)
    .map(({ level, message, error }) => `${level}: ${message ?? error}`)
    .join("\n");

export type Running = {
  /** Its output so far. */
  lines: string[];
  /** Its standard error so far. */
  errors: string[];
  url: string;
  pid: number;
  signal(name: NodeJS.Signals): void;
  /** The exit code, once it has ended and all its output is in `lines`. */
  ended: Promise<number | null>;
  stop(name: NodeJS.Signals): Promise<number | null>;
};

/**
 * Starts `octavo serve` on a free port, without request log by default, and waits for the line with its URL. It is killed
 * after the tests of the file.
 */
export async function startOctavo(words: string[], surroundings: Surroundings): Promise<Running> {
  const log = words.includes("--log") ? [] : ["--log", "off"];
  const { program = octavoProgram } = surroundings;
  const all = [program, "serve", "--port", "0", ...log, ...words];
  const child = spawn(process.execPath, all, options(surroundings));
  after(() => child.kill("SIGKILL"));
  child.stderr.pipe(process.stderr);
  const errors: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => errors.push(line));
  const ended = once(child, "close").then(([code]) => code as number | null);
  const lines: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    void ended.then(() => reject(new Error(`the server did not start: ${lines.join("\n")}`)));
    createInterface({ input: child.stdout }).on("line", (line) => {
      lines.push(line);
      const found = /answers on (http:[^\s"]+)/.exec(line)?.[1];
      if (found) resolve(found);
    });
  });
  const signal = (name: NodeJS.Signals) => void child.kill(name);
  const stop = (name: NodeJS.Signals) => {
    signal(name);
    return ended;
  };
  return { lines, errors, url, pid: child.pid as number, signal, ended, stop };
}
