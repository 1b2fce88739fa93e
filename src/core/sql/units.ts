import type { Claim } from "../idempotency.ts";
import { memo } from "../lib/memo.ts";
import type { Unit, Written } from "../unit.ts";
import type { Operations } from "./sql.ts";
import type { Done, WriteCaller } from "./writes.ts";

/** Units of work, on the side of the callers. */

/** Operations by name, as functions that call them where they run. */
export type Remotes = Record<string, (...rest: never[]) => Promise<unknown>>;

/** Calls the writes by name. Those whose context names a unit of work go through that; `written` of it gets the event. */
export const remoteWrites = (writer: WriteCaller, writes: Operations = {}): Remotes =>
  Object.fromEntries(
    Object.keys(writes).map((name) => [
      name,
      (...rest: unknown[]) => {
        const context = rest.at(-1) as { unit?: Unit; written?: Written } | undefined;
        if (!context?.unit && !context?.written) return noting(writer.call(name, ...rest));
        const { unit, written, ...sent } = context;
        const args = [...rest.slice(0, -1), sent];
        return unit ? unit.write({ name, args }, written) : noting(writer.call(name, ...args), written);
      },
    ]),
  );

/** What the write answered, after telling its event. */
export async function noting<T>(done: Promise<Done<T>>, written?: Written): Promise<T> {
  const { value, sequence } = await done;
  if (written && sequence > written.sequence) written.sequence = sequence;
  return value;
}

type Claiming = (name: string) => Promise<Claim | undefined>;

/** The names that callers of this process have taken, for which the engine is asked once. */
export class Claims {
  private readonly taken = new Set<string>();
  private readonly elsewhere: Claiming;

  /** `elsewhere` takes a name for this process. */
  constructor(elsewhere: Claiming) {
    this.elsewhere = elsewhere;
  }

  async take(name: string): Promise<Claim | undefined> {
    if (this.taken.has(name)) return undefined;
    this.taken.add(name);
    let claim: Claim | undefined;
    try {
      claim = await this.elsewhere(name);
    } finally {
      if (!claim) this.taken.delete(name);
    }
    return claim && memo(() => (claim as Claim)().finally(() => this.taken.delete(name)));
  }
}
