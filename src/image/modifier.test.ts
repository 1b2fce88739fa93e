import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { fc } from "../../test/fast-check.ts";
import { orLong } from "../../test/long.ts";
import { type Json, NumberText, toJson } from "../core/lib/json.ts";
import { Problem } from "../core/problem.ts";
import {
  type Arguments,
  formatModifiers,
  type ModifierOptions,
  type Modifiers,
  modifierRows,
  otherArguments,
  parseModifiers,
} from "./modifier.ts";

const lenient: ModifierOptions = { isStrict: false, defaults: new Map(), presets: new Map() };
const strict: ModifierOptions = { ...lenient, isStrict: true };

/** Arguments as in a URL, without decoding: `w=100&fit=crop`. */
const args = (query: string): Arguments =>
  new Map(query.split("&").map((pair) => [pair.split("=")[0] ?? "", pair.slice(pair.indexOf("=") + 1)]));

const textOf = (query: string, options = lenient): string =>
  formatModifiers(parseModifiers(args(query), options).modifiers);

// ------------------------------------------------------------------------------------ what each argument accepts

/** A query and its canonical text; both modes accept it completely. */
const accepted: [query: string, text: string][] = [
  ["or=auto", ""],
  ["or=0", "or-0"],
  ["or=90", "or-90"],
  ["or=180", "or-180"],
  ["or=270", "or-270"],

  ["crop=100,50,0,0", "crop-100-50-0-0"],
  ["crop=1e2,50.9,0.9,7", "crop-100-50-0-7"],
  ["crop= 100,050,-0,+7", "crop-100-50-0-7"],
  ["crop=99999,99999,0,0", "crop-99999-99999-0-0"],

  ["w=100", "w-100"],
  ["w=0100", "w-100"],
  ["w=1e2", "w-100"],
  ["w=1E+2", "w-100"],
  ["w=10.7", "w-10"],
  ["w=1", "w-1"],
  ["w=+5", "w-5"],
  ["w= 5 ", "w-5"],
  ["w=5.", "w-5"],
  ["w=9007199254740991", "w-9007199254740991"],
  ["w=50w", "w-50w"],
  ["w=50h", "w-50h"],
  ["w=05w", "w-5w"],
  ["w=100h", "w-100h"],
  ["h=100", "h-100"],
  ["h=.1e3", "h-100"],
  ["h=50h", "h-50h"],
  ["w=50w&h=50h", "w-50w_h-50h"],
  ["w=100w", ""],
  ["w=100w&h=100h&fit=stretch", ""],
  ["w=100w&h=50", "w-100w_h-50"],

  ["w=9&h=9&fit=contain", "w-9_h-9"],
  ["w=9&h=9&fit=max", "w-9_h-9_fit-max"],
  ["w=9&h=9&fit=fill", "w-9_h-9_fit-fill"],
  ["w=9&h=9&fit=fill-max", "w-9_h-9_fit-fill-max"],
  ["w=9&h=9&fit=stretch", "w-9_h-9_fit-stretch"],
  ["w=9&h=9&fit=crop", "w-9_h-9_fit-crop"],
  ["w=9&h=9&fit=cover", "w-9_h-9_fit-crop"],
  ["w=9&h=9&fit=crop-center", "w-9_h-9_fit-crop"],
  ["w=9&h=9&fit=crop-50-50", "w-9_h-9_fit-crop"],
  ["w=9&h=9&fit=crop-50-50-1.0", "w-9_h-9_fit-crop"],
  ["w=9&h=9&fit=crop-top-left", "w-9_h-9_fit-crop-0-0"],
  ["w=9&h=9&fit=crop-top", "w-9_h-9_fit-crop-50-0"],
  ["w=9&h=9&fit=crop-top-right", "w-9_h-9_fit-crop-100-0"],
  ["w=9&h=9&fit=crop-left", "w-9_h-9_fit-crop-0-50"],
  ["w=9&h=9&fit=crop-right", "w-9_h-9_fit-crop-100-50"],
  ["w=9&h=9&fit=crop-bottom-left", "w-9_h-9_fit-crop-0-100"],
  ["w=9&h=9&fit=crop-bottom", "w-9_h-9_fit-crop-50-100"],
  ["w=9&h=9&fit=cover-bottom-right", "w-9_h-9_fit-crop-100-100"],
  ["w=9&h=9&fit=crop-0-100", "w-9_h-9_fit-crop-0-100"],
  ["w=9&h=9&fit=crop-025-5", "w-9_h-9_fit-crop-25-5"],
  ["w=9&h=9&fit=crop-25-75-1", "w-9_h-9_fit-crop-25-75"],
  ["w=9&h=9&fit=crop-focal", "w-9_h-9_fit-crop-focal-50-50"],
  ["w=9&fit=crop-focal", "w-9"],
  ["w=9&h=9&fit=crop-25-75-2.50", "w-9_h-9_fit-crop-25-75-2.5"],
  ["w=9&h=9&fit=crop-50-50-100", "w-9_h-9_fit-crop-50-50-100"],
  // With a box of the picture's ratio there is nothing to crop, stretch or fill.
  ["fit=crop-top", ""],
  ["fit=fill", ""],
  ["fit=max&dpr=0.5", "dpr-0.5"],
  ["fit=fill&dpr=2", "fit-fill_dpr-2"],
  ["fit=max&dpr=2", "fit-max_dpr-2"],
  ["fit=stretch&dpr=2", "dpr-2"],
  ["w=9&fit=crop-top", "w-9"],
  ["h=9&fit=stretch", "h-9"],
  ["h=9&fit=fill-max", "h-9"],
  ["w=9&fit=max", "w-9_fit-max"],
  ["w=9&fit=fill", "w-9_fit-fill"],
  ["fit=crop-10-20-2", "fit-crop-10-20-2"],
  ["w=9&fit=crop-10-20-2", "w-9_fit-crop-10-20-2"],

  ["dpr=1", ""],
  ["dpr=1.0", ""],
  ["dpr=2", "dpr-2"],
  ["dpr=1.50", "dpr-1.5"],
  ["dpr=8", "dpr-8"],
  ["dpr=.5", "dpr-0.5"],

  ["bri=0", ""],
  ["bri=-0", ""],
  ["bri=025", "bri-25"],
  ["bri=-100", "bri--100"],
  ["bri=100", "bri-100"],
  ["con=0", ""],
  ["con=-5", "con--5"],
  ["gam=1", ""],
  ["gam=1.0", ""],
  ["gam=1.", ""],
  ["gam=1.5", "gam-1.5"],
  ["gam=0.1", "gam-0.1"],
  ["gam=9.99", "gam-9.99"],
  ["gam=2..5", "gam-2"],
  ["sharp=0", ""],
  ["sharp=15.9", "sharp-15"],
  ["sharp=100", "sharp-100"],
  ["filt=greyscale", "filt-greyscale"],
  ["filt=sepia", "filt-sepia"],
  ["flip=h", "flip-h"],
  ["flip=v", "flip-v"],
  ["flip=both", "flip-both"],
  ["blur=0", ""],
  ["blur=0.5", ""],
  ["blur=100", "blur-100"],
  ["pixel=0", ""],
  ["pixel=1.9", ""],
  ["pixel=2", "pixel-2"],
  ["pixel=1e3", "pixel-1000"],

  ["mark=logo.png", "mark-logo.png"],
  ["mark=/a/logo.png", "mark-a~2Flogo.png"],
  ["mark=a_b~c d.png", "mark-a~5Fb~7Ec~20d.png"],
  ["mark=cafe\u0301.png", "mark-caf~C3~A9.png"],
  ["mark=l&markw=50w&markh=20", "mark-l_markw-50w_markh-20"],
  ["mark=l&markw=2.5&markfit=crop", "mark-l_markw-2.5"],
  ["mark=l&markw=9&markh=9&markfit=crop-top", "mark-l_markw-9_markh-9_markfit-crop-50-0"],
  ["mark=l&markw=9&markh=9&markfit=cover", "mark-l_markw-9_markh-9_markfit-crop"],
  ["mark=l&markw=9&markh=9&markfit=stretch", "mark-l_markw-9_markh-9_markfit-stretch"],
  ["mark=l&markw=9&markfit=max", "mark-l_markw-9_markfit-max"],
  ["mark=l&markfit=max", "mark-l"],
  ["mark=l&markx=0&marky=0w", "mark-l"],
  ["mark=l&markx=5&marky=100h", "mark-l_markx-5_marky-100h"],
  ["mark=l&markpad=5", "mark-l_markx-5_marky-5"],
  ["mark=l&markpad=5w&markx=1&marky=2", "mark-l_markx-5w_marky-5w"],
  ["mark=l&markpad=0&markx=1", "mark-l_markx-1"],
  ["mark=l&markpos=bottom-right&markalpha=100", "mark-l"],
  ["mark=l&markpos=center&markalpha=50.5", "mark-l_markpos-center_markalpha-50"],
  ["mark=l&markalpha=0", ""],
  ["markw=5&markpos=top", ""],

  ["bg=red", "bg-ff0000"],
  ["bg=F00", "bg-ff0000"],
  ["bg=50ff0000", "bg-50ff0000"],
  ["bg=5f00", "bg-50ff0000"],
  ["bg=0f00", ""],

  ["border=5,black", "border-5-000000-overlay"],
  ["border=5,black,overlay", "border-5-000000-overlay"],
  ["border=5w,5000,shrink", "border-5w-50000000-shrink"],
  ["border=2.5,fff,expand", "border-2.5-ffffff-expand"],
  ["border=5", ""],
  ["border=5,,", ""],
  ["border=5,0f00", ""],
  ["border=5,,expand", "border-5-00ffffff-expand"],
  ["border=5,0f00,expand", "border-5-00ffffff-expand"],

  ["q=0", "q-0"],
  ["q=75.9", "q-75"],
  ["q=100", "q-100"],
  ["q=90", "q-90"],
  ["q=90&w=5", "w-5"],
  ["q=90&bri=0", "q-90"],
  ["q=50&fm=png", "fm-png"],
  ["q=50&fm=gif", "fm-gif"],
  ["q=50&fm=webp", "q-50_fm-webp"],
  ["fm=jpg", "fm-jpg"],
  ["fm=pjpg", "fm-pjpg"],
  ["fm=avif", "fm-avif"],
  ["fm=auto", "fm-auto"],
  ["or=AUTO&w=5W&fit=CROP&filt=Sepia&flip=H", "w-5w_filt-sepia_flip-h"],
  ["filt=grayscale", "filt-greyscale"],
  ["fm=jpeg", "fm-jpg"],
  ["fm=WebP", "fm-webp"],
  ["bg=#FF0000", "bg-ff0000"],
  ["bg=#ff000080", "bg-50ff0000"],
  ["bg=rgb(255,0,0)", "bg-ff0000"],
  ["bg=transparent", ""],
  ["border=5,rgb(255,0,0),Shrink", "border-5-ff0000-shrink"],
  ["border=5,rgba(0, 0, 0, .5)", "border-5-50000000-overlay"],
  ["trim=0", ""],
  ["trim=1", "trim-10"],
  ["trim=true", "trim-10"],
  ["trim=25.5", "trim-25"],
  ["crop=smart", ""],
  ["crop=smart&w=5", "w-5"],
  ["crop=Smart&w=5&h=6", "crop-smart_w-5_h-6"],
  ["lossless=0", ""],
  ["lossless=1&fm=webp", "fm-webp_lossless-1"],
  ["lossless=1&fm=avif&q=50", "fm-avif_lossless-1"],
  ["lossless=1&fm=auto&q=50", "q-50_fm-auto_lossless-1"],
  ["lossless=1&fm=png", "fm-png"],
  ["interlace=0", ""],
  ["interlace=true", "interlace-1"],
  ["interlace=1&fm=png", "fm-png_interlace-1"],
  ["interlace=1&fm=jpg", "fm-jpg_interlace-1"],
  ["interlace=0&fm=jpg", "fm-jpg"],
  ["interlace=0&fm=pjpg", "fm-pjpg"],
  ["interlace=1&fm=pjpg", "fm-pjpg"],
  ["interlace=1&fm=webp", "fm-webp"],
];
for (const [query, text] of accepted) {
  test(`${query} is accepted as ${text === "" ? "nothing" : text}`, () => {
    assert.equal(textOf(query), text);
    assert.equal(textOf(query, strict), text);
    assert.deepEqual(parseModifiers(args(query), lenient).ignored, []);
  });
}

