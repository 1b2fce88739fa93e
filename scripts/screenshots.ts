/**
 * Takes docs/screenshots/*.webp of the main pages of the admin page, and of an article of the example site (`site`), in
 * light and dark, with the sample site and an installed Chromium (OCTAVO_CHROMIUM names another one). Run it after a
 * change of the pages: npm run screenshots, or npm run screenshots -- form faults for some of them.
 */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Browser, chromium, type Page } from "playwright-core";
import sharp from "sharp";
import { createClient } from "../client/src/client.ts";
import { type App, build } from "../src/app.ts";
import { type DemoTokens, demoLocales, fillDemo } from "../src/demo.ts";
import { readSettings } from "../src/settings.ts";

const folder = new URL("../docs/screenshots/", import.meta.url);
const size = { width: 1360, height: 850 };
const previewUrl = "https://example.org/preview?id={id}&token={token}";
const filter = {
  conditions: [
    { key: "year", operator: "gte", value: "1970" },
    { key: "genres", operator: "contains", value: "drama" },
  ],
  orderBy: "year",
};

/** The page of a screenshot, a text that it shows when it is ready, and what to press before, in order. */
const shots: Record<string, [path: string, sign: string, ...presses: (string | RegExp)[]]> = {
  entry: ["/entries/movies/solaris", "On the site"],
  form: ["/entries/concerts/summer-night", "Tickets"],
  faults: ["/entries/concerts/autumn", "fields do not fit the type", /^Publish English$/],
  history: ["/entries/movies/metropolis", "What changed from", "History"],
  staged: ["/entries/articles/from-page-to-screen", "Unpublished changes"],
  schedule: ["/entries/articles/from-page-to-screen", "Publish at", "More ways to publish", "Schedule…"],
  preview: ["/entries/articles/from-page-to-screen", "expires", "More actions", "Preview links…", "Copy preview link"],
  trash: ["/trash", "articles/old-news"],
  types: ["/types", "Article"],
  type: ["/types/movie", "Kind", "Director director"],
  check: ["/types/movie", "entries", "Check entries"],
  picker: ["/entries/movies/alien", "metropolis.jpg", "Choose Picture", "movies"],
  list: ["/entries/movies?view=below", "Director"],
  used: ["/entries/movies/solaris", "movies › item", "More actions", "Used in…"],
  delete: ["/entries/movies/metropolis", "lead to nothing", "More actions", "Delete"],
  move: ["/entries/movies/solaris", "refers to it", "More actions", "Rename or move"],
  filter: [`/entries/movies?view=below&filter=${JSON.stringify(filter)}`, "3 entries"],
  media: ["/files/movies", "solaris.jpg"],
  workbench: ["/images/movies/metropolis.jpg?w=900&h=600&fit=crop&con=12&fm=webp", "900 × 600"],
  tokens: ["/tokens", "In force"],
  token: ["/tokens", "Drafts and working copies", "Actions for author", "Edit"],
  health: ["/health", "Storage"],
};

/** More files than the sample site has, to fill the library. */
async function addFiles({ url }: App, { management, access }: DemoTokens): Promise<void> {
  const samples = ["flip", "filt", "pixel", "border", "markpos", "blur"];
  for (const name of [...samples.map((sample) => `docs/images/${sample}.webp`), "CHANGELOG.md"]) {
    const form = new FormData();
    for (const [field, value] of Object.entries({ token: management, access_token: access, folder: "movies" })) {
      form.set(field, value);
    }
    form.set("file", new Blob([readFileSync(new URL(`../${name}`, import.meta.url))]), name.split("/").at(-1));
    const reply = await fetch(`${url}/api/files`, { method: "POST", body: form });
    if (!reply.ok) throw new Error(await reply.text());
  }
}

/** An entry with earlier versions, and some deleted things. */
async function addPast({ url }: App, { management, access }: DemoTokens): Promise<void> {
  const send = async (method: string, path: string, args: object): Promise<void> => {
    const body = JSON.stringify({ ...args, token: management, access_token: access });
    const reply = await fetch(url + path, { method, headers: { "Content-Type": "application/json" }, body });
    if (!reply.ok) throw new Error(await reply.text());
  };
  const changes = [
    { content: "A city of the future, above and below.", genres: ["science fiction"] },
    { content: "A city of the far future: gardens above, machines below.", genres: ["science fiction", "silent film"] },
    { content: "A city of the far future: gardens for some, machines for all the others.", minutes: 153 },
  ];
  for (const data of changes) await send("PATCH", "/api/entries", { id: "movies/metropolis", data });
  for (const id of ["articles/old-news", "articles/old-news/comments", "articles/ideas"])
    await send("POST", "/api/entries", { id, data: { title: id, content: "Written long ago." } });
  for (const id of ["articles/old-news", "articles/ideas"]) await send("DELETE", "/api/entries", { id });
  await send("POST", "/api/folders", { path: "posters/drafts" });
  await send("DELETE", "/api/folders", { path: "posters" });
  await send("PUT", "/api/files/copy", { path: "movies/blur.webp", new_path: "movies/blurred.webp" });
  await send("DELETE", "/api/files", { path: "movies/blurred.webp" });
}

