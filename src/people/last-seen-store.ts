import type { Session } from "./session.ts";

const flushMs = 5000;

/** The time of a session's last use. */
export type Sighting = { id: string; at: number };

/** How much the stored time of a session's last use may lag. */
export const sightingSeconds = 60;

type SightingWrites = { seeSessions(sightings: readonly Sighting[]): Promise<void> };

/**
 * Records when sessions were last used: batched in memory, written together, at most once a minute for each session.
 */
export class LastSeen {
  private readonly writes: SightingWrites;
  /** When each session was last recorded here, written or not. Values older than a minute are dropped. */
  private readonly noted = new Map<string, number>();
  private pending = new Map<string, number>();
  private readonly timer: NodeJS.Timeout;

  constructor(writes: SightingWrites) {
    this.writes = writes;
    this.timer = setInterval(() => void this.flush().catch(() => undefined), flushMs);
    this.timer.unref();
  }

  see({ id, lastSeenAt }: Session, nowSeconds: number): void {
    const known = Math.max(lastSeenAt, this.noted.get(id) ?? 0);
    if (nowSeconds - known < sightingSeconds) return;
    this.noted.set(id, nowSeconds);
    this.pending.set(id, nowSeconds);
  }

  async flush(): Promise<void> {
    if (this.pending.size === 0) return;
    const sightings = [...this.pending].map(([id, at]) => ({ id, at }));
    this.pending = new Map();
    const newest = sightings.at(-1)?.at ?? 0;
    for (const [id, at] of this.noted) if (newest - at >= sightingSeconds) this.noted.delete(id);
    // After a failed write the session's next use, a minute later, records it again.
    await this.writes.seeSessions(sightings);
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }
}
