import { createContext, useContext, useEffect, useState } from "react";
import { isEitherWay } from "../api/json.ts";
import { say } from "../language/say.ts";
import type { Faults } from "../model/draft/fault.ts";

export const FaultContext = createContext<Faults>({ report: () => undefined, typedBefore: () => undefined });

/** The text of a field whose texts can be invalid: at first what was typed before a reload, otherwise what is stored. */
export function useTyped(name: string, stored: () => string): [text: string, setText: (text: string) => void] {
  const { typedBefore } = useContext(FaultContext);
  return useState(() => typedBefore(name) ?? stored());
}

/** Reports the error of a field until it is corrected or removed. */
export function useFault(name: string, reason: string | undefined, text: string): void {
  const { report } = useContext(FaultContext);
  // A valid text is not reported again with each change.
  const invalid = reason === undefined ? undefined : text;
  useEffect(() => {
    if (reason === undefined || invalid === undefined) return;
    report(name, { reason, text: invalid });
    return () => report(name, undefined);
  }, [name, reason, invalid, report]);
}

/** What is wrong with a text that is no number. */
export const notNumber = (text: string): string =>
  isEitherWay(text)
    ? say("A thousand, or a few with decimals? Write it without the comma, or with one more 0 at its end")
    : say("Not a number");

/** The name of the JSON of all fields: no field has it. */
export const jsonName = "";
