/** Where the service under test is: named by the environment, or started here as a child process. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export type Tokens = { delivery: string; management: string; images: string; access: string };
export type Service = { url: string; tokens: Tokens; stop(): Promise<void> };

const root = fileURLToPath(new URL("../../", import.meta.url));
const main = join(root, "src", "main.ts");

/** The service of OCTAVO_TEST_URL and OCTAVO_TEST_TOKENS; without them a new one on an empty store. */
export async function openService(): Promise<Service> {
  const { OCTAVO_TEST_URL: url, OCTAVO_TEST_TOKENS: tokens } = process.env;
  if (url === undefined && tokens === undefined) return startService();
  if (!url || !tokens) throw new Error("OCTAVO_TEST_URL and OCTAVO_TEST_TOKENS go together");
  return { url: url.replace(/\/+$/, ""), tokens: checkTokens(JSON.parse(tokens)), stop: async () => undefined };
}

function checkTokens(tokens: Partial<Tokens>): Tokens {
  const { delivery, management, images, access } = tokens;
  if (delivery && management && images && access) return { delivery, management, images, access };
  throw new Error("the tokens are one JSON object with delivery, management, images and access");
}

/** Starts a service of this checkout on an empty store and a free port. `settings` are variables, as OCTAVO_S3_BUCKET. */
export async function startService(settings: Record<string, string> = {}): Promise<Service> {
  const env = { ...process.env, ...settings };
  const data = await mkdtemp(join(tmpdir(), "octavo-acceptance-"));
  const all = "entries,registry,files,folders";
  // The first command lays out the store; the others could race it, and that is another suite's subject.
  const delivery = await createToken(env, data, "delivery", all);
  const [management, images, access] = await Promise.all([
    createToken(env, data, "management", `${all},admin`),
    createToken(env, data, "images"),
    createToken(env, data, "access"),
  ]);
  const child = spawn(process.execPath, [main, "serve", "--port", "0", "--data", data, "--log", "off"], {
    cwd: root,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await addressOf(child);
  const stop = async () => {
    const ended = child.exitCode === null ? new Promise((resolve) => child.once("exit", resolve)) : undefined;
    child.kill("SIGTERM");
    await ended;
    await rm(data, { recursive: true, force: true });
  };
  return { url, tokens: { delivery, management, images, access }, stop };
}

async function createToken(env: NodeJS.ProcessEnv, data: string, kind: string, resources?: string): Promise<string> {
  const scope = resources ? ["--resources", resources] : [];
  const args = [main, "token", "create", "--kind", kind, ...scope, "--data", data, "--json"];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, env });
  return (JSON.parse(stdout) as { token: string }).token;
}

function addressOf(child: ChildProcess): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const timer = setTimeout(() => {
    child.kill("SIGKILL");
    reject(new Error("the service printed no address within 20 s"));
  }, 20_000);
  child.once("exit", (code) => reject(new Error(`the service ended with ${code} before it printed an address`)));
  if (child.stdout) {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const url = /https?:\/\/[^\s/"',]+/.exec(line)?.[0];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    });
  }
  return promise;
}