/** A working copy, and a token for a part of the tree. */
async function addStaged({ url }: App, { management, access }: DemoTokens): Promise<void> {
  const octavo = createClient({ url, token: management, accessToken: access });
  await octavo.entries.stage("articles/from-page-to-screen", { title: "From the page to the screen" });
  await octavo.tokens.create({
    kind: "management",
    resources: ["entries", "files"],
    paths: ["articles", "movies/solaris"],
    writes: "staged",
    label: "author",
  });
}

const text = { type: "string" };
/** The fields of the sample movies; a check finds some faults. */
const movie = {
  type: "object",
  required: ["title", "year", "picture"],
  properties: {
    title: { ...text, title: "Title", minLength: 1 },
    director: { ...text, title: "Director", description: "As in the opening titles" },
    year: { type: "integer", title: "Year", minimum: 1888 },
    minutes: { type: "integer", title: "Minutes", minimum: 1 },
    picture: { ...text, title: "Picture", format: "file", "x-octavo-media": ["image/*"] },
    genres: { type: "array", title: "Genres", items: text },
    content: { ...text, title: "Review", contentMediaType: "text/markdown" },
    based_on: { type: "object", title: "Based on", properties: { title: text, author: text } },
  },
};

/** The fields of a concert, of many kinds. */
const concert = {
  type: "object",
  required: ["title", "date", "venue", "tickets"],
  properties: {
    title: { ...text, title: "Title", minLength: 1 },
    date: { ...text, title: "Date", format: "date-time" },
    status: { title: "Status", enum: ["planned", "on sale", "sold out"], default: "planned" },
    poster: { ...text, title: "Poster", format: "file", "x-octavo-media": ["image/*"] },
    film: {
      ...text,
      title: "Film",
      format: "entry",
      "x-octavo-types": ["movie"],
      description: "Shown with live music",
    },
    venue: {
      type: "object",
      title: "Venue",
      required: ["name"],
      properties: { name: { ...text, title: "Name" }, seats: { type: "integer", title: "Seats", minimum: 1 } },
    },
    tickets: {
      type: "array",
      title: "Tickets",
      minItems: 1,
      items: {
        type: "object",
        required: ["name", "price"],
        properties: { name: { ...text, title: "Name" }, price: { type: "number", title: "Price", minimum: 0 } },
      },
    },
    colour: { ...text, title: "Colour", format: "color" },
    content: { ...text, title: "Programme", contentMediaType: "text/markdown" },
  },
};

/** A complete concert, and a draft that lacks what is required. */
async function addConcerts({ url }: App, { management, access }: DemoTokens): Promise<void> {
  const { types, entries } = createClient({ url, token: management, accessToken: access });
  await types.put({ id: "concert", title: "Concert", paths: ["concerts/*"], schema: concert });
  await entries.create("concerts/summer-night", {
    title: "A summer night",
    date: "2031-07-01T20:30:00+02:00",
    status: "on sale",
    poster: "movies/metropolis.jpg",
    film: "movies/metropolis",
    venue: { name: "Old harbour", seats: 400 },
    tickets: [
      { name: "Front row", price: 32.5 },
      { name: "Standing", price: 18 },
    ],
    colour: "#3549b9",
    content: "**Metropolis** with live piano.",
    sponsor: "The harbour",
  });
  const draft = { title: "Autumn", venue: { seats: 90 }, tickets: [{ name: "Seat" }], visibility: "draft" as const };
  await entries.create("concerts/autumn", draft);
}

async function addTypes({ url }: App, { management, access }: DemoTokens): Promise<void> {
  const { types } = createClient({ url, token: management, accessToken: access });
  await types.put({ id: "movie", title: "Movie", paths: ["movies/*"], schema: movie });
}

