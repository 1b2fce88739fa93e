import type { Log, RequestLine } from "./log.ts";
import type { Route } from "./route.ts";

/** Upper bounds of the histogram, in seconds: those that Prometheus clients have by default, in one third of the lines. */
export const durationBounds = [0.005, 0.025, 0.1, 0.25, 1, 2.5, 10] as const;

/** What the requests of one route did. `durations` has one more than the bounds: what took longer than all of them. */
export type RouteTraffic = {
  /** Replies by class of status: of 1xx at 1, of 2xx at 2. */
  readonly statuses: Uint32Array;
  readonly durations: Uint32Array;
  seconds: number;
};

/** Counts requests by route. 4,294,967,295 of one route begin at 0 again, as Prometheus expects of a restart. */
export class Traffic {
  /** `undefined`: requests that no route answers. */
  readonly of = new Map<Route | undefined, RouteTraffic>();

  /** The log, with each of its requests counted. */
  counting(log: Log): Log {
    return {
      ...log,
      request: (line) => {
        this.count(line);
        log.request(line);
      },
    };
  }

  private count({ route, status, startedMs }: RequestLine): void {
    let traffic = this.of.get(route);
    if (!traffic) {
      const durations = new Uint32Array(durationBounds.length + 1);
      traffic = { statuses: new Uint32Array(6), durations, seconds: 0 };
      this.of.set(route, traffic);
    }
    const seconds = (performance.now() - startedMs) / 1000;
    let bucket = 0;
    while (seconds > (durationBounds[bucket] ?? Number.POSITIVE_INFINITY)) bucket++;
    (traffic.durations[bucket] as number)++;
    (traffic.statuses[Math.floor(status / 100)] as number)++;
    traffic.seconds += seconds;
  }
}
