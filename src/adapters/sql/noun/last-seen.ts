import type { Session } from "../../../domain/session.ts";

const flushMs = 5000;

/** When a session was used. */
export type Sighting = { id: string; at: number };

/** How far the time of a session's last use may be behind. */
export const sightingSeconds = 60;

type SightingWrites = { seeSessions(sightings: readonly Sighting[]): Promise<void> };

/** When sessions were last used: gathered in memory, written together, at most once a minute for each session. */
export class LastSeen {
  private readonly writes: SightingWrites;
  /** When each session was last noted here, written or not. Those of more than a minute ago are dropped. */
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
    // What cannot be written now is noted again at the session's next use a minute later.
    await this.writes.seeSessions(sightings);
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }
}
