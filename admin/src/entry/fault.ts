import { createContext, useContext, useEffect } from "react";

/** Reports the invalid fields of an entry to its editor. */
export type Report = (name: string, fault: string | undefined) => void;

export const FaultContext = createContext<Report>(() => undefined);

/** Reports the error of a field until it is corrected or removed. */
export function useFault(name: string, fault: string | undefined): void {
  const report = useContext(FaultContext);
  useEffect(() => {
    if (fault === undefined) return;
    report(name, fault);
    return () => report(name, undefined);
  }, [name, fault, report]);
}