/** Invalid values: ignored when lenient, refused when strict. */
const refused: Record<string, string[]> = {
  or: ["45", "090", "90.0", "-90", " 90", "360"],
  crop: [
    "1,2,3",
    "1,2,3,4,5",
    "0,5,0,0",
    "5,0.9,0,0",
    "5,5,-1,0",
    "a,5,0,0",
    "5,5,,0",
    "0x5,5,0,0",
    "5;5;0;0",
    "1e999,5,0,0",
  ],
  w: [
    "0",
    "-5",
    "0.5",
    "wide",
    "12px",
    "0x10",
    "1e999",
    "1e300",
    "NaN",
    "Infinity",
    "0w",
    "101w",
    "050w",
    "5.5w",
    "w",
    "5 5",
  ],
  h: ["0", "0h", "5%", "1,5", "--5", "٣"],
  fit: [
    "cut",
    "crop-",
    "crop-top-left-left",
    "crop-middle",
    "crop-5",
    "crop-5-5-0.5",
    "crop-5-5-0",
    "crop-5-5-",
    "crop-5.5-5",
    "crop--5-5",
    "cover-5-5",
    "crop-1000-5",
  ],
  dpr: ["0", "-1", "8.1", "two", "0.0", "1e999"],
  bri: ["101", "-101", "5.5", "1e1", "+5", "--5", "x", " 5", "9".repeat(400)],
  con: ["101", "-101", "5%"],
  gam: ["0", "0.09", "10", "9.991", ".5", "-1", "1,5", "1e0"],
  sharp: ["-1", "101", "100.5", "x"],
  filt: ["greyish", "sepia "],
  flip: ["hv", "1"],
  blur: ["-1", "101", "x"],
  pixel: ["-1", "1001", "x"],
  mark: ["/", "../secret.png", "a/../../b", "%2e%2e/b", "a\\b", "a\0b", "a//b", "a\ud800", "x".repeat(2000)],
  markw: ["0", "-1", "0w", "101w", "x"],
  markh: ["0", "1e999"],
  markx: ["-1", "101w", "x"],
  marky: ["-0.1", "5px"],
  markpad: ["-1", "x"],
  markfit: ["fill", "fill-max", "crop-5-5", "x"],
  markpos: ["middle", "left-top"],
  markalpha: ["-1", "101", "x"],
  bg: ["#ff", "redd", "a0ff0000", "rgb(1,2)", "rgb(1,2,3", "hsl(1,2%,3%)"],
  border: ["0", "-5,red", ",red", "x,red,expand", "0w,red"],
  q: ["-1", "101", "high", "90%"],
  fm: ["tiff", "bmp", "jpeg "],
  interlace: ["2", "line"],
  lossless: ["2", "all"],
  trim: ["101", "-1", "x"],
};
// Arguments sent with each refused one: without them, some arguments have no effect even if valid.
const company = "w=10&h=20&mark=a.png&fm=jpg";
for (const [name, values] of Object.entries(refused)) {
  for (const value of values) {
    test(`${name}=${JSON.stringify(value.slice(0, 30))} is ignored, and refused when strict`, () => {
      const alone = args(company) as Map<string, Json>;
      alone.delete(name);
      const both = new Map([...alone, [name, value]]);
      const read = parseModifiers(both, lenient);
      assert.deepEqual(read.modifiers, parseModifiers(alone, strict).modifiers);
      assert.deepEqual(read.ignored, [name]);
      const error = refusalOf(both);
      assert.equal(error.code, "argument_invalid");
      assert.ok(error.message.startsWith(`"${name}" was `), error.message);
    });
  }
}

