/** Ids of headings, of their words, as GitHub makes them; each once in a text. Contract §10, Rendering. */
export class HeadingIds {
  /** How often the words of an id came. */
  private readonly counts = new Map<string, number>();

  /** The attribute for a heading whose content is this HTML; none for one without words. */
  of(html: string): string {
    const words = wordsOf(html);
    if (words === "") return "";
    let id = words;
    while (this.counts.has(id)) {
      const count = (this.counts.get(words) as number) + 1;
      this.counts.set(words, count);
      id = `${words}-${count}`;
    }
    this.counts.set(id, 0);
    return ` id="${id}"`;
  }
}

/** Without the numbers of footnotes: letters, digits, marks, hyphens and underscores, so that nothing of it needs an escape; blanks are hyphens. */
function wordsOf(html: string): string {
  const text = html.replace(/<sup class="footnote-ref">.*?<\/sup>|<[^>]*>/gs, "").replace(/&(?:amp|lt|gt);/g, "");
  return text
    .trim()
    .toLowerCase()
    .replace(/[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc} -]/gu, "")
    .replaceAll(" ", "-");
}
