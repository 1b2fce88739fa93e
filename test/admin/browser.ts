import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, type TestContext, test } from "node:test";
import axe from "axe-core";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
  type Request,
} from "playwright-core";
import { useWorld, type World } from "../harness.ts";
import { looks } from "../looks.ts";

/** A real browser and a real service: every flow acts like a user, by visible texts and accessible names. */

const executablePath = process.env.OCTAVO_CHROMIUM ?? "/usr/bin/chromium";
const isBuilt = existsSync(new URL("../../admin/dist/index.html", import.meta.url));

/** Why the tests of a file cannot run here; false when they can. */
export const skip: string | false = !existsSync(executablePath)
  ? `there is no browser at ${executablePath}`
  : isBuilt
    ? false
    : "the admin page is not built: npm run build";

const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"];
const quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync"];

export type Desk = {
  world: World;
  /** A signed-in page at a URL below /admin. Closed after the test. */
  open(context: TestContext, path: string, options?: BrowserContextOptions): Promise<Page>;
  /** A page that is not signed in. */
  openFresh(context: TestContext, path: string, options?: BrowserContextOptions): Promise<Page>;
};

/** A service and a browser for the tests of a file. A logged error or a request to another host fails the test. */
export function useDesk(settings: Record<string, string> = {}, env: Parameters<typeof useWorld>[1] = {}): Desk {
  const world = useWorld(settings, env);
  let browser: Browser;
  let state: Awaited<ReturnType<BrowserContext["storageState"]>>;
  before(async () => {
    if (skip) return;
    await world.ready;
    browser = await chromium.launch({ executablePath, args: [...flags, ...quiet] });
    const context = await browser.newContext();
    await signIn(await context.newPage(), world);
    state = await context.storageState();
    await context.close();
  });
  after(() => browser?.close());

  const open = async (test: TestContext, path: string, options: BrowserContextOptions): Promise<Page> => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en-GB", ...options });
    context.setDefaultTimeout(15_000);
    const page = await context.newPage();
    actAfterDrawing(page);
    const faults = watch(page, world.app.url);
    test.after(async () => {
      await context.close();
      assert.deepEqual(faults, []);
    });
    await page.goto(`${world.app.url}/admin${path}`);
    return page;
  };
  return {
    world,
    open: (test, path, options) => open(test, path, { storageState: state, ...options }),
    openFresh: (test, path, options = {}) => open(test, path, options),
  };
}

export async function signIn(page: Page, { app, token }: World): Promise<void> {
  if (!page.url().startsWith(app.url)) await page.goto(`${app.url}/admin`);
  await page.getByPlaceholder("oct_m_").fill(token.management);
  await page.getByPlaceholder("oct_a_").fill(token.access);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("navigation", { name: "Main" }).waitFor();
}

/** The same service at a host name: browsers have no passkeys at an IP address. */
export const atLocalhost = (url: string): string => url.replace("//127.0.0.1:", "//localhost:");

/**
 * Errors of the page, and what it reads in vain. A refusal that a test provokes is none, nor that what the page's address
 * names is missing.
 */