/** Texts that Flextype accepted in part: the rest is ignored. */
const salvaged: [query: string, text: string][] = [
  ["w=9&h=9&fit=crop-101-50", "w-9_h-9_fit-crop"],
  ["w=9&h=9&fit=crop-50-101-2", "w-9_h-9_fit-crop"],
  ["w=9&h=9&fit=crop-10-10-100.5", "w-9_h-9_fit-crop"],
  ["border=5,nocolour,expand", "border-5-00ffffff-expand"],
  ["border=5,red,around", "border-5-ff0000-overlay"],
  ["border=5,red,expand,more", "border-5-ff0000-expand"],
  ["border=5,nocolour", ""],
];
for (const [query, text] of salvaged) {
  test(`${query} is read as ${text || "nothing"}, and refused when strict`, () => {
    assert.equal(textOf(query), text);
    assert.equal(parseModifiers(args(query), lenient).ignored.length, 1);
    assert.equal(refusalOf(args(query)).code, "argument_invalid");
  });
}

function refusalOf(received: Arguments, options = strict): Problem {
  try {
    parseModifiers(received, options);
  } catch (error) {
    assert.ok(error instanceof Problem);
    return error;
  }
  return assert.fail("the arguments were accepted");
}

// ----------------------------------------------------------------------------------------------------- the table

