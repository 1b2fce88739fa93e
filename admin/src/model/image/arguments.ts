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
    label: "Size",
    arguments: [
      text("w", "Width", "pixels, or 50w"),
      text("h", "Height", "pixels, or 50h"),
      choice("fit", "Fit", `contain max fill fill-max stretch crop cover crop-focal ${crops.join(" ")}`),
      range("dpr", "Pixel density", 1, 4, 1, 0.5),
    ],
  },
  {
    label: "Crop and rotate",
    arguments: [
      text("crop", "Crop", "width,height,x,y, or smart"),
      text("trim", "Trim edges", "1, or 2 to 100"),
      choice("or", "Rotate", "auto 0 90 180 270"),
      choice("flip", "Mirror", "h v both"),
    ],
  },
  {
    label: "Tone",
    arguments: [
      range("bri", "Brightness", -100, 100, 0),
      range("con", "Contrast", -100, 100, 0),
      range("gam", "Gamma", 0.1, 3, 1, 0.1),
      range("sharp", "Sharpen", 0, 100, 0),
      choice("filt", "Colour filter", "greyscale sepia"),
    ],
  },
  { label: "Effects", arguments: [range("blur", "Blur", 0, 100, 0), range("pixel", "Pixelate", 0, 200, 0)] },
  {
    label: "Background and border",
    arguments: [
      { name: "bg", label: "Background", control: { sort: "colour" } },
      text("border", "Border", "10,black,shrink"),
    ],
  },
  {
    label: "Watermark",
    arguments: [
      text("mark", "Picture", "logo.png, below watermarks/"),
      text("markw", "Width", "20w"),
      text("markh", "Height", "40"),
      text("markx", "Horizontal margin", "10"),
      text("marky", "Vertical margin", "10"),
      text("markpad", "Both margins", "5w"),
      choice("markfit", "Fit", `contain max stretch crop cover ${crops.join(" ")}`),
      choice("markpos", "Position", positions),
      range("markalpha", "Opacity", 0, 100, 100),
    ],
  },
  {
    label: "Output",
    arguments: [
      choice("fm", "Format", "jpg pjpg png gif webp avif auto"),
      range("q", "Quality", 0, 100, 90),
      { name: "lossless", label: "Lossless", control: { sort: "switch" } },
      { name: "interlace", label: "Progressive", control: { sort: "switch" } },
      text("p", "Presets", "small,round"),
    ],
  },
];

/** The arguments of a URL that the workbench supports. */
export function readValues(search: URLSearchParams): Values {
  const names = groups.flatMap((group) => group.arguments.map(({ name }) => name));
  const pairs = names.map((name) => [name, search.get(name)] as const);
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => pair[1] !== null && pair[1] !== ""));
}
