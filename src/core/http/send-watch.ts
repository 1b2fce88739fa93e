import type { Server } from "node:http";
import type { Socket } from "node:net";
import { Pace } from "../lib/pace.ts";

/** Far below the rate of any phone, far above an occasional byte. */
const leastBytesPerSecond = 4 * 1024;
/** A connection whose memory another reply waits for gets this fraction of the timeout. */
const wantedPart = 1 / 6;
const lookEveryMs = 500;

type Watched = { pace: Pace; takenBytes: number };

export type SendWatchOptions = {
  timeoutMs: number;
  /** True when the connection holds memory that another reply waits for. */
  isWantedFrom: (connection: Socket) => boolean;
};

/**
 * Closes the connections of clients that do not read their replies: those that are `timeoutMs` behind the minimum rate,
 * or a sixth of it where other replies wait for their memory. One timer checks all connections, so a reply pays
 * nothing. Stops with the server.
 */
export function watchSending(server: Server, { timeoutMs, isWantedFrom }: SendWatchOptions): void {
  const connections = new Set<Socket>();
  const watched = new WeakMap<Socket, Watched>();
  server.on("connection", (socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
  });
  const look = (socket: Socket, nowMs: number): void => {
    const { writableLength } = socket;
    // No bytes are waiting to be sent: if anything is slow, it is not the client.
    if (writableLength === 0) return void watched.delete(socket);
    const takenBytes = socket.bytesWritten - writableLength;
    const known = watched.get(socket);
    if (!known) return void watched.set(socket, { pace: new Pace(leastBytesPerSecond, nowMs), takenBytes });
    known.pace.move(takenBytes - known.takenBytes, nowMs);
    known.takenBytes = takenBytes;
    const limitMs = isWantedFrom(socket) ? timeoutMs * wantedPart : timeoutMs;
    // A reset: after an orderly close the system would keep its send buffer for a client that does not read.
    if (known.pace.behindMs(nowMs) >= limitMs) socket.resetAndDestroy();
  };
  const timer = setInterval(
    () => {
      const nowMs = performance.now();
      for (const socket of connections) look(socket, nowMs);
    },
    Math.min(lookEveryMs, timeoutMs / 4),
  );
  timer.unref();
  server.once("close", () => clearInterval(timer));
}