test("every argument of the reference is declared with an example that has an effect", () => {
  const names =
    "or trim crop w h fit dpr bri con gam sharp filt flip blur pixel mark markw markh markfit markx marky markpad markpos markalpha bg border q fm lossless interlace p";
  assert.equal(modifierRows.map((row) => row.name).join(" "), names);
  for (const row of modifierRows) {
    for (const words of [row.accepted, row.default, row.help]) assert.ok(words.length > 0, row.name);
  }
  for (const { name, example } of modifierRows) {
    // The settings define the presets.
    assert.equal(example === undefined, name === "p", name);
    if (example === undefined) continue;
    const rest = new Map([...args("w=10&h=20&mark=a.png&markw=5&markh=6"), [name, "" as Json]]);
    const without = formatModifiers(parseModifiers(rest, lenient).modifiers);
    assert.notEqual(
      formatModifiers(parseModifiers(new Map([...rest, [name, example]]), strict).modifiers),
      without,
      name,
    );
  }
});

test("every member of the type", () => {
  const query =
    "or=90&crop=9,8,7,6&w=50w&h=40&fit=crop-1-2-3&dpr=2&mark=a/b.png&markw=10w&markpad=3&markpos=top&bg=5f00&border=2,red,shrink&fm=auto&q=60";
  assert.deepEqual(parseModifiers(args(query), strict).modifiers, {
    or: 90,
    crop: { width: 9, height: 8, x: 7, y: 6 },
    w: { percent: 50, of: "w" },
    h: { px: 40 },
    fit: { kind: "crop", x: 1, y: 2, zoom: 3 },
    dpr: 2,
    mark: {
      path: "a/b.png",
      w: { percent: 10, of: "w" },
      fit: { kind: "contain" },
      x: { px: 3 },
      y: { px: 3 },
      position: "top",
      alpha: 100,
    },
    bg: { r: 255, g: 0, b: 0, alpha: 0.5 },
    border: { width: { px: 2 }, color: { r: 255, g: 0, b: 0, alpha: 1 }, method: "shrink" },
    q: 60,
    fm: "auto",
  });
  assert.deepEqual(parseModifiers(new Map(), strict).modifiers, { or: "auto", fit: { kind: "contain" }, dpr: 1 });
});

