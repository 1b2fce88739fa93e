import type { Companions } from "./companions.ts";
import type { Log } from "./core/http/log.ts";
import type { Route } from "./core/http/route.ts";
import type { Sample } from "./core/metric.ts";
import type { Settings } from "./settings-type.ts";
import type { Stores } from "./store-type.ts";

/** What a feature has of the service that it is a part of. */
export type Service = {
  readonly settings: Settings;
  readonly stores: Stores;
  readonly companions: Companions;
  readonly log: Log;
  /** That of the package. */
  readonly version: string;
  /** Where it listens; "" before that. */
  url(): string;
  /** False once it has begun to stop. */
  isOpen(): boolean;
  /** How many connections and streams are open. */
  open(): Promise<{ connections: number; streams: number }>;
  /** The routes of the API of the features before this one in the list. */
  readonly routes: readonly Route[];
  /** The same, as they are served: they report what they ignore. */
  readonly servedRoutes: readonly Route[];
  /** The figures of all features, of this process. */
  figures(): Promise<Sample[]>;
  /** What `make` makes, once for a service: what features share. */
  part<T>(make: (service: Service) => T): T;
  /** Does the work each so many milliseconds until it stops; an error is logged under the name. */
  every(ms: number, name: string, work: () => Promise<unknown>): void;
  /** Resolves when the work has finished; an error is logged under the name. */
  chore(name: string, work: Promise<unknown>): Promise<void>;
};

/** What a feature adds to a service. */
export type Served = {
  /** Routes of the API, which its description has. */
  api?: readonly Route[];
  /** Routes of other protocols, which have descriptions of their own, and pages. */
  others?: readonly Route[];
  /** Its metrics, when they are asked for. */
  figures?(): Promise<Sample[]>;
  /** Before it listens: what it rejects with stops the start. */
  check?(): Promise<void>;
  /** When the service listens. */
  start?(): Promise<void> | void;
  /** When its requests have ended, before the store closes. */
  stop?(): Promise<void> | void;
};

/** From the system clock, which may be changed. */
export const nowSeconds = (): number => Math.floor(Date.now() / 1000);
