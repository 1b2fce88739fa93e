import type { Fault } from "../core/problem.ts";
import { segmentOf } from "../type/walk.ts";
import { each, type Place } from "./place.ts";
import type { Step } from "./step.ts";

/** The faults that data has after steps and did not have before: at the place where its value is then. */
export function freshFaults(
  found: readonly Fault[],
  known: readonly Fault[],
  steps: readonly Step[],
): readonly Fault[] {
  const moved = known.map(({ pointer, rule }) => ({ pointer: movedPointer(pointer, steps), rule }));
  // What was missing at a place is missing with the objects on the way to its new one.
  const isKnown = ({ pointer, rule }: Fault) =>
    moved.some((one) => one.rule === rule && (one.pointer === pointer || one.pointer.startsWith(`${pointer}/`)));
  return found.filter((fault) => !isKnown(fault));
}

/** Where what a pointer names is after the steps. */
function movedPointer(pointer: string, steps: readonly Step[]): string {
  let moved = pointer;
  for (const step of steps) if ("from" in step) moved = rebased(moved, step.from, step.to);
  return moved;
}

function rebased(pointer: string, from: Place, to: Place): string {
  const segments = pointer.split("/").slice(1);
  const items: string[] = [];
  for (const [i, name] of from.entries()) {
    const segment = segments[i];
    if (segment === undefined || (name !== each && `/${segment}` !== segmentOf(name))) return pointer;
    if (name === each) items.push(segment);
  }
  const target = to.map((name) => (name === each ? `/${items.shift()}` : segmentOf(name)));
  return [...target, ...segments.slice(from.length).map((segment) => `/${segment}`)].join("");
}
