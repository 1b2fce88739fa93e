/** Colours in image arguments. Compatibility, Backgrounds and borders. */

/** Straight (not premultiplied) RGB 0–255 with alpha 0–1. */
export type Color = { r: number; g: number; b: number; alpha: number };

/** The colour used where none, or no valid one, was given. */
export const transparent: Readonly<Color> = { r: 255, g: 255, b: 255, alpha: 0 };

/** What `parseColor` accepts, for messages. */
export const colorForms =
  "a colour: a CSS name, #RGB, #RRGGBB, #RGBA, #RRGGBBAA or rgb(r,g,b[,a]) as in CSS, or without # RGB, RRGGBB, ARGB or AARRGGBB, A and AA in decimal tenths and hundredths";

// Alpha is first and in decimal digits, not hex: `5f00` is red at 0.5, `50ff0000` too. Neither form can express 1.
const hexPattern = /^(?:(?<tenths>\d?)(?<short>[\da-f]{3})|(?<hundredths>(?:\d\d)?)(?<long>[\da-f]{6}))$/i;

/** With `#` the alpha is last and in hex, as in CSS Color 4 §5.2. */
const cssHexPattern = /^#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$/i;
// CSS Color 4 §5.1, the legacy form with commas and the one with spaces. A `+` in a query is a space.
const number = String.raw`(\d{1,3}(?:\.\d+)?%?)`;
const rgbPattern = new RegExp(
  String.raw`^rgba?\( *${number}(?: *, *| +)${number}(?: *, *| +)${number}(?: *[,/] *(\d*\.?\d+%?))? *\)$`,
  "i",
);

/** Parses a colour; undefined when it is not valid. Letter case is ignored. */
export function parseColor(text: string): Color | undefined {
  const name = text.toLowerCase().replace("grey", "gray");
  if (name === "transparent") return transparent;
  const named = namedColors.get(name);
  return named === undefined ? (parseCss(text) ?? parseHex(text)) : fromHex(named, 1);
}

function parseCss(text: string): Color | undefined {
  if (cssHexPattern.test(text)) {
    const hex = text.length < 6 ? text.slice(1).replace(/./g, "$&$&") : text.slice(1);
    return fromHex(hex.slice(0, 6), hundredths(Number.parseInt(hex.slice(6) || "ff", 16) / 255));
  }
  const [, r, g, b, a = "1"] = rgbPattern.exec(text) ?? [];
  if (r === undefined || g === undefined || b === undefined) return undefined;
  const [red, green, blue] = [r, g, b].map((part) => Math.round(portion(part, 255) * 255)) as [number, number, number];
  return { r: red, g: green, b: blue, alpha: hundredths(portion(a, 1)) };
}

/** A number of `whole`, or a percentage, as 0 to 1; larger values count as 1, as in CSS. */
const portion = (text: string, whole: number): number =>
  Math.min(1, Number.parseFloat(text) / (text.endsWith("%") ? 100 : whole));
/** The precision that `formatColor` writes, so that equal keys are equal pictures. */
const hundredths = (alpha: number): number => Math.round(alpha * 100) / 100;

function parseHex(text: string): Color | undefined {
  const found = hexPattern.exec(text)?.groups;
  if (!found) return undefined;
  const { tenths, short, hundredths: alpha, long } = found;
  if (short) return fromHex(short.replace(/./g, "$&$&"), tenths ? Number(tenths) / 10 : 1);
  return fromHex(long as string, alpha ? Number(alpha) / 100 : 1);
}

/** The canonical text of a colour: RRGGBB, or AARRGGBB when it is not opaque. `parseColor` is its inverse. */
export function formatColor({ r, g, b, alpha }: Color): string {
  const hex = [r, g, b].map((channel) => channel.toString(16).padStart(2, "0")).join("");
  return alpha === 1 ? hex : `${String(Math.round(alpha * 100)).padStart(2, "0")}${hex}`;
}

function fromHex(hex: string, alpha: number): Color {
  const rgb = Number.parseInt(hex, 16);
  return { r: rgb >> 16, g: (rgb >> 8) & 255, b: rgb & 255, alpha };
}

