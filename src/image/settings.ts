import { parseUrlEncoded } from "../core/lib/brackets.ts";
import { bytes, choice, integer, list, type SettingStates, text } from "../core/lib/setting.ts";
import { GiB, MiB } from "../core/lib/size.ts";
import { type Path, parsePath } from "../core/path.ts";
import type { Arguments } from "./modifier.ts";

/** The settings of pictures. */

/** Images. */
export const imageSettings = {
  image_strict: choice(["on", "off"], {
    default: "off",
    help: "Whether invalid image arguments are refused; by default they are ignored.",
  }),
  image_presets: text({
    default: "",
    accepted: "presets as thumb:w=200&h=200&fit=crop, separated by semicolons",
    pattern: /^[\w-]+:[^;]*(;\s*[\w-]+:[^;]*)*;?$/,
    isText: isRead(parseImagePresets),
    help: "Named sets of image arguments, used as p=thumb.",
  }),
  image_public: list({
    default: [],
    isItem: (item) => /^[\w-]+$/.test(item),
    accepted: "names of image_presets, separated by commas",
    help: "Presets that need no token, with dpr from 1 to 3: everybody can fetch every picture of the uploads in them.",
  }),
  image_defaults: text({
    default: "",
    accepted: "arguments as fm=webp&q=80",
    isText: isRead(parseImageDefaults),
    help: "Default image arguments. With any, every image is re-encoded.",
  }),
  image_marks: text({
    default: "watermarks",
    accepted: "a folder of the uploads",
    isText: isRead(parseImageMarks),
    help: "Folder of the uploads that holds the watermarks.",
  }),
  image_max_age_seconds: integer({
    default: 3600,
    min: 0,
    max: 31_536_000,
    unit: "seconds",
    help: "The max-age of images whose address has no version.",
  }),
  rendition_cache_bytes: bytes({
    default: GiB,
    min: 0,
    max: 1024 * 1024 * GiB,
    help: "Size of the disk cache of generated images; the least recently used are evicted.",
  }),
  render_workers: integer({
    default: 2,
    min: 1,
    max: 256,
    help: "Number of drawing processes.",
  }),
  render_queue_max: integer({
    default: 100,
    min: 0,
    max: 100_000,
    help: "Maximum number of images waiting to be drawn; further requests are refused with 503 `busy`.",
  }),
  render_timeout_seconds: integer({
    default: 10,
    min: 1,
    max: 600,
    unit: "seconds",
    help: "Processor time limit of one image; then 422 `image_too_costly`. If a busy machine does not give it that much within three times as long, the reply is 503 `busy`.",
  }),
  render_svg_timeout_seconds: integer({
    default: 4,
    min: 1,
    max: 600,
    unit: "seconds",
    help: "The same for an SVG, where a few bytes can ask for any amount of work. SVGs are drawn one at a time, in a process of their own.",
  }),
  render_memory_bytes: bytes({
    default: 768 * MiB,
    min: 64 * MiB,
    max: 1024 * GiB,
    help: "Memory limit of a drawing process; then 422 `image_too_costly`.",
  }),
  render_max_pixels: integer({
    default: 40_000_000,
    min: 1,
    max: 67_108_864,
    unit: "pixels",
    help: "Maximum width times height of a generated image; larger requests are scaled down.",
  }),
};

/** A misspelt preset would be found only by those who see no picture. */
export function presetFaults(states: SettingStates): string[] {
  const [named, presets] = [states.get("image_public"), states.get("image_presets")];
  const known = parseImagePresets(String(presets?.value ?? ""));
  const missing = ((named?.value ?? []) as readonly string[]).filter((name) => !known.has(name));
  return missing.map((name) => `image_public: ${named?.from} was "${name}"; expected names of image_presets`);
}

const argumentCaps = { maxPairs: 100, maxDepth: 1, maxItems: 1 };

/** The arguments of `image_defaults`. Throws BracketError. */
export function parseImageDefaults(text: string): Arguments {
  return parseUrlEncoded(text, argumentCaps);
}

/** The sets of arguments of `image_presets` by name: `thumb:w=200&h=200; hero:w=1600`. Throws BracketError. */
export function parseImagePresets(text: string): Map<string, Arguments> {
  const presets = text.split(";").filter((preset) => preset.trim() !== "");
  return new Map(
    presets.map((preset) => {
      const colon = preset.indexOf(":");
      return [preset.slice(0, colon).trim(), parseImageDefaults(preset.slice(colon + 1).trim())];
    }),
  );
}

/** The folder of `image_marks`. Throws path_invalid, text_invalid. */
export function parseImageMarks(text: string): Path {
  return parsePath("image_marks", text);
}

/** True when the text can be parsed. */
function isRead(parse: (text: string) => unknown): (text: string) => boolean {
  return (text) => {
    try {
      parse(text);
      return true;
    } catch {
      return false;
    }
  };
}
