/**
 * Which calls of a thread are stopped: shared memory, because a thread that scans receives no messages meanwhile. A call
 * has the place of its number; a later call there overwrites it, when the earlier has long been answered.
 */
export class Stops {
  readonly shared: SharedArrayBuffer;
  private readonly numbers: Int32Array;

  constructor(shared = new SharedArrayBuffer(4 * places)) {
    this.shared = shared;
    this.numbers = new Int32Array(shared);
  }

  stop(call: number): void {
    Atomics.store(this.numbers, call % places, call);
  }

  isStopped(call: number): boolean {
    return Atomics.load(this.numbers, call % places) === call;
  }
}

/** More than there are calls at a time. */
const places = 4096;