function watch(page: Page, origin: string): string[] {
  const faults: string[] = [];
  // An answer may come when the page is already another.
  const asker = new WeakMap<Request, string>();
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("console", (message) => {
    const text = message.text();
    if (message.type() === "error" && !text.startsWith("Failed to load resource"))
      faults.push(`console: ${text} ${message.location().url}:${message.location().lineNumber}`);
  });
  page.on("response", (response) => {
    const { pathname, searchParams } = new URL(response.url());
    const named = searchParams.get("id") ?? searchParams.get("path") ?? pathname.replace(/^\/api\/\w+\//, "");
    const request = response.request();
    const askers = decodeURIComponent(`${asker.get(request)} ${page.url()}`).replaceAll("?file=", "/");
    if (request.method() === "GET" && response.status() === 404 && !askers.includes(named))
      faults.push(`read in vain ${response.url()}`);
  });
  page.on("request", (request) => {
    const url = request.url();
    asker.set(request, page.url());
    // The site in the frame of the preview is another program.
    if (request.frame().parentFrame()) return;
    if (!url.startsWith(origin) && !url.startsWith(atLocalhost(origin)) && !/^(?:data|blob):/.test(url))
      faults.push(`requested ${url}`);
    if (/\/api\/.*[?&](?:filter|options)\b/.test(url) && !/[?&]strict=1/.test(url)) faults.push(`not strict: ${url}`);
  });
  return faults;
}

/**
 * A person acts after seeing what the last act did: a key goes to what has the focus, and a menu or a dialog that opened
 * takes it in the task after it is drawn. So every act ends when its change is drawn, and a key or a reload, which waits
 * for nothing else, begins then.
 */
function actAfterDrawing(page: Page): void {
  const { keyboard } = page;
  for (const act of ["press", "type"] as const) {
    const now = keyboard[act].bind(keyboard);
    keyboard[act] = async (keys: string) => {
      await seen(page);
      await now(keys);
      await seen(page);
    };
  }
  const reload = page.reload.bind(page);
  page.reload = async (options) => {
    await seen(page);
    return reload(options);
  };
  const places = Object.getPrototypeOf(page.locator("html")) as Locator & { isSeen?: true };
  if (places.isSeen) return;
  places.isSeen = true;
  for (const act of ["click", "press", "check", "uncheck", "selectOption"] as const) {
    const now = places[act] as (this: Locator, ...rest: unknown[]) => Promise<never>;
    places[act] = async function (this: Locator, ...rest: unknown[]) {
      const answer = await now.apply(this, rest);
      await seen(this.page());
      return answer;
    };
  }
}

/** A page that is just being left has no frames. */
const seen = (page: Page): Promise<void> => page.evaluate(drawn).catch(() => undefined);

/** Two frames: changes of the last one are drawn in the next. Then the timers that were due. */
const drawn = (): Promise<void> =>
  new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))));

/** Violations that axe finds on the current page. */
export async function audit(page: Page): Promise<string[]> {
  // Not as a script element: the page's CSP forbids it. Once per document.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe.source);
  await settle(page);
  return await page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run({
      rules: { "target-size": { enabled: true } },
    });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
  });
}

/** Violations that axe finds in both colour schemes at phone and desktop width, without a reload. */
export async function auditAll(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const { width, colorScheme } of looks) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    await page.waitForFunction((scheme) => document.documentElement.dataset.mantineColorScheme === scheme, colorScheme);
    found.push(...(await audit(page)).map((finding) => `${width} px, ${colorScheme}: ${finding}`));
  }
  return found;
}

/**
 * Waits until nothing is loading and nothing moves. From now on the page moves as for people who ask for less motion: a
 * notice that fades out while colours are measured would be a fault at random.
 */
export async function settle(page: Page): Promise<void> {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.locator('[aria-busy="true"]').first().waitFor({ state: "detached" });
  // Animations of the last change start in the next frame.
  await page.evaluate(drawn);
  await page.evaluate(() =>
    Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => undefined))),
  );
}

/** The horizontal overflow of the page, once nothing moves any more. */
export async function overflow(page: Page): Promise<number> {
  await settle(page);
  return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
}

/** A test that needs the browser. */
export const flow = (name: string, run: (context: TestContext) => Promise<void>): void =>
  void test(name, { skip, timeout: 60_000 }, run);

/** The data of an endpoint, read with the world's management token. */
export async function read<T>({ send, token }: World, path: string, query: Record<string, string>): Promise<T> {
  return (await send("GET", path, { query: { ...query, token: token.management } })).json.data as T;
}

/** Writes as another client would. */
export async function write({ send, token }: World, method: string, path: string, body: object): Promise<void> {
  const reply = await send(method, path, { body: { ...body, token: token.management, access_token: token.access } });
  assert.ok(reply.status < 300, reply.text);
}
