import { escapePattern } from "../api/file.ts";
import { say } from "../language/say.ts";

/** What a file reference accepts: media types, as `image/png`, `image/*` or `image`. None of them: every file. */
export type Media = readonly string[];

const groupOf = (media: string): string | undefined => /^([\w.+-]+)(?:\/\*)?$/.exec(media)?.[1];

/** The pattern (RE2, also JavaScript) of the media types of files; undefined for all. */
export function patternOf(media: Media): string | undefined {
  if (media.length === 0 || media.includes("*/*") || media.includes("*")) return undefined;
  const parts = media.map((each) => {
    const group = groupOf(each);
    return group === undefined ? escapePattern(each) : `${escapePattern(group)}/.*`;
  });
  return `^(?:${parts.join("|")})$`;
}

/** True when a file of this type is accepted. */
export function accepts(media: Media, type: string): boolean {
  const pattern = patternOf(media);
  return pattern === undefined || new RegExp(pattern).test(type);
}

/** For the browser's dialog to choose files. */
export const acceptOf = (media: Media): string | undefined =>
  patternOf(media) && media.map((each) => (each.includes("/") ? each : `${each}/*`)).join(",");

const groups: Record<string, string> = {
  image: say("pictures"),
  video: say("videos"),
  audio: say("sounds"),
  text: say("texts"),
  font: "fonts",
};

/** What is accepted, for people: `Pictures and PDF files only`. */
export function wordsOf(media: Media): string {
  if (patternOf(media) === undefined) return say("Any file");
  const words = media.map((each) => {
    const [group = "", kind = "*"] = each.split("/");
    if (kind === "*") return groups[group] ?? say("files of the kind {group}", { group });
    const name = kind.replace(/^(?:x-|vnd\.)|\+\w+$/g, "").toUpperCase();
    return group === "image" ? say("{name} pictures", { name }) : say("{name} files", { name });
  });
  const [last = "", ...others] = [...new Set(words)].reverse();
  const all = others.length > 0 ? say("{others} and {last}", { others: others.reverse().join(", "), last }) : last;
  return say("{files} only", { files: `${all[0]?.toUpperCase()}${all.slice(1)}` });
}

/** True when only pictures are accepted. */
export const isForPictures = (media: Media): boolean =>
  media.length > 0 && media.every((each) => /^image(\/|$)/.test(each));
