import { escapePattern } from "../api/file.ts";

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

/** True when only pictures are accepted. */
export const isForPictures = (media: Media): boolean =>
  media.length > 0 && media.every((each) => /^image(\/|$)/.test(each));
