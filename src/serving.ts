import { reportIgnored } from "./core/http/ignored.ts";
import type { Route } from "./core/http/route.ts";
import { ifAnswered, type Sample } from "./core/metric.ts";
import { features } from "./features.ts";
import type { Served, Service } from "./service.ts";

/** The features of one service: their routes, figures, start and stop. */

/** What a service is made of before its features are. */
export type Ground = Omit<Service, "routes" | "servedRoutes" | "figures" | "part">;

export type Serve = (service: Service) => Served;

/** The code of the features that serve, in the order of the list; of those with this path alone, where there are any. */
export async function loadFeatures(path?: string): Promise<Serve[]> {
  const own = features.filter(({ paths }) => paths?.some((start) => path?.startsWith(start)));
  const loaded = await Promise.all((own.length > 0 ? own : features).map(({ serve }) => serve?.()));
  return loaded.filter((serve) => serve !== undefined);
}

export class Serving {
  readonly service: Service;
  /** The routes of the API, as its description has them. */
  readonly api: Route[] = [];
  readonly others: Route[] = [];
  private readonly routes: Route[] = [];
  private readonly made = new Map<unknown, unknown>();
  private readonly served: Served[] = [];

  constructor(ground: Ground, serves: readonly Serve[]) {
    const { routes, api: servedRoutes } = this;
    const figures = () => this.figures();
    this.service = { ...ground, routes, servedRoutes, figures, part: (make) => this.part(make) };
    for (const serve of serves) this.add(serve(this.service));
  }

  private add(served: Served): void {
    const isStrict = this.service.settings.argumentsStrict === "on";
    this.served.push(served);
    this.routes.push(...(served.api ?? []));
    this.api.push(...(served.api ?? []).map((route) => reportIgnored(route, isStrict)));
    this.others.push(...(served.others ?? []));
  }

  private part<T>(make: (service: Service) => T): T {
    if (!this.made.has(make)) this.made.set(make, make(this.service));
    return this.made.get(make) as T;
  }

  /** Those that are not available are left out. */
  async figures(): Promise<Sample[]> {
    const figures = await Promise.all(
      this.served.map(async (one) => ifAnswered(one.figures?.() ?? Promise.resolve([]))),
    );
    return figures.flatMap((samples) => samples ?? []);
  }

  async check(): Promise<void> {
    for (const { check } of this.served) await check?.();
  }

  async start(): Promise<void> {
    for (const { start } of this.served) await start?.();
  }

  async stop(): Promise<void> {
    for (const { stop } of this.served.toReversed()) await stop?.();
  }
}
