/** Runs tasks one after the other, in the order of the calls. */
export class OneAtATime {
  private last: Promise<unknown> = Promise.resolve();

  /** Runs the task after all earlier ones; settles as the task does. A failed task does not stop later ones. */
  run<T>(task: () => T | Promise<T>): Promise<T> {
    const done = this.last.then(task);
    this.last = done.catch(() => undefined);
    return done;
  }
}
