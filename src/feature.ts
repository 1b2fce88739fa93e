import type { Command } from "./cli/command-type.ts";
import type { EventRow } from "./core/event.ts";
import type { Level } from "./core/lib/log.ts";
import type { SettingRows, SettingStates } from "./core/lib/setting.ts";
import type { MetricRows } from "./core/metric.ts";
import type { ProblemRow } from "./core/problem-row.ts";
import type { Served, Service } from "./service.ts";
import type { Settings } from "./settings-type.ts";
import type { Stores } from "./store-type.ts";

/**
 * What a feature brings. `features.ts` lists the features; all that is general is made from the list. What has types adds
 * them to the interface that it belongs to: `Ports`, `Links`, `Settings`, `Problems`, `EventNouns`.
 */
export type Feature = {
  /** Its folder. */
  name: string;
  /** Its nouns, by the names of their ports: core/sql/noun.ts. Loaded where a store is open. */
  nouns?(): Promise<Readonly<Record<string, object>>>;
  events?: Readonly<Record<string, EventRow>>;
  // biome-ignore lint/suspicious/noExplicitAny: each row has parameters of its own.
  problems?: Readonly<Record<string, ProblemRow<any>>>;
  settings?: SettingRows;
  /** Sentences about settings that do not go together. */
  settingFaults?(states: SettingStates): string[];
  chores?: readonly Chore[];
  metrics?: MetricRows;
  /** Loaded where a command line is read. */
  commands?(): Promise<readonly Command[]>;
  /** Where the addresses of its routes begin that its commands are rows over: cli/row.ts. */
  paths?: readonly string[];
  /** Loaded where the service starts. */
  serve?(): Promise<(service: Service) => Served>;
};

/** Periodic background work. app.ts runs what is due, in the order of the features. */
export type Chore = {
  /** Its name in the log. */
  name: string;
  /** A multiple of the shortest period in the list. */
  everySeconds: number;
  /**
   * Runs in one process of the store at a time, and never during a backup. It may be interrupted at any write. `say`
   * writes a sentence for the operator to the error log: to be looked at, unless it has another level.
   */
  run(
    stores: Stores,
    settings: Settings,
    nowSeconds: number,
    say: (sentence: string, level?: Level) => void,
  ): Promise<unknown>;
};

export const feature = (parts: Feature): Feature => parts;
