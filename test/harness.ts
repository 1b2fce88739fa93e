import "./env.ts";
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, type TestContext } from "node:test";
import { type App, build } from "../src/app.ts";
import { createToken, type TokenInput, type TokenKind, type TokenResource } from "../src/core/access/token.ts";
import { readSettings, type Settings } from "../src/settings.ts";
import { atEnd } from "./ending.ts";

/** An empty folder, removed after the tests of the file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "octavo-test-"));
  atEnd(() => remove(folder));
  return folder;
}

/**
 * A second try names what the first one left. Once in some hundred runs a folder was not empty right after its service
 * had been killed and waited for; what wrote there is not known.
 */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    const left = readdirSync(folder, { recursive: true });
    console.error(`${folder} was not empty after its removal (${(error as Error).message}):`, left);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Waits for a condition, however slow the machine; `failure` is the message if it never becomes true. */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  failure: string | (() => string),
  withinMs = 30_000,
): Promise<void> {
  for (const deadline = performance.now() + withinMs; !(await isSo()); ) {
    if (performance.now() > deadline) assert.fail(typeof failure === "string" ? failure : failure());
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export type Reply = { status: number; headers: Headers; text: string; json: Record<string, unknown> };

/** A running service on its own port, with a token of every kind. */
export type World = {
  /** Fulfils when the other members are set: for hooks, since the hooks of a file run concurrently. */
  ready: Promise<void>;
  app: App;
  token: Record<Exclude<TokenKind, "preview">, string>;
  /** Creates a token; returns its secret and id. */
  issue(
    kind: TokenKind,
    resources?: TokenResource[],
    more?: Partial<TokenInput>,
  ): Promise<{ secret: string; id: string }>;
  /** Sends a request; `body` is sent as JSON unless it is text or bytes. */
  send(method: string, path: string, options?: SendOptions): Promise<Reply>;
};

export type SendOptions = { headers?: Record<string, string>; body?: unknown; query?: Record<string, string> };

export const allResources: TokenResource[] = ["entries", "registry", "files", "folders"];

/** Environment variables of settings. */
type Env = Record<string, string>;

/** Limits of time below those that an operator may set, so that a test waits for 50 ms. */
type Limits = Partial<Pick<Settings, Extract<keyof Settings, `${string}Seconds`>>>;

/**
 * The service in this process, started before the tests of the file and closed after them. Call it at the top of a
 * file: the members of the result are set when the tests run.
 */
export function useWorld(flags: Record<string, string> = {}, env: Env | Promise<Env> = {}, limits: Limits = {}): World {
  const folder = temporaryFolder();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const world = { ready: promise } as World;
  before(async () => {
    try {
      const started = await startWorld({ data: folder, ...flags }, await env, limits);
      atEnd(() => started.app.close());
      Object.assign(world, started);
      resolve();
    } catch (error) {
      reject(error);
    }
    await promise;
  });
  return world;
}

/** The same, started now and running until `app.close()`. */
export async function startWorld(
  flags: Record<string, string>,
  env: Env,
  limits: Limits = {},
): Promise<Omit<World, "ready">> {
  const data = env.OCTAVO_DATA ?? temporaryFolder();
  const settings = readSettings({ flags: { port: "0", log: "off", data, ...flags }, env, file: undefined });
  const app = await build({ ...settings, ...limits });
  return worldOf(app).catch(async (error: unknown) => {
    await app.close();
    throw error;
  });
}

async function worldOf(app: App): Promise<Omit<World, "ready">> {
  const issue: World["issue"] = async (kind, resources = [], more = {}) => {
    const input: TokenInput = { kind, resources, label: "", environment: "", limitCalls: 0, expiresAt: null, ...more };
    const context = { id: crypto.randomUUID(), actor: "test", nowSeconds: Math.floor(Date.now() / 1000) };
    const { token, secret } = await createToken(app.stores.tokens, input, context);
    return { secret, id: token.id };
  };
  const token = {
    delivery: (await issue("delivery", allResources)).secret,
    management: (await issue("management", [...allResources, "admin"])).secret,
    images: (await issue("images")).secret,
    access: (await issue("access")).secret,
  };
  return { app, token, issue, send: (method, path, options) => send(app.url, method, path, options) };
}

async function send(base: string, method: string, path: string, options: SendOptions = {}): Promise<Reply> {
  const query = options.query ? `?${new URLSearchParams(options.query)}` : "";
  const isRaw = typeof options.body === "string" || options.body instanceof Uint8Array;
  const response = await fetch(`${base}${path}${query}`, {
    method,
    headers: {
      ...(options.body !== undefined && !isRaw ? { "Content-Type": "application/json" } : {}),
      ...options.headers,
    },
    body: options.body === undefined ? undefined : isRaw ? (options.body as string) : JSON.stringify(options.body),
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get("content-type") ?? "") && text !== "";
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : {} };
}

/** A node of the database at the URL, with this data folder; it ends with the test. */
export async function startNode(t: TestContext, data: string, url: string): Promise<Omit<World, "ready">> {
  const node = await startWorld({ data }, { OCTAVO_POSTGRES_URL: url });
  t.after(() => node.app.close());
  return node;
}
