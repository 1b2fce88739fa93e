/** The faults that one check of the store found: a limited number of sentences, and the count of the others. */
export class FaultList {
  private readonly sentences: string[] = [];
  private more = 0;

  add(sentence: string): void {
    if (this.sentences.length < maxSentences) this.sentences.push(sentence);
    else this.more++;
  }

  /** Counts faults that have no sentence of their own. */
  addMore(count: number): void {
    this.more += count;
  }

  /** Empty when there are no faults. */
  all(): string[] {
    return this.more > 0 ? [...this.sentences, `${this.more} more faults of this kind`] : this.sentences;
  }
}

/** More sentences do not help: one cause usually shows in many places. */
export const maxSentences = 20;
