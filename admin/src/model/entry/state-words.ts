import type { Visibility } from "../../api/entry.ts";
import type { Translated, WorkingCopy } from "../../api/staged.ts";
import { formatMoment } from "../format.ts";
import { languageName } from "../locale.ts";

/** The state of an entry in words: where it stands, and what that means for readers; of one in a release its name follows. */
export type StateWords = { title: string; meaning: string; color: string };

type Stated = {
  /** Of the entry with its copy laid over. */
  visibility: Visibility;
  publishedAt: number;
  copy: WorkingCopy | undefined;
  /** Of the entry as it is live; undefined while that is not known. */
  live: Visibility | undefined;
  nowSeconds: number;
};

/** True for a copy that takes the entry off the site. */
const takesOff = ({ visibility, live }: Pick<Stated, "visibility" | "live">): boolean =>
  visibility === "draft" && live !== undefined && live !== "draft";

/** What unpublished changes mean. */
function meaningOf(state: Stated): string {
  if (takesOff(state)) return "Publishing them takes the entry off the site.";
  if (state.live === "draft") return "Nobody sees the entry on the site until it is published.";
  return "The site shows the entry without them.";
}

type Said = Pick<Stated, "visibility" | "copy"> & { translation: Translated };

/** The same of what an entry says in another language. */
export function translationWords({ visibility, copy, translation: { locale, row } }: Said): StateWords {
  const language = languageName(locale);
  const elsewhere = `Readers of ${language} see another language.`;
  const live = row.visibility ?? "draft";
  const isOff = visibility === "draft" && live !== "draft";
  if (copy?.release !== undefined || copy?.publishAt !== undefined) {
    const what = `${language} goes ${isOff ? "off the site" : "live"}`;
    if (copy.release === undefined)
      return {
        title: "Scheduled",
        meaning: `${what} ${formatMoment(copy.publishAt as number)}. Until then nothing can be changed here.`,
        color: "blue",
      };
    if (copy.publishAt === undefined) return { title: "In a release", meaning: `${what} with`, color: "indigo" };
    const meaning = `Until ${formatMoment(copy.publishAt)} nothing can be changed here. ${what} then, with`;
    return { title: "Scheduled", meaning, color: "blue" };
  }
  if (copy) return { title: "Unpublished changes", meaning: `Not on the site yet in ${language}.`, color: "yellow" };
  if (!row.exists) return { title: "Not translated", meaning: elsewhere, color: "gray" };
  if (live === "draft") return { title: "Draft", meaning: elsewhere, color: "yellow" };
  if (row.outdated.length > 0) return { title: "Outdated", meaning: "Its source has changed since.", color: "red" };
  if (row.missing.length > 0)
    return { title: "Incomplete", meaning: `Fields are missing in ${language}.`, color: "gray" };
  return { title: "Published", meaning: `Everybody reads it in ${language}.`, color: "teal" };
}

export function wordsOf(state: Stated): StateWords {
  const { copy, visibility, publishedAt, nowSeconds } = state;
  if (copy?.release !== undefined) {
    const what = takesOff(state) ? "It goes off the site" : "It goes live";
    if (copy.publishAt === undefined) return { title: "In a release", meaning: `${what} with`, color: "indigo" };
    const meaning = `Until ${formatMoment(copy.publishAt)} nothing can be changed here. ${what} then, with`;
    return { title: "Scheduled", meaning, color: "blue" };
  }
  if (copy?.publishAt !== undefined) {
    const what = takesOff(state) ? "It goes off the site on" : "It will be published on";
    const meaning = `${what} ${formatMoment(copy.publishAt)}. Until then nothing can be changed here.`;
    return { title: "Scheduled", meaning, color: "blue" };
  }
  if (copy) return { title: "Unpublished changes", meaning: meaningOf(state), color: "yellow" };
  if (visibility === "draft")
    return {
      title: "Not on the site yet",
      meaning: "It is a draft: nobody sees it there until it is published.",
      color: "yellow",
    };
  if (publishedAt > nowSeconds)
    return { title: "Goes live", meaning: `On ${formatMoment(publishedAt)}, by its publish date.`, color: "blue" };
  if (visibility === "hidden")
    return { title: "On the site", meaning: "Whoever has its address sees it; no list shows it.", color: "gray" };
  return { title: "On the site", meaning: "Everybody sees it.", color: "teal" };
}
