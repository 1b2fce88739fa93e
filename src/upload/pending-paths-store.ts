import { type Event, type EventStore, kindFacts, namedBy } from "../core/event.ts";
import { isWithin, type Path } from "../core/path.ts";

const batchEvents = 1000;

/** The paths of an event about uploads; none of any other event. */
export function uploadPaths(event: Event): Path[] {
  const noun = kindFacts(event.kind)?.noun;
  return noun === "folder" || noun === "file" ? (namedBy(event) as Path[]) : [];
}

/** The paths that events of the log concern which the tree does not show yet. */
export class PendingPaths {
  private readonly events: Pick<EventStore, "list">;
  private readonly paths = new Set<Path>();
  private sequence = 0;

  constructor(events: Pick<EventStore, "list">) {
    this.events = events;
  }

  /** From now on the tree shows all events up to this one. */
  showTo(sequence: number): void {
    this.sequence = sequence;
    this.paths.clear();
  }

  /**
   * True when an event may concern the path: one of it, of what is above it, or of what is below it, with which it was
   * created. Reads the log to its end, so it is never behind what the store answered before.
   */
  async has(path: Path): Promise<boolean> {
    for (;;) {
      const events = await this.events.list(this.sequence, batchEvents);
      for (const event of events) for (const named of uploadPaths(event)) this.paths.add(named);
      this.sequence = events.at(-1)?.sequence ?? this.sequence;
      if (events.length < batchEvents) break;
    }
    return [...this.paths].some((named) => isWithin(named, path) || isWithin(path, named));
  }
}
