import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** How often a service is killed: 3 times, or 30 where there is time. */
export const rounds = process.env.OCTAVO_TEST_LONG ? 30 : 3;

const main = new URL("../../src/main.ts", import.meta.url).pathname;

/** A service of its own on the folder's store. */
export async function start(data: string): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [main, "serve", "--port", "0", "--data", data, "--log", "off"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: child.stdout as NonNullable<typeof child.stdout> })) {
    const url = /http:\/\/[^\s/]+/.exec(line)?.[0];
    if (url) return { child, url };
  }
  throw new Error("the server did not start");
}

/** A random moment after the work has got under way, however slow the machine. */
export async function someMomentAfter(isUnderWay: () => boolean): Promise<void> {
  while (!isUnderWay()) await new Promise((resolve) => setTimeout(resolve, 5));
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 600));
}
