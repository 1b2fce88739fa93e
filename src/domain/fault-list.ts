/** Sentences about what one look at the store found wrong: so many of them, and the number of the others. */
export class FaultList {
  private readonly sentences: string[] = [];
  private more = 0;

  add(sentence: string): void {
    if (this.sentences.length < maxSentences) this.sentences.push(sentence);
    else this.more++;
  }

  /** Counts faults that nobody put into a sentence. */
  addMore(count: number): void {
    this.more += count;
  }

  /** Empty when nothing is wrong. */
  all(): string[] {
    return this.more > 0 ? [...this.sentences, `${this.more} more faults of this kind`] : this.sentences;
  }
}

/** More help nobody: what is wrong is mostly wrong in many places. */
export const maxSentences = 20;
