import { say } from "../../language/say.ts";

/** Controls for the image arguments. Their help texts come from the service's OpenAPI description. */

export type Control =
  | { sort: "range"; min: number; max: number; step: number; neutral: number }
  | { sort: "choice"; options: string[] }
  | { sort: "text"; placeholder: string }
  | { sort: "colour" }
  | { sort: "switch" };
export type Argument = { name: string; label: string; control: Control };
export type Group = { label: string; arguments: Argument[] };
/** Image arguments by name, as in the URL. */
export type Values = Record<string, string>;

const range = (name: string, label: string, min: number, max: number, neutral: number, step = 1): Argument => ({
  name,
  label,
  control: { sort: "range", min, max, step, neutral },
});
const choice = (name: string, label: string, options: string): Argument => ({
  name,
  label,
  control: { sort: "choice", options: options.split(" ") },
});
const text = (name: string, label: string, placeholder: string): Argument => ({
  name,
  label,
  control: { sort: "text", placeholder },
});

const positions = "top-left top top-right left center right bottom-left bottom bottom-right";
const crops = positions.split(" ").map((position) => `crop-${position}`);

export const groups: Group[] = [
  {
    label: say("Size"),
    arguments: [
      text("w", say("Width"), say("pixels, or 50w")),
      text("h", say("Height"), say("pixels, or 50h")),
      choice("fit", say("Fit"), `contain max fill fill-max stretch crop cover crop-focal ${crops.join(" ")}`),
      range("dpr", say("Pixel density"), 1, 4, 1, 0.5),
    ],
  },
  {
    label: say("Crop and rotate"),
    arguments: [
      text("crop", say("Crop"), say("width,height,x,y, or smart")),
      text("trim", say("Trim edges"), say("1, or 2 to 100")),
      choice("or", say("Rotate"), "auto 0 90 180 270"),
      choice("flip", say("Mirror"), "h v both"),
    ],
  },
  {
    label: say("Tone"),
    arguments: [
      range("bri", say("Brightness"), -100, 100, 0),
      range("con", say("Contrast"), -100, 100, 0),
      range("gam", say("Gamma"), 0.1, 3, 1, 0.1),
      range("sharp", say("Sharpen"), 0, 100, 0),
      choice("filt", say("Colour filter"), "greyscale sepia"),
    ],
  },
  {
    label: say("Effects"),
    arguments: [range("blur", say("Blur"), 0, 100, 0), range("pixel", say("Pixelate"), 0, 200, 0)],
  },
  {
    label: say("Background and border"),
    arguments: [
      { name: "bg", label: say("Background"), control: { sort: "colour" } },
      text("border", say("Border"), "10,black,shrink"),
    ],
  },
  {
    label: say("Watermark"),
    arguments: [
      text("mark", say("Picture"), say("logo.png, below watermarks/")),
      text("markw", say("Width"), "20w"),
      text("markh", say("Height"), "40"),
      text("markx", say("Horizontal margin"), "10"),
      text("marky", say("Vertical margin"), "10"),
      text("markpad", say("Both margins"), "5w"),
      choice("markfit", say("Fit"), `contain max stretch crop cover ${crops.join(" ")}`),
      choice("markpos", say("Position"), positions),
      range("markalpha", say("Opacity"), 0, 100, 100),
    ],
  },
  {
    label: say("Output"),
    arguments: [
      choice("fm", say("Format"), "jpg pjpg png gif webp avif auto"),
      range("q", say("Quality"), 0, 100, 90),
      { name: "lossless", label: say("Lossless"), control: { sort: "switch" } },
      { name: "interlace", label: say("Progressive"), control: { sort: "switch" } },
      text("p", say("Presets"), "small,round"),
    ],
  },
];

/** The arguments of a URL that the workbench supports. */
export function readValues(search: URLSearchParams): Values {
  const names = groups.flatMap((group) => group.arguments.map(({ name }) => name));
  const pairs = names.map((name) => [name, search.get(name)] as const);
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => pair[1] !== null && pair[1] !== ""));
}
