/**
 * Makes test/fixtures/stores/0.3.0.tar.gz: a store as version 0.3.0 left it, with all that history, trash, working
 * copies and releases can hold, and a backup of it by the same program. test/golden/store.test.ts reads it. The
 * program is a checkout of commit 59bcccf0 with its `npm ci`:
 *
 *     npx node scripts/old-store.ts ../octavo-0.3.0
 *
 * The clock is set by the script. Ids and secrets are new in each run, so the golden files of the store are made anew
 * with it: a fixture is made once, and kept.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type Body, fillContent, type OldSite, type Written } from "./old-store-content.ts";
import { fillVersions } from "./old-store-version.ts";

const program = resolve(process.argv[2] ?? "");
const target = new URL("../test/fixtures/stores/0.3.0.tar.gz", import.meta.url).pathname;
const module = (path: string) => import(join(program, "src", path));

/** The first second of 2026; the content is written in the months after it. */
let nowSeconds = Date.UTC(2026, 0, 1) / 1000;
Date.now = () => nowSeconds * 1000;

const { build } = await module("app.ts");
const { readSettings } = await module("settings.ts");
const { createToken } = await module("domain/access/token.ts");
const { chores } = await module("chores.ts");

const folder = mkdtempSync(join(tmpdir(), "octavo-old-store-"));
const data = join(folder, "data");
mkdirSync(data, { mode: 0o711 });
const tokens: Record<string, string> = {};

type App = { url: string; stores: Record<string, never>; close(): Promise<void> };
let settings: object;
let app = await start();

async function start(flags: Record<string, string> = {}): Promise<App> {
  const all = { port: "0", log: "off", data, "public-url": "http://site.test", ...flags };
  settings = readSettings({ flags: all, env: {}, file: undefined });
  return build(settings);
}

async function send(method: string, path: string, body: Body, as = "editor"): Promise<Written> {
  nowSeconds += 61;
  const { headers, ...sent } = body as { headers?: Record<string, string> };
  const secrets = headers?.Cookie ? {} : { token: tokens[as], access_token: tokens.access };
  const reply = await fetch(`${app.url}${path}`, {
    method,
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify({ ...secrets, ...sent }),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${method} ${path} ${JSON.stringify(sent)}: ${reply.status} ${text}`);
  return {
    data: text === "" ? {} : JSON.parse(text).data,
    sequence: Number(reply.headers.get("octavo-sequence")),
    cookie: reply.headers.get("set-cookie")?.split(";", 1)[0] ?? "",
  };
}

const site: OldSite = {
  send,
  tokens,
  upload: async (folder, name, bytes) => {
    nowSeconds += 61;
    const form = new FormData();
    for (const [field, value] of Object.entries({ token: tokens.editor, access_token: tokens.access, folder }))
      form.set(field, value as string);
    form.set("file", new File([new Uint8Array(bytes)], name));
    const reply = await fetch(`${app.url}/api/files`, { method: "POST", body: form });
    if (!reply.ok) throw new Error(`${folder}/${name}: ${await reply.text()}`);
  },
  issue: async (name, input) => {
    const whole = { resources: [], label: name, environment: "", limitCalls: 0, expiresAt: null, ...input };
    const context = { id: `token-${name}`, actor: "maker", nowSeconds };
    tokens[name] = (await createToken(app.stores.tokens, whole, context)).secret;
  },
  passDays: (days) => {
    nowSeconds += days * 24 * 3600;
    return nowSeconds;
  },
  restart: async (flags) => {
    await app.close();
    app = await start(flags);
  },
  runChore: async (name) => {
    for (const chore of chores as { name: string; run(...args: unknown[]): Promise<unknown> }[])
      if (chore.name === name) await chore.run(app.stores, settings, nowSeconds, console.error);
  },
  publishDue: async () => {
    for (const noun of ["staged", "releases"])
      await (app.stores as Record<string, { publishDue(now: number): Promise<number> }>)[noun]?.publishDue(nowSeconds);
  },
};

await fillContent(site);
await fillVersions(site);
await app.close();
writeFileSync(join(data, "tokens.json"), `${JSON.stringify(tokens, null, 2)}\n`);
writeFileSync(join(data, "delivery-token"), `${tokens.delivery}\n`);
for (const words of [["verify"], ["backup", join(data, "backup.tar")]])
  execFileSync(process.execPath, [join(program, "src/octavo.ts"), ...words, "--data", data], { stdio: "inherit" });
const kept = ["octavo.db", "blobs", "uploads", "tokens.json", "delivery-token", "backup.tar"];
execFileSync("tar", ["-czf", target, "--owner=0", "--group=0", "--numeric-owner", "-C", data, ...kept]);
execFileSync("ls", ["-la", data, target], { stdio: "inherit" });
rmSync(folder, { recursive: true });
process.exit(0);
