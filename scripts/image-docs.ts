/**
 * `npm run docs`: generates docs/images.md from scripts/image-docs.md and the table of image arguments, and the samples in
 * docs/images/ with the pipeline that serves requests.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { parseUrlEncoded } from "../src/core/lib/brackets.ts";
import { type Arguments, type Modifiers, modifierRows, parseModifiers } from "../src/image/modifier.ts";
import { formatFor } from "../src/image/rendition.ts";
import { render } from "../src/image/sharp/pipeline.ts";

type Row = (typeof modifierRows)[number];

/** Presets that the page explains and its examples use. */
const presetTexts = { thumb: "w=320&h=200&fit=crop", old: "filt=sepia&gam=1.5" };

/**
 * Samples by name: a picture of the sample site with arguments. Each argument has one under its own name; the others
 * show a value of the argument that their name begins with.
 */
export const samples: Record<string, string> = {
  or: "solaris.jpg?w=200&or=90",
  trim: "solaris.jpg?w=320&trim=60",
  crop: "solaris.jpg?crop=320,200,970,200",
  w: "solaris.jpg?w=300",
  h: "solaris.jpg?h=20h",
  fit: "solaris.jpg?w=320&h=120&fit=crop-50-20",
  dpr: "solaris.jpg?w=160&dpr=2",
  bri: "metropolis.jpg?w=320&bri=25",
  con: "metropolis.jpg?w=320&con=-20",
  gam: "metropolis.jpg?w=320&gam=1.5",
  sharp: "metropolis.jpg?w=320&sharp=15",
  filt: "metropolis.jpg?w=320&filt=sepia",
  flip: "solaris.jpg?w=320&flip=h",
  blur: "metropolis.jpg?w=320&blur=5",
  pixel: "metropolis.jpg?w=320&pixel=8",
  mark: "solaris.jpg?w=320&mark=logo.png",
  markw: "solaris.jpg?w=320&mark=logo.png&markw=20w",
  markh: "solaris.jpg?w=320&mark=logo.png&markh=40",
  markx: "solaris.jpg?w=320&mark=logo.png&markw=64&markx=40",
  marky: "solaris.jpg?w=320&mark=logo.png&markw=64&marky=40",
  markpad: "solaris.jpg?w=320&mark=logo.png&markw=64&markpad=5w",
  markfit: "solaris.jpg?w=320&mark=logo.png&markw=120&markh=60&markfit=stretch",
  markpos: "solaris.jpg?w=320&mark=logo.png&markpos=top-left",
  markalpha: "solaris.jpg?w=320&mark=logo.png&markalpha=50",
  bg: "solaris.jpg?w=320&h=240&fit=fill&bg=f0b25f",
  border: "solaris.jpg?w=320&border=16,gold,shrink",
  q: "metropolis.jpg?w=320&q=10",
  fm: "metropolis.jpg?w=320&fm=webp",
  lossless: "metropolis.jpg?w=160&fm=webp&lossless=1",
  interlace: "metropolis.jpg?w=320&fm=jpg&interlace=1",
  p: "metropolis.jpg?p=thumb,old",

  "crop-smart": "solaris.jpg?crop=smart&w=120&h=200",
  "fit-contain": "solaris.jpg?crop=192,120,689,345&w=240&h=240&fit=contain",
  "fit-max": "solaris.jpg?crop=192,120,689,345&w=240&h=240&fit=max",
  "fit-fill": "solaris.jpg?crop=192,120,689,345&w=240&h=240&fit=fill&bg=f0b25f",
  "fit-fill-max": "solaris.jpg?crop=192,120,689,345&w=240&h=240&fit=fill-max&bg=f0b25f",
  "fit-stretch": "solaris.jpg?crop=192,120,689,345&w=240&h=240&fit=stretch",
  "fit-crop": "solaris.jpg?crop=192,120,689,345&w=240&h=240&fit=crop",
  "fit-crop-left": "solaris.jpg?w=120&h=200&fit=crop-left",
  "fit-crop-right": "solaris.jpg?w=120&h=200&fit=crop-right",
  "fit-crop-top": "solaris.jpg?w=320&h=100&fit=crop-top",
  "fit-crop-bottom": "solaris.jpg?w=320&h=100&fit=crop-bottom",
  "fit-crop-focus": "solaris.jpg?w=120&h=200&fit=crop-29-21",
  "fit-crop-zoom": "solaris.jpg?w=120&h=200&fit=crop-29-21-4",
  "filt-greyscale": "metropolis.jpg?w=320&filt=greyscale",
  "border-overlay": "solaris.jpg?w=320&border=16,50ffffff,overlay",
  "border-expand": "solaris.jpg?w=288&border=16,f0b25f,expand",
};

