import { createContext, useContext, useEffect } from "react";
import type { DataFault } from "../../../client/src/client.ts";
import type { Json } from "../api/json.ts";
import { say } from "../language/say.ts";
import { isBelow } from "../model/form/pointer.ts";
import type { Shape } from "../model/form/schema.ts";

/** Changes a value; undefined is an absent one. */
export type Edit = (change: (before: Json | undefined) => Json | undefined) => void;

export type ControlProps<S extends Shape = Shape> = {
  shape: S;
  /** The name of the field, for people. */
  label: string;
  pointer: string;
  value: Json | undefined;
  isRequired: boolean;
  /** The label is shown by what is around it. */
  isBare?: boolean;
  edit: Edit;
};

/** What the whole form shows: the faults of the last refusal, and where the focus is to go. */
export type FormState = {
  slug: string;
  faults: ReadonlyMap<string, readonly DataFault[]>;
  target: { pointer: string } | undefined;
};

export const FormContext = createContext<FormState>({ slug: "", faults: new Map(), target: undefined });

/** What a fault asks for. */
export const wordsOf = ({ rule, accepted }: DataFault): string =>
  rule === "required" || rule === "dependentRequired" ? say("Required") : say("Expected {accepted}", { accepted });

/** The faults of a value as one text; undefined when it has none. */
export function useFaultsAt(pointer: string): string | undefined {
  const faults = useContext(FormContext).faults.get(pointer);
  return faults && [...new Set(faults.map(wordsOf))].join(". ");
}

/** Calls it when something inside is to be seen: each fault of a refusal, and what the focus goes to. */
export function useReveal(pointer: string, reveal: (inside: string) => void): void {
  const { faults, target } = useContext(FormContext);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was closed again stays closed until the next refusal.
  useEffect(() => {
    for (const inside of faults.keys()) if (isBelow(inside, pointer)) reveal(inside);
  }, [faults]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above, until the next jump.
  useEffect(() => {
    if (target && isBelow(target.pointer, pointer)) reveal(target.pointer);
  }, [target]);
}
