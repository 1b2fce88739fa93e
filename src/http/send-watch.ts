import type { Server } from "node:http";
import type { Socket } from "node:net";
import { Pace } from "../lib/pace.ts";

/** Far below what any phone takes, and far above a byte now and then. */
const leastBytesPerSecond = 4 * 1024;

type Watched = { pace: Pace; takenBytes: number };

/**
 * Closes the connections of clients that do not take what they asked for: those that are `timeoutMs` behind the least
 * rate. Looks at all connections now and then, so that no reply pays for it. Ends with the server.
 */
export function watchSending(server: Server, timeoutMs: number): void {
  const connections = new Set<Socket>();
  const watched = new WeakMap<Socket, Watched>();
  server.on("connection", (socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
  });
  const look = (socket: Socket, nowMs: number): void => {
    const { writableLength } = socket;
    // Nothing waits to be taken: whatever is slow, it is not the client.
    if (writableLength === 0) return void watched.delete(socket);
    const takenBytes = socket.bytesWritten - writableLength;
    const known = watched.get(socket);
    if (!known) return void watched.set(socket, { pace: new Pace(leastBytesPerSecond, nowMs), takenBytes });
    known.pace.move(takenBytes - known.takenBytes, nowMs);
    known.takenBytes = takenBytes;
    // A reset, or the system would go on holding what it has taken in for a client that does not read.
    if (known.pace.behindMs(nowMs) >= timeoutMs) socket.resetAndDestroy();
  };
  const timer = setInterval(
    () => {
      const nowMs = performance.now();
      for (const socket of connections) look(socket, nowMs);
    },
    Math.min(1000, timeoutMs / 4),
  );
  timer.unref();
  server.once("close", () => clearInterval(timer));
}
