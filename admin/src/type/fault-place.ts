import { createContext } from "react";
import { OctavoProblem } from "../../../client/src/client.ts";

/** Where a refused schema is wrong: a JSON pointer into it, and why. */
export type SchemaFault = { pointer: string; rule: string };

export const SchemaFaultContext = createContext<SchemaFault | undefined>(undefined);

/** The place that a refusal names; of a long pointer its beginning. */
export function schemaFaultOf(error: unknown): SchemaFault | undefined {
  if (!(error instanceof OctavoProblem) || error.code !== "schema_invalid") return undefined;
  const [, quoted, rule] = refusal.exec(error.detail) ?? [];
  if (quoted === undefined || rule === undefined) return undefined;
  const pointer: string = JSON.parse(quoted);
  return { pointer: pointer.replace(/…$/, ""), rule };
}

const refusal = /is not accepted at ("(?:[^"\\]|\\.)*"): (.*)$/s;

/** The fault of a schema that is stored. */
export const storedFaultOf = ({ pointer, message }: { pointer: string; message: string }): SchemaFault => ({
  pointer,
  rule: refusal.exec(message)?.[2] ?? message,
});

/** The pointer of a member. */
export const pointerTo = (pointer: string, ...names: string[]): string =>
  [pointer, ...names.map((name) => name.replaceAll("~", "~0").replaceAll("/", "~1"))].join("/");

/** True when the fault is at the pointer or below it. */
export const isAtOrBelow = (fault: SchemaFault | undefined, pointer: string): boolean =>
  fault !== undefined && `${fault.pointer}/`.startsWith(`${pointer}/`);
