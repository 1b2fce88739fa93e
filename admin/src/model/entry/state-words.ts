import type { Visibility } from "../../api/entry.ts";
import type { WorkingCopy } from "../../api/staged.ts";
import { formatMoment } from "../format.ts";

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