/** The names of CSS Color 4 without the alternative spellings of gray, which `parseColor` handles. */
export const namedColors: ReadonlyMap<string, string> = new Map([
  ["aliceblue", "f0f8ff"],
  ["antiquewhite", "faebd7"],
  ["aqua", "00ffff"],
  ["aquamarine", "7fffd4"],
  ["azure", "f0ffff"],
  ["beige", "f5f5dc"],
  ["bisque", "ffe4c4"],
  ["black", "000000"],
  ["blanchedalmond", "ffebcd"],
  ["blue", "0000ff"],
  ["blueviolet", "8a2be2"],
  ["brown", "a52a2a"],
  ["burlywood", "deb887"],
  ["cadetblue", "5f9ea0"],
  ["chartreuse", "7fff00"],
  ["chocolate", "d2691e"],
  ["coral", "ff7f50"],
  ["cornflowerblue", "6495ed"],
  ["cornsilk", "fff8dc"],
  ["crimson", "dc143c"],
  ["cyan", "00ffff"],
  ["darkblue", "00008b"],
  ["darkcyan", "008b8b"],
  ["darkgoldenrod", "b8860b"],
  ["darkgray", "a9a9a9"],
  ["darkgreen", "006400"],
  ["darkkhaki", "bdb76b"],
  ["darkmagenta", "8b008b"],
  ["darkolivegreen", "556b2f"],
  ["darkorange", "ff8c00"],
  ["darkorchid", "9932cc"],
  ["darkred", "8b0000"],
  ["darksalmon", "e9967a"],
  ["darkseagreen", "8fbc8f"],
  ["darkslateblue", "483d8b"],
  ["darkslategray", "2f4f4f"],
  ["darkturquoise", "00ced1"],
  ["darkviolet", "9400d3"],
  ["deeppink", "ff1493"],
  ["deepskyblue", "00bfff"],
  ["dimgray", "696969"],
  ["dodgerblue", "1e90ff"],
  ["firebrick", "b22222"],
  ["floralwhite", "fffaf0"],
  ["forestgreen", "228b22"],
  ["fuchsia", "ff00ff"],
  ["gainsboro", "dcdcdc"],
  ["ghostwhite", "f8f8ff"],
  ["gold", "ffd700"],
  ["goldenrod", "daa520"],
  ["gray", "808080"],
  ["green", "008000"],
  ["greenyellow", "adff2f"],
  ["honeydew", "f0fff0"],
  ["hotpink", "ff69b4"],
  ["indianred", "cd5c5c"],
  ["indigo", "4b0082"],
  ["ivory", "fffff0"],
  ["khaki", "f0e68c"],
  ["lavender", "e6e6fa"],
  ["lavenderblush", "fff0f5"],
  ["lawngreen", "7cfc00"],
  ["lemonchiffon", "fffacd"],
  ["lightblue", "add8e6"],
  ["lightcoral", "f08080"],
  ["lightcyan", "e0ffff"],
  ["lightgoldenrodyellow", "fafad2"],
  ["lightgray", "d3d3d3"],
  ["lightgreen", "90ee90"],
  ["lightpink", "ffb6c1"],
  ["lightsalmon", "ffa07a"],
  ["lightseagreen", "20b2aa"],
  ["lightskyblue", "87cefa"],
  ["lightslategray", "778899"],
  ["lightsteelblue", "b0c4de"],
  ["lightyellow", "ffffe0"],
  ["lime", "00ff00"],
  ["limegreen", "32cd32"],
  ["linen", "faf0e6"],
  ["magenta", "ff00ff"],
  ["maroon", "800000"],
  ["mediumaquamarine", "66cdaa"],
  ["mediumblue", "0000cd"],
  ["mediumorchid", "ba55d3"],
  ["mediumpurple", "9370db"],
  ["mediumseagreen", "3cb371"],
  ["mediumslateblue", "7b68ee"],
  ["mediumspringgreen", "00fa9a"],
  ["mediumturquoise", "48d1cc"],
  ["mediumvioletred", "c71585"],
  ["midnightblue", "191970"],
  ["mintcream", "f5fffa"],
  ["mistyrose", "ffe4e1"],
  ["moccasin", "ffe4b5"],
  ["navajowhite", "ffdead"],
  ["navy", "000080"],
  ["oldlace", "fdf5e6"],
  ["olive", "808000"],
  ["olivedrab", "6b8e23"],
  ["orange", "ffa500"],
  ["orangered", "ff4500"],
  ["orchid", "da70d6"],
  ["palegoldenrod", "eee8aa"],
  ["palegreen", "98fb98"],
  ["paleturquoise", "afeeee"],
  ["palevioletred", "db7093"],
  ["papayawhip", "ffefd5"],
  ["peachpuff", "ffdab9"],
  ["peru", "cd853f"],
  ["pink", "ffc0cb"],
  ["plum", "dda0dd"],
  ["powderblue", "b0e0e6"],
  ["purple", "800080"],
  ["rebeccapurple", "663399"],
  ["red", "ff0000"],
  ["rosybrown", "bc8f8f"],
  ["royalblue", "4169e1"],
  ["saddlebrown", "8b4513"],
  ["salmon", "fa8072"],
  ["sandybrown", "f4a460"],
  ["seagreen", "2e8b57"],
  ["seashell", "fff5ee"],
  ["sienna", "a0522d"],
  ["silver", "c0c0c0"],
  ["skyblue", "87ceeb"],
  ["slateblue", "6a5acd"],
  ["slategray", "708090"],
  ["snow", "fffafa"],
  ["springgreen", "00ff7f"],
  ["steelblue", "4682b4"],
  ["tan", "d2b48c"],
  ["teal", "008080"],
  ["thistle", "d8bfd8"],
  ["tomato", "ff6347"],
  ["turquoise", "40e0d0"],
  ["violet", "ee82ee"],
  ["wheat", "f5deb3"],
  ["white", "ffffff"],
  ["whitesmoke", "f5f5f5"],
  ["yellow", "ffff00"],
  ["yellowgreen", "9acd32"],
]);
