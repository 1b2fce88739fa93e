/** The service under test: named by the environment, or started here as a child process. */
import "../env.ts";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

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

/** Starts a service of this checkout, with locales, on an empty store and a free port. `settings` are variables, as OCTAVO_S3_BUCKET. */
export async function startService(settings: Record<string, string> = {}): Promise<Service> {
  const data = await mkdtemp(join(tmpdir(), "octavo-acceptance-"));
  const child = spawn(process.execPath, [main, "serve", "--port", "0", "--data", data, "--log", "off"], {
    cwd: root,
    env: { ...process.env, OCTAVO_LOCALES: "en,de,fr", ...settings },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
    process.off("exit", kill);
    await rm(data, { recursive: true, force: true });
  };
  try {
    const { url, code } = await introductionOf(child);
    return { url, tokens: await createTokens(url, code), stop };
  } catch (error) {
    kill();
    await stop();
    throw error;
  }
}

/** Creates the first tokens as a user does in the browser: with the link that a service prints on an empty store. */
async function createTokens(url: string, code: string): Promise<Tokens> {
  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const init = { method: "POST", headers: { "Content-Type": "application/json", ...headers } };
    const reply = await fetch(url + path, { ...init, body: JSON.stringify(body) });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`POST ${path}: ${reply.status} ${text}`);
    return { cookie: reply.headers.get("set-cookie")?.split(";", 1)[0] ?? "", data: JSON.parse(text).data };
  };
  const { cookie, data } = await post("/admin/session/link", { code });
  const session = { Cookie: cookie, "X-CSRF-Token": data.csrf_token as string };
  const create = async (kind: string, ...resources: string[]): Promise<string> =>
    (await post("/api/tokens", resources.length > 0 ? { kind, resources } : { kind }, session)).data.token;
  const all = ["entries", "registry", "files", "folders"];
  const [delivery, management, images, access] = await Promise.all([
    create("delivery", ...all),
    create("management", ...all, "admin"),
    create("images"),
    create("access"),
  ]);
  return { delivery, management, images, access } as Tokens;
}

/** What a service prints when it starts: its URL, and the code of the sign-in link. */
function introductionOf(child: ChildProcess): Promise<{ url: string; code: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ url: string; code: string }>();
  const timer = setTimeout(() => reject(new Error("the service printed no address within 60 s")), 60_000);
  child.once("exit", (code) => reject(new Error(`the service ended with ${code} before it printed an address`)));
  let code = "";
  createInterface({ input: child.stdout as NonNullable<typeof child.stdout> }).on("line", (line) => {
    code = /#code=([\w-]+)/.exec(line)?.[1] ?? code;
    const url = /answers on (https?:\/\/\S+)/.exec(line)?.[1];
    if (url) resolve({ url, code });
  });
  return promise.finally(() => clearTimeout(timer));
}
