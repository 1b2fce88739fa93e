import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, type TestContext, test } from "node:test";
import axe from "axe-core";
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page, Request } from "playwright-core";
import { launch, noBrowser } from "../chromium.ts";
import { eventually } from "../eventually.ts";
import { useWorld, type World } from "../harness.ts";
import { looks } from "../looks.ts";

/** A real browser and a real service: every flow acts like a user, by visible texts and accessible names. */

const isBuilt = existsSync(new URL("../../admin/dist/index.html", import.meta.url));

/** Why the tests of a file cannot run here; false when they can. */
export const skip: string | false = noBrowser || (isBuilt ? false : "the admin page is not built: npm run build");

export type Desk = {
  world: World;
  /** A signed-in page at a URL below /admin. Closed after the test. */
  open(context: TestContext, path: string, options?: BrowserContextOptions): Promise<Page>;
  /** A page that is not signed in. */
  openFresh(context: TestContext, path: string, options?: BrowserContextOptions): Promise<Page>;
};

const screen = { viewport: { width: 1280, height: 800 }, locale: "en-GB" };

/** How long an act waits for what it acts on. */
const actMs = 15_000;

/** A service and a browser for the tests of a file. A logged error or a request to another host fails the test. */
export function useDesk(settings: Record<string, string> = {}, env: Parameters<typeof useWorld>[1] = {}): Desk {
  const world = useWorld(settings, env);
  let browser: Browser;
  let signedIn: SignedIn;
  before(async () => {
    if (skip) return;
    await world.ready;
    browser = await launch();
    signedIn = await signedInContext(browser, world);
  });
  after(() => browser?.close());

  const goTo = async (test: TestContext, path: string, make: MakePage, close: () => Promise<void>): Promise<Page> => {
    let faults: string[] = [];
    test.after(async () => {
      await close();
      assert.deepEqual(faults, []);
    });
    const watched = async (): Promise<Page> => {
      const page = await make();
      faults = watch(page, world.app.url);
      return page;
    };
    return openAt(`${world.app.url}/admin${path}`, watched);
  };
  const openFresh: Desk["openFresh"] = async (test, path, options = {}) => {
    const context = await browser.newContext({ ...screen, ...options });
    context.setDefaultTimeout(actMs);
    return goTo(
      test,
      path,
      () => context.newPage(),
      () => context.close(),
    );
  };
  const open: Desk["open"] = async (test, path, options = {}) => {
    const { viewport, colorScheme, ...others } = options;
    if (signedIn.isTaken || Object.keys(others).length > 0)
      return openFresh(test, path, { storageState: signedIn.state, ...options });
    const make = async (): Promise<Page> => {
      const page = await signedIn.take();
      if (viewport) await page.setViewportSize(viewport);
      if (colorScheme) await page.emulateMedia({ colorScheme });
      return page;
    };
    return goTo(test, path, make, () => signedIn.release());
  };
  return { world, open, openFresh };
}

type MakePage = () => Promise<Page>;

/**
 * A new page at an address. Where the process of a blank page ends before the address has answered, as for want of memory, the
 * browser calls its navigation aborted and tells of no crash. Nothing of the service was shown by then: another page is opened,
 * once.
 */
async function openAt(address: string, make: MakePage): Promise<Page> {
  const page = await make();
  try {
    await page.goto(address);
    return page;
  } catch (error) {
    const isLost = page.url() === "about:blank" && String(error).includes("net::ERR_ABORTED at");
    if (!isLost) throw error;
    await page.close();
  }
  const other = await make();
  await other.goto(address);
  return other;
}

/** One context for the tests of a file: its pages find the scripts in the cache. */
type SignedIn = {
  state: Awaited<ReturnType<BrowserContext["storageState"]>>;
  /** A second page of a test has a context of its own: it is another browser. */
  isTaken: boolean;
  /** A page with the cookies of the sign-in, and nothing else that an earlier test left. */
  take(): Promise<Page>;
  release(): Promise<void>;
};

async function signedInContext(browser: Browser, world: World): Promise<SignedIn> {
  const context = await browser.newContext(screen);
  context.setDefaultTimeout(actMs);
  const first = await context.newPage();
  await signIn(first, world);
  const preferences = await first.evaluate(saveByHand);
  const state = await context.storageState();
  await context.addInitScript(
    // A blank page has no storage.
    ([name, value]) => origin === "null" || (localStorage.getItem(name) ?? localStorage.setItem(name, value)),
    preferences,
  );
  await first.close();
  const signedIn: SignedIn = {
    state,
    isTaken: false,
    take: async () => {
      signedIn.isTaken = true;
      const page = await context.newPage();
      await forget(page, world.app.url);
      await context.addCookies(state.cookies);
      return page;
    },
    release: async () => {
      await Promise.all(context.pages().map((page) => page.close()));
      await context.clearPermissions();
      signedIn.isTaken = false;
    },
  };
  return signedIn;
}

