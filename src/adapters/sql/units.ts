import type { Claim } from "../../domain/idempotency.ts";
import type { Unit } from "../../domain/unit.ts";
import { memo } from "../../lib/memo.ts";

/** Units of work, on the side of the callers. */

/** Operations by name, as functions that call them where they run. */
export type Remotes = Record<string, (...rest: never[]) => Promise<unknown>>;

/** Writes whose context names a unit of work go through that. */
export const throughUnits = (writes: Remotes): Remotes =>
  Object.fromEntries(
    Object.entries(writes).map(([name, write]) => [
      name,
      (...rest: unknown[]) => {
        const context = rest.at(-1) as { unit?: Unit } | undefined;
        if (!context?.unit) return write(...(rest as never[]));
        const { unit, ...sent } = context;
        return unit.write({ name, args: [...rest.slice(0, -1), sent] });
      },
    ]),
  );

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