// ---------------------------------------------------------------------------------- presets, defaults and strictness

const object = (value: unknown) => toJson(value) as Map<string, Json>;
const service: ModifierOptions = {
  isStrict: false,
  defaults: object({ q: 70, mark: "logo.png" }),
  presets: new Map([
    ["small", object({ w: 200, h: "200", interlace: true })],
    ["round", object({ h: 100, fit: "crop", p: "small", filt: null })],
    ["broken", object({ w: "wide", filt: ["sepia"] })],
  ]),
};

const layered: [query: string, text: string][] = [
  ["v=1", "mark-logo.png_q-70"],
  ["p=small", "w-200_h-200_mark-logo.png_q-70_interlace-1"],
  ["p=small,round", "w-200_h-100_fit-crop_mark-logo.png_q-70_interlace-1"],
  ["p=round,small", "w-200_h-200_fit-crop_mark-logo.png_q-70_interlace-1"],
  ["p=round", "h-100_mark-logo.png_q-70"],
  ["p=small&w=50&mark=&interlace=0", "w-50_h-200_q-70"],
  ["p=small&w=&h=9", "h-9_mark-logo.png_q-70_interlace-1"],
  ["p=broken&mark=", "q-70"],
  ["mark=&q=90", "q-90"],
  ["mark=&q=", ""],
  ["p=&mark=", "q-70"],
];
for (const [query, text] of layered) {
  test(`with presets and defaults, ${query} is ${text || "nothing"}`, () => {
    assert.equal(textOf(query, service), text);
    assert.equal(textOf(query, { ...service, isStrict: true }), text);
  });
}