/** Forgets what the browser keeps for the service. Not by a script: the page would be opened twice. */
async function forget(page: Page, origin: string): Promise<void> {
  await page.context().clearCookies();
  const session = await page.context().newCDPSession(page);
  await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "local_storage,indexeddb" });
  await session.detach();
}

export async function signIn(page: Page, { app, token }: World): Promise<void> {
  if (!page.url().startsWith(app.url)) await page.goto(`${app.url}/admin`);
  await page.getByPlaceholder("oct_m_").fill(token.management);
  await page.getByPlaceholder("oct_a_").fill(token.access);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("navigation", { name: "Main" }).waitFor();
}

/** Pages of this session that are opened from now on save nothing by themselves: a test says when. Runs in the page. */
export async function saveByHand(): Promise<[name: string, value: string]> {
  const { data } = await (await fetch("/admin/session")).json();
  const preferences: [string, string] = [
    `octavo.preferences.${data.token.id}`,
    JSON.stringify({ values: { autosave: false } }),
  ];
  localStorage.setItem(...preferences);
  return preferences;
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
    // A search refuses what it does not know always.
    const isLenient = !/\/search\?/.test(url) && !/[?&]strict=1/.test(url);
    if (/\/api\/.*[?&](?:filter|options)\b/.test(url) && isLenient) faults.push(`not strict: ${url}`);
  });
  return faults;
}

/** Two frames: changes of the last one are drawn in the next. Then the timers that were due. */
const drawn = (): Promise<void> =>
  new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))));

/** Violations that axe finds on the current page, however often it looks: one that a moment brings is none. */
export async function audit(page: Page): Promise<string[]> {
  let found = await auditOnce(page);
  for (let again = 0; found.length > 0 && again < 3; again++) found = await auditOnce(page);
  return found;
}

async function auditOnce(page: Page): Promise<string[]> {
  // Not as a script element: the page's CSP forbids it. Once per document.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe.source);
  await settle(page);
  return await page.evaluate(async () => {
    // Beneath a dialog nothing is read or reached.
    const scope = document.querySelector("[aria-modal=true]") ? "[data-portal]" : document;
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run(scope, {
      resultTypes: ["violations"],
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

/** The text of an editor has a picture with these words: drawn, or, where the cursor touches it, as its source. */
export const hasPicture = (editor: Locator, words: string): Promise<void> =>
  eventually(
    () =>
      editor.evaluate(
        (text, alt) =>
          text.querySelector(`img[alt="${alt}"]`) !== null || (text as HTMLElement).innerText.includes(`![${alt}]`),
        words,
      ),
    true,
  );

/**
 * Waits until this, or a part of it, has the focus: a menu or a dialog takes it after it is drawn, and a key goes to what
 * has it.
 */
export const hasFocus = (place: Locator): Promise<void> =>
  eventually(() => place.evaluate((element) => element.contains(document.activeElement)), true);

/** Waits until a field has the focus: after a click on a button, the field that the button brings. */
export const canType = (page: Page): Promise<void> =>
  page.locator(":is(input:not([type=radio], [type=checkbox]), textarea, [contenteditable=true]):focus").waitFor();

/** Shows the source of a text, as it is stored, in the place of what it will read like. */
export const showSource = (page: Page, name = "Content"): Promise<void> =>
  page
    .getByRole("radiogroup", { name: `View of ${name}` })
    .getByText("Source", { exact: true })
    .click();

/** What an act copies. It is in the clipboard after the act, which may have had another text. */
export async function copiedBy(page: Page, act: () => Promise<void>): Promise<string> {
  await page.evaluate(() => navigator.clipboard.writeText(""));
  await act();
  const read = () => page.evaluate(() => navigator.clipboard.readText());
  await eventually(async () => (await read()) !== "", true);
  return read();
}

/** The horizontal overflow of the page, once nothing moves any more. As `audit`, it looks again at one that is found. */
export async function overflow(page: Page): Promise<number> {
  let width = 1;
  for (let looked = 0; width > 0 && looked < 4; looked++) {
    await settle(page);
    width = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  }
  return width;
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
