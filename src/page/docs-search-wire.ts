import { escapeHtml } from "../core/http/html.ts";
import { describeJson } from "../core/lib/json.ts";
import { problem } from "../core/problem.ts";

/** The search of /docs: a form without a script, answered from the sections that api-docs/build.ts made. */

/** A part of a page below one of its headings; `keywords` are other words for it, a guide explains and is no reference. */
export type Section = {
  url: string;
  page: string;
  heading: string;
  text: string;
  keywords: string;
  isGuide: boolean;
};

/** With the texts in lower case. */
type Searched = { section: Section; heading: string; page: string; keywords: string; text: string };

export const toSearched = (section: Section): Searched => ({
  section,
  heading: section.heading.toLowerCase(),
  page: section.page.toLowerCase(),
  keywords: section.keywords.toLowerCase(),
  text: section.text.toLowerCase(),
});

/** Where the built page has the results. */
export const resultsPlace = "octavo-results";

/** The length of what is searched: a few words. */
const maxLength = 200;
/** The results on the page. */
const maxFound = 30;
/** The length of the text shown around the first word, on each side. */
const around = 120;

/** What each word, or all together, are worth: what is named goes before what is mentioned, and of both, guides first. */
const worth = { named: 1000, guide: 500, whole: 40, heading: 20, keyword: 20, page: 5, mention: 1 } as const;
/** How many mentions of a word in one section count. */
const maxMentions = 4;

type RankedSection = { section: Section; rank: number };

/** The results as HTML. Throws argument_invalid. */
export function searchDocs(sections: readonly Searched[], asked: unknown = ""): string {
  if (typeof asked !== "string" || asked.length > maxLength) {
    const accepted = `words, together at most ${maxLength} characters`;
    throw problem("argument_invalid", { argument: "q", received: describeJson(asked as string), accepted });
  }
  const words = asked.toLowerCase().split(/\s+/).filter(Boolean);
  const field = `<form action="/docs/search" role="search"><input type="search" name="q" value="${escapeHtml(asked)}" maxlength="${maxLength}" aria-label="Search words"><button>Search</button></form>`;
  if (words.length === 0) return `<h1>Search</h1>${field}<p>In the guides, the reference, settings and problems.</p>`;
  const found = sections.flatMap((section) => rankOf(section, words)).sort((a, b) => b.rank - a.rank);
  const items = found.slice(0, maxFound).map(({ section }) => itemOf(section, words));
  const count = found.length > maxFound ? `The best ${maxFound} of ${found.length} places.` : `${found.length} found.`;
  const none = "<p>Nothing has all these words. Fewer or shorter words find more.</p>";
  const list = items.length === 0 ? none : `<p>${count}</p><ol class="found">${items.join("")}</ol>`;
  return `<h1>Search</h1>${field}${list}`;
}

/**
 * None unless every word is there. What heading, keywords or page name goes first, of these the guides; of several, a
 * heading or a keyword that is exactly what was asked for.
 */
function rankOf(searched: Searched, words: readonly string[]): RankedSection[] {
  const { section, heading, page, keywords, text } = searched;
  const ranks = words.map((word) => {
    const named =
      (heading.includes(word) ? worth.heading : 0) +
      (keywords.includes(word) ? worth.keyword : 0) +
      (page.includes(word) ? worth.page : 0);
    return { named, mentioned: Math.min(text.split(word).length - 1, maxMentions) * worth.mention };
  });
  if (ranks.some(({ named, mentioned }) => named + mentioned === 0)) return [];
  const isNamed = ranks.every(({ named }) => named > 0);
  const isWhole = [heading, ...keywords.split(", ")].includes(words.join(" "));
  const order = (isNamed ? worth.named : 0) + (section.isGuide ? worth.guide : 0);
  const own = ranks.reduce((sum, { named, mentioned }) => sum + named + mentioned, isWhole ? worth.whole : 0);
  return [{ section, rank: order + own }];
}

function itemOf({ url, page, heading, text }: Section, words: readonly string[]): string {
  const places = words.map((word) => text.toLowerCase().indexOf(word)).filter((place) => place >= 0);
  const at = Math.min(...places, places.length === 0 ? 0 : text.length);
  const [from, to] = [Math.max(0, at - around), at + around];
  const part = `${from > 0 ? "…" : ""}${text.slice(from, to)}${to < text.length ? "…" : ""}`;
  const where = heading === page ? "" : ` <span>${escapeHtml(page)}</span>`;
  return `<li><a href="${escapeHtml(url)}">${escapeHtml(heading)}</a>${where}<p>${marked(part, words)}</p></li>`;
}

/** The text as HTML, with the words marked. */
function marked(text: string, words: readonly string[]): string {
  const pattern = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|");
  return text
    .split(new RegExp(`(${pattern})`, "gi"))
    .map((part, i) => (i % 2 === 1 ? `<mark>${escapeHtml(part)}</mark>` : escapeHtml(part)))
    .join("");
}