test("an invalid value overrides a preset and a default, as an empty one does", () => {
  assert.equal(textOf("p=small&w=wide&q=high&mark=", service), "h-200_interlace-1");
});

test("unknown presets are ignored, or refused when strict with the known names", () => {
  const read = parseModifiers(args("p=small,large"), service);
  assert.deepEqual(read.modifiers, parseModifiers(args("p=small"), service).modifiers);
  assert.deepEqual(read.ignored, ["p"]);
  const error = refusalOf(args("p=small,large"), { ...service, isStrict: true });
  assert.match(error.message, /"p" was "small,large"; expected .*small round broken/);
  for (const name of ["constructor", "__proto__", "toString", " small", "Small", "small,"]) {
    assert.deepEqual(parseModifiers(args(`p=${name}`), service).ignored, ["p"], name);
  }
});

test("JSON numbers, booleans and null are read as their text", () => {
  const read = (members: [string, Json][]) => formatModifiers(parseModifiers(new Map(members), strict).modifiers);
  assert.equal(
    read([
      ["w", 300],
      ["h", new NumberText("1e2")],
      ["interlace", true],
      ["q", null],
    ]),
    "w-300_h-100_interlace-1",
  );
});

test("a list or a group is an invalid value", () => {
  for (const value of [["1"], [], new Map([["a", "1"]])] as Json[]) {
    for (const { name } of modifierRows) {
      const read = parseModifiers(new Map([[name, value]]), lenient);
      assert.deepEqual(read.ignored, [name]);
      assert.equal(formatModifiers(read.modifiers), "");
      assert.equal(refusalOf(new Map([[name, value]])).code, "argument_invalid");
    }
  }
});

