import type { EntryStore } from "./domain/entry.ts";
import type { EventStore } from "./domain/event.ts";
import type { RegistryStore } from "./domain/registry.ts";
import type { TokenStore } from "./domain/token.ts";
import type { Settings } from "./settings.ts";

/** The open store: one port for each noun. */
export type Stores = {
  entries: EntryStore;
  tokens: TokenStore;
  registry: RegistryStore;
  events: EventStore;
  /** Sentences about what is wrong with the stored data; empty when all is well. */
  verify(): Promise<string[]>;
  close(): Promise<void>;
};

/** A running service. */
export type App = {
  stores: Stores;
  /** Where it answers, `http://127.0.0.1:8080`. */
  url: string;
  /** Stops taking requests, finishes those under way (at most `shutdown_seconds`), closes the store. */
  close(): Promise<void>;
};

export declare function openStores(settings: Settings): Promise<Stores>;
export declare function build(settings: Settings): Promise<App>;
