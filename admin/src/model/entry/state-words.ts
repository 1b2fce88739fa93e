import type { Visibility } from "../../api/entry.ts";
import type { Translated, WorkingCopy } from "../../api/staged.ts";
import { say } from "../../language/say.ts";
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
  if (takesOff(state)) return say("Publishing them takes the entry off the site.");
  if (state.live === "draft") return say("Nobody sees the entry on the site until it is published.");
  return say("The site shows the entry without them.");
}

/** The name of the release follows. */
function inRelease(what: string, { publishAt }: WorkingCopy): StateWords {
  if (publishAt === undefined)
    return { title: say("In a release"), meaning: say("{what} with", { what }), color: "indigo" };
  const time = formatMoment(publishAt);
  const meaning = say("Until {time} nothing can be changed here. {what} then, with", { time, what });
  return { title: say("Scheduled"), meaning, color: "blue" };
}

type Said = Pick<Stated, "visibility" | "copy"> & { translation: Translated };

/** The same of what an entry says in another language. */
export function translationWords({ visibility, copy, translation: { locale, row } }: Said): StateWords {
  const language = languageName(locale);
  const elsewhere = say("Readers of {language} see another language.", { language });
  const live = row.visibility ?? "draft";
  const isOff = visibility === "draft" && live !== "draft";
  if (copy?.release !== undefined || copy?.publishAt !== undefined) {
    const time = copy.publishAt === undefined ? "" : formatMoment(copy.publishAt);
    if (copy.release === undefined)
      return {
        title: say("Scheduled"),
        meaning: isOff
          ? say("{language} goes off the site {time}. Until then nothing can be changed here.", { language, time })
          : say("{language} goes live {time}. Until then nothing can be changed here.", { language, time }),
        color: "blue",
      };
    const what = isOff ? say("{language} goes off the site", { language }) : say("{language} goes live", { language });
    return inRelease(what, copy);
  }
  if (copy)
    return {
      title: say("Unpublished changes"),
      meaning: say("Not on the site yet in {language}.", { language }),
      color: "yellow",
    };
  if (!row.exists) return { title: say("Not translated"), meaning: elsewhere, color: "gray" };
  if (live === "draft") return { title: say("Draft"), meaning: elsewhere, color: "yellow" };
  if (row.outdated.length > 0)
    return { title: say("Outdated"), meaning: say("Its source has changed since."), color: "red" };
  if (row.missing.length > 0)
    return { title: say("Incomplete"), meaning: say("Fields are missing in {language}.", { language }), color: "gray" };
  return { title: say("Published"), meaning: say("Everybody reads it in {language}.", { language }), color: "teal" };
}

export function wordsOf(state: Stated): StateWords {
  const { copy, visibility, publishedAt, nowSeconds } = state;
  if (copy?.release !== undefined)
    return inRelease(takesOff(state) ? say("It goes off the site") : say("It goes live"), copy);
  if (copy?.publishAt !== undefined) {
    const time = formatMoment(copy.publishAt);
    const meaning = takesOff(state)
      ? say("It goes off the site on {time}. Until then nothing can be changed here.", { time })
      : say("It will be published on {time}. Until then nothing can be changed here.", { time });
    return { title: say("Scheduled"), meaning, color: "blue" };
  }
  if (copy) return { title: say("Unpublished changes"), meaning: meaningOf(state), color: "yellow" };
  if (visibility === "draft")
    return {
      title: say("Not on the site yet"),
      meaning: say("It is a draft: nobody sees it there until it is published."),
      color: "yellow",
    };
  if (publishedAt > nowSeconds)
    return {
      title: say("Goes live"),
      meaning: say("On {time}, by its publish date.", { time: formatMoment(publishedAt) }),
      color: "blue",
    };
  if (visibility === "hidden")
    return {
      title: say("On the site"),
      meaning: say("Whoever has its address sees it; no list shows it."),
      color: "gray",
    };
  return { title: say("On the site"), meaning: say("Everybody sees it."), color: "teal" };
}