test("strict reports all faults at once, even unknown arguments", () => {
  const error = refusalOf(args("zoom=2&w=wide&h=10&interlase=1&blur=101"));
  assert.deepEqual(
    error.errors.map(({ code, detail }) => `${code}: ${detail.slice(0, 60)}`),
    [
      'argument_invalid: "w" was "wide"; expected a number of pixels of 1 or more, or',
      'argument_invalid: "blur" was "101"; expected a number from 0 to 100, rounded d',
      'argument_invalid: "interlase" was "1"; expected the argument "interlace"',
      'argument_invalid: "zoom" was "2"; expected one of the arguments or trim crop w',
    ],
  );
});

test("arguments that do not change the image are neither ignored nor refused", () => {
  const query = [...otherArguments].map((name) => `${name}=x`).join("&");
  assert.deepEqual(parseModifiers(args(query), strict).ignored, []);
  assert.equal(textOf(query, strict), "");
});

// ---------------------------------------------------------------------------------------------------- properties

const pool = [...new Set([...accepted, ...salvaged].flatMap(([query]) => [...args(query).values()] as string[]))];
const bad = Object.values(refused).flat();
const valuesOf = (name: string): string[] => [
  ...accepted.flatMap(([query]) => (args(query).get(name) as string | undefined) ?? []),
  ...(refused[name] ?? []),
];
const names = modifierRows.map((row) => row.name);
const texts = fc.oneof(
  fc.constantFrom(...pool),
  fc.constantFrom(...bad),
  fc.string({ unit: "binary" }),
  fc.constant(""),
);
const member: fc.Arbitrary<[string, Json]> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .constantFrom(...names)
      .chain((name) => fc.tuple(fc.constant(name), fc.constantFrom(...valuesOf(name), ""))),
  },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom<string>(...names), texts) },
  fc.tuple(fc.oneof(fc.constantFrom("constructor", "__proto__", "x", ...otherArguments), fc.string()), texts),
  fc.tuple(
    fc.constantFrom<string>(...names),
    fc.oneof(
      fc.array(texts, { maxLength: 2 }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(true, null, new Map()),
    ),
  ),
);
const requests = fc.array(member, { maxLength: 12 }).map((members) => new Map(members));
const services = fc.record({
  isStrict: fc.constant(false),
  defaults: requests,
  presets: fc.dictionary(fc.constantFrom(...pool, "a"), requests).map((all) => new Map(Object.entries(all))),
});
const runs = { numRuns: orLong(80, 1000) };

/** A watermark is anchored by name only; the canonical text has focal points. */
const anchorNames = new Map([
  ["crop-0-0", "crop-top-left"],
  ["crop-50-0", "crop-top"],
  ["crop-100-0", "crop-top-right"],
  ["crop-0-50", "crop-left"],
  ["crop-100-50", "crop-right"],
  ["crop-0-100", "crop-bottom-left"],
  ["crop-50-100", "crop-bottom"],
  ["crop-100-100", "crop-bottom-right"],
]);

/** The arguments of a canonical text. */
function argumentsOf(text: string): Arguments {
  const members = new Map<string, Json>();
  for (const part of text === "" ? [] : text.split("_")) {
    const name = part.slice(0, part.indexOf("-"));
    const value = part.slice(name.length + 1);
    if (name === "crop") members.set(name, value.replaceAll("-", ","));
    else if (name === "border") members.set(name, value.replace(/-(\w+)-(\w+)$/, ",$1,$2"));
    else if (name === "markfit") members.set(name, anchorNames.get(value) ?? value);
    else members.set(name, name === "mark" ? decodeURIComponent(value.replaceAll("~", "%")) : value);
  }
  return members;
}

test("any input is read; its canonical text needs no escaping and parses to the same modifiers", () => {
  fc.assert(
    fc.property(requests, services, (request, options) => {
      const { modifiers } = parseModifiers(request, options);
      const text = formatModifiers(modifiers);
      assert.match(text, /^[\w.~-]*$/);
      assert.deepEqual(parseModifiers(argumentsOf(text), strict).modifiers, modifiers);
    }),
    runs,
  );
});

