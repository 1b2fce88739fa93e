import { createContext, useContext, useEffect } from "react";

/** Tells what of an entry stands on the screen and cannot be read; nothing takes it back. */
export type Report = (name: string, fault: string | undefined) => void;

export const FaultContext = createContext<Report>(() => undefined);

/** Tells of a field what is wrong with it, until it is mended or gone. */
export function useFault(name: string, fault: string | undefined): void {
  const report = useContext(FaultContext);
  useEffect(() => {
    if (fault === undefined) return;
    report(name, fault);
    return () => report(name, undefined);
  }, [name, fault, report]);
}
