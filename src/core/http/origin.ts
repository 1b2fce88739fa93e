import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import type { EventOrigin } from "../event.ts";
import { inTrace, parseTraceparent, type Trace, traceparentOf } from "../trace.ts";

/** Where a request comes from: what it is a part of, and what the log of writes keeps of it. Contract, part three, §20. */

/** Most requests are a part of nothing, and pay for that one look. */
export const traceOf = ({ headers: { traceparent } }: IncomingMessage): Trace | undefined =>
  traceparent === undefined ? undefined : parseTraceparent(String(traceparent));

/** Does the work as a part of the trace, where there is one. */
export const asPartOf = <T>(trace: Trace | undefined, work: () => T): T => (trace ? inTrace(trace, work) : work());

type Sender = { id: string; address: string; trace: Trace | undefined };

export function eventOriginOf({ id, address, trace }: Sender, keepsAddresses: boolean): EventOrigin {
  if (!trace && !keepsAddresses) return { requestId: id };
  // A trusted proxy passes on what its client claims, of any length.
  const isKept = keepsAddresses && isIP(address) > 0;
  return { requestId: id, address: isKept ? address : undefined, trace: trace && traceparentOf(trace) };
}
