import { isSameJson, type JsonObject } from "../core/lib/json.ts";
import type { Step } from "./step.ts";

/** What steps make of a working copy, which is a patch over its entry. */

/** The changed keys of a copy, and the removed ones. */
export type PatchData = { readonly data: JsonObject; readonly removed: readonly string[] };

/** Data before and after the steps of its type. */
export type Change = { readonly before: JsonObject; readonly after: JsonObject };

/**
 * A patch after the steps; `sources` has, by each key that changed, the keys of the patch before that it was made of: none for one
 * that was not staged.
 */
export type MigratedPatch = PatchData & { readonly sources: ReadonlyMap<string, readonly string[]> };

/**
 * The patch that makes of the live data afterwards what the laid over data is afterwards; what was staged stays staged, under its
 * new name. Undefined where neither changed.
 */
export function migratedPatch(
  patch: PatchData,
  live: Change,
  laid: Change,
  steps: readonly Step[],
): MigratedPatch | undefined {
  const touched = new Set([...changedKeys(live), ...changedKeys(laid)]);
  if (touched.size === 0) return undefined;
  const origins = originsOf(patch, steps);
  const data = new Map(patch.data);
  const removed = new Set(patch.removed);
  const sources = new Map<string, readonly string[]>();
  for (const key of touched) {
    data.delete(key);
    removed.delete(key);
    const [value, liveValue] = [laid.after.get(key), live.after.get(key)];
    const isThere = value !== undefined || liveValue !== undefined;
    const isStaged = !isSameJson(value, liveValue) || (origins.has(key) && isThere);
    if (!isStaged) continue;
    sources.set(key, origins.get(key) ?? []);
    if (value === undefined) removed.add(key);
    else data.set(key, value);
  }
  return { data, removed: [...removed], sources };
}

function changedKeys({ before, after }: Change): string[] {
  if (before === after) return [];
  const keys = new Set([...before.keys(), ...after.keys()]);
  return [...keys].filter((key) => !isSameJson(before.get(key), after.get(key)));
}

/** By key the keys of the patch that the steps bring there. */
function originsOf({ data, removed }: PatchData, steps: readonly Step[]): Map<string, string[]> {
  const origins = new Map<string, string[]>([...data.keys(), ...removed].map((key) => [key, [key]]));
  for (const step of steps) {
    if (!("from" in step)) continue;
    const [from, to] = [step.from[0] as string, step.to[0] as string];
    const moved = origins.get(from);
    if (moved && from !== to) origins.set(to, [...(origins.get(to) ?? []), ...moved]);
  }
  return origins;
}
