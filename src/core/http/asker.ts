import type { ServerResponse } from "node:http";
import { memo } from "../lib/memo.ts";
import type { Asker } from "../list/query.ts";

/**
 * Who waits for the response. The signal is made when it is first read: most lists are answered before anybody listens
 * to it.
 */
export function askerOf(client: string, response: ServerResponse, makeRoom: Asker["makeRoom"]): Asker {
  const signal = memo(() => leaving(response));
  return {
    client,
    makeRoom,
    get signal() {
      return signal();
    },
  };
}

/** Aborts when the connection ends before the reply does. */
function leaving(response: ServerResponse): AbortSignal {
  const left = new AbortController();
  const look = () => response.writableFinished || left.abort();
  if (response.closed) look();
  else response.once("close", look);
  return left.signal;
}