export const presets: ReadonlyMap<string, Arguments> = new Map(
  Object.entries(presetTexts).map(([name, text]) => [name, argumentsOf(text)]),
);

function argumentsOf(query: string): Arguments {
  return parseUrlEncoded(query, { maxPairs: 100, maxDepth: 1, maxItems: 1 });
}

/** Parses the arguments of a URL in strict mode. Throws argument_invalid. */
export function readStrictly(query: string): Modifiers {
  return parseModifiers(argumentsOf(query), { isStrict: true, defaults: new Map(), presets }).modifiers;
}

/** The sample's file below docs/images/. It is WebP, which is small, unless the sample shows a format. */
export function sampleFile(name: string): string {
  const format = drawnAs(name).format;
  return `${name}.${format === "pjpg" ? "jpg" : format}`;
}

function drawnAs(name: string) {
  const asked = readStrictly(samples[name]?.split("?")[1] ?? "");
  const showsFormat = ["q", "fm", "lossless", "interlace"].includes(name);
  const modifiers: Modifiers = showsFormat ? asked : { ...asked, fm: "webp", q: 80 };
  return { modifiers, format: formatFor(modifiers, "image/jpeg", undefined) };
}

/** docs/images.md: the hand-written page with its `{{…}}` filled in. */
export function imagesPage(rows: readonly Row[] = modifierRows): string {
  const byName = new Map<string, Row>(rows.map((row) => [row.name, row]));
  const page = readFileSync(new URL("image-docs.md", import.meta.url), "utf8");
  return page.replace(/\{\{(\w+)(?: ([^}]+))?\}\}/g, (_, kind: string, names = "") => {
    const words = (names as string).split(" ");
    if (kind === "arguments") return words.map((name) => section(byName.get(name), name)).join("\n\n");
    if (kind === "sample") return words.map(sample).join("\n\n");
    if (kind === "presets")
      return Object.entries(presetTexts)
        .map((preset) => preset.join(":"))
        .join(";");
    throw new Error(`image-docs.md requests ${kind}`);
  });
}

function section(row: Row | undefined, name: string): string {
  if (!row) throw new Error(`image-docs.md has a section for ${name}, which is not an argument`);
  return `### ${name}

${row.help}

- Accepted: ${row.accepted}.
- Default: ${row.default}.

${sample(name)}`;
}

function sample(name: string): string {
  if (!samples[name]) throw new Error(`there is no sample ${name}`);
  return `\`/api/images/movies/${samples[name]}\`

![${name.replaceAll("-", " ")}](images/${sampleFile(name)})`;
}

const docs = new URL("../docs/", import.meta.url).pathname;

async function drawSamples(): Promise<void> {
  const temporary = mkdtempSync(join(tmpdir(), "octavo-docs-"));
  const mark = join(temporary, "logo.png");
  await sharp(Buffer.from(logo)).png().toFile(mark);
  rmSync(join(docs, "images"), { recursive: true, force: true });
  await mkdir(join(docs, "images"), { recursive: true });
  for (const [name, address] of Object.entries(samples)) {
    await render({
      source: new URL(`../assets/demo/uploads/movies/${address.split("?")[0]}`, import.meta.url).pathname,
      result: join(docs, "images", sampleFile(name)),
      mark,
      sourceType: "image/jpeg",
      ...drawnAs(name),
      limits: { maxSourcePixels: 100_000_000, maxOutputPixels: 40_000_000, maxSide: 8192 },
    });
  }
  rmSync(temporary, { recursive: true });
}

/** The samples' watermark: a white disc with an open book. */
const logo = `<svg xmlns="http://www.w3.org/2000/svg" width="80" height="80">
  <circle cx="40" cy="40" r="38" fill="#fff"/>
  <path d="M40 26C32 19 22 18 14 20v36c8-2 18-1 26 6zM40 26c8-7 18-8 26-6v36c-8-2-18-1-26 6z" fill="#b3372b"/>
  <path d="M40 26v36" stroke="#fff" stroke-width="3"/>
</svg>`;

if (import.meta.main) {
  writeFileSync(join(docs, "images.md"), imagesPage());
  await drawSamples();
}
