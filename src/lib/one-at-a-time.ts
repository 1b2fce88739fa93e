/** Lets one work begin when the one before it is over, in the order they came. */
export class OneAtATime {
  private last: Promise<unknown> = Promise.resolve();

  /** Does the work when it is its turn; settles as it does. A work that fails holds up no other. */
  run<T>(work: () => T | Promise<T>): Promise<T> {
    const done = this.last.then(work);
    this.last = done.catch(() => undefined);
    return done;
  }
}
