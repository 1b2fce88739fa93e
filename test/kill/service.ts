import "../env.ts";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { atEnd } from "../ending.ts";
import { orLong } from "../long.ts";
import { random, seed } from "../random.ts";

/** The number of times a service is killed. */
export const rounds = orLong(3, 30);

const main = new URL("../../src/main.ts", import.meta.url).pathname;

/** A service on the folder's store, stopped at the end of the file's tests. */
export async function start(
  data: string,
  env: Record<string, string> = {},
): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [main, "serve", "--port", "0", "--data", data, "--log", "off"], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...env },
  });
  atEnd(() => kill(child));
  for await (const line of createInterface({ input: child.stdout as NonNullable<typeof child.stdout> })) {
    const url = /answers on (http:\/\/[^\s/]+)/.exec(line)?.[1];
    if (url) return { child, url };
  }
  throw new Error("the server did not start");
}

/** Ends a process, and waits until it has: one that is dying still writes into its folder, which is removed next. */
export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

const pick = random(seed);

/**
 * Kills the service at a random moment after the work has started, calls `onOver`, which ends the work, and awaits the
 * work. Rejects if the work fails, even before the kill.
 */
export async function killDuring(
  child: ChildProcess,
  work: Promise<unknown>,
  isUnderWay: () => boolean,
  onOver: () => void,
): Promise<void> {
  let hasFailed = false;
  work.catch(() => {
    hasFailed = true;
  });
  while (!isUnderWay() && !hasFailed) await sleep(5);
  if (!hasFailed) await sleep(pick(600));
  await kill(child);
  onOver();
  await work;
}