/** Values for any row: its example, texts of the tables above, numbers. */
const readable = ({ name, parse, example = "" }: (typeof modifierRows)[number]) =>
  fc
    .oneof(
      fc.constantFrom(example, ...valuesOf(name)),
      fc.integer({ min: -100, max: 1000 }).map(String),
      fc.constantFrom("a", "b", "a,b"),
    )
    .filter((text) => text === "" || parse(text) !== undefined);
const together = args("w=10&h=20&mark=a.png&markw=5&markh=6");
const presets = new Map([
  ["a", args("h=77")],
  ["b", args("blur=5")],
]);

for (const row of modifierRows) {
  test(`the canonical text distinguishes exactly the values of ${row.name} that make different images`, () => {
    let different = 0;
    fc.assert(
      fc.property(readable(row), readable(row), (one, other) => {
        const [a, b] = [one, other].map((text) => {
          const rest = row.name === "p" ? new Map() : together;
          return parseModifiers(new Map([...rest, [row.name, text]]), { ...lenient, presets }).modifiers;
        }) as [Modifiers, Modifiers];
        const isSame = isDeepStrictEqual(a, b);
        if (!isSame) different++;
        assert.equal(formatModifiers(a) === formatModifiers(b), isSame, `${one} and ${other}`);
      }),
      { numRuns: 40 },
    );
    assert.ok(different > 0, "no two values give different images");
  });
}

test("argument order, unknown arguments and unrelated arguments have no effect", () => {
  const junk = fc
    .array(fc.tuple(fc.constantFrom("x", "v", "s", "token", "W", "constructor"), texts))
    .map((all) => new Map(all));
  fc.assert(
    fc.property(requests, junk, services, (request, more, options) => {
      const known = new Map([...request].filter(([name]) => names.some((one) => one === name)));
      const turned = new Map([...more, ...[...known].reverse()]);
      assert.deepEqual(parseModifiers(turned, options).modifiers, parseModifiers(request, options).modifiers);
      const reversed = new Map([...request].reverse());
      assert.deepEqual(parseModifiers(reversed, options), parseModifiers(request, options));
    }),
    runs,
  );
});

test("strict refuses exactly what lenient ignores, and otherwise reads the same", () => {
  fc.assert(
    fc.property(requests, services, (request, options) => {
      const read = parseModifiers(request, options);
      if (read.ignored.length === 0) {
        assert.deepEqual(parseModifiers(request, { ...options, isStrict: true }), read);
        return;
      }
      const error = refusalOf(request, { ...options, isStrict: true });
      const details = error.errors.length > 0 ? error.errors.map(({ detail }) => detail) : [error.message];
      assert.equal(details.length, read.ignored.length);
      for (const [i, name] of read.ignored.entries()) assert.ok(details[i]?.startsWith(`"${name}" was `));
    }),
    runs,
  );
});

test("an ignored value is the same as an empty one", () => {
  fc.assert(
    fc.property(requests, services, (request, options) => {
      const { ignored, modifiers } = parseModifiers(request, options);
      const inPart = ["fit", "border", "p"];
      const emptied = ignored.filter((name) => !inPart.includes(name)).map((name) => [name, ""] as const);
      assert.deepEqual(parseModifiers(new Map([...request, ...emptied]), options).modifiers, modifiers);
    }),
    runs,
  );
});

test("a long hostile text is ignored like any invalid one", () => {
  for (const piece of [" ", "1", ".", "-", ",", "1.", "crop-", "..", "e1", "%2e", "~"]) {
    const text = piece.repeat(16_384 / piece.length);
    const { ignored, modifiers } = parseModifiers(new Map(names.map((name) => [name, `${text}x`])), lenient);
    assert.deepEqual([...ignored].sort(), [...names].sort(), piece);
    assert.deepEqual(modifiers, parseModifiers(new Map(), lenient).modifiers, piece);
  }
});