async function shoot(browser: Browser, app: App, colorScheme: "light" | "dark"): Promise<void> {
  const context = await browser.newContext({ viewport: size, colorScheme, locale: "en-GB" });
  const page = await context.newPage();
  await page.goto(app.signInLink());
  await page.getByRole("navigation", { name: "Main" }).waitFor();
  for (const [name, [path, sign, ...presses]] of Object.entries(shots)) {
    if (!isChosen(name)) continue;
    await page.goto(`${app.url}/admin${path}`);
    for (const name of presses)
      await page.getByRole("button", { name }).or(page.getByRole("menuitem", { name })).click();
    const shown = page.getByText(sign).or(page.locator(`input[value="${sign}"]`));
    await shown.filter({ visible: true }).first().waitFor();
    await page.waitForLoadState("networkidle");
    await page.locator('[aria-busy="true"]').first().waitFor({ state: "detached" });
    await keep(page, `${name}-${colorScheme}`, false);
  }
  await context.close();
}

/** Whether the command line asks for this screenshot. */
const isChosen = (name: string): boolean => process.argv.length < 3 || process.argv.slice(2).includes(name);

/** Writes what is visible, or with `fullPage` all, once its pictures are there. */
async function keep(page: Page, name: string, fullPage: boolean): Promise<void> {
  // waitForFunction would need eval, which the pages' policies forbid. A hidden picture may never be loaded.
  await page.evaluate(`Promise.allSettled([...document.images]
    .filter((image) => image.checkVisibility() && image.getBoundingClientRect().top < innerHeight)
    .map((image) => image.decode()))`);
  await page.waitForTimeout(400);
  const file = new URL(`${name}.webp`, folder).pathname;
  await sharp(await page.screenshot({ fullPage }))
    .webp({ quality: 88 })
    .toFile(file);
  process.stdout.write(`${file.split("/").slice(-3).join("/")}\n`);
}

/** An article of examples/site, on the sample site as it is. */
async function shootSite(browser: Browser, { url: octavoUrl }: App, { delivery }: DemoTokens): Promise<void> {
  const cwd = new URL("../", import.meta.url).pathname;
  execFileSync("npm", ["run", "--silent", "-w", "@octavo/client", "build"], { cwd });
  const env = { ...process.env, OCTAVO_TOKEN: delivery, OCTAVO_URL: octavoUrl, PORT: "0" };
  const site = spawn(process.execPath, ["examples/site/serve.ts"], { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
  try {
    const { value } = await createInterface({ input: site.stdout })[Symbol.asyncIterator]().next();
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await browser.newPage({ viewport: { width: 1280, height: 850 }, colorScheme, locale: "en-GB" });
      await page.goto(`${/http:\S+/.exec(value ?? "")?.[0]}/#/articles/from-page-to-screen`);
      await page.getByRole("heading", { name: "Films in it" }).waitFor();
      await keep(page, `site-${colorScheme}`, true);
      await page.close();
    }
  } finally {
    site.kill();
  }
}

const data = mkdtempSync(join(tmpdir(), "octavo-screenshots-"));
const app = await build(
  readSettings({
    flags: {
      ...{ port: "0", log: "off", data, preview_url: previewUrl },
      // As `serve --demo` has them: the example site is in both languages.
      locales: demoLocales.join(),
      // Those of examples/site/README.md.
      image_presets: "card:w=384&h=256&fit=crop&fm=auto; wide:w=640&h=274&fit=crop-50-30&fm=auto",
      image_public: "card,wide",
    },
    env: {},
    file: undefined,
  }),
);
const executablePath = process.env.OCTAVO_CHROMIUM ?? "/usr/bin/chromium";
const browser = await chromium.launch({ executablePath, args: ["--headless", "--no-sandbox", "--disable-gpu"] });
try {
  let tokens: DemoTokens | undefined;
  const take = (made: DemoTokens): void => {
    tokens = made;
  };
  await fillDemo(app.stores, Math.floor(Date.now() / 1000), take, demoLocales);
  mkdirSync(folder, { recursive: true });
  if (isChosen("site")) await shootSite(browser, app, tokens as unknown as DemoTokens);
  await addFiles(app, tokens as DemoTokens);
  await addPast(app, tokens as DemoTokens);
  await addStaged(app, tokens as DemoTokens);
  await addTypes(app, tokens as DemoTokens);
  await addConcerts(app, tokens as DemoTokens);
  await shoot(browser, app, "light");
  await shoot(browser, app, "dark");
} finally {
  await browser.close();
  await app.close();
  rmSync(data, { recursive: true, force: true });
}
