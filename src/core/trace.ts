import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes } from "node:crypto";

/**
 * W3C Trace Context, level 1: a request says by `traceparent` what it is a part of. The service makes no spans: it names the
 * trace in its log line, and what it requests because of the call is sent as a part of it. Contract, part three, §20.
 */
export type Trace = { id: string; isSampled: boolean };

const form = /^(?!ff)([0-9a-f]{2})-((?!0{32})[0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(-.*)?$/;

/** Reads the header; undefined for one that is not valid, or was sent twice. */
export function parseTraceparent(text: string | undefined): Trace | undefined {
  const [, version, id, flags = "", more] = (text !== undefined && form.exec(text)) || [];
  // A later version may say more.
  if (id === undefined || (version === "00" && more !== undefined)) return undefined;
  return { id, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** The header of a request that is a part of the trace. Each is a part of its own. */
export const traceparentOf = ({ id, isSampled }: Trace): string => `00-${id}-${parentId()}-${isSampled ? "01" : "00"}`;

/** Not zero, which stands for none. */
function parentId(): string {
  const id = randomBytes(8).toString("hex");
  return /[^0]/.test(id) ? id : parentId();
}

const traces = new AsyncLocalStorage<Trace>();

/** Does the work as a part of the trace. Not entered without one, so that other calls pay nothing. */
export const inTrace = <T>(trace: Trace, work: () => T): T => traces.run(trace, work);

/** The header for what is requested now; undefined outside of a trace. */
export function currentTraceparent(): string | undefined {
  const trace = traces.getStore();
  return trace && traceparentOf(trace);
}
